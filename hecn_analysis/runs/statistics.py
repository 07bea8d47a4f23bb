"""Statistics of few repeats: the difference of two sets of values with its interval, and tests of several groups.

Where there are repeats on both sides, ranks only are used (`shift`), for throughputs of repeats have no bell shape: a
run that met other traffic is far below the rest, and none is far above. With n and m repeats a test of ranks cannot
give less than 2 / C(n + m, n): where that is more than the level asked for, no outcome whatever could have told the two
apart (`least_p`). Documents often give one run a side: such a run can be set against repeats only where the logarithms
are taken as normal (`difference`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from hecn_analysis.base.errors import RangeError

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

    Parameters
    ----------
    n, m
        How many values there are, 1 or more each.

    Returns
    -------
    float
        The probability. [1]

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

    Returns
    -------
    Shift
        Middle and ends of the interval in the unit of the values, and the two-sided ``p`` [1].

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
    """The accepted value nearest to `outside`, if all values between it and `inside` are accepted."""
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


@dataclass(frozen=True)
class Difference:
    """How two sets of runs differ.

    Attributes
    ----------
    ratio, ratio_low, ratio_high
        Of the geometric means, with its interval; the ends are missing (NaN) where nothing is known of chance.
    p
        Probability of a ratio so far from 1 if both were alike; NaN as above.
    basis
        What chance is taken from: ``runs``, their own scatter; ``scatter``, the given one; ``nothing``.
    """

    ratio: float
    ratio_low: float
    ratio_high: float
    p: float
    basis: str


def difference(
    one: Sequence[float], other: Sequence[float], *, scatter: float | None = None, confidence: float = 0.95
) -> Difference:
    r"""Compare two sets of few runs.

    Student's t test on logarithms, with the scatter of both sets pooled, so that a single run can be set against
    repeats: with n and m runs and s the pooled standard deviation,

    .. math:: t = \frac{\overline{\ln a} - \overline{\ln b}}{s \sqrt{1/n + 1/m}}, \quad n + m - 2 \text{ degrees}

    Two single runs say nothing of chance; then a given scatter is taken as known, and t as normal.

    Parameters
    ----------
    one, other
        Rates of the runs, above 0. [bit/s]
    scatter
        Standard deviation of the logarithm of a run, where it is known from elsewhere.
    confidence
        Of the interval. [1]

    Returns
    -------
    Difference
        Ratio of the geometric means, the first over the second, with its interval, and the two-sided ``p`` [1].

    Raises
    ------
    RangeError
        No run, or a rate that is not above 0.

    Examples
    --------
    A single run against five, of ``data/logs/b-systems-bonding.txt``: packets dealt out by the kernel, and a stream a
    link.

    >>> found = difference([31.615e9], [39.564e9, 39.134e9, 39.152e9, 39.318e9, 39.406e9])
    >>> print(f"{found.ratio:.3f}, {found.ratio_low:.3f} to {found.ratio_high:.3f}", found.p < 1e-5, found.basis)
    0.804, 0.793 to 0.815 True runs
    """
    logs = [_logs("one", one), _logs("other", other)]
    apart = float(logs[0].mean() - logs[1].mean())
    freedom = logs[0].size + logs[1].size - 2
    width = np.sqrt(1 / logs[0].size + 1 / logs[1].size)
    if freedom > 0:
        squares = sum(float(((each - each.mean()) ** 2).sum()) for each in logs)
        error, chance, basis = np.sqrt(squares / freedom) * width, stats.t(freedom), "runs"
    elif scatter is not None:
        error, chance, basis = scatter * width, stats.norm(), "scatter"
    else:
        return Difference(float(np.exp(apart)), np.nan, np.nan, np.nan, "nothing")
    half = chance.ppf((1 + confidence) / 2) * error
    p = 2 * chance.sf(abs(apart) / error) if error > 0 else float(apart == 0)
    ends = np.exp([apart, apart - half, apart + half])
    return Difference(float(ends[0]), float(ends[1]), float(ends[2]), float(p), basis)


def _logs(name: str, rates: Sequence[float]) -> Floats:
    values = np.asarray(rates, dtype=np.float64).ravel()
    if not values.size or not (values > 0).all():
        raise RangeError(f"{name}: found {list(rates)}, expected rates above 0, at least one")
    return np.log(values)


def can_tell(least: npt.ArrayLike, level: float) -> npt.NDArray[np.bool_]:
    """Which of several tests can come out significant at all, once they are corrected for each other (Tarone 1990).

    The others need not be corrected for: they cannot err.

    Parameters
    ----------
    least
        Smallest p that each test can give: `least_p`. [1]
    level
        Share of sets of tests in which one may err. [1]

    Returns
    -------
    array of bool
        One for each test.

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

    Returns
    -------
    array
        The corrected probabilities, in the same order. [1]

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
