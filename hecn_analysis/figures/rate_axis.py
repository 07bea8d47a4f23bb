"""Axes of rates: figures are drawn in Gb/s, and rewritten in Mb/s or kb/s if all rates are small."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

import plotly.graph_objects as go

_LEAST_GBPS = 0.5  # an axis that ends below this is in Mb/s
_WORDS = ("text", "hovertemplate")
_IN_GBPS = re.compile(r"(?<![\w.])(\d[\d.]*(?:e[+-]?\d+)?) Gb/s")


def gbps_axis(fig: go.Figure, largest_gbps: float) -> None:
    """Start the horizontal throughput axis at 0, end it a little beyond the largest value, and choose its unit."""
    fig.update_xaxes(range=[0, largest_gbps * 1.08 or 1.0])
    fit_unit(fig, "x", largest_gbps)


def fit_unit(fig: go.Figure, axis: Literal["x", "y"], largest_gbps: float) -> None:
    """Convert a figure drawn in Gb/s to Mb/s or kb/s if all its rates are small."""
    unit, factor = unit_of(largest_gbps)
    if factor == 1:
        return
    for trace in fig.data:
        trace.update(_scaled({name: trace[name] for name in (axis, f"error_{axis}", *_WORDS)}, axis, unit, factor))
    for shape in (*fig.layout.shapes, *fig.layout.annotations):
        if "text" in shape:
            shape.text = _in_unit(shape.text, unit, factor)
        if re.fullmatch(rf"{axis}\d*", shape[f"{axis}ref"] or axis):
            coordinates = [name for name in (f"{axis}0", f"{axis}1", axis) if name in shape and shape[name] is not None]
            shape.update({name: shape[name] * factor for name in coordinates})
    for plot_axis in fig.select_xaxes() if axis == "x" else fig.select_yaxes():
        plot_axis.title.text = _in_unit(plot_axis.title.text, unit, factor)
        if plot_axis.range is not None:
            is_log = plot_axis.type == "log"
            plot_axis.range = [end + math.log10(factor) if is_log else end * factor for end in plot_axis.range]


def unit_of(largest_gbps: float) -> tuple[str, float]:
    """Unit of an axis that ends at a rate, and the factor from Gb/s to it."""
    if not 0 < largest_gbps < _LEAST_GBPS:
        return "Gb/s", 1.0
    return ("Mb/s", 1e3) if largest_gbps >= _LEAST_GBPS / 1e3 else ("kb/s", 1e6)


def _scaled(part: Mapping[str, Any], axis: str, unit: str, factor: float) -> dict[str, Any]:
    """Values, errors and texts of a trace in a smaller unit."""
    errors = {
        name: [value * factor for value in part[f"error_{axis}"][name]]
        for name in ("array", "arrayminus")
        if part[f"error_{axis}"][name] is not None
    }
    return {
        axis: [None if value is None else value * factor for value in part[axis]],
        f"error_{axis}": errors,
        **{name: _in_unit(part[name], unit, factor) for name in _WORDS if part[name] is not None},
    }


def _in_unit(words: Any, unit: str, factor: float) -> Any:  # noqa: ANN401 - words, several, or none
    """A text, or several, with rates in a smaller unit."""
    if isinstance(words, list | tuple):
        return [_in_unit(part, unit, factor) for part in words]
    if not isinstance(words, str):
        return words
    return _IN_GBPS.sub(lambda match: f"{float(match[1]) * factor:.4g} {unit}", words).replace("Gb/s", unit)
