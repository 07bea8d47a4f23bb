"""Output of gfal-copy, the copy program of gfal2 on grids: the bar of progress, and how long each file took.

Versions: gfal2-util 1.3 to 1.9. One run for each "Copying …   [DONE]  after 12s".

Units and traps
---------------
- Times are whole seconds: a copy of less than one has no duration.
- A state, "12s 45% [==>  ] 1.23GB 105M/s", has powers of 1024, and the mean rate since the start. The last line
  overwrites it with a carriage return; without a state in the log, a run has its duration and no rate.
- A copy from file:// is sent. Others come from a server, and may go to another one: they have no direction.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import half_digit, scale

_END: Final = re.compile(
    r"\bCopying (?P<source>\S{1,600})\s{1,8}\[(?P<how>DONE|FAILED)\]\s{1,8}after (?P<seconds>\d{1,9})s\b"
)
_STATE: Final = re.compile(
    r"\b(?P<percent>\d{1,3})% \[={0,400}>\s{0,400}\] (?P<n>\d{1,4}(?:\.\d{1,2})?)(?P<unit>[KMGTP]?)B "
    r"(?P<rate>\d{1,4}(?:\.\d{1,2})?)(?P<rate_unit>[BKMGTP])/s"
)
_LIKE: Final = re.compile(r"\bCopying \S{1,600}\s{1,8}\[\S{1,8}\]\s{1,8}after ")


class GfalCopy:
    """Reader of gfal-copy."""

    TOOLS: tuple[str, ...] = ("gfal-copy",)
    VERSIONS: str = "gfal2-util 1.3 to 1.9"
    HINTS: tuple[str, ...] = ("]  after ",)
    HINTS_TOGETHER: tuple[tuple[str, ...], ...] = (("Copying ", "% [", "/s"),)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: tuple[int, int, re.Match[str]] | None = None

    def feed(self, line: Line) -> bool:
        """Take the states and the end of a copy."""
        if states := list(_STATE.finditer(line.text)):
            self._open = (self._open[0] if self._open else line.number, line.number, states[-1])
        if ended := _END.search(line.text):
            self._run(line.number, ended)
        elif is_like := _LIKE.search(line.text) is not None:
            report_damaged_line(self._findings, line, "'Copying …   [DONE]  after …s'; left out")
        return bool(states) or ended is not None or is_like

    def finish(self) -> None:
        """Add a copy whose end is missing."""
        if self._open is not None:
            message = f"found {self._open[2]['percent']} % of a copy, expected its end; the rate so far is taken"
            self._findings.problem(self._open[1], "truncated", message)
            self._run(self._open[1], None)

    def _run(self, last: int, ended: re.Match[str] | None) -> None:
        first, _, state = self._open or (last, last, None)
        self._open = None
        columns: dict[str, object] = {"tool": "gfal-copy", "protocol": "file"}
        if state is not None:
            columns["throughput_bps"] = 8 * float(state["rate"]) * scale(state["rate_unit"], 1024)
            whole = state["percent"] == "100"
            columns["bytes"] = round(float(state["n"]) * scale(state["unit"], 1024)) if whole else None
        rounding = 0.02 + half_digit(state["rate"]) if state is not None else 0.01
        if ended is not None:
            seconds = int(ended["seconds"])
            columns |= {"duration_s": float(seconds) or None, "error": ended["how"] == "FAILED"}
            columns["direction"] = "send" if ended["source"].startswith("file:") else None
            rounding += 1 / max(seconds, 1)
            if columns["error"]:
                self._findings.problem(last, "aborted", "found a copy that failed, expected [DONE]")
        self._findings.run(Run(first, last, columns, rounding=rounding))
