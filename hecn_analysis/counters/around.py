"""Hosts and times that stand around the outputs of a paste: prompts of shells, and what ``date`` printed above each.

The prompts of two or more hosts tell which one each row is of; a single one says nothing that the reader needs. Times
count where two or more of them stand closely above readings, in their order: those are readings of a loop.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import Any, Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import zoned_time
from hecn_analysis.files.documents import SHORT, Document
from hecn_analysis.parsing.dates import stamp

_PROMPT: Final = re.compile(
    r"[ \t>`]{0,8}\[?[\w.-]{1,32}@(?P<host>[A-Za-z0-9][\w.-]{0,62})(?:[ :][^#$%\n]{0,60})?[ \]]{0,2}[#$%](?:\s|$)"
)
_NEAR: Final = 8  # lines between a time and the first row of its reading


def place(document: Document, findings: CounterFindings) -> None:
    """Give rows without a host or a time those that stand above them; their lines are those of the file."""
    if not findings.samples or len(document.content) > SHORT:
        return
    if "@" in document.text and not any(row.get("host") for row in findings.samples):
        _hosts(document, findings)
    if not any(row.get("time") for row in findings.samples):
        _times(document, findings)


def _hosts(document: Document, findings: CounterFindings) -> None:
    prompts = [
        (number, match["host"])
        for number, line in enumerate(document.lines, 1)
        if "@" in line and (match := _PROMPT.match(line))
    ]
    lines = [number for number, _ in prompts]
    if len({host for _, host in prompts}) < 2:
        return
    for row in (*findings.samples, *findings.rates):
        above = bisect_right(lines, _line(row))
        if not above or row.get("host"):
            continue
        key = tuple(row.get(name) for name in ("host", "interface", "index"))
        row["host"] = host = prompts[above - 1][1]
        for every in (findings.interfaces, findings.more):
            if key in every:
                every.setdefault((host, *key[1:]), {}).update(every[key])
        findings.interfaces[host, *key[1:]]["host"] = host
    kept = {tuple(row.get(name) for name in ("host", "interface", "index")) for row in findings.samples}
    placed = {key[1:] for key in kept if key[0] is not None}
    for every in (findings.interfaces, findings.more):
        for key in [key for key in every if key[0] is None and key[1:] in placed and key not in kept]:
            del every[key]


def _line(row: dict[str, Any]) -> int:
    line = row.get("line")
    return line if isinstance(line, int) else 0


def _times(document: Document, findings: CounterFindings) -> None:
    stamps = [
        (number, printed)
        for number, line in enumerate(document.lines, 1)
        if len(line) < 60 and (printed := stamp(line)) and not printed.rest.strip(" \t`")
    ]
    rows = sorted(findings.samples, key=_line)
    below = [(number, printed, _below(rows, number)) for number, printed in stamps]
    below = [(number, printed, row) for number, printed, row in below if row and _line(row) <= number + _NEAR]
    if len(below) < 2:
        return
    times = [zoned_time(findings, number, printed.local, printed.zone) for number, printed, _ in below]
    if any(before is None or after is None or after < before for before, after in pairwise(times)):
        return
    lines = [number for number, _, _ in below]
    for row in rows:
        if above := bisect_right(lines, _line(row)):
            row["time"] = times[above - 1]


def _below(rows: list[dict[str, Any]], number: int) -> dict[str, Any] | None:
    return next((row for row in rows if _line(row) > number), None)
