"""Output of axel: one line for each download, whether it ended or was interrupted.

Versions: 1.0 to 2.17, in English. The lines of progress are left out.

Units and traps
---------------
- KB are 1024 bytes, megabytes 2**20. Sizes are rounded (six digits since 2.14, one decimal before).
- Seconds are whole. Old versions write minutes and hours as "1:23 seconds".
- The rate is that of what this call downloaded; nothing says whether an earlier one was continued, nor how many
  connections there were.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale

_DOWNLOADED: Final = re.compile(
    r"Downloaded (?P<size>\d{1,12}(?:\.\d{1,6})?(?:e\+\d\d)?) (?P<prefix>[KMGTkmgt]?)(?:ilo|ega|iga|era)?bytes?"
    r"(?:\(s\))? in (?P<time>\d{1,9}(?::\d\d){0,2}) (?:hour|minute|second)(?:s|\(s\))?\. "
    r"\((?P<rate>\d{1,12}\.\d\d) KB/s\)\s*$"
)
_LIKE: Final = re.compile(r"Downloaded \d.{0,60} in .{0,60}KB/s")
_KIB: Final = 1024


class Axel:
    """Reader of axel."""

    TOOLS: tuple[str, ...] = ("axel",)
    VERSIONS: str = "1.0 to 2.17"
    HINTS: tuple[str, ...] = ("Downloaded ",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take the line of a download."""
        match = _DOWNLOADED.match(line.text)
        if match is None:
            if _LIKE.match(line.text) is None:
                return False
            report_damaged_line(self._findings, line, "'Downloaded … Megabyte(s) in … (… KB/s)'; left out")
            return True
        seconds = 0.0
        for part in match["time"].split(":"):
            seconds = 60 * seconds + int(part)
        rate = 8 * float(match["rate"]) * _KIB
        columns: dict[str, object] = {"tool": "axel", "protocol": "tcp", "direction": "receive", "throughput_bps": rate}
        size = round(float(match["size"]) * scale(match["prefix"].upper(), _KIB))
        rounding = 0.01 + 0.051 / max(float(match["size"]), 1.0) + 1.0 / max(seconds, 1.0)
        self._findings.run(
            Run(line.number, line.number, {**columns, "bytes": size, "duration_s": seconds}, rounding=rounding)
        )
        return True

    def finish(self) -> None:
        """Do nothing: a line is a run."""
