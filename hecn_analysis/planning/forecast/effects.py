"""Effect of planned changes on the percentile of each port, by day.

A rate is added as it is. Bytes become a rate by the hours in which they run; without hours, bytes a day follow the
port's own traffic, with the same ratio of percentile to mean. What runs for less than 72 minutes, 5 % of a day, does
not change a 95th percentile. The traffic of a retired port is added slot by slot to that of the port that takes over,
since percentiles do not add: the effect is the rise of the busy level today, without further growth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.base.errors import InputError, unknown_name
from hecn_analysis.base.units import format_bytes, format_rate
from hecn_analysis.planning.forecast.planned_changes import Change, about
from hecn_analysis.planning.forecast.series import PortSeries, series_of
from hecn_analysis.traffic.ports import port_key
from hecn_analysis.traffic.utilisation import Direction, slot_table

Floats = npt.NDArray[np.float64]

Key = tuple[str | None, str]

SEEN_HOURS: Final = 0.05 * 24
"""Traffic that runs for less than this part of a day does not change the 95th percentile. [h]"""
DAY_S: Final = 86_400.0


@dataclass
class Effects:
    """Planned changes of one port."""

    # first day, last day (None for no end) and what it adds [bit/s]
    rates: list[tuple[date, date | None, float]] = field(default_factory=list)
    speeds: list[tuple[date, float]] = field(default_factory=list)  # days and the speeds from then on [bit/s]
    retired: date | None = None  # day from which on it carries nothing
    told: list[dict[str, Any]] = field(default_factory=list)  # the same for people: rows of the table of changes

    def adds(self, days: pd.DatetimeIndex) -> Floats:
        """Return the added rate on each day [bit/s]."""
        added = np.zeros(len(days))
        for begin, until, rate in self.rates:
            added += rate * _between(days, begin, until)
        return added

    def speed(self, days: pd.DatetimeIndex, speed_bps: float) -> Floats:
        """Speed on each of some days. [bit/s]."""
        daily = np.full(len(days), speed_bps)
        for begin, speed in sorted(self.speeds):
            daily[_between(days, begin, None)] = speed
        return daily

    def alive(self, days: pd.DatetimeIndex) -> Floats:
        """1 on days on which the port carries its own traffic, else 0."""
        gone = np.zeros(len(days)) if self.retired is None else _between(days, self.retired, None).astype(float)
        return 1.0 - gone


def _between(days: pd.DatetimeIndex, begin: date, until: date | None) -> npt.NDArray[np.bool_]:
    own = days.tz_localize(None).normalize()
    inside = own >= pd.Timestamp(begin)
    return np.asarray(inside if until is None else inside & (own <= pd.Timestamp(until)))


def effects_of(
    changes: Sequence[Change], every: Sequence[PortSeries], rates: pd.DataFrame, *, direction: Direction, zone: str
) -> dict[Key, Effects]:
    """Work out what is planned for each port."""
    known = {series.interface for series in every}
    for change in changes:
        for port in (change.port, *change.moves_to):
            if port is not None and port not in known:
                raise unknown_name("port", port, sorted(known), source=change.place)
    moves = [
        (change, _only(every, str(change.port), change), [_only(every, port, change) for port in change.moves_to])
        for change in changes
        if change.moves_to
    ]
    effects: dict[Key, Effects] = {}
    for series in every:
        mine = effects.setdefault((series.host, series.interface), Effects())
        for change in about(changes, series.host, series.interface):
            _add(mine, change, series)
        for change, origin, targets in moves:
            if any(series is target for target in targets):
                adds, how = _moved(series, origin, change, rates, (direction, zone))
                _tell(mine, change, adds=adds, how=how)
    return effects


def _only(every: Sequence[PortSeries], port: str, change: Change) -> PortSeries:
    """Find the one port of a name; where several hosts have it, that of the change's host."""
    named = [series for series in every if series.interface == port]
    if len(named) > 1:
        named = [series for series in named if series.host == change.host] or named
    if len(named) > 1:
        hosts = ", ".join(str(series.host) for series in named)
        raise InputError(f"port {port!r} of {hosts}", "one port: name the host", source=change.place)
    return named[0]


def _add(mine: Effects, change: Change, series: PortSeries) -> None:
    """Add a change of the port itself."""
    if change.kind == "speed":
        mine.speeds.append((change.begin, change.amount))
        _tell(mine, change, speed=change.amount, how=f"speed becomes {format_rate(change.amount)}")
    elif change.kind == "moves_to":
        mine.retired = change.begin
        _tell(mine, change, how=f"retired; its traffic goes to {', '.join(change.moves_to)}")
    else:
        adds, how = _rate(change, series)
        _tell(mine, change, adds=adds, how=how)


def _tell(mine: Effects, change: Change, *, how: str, adds: float = np.nan, speed: float = np.nan) -> None:
    if np.isfinite(adds):
        mine.rates.append((change.begin, change.until, adds))
    mine.told.append(
        {
            "begin": change.begin,
            "until": change.until,
            "adds_bps": adds,
            "speed_bps": speed,
            "how": how,
            "note": change.note,
            "place": change.place,
        }
    )


def _rate(change: Change, series: PortSeries) -> tuple[float, str]:
    """Return the effect of a change on the percentile, and its derivation in words."""
    if change.kind == "rate":
        many = f"{change.hosts:g} hosts of {format_rate(change.amount)} each" if change.hosts != 1 else "as stated"
        return change.amount * change.hosts, many
    recent = slice(-series.step.window, None)
    level, mean = series.level_bps[recent], series.mean_bps[recent]
    if change.kind == "of":
        now = _high(level, series.step.rank)
        words = f"{change.hosts:g} more hosts of {change.amount:g}, each with its part of {format_rate(now)}"
        return now * change.hosts / change.amount, words
    amount = change.amount * change.hosts
    if change.kind == "bytes":
        assert change.until is not None  # noqa: S101 - rows without are refused
        days = (change.until - change.begin).days + 1
        per_day, words = amount / days, f"{format_bytes(amount)} in {days} days"
    else:
        per_day, words = amount, f"{format_bytes(amount)} a day"
    if change.hours is None and change.kind == "daily":
        ratio = float(np.nanmedian(level / mean)) if np.isfinite(level / mean).any() else np.nan
        if not np.isfinite(ratio):
            raise InputError(
                f"no recent traffic of {series.name}",
                "the hours of the day in which the bytes are sent",
                source=change.place,
            )
        return per_day * 8 / DAY_S * ratio, f"{words}, spread as its own traffic is: percentile {ratio:.2f} times mean"
    hours = 24.0 if change.hours is None else change.hours
    if hours < SEEN_HOURS:
        return 0.0, f"{words} in {hours:g} h of the day: a 95th percentile does not see less than 72 min"
    return per_day * 8 / (hours * 3600), f"{words}, in {hours:g} h of the day"


def _moved(
    series: PortSeries, other: PortSeries, change: Change, rates: pd.DataFrame, settings: tuple[Direction, str]
) -> tuple[float, str]:
    """By how much the busy level rises when another port's traffic is added slot by slot."""
    key = port_key(rates)
    both = []
    for port in (series, other):
        host = key["host"].isna() if port.host is None else key["host"] == port.host
        own = rates[host & (key["interface"] == port.interface)]
        recent = own[own["time"] > own["time"].max() - pd.Timedelta(series.step.window * series.step.seconds, "s")]
        slots = slot_table(recent, slot_s=max(series.slot_s, other.slot_s))
        both.append(slots.set_index("time")[["in_bps", "out_bps"]])
    total = (both[0] + both[1] / len(change.moves_to)).dropna(how="all").reset_index()
    total = total.assign(host="both", interface="both", interval_s=max(series.slot_s, other.slot_s), flag="given")
    levels = [
        next(series_of(slots, slot_s=total["interval_s"].iloc[0], direction=settings[0], zone=settings[1]), None)
        for slots in (total, total.assign(**both[0].reindex(total["time"]).reset_index(drop=True)))
        if len(total)
    ]
    known = [level.level_bps for level in levels if level is not None and level.known >= series.step.rank]
    if len(known) < 2:
        raise InputError(
            f"no common days of {series.name} and {other.name}",
            "rates of both ports in the last four weeks",
            source=change.place,
        )
    rank = series.step.rank
    adds = _high(known[0], rank) - _high(known[1], rank)
    part = "" if len(change.moves_to) == 1 else f"a part in {len(change.moves_to)} of "
    return adds, f"{part}the traffic of {other.name} added slot by slot"


def _high(values: Floats, rank: int) -> float:
    """Value of a rank from the highest, of those that are known."""
    known = np.sort(values[np.isfinite(values)])
    return float(known[-min(rank, len(known))]) if len(known) else float("nan")
