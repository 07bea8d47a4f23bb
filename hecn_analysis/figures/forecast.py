"""Forecast of ports: past and future busy level with its interval, capacity, planned changes, and the day it is full.

The measured past is grey, with its busy level as a black line; the forecast is a blue dashed line in a 90 % band. Each
port has its own panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from hecn_analysis.figures import rate_axis, theme
from hecn_analysis.traffic.ports import KEY, with_names

if TYPE_CHECKING:
    from hecn_analysis.planning.forecast.port_forecast import Forecast

COLUMNS: Final = ["port", "kind", "time", "gbps", "low_gbps", "high_gbps", "hover"]
MOST_PORTS: Final = 8
_PANEL: Final = 180  # height of a port's panel; three fit below the table on a printed page [px]


def forecast_rows(forecast: Forecast) -> pd.DataFrame:
    """Compute the rows of the figure, one for each point or span that it draws."""
    curve = forecast.curve.assign(port=_names(forecast.curve))
    planned = set(_names(forecast.changes))
    past, future = curve[curve["mid_bps"].isna()], curve[curve["mid_bps"].notna()]
    parts = [
        _part(past, "measured", "measured_bps"),
        _part(past, "level", "busy_bps"),
        _part(future, "forecast", "mid_bps").assign(
            low_gbps=future["low_bps"].to_numpy() * theme.GBPS, high_gbps=future["high_bps"].to_numpy() * theme.GBPS
        ),
        _part(future[future["port"].isin(planned)], "without", "without_bps"),
        _step_corners(_part(curve, "capacity", "capacity_bps")),
        pd.DataFrame(list(_marks(forecast)), columns=COLUMNS),
    ]
    rows = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return rows.reindex(columns=COLUMNS)


def _names(table: pd.DataFrame) -> list[str]:
    return with_names(table[list(KEY)])["port"].tolist()


def _part(rows: pd.DataFrame, kind: str, column: str) -> pd.DataFrame:
    gbps = rows[column].to_numpy(dtype=float) * theme.GBPS
    return pd.DataFrame({"port": rows["port"], "kind": kind, "time": rows["time"], "gbps": gbps})


def _step_corners(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows where a step line changes, and its ends."""
    value, port = rows["gbps"], rows["port"]
    changed = (value != value.shift()) | (port != port.shift()) | (port != port.shift(-1))
    return rows[changed & value.notna()]


def _marks(forecast: Forecast) -> Any:  # noqa: ANN401 - rows
    """Planned changes and the day on which a port is full."""
    for name, row in zip(_names(forecast.changes), forecast.changes.to_dict("records"), strict=True):
        hover = (
            f"<b>{row['begin']}</b><br>{theme.label(row['note'] or row['how'], 50)}<br>{theme.label(row['how'], 50)}"
        )
        yield name, "change", pd.Timestamp(row["begin"], tz="UTC"), np.nan, np.nan, np.nan, hover
    for name, row in zip(_names(forecast.ports), forecast.ports.to_dict("records"), strict=True):
        if row["status"] != "date":
            continue
        curve = forecast.curve[(forecast.curve["time"] == row["date"]) & (np.array(_names(forecast.curve)) == name)]
        level = float(curve["capacity_bps"].iloc[-1]) * theme.GBPS
        latest = "later" if pd.isna(row["date_high"]) else f"{row['date_high']:%Y-%m-%d}"
        hover = f"<b>full on {row['date']:%Y-%m-%d}</b><br>90 %: {row['date_low']:%Y-%m-%d} to {latest}"
        yield name, "full", row["date"], level, np.nan, np.nan, hover


def plot_forecast(forecast: Forecast, *, ports: Sequence[str] = ()) -> go.Figure:
    """Draw past and forecast of ports, one panel per port."""
    rows = forecast_rows(forecast)
    ports_drawn = [name for name in dict.fromkeys(rows["port"]) if not ports or name in ports][:MOST_PORTS]
    if not ports_drawn:
        return theme.empty("No port has a forecast.")
    panels = make_subplots(rows=len(ports_drawn), shared_xaxes=True, vertical_spacing=0.3 / (len(ports_drawn) + 2))
    fig = go.Figure(panels).update_layout(
        template=theme.TEMPLATE, height=_PANEL * len(ports_drawn) + 110, hovermode="closest", showlegend=True
    )
    in_legend: set[str] = set()
    for number, name in enumerate(ports_drawn, 1):
        port_rows = rows[rows["port"] == name]
        for trace in _traces(port_rows):
            trace.showlegend = trace.name not in {"", *in_legend}
            in_legend.add(trace.name)
            fig.add_trace(trace, row=number, col=1)
        top = float(np.nanmax(port_rows[["gbps", "high_gbps"]].to_numpy(dtype=float)))
        fig.update_yaxes(title_text="Gb/s", range=[0, top * 1.12], row=number, col=1)
        fig.add_annotation(
            text=f"<b>{theme.text(name)}</b>",
            xref="x domain" if number == 1 else f"x{number} domain",
            yref="y domain" if number == 1 else f"y{number} domain",
            x=0.0,
            y=1.0,
            yanchor="bottom",
            showarrow=False,
        )
    fig.update_layout(margin={"t": 28})
    fig.update_xaxes(title_text="Day", row=len(ports_drawn), col=1)
    shown = rows[rows["port"].isin(ports_drawn)]
    rate_axis.fit_unit(fig, "y", float(np.nanmax(shown[["gbps", "high_gbps"]].to_numpy(dtype=float))))
    return fig


def _traces(port_rows: pd.DataFrame) -> list[go.Scatter]:
    """Traces of one port."""
    parts = {kind: part.sort_values("time") for kind, part in port_rows.groupby("kind")}
    traces: list[go.Scatter] = []

    def add(kind: str, name: str, **style: Any) -> None:  # noqa: ANN401 - Plotly's
        part = parts.get(kind)
        if part is not None and part["gbps"].notna().any():
            traces.append(_scatter(part, part["gbps"], name, **style))

    add("measured", "95th percentile of a day", mode="markers", marker={"color": theme.MUTED, "size": 3})
    add("level", "busy level, measured", mode="lines", line={"color": theme.INK, "width": 1.5})
    band = parts.get("forecast")
    if band is not None:
        edge = {"width": 0}
        traces.append(_scatter(band, band["low_gbps"], "", mode="lines", line=edge, hoverinfo="skip"))
        traces.append(
            _scatter(
                band,
                band["high_gbps"],
                "90 % interval",
                mode="lines",
                line=edge,
                fill="tonexty",
                fillcolor=theme.BAND,
                hoverinfo="skip",
            )
        )
    add("forecast", "forecast", mode="lines", line={"color": theme.BLUE, "width": 2, "dash": "dash"})
    add("without", "without planned changes", mode="lines", line={"color": theme.GREEN, "width": 1, "dash": "dot"})
    add("capacity", "capacity", mode="lines", line={"color": theme.VERMILION, "width": 1.5, "shape": "hv"})
    marks = parts.get("change")
    if marks is not None:
        low = np.zeros(len(marks))
        marker = {"color": theme.ORANGE, "symbol": "triangle-up", "size": 12, "line": {"color": theme.INK, "width": 1}}
        traces.append(_scatter(marks, low, "planned change", mode="markers", marker=marker, cliponaxis=False))
    marker = {"color": theme.VERMILION, "symbol": "star", "size": 14, "line": {"color": theme.INK, "width": 1}}
    add("full", "full", mode="markers", marker=marker)
    return traces


def _scatter(part: pd.DataFrame, y: Any, name: str, **style: Any) -> go.Scatter:  # noqa: ANN401
    hover: dict[str, Any] = {}
    if "hoverinfo" not in style:
        has_hover = part["hover"].notna().all()
        template = "%{text}" if has_hover else "<b>%{x|%Y-%m-%d}</b><br>%{y:.4g} Gb/s"
        hover["hovertemplate"] = f"{template}<extra></extra>"
        if has_hover:
            hover["text"] = part["hover"].tolist()
    times = part["time"].dt.tz_convert("UTC")
    form = "%Y-%m-%d" if (times == times.dt.normalize()).all() else "%Y-%m-%dT%H:%M"
    return go.Scatter(
        x=times.dt.strftime(form).tolist(),  # short strings, since a page holds thousands
        y=[float(f"{value:.4g}") for value in np.asarray(y, dtype=float)],
        name=name,
        legendgroup=name,
        **hover,
        **style,
    )
