"""How the intervals of runs are distributed: cumulative curves, or a box for each run."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import rate_axis, theme
from hecn_analysis.figures.run_names import run_names, spread
from hecn_analysis.runs import course

COLUMNS: Final = ["run", "label", "value"]

Quantity = Literal["rate", "rtt"]

#: Most runs that are drawn, and most points of a cumulative curve.
MOST_RUNS: Final = 12
MOST_POINTS: Final = 400

_DASHES: Final = ("solid", "dash")


def distribution_rows(runs: pd.DataFrame, intervals: pd.DataFrame, quantity: Quantity = "rate") -> pd.DataFrame:
    """Compute what the figures draw, a row for each interval [SI]; ``attrs["runs"]``: runs that are drawn, and all."""
    parts = intervals.groupby(["source_file", "run"], sort=False)
    own = {place: values for place, part in parts if len(values := _values(part, quantity)) > 1}
    with_values = runs.loc[[place in own for place in zip(runs["source_file"], runs["run"], strict=True)]]
    chosen = spread(with_values, MOST_RUNS)
    tables = []
    for run, place in zip(chosen.to_dict("records"), run_names(chosen), strict=True):
        name = place if pd.isna(run["tool"]) else f"{place}: {run['tool']}"
        drawn = own[run["source_file"], run["run"]].to_numpy(float)
        tables.append(pd.DataFrame({"run": theme.text(name), "label": theme.label(name), "value": drawn}))
    rows = pd.concat(tables, ignore_index=True)[COLUMNS] if tables else pd.DataFrame(columns=COLUMNS)
    rows.attrs["runs"] = len(chosen), len(with_values)
    return rows


def _values(intervals: pd.DataFrame, quantity: Quantity) -> pd.Series[Any]:
    """Values of the intervals of a run, over all its streams."""
    if quantity == "rate":
        return course.together(intervals)["rate_bps"].dropna().astype(float)
    return intervals["rtt_s"].dropna().astype(float)


def plot_distribution(
    runs: pd.DataFrame,
    intervals: pd.DataFrame,
    quantity: Quantity = "rate",
    form: Literal["cdf", "box"] = "cdf",
) -> go.Figure:
    """Draw the cumulative distribution, or quartiles and range, of the rates or RTTs of each run's intervals."""
    rows = distribution_rows(runs, intervals, quantity)
    if rows.empty:
        return theme.empty(f"No run has intervals with {'a rate' if quantity == 'rate' else 'a round-trip time'}.")
    largest = float(rows["value"].max())
    unit, factor = rate_axis.unit_of(largest * theme.GBPS)
    scale, title = (
        (factor * theme.GBPS, f"Throughput of intervals ({unit})") if quantity == "rate" else (1e3, "RTT (ms)")
    )
    fig = _curves(rows, scale) if form == "cdf" else _boxes(rows, scale)
    fig.update_xaxes(title_text=title, range=[0, 1.08 * largest * scale or 1.0])
    theme.remark_on_choice(fig, *rows.attrs["runs"])
    return fig


def _curves(rows: pd.DataFrame, scale: float) -> go.Figure:
    fig = theme.figure(x_title="", showlegend=True, hovermode="closest")
    for number, (name, part) in enumerate(rows.groupby("run", sort=False)):
        values = np.sort(part["value"].to_numpy(float))
        share = np.arange(1, len(values) + 1) / len(values)
        colour = theme.LINES[number % len(theme.LINES)]
        count = units.format_count(len(values), "interval")
        kept = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).round().astype(int))
        fig.add_scatter(
            x=(values[kept] * scale).tolist(),
            y=(100 * share[kept]).tolist(),
            mode="lines",
            line={"shape": "hv", "color": colour, "dash": _DASHES[number // len(theme.LINES)], "width": 2},
            name=str(part["label"].iloc[0]),
            text=[f"<b>{name}</b><br>{units.format_percent(at)} of {count} at most here" for at in share[kept]],
            hovertemplate="%{text}<extra></extra>",
        )
    title = {"text": "Intervals at most that large (%)", "font": {"size": 12, "color": theme.MUTED}}
    fig.update_yaxes(title=title, range=[0, 101])
    fig.update_layout(height=380 + 22 * rows["run"].nunique())
    return fig


def _boxes(rows: pd.DataFrame, scale: float) -> go.Figure:
    labels = list(dict.fromkeys(rows["label"]))
    fig, y = theme.draw_rows(labels=labels, x_title="", legend_entries=0)
    for number, (place, (_, part)) in enumerate(zip(y, rows.groupby("run", sort=False), strict=True)):
        fig.add_box(
            x=(part["value"].astype(float) * scale).tolist(),
            y=[place] * len(part),
            orientation="h",
            width=0.3,
            marker={"color": theme.LINES[number % len(theme.LINES)]},
            boxpoints="outliers",
            showlegend=False,
            hoverinfo="x",
        )
    return fig
