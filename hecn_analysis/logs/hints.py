"""Which lines hold which words, for many lines and many words at once.

Most lines of a log hold no word that any reader asks for, and looking for each of some hundred words on each line is
what reading them would cost. Here every place of a text is looked at once, for all words together: two or three bytes
in a row select a row of a table of bits. Of a longer word a second triple must follow the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

Marks = np.ndarray[Any, np.dtype[np.uint64]]
BITS: Final = 63  # a signed number of 64 bits without its sign
_CODES: Final = 1 << 16
_APART: Final = 2
_LONG: Final = 3 + _APART
_COMMON: Final = Counter("etaoinsr" * 8 + "hldcumf" * 4 + "pgwybv" * 2 + "0123456789.,=:-/" * 8 + " " * 16)


class Index:
    """Words in groups, looked for together.

    Parameters
    ----------
    groups
        The words of each group, each of at least one character. Group i has bit i modulo `BITS`.

    Examples
    --------
    >>> Index([["Mbps"], ["icmp_seq", "+"]]).marks(["9.9 Mbps", "2 + 2", "none", "icmp_seq=1 Mbps"])
    [1, 2, 0, 3]
    """

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        self._pairs, self._triples, *self._long = (np.zeros(_CODES, np.uint64) for _ in range(4))
        for number, words in enumerate(groups):
            bit = np.uint64(1 << number % BITS)
            for word in words:
                coded = np.frombuffer(word.encode(), np.uint8)
                if len(coded) == 1:
                    self._pairs[int(coded[0]) << 8 : (int(coded[0]) + 1) << 8] |= bit
                elif len(coded) == 2:
                    self._pairs[_pairs(coded)[0]] |= bit
                elif len(coded) < _LONG:
                    self._triples[_triples(_rarest(coded, 3))[0]] |= bit
                else:
                    codes = _triples(_rarest(coded, _LONG))
                    for table, code in zip(self._long, (codes[0], codes[_APART]), strict=True):
                        table[code] |= bit

    def marks(self, texts: Sequence[str]) -> list[int]:
        """Bits of the groups that may have a word on each of some lines.

        A group without its bit has no word on the line; one with it may have one.

        Parameters
        ----------
        texts
            The lines, without line feeds.
        """
        coded = np.frombuffer(("\n".join(texts) + "\n" * _LONG).encode("utf-8", "surrogatepass"), np.uint8)
        codes = _triples(coded)
        length = len(codes) - _APART
        found = self._long[0][codes[:length]]
        found &= self._long[1][codes[_APART:]]
        found |= self._triples[codes[:length]]
        found |= self._pairs[_pairs(coded[: length + 1])]
        ends = np.flatnonzero(coded[:-_LONG] == ord("\n"))
        starts = np.concatenate([[0], ends + 1])
        marks: list[int] = np.bitwise_or.reduceat(found, starts).tolist()
        return marks


def _pairs(coded: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.uint16]]:
    wide = coded.astype(np.uint16)
    return np.left_shift(wide[:-1], 8, dtype=np.uint16) | wide[1:]


def _triples(coded: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """Codes of three bytes in a row, of which some have the same."""
    wide = coded.astype(np.uint16)
    return np.left_shift(wide[:-2], 10, dtype=np.uint16) ^ np.left_shift(wide[1:-1], 5, dtype=np.uint16) ^ wide[2:]


def _rarest(coded: np.ndarray[Any, np.dtype[np.uint8]], length: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """So many bytes in a row of a word, those that few other words have."""
    places = range(len(coded) - length + 1)
    best = min(places, key=lambda place: sum(_COMMON[chr(byte)] for byte in coded[place : place + length]))
    return coded[best : best + length]
