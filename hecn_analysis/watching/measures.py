"""What is judged of a result: its rate, the delay, loss or route of its path, or the utilisation of a port.

Rates and delays are compared by their logarithms: a step has the same size at any level. Losses are compared by the
root of the number of lost packets, whose scatter by chance alone is 1 at any level [1]_.

.. [1] F. J. Anscombe, "The transformation of Poisson, binomial and negative-binomial data", Biometrika 35 (1948) 246.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.base.units import format_count, format_percent, format_rate, format_time
from hecn_analysis.watching.changes import Change

Floats = npt.NDArray[np.float64]

#: What is added to the number of lost packets, and packets of a result where neither they nor a loss are known.
_ANSCOMBE: Final = 3 / 8
_PACKETS: Final = 100.0


#: Utilisation below which it does not matter how idle a port is. [1]
_IDLE: Final = 1e-3


@dataclass(frozen=True)
class Measure:
    """A figure of results: its column and unit, how it is written, and which way is worse.

    Differences of compared values below ``least_scale`` never matter. ``worse`` and ``better`` say what became of the
    figure.
    """

    name: str
    column: str
    unit: str
    least_scale: float
    is_worse_above: bool
    worse: str
    better: str
    write: Callable[[float], str]

    def packets(self, runs: pd.DataFrame) -> float:  # noqa: ARG002 - of losses
        """Packets of a result, where the comparison depends on them."""
        return 1.0

    def compared(self, values: Floats | float, packets: float) -> Floats:  # noqa: ARG002 - of losses
        """Values as they are compared, of results of so many packets."""
        logs: Floats = np.log(np.asarray(values, dtype=float))
        return logs

    def value(self, compared: float, packets: float) -> float:  # noqa: ARG002 - of losses
        """The value that is compared as this number."""
        return float(np.exp(compared))

    def figure(self, runs: pd.DataFrame, place: int) -> float:
        """The figure of a result, in its unit."""
        return float(runs[self.column].iloc[place])

    def keyed(self, prefix: str) -> str:
        """Name of a figure in JSON, which ends with the unit."""
        return f"{prefix}_{self.unit}"

    def sizes(self, before: pd.DataFrame, after: pd.DataFrame, moved: Change) -> dict[str, float]:
        """The figure before and after a change, and its ratio with the interval, from the compared values."""
        ratios = {"ratio": moved.size, "ratio_low": moved.low, "ratio_high": moved.high}
        middles = {self.keyed("before"): before, self.keyed("after"): after}
        return {
            **{name: float(side[self.column].astype(float).median()) for name, side in middles.items()},
            **{name: float(np.exp(size)) for name, size in ratios.items()},
        }

    def is_worse(self, change: Mapping[str, Any]) -> bool:
        """Whether a change is one for the worse."""
        return (float(change["ratio"]) > 1) == self.is_worse_above

    def word(self, change: Mapping[str, Any]) -> str:
        """What became of the figure."""
        return self.worse if self.is_worse(change) else self.better

    def moved(self, change: Mapping[str, Any]) -> str:
        """A change in words: "slower by 40 % (38 % to 42 %)"."""
        sign = 1 if change["ratio"] > 1 else -1
        moved, *ends = (sign * (change[name] - 1) for name in ("ratio", "ratio_low", "ratio_high"))
        size, low, high = _percents(moved, *sorted(ends))
        return f"{self.word(change)} by {size}" + (f" ({low} to {high})" if low != high else "")


class _Loss(Measure):
    """Losses, which have no ratio: there may be none before."""

    def packets(self, runs: pd.DataFrame) -> float:
        """Packets of a result: the median, else as many as the least loss needs."""
        known = runs.reindex(columns=["sent_packets", self.column]).astype(float)
        sent, losses = known["sent_packets"], known[self.column]
        least = losses[losses > 0].min()
        return float(sent.median() if sent.notna().any() else 1 / least if least > 0 else _PACKETS)

    def compared(self, values: Floats | float, packets: float) -> Floats:
        """Roots of the numbers of lost packets."""
        roots: Floats = 2 * np.sqrt(packets * np.asarray(values, dtype=float) + _ANSCOMBE)
        return roots

    def value(self, compared: float, packets: float) -> float:
        """The loss of such a root."""
        return max((compared / 2) ** 2 - _ANSCOMBE, 0.0) / packets

    def sizes(self, before: pd.DataFrame, after: pd.DataFrame, moved: Change) -> dict[str, float]:  # noqa: ARG002
        """The mean loss before and after a change."""
        sides = {self.keyed("before"): before, self.keyed("after"): after}
        return {name: float(side[self.column].astype(float).mean()) for name, side in sides.items()}

    def is_worse(self, change: Mapping[str, Any]) -> bool:
        """Whether more is lost."""
        return bool(change[self.keyed("after")] > change[self.keyed("before")])

    def moved(self, change: Mapping[str, Any]) -> str:
        """A change in words: "more loss, 0.50 % instead of 0.00 %"."""
        before, after = (self.write(change[self.keyed(name)]) for name in ("before", "after"))
        return f"{self.word(change)} loss, {after} instead of {before}"


class _Utilisation(Measure):
    """Utilisations, of which those that no one would notice are alike."""

    def compared(self, values: Floats | float, packets: float) -> Floats:  # noqa: ARG002 - of losses
        """Logarithms, as of `_IDLE` for a port that is as good as idle."""
        logs: Floats = np.log(np.maximum(np.asarray(values, dtype=float), _IDLE))
        return logs


class _Route(Measure):
    """Routes, which are compared hop by hop (`hecn_analysis.watching.routes`); their figure is the number of hops."""

    def figure(self, runs: pd.DataFrame, place: int) -> float:
        """The number of hops."""
        return float(len(str(runs[self.column].iloc[place]).split()))

    def is_worse(self, change: Mapping[str, Any]) -> bool:  # noqa: ARG002 - another route is neither
        """Whether a change is one for the worse."""
        return False

    def moved(self, change: Mapping[str, Any]) -> str:
        """A change in words: "another route from hop 4 on, 198.51.100.9 instead of 198.51.100.5"."""
        route = "the former route again" if change["is_return"] else "another route"
        return f"{route} from hop {change['hop']} on, {change['after']} instead of {change['before']}"


def _percents(value: float, low: float, high: float) -> list[str]:
    """A value and the ends of its interval in per cent, so precisely that the ends are not written alike."""
    places = 0 if round(100 * low) != round(100 * high) else 1
    return [format_percent(each, places=places).replace("-", "−") for each in (value, low, high)]


def _share(value: float) -> str:
    return format_percent(value, places=2)


RATE: Final = Measure(
    "rate", "rate_bps", "bps", 0.01, is_worse_above=False, worse="slower", better="faster", write=format_rate
)
DELAY: Final = Measure(
    "delay", "path_rtt_s", "s", 0.02, is_worse_above=True, worse="longer", better="shorter", write=format_time
)
LOSS: Final = _Loss(
    "loss", "loss_fraction", "fraction", 0.5, is_worse_above=True, worse="more", better="less", write=_share
)

UTILISATION: Final = _Utilisation(
    "utilisation",
    "utilisation",
    "fraction",
    0.01,
    is_worse_above=True,
    worse="fuller",
    better="emptier",
    write=_share,
)
ROUTE: Final = _Route(
    "route",
    "route",
    "hops",
    0.5,
    is_worse_above=True,
    worse="other route",
    better="other route",
    write=lambda value: format_count(int(value), "hop"),
)

MEASURES: Final = {measure.name: measure for measure in (RATE, DELAY, LOSS, ROUTE, UTILISATION)}
