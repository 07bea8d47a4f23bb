"""Output of ``copy`` on routers and switches of Cisco, and of others with its words: bytes, time and rate.

Versions: IOS 11 to IOS XE 17, ASA, Packet Tracer. One run for each "… bytes copied in … secs (… bytes/sec)".

Units and traps
---------------
- The rate is rounded to whole bytes per second, and the time to what the clock of the device gives: the bytes over the
  time are kept where both are there. A copy of 0 bytes, as that of a configuration to itself, has no rate.
- The device may send or receive: the direction is not stated.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_COPIED: Final = re.compile(
    r"(?:^|[\s\]])(?P<bytes>\d{1,15}) bytes copied in (?P<seconds>\d{1,9}(?:\.\d{1,4})?) secs? "
    r"\((?P<rate>\d{1,13}) bytes/sec\)"
)


class DeviceCopy:
    """Reader of copies on network devices."""

    TOOLS: tuple[str, ...] = ("device-copy",)
    VERSIONS: str = "IOS 11 to IOS XE 17, ASA, Packet Tracer"
    HINTS: tuple[str, ...] = (" bytes copied in ",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings

    def feed(self, line: Line) -> bool:
        """Take the line that ends a copy."""
        copied = _COPIED.search(line.text)
        if copied is None:
            if "/sec" not in line.text and " secs" not in line.text:
                return False
            report_damaged_line(self._findings, line, "'… bytes copied in … secs (… bytes/sec)'; left out")
            return True
        amount, seconds, rate = int(copied["bytes"]), float(copied["seconds"]), 8.0 * int(copied["rate"])
        columns: dict[str, object] = {
            "tool": "device-copy",
            "protocol": "file",
            "bytes": amount,
            "duration_s": seconds or None,
            "throughput_bps": rate if amount else None,
        }
        rounding = 0.01 + 8 / max(rate, 8.0) + 0.01 / max(seconds, 0.01)
        self._findings.run(Run(line.number, line.number, columns, rounding=rounding))
        return True

    def finish(self) -> None:
        """Do nothing: every line is a complete run."""
