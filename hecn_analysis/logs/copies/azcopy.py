"""Output of AzCopy: the summary of a job that copies to, from or between stores of Azure.

Versions: 10.0 to 10.30: copy, sync and resume. One run for each summary.

Units and traps
---------------
- The rate of a run is the bytes over the elapsed time, which counts the search for files, too. It is printed in minutes
  with four digits.
- "2-sec Throughput (Mb/s)" is that of the last two seconds: left out.
- A copy between stores passes no data through the host. The summary does not say the direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures


class Azcopy(BlockReader):
    """Reader of AzCopy."""

    TOOLS: tuple[str, ...] = ("azcopy",)
    VERSIONS: str = "10"
    HINTS: tuple[str, ...] = (
        *(" summary", " Summary", "Elapsed Time (Minutes)", "Bytes Transferred: ", "BytesTransferred: "),
        "Final Job Status: ",
    )
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(
        r"^\s{0,8}Job [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12} [sS]ummary\s*$"
    )
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        ("Elapsed Time", re.compile(r"^\s{0,8}Elapsed Time \(Minutes\): (?P<minutes>\d{1,9}(?:\.\d{1,4})?)\s{0,8}$")),
        ("Transferred: ", re.compile(r"^\s{0,8}Total(?: Number of )?Bytes ?Transferred: (?P<bytes>\d{1,18})\s{0,8}$")),
        ("Final Job Status", re.compile(r"^\s{0,8}Final Job Status: (?P<status>[A-Z][A-Za-z]{2,40})\s{0,8}$")),
    )
    LAST: ClassVar[tuple[str, str]] = ("status", "'Final Job Status: …'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run."""
        is_failed = figures["status"] in {"Failed", "Cancelled", "CompletedWithErrors", "CompletedWithErrorsAndSkipped"}
        if is_failed:
            message = f"found a status of {figures['status']}, expected a job that Completed"
            self._findings.problem(self._last, "aborted", message)
        columns: Columns = {"tool": "azcopy", "protocol": "file", "error": is_failed}
        if "bytes" in figures:
            columns["bytes"] = int(figures["bytes"])
        if "minutes" in figures and (seconds := 60 * float(figures["minutes"])):
            columns["duration_s"] = seconds
            columns["throughput_bps"] = 8 * int(figures["bytes"]) / seconds if "bytes" in figures else None
        yield columns, 0.01
