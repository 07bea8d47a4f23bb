"""Output of qperf: bandwidth or latency over sockets and RDMA.

Versions: 0.4.6 to 0.4.11, with any of ``-v``, ``-uu``, ``-ub`` and ``--loop``.

Units and traps
---------------
- GB/sec is 10**9 bytes per second, and so on down; with ``-ub`` "Gb/sec", with ``-uu`` "bytes/sec" and "ns". Sizes are
  binary ("64 KiB (65,536)") and are not read.
- One heading may be followed by several results ("-oo" repeats it, a loop of the shell that keeps one does not): each
  "bw", "send_bw" or "latency" begins a run.
- UDP prints "send_bw" and "recv_bw": the latter is the throughput. A "_bi_bw" is the sum of both directions.
- The latency is the time over the messages that both ends received, half of a round trip: rtt_avg_s is twice the
  printed figure. An RDMA read is received at one end only: its latency is the whole round trip.
- "200 % cpus" is two cores. "send_cost" (seconds per GB) is not read.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale

_TEST: Final = re.compile(
    r"^\W{0,20}(?P<test>(?P<transport>tcp|udp|sctp|sdp|rds|rc|uc|ud|xrc)_(?P<kind>(?:\w{1,20}_)?(?:bw|lat|mr))):\s*$"
)
_FIGURE: Final = re.compile(
    r"^\W{0,20}\s(?P<name>[a-z_]{2,20})\s{1,24}=\s{1,12}"
    r"(?P<value>\d{1,3}(?:,\d{3}){1,6}|\d{1,18}(?:\.\d{1,12})?) (?P<unit>\S.{0,30}?)\s*$"
)
_LIKE_FIGURE: Final = re.compile(r"^\W{0,20}\s(?:bw|send_bw|recv_bw|latency)\s{1,24}=.{0,80}")
_RATE: Final = re.compile(r"(?P<power>[KMGTP]?)(?P<unit>B|b|bytes|bits)/sec")
_FAILED: Final = re.compile(r"^\s{0,40}(?:server: \S.{0,200}|\S{1,255}: (?:failed|unable|cannot|could not)\b.{0,200})")
_PER_SECOND: Final = {"sec": 1.0, "s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_BEGINS: Final = ("bw", "send_bw", "latency", "msg_rate")
_NEAR: Final = 20


class Qperf:
    """Reader of qperf."""

    TOOLS: tuple[str, ...] = ("qperf",)
    VERSIONS: str = "0.4.6 to 0.4.11"
    HINTS: tuple[str, ...] = ("_bw:", "_lat:", "_mr:", "  =  ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._test = ""
        self._protocol: str | None = None
        self._first = self._last = 0
        self._run: Run | None = None
        self._seen: set[str] = set()

    def feed(self, line: Line) -> bool:
        """Take the name of a test, or a figure below it."""
        text = line.text
        if text.rstrip().endswith(":") and (match := _TEST.match(text)):
            self._close()
            self._test, transport = match["test"], match["transport"]
            self._protocol = {"tcp": "tcp", "udp": "udp", "sctp": None, "sdp": None, "rds": None}.get(transport, "rdma")
            self._first = self._last = line.number
            return True
        if not self._test:
            return False
        if line.number > self._last + _NEAR:
            self._close()
            return False
        if (match := _FIGURE.match(text)) and line.complete:
            self._figure(line, match["name"], float(match["value"].replace(",", "")), match["unit"])
        elif match := _LIKE_FIGURE.match(text):
            report_damaged_line(self._findings, line, "a figure with its unit", repr(match[0].strip()))
        elif (match := _FAILED.match(text)) and self._run is None:
            self._findings.problem(
                line.number, "aborted", f"found {match[0].strip()!r}, expected a result of {self._test}"
            )
            columns: dict[str, object] = {
                "tool": "qperf",
                "label": self._test,
                "protocol": self._protocol,
                "error": True,
            }
            self._findings.run(Run(self._first, line.number, columns))
            self._test = ""
        else:
            return False
        self._last = line.number
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _figure(self, line: Line, name: str, value: float, unit: str) -> None:
        if name in _BEGINS and (self._run is None or name in self._seen):
            first = self._first if self._run is None else line.number
            self._hand_over()
            columns: dict[str, object] = {"tool": "qperf", "label": self._test, "protocol": self._protocol}
            self._run = Run(first, line.number, columns)
        run = self._run
        if run is None:
            return
        self._seen.add(name)
        run.line_last = line.number
        if name in {"bw", "send_bw", "recv_bw"}:
            self._bandwidth(line, run, name, value, unit)
        elif name in {"latency", "time"} and unit in _PER_SECOND:
            seconds = value / _PER_SECOND[unit]
            ways = 1 if self._test.endswith("_rdma_read_lat") else 2
            run.columns |= {"rtt_avg_s": ways * seconds} if name == "latency" else {"duration_s": seconds}
        elif name in {"send_cpus_used", "recv_cpus_used"} and unit == "% cpus":
            run.columns["cpu_sender_fraction" if name.startswith("send") else "cpu_receiver_fraction"] = value / 100

    def _bandwidth(self, line: Line, run: Run, name: str, value: float, unit: str) -> None:
        match = _RATE.fullmatch(unit)
        if match is None:
            self._findings.problem(
                line.number, "unit", f"found a rate in {unit!r}, expected one such as 'GB/sec'; left out"
            )
            return
        rate = value * scale(match["power"], 1000) * (8 if match["unit"] in {"B", "bytes"} else 1)
        run.columns["sender_throughput_bps" if name == "send_bw" else "throughput_bps"] = rate

    def _hand_over(self) -> None:
        run, self._run = self._run, None
        self._seen.clear()
        if run is not None:
            self._findings.run(run)

    def _close(self) -> None:
        self._hand_over()
        self._test = ""
