"""Measured runs against the limits of TCP: a prediction over a key, a line for each limit, and the runs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme
from hecn_analysis.figures.whatif import plot_whatif

COLUMNS = ["kind", "line", "x", "throughput_gbps", "hover"]

_DASHES = {"link": "dashdot", "window": "dash", "loss": "dot"}


def long_path_rows(lines: pd.DataFrame, measured: pd.DataFrame, *, x: str) -> pd.DataFrame:
    """Compute what is drawn beside the prediction: a row for each point of a limit, and for each run."""
    rows = [
        {
            "kind": "limit",
            "line": str(row["line"]),
            "x": float(row["x"]),
            "throughput_gbps": float(row["throughput_bps"]) * theme.GBPS,
            "hover": f"{theme.style_of(row['line']).words} allows {theme.gbps(row['throughput_bps'])} Gb/s",
        }
        for row in lines.to_dict("records")
    ]
    known = measured.dropna(subset=[x, "measured_bps"]) if len(measured) else measured
    rows += [
        {
            "kind": "measured",
            "line": "measured",
            "x": float(row[x]),
            "throughput_gbps": float(row["measured_bps"]) * theme.GBPS,
            "hover": "<br>".join(
                part
                for part in (
                    theme.text(row["title"]) if "title" in row else "",
                    f"<b>measured {theme.gbps(row['measured_bps'])} Gb/s</b>",
                    theme.place(row),
                )
                if part
            ),
        }
        for row in known.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_long_path(
    table: pd.DataFrame,
    varied: Sequence[str],
    *,
    x_title: str,
    names: Sequence[str] = (),
    lines: pd.DataFrame | None = None,
    measured: pd.DataFrame | None = None,
    x: str = "x",
) -> go.Figure:
    """Draw a prediction over a key, bands of what binds, a line for each limit, and measured runs."""
    fig = plot_whatif(table, varied)
    curves = [trace for trace in fig.data if trace.mode == "lines+markers"]
    for curve, words in zip(curves, names, strict=False):
        curve.name = words
    rows = long_path_rows(*(pd.DataFrame() if part is None else part for part in (lines, measured)), x=x)
    for name, line in rows[rows["kind"] == "limit"].groupby("line", sort=False):
        style = theme.style_of(name)
        fig.add_scatter(
            x=line["x"].tolist(),
            y=line["throughput_gbps"].tolist(),
            mode="lines",
            name=f"{style.words} alone",
            line={"color": style.colour, "width": 2.5, "dash": _DASHES.get(str(name), "longdash")},
            text=line["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    points = rows[rows["kind"] == "measured"]
    if len(points):
        fig.add_trace(
            theme.measured_trace(points["x"].tolist(), points["throughput_gbps"].tolist(), points["hover"].tolist())
        )
    link = rows.loc[rows["line"] == "link", "throughput_gbps"]
    largest = max(
        [
            float(rates.max())
            for rates in (table["throughput_bps"] * theme.GBPS, points["throughput_gbps"], link)
            if len(rates)
        ]
    )
    fig.update_xaxes(title_text=x_title, dtick=1 if fig.layout.xaxis.type == "log" else None, exponentformat="power")
    fig.update_yaxes(range=[0, 1.1 * largest])
    return fig
