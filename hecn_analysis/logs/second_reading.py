"""The second reading of a log: without what mails, pages and notes add to the output of tools.

A log is read once if its plain reading has runs and no problems, and every line that looks like a tool's is claimed.
Any other one goes through `hecn_analysis.parsing.second_reading`; a run names the removed layers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import islice, pairwise
from typing import Final

import numpy as np

from hecn_analysis.files.source import Block, Lines
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import MOST_CLAIMS, Run, RunFindings
from hecn_analysis.parsing import second_reading
from hecn_analysis.parsing.cleaning import Text
from hecn_analysis.parsing.leftovers import leftovers
from hecn_analysis.parsing.second_reading import Change, Part, Reading

_LOOKED_AT: Final = 64
_BELOW: Final = 64  # lines below a tool's line that may belong to it
#: The plain reading passes over these, except for tools that print dates themselves.
_DATED: Final = frozenset({"log prefixes"})


def read_again(plain: RunFindings, lines: Lines) -> RunFindings:
    """Read a file again without its wrapping, if its plain reading leaves something open, and name what is left."""
    if plain.runs.is_packed:
        return plain
    given = lines.whole()
    result = _better(plain, given)
    if (len(result.runs) or result.problems) and len(plain.claims) < MOST_CLAIMS:  # else the whole file is named
        spans = [*plain.claims, *((run.line_first, run.line_last) for run in result.runs)]
        read = {line for first, last in spans for line in range(first, last + 1)}
        read.update(line for problem in result.problems if isinstance(line := problem["line"], int))
        for left in leftovers(given.texts, given.numbers, read):
            result.problem(left.line, "unrecognised", left.message)
    return result


def _better(plain: RunFindings, given: Block) -> RunFindings:
    """The better reading of each stretch of a file."""
    text = Text(given.texts, given.numbers)
    before = _reading(plain)
    is_open = before.is_open or second_reading.has_marks(text.lines) or _are_marked(plain, text)
    if not (is_open or plain.left_over):
        return plain
    last = given.numbers[-1] if given.texts else 0
    near = _near(plain)

    def read(change: Change) -> Reading[Run]:
        again = RunFindings(plain.source_file, keep_intervals=plain.keep_intervals)
        registry.read(Lines(iter([Block(list(change.text.lines), change.text.numbers, given.complete)])), again)
        plain.claims += again.claims
        ends = _ends(change.text, last)
        for run in again.runs:
            run.line_last = ends.get(run.line_last, run.line_last)
            run.columns["cleaned"] = ", ".join(change.layers)
        return _reading(again)

    def matters(change: Change) -> bool:
        if not change.fresh.isdisjoint(near):
            return True
        pairs = zip(change.text.lines, change.text.numbers, strict=True)
        return registry.has_hints([line for line, number in pairs if number in change.fresh])

    best = second_reading.read_again(before, text, read, matters=matters, passed_over=_DATED)
    if best is before:
        return plain
    result = RunFindings(plain.source_file, keep_intervals=plain.keep_intervals, problems=best.problems)
    for part in best.parts:
        result.runs.append(part.what)
    return result


def _reading(findings: RunFindings) -> Reading[Run]:
    """The runs of a reading with the problems on their lines."""
    numbered = sorted(
        ((problem["line"], problem) for problem in findings.problems if isinstance(problem["line"], int)),
        key=lambda pair: pair[0],
    )
    lines = [line for line, _ in numbered]
    parts = []
    for run in findings.runs:
        own = slice(bisect_left(lines, run.line_first), bisect_right(lines, run.line_last))
        figures = {name: value for name, value in run.columns.items() if name != "cleaned"}
        values = sum(
            int(np.count_nonzero(~np.isnan(column))) for name, column in run.intervals.items() if name != "line"
        )
        figures["rows"] = range(len(run.streams) + values)
        tool, numbers = str(run.columns.get("tool")), frozenset(range(run.line_first, run.line_last + 1))
        problems = [problem for _, problem in numbered[own]]
        parts.append(Part(run, tool, numbers, figures, problems, is_failure=bool(run.columns.get("error"))))
    return Reading(parts, findings.problems)


def _are_marked(plain: RunFindings, text: Text) -> bool:
    """Whether the first and the last line of a run begin with the same possible mark."""
    lines = dict(zip(text.numbers, text.lines, strict=True))
    ends = ([lines.get(number, "") for number in (run.line_first, run.line_last)] for run in plain.runs)
    return any(map(second_reading.are_marked, islice(ends, _LOOKED_AT)))


def _near(plain: RunFindings) -> set[int]:
    """Numbers of lines that a tool may have printed: of runs, and below lines that look like a tool's."""
    lines: set[int] = set()
    for run in plain.runs:
        lines.update(range(run.line_first, run.line_last + 1))
    named: Iterable[object] = (problem["line"] for problem in plain.problems)
    for line in (*plain.left_over, plain.claimed, *named):
        if isinstance(line, int):
            lines.update(range(line, line + _BELOW))
    return lines


def _ends(text: Text, last: int) -> dict[int, int]:
    """For each line of a text, the last line of the file that it holds if lines were joined."""
    numbers = sorted({*text.numbers, last + 1})
    return {number: after - 1 for number, after in pairwise(numbers) if after > number + 1}
