"""Graphs of Cacti exported as CSV: lines about the graph, then rows of a date and a value for each of its lines.

Versions: Cacti 0.8.7 to 1.2. Written from its source (graph_xport.php); no recorded file was found.

Units and traps
---------------
- The vertical label says the unit ("bits per second"); Cacti's graphs of traffic have turned bytes into bits already.
- Dates are local times of the server, and end their step.
- Words in front of the values, and the word over the dates, are in the language of the user: the order of the lines
  tells what they are. Versions 0.8 end them with a colon.
- What is drawn below the axis is negative: the rate is its amount. "NaN", "U" and nothing are no data.
- The interface is called as the graph.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from hecn_analysis.counters.cells import cells_of
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.graphs import rrdtool_xport
from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.amounts import number_or_nan

FORMATS: Final = ("cacti-csv",)
VERSIONS: Final = "Cacti 0.8.7 to 1.2"
WHOLE: Final = True

_DATE: Final = re.compile(r"\"?(?P<date>\d{4}[-/]\d{1,2}[-/]\d{1,2}[ T]\d{1,2}:\d{2}(?::\d{2})?)\"?$")
_HEAD: Final = ("title", "unit", "start", "end", "step", "rows")
_LONGEST_HEAD: Final = 40


def recognises(document: Document) -> bool:
    """Whether the third and fourth line have dates, the fifth and sixth whole numbers, as a graph of Cacti has them."""
    head = [cells_of(line) for line in document.lines[: len(_HEAD)]]
    if len(head) < len(_HEAD) or not all(len(cells) == 2 for cells in head):
        return False
    values = [cells[1] for cells in head]
    return all(map(_DATE.match, values[2:4])) and all(re.fullmatch(r"\d{1,9}", value) for value in values[4:6])


def read(document: Document, findings: CounterFindings) -> None:
    """Read the lines about the graph, then the rows."""
    findings.format = "cacti-csv"
    head = dict(zip(_HEAD, (cells_of(line)[1] for line in document.lines[: len(_HEAD)]), strict=True))
    at = len(_HEAD)
    while at < min(len(document.lines), _LONGEST_HEAD) and cells_of(document.lines[at]) not in ([], [""]):
        at += 1
    while at < len(document.lines) and cells_of(document.lines[at]) in ([], [""]):
        at += 1
    legend = [cell.strip() for cell in cells_of(document.lines[at])[1:]] if at < len(document.lines) else []
    if not legend:
        findings.problem(at, "truncated", "found no names of columns, expected them behind the lines about the graph")
    rows: rrdtool_xport.Rows = []
    for number, line in enumerate(document.lines[at + 1 :], at + 2):
        cells = cells_of(line)
        if not cells or not line.strip():
            continue
        local = _time(cells[0])
        if local is None or len(cells) != len(legend) + 1:
            last = number == len(document.lines)
            findings.problem(
                number,
                "truncated" if last else "malformed",
                f"found {line[:80]!r}, expected a date and {len(legend)} values; left out",
            )
            continue
        if (time := findings.times.seconds(local, line=number)) is not None:
            rows.append((number, time, [number_or_nan(cell) for cell in cells[1:]]))
    if rows and not findings.clock.known:
        findings.problem(
            at + 2,
            "ambiguous",
            "found local times without a time zone; taken as UTC, give the time zone to have it right",
        )
    findings.facts.update(title=head["title"], vertical_label=head["unit"], step_s=int(head["step"]))
    rrdtool_xport.hand_over(head["title"], legend, rows, findings, head["unit"])


def _time(text: str) -> datetime | None:
    match = _DATE.match(text)
    if match is None:
        return None
    words = [int(word) for word in re.findall(r"\d+", match["date"])]
    try:
        return datetime(*words)  # type: ignore[arg-type] # noqa: DTZ001 - local
    except ValueError:
        return None
