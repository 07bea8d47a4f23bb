"""The next test, by the uncertainty that it would remove, and the search for the best cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pandas as pd
from scipy import stats

from hecn_analysis.planning.matrix.cells import Matrix, amounts
from hecn_analysis.planning.matrix.outlook import Belief, FloatArray
from hecn_analysis.prediction.draws import Z90

#: Differences in worth below this are negligible.
_EQUAL: Final = 1e-9


def rank_next(
    matrix: Matrix, belief: Belief | None = None, *, count: int = 10, per: Literal["test", "time"] = "test"
) -> pd.DataFrame:
    """Rank the tests to run next.

    Each row assumes that the tests above it have been run. The worth of a test is the share of the variance of all
    cells' logarithms that it removes, plus the share of the uncertainty about their limits.

    Parameters
    ----------
    matrix
        The matrix.
    belief
        Belief after the runs so far; None: no runs yet.
    count
        Number of rows.
    per
        Rank by worth per test, or by worth per time.

    Returns
    -------
    DataFrame
        ``cell``, a column for each axis, ``expected_bps``, ``low_bps``, ``high_bps`` (interval of 90 % of single runs)
        [bit/s], ``worth``, ``variance_fraction`` and ``doubt_fraction`` that the test removes [1], ``separates`` (the
        two likeliest limits of the cell that it clarifies most, ``of_cell``), ``time_s``, ``data_bytes``.

    Examples
    --------
    >>> rank_next(matrix, count=1)["cell"].tolist()
    ['far/90ms']
    """
    belief = matrix.belief() if belief is None else belief
    outlook = belief.outlook
    durations = [amounts(cell.scenario, rate) for cell, rate in zip(matrix.cells, np.exp(belief.mean), strict=True)]
    time_s = np.array([duration for duration, _ in durations]) + matrix.pause_s
    covariance = belief.covariance.copy()
    doubts = _Doubts(belief)
    total = float(np.trace(covariance))
    spread = Z90 * np.sqrt(np.diag(covariance) + belief.noise)
    most = outlook.most_bps
    rows = []
    for _ in range(min(count, len(matrix.cells))):
        removed = (covariance**2).sum(axis=0) / (np.diag(covariance) + belief.noise + _EQUAL) / max(total, _EQUAL)
        information = doubts.information()
        worth = removed + information.sum(axis=0) / max(doubts.entropy, _EQUAL)
        best = int(np.argmax(worth / (time_s if per == "time" else 1.0)))
        cell = matrix.cells[best]
        clarified = int(np.argmax(information[:, best]))
        rows.append(
            {
                "cell": cell.name,
                **{key: cell.setting.get(key) for key in matrix.axes},
                "expected_bps": float(min(np.exp(belief.mean[best]), most[best])),
                "low_bps": float(np.exp(belief.mean[best] - spread[best])),
                "high_bps": float(min(np.exp(belief.mean[best] + spread[best]), most[best])),
                "worth": float(worth[best]),
                "variance_fraction": float(removed[best]),
                "doubt_fraction": float(information[:, best].sum() / max(doubts.entropy, _EQUAL)),
                "separates": " / ".join(outlook.names[number] for number in doubts.leading(clarified)),
                "of_cell": matrix.cells[clarified].name if doubts.leading(clarified) else None,
                "time_s": durations[best][0],
                "data_bytes": durations[best][1],
            }
        )
        column = covariance[:, best]
        covariance = covariance - np.outer(column, column) / (column[best] + belief.noise[best] + _EQUAL)
        doubts.tested(best)
    return pd.DataFrame(rows)


class _Doubts:
    """Uncertainty about the limit of each cell, and the information of each test about it.

    The draws fall into groups by the limit of a cell. As for normal groups, the information of a test is half the
    binary logarithm of 1 plus the ratio of the variances between and within the groups, at most the remaining
    uncertainty.
    """

    def __init__(self, belief: Belief) -> None:
        self._weights = belief.weights()
        self._logs = np.log(belief.outlook.draws_bps)
        self._noise = belief.noise + belief.wrong**2
        self._groups: list[tuple[FloatArray, FloatArray, list[int]]] = []
        for row in belief.outlook.candidates:
            numbers, which = np.unique(row, return_inverse=True)
            member = (which[None, :] == np.arange(numbers.size)[:, None]).astype(float)
            share = member @ self._weights
            self._groups.append((member, share, [int(numbers[at]) for at in np.argsort(-share) if share[at] > _EQUAL]))
        self._left = np.array([_entropy(share) for _, share, _ in self._groups])
        self.entropy = float(self._left.sum())

    def _mean(self) -> FloatArray:
        return np.asarray(self._logs @ self._weights)

    def leading(self, cell: int) -> list[int]:
        """Numbers of the two likeliest limits of a cell; empty if its limit is certain."""
        names = self._groups[cell][2]
        return names[:2] if len(names) > 1 else []

    def information(self) -> FloatArray:
        """Information of each test (column) about the limit of each cell (row) [bit]."""
        mean = self._mean()
        total = (self._logs - mean[:, None]) ** 2 @ self._weights
        bits = np.zeros((len(self._groups), len(mean)))
        for number, (member, share, names) in enumerate(self._groups):
            if len(names) > 1:
                held = share > _EQUAL
                means = (member[held] * self._weights) @ self._logs.T / share[held, None]
                between = share[held] @ (means - mean) ** 2
                ratio = between / (np.maximum(total - between, 0.0) + self._noise + _EQUAL)
                bits[number] = np.minimum(0.5 * np.log2(1 + ratio), self._left[number])
        return bits

    def tested(self, test: int) -> None:
        """Update for a test that is run, whatever its outcome."""
        self._left = np.maximum(self._left - self.information()[:, test], 0.0)
        away = self._logs - self._mean()[:, None]
        slope = (away * away[test]) @ self._weights
        self._logs = self._logs - np.outer(slope / (slope[test] + self._noise[test] + _EQUAL), away[test])


def _entropy(shares: FloatArray) -> float:
    held = shares[shares > _EQUAL]
    return float(-(held * np.log2(held)).sum())


@dataclass(frozen=True)
class Search:
    """A finished search: the number of the best cell, and the cells in the order of their runs."""

    best: int
    tested: tuple[int, ...]


def find_best(belief: Belief, measure: Callable[[int], float], budget: int) -> Search:
    """Search for the cell with the highest rate with few runs.

    Each step runs the cell with the largest expected improvement over the best one so far. The search starts from the
    predictions; measurements correct them.

    Parameters
    ----------
    belief
        Belief before the runs; it is updated.
    measure
        Function that runs a cell by number and returns its rate. [bit/s]
    budget
        Number of runs, 1 or more.

    Returns
    -------
    Search
        The best cell, and the cells that were run.

    Examples
    --------
    >>> find_best(matrix.belief(), lambda number: [9.4e9, 5e9][number], budget=2)
    Search(best=0, tested=(0, 1))
    """
    order: list[int] = []
    for _ in range(min(budget, belief.mean.size)):
        spread = np.sqrt(np.maximum(np.diag(belief.covariance), _EQUAL))
        if order:
            best_mean = max(belief.mean[number] for number in order)
            z = (belief.mean - best_mean) / spread
            gain = spread * (z * stats.norm.cdf(z) + stats.norm.pdf(z))
            gain[order] = -np.inf  # a run of another cell is worth more than a repeat
        else:
            gain = belief.mean
        chosen = int(np.argmax(gain))
        order.append(chosen)
        belief.tell(chosen, measure(chosen))
    return Search(max(order, key=lambda number: belief.mean[number]), tuple(order))
