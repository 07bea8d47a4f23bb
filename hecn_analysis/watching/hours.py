"""What differs from hour to hour about a usual course: jobs of certain hours of the week, and the scatter.

A job that runs once a week concerns too few results for the regression of the course. Its hours are those that were
far off in three weeks of four, where other hours so rarely are that chance does not do it. The scatter of an hour of
the day, on weekdays or at weekends, is its own where hours differ more than chance makes them (a test of equal means
by chi-square), drawn towards that of all.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_WEEK: Final = 168

#: An hour of the week is off by so many standard deviations, in so many weeks, and in such a share of its results.
_OFF: Final = 2.5
_WEEKS: Final = 3
_MOST_WEEKS: Final = 0.75

#: Probability that chance makes a job, or unlike scatters.
_BY_CHANCE: Final = (0.01, 1e-5)

#: Results of the usual scatter that those of an hour are averaged with, and largest error that counts.
_PRIOR: Final = 4
_LARGEST: Final = 6.0


#: Hour of a weekday, or 24 and that of a day of the weekend, for each hour of the week.
_DAY_HOURS: Final = np.concatenate([np.tile(np.arange(24), 5), np.tile(np.arange(24, 48), 2)])


@cache
def _chance(cells: int) -> float:
    """The statistic of equal means that chance hardly exceeds."""
    return float(chdtri(max(cells - 1, 1), _BY_CHANCE[1]))


def week_hours(times_s: Floats) -> Ints:
    """Hour of the week (UTC) of each time, from Monday on."""
    return ((times_s / 3600.0).astype(np.int64) + 72) % _WEEK  # the first day of 1970 was a Thursday


def jobs(hours: Ints, errors: Floats) -> Floats:
    """What each hour of the week is usually off by, in the unit of the errors, which is their scatter; mostly 0."""
    usual = np.zeros(_WEEK)
    counts = np.bincount(hours, minlength=_WEEK)
    for is_off in (errors < -_OFF, errors > _OFF):
        if np.count_nonzero(is_off) < _WEEKS:
            continue
        off = np.bincount(hours[is_off], minlength=_WEEK)
        has_job = (off >= _WEEKS) & (off >= _MOST_WEEKS * counts)
        if not has_job.any():
            continue
        elsewhere = off[~has_job].sum() / max(counts[~has_job].sum(), 1)
        if _WEEK * (_WEEKS + 1) * elsewhere**_WEEKS < _BY_CHANCE[0]:
            for hour in np.flatnonzero(has_job):
                usual[hour] = np.median(errors[hours == hour])
    return usual


def spreads(hours: Ints, errors: Floats) -> Floats:
    """Scatter of each hour of the week over that of all, by hour of the day on weekdays and at weekends."""
    sizes = np.minimum(np.abs(errors), _LARGEST)
    days = _DAY_HOURS[hours]
    counts, sums = np.bincount(days, minlength=48), np.bincount(days, sizes, minlength=48)
    mean = sums.sum() / len(sizes)
    variance = sizes @ sizes / len(sizes) - mean**2
    unlike = ((sums - counts * mean) ** 2 / np.maximum(counts, 1)).sum()
    if unlike <= variance * _chance(np.count_nonzero(counts)):
        return np.ones(_WEEK)
    of_hour, of_three = (
        (total / mean + _PRIOR) / (many + _PRIOR) for total, many in ((sums, counts), map(_of_three, (sums, counts)))
    )
    of_day = np.maximum(of_hour, of_three)  # too low a value alarms
    spread: Floats = of_day[_DAY_HOURS]
    return spread


def _of_three(of_day: npt.NDArray[np.float64 | np.int64]) -> Floats:
    """Sums of each hour of a weekday and of a day of the weekend with those before and after it."""
    days = of_day.reshape(2, 24).astype(np.float64)
    sums: Floats = (days + np.roll(days, 1, axis=1) + np.roll(days, -1, axis=1)).ravel()
    return sums
