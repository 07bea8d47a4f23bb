"""Numbered lines of a file, which every cleaning layer takes and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Self


class Text(NamedTuple):
    """Lines with their numbers in the file.

    Parameters
    ----------
    lines
        The lines without line feeds.
    numbers
        Their numbers in the file, as many; a line of the file that holds several has its number more than once.
    """

    lines: Sequence[str]
    numbers: Sequence[int]

    @classmethod
    def of(cls, lines: Sequence[str]) -> Self:
        """Number lines from 1.

        Parameters
        ----------
        lines
            All lines of a file.

        Examples
        --------
        >>> Text.of(["a", "b"]).numbers
        range(1, 3)
        """
        return cls(lines, range(1, len(lines) + 1))

    def each(self, change: Callable[[str], str]) -> Text:
        """Change every line.

        Parameters
        ----------
        change
            Returns a line from a line.

        Examples
        --------
        >>> Text.of(["a", "b"]).each(str.upper).lines
        ['A', 'B']
        """
        return Text([change(line) for line in self.lines], self.numbers)

    @classmethod
    def pairs(cls, pairs: Iterable[tuple[str, int]]) -> Text:
        """Make a text of lines, each with its number.

        Parameters
        ----------
        pairs
            The lines and numbers.

        Examples
        --------
        >>> Text.pairs([("a", 1), ("b", 1)]).numbers
        [1, 1]
        """
        given = list(pairs)
        return Text([line for line, _ in given], [number for _, number in given])


Clean = Callable[[Text], Text]
"""Takes one kind of wrapping off a text, and leaves every other text as it is."""
