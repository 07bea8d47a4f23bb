"""Output of networkQuality of macOS: what a line carries up and down, and how fast it answers under load.

Versions: macOS 12 to 26: text, also with ``-v``, and JSON (``-c``). One run for each direction.

Units and traps
---------------
- Mbps of the text and the bit/s of the JSON are powers of 1000.
- Both directions run at the same time and share the line; with ``-s`` they run one after the other, and each has a
  responsiveness of its own. `circumstances` says which.
- Responsiveness is round trips a minute (RPM) with the line full: it is left out. The RTT is that of the idle line.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import number

_RATE: Final = re.compile(
    r"(?:^|\s)(?P<way>Up|Down)(?:load|link) capacity:\s{1,8}(?P<rate>\d{1,6}(?:\.\d{1,6})?) "
    r"(?P<unit>[kKMG]?)bps\s{0,8}$"
)
_IDLE: Final = re.compile(
    r"(?:^|\s)(?:Idle Latency:\s{1,8}(?P<ms>\d{1,6}(?:\.\d{1,6})?) milliseconds|Base RTT: (?P<rtt>\d{1,6})\s{0,8}$)"
)
_LIKE: Final = re.compile(r"(?:^|\s)(?:Up|Down)(?:load|link) capacity: \d\S{0,12} [kKMG]?b?p?s?\s{0,8}$")
_RESPONSE: Final = re.compile(r"(?:^|\s)(?P<way>(?:Up|Down)(?:load|link) )?Responsiveness: ")
_WAYS: Final = {"Up": "send", "Down": "receive"}
_KEYS: Final = {"Up": "ul", "Down": "dl"}


class NetworkQuality(DocumentReader):
    """Reader of networkQuality."""

    TOOLS: tuple[str, ...] = ("networkQuality",)
    VERSIONS: str = "macOS 12 to 26"
    HINTS: tuple[str, ...] = (" capacity: ", "Responsiveness: ", "Idle Latency: ", "Base RTT: ")
    DOCUMENTS: tuple[frozenset[str], ...] = (
        frozenset({"dl_throughput", "interface_name"}),
        frozenset({"ul_throughput", "interface_name"}),
    )

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._forget()

    def _forget(self) -> None:
        self._lines: list[int] = []
        self._rates: dict[str, float] = {}
        self._idle_s: float | None = None
        self._is_sequential = False

    def feed(self, line: Line) -> bool:
        """Take a line of the summary."""
        text = line.text
        if (match := _RATE.search(text)) is not None:
            if match["way"] in self._rates:
                self.finish()
            self._rates[match["way"]] = float(match["rate"]) * scale(match["unit"], 1000)
        elif _LIKE.search(text):
            report_damaged_line(self.findings, line, "'Uplink capacity: … Mbps'; left out")
        elif not self._rates:
            return False
        elif (match := _IDLE.search(text)) is not None:
            self._idle_s = float(match["ms"] or match["rtt"]) / 1e3
        elif (response := _RESPONSE.search(text)) is not None:
            self._is_sequential |= response["way"] is not None
        else:
            return False
        self._lines.append(line.number)
        return True

    def finish(self) -> None:
        """Hand over the runs of a summary."""
        if self._rates:
            self._runs(self._lines[0], self._lines[-1])
        self._forget()

    def _runs(self, first: int, last: int) -> None:
        both = "each direction alone" if self._is_sequential else "both directions at the same time"
        for way, rate in self._rates.items():
            columns: dict[str, object] = {
                "tool": "networkQuality",
                "protocol": "tcp",
                "direction": _WAYS[way],
                "rtt_s": self._idle_s,
                "circumstances": both if len(self._rates) > 1 else None,
                "throughput_bps": rate,
            }
            self.findings.run(Run(first, last, columns))

    def take(self, document: JsonDocument) -> bool:
        """Take a result in JSON."""
        self.finish()
        value = document.value
        rates = {way: number(value.get(f"{key}_throughput")) for way, key in _KEYS.items()}
        self._rates = {way: rate for way, rate in rates.items() if rate}
        idle_ms = number(value.get("base_rtt"))
        self._idle_s = None if idle_ms is None else idle_ms / 1e3
        self._is_sequential = "dl_responsiveness" in value or "ul_responsiveness" in value
        self._runs(document.first, document.last)
        self._forget()
        return True
