"""Utilisation of each resource at the predicted throughput, busiest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import theme

if TYPE_CHECKING:
    from hecn_analysis.prediction import Prediction

COLUMNS = ["resource", "label", "percent", "binds", "hover"]


def utilisation_rows(prediction: Prediction, *, at_least: float = 0.0) -> pd.DataFrame:
    """Compute what the figure draws: a row for each resource, busiest first."""
    rows = [
        {
            "resource": resource,
            "label": theme.label(resource),
            "percent": fraction * 100,
            "binds": resource == prediction.bottleneck,
            "hover": f"<b>{theme.text(resource)}</b><br>{units.format_percent(fraction, places=1)} busy",
        }
        for resource, fraction in prediction.utilisation.items()
        if fraction >= at_least
    ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values("percent", ascending=False, kind="stable", ignore_index=True)


def plot_utilisation(prediction: Prediction, *, at_least: float = 0.0) -> go.Figure:
    """Draw bars of the utilisation of each resource at the predicted throughput."""
    rows = utilisation_rows(prediction, at_least=at_least)
    if rows.empty:
        return theme.empty("No resource is in use.")
    fig, y = theme.draw_rows(labels=list(rows["label"]), x_title="Busy (%)", legend_entries=2)
    rows = rows.assign(y=y)
    for binds, name, colour in ((True, "binds", theme.BLUE), (False, "has headroom", theme.SKY)):
        part = rows[rows["binds"] == binds]
        if part.empty:
            continue
        fig.add_bar(
            x=part["percent"].tolist(),
            y=part["y"].tolist(),
            name=name,
            marker=theme.bar_marker(colour, striped=not binds),
            text=part["hover"].tolist(),
            **theme.BAR,
        )
    fig.update_xaxes(range=[0, max(104.0, float(rows["percent"].max()) * 1.04)])
    return fig
