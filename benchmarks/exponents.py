"""Exponents of growth: amounts against sizes, fitted by least squares on logarithms (`scipy.stats.linregress`).

Twice: over all sizes, where a fixed part makes the exponent too small, and over the sizes within a factor of ten of the
largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import stats

#: Largest exponent that needs no reason.
LARGEST = 1.15

#: Sizes that the second fit takes: those above this part of the largest.
TOP = 0.1

#: Memory below which what a job holds is lost among what was there before. [bytes]
LEAST_BYTES = 4 * 2**20


@dataclass(frozen=True)
class Fit:
    """Exponent with its standard error, over so many sizes; None where there are fewer than three."""

    exponent: float | None
    standard_error: float | None
    sizes: int


def fit(sizes: Sequence[float], amounts: Sequence[float]) -> Fit:
    """Fit amount = a size^exponent.

    Parameters
    ----------
    sizes, amounts
        Above 0.

    Examples
    --------
    >>> found = fit([1, 10, 100], [2, 200, 20000])
    >>> round(found.exponent, 6), found.sizes
    (2.0, 3)
    """
    if len(sizes) < 3:
        return Fit(None, None, len(sizes))
    line = stats.linregress(np.log(sizes), np.log(amounts))
    return Fit(float(line.slope), float(line.stderr), len(sizes))


def summary(what: str, unit: str, reason: str, points: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Fit what was measured of a curve.

    Parameters
    ----------
    what, unit
        The job, and what its size counts.
    reason
        Why it may grow faster than `LARGEST`; empty: it may not.
    points
        What was measured of its sizes.
    """
    largest = max(point["size"] for point in points)
    fits = {}
    for amount, least in (("time_s", 0.0), ("added_bytes", LEAST_BYTES)):
        counted = [point for point in points if point[amount] > least]
        for name, chosen in (
            (amount, counted),
            (f"{amount}_top", [point for point in counted if point["size"] >= TOP * largest]),
        ):
            fits[name] = asdict(fit([point["size"] for point in chosen], [point[amount] for point in chosen]))
    return {"what": what, "unit": unit, "reason": reason, "points": list(points), "fits": fits}


def too_fast(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Name what grows faster than `LARGEST` by more than two standard errors, without a reason.

    Parameters
    ----------
    found
        Summaries by the name of their curve.
    """
    for name, curve in found.items():
        for amount, fitted in curve["fits"].items():
            exponent, error = fitted["exponent"], fitted["standard_error"]
            if not curve["reason"] and exponent is not None and exponent - 2 * error > LARGEST:
                yield f"{name}: {amount} grows as n^{exponent:.2f} ± {error:.2f}"
