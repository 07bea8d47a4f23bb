"""Models whose transfers are followed together.

To follow TCP round by round takes most of the time of a prediction, and hardly more for many transfers at once. So
models are first asked what they would have followed; all of that is followed together, what is alike once; then they
are worked out with it. A transfer fares the same alone and in company: the numbers are those of each model alone.
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

One = TypeVar("One")

#: Models whose transfers are followed at once: more gain little, and their draws have to be kept meanwhile.
TOGETHER: Final = 64

_FIGURES: Final = [each.name for each in fields(tcp_rounds.Simulation)]


def followed(models: Iterable[One], look: Callable[[Any], object]) -> Iterator[One]:
    """Give models back, `TOGETHER` at a time, with what they have to follow already followed.

    Parameters
    ----------
    models
        Models; what is none is given back as it is.
    look
        What is going to be asked of each model: as much of it as can be asked without the answers, which it is asked
        for without them.

    Yields
    ------
    Model
        Each model, in order.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> from hecn_analysis.prediction.draws import Draws
    >>> keys = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.rate": "1 Gb/s", "path.rtt": "80 ms"}
    >>> models = [Model(load_scenario(keys, {"tool.duration": end}), Draws(0), levels=2) for end in ("10 s", "20 s")]
    >>> def rate_bps(model):
    ...     return float(model.ground(with_draws=False)[0][0])
    >>> [round(rate_bps(model) / 1e6) for model in followed(models, rate_bps)]
    [878, 910]
    """
    coming = iter(models)
    while block := list(islice(coming, TOGETHER)):
        together = _Together()
        for model in block:
            if isinstance(model, Model) and model.simulated:
                model.transports = {
                    way: replace(transport, follow=together) for way, transport in model.transports.items()
                }
                with suppress(HecnError):  # it is raised again for whoever asks
                    look(model)
        together.follow()
        yield from block


class _Together:
    """Takes the place of `tcp_rounds.simulate`: notes what is to be followed, then knows what came of it."""

    def __init__(self) -> None:
        self._asked: dict[tuple[Any, ...], dict[str, Any]] | None = {}
        self._found: dict[tuple[Any, ...], tcp_rounds.Simulation] = {}

    def __call__(self, **values: Any) -> tcp_rounds.Simulation:  # noqa: ANN401 - those of `tcp_rounds.simulate`
        """What came of transfers; NaN as long as they are not followed."""
        arrays = {name: np.asarray(value) for name, value in values.items()}
        key = tuple((name, array.shape, array.tobytes()) for name, array in arrays.items())
        if key in self._found:
            return self._found[key]
        if self._asked is None:
            return tcp_rounds.simulate(**values)
        self._asked[key] = values
        unknown = np.full(np.broadcast_shapes(*(array.shape for array in arrays.values())), np.nan)
        return tcp_rounds.Simulation(**dict.fromkeys(_FIGURES, unknown))

    def follow(self) -> None:
        """Follow all that was asked for."""
        asked, self._asked = self._asked or {}, None
        by_rounds: dict[int, list[tuple[Any, ...]]] = {}
        for key, values in asked.items():
            by_rounds.setdefault(values.pop("most_rounds"), []).append(key)
        for most_rounds, keys in by_rounds.items():
            shapes = [np.broadcast_shapes(*map(np.shape, asked[key].values())) for key in keys]
            joined: dict[str, Any] = {
                name: np.concatenate([
                    np.broadcast_to(asked[key][name], shape).ravel() for key, shape in zip(keys, shapes, strict=True)
                ])
                for name in asked[keys[0]]
            }  # fmt: skip
            try:
                result = tcp_rounds.simulate(**joined, most_rounds=most_rounds)
            except HecnError:
                continue  # each is followed alone, and the one that cannot be says so
            ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
            parts = [np.split(getattr(result, name), ends) for name in _FIGURES]
            for key, shape, *figures in zip(keys, shapes, *parts, strict=True):
                self._found[key] = tcp_rounds.Simulation(*(figure.reshape(shape) for figure in figures))
