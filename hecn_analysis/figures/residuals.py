"""Error of each prediction with its 90 % interval, in strips by series, hosts or bottleneck class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import theme

COLUMNS = [
    *("strip", "id", "mode", "error_percent", "low_percent", "high_percent", "inside", "bottleneck_class", "hover")
]
STRIPS = {"series": "group", "hosts": "hosts", "class": "bottleneck_class"}

_HALF = 0.22  # of a row: half the height over which the marks of a strip spread


def residuals_rows(validation: pd.DataFrame, *, by: Literal["series", "hosts", "class"] = "series") -> pd.DataFrame:
    """Compute what the figure draws: measurements with an error, strip by strip."""
    known = validation[validation["error"].notna()]
    rows = [
        {
            "strip": _strip(row, by),
            "id": str(row["id"]),
            "mode": row["mode"],
            "error_percent": 100 * float(row["error"]),
            "low_percent": 100 * (row["low_bps"] / row["measured_bps"] - 1),
            "high_percent": 100 * (row["high_bps"] / row["measured_bps"] - 1),
            "inside": theme.is_true(row["inside"]),
            "bottleneck_class": row["bottleneck_class"],
            "hover": _hover(row),
        }
        for row in known.to_dict("records")
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    order = {strip: number for number, strip in enumerate(dict.fromkeys(frame["strip"]))}
    return frame.sort_values("strip", key=lambda column: column.map(order), kind="stable").reset_index(drop=True)


def plot_residuals(
    validation: pd.DataFrame, *, by: Literal["series", "hosts", "class"] = "series", reach: float = 0.4
) -> go.Figure:
    """Draw errors as marks with their intervals; hollow where the measurement lies outside."""
    rows = residuals_rows(validation, by=by)
    if rows.empty:
        return theme.empty("No measurement has an error.")
    labels = list(dict.fromkeys(rows["strip"]))
    fig, y = theme.draw_rows(labels=labels, x_title="Prediction error (%), 90 % interval", legend_entries=2)
    row_y = dict(zip(labels, y, strict=True))
    of_strip = rows.groupby("strip", sort=False)
    number, count = of_strip.cumcount(), of_strip["id"].transform("size")
    heights = rows["strip"].map(row_y) + _HALF * (2 * (number + 0.5) / count - 1)
    edge = 100 * reach
    drawn = rows.assign(
        y=heights,
        x=rows["error_percent"].clip(-edge, edge),
        low=rows["low_percent"].clip(-edge, edge),
        high=rows["high_percent"].clip(-edge, edge),
    )
    fig.add_vline(x=0, line={"color": theme.MUTED, "width": 1})
    for inside, name in ((True, "measured value inside the 90 % interval"), (False, "outside")):
        part = drawn[drawn["inside"] == inside]
        if part.empty:
            continue
        styles = [theme.style_of(kind) for kind in part["bottleneck_class"]]
        colours = [style.colour for style in styles]
        fig.add_scatter(
            x=part["x"].tolist(),
            y=part["y"].tolist(),
            mode="markers",
            name=name,
            marker={
                "symbol": [style.symbol for style in styles],
                "size": 9,
                "color": colours if inside else theme.PAPER,
                "line": {"color": theme.INK if inside else colours, "width": 1 if inside else 2.5},
            },
            error_x={
                "type": "data",
                "symmetric": False,
                "array": np.maximum(part["high"] - part["x"], 0).tolist(),
                "arrayminus": np.maximum(part["x"] - part["low"], 0).tolist(),
                "color": theme.MUTED,
                "thickness": 1,
                "width": 0,
            },
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    fig.update_xaxes(range=[-1.05 * edge, 1.05 * edge], zeroline=False)
    return fig


def _strip(row: Mapping[Any, Any], by: str) -> str:
    value = row[STRIPS[by]]
    words = theme.style_of(value).words if by == "class" else "no group" if pd.isna(value) else value
    return theme.label(words)


def _hover(row: Mapping[Any, Any]) -> str:
    interval = f"90 % between {theme.gbps(row['low_bps'])} and {theme.gbps(row['high_bps'])}"
    lines = (
        f"<b>{theme.text(row['id'])}</b>, {theme.text(row['mode'])}",
        f"{units.format_change(row['error'], places=1)}: predicted {theme.gbps(row['predicted_bps'])} Gb/s, {interval}",
        f"measured {theme.gbps(row['measured_bps'])} Gb/s",
        f"binds: {theme.text(row['bottleneck'])}",
    )
    return "<br>".join(lines)
