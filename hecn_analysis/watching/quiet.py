"""What a quiet series does: its level, its usual course over day and week, its scatter, and how long errors persist.

A result is scored against the quiet results before it by its rank among them, so that the shape of their distribution
(skew, heavy tails, two rates) does not matter. The score is the normal quantile of the rank; beyond all quiet results
it grows by one for each standard deviation. It is cut at `CLIP`: one or two results, however slow, are no change.

Sources
-------
- Normal scores of ranks: B. L. van der Waerden, "Order tests for the two-sample problem", 1952.
- Errors of a prediction against those of the fit: N. R. Draper, H. Smith, "Applied regression analysis", 1998, section
  1.4 and 5.1, for the mean leverage.
- Errors that persist (lag 1) are removed before ranking: K. W. Hipel, A. I. McLeod, "Time series modelling of water
  resources and environmental systems", 1994, chapter 19 (intervention analysis).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from hecn_analysis.planning.forecast.models import robust_fit, sigma_of

Floats = npt.NDArray[np.float64]

#: Largest score of a result. At the usual threshold (4.5 to 5) it takes three results in a row: 3 x 3 / sqrt(3) = 5.2.
CLIP: Final = 3.0

#: Kinds of usual course, and the days and results from which on a series can show them.
_KINDS: Final[Mapping[str, tuple[float, int]]] = {
    "level": (0.0, 1),
    "harmonic": (2.9, 24),
    "harmonics": (2.9, 24),
    "weekend": (6.9, 24),
    "harmonics weekend": (6.9, 48),
    "hours weekend": (6.9, 120),
}

#: Results of each hour of the day that its own level takes: of hours that were never seen, it would know nothing.
_EACH_HOUR: Final = 3

#: Courses are compared by the error that so many stay below: the median does not see what concerns few hours of a week.
_MOST_ERRORS: Final = 0.95

#: Errors persist at most so much (lag 1): an estimate near 1 would turn a level shift into one single error.
_MOST_PERSISTENCE: Final = 0.8

#: Standard errors that are added to it, as a share of it: with two, the backtest had 2.5 false alarms, with three 0.6.
_ERRORS_OF_PERSISTENCE: Final = 3.0

_DAY_S: Final = 86400.0


@dataclass(frozen=True)
class Quiet:
    """A quiet stretch of a series: its usual course, scatter and persistence of errors, and its ``errors``, sorted.

    ``scale`` is the standard deviation of the errors without outliers, in the unit of the series; ``errors`` are in
    units of it. Errors that differ by less than ``tolerance`` have the same rank.
    """

    kind: str
    coefficients: Floats
    scale: float
    tolerance: float
    persistence: float
    errors: Floats

    def usual(self, times_s: Floats) -> Floats:
        """Return the usual value at some times, in the unit of the series."""
        course: Floats = _columns(times_s, self.kind) @ self.coefficients
        return course

    def residuals(self, times_s: Floats, values: Floats) -> Floats:
        """Differences from the usual course, in units of the scatter."""
        return (values - self.usual(times_s)) / self.scale

    def scores(self, times_s: Floats, values: Floats) -> Floats:
        """Scores of consecutive results, about normal with variance 1 as long as the series stays quiet."""
        errors = _whitened(self.residuals(times_s, values), self.persistence)
        count = len(self.errors)
        below = np.searchsorted(self.errors, errors - self.tolerance, side="left")
        upto = np.searchsorted(self.errors, errors + self.tolerance, side="right")
        ranked = ndtri((below + upto + 1) / (2 * (count + 1)))
        above, under = errors - self.errors[-1] - self.tolerance, errors - self.errors[0] + self.tolerance
        beyond = np.maximum(above, 0) + np.minimum(under, 0)
        scores: Floats = np.clip(ranked + beyond, -CLIP, CLIP)
        return scores


def quiet_of(times_s: Floats, values: Floats, least_scale: float) -> Quiet:
    """Describe a stretch that is taken as quiet; differences of results below `least_scale` never matter."""
    _, kind, coefficients, scale = min(_courses(times_s, values, least_scale), key=lambda course: course[0])
    residuals = (values - _columns(times_s, kind) @ coefficients) / scale
    persistence = _persistence(residuals)
    errors = np.sort(_whitened(residuals, persistence)) * _beyond_fit(len(values), len(coefficients))
    return Quiet(kind, coefficients, scale, least_scale / scale, persistence, errors)


def _beyond_fit(count: int, fitted: int) -> float:
    """Scatter about a course of results that it was not fitted to, over that of those that it was fitted to."""
    return float(np.sqrt((count + fitted) / (count - fitted)))


def _courses(times_s: Floats, values: Floats, least_scale: float) -> Iterator[tuple[float, str, Floats, float]]:
    """Bayesian information criterion, kind, coefficients and scatter of each course that so many days can show."""
    days = float(np.ptp(times_s)) / _DAY_S
    least_seen = np.bincount((times_s % _DAY_S // 3600).astype(np.int64), minlength=24).min()
    for kind, (least_days, least_results) in _KINDS.items():
        if days < least_days or len(values) < least_results or ("hours" in kind and least_seen < _EACH_HOUR):
            continue
        columns = _columns(times_s, kind)
        coefficients = robust_fit(values, columns) if columns.shape[1] > 1 else np.array([np.median(values)])
        rest = values - columns @ coefficients
        most = max(float(np.quantile(np.abs(rest), _MOST_ERRORS)), least_scale)
        criterion = 2 * len(values) * np.log(most) + columns.shape[1] * np.log(len(values))
        yield float(criterion), kind, coefficients, max(sigma_of(rest), least_scale)


def _columns(times_s: Floats, kind: str) -> Floats:
    """Columns of the regression of a course: the level comes first, the others have mean 0 over a week (UTC)."""
    columns: list[Floats] = [np.ones(len(times_s))]
    angle = 2 * np.pi * times_s / _DAY_S
    if "harmonic" in kind:
        columns += [np.cos(angle), np.sin(angle)]
    if "harmonics" in kind:
        columns += [np.cos(2 * angle), np.sin(2 * angle)]
    if "hours" in kind:
        hour = times_s % _DAY_S // 3600
        columns += [np.where(hour == 23, -1.0, hour == each) for each in range(23)]
    if "weekend" in kind:
        is_weekend = (times_s // _DAY_S + 3) % 7 >= 5  # the first day of 1970 was a Thursday
        columns += [is_weekend.astype(np.float64) - 2 / 7]
    return np.column_stack(columns)


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
