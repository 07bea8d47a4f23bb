"""Axes of rates: figures are drawn in Gb/s, and written in Mb/s or kb/s where all of one is small."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

import plotly.graph_objects as go

_LEAST_GBPS = 0.5  # an axis that ends below is in Mb/s
_WORDS = ("text", "hovertemplate")
_IN_GBPS = re.compile(r"(?<![\w.])(\d[\d.]*(?:e[+-]?\d+)?) Gb/s")


def gbps_axis(fig: go.Figure, largest_gbps: float) -> None:
    """Let the horizontal throughput axis start at 0 and end a little beyond the largest value, in a unit that fits."""
    fig.update_xaxes(range=[0, largest_gbps * 1.08 or 1.0])
    fit_unit(fig, "x", largest_gbps)


def fit_unit(fig: go.Figure, axis: Literal["x", "y"], largest_gbps: float) -> None:
    """Write a figure that was drawn in Gb/s in Mb/s or kb/s where all of it is small."""
    if not 0 < largest_gbps < _LEAST_GBPS:
        return
    unit, factor = ("Mb/s", 1e3) if largest_gbps >= _LEAST_GBPS / 1e3 else ("kb/s", 1e6)

    for trace in fig.data:
        trace.update(_scaled({name: trace[name] for name in (axis, f"error_{axis}", *_WORDS)}, axis, unit, factor))
    for mark in (*fig.layout.shapes, *fig.layout.annotations):
        if "text" in mark:
            mark.text = _in_unit(mark.text, unit, factor)
        if re.fullmatch(rf"{axis}\d*", mark[f"{axis}ref"] or axis):
            places = [name for name in (f"{axis}0", f"{axis}1", axis) if name in mark and mark[name] is not None]
            mark.update({name: mark[name] * factor for name in places})
    for one in fig.select_xaxes() if axis == "x" else fig.select_yaxes():
        one.title.text = _in_unit(one.title.text, unit, factor)
        if one.range is not None:
            one.range = [end + math.log10(factor) if one.type == "log" else end * factor for end in one.range]


def _scaled(part: Mapping[str, Any], axis: str, unit: str, factor: float) -> dict[str, Any]:
    """Give values, errors and words of a trace in a smaller unit."""
    errors = {
        name: [one * factor for one in part[f"error_{axis}"][name]]
        for name in ("array", "arrayminus")
        if part[f"error_{axis}"][name] is not None
    }
    return {
        axis: [None if one is None else one * factor for one in part[axis]],
        f"error_{axis}": errors,
        **{name: _in_unit(part[name], unit, factor) for name in _WORDS if part[name] is not None},
    }


def _in_unit(words: Any, unit: str, factor: float) -> Any:  # noqa: ANN401 - words, several, or none
    """Give words with rates in a smaller unit."""
    if isinstance(words, list | tuple):
        return [_in_unit(one, unit, factor) for one in words]
    if not isinstance(words, str):
        return words
    return _IN_GBPS.sub(lambda match: f"{float(match[1]) * factor:.4g} {unit}", words).replace("Gb/s", unit)
