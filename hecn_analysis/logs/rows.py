"""Rows of intervals while a reader takes them: texts at first, numbers once there are many.

A log may hold tens of millions of rows. What the readers' patterns find in them is kept as texts for the latest rows
only, which may turn out to be a summary; the others become columns of numbers, a block at a time. Where nobody has
asked for the intervals, a block becomes one row for each stream, with the sums that the result is checked against.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import orjson

from hecn_analysis.logs.contract import Array

Text = str | Any  # a group of a pattern: its text, None where it has found nothing

_BLOCK: Final = 1 << 13
_SUMS: Final = frozenset({"bytes", "seconds", "retransmits", "lost_packets", "sent_packets"})
_BOUNDS: Final[Mapping[str, Callable[[Array], Any]]] = {"line": np.max, "t_start_s": np.min, "t_end_s": np.max}
Key = TypeVar("Key")

Convert = Callable[[Sequence[Sequence[Text]], Array], dict[str, Array]]
"""Makes columns of numbers, ``line`` among them and NaN where missing, of a column of texts for each group of the
pattern and the numbers of the lines; a row of what it gives does not depend on other rows. A column without any number
may be left out."""


class Rows:
    """The rows of one table.

    Parameters
    ----------
    width
        Number of groups of the pattern.
    convert
        Makes numbers of texts.
    kept
        Whether every row is wanted, or their sums are enough.
    """

    def __init__(self, width: int, convert: Convert, *, kept: bool) -> None:
        self._width = width
        self._convert = convert
        self._kept = kept
        self._lines: list[int] = []
        self._texts: list[Text] = []  # row after row: tuples of their own would cost twice the time
        self._blocks: list[dict[str, Array]] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def last_line(self) -> int:
        """Number of the line of the row added last."""
        return self._lines[-1]

    def add(self, lines: Sequence[int], texts: Sequence[Text]) -> None:
        """Add rows."""
        self._lines += lines
        self._texts += texts
        self._length += len(lines)
        if len(self._lines) > _BLOCK:
            self._fold()

    def pop(self) -> tuple[int, tuple[Text, ...]]:
        """Take away the row added last, not twice without adding one in between: its line, and its texts."""
        texts = tuple(self._texts[-self._width :])
        del self._texts[-self._width :]
        self._length -= 1
        return self._lines.pop(), texts

    def columns(self) -> dict[str, Array]:
        """Columns of all rows, in their order; none where there are no rows."""
        blocks = [*self._blocks, *([self._converted()] if self._lines else [])]
        return joined(blocks)

    def _fold(self) -> None:
        """Make numbers of all rows but the last."""
        line, texts = self.pop()
        block = self._converted()
        self._blocks.append(block if self._kept else _summed(block))
        self._lines, self._texts = [line], list(texts)
        self._length += 1

    def _converted(self) -> dict[str, Array]:
        width = self._width
        return self._convert([self._texts[group::width] for group in range(width)], np.array(self._lines, dtype=float))


def _summed(block: Mapping[str, Array]) -> dict[str, Array]:
    """One row for each stream: sums, bounds of lines and times, and nothing of the other columns."""
    streams = block.get("stream", np.full(len(block["line"]), np.nan))
    distinct, own = np.unique(streams, return_inverse=True)
    result = {name: np.full(len(distinct), np.nan) for name in block}
    for number in range(len(distinct)):
        for name, values in block.items():
            mine = values[own == number]
            if name in _SUMS:
                result[name][number] = np.nansum(mine)
            elif name in _BOUNDS:
                result[name][number] = _BOUNDS[name](mine)
    return {**result, **({"stream": distinct} if "stream" in block else {})}


def joined(blocks: Sequence[dict[str, Array]]) -> dict[str, Array]:
    """Give the columns of blocks of rows one after another."""
    if len(blocks) < 2:
        return blocks[0] if blocks else {}
    missing = [np.full(len(block["line"]), np.nan) for block in blocks]
    return {
        name: np.concatenate([block.get(name, empty) for block, empty in zip(blocks, missing, strict=True)])
        for name in dict.fromkeys(name for block in blocks for name in block)
    }


def matched(pattern: re.Pattern[str], texts: Sequence[str], start: int) -> tuple[int, list[Text]]:
    r"""Give how many lines from a place on match a pattern, one after another, and what its groups find on them."""
    match = pattern.match
    cells: list[Text] = []
    for place in range(start, len(texts)):
        row = match(texts[place])
        if row is None:
            return place - start, cells
        cells.extend(row.groups())
    return len(texts) - start, cells


def numbers(texts: Sequence[Text]) -> Array:
    """Give a column of numbers."""
    missing = texts.count(None)
    if missing == len(texts):
        return np.full(missing, np.nan)
    given = [text for text in texts if text is not None] if missing else texts
    try:  # as a JSON array: a fifth of the time of float() on each
        values = np.array(orjson.loads(f"[{','.join(given)}]"), float)
    except orjson.JSONDecodeError:
        values = np.empty(0)
    if len(values) != len(given):  # "007", "1." or ".5"
        values = np.fromiter(map(float, given), float, len(given))
    if not missing:
        return values
    column = np.full(len(texts), np.nan)
    column[[text is not None for text in texts]] = values
    return column


def looked_up(keys: Sequence[Key], values: Mapping[Key, float]) -> Array:
    """Give a column of what a table says for each key."""
    if keys and keys.count(keys[0]) == len(keys):
        return np.full(len(keys), values[keys[0]])
    return np.fromiter(map(values.__getitem__, keys), float, len(keys))
