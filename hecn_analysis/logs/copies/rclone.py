"""Output of rclone: what it transferred, and in which time.

Versions: 1.0 to 1.68, the lines of statistics with and without ``--progress``; one run for each command.

Units and traps
---------------
- Amounts are binary: "286.102 MiB", in old versions "286.102M" and "MBytes", are 2**20 bytes. The first
  versions print what was transferred so far and not the whole ("Transferred: 1.2 GBytes (40 MBytes/s)").
- The rate that is printed is a mean over the last seconds since version 1.57: the rate of the run is the amount over
  the elapsed time.
- The statistics come every minute, or more often; the last ones before the command ends count.
- "Checks" are files that were there already. Several files are transferred at the same time (``--transfers``).
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import clock, scale

_AMOUNT: Final = re.compile(
    r"Transferred:\s{1,12}(?P<done>\d{1,15}(?:\.\d{1,6})?) ?(?P<done_unit>[kKMGTP]?)(?:i?B(?:ytes)?)?(?: / "
    r"(?P<all>\d{1,9}(?:\.\d{1,6})?) ?(?P<all_unit>[kKMGTP]?)(?:i?B(?:ytes)?), (?:\d{1,3}%|-), |"
    r" \(\s{0,12}\d{1,9}(?:\.\d{1,6})? ?[kKMGTP]?(?:Bytes?|Bits)/s\)\s{0,8}$)"
)
_FILES: Final = re.compile(r"Transferred:\s{1,16}\d{1,12}(?: / \d{1,12}, (?:\d{1,3}%|-))?\s{0,8}$")
_ELAPSED: Final = re.compile(r"Elapsed time:\s{1,16}(?P<time>(?:\d{1,4}h)?(?:\d{1,2}m)?\d{1,3}(?:\.\d{1,3})?s)\s{0,8}$")
_GOES_ON: Final = re.compile(r"(?:^|\s)Transferring:\s{0,160}$")
_ERRORS: Final = re.compile(r"Errors:\s{1,16}(?P<errors>\d{1,9})\b")


class Rclone:
    """Reader of rclone."""

    TOOLS: tuple[str, ...] = ("rclone",)
    VERSIONS: str = "1.0 to 1.68: the statistics"
    HINTS: tuple[str, ...] = ("Transferred:", "Transferring:", "Elapsed time:", "Errors:")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._forget()

    def _forget(self) -> None:
        self._first: int | None = None
        self._block = 0  # the first line of the last statistics
        self._earlier: tuple[int, tuple[float, bool], float, bool] | None = None  # the statistics before them
        self._last = 0
        self._amount: tuple[float, bool] | None = None
        self._seconds: float | None = None
        self._failed = False

    def feed(self, line: Line) -> bool:
        """Take a line of the statistics."""
        text = line.text
        if (match := _AMOUNT.search(text)) is not None:
            if self._amount is not None and self._seconds:
                self._earlier = (self._last, self._amount, self._seconds, self._failed)
            self._first, self._block = self._first or line.number, line.number
            done = float(match["done"]) * scale(match["done_unit"], 1024)
            is_whole = match["all"] is None or done >= float(match["all"]) * scale(match["all_unit"], 1024)
            self._amount, self._seconds = (done, is_whole), None
        elif self._first is None:
            return False
        elif (match := _ELAPSED.search(text)) is not None:
            self._seconds = clock(match["time"])
            if self._earlier is not None and self._seconds is not None and self._seconds < self._earlier[2]:
                self._run(self._first, *self._earlier)  # less time: another copy
                self._first = self._block
            self._earlier = None
        elif self._is_state(text):
            pass
        elif "Transferred:" in text and _FILES.search(text) is None:
            report_damaged_line(self._findings, line, "'Transferred: … / …, …%'; left out")
            self._amount = None
        elif "Elapsed time:" in text:
            report_damaged_line(self._findings, line, "'Elapsed time: …s'; left out")
            self._seconds = None
        elif "Transferred:" not in text:
            return False
        self._last = line.number
        return True

    def _is_state(self, text: str) -> bool:
        """Take the number of errors, or the head of the files on their way, which ends no copy."""
        if (match := _ERRORS.search(text)) is not None:
            self._failed = int(match["errors"]) > 0
        elif self._amount is not None and self._seconds and _GOES_ON.search(text) is not None:
            self._amount = (self._amount[0], False)
        else:
            return False
        return True

    def finish(self) -> None:
        """The command has ended: its last statistics are the run."""
        if self._first is not None and (self._amount is None or not self._seconds):
            message = "found statistics without an amount or a time, expected both; no run made of them"
            self._findings.problem(self._last, "truncated", message)
        elif self._first is not None and self._amount is not None and self._seconds:
            self._run(self._first, self._last, self._amount, self._seconds, self._failed)
        self._forget()

    def _run(self, first: int, last: int, amount: tuple[float, bool], seconds: float, failed: bool) -> None:
        done, is_whole = amount
        columns: dict[str, object] = {
            "tool": "rclone",
            "protocol": "file",
            "bytes": round(done),
            "duration_s": seconds,
            "throughput_bps": 8 * done / seconds,
            "error": failed or not is_whole,
        }
        if columns["error"]:
            message = "found a copy that is not whole, or errors, expected all of it"
            self._findings.problem(last, "aborted", message)
        self._findings.run(Run(first, last, columns, rounding=0.02))
