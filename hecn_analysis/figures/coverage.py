"""How often measurements lie inside intervals of a given probability: nominal against observed, by mode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from hecn_analysis.base import units
from hecn_analysis.figures import theme

COLUMNS = ["mode", "nominal_percent", "observed_percent", "low_percent", "high_percent", "rows", "hover"]
NOMINAL = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)

_Z90 = float(stats.norm.ppf(0.95))
_STYLES = (
    (theme.BLUE, "circle"),
    (theme.VERMILION, "square"),
    (theme.GREEN, "diamond"),
)


def coverage_rows(validation: pd.DataFrame, *, nominal: Sequence[float] = NOMINAL) -> pd.DataFrame:
    """Compute what the figure draws: the share of measurements inside, for each mode and nominal probability."""
    rows = []
    for mode, mode_rows in validation[validation["error"].notna()].groupby("mode", sort=False):
        log_error = np.log((mode_rows["measured_bps"] / mode_rows["predicted_bps"]).to_numpy(dtype=float))
        side = np.where(log_error > 0, mode_rows["high_bps"], mode_rows["low_bps"]).astype(float)
        half_width = np.abs(np.log(side / mode_rows["predicted_bps"].to_numpy(dtype=float)))
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(log_error == 0, 0.0, np.abs(log_error) / half_width * _Z90)
        name = theme.text(mode)
        for probability in nominal:
            stated = units.format_probability(probability)
            inside = int((z <= stats.norm.ppf((1 + probability) / 2)).sum())
            rows.append(
                {
                    "mode": str(mode),
                    "nominal_percent": 100 * probability,
                    **observed(inside, len(z)),
                    "rows": len(z),
                    "hover": f"<b>{name}</b><br>{inside} of {len(z)} inside an interval of {stated}",
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def plot_coverage(validation: pd.DataFrame, *, nominal: Sequence[float] = NOMINAL) -> go.Figure:
    """Draw the observed against the nominal share inside the interval; below the line, intervals are too narrow."""
    rows = coverage_rows(validation, nominal=nominal)
    if rows.empty:
        return theme.empty("No measurement has an error.")
    fig = theme.figure(x_title="Probability of the interval (%)", showlegend=True, height=420)
    ends = [100 * min(nominal) - 5, 100]
    add_diagonal(fig, ends)
    for number, (mode, part) in enumerate(rows.groupby("mode", sort=False)):
        add_shares(fig, part.rename(columns={"nominal_percent": "stated_percent"}), theme.text(mode), number)
    fig.update_xaxes(range=ends)
    fig.update_yaxes(range=[0, 102], title={"text": "Measurements inside (%)", "font": {"size": 12}})
    return fig


def add_diagonal(fig: go.Figure, ends: Sequence[float]) -> None:
    """Draw the line on which shares are as stated."""
    line = {"color": theme.MUTED, "width": 1, "dash": "dash"}
    fig.add_scatter(x=list(ends), y=list(ends), mode="lines", name="as stated", line=line, hoverinfo="skip")


def add_shares(fig: go.Figure, rows: pd.DataFrame, name: str, number: int) -> None:
    """Draw observed against stated shares with their intervals, in the style of a number."""
    colour, symbol = _STYLES[number % len(_STYLES)]
    fig.add_scatter(
        x=rows["stated_percent"].tolist(),
        y=rows["observed_percent"].tolist(),
        mode="lines+markers",
        name=name,
        line={"color": colour, "width": 1},
        marker={"symbol": symbol, "size": 9, "color": colour, "line": {"color": theme.INK, "width": 1}},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": (rows["high_percent"] - rows["observed_percent"]).tolist(),
            "arrayminus": (rows["observed_percent"] - rows["low_percent"]).tolist(),
            "color": colour,
            "thickness": 1,
            "width": 3,
        },
        text=rows["hover"].tolist(),
        hovertemplate="%{text}<extra></extra>",
    )


def observed(right: int, count: int) -> dict[str, float]:
    """Share of the right ones with its interval of 90 % by Wilson's method [%]."""
    interval = stats.binomtest(right, count).proportion_ci(0.9, method="wilson")
    return {
        "observed_percent": 100 * right / count,
        "low_percent": 100 * float(interval.low),
        "high_percent": 100 * float(interval.high),
    }
