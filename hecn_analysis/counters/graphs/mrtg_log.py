"""Logs of MRTG (``name.log``, ``name.old``): the last reading of two counters, then mean rates, newest first.

Versions: MRTG 2.x, whose rows have maxima; MRTG 1.x, whose rows have means alone.

Units and traps
---------------
- Rates are octets per second whatever the target's option "bits" says; here they become bit/s. A target that is a
  gauge or a script has the same log with whatever it counts: only the configuration tells (`mrtg_config`).
- A row's time ends the interval that begins with the row below. Rows become longer with age: 5 minutes, 30 minutes,
  2 hours, a day; the maximum beside the mean is that of the 5-minute rates.
- The log has a fixed length: rows of zeros older than the first that is not zero are no measurements and left out. MRTG
  fills a pause with the mean over it, writes 0 where a rate is above MaxBytes, and 0 or the rate before where a counter
  was reset: that cannot be seen.
- The interface is called as the file, which MRTG names after the target.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, cast

from hecn_analysis.counters.clock import iso
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document

FORMATS: Final = ("mrtg-log",)
VERSIONS: Final = "MRTG 1.x and 2.x"
WHOLE: Final = True

_FIRST: Final = re.compile(r"(?P<time>\d{8,11})\s+(?P<inward>-?\d{1,20}|U)\s+(?P<outward>-?\d{1,20}|U)\s*$")
_ROW: Final = re.compile(
    r"(?P<time>\d{8,11})\s+(?P<mean_in>\d{1,20})\s+(?P<mean_out>\d{1,20})"
    r"(?:\s+(?P<max_in>\d{1,20})\s+(?P<max_out>\d{1,20}))?\s*$"
)
_LOOKED_AT: Final = 4
_BITS: Final = 8


def recognises(document: Document) -> bool:
    """Whether the first lines are a reading, and rows that go back in time."""
    lines = [line for line in document.lines[: _LOOKED_AT + 1] if line.strip()]
    if len(lines) < 2 or (first := _FIRST.match(lines[0])) is None:
        return False
    rows = [_ROW.match(line) for line in lines[1:]]
    if rows[-1] is None and len(document.lines) <= _LOOKED_AT + 1:
        del rows[-1]  # a short file that breaks off
    known = [row for row in rows if row is not None]
    times = [int(first["time"]), *(int(row["time"]) for row in known)]
    forms = {row["max_in"] is None for row in known}
    return (
        len(known) == len(rows) > 0 and len(forms) == 1 and all(later >= earlier for later, earlier in pairwise(times))
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read the reading and the rows."""
    findings.format = "mrtg-log"
    name = document.stem
    numbered = [(number, line) for number, line in enumerate(document.lines, 1) if line.strip()]
    number, line = numbered[0]
    first = cast("re.Match[str]", _FIRST.match(line))
    poll = int(first["time"])
    counters = [
        None if text == "U" or text.startswith("-") else int(text) for text in (first["inward"], first["outward"])
    ]
    findings.sample(interface=name, line=number, time=poll, in_octets=counters[0], out_octets=counters[1])
    rows: list[tuple[int, list[int]]] = []
    for number, line in numbered[1:]:
        row = _ROW.match(line)
        if row is None:
            _odd(findings, number, line, last=number == len(document.lines))
            continue
        values = [int(text) for text in row.groups() if text is not None]
        if rows and values[0] > rows[-1][1][0]:
            findings.problem(
                number, "inconsistent", f"found the time {values[0]}, expected one not after {rows[-1][1][0]}; left out"
            )
            continue
        rows.append((number, values))
    known = len(rows)
    while known and not any(rows[known - 1][1][1:]):
        known -= 1
    _rates(findings, name, rows, known)
    most = [max((values[column] for _, values in rows if column < len(values)), default=None) for column in (3, 4)]
    means = [max((values[column] for _, values in rows), default=None) for column in (1, 2)]
    findings.facts.update(
        last_poll_time=iso(poll),
        last_in_counter=counters[0],
        last_out_counter=counters[1],
        n_rows=len(rows),
        n_nonzero_rows=sum(any(values[1:]) for _, values in rows),
        first_time=iso(rows[known - 1][1][0]) if known else None,
        last_time=iso(rows[0][1][0]) if rows else None,
        latest={"in_bps": _BITS * rows[0][1][1], "out_bps": _BITS * rows[0][1][2]} if rows else None,
        **{
            f"max_{way}_bps": None
            if (best := most[column] if most[column] is not None else means[column]) is None
            else _BITS * best
            for column, way in enumerate(("in", "out"))
        },
    )


def _rates(findings: CounterFindings, name: str, rows: list[tuple[int, list[int]]], known: int) -> None:
    """Add the rows that are measurements; the oldest begins at the end of the row below it."""
    for place, (number, values) in enumerate(rows[:known]):
        before = rows[place + 1][1][0] if place + 1 < len(rows) else None
        if before == values[0]:
            continue
        findings.rate(
            interface=name,
            line=number,
            time=values[0],
            interval_s=None if before is None else float(values[0] - before),
            in_bps=float(_BITS * values[1]),
            out_bps=float(_BITS * values[2]),
            in_max_bps=float(_BITS * values[3]) if len(values) > 3 else None,
            out_max_bps=float(_BITS * values[4]) if len(values) > 3 else None,
        )


def _odd(findings: CounterFindings, number: int, line: str, *, last: bool) -> None:
    findings.problem(
        number,
        "truncated" if last else "malformed",
        f"found {line.strip()[:80]!r}, expected a time and two rates with their maxima; left out",
    )
