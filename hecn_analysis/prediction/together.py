"""Models whose transfers are simulated together.

The simulation of TCP takes most of the time of a prediction, and hardly longer for many transfers than for one. So the
models first record the transfers that they need; one simulation runs all of them, identical ones once; then the models
are evaluated with its results. A transfer does not affect the others: the numbers are those of each model alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from itertools import islice
from typing import Any, Final, TypeVar

import numpy as np

from hecn_analysis.base.errors import HecnError
from hecn_analysis.limits import tcp_rounds
from hecn_analysis.prediction.model import Model

Item = TypeVar("Item")

#: Models simulated at once: more gain little, and the draws of all of them stay in memory.
TOGETHER: Final = 64

_FIGURES: Final = [figure.name for figure in fields(tcp_rounds.Simulation)]


def followed(models: Iterable[Item], look: Callable[[Any], object]) -> Iterator[Item]:
    """Yield models with their transfers simulated, `TOGETHER` models at a time.

    Parameters
    ----------
    models
        Models; other objects are yielded unchanged.
    look
        Function that will be called with each model. It is first called to record the transfers, with NaN as results.

    Yields
    ------
    Model
        Each model, in order.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> from hecn_analysis.prediction.draws import Draws
    >>> keys = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.rate": "1 Gb/s", "path.rtt": "80 ms"}
    >>> model = Model(load_scenario(keys, {"tool.duration": "10 s"}), Draws(0), levels=2)
    >>> def rate_bps(model):
    ...     return float(model.ground(with_draws=False)[0][0])
    >>> [round(rate_bps(model) / 1e6) for model in followed([model], rate_bps)]
    [878]
    """
    remaining = iter(models)
    while block := list(islice(remaining, TOGETHER)):
        together = _Together()
        for model in block:
            if isinstance(model, Model) and model.simulated:
                model.transports = {
                    way: replace(transport, simulate_rounds=together) for way, transport in model.transports.items()
                }
                with suppress(HecnError):  # the caller's own call raises it again
                    look(model)
        together.simulate()
        yield from block


class _Together:
    """Stands in for `tcp_rounds.simulate`: first records the transfers, then returns their results."""

    def __init__(self) -> None:
        self._recorded: dict[tuple[Any, ...], dict[str, Any]] | None = {}
        self._results: dict[tuple[Any, ...], tcp_rounds.Simulation] = {}

    def __call__(self, **values: Any) -> tcp_rounds.Simulation:  # noqa: ANN401 - those of `tcp_rounds.simulate`
        """Results of transfers; NaN while they are not simulated."""
        arrays = {name: np.asarray(value) for name, value in values.items()}
        key = tuple((name, array.shape, array.tobytes()) for name, array in arrays.items())
        if key in self._results:
            return self._results[key]
        if self._recorded is None:
            return tcp_rounds.simulate(**values)
        self._recorded[key] = values
        unknown = np.full(np.broadcast_shapes(*(array.shape for array in arrays.values())), np.nan)
        return tcp_rounds.Simulation(**dict.fromkeys(_FIGURES, unknown))

    def simulate(self) -> None:
        """Simulate all recorded transfers."""
        recorded, self._recorded = self._recorded or {}, None
        by_rounds: dict[int, list[tuple[Any, ...]]] = {}
        for key, values in recorded.items():
            by_rounds.setdefault(values.pop("most_rounds"), []).append(key)
        for most_rounds, keys in by_rounds.items():
            shapes = [np.broadcast_shapes(*map(np.shape, recorded[key].values())) for key in keys]
            joined: dict[str, Any] = {
                name: np.concatenate([
                    np.broadcast_to(recorded[key][name], shape).ravel() for key, shape in zip(keys, shapes, strict=True)
                ])
                for name in recorded[keys[0]]
            }  # fmt: skip
            try:
                result = tcp_rounds.simulate(**joined, most_rounds=most_rounds)
            except HecnError:
                continue  # each is simulated alone later, and the faulty one raises its error
            ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
            parts = [np.split(getattr(result, name), ends) for name in _FIGURES]
            for key, shape, *figures in zip(keys, shapes, *parts, strict=True):
                self._results[key] = tcp_rounds.Simulation(*(figure.reshape(shape) for figure in figures))
