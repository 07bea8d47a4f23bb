"""Output of s5cmd: the bar of progress of cp, mv and sync, and the files that failed.

Versions: 2.1 to 2.3 with ``--show-progress``. One run for each command: "100.00% ━ 5.00 GB / 5.00 GB (812.50 MB/s) 6s".

Units and traps
---------------
- kB, MB and GB are powers of 1000. The rate of the last state is a mean over the whole copy; those before, which end
  with "3s left", are of a moment: a copy cut short has no rate.
- Without the bar, s5cmd prints the names of files only, and a run is made of errors alone.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import clock, half_digit, scale

_N: Final = r"\d{1,6}(?:\.\d{1,2})?"
_BAR: Final = re.compile(
    rf"(?P<percent>\d{{1,3}}\.\d\d)% [ ━─]{{1,200}} (?P<done>{_N}) (?P<unit>[kKMGTP]?)B / {_N} [kKMGTP]?B "
    rf"\((?:(?P<rate>{_N}) (?P<rate_unit>[kKMGTP]?)B/s|\? \w/s|\S{{1,9}}/s)\) "
    r"(?P<time>(?:\d{1,4}(?:\.\d{1,3})?[hms]){1,3})(?P<left> left)? \(\d{1,9}/\d{1,9}\)"
)
_ERROR: Final = re.compile(r"ERROR \"(?:cp|mv|sync) .{0,600}s3://.{1,600}\": ")


class S5cmd:
    """Reader of s5cmd."""

    TOOLS: tuple[str, ...] = ("s5cmd",)
    VERSIONS: str = "2.1 to 2.3"
    HINTS: tuple[str, ...] = ("B/s) ",)
    HINTS_TOGETHER: tuple[tuple[str, ...], ...] = (('ERROR "', "s3://"),)
    DATED: bool = True

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first = self._last = 0
        self._state: re.Match[str] | None = None
        self._failed = False

    def feed(self, line: Line) -> bool:
        """Take a state of the bar, or the file that failed."""
        states, failed = list(_BAR.finditer(line.text)), _ERROR.match(line.text)
        if failed is not None:
            self._failed = True
            self._findings.problem(line.number, "aborted", f"found {line.text[:200]!r}, expected a file that is copied")
        elif not states:
            return False
        self._first, self._last = self._first or line.number, line.number
        self._state = states[-1] if states else self._state
        return True

    def finish(self) -> None:
        """The command has ended: its last state is the run."""
        if self._first:
            columns: dict[str, object] = {"tool": "s5cmd", "protocol": "file", "error": self._failed}
            rounding = 0.01
            if (state := self._state) is not None:
                columns["bytes"] = round(float(state["done"]) * scale(state["unit"], 1000))
                if state["left"]:
                    message = f"found {state['percent']} % of a copy, expected all of it; run without a rate"
                    self._findings.problem(self._last, "truncated", message)
                elif state["rate"]:
                    columns["throughput_bps"] = 8 * float(state["rate"]) * scale(state["rate_unit"], 1000)
                    columns["duration_s"] = seconds = clock(state["time"]) or None
                    rounding += half_digit(state["rate"]) + 1 / max(seconds or 0.0, 1.0)
            self._findings.run(Run(self._first, self._last, columns, rounding=rounding))
        self._first, self._state, self._failed = 0, None, False
