"""What nicstat prints: rates of the interfaces of a Solaris or Linux host.

Versions: nicstat 1.92 and later, as a table, with -M, -x, -p, and -t or -a and so on, whose other tables are left.

Units and traps
---------------
- KB/s are 1024 bytes a second; with -M "Mbps" are 2**20 bits a second.
- The first rows are averages since the host started: flag "since_start".
- The clock in front has no date: times are missing. With -p the time is in seconds since 1970.
- With -x the clock stands in the heading only.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.contract import interval as typical
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("nicstat",)
VERSIONS: Final = "nicstat 1.92, 1.95: table, -M, -x, -p"
WHOLE: Final = False

_HEADING: Final = re.compile(
    r"^[ \t]*Time\s+Int\s+(?:r(?P<unit>KB/s|Mbps)|In)\s+(?:w(?:KB/s|Mbps)|Out)\b", re.MULTILINE
)
_EXTENDED: Final = re.compile(r"^(?P<clock>\d\d:\d\d:\d\d)\s+Rd(?P<unit>KB|Mb)\w*\s+Wr(?:KB|Mb)", re.MULTILINE)
_ROW: Final = re.compile(r"^(?P<clock>\d\d:\d\d:\d\d)\s+(?P<name>\S+)\s+(?P<in>[\d.,]+)\s+(?P<out>[\d.,]+)\s+[\d.,]+")
_EXTENDED_ROW: Final = re.compile(
    r"^(?P<name>[a-zA-Z]\S*)\s+(?P<in>[\d.,]+)\s+(?P<out>[\d.,]+)\s+(?:[\d.,]+\s+){6,}[\d.,]+\s*$"
)
_FIGURE: Final = r"\d{1,15}(?:\.\d{1,3})?"
_PARSABLE: Final = re.compile(
    rf"^(?P<time>\d{{9,10}}):(?P<name>[^\s:]+):(?P<in>{_FIGURE}):(?P<out>{_FIGURE}):{_FIGURE}:{_FIGURE}(?::{_FIGURE}){{2,9}}$",
    re.MULTILINE,
)
_DAY: Final = 86400
_Row: TypeAlias = tuple[int, str, float, float | None, float | None, float | None]
"""Line, name, seconds of the row or its clock, seconds since 1970 where it has them, rates in and out."""


def recognises(document: Document) -> bool:
    """Whether a heading, or a line of -p, is in the file."""
    text = document.text
    return bool(_HEADING.search(text) or _EXTENDED.search(text) or _PARSABLE.match(document.start))


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows of all tables."""
    findings.format = "nicstat"
    rows: list[_Row] = []
    scale, clock, extended = 8.0 * 1024, "", False
    days, last = 0, 0.0
    for line, text in enumerate(document.lines, 1):
        if heading := _HEADING.match(text) or _EXTENDED.match(text):
            scale = 8.0 * 1024 if (heading["unit"] or "KB").startswith("KB") else float(1 << 20)
            extended = "clock" in heading.groupdict()
            clock = heading["clock"] if extended else ""
            continue
        parsed = _PARSABLE.match(text)
        if parsed:
            time = float(parsed["time"])
            rows.append((line, parsed["name"], time, time, *_rates(parsed, 8.0 * 1024)))
            continue
        row = _EXTENDED_ROW.match(text) if extended else _ROW.match(text)
        if row:
            hours, minutes, seconds = (int(word) for word in (clock if extended else row["clock"]).split(":"))
            at = 3600.0 * hours + 60 * minutes + seconds
            days += _DAY if at + days < last else 0
            last = at + days
            rows.append((line, row["name"], last, None, *_rates(row, scale)))
    _hand_over(rows, findings)


def _rates(row: re.Match[str], scale: float) -> tuple[float | None, float | None]:
    received, sent = number(row["in"]), number(row["out"])
    return None if received is None else scale * received, None if sent is None else scale * sent


def _hand_over(rows: list[_Row], findings: CounterFindings) -> None:
    before: dict[str, float] = {}
    for line, name, at, time, received, sent in rows:
        known: dict[str, Any] = {"flag": "since_start"}
        if name in before:
            known = {"interval_s": at - before[name] or None}
        findings.rate(line=line, interface=name, time=time, in_bps=received, out_bps=sent, **known)
        before[name] = at
    moments = sorted({at for _, _, at, _, _, _ in rows})
    findings.facts["n_samples"] = len(moments)
    findings.facts["interval_s"] = typical(moments)
