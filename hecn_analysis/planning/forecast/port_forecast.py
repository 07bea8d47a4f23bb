"""When a port is full: a forecast of its 95th percentile, and the day on which it reaches the capacity.

The percentile of each day (`series`) is forecast by a straight line, an exponential or no growth: the fit decides the
shape (`growth`), a backtest on the port's own past decides whether it grows (`backtest`, `models`). If the shape is
undecided, a third of the paths take the other one, and both dates are given. Planned changes (`planned_changes`) are
added from their day on. The *busy level*, the fourth highest day of the last 28, is compared with the capacity, a
fraction of the port's speed. The date is the median of the days on which the paths reach it; its interval holds 90 %.

There is no date with too few days, without a trend (the interval of the growth contains 0, or a level without growth
forecasts better), or if fewer than half of the paths reach the capacity within the horizon, which is never longer than
the history. The course of a year is not modelled: less than two years cannot tell summer from a trend.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.base.errors import RangeError
from hecn_analysis.base.progress import track
from hecn_analysis.base.tables import with_units
from hecn_analysis.base.units import format_fraction
from hecn_analysis.planning.forecast.backtest import Backtest, backtest
from hecn_analysis.planning.forecast.effects import Effects, effects_of
from hecn_analysis.planning.forecast.free_ports import free_ports
from hecn_analysis.planning.forecast.growth import METHOD, Growth, growth_of
from hecn_analysis.planning.forecast.models import GROWING, LEVEL, NAIVE, Fitted, course_of, fit, is_log
from hecn_analysis.planning.forecast.planned_changes import Plan, read_plan
from hecn_analysis.planning.forecast.series import DAY, HOUR, PortSeries, busy_level, series_of
from hecn_analysis.planning.forecast.sources import rates_of
from hecn_analysis.planning.forecast.words import sentence
from hecn_analysis.traffic.series import Speeds, Widths
from hecn_analysis.traffic.speeds import known_better, speed_of
from hecn_analysis.traffic.utilisation import Direction

Floats = npt.NDArray[np.float64]

CAPACITY: Final = 0.8
"""Part of the speed that counts as full. [fraction]"""
HORIZON_S: Final = 2 * 365.25 * 86_400
DRAWS: Final = 500
_BETTER: Final = 0.95  # a level without growth must be so much better than any growth for there to be none
_NEARLY: Final = 1.15  # of the least error: the backtest cannot separate two ways to grow that differ by less
_CONTRADICTS: Final = 0.87  # a backtest that does so much better with the other way to grow contradicts the fit
_YEARLY: Final = 0.25  # years of history from which growth is stated per year
_DATES: Final = ("date_low", "date", "date_high", "date_linear", "date_exponential", "date_without")
_ENDS: Final = (5.0, 50.0, 95.0)

PORT_COLUMNS: Final[Mapping[str, str]] = {
    "host": "host",
    "interface": "interface",
    "step": "what the series has a value for: day, or hour where there are too few days",
    "first_time": "start of the series",
    "last_time": "end of the series, where the forecast begins",
    "known": "days or hours with a percentile",
    "missing": "those without",
    "slot_s": "slots that were ranked [s]",
    "p95_bps": "busy level now: fourth highest 95th percentile of the last 28 days [bit/s]",
    "growth_fraction": "growth a year, of the level now [fraction]",
    "growth_low_fraction": "lower end of its 90 % interval [fraction]",
    "growth_high_fraction": "upper end [fraction]",
    "growth": "linear (as much every year), exponential (as large a part) or undecided; missing without a trend",
    "growth_bps": "growth in the year to come [bit/s]",
    "growth_low_bps": "lower end of its 90 % interval [bit/s]",
    "growth_high_bps": "upper end [bit/s]",
    "speed_bps": "its speed now [bit/s]",
    "capacity_bps": "stated part of it [bit/s]",
    "date_low": "day before which it is reached with 5 %",
    "date": "day before which it is reached with 50 %",
    "date_high": "day before which it is reached with 95 %",
    "date_linear": "date with linear growth, if the growth is undecided",
    "date_exponential": "date with exponential growth, if the growth is undecided",
    "date_without": "date without the planned changes, where there are any",
    "probability": "of reaching it within the horizon",
    "horizon": "last day of the horizon",
    "status": "date, reached, flat, later, short, no speed, retired",
    "reason": "why there is no date",
    "method": "what forecasts it",
    "mase": "mean absolute scaled error of the method in the backtest",
    "mase_naive": "that of the seasonal naive forecast",
    "coverage": "part of what came inside of the 90 % intervals of the backtest",
}


@dataclass(frozen=True)
class Forecast:
    """Forecast of one or more ports, as tables.

    ``capacity`` is the fraction of the speed that counts as full, ``ports`` one row per port (`PORT_COLUMNS`), and
    ``backtest`` one row per port and method: ``mase``, ``coverage``, ``origins``, ``horizon``, ``chosen``. ``curve``
    has one row per day (or hour) of history and horizon: ``measured_bps`` (its percentile), ``busy_bps`` (busy level of
    the past), ``low_bps``, ``mid_bps``, ``high_bps`` (90 % interval of the future), ``without_bps`` (median without
    planned changes), ``capacity_bps``. ``shifts`` are level shifts [bit/s], ``changes`` the planned changes of each
    port with their effect [bit/s] and its derivation, ``free_ports`` the used and free ports of each host and the day
    without a free one.
    """

    capacity: float
    ports: pd.DataFrame
    curve: pd.DataFrame
    backtest: pd.DataFrame
    shifts: pd.DataFrame
    changes: pd.DataFrame
    free_ports: pd.DataFrame

    def __str__(self) -> str:
        """One sentence a port."""
        return "\n".join(sentence(row, self.capacity) for row in self.ports.to_dict("records"))


@dataclass(frozen=True)
class _Settings:
    capacity: float
    horizon_s: float
    draws: int
    seed: int


@dataclass
class _Tables:
    ports: list[dict[str, Any]] = field(default_factory=list)
    curve: list[pd.DataFrame] = field(default_factory=list)
    backtest: list[dict[str, Any]] = field(default_factory=list)
    shifts: list[dict[str, Any]] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)


def forecast(
    source: pd.DataFrame | Path | str | Sequence[Path | str],
    *,
    changes: Plan | Path | str | None = None,
    capacity: float = CAPACITY,
    speeds: Speeds = None,
    widths: Widths = None,
    horizon_s: float = HORIZON_S,
    direction: Direction = "greater",
    slot_s: float = 300.0,
    zone: str = "UTC",
    host: str | None = None,
    ports: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = 0,
    progress: bool = False,
) -> Forecast:
    """Forecast when ports reach their capacity.

    Parameters
    ----------
    source
        Rates as in the table ``rates``; or an archive's folder, or files with counters.
    changes
        Planned changes, or a file of them.
    capacity
        Part of a port's speed that counts as full. [fraction]
    speeds, widths
        Speeds [bit/s] and counter widths [bits], for all or by interface or (host, interface); they replace those of
        files.
    horizon_s
        Length of the forecast, at most that of the history. [s]
    direction
        Which direction counts, one of `hecn_analysis.traffic.utilisation.DIRECTIONS`.
    slot_s
        Length of the slots that percentiles rank; longer if a source keeps only longer averages. [s]
    zone
        Time zone of the days, and of local times in files.
    host
        Host of files that do not name theirs; by default each of these files is a host of its own.
    ports
        Interfaces to forecast; all by default.
    draws, seed
        Number of paths to draw, and seed of the random numbers.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Returns
    -------
    Forecast
        The date when each port is full, or why it has none; the busy level of past and future [bit/s]; the backtests.

    Raises
    ------
    RangeError
        The capacity or the horizon is impossible.
    InputError
        Nothing can be read, or a planned change is invalid.

    Examples
    --------
    >>> days = pd.date_range("2026-01-01", periods=60, freq="D", tz="UTC")
    >>> rates = pd.DataFrame({"host": "border", "interface": "et-0/0/0", "time": days, "interval_s": 86400.0,
    ...                       "in_bps": np.linspace(4e9, 7e9, 60), "out_bps": 1e9, "flag": "ok"})
    >>> print(forecast(rates, speeds=10e9))
    Port border et-0/0/0 reaches 80 % of its speed, 8.00 Gb/s, on 2026-03-23, ...
    """
    if not 0 < capacity <= 1:
        raise RangeError(f"capacity: found {capacity!r}, expected more than 0 and at most 1 of the speed")
    if not horizon_s > 0:
        raise RangeError(f"horizon: found {horizon_s!r} s, expected more than 0 s")
    rates, stated = (
        (source, {})
        if isinstance(source, pd.DataFrame)
        else rates_of(source, zone=zone, host=host, widths=widths, speeds=speeds, progress=progress)
    )
    known = speeds if speeds is not None and not isinstance(speeds, Mapping) else known_better(stated, speeds or {})
    plan = changes if isinstance(changes, Plan) else Plan() if changes is None else read_plan(changes)
    settings = _Settings(capacity, horizon_s, draws, seed)
    every = list(series_of(rates, slot_s=slot_s, direction=direction, zone=zone))
    wanted = [series for series in every if not ports or series.interface in ports]
    effects = effects_of(plan.changes, every, rates, direction=direction, zone=zone)
    tables = _Tables()
    for series in track(wanted, "forecasting") if progress else wanted:
        names = pd.DataFrame({"host": [series.host], "interface": [series.interface]})
        speed = float(speed_of(names, known)[0])
        _forecast(series, speed, effects.get((series.host, series.interface), Effects()), settings, tables)
    return Forecast(
        capacity,
        _frame(tables.ports, PORT_COLUMNS),
        with_units(pd.concat(tables.curve, ignore_index=True)) if tables.curve else _frame([], CURVE),
        _frame(tables.backtest, ("host", "interface", "method", "mase", "coverage", "origins", "horizon", "chosen")),
        _frame(tables.shifts, ("host", "interface", "time", "before_bps", "after_bps")),
        _frame(
            tables.changes, ("host", "interface", "begin", "until", "adds_bps", "speed_bps", "how", "note", "place")
        ),
        free_ports(plan, rates, horizon_s=horizon_s, draws=draws, seed=seed),
    )


CURVE: Final = (
    *("host", "interface", "time", "measured_bps", "busy_bps", "low_bps", "mid_bps", "high_bps", "without_bps"),
    "capacity_bps",
)


def _frame(rows: list[dict[str, Any]], columns: Sequence[str] | Mapping[str, str]) -> pd.DataFrame:
    return with_units(pd.DataFrame(rows, columns=list(columns)))


def _forecast(series: PortSeries, speed: float, effects: Effects, settings: _Settings, tables: _Tables) -> None:
    """Forecast one port, and put its rows into the tables."""
    step, names = series.step, {"host": series.host, "interface": series.interface}
    values = np.where(series.level_bps > 0, series.level_bps, np.nan)  # a port that was down says nothing of traffic
    row: dict[str, Any] = {
        **names,
        "step": step.name,
        "slot_s": series.slot_s,
        "known": int(np.isfinite(values).sum()),
        "missing": int(np.isnan(values).sum()),
        "speed_bps": speed,
        **dict.fromkeys(_DATES, pd.NaT),
    }
    tables.ports.append(row)
    tables.changes += [{**names, **told} for told in effects.told]
    if len(values):
        row |= {"first_time": series.start[0], "last_time": series.start[-1] + pd.Timedelta(step.seconds, "s")}
    if row["known"] < step.least:
        row |= {"status": "short", "reason": _too_short(row["known"])}
        return
    ahead = max(min(round(settings.horizon_s / step.seconds), len(values)), step.season)
    days = pd.date_range(series.start[-1], periods=ahead + 1, freq="D" if step.name == "day" else "h")[1:]
    capacity = effects.speed(days, speed) * settings.capacity
    before = np.concatenate([np.full(step.window, np.nan), values])[None, 1:]
    busy = busy_level(before, step)[0]
    busy[: step.window - 1] = np.nan
    tested = backtest(values, step)
    fitted, why_flat, chosen, other, how = _chosen(values, series, tested)
    tables.backtest += [
        {
            **names,
            "method": score.method,
            "mase": score.mase,
            "coverage": score.coverage,
            "origins": tested.origins,
            "horizon": tested.horizon,
            "chosen": score.method == fitted.method,
        }
        for score in tested.scores
    ]
    score = tested.of(fitted.method)
    now = float(busy[-1])
    row |= {
        "p95_bps": now,
        "method": fitted.method,
        "mase": score.mase,
        "mase_naive": tested.of(NAIVE).mase,
        "coverage": score.coverage,
        "capacity_bps": float(capacity[0]),
        "horizon": days[-1],
        **_growth(chosen, series, now),
        "growth": None if why_flat else how,
    }
    tables.shifts += _shifts(series, values, fitted)
    paths = _paths(fitted, other, ahead, settings)
    tail = np.repeat(values[None, -step.window + 1 :], settings.draws, axis=0)
    every = 1 if step is DAY else step.season
    place = np.arange((ahead - 1) % every, ahead, every)
    own = paths * effects.alive(days) + effects.adds(days)
    with_changes = busy_level(np.concatenate([tail, own], axis=1), step, every=every)
    bare = busy_level(np.concatenate([tail, paths], axis=1), step, every=every) if effects.told else with_changes
    past = pd.DataFrame({"time": series.start, "measured_bps": series.level_bps, "busy_bps": busy})
    low, mid, high = np.percentile(with_changes, _ENDS, axis=0)
    future = pd.DataFrame({"time": days[place], "low_bps": low, "mid_bps": mid, "high_bps": high})
    future = future.assign(without_bps=np.median(bare, axis=0), capacity_bps=capacity[place])
    both = pd.concat([past.assign(capacity_bps=capacity[0]), future], ignore_index=True)
    tables.curve.append(both.assign(**names).reindex(columns=list(CURVE)))
    if np.isnan(capacity).any():
        reason = "no capacity: its speed is not known; --speed or --interfaces says it"
        row |= {"status": "no speed", "reason": reason}
    elif now >= capacity[0]:
        row |= {"status": "reached", "probability": 1.0, "reason": "reached already", "date": days[0]}
    else:
        row |= _date(with_changes >= capacity[place], days[place], effects, why_flat)
        if other is not None and row["status"] == "date":
            for kind, model in zip(("linear", "exponential"), _both_ways(fitted, other), strict=True):
                ways = model.paths(ahead, settings.draws, settings.seed) * effects.alive(days) + effects.adds(days)
                reached = busy_level(np.concatenate([tail, ways], axis=1), step, every=every) >= capacity[place]
                row[f"date_{kind}"] = _ends(reached, days[place])[1]
        if effects.told and not why_flat:
            row["date_without"] = _ends(bare >= settings.capacity * speed, days[place])[1]


def _paths(fitted: Fitted, other: Fitted | None, ahead: int, settings: _Settings) -> Floats:
    """Draw paths of the chosen method; if the shape of growth is undecided, a third of them of the other shape."""
    if other is None:
        return fitted.paths(ahead, settings.draws, settings.seed)
    third = settings.draws // 3
    both = (fitted.paths(ahead, settings.draws - third, settings.seed), other.paths(ahead, third, settings.seed + 1))
    return np.concatenate(both)


def _both_ways(fitted: Fitted, other: Fitted) -> tuple[Fitted, Fitted]:
    """The straight line, then the exponential."""
    return (other, fitted) if fitted.log else (fitted, other)


def _chosen(values: Floats, series: PortSeries, tested: Backtest) -> tuple[Fitted, str, Fitted, Fitted | None, Growth]:
    """Choose the method; also return why there is no trend, the growing method, the other shape, and the growth."""
    step = series.step
    courses = {log: course_of(values, step, log=log) for log in (True, False)}

    def fitted(method: str) -> Fitted:
        made = fit(method, None if method == NAIVE else courses[is_log(method)], values, step)
        return made.widened(tested.of(method).widening)

    best = tested.best(GROWING)
    how, _ = growth_of(values, step)
    if how != "undecided" and best.mase < _CONTRADICTS * tested.of(METHOD[how]).mase:
        how = "undecided"
    usual = tested.of(GROWING[0])  # traffic mostly grows in per cent: the other way has to do better to be taken
    grows = tested.of(METHOD[how]) if how != "undecided" else usual if usual.mase < _NEARLY * best.mase else best
    rests = tested.best((LEVEL, NAIVE))
    growing = fitted(grows.method)
    low, high = growing.slope_interval
    if rests.mase < _BETTER * best.mase:
        scores = f"MASE {rests.mase:.2f} against {best.mase:.2f}"
        why = f"no trend: {rests.method} forecasts better than any growth ({scores})"
        return fitted(rests.method), why, growing, None, how
    if low <= 0 <= high:
        level = grows.method if grows.mase < rests.mase else rests.method
        flat = growing.without_growth() if level == grows.method else fitted(level)
        return flat, "no trend: the 90 % interval of the growth contains 0", growing, None, how
    (other,) = (method for method in GROWING if method != grows.method)
    near = how == "undecided" and tested.of(other).mase < _NEARLY * grows.mase
    if how == "undecided" and not near:
        how = "exponential" if growing.log else "linear"
    return growing, "", growing, fitted(other) if near else None, how


def _growth(fitted: Fitted, series: PortSeries, now: float) -> dict[str, float]:
    """Return the growth per year as a fraction of the present level, if the history is long enough."""
    per_year = series.step.per_year()
    names = [f"growth{end}_{unit}" for unit in ("fraction", "bps") for end in ("_low", "", "_high")]
    if len(series.level_bps) < _YEARLY * per_year:
        return dict.fromkeys(names, math.nan)
    low, high = fitted.slope_interval
    yearly = [slope * per_year for slope in (low, fitted.slope, high)]
    parts = [math.expm1(rate) if fitted.log else rate / now for rate in yearly]
    return dict(zip(names, [*parts, *(part * now for part in parts)], strict=True))


def _too_short(known: int) -> str:
    day = f"{DAY.least} days with a 95th percentile, or {HOUR.least} hours of slots of an hour or less, are needed"
    if known == 0:
        return f"too short: no day has a 95th percentile; {day}"
    return f"too short: {known} days have a 95th percentile; {day}"


def _shifts(series: PortSeries, values: Floats, fitted: Fitted) -> list[dict[str, Any]]:
    """Rows of the level shifts that the method took out: medians of four seasons before and after."""
    if fitted.method == NAIVE:
        return []
    around = 4 * series.step.season
    return [
        {
            "host": series.host,
            "interface": series.interface,
            "time": series.start[place],
            "before_bps": float(np.nanmedian(values[max(place - around, 0) : place])),
            "after_bps": float(np.nanmedian(values[place : place + around])),
        }
        for place in course_of(values, series.step, log=fitted.log).shifts
    ]


def _date(crossed: npt.NDArray[np.bool_], days: pd.DatetimeIndex, effects: Effects, why_flat: str) -> dict[str, Any]:
    """Return the day and its interval, or the reason for having none."""
    low, mid, high = _ends(crossed, days)
    probability = float(crossed.any(axis=1).mean())
    if mid is not pd.NaT and (effects.told or not why_flat):
        words = {"status": "date", "reason": "", "date_low": low, "date": mid, "date_high": high}
    elif effects.retired is not None:
        words = {"status": "retired", "reason": f"retired on {effects.retired}"}
    elif why_flat:
        words = {"status": "flat", "reason": why_flat}
    else:
        chance = format_fraction(probability, digits=2)
        words = {"status": "later", "reason": f"not reached by {days[-1]:%Y-%m-%d}: {chance} of the paths get there"}
    return {"probability": probability, **words}


def _ends(crossed: npt.NDArray[np.bool_], days: pd.DatetimeIndex) -> list[Any]:
    """Days before which 5, 50 and 95 % of the paths have crossed, NaT for none."""
    first = np.where(crossed.any(axis=1), crossed.argmax(axis=1), len(days))
    ends = [int(end) for end in np.percentile(first, _ENDS, method="inverted_cdf")]
    return [days[end] if end < len(days) else pd.NaT for end in ends]
