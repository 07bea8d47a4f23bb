"""Output of xrdcp, the copy program of XRootD: the bar of progress.

Versions: XRootD 4 to 5.8. One run for each copy: "[9.766GB/9.766GB][100%][=====][250MB/s]", the last state of the bar.

Units and traps
---------------
- kB, MB and GB are powers of 1024, with four digits. The rate is a mean since the start, over whole seconds: that of a
  short copy is rough.
- States follow each other with carriage returns. A last state below 100 % is the rate so far, and a problem says so.
- The direction is the order of the addresses in the command, which the bar does not show.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import half_digit, scale

_N: Final = r"\d{1,4}(?:\.\d{1,4})?(?:e[+-]\d\d)?"
_BAR: Final = re.compile(
    rf"\[(?P<done>{_N})(?P<unit>[kMG]?)B/{_N}[kMG]?B\]\[\s{{0,2}}(?P<percent>\d{{1,3}})%\]\[={{0,50}}>?\s{{0,50}}\]"
    rf"\[(?P<rate>{_N})(?P<rate_unit>[kMG]?)B/s\]"
)


class Xrdcp:
    """Reader of xrdcp."""

    TOOLS: tuple[str, ...] = ("xrdcp",)
    VERSIONS: str = "XRootD 4 to 5.8"
    HINTS: tuple[str, ...] = ("%][",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._last: tuple[Line, re.Match[str]] | None = None

    def feed(self, line: Line) -> bool:
        """Take the last state of the bar on a line."""
        states = list(_BAR.finditer(line.text))
        if not states:
            return False
        if self._last is not None and int(self._last[1]["percent"]) >= int(states[-1]["percent"]):
            self.finish()
        self._first = self._first or line.number
        self._last = (line, states[-1])
        return True

    def finish(self) -> None:
        """The copy has ended: its last state is the run."""
        first, self._first = self._first, None
        last, self._last = self._last, None
        if last is None or first is None:
            return
        line, bar = last
        if bar["percent"] != "100":
            message = f"found {bar['percent']} % of a copy, expected all of it; the rate so far is taken"
            self._findings.problem(line.number, "truncated", message)
        amount, rate = (
            float(bar[name]) * scale(bar[unit], 1024) for name, unit in (("done", "unit"), ("rate", "rate_unit"))
        )
        columns: dict[str, object] = {"tool": "xrdcp", "protocol": "file", "bytes": round(amount) or None}
        columns["throughput_bps"] = 8 * rate or None
        self._findings.run(Run(first, line.number, columns, rounding=half_digit(bar["rate"])))
