"""Facts of a folder about a kind of run: rates over time, path, hosts, requests, each with its place."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hecn_analysis import limits
from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, ValidityWarning
from hecn_analysis.diagnosis.kinds import Kind, Other
from hecn_analysis.limits import framing
from hecn_analysis.limits.tcp_loss import pftk_bps
from hecn_analysis.runs import course
from hecn_analysis.statements.statement import Statement, end_of

#: The start of a run, which is left out of what is called steady. [1]
_START: Final = 0.25

#: A rate that falls once: by so much at the least, and what each part scatters at most. [1]
_FALL: Final = 2.0
_STEADY: Final = 0.15

#: Tools whose round-trip time was taken when the connection was made, and no queue is in it.
_IDLE_RTT: Final = frozenset({"nuttcp", "nttcp"})

#: Tools of which some versions print no retransmits as none.
_SAY_ZERO: Final = frozenset({"nuttcp"})

#: Above these shares of losses, timeouts count, and no formula holds. [1]
_MANY: Final = 0.1
_MOST: Final = 0.3

#: Least timeout of Linux beyond the RTT. [s]
_TIMEOUT_S: Final = 0.2

#: Tools with a line for each file, which is a run of its own.
_LINE_PER_FILE: Final = frozenset({"scp", "hpn-scp", "sftp"})

#: What iperf3 calls min_rtt.
_LEAST_RTT: Final = "socket.rtt_least_s"

#: Files from which on their number matters. [B]
_MANY_FILES: Final = 50

#: MTU of a path that nobody states. [B]
_MTU: Final = 1500

#: Segments that TCP sends before it has seen an acknowledgement: RFC 6928.
_INITIAL_WINDOW: Final = 10

#: MTU of a path that carries more than it could with packets of 1500 bytes, even without timestamps. [B]
_JUMBO: Final = 9000
_MORE: Final = 1.01


#: Factor by which runs exceed the rate of a circuit that cannot be theirs. [1]
_REFUTES: Final = 1.1


@dataclass(frozen=True)
class Fact:
    """A number with the lines that state it."""

    value: float
    evidence: tuple[Statement, ...]


@dataclass(frozen=True)
class Facts:
    """Facts about one kind of run; None or NaN if unknown."""

    kind: Kind

    # --- what lines say ---------------------------------------------------------------------------------------------

    def said(self, name: str, end: str = "", choose: Callable[[Sequence[float]], float] = np.median) -> Fact | None:
        """Choose one value among the statements of a name, with the line that states it."""
        told = [statement for statement in self.kind.say(name, end) if isinstance(statement.value, int | float)]
        if end and any(statement.end == end for statement in told):
            told = [statement for statement in told if statement.end == end]
        if not told:
            return None
        value = float(choose([float(statement.value) for statement in told]))
        nearest = min(told, key=lambda statement: abs(float(statement.value) - value))
        return Fact(value, (nearest,))

    @cached_property
    def line(self) -> Fact | None:
        """Rate of the circuit in notes, the least that the runs do not refute [bit/s]."""
        refuted = {float(statement.value) for statement in self.refuted}
        least = self.said("path.rate_bps", choose=lambda rates: min((set(rates) - refuted) or {0.0}))
        least = least or self._access
        return least if least is not None and least.value > 0 else None

    @property
    def _access(self) -> Fact | None:
        """Rate of the access line in the direction of the runs, unless they exceed it [bit/s]."""
        if not self.has_rates or not self.kind.direction:
            return None
        told = self.said(f"access.{'down' if self.kind.is_back else 'up'}_bps", choose=min)
        return None if told is None or self.measured > _REFUTES * told.value else told

    @cached_property
    def refuted(self) -> list[Statement]:
        """Rates of circuits that are clearly below that of the runs: they are of something else."""
        if not self.has_rates or not self._on_wire:
            return []
        return [
            statement
            for statement in self.kind.say("path.rate_bps")
            if float(statement.value) < self.measured / _REFUTES
        ]

    @cached_property
    def port(self) -> Fact | None:
        """Speed of the slowest port that the runs can have passed; slower ones belong to other hosts [bit/s]."""
        least = self.measured if self.has_rates and self._on_wire else 0.0

        def slowest(speeds: Sequence[float]) -> float:
            return min([speed for speed in speeds if speed >= least] or speeds)

        return self.said("port.speed_bps", choose=slowest)

    @property
    def _on_wire(self) -> bool:
        return self.kind.protocol not in ("file", "rdma")

    @cached_property
    def rtt_idle(self) -> Fact | None:
        """Round-trip time of the path without a transfer [s]."""
        told = [
            self.said("path.rtt_idle_s", choose=min),
            self.of_runs("rtt_s", "RTT") if self.kind.tool in _IDLE_RTT else None,
            self.said("socket.rtt_min_s", choose=min),
            self.said(_LEAST_RTT, choose=min),
            self.of_runs("path_rtt_s", "RTT"),
        ]
        return next((fact for fact in told if fact is not None and fact.value > 0), None)

    @property
    def is_rtt_idle_measured(self) -> bool:
        """Whether the RTT without a transfer, or its minimum, was measured."""
        names = ("path.rtt_idle_s", "socket.rtt_min_s", _LEAST_RTT)
        return self.kind.tool in _IDLE_RTT or any(self.said(name) is not None for name in names)

    @property
    def is_rtt_of_transfer(self) -> bool:
        """Whether the least RTT known is one sampled during the transfer, and a queue may be in it."""
        idle = self.rtt_idle
        return not self.is_rtt_idle_measured or (idle is not None and idle.evidence[0].name == _LEAST_RTT)

    @cached_property
    def rtt_loaded(self) -> Fact | None:
        """Round-trip time during the transfer [s]."""
        told = [self.said("path.rtt_loaded_s"), self.said("socket.rtt_s", "sender"), self._rtt_of_intervals()]
        return next((fact for fact in told if fact is not None and fact.value > 0), None)

    def _rtt_of_intervals(self) -> Fact | None:
        times = self._steady["rtt_s"].dropna()
        if times.empty or not self.has_rates:  # an aborted run has intervals, too
            return None
        return self.computed(float(times.median()), "median RTT of the intervals")

    @cached_property
    def is_one_rtt(self) -> bool:
        """Whether the RTT under load and that without load are the same number."""
        idle, loaded = self.rtt_idle, self.rtt_loaded
        return idle is not None and loaded is not None and idle.evidence == loaded.evidence

    @cached_property
    def asked_rate(self) -> Fact | None:
        """Requested rate of all streams together [bit/s]."""
        return self.said("asked.rate_bps")

    @cached_property
    def shows_requests(self) -> bool:
        """Whether the files of the runs show the requests: a command line, or iperf3's JSON."""
        own = set(self.kind.files)
        return any(
            statement.name in ("asked.command", "asked.rate_bps") and statement.source_file in own
            for statement in self.kind.statements
        )

    @property
    def shows_connection(self) -> bool:
        """Whether the sender's kernel tells what held a connection back."""
        return any(self.kind.say("socket.rwnd_limited", "sender"))

    @cached_property
    def feed(self) -> tuple[str, tuple[Statement, ...]] | None:
        """Source of the sender's data: a disk, an unknown one, or memory."""
        return self._end_of_pipe("sender")

    @cached_property
    def drain(self) -> tuple[str, tuple[Statement, ...]] | None:
        """Sink of the receiver's data: a disk, an unknown one, a program, or memory."""
        return self._end_of_pipe("receiver")

    def _end_of_pipe(self, end: str) -> tuple[str, tuple[Statement, ...]] | None:
        if self.kind.is_local:
            return None
        said = [statement for statement in self.kind.say("asked.file") if statement.end in ("", end)]
        for word, values in (("a disk", None), ("a program", "program"), ("memory", "memory")):
            named = [
                statement
                for statement in said
                if (statement.value == values if values else statement.value not in ("program", "memory"))
            ]
            if named:
                return word, (named[0],)
        if self.kind.piped.empty:
            return None if self.kind.copies_files else ("memory", (self.rate_quote,))
        own = self._copies(end)
        if len(own):
            return "something unknown", (self._quote_of(own.iloc[0], "dd"),)
        return ("a program" if end == "receiver" else "memory"), (self._quote_of(self.kind.piped.iloc[0], "dd"),)

    @cached_property
    def direct(self) -> Fact | None:
        """Whether a test of a disk bypasses or flushes the page cache: 1 or 0, from the command above the run."""
        run = self.kind.runs.iloc[0]
        last = 1 if pd.isna(run["line_last"]) else int(run["line_last"])
        own = [statement for statement in self.kind.say("asked.direct") if statement.source_file == run["source_file"]]
        above = [statement for statement in own if statement.line <= last]
        nearest = above[-1] if above else own[0] if own else None
        return None if nearest is None else Fact(float(nearest.value), (nearest,))

    def _copies(self, end: str) -> pd.DataFrame:
        """Local copies at an end of a pipe."""
        table = self.kind.piped
        return table if table.empty else table[table["source_file"].map(lambda name: end_of(str(name)) == end)]

    def piped(self, end: str) -> Fact | None:
        """Median duration of the copy at an end of a pipe [s]."""
        own = self._copies(end)
        if own.empty:
            return None
        return Fact(float(own["duration_s"].astype(float).median()), (self._quote_of(own.iloc[0], "dd"),))

    # --- what the tables say ----------------------------------------------------------------------------------------

    def computed(self, value: float, words: str) -> Fact:
        """A number computed from the tables, with the place of the first run."""
        return Fact(value, (self._quote_of(self.kind.runs.iloc[0], words),))

    @cached_property
    def rate_quote(self) -> Statement:
        """The rate of the first run, as a statement."""
        return self._quote_of(self.kind.runs.iloc[0], f"{self.kind.tool}: {units.format_rate(self.measured)}")

    def times(self, other: Other | None) -> Fact | None:
        """How many times as fast another test is, with its first run."""
        if other is None or not self.measured > 0:
            return None
        return Fact(other.rate_bps / self.measured, (replace(other.place, name="other"), self.rate_quote))

    @property
    def has_rates(self) -> bool:
        """Whether any run has a rate."""
        return len(self.kind.runs) > 0

    def _quote_of(self, run: pd.Series[Any], words: str) -> Statement:
        """Words about a run, at its last line."""
        line = 1 if pd.isna(run["line_last"]) else int(run["line_last"])
        return Statement("run", "", str(run["source_file"]), line, words)

    def of_runs(self, column: str, words: str) -> Fact | None:
        """Median of a column of the runs."""
        values = self.kind.runs[column].dropna().astype(float) if column in self.kind.runs else pd.Series(dtype=float)
        return self.computed(float(values.median()), words) if len(values) else None

    @property
    def measured(self) -> float:
        """Median rate [bit/s]."""
        return self.kind.median_bps

    @property
    def streams(self) -> int:
        """Number of parallel streams, 1 if unknown."""
        return max(self.kind.streams, 1)

    @cached_property
    def mtu(self) -> int:
        """MTU of the path, from the segments, the ports or a rate that 1500 does not allow, else 1500 [B]."""
        mss = self.of_runs("mss_bytes", "MSS")
        if mss is not None and mss.value >= _MTU:
            return int(mss.value) + framing.header_bytes()
        port = self.said("port.mtu_bytes", choose=min)
        if port is not None and 576 <= port.value <= 65536:
            return int(port.value)
        line = self.line or self.port
        if line is None or not self.has_rates:
            return _MTU
        return _JUMBO if _MORE * line.value * self.payload_share(_MTU) < self.measured <= line.value else _MTU

    def goodput(self, rate_bps: float) -> float:
        """Largest payload of TCP or UDP on an Ethernet line [bit/s]."""
        return rate_bps * self.payload_share(self.mtu)

    def payload_share(self, mtu: int) -> float:
        """Largest share of payload in the rate of an Ethernet line, for an MTU [1]."""
        protocol: Literal["tcp", "udp"] = "udp" if self.kind.protocol == "udp" else "tcp"
        return float(framing.goodput_bps(1.0, mtu, protocol=protocol))

    @cached_property
    def loss_limit_bps(self) -> float | None:
        """Limit of TCP at the losses that the tool counts [bit/s]."""
        limit = None if self.resent is None else self.tcp_at(self.resent.value)
        return None if limit is None else limit * self.streams

    def tcp_at(self, loss: float) -> float | None:
        """Limit of one stream at a share of lost packets; None if no formula holds [bit/s]."""
        rtt = self.rtt_idle
        if rtt is None or not 0 < loss <= _MOST:
            return None
        if loss >= _MANY:
            segment = float(framing.payload_bytes(self.mtu))
            return float(pftk_bps(segment, rtt.value, loss, timeout_s=rtt.value + _TIMEOUT_S))
        with warnings.catch_warnings():  # of losses so high that the limit is still lower
            warnings.simplefilter("ignore", ValidityWarning)
            try:
                return float(limits.tcp(rtt=rtt.value, loss=loss, mtu=self.mtu)["loss_limit_bps"])
            except HecnError:  # a distance or an MTU that no formula takes
                return None

    @cached_property
    def _steady(self) -> pd.DataFrame:
        """Intervals after the start of each run."""
        table = self.kind.intervals
        if table.empty:
            return table
        ends = table.groupby(["source_file", "run"])["t_end_s"].transform("max")
        return table[table["t_start_s"] >= _START * ends]

    @cached_property
    def falls(self) -> list[float]:
        """For each course that falls once from one steady rate to another, the ratio of both."""
        rates = (intervals["rate_bps"].to_numpy(dtype=float) for intervals in self.kind.courses.values())
        return [fall for rate in rates if (fall := _fall(rate)) > 0]

    def over_runs(self, measure: Callable[[pd.DataFrame], float], words: str) -> Fact | None:
        """Median over the runs of a measure of their courses."""
        values = [measure(intervals) for intervals in self.kind.courses.values() if len(intervals) >= course.FEWEST]
        values = [value for value in values if not math.isnan(value)]
        return self.computed(float(np.median(values)), words) if values else None

    @cached_property
    def all_silent(self) -> Fact | None:
        """1 if there are intervals, and all are empty."""
        table = self.kind.intervals
        if table.empty or not table["throughput_bps"].eq(0).fillna(value=False).all():
            return None
        first = table.iloc[0]
        return Fact(1.0, (Statement("run", "", str(first["source_file"]), int(first["line"]), ""),))

    @property
    def slow_start_s(self) -> float:
        """Duration in which the window doubles each RTT, from its first value to the required one; 0 if unknown [s]."""
        rtt = self.rtt_idle
        if rtt is None:
            return 0.0
        windows = (
            self.measured * rtt.value / 8 / self.streams / float(framing.payload_bytes(self.mtu)) / _INITIAL_WINDOW
        )
        return rtt.value * math.log2(windows) if windows > 1 else 0.0

    @cached_property
    def resent(self) -> Fact | None:
        """Share of retransmitted packets [1]."""
        runs = self.kind.runs
        amount = (
            runs["bytes"].astype(float).fillna(runs["rate_bps"].astype(float) * runs["duration_s"].astype(float) / 8)
        )
        runs = runs.assign(bytes=amount)
        known = runs[runs["retransmits"].notna() & (amount > 0)]
        if len(known):
            packets = float(known["bytes"].sum()) / float(framing.payload_bytes(self.mtu))
            count = float(known["retransmits"].astype(float).sum())
            if count == 0 and self.kind.tool in _SAY_ZERO:
                return self.said("socket.retransmitted", "sender")
            words = f"{count:,.0f} retransmits in {units.format_count(len(known), 'run')}"
            return Fact(count / packets, (replace(self._quote_of(self.kind.runs.iloc[0], words), name="retransmits"),))
        return self.said("socket.retransmitted", "sender")

    @property
    def plateau(self) -> float:
        """Median rate of all streams together after the start of the runs, NaN without intervals [bit/s]."""
        rates = [
            float(intervals["rate_bps"].iloc[int(_START * len(intervals)) :].median())
            for intervals in self.kind.courses.values()
        ]
        return float(np.median(rates)) if rates else math.nan

    @cached_property
    def flight_bytes(self) -> float:
        """Data in flight for each stream, at the measured rate [B]."""
        rtt = self.rtt_loaded or self.rtt_idle
        return math.nan if rtt is None else self.measured * rtt.value / 8 / self.streams

    @cached_property
    def cwnd(self) -> Fact | None:
        """Congestion window of a stream [B]."""
        values = self._steady["cwnd_bytes"].dropna().astype(float)
        if len(values):
            return self.computed(float(values.median()), f"Cwnd {units.format_bytes(float(values.median()))}")
        return self.said("socket.cwnd_bytes", "sender")

    @cached_property
    def cwnd_scatter(self) -> Fact | None:
        """Scatter of the congestion window over time, after the start [1]."""
        steady = self._steady[self._steady["cwnd_bytes"].notna()]
        of_streams = steady.groupby(["source_file", "run", "stream"], dropna=False)["cwnd_bytes"]
        values = [
            float(cwnd.astype(float).std() / cwnd.astype(float).mean())
            for _, cwnd in of_streams
            if len(cwnd) >= course.FEWEST
        ]
        return self.computed(float(np.median(values)), "Cwnd over time") if values else None

    @cached_property
    def duration_s(self) -> float:
        """Median duration [s]."""
        return float(self.kind.runs["duration_s"].astype(float).median())

    @cached_property
    def bytes(self) -> float:
        """Median amount [B]."""
        return float(self.kind.runs["bytes"].astype(float).median())

    @cached_property
    def files(self) -> Fact | None:
        """Number of copied files if there are many; of runs, only from their own files."""
        own = set(self.kind.files)
        told = [statement for statement in self.kind.say("files.count") if not own or statement.source_file in own]
        most = max(told, key=lambda statement: float(statement.value), default=None)
        count = 0.0 if most is None else float(most.value)
        if self.kind.tool in _LINE_PER_FILE and len(self.kind.runs) > count:
            count = float(len(self.kind.runs))
            most = self._quote_of(self.kind.runs.iloc[0], f"{count:.0f} files, each with a line of its own")
        return None if most is None or count < _MANY_FILES else Fact(count, (most,))

    @property
    def has_run_per_file(self) -> bool:
        """Whether each run is one of many files of a copy."""
        return self.kind.tool in _LINE_PER_FILE and self.files is not None

    @property
    def copied_bytes(self) -> float:
        """Amount of a copy of several files [B]."""
        return float(self.kind.runs["bytes"].sum()) if self.has_run_per_file else self.bytes

    def buffer(self, end: str) -> Fact | None:
        """Largest buffer of an end that its kernel tunes up to [B]."""
        name = "kernel.receive_buffer_bytes" if end == "receiver" else "kernel.send_buffer_bytes"
        return self.said(name, end, choose=min)


def _fall(rates: NDArray[np.float64]) -> float:
    """Ratio of a rate to the other steady one that it falls to, 0 if it does not fall [1]."""
    if len(rates) < 2 * course.FEWEST - 2 or not np.all(rates > 0):
        return 0.0
    levels = np.log(rates)
    place = int(np.argmin(levels[2:] - levels[:-2])) + 1  # of two intervals, as the fall may be within one
    before, after = rates[:place], rates[place + 1 :]
    if min(len(before), len(after)) < 2 or max(part.std() / part.mean() for part in (before, after)) > _STEADY:
        return 0.0
    ratio = float(before.mean() / after.mean())
    return ratio if ratio >= _FALL else 0.0


Reads = Callable[[Facts], Fact | tuple[str, tuple[Statement, ...]] | None]
"""Reads a sign: a number or a word with its lines, or None where the folder does not say it."""

#: Rates of Ethernet ports: those of old and of present hosts. [bit/s]
SLOW_ETHERNET: Final = (1e7, 1e8)
ETHERNET: Final = (1e9, 2.5e9, 5e9, 1e10, 2.5e10, 4e10, 5e10, 1e11, 2e11, 4e11)


def enter(signs: dict[str, Reads], read: Reads) -> Reads:
    """Enter a function into the signs of a module under its own name."""
    signs[read.__name__.strip("_")] = read
    return read
