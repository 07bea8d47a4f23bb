"""Place runs of tools in the counters of ports: at the port, direction and time whose rates fit each run best.

The fit is by least squares: the rate of a run is a rectangle on top of the port's other traffic. Runs of a log without
times are placed together, in sequence.
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

_MOSTLY: Final = 0.6  # share of time without runs above which the median rate is background
_SHIFTS: Final = 2000  # largest number of shifts tried before the best one is refined
_TIE: Final = 1e-3  # share of the squared rate by which a port must fit better than an earlier one


@dataclass(frozen=True)
class Port:
    """Rates of one direction of a port, in order: start and end since 1970 [s], rates [bit/s], flags."""

    host: Any
    interface: Any
    direction: str
    begin: Floats
    end: Floats
    rate_bps: Floats
    flags: npt.NDArray[np.int16]


@dataclass(frozen=True)
class Framing:
    """Rules from payload to octets, see `hecn_analysis.traffic.reconcile.reconcile`."""

    mtus: tuple[int, ...]
    ip: framing.IPVersion
    timestamps: bool
    vlan: bool
    frame: tuple[float, float]

    def octets(self, payload: float, protocol: str, mtu: int, segment: float = math.nan) -> tuple[float, float]:
        """Smallest and largest count of a port for a payload; a stated segment size overrides the MTU. [B]."""
        timestamps = self.timestamps
        if (stated := self.stated(protocol, segment)) is not None:
            mtu, timestamps = stated
        kind: framing.Protocol = {"udp": "udp", "rdma": "roce"}.get(protocol, "tcp")  # type: ignore[assignment]
        data = float(framing.payload_bytes(mtu, ip=self.ip, timestamps=timestamps, protocol=kind))
        packet = float(framing.wire_bytes(mtu, ip=self.ip, protocol=kind)) - framing.FRAME_OVERHEAD
        packets = math.ceil(payload / data)
        tag = framing.VLAN_TAG if self.vlan else 0.0
        low, high = (payload + packets * (packet - data + frame_bytes + tag) for frame_bytes in self.frame)
        return low, high

    def of_run(self, run: Placed, mtu: int) -> tuple[float, float]:
        """Smallest and largest count of a port for a run. [B]."""
        return self.octets(run.payload, str(run.run.get("protocol")), mtu, number_of(run.run.get("mss_bytes")))

    def stated_by(self, run: Placed) -> int | None:
        """MTU derived from the segment size in the run's log; None without one. [B]."""
        stated = self.stated(str(run.run.get("protocol")), number_of(run.run.get("mss_bytes")))
        return None if stated is None else stated[0]

    def stated(self, protocol: str, segment: float) -> tuple[int, bool] | None:
        """MTU [B] and use of timestamps for a segment size; None if the size is unknown."""
        if not segment > 0 or protocol in {"udp", "rdma"}:
            return None
        sizes = {
            timestamps: round(segment + 9000 - float(framing.payload_bytes(9000, ip=self.ip, timestamps=timestamps)))
            for timestamps in (self.timestamps, not self.timestamps)
        }
        timestamps = next((uses for uses, mtu in sizes.items() if mtu % 100 == 0), self.timestamps)
        mtu = min(sizes[timestamps], round(framing.LARGEST_MTU))
        return None if mtu < framing.SMALLEST_MTU[self.ip] else (mtu, timestamps)


def ports(rates: pd.DataFrame) -> list[Port]:
    """Split a table of rates into directions of ports."""
    names, intervals = gridded.from_frame(rates)
    directions = []
    edges = [*intervals.starts.tolist(), len(intervals.seconds)]
    for number in range(len(names)):
        part = slice(edges[number], edges[number + 1])
        seconds = intervals.seconds[part]
        end = np.asarray(intervals.end_ns[part] * 1e-9, dtype=np.float64)
        known = seconds > 0
        for direction, rate in (("in", intervals.in_bps), ("out", intervals.out_bps)):
            name = (names["host"][number], names["interface"][number], direction)
            begin = np.asarray(end[known] - seconds[known], dtype=np.float64)
            directions.append(Port(*name, begin, end[known], rate[part][known], intervals.flags[part][known]))
    return directions


@dataclass(frozen=True)
class Placed:
    """A run, the port that it fits, and its time on the port's clock."""

    run: Mapping[Any, Any]
    payload: float
    seconds: float
    start: float  # from the log, NaN if unknown [s]
    port: Port | None
    offset: float  # shift of the best fit [s]
    resembles: float  # share of the squared rate that remains unexplained at the best fit

    @property
    def window(self) -> tuple[float, float]:
        """Estimated time of the run. [s]."""
        return self.start, self.start + self.seconds


def number_of(value: Any) -> float:  # noqa: ANN401 - a cell of a table
    """Number in a cell of a table, or NaN."""
    return math.nan if value is None or pd.isna(value) else float(value)


def unplaced(run: Mapping[Any, Any]) -> Placed:
    """A run from its row of the table, not yet placed."""
    seconds, payload = number_of(run.get("duration_s")), number_of(run.get("bytes"))
    rate = run_rate(run)
    time = run.get("start_time")
    start = math.nan if time is None or pd.isna(time) else pd.Timestamp(time).timestamp()
    return Placed(run, rate * seconds / 8 if math.isnan(payload) else payload, seconds, start, None, 0.0, math.inf)


def placed(
    runs: Sequence[Placed], all_ports: Sequence[Port], framing_rules: Framing, largest_offset_s: float
) -> list[Placed]:
    """Find the port, direction and time whose rates fit each run best."""
    best_of = list(runs)
    quiet = {id(port): _quiet(port, runs) for port in all_ports}
    untimed: dict[Any, list[int]] = {}
    for number, run in enumerate(runs):
        if not (run.seconds > 0 and run.payload > 0):
            continue
        if math.isnan(run.start):
            untimed.setdefault(run.run.get("source_file"), []).append(number)
            continue
        for port in all_ports:
            fit = Fit.of(port, run, framing_rules, quiet[id(port)])
            if fit is None or not fit.near(run.start - largest_offset_s, run.start + run.seconds + largest_offset_s):
                continue
            step = fit.step(2 * largest_offset_s)
            offset, residual = fit.best(np.arange(-largest_offset_s, largest_offset_s + step / 2, step))
            if residual < best_of[number].resembles - _TIE:
                best_of[number] = replace(run, port=port, offset=offset, resembles=residual)
        # A single port is the run's port even if its counters have no rate at that time (reset, wrap)
        if best_of[number].port is None and len({(port.host, port.interface) for port in all_ports}) == 1:
            best_of[number] = replace(run, port=all_ports[0])
    for numbers in untimed.values():
        for number, run in zip(
            numbers, _in_turn([runs[number] for number in numbers], all_ports, framing_rules, quiet), strict=True
        ):
            best_of[number] = run
    return best_of


def _quiet(port: Port, runs: Sequence[Placed]) -> float:
    """Fraction of a port's intervals without an active run, as far as the times of runs are known."""
    if len(port.end) == 0:
        return 1.0
    active = np.zeros(len(port.end) + 1)
    for run in runs:
        if run.seconds > 0 and not math.isnan(run.start):
            active[np.searchsorted(port.end, run.start, side="right")] += 1
            active[np.searchsorted(port.begin, run.start + run.seconds, side="left")] -= 1
    untimed = sum(run.seconds for run in runs if run.seconds > 0 and math.isnan(run.start))
    busy = float((np.cumsum(active[:-1]) > 0).mean()) + untimed / float((port.end - port.begin).sum())
    return max(1 - busy, 0.0)


def _in_turn(
    runs: Sequence[Placed], all_ports: Sequence[Port], framing_rules: Framing, quiet: Mapping[int, float]
) -> list[Placed]:
    """Place runs of a log without times in sequence, so that together they fit the rates best."""
    fits = [
        [fit for port in all_ports if (fit := Fit.of(port, run, framing_rules, quiet[id(port)])) is not None]
        for run in runs
    ]
    all_fits = [fit for run in fits for fit in run]
    if not all_fits:
        return list(runs)
    begin, end = min(float(fit.begin[0]) for fit in all_fits), max(float(fit.end[-1]) for fit in all_fits)
    starts = np.arange(begin, end, max(fit.step(end - begin) for fit in all_fits))
    reached = np.zeros(len(starts))  # best fit of the runs so far, with the last one ended by each of these times
    choices: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
    for run, run_fits in zip(runs, fits, strict=True):
        gains = np.array([[-fit.misfit(float(start)) for start in starts] for fit in run_fits])
        best = reached + gains.max(axis=0)
        first = (gains >= gains.max(axis=0) - _TIE * run_fits[0].rate_bps ** 2 * run.seconds).argmax(axis=0)
        after = np.searchsorted(starts, starts + run.seconds - 1e-9)
        ended = np.full(len(starts) + 1, -math.inf)
        origin = np.full(len(starts) + 1, -1, dtype=np.int64)
        for index in np.argsort(best, kind="stable"):  # the best that ends there comes last
            ended[after[index]], origin[after[index]] = best[index], index
        last = np.maximum.accumulate(
            np.where(ended[:-1] >= np.maximum.accumulate(ended[:-1]), np.arange(len(starts)), 0)
        )
        later = np.maximum.accumulate(ended[:-1])
        choices.append((np.where(later > reached, origin[:-1][last], -1), first))
        reached = np.maximum(later, reached)
    backwards: list[Placed] = []
    time_index = len(starts) - 1
    for run, run_fits, (index, port_index) in zip(reversed(runs), reversed(fits), reversed(choices), strict=True):
        if index[time_index] < 0:
            backwards.append(run)
            continue
        time_index = int(index[time_index])
        fit = run_fits[port_index[time_index]]
        offset, residual = replace(fit, start=float(starts[time_index])).best(np.zeros(1))
        backwards.append(replace(run, port=fit.port, start=float(starts[time_index]) + offset, resembles=residual))
    return backwards[::-1]


@dataclass(frozen=True)
class Fit:
    """Similarity of a port's rates to a run, for every placement of the run."""

    port: Port
    begin: Floats
    end: Floats
    rest: Floats  # rates minus background
    start: float
    seconds: float
    rate_bps: float

    @classmethod
    def of(cls, port: Port, run: Placed, framing_rules: Framing, quiet: float) -> Fit | None:
        """Compare a port with a run; None if the port has no known rates."""
        known = ~np.isnan(port.rate_bps)
        if not known.any():
            return None
        rate = port.rate_bps[known]
        short = run.seconds < 0.5 * float((port.end - port.begin)[known].sum())
        usual = float(np.quantile(rate, 0.5 if quiet > _MOSTLY else quiet / 2)) if short else 0.0
        octets = sum(framing_rules.of_run(run, framing_rules.mtus[-1])) / 2
        start = float(port.begin[known][0]) if math.isnan(run.start) else run.start
        return cls(port, port.begin[known], port.end[known], rate - usual, start, run.seconds, octets * 8 / run.seconds)

    def near(self, begin: float, end: float) -> bool:
        """Whether there are rates between two times."""
        return bool(((self.end > begin) & (self.begin < end)).any())

    def step(self, span: float) -> float:
        """Step between the placements to try within a time. [s]."""
        return max(float(np.median(self.end - self.begin)) / 2, span / _SHIFTS)

    def misfit(self, start: float) -> float:
        """Change of the squared residual by placing the run at this time; negative: it fits."""
        low = np.searchsorted(self.end, start, side="right")
        high = np.searchsorted(self.begin, start + self.seconds, side="left")
        begin, end, rest = self.begin[low:high], self.end[low:high], self.rest[low:high]
        length = end - begin
        share = np.clip(np.minimum(end, start + self.seconds) - np.maximum(begin, start), 0.0, None) / length
        unseen = self.seconds - float((share * length).sum())  # time of the run without counted intervals
        remaining = float((length * ((rest - self.rate_bps * share) ** 2 - rest**2)).sum())
        return remaining + self.rate_bps**2 * max(unseen, 0.0)

    def best(self, shifts: Floats) -> tuple[float, float]:
        """Shift of the best fit, and the share of the run's squared rate that remains unexplained there."""
        usual = float(np.median(self.end - self.begin))
        full = (
            self.rate_bps**2 * self.seconds * min(1.0, self.seconds / usual)
        )  # what intervals of this length can show
        coarse = np.array([self.misfit(self.start + float(shift)) for shift in shifts])
        centre = float(shifts[coarse.argmin()])
        step = float(shifts[1] - shifts[0]) if len(shifts) > 1 else usual / 2
        fine = np.linspace(centre - step, centre + step, 41)
        misfits = np.array([self.misfit(self.start + float(shift)) for shift in fine])
        least, shift = float(misfits.min()), float(fine[misfits.argmin()])
        stay = self.misfit(self.start)
        return (0.0 if stay <= least + 1e-6 * full else shift), 1 + min(least, stay) / full
