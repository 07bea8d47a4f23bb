"""The tables of netperf: units, the titles and rows of the classic tests, the names and values of the omni tests.

`hecn_analysis.logs.network.netperf` describes the tool and assigns tables to tests.

Units and traps
---------------
- 10^6bits is 10**6 bits (``-f m``, the default), likewise 10^0, 10^3 and 10^9. KBytes, MBytes and GBytes (``-f K``,
  ``M``, ``G``) are 1024, 1024**2 and 1024**3 bytes. Titles with CPU times cut the unit to eight letters.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Final

UNIT: Final = r"10\^[0369]bits|[KMG]?Bytes|Trans|Usec"
FACTORS: Final[Mapping[str, float]] = {
    "10^0bits": 1.0,
    "10^3bits": 1e3,
    "10^6bits": 1e6,
    "10^9bits": 1e9,
    "Bytes": 8.0,
    "KBytes": 8.0 * 2**10,
    "MBytes": 8.0 * 2**20,
    "GBytes": 8.0 * 2**30,
}
LETTERS: Final = dict(zip("bkmgBKMG", FACTORS, strict=True))
DEFAULT: Final = "10^6bits"

HEADS: Final[Mapping[str, re.Pattern[str]]] = {
    "stream": re.compile(
        rf"bytes\s{{1,9}}bytes\s{{1,9}}bytes\s{{1,9}}secs\.?\s{{1,9}}(?P<unit>{UNIT})\s{{0,9}}/s(?:ec)?(?:\s+%.{{0,80}})?\s*$"
    ),
    "datagram": re.compile(
        rf"bytes\s{{1,9}}bytes\s{{1,9}}secs\.?\s{{1,20}}#\s{{1,20}}#\s{{1,9}}(?P<unit>{UNIT})\s{{0,9}}/s(?:ec)?(?:\s*%.{{0,80}})?\s*$"
    ),
    "request": re.compile(
        r"bytes\s{1,9}[Bb]ytes\s{1,9}bytes\s{1,9}bytes\s{1,9}secs\.?\s{1,9}"
        rf"(?:per (?:sec|tran)|(?P<unit>{UNIT})\s{{0,9}}/s(?:ec)?)(?:\s+%.{{0,80}})?\s*$"
    ),
}
ABOVE_HEAD: Final = re.compile(rf"\s*Size\s{{1,9}}Size\s{{1,9}}Time\s{{1,9}}(?P<unit>{UNIT})\s{{1,9}}local\s")
_I: Final = r"-?\d{1,12}\s+"
_SECONDS: Final = r"(?P<seconds>\d{1,9}\.\d{1,3})\s+"
_RATE: Final = r"(?P<rate>-?\d{1,15}\.\d{1,3})(?:\s.{0,300})?$"
ROWS: Final[Mapping[str, re.Pattern[str]]] = {
    "stream": re.compile(rf"\s*{_I}{_I}{_I}{_SECONDS}{_RATE}"),
    "datagram": re.compile(rf"\s*{_I}(?P<size>\d{{1,12}})\s+{_SECONDS}(?P<count>\d{{1,15}})\s+\d{{1,15}}\s+{_RATE}"),
    "received": re.compile(rf"\s*{_I}{_SECONDS}(?P<count>\d{{1,15}})\s+{_RATE}"),
    "request": re.compile(rf"\s*{_I}{_I}{_I}{_I}{_SECONDS}{_RATE}"),
}
FIRST_NAME: Final = re.compile(
    r"\s*(?:Command|Test|Result|Socket|Direction|Protocol|Elapsed|Source|Destination|Throughput|Confidence|Local|Remote|"
    r"Round|Transaction|Transport|Request|Response|Initial|Service|Minimum|Maximum|\d\dth|Mean|Stddev)"
    r"(?:\s[\w ()/%.,|]{0,3900}|,.{0,3900})?$"
)
MORE_NAMES: Final = re.compile(r"[\w ()/%.,|]{1,4000}")
_NAMES: Final[Mapping[str, str]] = {
    "throughput": "THROUGHPUT",
    "throughput units": "THROUGHPUT_UNITS",
    "elapsed time (sec)": "ELAPSED_TIME",
    "elapsed time (seconds)": "ELAPSED_TIME",
    "protocol": "PROTOCOL",
    "direction": "DIRECTION",
    "local send throughput": "LOCAL_SEND_THROUGHPUT",
    "remote send throughput": "REMOTE_SEND_THROUGHPUT",
    "local bytes received": "LOCAL_BYTES_RECVD",
    "remote bytes received": "REMOTE_BYTES_RECVD",
    "local transport retransmissions": "LOCAL_TRANSPORT_RETRANS",
    "remote transport retransmissions": "REMOTE_TRANSPORT_RETRANS",
    "local send calls": "LOCAL_SEND_CALLS",
    "remote recv calls": "REMOTE_RECV_CALLS",
    "minimum latency microseconds": "MIN_LATENCY",
    "mean latency microseconds": "MEAN_LATENCY",
    "maximum latency microseconds": "MAX_LATENCY",
    "round trip latency usec/tran": "RT_LATENCY",
}


def by_comma(names: list[str], text: str) -> dict[str, str] | None:
    """Return the values by key from a line of names and a line of values."""
    head = [" ".join(name.split()).lower() for name in " ".join(names).split(",")]
    values = next(csv.reader([text]))
    if len(head) != len(values):
        return None
    return {_NAMES[name]: value.strip() for name, value in zip(head, values, strict=True) if name in _NAMES}


def by_place(names: list[str], text: str) -> dict[str, str] | None:
    """Return the values by key; each name stands above its value, one word per line."""
    starts = [values.start() for values in re.finditer(r"\S+", text)]
    ends = [*starts[1:], None]
    values = {}
    for start, end in zip(starts, ends, strict=True):
        name = " ".join(" ".join(line[start:end].split()) for line in names).split()
        key = _NAMES.get(" ".join(name).lower())
        if key is not None:
            values[key] = text[start:end].strip()
    return values or None
