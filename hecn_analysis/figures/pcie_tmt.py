"""Throughput measured through a PCI Express slot, per MaxPayload and direction, against the slot's limits.

Two limits are drawn: the theoretical maximum throughput (TMT) of the slides, which counts 24 bytes of overhead for
each packet, and the best estimate of what a device can measure, which also counts acknowledgements, flow control and
requests.
"""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis import limits
from hecn_analysis.figures import theme

COLUMNS = ["case", "label", "max_payload_bytes", "measured_gbps", "tmt_gbps", "estimate_gbps", "share_of_tmt", "hover"]
OPERATIONS: dict[str, Literal["read", "write", "both"]] = {
    "transmit": "read",
    "receive": "write",
    "both": "both",
}  # what the card does to memory


def pcie_tmt_rows(cases: pd.DataFrame, *, gen: int = 2, lanes: int = 16) -> pd.DataFrame:
    """Compute what the figure draws: a row for each case, with the limits of its MaxPayload and direction.

    Parameters
    ----------
    cases
        Columns ``case``, ``title``, ``max_payload_bytes``, ``direction`` (``transmit``, ``receive`` or ``both``) and
        ``measured_bps`` (for ``both``: of the two directions together), and where known the place of the measured
        value.
    gen, lanes
        The slot.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; throughputs in Gb/s. For ``both`` the limits are those of the two directions together.
    """
    return pd.DataFrame([_row(case, gen, lanes) for case in cases.to_dict("records")], columns=COLUMNS)


def plot_pcie_tmt(cases: pd.DataFrame, *, gen: int = 2, lanes: int = 16) -> go.Figure:
    """Bars from 0 to the best estimate, a line at the TMT and the measured diamond, a row for each case.

    Parameters
    ----------
    cases, gen, lanes
        As in `pcie_tmt_rows`.
    """
    rows = pcie_tmt_rows(cases, gen=gen, lanes=lanes)
    if rows.empty:
        return theme.empty("No measurement through this slot.")
    fig = theme.figure(
        height=theme.rows_height(rows["label"], legend_entries=3),
        x_title="Throughput through the slot (Gb/s)",
        barmode="overlay",
    )
    rows = rows.assign(y=theme.label_rows(fig, list(rows["label"])))
    fig.add_bar(
        x=rows["estimate_gbps"].tolist(),
        y=rows["y"].tolist(),
        orientation="h",
        width=0.34,
        name="best estimate of the slot",
        marker={"color": theme.SKY, "line": {"color": theme.INK, "width": 1}},
        text=rows["hover"].tolist(),
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
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
    theme.gbps_axis(fig, float(rows[["measured_gbps", "tmt_gbps", "estimate_gbps"]].max().max()))
    return fig


def _row(case: dict[Any, Any], gen: int, lanes: int) -> dict[str, Any]:
    payload = int(case["max_payload_bytes"])
    limit = limits.pcie(gen=gen, lanes=lanes, max_payload=payload, op=OPERATIONS[case["direction"]])
    ways = 2 if case["direction"] == "both" else 1
    tmt, estimate = ways * float(limit["tmt_bps"]), ways * float(limit["throughput_bps"])
    measured = case["measured_bps"]
    lines = (
        f"<b>{theme.text(case['title'])}</b>",
        "not measured"
        if pd.isna(measured)
        else f"measured {theme.gbps(measured)} Gb/s, {measured / tmt:.2%} of the TMT",
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
