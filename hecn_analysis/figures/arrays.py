"""Disk arrays: rates of RAID levels over the number of disks, and transfers against the limits of their arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import rate_axis, theme

COLUMNS = ["group", "case", "label", "operation", "array_gbps", "measured_gbps", "at_least", "hover"]

#: Marker and colour of the array limit, by operation.
_OPERATIONS: Final = {"read": ("triangle-up", theme.SKY), "write": ("triangle-down", theme.GREEN)}
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SYMBOLS: Final = ("circle", "square", "triangle-up", "triangle-down", "cross", "x")


def array_use_rows(use: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure of array use draws: a row for each case and end."""
    rows = [
        {
            "group": theme.text(row["series_title"]),
            "case": row["case"],
            "label": theme.label(row["title"]),
            "operation": row["operation"],
            "array_gbps": row["array_bps"] * theme.GBPS,
            "measured_gbps": row["measured_bps"] * theme.GBPS,
            "at_least": theme.is_true(row["measured_low_bound"]),
            "hover": _hover(row),
        }
        for row in use.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_array_use(use: pd.DataFrame) -> go.Figure:
    """Draw the limits of the arrays for reads and writes in each case, and the measured rates."""
    rows = array_use_rows(use)
    if rows.empty:
        return theme.empty("No transfer from or to disks.")
    lines = rows.drop_duplicates("case")
    fig, positions = theme.draw_rows(
        labels=lines["label"].tolist(),
        headings=theme.group_starts(lines["group"].tolist()),
        x_title="Throughput (Gb/s)",
        legend_entries=4,
    )
    y_of_case = dict(zip(lines["case"], positions, strict=True))
    rows = rows.assign(y=rows["case"].map(y_of_case))
    for operation, (symbol, colour) in _OPERATIONS.items():
        part = rows[rows["operation"] == operation]
        if len(part):
            fig.add_scatter(
                x=part["array_gbps"].tolist(),
                y=part["y"].tolist(),
                mode="markers",
                name=f"array limit, {operation}",
                marker={"symbol": symbol, "size": 13, "color": colour, "line": {"color": theme.INK, "width": 1}},
                text=part["hover"].tolist(),
                hovertemplate="%{text}<extra></extra>",
                legendrank=10,
            )
    for at_least in (False, True):
        part = rows[rows["at_least"] == at_least].drop_duplicates("case")
        if len(part):
            x, y, hover = (part[name].tolist() for name in ("measured_gbps", "y", "hover"))
            fig.add_trace(theme.measured_trace(x, y, hover, at_least=at_least))
    rate_axis.gbps_axis(fig, float(rows[["array_gbps", "measured_gbps"]].max().max()))
    return fig


def plot_array_levels(rates: pd.DataFrame, operation: str, *, measured: pd.DataFrame | None = None) -> go.Figure:
    """Draw the rate of arrays over the number of disks, one line per level."""
    if rates.empty:
        return theme.empty("No level to show.")
    fig = theme.figure(x_title="Disks", height=420, showlegend=True)
    for number, (level, part) in enumerate(rates.groupby("level", sort=False)):
        colour = theme.TEMPLATE.layout.colorway[number % len(theme.TEMPLATE.layout.colorway)]
        gbps = (part[f"{operation}_bps"] * theme.GBPS).tolist()
        fig.add_scatter(
            x=part["disks"].tolist(),
            y=gbps,
            mode="lines+markers",
            name=f"RAID {level}",
            line={"color": colour, "dash": _DASHES[number % len(_DASHES)]},
            marker={"symbol": _SYMBOLS[number % len(_SYMBOLS)], "size": 9, "color": colour},
            hovertemplate=f"RAID {level}, %{{x}} disks: {operation} %{{y:.2f}} Gb/s<extra></extra>",
        )
    if measured is not None:
        part = measured[measured["operation"] == operation]
        if len(part):
            y = (part["measured_bps"].astype(float) * theme.GBPS).tolist()
            hover = [_hover(row) for row in part.to_dict("records")]
            fig.add_trace(theme.measured_trace(part["disks"].tolist(), y, hover))
    fig.update_xaxes(rangemode="tozero")
    fig.update_yaxes(title={"text": f"Sequential {operation} (Gb/s)", "font": {"size": 12}}, rangemode="tozero")
    return fig


def _hover(row: Mapping[Any, Any]) -> str:
    at_least = "at least " if theme.is_true(row["measured_low_bound"]) else ""
    lines = (
        f"<b>{theme.text(row['title'])}</b>, {row['operation']}: {theme.text(row['arrays'])}, {row['disks']} disks",
        f"measured {at_least}{theme.gbps(row['measured_bps'])} Gb/s, arrays allow {theme.gbps(row['array_bps'])}",
        f"binds: {theme.text(row['bottleneck_title'])}",
        theme.place(row),
    )
    return "<br>".join(line for line in lines if line)
