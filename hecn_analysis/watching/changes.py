"""Change points of a series of results: when, by how much, how sure, and after how many results they showed.

One pass over the series serves both uses: the changes of the past, and whether the newest results are one. Each result
is scored against the quiet results before it (`hecn_analysis.watching.quiet`). The statistic is the generalised
likelihood ratio of a step among the last `WINDOW` scores; its threshold is computed from the number of results between
two false alarms. One or two results, however slow, are no change: scores are cut at `CLIP`, of which it takes three at
the usual threshold of 4.5 to 5 (3 x 3 / sqrt(3) = 5.2); and of three in a row, none counts much more than the least. A
statistic that the quiet stretch itself reached is not a change either. After a change, its results are scored against
the stretch before it, until there are enough of them for a stretch of their own; after two changes there and back, the
stretch before them goes on.

Sources
-------
- Statistic and its rate of false alarms: D. Siegmund, E. S. Venkatraman, "Using the generalized likelihood ratio
  statistic for sequential detection of a change-point", Annals of Statistics 23 (1995) 255.
- Approximation of the overshoot: D. Siegmund, B. Yakir, "The statistics of gene mapping", 2007, section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr

from hecn_analysis.runs.statistics import shift
from hecn_analysis.watching.quiet import CLIP, Quiet, quiets_of

Floats = npt.NDArray[np.float64]

#: Longest step that is looked for among the newest results: two days of hourly tests.
WINDOW: Final = 48

#: A stretch describes what is quiet from so many results over so much time on: a week, and a day that is kept out.
LEAST: Final = 24
LEAST_S: Final = 7.9 * 86400.0

#: Results that describe what is quiet: at most the last four weeks of hourly tests.
MOST: Final = 672

#: Results on each side of a change that give its size.
COMPARED: Final = 168

#: The newest results of a stretch, which may be the begin of a change, do not describe what is quiet.
_KEPT_OUT: Final = 24

#: Results after which the stretch is described anew, as a share of its length, and at most.
_RENEWED: Final = (8, 84)

#: Renewals that are computed together; those after a change are computed again.
_AT_ONCE: Final = 8

#: Where a quiet stretch reaches what it should reach once in so many times its length, the threshold is higher by as
#: much: its errors persist longer than one result, or repeat in a way that the usual course does not have.
_UNUSUAL: Final = 3

#: Largest score of a result above that of the least of three.
_ABOVE_LEAST: Final = 1.5

#: Largest confidence: nothing is certain.
_CERTAIN: Final = float(np.nextafter(1.0, 0.0))

#: Changes to and fro between two levels within four weeks after which both levels are usual.
_TO_AND_FRO: Final = 4

#: Fewer results on a side, such as an outlier at the other side of a step, are no stretch.
_FEWEST: Final = 3

#: Variance of the median of normal values over that of a mean: the level of the quiet stretch is uncertain, too.
_OF_LEVEL: Final = np.pi / 2

#: Results between two false alarms of one series: one in two months among 100 series of hourly results.
FALSE_ALARM_EVERY: Final = 2 * 100 * 30 * 24.0


@dataclass(frozen=True)
class Change:
    """A change of a series; places count the results from 0.

    ``first`` is the first result after it, ``seen`` the one after which it showed. ``size`` is the median after it
    minus that before it, in the unit of the values, with the 90 % interval from ``low`` to ``high``; ``confidence`` is
    the probability that a series as long as this one and quiet throughout shows none so clear. [1]
    """

    first: int
    seen: int
    size: float
    low: float
    high: float
    confidence: float


@cache
def threshold(false_alarm_every: float) -> float:
    """Return the statistic that a quiet series exceeds once in so many results."""
    return float(brentq(lambda b: np.log(_results_between(b)) - np.log(false_alarm_every), 1.5, 12))


def _results_between(statistic: float) -> float:
    """Mean number of results of a quiet series until the statistic is exceeded, two-sided."""
    overlap = quad(lambda x: x * _overshoot(x) ** 2, statistic / np.sqrt(WINDOW), statistic)[0]
    return float(np.sqrt(2 * np.pi) * np.exp(statistic**2 / 2) / (statistic * overlap))


def _overshoot(x: float) -> float:
    half = x / 2
    density = np.exp(-(half**2) / 2) / np.sqrt(2 * np.pi)
    return float((ndtr(half) - 0.5) / half / (half * ndtr(half) + density))


def changes(
    times_s: Floats, values: Floats, *, least_scale: float, false_alarm_every: float = FALSE_ALARM_EVERY
) -> list[Change]:
    """Return the changes of a series of results, in a unit in which their scatter is about the same everywhere."""
    steps = list(_steps(times_s, values, least_scale, threshold(false_alarm_every)))
    begins = [0, *(first for first, _, _ in steps), len(values)]
    result = []
    for number, (first, seen, statistic) in enumerate(steps, 1):
        before, after = values[begins[number - 1] : first], values[first : begins[number + 1]]
        moved = shift(before[-COMPARED:], after[:COMPARED], confidence=0.9)
        confidence = float(np.exp(-len(values) / _results_between(min(statistic, 12.0))))
        result.append(Change(first, seen, moved.median, moved.low, moved.high, min(confidence, _CERTAIN)))
    return result


def _steps(times_s: Floats, values: Floats, least_scale: float, bound: float) -> Iterator[tuple[int, int, float]]:
    """First result after each step, the result at which it showed, and the statistic."""
    begin = judged = told = 0
    begins = [0]
    quiet: Quiet | None = None
    highest = bound
    while judged < len(values):
        if judged - begin >= LEAST and times_s[judged - 1] - times_s[begin] >= LEAST_S:
            parts = list(islice(_parts(begin, judged, told, len(values)), _AT_ONCE))
            own = [slice(max(begin, part.known - MOST), part.known) for part in parts]
            quiets = quiets_of(times_s, values, own, least_scale)
            for part, quiet, highest in zip(parts, quiets, _highest(quiets, bound), strict=True):
                newest = slice(part.known - 1, part.until)
                scores = quiet.scores(times_s[newest], values[newest])[1:]
                statistics, lengths = _statistics(scores, len(quiet.errors))
                step = _first_over(statistics, lengths, part, highest)
                if step is not None:
                    break
                judged = part.until
        elif quiet is None:
            judged += 1
            continue
        else:
            part = _Part(begin, judged, min(judged + _block(judged - begin), len(values)))
            newest = slice(begin, part.until)
            moved = np.median(values[begin:judged] - quiet.usual(times_s[begin:judged]))
            scores = np.clip(quiet.scores(times_s[newest], values[newest] - moved), -CLIP, CLIP)
            statistics, lengths = _statistics_after(scores)
            step = _first_over(statistics, lengths, part, highest)
            judged = part.until
        if step is not None:
            begin, judged = step[0], step[1] + 1
            begins.append(begin)
            if _is_to_and_fro(values[:judged], begins):
                begin, told = begins[-_TO_AND_FRO - 1], judged
                begins = [begin]
            yield step


def _is_to_and_fro(values: Floats, begins: Sequence[int]) -> bool:
    """Whether the newest changes lead to and fro between two levels: then both are usual."""
    if len(begins) <= _TO_AND_FRO or begins[-1] - begins[-_TO_AND_FRO] > MOST:
        return False
    ends = [*begins[-_TO_AND_FRO:], len(values)]
    levels = np.array([np.median(values[first:last]) for first, last in pairwise([begins[-_TO_AND_FRO - 1], *ends])])
    ranges = [(side.min(), side.max()) for side in (levels[::2], levels[1::2])]
    apart = max(ranges[0][0] - ranges[1][1], ranges[1][0] - ranges[0][1])
    return all(apart > high - low for low, high in ranges)


class _Part(NamedTuple):
    """A part of a series that is judged at once: after ``known``, from ``judged`` up to ``until``."""

    known: int
    judged: int
    until: int


def _parts(begin: int, judged: int, told: int, count: int) -> Iterator[_Part]:
    """The parts that are judged next, as long as no change is found: before each of them, what is quiet is renewed.

    What was told, up to a result, is not found again.
    """
    while judged < count:
        many = judged - begin
        known = max(judged - min(_KEPT_OUT, many // 4), told)
        part = _Part(known, judged, min(judged + _block(many), count))
        yield part
        judged = part.until


def _block(many: int) -> int:
    """Results that are judged by the same stretch, after so many since the last change."""
    return min(max(many // _RENEWED[0], 1), _RENEWED[1])


def _first_over(
    statistics: Floats, lengths: npt.NDArray[np.int64], part: _Part, highest: float
) -> tuple[int, int, float] | None:
    """The first result of a part whose statistic is too high: begin of the step, where it showed, and the statistic."""
    over = np.flatnonzero(statistics[part.judged - part.known :] > highest)
    if not len(over):
        return None
    place = part.judged - part.known + int(over[0])
    return part.known + place - int(lengths[place]) + 1, part.known + place, float(statistics[place])


def _highest(quiets: Sequence[Quiet], bound: float) -> Floats:
    """The threshold after each quiet stretch: higher if the stretch itself reached more than it should."""
    counts = np.array([len(quiet.errors) for quiet in quiets])
    sums = np.zeros((len(quiets), counts.max() + 1))
    for row, quiet in zip(sums, quiets, strict=True):
        np.cumsum(np.clip(quiet.own_scores, -CLIP, CLIP), out=row[1 : len(quiet.errors) + 1])
        row[len(quiet.errors) + 1 :] = row[len(quiet.errors)]
    largest = np.zeros(len(quiets))
    for length in range(1, min(WINDOW, counts.max()) + 1):
        steps = np.abs(sums[:, length:] - sums[:, :-length]).max(axis=1)
        largest = np.maximum(largest, steps / np.sqrt(length * (1 + _OF_LEVEL * length / counts)))
    usual = np.array([threshold(float(_UNUSUAL * count)) for count in counts])
    highest: Floats = bound * np.maximum(1.0, largest / usual)
    return highest


def _statistics(scores: Floats, quiet: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Statistic of a step that lasts up to each result, and the length for which it is largest."""
    lengths = np.arange(1, WINDOW + 1)
    ends = np.arange(1, len(scores) + 1)[:, None]
    sums = np.concatenate([[0.0], np.cumsum(np.clip(scores, -CLIP, CLIP))])
    spread = np.sqrt(lengths * (1 + _OF_LEVEL * lengths / quiet))
    steps = np.abs(sums[ends] - sums[np.maximum(ends - lengths, 0)])
    steps[2:, 2] = np.maximum(steps[2:, 2], _of_three(scores))
    steps /= spread
    steps[ends < lengths] = 0.0
    best = steps.argmax(axis=1)
    return steps[np.arange(len(scores)), best], lengths[best]


def _of_three(scores: Floats) -> Floats:
    """Sum of the scores of each three results in a row, none much above the least; 0 if they are on both sides."""
    three = (scores[:-2], scores[1:-1], scores[2:])
    lowest, highest = np.minimum(np.minimum(*three[:2]), three[2]), np.maximum(np.maximum(*three[:2]), three[2])
    slow, fast = highest - _ABOVE_LEAST, lowest + _ABOVE_LEAST
    downwards = sum(np.maximum(each, slow) for each in three)
    upwards = sum(np.minimum(each, fast) for each in three)
    sums: Floats = np.where(lowest > 0, upwards, np.where(highest < 0, -downwards, 0.0))
    return sums


def _statistics_after(scores: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The same against the results since the last step, whose own level is known from them alone."""
    lengths = np.arange(1, WINDOW + 1)
    ends = np.arange(1, len(scores) + 1)[:, None]
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    before = np.maximum(ends - lengths, 1)
    means = (sums[ends] - sums[before]) / lengths - sums[before] / before
    steps = np.abs(means) / np.sqrt(1 / lengths + 1 / before)
    steps[ends - lengths < _FEWEST] = 0.0
    best = steps.argmax(axis=1)
    return steps[np.arange(len(scores)), best], lengths[best]
