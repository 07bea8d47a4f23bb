"""Windows performance counters as CSV: ``typeperf``, ``relog -f csv`` and logs of perfmon.

Versions: Windows 2000 to 11 and Server 2025, English, German and French; the commands around the table may be there.

Units and traps
---------------
- "Bytes Received/sec" of a network interface are bytes a second over the interval that ends at the time of the row;
  "Bytes Total/sec", the sum of both directions, is left out. "Current Bandwidth" is bit/s.
- Times are local, month first; a head with a zone ("(Pacific Standard Time)(480)") gives its minutes west of UTC.
- A blank value is a counter that was not there yet. The first row of a rate is blank, since there is nothing before it.
- Disks ("PhysicalDisk(0 C:)") are facts: mean and largest rates. Other counters are left out.
"""

from __future__ import annotations

import csv
import re
from datetime import datetime, timedelta, timezone
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import local_time
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("pdh-csv",)
VERSIONS: Final = "Windows 2000 to 11, Server to 2025"
WHOLE: Final = False

_HEAD: Final = re.compile(r'^"?\(PDH-CSV \d\.\d\)(?: \([^)"]{1,60}\)\((?P<west>-?\d{1,4})\))?"?,', re.MULTILINE)
_COUNTER: Final = re.compile(
    r"\\\\(?P<host>[^\\]{1,255})\\(?P<object>[^\\(]{1,60})\((?P<name>.{1,200})\)\\(?P<counter>[^\\]{1,60})$"
)
_PORTS: Final = {
    "Bytes Received/sec": "in_bps",
    "Bytes Sent/sec": "out_bps",
    "Empfangene Bytes/s": "in_bps",
    "Gesendete Bytes/s": "out_bps",
    "Bytes gesendet/s": "out_bps",
    "Octets reçus/s": "in_bps",
    "Octets envoyés/s": "out_bps",
}
_DISKS: Final = {"Disk Read Bytes/sec": "read_bps", "Disk Write Bytes/sec": "write_bps"}
_SPEEDS: Final = ("Current Bandwidth", "Aktuelle Bandbreite", "Bande passante actuelle")


def recognises(document: Document) -> bool:
    """Whether the head of the table is in the file."""
    return "(PDH-CSV " in document.text and _HEAD.search(document.text) is not None


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rates of all interfaces and disks."""
    findings.format = "pdh-csv"
    columns: list[re.Match[str] | None] = []
    west: str | None = None
    before: float | None = None
    disks: dict[str, dict[str, list[float]]] = {}
    for line, text in enumerate(document.lines, 1):
        if head := _HEAD.match(text):
            columns, west, before = [_COUNTER.match(cell) for cell in next(csv.reader([text]))[1:]], head["west"], None
        elif columns and text.startswith('"'):
            cells = next(csv.reader([text]))
            time = _time(cells[0], west, line, findings)
            if time is None or len(cells) != len(columns) + 1:
                said = f"found {text[:80]!r}, expected a time and {len(columns)} values; left out"
                findings.problem(line, "malformed", said)
                continue
            _row(columns, cells[1:], (line, time, before), findings, disks)
            before = time
    if disks:
        findings.facts["devices"] = [
            {"name": name, **{f"mean_{rate}": sum(each) / len(each) for rate, each in rates.items()},
             **{f"max_{rate}": max(each) for rate, each in rates.items()}}
            for name, rates in disks.items()
        ]  # fmt: skip


def _row(
    columns: list[re.Match[str] | None],
    cells: list[str],
    place: tuple[int, float, float | None],
    findings: CounterFindings,
    disks: dict[str, dict[str, list[float]]],
) -> None:
    """Add the rates of one time."""
    line, time, before = place
    rates: dict[tuple[str, str], dict[str, float]] = {}
    for column, cell in zip(columns, cells, strict=True):
        value = number(cell.strip())
        if column is None or value is None:
            continue
        if column["counter"] in _PORTS:
            rates.setdefault((column["host"], column["name"]), {})[_PORTS[column["counter"]]] = 8 * value
        elif column["counter"] in _SPEEDS and value > 0:
            findings.interface(host=column["host"], interface=column["name"], speed_bps=value)
        elif column["counter"] in _DISKS:
            rate = disks.setdefault(column["name"], {}).setdefault(_DISKS[column["counter"]], [])
            rate.append(8 * value)
    for (host, name), both in rates.items():
        length = time - before if before is not None and time > before else None
        findings.rate(line=line, host=host, interface=name, time=time, interval_s=length, **both)


def _time(text: str, west: str | None, line: int, findings: CounterFindings) -> float | None:
    """Seconds since 1970 of a time of the table."""
    try:
        local = datetime.strptime(text.partition(".")[0], "%m/%d/%Y %H:%M:%S")  # noqa: DTZ007 - local
    except ValueError:
        return None
    part = float(f"0.{text.partition('.')[2][:6] or '0'}") if text.partition(".")[2][:6].isdecimal() else 0.0
    if west is not None:
        return local.replace(tzinfo=timezone(timedelta(minutes=-int(west)))).timestamp() + part
    seconds = local_time(findings, line, local)
    return None if seconds is None else seconds + part
