"""Table and figure of upkeep/strangers_scores.json, for docs/model.md: nothing is predicted here.

The file holds numbers alone: scores of each category, and of each published result its category, and predicted rate
and interval over the measured rate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme

_COLOURS: Final = (theme.BLUE, theme.VERMILION, theme.GREEN, theme.PURPLE, theme.SKY, theme.ORANGE)

SCORES: Final = Path(__file__).with_name("strangers_scores.json")


def write(found: pd.DataFrame, scores: pd.DataFrame, pairs: Mapping[str, float]) -> None:
    """Write what the page shows of `strangers.table`, `strangers.summary` and `strangers.pairs`."""
    good = found[found["low"].notna() & found["measured"].notna()]
    ratios = good[["low", "predicted", "high"]].sub(good["measured"], axis=0).clip(-9, 9)
    rows = np.exp(ratios).map(lambda value: float(f"{value:.3g}")).assign(category=good["category"])
    kept = {
        "scores": [_plain(line) for line in scores.to_dict("records")],
        "pairs": _plain(dict(pairs)),
        "rows": [list(row) for row in rows[["category", "low", "predicted", "high"]].itertuples(index=False)],
    }
    SCORES.write_text(json.dumps(kept, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


def _plain(line: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: None
        if isinstance(value, float) and np.isnan(value)
        else round(value, 3)
        if isinstance(value, float)
        else value
        for key, value in line.items()
    }


def kept() -> dict[str, Any]:
    """What the last `make strangers` wrote."""
    return dict(json.loads(SCORES.read_text(encoding="utf-8")))


def scores() -> pd.DataFrame:
    """Scores of each category: a row each, the last one for all."""
    return pd.DataFrame(kept()["scores"])


def plot(rows: Sequence[Sequence[Any]]) -> go.Figure:
    """Draw predicted over measured rate of each result with its interval, by category."""
    frame = pd.DataFrame(rows, columns=["category", "low", "predicted", "high"])
    frame = frame.sort_values(["category", "predicted"]).reset_index(drop=True)
    figure = theme.figure(x_title="published results, by category and ratio", height=460)
    for number, (category, group) in enumerate(frame.groupby("category", sort=True)):
        figure.add_trace(
            go.Scatter(
                x=group.index,
                y=group["predicted"],
                mode="markers",
                marker={"size": 4, "color": _COLOURS[number % len(_COLOURS)]},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": group["high"] - group["predicted"],
                    "arrayminus": group["predicted"] - group["low"],
                    "thickness": 1,
                    "width": 0,
                },
                name=str(category),
            )
        )
    figure.add_hline(y=1, line={"width": 1, "dash": "dot"})
    figure.update_yaxes(type="log", title="predicted over measured", range=[-2.5, 2.5])
    figure.update_xaxes(showticklabels=False)
    return figure


__all__ = ["kept", "plot", "scores", "write"]
