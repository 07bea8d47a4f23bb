"""Output of ``globus-url-copy -vb``: bytes so far, average and present rate.

Written from the source (gass/copy/source/globus_url_copy.c of the Grid Community Toolkit 6.2) and from runs of its
versions 10.12 and 10.13. Versions: Globus Toolkit 4 to 6, GCT 6.2.

Units and traps
---------------
- "MB/sec" is 2^20 bytes per second.
- The lines stand between carriage returns, one every second (older versions: every five): each is an interval, and the
  last one gives the run, although the file may not be complete yet. They have no time: the duration and the times of
  the intervals are missing. Bytes over the average would give a time only as exact as the two decimals of the average.
- "Source:", "Dest:" and the name of the file stand above them, once for every file: one run each. A copy that ends
  before its first report has these lines only and makes no run.
- "error: …" ends a copy; "continuing on error" is printed with -cont-on-err.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_REPORT: Final = re.compile(
    r"^\s{0,40}(?P<bytes>\d{1,19}) bytes\s{1,40}(?P<average>\d{1,12}\.\d{1,3}) MB/sec avg"
    r"\s{1,40}(?P<now>\d{1,12}\.\d{1,3}) MB/sec inst"
)
_CUT: Final = re.compile(r"^\s{0,40}\d{1,19} bytes\s{1,40}\d{1,12}\.\d{0,3} MB/sec")
_ENDS: Final = re.compile(r"^(?:Source|Dest):\s{1,8}(?P<url>\S{1,2000})")
_ERROR: Final = re.compile(r"^(?:error|continuing on error): ?(?P<text>.{0,400})")
_MEBIBYTE: Final = 8 * 2.0**20


class GlobusUrlCopy:
    """Reader of globus-url-copy."""

    TOOLS: tuple[str, ...] = ("globus-url-copy",)
    VERSIONS: str = "Globus Toolkit 4 to 6, GCT 6.2"
    HINTS: tuple[str, ...] = ("MB/sec", "Source:", "Dest:")
    LATER_HINTS: tuple[str, ...] = ("error:",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._direction: str | None = None
        self._reports: list[tuple[int, int, float, float]] = []
        self._failed: int | None = None

    def feed(self, line: Line) -> bool:  # noqa: C901 - one branch for each kind of line
        """Take a report, or a line around it."""
        text = line.text
        if match := _REPORT.search(text):
            amount = int(match["bytes"])
            if self._reports and (self._failed is not None or amount < self._reports[-1][1]):
                self._close()
            self._reports.append((line.number, amount, float(match["average"]), float(match["now"])))
            return True
        if match := _ENDS.search(text):
            if self._reports:
                self._close()
            if text.startswith("Source"):
                self._first, self._direction = line.number, "send" if match["url"].startswith("file:") else None
            elif self._first is None:
                return False
            elif match["url"].startswith("file:"):
                self._direction = None if self._direction else "receive"
            return True
        known = self._reports or self._first is not None or self._findings.command.program == "globus-url-copy"
        if known and (match := _ERROR.search(text)):
            self._findings.problem(
                line.number, "aborted", f"found {match['text'].strip()!r}, expected a copy to its end"
            )
            self._failed = line.number
            if not self._reports:
                values: dict[str, object] = {"tool": "globus-url-copy", "protocol": "tcp", "error": True}
                self._findings.run(Run(self._first or line.number, line.number, values))
                self._close()
            return True
        if _CUT.search(text):
            expected = "'… bytes … MB/sec avg … MB/sec inst'; the line is left out"
            report_damaged_line(self._findings, line, expected, repr(text.strip()))
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _close(self) -> None:
        reports, self._reports = self._reports, []
        first, self._first = self._first, None
        direction, self._direction = self._direction, None
        failed, self._failed = self._failed, None
        if not reports:
            return
        number, amount, average, _ = reports[-1]
        values: dict[str, object] = {
            "tool": "globus-url-copy",
            "protocol": "tcp",
            "direction": direction,
            "bytes": amount,
            "throughput_bps": average * _MEBIBYTE,
            "error": failed is not None,
        }
        table = np.array([(at, total, now) for at, total, _, now in reports], dtype=float)
        run = Run(first if first is not None else reports[0][0], failed or number, values)
        run.intervals = {
            "line": table[:, 0],
            "bytes": np.rint(np.diff(table[:, 1], prepend=0.0)),
            "throughput_bps": table[:, 2] * _MEBIBYTE,
        }
        self._findings.run(run)
