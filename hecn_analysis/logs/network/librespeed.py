"""Output of librespeed-cli: download (receive), then upload (send), each a run.

Versions: 1.0 to 1.0.12: text, ``--simple``, ``--json`` and ``--csv``.

Units and traps
---------------
- Rates are Mbit/s (10**6 bit) also in JSON and CSV, which have the same keys as those of speedtest-cli in bit/s; only
  LibreSpeed's have "jitter". ``--bytes`` prints MB/s in the text.
- With ``--mebibytes`` a megabit is 2**20 bit, which nothing in the output says but the command.
- Bytes are of the transfer; its time is not printed. The ping is that before the transfers.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import count, number

_N: Final = r"\d{1,9}(?:\.\d{1,6})?"
_PING: Final = re.compile(
    rf"(?:^|\s)Ping:\s{{1,8}}(?P<ms>{_N}) ms\s{{1,8}}Jitter:\s{{1,8}}(?P<jitter>{_N}) ms\s{{0,8}}$"
)
_RATE: Final = re.compile(
    rf"(?:^|\s)(?P<way>Download|Upload) rate:\s{{1,12}}(?P<rate>{_N}) "
    r"(?:(?P<bits>Mbps)|(?P<power>[KMG])B/s)\s{0,8}$"
)
_CSV: Final = re.compile(
    rf",https?://[^,]{{1,300}},(?P<ms>{_N}),(?P<jitter>{_N}),(?P<download>{_N}),(?P<upload>{_N}),"
    r"[^,]{0,300},[\d.a-fA-F:]{3,45}\s{0,8}$"
)
_WAYS: Final = {"download": "receive", "upload": "send"}
_BYTES: Final = {"download": "bytes_received", "upload": "bytes_sent"}


class Librespeed(DocumentReader):
    """Reader of librespeed-cli."""

    TOOLS: tuple[str, ...] = ("librespeed-cli",)
    VERSIONS: str = "1.0"
    HINTS: tuple[str, ...] = ("Jitter:", "load rate:", ",http")
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"ping", "jitter", "download", "upload", "bytes_sent"}),)

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._ping: dict[str, float] = {}

    def feed(self, line: Line) -> bool:
        """Take the ping, a rate, or a row of values."""
        if (match := _PING.search(line.text)) is not None:
            self._ping = {"rtt_s": float(match["ms"]) / 1e3, "jitter_s": float(match["jitter"]) / 1e3}
        elif self._ping and (match := _RATE.search(line.text)) is not None:
            unit = self._megabit() if match["bits"] else 8 * scale(match["power"], self._base())
            self._run(line.number, line.number, match["way"].lower(), float(match["rate"]) * unit)
        elif (match := _CSV.search(line.text)) is not None:
            self._ping = {"rtt_s": float(match["ms"]) / 1e3, "jitter_s": float(match["jitter"]) / 1e3}
            for way in _WAYS:
                self._run(line.number, line.number, way, float(match[way]) * self._megabit())
        elif self._ping and "load rate:" in line.text:
            report_damaged_line(self.findings, line, "'Download rate: … Mbps'; left out")
        else:
            return False
        return True

    def _base(self) -> int:
        return 1024 if "--mebibytes" in self.findings.command.arguments else 1000

    def _megabit(self) -> float:
        return float(self._base() ** 2)

    def take(self, document: JsonDocument) -> bool:
        """Take a result in JSON."""
        value = document.value
        ping = {"rtt_s": number(value.get("ping")), "jitter_s": number(value.get("jitter"))}
        self._ping = {name: ms / 1e3 for name, ms in ping.items() if ms is not None}
        for way, name in _BYTES.items():
            rate, amount = number(value.get(way)), count(value.get(name))
            if rate:
                self._run(document.first, document.last, way, rate * self._megabit(), amount)
        return True

    def _run(self, first: int, last: int, way: str, rate: float, amount: int | None = None) -> None:
        if rate == 0:  # the test of this direction was switched off
            return
        columns = {"tool": "librespeed-cli", "protocol": "tcp", "direction": _WAYS[way], "bytes": amount}
        self.findings.run(Run(first, last, {**columns, **self._ping, "throughput_bps": rate}))

    def finish(self) -> None:
        """Forget the ping."""
        self._ping = {}
