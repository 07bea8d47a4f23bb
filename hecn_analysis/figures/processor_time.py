"""CPU time of transfers: cost of a byte to the process at each end, measured and predicted, a row for each run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.figures import theme

COLUMNS = ["group", "name", "label", "end", "measured_ns", "rounding_ns", "predicted_ns", "low_ns", "high_ns", "hover"]

#: Colour and marker of a prediction at each end, and the vertical offset of its lane.
_ENDS: Final = {
    "sender": (theme.BLUE, "triangle-up", -0.04),
    "receiver": (theme.ORANGE, "triangle-down", 0.18),
}


def processor_time_rows(times: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: a row for each run and end."""
    rows = [
        {
            **{name: row[name] for name in ("name", "end", "measured_ns", "rounding_ns")},
            **{name: row[name] for name in ("predicted_ns", "low_ns", "high_ns")},
            "group": theme.text(row["group"] or ""),
            "label": theme.label(row["title"]),
            "hover": _hover(row),
        }
        for row in times.to_dict("records")
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_processor_time(times: pd.DataFrame) -> go.Figure:
    """Draw CPU time per byte, with a lane for the sender and one for the receiver in each row."""
    rows = processor_time_rows(times)
    if rows.empty:
        return theme.empty("No CPU time is known.")
    lines = rows.drop_duplicates(["group", "name"])
    fig, positions = theme.draw_rows(
        labels=lines["label"].tolist(),
        headings=theme.group_starts(lines["group"].tolist()),
        x_title="CPU time per byte (ns), process only",
        legend_entries=3,
    )
    y_of_run = dict(zip(zip(lines["group"], lines["name"], strict=True), positions, strict=True))
    lanes = [
        y_of_run[group, name] + _ENDS[end][2]
        for group, name, end in zip(rows["group"], rows["name"], rows["end"], strict=True)
    ]
    rows = rows.assign(y=lanes)
    for end, (colour, symbol, _) in _ENDS.items():
        part = rows[rows["end"] == end]
        if len(part):
            words = f"predicted, {end}"
            fig.add_trace(theme.predicted_trace(part, "ns", name=words, symbol=symbol, colour=colour, size=11))
    fig.add_trace(theme.measured_trace(rows["measured_ns"].tolist(), rows["y"].tolist(), rows["hover"].tolist()))
    fig.update_traces(
        error_x={"type": "data", "array": rows["rounding_ns"].tolist(), "color": theme.INK, "thickness": 1, "width": 3},
        selector={"name": "measured"},
    )
    largest = float(rows[["measured_ns", "high_ns"]].max().max())
    fig.update_xaxes(range=[0, largest * 1.08])
    return fig


def _hover(row: Mapping[Any, Any]) -> str:
    predicted = f"predicted {row['predicted_ns']:.3f} ns/B, 90 % between {row['low_ns']:.3f} and {row['high_ns']:.3f}"
    lines = (
        f"<b>{theme.text(row['title'])}</b>, {row['end']}",
        (
            f"measured {units.format_percent(row['measured_fraction'])} of a core "
            f"at {theme.gbps(row['measured_bps'])} Gb/s:"
            f" {row['measured_ns']:.3f} ns/B"
        ),
        predicted,
        theme.text(row["source"]),
    )
    return "<br>".join(lines)
