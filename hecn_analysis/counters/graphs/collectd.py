"""Files of collectd's csv plugin: ``epoch,rx,tx``, a line each interval, of one counter of one interface.

Versions: 4 and 5.

Units and traps
---------------
- The file does not say what it counts: its name does (if_octets, if_packets, if_errors, if_dropped), and its folder
  names the interface ("interface-eth0", or "interface" with if_octets-eth0) and the host.
- With StoreRates off these are counters, whole numbers. With it on, which is collectd's way unless told otherwise,
  they are rates a second over the interval before: octets are then rows of rates, the others are left out.
- A value that could not be had is "nan" and is missing.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

import numpy as np

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import moment
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("collectd-csv",)
VERSIONS: Final = "collectd 4 and 5, csv plugin"
WHOLE: Final = True

_HEADING: Final = re.compile(r"epoch,rx,tx\s*")
_PATH: Final = re.compile(
    r"(?:(?:^|(?<=[/!]))(?P<host>[^/!]{1,255})[/!])?interface(?:-(?P<interface>[^/]{1,255}))?"
    r"/if_(?P<what>octets|packets|errors|dropped)"
    r"(?:-(?P<instance>.{1,255}?))?(?:-\d{4}-\d\d-\d\d)?(?:\.\w{1,20}){0,4}$"
)
_WHAT: Final = re.compile(r"if_(octets|packets|errors|dropped)\b")
_COLUMNS: Final = {"octets": "octets", "packets": "packets", "errors": "errors", "dropped": "discards"}


def recognises(document: Document) -> bool:
    """Whether the first line is the heading."""
    return _HEADING.fullmatch(document.lines[0]) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read counters or rates of one interface."""
    findings.format = "collectd-csv"
    path = _PATH.search(document.source_file)
    what = path["what"] if path else next(iter(_WHAT.findall(document.source_file)), "octets")
    names: dict[str, Any] = {"interface": (path["interface"] or path["instance"]) if path else None}
    if path and path["host"]:
        names["host"] = path["host"]
    rows: list[tuple[int, float, float | None, float | None]] = []
    texts: list[str] = []
    for line, text in enumerate(document.lines[1:], 2):
        words = text.strip().split(",")
        time = moment(number(words[0]))
        if len(words) == 3 and time is not None:
            rows.append((line, time, number(words[1]), number(words[2])))
            texts += words[1:]
        elif text.strip() and not _HEADING.fullmatch(text):
            findings.problem(line, "malformed", f"found {text[:80]!r}, expected a time and two values; left out")
    if all(re.fullmatch(r"\d+|-?nan", word) for word in texts):
        _counters(rows, names, _COLUMNS[what], findings)
    elif what == "octets":
        for (_, before, *_rest), (line, time, received, sent) in pairwise([rows[0], *rows]):
            findings.rate(
                line=line, time=time, interval_s=time - before if time > before else None,
                in_bps=None if received is None else 8 * received, out_bps=None if sent is None else 8 * sent, **names,
            )  # fmt: skip
    else:
        findings.facts["rates_of"] = what


def _counters(
    rows: list[tuple[int, float, float | None, float | None]],
    names: dict[str, Any],
    what: str,
    findings: CounterFindings,
) -> None:
    for line, time, received, sent in rows:
        counted = {
            name: int(value) for name, value in ((f"in_{what}", received), (f"out_{what}", sent)) if value is not None
        }
        findings.sample(line=line, time=time, counter_bits=64, **counted, **names)
    if what != "octets" or len(rows) < 2:
        return
    times = np.array([row[1] for row in rows])
    series: dict[str, object] = {"name": names["interface"], "n": len(rows) - 1}
    for way, column in (("in", 2), ("out", 3)):
        octets = np.array([np.nan if row[column] is None else row[column] for row in rows], dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = 8 * np.diff(octets) / np.diff(times)
        known = np.isfinite(rates) & (rates >= 0) & (np.diff(times) > 0)
        lengths = np.diff(times)[known]
        series[f"max_{way}_bps"] = float(rates[known].max()) if known.any() else None
        series[f"mean_{way}_bps"] = float((rates[known] * lengths).sum() / lengths.sum()) if known.any() else None
    findings.facts["series"] = [series]
    first, last = rows[0], rows[-1]
    findings.facts["counters"] = {
        "first_in": first[2], "last_in": last[2], "first_out": first[3], "last_out": last[3],
    }  # fmt: skip
