"""Throughput over a key of a scenario, with what binds as bands behind the curve."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme

COLUMNS = ["x", "line", "throughput_gbps", "low_gbps", "high_gbps", "bottleneck", "bottleneck_class", "hover"]

#: Size of the vertical axis title, equal to that of the horizontal one.
_TITLE_PX = 12

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def whatif_rows(table: pd.DataFrame, varied: Sequence[str]) -> pd.DataFrame:
    """Compute what the figure draws: a row for each point."""
    first, *others = varied
    rows = [
        {
            "x": _place(row[first]),
            "line": ", ".join(f"{key} {theme.text(row[key])}" for key in others),
            "throughput_gbps": row["throughput_bps"] * theme.GBPS,
            "low_gbps": row["low_bps"] * theme.GBPS,
            "high_gbps": row["high_bps"] * theme.GBPS,
            "bottleneck": row["bottleneck"],
            "bottleneck_class": row["bottleneck_class"],
            "hover": f"{theme.text(first)} {theme.text(row[first])}<br><b>{theme.gbps(row['throughput_bps'])} Gb/s</b>"
            f"<br>limited by {theme.text(row['bottleneck'])}",
        }
        for row in table.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_whatif(table: pd.DataFrame, varied: Sequence[str], *, measured: pd.DataFrame | None = None) -> go.Figure:
    """Draw a curve with its 90 % interval for each combination of the other keys, over bands of what binds."""
    rows = whatif_rows(table, varied)
    if rows.empty:
        return theme.empty("Nothing was varied.")
    numeric = pd.to_numeric(rows["x"], errors="coerce").notna().all()
    fig = theme.figure(
        x_title=_title(varied[0], rows["x"].tolist(), numeric=bool(numeric)), height=420, showlegend=True
    )
    lines = list(dict.fromkeys(rows["line"]))
    _draw_bands(fig, rows[rows["line"] == lines[0]], numeric=bool(numeric))
    for number, line in enumerate(lines):
        part = rows[rows["line"] == line]
        colour = theme.TEMPLATE.layout.colorway[number % len(theme.TEMPLATE.layout.colorway)]
        x = part["x"].tolist()
        if numeric and len(lines) == 1:
            fig.add_scatter(
                x=[*x, *reversed(x)],
                y=[*part["high_gbps"], *reversed(part["low_gbps"].tolist())],
                mode="lines",
                fill="toself",
                fillcolor=theme.GRID,
                line={"width": 0},
                hoverinfo="skip",
                name="90 % of single runs",
            )
        fig.add_scatter(
            x=x,
            y=part["throughput_gbps"].tolist(),
            mode="lines+markers",
            line={"color": colour, "dash": _DASHES[number % len(_DASHES)]},
            marker={"color": colour, "size": 6},
            name=line or "predicted",
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    if measured is not None and len(measured):
        gbps = measured["measured_bps"] * theme.GBPS
        titles = zip(measured["title"], gbps, strict=True)
        hover = [f"{theme.text(title)}<br>measured {rate:.4g} Gb/s" for title, rate in titles]
        fig.add_trace(theme.measured_trace(list(map(_place, measured["x"])), gbps.tolist(), hover))
    values = pd.to_numeric(rows["x"], errors="coerce")
    if numeric and values.min() > 0 and values.max() / values.min() > 50:
        fig.update_xaxes(type="log")
    if numeric:
        fig.update_xaxes(exponentformat="SI")
    fig.update_yaxes(title={"text": "Throughput (Gb/s)", "font": {"size": _TITLE_PX}}, rangemode="tozero")
    return fig


def _place(value: Any) -> Any:  # noqa: ANN401 - of any key
    """A value of the axis; names are escaped, since Plotly interprets them as HTML."""
    return theme.text(value) if isinstance(value, str) else value


def _title(key: str, values: Sequence[object], *, numeric: bool) -> str:
    units = {"rtt": "s", "rate": "bit/s", "window": "B", "mtu": "B", "bytes": "B", "queue": "B", "duration": "s"}
    units |= {"clock": "Hz", "read_rate": "bit/s", "write_rate": "bit/s", "port_rate": "bit/s"}
    unit = units.get(key.rpartition(".")[2])
    return f"{key} ({unit})" if numeric and unit and not any(isinstance(value, str) for value in values) else key


def _draw_bands(fig: go.Figure, line: pd.DataFrame, *, numeric: bool) -> None:
    """Colour the background behind the points by the class that binds there."""
    places = list(line["x"]) if numeric else list(range(len(line)))
    numbers = [float(place) for place in places]
    shown: set[str] = set()
    for name, group in groupby(range(len(line)), key=lambda place: str(line["bottleneck_class"].iloc[place])):
        members = list(group)
        first, last = members[0], members[-1]
        start = numbers[first] if first == 0 else (numbers[first - 1] + numbers[first]) / 2
        end = numbers[last] if last == len(numbers) - 1 else (numbers[last] + numbers[last + 1]) / 2
        style = theme.style_of(name)
        fig.add_vrect(x0=start, x1=end, fillcolor=style.colour, opacity=0.12, line_width=0, layer="below")
        if name not in shown:
            shown.add(name)
            fig.add_scatter(
                x=[None],
                y=[None],
                mode="markers",
                marker={"symbol": "square", "size": 12, "color": style.colour, "opacity": 0.4},
                name=f"{style.words} binds",
            )
