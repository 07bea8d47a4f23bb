"""Cost against throughput: the purchases that no other beats in both, and real builds."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.figures import theme
from hecn_analysis.planning.purchase.result import Purchase

COLUMNS = [
    *("name", "kind", "usd", "assumed_usd", "doubt_usd", "throughput_gbps", "low_gbps", "high_gbps", "at_least"),
    *("bottleneck_class", "hover"),
]

#: Lines of a bill in a hover text.
_LINES = 9


def purchase_front_rows(front: Iterable[Purchase], builds: pd.DataFrame | None = None) -> pd.DataFrame:
    """Compute what the figure draws: a row for each purchase of the front, and one for each build."""
    rows = [_purchase_row(purchase) for purchase in front]
    for build in [] if builds is None else builds.to_dict("records"):
        at_least = theme.is_true(build["measured_low_bound"])
        name, hosts = theme.text(build["build"]), theme.text(build["hosts"])
        rate = f"{'at least ' if at_least else ''}{theme.gbps(build['measured_bps'])} Gb/s"
        lines = (
            f"<b>{name}</b>, {build['year']}: ${build['price_usd']:,.0f} for {hosts}",
            f"measured {rate}, ${build['usd_per_gbps']:,.0f} per Gb/s",
            theme.place(build),
        )
        rows.append(
            {
                "name": build["build"],
                "kind": "built",
                "usd": build["price_usd"],
                "throughput_gbps": build["measured_bps"] * theme.GBPS,
                "at_least": at_least,
                "hover": "<br>".join(lines),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _purchase_row(purchase: Purchase) -> dict[str, object]:
    prediction = purchase.prediction
    bill = [
        f"{entry.quantity} {theme.text(entry.title or entry.part)} ({theme.text(entry.role)}): "
        f"${entry.quantity * entry.price_usd:,.0f}{' assumed' if entry.assumed else ''}"
        for entry in sorted(purchase.entries, key=lambda entry: -entry.quantity * entry.price_usd)
    ]
    if len(bill) > _LINES:
        bill = [*bill[: _LINES - 1], f"and {len(bill) - _LINES + 1} more"]
    assumed = f", of which ${purchase.assumed_usd:,.0f} assumed" if purchase.assumed_usd else ""
    lines = (
        f"<b>${purchase.usd:,.0f}</b>{assumed}: <b>{theme.gbps(prediction.throughput_bps)} Gb/s</b> predicted",
        f"limited by {theme.text(prediction.bottleneck)}",
        *bill,
    )
    return {
        "name": f"{theme.gbps(prediction.throughput_bps)} Gb/s",
        "kind": "assumed" if purchase.assumed_usd else "sourced",
        "usd": purchase.usd,
        "assumed_usd": purchase.assumed_usd,
        "doubt_usd": purchase.doubt_usd,
        "throughput_gbps": prediction.throughput_bps * theme.GBPS,
        "low_gbps": prediction.low_bps * theme.GBPS,
        "high_gbps": prediction.high_bps * theme.GBPS,
        "at_least": False,
        "bottleneck_class": prediction.bottleneck_class,
        "hover": "<br>".join(lines),
    }


def plot_purchase_front(front: Iterable[Purchase], builds: pd.DataFrame | None = None) -> go.Figure:
    """Draw throughput over price: a step line of the front with what binds at each point, and measured builds."""
    rows = purchase_front_rows(front, builds)
    if rows.empty:
        return theme.empty("Nothing can be bought.")
    fig = theme.figure(x_title="Price of both ends (USD)", height=460, showlegend=True)
    bought = rows[rows["kind"] != "built"]
    if len(bought):
        fig.add_scatter(
            x=bought["usd"].tolist(),
            y=bought["throughput_gbps"].tolist(),
            mode="lines",
            line={"shape": "hv", "color": theme.MUTED, "width": 1, "dash": "dot"},
            hoverinfo="skip",
            showlegend=False,
        )
    for (binds, kind), part in bought.groupby(["bottleneck_class", "kind"], sort=False):
        style = theme.style_of(binds)
        fig.add_scatter(
            x=part["usd"].tolist(),
            y=part["throughput_gbps"].tolist(),
            mode="markers",
            marker={
                "symbol": f"{style.symbol}-open" if kind == "assumed" else style.symbol,
                "size": 11,
                "color": style.colour,
                "line": {"width": 2, "color": style.colour if kind == "assumed" else theme.INK},
            },
            error_x={
                "type": "data",
                "array": part["doubt_usd"].tolist(),
                "visible": bool(kind == "assumed"),
                "color": style.colour,
                "thickness": 1,
            },
            name=f"predicted, {style.words} binds" + (", some prices assumed" if kind == "assumed" else ""),
            text=part["hover"].tolist(),
            hovertemplate="%{text}<extra></extra>",
        )
    for at_least, part in rows[rows["kind"] == "built"].groupby("at_least", sort=True):
        trace = theme.measured_trace(
            part["usd"].tolist(), part["throughput_gbps"].tolist(), part["hover"].tolist(), at_least=bool(at_least)
        )
        texts = {"text": part["name"].tolist(), "hovertext": part["hover"].tolist()}
        trace.update(
            mode="markers+text", textposition="top center", hovertemplate="%{hovertext}<extra></extra>", **texts
        )
        fig.add_trace(trace)
    fig.update_xaxes(tickprefix="$", tickformat=",.0f", rangemode="tozero")
    fig.update_yaxes(title_text="Throughput (Gb/s)", rangemode="tozero")
    return fig
