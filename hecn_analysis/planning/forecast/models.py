"""Models of a series of percentiles, which draw paths of the days to come.

A robust regression (Huber), on which outages, holidays and bursts have little weight, first removes the weekly (or
daily) course and finds level shifts. The rest is a local level with a steady drift and autoregressive errors in
state-space form [1]_; without correlated errors its forecasts are those of the Theta method [2]_. If the level does not
wander, this is a straight line; the more it wanders, the less certain the growth is.

- ``growth in per cent`` uses a logarithmic scale, ``growth in bit/s`` a linear one;
- ``level`` has no drift, on a logarithmic scale;
- ``seasonal naive`` repeats the last week (or day), the forecast that all others must beat.

A path draws slope and level from their uncertainty, lets the level wander as it did, and adds whole seasons of past
errors, so that bad days follow each other as they did.

References
----------
.. [1] Durbin, Koopman, Time Series Analysis by State Space Methods, 2nd ed. 2012, chapter 2; statsmodels'
   ``UnobservedComponents``, which takes missing values as missing.
.. [2] Hyndman, Billah, Unmasking the Theta method, International Journal of Forecasting 19 (2003).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from statsmodels.robust.norms import HuberT
from statsmodels.tsa.statespace.structural import UnobservedComponents

from hecn_analysis.planning.forecast.series import Step

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NAIVE: Final = "seasonal naive"
LEVEL: Final = "level"
GROWING: Final = ("growth in per cent", "growth in bit/s")
METHODS: Final = (*GROWING, LEVEL, NAIVE)

MOST_SHIFTS: Final = 3
_SHIFT_T2: Final = (
    30.0  # squared t value of a level shift: the largest of all days reaches 12 by chance in 5 % of series
)
_SHIFT_SIGMAS: Final = 2.0  # and it stands out of the scatter of single days
SHIFT_SEASONS: Final = 3
"""Seasons before and after a level shift that it takes to find it. [1]"""
_CLIP: Final = 4.0  # standard deviations beyond which an error is an outlier
_MOST_PERSISTENCE: Final = 0.95
_NORMAL_90: Final = 1.6449  # standard deviations on both sides that hold 90 %
_START: Final = [0.3, 0.003, 0.5, 0.4]  # variances of errors, wander and lasting errors; how lasting: near any port's
_WANDERS: Final = np.array([0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8])  # a step, of the errors
_ROUNDS: Final = 12  # of reweighting
_MAD: Final = 1.4826  # standard deviation of a normal distribution over its median absolute deviation


@dataclass(frozen=True)
class Course:
    """Components of a series found by the robust regression."""

    log: bool  # whether the scale is logarithmic
    season: Floats  # addition at each place of the usual course
    # steps at which the level shifted, and the size of the shifts
    shifts: tuple[int, ...]
    sizes: tuple[float, ...]
    rest: Floats  # the series without the usual course, NaN where unknown
    factors: Floats  # factor on the level at each place of the usual course, besides the addition

    @property
    def before(self) -> Floats:
        """For each shift a column that is 1 before it."""
        return np.column_stack([np.arange(len(self.rest)) < shift for shift in self.shifts]).astype(float)


@dataclass(frozen=True)
class Fitted:
    """A model of a series, ready to draw paths."""

    method: str  # one of `METHODS`
    log: bool  # whether its scale is logarithmic
    season: Floats  # as in `Course`; for the naive forecast the last season itself
    # level at the end, and its rise per step
    level: float
    slope: float
    covariance: Floats  # of level and slope
    wander: float  # standard deviation of the random change of the level per step
    errors: Floats  # residual of each observed step, NaN if unknown
    factors: Floats  # as in `Course`

    @property
    def slope_interval(self) -> tuple[float, float]:
        """Ends of the interval that holds the slope with 90 %."""
        half = _NORMAL_90 * float(np.sqrt(self.covariance[1, 1]))
        return self.slope - half, self.slope + half

    def median(self, ahead: int) -> Floats:
        """Return the median of each of the next steps. [bit/s]."""
        steps = np.arange(ahead)
        place = (len(self.errors) + steps) % len(self.season)
        z: Floats = self.level + self.slope * (steps + 1) + self.season[place]
        return _unscaled(z, log=self.log) * self.factors[place]

    def paths(self, ahead: int, draws: int, seed: int = 0) -> Floats:
        """Draw paths of the next steps, one in each row. [bit/s]."""
        chance = np.random.default_rng(seed)
        many = len(self.season)
        begin = len(self.errors) % many
        cycles = -(-(begin + ahead) // many)
        noise = self._noise(chance, draws, cycles)
        if self.method == NAIVE:
            noise = np.cumsum(noise, axis=1)  # each season repeats the one before, with its errors
        noise = noise.reshape(draws, -1)[:, begin : begin + ahead]
        steps = np.arange(ahead)
        place = (len(self.errors) + steps) % many
        shake = np.linalg.cholesky(self.covariance + 1e-18 * np.eye(2)) @ chance.standard_normal((2, draws))
        wander = self.wander * np.cumsum(chance.standard_normal((draws, ahead)), axis=1)
        level = (self.level + shake[0])[:, None] + (self.slope + shake[1])[:, None] * (steps + 1)
        return _unscaled(level + wander + self.season[place] + noise, log=self.log) * self.factors[place]

    def _noise(self, chance: np.random.Generator, draws: int, cycles: int) -> Floats:
        """Seasons of errors as they were seen; a missing error is any other one."""
        many = len(self.season)
        known = self.errors[np.isfinite(self.errors)]
        rows = np.full(-(-len(self.errors) // many) * many, np.nan)
        rows[: len(self.errors)] = self.errors
        table = rows.reshape(-1, many)
        table = table[np.isfinite(table).any(axis=1)]
        noise: Floats = table[chance.integers(len(table), size=(draws, cycles))]
        holes = np.isnan(noise)
        noise[holes] = known[chance.integers(len(known), size=int(holes.sum()))]
        return noise

    def widened(self, factor: float) -> Fitted:
        """Return the same model with a more uncertain level and slope."""
        return replace(self, covariance=self.covariance * factor**2, wander=self.wander * factor)

    def without_growth(self) -> Fitted:
        """Return the same model without growth, at the last level."""
        flat = np.zeros((2, 2))
        flat[0, 0] = self.covariance[0, 0]
        return replace(self, slope=0.0, covariance=flat)


def course_of(values: Floats, step: Step, *, log: bool) -> Course:
    """Take the usual course and level shifts out of a series."""
    every = np.arange(len(values))
    factors = np.ones(step.season) if log else _factors(values, step)
    z = _scaled(values / factors[every % step.season], log=log)
    number = np.flatnonzero(np.isfinite(z))
    known = z[number]
    shifts: list[int] = []
    while True:
        columns = _columns(number, len(z), step, shifts)
        coefficients = robust_fit(known, columns)
        errors = known - columns @ coefficients
        shift = _shift(errors, number, len(z), step, shifts) if len(shifts) < MOST_SHIFTS else None
        if shift is None:
            break
        shifts = sorted([*shifts, shift])
    season = np.append(coefficients[2 : step.season + 1], 0.0)
    season[-1] = -season.sum()
    sizes = tuple(map(float, coefficients[step.season + 1 :]))
    return Course(log, season, tuple(shifts), sizes, z - season[every % step.season], factors)


def _factors(values: Floats, step: Step) -> Floats:
    """Return the usual course as factors, since a weekend is a share of a weekday even if a port grows in bit/s."""
    z = _scaled(values, log=True)
    number = np.flatnonzero(np.isfinite(z))
    coefficients = robust_fit(z[number], _columns(number, len(z), step, []))
    season = np.append(coefficients[2 : step.season + 1], 0.0)
    season[-1] = -season.sum()
    factors: Floats = np.exp(season)
    return factors


def robust_fit(known: Floats, columns: Floats) -> Floats:
    """Return the coefficients of a regression by Huber's M-estimator, iteratively reweighted."""
    norm, weights = HuberT(), np.ones(len(known))
    for _ in range(_ROUNDS):
        weighted = weights[:, None] * columns
        coefficients: Floats = np.linalg.pinv(columns.T @ weighted, hermitian=True) @ (weighted.T @ known)
        errors = known - columns @ coefficients
        weights = np.asarray(norm.weights(errors / max(sigma_of(errors), 1e-12)))
    return coefficients


def _columns(number: Ints, length: int, step: Step, shifts: list[int]) -> Floats:
    """Level at the last step, rise, places of the season (their sum is 0), and what a shift had not added yet."""
    place = number % step.season
    seasons = [np.where(place == step.season - 1, -1.0, place == index) for index in range(step.season - 1)]
    before = [np.where(number < shift, -1.0, 0.0) for shift in shifts]
    return np.column_stack([np.ones(len(number)), number - (length - 1.0), *seasons, *before])


def _shift(errors: Floats, number: Ints, length: int, step: Step, shifts: list[int]) -> int | None:
    """Find the step at which a shift of the level would explain most, if it is beyond what chance does."""
    sigma = sigma_of(errors)
    edge = SHIFT_SEASONS * step.season
    every = np.arange(edge, length - edge)
    candidates = np.array(
        [candidate for candidate in every if all(abs(candidate - shift) >= edge for shift in shifts)], dtype=np.int64
    )
    if sigma == 0 or len(candidates) == 0:
        return None
    base = _columns(number, length, step, shifts)
    inverse = np.linalg.pinv(base.T @ base, hermitian=True)
    cut = np.clip(errors, -_CLIP * sigma, _CLIP * sigma)
    cut = cut - base @ (inverse @ (base.T @ cut))
    # What was before a candidate is a column of ones up to there: its products with the others are sums up to there
    upto = np.searchsorted(number, candidates)
    sums = np.vstack([np.zeros(base.shape[1]), np.cumsum(base, axis=0)])[upto]
    length2 = np.maximum(upto - np.einsum("ij,jk,ik->i", sums, inverse, sums), 1e-9)
    along = np.append(0.0, np.cumsum(cut))[upto]
    best = int(np.argmax(along**2 / length2))
    size = along[best] / length2[best]
    left = cut - size * ((number < candidates[best]) - base @ (inverse @ sums[best]))
    t2 = along[best] ** 2 / length2[best] / (max(float(left.var()), 1e-300) * persistence(left))
    return int(candidates[best]) if t2 > _SHIFT_T2 and abs(size) > _SHIFT_SIGMAS * sigma_of(left) else None


def persistence(errors: Floats) -> float:
    """Return the factor by which persistent errors widen the variance of a mean: (1 + r) / (1 - r), r at lag 1."""
    sigma = sigma_of(errors)
    cut = np.clip(errors, -_CLIP * sigma, _CLIP * sigma) if sigma else errors
    cut = cut - cut.mean()
    total = float(cut @ cut)
    r = float(cut[1:] @ cut[:-1]) / total if total else 0.0
    r = min(max(r + (1 + 3 * r) / max(len(cut), 5), 0.0), _MOST_PERSISTENCE)  # the estimate is low for short series
    return (1 + r) / (1 - r)


def sigma_of(errors: Floats) -> float:
    """Return a standard deviation that outliers do not affect."""
    return float(_MAD * np.median(np.abs(errors - np.median(errors))))


def fit(method: str, course: Course | None, values: Floats, step: Step, parameters: Floats | None = None) -> Fitted:
    """Fit a model."""
    if method == NAIVE or course is None:
        return _naive(values, step)
    model, middle, scale = _wandering(course, grows=method != LEVEL)
    smoothed = model.smooth(variances(method, course) if parameters is None else parameters)
    size, shifts = 1 if method == LEVEL else 2, len(course.shifts)
    covariance = np.zeros((2, 2))
    covariance[:size, :size] = smoothed.filtered_state_cov[:size, :size, -1] * scale**2
    state = smoothed.filtered_state[:, -1] * scale
    slope = float(state[1]) if size > 1 else 0.0
    wander = float(np.sqrt(smoothed.params[1])) * scale
    errors = course.rest - (smoothed.smoothed_state[0] * scale + middle)
    if shifts:
        errors -= course.before @ state[-shifts:]
    return Fitted(
        method, course.log, course.season, float(state[0]) + middle, slope, covariance, wander, errors, course.factors
    )


def variances(method: str, course: Course) -> Floats | None:
    """Estimate how much the level wanders and how long errors persist; None if the method has neither."""
    if method == NAIVE:
        return None
    model, _, _ = _wandering(course, grows=method != LEVEL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the search ended at an edge: a level that does not wander
        estimates = np.asarray(model.fit(_START, disp=0, maxiter=8).params)
    likelihoods = []
    for size in _WANDERS:
        estimates[1] = size**2
        likelihoods.append(model.loglike(estimates))
    likely = np.exp(np.array(likelihoods) - max(likelihoods)) * np.gradient(_WANDERS)
    estimates[1] = float((likely * _WANDERS).sum() / likely.sum()) ** 2
    return estimates


def _wandering(course: Course, *, grows: bool) -> tuple[UnobservedComponents, float, float]:
    """Return the model of a wandering level without outliers, with the center and scale that were removed."""
    rest = pd.Series(course.rest)
    level = rest + course.before @ course.sizes if course.shifts else rest
    around = level - level.rolling(29, center=True, min_periods=3).median()
    sigma = sigma_of(around.dropna().to_numpy())
    kept = rest.where(around.abs() <= max(_CLIP * sigma, 1e-12)).to_numpy()
    middle, scale = float(np.nanmedian(kept)), max(sigma, 1e-9)
    shifted: dict[str, object] = {"exog": course.before, "mle_regression": False} if course.shifts else {}
    kind = "lldtrend" if grows else "llevel"
    return UnobservedComponents((kept - middle) / scale, level=kind, autoregressive=1, **shifted), middle, scale


def _naive(values: Floats, step: Step) -> Fitted:
    """Repeat the last known value of each place of the season."""
    filled = np.full(-(-len(values) // step.season) * step.season, np.nan)
    filled[: len(values)] = values
    table = pd.DataFrame(filled.reshape(-1, step.season)).ffill()
    season = table.iloc[-1].fillna(float(np.nanmedian(values))).to_numpy()
    changes = np.full(len(values), np.nan)
    changes[step.season :] = values[step.season :] - table.to_numpy().ravel()[: len(values) - step.season]
    none = np.zeros((2, 2))
    return Fitted(NAIVE, False, season, 0.0, 0.0, none, 0.0, changes, np.ones(step.season))  # noqa: FBT003 - no log


def is_log(method: str) -> bool:
    """Whether a method works on a logarithmic scale."""
    return method.endswith("per cent") or method == LEVEL


def _scaled(values: Floats, *, log: bool) -> Floats:
    positive = np.where(values > 0, values, np.nan)
    return np.log(positive) if log else positive


def _unscaled(z: Floats, *, log: bool) -> Floats:
    return np.exp(z) if log else np.maximum(z, 0.0)
