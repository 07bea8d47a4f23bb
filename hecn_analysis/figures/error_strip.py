"""Error of each prediction, on one strip per bottleneck class: right of 0 predicts too fast, left too slow."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import theme

COLUMNS = ["case", "error_percent", "inside", "bottleneck_class", "label", "hover"]


def error_strip_rows(comparison: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: cases with an error, in their order."""
    if comparison.empty:
        return pd.DataFrame(columns=COLUMNS)
    known = comparison[[not theme.is_true(bound) for bound in comparison["measured_low_bound"]]]
    rows = [
        {
            "case": row["case"],
            "error_percent": float(row["error"]) * 100,
            "inside": theme.is_true(row["inside"]),
            "bottleneck_class": row["bottleneck_class"],
            "label": theme.label(theme.style_of(row["bottleneck_class"]).words),
            "hover": _hover(row),
        }
        for row in known.to_dict("records")
        if not pd.isna(row["error"])
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_error_strip(comparison: pd.DataFrame, *, band: float = 0.1) -> go.Figure:
    """Draw errors as marks on strips; hollow where the measurement lies outside the 90 % interval."""
    rows = error_strip_rows(comparison)
    if rows.empty:
        return theme.empty("No case has both a prediction and a measured value.")
    labels = list(dict.fromkeys(rows["label"]))
    fig, y = theme.draw_rows(labels=labels, x_title="Prediction error (%)", legend_entries=2)
    position = dict(zip(labels, y, strict=True))
    fig.add_vrect(x0=-100 * band, x1=100 * band, fillcolor=theme.GRID, opacity=0.6, line_width=0, layer="below")
    fig.add_vline(x=0, line={"color": theme.MUTED, "width": 1})
    for inside, name in ((True, "measured value inside the 90 % interval"), (False, "outside")):
        part = rows[rows["inside"] == inside]
        if part.empty:
            continue
        styles = [theme.style_of(name) for name in part["bottleneck_class"]]
        colours = [style.colour for style in styles]
        fig.add_scatter(
            x=part["error_percent"].tolist(),
            y=[position[label] for label in part["label"]],
            mode="markers",
            name=name,
            marker={
                "symbol": [style.symbol for style in styles],
                "size": 11,
                "color": colours if inside else theme.PAPER,
                "line": {"color": theme.INK if inside else colours, "width": 1 if inside else 2.5},
            },
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    reach = max(float(rows["error_percent"].abs().max()) * 1.15, 150 * band)
    fig.update_xaxes(range=[-reach, reach], zeroline=False)
    return fig


def _hover(row: dict[Any, Any]) -> str:
    lines = (
        f"<b>{theme.text(row['title'])}</b>",
        f"{units.format_change(row['error'], places=1)}: predicted {theme.gbps(row['predicted_bps'])} Gb/s",
        f"measured {theme.gbps(row['measured_bps'])} Gb/s",
        theme.place(row),
    )
    return "<br>".join(line for line in lines if line)
