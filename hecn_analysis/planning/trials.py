"""What many scenarios that differ in a few keys reach, worked out together.

To follow TCP round by round takes most of the time of a prediction, and hardly more for many transfers at once. So the
models are first asked what they would have followed; what looks alike to TCP is followed together, once; then they are
worked out with that. The numbers of outcomes are those of `predict`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from hecn_analysis.errors import HecnError
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction.draws import Draws, FloatArray
from hecn_analysis.prediction.ladder import Lift
from hecn_analysis.prediction.model import Effort, Model
from hecn_analysis.prediction.transport import Transport

BoolArray = npt.NDArray[np.bool_]
Result = TypeVar("Result")

#: Draws of a transfer that differs from run to run, for a first look.
SCREENED: Final = 48

#: How long TCP is followed for it: a fifth of the round trips of an answer, each of which takes as long whether one
#: transfer is followed or hundreds. Both sides of a gain are followed alike.
FIRST_LOOK: Final = Effort(rounds=1_200)

#: Fields of a tool that matter for the demands on resources alone, and not for TCP beside these.
_DEMANDS: Final = {
    *("name", "title", "source", "source_end", "sink_end", "io", "processes", "threads", "overlap", "request"),
    *("outstanding", "cost", "message", "send_calls", "receive_calls", "bidirectional", "repeat"),
}

#: Fields of a path of the same kind.
_RATES: Final = {"name", "title", "source", "rate", "links", "spread"}


@dataclass(frozen=True)
class Outcome:
    """What a prediction says without its ladder.

    Attributes
    ----------
    throughput_bps, low_bps, high_bps
        Central value, and the interval that a single new run falls into with 90 %. [bit/s]
    bottleneck, bottleneck_class
        What binds; None where nothing sets a limit.
    draws_bps
        Throughput in each draw of the parameters. [bit/s]
    """

    throughput_bps: float
    low_bps: float
    high_bps: float
    bottleneck: str | None
    bottleneck_class: str | None
    draws_bps: FloatArray = field(repr=False, compare=False)


def outcomes(scenarios: Sequence[Scenario]) -> list[Outcome]:
    """Predict scenarios without their ladders.

    Parameters
    ----------
    scenarios
        The scenarios.

    Raises
    ------
    HecnError
        One cannot be predicted.
    """
    models = [Model(scenario, Draws(), levels=2) for scenario in scenarios]
    grounds = _follow([(model, _ground) for model in models])
    return [_outcome(model, *found) for model, found in zip(models, grounds, strict=True)]


def _ground(model: Model) -> tuple[FloatArray, npt.NDArray[np.int64], FloatArray]:
    return model.ground(with_draws=True)


def _outcome(model: Model, throughput: FloatArray, limit: npt.NDArray[np.int64], draws: FloatArray) -> Outcome:
    low, high = model.interval(draws, throughput)
    name, limit_class = model.limits()[int(limit[0])]
    together = np.broadcast_to(draws[0].sum(axis=1), model.draw.size - 1)
    return Outcome(float(throughput[0]), float(low[0]), float(high[0]), name, limit_class, together)


def throughputs(scenarios: Sequence[Scenario]) -> list[float | None]:
    """Throughputs of scenarios, to see which are worth an `Outcome` [bit/s].

    Of transfers that differ from run to run it is the median of the first `SCREENED` draws over fewer round trips;
    compare it with another one of these, which has the same luck.

    Parameters
    ----------
    scenarios
        The scenarios. None stands for one that cannot be predicted.
    """
    models = [_screened(scenario) for scenario in scenarios]
    found = iter(_follow([(model, _throughput) for model in models if model is not None]))
    return [None if model is None else next(found) for model in models]


def _screened(scenario: Scenario) -> Model | None:
    try:
        model = Model(scenario, Draws(0), levels=1)
        return (
            Model(scenario, Draws(SCREENED), levels=1, effort=FIRST_LOOK)
            if model.simulated and model.is_random
            else model
        )
    except HecnError:
        return None


def _throughput(model: Model) -> float:
    by_state, draws = model.throughputs([Lift()], with_draws=model.draw.size > 1)
    return float(np.median(draws.sum(axis=2)) if draws.size else by_state.sum())


def _follow(asked: Sequence[tuple[Model, Callable[[Model], Result]]]) -> list[Result]:
    """Work out models, with all transfers that TCP sees alike followed at once."""
    batches: dict[Hashable, _Batch] = {}
    for model, work_out in asked:
        if model.simulated:
            for way, transport in model.transports.items():
                batch = batches.setdefault(_seen(model, way), _Batch(transport))
                model.transports[way] = _Shared.of(transport, batch)
            work_out(model)
    for batch in batches.values():
        batch.follow()
    return [work_out(model) for model, work_out in asked]


class _Batch:
    """Transfers to be followed together; then, what came of them."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._asked: dict[tuple[bytes, ...], dict[bytes, tuple[FloatArray, BoolArray]]] = {}
        self._cases: dict[tuple[bytes, ...], dict[str, Any]] = {}
        self._found: dict[tuple[tuple[bytes, ...], bytes], FloatArray] = {}

    def result(self, rate: FloatArray, link_bound: BoolArray, cases: dict[str, Any]) -> FloatArray:
        """Throughput of transfers; of those that are not followed yet, any."""
        kind = tuple(np.asarray(values).tobytes() for values in cases.values())
        row = rate.tobytes() + link_bound.tobytes()
        if (kind, row) in self._found:
            return self._found[kind, row]
        self._cases.setdefault(kind, cases)
        self._asked.setdefault(kind, {})[row] = (rate, link_bound)
        return np.ones_like(rate)

    def follow(self) -> None:
        """Follow all that was asked for."""
        for kind, rows in self._asked.items():
            rates, bound = (np.concatenate(values) for values in zip(*rows.values(), strict=True))
            found = self._transport.simulate(rates, link_bound=bound, **self._cases[kind])
            ends = np.cumsum([rate.shape[0] for rate, _ in rows.values()])[:-1]
            self._found |= {(kind, row): part for row, part in zip(rows, np.split(found, ends), strict=True)}


@dataclass(frozen=True)
class _Shared(Transport):
    """A transport whose transfers are followed together with others'."""

    batch: _Batch

    @classmethod
    def of(cls, transport: Transport, batch: _Batch) -> _Shared:  # type: ignore[override]
        return cls(**{each.name: getattr(transport, each.name) for each in fields(Transport)}, batch=batch)

    def simulate(
        self,
        payload_bps: FloatArray,
        element: npt.NDArray[np.int64],
        *,
        link_bound: BoolArray,
        **cases: Any,  # noqa: ANN401 - those of `Transport.simulate`, handed on as they are
    ) -> FloatArray:
        return self.batch.result(payload_bps, link_bound, {"element": element, **cases})


def _seen(model: Model, way: bool) -> tuple[Hashable, ...]:
    """All that TCP sees of a transfer beside the rate that the resources allow."""
    scenario, transport = model.scenario, model.transports[way]
    sending, receiving = transport.sending, transport.receiving
    return (
        model.draw.size,
        repr(scenario.path.model_dump(exclude=_RATES)),
        repr(scenario.tool.model_dump(exclude=_DEMANDS)),
        transport.own_port_is_narrowest(),
        *(sending.congestion_control, sending.initial_window, sending.byte_counting, sending.hystart),
        *(receiving.lro, repr(receiving.lro_frames)),
        *(getattr(transport, name).tobytes() for name in ("rtt_s", "loss", "window_bytes", "delay_s")),
    )
