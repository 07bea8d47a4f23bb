"""Measured rates of runs, a row for each kind of run and a mark for each run: one set of them, or two to compare."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import rate_axis, theme

COLUMNS = ["group", "set", "label", "rate_gbps", "hover"]

#: Kinds of run that are drawn, those with most runs; and runs of each, evenly taken where there are more.
MOST_GROUPS: Final = 16
MOST_RUNS: Final = 400

#: Rates that differ by more than this factor stand on a logarithmic axis.
_WIDE: Final = 50.0

#: Colour, mark and place of each set around the line of its row.
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
        for which, own in part.groupby("set"):
            kept = own.sort_values("rate_bps", kind="stable")
            if len(kept) > MOST_RUNS:
                kept = kept.iloc[np.linspace(0, len(kept) - 1, MOST_RUNS).round().astype(int)]
            rows += [
                {
                    "group": name,
                    "set": which,
                    "label": theme.label(name),
                    "rate_gbps": float(row["rate_bps"]) * theme.GBPS,
                    "hover": _hover(row),
                }
                for row in kept.to_dict("records")
            ]
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_comparison(runs: pd.DataFrame) -> go.Figure:
    """Each run as a mark, the median of each set as a bar across; measured values only."""
    rows = comparison_rows(runs)
    if rows.empty:
        return theme.empty("No run has a rate.")
    groups = rows.drop_duplicates("group")
    wide = float(rows["rate_gbps"].max()) > _WIDE * float(rows["rate_gbps"].min())
    fig, y = theme.draw_rows(
        labels=list(groups["label"]),
        x_title="Measured throughput (Gb/s)" + (", logarithmic" if wide else ""),
        legend_entries=2 * rows["set"].nunique(),
    )
    place = dict(zip(groups["group"], y, strict=True))
    for which in dict.fromkeys(rows["set"].astype(str)):
        part = rows[rows["set"] == which]
        colour, symbol, off = _STYLES.get(which, (theme.INK, "diamond-open", 0.0))
        at = [place[name] + off for name in part["group"]]
        fig.add_scatter(
            x=part["rate_gbps"].tolist(),
            y=at,
            mode="markers",
            name=f"runs of {which}" if which else "measured runs",
            marker={"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.5}},
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
        medians = part.groupby("group", sort=False)["rate_gbps"].median()
        fig.add_scatter(
            x=medians.tolist(),
            y=[place[name] + off for name in medians.index],
            mode="markers",
            name=f"median of {which}" if which else "median",
            marker={"symbol": "line-ns", "size": 16, "line": {"color": colour, "width": 3}},
            hovertemplate="median %{x:.4g} Gb/s<extra></extra>",
        )
    if wide:
        low, high = np.log10(float(rows["rate_gbps"].min())), np.log10(float(rows["rate_gbps"].max()))
        fig.update_xaxes(type="log", range=[low - 0.15, high + 0.15], dtick=1, tickformat="~g", exponentformat="none")
        rate_axis.fit_unit(fig, "x", float(rows["rate_gbps"].max()))
    else:
        rate_axis.gbps_axis(fig, float(rows["rate_gbps"].max()))
    return fig


def _hover(row: dict[Any, Any]) -> str:
    told = [f"<b>{theme.text(row['group'])}</b>", f"measured {theme.gbps(row['rate_bps'])} Gb/s"]
    retransmits = row.get("retransmits")
    if retransmits is not None and not pd.isna(retransmits):
        told.append(f"{int(retransmits)} retransmits")
    return "<br>".join(line for line in (*told, theme.place(row)) if line)
