"""Throughput measured through a PCI Express slot, per MaxPayload and direction, against the slot's limits.

Two limits are drawn: the theoretical maximum throughput (TMT) of the slides, which counts 24 bytes of overhead per
packet, and the best estimate of what a device can measure, which also counts acknowledgements, flow control and
requests.
"""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis import limits
from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.figures import rate_axis, theme
from hecn_analysis.prediction.compare import Series

COLUMNS = ["case", "label", "max_payload_bytes", "measured_gbps", "tmt_gbps", "estimate_gbps", "share_of_tmt", "hover"]
OPERATIONS: dict[str, Literal["read", "write", "both"]] = {
    "transmit": "read",
    "receive": "write",
    "both": "both",
}  # what the card does to memory


def slot_cases(series: Series, comparison: pd.DataFrame, *, host: str, slot: str) -> pd.DataFrame:
    """Return the cases of a series with their slot's link and the direction of the data through it."""
    ends: list[dict[str, object]] = []
    for case in comparison["case"]:
        scenario = series.scenarios[case]
        sends = scenario.sender is not None and scenario.sender.name == host
        end = scenario.sender if sends else scenario.receiver
        if end is None or end.name != host or slot not in end.slots:
            raise InputError(f"case {case!r} without {slot} of {host}", "a case that uses the slot", source=series.name)
        link = end.slots[slot]
        ends.append(
            {
                "gen": link.gen,
                "lanes": link.lanes,
                "max_payload_bytes": (link.max_payload or end.max_payload).value,
                "max_read_request_bytes": link.max_read_request.value,
                "direction": "both" if scenario.tool.bidirectional else "transmit" if sends else "receive",
            }
        )
    return pd.concat([comparison.reset_index(drop=True), pd.DataFrame(ends)], axis="columns")


def pcie_tmt_rows(cases: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: a row for each case, with the limits of its slot and direction."""
    return pd.DataFrame([_row(case) for case in cases.to_dict("records")], columns=COLUMNS)


def plot_pcie_tmt(cases: pd.DataFrame) -> go.Figure:
    """Draw a row for each case: a bar to the best estimate, a line at the TMT, and the measured diamond."""
    rows = pcie_tmt_rows(cases)
    if rows.empty:
        return theme.empty("No measurement through this slot.")
    fig, y = theme.draw_rows(labels=list(rows["label"]), x_title="Throughput through the slot (Gb/s)", legend_entries=3)
    rows = rows.assign(y=y)
    fig.add_bar(
        x=rows["estimate_gbps"].tolist(),
        y=rows["y"].tolist(),
        name="best estimate of the slot",
        marker=theme.bar_marker(theme.SKY),
        text=rows["hover"].tolist(),
        **theme.BAR,
    )
    fig.add_scatter(
        x=rows["tmt_gbps"].tolist(),
        y=rows["y"].tolist(),
        mode="markers",
        name="TMT of the slides",
        marker={"symbol": "line-ns", "size": 20, "line": {"width": 3, "color": theme.VERMILION}},
        text=rows["hover"].tolist(),
        hovertemplate="%{text}<extra></extra>",
    )
    known = rows[rows["measured_gbps"].notna()]
    if len(known):
        fig.add_trace(theme.measured_trace(list(known["measured_gbps"]), list(known["y"]), list(known["hover"])))
    rate_axis.gbps_axis(fig, float(rows[["measured_gbps", "tmt_gbps", "estimate_gbps"]].max().max()))
    return fig


def _row(case: dict[Any, Any]) -> dict[str, Any]:
    payload = int(case["max_payload_bytes"])
    limit = limits.pcie(
        gen=case["gen"],
        lanes=case["lanes"],
        max_payload=payload,
        max_read_request=case["max_read_request_bytes"],
        op=OPERATIONS[case["direction"]],
    )
    ways = 2 if case["direction"] == "both" else 1
    tmt, estimate = ways * float(limit["tmt_bps"]), ways * float(limit["throughput_bps"])
    measured = case["measured_bps"]
    lines = (
        f"<b>{theme.text(case['title'])}</b>",
        "not measured"
        if pd.isna(measured)
        else f"measured {theme.gbps(measured)} Gb/s, {units.format_percent(measured / tmt, places=2)} of the TMT",
        f"TMT {tmt * theme.GBPS:.6g} Gb/s, best estimate {theme.gbps(estimate)} Gb/s",
        theme.place(case),
    )
    return {
        "case": case["case"],
        "label": theme.label(case["title"]),
        "max_payload_bytes": payload,
        "measured_gbps": float("nan") if pd.isna(measured) else float(measured) * theme.GBPS,
        "tmt_gbps": tmt * theme.GBPS,
        "estimate_gbps": estimate * theme.GBPS,
        "share_of_tmt": float("nan") if pd.isna(measured) else float(measured) / tmt,
        "hover": "<br>".join(line for line in lines if line),
    }
