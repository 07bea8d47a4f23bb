"""Rates of runs whose logs end early: from their intervals, their meters, or what the log states up to its end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import pandas as pd

_LEAST_S: Final = 2.0  # a shorter part of a run is slow start


def with_unfinished(
    runs: pd.DataFrame,
    intervals: pd.DataFrame,
    meters: Mapping[tuple[str, int], Any],
    *,
    copies: Collection[str],
) -> pd.DataFrame:
    """Give runs without an end a rate; `meters` has what copies showed last, `copies` their tools."""
    failed = runs["error"].fillna(value=False).astype(bool)
    runs = _of_intervals(runs, intervals, failed)
    is_copy = runs["tool"].isin(copies)
    ends = zip(runs["source_file"], runs["line_last"], strict=True) if meters else ()
    shown = pd.Series([meters.get(key) for key in ends] if meters else None, runs.index, dtype=float)
    rates = runs["rate_bps"].where(~(runs["rate_bps"].isna() & is_copy & ~failed), shown)
    stated = runs["throughput_bps"].astype(float)
    so_far = failed & is_copy & (stated > 0) & (runs["duration_s"].astype(float) >= _LEAST_S)
    return runs.assign(rate_bps=rates.where(~so_far, stated))


def _of_intervals(runs: pd.DataFrame, intervals: pd.DataFrame, failed: pd.Series[bool]) -> pd.DataFrame:
    """Give truncated runs of TCP, and of UDP at the receiver, the mean rate of their intervals."""
    protocol = runs["protocol"].fillna("")
    arrives = protocol.eq("tcp") | (protocol.eq("udp") & runs["direction"].eq("receive").fillna(value=False))
    cut = runs["rate_bps"].isna() & arrives & ~failed
    if not cut.any() or intervals.empty:
        return runs
    key = ["source_file", "run"]
    length = (intervals["t_end_s"] - intervals["t_start_s"]).astype(float)
    timed = intervals[key].assign(
        whole=intervals["stream"].isna(), bits=intervals["throughput_bps"].astype(float) * length, length=length
    )
    wholes = timed.groupby([*key, "whole"])[["bits", "length"]].sum().reset_index()
    streams = intervals.groupby(key)["stream"].nunique().rename("streams_seen")
    wholes = wholes.sort_values("whole").drop_duplicates(key, keep="last").join(streams, on=key)
    usable = wholes[(wholes["whole"] | (wholes["streams_seen"] == 1)) & (wholes["length"] >= _LEAST_S)]
    rates = (usable["bits"] / usable["length"]).set_axis(pd.MultiIndex.from_frame(usable[key]))
    means = rates.reindex(pd.MultiIndex.from_frame(runs[key])).to_numpy(dtype=float)
    return runs.assign(rate_bps=runs["rate_bps"].where(~cut, means))
