"""Usual courses of many stretches of a series at once: level, daily course, weekends, fitted by robust regression.

A series of a year is described anew more than a hundred times, each time by six kinds of course. All stretches and
kinds take each round of the regression together, as one array; shorter stretches are filled up with weight 0.

Sources
-------
- Huber's M-estimator by reweighting, and its constant: P. J. Huber, E. M. Ronchetti, "Robust statistics", 2009, chapter
  7.
- Choice of the kind: G. Schwarz, "Estimating the dimension of a model", Annals of Statistics 6 (1978) 461.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

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

#: Rounds of reweighting at most, and the last step of all coefficients, in units of the scatter: less is left.
_ROUNDS: Final = 12
_SETTLED: Final = 1e-3

#: Longest step over that of the reweighted regression: below twice as long, each step comes closer.
_LONGEST: Final = 1.8

#: Standard deviations from which on an error has less weight: 95 % as efficient as least squares on normal errors.
_HUBER: Final = 1.345

#: Standard deviation of a normal distribution over its median absolute deviation.
_MAD: Final = 1.4826

_DAY_S: Final = 86400.0

#: Share of the weekend in a week: its column has mean 0.
_WEEKEND: Final = 2 / 7

#: Which of the columns 1, cos and sin of the day and of half a day, weekend each kind uses between level and hours.
_USES: Final = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 0], [1, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 1]], dtype=bool)

#: Coefficients of the kind that has most: a level, 23 hours, and a weekend.
_MOST_COEFFICIENTS: Final = 25

#: Weight of a coefficient's being 0, as a share of that of the results: it decides only where a column says nothing.
_RIDGE: Final = 1e-10


@dataclass(frozen=True)
class Course:
    """The usual course of a stretch: its kind and coefficients, the scatter about it, and the differences from it."""

    kind: str
    coefficients: Floats
    scale: float
    rest: Floats


def usual(times_s: Floats, kind: str, coefficients: Floats) -> Floats:
    """Values of a course at some times."""
    course = np.full(len(times_s), coefficients[0])
    if "hours" in kind:
        hours = np.append(coefficients[1:24], -coefficients[1:24].sum())
        course += hours[_hour(times_s)] + coefficients[24] * (_is_weekend(times_s) - _WEEKEND)
    elif kind != "level":
        uses = _USES[tuple(_KINDS).index(kind) - 1]
        course += _columns(times_s)[:, uses][:, 1:] @ coefficients[1:]
    return course


def courses(times_s: Floats, values: Floats, stretches: Sequence[slice], least_scale: float) -> list[Course]:
    """The usual course of each stretch of a series, of the kind with the least Bayesian information criterion."""
    starts = np.array([stretch.start for stretch in stretches], dtype=np.int64)
    counts = np.array([stretch.stop - stretch.start for stretch in stretches], dtype=np.int64)
    first, last = starts.min(), (starts + counts).max()
    times_s, values = times_s[first:last], values[first:last]
    along = np.arange(counts.max())
    places = np.minimum(starts[:, None] - first + along, len(values) - 1)
    padded = np.where(along < counts[:, None], values[places], np.inf)
    hours = _hour(times_s)
    can = np.array(
        [_can_show(times_s[row[:count]], hours[row[:count]]) for row, count in zip(places, counts, strict=True)]
    )
    levels = _quantiles(np.sort(padded), counts, 0.5)
    centred = padded - levels[:, None]  # where a column says nothing, its coefficient is 0 and not a share of the level
    coefficients, errors = _fitted(centred, counts, _Design(times_s, places), can[:, 1:])
    coefficients[:, :, 0] += levels[:, None]
    rest = np.concatenate([centred[:, None], errors], axis=1)
    most = np.maximum(_quantiles(np.sort(np.abs(rest)), counts[:, None], _MOST_ERRORS), least_scale)
    sizes = np.array([1, *_USES.sum(axis=1), _MOST_COEFFICIENTS])
    criteria = 2 * counts[:, None] * np.log(most) + sizes * np.log(counts)[:, None]
    chosen = np.where(can, criteria, np.inf).argmin(axis=1)
    rest = rest[np.arange(len(counts)), chosen]
    scales = np.maximum(_sigmas(rest, counts), least_scale)
    result = []
    for row, place in enumerate(chosen):
        own = coefficients[row, place - 1] if place else levels[row : row + 1]
        if 0 < place <= len(_USES):
            own = own[: _USES.shape[1]][_USES[place - 1]]
        result.append(Course(tuple(_KINDS)[place], own, float(scales[row]), rest[row, : counts[row]]))
    return result


def _can_show(times_s: Floats, hours: Ints) -> list[bool]:
    """Which kinds of course results at such times can show."""
    days, least_seen = float(times_s[-1] - times_s[0]) / _DAY_S, np.bincount(hours, minlength=24).min()
    return [
        days >= least_days and len(times_s) >= results and ("hours" not in kind or least_seen >= _EACH_HOUR)
        for kind, (least_days, results) in _KINDS.items()
    ]


def _fitted(centred: Floats, counts: Ints, design: _Design, can: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Coefficients of all kinds but the level in each row, and the differences from them; infinite values have none."""
    known = np.isfinite(centred)[:, None]
    weights = np.repeat(known, len(_USES) + 1, axis=1).astype(np.float64)
    rows = np.arange(len(centred))
    coefficients, course = design.solved(rows, weights, weights * np.where(known, centred[:, None], 0.0))
    for _ in range(_ROUNDS):
        errors = centred[rows, None] - course[rows]
        # the scatter of a round needs no more digits, and their order is found in half the time
        scales = np.maximum(_sigmas(errors.astype(np.float32), counts[rows, None]), 1e-12)[..., None]
        with np.errstate(divide="ignore"):
            weights = np.minimum(_HUBER * scales / np.abs(errors), 1.0)
        step, further = design.solved(rows, weights, np.clip(errors, -_HUBER * scales, _HUBER * scales) * known[rows])
        # the derivative of the equations to solve counts only the errors of full weight: Newton's step is longer
        longer = np.minimum(weights.sum(axis=-1) / np.maximum((weights == 1).sum(axis=-1), 1), _LONGEST)[..., None]
        coefficients[rows] += longer * step
        course[rows] += longer * further
        moves = ((np.abs(step) > _SETTLED * scales).any(axis=-1) & can[rows]).any(axis=-1)
        rows = rows[moves]
        if not len(rows):
            break
    return coefficients, centred[:, None] - course


class _Design:
    """Weighted least squares of all kinds of course but the level, for rows of places of a series."""

    def __init__(self, times_s: Floats, places: Ints) -> None:
        columns = _columns(times_s)
        self._pairs = np.triu_indices(columns.shape[1])
        products = columns[:, self._pairs[0]] * columns[:, self._pairs[1]]
        across, across_products = np.ascontiguousarray(columns.T), np.ascontiguousarray(products.T)
        parts = [slice(row[0], row[0] + len(row)) for row in places]
        self._columns = [across[:, part] for part in parts]
        self._products = [across_products[:, part] for part in parts]
        self._cells = (24 * _is_weekend(times_s) + _hour(times_s))[places]

    def solved(self, rows: Ints, weights: Floats, weighted: Floats) -> tuple[Floats, Floats]:
        """Coefficients of some rows by kind, and the courses; `weighted` are the values times their weights."""
        coefficients = np.zeros((*weights.shape[:2], _MOST_COEFFICIENTS))
        course = np.zeros(weights.shape)
        size = _USES.shape[1]
        normal = np.empty((len(rows), len(_USES), len(self._pairs[0])))
        along = np.empty((len(rows), len(_USES), size))
        for number, row in enumerate(rows):
            columns, products = self._columns[row], self._products[row]
            count = columns.shape[1]
            np.matmul(weights[number, :-1, :count], products.T, out=normal[number])
            np.matmul(weighted[number, :-1, :count], columns.T, out=along[number])
        coefficients[:, :-1, :size] = self._regression(normal, along)
        for number, row in enumerate(rows):
            columns = self._columns[row]
            np.matmul(coefficients[number, :-1, :size], columns, out=course[number, :-1, : columns.shape[1]])
        coefficients[:, -1], course[:, -1] = self._hours(self._cells[rows], weights[:, -1], weighted[:, -1])
        return coefficients, course

    def _regression(self, products: Floats, along: Floats) -> Floats:
        """Coefficients of the columns, 0 for those that a kind does not use."""
        first, second = self._pairs
        normal = np.empty((*products.shape[:2], _USES.shape[1], _USES.shape[1]))
        normal[..., first, second] = normal[..., second, first] = products
        normal *= _USES[:, :, None] & _USES[:, None, :]
        number = np.arange(_USES.shape[1])
        normal[..., number, number] += np.where(_USES, _RIDGE * normal[..., :1, 0], 1.0)
        solved: Floats = np.linalg.solve(normal, (along * _USES)[..., None])[..., 0]
        return solved

    def _hours(self, cells: Ints, weights: Floats, weighted: Floats) -> tuple[Floats, Floats]:
        """Coefficients and course of a level for each hour and a weekend, by sums over the results of both."""
        cells, shape = cells + 48 * np.arange(len(cells))[:, None], (len(weights), 2, 24)
        many, sums = (
            np.bincount(cells.ravel(), amounts.ravel(), minlength=48 * len(weights)).reshape(shape)
            for amounts in (weights, weighted)
        )
        of_hour = np.maximum(many.sum(axis=1), np.finfo(np.float64).tiny)
        means, share = sums.sum(axis=1) / of_hour, many[:, 1] / of_hour
        spread = (of_hour * share * (1 - share)).sum(axis=1)
        weekend = (sums[:, 1] - many[:, 1] * means).sum(axis=1) / (spread + _RIDGE * of_hour.sum(axis=1))
        weekdays = means - weekend[:, None] * share
        course = np.stack([weekdays, weekdays + weekend[:, None]], axis=1).ravel()[cells]
        hours = weekdays + _WEEKEND * weekend[:, None]
        level = hours.mean(axis=1, keepdims=True)
        return np.column_stack([level, hours[:, :23] - level, weekend]), course


def _columns(times_s: Floats) -> Floats:
    """Columns of the regression of a course: the level comes first, the others have mean 0 over a week (UTC)."""
    angle = 2 * np.pi * times_s / _DAY_S
    day = (np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle))
    return np.stack([np.ones(len(times_s)), *day, _is_weekend(times_s) - _WEEKEND], axis=-1)


def _hour(times_s: Floats) -> Ints:
    return (times_s % _DAY_S // 3600).astype(np.int64)


def _is_weekend(times_s: Floats) -> npt.NDArray[np.bool_]:
    is_weekend: npt.NDArray[np.bool_] = (times_s // _DAY_S + 3) % 7 >= 5  # the first day of 1970 was a Thursday
    return is_weekend


def _sigmas(errors: npt.NDArray[np.floating], counts: Ints) -> Floats:
    """Standard deviation of the errors of each row that outliers do not affect."""
    middle = _quantiles(np.sort(errors), counts, 0.5).astype(errors.dtype)
    return _MAD * _quantiles(np.sort(np.abs(errors - middle[..., None])), counts, 0.5)


def _quantiles(ordered: npt.NDArray[np.floating], counts: Ints, share: float) -> Floats:
    """A quantile of the first so many values of each row, which are in order."""
    at = np.broadcast_to(share * (counts - 1), ordered.shape[:-1])
    low = np.floor(at).astype(np.int64)[..., None]
    lower = np.take_along_axis(ordered, low, axis=-1)[..., 0].astype(np.float64)
    upper = np.take_along_axis(ordered, np.ceil(at).astype(np.int64)[..., None], axis=-1)[..., 0]
    quantiles: Floats = lower + (at - low[..., 0]) * (upper - lower)
    return quantiles
