"""A measured result beside its prediction, and the score of an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction import discrepancy
from hecn_analysis.prediction.draws import DRAWS, Draws, FloatArray
from hecn_analysis.prediction.model import Model


@dataclass
class Row:
    """A published result and its prediction.

    Attributes
    ----------
    draws
        Logarithm of the predicted rate in each draw, without the model's own error.
    regimes
        Number of the regime of each draw.
    most
        Logarithm of what the links carry in each draw.
    baseline
        Rate of the rule of thumb; NaN where there is none. [bit/s]
    counted
        Whether the sizes of errors rest on it: the result is measured, and no defect.
    whole
        Whether the scenario also holds all that the source states, and needs no assumed round-trip time.
    unread
        Keys of its configuration that no rule reads.
    not_understood
        Keys that rules read, whose values say nothing to them.
    """

    name: str
    category: str
    source: str
    pair: str
    measured_bps: float
    limit: str
    basis: str
    draws: FloatArray | None = None
    regimes: FloatArray | None = None
    most: FloatArray | None = None
    baseline: float = float("nan")
    bottleneck: str = ""
    fault: str = ""
    counted: bool = True
    whole: bool = True
    keys: Mapping[str, Any] = field(default_factory=dict)
    unread: Sequence[str] = ()
    not_understood: Sequence[str] = ()

    def predicted(self, factors: FloatArray) -> FloatArray:
        """Logarithm of the rate of a single run in each draw, given the error of each regime."""
        assert self.draws is not None  # noqa: S101 - the caller skips rows without a prediction
        error = np.log(factors)
        own = self.draws + error[self.regimes, np.arange(DRAWS)]
        most = self.most + np.maximum(error[discrepancy.REGIMES.index("lan")], 0.0)
        return np.minimum(own, np.maximum(most, self.draws))


def predict_row(row: Row, scenario: Scenario) -> None:
    """Fill in the prediction of a row by a scenario."""
    model = Model(scenario, Draws(), levels=2)
    _, limit, draws = model.ground(with_draws=True)
    together = draws[0].sum(axis=1) * np.ones(DRAWS)
    if not np.isfinite(together).all():
        row.fault = "nothing sets a limit"
        return
    row.draws = np.log(np.maximum(together, 1.0))
    row.regimes = model.regimes(draws.sum(axis=2))[0] * np.ones(DRAWS, dtype=int)
    row.most = np.log(model.carried()[0] * np.ones(DRAWS))
    row.bottleneck = str(model.limits()[int(limit[0])][1])


def winkler(low: FloatArray, high: FloatArray, measured: FloatArray) -> FloatArray:
    """Interval score of 90 % intervals of a logarithm: the width, and 20 times the miss."""
    return high - low + 20 * (np.maximum(low - measured, 0) + np.maximum(measured - high, 0))
