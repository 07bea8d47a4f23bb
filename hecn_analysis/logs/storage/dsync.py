"""Output of dsync and dcp (mpiFileUtils): bytes copied and duration.

Written from the source (src/common/mfu_flist_copy.c, src/dsync/dsync.c of mpiFileUtils 0.12); no recorded output was
found. Versions: 0.6 to 0.12 ("[2026-01-31T12:00:00] Rate: 1.250 GiB/s (1342177280 bytes in 1.000 seconds)").

Units and traps
---------------
- KiB, MiB, GiB are powers of 1024; earlier versions print "MB/s" for the same powers. The rate is computed from the
  bytes and seconds of the line.
- The "Rate:" after "Completed:" is one run; one after "Current:" (long copies with --progress or in batches) is
  progress and not a run.
- The bytes are those copied, not those of the files ("Data:"): dsync skips what exists already.
- "Copied 10.000 GiB (50%) in 10.001 secs (1.000 GiB/s) 10 secs left" are the intervals, from totals so far.
- "Read Rate" and "Write Rate" belong to the comparison of contents (--contents), not to a copy.
- A dsync that finds nothing to copy prints no rate: no run.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import scale

_STAMP: Final = r"^(?:[^\[]{0,40})\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\] "
_RATE: Final = re.compile(
    _STAMP + r"Rate: \d{1,9}\.\d{1,6} [KMGTPE]?i?B/s \((?P<bytes>\d{1,19}(?:\.\d{1,6}e[+-]?\d{1,2})?) bytes in "
    r"(?P<seconds>\d{1,9}\.\d{1,6}) seconds\)"
)
_COPIED: Final = re.compile(
    _STAMP
    + r"Copied (?P<amount>\d{1,9}\.\d{3}) (?P<unit>[KMGTPE]?)i?B (?:\(\d{1,3}%\) )?in (?P<seconds>\d{1,9}\.\d{3}) "
    r"secs? \(\d{1,9}\.\d{3} [KMGTPE]?i?B/s\)"
)
_HEAD: Final = re.compile(_STAMP + r"(?P<word>Started|Completed|Current|Copying to|Walking|Seconds|Items|Data): ?")
_ERROR: Final = re.compile(r"\] \[\d{1,9}\] \[[\w./-]{1,200}:\d{1,6}\] ERROR: (?P<text>.{0,400})")
_CUT: Final = re.compile(_STAMP + r"Rate: ")


class Dsync:
    """Reader of dsync and dcp."""

    TOOLS: tuple[str, ...] = ("dsync", "dcp")
    VERSIONS: str = "mpiFileUtils 0.6 to 0.12"
    DATED: bool = True
    HINTS: tuple[str, ...] = ("] Rate: ", "] Copied ", "] Started: ", "] Completed: ", "] Current: ", "] ERROR: ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._last = 0
        self._under_way = False
        self._failed = False
        self._progress: list[tuple[int, float, float]] = []

    def feed(self, line: Line) -> bool:
        """Take a line of the copy."""
        text = line.text
        if match := _COPIED.search(text):
            seconds, amount = float(match["seconds"]), float(match["amount"]) * scale(match["unit"], 1024)
            if self._progress and seconds < self._progress[-1][1]:
                self._close()
            self._begin(line)
            self._progress.append((line.number, seconds, amount))
            return True
        if match := _RATE.search(text):
            self._begin(line)
            if not self._under_way:
                self._hand_over(round(float(match["bytes"])), float(match["seconds"]))
            return True
        if _CUT.search(text):
            report_damaged_line(self._findings, line, "'Rate: … (… bytes in … seconds)'; no run made of it")
            self._forget()
            return True
        if match := _HEAD.search(text):
            if match["word"] in {"Completed", "Current"}:
                self._under_way = match["word"] == "Current"
                self._begin(line)
            return self._first is not None or match["word"] == "Started"
        if match := _ERROR.search(text):
            message = f"found {match['text'].strip()!r}, expected a copy without an error"
            self._findings.problem(line.number, "aborted", message)
            self._begin(line)
            self._failed = True
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line) -> None:
        self._first = line.number if self._first is None else self._first
        self._last = line.number

    def _forget(self) -> None:
        self._first, self._under_way, self._failed, self._progress = None, False, False, []

    def _close(self) -> None:
        if self._progress or (self._first is not None and self._failed):
            if not self._failed:
                self._findings.problem(
                    self._last,
                    "truncated",
                    "found progress and no summary, expected 'Rate: … (… bytes in … seconds)'; run without figures",
                )
            self._hand_over(None, None)
        self._forget()

    def _hand_over(self, amount: int | None, seconds: float | None) -> None:
        values: dict[str, object] = {
            "tool": "dcp" if self._findings.command.program == "dcp" else "dsync",
            "protocol": "file",
            "bytes": amount,
            "duration_s": seconds,
            "throughput_bps": 8 * amount / seconds if amount is not None and seconds else None,
            "error": self._failed,
        }
        run = Run(self._first or self._last, self._last, values)
        if self._progress:
            table = np.array(self._progress, dtype=float)
            starts = np.concatenate([[0.0], table[:-1, 1]])
            amounts = np.maximum(np.rint(np.diff(table[:, 2], prepend=0.0)), 0.0)
            length = np.where(table[:, 1] > starts, table[:, 1] - starts, np.nan)
            run.intervals = {
                "line": table[:, 0],
                "t_start_s": starts,
                "t_end_s": table[:, 1],
                "throughput_bps": 8 * amounts / length,
            }
        self._findings.run(run)
        self._forget()
