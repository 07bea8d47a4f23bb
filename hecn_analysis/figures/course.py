"""How runs went over time: rate with what would limit it, and below it windows, round-trip time and retransmits.

The panels share the axis of time. A panel of which no run says anything is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hecn_analysis.base import units
from hecn_analysis.diagnosis.courses import RunCourse
from hecn_analysis.figures import rate_axis, theme

COLUMNS = ["run", "panel", "what", "t_s", "step_s", "value", "hover"]

#: Runs that are drawn, and points of each; longer ones are averaged.
MOST_RUNS: Final = 6
MOST_POINTS: Final = 300

#: Limits and expected rates further than this above the largest rate are not drawn: the rate would lie on the axis.
IN_SIGHT: Final = 5.0

_DASHES: Final = {"congestion window": "solid", "in flight": "dot", "advertised window": "dash"}

#: Panels from top to bottom, and what each shows of a course.
_PANELS: Final[Mapping[str, Mapping[str, str]]] = {
    "rate": {"rate_bps": "rate"},
    "window": {"cwnd_bytes": "congestion window", "flight_bytes": "in flight", "window_bytes": "advertised window"},
    "rtt": {"rtt_s": "RTT"},
    "retransmits": {"retransmits": "retransmits"},
}
_HEIGHTS: Final = {"rate": 260, "window": 150, "rtt": 110, "retransmits": 110}
_GAP, _ROOM = 26, 64  # between panels, and for the axis below them [px]
_TOOLS: Final = 30  # above them, where the buttons of the page stand [px]
_LABEL: Final = 17  # height of the label of a limit [px]

#: Advertised windows further than this above all others are left out. [1]
_FAR: Final = 3.0

#: Limits that differ by less share a line. [1]
_SAME: Final = 0.01


def course_rows(courses: Sequence[RunCourse]) -> pd.DataFrame:
    """Compute what the figure draws: a row for each value of each of the first runs, in SI units."""
    parts = [
        _known(table, column).assign(run=theme.text(each.run), panel=panel, what=what)
        for each in courses[:MOST_RUNS]
        for table in [_averaged(each.course)]
        for panel, shown in _PANELS.items()
        for column, what in shown.items()
        if table[column].notna().any()
    ]
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    resent = rows[rows["panel"] == "retransmits"]
    if not (resent["value"].astype(float) > 0).any():
        rows = rows.drop(resent.index)
    rows = rows.drop(_far_windows(rows).index)
    rows["hover"] = [
        f"<b>{run}</b><br>{at:.4g} s: {what} {_written(panel, value)}"
        for run, panel, what, at, value in zip(
            *(rows[name] for name in ("run", "panel", "what", "t_s", "value")), strict=True
        )
    ]
    return rows[COLUMNS].reset_index(drop=True)


def _far_windows(rows: pd.DataFrame) -> pd.DataFrame:
    """Advertised windows that lie so far above what is in flight that they would press it onto the axis."""
    offered = rows["what"] == "advertised window"
    others = rows[(rows["panel"] == "window") & ~offered]
    if others.empty or not offered.any() or rows.loc[offered, "value"].min() <= _FAR * others["value"].max():
        return rows.iloc[:0]
    return rows[offered]


def _known(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Middle and length of each interval of which a value is known, and the value."""
    known = table[table[column].notna()].astype(float)
    start, end = known["t_start_s"], known["t_end_s"]
    return pd.DataFrame({"t_s": (start + end) / 2, "step_s": end - start, "value": known[column]})


def _averaged(course: pd.DataFrame) -> pd.DataFrame:
    """Course of at most `MOST_POINTS`: means, and sums of the retransmits."""
    if len(course) <= MOST_POINTS:
        return course
    part = np.arange(len(course)) * MOST_POINTS // len(course)
    groups = course.groupby(part)
    return groups.mean().assign(
        t_start_s=groups["t_start_s"].min(),
        t_end_s=groups["t_end_s"].max(),
        retransmits=groups["retransmits"].sum(min_count=1),
    )


def _written(panel: str, value: float) -> str:
    writes: dict[str, Callable[..., str]] = {
        "rate": units.format_rate,
        "window": units.format_bytes,
        "rtt": units.format_time,
    }
    return writes[panel](value) if panel in writes else f"{value:.0f}"


def plot_course(
    courses: Sequence[RunCourse],
    limits: Mapping[str, float] = MappingProxyType({}),
    expected_bps: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw runs over time, with a line across for each limit [bit/s], by its name, and a band for what is expected."""
    rows = course_rows(courses)
    if rows.empty:
        return theme.empty("No file gives rates over time.")
    names, panels = list(dict.fromkeys(rows["run"])), list(dict.fromkeys(rows["panel"]))
    panels.sort(key=list(_PANELS).index)
    rates = rows.loc[rows["panel"] == "rate", "value"].astype(float)
    sight_bps = IN_SIGHT * float(rates.max())
    lines = _merged({name: limit for name, limit in limits.items() if 0 < limit <= sight_bps})
    if expected_bps is not None and expected_bps[0] > sight_bps:
        expected_bps = None
    largest = max(float(rates.max()), *(limit for _, limit in lines), *(expected_bps or (0.0,)), 0.0)
    fig = theme.figure(x_title="", showlegend=True, barmode="overlay", hovermode="closest")
    scales = _axes(fig, panels, rows, min(largest, sight_bps))
    end_s = float(rows["t_s"].max())
    if expected_bps is not None:
        _band(fig, expected_bps, end_s, scales["rate"])
    for _, part in rows.groupby(["panel", "run", "what"], sort=False):
        panel, run = str(part["panel"].iloc[0]), str(part["run"].iloc[0])
        number = names.index(run)
        place = "y" if panel == panels[0] else f"y{panels.index(panel) + 1}"
        if panel == "retransmits":
            _bars(fig, part, place, (number, len(names)))
        else:
            _line(fig, part, (place, scales[panel]), theme.LINES[number])
    _keys(fig, rows)
    _limit_lines(fig, lines, rows[rows["panel"] == "rate"], scales["rate"])
    entries = len(names) + len(_DASHES) + (expected_bps is not None)
    fig.update_layout(height=fig.layout.height + 22 * -(-entries // 2))
    return fig


def _merged(limits: Mapping[str, float]) -> list[tuple[str, float]]:
    """Limits from the lowest up; names of those that are nearly the same stand together."""
    merged: list[tuple[str, float]] = []
    for name, limit in sorted(limits.items(), key=lambda item: item[1]):
        if merged and limit <= (1 + _SAME) * merged[-1][1]:
            merged[-1] = (f"{merged[-1][0]}, {name}", merged[-1][1])
        else:
            merged.append((name, limit))
    return merged


def _axes(fig: go.Figure, panels: Sequence[str], rows: pd.DataFrame, largest_bps: float) -> dict[str, float]:
    """Lay out the panels, and give the factor from SI to the unit of each."""
    heights = [_HEIGHTS[panel] for panel in panels]
    whole = sum(heights) + _GAP * (len(panels) - 1)
    scales, top = {}, float(whole)
    for number, (panel, height) in enumerate(zip(panels, heights, strict=True)):
        values = rows.loc[rows["panel"] == panel, "value"].astype(float)
        title, scales[panel] = _unit(panel, largest_bps if panel == "rate" else float(values.max()))
        suffix = "" if number == 0 else str(number + 1)
        axis: dict[str, Any] = {
            "domain": [max((top - height) / whole, 0.0), top / whole],
            "title": {"text": title, "font": {"size": 12, "color": theme.MUTED}},
            "rangemode": "tozero",
            "zeroline": True,
            "zerolinecolor": theme.MUTED,
            "nticks": 6 if panel == "rate" else 4,
            "anchor": "x",
        }
        if panel == "rate":
            axis["range"] = [0, 1.06 * largest_bps * scales[panel]]
        fig.update_layout({f"yaxis{suffix}": axis})
        top -= height + _GAP
    bottom = "y" if len(panels) == 1 else f"y{len(panels)}"
    words = {"text": "Time since the start of the run (s)", "font": {"size": 12, "color": theme.MUTED}}
    time = {"anchor": bottom, "title": words, "rangemode": "tozero"}
    fig.update_layout(height=whole + _ROOM + _TOOLS, margin={"t": _TOOLS}, xaxis=time)
    return scales


def _unit(panel: str, largest: float) -> tuple[str, float]:
    """Title of the axis of a panel, and the factor from SI to its unit."""
    if panel == "rate":
        unit, factor = rate_axis.unit_of(largest * theme.GBPS)
        return f"Throughput ({unit})", factor * theme.GBPS
    if panel == "window":
        unit, size = next(pair for pair in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 0.0)) if largest >= pair[1])
        return f"Window ({unit})", 1 / (size or 1.0)
    return ("RTT (ms)", 1e3) if panel == "rtt" else ("Retransmits", 1.0)


def _line(fig: go.Figure, part: pd.DataFrame, axis: tuple[str, float], colour: str) -> None:
    """Draw one quantity of one run; the line of its rate stands in the legend."""
    place, scale = axis
    panel, run, what = (str(part[name].iloc[0]) for name in ("panel", "run", "what"))
    fig.add_scatter(
        x=part["t_s"].tolist(),
        y=(part["value"] * scale).tolist(),
        yaxis=place,
        name=run,
        legendgroup=run,
        showlegend=panel == "rate",
        mode="lines+markers" if len(part) < 30 else "lines",
        line={"color": colour, "dash": _DASHES.get(what, "solid"), "width": 1.8 if panel == "rate" else 1.4},
        marker={"size": 4, "color": colour},
        text=part["hover"].tolist(),
        hovertemplate="%{text}<extra></extra>",
    )


def _bars(fig: go.Figure, part: pd.DataFrame, place: str, which: tuple[int, int]) -> None:
    """Draw the retransmits of a run, its bars beside those of the others."""
    number, of = which
    width = 0.8 * part["step_s"] / of
    run = str(part["run"].iloc[0])
    fig.add_bar(
        x=part["t_s"].tolist(),
        y=part["value"].tolist(),
        width=width.tolist(),
        offset=((number - of / 2) * width).tolist(),
        yaxis=place,
        name=run,
        legendgroup=run,
        showlegend=False,
        marker={"color": theme.LINES[number], "line": {"width": 0}},
        text=part["hover"].tolist(),
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
    )


def _keys(fig: go.Figure, rows: pd.DataFrame) -> None:
    """Label the lines of the windows in the legend, if there are several."""
    shown = [what for what in _DASHES if (rows["what"] == what).any()]
    for what in shown:
        line = {"color": theme.MUTED, "dash": _DASHES[what], "width": 1.4}
        fig.add_scatter(x=[None], y=[None], mode="lines", name=what, line=line, legendrank=1001, hoverinfo="skip")


def _band(fig: go.Figure, expected_bps: tuple[float, float], end_s: float, scale: float) -> None:
    low, high = expected_bps
    words = f"expected: {units.format_rate(low)} to {units.format_rate(high)}"
    fig.add_scatter(
        x=[0.0, end_s, end_s, 0.0],
        y=[low * scale, low * scale, high * scale, high * scale],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=theme.BAND,
        name=words,
        legendrank=1002,
        hoverinfo="skip",
    )


def _limit_lines(fig: go.Figure, lines: Sequence[tuple[str, float]], rates: pd.DataFrame, scale: float) -> None:
    """Draw limits across the panel of the rate; no label stands over another, and each where fewer rates pass."""
    top = float(fig.layout.yaxis.range[1])
    height = _LABEL * top / _HEIGHTS["rate"]
    end_s = float(rates["t_s"].max())
    foot = 0.0
    for name, limit_bps in lines:
        level = limit_bps * scale
        words = f"{theme.text(name)}: {units.format_rate(limit_bps)}"
        fig.add_scatter(
            x=[0.0, end_s],
            y=[level, level],
            mode="lines",
            name=words,
            showlegend=False,
            line={"color": theme.INK, "dash": "dash", "width": 1.2},
            hovertemplate=f"{words}<extra></extra>",
        )
        spot, foot = _spot(rates.assign(value=rates["value"] * scale), (level, height, foot), end_s)
        label = {"text": words, "showarrow": False, "bgcolor": theme.PAPER, "borderpad": 1, **spot}
        fig.add_annotation(label | {"font": {"size": 11, "color": theme.INK}})
    if foot > top:
        fig.update_layout(yaxis={"range": [0, foot * 1.02]})


def _spot(rates: pd.DataFrame, at: tuple[float, float, float], end_s: float) -> tuple[dict[str, Any], float]:
    """Place of a label at a level, above what is taken, where the fewest rates pass; and what is taken then."""
    level, height, taken = at
    heights = [(max(level, taken), "bottom"), *([(level, "top")] if level - height >= taken else [])]
    spots = []
    for y, anchor in heights:
        low = y if anchor == "bottom" else y - height
        near = rates.loc[rates["value"].between(low - height / 2, low + 1.5 * height), "t_s"]
        taken_then = y + height if anchor == "bottom" else level
        for many, x, side in ((near > end_s * 2 / 3, end_s, "right"), (near < end_s / 3, 0.0, "left")):
            spots.append((int(many.sum()), {"x": x, "xanchor": side, "y": y, "yanchor": anchor}, taken_then))
    return min(spots, key=lambda spot: spot[0])[1:]
