"""Rates of runs over time: the rate of each in the intervals that the tool reported, from the start of the run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import rate_axis, theme

COLUMNS = ["run", "t_s", "rate_gbps", "retransmits", "hover"]

#: Largest number of drawn runs, and of points of each; longer runs are averaged.
MOST_RUNS: Final = 12
MOST_POINTS: Final = 300

_DASHES: Final = ("solid", "dash", "dot", "dashdot")
_COLOURS: Final = (theme.BLUE, theme.VERMILION, theme.GREEN)


def course_rows(intervals: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: the first runs, all streams of a run together."""
    tables: list[pd.DataFrame] = []
    for run in runs.to_dict("records"):
        run_intervals = intervals[(intervals["source_file"] == run["source_file"]) & (intervals["run"] == run["run"])]
        combined = _all_streams(run_intervals)
        if len(combined) < 2:
            continue
        name = f"{str(run['source_file']).rpartition('/')[2]}:{run['line_first']}"
        retransmits = combined["retransmits"]
        hover = [
            f"<b>{theme.text(name)}</b><br>{time:.4g} s: measured {rate:.4g} Gb/s"
            + ("" if pd.isna(count) else f"<br>{count:.0f} retransmits")
            for time, rate, count in zip(combined["t_s"], combined["rate_gbps"], retransmits, strict=True)
        ]
        tables.append(combined.assign(run=theme.text(name), hover=hover))
        if len(tables) == MOST_RUNS:
            break
    return pd.concat(tables, ignore_index=True)[COLUMNS] if tables else pd.DataFrame(columns=COLUMNS)


def _all_streams(run_intervals: pd.DataFrame) -> pd.DataFrame:
    """Intervals of all streams together; the sum over the streams if the log gives only those."""
    combined = run_intervals[run_intervals["stream"].isna()]
    if combined.empty:
        keys = ["t_start_s", "t_end_s"]
        summed = run_intervals.groupby(keys, as_index=False)[["throughput_bps", "retransmits"]].sum(min_count=1)
        counts = run_intervals.groupby(keys)["stream"].nunique().to_numpy()
        combined = summed[counts == counts.max(initial=0)]
    combined = combined[combined["throughput_bps"].notna()].sort_values("t_end_s", kind="stable")
    table = pd.DataFrame(
        {
            "t_s": (combined["t_start_s"].astype(float) + combined["t_end_s"].astype(float)) / 2,
            "rate_gbps": combined["throughput_bps"].astype(float) * theme.GBPS,
            "retransmits": combined["retransmits"].astype(float),
        }
    ).dropna(subset=["t_s"])
    if len(table) <= MOST_POINTS:
        return table.reset_index(drop=True)
    bin_number = np.arange(len(table)) * MOST_POINTS // len(table)
    means = table.groupby(bin_number)[["t_s", "rate_gbps"]].mean()
    return means.assign(retransmits=table.groupby(bin_number)["retransmits"].sum(min_count=1)).reset_index(drop=True)


def plot_course(
    intervals: pd.DataFrame, runs: pd.DataFrame, limits: Mapping[str, float] = MappingProxyType({})
) -> go.Figure:
    """Draw rates over time, a line for each run, and a horizontal line for each limit [bit/s], by its name."""
    rows = course_rows(intervals, runs)
    if rows.empty:
        return theme.empty("No log gives rates over time.")
    names = list(dict.fromkeys(rows["run"]))
    fig = theme.figure(x_title="Time since the start of the run (s)", showlegend=True)
    for number, name in enumerate(names):
        part = rows[rows["run"] == name]
        line: dict[str, Any] = {
            "color": _COLOURS[number % len(_COLOURS)],
            "dash": _DASHES[number // len(_COLOURS) % len(_DASHES)],
            "width": 1.8,
        }
        fig.add_scatter(
            x=part["t_s"].tolist(),
            y=part["rate_gbps"].tolist(),
            mode="lines+markers" if len(part) < 30 else "lines",
            name=name,
            line=line,
            marker={"size": 4},
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    for name, limit_bps in limits.items():
        fig.add_scatter(
            x=[0.0, float(rows["t_s"].max())],
            y=[limit_bps * theme.GBPS] * 2,
            mode="lines",
            name=theme.text(name),
            line={"color": theme.MUTED, "dash": _DASHES[1 + list(limits).index(name) % 3], "width": 1.4},
            hovertemplate=f"{theme.text(name)} allows {theme.gbps(limit_bps)} Gb/s<extra></extra>",
        )
    title = {"text": "Measured throughput (Gb/s)", "font": {"size": 12, "color": theme.MUTED}}
    fig.update_yaxes(title=title, rangemode="tozero")
    rate_axis.fit_unit(
        fig, "y", max(float(rows["rate_gbps"].max()), *(limit * theme.GBPS for limit in (0, *limits.values())))
    )
    fig.update_layout(height=340 + 22 * -(-(len(names) + len(limits)) // 2))
    return fig
