"""Flags of rates: how a rate was computed from two counter readings, or why it is missing (column ``flag``).

An interval may have several, joined by a comma: ``wrap,gap``. One with none is ``ok``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntFlag
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


class Flag(IntFlag):
    """One bit per flag; `MEANINGS` explains them."""

    OK = 0
    WRAP = 1
    AMBIGUOUS = 2
    RESET = 4
    UNDECIDED = 8
    IMPOSSIBLE = 16
    ABOVE_SPEED = 32
    GAP = 64
    CLOCK_STEP = 128
    REORDERED = 256
    DUPLICATE = 512
    CONFLICT = 1024
    GLITCH = 2048
    MISSING = 4096
    NO_TIME = 8192
    CEILING = 16384


MEANINGS: Mapping[Flag, str] = MappingProxyType(
    {
        Flag.OK: "difference of two readings over the time between them",
        Flag.WRAP: "a counter wrapped to 0: the wrap was added, by the counter's width",
        Flag.AMBIGUOUS: "at the interface's speed the counter may have wrapped undetected in this interval; the rate "
        "is the smallest that fits, a lower bound",
        Flag.RESET: "the counter was reset (shown by uptime or discontinuity time, or since a wrap would exceed the "
        "line rate); the count is unknown: no rate",
        Flag.UNDECIDED: "the counter went back, and neither uptime nor width and speed tell a wrap from a reset: "
        "no rate",
        Flag.IMPOSSIBLE: "more than any port carries, or above the speed right after a reading of 0: no rate",
        Flag.ABOVE_SPEED: "above the stated speed of the interface; the rate is kept, the speed may be wrong",
        Flag.GAP: "readings are missing in between; the rate is the mean over the whole gap",
        Flag.CLOCK_STEP: "the clock of the readings stepped (set, or daylight-saving time in local times); the rate "
        "uses the uptime's difference, or is missing without an uptime",
        Flag.REORDERED: "the reading came after a later one in its file and was sorted",
        Flag.DUPLICATE: "a repeated reading (same time, or same uptime and counters): no rate, the next interval "
        "starts at the first one",
        Flag.CONFLICT: "a second reading for the same time with other counters: no rate, the first one is used",
        Flag.GLITCH: "a single low reading, after which the counter continues from the one before: no rate, the next "
        "interval starts at the one before",
        Flag.MISSING: "a counter is missing in one of the two readings: no rate for it",
        Flag.NO_TIME: "the reading has no time: no rate",
        Flag.CEILING: "exactly the largest rate that its program can count or show: a lower bound",
    }
)

UNRATED = Flag.RESET | Flag.UNDECIDED | Flag.IMPOSSIBLE | Flag.DUPLICATE | Flag.CONFLICT | Flag.GLITCH | Flag.NO_TIME
"""Flags that each mean a missing rate."""

LOWER_BOUND = Flag.AMBIGUOUS | Flag.CEILING
"""Flags that each mean a rate that is only a lower bound."""

Flags = npt.NDArray[np.int16]


@cache
def words(flag: int) -> str:
    """Names of a combination of flags, joined by commas."""
    return ",".join(str(bit.name).lower() for bit in Flag if bit and flag & bit) or "ok"


@cache
def bits(text: str) -> int:
    """Combination of flags for their names; other words of a reader are ignored.

    Parameters
    ----------
    text
        Words, joined by commas.

    Returns
    -------
    int
        The combination, as bits of `Flag`.

    Examples
    --------
    >>> bits("wrap,gap") == Flag.WRAP | Flag.GAP, bits("ok")
    (True, 0)
    """
    known = {str(bit.name).lower(): bit.value for bit in Flag if bit}
    combination = 0
    for word in text.split(","):
        combination |= known.get(word.strip(), 0)
    return combination


def to_words(flags: Flags) -> Any:  # noqa: ANN401 - an extension array of pandas
    """Names of many combinations of flags."""
    kinds, codes = np.unique(flags, return_inverse=True)
    return pd.array([words(int(kind)) for kind in kinds], dtype="string").take(codes)


def to_bits(column: pd.Series[Any]) -> Flags:
    """Combinations of flags for a column of texts; a missing text is ``ok``.

    Parameters
    ----------
    column
        Texts in the form of `words`.

    Returns
    -------
    array
        Combination of each text, as bits of `Flag`.

    Examples
    --------
    >>> to_bits(pd.Series(["ok", "wrap,gap", None])).tolist()
    [0, 65, 0]
    """
    codes, kinds = pd.factorize(column)
    table = np.array([*(bits(str(kind)) for kind in kinds), 0], dtype=np.int16)  # the last entry serves code -1
    return table[codes]
