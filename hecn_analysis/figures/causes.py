"""How likely each cause is: bars of the probabilities of one verdict."""

from __future__ import annotations

from typing import Final

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.diagnosis.result import FINE, Diagnosis
from hecn_analysis.figures import theme

COLUMNS = ["class", "label", "probability", "group", "hover"]

#: Names of the groups in the legend, and their colours.
_GROUPS: Final = {"a fault or a limit": theme.BLUE, "as it should be": theme.GREEN, "others": theme.MUTED}

#: Causes that are less likely stand together at the end. [1]
LEAST = 0.02


def causes_rows(verdict: Diagnosis) -> pd.DataFrame:
    """Compute what the figure draws: a row for each cause, the likeliest first, and one for all unlikely ones."""
    likely = [cause for cause in verdict.causes if cause.probability >= LEAST]
    rows = [_row(cause.kind, f"{cause.resource} ({cause.kind})", cause.probability) for cause in likely]
    rest = sum(cause.probability for cause in verdict.causes) - sum(cause.probability for cause in likely)
    if len(likely) < len(verdict.causes):
        rows.append(_row("", f"{len(verdict.causes) - len(likely)} others", rest))
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(kind: str, words: str, probability: float) -> dict[str, object]:
    label = f"{units.format_probability(probability)} {words}"
    hover = f"<b>{theme.text(words)}</b><br>probability {units.format_probability(probability, places=1)}"
    named = {"class": kind, "label": theme.label(label), "probability": probability}
    limit, fine, others = _GROUPS
    return {**named, "group": fine if kind in FINE else limit if kind else others, "hover": hover}


def plot_causes(verdict: Diagnosis) -> go.Figure:
    """Draw the probabilities of a verdict as bars."""
    rows = causes_rows(verdict)
    fig, y = theme.draw_rows(labels=list(rows["label"]), x_title="Probability (%)", legend_entries=3)
    rows = rows.assign(y=y)
    for number, (name, colour) in enumerate(_GROUPS.items()):
        part = rows[rows["group"] == name]
        if part.empty:
            continue
        fig.add_bar(
            x=(part["probability"] * 100).tolist(),
            y=part["y"].tolist(),
            name=name,
            marker=theme.bar_marker(colour, striped=number == 1),
            text=part["hover"].tolist(),
            **theme.BAR,
        )
    fig.update_xaxes(range=[0, 100])
    return fig
