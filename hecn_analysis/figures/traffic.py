"""Traffic of a port over time: in above the line, out below it, the 95th percentile, and marks of flagged intervals.

An interval without a rate is a hole with a mark on the line; a lower bound and a mean over a gap have marks of their
own. No line crosses a hole.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import rate_axis, theme
from hecn_analysis.traffic.flags import LOWER_BOUND, MEANINGS, Flag, bits
from hecn_analysis.traffic.utilisation import utilisation

COLUMNS = ["time", "begin", "in_gbps", "out_gbps", "flag", "mark", "hover"]
MOST_POINTS: Final = 4000
"""More intervals than this are reduced to this many stretches, each drawn at its largest rate."""

#: Marks of flagged intervals: name in the legend, colour, symbol.
MARKS = {
    "no rate": (theme.VERMILION, "x"),
    "lower bound": (theme.ORANGE, "triangle-up"),
    "mean over a gap": (theme.PURPLE, "line-ew-open"),
}


def traffic_rows(rates: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: a row for each interval, in order of time."""
    ordered = rates.sort_values("time", kind="stable", ignore_index=True)
    ordered = ordered[ordered["time"].notna()]
    seconds = ordered["interval_s"].to_numpy(dtype=float)
    rows = pd.DataFrame(
        {
            "time": ordered["time"],
            "begin": ordered["time"] - pd.to_timedelta(np.nan_to_num(seconds), unit="s"),
            "in_gbps": ordered["in_bps"].astype(float) * theme.GBPS,
            "out_gbps": ordered["out_bps"].astype(float) * theme.GBPS,
            "flag": ordered["flag"].astype(str),
        }
    )
    marks = {flag: _mark(flag) for flag in rows["flag"].unique()}
    rows["mark"] = [marks[flag] for flag in rows["flag"]]
    rows["hover"] = [_hover(row) for row in rows.to_dict("records")]
    return rows.reindex(columns=COLUMNS).reset_index(drop=True)


def _mark(flag: str) -> str | None:
    flags = bits(flag)
    if flags & int(LOWER_BOUND):
        return "lower bound"
    if flags & int(Flag.RESET | Flag.UNDECIDED | Flag.IMPOSSIBLE | Flag.GLITCH | Flag.CONFLICT | Flag.MISSING):
        return "no rate"
    return "mean over a gap" if flags & int(Flag.GAP) else None


def _hover(row: dict[Any, Any]) -> str:
    meanings = [MEANINGS[flag] for flag in Flag if flag and bits(row["flag"]) & flag]
    lines = (
        f"<b>{row['begin']:%Y-%m-%d %H:%M:%S} to {row['time']:%H:%M:%S}</b>",
        f"in {theme.gbps(row['in_gbps'] / theme.GBPS)} Gb/s, out {theme.gbps(row['out_gbps'] / theme.GBPS)} Gb/s",
        *(theme.label(words, 60) for words in meanings),
    )
    return "<br>".join(lines)


def plot_traffic(rates: pd.DataFrame, *, slot_s: float = 300.0, speed_bps: float | None = None) -> go.Figure:
    """Draw rates over time, with the 95th percentile of each direction and marks of flagged intervals."""
    rows = traffic_rows(rates)
    if rows[["in_gbps", "out_gbps"]].isna().all(axis=None):
        return theme.empty("No rate is known.")
    summary = utilisation(rates, slot_s=slot_s).iloc[0]
    fig = theme.figure(x_title="Time (UTC)", height=420, hovermode="closest", showlegend=True)
    largest = float(np.nanmax(rows[["in_gbps", "out_gbps"]].to_numpy(dtype=float)))
    for sign, name, colour in ((1, "in", theme.BLUE), (-1, "out", theme.GREEN)):
        x, y, hover = _steps(_thinned(rows, f"{name}_gbps"), f"{name}_gbps", sign)
        fig.add_scatter(
            x=x,
            y=y,
            name=f"{name}, {'up' if sign > 0 else 'down'}wards",
            mode="lines",
            line={"color": colour, "width": 1, "shape": "linear"},
            fill="tozeroy",
            connectgaps=False,
            text=hover,
            hovertemplate="%{text}<extra></extra>",
        )
        percentile = float(summary[f"p95_{name}_bps"]) * theme.GBPS
        if not np.isnan(percentile):
            fig.add_hline(
                y=sign * percentile,
                line={"color": colour, "width": 1.5, "dash": "dash"},
                annotation_text=f"95th percentile {name}: {percentile:.4g} Gb/s",
                annotation_position="top left" if sign > 0 else "bottom left",
                annotation_font={"size": 11, "color": colour},
            )
    for mark, (colour, symbol) in MARKS.items():
        part = rows[rows["mark"] == mark]
        if part.empty:
            continue
        fig.add_scatter(
            x=part["time"].tolist(),
            y=part["in_gbps"].fillna(0.0).tolist(),
            name=mark,
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 9, "line": {"color": theme.INK, "width": 1}},
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    if speed_bps is not None and speed_bps * theme.GBPS <= 2 * largest:
        for sign in (1, -1):
            fig.add_hline(y=sign * speed_bps * theme.GBPS, line={"color": theme.INK, "width": 1, "dash": "dot"})
    fig.update_yaxes(title_text="Out below, in above (Gb/s)", zeroline=True, zerolinecolor=theme.INK)
    rate_axis.fit_unit(fig, "y", largest)
    return fig


def _thinned(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Keep the largest rate of each stretch if there are more intervals than a screen can show."""
    if len(rows) <= MOST_POINTS:
        return rows
    stretch = np.arange(len(rows)) * MOST_POINTS // len(rows)
    largest = rows[name].fillna(-1.0).groupby(stretch).idxmax()
    return rows.loc[largest]


def _steps(rows: pd.DataFrame, name: str, sign: int) -> tuple[list[Any], list[float | None], list[str]]:
    """Corners of the step line: both ends of each interval, with holes where there is no rate."""
    x, y, hover = [], [], []
    for row in rows[["begin", "time", name, "hover"]].itertuples(index=False):
        level = None if np.isnan(row[2]) else sign * row[2]
        x += [row[0], row[1]]
        y += [level, level]
        hover += [row[3], row[3]]
    return x, y, hover
