"""Which numbers matter most: throughput with each number at its low and its high end, the widest range on top."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme

COLUMNS = ["key", "label", "from_gbps", "to_gbps", "rises", "hover"]

#: Number of bars; the others move the throughput less.
SHOWN = 12


def tornado_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: a row for each number that moves the throughput, the widest range first."""
    moving = table[table["swing_bps"] > 0].head(SHOWN)
    rows = [
        {
            "key": row["key"],
            "label": theme.label(row["key"]),
            "from_gbps": min(row["throughput_low_bps"], row["throughput_high_bps"]) * theme.GBPS,
            "to_gbps": max(row["throughput_low_bps"], row["throughput_high_bps"]) * theme.GBPS,
            "rises": row["throughput_high_bps"] >= row["throughput_low_bps"],
            "hover": "<br>".join(
                (
                    f"<b>{theme.text(row['key'])}</b>",
                    f"{row['low_value']:.4g} {theme.text(row['unit'])}: {theme.gbps(row['throughput_low_bps'])} Gb/s",
                    f"{row['high_value']:.4g} {theme.text(row['unit'])}: {theme.gbps(row['throughput_high_bps'])} Gb/s",
                    f"{theme.text(row['basis'])}: {theme.label(row['source'], 60)}",
                )
            ),
        }
        for row in moving.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_tornado(table: pd.DataFrame, throughput_bps: float) -> go.Figure:
    """Draw bars of the throughput between the low and the high end of each number, over a line at the prediction."""
    rows = tornado_rows(table)
    if rows.empty:
        return theme.empty("No number changes this prediction.")
    fig, y = theme.draw_rows(labels=list(rows["label"]), x_title="Throughput (Gb/s)", legend_entries=2)
    rows = rows.assign(y=y)
    for rises, name, colour in (
        (True, "faster with a larger value", theme.BLUE),
        (False, "slower with a larger value", theme.VERMILION),
    ):
        part = rows[rows["rises"] == rises]
        if part.empty:
            continue
        fig.add_bar(
            x=(part["to_gbps"] - part["from_gbps"]).tolist(),
            base=part["from_gbps"].tolist(),
            y=part["y"].tolist(),
            name=name,
            marker=theme.bar_marker(colour, striped=not rises),
            text=part["hover"].tolist(),
            **theme.BAR,
        )
    fig.add_vline(x=throughput_bps * theme.GBPS, line={"color": theme.INK, "width": 1})
    return fig
