"""Which lines hold which words, for many lines and many words at once.

Most lines of a log hold no word that any reader asks for, and looking for each of some hundred words on each line is
what reading them would cost. Here every place of a text is looked at once, for all words together: three bytes in a
row, one triple for each word, select a row of a table of bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

Marks = np.ndarray[Any, np.dtype[np.uint64]]
BITS: Final = 63  # a signed number of 64 bits without its sign
_CODES: Final = 1 << 16
_COMMON: Final = Counter("etaoinsr" * 8 + "hldcumf" * 4 + "pgwybv" * 2 + " 0123456789.,=:-/" * 8)


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
        self._pairs = np.zeros(_CODES, np.uint64)
        self._triples = np.zeros(_CODES, np.uint64)
        for number, words in enumerate(groups):
            bit = np.uint64(1 << number % BITS)
            for word in words:
                coded = np.frombuffer(word.encode(), np.uint8)
                if len(coded) == 1:
                    self._pairs[int(coded[0]) << 8 : (int(coded[0]) + 1) << 8] |= bit
                elif len(coded) == 2:
                    self._pairs[_pairs(coded)[0]] |= bit
                else:
                    self._triples[_triples(_rarest(word))[0]] |= bit

    def marks(self, texts: Sequence[str]) -> list[int]:
        """Bits of the groups that may have a word on each of some lines.

        A group without its bit has no word on the line; one with it may have one.

        Parameters
        ----------
        texts
            The lines, without line feeds.
        """
        coded = np.frombuffer(("\n".join(texts) + "\n\n\n").encode("utf-8", "surrogatepass"), np.uint8)
        found = self._pairs[_pairs(coded[:-1])] | self._triples[_triples(coded)]
        ends = np.flatnonzero(coded[:-3] == ord("\n"))
        starts = np.concatenate([[0], ends + 1])
        return [int(marks) for marks in np.bitwise_or.reduceat(found, starts)]


def _pairs(coded: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.uint16]]:
    wide = coded.astype(np.uint16)
    return np.left_shift(wide[:-1], 8, dtype=np.uint16) | wide[1:]


def _triples(coded: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """Codes of three bytes in a row, of which some have the same."""
    wide = coded.astype(np.uint16)
    return np.left_shift(wide[:-2], 10, dtype=np.uint16) ^ np.left_shift(wide[1:-1], 5, dtype=np.uint16) ^ wide[2:]


def _rarest(word: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Three bytes in a row of a word that few other words have."""
    places = range(max(1, len(word) - 2))
    best = min(places, key=lambda place: sum(_COMMON[letter] for letter in word[place : place + 3]))
    return np.frombuffer(word[best:].encode(), np.uint8)[:3]
