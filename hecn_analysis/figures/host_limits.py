"""Limits of the parts of many hosts, a row for each host: which class of part binds, and how far off the others are.

Hosts from twenty years differ by a factor of a hundred, so the axis is logarithmic: equal steps are equal ratios.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme

COLUMNS = ["group", "host", "label", "bottleneck_class", "throughput_gbps", "binds", "hover"]

_TICKS: Final = [digit * 10.0**ten for ten in range(-2, 5) for digit in (1, 2, 5)]
_ROOM: Final = 1.25  # margin of the axis, so that marks at its ends are not cut
_BINDS, _ALLOWS = 16, 9  # pixels of a mark


def host_limits_rows(limits: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: a row for each host, kind of transfer and class of parts."""
    rows = [
        {
            "group": theme.text(row["kind"]),
            "host": row["host"],
            "label": theme.label(row["title"] or row["host"]),
            "bottleneck_class": row["resource_class"],
            "throughput_gbps": row["throughput_bps"] * theme.GBPS,
            "binds": bool(row["binds"]),
            "hover": _hover(row),
        }
        for row in limits.to_dict("records")
        if row["throughput_bps"] <= 100 * row["predicted_bps"]
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_host_limits(limits: pd.DataFrame, *, measured: pd.DataFrame | None = None) -> go.Figure:
    """Draw the limit of each class of parts on a logarithmic axis; the largest mark of a row binds."""
    rows = host_limits_rows(limits)
    if rows.empty:
        return theme.empty("No host to show.")
    lines = rows.drop_duplicates(["group", "host"])
    classes = [name for name in theme.CLASSES if name in set(rows["bottleneck_class"])]
    fig, positions = theme.draw_rows(
        labels=lines["label"].tolist(),
        headings=theme.group_starts(lines["group"].tolist()),
        x_title="Throughput limit of each part (Gb/s), logarithmic",
        legend_entries=len(classes) + 2,
    )
    y_of_host = dict(zip(zip(lines["group"], lines["host"], strict=True), positions, strict=True))
    rows = rows.assign(y=[y_of_host[key] for key in zip(rows["group"], rows["host"], strict=True)])
    values = rows["throughput_gbps"].tolist()
    for name in classes:
        fig.add_trace(_allowed(rows[rows["bottleneck_class"] == name], theme.style_of(name)))
    if measured is not None:
        values += _add_measured(fig, measured, y_of_host)
    low, high = min(values) / _ROOM, max(values) * _ROOM
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    fig.update_xaxes(type="log", range=list(np.log10([low, high])), tickvals=ticks, ticktext=[f"{t:g}" for t in ticks])
    return fig


def _allowed(part: pd.DataFrame, style: theme.Style) -> go.Scatter:
    sizes = [_BINDS if binds else _ALLOWS for binds in part["binds"]]
    edges = [2.5 if binds else 1 for binds in part["binds"]]
    return go.Scatter(
        x=part["throughput_gbps"].tolist(),
        y=part["y"].tolist(),
        mode="markers",
        name=style.words,
        marker={
            "symbol": style.symbol,
            "size": sizes,
            "color": style.colour,
            "opacity": 1,
            "line": {"color": theme.INK, "width": edges},
        },
        text=part["hover"].tolist(),
        hovertemplate="%{text}<extra></extra>",
        legendrank=10,
    )


def _add_measured(fig: go.Figure, measured: pd.DataFrame, y_of_host: Mapping[tuple[str, str], float]) -> list[float]:
    """Draw the measured values of the hosts shown, and return them in Gb/s."""
    values: list[float] = []
    for at_least in (False, True):
        part = [
            row
            for row in measured.to_dict("records")
            if (row["kind"], row["host"]) in y_of_host and theme.is_true(row["measured_low_bound"]) == at_least
        ]
        if part:
            x = [float(row["measured_bps"]) * theme.GBPS for row in part]
            y = [y_of_host[row["kind"], row["host"]] for row in part]
            fig.add_trace(theme.measured_trace(x, y, [_measured_hover(row) for row in part], at_least=at_least))
            values += x
    return values


def _hover(row: Mapping[Any, Any]) -> str:
    words = theme.style_of(row["resource_class"]).words
    lines = (
        f"<b>{theme.text(row['title'] or row['host'])}</b>, {theme.text(row['kind'])}",
        f"{words}: allows {theme.gbps(row['throughput_bps'])} Gb/s" + (", binds" if row["binds"] else ""),
        theme.text(row["resource"]),
        (
            f"predicted {theme.gbps(row['predicted_bps'])} Gb/s,"
            f" 90 % between {theme.gbps(row['low_bps'])} and {theme.gbps(row['high_bps'])}"
        ),
    )
    return "<br>".join(lines)


def _measured_hover(row: Mapping[Any, Any]) -> str:
    role = "" if row["role"] == "both" else f", as the {row['role']}"
    at_least = "at least " if theme.is_true(row["measured_low_bound"]) else ""
    lines = (
        f"<b>{theme.text(row['title'])}</b>{theme.text(role)}",
        f"measured {at_least}{theme.gbps(row['measured_bps'])} Gb/s",
        theme.place(row),
    )
    return "<br>".join(line for line in lines if line)
