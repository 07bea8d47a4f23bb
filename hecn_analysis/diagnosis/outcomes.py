"""Rates of runs after a change: draws of the next limit, counted from the measured rate.

The next limit is the least of the line's goodput, the known limits of other causes, and what the class of the remedy
leaves. `gain` is the median factor on the measured rate without other information, `spread` the spread of its
logarithm. Unknown values are drawn from the lognormals in ``models/remedies.yaml``; the draws are the same in each
call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from hecn_analysis.diagnosis.known import Known, is_positive, pace_bps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Draws = NDArray[np.float64]

After = Literal["line", "part", "core", "longer", "pace"]
"""What limits runs after a change; see ``models/remedies.yaml``."""

WINDOWS: Final = frozenset({"window-tool", "window-host"})
DRAWS: Final = 4001
LOW, HIGH = 0.05, 0.95
"""Quantiles of the interval."""

FREE_CORE_BPS: Final = 14e9
"""What one free core moves through TCP, within a factor of five either way. [bit/s]"""
_FREE_CORE_SPREAD: Final = 1.0
_SHARE_EXPONENT: Final = 0.85  # the other end and the caches take their part
_SHARE_SPREAD: Final = 0.3
_LOST_MEAN: Final = 0.06  # of the goodput, beside the start: recoveries, reports that leave out what is in flight
_START_COUNTED: Final = (0.0, 1.5)  # the RTT may be that of a loaded path, the run longer, its start left out
_FRAMING_SPREAD: Final = 0.015
_INITIAL_WINDOW: Final = 10 * 1448.0  # RFC 6928 [bytes]
_ANY_PATH_SPREAD: Final = 1.3  # of the rates of paths of which nothing is known
_ROUNDS_TENFOLD: Final = 3.5  # round trips in which slow start sends ten times as much
_LONGER_SPREAD: Final = 0.15
_RIVAL: Final = 1.25
"""Another limit counts from so far above the measured rate; one nearer is a rival explanation of that rate."""


@dataclass(frozen=True)
class Outcome:
    """Rate after a change if its cause was the cause: median, and an interval of 90 % [bit/s]."""

    throughput_bps: float
    low_bps: float
    high_bps: float


def outcome(
    after: After,
    known: Known,
    *,
    cause: str,
    gain: float,
    spread: float,
    windows: float = 1.0,
) -> Outcome:
    """Predict runs after a change that removes `cause`; `windows` is the factor of all windows together."""
    random = np.random.default_rng(20)
    if known.is_stalled:
        gain, spread = 1.0, _ANY_PATH_SPREAD
    factor = known.base_bps * np.exp(
        math.log(gain) + math.hypot(spread, _scatter(known)) * random.standard_normal(DRAWS)
    )
    line = _line(known, factor, random)
    if after == "pace":
        rate = pace_bps(known, known.base_bps) * random.uniform(0.95, 1.0, DRAWS)
    elif after == "core":
        core = _core(known, cause, gain, spread, random)
        rate = core if known.goodput_bps is None else np.minimum(core, line)
    elif after == "longer":
        rate = _longer(known, factor, random)
    else:
        rate = np.minimum(line, factor) if after == "part" else line
    if after != "pace" and not known.is_stalled:
        rate = np.maximum(rate, known.base_bps)
    if cause in WINDOWS and windows > 1:
        rate = np.minimum(rate, windows * known.base_bps)
    for other, stated in known.limits.items():
        limit = stated * windows if other in WINDOWS else stated
        if other not in {cause, "link"} and math.isfinite(limit) and limit > _RIVAL * known.base_bps:
            rate = np.minimum(rate, limit * np.exp(0.1 * random.standard_normal(DRAWS)))
    rate = np.minimum(rate, max(_most(known), known.base_bps))
    low, middle, high = (float(value) for value in np.quantile(rate, (LOW, 0.5, HIGH)))
    return Outcome(middle, low, high)


def _most(known: Known) -> float:
    """What the line carries, and no more than UDP sends; infinite if unknown [bit/s]."""
    line, offered = known.goodput_bps, known.offered_bps
    return min(math.inf if line is None else line * 1.02, offered if is_positive(offered) else math.inf)


def _scatter(known: Known) -> float:
    """Spread of the logarithm of the measured rates, by their range."""
    low, high = known.measured_low_bps, known.measured_high_bps
    return min(math.log(high / low) / 2, 1.0) if is_positive(low) and is_positive(high) and high > low else 0.0


def _line(known: Known, factor: Draws, random: np.random.Generator) -> Draws:
    """Rates of a sufficiently long run on the line."""
    lost = np.exp(-random.exponential(_LOST_MEAN, DRAWS) + _FRAMING_SPREAD * random.standard_normal(DRAWS))
    goodput = known.goodput_bps
    if goodput is None:
        return factor
    started = random.uniform(*_START_COUNTED, DRAWS)
    full: Draws = goodput * (1 - started * (1 - _ramp(known, goodput))) * lost
    return full if known.line_basis == "stated" else np.minimum(full, factor)


def _ramp(known: Known, goodput: float) -> float:
    """Part of a run's rate after slow start, which takes a round trip for each doubling."""
    rtt = known.rtt_s
    if not is_positive(rtt):
        return 1.0
    doublings = math.log2(max(goodput * rtt / 8 / (known.streams or 1) / _INITIAL_WINDOW, 1.0)) + 1
    seconds = known.run_s
    return max(1 - doublings * rtt / max(seconds, 1e-9), 0.4)


def _core(known: Known, cause: str, gain: float, spread: float, random: np.random.Generator) -> Draws:
    """Rates of a core without competitors, by its share before if known."""
    share = known.sender_cpu_share if cause == "cpu-sender" else known.receiver_cpu_share
    if share is not None and 0 < share < 1:
        middle, wide = math.log(known.base_bps) - _SHARE_EXPONENT * math.log(share), _SHARE_SPREAD
    else:  # two estimates, weighed by their precision: a factor on the measured rate, and what cores do
        weights = spread**-2, _FREE_CORE_SPREAD**-2
        middle = weights[0] * math.log(gain * known.base_bps) + weights[1] * math.log(FREE_CORE_BPS)
        middle, wide = middle / sum(weights), sum(weights) ** -0.5
    rates: Draws = np.exp(middle + math.hypot(wide, _scatter(known)) * random.standard_normal(DRAWS))
    return rates


def _longer(known: Known, factor: Draws, random: np.random.Generator) -> Draws:
    """Rates of ten times the data: the duration so far, and nine times the data at the line or in slow start."""
    goodput = known.goodput_bps
    full = factor if goodput is None else np.full(DRAWS, goodput)
    if goodput is not None and known.line_basis == "port":
        full = np.minimum(full, factor)
    data, seconds = 8 * known.run_bytes, 8 * known.run_bytes / known.base_bps
    rtt = known.rtt_s if is_positive(known.rtt_s) else seconds / 8
    rest = np.maximum(9 * data / full, _ROUNDS_TENFOLD * rtt * np.exp(0.2 * random.standard_normal(DRAWS)))
    rate: Draws = 10 * data / (seconds + rest)
    return rate * np.exp(_LONGER_SPREAD * random.standard_normal(DRAWS))
