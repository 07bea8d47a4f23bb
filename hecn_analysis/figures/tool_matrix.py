"""Tools over file sizes at each distance: a bar from the smallest file's rate to the largest file's, and runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import rate_axis, theme

COLUMNS = ["group", "tool", "small", "large", "small_gbps", "large_gbps", "bottleneck_class", "hover"]

_SMALL, _LARGE = 7, 13  # pixels of the marks of the smallest and the largest file


def tool_matrix_rows(cells: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: a row for each round-trip time and tool."""
    sizes = sorted(set(cells["tool.bytes"]), key=lambda size: units.parse(size, "bytes"))
    distances = sorted(set(cells["path.rtt"]), key=lambda rtt: units.parse(rtt, "time"))
    rows = []
    for rtt in distances:
        part = cells[cells["path.rtt"] == rtt]
        largest = part[part["tool.bytes"] == sizes[-1]].sort_values("throughput_bps", ascending=False, kind="stable")
        smallest = part[part["tool.bytes"] == sizes[0]].set_index("tool")["throughput_bps"]
        for row in largest.to_dict("records"):
            tool = str(row["tool"])
            lines = (
                f"<b>{theme.text(tool)}</b>, round trip {theme.text(rtt)}",
                f"{theme.text(sizes[0])}: predicted {theme.gbps(smallest[tool])} Gb/s",
                f"{theme.text(sizes[-1])}: predicted {theme.gbps(row['throughput_bps'])} Gb/s",
                f"binds: {theme.text(row['bottleneck'])}",
            )
            rows.append(
                {
                    "group": f"round trip {rtt}",
                    "tool": tool,
                    "small": sizes[0],
                    "large": sizes[-1],
                    "small_gbps": smallest[tool] * theme.GBPS,
                    "large_gbps": row["throughput_bps"] * theme.GBPS,
                    "bottleneck_class": row["bottleneck_class"],
                    "hover": "<br>".join(lines),
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_tool_matrix(cells: pd.DataFrame, *, measured: pd.DataFrame | None = None) -> go.Figure:
    """Draw the rate of each tool from the smallest to the largest file, by round-trip time, coloured by what binds."""
    rows = tool_matrix_rows(cells)
    if rows.empty:
        return theme.empty("No cell to show.")
    classes = list(dict.fromkeys(rows["bottleneck_class"]))
    fig, positions = theme.draw_rows(
        labels=[theme.label(tool) for tool in rows["tool"]],
        headings=theme.group_starts([theme.text(group) for group in rows["group"]]),
        x_title=f"Throughput (Gb/s), files of {rows['small'][0]} (small mark) to {rows['large'][0]}",
        legend_entries=len(classes) + 1,
    )
    rows = rows.assign(y=positions)
    for name in classes:
        _add_tools(fig, rows[rows["bottleneck_class"] == name], theme.style_of(name))
    largest = float(rows[["small_gbps", "large_gbps"]].max().max())
    if measured is not None:
        y_of_row = {(row["group"], row["tool"]): row["y"] for row in rows.to_dict("records")}
        points = [
            (y_of_row[key], row)
            for row in measured.to_dict("records")
            if (key := (f"round trip {row['path.rtt']}", str(row["tool"]))) in y_of_row
        ]
        if points:
            x = [float(row["measured_bps"]) * theme.GBPS for _, row in points]
            fig.add_trace(theme.measured_trace(x, [y for y, _ in points], [_hover(row) for _, row in points]))
            largest = max(largest, *x)
    rate_axis.gbps_axis(fig, largest)
    return fig


def _add_tools(fig: go.Figure, part: pd.DataFrame, style: theme.Style) -> None:
    """Draw the bars of one class, then their ends."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row in part.to_dict("records"):
        x += [row["small_gbps"], row["large_gbps"], None]
        y += [row["y"], row["y"], None]
    line = {"color": style.colour, "width": 4}
    fig.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    both = [*part["small_gbps"], *part["large_gbps"]]
    fig.add_scatter(
        x=both,
        y=[*part["y"], *part["y"]],
        mode="markers",
        name=f"predicted, {style.words} binds",
        marker={
            "symbol": style.symbol,
            "size": [_SMALL] * len(part) + [_LARGE] * len(part),
            "color": style.colour,
            "opacity": 1,
            "line": {"color": theme.INK, "width": 1},
        },
        text=[*part["hover"], *part["hover"]],
        hovertemplate="%{text}<extra></extra>",
        legendrank=10,
    )


def _hover(row: Mapping[Any, Any]) -> str:
    lines = (
        f"<b>{theme.text(row['title'])}</b>, {theme.text(row['condition'])}",
        f"measured {theme.gbps(row['measured_bps'])} Gb/s",
        theme.place(row),
    )
    return "<br>".join(line for line in lines if line)
