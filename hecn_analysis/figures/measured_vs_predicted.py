"""Measured against predicted throughput, a row for each case: dot, 90 % interval, measured diamond."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import rate_axis, theme

COLUMNS = [
    "group",
    "case",
    "label",
    "measured_gbps",
    "at_least",
    "predicted_gbps",
    "low_gbps",
    "high_gbps",
    "bottleneck",
    "bottleneck_class",
    "hover",
]


def measured_vs_predicted_rows(comparison: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws, in the order of the cases."""
    if comparison.empty:
        return pd.DataFrame(columns=COLUMNS)
    predicted = pd.to_numeric(comparison["predicted_bps"]).astype(float)
    known = comparison[np.isfinite(predicted)].reset_index(drop=True)
    rows = pd.DataFrame({"case": known["case"].astype(str), "label": [theme.label(title) for title in known["title"]]})
    for name in ("measured", "predicted", "low", "high"):
        rows[f"{name}_gbps"] = pd.to_numeric(known[f"{name}_bps"]).astype(float) * theme.GBPS
    rows["at_least"] = [theme.is_true(bound) for bound in known["measured_low_bound"]]
    rows["group"] = [theme.label(title) for title in known["series_title"]]
    rows["bottleneck"] = known["bottleneck"].astype(str)
    rows["bottleneck_class"] = known["bottleneck_class"].astype(str)
    rows["hover"] = [_hover(row) for row in known.to_dict("records")]
    return rows[COLUMNS]


def plot_measured_vs_predicted(comparison: pd.DataFrame) -> go.Figure:
    """Draw each prediction as a dot with its interval, coloured by what binds, and the measured value."""
    rows = measured_vs_predicted_rows(comparison)
    if rows.empty:
        return theme.empty("No case to compare.")
    classes = list(dict.fromkeys(rows["bottleneck_class"]))
    fig, y = theme.draw_rows(
        labels=list(rows["label"]),
        headings=theme.group_starts(list(rows["group"])),
        x_title="Throughput (Gb/s), predicted with 90 % interval",
        legend_entries=len(classes) + 1 + int(rows["at_least"].any()),
    )
    rows = rows.assign(y=y)
    for name in classes:
        style, part = theme.style_of(name), rows[rows["bottleneck_class"] == name]
        words = f"predicted, {style.words} binds"
        fig.add_trace(theme.predicted_trace(part, "gbps", name=words, symbol=style.symbol, colour=style.colour))
    for at_least in (False, True):
        part = rows[(rows["at_least"] == at_least) & rows["measured_gbps"].notna()]
        if len(part):
            fig.add_trace(
                theme.measured_trace(
                    list(part["measured_gbps"]), list(part["y"]), list(part["hover"]), at_least=at_least
                )
            )
    rate_axis.gbps_axis(fig, float(rows[["high_gbps", "measured_gbps", "predicted_gbps"]].max().max()))
    return fig


def _hover(row: Mapping[Any, Any]) -> str:
    interval = f"90 % between {theme.gbps(row['low_bps'])} Gb/s and {theme.gbps(row['high_bps'])} Gb/s"
    at_least = "at least " if theme.is_true(row["measured_low_bound"]) else ""
    lines = (
        f"<b>{theme.text(row['title'])}</b>",
        f"predicted {theme.gbps(row['predicted_bps'])} Gb/s, {interval}",
        f"binds: {theme.text(row['bottleneck_title'])}",
        "not measured"
        if pd.isna(row["measured_bps"])
        else f"measured {at_least}{theme.gbps(row['measured_bps'])} Gb/s",
        theme.place(row),
    )
    return "<br>".join(line for line in lines if line)
