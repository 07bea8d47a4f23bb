"""The series behind a forecast: a port's 95th percentile of each day, or of each hour if there are few days.

The 95th percentile of the 288 slots of a day is exceeded for 72 minutes: it is the level of the busy hour. Slots,
percentiles and directions are those of `hecn_analysis.traffic`. A day needs rates in three quarters of its slots;
otherwise (polling stopped, a reset, a gap) it is a missing day, not a quiet one.

The *busy level*, the fourth highest day of the last 28, is compared with the capacity. Teletraffic engineering calls
the load of that day a month's normal load [1]_; neither weekends nor a single burst move it.

References
----------
.. [1] ITU-T E.492 (1996), Traffic reference period: normal load and high load, from the fourth and the second highest
   day of a month.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.base.errors import RangeError
from hecn_analysis.traffic.flags import LOWER_BOUND, Flag, to_bits
from hecn_analysis.traffic.percentiles import nearest_ranks
from hecn_analysis.traffic.ports import KEY, port_key, port_name
from hecn_analysis.traffic.slots import LONGEST_INTERVAL
from hecn_analysis.traffic.utilisation import DIRECTIONS, Direction, slot_table

Floats = npt.NDArray[np.float64]

LEAST_KNOWN: Final = 0.75
"""Part of the slots of a day that must have a rate for the day to have a percentile. [1]"""
LONGER_SLOTS_S: Final = (1800.0, 3600.0, 7200.0, 86_400.0)
"""Slots that are taken where a source keeps averages over longer times only: MRTG's and those of most RRDs. [s]"""
_ENOUGH: Final = 0.8  # of the time with rates, that must be known in slots of a length


@dataclass(frozen=True)
class Step:
    """Period of the values of a series."""

    name: str  # ``day`` or ``hour``
    seconds: float  # its length [s]
    season: int  # number of steps in one usual course
    # the busy level is the value of this rank from the top among this number of values
    window: int
    rank: int
    least: int  # number of known values that a forecast needs
    words: str  # description of the busy level

    def per_year(self) -> float:
        """Number of periods in a year."""
        return 365.25 * 86_400 / self.seconds


DAY: Final = Step("day", 86_400.0, 7, 28, 4, 42, "fourth highest day of the last 28")
HOUR: Final = Step("hour", 3600.0, 24, 168, 9, 240, "95th percentile of the hours of the last week")


@dataclass(frozen=True)
class PortSeries:
    """Percentiles of one port, one for each step of time, NaN where unknown."""

    # key of the port, as `hecn_analysis.traffic.ports.port_key` gives it; None where there is no host and no file
    host: str | None
    interface: str
    step: Step  # what a value stands for
    slot_s: float  # slots that were ranked [s]
    start: pd.DatetimeIndex  # start of each step
    level_bps: Floats  # the percentile of each [bit/s]
    mean_bps: Floats  # the mean over each, in the same direction [bit/s]

    @property
    def known(self) -> int:
        """Number of known values."""
        return int(np.isfinite(self.level_bps).sum())

    @property
    def name(self) -> str:
        """Host and interface."""
        return port_name(self.host, self.interface)


def slot_of(rates: pd.DataFrame, slot_s: float) -> float:
    """Return the slot length that the rates of a port allow: the requested one, or one of `LONGER_SLOTS_S` [s]."""
    seconds = rates["interval_s"].to_numpy(dtype=float)
    rated = np.isfinite(rates["in_bps"].to_numpy(dtype=float)) | np.isfinite(rates["out_bps"].to_numpy(dtype=float))
    told = rated & (seconds > 0) & (to_bits(rates["flag"]) & int(Flag.GAP | LOWER_BOUND) == 0)
    total = seconds[told].sum()
    longer = [length for length in LONGER_SLOTS_S if length > slot_s]
    for length in (slot_s, *longer):
        if seconds[told & (seconds <= LONGEST_INTERVAL * length)].sum() >= _ENOUGH * total:
            return length
    return longer[-1] if longer else slot_s


def series_of(
    rates: pd.DataFrame,
    *,
    slot_s: float = 300.0,
    direction: Direction = "greater",
    percent: float = 95.0,
    zone: str = "UTC",
) -> Iterator[PortSeries]:
    """Yield the series of each port: daily, or hourly if there are too few days for a forecast."""
    if direction not in DIRECTIONS:
        raise RangeError(f"direction: found {direction!r}, expected one of {', '.join(DIRECTIONS)}")
    parts: Any = rates.assign(**port_key(rates)).groupby(list(KEY), dropna=False, sort=True)
    for (host, interface), part in parts:
        length = slot_of(part, slot_s)
        usable = part[part["interval_s"] <= LONGEST_INTERVAL * length]
        slots = slot_table(usable, slot_s=length)
        names = (str(host) if isinstance(host, str) else None, str(interface))
        ranking = (direction, percent)
        days = _steps(slots, names, (DAY, length), ranking, zone)
        if days.known < DAY.least and length <= HOUR.seconds:
            hours = _steps(slots, names, (HOUR, length), ranking, "UTC")
            yield hours if hours.known >= HOUR.least else days
        else:
            yield days


def _steps(
    slots: pd.DataFrame,
    names: tuple[str | None, str],
    lengths: tuple[Step, float],
    ranking: tuple[Direction, float],
    zone: str,
) -> PortSeries:
    (step, slot_s), (direction, percent) = lengths, ranking
    middle = (slots["time"] - pd.Timedelta(slot_s / 2, "s")).dt.tz_convert(zone)
    start = middle.dt.normalize() if step.name == "day" else middle.dt.floor("h")
    bounds = np.flatnonzero(np.diff(start.astype("int64").to_numpy(), prepend=-1))
    ranked = {name: slots[f"{name}_bps"].to_numpy(dtype=float) for name in ("in", "out")}
    ranked["slot_greater"], ranked["sum"] = np.fmax(ranked["in"], ranked["out"]), ranked["in"] + ranked["out"]
    wanted = ("in", "out") if direction == "greater" else (direction,)
    least = LEAST_KNOWN * step.seconds / slot_s
    levels, means = [], []
    for name in wanted:
        values = ranked[name]
        known = np.add.reduceat(np.isfinite(values).astype(float), bounds) if len(values) else np.empty(0)
        enough = known >= min(least, 1.0) if step.seconds <= slot_s else known >= least
        sums = np.add.reduceat(np.nan_to_num(values), bounds) if len(values) else np.empty(0)
        levels.append(np.where(enough, nearest_ranks(values, bounds, percent), np.nan))
        means.append(np.where(enough, sums / np.maximum(known, 1), np.nan))
    larger = np.argmax([np.nan_to_num(level) for level in levels], axis=0) if len(bounds) else np.empty(0, dtype=int)
    place = np.arange(len(bounds))
    level, mean = np.array(levels)[larger, place], np.array(means)[larger, place]
    frame = pd.DataFrame({"level": level, "mean": mean}, index=pd.DatetimeIndex(start.to_numpy()[bounds]))
    frame.index = pd.DatetimeIndex(start.iloc[bounds])
    inside = frame["level"].notna().to_numpy()
    if inside.any():
        frame = frame.iloc[inside.argmax() : len(inside) - inside[::-1].argmax()]
        frame = frame.reindex(pd.date_range(frame.index[0], frame.index[-1], freq="D" if step.name == "day" else "h"))
    else:
        frame = frame.iloc[:0]
    return PortSeries(
        *names, step, slot_s, pd.DatetimeIndex(frame.index), frame["level"].to_numpy(), frame["mean"].to_numpy()
    )


def busy_level(paths: Floats, step: Step, *, every: int = 1) -> Floats:
    """Return the busy level along each path, from the end of its first window on."""
    filled = np.where(np.isnan(paths), -np.inf, paths)
    windows: Any = np.lib.stride_tricks.sliding_window_view(filled, step.window, axis=1)
    windows = windows[:, (windows.shape[1] - 1) % every :: every]
    place = step.window - step.rank
    levels = np.empty(windows.shape[:2])
    for row in range(0, len(windows), 64):  # as much as fits the cache
        levels[row : row + 64] = np.partition(windows[row : row + 64], place, axis=2)[:, :, place]
    return np.where(np.isfinite(levels), levels, np.nan)
