"""Output of the OSU micro-benchmarks and of Intel MPI Benchmarks' PingPong: one row for each message size.

Versions: OSU 3 to 7 (``osu_bw``, ``osu_bibw``, ``osu_latency``), IMB 3 to 2021 (PingPong, PingPing).

Units and traps
---------------
- MB/s of OSU is 10**6 bytes a second. Bandwidth of ``osu_bibw`` is that of both directions together: no direction.
- Latencies are half of a round trip, in microseconds; the round trip is twice as long.
- IMB's "Mbytes/sec" is 2**20 bytes a second before version 2018, 10**6 since: the rate is size over time, which has no
  such doubt. Other benchmarks of IMB, and collective operations, are left out.
- Rows of one byte are rates of a processor, not of a network.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_OSU: Final = re.compile(
    r"^\s{0,8}(?:# )?OSU MPI(?:-\w{1,10})?\s{1,3}(?P<what>(?:Bi-Directional )?Bandwidth|Latency) Test"
)
_VERSION: Final = re.compile(r"Test v?(?P<version>\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)")
_IMB: Final = re.compile(r"^\s{0,8}(?:# )?Benchmarking (?P<name>\w{1,40})")
_PING: Final = ("PingPong", "PingPing")
_OSU_ROW: Final = re.compile(
    r"^\s{0,8}(?P<size>\d{1,12})\s{1,40}(?P<value>\d{1,12}\.\d{1,4})(?:\s{1,40}\S{1,12}){0,4}\s{0,8}$"
)
_IMB_ROW: Final = re.compile(
    r"^\s{0,20}(?P<size>\d{1,12})\s{1,20}\d{1,9}\s{1,20}(?P<time>\d{1,12}\.\d{1,4})\s{1,20}\d{1,12}\.\d{1,4}\s{0,8}$"
)
_REMARK: Final = re.compile(r"^\s{0,20}#(?: Size|bytes| #processes|-{3})|^\s{0,8}#\s{0,8}$|^\s{0,20}#bytes")
_LIKE: Final = re.compile(r"^\s{0,20}\d{1,12}\s{1,40}\S")


class MpiBenchmarks:
    """Reader of OSU micro-benchmarks and IMB PingPong."""

    TOOLS: tuple[str, ...] = ("osu_bw", "osu_bibw", "osu_latency", "IMB-MPI1")
    VERSIONS: str = "OSU 3 to 7, IMB 3 to 2021"
    HINTS: tuple[str, ...] = ("OSU MPI", "Benchmarking ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._tool = ""
        self._version: str | None = None

    def feed(self, line: Line) -> bool:
        """Take the head or a row."""
        text = line.text
        if (osu := _OSU.match(text)) is not None:
            words = {"Bandwidth": "osu_bw", "Bi-Directional Bandwidth": "osu_bibw", "Latency": "osu_latency"}
            self._tool = words[osu["what"]]
            version = _VERSION.search(text)
            self._version = version["version"] if version else None
            return True
        if (imb := _IMB.match(text)) is not None:
            self._tool, self._version = "IMB-MPI1" if imb["name"] in _PING else "", None
            return bool(self._tool)
        if not self._tool:
            return False
        match = (_IMB_ROW if self._tool == "IMB-MPI1" else _OSU_ROW).match(text)
        if match is not None and (line.complete or not text[-1:].isdigit()):
            self._findings.run(Run(line.number, line.number, self._columns(match), rounding=0.02))
        elif _LIKE.match(text):
            report_damaged_line(self._findings, line, "a row of a message size and its figures; left out")
        else:
            return _REMARK.match(text) is not None
        return True

    def _columns(self, match: re.Match[str]) -> dict[str, object]:
        size = int(match["size"])
        columns: dict[str, object] = {
            "tool": self._tool,
            "tool_version": self._version,
            "circumstances": f"{size} bytes",
        }
        if self._tool == "IMB-MPI1":
            seconds = float(match["time"]) * 1e-6
            columns["throughput_bps"] = 8 * size / seconds if size and seconds else None
            columns["rtt_avg_s"] = 2 * seconds
        elif self._tool == "osu_latency":
            columns["rtt_avg_s"] = 2e-6 * float(match["value"])
        else:
            columns["throughput_bps"] = float(match["value"]) * 8e6
        return columns

    def finish(self) -> None:
        """Forget the head."""
        self._tool = ""
