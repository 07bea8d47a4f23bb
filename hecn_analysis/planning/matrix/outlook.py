"""Expected outcomes of many tests with common draws, so that one outcome informs about the others."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hecn_analysis.base.errors import InputError
from hecn_analysis.base.progress import track
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction.draws import DRAWS, Z90, Draws
from hecn_analysis.prediction.model import Model
from hecn_analysis.prediction.together import followed

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Standard deviation of the model's error in the logarithm of an uncalibrated resource's rate.
_OFF: Final = 0.3

#: TCP counts as the limit in a draw where the flows reach less than this share of what the resources allow, as in the
#: probabilities of a prediction's ladder.
_HELD: Final = 0.9


@dataclass(frozen=True)
class Outlook:
    """Predictions of several tests.

    ``throughput_bps``, ``low_bps`` and ``high_bps`` are the central value and the interval that holds a single new run
    with 90 % probability [bit/s]; ``load_fraction`` is the share of the path's rate, NaN without a path; ``limits`` are
    names and classes of the limits at the central values. ``draws_bps`` [bit/s] and ``candidates`` (numbers in
    ``names`` of limits) have a row per test and a column per draw, one set of values of all parameters. ``repeat`` is
    the standard deviation of the logarithm of a run around the mean of many. ``caution`` reduces the logarithm for the
    model's errors in all resources but links: of two tests with equal predictions, the one with more nearly full
    resources should be slower.
    """

    throughput_bps: FloatArray
    low_bps: FloatArray
    high_bps: FloatArray
    load_fraction: FloatArray
    limits: tuple[tuple[str | None, str | None], ...]
    draws_bps: FloatArray
    candidates: IntArray
    names: tuple[str, ...]
    repeat: FloatArray
    caution: FloatArray

    def take(self, chosen: Sequence[int] | IntArray) -> Outlook:
        """Some of the tests."""
        at = np.asarray(chosen, dtype=np.int64)
        arrays = {item.name: getattr(self, item.name) for item in fields(self)}
        kept = {name: values[at] for name, values in arrays.items() if name not in {"limits", "names"}}
        return replace(self, limits=tuple(self.limits[number] for number in at), **kept)

    @property
    def most_bps(self) -> FloatArray:
        """Rate that the path carries, infinite for a test without a path [bit/s]."""
        return np.where(np.isnan(self.load_fraction), np.inf, self.throughput_bps / self.load_fraction)

    @classmethod
    def of(cls, tests: Mapping[str, Scenario], *, progress: bool = False) -> Outlook:
        """Predict tests."""
        names: dict[str, int] = {}
        models = followed((Model(scenario, Draws(), levels=2) for scenario in tests.values()), _ground)
        tracked = track(models, "predicting", total=len(tests)) if progress else models
        rows = [_row(name, model, names) for name, model in zip(tests, tracked, strict=True)]
        return cls(
            throughput_bps=np.array([row["throughput"] for row in rows]),
            low_bps=np.array([row["low"] for row in rows]),
            high_bps=np.array([row["high"] for row in rows]),
            load_fraction=np.array([row["load"] for row in rows]),
            limits=tuple(row["limit"] for row in rows),
            draws_bps=np.array([row["draws"] for row in rows]),
            candidates=np.array([row["candidates"] for row in rows]),
            names=tuple(names),
            repeat=np.array([row["repeat"] for row in rows]),
            caution=np.array([row["caution"] for row in rows]),
        )


def _ground(model: Model) -> tuple[FloatArray, IntArray, FloatArray]:
    return model.ground(with_draws=True)


def _row(name: str, model: Model, names: dict[str, int]) -> dict[str, Any]:
    throughput, limit, draws = _ground(model)
    if not np.isfinite(throughput[0]):
        raise InputError(f"no limit for {name}", "a host or a path that sets one, such as path.rate: 10 Gb/s")
    low, high = model.interval(draws, throughput)
    together = np.broadcast_to(draws[0].sum(axis=1), model.draw.size - 1)
    binds, binds_class = model.limits()[int(limit[0])]
    steady, stopped = np.broadcast_to(model.steady[0][0].sum(axis=1), together.shape), model.steady[1][0]
    first = np.broadcast_to(model.first(model.steady[0][0], stopped), together.shape)
    limits = [model.system.resources[number].name if number >= 0 else "nothing" for number in first]
    if int(limit[0]) >= len(model.system.resources) and binds is not None:
        limits = [binds if held else resource for held, resource in zip(together < _HELD * steady, limits, strict=True)]
    ceiling = float(model.ceiling()[0])
    return {
        "throughput": float(throughput[0]),
        "low": float(low[0]),
        "high": float(high[0]),
        "load": float(throughput[0]) / ceiling if np.isfinite(ceiling) else np.nan,
        "limit": (binds, binds_class),
        "draws": together,
        "candidates": [names.setdefault(limit_name, len(names)) for limit_name in limits],
        "repeat": np.log1p(model.scenario.tool.repeat.spread) / Z90,
        "caution": _caution(model, float(throughput[0])),
    }


def _caution(model: Model, throughput_bps: float) -> float:
    """Mean reduction of the slowest resource by the model's errors in all of them, in logarithms [1]."""
    flows = model.levels[0][0][0]
    if not np.isfinite(flows).all():
        return 0.0
    busy = (flows * (throughput_bps / flows.sum())) @ model.central_demand()[0]
    room: dict[str, float] = {}
    for resource, share in zip(model.system.resources, busy, strict=True):
        if resource.resource_class != "link" and share > 0:
            room[resource.name] = min(room.get(resource.name, np.inf), -float(np.log(share)))
    if not room:
        return 0.0
    wrong = np.array([np.random.default_rng(zlib.crc32(name.encode())).standard_normal(DRAWS) for name in room])
    least = (np.array([*room.values()])[:, None] + _OFF * wrong).min(axis=0)
    return float(-np.minimum(least, 0.0).mean())


#: Correlation of the model's errors in two tests: a factor for each step along a numeric axis, and for each other axis
#: on which they differ.
_LIKE_NUMBER, _LIKE_WORD = 0.8, 0.5

#: Candidate standard deviations of the model's error in the logarithm of a rate: from a few per cent to a factor.
_WRONG: Final = (0.03, 0.1, 0.3, 0.6, 1.0)


def likeness(values: Sequence[Mapping[str, Any]]) -> FloatArray:
    """Correlation assumed between the prediction errors of two tests, from 0 to 1."""
    like = np.ones((len(values), len(values)))
    for key in dict.fromkeys(key for setting in values for key in setting):
        column = [setting.get(key) for setting in values]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in column):
            _, place = np.unique(np.array(column, dtype=float), return_inverse=True)
            like *= _LIKE_NUMBER ** np.abs(place[:, None] - place[None, :])
        else:
            words = np.array([repr(value) for value in column])
            like *= np.where(words[:, None] == words[None, :], 1.0, _LIKE_WORD)
    return like


class Belief:
    """Belief about the rates of tests: a normal distribution of their logarithms, updated by measurements.

    Before any measurement, the means are the predictions. Tests are correlated by common parameters, as their draws
    show, and by common errors of the model. The size of these errors is the one that makes the measurements likeliest.

    Parameters
    ----------
    outlook
        The predictions.
    values
        Values of the axes, as for `likeness`.

    Attributes
    ----------
    mean, covariance
        Mean and covariance of the logarithms of all tests' rates, without the scatter of runs.
    wrong
        Standard deviation of the model's error in such a logarithm.

    Examples
    --------
    >>> belief, before = matrix.belief(), matrix.belief().mean[0]
    >>> belief.tell(0, 5e9)
    >>> bool(belief.mean[0] < before), round(float(belief.weights().sum()), 9)
    (True, 1.0)
    """

    def __init__(self, outlook: Outlook, values: Sequence[Mapping[str, Any]]) -> None:
        self.outlook = outlook
        self._prior = np.log(outlook.throughput_bps) - outlook.caution
        self._shared = np.atleast_2d(np.cov(np.log(outlook.draws_bps)))
        self._like = likeness(values)
        self._tests: list[int] = []
        self._logs: list[float] = []
        self._update()

    def tell(self, test: int, measured_bps: float) -> None:
        """Update the belief with a run.

        Parameters
        ----------
        test
            Number of the test.
        measured_bps
            Its rate. [bit/s]
        """
        self.tell_all([(test, measured_bps)])

    def tell_all(self, runs: Sequence[tuple[int, float]]) -> None:
        """Update the belief with runs.

        Parameters
        ----------
        runs
            Number of the test and rate of each run. [bit/s]
        """
        self._tests += [test for test, _ in runs]
        self._logs += [float(np.log(max(measured, 1.0))) for _, measured in runs]
        self._update()

    @property
    def tested(self) -> list[int]:
        """Numbers of the tests that have been run."""
        return sorted(set(self._tests))

    @property
    def noise(self) -> FloatArray:
        """Variance of the logarithm of a run around the mean of many."""
        return self.outlook.repeat**2

    def _update(self) -> None:
        by_error = {error: self._given(error) for error in (_WRONG if self._tests else _WRONG[1:2])}
        self.wrong = max(by_error, key=lambda error: by_error[error][2])
        self.mean, self.covariance, _ = by_error[self.wrong]

    def _given(self, wrong: float) -> tuple[FloatArray, FloatArray, float]:
        """Mean, covariance, and log-likelihood of the measurements, for a given error of the model."""
        covariance = self._shared + wrong**2 * self._like
        if not self._tests:
            return self._prior, covariance, 0.0
        at = np.array(self._tests)
        among = covariance[np.ix_(at, at)] + np.diag(self.noise[at] + 1e-9)
        gain = np.linalg.solve(among, covariance[at]).T
        missed = np.array(self._logs) - self._prior[at]
        likelihood = -0.5 * (missed @ np.linalg.solve(among, missed) + np.linalg.slogdet(among)[1])
        return self._prior + gain @ missed, covariance - gain @ covariance[at], float(likelihood)

    def weights(self) -> FloatArray:
        """Probability of each draw after the measurements; the sum is 1.

        Returns
        -------
        array
            Probability of each draw. [1]
        """
        draws = self.outlook.draws_bps.shape[1]
        if not self._tests:
            return np.full(draws, 1 / draws)
        logs = np.log(self.outlook.draws_bps)
        at = np.array(self._tests)
        sigma2 = self.noise[at] + self.wrong**2
        score = -0.5 * ((np.array(self._logs)[:, None] - logs[at]) ** 2 / sigma2[:, None]).sum(axis=0)
        weights = np.exp(score - score.max())
        return np.asarray(weights / weights.sum())
