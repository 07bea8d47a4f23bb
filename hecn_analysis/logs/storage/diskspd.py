"""Output of DiskSpd, Microsoft's benchmark of disks: what was read and written in a span of time.

Versions: 2.0 to 2.2, text. One run for reads and one for writes; of a text with "Total IO" alone one for both.

Units and traps
---------------
- "MB/s" of old versions is "MiB/s" of new ones: both are 2**20 bytes a second.
- Each thread has a row; the run is the row "total:". Tables of latencies and of processors are left out.
- Reads and writes of a mixed test run at the same time, and share the disk. ``-r`` (random) stands in the command only.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import half_digit

_SPAN: Final = re.compile(
    r"^\s{0,8}(?:actual test time:\s{1,12}(?P<seconds>\d{1,9}\.\d{1,3})s|thread count:\s{1,12}(?P<threads>\d{1,6}))"
    r"\s{0,8}$"
)
_SECTION: Final = re.compile(r"^\s{0,8}(?P<what>Total|Read|Write) IO\s{0,8}$")
_TOTAL: Final = re.compile(
    r"^\s{0,8}\|?\s{0,8}total:?\s{0,12}\|?\s{1,20}(?P<bytes>\d{1,18})\s{1,12}\|\s{1,20}\d{1,15}\s{1,12}\|"
    r"\s{1,20}(?P<rate>\d{1,9}\.\d{1,3})\s{1,12}\|(?:\s{1,20}(?P<iops>\d{1,12}\.\d{1,3})\s{1,12}\|)?"
)
_WAYS: Final = {"Total": None, "Read": "read", "Write": "write"}


class Diskspd:
    """Reader of DiskSpd."""

    TOOLS: tuple[str, ...] = ("diskspd", "DiskSpd.exe", "diskspd.exe")
    VERSIONS: str = "2.0 to 2.2"
    HINTS: tuple[str, ...] = (
        "actual test time:",
        "thread count:",
        "Total IO",
        "Read IO",
        "Write IO",
        "total:",
        "total |",
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._forget()

    def _forget(self) -> None:
        self._span: dict[str, str] = {}
        self._section: Line | None = None
        self._what = ""
        self._totals: dict[str, Run] = {}

    def feed(self, line: Line) -> bool:
        """Take the time, the head of a section, or its total."""
        if (match := _SPAN.match(line.text)) is not None:
            if match["seconds"]:
                self.finish()
            self._span |= {name: text for name, text in match.groupdict().items() if text}
        elif (match := _SECTION.match(line.text)) is not None:
            if match["what"] in self._totals:
                self.finish()
            self._section, self._what = line, match["what"]
        elif self._section is None or not line.text.lstrip(" |\t").startswith("total"):
            return False
        elif (match := _TOTAL.match(line.text)) is not None:
            self._totals[self._what] = self._run(self._section.number, line.number, match)
            self._section = None
        else:
            report_damaged_line(self._findings, line, "'total: … | … | … |'; left out")
            self._section = None
        return True

    def _run(self, first: int, last: int, match: re.Match[str]) -> Run:
        columns: dict[str, object] = {
            "tool": "diskspd",
            "protocol": "file",
            "direction": _WAYS[self._what],
            "streams": int(self._span["threads"]) if int(self._span.get("threads", 0)) else None,
            "bytes": int(match["bytes"]),
            "duration_s": float(self._span["seconds"]) if "seconds" in self._span else None,
            "throughput_bps": float(match["rate"]) * 8 * 2**20,
            "iops": float(match["iops"]) if match["iops"] else None,
        }
        return Run(first, last, columns, rounding=0.01 + half_digit(match["rate"]))

    def finish(self) -> None:
        """The span has ended: hand over what moved data."""
        parts = [self._totals[what] for what in ("Read", "Write") if what in self._totals]
        for run in parts or list(self._totals.values()):
            if run.columns["bytes"]:
                self._findings.run(run)
        self._forget()
