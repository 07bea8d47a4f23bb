"""The state of each series: its last result against what is usual, its changes, and what changed with them.

What does not depend on the time of the newest result of all is a `History`. It is kept while a series has no new
result, and computed here or by the workers of a Dask cluster: another worker takes the share of one that dies.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import cluster
from hecn_analysis.base.units import format_count, format_percent, format_rate
from hecn_analysis.watching.changes import LEAST, LEAST_S, MOST, Change, Floats, changes
from hecn_analysis.watching.quiet import quiet_of
from hecn_analysis.watching.reasons import COLUMNS, reasons
from hecn_analysis.watching.series import Series

#: Rates of single results that differ by less never matter, as a logarithm.
LEAST_SCALE: Final = 0.01

USUAL, LOW, SLOWER, FASTER, SILENT, LEARNING = "usual", "low", "slower", "faster", "silent", "learning"

#: A symbol for each state, so that colour is not all that tells them apart.
SYMBOLS: Final = {USUAL: "✓", LOW: "↓", SLOWER: "▼", FASTER: "▲", SILENT: "…", LEARNING: "?"}

#: A series is silent after so many of its usual intervals without a result.
_SILENT_AFTER: Final = 5.0


#: Results that a worker of a cluster takes at once, and shares that wait for one.
_SHARE: Final = 20_000
_WAITING: Final = 64


@dataclass(frozen=True)
class History:
    """Changes of a series as plain objects, and its usual rate with the range of nine results in ten. [bit/s]."""

    changes: tuple[dict[str, Any], ...]
    expected: tuple[float, float, float] | None


#: Histories of series by their names, each with the digest of the results that it is of.
Memory = dict[tuple[str, ...], tuple[str, History]]


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


def statuses(series: Sequence[Series], *, memory: Memory | None = None, dask: str | None = None) -> list[Status]:
    """Judge series; "now" is the time of the newest result of all. What the memory holds is not judged again."""
    memory = {} if memory is None else memory
    rated = {_key(one): one for one in series if len(one.runs)}
    digests = {key: _digest(one) for key, one in rated.items()}
    fresh = [key for key, digest in digests.items() if key not in memory or memory[key][0] != digest]
    for key, history in zip(fresh, _histories([rated[key] for key in fresh], dask), strict=True):
        memory[key] = (digests[key], history)
    now = max(map(_last, series)) if series else None
    return [_status(one, memory.get(_key(one)), now) for one in series if now is not None]


def _key(series: Series) -> tuple[str, ...]:
    return series.source, series.destination, series.tool, series.protocol, series.direction, str(series.streams)


def _digest(series: Series) -> str:
    """What tells the results of a series from others of the same names."""
    columns = series.runs[["start_time", "rate_bps"]]
    return hashlib.sha256(pd.util.hash_pandas_object(columns, index=False).to_numpy().tobytes()).hexdigest()


def _histories(series: Sequence[Series], dask: str | None) -> Iterator[History]:
    """The history of each series, in their order."""
    if dask is None or not series:
        yield from map(_history, series)
        return
    with cluster.client(dask) as client:
        waiting: deque[Any] = deque()
        for share in _shares(series):
            waiting.append(client.submit(_of_share, share, pure=False))
            if len(waiting) >= _WAITING:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _shares(series: Sequence[Series]) -> Iterator[list[Series]]:
    """Series for one worker each, with no more columns than it needs."""
    share: list[Series] = []
    results = 0
    for one in series:
        share.append(replace(one, runs=one.runs[["start_time", "rate_bps", *COLUMNS]]))
        results += len(one.runs)
        if results >= _SHARE:
            yield share
            share, results = [], 0
    if share:
        yield share


def _of_share(share: Sequence[Series]) -> list[History]:
    return list(map(_history, share))


def _history(series: Series) -> History:
    times_s = _times_s(series)
    logs = np.log(series.runs["rate_bps"].to_numpy(dtype=float))
    found = changes(times_s, logs, least_scale=LEAST_SCALE)
    told = tuple(_told(series, change, found[number + 1 :]) for number, change in enumerate(found))
    return History(told, _expected(times_s, logs, [0, *(change.first for change in found), len(logs)]))


def _times_s(series: Series) -> Floats:
    times_s: Floats = series.runs["start_time"].dt.as_unit("ns").astype("int64").to_numpy() / 1e9
    return times_s


def _last(series: Series) -> pd.Timestamp:
    times: list[pd.Timestamp] = [*series.failed[-1:], *series.runs["start_time"].tail(1)]
    return max(times)


def _status(series: Series, known: tuple[str, History] | None, now: pd.Timestamp) -> Status:
    if known is None or series.runs.empty:
        says = f"{format_count(len(series.failed), 'result')} failed, none has a rate"
        return Status(series, SILENT, says, None, _last(series), None, None, None, ())
    _, history = known
    last = float(series.runs["rate_bps"].iloc[-1])
    state, says = _state(series, now, history.expected, history.changes, _times_s(series))
    middle, low, high = history.expected or (None, None, None)
    return Status(series, state, says, last, _last(series), middle, low, high, history.changes)


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
        return SILENT, f"no result since {newest:%Y-%m-%d %H:%M} UTC"
    if told and (now - pd.Timestamp(told[-1]["time"])).total_seconds() < LEAST_S:
        return SLOWER if told[-1]["ratio"] < 1 else FASTER, change_words(told[-1])
    if expected is None:
        days = (times_s[-1] - times_s[0]) / 86400
        seen = f"{format_count(len(times_s), 'result')} over {days:.1f} days"
        return LEARNING, f"{seen}; {LEAST} over {LEAST_S / 86400:.0f} days are needed"
    usual = f"{format_rate(expected[1])} to {format_rate(expected[2])}"
    if last < expected[1] * (1 - LEAST_SCALE):
        return LOW, f"the last result, {format_rate(last)}, is below the usual {usual}"
    return USUAL, f"{format_rate(last)}, usually {usual}"


def change_words(change: Mapping[str, Any]) -> str:
    """A change in words, with its reasons."""
    state = SLOWER if change["ratio"] < 1 else FASTER
    sign = 1 if state == FASTER else -1
    moved, *ends = (sign * (change[name] - 1) for name in ("ratio", "ratio_low", "ratio_high"))
    low, high = map(format_percent, sorted(ends))
    since = f"since {pd.Timestamp(change['time']):%Y-%m-%d %H:%M} UTC"
    return "; ".join([f"{state} by {format_percent(moved)} ({low} to {high}) {since}", *change["reasons"]])
