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
    """Rank of the percentile among values in ascending order, from 1."""
    if not 0 < percent <= 100:
        raise RangeError(f"percent: found {percent!r}, expected more than 0 and at most 100")
    return math.ceil(round(count * percent / 100, 9))


def nearest_rank(values: Floats, percent: float = 95.0) -> float:
    """Percentile of values, ignoring NaN; NaN if no value is left."""
    values = np.asarray(values, dtype=float)
    return float(nearest_ranks(values, np.zeros(1, dtype=np.int64), percent)[0]) if len(values) else math.nan


def nearest_ranks(values: Floats, starts: Ints, percent: float = 95.0) -> Floats:
    """Percentile of each of many groups of consecutive values, ignoring NaN.

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
    r"""Give the least and the largest percentile of slots that averages over bins of several slots allow."""
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
    """Give the least and the largest peak of slots that averages over bins of several slots allow."""
    mean = np.asarray(mean_bps, dtype=float)
    most = np.fmax(np.fmin(most_bps, slots_per_bin * mean), mean)
    known = ~np.isnan(mean)
    return (float(mean[known].max()), float(most[known].max())) if known.any() else (math.nan, math.nan)
