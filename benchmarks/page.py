"""Tables and figures of benchmarks/results.json, for docs/benchmarks.md: nothing is measured here.

A figure is drawn of a table: `pair_rows` and `plot_pairs`, `growth_rows`, `growth_points` and `plot_growth`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchmarks.deployment_model import BUSY, Costs, Line, Network, Plan, plan
from benchmarks.exponents import LEAST_BYTES, too_fast
from hecn_analysis.base import units
from hecn_analysis.figures import theme

#: The network of the question: 100,000 ports polled every 30 s for a year.
NATIONAL = Network(100_000, 30.0, 365.0)

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "star", "hexagon", "pentagon")

#: Rows of the comparison with the model: name of the amount, what it is, how it is written.
CHECKED = {
    "round_s": ("processor time of adding a round", units.format_time),
    "rounds_bytes": ("rounds that were added one by one, before they are compacted", units.format_bytes),
    "compact_s": ("processor time of compacting all days", units.format_time),
    "kept_bytes": ("all days, compacted", units.format_bytes),
    "query_s": ("processor time of both workers for all percentiles", units.format_time),
    "worker_bytes": ("memory of a worker, at most", units.format_bytes),
}


def facts(*sections: Mapping[str, Any]) -> str:
    """Say on what something was measured, a line for each day and commit: machine, versions, and how busy it was.

    Parameters
    ----------
    sections
        What has the key ``machine``.
    """
    loads: dict[str, list[float]] = {}
    for section in sections:
        machine = section["machine"]
        versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
        text = (
            f"{machine['time'][:10]}, commit {machine['commit']}: {machine['cores']} cores ({machine['cpu']}), "
            f"{units.format_bytes(machine['memory_bytes'])} of memory, {machine['system']}, "
            f"Python {machine['python']}, {versions}"
        )
        loads.setdefault(text, []).append(machine["load"])
    return "\n".join(f"{text}; load {min(busy):.0f} to {max(busy):.0f}." for text, busy in loads.items())


# --- pairs


def pair_rows(section: Mapping[str, Any]) -> pd.DataFrame:
    """Give a row for each pair: its ratio with quartiles, what is allowed, and what both took.

    Parameters
    ----------
    section
        ``pairs`` of the results.
    """
    rows = [
        {
            "ours": one["name"],
            "against": one["peer_name"],
            "ratio": one["ratio"],
            "low": one["ratio_quartiles"][0],
            "high": one["ratio_quartiles"][1],
            "allowed": one["target"],
            "met": one["ratio"] <= one["target"],
            "ours took": _amount(one["ours"], one["unit"]),
            "the other took": _amount(one["peer"], one["unit"]),
            "rounds": one["rounds"],
        }
        for one in section["results"]
    ]
    return pd.DataFrame(rows)


def _amount(value: float, unit: str) -> str:
    return units.format_time(value) if unit == "s" else f"{value:.0f} {unit}"


def plot_pairs(rows: pd.DataFrame) -> go.Figure:
    """Draw the ratio of each pair, with the quartiles of its rounds, and what is allowed.

    Parameters
    ----------
    rows
        Of `pair_rows`.
    """
    labels = [theme.label(f"{row.ours} / {row.against}", 60) for row in rows.itertuples()]
    fig, positions = theme.draw_rows(
        labels=labels, x_title="Processor time (or memory), ours / the other's", legend_entries=3
    )
    allowed = rows["allowed"].tolist()
    marks = {"symbol": "line-ns", "size": 16, "line": {"color": theme.INK, "width": 3}}
    fig.add_scatter(x=allowed, y=positions, mode="markers", name="allowed", marker=marks)
    for met, name, colour, symbol in ((True, "met", theme.BLUE, "circle"), (False, "missed", theme.VERMILION, "x")):
        part = rows[rows["met"] == met]
        fig.add_scatter(
            x=part["ratio"].tolist(),
            y=[positions[number] for number in part.index],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 11, "color": colour},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": (part["high"] - part["ratio"]).tolist(),
                "arrayminus": (part["ratio"] - part["low"]).tolist(),
                "color": colour,
            },
            hovertemplate="%{x:.3g}<extra></extra>",
        )
    return fig.update_xaxes(type="log")


# --- growth


def _exponent(fitted: Mapping[str, Any]) -> str:
    if fitted["exponent"] is None:
        return "–"
    return f"{fitted['exponent']:.2f} ± {fitted['standard_error']:.2f}"


def growth_rows(section: Mapping[str, Any]) -> pd.DataFrame:
    """Give a row for each curve: its sizes, the exponents of time and memory, and what the largest size took.

    Parameters
    ----------
    section
        ``growth`` of the results.
    """
    rows = []
    for name, curve in section["curves"].items():
        first, last, fits = curve["points"][0], curve["points"][-1], curve["fits"]
        rows.append(
            {
                "curve": name,
                "job": curve["what"],
                "sizes": f"{first['size']:,} to {last['size']:,} {curve['unit']}",
                "time, all sizes": _exponent(fits["time_s"]),
                "time, last decade": _exponent(fits["time_s_top"]),
                "memory, all sizes": _exponent(fits["added_bytes"]),
                "memory, last decade": _exponent(fits["added_bytes_top"]),
                "time of the largest": units.format_time(last["time_s"]),
                "memory of the largest": units.format_bytes(last["peak_bytes"]),
                "too fast": ", ".join(too_fast({name: curve})) or "no",
                "reason": curve["reason"] or "–",
            }
        )
    return pd.DataFrame(rows)


def growth_points(section: Mapping[str, Any]) -> pd.DataFrame:
    """Give a row for each size of each curve.

    Parameters
    ----------
    section
        ``growth`` of the results.
    """
    rows = [
        {"curve": f"{name} ({curve['unit']})", **point}
        for name, curve in section["curves"].items()
        for point in curve["points"]
    ]
    return pd.DataFrame(rows)


def plot_growth(points: pd.DataFrame, amount: str) -> go.Figure:
    """Draw an amount against size, both by decades, a line for each curve.

    Parameters
    ----------
    points
        Of `growth_points`.
    amount
        ``time_s`` or ``added_bytes``.
    """
    title, scale = {
        "time_s": ("Processor time (s)", 1.0),
        "added_bytes": ("Memory beyond what was there before (MB)", 1e-6),
    }[amount]
    curves = list(points.groupby("curve", sort=False))
    fig = theme.figure(x_title="Size", showlegend=True, height=460 + 22 * -(-len(curves) // 2))
    for (name, part), symbol in zip(curves, itertools.cycle(SYMBOLS), strict=False):
        shown = part[part[amount] > (LEAST_BYTES if amount == "added_bytes" else 0)]
        fig.add_scatter(
            x=shown["size"].tolist(),
            y=(shown[amount] * scale).tolist(),
            mode="lines+markers",
            name=theme.text(name),
            marker={"symbol": symbol, "size": 8},
            hovertemplate="%{x:,}: %{y:.3g}<extra></extra>",
        )
    fig.update_yaxes(title_text=title, type="log")
    return fig.update_xaxes(type="log")


# --- the deployment


def costs_of(section: Mapping[str, Any]) -> Costs:
    """Give the costs that were fitted.

    Parameters
    ----------
    section
        ``deployment`` of the results.
    """
    return Costs(**{name: None if cost is None else Line(**cost) for name, cost in section["costs"].items()})


def cost_rows(costs: Costs) -> pd.DataFrame:
    """Give a row for each cost: what is there once, and what each port or reading adds."""
    named = {
        "poll_s": ("poll a round", "port", units.format_time),
        "add_s": ("add a round to an archive", "reading", units.format_time),
        "round_bytes": ("disk of a round before compaction", "reading", units.format_bytes),
        "compact_s": ("compact a day", "reading", units.format_time),
        "compact_bytes": ("memory of compacting a day", "reading", units.format_bytes),
        "day_bytes": ("disk of a day after it", "reading", units.format_bytes),
        "read_s": ("read rows", "row that is read", units.format_time),
        "query_s": ("rates, flags and percentiles", "reading", units.format_time),
        "worker_bytes": ("memory of a worker", "reading of a share", units.format_bytes),
    }
    rows = []
    for name, (what, each, written) in named.items():
        cost: Line | None = getattr(costs, name)
        if cost is not None:
            rows.append({"cost": what, "once": written(cost.once), "and for each": each, "more": written(cost.each)})
    return pd.DataFrame(rows)


def plan_rows(found: Plan) -> pd.DataFrame:
    """Give a row for each amount of a plan."""
    rows = {
        "readings that are kept": f"{found.samples:.3g}",
        "readings that come": f"{found.samples_per_s:,.0f} /s",
        "archives": f"{found.archives}",
        "pollers": "not measured" if math.isnan(found.poller_cores) else f"{found.pollers}",
        "disk of a day of one archive": units.format_bytes(found.archive_day_bytes),
        "written before compaction": f"{units.format_bytes(found.written_bytes_per_s)}/s",
        "disk of everything": units.format_bytes(found.storage_bytes),
        "cores that poll": "not measured" if math.isnan(found.poller_cores) else f"{found.poller_cores:.1f}",
        "cores that add": f"{found.adding_cores:.2f}",
        "cores that compact": f"{found.compacting_cores:.2f}",
        "rows that are read for a reading": f"{found.read_times:.2f}",
        "processor time of the percentiles": f"{found.query_core_s / 3600:.1f} core hours",
        "workers of a core each": f"{found.workers}",
        "memory of each": units.format_bytes(found.worker_bytes),
        "time of the answer": f"{found.query_s / 60:.0f} min",
        "what storage gives them meanwhile": f"{units.format_bytes(found.query_bytes_per_s)}/s",
    }
    return pd.DataFrame(rows.items(), columns=["amount", f"with cores busy to {BUSY:.0%}"])


def check_rows(section: Mapping[str, Any]) -> pd.DataFrame:
    """Give a row for each amount of the small run: expected, measured, and the ratio of both.

    Parameters
    ----------
    section
        ``deployment`` of the results.
    """
    measured, expected = section["check"]["measured"], section["check"]["expected"]
    return pd.DataFrame(
        {
            "amount": what,
            "model": written(expected[name]),
            "measured": written(measured[name]),
            "measured / model": f"{measured[name] / expected[name]:.2f}",
        }
        for name, (what, written) in CHECKED.items()
    )


def national(section: Mapping[str, Any], **asked: float) -> pd.DataFrame:
    """Give the plan for `NATIONAL` with the measured costs, as `plan_rows` has it.

    Parameters
    ----------
    section
        ``deployment`` of the results.
    asked
        As `benchmarks.deployment_model.plan` takes them.
    """
    return plan_rows(plan(NATIONAL, costs_of(section), **asked))
