"""Keys whose values would narrow the interval of a prediction most, ranked by their share of its width.

No key is simulated again: the remaining width is that within classes of draws with equal values of the key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hecn_analysis.prediction.draws import FloatArray, drawn

if TYPE_CHECKING:
    from hecn_analysis.prediction.draws import Draws

#: Classes of the values of a key.
_CLASSES: Final = 10

#: A key is listed if knowing it leaves less than this share of the width; chance alone removes some.
_NOTICED: Final = 0.93

#: The scatter from run to run is nothing that anybody could tell.
_OF_A_RUN: Final = ("tool.repeat", "sender.cpu.scatter", "receiver.cpu.scatter")


@dataclass(frozen=True)
class Unknown:
    """A key whose value is uncertain, and its part of the interval.

    ``spread`` and ``spread_then`` are the half width of the 90 % interval relative to its middle, now and once it is
    known.
    """

    name: str
    spread: float
    spread_then: float


def ranked(draw: Draws, throughput_bps: FloatArray) -> tuple[Unknown, ...]:
    """Uncertain keys, ranked by how much the interval of the rates of all draws would narrow."""
    if throughput_bps.size < 2 * _CLASSES or not (throughput_bps > 0).all() or not np.isfinite(throughput_bps).all():
        return ()
    rates = np.log(throughput_bps)
    now = _half_width(rates)
    result: list[Unknown] = []
    for name, parameter in draw.used.items():
        if parameter.spread == 0 or name in _OF_A_RUN:
            continue
        values = drawn(draw(name, parameter)).reshape(-1)
        if values.size != rates.size:
            continue
        then = _half_width(rates - _middles(values, rates))
        if then < _NOTICED * now:
            result.append(Unknown(name, float(np.expm1(now)), float(np.expm1(then))))
    return tuple(sorted(result, key=lambda unknown: unknown.spread_then))


def _half_width(rates: FloatArray) -> float:
    low, high = np.quantile(rates, [0.05, 0.95])
    return float(high - low) / 2


def _middles(values: FloatArray, rates: FloatArray) -> FloatArray:
    """Median rate of the class of each draw: draws with the same value, or with neighbouring ones."""
    classes = _classes(values)
    middle = np.zeros(rates.size)
    for number in np.unique(classes):
        own = classes == number
        middle[own] = np.median(rates[own])
    return middle


def _classes(values: FloatArray) -> npt.NDArray[np.int64]:
    """Class of each draw."""
    distinct, number = np.unique(values, return_inverse=True)
    if distinct.size <= _CLASSES:
        return np.asarray(number)
    place = np.empty(values.size, dtype=np.int64)
    place[np.argsort(values, kind="stable")] = np.arange(values.size)
    first = np.searchsorted(np.sort(values), values)  # equal values stay in one class
    return np.asarray(np.minimum(place, first) * _CLASSES // values.size)
