"""Numbered lines of a file, which every cleaning layer takes and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Self


class Text(NamedTuple):
    """Lines without line feeds, and their numbers in the file; lines that the file joins share a number."""

    lines: Sequence[str]
    numbers: Sequence[int]

    @classmethod
    def of(cls, lines: Sequence[str]) -> Self:
        """Number the lines of a file from 1."""
        return cls(lines, range(1, len(lines) + 1))

    def begun(self) -> Text:
        """Return the text from its first line that is not blank."""
        start = next((place for place, line in enumerate(self.lines) if line.strip()), 0)
        return Text(self.lines[start:], self.numbers[start:])

    def each(self, change: Callable[[str], str]) -> Text:
        """Return a text with every line changed."""
        return Text([change(line) for line in self.lines], self.numbers)

    @classmethod
    def pairs(cls, pairs: Iterable[tuple[str, int]]) -> Text:
        """Make a text of lines with their numbers."""
        given = list(pairs)
        return Text([line for line, _ in given], [number for _, number in given])


Clean = Callable[[Text], Text]
"""Takes one kind of wrapping off a text, and leaves every other text as it is."""


def runs(marked: Sequence[object], least: int) -> Iterator[tuple[int, int]]:
    """Yield where `least` or more marked lines in a row begin and end."""
    start = 0
    for place, mark in enumerate([*marked, None]):
        if mark:
            continue
        if place - start >= least:
            yield start, place
        start = place + 1
