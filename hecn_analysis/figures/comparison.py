"""Measured rates of one set of runs, or of two to compare: a row for each kind of run, a mark for each run."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import rate_axis, theme

COLUMNS = ["group", "set", "label", "rate_gbps", "hover"]

#: Largest number of drawn kinds (those with most runs), and of drawn runs of each kind (evenly sampled by rate).
MOST_GROUPS: Final = 16
MOST_RUNS: Final = 400

#: Rates that differ by more than this factor are drawn on a logarithmic axis.
_WIDE: Final = 50.0

#: Colour, marker and vertical offset of each set within its row.
_STYLES: Final = {"A": (theme.BLUE, "circle-open", -0.1), "B": (theme.VERMILION, "diamond-open", 0.12)}


def comparison_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws."""
    known = runs[runs["rate_bps"].notna()]
    if known.empty:
        return pd.DataFrame(columns=COLUMNS)
    sets = known["set"] if "set" in known else pd.Series("", index=known.index)
    both = sets.groupby(known["group"]).nunique()
    counts = known.groupby("group", sort=False).size()
    order = sorted(counts.index, key=lambda name: (-both[name], -counts[name]))[:MOST_GROUPS]
    rows: list[dict[str, Any]] = []
    for name in order:
        part = known[known["group"] == name].assign(set=sets)
        for set_name, set_runs in part.groupby("set"):
            kept = set_runs.sort_values("rate_bps", kind="stable")
            if len(kept) > MOST_RUNS:
                kept = kept.iloc[np.linspace(0, len(kept) - 1, MOST_RUNS).round().astype(int)]
            rows += [
                {
                    "group": name,
                    "set": set_name,
                    "label": theme.label(name),
                    "rate_gbps": float(row["rate_bps"]) * theme.GBPS,
                    "hover": _hover(row),
                }
                for row in kept.to_dict("records")
            ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_comparison(runs: pd.DataFrame) -> go.Figure:
    """Draw each run as a mark and the median of each set as a bar; measured values only."""
    rows = comparison_rows(runs)
    if rows.empty:
        return theme.empty("No run has a rate.")
    groups = rows.drop_duplicates("group")
    is_wide = float(rows["rate_gbps"].max()) > _WIDE * float(rows["rate_gbps"].min())
    fig, y = theme.draw_rows(
        labels=list(groups["label"]),
        x_title="Measured throughput (Gb/s)" + (", logarithmic" if is_wide else ""),
        legend_entries=2 * rows["set"].nunique(),
    )
    row_y = dict(zip(groups["group"], y, strict=True))
    for set_name in dict.fromkeys(rows["set"].astype(str)):
        part = rows[rows["set"] == set_name]
        colour, symbol, offset = _STYLES.get(set_name, (theme.INK, "diamond-open", 0.0))
        y = [row_y[name] + offset for name in part["group"]]
        fig.add_scatter(
            x=part["rate_gbps"].tolist(),
            y=y,
            mode="markers",
            name=f"runs of {set_name}" if set_name else "measured runs",
            marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.5}},
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
        medians = part.groupby("group", sort=False)["rate_gbps"].median()
        fig.add_scatter(
            x=medians.tolist(),
            y=[row_y[name] + offset for name in medians.index],
            mode="markers",
            name=f"median of {set_name}" if set_name else "median",
            marker={"symbol": "line-ns", "size": 16, "line": {"color": colour, "width": 3}},
            hovertemplate="median %{x:.4g} Gb/s<extra></extra>",
        )
    if is_wide:
        low, high = np.log10(float(rows["rate_gbps"].min())), np.log10(float(rows["rate_gbps"].max()))
        fig.update_xaxes(type="log", range=[low - 0.15, high + 0.15], dtick=1, tickformat="~g", exponentformat="none")
        rate_axis.fit_unit(fig, "x", float(rows["rate_gbps"].max()))
    else:
        rate_axis.gbps_axis(fig, float(rows["rate_gbps"].max()))
    return fig


def _hover(row: dict[Any, Any]) -> str:
    lines = [f"<b>{theme.text(row['group'])}</b>", f"measured {theme.gbps(row['rate_bps'])} Gb/s"]
    retransmits = row.get("retransmits")
    if retransmits is not None and not pd.isna(retransmits):
        lines.append(f"{int(retransmits)} retransmits")
    return "<br>".join(line for line in (*lines, theme.place(row)) if line)
