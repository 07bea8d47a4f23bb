"""What ifstat prints: a pair of columns for each interface, a row each interval.

Versions: ifstat 1.1 (Gaël Roualland's), with -t, -b, -w, -T, -n, -z, several interfaces side by side.

Units and traps
---------------
- KB/s are 1024 bytes a second. With -b, "Kbps" are 1024 bits a second.
- With -t a clock without a date stands in front: times are missing, the interval is the difference of clocks, across
  midnight too. Without -t nothing says how long an interval is.
- "Total" (-T) is no interface. "n/a" is missing. Headings come again after a screenful.
- Octets are the kernel's, without FCS.
"""

from __future__ import annotations

import re
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.contract import interval as typical
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number

FORMATS: Final = ("ifstat",)
VERSIONS: Final = "ifstat 1.1"
WHOLE: Final = False

_UNITS: Final = re.compile(r"^(?P<time>HH:MM:SS)?\s*(?:(?:KB/s|Kbps) in +(?:KB/s|Kbps) out\s*)+$")
_CLOCK: Final = re.compile(r"^(\d\d):(\d\d):(\d\d)$")
_DAY: Final = 86400


def recognises(document: Document) -> bool:
    """Whether the heading with the units is in the file."""
    return any(_UNITS.match(line) for line in document.lines if "KB/s in" in line or "Kbps in" in line)


def read(document: Document, findings: CounterFindings) -> None:
    """Read the rows of all tables."""
    findings.format = "ifstat"
    names: list[str] = []
    timed, scale = False, 8.0 * 1024
    clocks: list[float] = []
    rows: list[tuple[int, list[str], list[str]]] = []
    for number_of_line, line in enumerate(document.lines, 1):
        if match := _UNITS.match(line):
            timed, scale = match["time"] is not None, 8.0 * 1024 if "KB/s" in line else 1024.0
            above = document.lines[number_of_line - 2].split() if number_of_line > 1 else []
            names = above[1:] if timed else above
            continue
        words = line.split()
        clock = _CLOCK.match(words[0]) if words and timed else None
        values = words[1:] if clock else words
        if not names or len(values) != 2 * len(names) or (timed and clock is None):
            continue
        if not all(number(word) is not None or word == "n/a" for word in values):
            continue
        if clock:
            seconds = 3600.0 * int(clock[1]) + 60 * int(clock[2]) + int(clock[3])
            while clocks and seconds < clocks[-1]:
                seconds += _DAY
            clocks.append(seconds)
        rows.append((number_of_line, names, values))
    between = typical(clocks) if timed else None
    for row, (number_of_line, of, values) in enumerate(rows):
        length = clocks[row] - clocks[row - 1] if timed and row else between
        for place, name in enumerate(of):
            if name != "Total":
                found_in, found_out = number(values[2 * place]), number(values[2 * place + 1])
                columns: dict[str, Any] = {
                    "in_bps": None if found_in is None else scale * found_in,
                    "out_bps": None if found_out is None else scale * found_out,
                }
                findings.rate(line=number_of_line, interface=name, interval_s=length or None, **columns)
    findings.facts["n_samples"] = len(rows)
    findings.facts["interval_s"] = between
