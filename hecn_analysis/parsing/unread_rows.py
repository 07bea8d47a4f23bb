"""Rows of tables, and labels, that a reader left out among those that it took.

A reader that returns facts does not say of which lines. A line counts as taken if a change of its name, of its figures
or of its end, or its removal, changes what the reader returns. Rows that were not taken beside like rows that were are
named. Of rows that differ in their digits and letters alone the first and the last stand for all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, islice, takewhile
from operator import eq
from typing import Final

from hecn_analysis.parsing.leftovers import Leftover
from hecn_analysis.parsing.prose import is_prose

_CELL: Final = re.compile(r"[^\s|]{1,200}")
_MARGIN: Final = re.compile(r"[ \t>|`├└│─*-]{0,40}")
_FIGURE: Final = re.compile(r"[<>~+-]?\d[\d.,:/-]{0,40}(?:[KMGTPE]i?)?(?:[Bb](?:/s)?|ms|us|s|%)?$")
_AMOUNT: Final = re.compile(r"\d[\d.,]{0,20} ?[A-Za-z%]")
#: A label with its value, but not the name of a row of many figures.
_LABEL: Final = re.compile(
    r"[ \t>|`├└│─*-]{0,40}(?P<name>/?[^\W\d][^:=]{0,60}?) {0,60}[:=](?=\s|$)"
    r"(?!(?:\s{1,40}\d[\d.,]{0,20}){4})(?P<value>.{0,400})"
)
_PART: Final = re.compile(r"p?\d{1,3}")  # behind the name of a disk
_DIGITS: Final = re.compile(r"\d")
_RUNS: Final = re.compile(r"\d{1,400}|[^\W\d_]{1,400}|\s{1,400}")
_FEWEST: Final = 3  # cells of a row
_LONGEST: Final = 1000
_MOST_LINES: Final = 400  # of an output
_MOST_TRIED: Final = 40  # lines of an output
_LIKE: Final = 0.75  # of the cells

#: The lines of an output by their numbers in the file.
Numbered = Mapping[int, str]


@dataclass
class Unread:
    """What of an output's tables and labels a reader did not take.

    ``result`` is what the reader makes of the output with some of its lines changed; results that compare equal are the
    same. ``named`` are the numbers of the lines that problems name.
    """

    lines: Numbered
    result: Callable[[Numbered], object]
    named: Collection[int] = ()
    _last: dict[str, int] = field(init=False, default_factory=dict)
    _tried: dict[str, bool | None] = field(init=False, default_factory=dict)

    @cached_property
    def whole(self) -> object:
        """The result of the output as it is."""
        return self.result(self.lines)

    def rows(self) -> Iterator[Leftover]:
        """Yield the rows that were left out, those of each table together, and rows of which a part was."""
        blocks = list(self._blocks())
        for block in blocks:
            taken = [number for number in block if self._is_taken(number)]
            left = [
                number
                for number in block
                if self._is_taken(number) is False and number not in self.named and self._is_missed(number, taken)
            ]
            if left:
                yield self._leftover(left)
            if tails := [number for number in taken if self._has_tail(number, taken)]:
                yield self._leftover(tails, "no more cells than in the rows beside it")
        if first := [number for number in self._firsts() if not any(number in block for block in blocks)]:
            yield self._leftover(first, "the head of its table above it")

    def _leftover(self, numbers: Sequence[int], expected: str = "a row like those beside it") -> Leftover:
        return Leftover(numbers[0], self.lines[numbers[0]], len(numbers), expected)

    def _has_tail(self, number: int, rows: Sequence[int]) -> bool:
        """Whether a row is followed by another one on its line, which changes nothing."""
        row = self.lines[number]
        usual = min(len(_CELL.findall(self.lines[other])) for other in rows)
        cells = list(_CELL.finditer(row))
        kinds = _kinds(row)
        is_twice = kinds[usual : 2 * usual] == kinds[:usual] and 2 * sum(kinds[:usual]) >= usual
        if number in self.named or usual < _FEWEST or not is_twice:
            return False
        return self.result({**self.lines, number: row[: cells[usual - 1].end()]}) == self.whole

    def _firsts(self) -> Iterator[int]:
        """First rows of a name that change nothing, whose later ones do: a table without its head."""
        if len(self.lines) > _MOST_LINES:
            return
        by_name: defaultdict[tuple[str, tuple[bool, ...]], list[int]] = defaultdict(list)
        for number, line in self.lines.items():
            kinds = _kinds(line) if number not in self.named and _is_row(line) else []
            if len(kinds) > 2 * _FEWEST and sum(kinds) >= _LIKE * len(kinds):
                by_name[_CELL.findall(line)[0], tuple(kinds)].append(number)
        for numbers in islice(by_name.values(), _FEWEST):
            if len(numbers) >= _FEWEST and self._matters(numbers[1]) and not self._matters(numbers[0]):
                yield numbers[0]

    def labels(self, known: Collection[str]) -> Iterator[Leftover]:
        """Yield the lines of labels that the reader knows whose amounts it did not take; it may take the first only."""
        if len(self.lines) > _MOST_LINES:
            return
        matches = ((number, _LABEL.match(line)) for number, line in self.lines.items() if len(line) <= _LONGEST)
        labelled = [(number, match) for number, match in matches if match and match["name"] in known]
        times = Counter(match["name"] for _, match in labelled)
        for number, match in labelled:
            is_open = times[match["name"]] == 1 and number not in self.named and _AMOUNT.match(match["value"].strip())
            if is_open and self._is_taken(number) is False:
                yield self._leftover([number], f"a value of {match['name']!r} that the reader knows")

    def _is_taken(self, number: int) -> bool | None:
        """Whether a line changes the result; None where too many were tried before."""
        form = _form(self.lines[number])
        if form not in self._tried:
            self._last = self._last or {_form(line): at for at, line in self.lines.items()}
            full = len(self._tried) >= _MOST_TRIED
            self._tried[form] = None if full else self._matters(number) or self._matters(self._last[form])
        return self._tried[form]

    def _matters(self, number: int) -> bool:
        """Whether some change of a line changes the result."""
        return any(self.result({**self.lines, number: line}) != self.whole for line in _changed(self.lines[number]))

    def _is_missed(self, number: int, taken: Sequence[int]) -> bool:
        """Whether a row that was not taken is like one that was, no part of its device, and not replaced later."""
        row = self.lines[number]
        name, words, kinds = _CELL.findall(row)[0], _words(row), _kinds(row)
        names = [_CELL.findall(self.lines[other])[0] for other in taken]
        if not any(_are_alike(kinds, _kinds(self.lines[other])) for other in taken) or any(
            name.startswith(whole) and _PART.fullmatch(name, len(whole)) for whole in names
        ):
            return False
        later = (line for other, line in self.lines.items() if other > number)
        return not words or not any(_words(line) == words and self._tried.get(_form(line)) for line in later)

    def _blocks(self) -> Iterator[Sequence[int]]:
        """Runs of rows without other lines between; none of a long output."""
        if len(self.lines) > _MOST_LINES:
            return
        for is_table, numbers in groupby(self.lines, key=lambda number: _is_row(self.lines[number])):
            block = list(numbers)
            if is_table and len(block) > 1:
                yield block[1:] if _is_heading(self.lines[block[0]]) else block


def _changed(line: str) -> Iterator[str]:
    """Yield a line with another name, with other figures, with another end, and none."""
    margin = _MARGIN.match(line)
    start = margin.end() if margin else 0
    yield f"{line[:start]}x{line[start:]}"
    yield _DIGITS.sub(lambda digit: str((int(digit[0]) + 1) % 10), line)
    yield f"{line.rstrip()}x"
    yield ""


def _form(line: str) -> str:
    """The line with one sign for each run of digits, of letters and of blanks."""
    return _RUNS.sub(lambda run: " " if run[0].isspace() else "9" if run[0].isdecimal() else "a", line)


def _is_row(line: str) -> bool:
    """Whether a line has the cells of a row, with a figure among them."""
    if len(line) > _LONGEST or _LABEL.match(line):
        return False
    kinds = _kinds(line)
    return len(kinds) >= _FEWEST and any(kinds) and not is_prose(line)


def _is_heading(line: str) -> bool:
    """Whether a line numbers the columns below it."""
    numbers = _CELL.findall(line)[1:]
    return numbers == [str(number) for number in range(len(numbers))]


def _words(line: str) -> list[str]:
    """The cells of a row that are no figures, without its time."""
    return [cell for cell in _CELL.findall(line) if not _FIGURE.match(cell)]


def _kinds(line: str) -> list[bool]:
    """Which cells are figures."""
    return [_FIGURE.match(cell) is not None for cell in _CELL.findall(line)]


def _are_alike(row: Sequence[bool], other: Sequence[bool]) -> bool:
    """Whether two rows have like cells: most of them, or most before and behind those that one has more."""
    longest, same = max(len(row), len(other)), sum(map(eq, row, other))
    ends = sum(1 for _ in takewhile(bool, map(eq, row, other)))
    ends += sum(1 for _ in takewhile(bool, map(eq, row[: ends - 1 : -1], other[: ends - 1 : -1]))) if ends else 0
    return bool(max(same, ends) >= _LIKE * longest)
