"""Few repeats, honestly: the difference of two sets of values with its interval, and tests of several groups at once.

Ranks only are used, for throughputs of repeats have no bell shape: a run that met other traffic is far below the rest,
and none is far above. With n and m repeats a test of ranks cannot give less than 2 / C(n + m, n): where that is more
than the level asked for, no outcome whatever could have told the two apart (`least_p`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]

#: Up to so many values a side, and without ties, the test of ranks is exact; beyond, it is a normal approximation.
_EXACT: Final = 25


class Shift(NamedTuple):
    """By what the second of two sets of values is above the first: see `shift`."""

    median: float
    low: float
    high: float
    p: float


def least_p(n: int, m: int) -> float:
    """Smallest two-sided p that a test of ranks can give for n and m values. [1].

    Examples
    --------
    >>> least_p(3, 3), round(least_p(4, 4), 4)
    (0.1, 0.0286)
    """
    return min(1.0, 2 / math.comb(n + m, n))


def shift(first: npt.ArrayLike, second: npt.ArrayLike, *, confidence: float = 0.95) -> Shift:
    """By what the second of two sets of independent values is above the first.

    The middle is the difference of the medians. The interval holds every shift that the test of ranks of Mann and
    Whitney does not refute at this level (Hodges and Lehmann 1963), so that it leaves out 0 exactly where p is below
    1 - `confidence`. Where the values are too few for any shift to be refuted, it is without end.

    Parameters
    ----------
    first, second
        The values; at least one each.
    confidence
        Of the interval. [1]

    Examples
    --------
    >>> found = shift([9.1, 9.2, 9.3, 9.4], [8.1, 8.2, 8.3, 8.4])
    >>> [round(value, 4) for value in found]
    [-1.0, -1.3, -0.7, 0.0286]
    >>> shift([1.0], [2.0]).high
    inf
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    middle = float(np.median(other) - np.median(one))
    p = _p(one, other)
    level = 1 - confidence
    if least_p(one.size, other.size) > level:
        return Shift(middle, -math.inf, math.inf, p)
    steps = np.unique(np.subtract.outer(other, one))
    between = np.concatenate([[steps[0] - 1], (steps[1:] + steps[:-1]) / 2, [steps[-1] + 1]])
    centre = int(np.searchsorted(steps, np.median(np.subtract.outer(other, one))))
    kept_low = _edge(lambda place: _p(one, other - between[place]) > level, 0, centre)
    kept_high = _edge(lambda place: _p(one, other - between[place]) > level, between.size - 1, centre)
    # the shift may be moved from there to the next difference without a change of ranks
    low = float(steps[max(kept_low - 1, 0)])
    high = float(steps[min(kept_high, steps.size - 1)])
    return Shift(middle, min(low, middle), max(high, middle), p)


def _edge(kept: Callable[[int], bool], outside: int, inside: int) -> int:
    """The place nearest to `outside` that is kept, where all between it and `inside` are."""
    if kept(outside):
        return outside
    while abs(inside - outside) > 1:
        middle = (inside + outside) // 2
        if kept(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _p(one: Floats, other: Floats) -> float:
    if np.ptp(np.concatenate([one, other])) == 0:
        return 1.0
    ties = np.unique(np.concatenate([one, other])).size < one.size + other.size
    exact = max(one.size, other.size) <= _EXACT and not ties
    return float(stats.mannwhitneyu(one, other, method="exact" if exact else "asymptotic").pvalue)


def can_tell(least: npt.ArrayLike, level: float) -> npt.NDArray[np.bool_]:
    """Which of several tests can come out significant at all, once they are corrected for each other (Tarone 1990).

    The others need not be corrected for: they cannot err.

    Parameters
    ----------
    least
        Smallest p that each test can give: `least_p`. [1]
    level
        Share of sets of tests in which one may err. [1]

    Examples
    --------
    >>> can_tell([least_p(5, 5), least_p(4, 4), least_p(2, 2)], 0.05).tolist()
    [True, False, False]
    """
    given = np.asarray(least, dtype=np.float64)
    for count in range(1, given.size + 1):
        able = given <= level / count
        if able.sum() <= count:
            return np.asarray(able, dtype=np.bool_)
    return np.zeros(given.shape, dtype=np.bool_)


def holm(p: npt.ArrayLike) -> Floats:
    """Correct probabilities for their number, so that all of them together are wrong as seldom as one (Holm 1979).

    Parameters
    ----------
    p
        The probabilities; missing ones stay so and do not count. [1]

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    found = np.full(given.shape, np.nan)
    steps = given[order] * np.arange(order.size, 0, -1)
    found[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if order.size else steps
    return found
