"""Predict many scenarios that differ in a few keys together; the results equal those of `predict`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from hecn_analysis.base.errors import HecnError
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction.draws import Draws, FloatArray
from hecn_analysis.prediction.ladder import Lift
from hecn_analysis.prediction.model import Effort, Model
from hecn_analysis.prediction.together import followed

#: Draws for the first look at a transfer that differs from run to run.
SCREENED: Final = 48

#: The first look simulates a fifth of the usual round trips of TCP; each takes as long for hundreds of transfers as for
#: one. Both sides of a gain use the same effort.
FIRST_LOOK: Final = Effort(rounds=1_200)


@dataclass(frozen=True)
class Outcome:
    """A prediction without its ladder."""

    # central value, and the interval that holds a single new run with 90 % probability [bit/s]
    throughput_bps: float
    low_bps: float
    high_bps: float
    # the limit; None where nothing sets one
    bottleneck: str | None
    bottleneck_class: str | None
    # throughput in each draw of the parameters, after the change [bit/s]
    draws_bps: FloatArray = field(repr=False, compare=False)


def outcomes(scenarios: Sequence[Scenario]) -> list[Outcome]:
    """Predict scenarios without their ladders."""
    models = (Model(scenario, Draws(), levels=2) for scenario in scenarios)
    return [_outcome(model, *_ground(model)) for model in followed(models, _ground)]


def _ground(model: Model) -> tuple[FloatArray, npt.NDArray[np.int64], FloatArray]:
    return model.ground(with_draws=True)


def _outcome(model: Model, throughput: FloatArray, limit: npt.NDArray[np.int64], draws: FloatArray) -> Outcome:
    low, high = model.interval(draws, throughput)
    name, limit_class = model.limits()[int(limit[0])]
    together = np.broadcast_to(model.real(draws, changed=True)[0], model.draw.size - 1)
    return Outcome(float(throughput[0]), float(low[0]), float(high[0]), name, limit_class, together)


def throughputs(scenarios: Sequence[Scenario]) -> list[float | None]:
    """Throughputs of scenarios for a first look, which decides on the full `Outcome` [bit/s]."""
    models = followed(map(_screened, scenarios), _throughput)
    return [None if model is None else _throughput(model) for model in models]


def _screened(scenario: Scenario) -> Model | None:
    try:
        model = Model(scenario, Draws(), levels=1)
        return (
            Model(scenario, Draws(SCREENED), levels=1, effort=FIRST_LOOK)
            if model.simulated and model.is_random
            else model
        )
    except HecnError:
        return None


def _throughput(model: Model) -> float:
    _, draws = model.throughputs([Lift()], with_draws=True)
    return float(model.answer(draws)[0])
