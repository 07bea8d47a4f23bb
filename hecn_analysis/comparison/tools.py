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
    """Result of comparing tools.

    Attributes
    ----------
    pairs
        One row per pair of tools, see `compare_tools`.
    friedman_p
        p of Friedman's test that all tools are equal, over the conditions that all of them share; None: fewer than
        three tools or two such conditions.
    conditions
        Number of conditions that all tools share.
    """

    pairs: pd.DataFrame
    friedman_p: float | None
    conditions: int


def conditions(matrix: Matrix, matched: pd.DataFrame) -> pd.DataFrame:
    """Return runs from `hecn_analysis.planning.matrix.runs.match` with their condition: the cell without its tool."""
    names = {
        cell.name: "/".join([cell.grid, *(str(value) for key, value in cell.setting.items() if key != "tool")])
        for cell in matrix.cells
    }
    assigned = matched[matched["cell"].notna()]
    return assigned.assign(condition=assigned["cell"].map(names))


def compare_tools(runs: pd.DataFrame, *, by: str | Sequence[str] = "condition", confidence: float = 0.95) -> Comparison:
    """Compare tools with each other.

    Repeats of a tool under one condition count as one, by their geometric mean, since they show chance, not conditions.
    Each pair of tools is compared by the ratios of these means, condition by condition. The interval of the ratios is
    Student's t on logarithms, which is valid for as few as two conditions (a bootstrap of few is too narrow). Their p
    comes from Wilcoxon's exact signed-rank test; with n conditions it cannot be below 2 / 2^n. All p are corrected for
    the number of pairs (Holm 1979).

    Parameters
    ----------
    runs
        Runs with ``tool``, ``throughput_bps`` and the columns of `by`.
    by
        What makes runs comparable: columns such as ``rtt_s`` and ``bytes``, or the ``condition`` of `conditions`.
    confidence
        Confidence of the intervals. [1]

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
    successful = runs[runs["throughput_bps"] > 0]
    logs = successful.assign(log=np.log(successful["throughput_bps"].to_numpy(float)))
    means = logs.pivot_table(index=keys, columns="tool", values="log", aggfunc="mean")
    rows = [row for pair in combinations(means.columns, 2) if (row := _pair(means, *pair, confidence)) is not None]
    if not rows:
        raise InputError("no two tools under one condition", "runs of several tools under the same conditions")
    pairs = pd.DataFrame(rows)
    pairs["p_corrected"] = holm(pairs["p"])
    complete = means.dropna()
    friedman = None
    if complete.shape[1] > 2 and len(complete) > 1:
        friedman = float(stats.friedmanchisquare(*complete.to_numpy().T).pvalue)
    order = pairs.sort_values(["p_corrected", "ratio"], ascending=[True, False], ignore_index=True)
    return Comparison(order, friedman, len(complete))


def _pair(means: pd.DataFrame, faster: str, slower: str, confidence: float) -> dict[str, Any] | None:
    ratios = (means[faster] - means[slower]).dropna().to_numpy(float)
    if not ratios.size:
        return None
    if ratios.mean() < 0:
        faster, slower, ratios = slower, faster, -ratios
    half_width = np.nan
    if ratios.size > 1:
        half_width = stats.t.ppf((1 + confidence) / 2, ratios.size - 1) * ratios.std(ddof=1) / np.sqrt(ratios.size)
    nonzero = ratios[ratios != 0]
    p = (
        float(stats.wilcoxon(nonzero, method="exact" if nonzero.size <= 50 else "approx").pvalue)
        if nonzero.size
        else 1.0
    )
    return {
        "faster": faster,
        "slower": slower,
        "conditions": int(ratios.size),
        "wins": int((ratios > 0).sum()),
        "ratio": float(np.exp(ratios.mean())),
        "ratio_low": float(np.exp(ratios.mean() - half_width)),
        "ratio_high": float(np.exp(ratios.mean() + half_width)),
        "p": p,
    }
