"""Gain of proxies: throughput over the hosts' window, with and without proxies, predicted and measured."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import theme

COLUMNS = ["kind", "proxies", "window_bytes", "throughput_mbps", "hover"]

_MBPS = 1e-6
_WORDS = {True: "with proxies", False: "without proxies"}
_LINES = {True: {"color": theme.BLUE, "dash": "solid"}, False: {"color": theme.VERMILION, "dash": "dash"}}


def proxy_gain_rows(predicted: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Compute what is drawn: a row for each point of both lines, and for each measured case."""
    parts = [("predicted", row) for row in predicted.to_dict("records")]
    known = measured.dropna(subset=["measured_bps", "window_bytes"]) if len(measured) else measured
    parts += [("measured", row) for row in known.to_dict("records")]
    rows = []
    for kind, row in parts:
        rate = float(row["measured_bps" if kind == "measured" else "throughput_bps"])
        lines = [
            theme.text(row["title"]) if kind == "measured" else _WORDS[bool(row["proxies"])],
            f"<b>{kind} {units.format_rate(rate)}</b>",
            f"window {units.format_bytes(float(row['window_bytes']))}",
            theme.place(row) if kind == "measured" else f"{theme.style_of(row['bottleneck_class']).words} binds",
        ]
        rows.append(
            {
                "kind": kind,
                "proxies": bool(row["proxies"]),
                "window_bytes": float(row["window_bytes"]),
                "throughput_mbps": rate * _MBPS,
                "hover": "<br>".join(line for line in lines if line),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_proxy_gain(predicted: pd.DataFrame, measured: pd.DataFrame) -> go.Figure:
    """Draw throughput over the window, both axes logarithmic."""
    rows = proxy_gain_rows(predicted, measured)
    if rows.empty:
        return theme.empty("There is nothing to compare.")
    fig = theme.figure(x_title="Largest window of the hosts (bytes)", height=420, showlegend=True)
    for proxies, line in rows[rows["kind"] == "predicted"].groupby("proxies"):
        fig.add_scatter(
            x=line["window_bytes"].tolist(),
            y=line["throughput_mbps"].tolist(),
            mode="lines",
            name=f"predicted {_WORDS[bool(proxies)]}",
            line={**_LINES[bool(proxies)], "width": 2.5},
            text=line["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    points = rows[rows["kind"] == "measured"]
    for proxies, part in points.groupby("proxies"):
        trace = theme.measured_trace(
            part["window_bytes"].tolist(), part["throughput_mbps"].tolist(), part["hover"].tolist()
        )
        trace.update(name=f"measured {_WORDS[bool(proxies)]}", marker_symbol="diamond" if proxies else "diamond-open")
        if not proxies:
            trace.update(marker_line={"color": theme.INK, "width": 2})
        fig.add_trace(trace)
    fig.update_xaxes(type="log", dtick=1, tickformat="~s", ticksuffix="B")
    fig.update_yaxes(type="log", dtick=1, title_text="Throughput (Mb/s)")
    return fig
