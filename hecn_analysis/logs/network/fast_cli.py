"""Output of fast-cli, which measures the speed to Netflix's servers (fast.com).

Versions: fast-cli 1 to 5, text and ``--json``. A result is up to two runs: the download, and with
``-u`` the upload.

Units and traps
---------------
- Mbps, Gbps and Kbps are powers of 1000, and are rounded to two or three digits.
- The line with a spinner in front of it is a state while it measures. The last one before another program counts.
- ``latency`` is that of the idle path, ``bufferBloat`` that of the loaded one; both in ms. Bytes come with ``--json``.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import number

_N: Final = r"\d{1,6}(?:\.\d{1,3})?"
_SPEED: Final = re.compile(
    rf"^\s{{0,12}}(?:(?P<spinner>[\u2800-\u28ff])\s{{1,4}})?(?P<down>{_N}) (?P<unit>[KMG])bps ↓"
    rf"(?: / (?P<up>{_N}|-) ?(?:(?P<up_unit>[KMG])bps)? ↑)?"
)
_LATENCY: Final = re.compile(r"^\s{0,12}Latency: (?P<idle>\d{1,6}) ms \(unloaded\)")
_UNIT: Final = re.compile(r"(?P<power>[KMG])bps$", re.IGNORECASE)


class FastCli(DocumentReader):
    """Reader of fast-cli."""

    TOOLS: tuple[str, ...] = ("fast-cli",)
    VERSIONS: str = "1 to 5"
    HINTS: tuple[str, ...] = ("bps ↓", "(unloaded)")
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"downloadSpeed", "downloadUnit"}),)

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._speed: tuple[Line, re.Match[str]] | None = None
        self._idle: float | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of speeds, or of latencies."""
        if (match := _SPEED.match(line.text)) is not None:
            if self._speed is not None and line.number > self._speed[0].number + 1:
                self.finish()
            self._speed = (line, match)
            return True
        if self._speed is not None and (latency := _LATENCY.match(line.text)) is not None:
            self._idle = int(latency["idle"]) / 1000
            return True
        return False

    def finish(self) -> None:
        """Hand over the last speeds."""
        speed, self._speed = self._speed, None
        idle, self._idle = self._idle, None
        if speed is None:
            return
        line, match = speed
        if match["spinner"]:
            self.findings.problem(
                line.number,
                "truncated",
                "found speeds while it still measures, expected a line without a spinner; taken",
            )
        self._run(line.number, "receive", float(match["down"]) * scale(match["unit"], 1000), idle)
        if match["up"] and match["up_unit"]:
            self._run(line.number, "send", float(match["up"]) * scale(match["up_unit"], 1000), idle)

    def _run(self, line: int, direction: str, rate: float, idle: float | None) -> None:
        columns: dict[str, object] = {"tool": "fast-cli", "protocol": "tcp", "direction": direction, "rtt_s": idle}
        self.findings.run(Run(line, line, {**columns, "throughput_bps": rate}))

    def take(self, document: JsonDocument) -> bool:
        """Take the result in JSON."""
        value = document.value
        idle = number(value.get("latency"))
        for direction, name in (("receive", "download"), ("send", "upload")):
            rate, unit = number(value.get(f"{name}Speed")), _UNIT.match(str(value.get(f"{name}Unit", "Mbps")))
            if rate is not None and unit is not None:
                seconds = None if idle is None else idle / 1000
                self._run(document.last, direction, rate * scale(unit["power"].upper(), 1000), seconds)
        return True
