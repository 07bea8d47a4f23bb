"""Values of parameters for a prediction: the central one, and random draws from their spreads for the interval.

Many scenarios of one structure can be predicted together. Then a parameter that differs between them holds an array
with a value for each, shape ``(scenarios, 1)``, and what is worked out from it has an axis of scenarios in front; the
last axis is always that of the draws, or of length 1 where all draws are alike. Questions whose answer changes the
structure (is there a loss at all? which of two is slower?) are put through `agreed`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from hecn_analysis.hardware.quantity import Parameter

FloatArray = npt.NDArray[np.float64]

#: Draws for an interval: its ends are the 5 % and 95 % points, which 200 draws place within 1.5 % of probability.
DRAWS = 200

Z90 = 1.6448536269514722  # half width of the 90 % interval of a normal distribution


class Disagreement(Exception):  # noqa: N818 - no error, a turn that a calculation takes
    """Scenarios that are worked out together answer a question of structure differently.

    Attributes
    ----------
    answers
        The answer of each scenario.
    """

    def __init__(self, answers: npt.NDArray[Any]) -> None:
        super().__init__("scenarios that differ in structure")
        self.answers = answers


def agreed(answers: npt.ArrayLike) -> Any:  # noqa: ANN401 - whatever was asked
    """Answer of all scenarios to a question of structure."""
    found = np.asarray(answers).reshape(-1)
    if found.size > 1 and (found != found[0]).any():
        raise Disagreement(found)
    return found[0].item()


def central(values: FloatArray) -> FloatArray:
    """Give the central values, without the axis of the draws."""
    return np.asarray(values[..., 0])


def drawn(values: FloatArray) -> FloatArray:
    """Give the draws alone; what is alike for all of them keeps an axis of length 1."""
    return values[..., 1:] if values.shape[-1] > 1 else values


class Draws:
    """Turn parameters into arrays of shape ``(size,)``: the central value, then the draws; one value without a spread.

    A parameter is drawn log-normally, so that it stays positive and 90 % of the draws lie within its spread. The random
    numbers depend on the parameter's name alone: two scenarios that share a parameter share its draws, so that a
    difference between their predictions is a difference between the scenarios.

    Parameters
    ----------
    count
        Number of draws; 0 gives central values alone.

    Attributes
    ----------
    size
        1 + `count`.
    used
        Every parameter that was asked for, by name: what the prediction rests on.
    """

    def __init__(self, count: int = DRAWS) -> None:
        self.size = 1 + count
        self.used: dict[str, Parameter] = {}
        self._values: dict[str, FloatArray] = {}
        self._figures: dict[Hashable, FloatArray] = {}

    def __call__(self, name: str, parameter: Parameter) -> FloatArray:
        """Values of `parameter`, known as `name` (``receiver.cpu.write_cost``)."""
        if name not in self.used:
            self.used[name] = parameter
            self._values[name] = self._drawn(name, parameter)
        return self._values[name]

    def uniform(self, name: str, *, central: float) -> FloatArray:
        """Chance of a run: `central` for the prediction itself, then evenly between 0 and 1."""
        return np.concatenate([[central], _chances(name)[: self.size - 1]])

    def once(self, key: Hashable, figure: Callable[[], FloatArray]) -> FloatArray:
        """Result of `figure`, which is worked out once for each `key`."""
        if key not in self._figures:
            self._figures[key] = figure()
        return self._figures[key]

    def forget_scenarios(self) -> None:
        """Keep only what all scenarios have in common, before others are worked out."""
        self._values = {name: values for name, values in self._values.items() if values.ndim == 1}
        self._figures = {key: values for key, values in self._figures.items() if values.ndim == 1}
        self.used = {name: parameter for name, parameter in self.used.items() if name in self._values}

    def _drawn(self, name: str, parameter: Parameter) -> FloatArray:
        value = np.asarray(parameter.value, dtype=np.float64)
        if parameter.spread == 0:
            return np.atleast_1d(value)
        sigma = np.log1p(parameter.spread) / Z90
        factors = np.concatenate([[1.0], np.exp(sigma * _normals(name)[: self.size - 1])])
        return np.asarray(value * factors, dtype=np.float64)


@lru_cache(maxsize=4096)
def _normals(name: str) -> FloatArray:
    return np.random.default_rng(zlib.crc32(name.encode())).standard_normal(DRAWS)


@lru_cache(maxsize=256)
def _chances(name: str) -> FloatArray:
    return np.random.default_rng(zlib.crc32(name.encode())).random(DRAWS)
