"""Runs against port counters: how far the port's count exceeds the octets that each run should have caused."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme

COLUMNS = ["label", "verdict", "excess_percent", "shown_percent", "hover"]
FARTHEST = 10.0
"""Larger deviations are drawn at the edge, with their value in the hover text. [%]"""

#: Colour and marker of each verdict that has a number.
LOOKS = {
    "agrees": (theme.GREEN, "circle"),
    "clock offset": (theme.SKY, "diamond"),
    "retransmissions or other traffic": (theme.ORANGE, "triangle-right"),
    "fewer octets": (theme.VERMILION, "triangle-left"),
    "counter wrapped": (theme.PURPLE, "x"),
    "averaging window too long": (theme.MUTED, "square-open"),
}


def reconciliation_rows(reconciled: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: a row for each run with counted octets."""
    rows = []
    for row in reconciled.to_dict("records"):
        if pd.isna(row["excess_fraction"]):
            continue
        percent = float(row["excess_fraction"]) * 100
        words = row["tool"] if pd.isna(row["label"]) else f"{row['tool']} {row['label']}"
        rows.append(
            {
                "label": theme.label(f"{words}, run {row['run']}"),
                "verdict": row["verdict"],
                "excess_percent": percent,
                "shown_percent": max(-FARTHEST, min(percent, FARTHEST)),
                "hover": f"<b>{theme.text(row['verdict'])}</b><br>{theme.label(row['message'], 60)}<br>"
                f"{theme.text(row['interface'])} {row['direction']}, {theme.text(row['source_file'])}",
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_reconciliation(reconciled: pd.DataFrame, *, tolerance: float = 0.005) -> go.Figure:
    """Draw how far the port's count deviates from what each run should have caused."""
    rows = reconciliation_rows(reconciled)
    if rows.empty:
        return theme.empty("No run has counted octets.")
    verdicts = [verdict for verdict in LOOKS if (rows["verdict"] == verdict).any()]
    fig, y = theme.draw_rows(
        labels=rows["label"].tolist(), x_title="Counted above expected octets (%)", legend_entries=len(verdicts)
    )
    rows = rows.assign(y=y)
    width = 100 * tolerance
    fig.add_vrect(x0=-width, x1=width, fillcolor=theme.GRID, opacity=0.6, line_width=0, layer="below")
    fig.add_vline(x=0, line={"color": theme.MUTED, "width": 1})
    for verdict in verdicts:
        part = rows[rows["verdict"] == verdict]
        colour, symbol = LOOKS[verdict]
        fig.add_scatter(
            x=part["shown_percent"].tolist(),
            y=part["y"].tolist(),
            name=verdict,
            mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 11, "line": {"color": theme.INK, "width": 1}},
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    farthest = max(2 * width, float(rows["shown_percent"].abs().max()) * 1.15)
    fig.update_xaxes(range=[-farthest, farthest])
    return fig
