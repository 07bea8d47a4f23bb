"""How often verdicts are right, by the probability that they state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import theme
from hecn_analysis.figures.coverage import add_diagonal, add_shares, observed

COLUMNS = ["stated_percent", "observed_percent", "low_percent", "high_percent", "verdicts", "hover"]


def calibration_rows(classes: Iterable[Mapping[str, float]]) -> pd.DataFrame:
    """Compute what the figure draws, from classes of verdicts with their number ``n``, ``stated`` and ``right`` [1]."""
    rows = []
    for row in classes:
        count, right = int(row["n"]), round(row["n"] * row["right"])
        stated = units.format_probability(row["stated"])
        hover = f"<b>{right} of {count} verdicts right</b><br>stated probability {stated} in the mean"
        rows.append(
            {"stated_percent": 100 * row["stated"], **observed(right, count), "verdicts": count, "hover": hover}
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_calibration(classes: Iterable[Mapping[str, float]]) -> go.Figure:
    """Draw the share of right verdicts against their stated probability; below the line, they are too sure."""
    rows = calibration_rows(classes)
    if rows.empty:
        return theme.empty("No verdict was judged.")
    fig = theme.figure(x_title="Stated probability (%)", showlegend=True, height=420)
    add_diagonal(fig, (0, 100))
    add_shares(fig, rows, "verdicts, interval of 90 %", 0)
    for row in rows.itertuples():
        fig.add_annotation(
            x=row.stated_percent, y=row.low_percent, text=f"n = {row.verdicts}", showarrow=False, yanchor="top"
        )
    fig.update_xaxes(range=[0, 102])
    fig.update_yaxes(range=[0, 102], title={"text": "Right by family (%)", "font": {"size": 12}})
    return fig
