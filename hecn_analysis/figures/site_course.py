"""Transfers of a site over time: the rate of each on top of the others, those that moved least together."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Final

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import rate_axis, theme

if TYPE_CHECKING:
    from hecn_analysis.sites.result import SitePrediction

#: Transfers with an area of their own; the others share one.
MOST: Final = 11

#: Units of the time axis, with their length [s]; the largest that the last event reaches twice.
_TIMES: Final = ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"))


def site_course_rows(prediction: SitePrediction) -> pd.DataFrame:
    """Compute what the figure draws: a row for each event and area, with the rate from then on."""
    timeline = prediction.timeline * theme.GBPS
    moved = {each.name: each.throughput_bps * (each.finish_s - each.start_s) for each in prediction.transfers}
    largest = set(sorted(moved, key=lambda name: -moved[name])[:MOST])
    areas = timeline[[name for name in timeline if name in largest]].copy()
    if len(moved) > len(largest):
        rest = timeline.drop(columns=list(areas)).sum(axis=1)
        areas[f"{len(moved) - len(largest)} more"] = rest
    return areas.reset_index().melt("time_s", var_name="name", value_name="gbps")


def plot_site_course(prediction: SitePrediction) -> go.Figure:
    """Draw the rates of a site's transfers over time, on top of each other."""
    rows = site_course_rows(prediction)
    last = float(rows["time_s"].max())
    scale, unit = next((step for step in _TIMES if last >= 2 * step[0]), _TIMES[-1])
    fig = theme.figure(x_title=f"Time ({unit})", height=420, showlegend=True, hovermode="x unified")
    for (name, part), colour in zip(rows.groupby("name", sort=False), cycle(theme.LINES), strict=False):
        fig.add_scatter(
            x=(part["time_s"] / scale).tolist(),
            y=part["gbps"].tolist(),
            name=theme.label(name),
            mode="lines",
            stackgroup="all",
            line={"color": colour, "width": 1, "shape": "hv"},
            hovertemplate="%{y:.4g} Gb/s",
        )
    fig.update_yaxes(title_text="Throughput (Gb/s)", rangemode="tozero")
    rate_axis.fit_unit(fig, "y", float(rows.groupby("time_s")["gbps"].sum().max()))
    return fig
