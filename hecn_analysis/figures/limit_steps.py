"""Waterfall from a raw rate, minus the overhead of each layer, to the limit, with the measurement beside it.

Each row is a step of `hecn_analysis.limits.explain`: a plain bar for the remaining rate, and a striped bar behind it
for what the step took. Together they end where the plain bar of the row above ends.
"""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import rate_axis, theme
from hecn_analysis.limits.explanation import Explanation

COLUMNS = ["label", "left_gbps", "takes_gbps", "part", "measured", "hover"]


def limit_steps_rows(explanation: Explanation) -> pd.DataFrame:
    """Compute what the figure draws: a row for each step, the raw rate first; the measurement last."""
    steps = [step for step in explanation.steps if math.isfinite(step.value_bps)]
    rows = []
    for step in steps:
        part = step.value_bps / steps[0].value_bps
        taken = 0.0 if step.takes_bps is None or math.isinf(step.takes_bps) else step.takes_bps
        verb = "gains" if taken < 0 else "takes"
        lines = (
            f"<b>{theme.text(step.name)}</b>",
            f"{verb} {theme.gbps(abs(taken))} Gb/s" if taken else "",
            f"leaves {theme.gbps(step.value_bps)} Gb/s, {units.format_percent(part, places=1)} of the raw rate",
            theme.text(step.source),
        )
        rows.append(
            {
                "label": theme.label(step.name),
                "left_gbps": step.value_bps * theme.GBPS,
                "takes_gbps": taken * theme.GBPS,
                "part": part,
                "measured": False,
                "hover": "<br>".join(line for line in lines if line),
            }
        )
    if explanation.measured_bps is not None:
        causes = [theme.label(cause.words) for cause in explanation.causes]
        measured = ["<b>measured</b>", theme.text(explanation.verdict()), *causes]
        rows.append(
            {
                "label": "measured",
                "left_gbps": explanation.measured_bps * theme.GBPS,
                "takes_gbps": 0.0,
                "part": explanation.measured_bps / steps[0].value_bps if steps else math.nan,
                "measured": True,
                "hover": "<br>".join(measured),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_limit_steps(explanation: Explanation) -> go.Figure:
    """Draw bars of the rate remaining after each step and of what the step took; a diamond for the measurement."""
    rows = limit_steps_rows(explanation)
    if rows.empty:
        return theme.empty("Nothing limits this.")
    fig, y = theme.draw_rows(labels=list(rows["label"]), x_title="Remaining rate (Gb/s)", legend_entries=4)
    rows = rows.assign(y=y)
    steps = rows[~rows["measured"]]
    last = steps.index == (steps.index[-1] if len(steps) else None)
    for part, name, colour in (
        (steps[~last], "remaining after this step", theme.SKY),
        (steps[last], "the limit", theme.BLUE),
    ):
        if len(part):
            _bars(fig, part, part["left_gbps"], 0.0, name=name, colour=colour, striped=False)
    taking, gaining = steps[steps["takes_gbps"] > 0], steps[steps["takes_gbps"] < 0]
    if len(taking):
        _bars(fig, taking, taking["takes_gbps"], taking["left_gbps"], name="taken", colour=theme.ORANGE, striped=True)
    if len(gaining):
        before = gaining["left_gbps"] + gaining["takes_gbps"]
        _bars(fig, gaining, -gaining["takes_gbps"], before, name="gained", colour=theme.GREEN, striped=True)
    measured = rows[rows["measured"]]
    if len(measured):
        fig.add_trace(theme.measured_trace(list(measured["left_gbps"]), list(measured["y"]), list(measured["hover"])))
        line = {"color": theme.INK, "width": 1, "dash": "dot"}
        fig.add_vline(x=float(measured["left_gbps"].iloc[0]), line=line)
    fig.update_layout(barmode="overlay")
    rate_axis.gbps_axis(fig, float((rows["left_gbps"] + rows["takes_gbps"].clip(lower=0)).max()))
    return fig


def _bars(
    fig: go.Figure,
    rows: pd.DataFrame,
    lengths: pd.Series[float],
    base: pd.Series[float] | float,
    *,
    name: str,
    colour: str,
    striped: bool,
) -> None:
    fig.add_bar(
        x=lengths.tolist(),
        y=rows["y"].tolist(),
        base=base if isinstance(base, float) else base.tolist(),
        name=name,
        marker=theme.bar_marker(colour, striped=striped),
        text=rows["hover"].tolist(),
        **theme.BAR,
    )
