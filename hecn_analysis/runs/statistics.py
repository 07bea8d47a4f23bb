"""Statistics of few repeats: the difference of two sets of values with its interval, and tests of several groups.

Repeats on both sides are compared by ranks (`shift`), since their throughputs are not normally distributed: other
traffic makes a run much slower, and nothing makes one much faster. With n and m repeats, the p of a rank test is at
least 2 / C(n + m, n): above the required level, no outcome can be significant (`least_p`). A single run is compared
with repeats under the assumption of normal logarithms (`difference`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import ndtr

from hecn_analysis.base.errors import RangeError

Floats = npt.NDArray[np.float64]

#: Up to this many values per side, and without ties, the rank test is exact; beyond, it is a normal approximation.
_EXACT: Final = 25


class Shift(NamedTuple):
    """By how much the second of two sets of values exceeds the first: see `shift`."""

    median: float
    low: float
    high: float
    p: float


def least_p(n: int, m: int) -> float:
    """Smallest two-sided p of a rank test for n and m values. [1].

    Parameters
    ----------
    n, m
        Numbers of values, at least 1 each.

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
    """Return the shift from the first to the second of two sets of independent values.

    The middle is the difference of the medians. The interval contains every shift that the Mann-Whitney rank test does
    not reject at this level (Hodges and Lehmann 1963), so that it excludes 0 exactly if p is below 1 - `confidence`. If
    there are too few values to reject any shift, it is infinite.

    Parameters
    ----------
    first, second, confidence
        The values, at least one each; confidence of the interval [1].

    Returns
    -------
    Shift
        Middle and ends of the interval in the unit of the values, and the two-sided ``p`` [1].

    Examples
    --------
    >>> [round(value, 4) for value in shift([9.1, 9.2, 9.3, 9.4], [8.1, 8.2, 8.3, 8.4])]
    [-1.0, -1.3, -0.7, 0.0286]
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    middle = float(np.median(b) - np.median(a))
    p = _p(a, b)
    level = 1 - confidence
    if least_p(a.size, b.size) > level:
        return Shift(middle, -math.inf, math.inf, p)
    steps = np.unique(np.subtract.outer(b, a))
    between = np.concatenate([[steps[0] - 1], (steps[1:] + steps[:-1]) / 2, [steps[-1] + 1]])
    centre = int(np.searchsorted(steps, np.median(np.subtract.outer(b, a))))
    kept_low = _edge(lambda index: _p(a, b - between[index]) > level, 0, centre)
    kept_high = _edge(lambda index: _p(a, b - between[index]) > level, between.size - 1, centre)
    # up to the next difference, the shift does not change the ranks
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


def _p(a: Floats, b: Floats) -> float:
    if np.ptp(np.concatenate([a, b])) == 0:
        return 1.0
    _, places, counts = np.unique(np.concatenate([a, b]), return_inverse=True, return_counts=True)
    if max(a.size, b.size) <= _EXACT and counts.size == a.size + b.size:
        return float(stats.mannwhitneyu(a, b, method="exact").pvalue)
    return _approximate_p(places, counts, a.size)


def _approximate_p(places: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], first: int) -> float:
    """The normal approximation of SciPy's `mannwhitneyu`, whose checks take 50 times as long as its result."""
    every, second = places.size, places.size - first
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    away = abs(float(ranks[:first].sum()) - first * (every + 1) / 2)
    ties = float((counts.astype(np.float64) ** 3 - counts).sum()) / (every * (every - 1))
    z = (away - 0.5) / math.sqrt(first * second / 12 * (every + 1 - ties))
    return min(2 * float(ndtr(-z)), 1.0)


@dataclass(frozen=True)
class Difference:
    """How two sets of runs differ.

    The ends of the ``ratio`` of the geometric means, and ``p``, the probability of a ratio at least this far from 1 if
    both were equal, are NaN if the scatter is unknown. ``basis`` is its source: ``runs``, ``scatter`` (given), or
    ``nothing``.
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

    Student's t test on logarithms, with the scatter of both sets pooled, so that a single run can be compared with
    repeats: with n and m runs and s the pooled standard deviation,

    .. math:: t = \frac{\overline{\ln a} - \overline{\ln b}}{s \sqrt{1/n + 1/m}}, \quad n + m - 2 \text{ degrees}

    Two single runs do not show their scatter; a given scatter is then taken as known, and t as normal.

    Parameters
    ----------
    one, other
        Rates of the runs, above 0. [bit/s]
    scatter, confidence
        Standard deviation of the logarithm of a run, if known from elsewhere; confidence of the interval [1].

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
    A single run against five, from ``data/logs/b-systems-bonding.txt``: packets distributed by the kernel, and one
    stream per link.

    >>> result = difference([31.615e9], [39.564e9, 39.134e9, 39.152e9, 39.318e9, 39.406e9])
    >>> print(f"{result.ratio:.3f}, {result.ratio_low:.3f} to {result.ratio_high:.3f}", result.p < 1e-5, result.basis)
    0.804, 0.793 to 0.815 True runs
    """
    logs = [_logs("one", one), _logs("other", other)]
    log_ratio = float(logs[0].mean() - logs[1].mean())
    freedom = logs[0].size + logs[1].size - 2
    width = np.sqrt(1 / logs[0].size + 1 / logs[1].size)
    if freedom > 0:
        squares = sum(float(((values - values.mean()) ** 2).sum()) for values in logs)
        error, chance, basis = np.sqrt(squares / freedom) * width, stats.t(freedom), "runs"
    elif scatter is not None:
        error, chance, basis = scatter * width, stats.norm(), "scatter"
    else:
        return Difference(float(np.exp(log_ratio)), np.nan, np.nan, np.nan, "nothing")
    half_width = chance.ppf((1 + confidence) / 2) * error
    p = 2 * chance.sf(abs(log_ratio) / error) if error > 0 else float(log_ratio == 0)
    ends = np.exp([log_ratio, log_ratio - half_width, log_ratio + half_width])
    return Difference(float(ends[0]), float(ends[1]), float(ends[2]), float(p), basis)


def _logs(name: str, rates: Sequence[float]) -> Floats:
    values = np.asarray(rates, dtype=np.float64).ravel()
    if not values.size or not (values > 0).all():
        raise RangeError(f"{name}: found {list(rates)}, expected rates above 0, at least one")
    return np.log(values)


def can_tell(least: npt.ArrayLike, level: float) -> npt.NDArray[np.bool_]:
    """Mask of the tests that can be significant at all after correction for their number (Tarone 1990).

    Parameters
    ----------
    least, level
        Smallest possible p of each test, see `least_p`, and accepted probability that any test errs. [1]

    Returns
    -------
    array of bool
        One for each test.

    Examples
    --------
    >>> can_tell([least_p(5, 5), least_p(4, 4), least_p(2, 2)], 0.05).tolist()
    [True, False, False]
    """
    least_values = np.asarray(least, dtype=np.float64)
    for count in range(1, least_values.size + 1):
        is_able = least_values <= level / count
        if is_able.sum() <= count:
            return np.asarray(is_able, dtype=np.bool_)
    return np.zeros(least_values.shape, dtype=np.bool_)


def holm(p: npt.ArrayLike) -> Floats:
    """Correct probabilities for their number, so that the level applies to all tests together (Holm 1979).

    Parameters
    ----------
    p
        The probabilities; missing ones stay missing and do not count. [1]

    Returns
    -------
    array
        The corrected probabilities, in the same order. [1]

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    probabilities = np.asarray(p, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(probabilities))
    order = known[np.argsort(probabilities[known], kind="stable")]
    corrected = np.full(probabilities.shape, np.nan)
    steps = probabilities[order] * np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if order.size else steps
    return corrected
