"""Rolling-origin backtest: each method forecasts from several days of the past and is compared with what followed.

A method sees only what was known at its origin. All methods alike leave out what follows an unforeseeable level shift
(moving a link says nothing about growth), and origins too soon after one to tell it from a bad week. Errors are scaled
by those of the seasonal naive forecast one season ahead within the same past (MASE [1]_): 1 is as good as that. Over a
horizon of weeks the naive forecast itself exceeds 1.

References
----------
.. [1] Hyndman, Koehler, Another look at measures of forecast accuracy, International Journal of Forecasting 22 (2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hecn_analysis.planning.forecast.models import METHODS, NAIVE, SHIFT_SEASONS, course_of, fit, is_log, variances
from hecn_analysis.planning.forecast.series import Step

Floats = npt.NDArray[np.float64]

ORIGINS: Final = 6
LONGEST: Final = 13  # seasons that are forecast
_DRAWS: Final = 200
_ENDS: Final = (5.0, 95.0)


@dataclass(frozen=True)
class Score:
    """How a method did."""

    method: str  # one of `METHODS`
    mase: float  # mean absolute scaled error [1]
    coverage: float  # part of the later values inside the 90 % intervals [fraction]
    # factor on the standard deviation of the level that covers the errors of later levels; at least 1
    widening: float
    values: int  # values that were compared


@dataclass(frozen=True)
class Backtest:
    """Scores of all methods."""

    scores: tuple[Score, ...]  # one a method, best first
    origins: int  # number of origins
    horizon: int  # steps that were forecast from each

    def best(self, methods: tuple[str, ...]) -> Score:
        """Best of some methods."""
        return next(score for score in self.scores if score.method in methods)

    def of(self, method: str) -> Score:
        """Score of a method."""
        return self.best((method,))


def horizon_of(length: int, step: Step) -> int:
    """How many steps are forecast from each origin: a fifth of the series, from 2 to 13 seasons."""
    return min(max(length // 5, 2 * step.season), LONGEST * step.season)


def backtest(values: Floats, step: Step) -> Backtest:
    """Let every method forecast from origins in the second half of a series."""
    horizon = horizon_of(len(values), step)
    origins = np.unique(np.linspace(len(values) // 2, len(values) - horizon, ORIGINS).astype(int))
    errors: dict[str, list[Floats]] = {method: [] for method in METHODS}
    inside: dict[str, list[Floats]] = {method: [] for method in METHODS}
    off: dict[str, list[float]] = {method: [] for method in METHODS}
    kept = {}
    shifts = course_of(values, step, log=True).shifts
    blind = SHIFT_SEASONS * step.season
    kept_origins = [start for start in origins if not any(0 <= start - shift < blind for shift in shifts)]
    origins = np.array(kept_origins or origins)
    for origin in origins:
        past, came = values[:origin], values[origin : origin + horizon].copy()
        came[min((shift - origin for shift in shifts if shift >= origin), default=horizon) :] = np.nan
        known = np.isfinite(came)
        scale = float(np.nanmean(np.abs(past[step.season :] - past[: -step.season])))
        if not scale > 0 or not known.any():
            continue
        courses = {log: course_of(past, step, log=log) for log in (True, False)}
        for method in METHODS:
            course = courses[is_log(method)]
            if method not in kept:  # variances of the first past serve all, as is honest
                kept[method] = variances(method, course)
            fitted = fit(method, None if method == NAIVE else course, past, step, kept[method])
            errors[method].append(np.abs(came - fitted.median(horizon))[known] / scale)
            paths = fitted.paths(horizon, _DRAWS)
            low, high = np.percentile(paths, _ENDS, axis=0)
            inside[method].append(((came >= low) & (came <= high))[known])
            levels = np.median(paths[:, known], axis=1)
            off[method].append(float((np.median(came[known]) - np.median(levels)) / max(levels.std(), 1e-9)))
    scores = []
    for method in METHODS:
        every = np.concatenate(errors[method]) if errors[method] else np.full(1, np.nan)
        covered = np.concatenate(inside[method]) if inside[method] else np.full(1, np.nan)
        widening = float(np.sqrt(max(float(np.mean(np.square(off[method]))), 1.0))) if off[method] else 1.0
        scores.append(Score(method, float(every.mean()), float(covered.mean()), widening, len(every)))
    return Backtest(tuple(sorted(scores, key=lambda score: score.mase)), len(origins), horizon)
