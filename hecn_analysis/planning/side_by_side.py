"""Two sets of runs side by side: by how much one is faster, and whether chance could do that, also of single runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from hecn_analysis.errors import RangeError


@dataclass(frozen=True)
class Difference:
    """How two sets of runs differ.

    Attributes
    ----------
    ratio, ratio_low, ratio_high
        Of the geometric means, with its interval; the ends are missing (NaN) where nothing is known of chance.
    p
        Probability of a ratio so far from 1 if both were alike; NaN as above.
    basis
        What chance is taken from: ``runs``, their own scatter; ``scatter``, the given one; ``nothing``.
    """

    ratio: float
    ratio_low: float
    ratio_high: float
    p: float
    basis: str


def difference(
    one: Sequence[float], other: Sequence[float], *, scatter: float | None = None, confidence: float = 0.95
) -> Difference:
    r"""Compare two sets of few runs.

    Student's t test on logarithms, with the scatter of both sets pooled, so that a single run can be set against
    repeats: with n and m runs and s the pooled standard deviation,

    .. math:: t = \frac{\overline{\ln a} - \overline{\ln b}}{s \sqrt{1/n + 1/m}}, \quad n + m - 2 \text{ degrees}

    Two single runs say nothing of chance; then a given scatter is taken as known, and t as normal.

    Parameters
    ----------
    one, other
        Rates of the runs, above 0. [bit/s]
    scatter
        Standard deviation of the logarithm of a run, where it is known from elsewhere.
    confidence
        Of the interval. [1]

    Raises
    ------
    RangeError
        No run, or a rate that is not above 0.

    Examples
    --------
    A single run against five, of ``data/logs/b-systems-bonding.txt``: packets dealt out by the kernel, and a stream a
    link.

    >>> found = difference([31.615e9], [39.564e9, 39.134e9, 39.152e9, 39.318e9, 39.406e9])
    >>> print(f"{found.ratio:.3f}, {found.ratio_low:.3f} to {found.ratio_high:.3f}", found.p < 1e-5, found.basis)
    0.804, 0.793 to 0.815 True runs
    """
    logs = [_logs("one", one), _logs("other", other)]
    apart = float(logs[0].mean() - logs[1].mean())
    freedom = logs[0].size + logs[1].size - 2
    width = np.sqrt(1 / logs[0].size + 1 / logs[1].size)
    if freedom > 0:
        squares = sum(float(((each - each.mean()) ** 2).sum()) for each in logs)
        error, chance, basis = np.sqrt(squares / freedom) * width, stats.t(freedom), "runs"
    elif scatter is not None:
        error, chance, basis = scatter * width, stats.norm(), "scatter"
    else:
        return Difference(float(np.exp(apart)), np.nan, np.nan, np.nan, "nothing")
    half = chance.ppf((1 + confidence) / 2) * error
    p = 2 * chance.sf(abs(apart) / error) if error > 0 else float(apart == 0)
    ends = np.exp([apart, apart - half, apart + half])
    return Difference(float(ends[0]), float(ends[1]), float(ends[2]), float(p), basis)


def _logs(name: str, rates: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = np.asarray(rates, dtype=np.float64).ravel()
    if not values.size or not (values > 0).all():
        raise RangeError(f"{name}: found {list(rates)}, expected rates above 0, at least one")
    return np.log(values)
