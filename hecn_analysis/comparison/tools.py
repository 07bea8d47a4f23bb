"""Compare the speed of tools from few runs under several conditions, paired by condition to cancel the distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from hecn_analysis.base.errors import InputError
from hecn_analysis.planning.matrix.cells import Matrix
from hecn_analysis.runs.statistics import holm


@dataclass(frozen=True)
class Comparison:
    """Tools compared.

    Attributes
    ----------
    pairs
        One row a pair of tools, see `compare_tools`.
    friedman_p
        Probability of ranks so different if all tools were alike, over the conditions that all of them have; None:
        fewer than three tools or two such conditions.
    conditions
        Number of conditions that all tools have.
    """

    pairs: pd.DataFrame
    friedman_p: float | None
    conditions: int


def conditions(matrix: Matrix, matched: pd.DataFrame) -> pd.DataFrame:
    """Runs with the condition that they were made under: the cell without its tool.

    Parameters
    ----------
    matrix
        The matrix.
    matched
        Runs, of `hecn_analysis.planning.matrix.runs.match`.
    """
    names = {
        cell.name: "/".join([cell.grid, *(str(value) for key, value in cell.setting.items() if key != "tool")])
        for cell in matrix.cells
    }
    found = matched[matched["cell"].notna()]
    return found.assign(condition=found["cell"].map(names))


def compare_tools(runs: pd.DataFrame, *, by: str | Sequence[str] = "condition", confidence: float = 0.95) -> Comparison:
    """Compare tools with each other.

    Repeats of a tool under one condition count as one, by their geometric mean: they tell of chance, not of conditions.
    Of each pair of tools the ratios of these means are taken, condition by condition. Their interval is that of
    Student's t on logarithms, which holds for as few as two conditions (a bootstrap of few is too narrow); their p is
    Wilcoxon's signed rank test, exact, which with n conditions cannot be less than 2 / 2^n; all are corrected for the
    number of pairs (Holm 1979).

    Parameters
    ----------
    runs
        Runs with ``tool``, ``throughput_bps`` and the columns of `by`.
    by
        What makes runs comparable: columns such as ``rtt_s`` and ``bytes``, or the ``condition`` of `conditions`.
    confidence
        Of the intervals. [1]

    Returns
    -------
    Comparison
        In ``pairs``: ``faster``, ``slower``, ``conditions``, ``wins`` of the faster one, ``ratio`` (geometric mean),
        ``ratio_low``, ``ratio_high`` (missing for one condition), ``p`` and ``p_corrected``.

    Raises
    ------
    InputError
        Fewer than two tools, or no condition that two of them share.

    Examples
    --------
    >>> rates = {"a": [9e9, 3e9, 2e9], "b": [4e9, 1.5e9, 1e9]}
    >>> runs = pd.DataFrame(
    ...     {"tool": tool, "rtt_s": rtt, "throughput_bps": rate}
    ...     for tool in rates for rtt, rate in zip([0, 0.1, 0.2], rates[tool])
    ... )
    >>> found = compare_tools(runs, by="rtt_s").pairs.iloc[0]
    >>> print(found["faster"], found["wins"], round(found["ratio"], 2), found["p"])
    a 3 2.08 0.25
    """
    keys = [by] if isinstance(by, str) else list(by)
    good = runs[runs["throughput_bps"] > 0]
    logs = good.assign(log=np.log(good["throughput_bps"].to_numpy(float)))
    means = logs.pivot_table(index=keys, columns="tool", values="log", aggfunc="mean")
    found = [row for pair in combinations(means.columns, 2) if (row := _pair(means, *pair, confidence)) is not None]
    if not found:
        raise InputError("no two tools under one condition", "runs of several tools under the same conditions")
    pairs = pd.DataFrame(found)
    pairs["p_corrected"] = holm(pairs["p"])
    whole = means.dropna()
    friedman = None
    if whole.shape[1] > 2 and len(whole) > 1:
        friedman = float(stats.friedmanchisquare(*whole.to_numpy().T).pvalue)
    order = pairs.sort_values(["p_corrected", "ratio"], ascending=[True, False], ignore_index=True)
    return Comparison(order, friedman, len(whole))


def _pair(means: pd.DataFrame, one: str, other: str, confidence: float) -> dict[str, Any] | None:
    ratios = (means[one] - means[other]).dropna().to_numpy(float)
    if not ratios.size:
        return None
    if ratios.mean() < 0:
        one, other, ratios = other, one, -ratios
    half = np.nan
    if ratios.size > 1:
        half = stats.t.ppf((1 + confidence) / 2, ratios.size - 1) * ratios.std(ddof=1) / np.sqrt(ratios.size)
    differ = ratios[ratios != 0]
    p = float(stats.wilcoxon(differ, method="exact" if differ.size <= 50 else "approx").pvalue) if differ.size else 1.0
    return {
        "faster": one,
        "slower": other,
        "conditions": int(ratios.size),
        "wins": int((ratios > 0).sum()),
        "ratio": float(np.exp(ratios.mean())),
        "ratio_low": float(np.exp(ratios.mean() - half)),
        "ratio_high": float(np.exp(ratios.mean() + half)),
        "p": p,
    }
