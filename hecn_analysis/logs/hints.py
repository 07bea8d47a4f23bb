"""Search of many lines for many words at once.

Most lines of a log contain no hint of any reader, and a search for each of some hundred words would dominate the time
of reading. Here every position of a text is compared once, for all words together: by the first three characters of a
word, and only at matching positions by the others, three at a time. The rarest nine characters represent a long word.
Words that count only together are found by their first one; lines with it are then searched for the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np

Marks = np.ndarray[Any, np.dtype[np.uint64]]
Codes = np.ndarray[Any, np.dtype[np.int32]]
BITS: Final = 63  # a signed number of 64 bits without its sign
_CODES: Final = 1 << 21
_TRIPLE: Final = 3
_LONGEST: Final = 9
_TOGETHER: Final = 1 << BITS  # the first of some words that count together
_COMMON: Final = Counter("etaoinsr" * 8 + "hldcumf" * 4 + "pgwybv" * 2 + "0123456789.,=:-/" * 8 + " " * 16)


class Index:
    """Words in groups, searched together.

    Group i of ``groups`` has bit i modulo `BITS`. ``together`` has words that count only together on a line,
    ``repeated`` ASCII characters that count if a line has at least so many of them, each with the number of their
    group.

    >>> Index([["Mbps"], ["icmp_seq", "+"]]).marks(["9.9 Mbps", "2 + 2", "none", "icmp_seq=1 Mbps"])
    [1, 2, 0, 3]
    """

    def __init__(
        self,
        groups: Sequence[Sequence[str]],
        together: Sequence[tuple[int, Sequence[str]]] = (),
        repeated: Sequence[tuple[int, str, int]] = (),
    ) -> None:
        bits: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)  # by length of the word and place in it
        words = [(word, 1 << number % BITS) for number, group in enumerate(groups) for word in group]
        words += [(first, _TOGETHER) for _, (first, *_) in together]
        for word, bit in words:
            rare = _rarest(word.encode())
            for place in _places(len(rare)):
                for code in _codes_of(rare[place : place + _TRIPLE]):
                    bits[max(_TRIPLE, len(rare)), place][code] |= bit
        numbers = {code: number for number, code in enumerate(sorted(set().union(*bits.values())), 1)}
        self._numbers = np.zeros(_CODES, np.uint16)
        self._numbers[list(numbers)] = list(numbers.values())
        self._begins = np.zeros(_CODES, np.bool_)
        self._begins[[code for (_, place), table in bits.items() if not place for code in table]] = True
        self._bits = {key: _array(table, numbers) for key, table in bits.items()}
        self._together: defaultdict[str, list[tuple[int, Sequence[str]]]] = defaultdict(list)
        for number, (first, *others) in together:
            self._together[first].append((1 << number % BITS, others))
        self._repeated = [
            (np.uint64(1 << number % BITS), ord(character), least) for number, character, least in repeated
        ]

    def marks(self, texts: Sequence[str]) -> list[int]:
        """Bits of the groups that may have a word on each of some lines."""
        coded = np.frombuffer(("\n".join(texts) + "\n" * _LONGEST).encode("utf-8", "surrogatepass"), np.uint8)
        codes = _codes(coded)
        starts = np.flatnonzero(self._begins[codes[: len(coded) - _LONGEST]])
        numbers = {place: self._numbers[codes[starts + place]] for place in {place for _, place in self._bits}}
        present = np.zeros(len(starts), np.uint64)
        for length in {length for length, _ in self._bits}:
            whole = np.full(len(starts), ~np.uint64(0))
            for place in _places(length):
                whole &= self._bits[length, place][numbers[place]]
            present |= whole
        feeds = np.flatnonzero(coded == ord("\n"))
        marks = np.zeros(len(texts), np.uint64)
        if present.any():
            starts, present = starts[present > 0], present[present > 0]
            lines = np.searchsorted(feeds, starts)
            changes = np.flatnonzero(np.diff(lines, prepend=-1))
            marks[lines[changes]] = np.bitwise_or.reduceat(present, changes)
        for bit, code, least in self._repeated:
            counts = np.bincount(np.searchsorted(feeds, np.flatnonzero(coded == code)), minlength=len(texts))
            marks[counts >= least] |= bit
        result: list[int] = marks.tolist()
        for number in np.flatnonzero(marks >= np.uint64(_TOGETHER)).tolist():
            result[number] = result[number] & ~_TOGETHER | self._bits_together(texts[number])
        return result

    def _bits_together(self, text: str) -> int:
        """Bits of the words that count only together and are all on a line."""
        mark = 0
        for first, groups in self._together.items():
            if first in text:
                for bit, others in groups:
                    if all(map(text.__contains__, others)):
                        mark |= bit
        return mark


def _codes(coded: np.ndarray[Any, np.dtype[np.uint8]]) -> Codes:
    """Codes of three bytes in a row; those of other alphabets share theirs with ASCII."""
    wide = (coded & 0x7F).astype(np.int32)
    codes: Codes = wide[:-2] << 14 | wide[1:-1] << 7 | wide[2:]
    return codes


def _codes_of(word: bytes) -> list[int]:
    """Codes of a word of at most three bytes, followed by anything."""
    codes = product(*([byte & 0x7F] for byte in word), *[range(128)] * (_TRIPLE - len(word)))
    return [first << 14 | second << 7 | third for first, second, third in codes]


def _places(length: int) -> list[int]:
    """Where triples begin that cover a word."""
    return [*range(0, length - _TRIPLE, _TRIPLE), max(0, length - _TRIPLE)]


def _array(table: Counter[int], numbers: dict[int, int]) -> Marks:
    bits = np.zeros(len(numbers) + 1, np.uint64)
    for code, value in table.items():
        bits[numbers[code]] = value
    return bits


def _rarest(word: bytes) -> bytes:
    """The sequence of bytes that represents a word, and that few other words have."""
    places = range(max(1, len(word) - _LONGEST + 1))
    best = min(places, key=lambda place: sum(_COMMON[chr(byte)] for byte in word[place : place + _LONGEST]))
    return word[best : best + _LONGEST]
