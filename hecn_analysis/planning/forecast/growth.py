r"""Linear or exponential growth of a port, decided by fit.

Both curves have two parameters and relative errors, as traffic has:

.. math:: y_t = (a + b t)\,e^{u_t} \qquad\text{or}\qquad y_t = a\,e^{b t + u_t}

Both are fitted robustly (Huber's loss) to the logarithms of the series without its weekly course and level shifts. The
difference of their AICc is :math:`n \ln(S_\mathrm{e} / S_\mathrm{l})` with the losses :math:`S`, and the fit decides
beyond `DECIDED` either way [1]_. Correlated errors count less: :math:`n` is the number of days, divided by the ratio of
the variance of means of four weeks or more to the variance that independent days would give.

References
----------
.. [1] Burnham, Anderson, Model Selection and Multimodel Inference, 2nd ed. 2002, 2.6: differences of AIC up to 2 leave
   both models substantial support, from 4 on one of them has considerably less.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from hecn_analysis.planning.forecast.models import GROWING, SHIFT_SEASONS, course_of, persistence, sigma_of
from hecn_analysis.planning.forecast.series import Step

Floats = npt.NDArray[np.float64]
Growth = Literal["linear", "exponential", "undecided"]

DECIDED: Final = 4.0
"""Difference of AICc from which on one of the two ways to grow is taken. [1]"""
_BLOCK: Final = 4  # seasons of the shortest block whose mean says how long errors stay on
_BLOCKS: Final = 4  # blocks that a variance takes
METHOD: Final = {"exponential": GROWING[0], "linear": GROWING[1]}
_HUBER: Final = 1.345  # standard deviations from which on an error counts by its size, not its square


def growth_of(values: Floats, step: Step) -> tuple[Growth, float]:
    """Decide how a series grows."""
    level = _level(values, step)
    known = np.flatnonzero(np.isfinite(level))
    t, z = known / max(len(level) - 1, 1), level[known]
    middle = float(np.median(z))
    z = z - middle
    slope, start = np.polyfit(t, z, 1)
    scale = max(sigma_of(z - (start + slope * t)), 1e-9)
    ends = np.array([start, start + slope])

    def straight(parameters: Floats) -> Floats:
        left, right = np.exp(parameters)
        return np.asarray(z - np.log(left + (right - left) * t))

    def exponential(parameters: Floats) -> Floats:
        left, right = parameters
        return np.asarray(z - (left + (right - left) * t))

    fits = [least_squares(curve, ends, loss="huber", f_scale=_HUBER * scale) for curve in (straight, exponential)]
    losses = [max(float(fit.cost), 1e-300) for fit in fits]
    better = (straight, exponential)[int(np.argmin(losses))](fits[int(np.argmin(losses))].x)
    evidence = len(z) / _repeated(better, step) * float(np.log(losses[1] / losses[0]))
    if abs(evidence) < DECIDED:
        return "undecided", evidence
    return ("linear" if evidence > 0 else "exponential"), evidence


def _level(values: Floats, step: Step) -> Floats:
    """Logarithm of a series without its week, and without shifts of its level that are there on both scales."""
    course, plain = course_of(values, step, log=True), course_of(values, step, log=False)
    near = SHIFT_SEASONS * step.season
    kept = [any(abs(shift - other) < near for other in plain.shifts) for shift in course.shifts]
    if not any(kept):
        return course.rest
    return np.asarray(course.rest + course.before[:, kept] @ np.array(course.sizes)[kept])


def _repeated(errors: Floats, step: Step) -> float:
    """Number of consecutive values that say as much as one independent value: the largest of all block lengths."""
    ratio, length = persistence(errors), _BLOCK * step.season
    while len(errors) >= _BLOCKS * length:
        means = errors[: len(errors) // length * length].reshape(-1, length).mean(axis=1)
        ratio = max(ratio, float(means.var(ddof=1)) * length / max(float(errors.var()), 1e-300))
        length *= 2
    return ratio
