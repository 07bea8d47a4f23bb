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
from pathlib import PurePath
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import cluster
from hecn_analysis.base.units import format_count, format_time
from hecn_analysis.watching.changes import COMPARED, LEAST, LEAST_S, MOST, Change, Floats, changes
from hecn_analysis.watching.measures import DELAY, LOSS, MEASURES, RATE, ROUTE, UTILISATION, Measure
from hecn_analysis.watching.quiet import quiet_of
from hecn_analysis.watching.reasons import COLUMNS, reasons
from hecn_analysis.watching.routes import LEAST as LEAST_TRACES
from hecn_analysis.watching.routes import deviating, route_changes
from hecn_analysis.watching.series import Series

USUAL, DOUBTFUL, WORSE, BETTER, SILENT, LEARNING = "usual", "doubtful", "worse", "better", "silent", "learning"
ROUTED, FULL = "routed", "full"

#: A symbol for each state, so that colour is not all that tells them apart.
SYMBOLS: Final = {
    USUAL: "✓",
    DOUBTFUL: "!",
    WORSE: "▼",
    BETTER: "▲",
    ROUTED: "⇄",
    FULL: "■",
    SILENT: "…",
    LEARNING: "?",
}

#: Changes of delay and loss so close to one of the rate are named beside it, as are those within two results. [s]
_BESIDE_S: Final = 3600.0

#: A port that is so full for an hour has hardly room for more: queues grow (utilisation of its speed). [1]
_FULL: Final = 0.9

#: A series is silent after so many of its usual intervals without a result.
_SILENT_AFTER: Final = 5.0


#: Results that a worker of a cluster takes at once, and shares that wait for one.
_SHARE: Final = 20_000
_WAITING: Final = 64


@dataclass(frozen=True)
class History:
    """Changes of a series as plain objects, and its usual figure with the range of nine results in ten."""

    changes: tuple[dict[str, Any], ...]
    expected: tuple[float, float, float] | None


#: Histories of series by their names, each with the digest of the results that it is of.
Memory = dict[tuple[str, ...], tuple[str, History]]


@dataclass(frozen=True)
class Status:
    """State of a series; its last figure, and the expected ones as the range of nine results in ten.

    The figures are in the unit of the measure; those expected are None while learning.
    """

    series: Series
    state: str
    says: str
    last: float | None
    last_time: pd.Timestamp
    expected: float | None
    expected_low: float | None
    expected_high: float | None
    changes: tuple[dict[str, Any], ...]


def plain(status: Status) -> dict[str, Any]:
    """Plain objects of a state, for JSON."""
    own = status.series
    ends = ("source", "destination", "tool", "protocol", "direction", "streams")
    figures = ("last", "expected", "expected_low", "expected_high")
    return {
        **{name: getattr(own, name) for name in ends},
        "measure": own.measure.name,
        "state": status.state,
        "says": status.says,
        "results": len(own.runs),
        "failed": len(own.failed),
        "last_time": status.last_time.isoformat(),
        **{own.measure.keyed(name): getattr(status, name) for name in figures},
        "changes": list(status.changes),
    }


def statuses(series: Sequence[Series], *, memory: Memory | None = None, dask: str | None = None) -> list[Status]:
    """Judge series; "now" is the time of the newest result of all. What the memory holds is not judged again."""
    memory = {} if memory is None else memory
    rated = {each.key: each for each in series if len(each.runs)}
    digests = {key: _digest(each) for key, each in rated.items()}
    fresh = [key for key, digest in digests.items() if key not in memory or memory[key][0] != digest]
    for key, history in zip(fresh, _histories([rated[key] for key in fresh], dask), strict=True):
        memory[key] = (digests[key], history)
    now = max(map(_last, series)) if series else None
    of_paths = _of_paths(rated, memory)
    return [_status(each, memory.get(each.key), now, of_paths) for each in series if now is not None]


def _digest(series: Series) -> str:
    """What tells the results of a series from others of the same names."""
    columns = series.runs[["start_time", series.measure.column]]
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
    wanted = dict.fromkeys(("start_time", *(measure.column for measure in MEASURES.values()), "sent_packets", *COLUMNS))
    for each in series:
        share.append(replace(each, runs=each.runs.reindex(columns=list(wanted))))
        results += len(each.runs)
        if results >= _SHARE:
            yield share
            share, results = [], 0
    if share:
        yield share


def _of_share(share: Sequence[Series]) -> list[History]:
    return list(map(_history, share))


def _history(series: Series) -> History:
    if series.measure.name == ROUTE.name:
        return History(route_changes(series.runs), None)
    times_s, measure = _times_s(series), series.measure
    packets = measure.packets(series.runs)
    values = measure.compared(series.runs[measure.column].to_numpy(dtype=float), packets)
    steps = changes(times_s, values, least_scale=measure.least_scale)
    told = tuple(_told(series, step, steps[number + 1 :]) for number, step in enumerate(steps))
    begins = [0, *(step.first for step in steps), len(values)]
    compared = _expected(times_s, values, begins, measure.least_scale)
    if compared is None:
        return History(told, None)
    usual, low, high = (measure.value(each, packets) for each in compared)
    return History(told, (usual, low, high))


def _times_s(series: Series) -> Floats:
    times_s: Floats = series.runs["start_time"].dt.as_unit("ns").astype("int64").to_numpy() / 1e9
    return times_s


def _last(series: Series) -> pd.Timestamp:
    times: list[pd.Timestamp] = [*series.failed[-1:], *series.runs["start_time"].tail(1)]
    return max(times)


#: Measures of paths, whose changes explain those of rates.
_OF_PATHS: Final = (DELAY.name, LOSS.name, ROUTE.name)

#: Series of delay, loss and route that changed, with their histories, by the two hosts.
_OfPaths = Mapping[frozenset[str], Sequence[tuple[Series, History]]]


def _of_paths(series: Mapping[tuple[str, ...], Series], memory: Memory) -> _OfPaths:
    """The delays, losses and routes that changed, by the hosts between which they were measured."""
    by_hosts: dict[frozenset[str], list[tuple[Series, History]]] = {}
    for key, each in series.items():
        history = memory[key][1]
        if each.measure.name in _OF_PATHS and history.changes:
            by_hosts.setdefault(frozenset((each.source, each.destination)), []).append((each, history))
    return by_hosts


def _status(series: Series, known: tuple[str, History] | None, now: pd.Timestamp, of_paths: _OfPaths) -> Status:
    if known is None or series.runs.empty:
        says = f"{format_count(len(series.failed), 'result')} failed, none has a {series.measure.name}"
        return Status(series, SILENT, says, None, _last(series), None, None, None, ())
    _, history = known
    times_s = _times_s(series)
    told = history.changes
    if series.measure.name != ROUTE.name and told:
        names = _OF_PATHS if series.measure.name == RATE.name else (ROUTE.name,)
        beside = [each for each in _of_ends(series, of_paths) if each[0].measure.name in names]
        told = tuple({**change, "reasons": [*change["reasons"], *_beside(change, times_s, beside)]} for change in told)
    last = series.measure.figure(series.runs, -1)
    state, says = _state(series, now, history.expected, told, times_s)
    if series.measure.name == UTILISATION.name and state != SILENT and last >= _FULL:
        state, says = FULL, f"{series.measure.write(last)} of the speed of the port on average over an hour"
    middle, low, high = history.expected or (None, None, None)
    return Status(series, state, says, last, _last(series), middle, low, high, told)


def _of_ends(series: Series, of_paths: _OfPaths) -> list[tuple[Series, History]]:
    """What changed between the hosts of a series; logs of ping or traceroute in its folder may name the target only."""
    folders = {PurePath(str(file)).parent.as_posix() for file in series.runs["source_file"].tail(1)}
    ends = dict.fromkeys(frozenset((source, series.destination)) for source in (series.source, *sorted(folders)))
    return [each for pair in ends for each in of_paths.get(pair, ())]


def _beside(change: Mapping[str, Any], times_s: Floats, of_path: Sequence[tuple[Series, History]]) -> Iterator[str]:
    """Changes of the path's delay, loss and route at the time of a change."""
    time = pd.Timestamp(change["time"])
    for series, history in of_path:
        steps_s = [float(np.median(np.diff(times))) for times in (times_s, _times_s(series)) if len(times) > 1]
        near_s = max(_BESIDE_S, *(2 * step_s for step_s in steps_s))
        for other in history.changes:
            if abs((pd.Timestamp(other["time"]) - time).total_seconds()) <= near_s:
                yield f"{series.name}: {change_words(other, series.measure)}"


def _expected(
    times_s: Floats, values: Floats, begins: Sequence[int], least_scale: float
) -> tuple[float, float, float] | None:
    """Usual value at the last time, and the range of nine in ten, by the last stretch that is long enough."""
    for first, last in reversed(list(pairwise(begins))):
        if last - first >= LEAST and times_s[last - 1] - times_s[first] >= LEAST_S:
            own = slice(max(first, last - MOST), last)
            quiet = quiet_of(times_s[own], values[own], least_scale)
            usual = float(quiet.usual(times_s[-1:])[0])
            rest = values[own] - quiet.usual(times_s[own])
            low, high = np.quantile(rest, (0.05, 0.95))
            return usual, usual + float(low), usual + float(high)
    return None


def _told(series: Series, change: Change, later: Sequence[Change]) -> dict[str, Any]:
    """A change as plain objects, with what changed at the same time."""
    runs, measure = series.runs, series.measure
    until = later[0].first if later else len(runs)
    before, after = runs.iloc[: change.first], runs.iloc[change.first : until]
    return {
        "time": runs["start_time"].iloc[change.first].isoformat(),
        "seen_time": runs["start_time"].iloc[change.seen].isoformat(),
        "results_until_seen": change.seen - change.first + 1,
        **measure.sizes(before.tail(COMPARED), after.head(COMPARED), change),
        "confidence": change.confidence,
        "reasons": reasons(before, after, but=measure.column),
    }


def _state(
    series: Series,
    now: pd.Timestamp,
    expected: tuple[float, float, float] | None,
    told: Sequence[dict[str, Any]],
    times_s: Floats,
) -> tuple[str, str]:
    """State of a series and a sentence on it."""
    measure = series.measure
    newest, last = _last(series), measure.figure(series.runs, -1)
    step_s = float(np.median(np.diff(times_s))) if len(times_s) > 2 else np.inf
    if (now - newest).total_seconds() > _SILENT_AFTER * step_s:
        return SILENT, f"no result since {newest:%Y-%m-%d %H:%M} UTC"
    is_new = bool(told) and (now - pd.Timestamp(told[-1]["time"])).total_seconds() < LEAST_S
    if measure.name == ROUTE.name:
        return (
            (ROUTED, change_words(told[-1], measure)) if is_new else _state_of_route(series.runs, measure.write(last))
        )
    if is_new:
        return WORSE if measure.is_worse(told[-1]) else BETTER, change_words(told[-1], measure)
    if expected is None:
        seen = f"{format_count(len(times_s), 'result')} over {format_time(float(times_s[-1] - times_s[0]))}"
        return LEARNING, f"{seen}: {LEAST} results over {LEAST_S / 86400:.0f} days are needed"
    low, high = map(measure.write, expected[1:])
    usual = low if low == high else f"{low} to {high}"
    side = "above" if measure.is_worse_above else "below"
    packets, limit = measure.packets(series.runs), expected[2 if measure.is_worse_above else 1]
    beyond = float(measure.compared(last, packets) - measure.compared(limit, packets))
    if (beyond if measure.is_worse_above else -beyond) > measure.least_scale:
        return DOUBTFUL, f"the last result, {measure.write(last)}, is {side} the usual {usual}"
    return USUAL, f"{measure.write(last)}, usually {usual}"


def _state_of_route(runs: pd.DataFrame, hops: str) -> tuple[str, str]:
    """State of a route without a change in the last week."""
    if len(runs) < LEAST_TRACES:
        return LEARNING, f"{format_count(len(runs), 'trace')}: {LEAST_TRACES} are needed"
    other = deviating(runs)
    if other:
        return DOUBTFUL, f"{format_count(other, 'newest trace')} took another route"
    return USUAL, f"{hops}, as usual"


def change_words(change: Mapping[str, Any], measure: Measure) -> str:
    """A change in words, with its reasons."""
    since = f"since {pd.Timestamp(change['time']):%Y-%m-%d %H:%M} UTC"
    return "; ".join([f"{measure.moved(change)} {since}", *change["reasons"]])
