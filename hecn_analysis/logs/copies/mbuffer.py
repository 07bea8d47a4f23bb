"""Output of mbuffer: the summary of what went through a pipe, as between ``zfs send`` and ``zfs receive``.

Versions: 2008 to 2024. One run for each "summary: … in … - average of …".

Units and traps
---------------
- All prefixes are binary: GiByte and MiB/s, in old versions "GByte" and "MB/s", count powers of 1024.
- "in @ …, out @ …" are rates of a moment, and are left out. A buffer that is 0 % full waits for its input, one that is
  100 % full for its output.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import half_digit, scale

_N: Final = r"\d{1,6}(?:\.\d{1,3})?"
_SUMMARY: Final = re.compile(
    rf"\bsummary:\s{{1,8}}(?P<n>{_N}) (?P<unit>[kKMGTP]?)i?Byte in\s{{1,4}}(?:(?P<days>\d{{1,4}})d\s{{1,3}})?"
    rf"(?:(?P<hours>\d{{1,4}})h\s{{0,3}})?(?:(?P<minutes>\d{{1,4}})min\s{{0,3}})?(?P<seconds>{_N})\s?sec"
    rf" - average of\s{{1,4}}(?P<rate>{_N}) (?P<rate_unit>[kKMGTP]?)i?B/s"
)
_LIKE: Final = re.compile(r"\bsummary:\s{1,8}\S{1,12} \w{0,4}Byte in ")


class Mbuffer:
    """Reader of mbuffer."""

    TOOLS: tuple[str, ...] = ("mbuffer",)
    VERSIONS: str = "2008 to 2024"
    HINTS: tuple[str, ...] = ("summary: ",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take a summary."""
        match = _SUMMARY.search(line.text)
        if match is None:
            if _LIKE.search(line.text):
                report_damaged_line(self._findings, line, "'summary: … GiByte in … sec - average of … MiB/s'; left out")
                return True
            return False
        days, hours, minutes = (int(match[name] or 0) for name in ("days", "hours", "minutes"))
        columns: dict[str, object] = {
            "tool": "mbuffer",
            "protocol": "file",
            "bytes": round(float(match["n"]) * scale(match["unit"], 1024)),
            "duration_s": ((days * 24 + hours) * 60 + minutes) * 60 + float(match["seconds"]),
            "throughput_bps": 8 * float(match["rate"]) * scale(match["rate_unit"], 1024),
        }
        rounding = 0.01 + half_digit(match["n"]) + half_digit(match["rate"])
        self._findings.run(Run(line.number, line.number, columns, rounding=rounding))
        return True

    def finish(self) -> None:
        """Do nothing: a summary is a run."""
