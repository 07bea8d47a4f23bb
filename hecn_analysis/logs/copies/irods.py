"""Output of iRODS' iput, iget and irsync: a line per file with -v, progress with -P.

Versions: iRODS 2.0 to 4.3.

Units and traps
---------------
- "MB" is 1 048 600 bytes, an old error in the source: 10 GiB print as 10239.766 MB. The rate is in the same MB per
  second.
- "   name   4.500 MB | 0.903 sec | 0 thr |  4.983 MB/s" is one run. "0 thr" means that the data used the control
  connection: the number of streams is left out. The name is cut to 25 characters.
- Only the command line has the direction: iput sends, iget receives.
- -P prints the bytes so far with local time in whole seconds: these are intervals of the run, whose -v line follows.
- "ERROR: putUtil: …" is a file that failed.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import half_digit

_FILE: Final = re.compile(
    r"^\s{0,8}(?P<name>\S.{0,80}?)\s{1,40}(?P<size>\d{1,12}\.\d{3}) MB \| (?P<seconds>\d{1,9}\.\d{3}) sec \| "
    r"(?P<threads>\d{1,6}) thr \|\s{1,8}(?P<rate>\d{1,9}\.\d{3}) MB/s"
)
_CUT: Final = re.compile(r"\d{1,12}\.\d{3} MB \| \d{1,9}\.\d{0,3}")
_STARTED: Final = re.compile(r"^\s{0,8}Processing (?P<name>.{1,400}) - \d{1,12}\.\d{3} MB {1,8}(?P<time>\S{19})\s*$")
_FILES: Final = re.compile(r"^\s{0,8}\d{1,12}/\d{1,12} - {1,4}\d{1,3}\.\d\d% of files done {1,8}\d")
_PROGRESS: Final = re.compile(
    r"^\s{0,8}(?P<name>\S.{0,400}) - (?P<sofar>\d{1,12}\.\d{3})/\d{1,12}\.\d{3} MB - {1,4}\d{1,3}\.\d\d% done"
    r" {1,8}(?P<time>\S{19})\s*$"
)
_ERROR: Final = re.compile(r"ERROR: (?:put|get|rsync|rcDataObj\w{1,20})\w{0,20}: ?(?P<text>.{0,400})")
_MEGABYTE: Final = 1_048_600
_WAYS: Final = {"iput": "send", "iget": "receive"}


class Irods:
    """Reader of iput, iget and irsync."""

    TOOLS: tuple[str, ...] = ("irods", "iput", "iget", "irsync")
    VERSIONS: str = "iRODS 2.0 to 4.3"
    HINTS: tuple[str, ...] = (" thr |", "% done", "% of files done", "Processing ", " sec |", "ERROR: ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._last = 0
        self._program = ""
        self._started: datetime | None = None
        self._progress: list[tuple[int, float, float]] = []

    def feed(self, line: Line) -> bool:  # noqa: PLR0911 - one for each kind of line
        """Take a line of the i-commands."""
        text = line.text
        if match := _FILE.search(text):
            self._file(line, match)
            return True
        if match := _PROGRESS.search(text):
            self._note(line, match["time"], float(match["sofar"]))
            return True
        if match := _STARTED.search(text):
            if self._progress:
                self._close()
            self._note(line, match["time"], None)
            return True
        if _FILES.search(text):
            self._begin(line)
            return True
        if (match := _ERROR.search(text)) and (self._first is not None or self._findings.command.program in self.TOOLS):
            self._findings.problem(
                line.number, "aborted", f"found {match['text'].strip()!r}, expected a file copied to its end"
            )
            self._begin(line)
            self._hand_over({"error": True})
            return True
        if _CUT.search(text):
            report_damaged_line(self._findings, line, "'… MB | … sec | … thr | … MB/s'; no run made of it")
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line) -> None:
        if self._first is None:
            self._first, self._program = line.number, self._findings.command.program
        self._last = line.number

    def _note(self, line: Line, time: str, sofar: float | None) -> None:
        """Add progress with its time; the first of a file counts from the start of the file."""
        self._begin(line)
        try:
            now = datetime.strptime(time, "%Y-%m-%d.%H:%M:%S")  # noqa: DTZ007 - local time, used for differences
        except ValueError:
            now = None
        if sofar is None:
            self._started = now
            return
        since = (now - self._started).total_seconds() if now is not None and self._started is not None else float("nan")
        self._progress.append((line.number, since if since >= 0 else float("nan"), sofar * _MEGABYTE))

    def _file(self, line: Line, match: re.Match[str]) -> None:
        self._begin(line)
        self._hand_over(
            {
                "label": match["name"].strip(),
                "bytes": round(float(match["size"]) * _MEGABYTE),
                "duration_s": float(match["seconds"]),
                "throughput_bps": 8 * float(match["rate"]) * _MEGABYTE,
                "streams": int(match["threads"]) or None,
            },
            rounding=0.01 + sum(half_digit(match[name]) for name in ("size", "seconds", "rate")),
        )

    def _hand_over(self, figures: dict[str, object], rounding: float = 0.01) -> None:
        if self._first is None:
            return
        values = {
            "tool": "irods",
            "protocol": "tcp",
            "direction": _WAYS.get(self._program),
            "error": False,
            **figures,
        }
        run = Run(self._first, self._last, values, rounding=rounding)
        if self._progress:
            table = np.array(self._progress, dtype=float)
            amounts = np.rint(np.diff(table[:, 2], prepend=0.0))
            starts = np.concatenate([[0.0], table[:-1, 1]])
            length = table[:, 1] - starts
            known = (amounts >= 0) & (length > 0)
            rates = 8 * amounts / np.where(known, length, np.nan)
            run.intervals = {
                "line": table[:, 0],
                "t_start_s": starts,
                "t_end_s": table[:, 1],
                "bytes": np.where(amounts >= 0, amounts, np.nan),
                "throughput_bps": np.where(known, rates, np.nan),
            }
        self._findings.run(run)
        self._first, self._started, self._progress = None, None, []

    def _close(self) -> None:
        if self._first is None:
            return
        self._findings.problem(
            self._last,
            "truncated",
            "found progress and no end of the file, expected '… MB | … sec | … thr | … MB/s'; run without a rate",
        )
        self._hand_over({})
