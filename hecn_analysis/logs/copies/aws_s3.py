"""Output of ``aws s3``: the progress of cp, mv and sync.

Versions: AWS CLI 1.11 to 2. One run for each copy: its last state, "Completed 1.0 GiB/1.2 GiB (110.4 MiB/s) with …".

Units and traps
---------------
- The rate is a mean since the first byte. Amounts and rates are binary, with one digit.
- The line that names a file ("upload: … to s3://…") overwrites the last state, so that the last one that is left in a
  log or a mail may say less than all. It is then the rate so far, and a problem says so.
- States follow each other with carriage returns, or without anything between them where a page has lost those.
- "~1.2 GiB" is a total that is still being counted.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import half_digit, scale

_N: Final = r"\d{1,4}(?:\.\d)?"
_STATE: Final = re.compile(
    rf"\b(?P<done>{_N}) (?P<unit>[KMGTP]i|)B(?:ytes)?/~?(?P<all>{_N}) (?P<all_unit>[KMGTP]i|)B(?:ytes)? "
    rf"\((?P<rate>{_N}) (?P<rate_unit>[KMGTP]i|)B(?:ytes)?/s\) with ~?\d{{1,9}} file\(s\) remaining"
)
_FILE: Final = re.compile(r"^\s{0,8}(?P<what>upload|download|copy|move): \S.{0,400} to \S")
_WAYS: Final = {"upload": "send", "download": "receive"}


class AwsS3:
    """Reader of aws s3."""

    TOOLS: tuple[str, ...] = ("aws",)
    VERSIONS: str = "AWS CLI 1.11 to 2: s3 cp, mv and sync"
    HINTS: tuple[str, ...] = ("file(s) remaining",)
    HINTS_TOGETHER: tuple[tuple[str, ...], ...] = (
        *(("upload: ", " s3://"), ("download: ", " s3://"), ("copy: ", " s3://"), ("move: ", " s3://")),
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._forget()

    def _forget(self) -> None:
        self._first: int | None = None
        self._last = 0
        self._state: re.Match[str] | None = None
        self._way: str | None = None

    def feed(self, line: Line) -> bool:
        """Take a state, or the name of a file that is copied."""
        states = list(_STATE.finditer(line.text))
        if states:
            self._take(line, states[-1])
        elif "file(s) remaining" in line.text and "iB/s" in line.text:
            report_damaged_line(self._findings, line, "'Completed …/… (…/s) with … file(s) remaining'; left out")
        if (named := _FILE.match(line.text)) is not None and self._state is not None:
            self._way = _WAYS.get(named["what"])
            self._last = line.number
        return bool(states) or named is not None or "file(s) remaining" in line.text

    def _take(self, line: Line, state: re.Match[str]) -> None:
        if self._state is not None and _amount(state, "done", "unit") < _amount(self._state, "done", "unit"):
            self.finish()
        self._first = self._first or line.number
        self._last, self._state = line.number, state

    def finish(self) -> None:
        """The copy has ended: its last state is the run."""
        if self._state is not None and self._first is not None:
            done, total = _amount(self._state, "done", "unit"), _amount(self._state, "all", "all_unit")
            if done < total:
                message = "found a state before the end of the copy, expected all of it; the rate so far is taken"
                self._findings.problem(self._last, "truncated", message)
            columns: dict[str, object] = {
                "tool": "aws",
                "protocol": "file",
                "direction": self._way,
                "bytes": round(done),
                "throughput_bps": 8 * _amount(self._state, "rate", "rate_unit"),
            }
            self._findings.run(Run(self._first, self._last, columns, rounding=half_digit(self._state["rate"])))
        self._forget()


def _amount(state: re.Match[str], name: str, unit: str) -> float:
    return float(state[name]) * scale(state[unit], 1024)
