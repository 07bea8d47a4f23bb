"""The state of each series: its last result against what is usual, its changes, and what changed with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base.units import format_rate
from hecn_analysis.watching.changes import LEAST, LEAST_S, MOST, Change, Floats, changes
from hecn_analysis.watching.quiet import quiet_of
from hecn_analysis.watching.reasons import reasons
from hecn_analysis.watching.series import Series

#: Rates of single results that differ by less never matter, as a logarithm.
LEAST_SCALE: Final = 0.01

USUAL, LOW, SLOWER, FASTER, SILENT, LEARNING = "usual", "low", "slower", "faster", "silent", "learning"

#: A symbol for each state, so that colour is not all that tells them apart.
SYMBOLS: Final = {USUAL: "✓", LOW: "↓", SLOWER: "▼", FASTER: "▲", SILENT: "…", LEARNING: "?"}

#: A series is silent after so many of its usual intervals without a result.
_SILENT_AFTER: Final = 5.0


@dataclass(frozen=True)
class Status:
    """State of a series; rates in bit/s, the expected ones as the range of nine results in ten, None while learning."""

    series: Series
    state: str
    says: str
    last_bps: float | None
    last_time: pd.Timestamp
    expected_bps: float | None
    expected_low_bps: float | None
    expected_high_bps: float | None
    changes: tuple[dict[str, Any], ...]


def plain(status: Status) -> dict[str, Any]:
    """Plain objects of a state, for JSON."""
    own = status.series
    ends = ("source", "destination", "tool", "protocol", "direction", "streams")
    rates = ("last_bps", "expected_bps", "expected_low_bps", "expected_high_bps")
    return {
        **{name: getattr(own, name) for name in ends},
        "state": status.state,
        "says": status.says,
        "results": len(own.runs),
        "failed": len(own.failed),
        "last_time": status.last_time.isoformat(),
        **{name: getattr(status, name) for name in rates},
        "changes": list(status.changes),
    }


def statuses(series: Sequence[Series]) -> list[Status]:
    """Judge series; "now" is the time of the newest result of all."""
    now = max(map(_last, series)) if series else None
    return [_status(one, now) for one in series if now is not None]


def _last(series: Series) -> pd.Timestamp:
    times: list[pd.Timestamp] = [*series.failed[-1:], *series.runs["start_time"].tail(1)]
    return max(times)


def _status(series: Series, now: pd.Timestamp) -> Status:
    runs = series.runs
    if runs.empty:
        says = f"{len(series.failed)} results failed, none has a rate"
        return Status(series, SILENT, says, None, _last(series), None, None, None, ())
    times_s = runs["start_time"].astype("int64").to_numpy() / 1e9
    logs = np.log(runs["rate_bps"].to_numpy(dtype=float))
    found = changes(times_s, logs, least_scale=LEAST_SCALE)
    told = tuple(_told(series, change, found[number + 1 :]) for number, change in enumerate(found))
    begins = [0, *(change.first for change in found), len(logs)]
    expected = _expected(times_s, logs, begins)
    last = float(runs["rate_bps"].iloc[-1])
    state, says = _state(series, now, expected, told, times_s)
    middle, low, high = expected or (None, None, None)
    return Status(series, state, says, last, _last(series), middle, low, high, told)


def _expected(times_s: Floats, logs: Floats, begins: Sequence[int]) -> tuple[float, float, float] | None:
    """Usual rate at the last time, and the range of nine in ten, by the last stretch that is long enough."""
    for first, last in reversed(list(pairwise(begins))):
        if last - first >= LEAST and times_s[last - 1] - times_s[first] >= LEAST_S:
            own = slice(max(first, last - MOST), last)
            quiet = quiet_of(times_s[own], logs[own], LEAST_SCALE)
            usual = float(quiet.usual(times_s[-1:])[0])
            rest = logs[own] - quiet.usual(times_s[own])
            low, high = np.quantile(rest, (0.05, 0.95))
            return float(np.exp(usual)), float(np.exp(usual + low)), float(np.exp(usual + high))
    return None


def _told(series: Series, change: Change, later: Sequence[Change]) -> dict[str, Any]:
    """A change as plain objects, with what changed at the same time."""
    runs = series.runs
    until = later[0].first if later else len(runs)
    return {
        "time": runs["start_time"].iloc[change.first].isoformat(),
        "seen_time": runs["start_time"].iloc[change.seen].isoformat(),
        "results_until_seen": change.seen - change.first + 1,
        "ratio": float(np.exp(change.size)),
        "ratio_low": float(np.exp(change.low)),
        "ratio_high": float(np.exp(change.high)),
        "confidence": change.confidence,
        "reasons": reasons(runs.iloc[: change.first], runs.iloc[change.first : until]),
    }


def _state(
    series: Series,
    now: pd.Timestamp,
    expected: tuple[float, float, float] | None,
    told: Sequence[dict[str, Any]],
    times_s: Floats,
) -> tuple[str, str]:
    """State of a series and a sentence on it."""
    newest, last = _last(series), float(series.runs["rate_bps"].iloc[-1])
    step_s = float(np.median(np.diff(times_s))) if len(times_s) > 2 else np.inf
    if (now - newest).total_seconds() > _SILENT_AFTER * step_s:
        return SILENT, f"no result since {newest:%Y-%m-%d %H:%M}"
    if told and (now - pd.Timestamp(told[-1]["time"])).total_seconds() < LEAST_S:
        change = told[-1]
        state = SLOWER if change["ratio"] < 1 else FASTER
        low, high = sorted(f"{abs(change[name] - 1):.0%}" for name in ("ratio_low", "ratio_high"))
        since = f"{state} by {abs(change['ratio'] - 1):.0%} ({low} to {high}) since {change['time'][:16]}"
        return state, "; ".join([since.replace("T", " "), *change["reasons"]])
    if expected is None:
        days = (times_s[-1] - times_s[0]) / 86400
        return LEARNING, f"{len(times_s)} results of {days:.1f} days; eight are needed"
    usual = f"{format_rate(expected[1])} to {format_rate(expected[2])}"
    if last < expected[1] * (1 - LEAST_SCALE):
        return LOW, f"the last result, {format_rate(last)}, is below the usual {usual}"
    return USUAL, f"{format_rate(last)}, usually {usual}"
