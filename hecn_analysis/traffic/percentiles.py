r"""Percentiles that can be reproduced by hand, and what averages allow of them.

The percentile is by nearest rank [1]_: of :math:`n` slots in ascending order the one of rank
:math:`\lceil n P / 100 \rceil`. It is one of the measured values, nothing is interpolated: throw away the largest 5 %
of the slots (rounded down), the largest of the rest is the 95th percentile.

References
----------
.. [1] Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996), definition 1.
"""

from __future__ import annotations

import math

import numpy as np

from hecn_analysis.base.errors import RangeError
from hecn_analysis.traffic.ports import Floats, Ints

_STEPS = 200  # halvings of an interval of floats: more than its bits
_FEW = 32  # ranks that a partition is asked for; of more a sort is cheaper


def rank(count: int, percent: float) -> int:
    """Give the rank of the percentile among values in ascending order, from 1.

    Parameters
    ----------
    count
        Number of values.
    percent
        Which percentile, over 0 to 100. [%]

    Returns
    -------
    int
        The rank, at least 1 where there are values.

    Examples
    --------
    >>> rank(20, 95), rank(21, 95), rank(8640, 95)  # 8640 slots of 5 minutes are 30 days: 36 hours are thrown away
    (19, 20, 8208)
    """
    if not 0 < percent <= 100:
        raise RangeError(f"percent: found {percent!r}, expected more than 0 and at most 100")
    return math.ceil(round(count * percent / 100, 9))


def nearest_rank(values: Floats, percent: float = 95.0) -> float:
    """Give the percentile of values; missing ones (NaN) do not count. NaN where there are none.

    Parameters
    ----------
    values
        The values.
    percent
        Which percentile. [%]

    Returns
    -------
    float
        The percentile, in the unit of the values.

    Examples
    --------
    >>> nearest_rank(np.arange(1.0, 21.0)), nearest_rank(np.array([3.0, np.nan, 1.0]), 50)
    (19.0, 1.0)
    """
    values = np.asarray(values, dtype=float)
    return float(nearest_ranks(values, np.zeros(1, dtype=np.int64), percent)[0]) if len(values) else math.nan


def nearest_ranks(values: Floats, starts: Ints, percent: float = 95.0) -> Floats:
    """Give the percentile of each of many stretches of values; missing ones do not count.

    Stretches of about equal length are done at once.

    Parameters
    ----------
    values
        Values, stretch after stretch.
    starts
        Where each stretch begins, ascending.
    percent
        Which percentile. [%]

    Returns
    -------
    array
        A percentile for each stretch, NaN where it has no value, in the unit of the values.

    Examples
    --------
    >>> nearest_ranks(np.array([3.0, 1.0, 2.0, np.nan]), np.array([0, 3]), 50).tolist()
    [2.0, nan]
    """
    rank(0, percent)
    lengths = np.diff(starts, append=len(values))
    found = np.full(len(starts), np.nan)
    sizes = np.frexp(lengths.astype(np.float64))[1]
    for size in np.unique(sizes[lengths > 0]):
        which = np.flatnonzero((sizes == size) & (lengths > 0))
        widest = int(lengths[which].max())
        if bool((lengths[which] == widest).all()) and len(which) == which[-1] - which[0] + 1:
            table = values[starts[which[0]] : starts[which[0]] + widest * len(which)].reshape(len(which), widest)
            table = np.where(np.isnan(table), -np.inf, table)
        else:
            column = np.arange(widest)
            place = np.minimum(starts[which, None] + column, len(values) - 1)
            table = np.where((column < lengths[which, None]) & ~np.isnan(values[place]), values[place], -np.inf)
        known = np.isfinite(table).sum(axis=1)
        place = widest - known + np.ceil(np.round(known * (percent / 100), 9)).astype(np.int64) - 1
        asked = np.unique(place[known > 0])
        if len(asked) == 0:
            continue
        if len(asked) <= _FEW:
            table.partition(asked, axis=1)
        else:
            table.sort(axis=1)
        picked = table[np.arange(len(which)), np.minimum(place, widest - 1)]
        found[which] = np.where(known > 0, picked, np.nan)
    return found


def percentile_bounds(
    mean_bps: Floats, slots_per_bin: Ints | int, *, percent: float = 95.0, most_bps: Floats | float = math.inf
) -> tuple[float, float]:
    r"""Give the least and the largest percentile of slots that averages over bins of several slots allow.

    Each bin holds :math:`k_i` slots whose mean is :math:`m_i`, each from 0 to :math:`M_i`. At most
    :math:`\min(k_i, \lfloor k_i m_i / x \rfloor)` of them reach :math:`x \le M_i`, and at least
    :math:`\lceil k_i (m_i - x) / (M_i - x) \rceil` are above :math:`x < m_i`. The percentile can be as much as
    :math:`x` where enough slots can reach it, and as little as :math:`x` where few enough need to be above.

    Parameters
    ----------
    mean_bps
        Averages of the bins; missing ones (NaN) do not count. [bit/s]
    slots_per_bin
        How many slots a bin holds; one number for all, or one for each.
    percent
        Which percentile of the slots. [%]
    most_bps
        The most that a slot can have: the line rate, or the largest slot where the source keeps it; one number for
        all, or one for each bin. [bit/s]

    Returns
    -------
    tuple of float
        The least and the largest percentile, NaN where no average is known. [bit/s]

    Examples
    --------
    >>> percentile_bounds(np.array([1e9, 1e9, 4e9]), 1)  # the slots themselves
    (4e9, 4e9)
    >>> percentile_bounds(np.full(20, 1e9), 6, most_bps=10e9)  # nothing but the mean known
    (1e9, 6e9)
    """
    mean = np.asarray(mean_bps, dtype=float)
    known = ~np.isnan(mean)
    slots = np.broadcast_to(np.asarray(slots_per_bin, dtype=np.int64), mean.shape)[known]
    most = np.broadcast_to(np.asarray(most_bps, dtype=float), mean.shape)[known]
    mean = mean[known]
    if len(mean) == 0:
        return math.nan, math.nan
    if slots.min() < 1:
        raise RangeError(f"slots_per_bin: found {slots.min()}, expected at least 1")
    most = np.fmax(np.fmin(most, slots * mean), mean)
    total = int(slots.sum())
    above = total - rank(total, percent)  # slots that are thrown away

    def can_reach(x: float) -> bool:
        many = np.minimum(slots, np.floor(slots * mean / x * (1 + 1e-12)))
        return float(np.where(x <= most, many, 0).sum()) > above

    def need_not_exceed(x: float) -> bool:
        with np.errstate(divide="ignore", invalid="ignore"):
            many = np.ceil(slots * (mean - x) / (most - x) * (1 - 1e-12))
        return float(np.where(mean > x, many, 0).sum()) <= above

    top = float(most.max())
    if top == 0:
        return 0.0, 0.0
    share = np.repeat(slots * mean, slots) / (np.arange(total) - np.repeat(np.cumsum(slots) - slots, slots) + 1)
    candidates = np.unique(np.concatenate([most, share]))
    candidates = candidates[(candidates > 0) & (candidates <= top)]
    low, high = -1, len(candidates) - 1  # the last candidate that enough slots can reach
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if can_reach(float(candidates[middle])) else (low, middle - 1)
    largest = float(candidates[low]) if low >= 0 else 0.0
    if need_not_exceed(0.0):
        return 0.0, largest
    least, enough = 0.0, top
    for _ in range(_STEPS):
        middle_bps = (least + enough) / 2
        least, enough = (least, middle_bps) if need_not_exceed(middle_bps) else (middle_bps, enough)
    return enough, largest


def peak_bounds(mean_bps: Floats, slots_per_bin: int, *, most_bps: Floats | float = math.inf) -> tuple[float, float]:
    """Give the least and the largest peak of slots that averages over bins of several slots allow.

    Some slot is at least as high as the mean of its bin; none is higher than all of the bin's bytes in one slot, or
    than the line.

    Parameters
    ----------
    mean_bps
        Averages of the bins; missing ones (NaN) do not count. [bit/s]
    slots_per_bin
        How many slots a bin holds.
    most_bps
        The most that a slot can have: the line rate, or the largest slot where the source keeps it. [bit/s]

    Returns
    -------
    tuple of float
        The least and the largest peak, NaN where no average is known. [bit/s]

    Examples
    --------
    2 TB in 3.5 minutes are 76 Gb/s, and show as 53 Gb/s in a bin of 5 minutes; on 100 Gb/s these allow a peak of 100:

    >>> shown = 2e12 * 8 / 300
    >>> shown / 1e9, 2e12 * 8 / 210 / 1e9
    (53.33, 76.19)
    >>> low, high = peak_bounds(np.array([shown]), 10, most_bps=100e9)
    >>> low / 1e9, high / 1e9
    (53.33, 100.0)
    """
    mean = np.asarray(mean_bps, dtype=float)
    most = np.fmax(np.fmin(most_bps, slots_per_bin * mean), mean)
    known = ~np.isnan(mean)
    return (float(mean[known].max()), float(most[known].max())) if known.any() else (math.nan, math.nan)
