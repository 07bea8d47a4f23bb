"""Output of bench.sh and its relatives, scripts that people run on rented servers: dd on the disk, and speedtest.

Versions: bench.sh of 2015 to 2026, superbench. One run for each writing of the disk, and each direction to a server.

Units and traps
---------------
- The rate of the disk is that of dd with ``conv=fdatasync``, in decimal units; the average below counts 1024 MB for
  1 GB, and is left out.
- "Upload Speed" is that from this host; latency is that before the transfers.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale

_N: Final = r"\d{1,6}(?:\.\d{1,3})?"
_WRITTEN: Final = re.compile(
    rf"\bI/O [Ss]peed\s?\(\s{{0,4}}(?P<which>\d(?:st|nd|rd|th) run|{_N}[MG]B)\s{{0,4}}\)\s{{0,8}}: "
    rf"(?P<n>{_N}) (?P<unit>[kMG])B/s\s{{0,8}}$"
)
_SERVERS: Final = re.compile(r"\bNode Name\s{1,20}Upload Speed\s{1,20}Download Speed\s{1,20}Latency")
_SERVER: Final = re.compile(
    rf"^\s{{0,12}}(?P<name>\S.{{0,40}}?)\s{{2,20}}(?P<up>{_N}) (?P<up_unit>[KMG])b(?:ps|it/s)\s{{1,20}}"
    rf"(?P<down>{_N}) (?P<down_unit>[KMG])b(?:ps|it/s)\s{{1,20}}(?P<ms>{_N}) ms\s{{0,8}}$"
)


class BenchSh:
    """Reader of bench.sh."""

    TOOLS: tuple[str, ...] = ("bench.sh",)
    VERSIONS: str = "2015 to 2026, superbench"
    HINTS: tuple[str, ...] = ("I/O Speed", "I/O speed", "Download Speed", " Mbps ", " Mbit/s ", " Gbps ", " Kbps ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._servers = False

    def feed(self, line: Line) -> bool:
        """Take the rate of the disk, the heading of the servers, or one of them."""
        text = line.text
        if (match := _WRITTEN.search(text)) is not None:
            columns: dict[str, object] = {"protocol": "file", "direction": "write", "label": match["which"]}
            self._run(line, columns, 8 * float(match["n"]) * scale(match["unit"], 1000))
        elif _SERVERS.search(text):
            self._servers = True
        elif not self._servers:
            return False
        elif (match := _SERVER.match(text)) is not None:
            for direction, name in (("send", "up"), ("receive", "down")):
                rtt_s = float(match["ms"]) / 1e3
                columns = {"protocol": "tcp", "direction": direction, "label": match["name"], "rtt_s": rtt_s}
                self._run(line, columns, float(match[name]) * scale(match[f"{name}_unit"], 1000))
        elif "bps" in text or "bit/s" in text:
            report_damaged_line(self._findings, line, "a name, two rates and a latency; left out")
        else:
            return False
        return True

    def _run(self, line: Line, columns: dict[str, object], rate: float) -> None:
        self._findings.run(Run(line.number, line.number, {"tool": "bench.sh", **columns, "throughput_bps": rate}))

    def finish(self) -> None:
        """Forget the heading."""
        self._servers = False
