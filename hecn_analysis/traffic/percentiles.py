r"""Percentiles that can be reproduced by hand, and their bounds given averages.

The percentile is by nearest rank [1]_: of :math:`n` slots in ascending order, the one of rank
:math:`\lceil n P / 100 \rceil`. It is a measured value, without interpolation: discard the largest 5 % of the slots
(rounded down); the largest of the rest is the 95th percentile.

References
----------
.. [1] Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996), definition 1.
"""

from __future__ import annotations

import math

import numpy as np

from hecn_analysis.base.errors import RangeError
from hecn_analysis.traffic.ports import Floats, Ints

_STEPS = 200  # bisection steps; more than the bits of a float
_FEW = 32  # ranks for a partition; for more, a sort is cheaper


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

    Parameters
    ----------
    values
        Values, group after group.
    starts
        First index of each group, ascending.
    percent
        The percentile. [%]

    Returns
    -------
    array
        A percentile for each group, NaN if it has no value, in the unit of the values.

    Examples
    --------
    >>> nearest_ranks(np.array([3.0, 1.0, 2.0, np.nan]), np.array([0, 3]), 50).tolist()
    [2.0, nan]
    """
    rank(0, percent)
    lengths = np.diff(starts, append=len(values))
    result = np.full(len(starts), np.nan)
    sizes = np.frexp(lengths.astype(np.float64))[1]
    for size in np.unique(sizes[lengths > 0]):
        groups = np.flatnonzero((sizes == size) & (lengths > 0))
        widest = int(lengths[groups].max())
        if bool((lengths[groups] == widest).all()) and len(groups) == groups[-1] - groups[0] + 1:
            table = values[starts[groups[0]] : starts[groups[0]] + widest * len(groups)].reshape(len(groups), widest)
            table = np.where(np.isnan(table), -np.inf, table)
        else:
            column = np.arange(widest)
            rank_index = np.minimum(starts[groups, None] + column, len(values) - 1)
            table = np.where(
                (column < lengths[groups, None]) & ~np.isnan(values[rank_index]), values[rank_index], -np.inf
            )
        known = np.isfinite(table).sum(axis=1)
        rank_index = widest - known + np.ceil(np.round(known * (percent / 100), 9)).astype(np.int64) - 1
        indexes = np.unique(rank_index[known > 0])
        if len(indexes) == 0:
            continue
        if len(indexes) <= _FEW:
            table.partition(indexes, axis=1)
        else:
            table.sort(axis=1)
        chosen = table[np.arange(len(groups)), np.minimum(rank_index, widest - 1)]
        result[groups] = np.where(known > 0, chosen, np.nan)
    return result


def percentile_bounds(
    mean_bps: Floats, slots_per_bin: Ints | int, *, percent: float = 95.0, most_bps: Floats | float = math.inf
) -> tuple[float, float]:
    """Smallest and largest percentile of slots consistent with averages over bins of several slots."""
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
    above = total - rank(total, percent)  # discarded slots

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
    low, high = -1, len(candidates) - 1  # search the last candidate that enough slots can reach
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
    """Smallest and largest peak of slots consistent with averages over bins of several slots."""
    mean = np.asarray(mean_bps, dtype=float)
    most = np.fmax(np.fmin(most_bps, slots_per_bin * mean), mean)
    known = ~np.isnan(mean)
    return (float(mean[known].max()), float(most[known].max())) if known.any() else (math.nan, math.nan)
