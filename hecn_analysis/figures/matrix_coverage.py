"""Coverage of a test matrix: a square for each cell, with the share of its needed repeats that has been run."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import theme

COLUMNS = ["grid", "row", "column", "share", "words", "hover"]

_ROW_PX, _HEAD_PX = 24, 150


def matrix_coverage_rows(status: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws."""
    rows = []
    for cell in status.to_dict("records"):
        name = theme.text(cell["cell"])
        *first, last = str(cell["cell"]).split("/")
        mean = units.format_rate(cell["mean_bps"]) if cell["runs"] else "not run"
        rows.append(
            {
                "grid": first[0],
                "row": theme.text(" ".join(first)),
                "column": theme.text(last),
                "share": min(1.0, cell["runs"] / cell["needed"]),
                "words": f"{cell['runs']}/{cell['needed']}" if cell["runs"] else "",
                "hover": (
                    f"<b>{name}</b><br>{cell['runs']} of {cell['needed']} repeats<br>measured: {mean}<br>"
                    f"predicted: {units.format_rate(cell['predicted_bps'])}"
                ),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_matrix_coverage(status: pd.DataFrame) -> go.Figure:
    """Draw the cells as squares: white where nothing has been run, full where all needed repeats have been run."""
    rows = matrix_coverage_rows(status)
    if rows.empty:
        return theme.empty("The matrix has no cells.")
    names, columns = list(dict.fromkeys(rows["row"])), list(dict.fromkeys(rows["column"]))
    fig = theme.figure(x_title="last axis of the grid", showlegend=False, height=_HEAD_PX + _ROW_PX * len(names))
    wide = {
        name: rows.pivot_table(index="row", columns="column", values=name, aggfunc="first").reindex(
            names, columns=columns
        )
        for name in ("share", "words", "hover")
    }
    fig.add_heatmap(
        x=columns,
        y=names,
        z=wide["share"].to_numpy(dtype=float),
        text=wide["words"].fillna("").to_numpy(),
        customdata=wide["hover"].fillna("").to_numpy(),
        texttemplate="%{text}",
        hovertemplate="%{customdata}<extra></extra>",
        colorscale=[[0, theme.PAPER], [1, theme.SKY]],
        zmin=0,
        zmax=1,
        xgap=2,
        ygap=2,
        colorbar={"title": "repeats run", "tickformat": ".0%", "outlinewidth": 0},
    )
    fig.update_xaxes(type="category")
    fig.update_yaxes(type="category", autorange="reversed")
    fig.update_layout(plot_bgcolor=theme.GRID)
    return fig
