"""Output of lftp: the totals of commands, and the transfer log.

Versions: lftp 2.6 to 4.9, from its source and from runs of 4.9; no logs are public.

Units and traps
---------------
- "30000000 bytes transferred in 2 seconds (14.12 MiB/s)" ends a get, put, mget or mirror: one run for any number of
  files. KiB and MiB are powers of 1024; before 4.7 "14.12M/s", the same powers ("b/s" is bytes too).
- Seconds are rounded to whole ones. Below one second neither time nor rate is printed: such a run has its bytes only,
  and needs lftp's command line or prompt above it.
- The transfer log (xfer:log) has one line per file: "2026-01-31 12:00:00 url -> file 0-30000000 14.12 MiB/s", the
  part of the file that was moved and its rate.
- "get: Access failed: 550 …" and "Transfer of 1 of 3 files failed" are failures.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import decimal, half_digit, scale

_UNIT: Final = r"(?P<rate>\d{1,9}(?:[.,]\d{1,3})?) ?(?P<unit>[KMG]?)i?[Bb]?/s"
_DONE: Final = re.compile(
    rf"(?<![\w.])(?P<bytes>\d{{1,19}}) bytes? transferred(?: in (?P<seconds>\d{{1,9}}) seconds?(?: \({_UNIT}\))?)?\s*$"
)
_LOGGED: Final = re.compile(
    rf"^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d \S.{{1,3900}} (?P<start>\d{{1,19}})-(?P<end>\d{{1,19}}) {_UNIT}\s*$"
)
_ERROR: Final = re.compile(
    r"^(?:get1?|mget|put|mput|pget|mirror|cp|mv): (?P<text>.{0,200}(?:failed|Fatal error|No such file|denied|timed out)"
    r".{0,200})"
)
_FAILED: Final = re.compile(r"^Transfer of \d{1,9} of \d{1,9} files? failed")


class Lftp:
    """Reader of lftp."""

    TOOLS: tuple[str, ...] = ("lftp",)
    VERSIONS: str = "2.6 to 4.9"
    DATED: bool = True
    HINTS: tuple[str, ...] = (
        "transferred",
        "lftp ",
        "Transfer of ",
        *(f"{command}: " for command in ("get", "get1", "put", "mirror", "cp", "mv")),
    )
    HINTS_TOGETHER: tuple[tuple[str, ...], ...] = ((" -> ", "/s"),)

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._prompt = -1
        self._last: Run | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of lftp's."""
        text = line.text
        if (match := _DONE.search(text)) and (match["rate"] is not None or self._is_lftp()):
            self._done(line, match)
            return True
        if " -> " in text and (match := _LOGGED.search(text)):
            amount = int(match["end"]) - int(match["start"])
            self._run(line, {"bytes": max(amount, 0), "throughput_bps": _rate(match)})
            return True
        if text.startswith("lftp ") and ">" in text:
            self._prompt = line.number
            return False
        if (match := _ERROR.search(text)) and self._is_lftp():
            self._failed(line, match["text"].strip())
            return True
        if _FAILED.search(text):
            self._failed(line, text.strip())
            return True
        return False

    def finish(self) -> None:
        """The output has ended; every run was complete with its line."""

    def _is_lftp(self) -> bool:
        """Return whether a command line or a prompt shows that this is lftp."""
        return self._findings.command.program == "lftp" or self._prompt > self._findings.command.line

    def _done(self, line: Line, match: re.Match[str]) -> None:
        figures: dict[str, object] = {"bytes": int(match["bytes"])}
        rounding = 0.01
        if match["rate"] is not None:
            seconds = float(match["seconds"])
            figures |= {"duration_s": seconds or None, "throughput_bps": _rate(match)}
            rounding += half_digit(match["rate"]) + 0.5 / max(seconds - 0.5, 0.5)
        self._run(line, figures, rounding)

    def _run(self, line: Line, figures: dict[str, object], rounding: float = 0.01) -> None:
        values = {"tool": "lftp", "protocol": "file", "error": False, **figures}
        self._last = Run(line.number, line.number, values, rounding=rounding)
        self._findings.run(self._last)

    def _failed(self, line: Line, text: str) -> None:
        """Take a failure; right after a run it belongs to that run or one of its files."""
        self._findings.problem(line.number, "aborted", f"found {text!r}, expected files transferred to their end")
        last = self._last
        if last is not None and self._findings.command.line <= last.line_last >= line.number - 2:
            last.columns["error"] = True
            last.line_last = line.number
            return
        self._run(line, {"error": True})


def _rate(match: re.Match[str]) -> float:
    """Return the rate [bit/s] of a match with a rate and a unit."""
    return 8 * decimal(match["rate"]) * scale(match["unit"], 1024)
