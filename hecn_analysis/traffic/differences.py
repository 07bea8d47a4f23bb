r"""From readings to rates: the count between two readings of an interface, over the time between them.

Most intervals are plain: time and both counters advanced, the uptime by as much as the clock, and the count is within
the speed of the port. These are computed block by block, in the processor's cache. The rules below are then applied,
one after another, to all other intervals at once.

The rules, for a counter of :math:`w` bits that goes from :math:`a` to :math:`b` in :math:`t` seconds on an interface of
:math:`S` bit/s:

- The count is :math:`d = (b - a) \bmod 2^w`. If :math:`b < a`, this is a wrap if :math:`8 d / t` is within the speed
  (with 5 % for jitter of the polls), and otherwise a reset, since a wrap would exceed the line rate. If the speed is
  unknown, a wrap requires an uptime that advanced, or a counter so wide that a reset cannot look like a wrap.
- If :math:`8 (d + 2^w) / t \le S`, one more wrap would fit into the interval undetected: ``ambiguous``. A 32-bit
  counter at 10 Gb/s wraps in 3.4 s.
- sysUpTime counts 1/100 s in 32 bits and wraps after 497.1 days [1]_. If it went back in any other way, or is less than
  the time since the last reading, the host restarted, and its counters with it. A changed ifCounterDiscontinuityTime
  means the same for one interface [2]_.

References
----------
.. [1] RFC 3418 (sysUpTime, TimeTicks), RFC 2578, 7.1.8.
.. [2] RFC 2863, 3.1.5 (ifCounterDiscontinuityTime) and 3.1.6 (counter widths by speed).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hecn_analysis.traffic.flags import UNRATED, Flag, Flags
from hecn_analysis.traffic.ports import Floats, Ints
from hecn_analysis.traffic.series import NAT, Bools, Counters, Series

UPTIME_WRAP_S: Final = 2**32 / 100
"""Time after which sysUpTime wraps to 0: 497.1 days. [s]"""
SPEED_TOLERANCE: Final = 0.05
"""Tolerated ratio of rate to speed, because polls come early or late. [1]"""
CEILING_BPS: Final = 1e14
"""Faster than any port or aggregate of ports. [bit/s]"""
SATURATED_BPS: Final = 2.0**32 - 1
"""Largest value of ifSpeed, which represents all faster speeds (RFC 2863). [bit/s]"""
CLOCK_TOLERANCE: Final = 0.02  # of the interval, by which uptime and clock may differ
CLOCK_TOLERANCE_S: Final = 2.0
GAP_FACTOR: Final = 2.5
"""Default limit of a gap, in usual intervals."""
_LOOKED_AT: Final = 255  # intervals of each interface sampled for the usual length
_BLOCK: Final = 1 << 16  # rows computed at once, to fit the second-level cache
_ALL_ONES: Final = np.uint64(2**64 - 1)
_RARE_WIDTH: Final = 60  # bits; a wider counter practically never wraps


@dataclass(frozen=True)
class Rates:
    """Rates of the intervals that end with each reading; NaN at the first reading of an interface."""

    interval_s: Floats  # time between the readings, NaN where unknown [s]
    # rates of both directions [bit/s]
    in_bps: Floats
    out_bps: Floats
    flags: Flags  # bits of `Flag`
    first: Ints  # first row of each interface


def usual_interval_s(series: Series) -> Floats:
    """Median time between the readings of each interface, over at most 255 evenly spaced intervals."""
    lengths = series.lengths
    n_sampled = np.minimum(lengths - 1, _LOOKED_AT)
    if len(n_sampled) == 0 or n_sampled.max() < 1:
        return np.full(len(lengths), np.nan)
    column = np.arange(int(n_sampled.max()))
    row = series.starts[:, None] + 1 + column * (lengths[:, None] - 1) // np.maximum(n_sampled, 1)[:, None]
    is_sampled = column < n_sampled[:, None]
    row = np.where(is_sampled, row, 1)
    seconds = (series.time_ns[row] - series.time_ns[row - 1]) * 1e-9
    seconds = np.sort(np.where(is_sampled & (seconds > 0), seconds, np.inf), axis=1)
    n_known = np.isfinite(seconds).sum(axis=1)
    usual = seconds[np.arange(len(n_known)), np.maximum(n_known - 1, 0) // 2]
    return np.where(n_known > 0, usual, np.nan)


def rates(series: Series, *, max_gap_s: float | None = None) -> Rates:
    """Compute the rate of every interval."""
    length = len(series.time_ns)
    result = Rates(
        np.full(length, np.nan),
        np.full(length, np.nan),
        np.full(length, np.nan),
        np.zeros(length, np.int16),
        series.starts,
    )
    series = _without_all_ones(series)
    gaps = np.full(len(series.starts), max_gap_s) if max_gap_s is not None else GAP_FACTOR * usual_interval_s(series)
    is_start = np.zeros(length, dtype=np.bool_)
    is_start[series.starts] = True
    irregular = [np.empty(0, dtype=np.int64)]
    for begin in range(1, length, _BLOCK):
        end = min(begin + _BLOCK, length)
        irregular.append(begin + np.flatnonzero(~(_plain(series, result, gaps, begin, end) | is_start[begin:end])))
    rows = np.concatenate(irregular)
    skip_flags = _flags_of_skipped(series, rows)
    skipped = rows[skip_flags > 0]
    if len(skipped):
        result.flags[skipped] = skip_flags[skip_flags > 0]
        result.interval_s[skipped] = np.where(result.flags[skipped] & (Flag.DUPLICATE | Flag.CONFLICT), 0.0, np.nan)
        for rate in (result.in_bps, result.out_bps):
            rate[skipped] = np.nan
        after = skipped[skipped + 1 < length] + 1
        rows = np.union1d(rows[skip_flags == 0], after[~is_start[after]])
        rows = rows[~np.isin(rows, skipped, assume_unique=True)]
    _compute_irregular(series, result, gaps, rows, _before(rows, skipped, is_start))
    for rate in (result.in_bps, result.out_bps):
        rate[series.starts] = np.nan
    result.interval_s[series.starts] = np.nan
    result.flags[series.starts] = 0
    if series.reordered is not None:
        result.flags[series.reordered] |= Flag.REORDERED
    return result


def _without_all_ones(series: Series) -> Series:
    """Treat counts with all 64 bits set as missing: broken agents return them, and no port reaches them."""
    missing = {}
    for name in ("in", "out"):
        all_ones = getattr(series, f"{name}_octets") == _ALL_ONES
        if all_ones.any():
            absent = getattr(series, f"{name}_missing")
            missing[f"{name}_missing"] = all_ones if absent is None else absent | all_ones
    return replace(series, **missing) if missing else series


def _part(values: Any, begin: int, end: int) -> Any:  # noqa: ANN401 - an array or one number
    return values[begin:end] if isinstance(values, np.ndarray) else values


def _plain(series: Series, result: Rates, gaps: Floats, begin: int, end: int) -> Bools:
    """Compute a block of intervals as if all were plain; return a mask of those that are."""
    before, now = slice(begin - 1, end - 1), slice(begin, end)
    seconds = (series.time_ns[now] - series.time_ns[before]) * 1e-9
    ins = series.in_octets[now] - series.in_octets[before]
    outs = series.out_octets[now] - series.out_octets[before]
    ports_here = slice(*(np.searchsorted(series.starts, (begin, end), side="right") - (1, 0)))
    speed = _part(series.speed_bps, begin, end)
    most = np.where((speed > 0) & (speed != SATURATED_BPS), speed * (1 + SPEED_TOLERANCE), CEILING_BPS) * 0.125
    plain: Bools = (seconds > 0) & (seconds <= np.fmin.reduce(gaps[ports_here]))
    plain &= (series.in_octets[now] >= series.in_octets[before]) & (series.out_octets[now] >= series.out_octets[before])
    plain &= np.maximum(ins, outs) <= most * seconds
    bits = _part(series.bits, begin, end)
    if np.min(bits) < 64:
        turn = np.where(bits > 0, np.exp2(np.where(bits > 0, bits, 64.0)), np.inf)
        plain &= ~(np.minimum(ins, outs) + turn <= speed * 0.125 * seconds)
    for missing in (series.in_missing, series.out_missing):
        if missing is not None:
            plain &= ~(missing[now] | missing[before])
    if series.uptime_s is not None:
        passed = series.uptime_s[now] - series.uptime_s[before]
        plain &= (passed > 0) & (np.abs(passed - seconds) <= np.maximum(CLOCK_TOLERANCE_S, CLOCK_TOLERANCE * seconds))
        plain &= series.uptime_s[now] >= seconds
    if series.discontinuity_s is not None:
        plain &= ~(series.discontinuity_s[now] != series.discontinuity_s[before])
    with np.errstate(divide="ignore", invalid="ignore"):
        per_second = 8.0 / seconds
        np.multiply(ins, per_second, out=result.in_bps[now])
        np.multiply(outs, per_second, out=result.out_bps[now])
    result.interval_s[now] = seconds
    return plain


def _absent(missing: Bools | None, rows: Ints) -> Bools:
    return np.zeros(len(rows), dtype=np.bool_) if missing is None else missing[rows]


def _flags_of_skipped(series: Series, rows: Ints) -> Flags:
    """Flags of readings to skip: repeated ones, single drops, and those without time or counters; else 0."""
    before = rows - 1
    flags = np.zeros(len(rows), dtype=np.int16)
    flags[series.time_ns[rows] == NAT] = Flag.NO_TIME
    neither = _absent(series.in_missing, rows) & _absent(series.out_missing, rows)
    flags[(flags == 0) & neither] = Flag.MISSING
    ins, outs = series.in_octets, series.out_octets
    equal = (ins[rows] == ins[before]) & (outs[rows] == outs[before])
    at_once = series.time_ns[rows] == series.time_ns[before]
    stale = np.zeros(len(rows), dtype=np.bool_)
    if series.uptime_s is not None:
        stale = equal & (series.uptime_s[rows] == series.uptime_s[before])
    flags[(flags == 0) & (stale | (at_once & equal))] = Flag.DUPLICATE
    flags[(flags == 0) & at_once] = Flag.CONFLICT
    after = np.minimum(rows + 1, len(ins) - 1)
    inside = (after > rows) & ~np.isin(after, series.starts)
    fell = (ins[rows] < ins[before]) | (outs[rows] < outs[before])
    came_back = inside & (ins[after] >= ins[before]) & (outs[after] >= outs[before])
    came_back &= (ins[after] >= ins[rows]) & (outs[after] >= outs[rows])
    if series.uptime_s is not None:
        elapsed = (series.time_ns[after] - series.time_ns[before]) * 1e-9
        passed = series.uptime_s[after] - series.uptime_s[before]
        came_back &= ~(passed < elapsed * (1 - CLOCK_TOLERANCE) - CLOCK_TOLERANCE_S)  # or the host was restarted
    seconds = (series.time_ns[after] - series.time_ns[rows]) * 1e-9
    speed = _certain(_at(series.speed_bps, rows))
    climb = np.maximum(ins[after] - ins[rows], outs[after] - outs[rows]).astype(np.float64)
    too_fast = climb > np.where(np.isnan(speed), CEILING_BPS, speed * (1 + SPEED_TOLERANCE)) / 8 * seconds
    of_zeros = (ins[rows] == 0) & (outs[rows] == 0)
    flags[(flags == 0) & fell & came_back & (too_fast | of_zeros)] = Flag.GLITCH
    return flags


def _at(values: Any, rows: Ints) -> Any:  # noqa: ANN401 - an array
    return values[rows] if isinstance(values, np.ndarray) else np.full(len(rows), values)


def _certain(speed: Floats) -> Floats:
    """Speeds that bound the rate of a port; NaN for the placeholder of faster speeds."""
    return np.where(speed == SATURATED_BPS, np.nan, speed)


def _before(rows: Ints, skipped: Ints, is_start: Bools) -> Ints:
    """First reading of each interval: the last one that is not skipped, or -1."""
    before = rows - 1
    searching = np.arange(len(rows))
    while len(searching):
        searching = searching[np.isin(before[searching], skipped)]
        stuck = is_start[before[searching]]
        before[searching] = np.where(stuck, -1, before[searching] - 1)
        searching = searching[~stuck]
    return before


def _compute_irregular(series: Series, result: Rates, gaps: Floats, rows: Ints, before: Ints) -> None:  # noqa: PLR0915 - one rule after another
    """Compute the intervals that need a rule."""
    has_start = before >= 0
    result.flags[rows[~has_start]] |= Flag.MISSING
    rows, before = rows[has_start], before[has_start]
    if len(rows) == 0:
        return
    flags = np.zeros(len(rows), dtype=np.int16)
    number = np.searchsorted(series.starts, rows, side="right") - 1
    clock_s = (series.time_ns[rows] - series.time_ns[before]) * 1e-9
    clock_s[series.time_ns[before] == NAT] = np.nan
    seconds = clock_s.copy()
    reset = np.zeros(len(rows), dtype=np.bool_)
    runs_on = np.zeros(len(rows), dtype=np.bool_)
    if series.uptime_s is not None:
        now, then = series.uptime_s[rows], series.uptime_s[before]
        tolerance = np.maximum(CLOCK_TOLERANCE_S, CLOCK_TOLERANCE * np.abs(clock_s))
        wrapped = (now < then) & (then <= UPTIME_WRAP_S)
        wrapped &= np.abs(now + UPTIME_WRAP_S - then - clock_s) <= np.maximum(60.0, tolerance)
        passed = now - then + np.where(wrapped, UPTIME_WRAP_S, 0.0)
        reset = (passed < 0) | (~wrapped & (now < clock_s - tolerance))
        runs_on = (passed > 0) & ~reset
        differs = (passed >= 0) & ~reset & (np.abs(passed - clock_s) > tolerance)
        # An uptime that mostly disagrees with the clock (cached, in days) says nothing about durations.
        doubted = np.bincount(number[differs], minlength=len(gaps))
        step = differs & runs_on & ((2 * doubted <= series.lengths)[number] | ~(clock_s > 0))
        flags[step] |= Flag.CLOCK_STEP
        seconds[step] = passed[step]
    if series.discontinuity_s is not None:
        now, then = series.discontinuity_s[rows], series.discontinuity_s[before]
        reset |= (now != then) & ~np.isnan(now) & ~np.isnan(then)
    unknown = ~(seconds > 0)
    flags[unknown] |= Flag.CLOCK_STEP
    seconds[unknown] = np.nan
    flags[seconds > gaps[number]] |= Flag.GAP

    bits = _at(series.bits, rows).astype(np.float64)
    speed = _at(series.speed_bps, rows)
    certain = _certain(speed)
    turn = np.where(bits > 0, np.exp2(bits), np.inf)
    most = certain * (1 + SPEED_TOLERANCE) / 8 * seconds
    beyond = CEILING_BPS / 8 * seconds
    counted, went_back, known = {}, {}, {}
    for name in ("in", "out"):
        octets: Counters = getattr(series, f"{name}_octets")
        missing = getattr(series, f"{name}_missing")
        known[name] = ~(_absent(missing, rows) | _absent(missing, before))
        went_back[name] = known[name] & (octets[rows] < octets[before])
        counted[name] = _around(octets[before], octets[rows], bits)
        flags[~known[name]] |= Flag.MISSING
    all_back = np.logical_and.reduce([went_back[name] | ~known[name] for name in known])
    for name in ("in", "out"):
        start: Counters = getattr(series, f"{name}_octets")[before]
        back, amount = went_back[name], counted[name]
        forward = known[name] & ~back
        too_fast = amount > np.where(np.isnan(most), beyond, most)
        reset |= back & (bits > 0) & too_fast
        possible_wrap = back & ~too_fast
        is_wrap_certain = runs_on | (bits >= _RARE_WIDTH) | (~np.isnan(certain) & ~all_back)
        flags[possible_wrap & (bits > 0) & is_wrap_certain] |= Flag.WRAP
        flags[back & ((bits == 0) | (possible_wrap & ~is_wrap_certain))] |= Flag.UNDECIDED
        flags[forward & ((amount > beyond) | ((amount > most) & (start == 0)))] |= Flag.IMPOSSIBLE
        flags[forward & (amount > most) & (start > 0)] |= Flag.ABOVE_SPEED
        flags[known[name] & (amount + turn <= speed / 8 * seconds)] |= Flag.AMBIGUOUS
    flags[reset] = (flags[reset] & int(Flag.GAP | Flag.CLOCK_STEP | Flag.MISSING)) | int(Flag.RESET)
    undecided = flags & int(Flag.UNDECIDED) != 0
    flags[undecided] &= ~int(Flag.WRAP | Flag.AMBIGUOUS)
    unrated = flags & int(UNRATED) != 0
    result.interval_s[rows] = seconds
    for name, rate in (("in", result.in_bps), ("out", result.out_bps)):
        rate[rows] = np.where(unrated | ~known[name], np.nan, counted[name] * 8 / seconds)
    result.flags[rows] = flags


def _around(begin: Counters, end: Counters, bits: Floats) -> Floats:
    """Octets counted if the counter wrapped at most once: the difference modulo two to its width. [B]."""
    difference = end - begin  # modulo 2**64
    narrow_bits = np.where(bits < 64, bits, 0).astype(np.uint64)
    mask = (np.uint64(1) << narrow_bits) - np.uint64(1)
    return np.where((mask > 0) & (end < begin), difference & mask, difference).astype(np.float64)
