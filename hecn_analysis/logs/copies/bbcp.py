"""Output of bbcp: progress reports (-P), one line per file (-v, -V) and the total.

Versions: 2005 to 17.12, from the source (bbcp.C, bbcp_Node.C, bbcp_ProgMon.C of slaclab/bbcp). Earlier ones wrote
"copy 12% complete; 81.9 MB/s", today's "12% done; 81.9 MB/s" or "not done" where the size is not known.

Units and traps
---------------
- K, M, G are powers of 1024 ("KB/s", "MB/s").
- One command is one run. "3 files copied at effectively 98.3 MB/s" is its rate, over the time from start to end of the
  command. Without that line (no -v, or cut off) every "File … created; … bytes at …" is a run. With it, those lines
  give the bytes if every file has one.
- A progress report has the average since the start. With -v the rate since the previous report comes first ("…, avg
  …"): only that is the rate of an interval. The time of the first report is known if the log has the command line with
  -P; the others have a clock in whole seconds.
- Only the command line has the number of streams (-s). bbcp's default of 4 is not assumed.
- An interrupted copy has reports and no total: a run without a rate, and a problem.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.logs.options import option_values
from hecn_analysis.parsing.amounts import scale

_RATE: Final = r"(\d{1,12}\.\d{1,3}) ?([KMGTEZY]?)B/s"
_REPORT: Final = re.compile(
    rf"bbcp: (?:At )?(?:\d{{6}} (\d\d):(\d\d):(\d\d))?\s{{0,4}}(?:copy )?(?:\d{{1,3}}%|not) (?:complete|done); {_RATE}"
    rf"(?:, avg {_RATE})?"
)
_FILE: Final = re.compile(rf"File (?P<name>.{{1,1000}}) created; (?P<bytes>\d{{1,19}}) bytes at {_RATE}")
_TOTAL: Final = re.compile(rf"(?:^|\s)(?P<files>\d{{1,12}}) files? copied at effectively {_RATE}")
_BUFFERS: Final = re.compile(r"^\d{1,9} buffers used with \d{1,9} reorders; peaking at \d{1,9}\.")
_MESSAGE: Final = re.compile(r"(?:^|[\s>])bbcp(?:_\w{1,12}\.\w{1,20})?: (?P<text>\S.{0,400})")
_FAILURE: Final = re.compile(
    r"unable|no such|denied|failed|refused|invalid|not (?:found|a |enough|supported)|error|timed out|aborted|cannot|"
    r"unexpected|already exists|exceeded|broken|too (?:many|few|long)",
    re.IGNORECASE,
)


@dataclass
class _OpenRun:
    """What one command has printed so far."""

    first: int
    last: int
    command: Command
    reports: list[tuple[int, float, float]] = field(default_factory=list)
    files: list[tuple[int, int, float]] = field(default_factory=list)
    failed: bool = False


class Bbcp:
    """Reader of bbcp."""

    TOOLS: tuple[str, ...] = ("bbcp",)
    VERSIONS: str = "2005 to 17.12"
    HINTS: tuple[str, ...] = ("bbcp", " created; ", "copied at effectively")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of bbcp's."""
        text = line.text
        if match := _REPORT.search(text):
            hours, minutes, seconds, rate, unit, average, _ = match.groups()
            time = 3600.0 * int(hours) + 60 * int(minutes) + int(seconds) if hours else float("nan")
            now = 8 * float(rate) * scale(unit, 1024) if average else float("nan")
            self._begin(line).reports.append((line.number, time, now))
            return True
        if match := _FILE.search(text):
            rate, unit = match.groups()[2:]
            self._begin(line).files.append((line.number, int(match["bytes"]), 8 * float(rate) * scale(unit, 1024)))
            return True
        if match := _TOTAL.search(text):
            files, rate, unit = match.groups()
            self._begin(line)
            self._close(8 * float(rate) * scale(unit, 1024), int(files))
            return True
        if _BUFFERS.search(text):
            return self._open is not None
        if match := _MESSAGE.search(text):
            return self._message(line, match["text"].strip())
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line) -> _OpenRun:
        if self._open is None:
            self._open = _OpenRun(line.number, line.number, self._findings.command)
        self._open.last = line.number
        return self._open

    def _message(self, line: Line, text: str) -> bool:
        """Take the message that a file is begun, or that it failed."""
        if text.startswith("Creating "):
            self._begin(line)
            return True
        if not _FAILURE.search(text) or (self._open is None and self._findings.command.program != "bbcp"):
            return False
        self._findings.problem(line.number, "aborted", f"found {text!r}, expected a copy to its end")
        self._begin(line).failed = True
        return True

    def _close(self, rate: float | None = None, files: int = 0) -> None:
        opened, self._open = self._open, None
        if opened is None or not (opened.reports or opened.files or opened.failed or rate is not None):
            return
        values: dict[str, object] = {
            "tool": "bbcp",
            "protocol": "tcp",
            "streams": _option(opened.command, "-s"),
            "error": opened.failed,
        }
        if rate is not None:
            values["throughput_bps"] = rate
            known = opened.files and len(opened.files) == files
            values["bytes"] = sum(amount for _, amount, _ in opened.files) if known else None
            self._hand_over(opened, opened.first, opened.last, values)
            return
        first = opened.first
        for number, amount, per_second in opened.files:
            own = {**values, "bytes": amount, "throughput_bps": per_second, "error": False}
            self._hand_over(opened, first, number, own)
            first = number + 1
        if opened.failed:
            self._hand_over(opened, first, opened.last, values)
        elif any(line >= first for line, _, _ in opened.reports):
            self._findings.problem(
                opened.last,
                "truncated",
                "found reports and no total, expected '… copied at effectively …'; run without a rate",
            )
            self._hand_over(opened, first, opened.last, values)

    def _hand_over(self, opened: _OpenRun, first: int, last: int, values: dict[str, object]) -> None:
        """Hand over a run with the reports among its lines."""
        run = Run(min(first, last), last, values)
        own = np.array([run.line_first <= report[0] <= last for report in opened.reports], dtype=bool)
        if own.any():
            run.intervals = {name: column[own] for name, column in self._intervals(opened).items()}
        self._findings.run(run)

    @staticmethod
    def _intervals(opened: _OpenRun) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
        table = np.array(opened.reports, dtype=float)
        step = _option(opened.command, "-P")
        since = (table[:, 1] - table[0, 1]) % 86400
        ends = since + step if step else np.full(len(table), np.nan)
        starts = np.concatenate([[0.0 if step else np.nan], ends[:-1]])
        return {"line": table[:, 0], "t_start_s": starts, "t_end_s": ends, "throughput_bps": table[:, 2]}


def _option(command: Command, name: str) -> int | None:
    """Return the number that an option of bbcp's command line has."""
    if command.program != "bbcp":
        return None
    values = (int(text) for text in option_values(command.arguments, name) if text.isascii() and text.isdigit())
    return next((value for value in values if 0 < value < 10**6), None)
