"""Losses of arrays that their description omits. Data in ``models/arrays.yaml``."""

from __future__ import annotations

from functools import cache

from hecn_analysis.base import places, units
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.quantity import SHOWN_UNIT, Parameter

_DIMENSIONS: dict[str, units.Dimension] = {
    "doubling_loss": "fraction",
    "ceiling": "rate",
    "latency": "time",
    "request": "bytes",
    "sustained": "fraction",
    "complete_stripes": "fraction",
}


@cache
def assumed(subject: str, kind: str = "") -> Parameter:
    """Assumed value of a subject, for one kind of array or disk."""
    entries = yaml_file.load(places.models_dir() / "arrays.yaml").values[subject]
    entry = entries[kind] if kind else entries
    dimension = _DIMENSIONS[subject]
    return Parameter(
        value=units.parse(entry["value"], dimension),
        spread=units.parse(entry["spread"], "fraction"),
        basis="assumed",
        source=entry["source"],
        unit=SHOWN_UNIT[dimension],
    )
