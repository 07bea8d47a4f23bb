"""What a quiet series does: its level, its usual course over day and week, its scatter, and how long errors persist.

A result is scored against the quiet results before it by its rank among them, so that the shape of their distribution
(skew, heavy tails, two rates) does not matter. The score is the normal quantile of the rank; beyond all quiet results
it grows by one for each standard deviation, up to `FURTHEST`.

Sources
-------
- Normal scores of ranks: B. L. van der Waerden, "Order tests for the two-sample problem", 1952.
- Errors of a prediction against those of the fit: N. R. Draper, H. Smith, "Applied regression analysis", 1998, section
  1.4 and 5.1, for the mean leverage.
- Errors that persist (lag 1) are removed before ranking: K. W. Hipel, A. I. McLeod, "Time series modelling of water
  resources and environmental systems", 1994, chapter 19 (intervention analysis).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from hecn_analysis.watching.courses import courses, usual
from hecn_analysis.watching.hours import jobs, spreads, week_hours

Floats = npt.NDArray[np.float64]

#: Errors further out, in standard deviations, are outliers.
CLIP: Final = 3.0

#: Largest score of a result.
FURTHEST: Final = 6.0

#: Errors persist at most so much (lag 1): an estimate near 1 would turn a level shift into one single error.
_MOST_PERSISTENCE: Final = 0.8

#: Standard errors that are added to it, as a share of it: with two, the backtest had 2.5 false alarms, with three 0.6.
_ERRORS_OF_PERSISTENCE: Final = 3.0


@dataclass(frozen=True)
class Quiet:
    """A quiet stretch of a series: its usual course, scatter and persistence of errors, and its ``errors``, sorted.

    ``scale`` is the standard deviation of the errors without outliers, in the unit of the series, and ``spread`` that
    of each hour of the week over it; ``job`` is what each is usually off by, in units of ``scale``. Errors are in units
    of the scatter of their hour; those that differ by less than ``tolerance`` times the scale have the same rank.
    ``own_scores`` are the scores of the results of the stretch itself.
    """

    kind: str
    coefficients: Floats
    scale: float
    job: Floats
    spread: Floats
    tolerance: float
    persistence: float
    errors: Floats
    own_scores: Floats

    def usual(self, times_s: Floats) -> Floats:
        """Return the usual value at some times, in the unit of the series."""
        course = usual(times_s, self.kind, self.coefficients)
        return course + self.scale * self.job[week_hours(times_s)] if self.job.any() else course

    def scores(self, times_s: Floats, values: Floats) -> Floats:
        """Scores of consecutive results, about normal with variance 1 as long as the series stays quiet."""
        spread = self.spread[week_hours(times_s)]
        errors = _whitened((values - self.usual(times_s)) / (self.scale * spread), self.persistence)
        return _scores(errors, self.errors, self.tolerance / spread)


def quiet_of(times_s: Floats, values: Floats, least_scale: float) -> Quiet:
    """Describe a stretch that is taken as quiet; differences of results below `least_scale` never matter."""
    return quiets_of(times_s, values, [slice(0, len(values))], least_scale)[0]


def quiets_of(times_s: Floats, values: Floats, stretches: Sequence[slice], least_scale: float) -> list[Quiet]:
    """Describe some stretches of a series as `quiet_of` does."""
    result = []
    week = week_hours(times_s)
    for stretch, course in zip(stretches, courses(times_s, values, stretches, least_scale), strict=True):
        residuals, tolerance = course.rest / course.scale, least_scale / course.scale
        hours = week[stretch]
        job = jobs(hours, residuals)
        residuals = residuals - job[hours]
        spread = np.maximum(spreads(hours, residuals), tolerance)
        residuals /= spread[hours]
        persistence = _persistence(residuals)
        own = _whitened(residuals, persistence)
        errors = np.sort(own) * _beyond_fit(len(own), len(course.coefficients))
        scores = _scores(own, errors, tolerance / spread[hours])
        result.append(
            Quiet(course.kind, course.coefficients, course.scale, job, spread, tolerance, persistence, errors, scores)
        )
    return result


def _scores(errors: Floats, quiet: Floats, tolerance: Floats) -> Floats:
    """Scores of errors by their ranks among those of a quiet stretch, which are sorted."""
    below = np.searchsorted(quiet, errors - tolerance, side="left")
    upto = np.searchsorted(quiet, errors + tolerance, side="right")
    ranked = ndtri((below + upto + 1) / (2 * (len(quiet) + 1)))
    above, under = errors - quiet[-1] - tolerance, errors - quiet[0] + tolerance
    beyond = np.maximum(above, 0) + np.minimum(under, 0)
    scores: Floats = np.clip(ranked + beyond, -FURTHEST, FURTHEST)
    return scores


def _beyond_fit(count: int, fitted: int) -> float:
    """Scatter about a course of results that it was not fitted to, over that of those that it was fitted to."""
    return float(np.sqrt((count + fitted) / (count - fitted)))


def _persistence(residuals: Floats) -> float:
    """Correlation of consecutive errors, outliers cut, on the high side: too low a value alarms."""
    cut = np.clip(residuals, -CLIP, CLIP)
    cut = cut - cut.mean()
    total = float(cut @ cut)
    lag = float(cut[1:] @ cut[:-1]) / total if total else 0.0
    lag += (1 + 3 * lag) / max(len(cut), 5)  # the estimate is low for short series (Kendall 1954)
    error = np.sqrt(max(1 - lag**2, 0.0) / len(cut))
    return float(min(max(lag * (1 + _ERRORS_OF_PERSISTENCE * error), 0.0), _MOST_PERSISTENCE))


def _whitened(residuals: Floats, persistence: float) -> Floats:
    """Errors without what the one before explains; an outlier explains no more than a cut one would."""
    before = np.clip(residuals[:-1], -CLIP, CLIP)
    later = (residuals[1:] - persistence * before) / np.sqrt(1 - persistence**2)
    return np.concatenate([residuals[:1], later])
