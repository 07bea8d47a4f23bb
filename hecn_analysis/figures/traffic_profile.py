"""The typical day of a port: mean, median and 95th percentile of each hour, in local time."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme
from hecn_analysis.traffic.utilisation import profile

COLUMNS = ["direction", "hour", "mean_gbps", "median_gbps", "p95_gbps", "slots", "hover"]


def traffic_profile_rows(rates: pd.DataFrame, *, zone: str = "UTC", slot_s: float = 300.0) -> pd.DataFrame:
    """Compute what the figure draws: a row for each direction and hour."""
    day = profile(rates, zone=zone, slot_s=slot_s)
    rows = []
    for name in ("in", "out"):
        for hour in day.to_dict("records"):
            mean, median, p95 = (hour[f"{what}_{name}_bps"] * theme.GBPS for what in ("mean", "median", "p95"))
            rows.append(
                {
                    "direction": name,
                    "hour": int(hour["hour"]),
                    "mean_gbps": mean,
                    "median_gbps": median,
                    "p95_gbps": p95,
                    "slots": int(hour["slots"]),
                    "hover": f"<b>{hour['hour']:02}:00 to {hour['hour'] + 1:02}:00, {name}</b><br>mean {mean:.4g}, "
                    f"median {median:.4g}, 95th percentile {p95:.4g} Gb/s<br>{hour['slots']} slots",
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_traffic_profile(rates: pd.DataFrame, *, zone: str = "UTC", slot_s: float = 300.0) -> go.Figure:
    """Draw the typical day: the mean of each hour as a line, the 95th percentile as a thin one."""
    rows = traffic_profile_rows(rates, zone=zone, slot_s=slot_s)
    if rows.empty:
        return theme.empty("No rate is known.")
    fig = theme.figure(x_title=f"Hour of the day ({theme.text(zone)})", height=360, showlegend=True)
    looks = {"in": (theme.BLUE, "circle"), "out": (theme.GREEN, "square")}
    for name, (colour, symbol) in looks.items():
        part = rows[rows["direction"] == name]
        for column, words, dash in (("mean_gbps", "mean", "solid"), ("p95_gbps", "95th percentile", "dot")):
            fig.add_scatter(
                x=part["hour"].tolist(),
                y=part[column].tolist(),
                name=f"{name}, {words}",
                mode="lines+markers" if dash == "solid" else "lines",
                line={"color": colour, "width": 2 if dash == "solid" else 1, "dash": dash},
                marker={"symbol": symbol, "size": 6},
                text=part["hover"].tolist(),
                hovertemplate="%{text}<extra></extra>",
            )
    fig.update_xaxes(range=[-0.5, 23.5], dtick=3)
    fig.update_yaxes(title_text="Rate (Gb/s)", rangemode="tozero")
    return fig
