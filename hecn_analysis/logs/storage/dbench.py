"""Output of dbench and tbench: the load of a file server, replayed.

Versions: 3 and 4. One line is one run: "Throughput 125.78 MB/sec  2 clients  2 procs  max_latency=21.810 ms".

Units and traps
---------------
- MB is 10**6 bytes. Bytes are those of the load file's reads and writes, most of them from the page cache: the rate is
  that of a file system with its cache, not of a disk.
- tbench sends the same load over a TCP connection and prints the same line; the command line tells.
- Lines of single seconds ("MB/sec  execute  3 sec") are progress, and are left out.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_THROUGHPUT: Final = re.compile(
    r"^\s{0,8}Throughput (?P<rate>\d{1,9}(?:\.\d{1,6})?) MB/sec(?: \(sync open\))?(?: \(sync dirs\))?"
    r"\s{1,4}(?P<clients>\d{1,6}) (?:clients|procs)\b"
)
_DAMAGED: Final = re.compile(r"^\s{0,8}Throughput \S{1,30}(?: MB/sec.{0,200}(?:clients|procs|max_latency)|$)")


class Dbench:
    """Reader of dbench."""

    TOOLS: tuple[str, ...] = ("dbench", "tbench")
    VERSIONS: str = "3 and 4"
    HINTS: tuple[str, ...] = ("Throughput ",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take the line of the result."""
        match = _THROUGHPUT.match(line.text)
        if match is None:
            if _DAMAGED.match(line.text) and ("max_latency" in line.text or not line.complete):
                report_damaged_line(self._findings, line, "'Throughput … MB/sec … clients'; left out")
                return True
            return False
        tool = "tbench" if self._findings.command.program == "tbench" else "dbench"
        columns: dict[str, object] = {
            "tool": tool,
            "protocol": "tcp" if tool == "tbench" else "file",
            "streams": int(match["clients"]),
            "throughput_bps": float(match["rate"]) * 8e6,
        }
        self._findings.run(Run(line.number, line.number, columns))
        return True

    def finish(self) -> None:
        """Do nothing: every line is a complete run."""
