"""Values of parameters for a prediction: the central one, and random draws from their spreads for the interval."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from hecn_analysis.hardware.quantity import Parameter

FloatArray = npt.NDArray[np.float64]

#: Draws for an interval: its ends are the 5 % and 95 % points, which 200 draws place within 1.5 % of probability.
DRAWS = 200

_Z90 = 1.6448536269514722  # half width of the 90 % interval of a normal distribution


class Draws:
    """Turn parameters into arrays of shape ``(1 + DRAWS,)``: the central value, then the draws.

    A parameter is drawn log-normally, so that it stays positive and 90 % of the draws lie within its spread. The random
    numbers depend on the parameter's name alone: two scenarios that share a parameter share its draws, so that a
    difference between their predictions is a difference between the scenarios.

    Attributes
    ----------
    used
        Every parameter that was asked for, by name: what the prediction rests on.
    """

    size = 1 + DRAWS

    def __init__(self) -> None:
        self.used: dict[str, Parameter] = {}
        self._values: dict[str, FloatArray] = {}

    def __call__(self, name: str, parameter: Parameter) -> FloatArray:
        """Values of `parameter`, known as `name` (``receiver.cpu.write_cost``)."""
        if name not in self.used:
            self.used[name] = parameter
            self._values[name] = self._drawn(name, parameter)
        return self._values[name]

    def uniform(self, name: str, *, central: float) -> FloatArray:
        """Chance of a run: `central` for the prediction itself, then evenly between 0 and 1."""
        return np.concatenate([[central], np.random.default_rng(zlib.crc32(name.encode())).random(DRAWS)])

    def _drawn(self, name: str, parameter: Parameter) -> FloatArray:
        if parameter.spread == 0:
            return np.full(self.size, parameter.value)
        normal = np.random.default_rng(zlib.crc32(name.encode())).standard_normal(DRAWS)
        sigma = np.log1p(parameter.spread) / _Z90
        return parameter.value * np.concatenate([[1.0], np.exp(sigma * normal)])
