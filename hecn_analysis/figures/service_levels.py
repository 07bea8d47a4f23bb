"""Service levels: the share of each limit that was used, with its bounds and the verdict."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme
from hecn_analysis.traffic.service_level_evidence import NAMES

COLUMNS = ["path", "criterion", "verdict", "used", "low", "high", "label", "hover"]

_LOOKS = {
    "pass": (theme.GREEN, "circle"),
    "fail": (theme.VERMILION, "x"),
    "not enough evidence": (theme.MUTED, "diamond-open"),
}
_AT_LEAST = ("availability", "mtu", "bandwidth")  # criteria with a lower limit
_LEAST, _MOST = 1e-3, 1e4  # ends of the axis


def service_levels_rows(judged: pd.DataFrame) -> pd.DataFrame:
    """Compute what the figure draws: a row for each criterion of each path."""
    rows = []
    for row in judged.to_dict("records"):
        ends = ("high", "low") if row["criterion"] in _AT_LEAST else ("low", "high")
        used, low, high = (_part(row["criterion"], row[name], row["limit"]) for name in ("estimate", *ends))
        name = NAMES[row["criterion"]].capitalize()
        needed = f"<br>needed: {theme.text(row['needed'])}" if row["needed"] else ""
        rows.append(
            {
                "path": str(row.get("path", "")),
                "criterion": str(row["criterion"]),
                "verdict": str(row["verdict"]),
                "used": used,
                "low": low,
                "high": high,
                "label": theme.label(f"{name}: {row['verdict']}"),
                "hover": f"<b>{name}: {theme.text(row['verdict'])}</b><br>{theme.text(row['evidence'])}{needed}",
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_service_levels(judged: pd.DataFrame) -> go.Figure:
    """Draw the share of each criterion's limit that was used, with its interval."""
    rows = service_levels_rows(judged)
    if rows.empty:
        return theme.empty("The table names no criterion.")
    fig, positions = theme.draw_rows(
        labels=rows["label"].tolist(),
        x_title="Measured relative to the limit (1 = at the limit)",
        legend_entries=4,
        headings=theme.group_starts([theme.label(path) for path in rows["path"]]),
    )
    rows = rows.assign(y=positions)
    fig.add_vline(x=1, line={"color": theme.INK, "width": 1, "dash": "dot"})
    for verdict, (colour, symbol) in _LOOKS.items():
        part = rows[rows["verdict"] == verdict]
        for row in part.to_dict("records"):
            low = _LEAST if math.isnan(row["low"]) else _drawn(row["low"])
            high = _MOST if math.isnan(row["high"]) else _drawn(row["high"])
            line = {"color": colour, "width": 4}
            fig.add_shape(
                type="line", x0=low, x1=high, y0=row["y"], y1=row["y"], line=line, opacity=0.55, layer="below"
            )
        known = part[part["used"].notna()]
        if part.empty:
            continue
        fig.add_scatter(
            x=[_drawn(path) for path in known["used"]],
            y=known["y"].tolist(),
            mode="markers",
            name=verdict,
            marker={"symbol": symbol, "size": 12, "color": colour, "line": {"color": theme.INK, "width": 1}},
            text=known["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    fig.update_xaxes(
        type="log", dtick=1, range=[math.log10(_LEAST) - 0.2, math.log10(_MOST) + 0.2], exponentformat="power"
    )
    return fig


def _drawn(part: float) -> float:
    return min(max(part, _LEAST), _MOST)


def _part(criterion: str, value: float | None, limit: float) -> float:
    """Share of the limit that is used; NaN if the value is missing."""
    if value is None or math.isnan(value):
        return math.nan
    if criterion == "availability":
        return math.inf if limit >= 1 else (1 - value) / (1 - limit)
    if criterion in ("mtu", "bandwidth"):
        return limit / value if value > 0 else math.inf
    return value / limit
