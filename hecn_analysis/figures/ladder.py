"""The bottleneck ladder: what binds now, what would bind next, and the throughput at each; slowest first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import rate_axis, theme

if TYPE_CHECKING:
    from hecn_analysis.prediction import Prediction

COLUMNS = ["resource", "label", "throughput_gbps", "probability", "binds", "bottleneck_class", "hover"]


def ladder_rows(prediction: Prediction) -> pd.DataFrame:
    """Compute what the figure draws: a row for each rung, slowest first."""
    rungs = [rung for rung in prediction.ladder if math.isfinite(rung.throughput_bps)]
    rows = [
        {
            "resource": rung.resource,
            "label": theme.label(rung.title),
            "throughput_gbps": rung.throughput_bps * theme.GBPS,
            "probability": rung.probability,
            "binds": rung.resource == prediction.bottleneck,
            "bottleneck_class": rung.resource_class,
            "hover": "<br>".join(
                (
                    f"<b>{theme.text(rung.title)}</b> ({theme.style_of(rung.resource_class).words})",
                    f"allows {theme.gbps(rung.throughput_bps)} Gb/s",
                    f"binds first in {units.format_probability(rung.probability)} of the draws",
                    theme.text(rung.resource),
                )
            ),
        }
        for rung in rungs
    ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values("throughput_gbps", kind="stable", ignore_index=True)


def plot_ladder(prediction: Prediction, *, measured_bps: float | None = None) -> go.Figure:
    """Draw bars of the throughput with every slower limit lifted, over the prediction's 90 % interval as a band."""
    rows = ladder_rows(prediction)
    if rows.empty:
        return theme.empty("Nothing limits this transfer.")
    fig, y = theme.draw_rows(
        labels=list(rows["label"]), x_title="Throughput with all slower limits lifted (Gb/s)", legend_entries=3
    )
    rows = rows.assign(y=y)
    for binds, name, colour in ((True, "binds now", theme.BLUE), (False, "would bind next", theme.SKY)):
        part = rows[rows["binds"] == binds]
        if part.empty:
            continue
        fig.add_bar(
            x=part["throughput_gbps"].tolist(),
            y=part["y"].tolist(),
            name=name,
            marker=theme.bar_marker(colour, striped=not binds),
            text=part["hover"].tolist(),
            **theme.BAR,
        )
    low, high = prediction.low_bps * theme.GBPS, prediction.high_bps * theme.GBPS
    band = {"type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "y domain", "layer": "below"}
    fig.add_shape(band, fillcolor=theme.GRID, opacity=0.6, line_width=0)
    largest = max(float(rows["throughput_gbps"].max()), high)
    if measured_bps is not None:
        measured = measured_bps * theme.GBPS
        hover = f"measured {theme.gbps(measured_bps)} Gb/s"
        fig.add_trace(theme.measured_trace([measured], [y[0]], [hover]))
        fig.add_vline(x=measured, line={"color": theme.INK, "width": 1, "dash": "dot"})
        largest = max(largest, measured)
    rate_axis.gbps_axis(fig, largest)
    return fig
