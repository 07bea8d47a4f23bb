"""Values of parameters for a prediction: the central one, and random draws from their spreads for the interval.

Many scenarios of one structure can be predicted together. A parameter that differs between them then holds an array of
values, shape ``(scenarios, 1)``, and results have an axis of scenarios in front. The last axis is always that of the
draws, or of length 1 where all draws are equal. Conditions that change the structure (is there any loss? which of two
is slower?) go through `agreed`, which raises `Disagreement` where the scenarios differ.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import special

if TYPE_CHECKING:
    from hecn_analysis.hardware.quantity import Parameter

FloatArray = npt.NDArray[np.float64]

#: Draws for an interval: its ends are the 5 % and 95 % points, which 200 draws place within 1.5 % of probability.
DRAWS = 200

Z90 = 1.6448536269514722  # half width of the 90 % interval of a normal distribution


class Disagreement(Exception):  # noqa: N818 - not an error: the caller splits the scenarios
    """Scenarios that are computed together differ in structure; ``answers`` has the answer of each."""

    def __init__(self, answers: npt.NDArray[Any]) -> None:
        super().__init__("scenarios that differ in structure")
        self.answers = answers


def agreed(answers: npt.ArrayLike) -> Any:  # noqa: ANN401 - the type of the answers
    """Common answer of all scenarios to a question of structure."""
    flat = np.asarray(answers).reshape(-1)
    if flat.size > 1 and (flat != flat[0]).any():
        raise Disagreement(flat)
    return flat[0].item()


def central(values: FloatArray) -> FloatArray:
    """Central values, without the axis of the draws.

    Parameters
    ----------
    values
        Central value, then the draws, on the last axis.

    Returns
    -------
    array
        The first of each.

    Examples
    --------
    >>> central(np.array([[3.0, 2.0, 4.0]]))
    array([3.])
    """
    return np.asarray(values[..., 0])


def drawn(values: FloatArray) -> FloatArray:
    """Draws alone; where all are equal, the axis keeps its length 1.

    Parameters
    ----------
    values
        Central value, then the draws, on the last axis.

    Returns
    -------
    array
        All but the first of each.

    Examples
    --------
    >>> drawn(np.array([3.0, 2.0, 4.0])), drawn(np.array([3.0]))
    (array([2., 4.]), array([3.]))
    """
    return values[..., 1:] if values.shape[-1] > 1 else values


class Draws:
    """Turn parameters into arrays of shape ``(size,)``: the central value, then the draws; length 1 without a spread.

    Draws are log-normal: positive, with 90 % of them within the parameter's spread; a parameter with `quantiles` is
    drawn from those. Every draw is the middle of an equal share of probability, in random order. The random
    numbers depend on the parameter's name alone: two scenarios that share a parameter share its draws, so that a
    difference between their predictions is a difference between the scenarios.

    ``count`` is the number of draws; 0 gives central values only. ``size`` is 1 + ``count``, ``used`` every parameter
    used so far, by name.
    """

    def __init__(self, count: int = DRAWS) -> None:
        self.size = 1 + count
        self.used: dict[str, Parameter] = {}
        self._values: dict[str, FloatArray] = {}
        self._figures: dict[Hashable, FloatArray] = {}

    def __call__(self, name: str, parameter: Parameter) -> FloatArray:
        """Values of `parameter` under its `name` (``receiver.cpu.write_cost``)."""
        if name not in self.used:
            self.used[name] = parameter
            self._values[name] = self._drawn(name, parameter)
        return self._values[name]

    def uniform(self, name: str, *, central: float) -> FloatArray:
        """Chance of a run: `central` for the prediction itself, then uniform draws between 0 and 1."""
        return np.concatenate([[central], _chances(name)[: self.size - 1]])

    def once(self, key: Hashable, figure: Callable[[], FloatArray]) -> FloatArray:
        """Result of `figure`, computed once for each `key`."""
        if key not in self._figures:
            self._figures[key] = figure()
        return self._figures[key]

    def forget_scenarios(self) -> None:
        """Drop the values of these scenarios, keep those common to all, before the next block of scenarios."""
        self._values = {name: values for name, values in self._values.items() if values.ndim == 1}
        self._figures = {key: values for key, values in self._figures.items() if values.ndim == 1}
        self.used = {name: parameter for name, parameter in self.used.items() if name in self._values}

    def _drawn(self, name: str, parameter: Parameter) -> FloatArray:
        value = np.asarray(parameter.value, dtype=np.float64)
        if parameter.spread == 0:
            return np.atleast_1d(value)
        if (table := getattr(parameter, "quantiles", None)) is not None:
            place = order(getattr(parameter, "together", "") or name)[: self.size - 1]
            return np.concatenate([value[None], np.asarray(table)[place]])
        sigma = np.log1p(parameter.spread) / Z90
        factors = np.concatenate([[1.0], np.exp(sigma * _normals(name)[: self.size - 1])])
        return np.asarray(value * factors, dtype=np.float64)


@lru_cache(maxsize=4096)
def _normals(name: str) -> FloatArray:
    return np.asarray(special.ndtri((order(name) + 0.5) / DRAWS))


@lru_cache(maxsize=4096)
def order(name: str) -> npt.NDArray[np.int64]:
    """Places of the draws among `DRAWS` equal shares of probability, in random order.

    Parameters
    ----------
    name
        What is drawn; each name has an order of its own.

    Returns
    -------
    array
        The numbers below `DRAWS`.

    Examples
    --------
    >>> sorted(order("path.rtt").tolist()) == list(range(DRAWS))
    True
    """
    return np.random.default_rng(zlib.crc32(name.encode())).permutation(DRAWS)


@lru_cache(maxsize=256)
def _chances(name: str) -> FloatArray:
    return np.random.default_rng(zlib.crc32(name.encode())).random(DRAWS)
