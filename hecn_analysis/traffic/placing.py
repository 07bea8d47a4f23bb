"""Where runs of tools lie in the counters of ports: the port, direction and time whose rates resemble each most.

Least squares say where: the rate of a run is a rectangle over what the port carries otherwise. Runs of a log without
times are placed together, one after another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.limits import framing
from hecn_analysis.runs.rates import run_rate
from hecn_analysis.traffic import slots as gridded
from hecn_analysis.traffic.ports import Floats

_MOSTLY: Final = 0.6  # part of the time without runs, above which the median of all rates is of that time
_SHIFTS: Final = 2000  # places that are tried at most, before the best one is refined
_TIE: Final = 1e-3  # part of the squared rate by which a port has to fit better than one before it


@dataclass(frozen=True)
class Port:
    """Rates of one direction of a port, in order: begins and ends since 1970 [s], rates [bit/s], flags."""

    host: Any
    interface: Any
    direction: str
    begin: Floats
    end: Floats
    rate_bps: Floats
    flags: npt.NDArray[np.int16]


@dataclass(frozen=True)
class Framing:
    """How payload becomes octets: see `hecn_analysis.traffic.reconcile.reconcile`."""

    mtus: tuple[int, ...]
    ip: framing.IPVersion
    timestamps: bool
    vlan: bool
    frame: tuple[float, float]

    def octets(self, payload: float, protocol: str, mtu: int, segment: float = math.nan) -> tuple[float, float]:
        """Least and most that a port counts for a payload; a stated segment size overrules the MTU. [B]."""
        timestamps = self.timestamps
        if (stated := self.stated(protocol, segment)) is not None:
            mtu, timestamps = stated
        kind: framing.Protocol = {"udp": "udp", "rdma": "roce"}.get(protocol, "tcp")  # type: ignore[assignment]
        data = float(framing.payload_bytes(mtu, ip=self.ip, timestamps=timestamps, protocol=kind))
        packet = float(framing.wire_bytes(mtu, ip=self.ip, protocol=kind)) - framing.FRAME_OVERHEAD
        packets = math.ceil(payload / data)
        tag = framing.VLAN_TAG if self.vlan else 0.0
        low, high = (payload + packets * (packet - data + one + tag) for one in self.frame)
        return low, high

    def of_run(self, one: Placed, mtu: int) -> tuple[float, float]:
        """Least and most that a port counts for a run. [B]."""
        return self.octets(one.payload, str(one.run.get("protocol")), mtu, number_of(one.run.get("mss_bytes")))

    def stated_by(self, one: Placed) -> int | None:
        """MTU derived from the segment size in the run's log; None without one. [B]."""
        stated = self.stated(str(one.run.get("protocol")), number_of(one.run.get("mss_bytes")))
        return None if stated is None else stated[0]

    def stated(self, protocol: str, segment: float) -> tuple[int, bool] | None:
        """MTU [B] and use of timestamps for a segment size; None if the size is unknown."""
        if not segment > 0 or protocol in {"udp", "rdma"}:
            return None
        sizes = {
            timestamps: round(segment + 9000 - float(framing.payload_bytes(9000, ip=self.ip, timestamps=timestamps)))
            for timestamps in (self.timestamps, not self.timestamps)
        }
        timestamps = next((one for one, mtu in sizes.items() if mtu % 100 == 0), self.timestamps)
        mtu = min(sizes[timestamps], round(framing.LARGEST_MTU))
        return None if mtu < framing.SMALLEST_MTU[self.ip] else (mtu, timestamps)


def ports(rates: pd.DataFrame) -> list[Port]:
    """Split a table of rates into directions of ports."""
    names, intervals = gridded.from_frame(rates)
    found = []
    edges = [*intervals.starts.tolist(), len(intervals.seconds)]
    for number in range(len(names)):
        part = slice(edges[number], edges[number + 1])
        seconds = intervals.seconds[part]
        end = np.asarray(intervals.end_ns[part] * 1e-9, dtype=np.float64)
        known = seconds > 0
        for direction, rate in (("in", intervals.in_bps), ("out", intervals.out_bps)):
            name = (names["host"][number], names["interface"][number], direction)
            begin = np.asarray(end[known] - seconds[known], dtype=np.float64)
            found.append(Port(*name, begin, end[known], rate[part][known], intervals.flags[part][known]))
    return found


@dataclass(frozen=True)
class Placed:
    """A run, the port that it fits, and where on its clock."""

    run: Mapping[Any, Any]
    payload: float
    seconds: float
    start: float  # as the log says, NaN where it does not [s]
    port: Port | None
    offset: float  # by which it fits better [s]
    resembles: float  # part of the squared rate that is not found where it fits best

    @property
    def window(self) -> tuple[float, float]:
        """Estimated time of the run. [s]."""
        return self.start, self.start + self.seconds


def number_of(value: Any) -> float:  # noqa: ANN401 - a cell of a table
    """Number in a cell of a table, or NaN."""
    return math.nan if value is None or pd.isna(value) else float(value)


def unplaced(run: Mapping[Any, Any]) -> Placed:
    """Make a run from its row of the table."""
    seconds, payload = number_of(run.get("duration_s")), number_of(run.get("bytes"))
    rate = run_rate(run)
    time = run.get("start_time")
    start = math.nan if time is None or pd.isna(time) else pd.Timestamp(time).timestamp()
    return Placed(run, rate * seconds / 8 if math.isnan(payload) else payload, seconds, start, None, 0.0, math.inf)


def placed(runs: Sequence[Placed], every: Sequence[Port], how: Framing, largest_offset_s: float) -> list[Placed]:
    """Find the port, direction and time whose rates resemble each run most."""
    found = list(runs)
    quiet = {id(port): _quiet(port, runs) for port in every}
    untimed: dict[Any, list[int]] = {}
    for number, one in enumerate(runs):
        if not (one.seconds > 0 and one.payload > 0):
            continue
        if math.isnan(one.start):
            untimed.setdefault(one.run.get("source_file"), []).append(number)
            continue
        for port in every:
            fit = Fit.of(port, one, how, quiet[id(port)])
            if fit is None or not fit.near(one.start - largest_offset_s, one.start + one.seconds + largest_offset_s):
                continue
            step = fit.step(2 * largest_offset_s)
            offset, missed = fit.best(np.arange(-largest_offset_s, largest_offset_s + step / 2, step))
            if missed < found[number].resembles - _TIE:
                found[number] = replace(one, port=port, offset=offset, resembles=missed)
        # A port whose counters say nothing at the time (reset, wrap) still is the port, if there is but one
        if found[number].port is None and len({(port.host, port.interface) for port in every}) == 1:
            found[number] = replace(one, port=every[0])
    for numbers in untimed.values():
        for number, one in zip(numbers, _in_turn([runs[number] for number in numbers], every, how, quiet), strict=True):
            found[number] = one
    return found


def _quiet(port: Port, runs: Sequence[Placed]) -> float:
    """Fraction of a port's intervals without an active run, as far as the times of runs are known."""
    if len(port.end) == 0:
        return 1.0
    active = np.zeros(len(port.end) + 1)
    for one in runs:
        if one.seconds > 0 and not math.isnan(one.start):
            active[np.searchsorted(port.end, one.start, side="right")] += 1
            active[np.searchsorted(port.begin, one.start + one.seconds, side="left")] -= 1
    untimed = sum(one.seconds for one in runs if one.seconds > 0 and math.isnan(one.start))
    busy = float((np.cumsum(active[:-1]) > 0).mean()) + untimed / float((port.end - port.begin).sum())
    return max(1 - busy, 0.0)


def _in_turn(runs: Sequence[Placed], every: Sequence[Port], how: Framing, quiet: Mapping[int, float]) -> list[Placed]:
    """Place runs of a log without times: one after another, so that together they resemble the rates most."""
    fits = [[fit for port in every if (fit := Fit.of(port, one, how, quiet[id(port)])) is not None] for one in runs]
    known = [fit for one in fits for fit in one]
    if not known:
        return list(runs)
    begin, end = min(float(fit.begin[0]) for fit in known), max(float(fit.end[-1]) for fit in known)
    starts = np.arange(begin, end, max(fit.step(end - begin) for fit in known))
    reached = np.zeros(len(starts))  # by the runs so far, the last of which has ended at each of these times
    choices: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
    for one, mine in zip(runs, fits, strict=True):
        gains = np.array([[-fit.misfit(float(start)) for start in starts] for fit in mine])
        best = reached + gains.max(axis=0)
        first = (gains >= gains.max(axis=0) - _TIE * mine[0].rate_bps ** 2 * one.seconds).argmax(axis=0)
        after = np.searchsorted(starts, starts + one.seconds - 1e-9)
        ended = np.full(len(starts) + 1, -math.inf)
        origin = np.full(len(starts) + 1, -1, dtype=np.int64)
        for place in np.argsort(best, kind="stable"):  # the best that ends there comes last
            ended[after[place]], origin[after[place]] = best[place], place
        last = np.maximum.accumulate(
            np.where(ended[:-1] >= np.maximum.accumulate(ended[:-1]), np.arange(len(starts)), 0)
        )
        later = np.maximum.accumulate(ended[:-1])
        choices.append((np.where(later > reached, origin[:-1][last], -1), first))
        reached = np.maximum(later, reached)
    backwards: list[Placed] = []
    at = len(starts) - 1
    for one, mine, (place, which) in zip(reversed(runs), reversed(fits), reversed(choices), strict=True):
        if place[at] < 0:
            backwards.append(one)
            continue
        at = int(place[at])
        fit = mine[which[at]]
        offset, missed = replace(fit, start=float(starts[at])).best(np.zeros(1))
        backwards.append(replace(one, port=fit.port, start=float(starts[at]) + offset, resembles=missed))
    return backwards[::-1]


@dataclass(frozen=True)
class Fit:
    """Similarity of a port's rates to a run, for every placement of the run."""

    port: Port
    begin: Floats
    end: Floats
    rest: Floats  # rates without what the port carries otherwise
    start: float
    seconds: float
    rate_bps: float

    @classmethod
    def of(cls, port: Port, one: Placed, how: Framing, quiet: float) -> Fit | None:
        """Compare a port with a run; None if the port has no known rates."""
        known = ~np.isnan(port.rate_bps)
        if not known.any():
            return None
        rate = port.rate_bps[known]
        short = one.seconds < 0.5 * float((port.end - port.begin)[known].sum())
        usual = float(np.quantile(rate, 0.5 if quiet > _MOSTLY else quiet / 2)) if short else 0.0
        octets = sum(how.of_run(one, how.mtus[-1])) / 2
        start = float(port.begin[known][0]) if math.isnan(one.start) else one.start
        return cls(port, port.begin[known], port.end[known], rate - usual, start, one.seconds, octets * 8 / one.seconds)

    def near(self, begin: float, end: float) -> bool:
        """Whether there are rates between two times."""
        return bool(((self.end > begin) & (self.begin < end)).any())

    def step(self, span: float) -> float:
        """Step between the placements to try within a time. [s]."""
        return max(float(np.median(self.end - self.begin)) / 2, span / _SHIFTS)

    def misfit(self, start: float) -> float:
        """Squared rate that is left with the run at this time, less what there is without it: below 0 it fits."""
        low = np.searchsorted(self.end, start, side="right")
        high = np.searchsorted(self.begin, start + self.seconds, side="left")
        begin, end, rest = self.begin[low:high], self.end[low:high], self.rest[low:high]
        length = end - begin
        share = np.clip(np.minimum(end, start + self.seconds) - np.maximum(begin, start), 0.0, None) / length
        unseen = self.seconds - float((share * length).sum())  # what of the run lies where nothing was counted
        left = float((length * ((rest - self.rate_bps * share) ** 2 - rest**2)).sum())
        return left + self.rate_bps**2 * max(unseen, 0.0)

    def best(self, shifts: Floats) -> tuple[float, float]:
        """Give the shift that fits best, and what part of the run's squared rate is not found there."""
        usual = float(np.median(self.end - self.begin))
        whole = self.rate_bps**2 * self.seconds * min(1.0, self.seconds / usual)  # what intervals of this length show
        coarse = np.array([self.misfit(self.start + float(shift)) for shift in shifts])
        around = float(shifts[coarse.argmin()])
        step = float(shifts[1] - shifts[0]) if len(shifts) > 1 else usual / 2
        fine = np.linspace(around - step, around + step, 41)
        misfits = np.array([self.misfit(self.start + float(shift)) for shift in fine])
        least, shift = float(misfits.min()), float(fine[misfits.argmin()])
        stay = self.misfit(self.start)
        return (0.0 if stay <= least + 1e-6 * whole else shift), 1 + min(least, stay) / whole
