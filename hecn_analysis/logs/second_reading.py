"""The second reading of a file: without what mails, pages and notes put around the output of tools.

A file whose plain reading has runs and no problems, and in which no line that looks like a tool's is left over, is read
once. Any other file is read again behind each layer of `hecn_analysis.parsing.cleaning`. What a cleaner text gives is
taken where the plain text gives nothing or another figure with as many problems; a run says which layers came off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Final, NamedTuple

from hecn_analysis.files.source import Block, Lines
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.packing import Runs
from hecn_analysis.parsing.cleaning import CERTAIN, Text, cleaned
from hecn_analysis.parsing.cleaning.marks import front

#: Marks inside lines that may cost a figure without any problem.
_WRAPPED: Final = re.compile(
    r"\*\*|`|&#?\w{2,8};|</?[A-Za-z][\w-]{0,12}[ >/]|=3D|=$|[\u00a0\u2000-\u206f\u2212\u3000\uff01-\uff5e\x00-\x08]",
    re.MULTILINE,
)
_LOOKED_AT: Final = 64
_DATED: Final = "log prefixes"  # which the plain reading passes over, except for tools that print dates themselves
_WRAPS: Final = frozenset({"broken lines", "filled lines"})
_COUNTED: Final = frozenset({"malformed", "truncated", "inconsistent"})


class _Stretch(NamedTuple):
    """Lines that runs of two readings share."""

    first: int
    last: int
    before: list[Run]
    after: list[Run]

    def is_within(self, numbers: set[int]) -> bool:
        """Whether all of its lines are among some."""
        return numbers.issuperset(range(self.first, self.last + 1))


class _Changes(NamedTuple):
    """Lines that differ between a text and a cleaner one; of these, with blank ones, those that lost a mark."""

    numbers: set[int]
    marked: set[int]
    layers: tuple[str, ...]


def read_again(plain: RunFindings, lines: Lines) -> RunFindings:
    """Read a file again without its wrapping, where its plain reading leaves something open."""
    if plain.runs.is_packed:
        return plain
    given = list(lines)
    text = Text([line.text for line in given], [line.number for line in given])
    is_open = not len(plain.runs) or any(problem["kind"] in _COUNTED for problem in plain.problems)
    is_open = is_open or _WRAPPED.search("\n".join(text.lines)) is not None or _are_marked(plain, text)
    if not (is_open or plain.left_over):
        return plain
    is_whole = not given or given[-1].complete
    best, before = plain, _by_number(text)
    step = before
    left_on = {_DATED} if len(plain.runs) else set()
    for found in cleaned(text, left_on=left_on):
        after = _by_number(found.text)
        changed = {number for number, parts in before.items() if after.get(number) != parts}
        if not (is_open or _matters(plain, changed) or len(after) != len(before)):
            continue
        again = replace(
            plain, problems=[], runs=Runs(), left_over=[], command=type(plain.command)(0, "", ()), claimed=0
        )
        again.recent = type(plain.recent)()
        registry.read(Lines(iter([Block(list(found.text.lines), found.text.numbers, is_whole)])), again)
        ends = _ends(found.text, len(given) and given[-1].number)
        for run in again.runs:
            run.line_last = ends.get(run.line_last, run.line_last)
        marked = {number for number in changed if _bare(step.get(number, [])) != _bare(after.get(number, []))}
        if found.layer in _WRAPS:
            changed = {number for number, parts in step.items() if after.get(number) != parts}
        step = after
        blank = {number for number, parts in before.items() if not any(map(str.strip, parts))}
        changes = _Changes(changed, marked | blank, found.layers)
        best = _better(best, again, changes)
        left_on |= {_DATED} if len(best.runs) else set()
    return best


def _bare(parts: Sequence[str]) -> list[str]:
    """Lines without their margins."""
    return [part.strip() for part in parts]


def _are_marked(plain: RunFindings, text: Text) -> bool:
    """Whether the first and the last line of a run begin alike, with what may be a mark."""
    lines = dict(zip(text.numbers, text.lines, strict=True))
    for run in islice(plain.runs, _LOOKED_AT):
        first, last = (front(lines.get(number, "")) for number in (run.line_first, run.line_last))
        if first and first == last:
            return True
    return False


def _ends(text: Text, last: int) -> dict[int, int]:
    """The last line of the file that each line of a text holds, where lines were joined."""
    numbers = sorted({*text.numbers, last + 1})
    return {number: after - 1 for number, after in pairwise(numbers) if after > number + 1}


def _by_number(text: Text) -> dict[int, list[str]]:
    """The lines of a text by their number in the file."""
    found: dict[int, list[str]] = {}
    for line, number in zip(text.lines, text.numbers, strict=True):
        found.setdefault(number, []).append(line)
    return found


def _matters(plain: RunFindings, changed: set[int]) -> bool:
    """Whether a changed line is one that was left over, or one of a run."""
    if not changed.isdisjoint(plain.left_over):
        return True
    return any(not changed.isdisjoint(range(run.line_first, run.line_last + 1)) for run in plain.runs)


def _better(plain: RunFindings, again: RunFindings, changes: _Changes) -> RunFindings:
    """The better reading of each stretch of the file."""
    runs: list[Run] = []
    problems = list(plain.problems)
    for stretch in _stretches(list(plain.runs), list(again.runs)):
        if not _is_better(stretch, plain, again, changes):
            runs += stretch.before
            continue
        for run in stretch.after:
            run.columns["cleaned"] = ", ".join(changes.layers)
        runs += stretch.after
        problems = [problem for problem in problems if not _inside(problem, stretch)]
        problems += [problem for problem in again.problems if _inside(problem, stretch)]
    result = replace(plain, problems=problems, runs=Runs())
    for run in runs:
        result.runs.append(run)
    return result


def _is_better(stretch: _Stretch, plain: RunFindings, again: RunFindings, changes: _Changes) -> bool:
    is_certain = CERTAIN.issuperset(changes.layers)
    is_changed = not changes.numbers.isdisjoint(range(stretch.first, stretch.last + 1))
    if not stretch.before:
        return is_changed or _WRAPS.isdisjoint(changes.layers)
    if not stretch.after or not (is_certain or is_changed):
        return False
    before, after = (
        sum(problem["kind"] in _COUNTED and _inside(problem, stretch) for problem in findings.problems)
        for findings in (plain, again)
    )
    if is_certain or (_WRAPS.isdisjoint(changes.layers) and stretch.is_within(changes.marked)):
        is_other = _figures(stretch.before) != _figures(stretch.after)
        return after <= before and is_other and _columns(stretch.before) <= _columns(stretch.after)
    if after or any(run.columns.get("error") for run in stretch.before) > any(
        run.columns.get("error") for run in stretch.after
    ):
        return False
    return len(stretch.before) <= len(stretch.after) and _known(stretch.before) < _known(stretch.after)


def _figures(runs: Sequence[Run]) -> list[list[object]]:
    """What runs say."""
    return [[value for name, value in sorted(run.columns.items()) if name != "cleaned"] for run in runs]


def _columns(runs: Sequence[Run]) -> set[str]:
    """Which columns runs have a figure in."""
    return {name for run in runs for name, value in run.columns.items() if value is not None and name != "cleaned"}


def _known(runs: Sequence[Run]) -> int:
    """How many figures runs have."""
    values = [value for run in runs for name, value in run.columns.items() if name != "cleaned"]
    rows = sum(len(run.streams) + sum(map(len, run.intervals.values())) for run in runs)
    return rows + sum(value is not None and value is not False for value in values)


def _inside(problem: dict[str, object], stretch: _Stretch) -> bool:
    line = problem["line"]
    return isinstance(line, int) and stretch.first <= line <= stretch.last


def _stretches(before: Sequence[Run], after: Sequence[Run]) -> Iterator[_Stretch]:
    """The stretches of a file that runs cover, in order; runs that share a line are in the same."""
    tagged = [(run.line_first, run.line_last, 0, run) for run in before]
    tagged += [(run.line_first, run.line_last, 1, run) for run in after]
    stretch: _Stretch | None = None
    for first, last, side, run in sorted(tagged, key=lambda each: each[:2]):
        if stretch is None or first > stretch.last:
            if stretch is not None:
                yield stretch
            stretch = _Stretch(first, last, [], [])
        stretch = stretch._replace(last=max(stretch.last, last))
        (stretch.after if side else stretch.before).append(run)
    if stretch is not None:
        yield stretch
