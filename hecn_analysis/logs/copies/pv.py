"""Output of pv, the pipe viewer: amount, time and rate of what went through a pipe.

Versions: 1.0 to 1.9. One display is one run: "1.95GiB 0:00:26 [74.4MiB/s]", also with a mean rate (-a), a bar, a
percentage and a remaining time. Displays with rising amounts and times, one after another, are one run, the last.

Units and traps
---------------
- Before 1.6 KB, MB and GB are powers of 1024, and are written KiB, MiB and GiB later. With ``--si`` they are powers of
  1000: the command tells, where it stands above.
- The last display shows the mean rate, those before it the rate of the last moment: for a transfer that was interrupted
  the amount over the time is the better figure, and a difference is a problem.
- A pipe has no direction. Bits (``-8``) and lines (``-l``) are no bytes: not read.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import scale

_N: Final = r"\d{1,6}(?:[.,]\d{1,4})?"
_DISPLAY: Final = re.compile(
    rf"^\s{{0,8}}(?:\S{{1,40}}:\s)?\s{{0,8}}(?P<amount>{_N})(?P<power>[kKMGTP]?)(?P<unit>i?B) (?:(?P<days>\d{{1,4}}):)?"
    rf"(?P<hours>\d{{1,3}}):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d) "
    rf"\[\s{{0,6}}(?P<rate>{_N})\s?(?P<per>[kKMGTP]?)i?B/s\]"
    r"(?:\s|$)"
)
_DIGIT: Final = 0.05


class Pv:
    """Reader of pv."""

    TOOLS: tuple[str, ...] = ("pv",)
    VERSIONS: str = "1.0 to 1.9"
    HINTS: tuple[str, ...] = ("B/s]",)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: Run | None = None

    def feed(self, line: Line) -> bool:
        """Take a display."""
        match = _DISPLAY.match(line.text) if "B/s]" in line.text else None
        if match is None:
            return False
        base = 1000 if "--si" in self._findings.command.arguments and match["unit"] == "B" else 1024
        amount, rate = (float(match[name].replace(",", ".")) for name in ("amount", "rate"))
        days, hours, minutes, seconds = (int(match[name] or 0) for name in ("days", "hours", "minutes", "seconds"))
        values: dict[str, object] = {
            "tool": "pv",
            "protocol": "file",
            "bytes": round(amount * scale(match["power"].upper(), base)),
            "duration_s": float(((days * 24 + hours) * 60 + minutes) * 60 + seconds) or None,
            "throughput_bps": 8 * rate * scale(match["per"].upper(), base),
        }
        rounding = 0.01 + 1 / max(seconds + 60 * minutes + 3600 * hours, 1) + _DIGIT / max(rate, _DIGIT)
        run = Run(line.number, line.number, values, rounding=rounding)
        if self._open is not None and self._follows(run):
            run.line_first = self._open.line_first
        else:
            self.finish()
        self._open = run
        return True

    def _follows(self, run: Run) -> bool:
        """Whether a display is a later one of the same transfer."""
        before = self._open
        if before is None or run.line_first > before.line_last + 1:
            return False
        pairs = ((before.columns[name] or 0.0, run.columns[name] or 0.0) for name in ("bytes", "duration_s"))
        return all(float(str(late)) >= float(str(early)) for early, late in pairs)

    def finish(self) -> None:
        """Hand over the last display."""
        run, self._open = self._open, None
        if run is not None:
            self._findings.run(run)
