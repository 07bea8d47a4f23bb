"""What the logs of a kind of run show beside their rate, and how well that fits what may hold the runs back.

A full line, a window and losses leave different marks, also where nobody knows the rate of the line or the size of the
window. A line that is full has a queue in front of it, which makes the round trip longer, and keeps the rate even. A
window keeps the rate even and leaves no queue and next to no retransmits. Losses make the rate go up and down. Each
sign has a chance with each of them (`CHANCES`), and the product of the chances is what the signs say for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.limits import framing

#: The start of a run, which is left out of what is called even. [1]
_START: Final = 0.25
_FEWEST: Final = 4

#: Up to this share of its mean the rate of the intervals scatters where nothing disturbs it. [1]
_EVEN: Final = 0.1

#: A round trip is longer by a queue from this share and this time on. [1], [s]
_QUEUE: Final = 0.1
_QUEUE_S: Final = 0.0003

#: Share of the packets sent again that a start makes, and that is none. [1]
_NONE: Final = 2e-5

#: A congestion window that is larger than what is under way by this factor does not hold it back.
_ROOMY: Final = 1.3

#: A rate that scatters less is as even. [1]
_LEAST: Final = 0.005

#: Tools whose round-trip time is that of a connection that sends; others say what it was when it began.
_LOADED: Final = frozenset({"iperf2", "iperf3"})

#: Tools of which some versions print no retransmits as none.
_SAY_ZERO: Final = frozenset({"nuttcp"})

#: Runs of a kind that are looked at.
_MOST: Final = 200


@dataclass(frozen=True)
class Chances:
    """How often a sign is there where limits of a class hold the runs back: of the signs that are there or not. [1].

    ``scatter`` has the median of the scatter of rates, and the standard deviation of its logarithm.
    """

    scatter: tuple[float, float]
    queue: float
    resent: float
    roomy: float


#: By class: rounded from 220 transfers over an emulated path whose limit was known, but for what is held back by a host
#: or by something else, which is estimated.
CHANCES: Final[Mapping[str, Chances]] = {
    "link": Chances((0.05, 0.8), queue=0.85, resent=0.8, roomy=0.3),
    "window": Chances((0.02, 0.7), queue=0.05, resent=0.05, roomy=0.9),
    "loss": Chances((0.27, 0.5), queue=0.05, resent=0.97, roomy=0.05),
    "cpu": Chances((0.03, 0.8), queue=0.15, resent=0.3, roomy=0.6),
    "other": Chances((0.07, 1.2), queue=0.4, resent=0.4, roomy=0.4),
}


@dataclass(frozen=True)
class Signs:
    """Medians over the runs of a kind; NaN where no log says it.

    Attributes
    ----------
    scatter
        Standard deviation over mean of the rates of the intervals, after the start. [1]
    idle_rtt_s, loaded_rtt_s
        Round-trip time without and with the data under way. [s]
    resent
        Share of the packets retransmitted. [1]
    flight_bytes
        Data in flight, per stream. [B]
    cwnd_bytes
        Congestion window, of each stream. [B]

    Examples
    --------
    >>> signs = Signs(scatter=0.02, idle_rtt_s=0.08, loaded_rtt_s=0.08)
    >>> signs.words()
    'the rate over time is even (±2.0 %), no queue: a round-trip time of 80.0 ms under load'
    >>> signs.found(), signs.chance("window") > signs.chance("loss")
    ({'queue': False}, True)
    """

    scatter: float = math.nan
    idle_rtt_s: float = math.nan
    loaded_rtt_s: float = math.nan
    resent: float = math.nan
    flight_bytes: float = math.nan
    cwnd_bytes: float = math.nan

    def found(self) -> dict[str, bool]:
        """Which signs can be told, and whether they are there."""
        queue_s = self.loaded_rtt_s - self.idle_rtt_s
        told = {
            "queue": (queue_s, queue_s > max(_QUEUE * self.idle_rtt_s, _QUEUE_S)),
            "resent": (self.resent, self.resent > _NONE),
            "roomy": (self.cwnd_bytes / self.flight_bytes, self.cwnd_bytes > _ROOMY * self.flight_bytes),
        }
        return {name: bool(there) for name, (value, there) in told.items() if not math.isnan(value)}

    def chance(self, kind: str) -> float:
        """How well the signs fit limits of a class, as a likelihood."""
        own = CHANCES.get(kind, CHANCES["other"])
        middle, width = own.scatter
        off = 0.0 if math.isnan(self.scatter) else math.log(max(self.scatter, _LEAST) / middle) / width
        even = 1.0 if math.isnan(self.scatter) else math.exp(-0.5 * off * off) / width
        flags: list[float] = [
            getattr(own, name) if there else 1 - getattr(own, name) for name, there in self.found().items()
        ]
        return even * math.prod(flags)

    @property
    def tells(self) -> bool:
        """Whether there is anything that tells a line, a window and losses apart."""
        return bool(not math.isnan(self.scatter) or self.found())

    def words(self) -> str:
        """The signs in words."""
        found = self.found()
        time = units.format_time
        told = []
        if not math.isnan(self.scatter):
            even = "even" if self.scatter <= _EVEN else "uneven"
            told.append(f"the rate over time is {even} (±{units.format_fraction(self.scatter, digits=2)})")
        if "queue" in found:
            told.append(
                f"the round-trip time grows from {time(self.idle_rtt_s)} to {time(self.loaded_rtt_s)} under load"
                if found["queue"]
                else f"no queue: a round-trip time of {time(self.loaded_rtt_s)} under load"
            )
        if "resent" in found:
            told.append(
                f"{self.resent:.2g} of the packets retransmitted" if found["resent"] else "almost no retransmits"
            )
        if found.get("roomy"):
            told.append(
                f"a congestion window of {units.format_bytes(self.cwnd_bytes)} has room for more than the "
                f"{units.format_bytes(self.flight_bytes)} in flight"
            )
        return ", ".join(told)


def signs_of(runs: pd.DataFrame, intervals: pd.DataFrame, streams: pd.DataFrame, idle_rtt_s: float, mtu: int) -> Signs:
    """What the logs of a kind of run show."""
    several = runs.head(_MOST)
    over_time, of_streams = _by_run(intervals, several), _by_run(streams, several)
    each = []
    for run in several.to_dict("records"):
        key = (run["source_file"], run["run"])
        own = over_time.get(key, intervals.head(0)), of_streams.get(key, streams.head(0))
        each.append(_of_run(run, *own, idle_rtt_s, mtu))
    frame = pd.DataFrame([vars(one) for one in each], columns=list(Signs.__dataclass_fields__), dtype=float)
    return Signs(**{str(name): float(value) for name, value in frame.median().items()})


def _by_run(table: pd.DataFrame, runs: pd.DataFrame) -> dict[Any, pd.DataFrame]:
    own = table[table["source_file"].isin(set(runs["source_file"]))]
    return dict(iter(own.groupby(["source_file", "run"], sort=False)))


def _of_run(
    run: Mapping[Any, Any], intervals: pd.DataFrame, streams: pd.DataFrame, idle_rtt_s: float, mtu: int
) -> Signs:
    steady = intervals[intervals["t_start_s"] >= _START * intervals["t_end_s"].max()]
    single = steady[steady["stream"].notna()] if steady["stream"].notna().any() else steady
    together = steady[steady["stream"].isna()] if steady["stream"].isna().any() else steady
    rates = together.groupby(together["t_end_s"].round(1))["throughput_bps"].sum(min_count=1)
    rates = rates.dropna().to_numpy(dtype=float)  # moments without a known rate
    rates = rates[:-1] if rates.size > _FEWEST else rates  # the last is often a short one
    scatter = float(rates.std() / rates.mean()) if rates.size >= _FEWEST and rates.mean() > 0 else math.nan
    loaded, idle = np.nan, idle_rtt_s
    if run["tool"] in _LOADED:
        times = [single["rtt_s"].median(), streams["rtt_s"].median(), run["rtt_s"]]
        loaded = next((float(one) for one in times if not pd.isna(one)), np.nan)
        least = float(intervals["rtt_s"].min())
        if math.isnan(idle) and least < loaded / (1 + 2 * _QUEUE):
            idle = least  # without a ping a queue that comes and goes shows itself, and one that stays does not
    elif not pd.isna(run["rtt_s"]):
        idle = float(np.fmin(idle, run["rtt_s"]))
    amount, resent = run["bytes"], run["retransmits"]
    counted = not pd.isna(resent) and not pd.isna(amount) and amount > 0
    counted &= not (run["tool"] in _SAY_ZERO and resent == 0)
    share = float(resent) * (mtu - framing.header_bytes()) / float(amount) if counted else np.nan
    many = 1 if pd.isna(run["streams"]) else int(run["streams"])
    flight = float(run["rate_bps"]) * (idle if math.isnan(loaded) else loaded) / 8 / many
    cwnd = single["cwnd_bytes"].astype(float).median()
    return Signs(scatter, idle, loaded, share, flight, np.nan if pd.isna(cwnd) else float(cwnd))
