r"""Output of restic backup: the amount that it processed, and the time.

Versions: 0.1 to 0.18. One run for each snapshot. The duration and the amount make the rate.

Units and traps
---------------
- "processed 1204 files, 12.4 GiB in 3:41" counts all that was read from the disk. "Added to the repository: 310 MiB
  (290 MiB stored)" is what was sent, after deduplication: its bytes and rate are those of a second run, "send".
- "[5:35] 100.00%  2.258 GiB/s  756.6 GiB / 756.6 GiB …" of 0.8 and before is a state; "duration: 5:35, 2310.18MiB/s"
  below it ends the backup. All prefixes are powers of 1024.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import clock, half_digit, scale

_N: Final = r"\d{1,6}(?:\.\d{1,3})?"
_TIME: Final = r"\d{1,4}(?::\d\d){1,2}"
_ADDED: Final = re.compile(
    rf"Added to the repo(?:sitory)?: {{1,4}}(?P<n>{_N}) (?P<unit>[KMGT]?)i?B"
    rf"(?: {{1,4}}\((?P<stored>{_N}) (?P<stored_unit>[KMGT]?)i?B stored\))?"
)
_PROCESSED: Final = re.compile(
    rf"processed \d{{1,12}} files, (?P<n>{_N}) (?P<unit>[KMGT]?)i?B in (?P<time>{_TIME})\s{{0,8}}$"
)
_STATE: Final = re.compile(
    rf"\[{_TIME}\] {{1,4}}[\d.]{{1,6}}% {{1,4}}{_N} [KMGT]?i?B/s {{1,4}}(?P<n>{_N}) (?P<unit>[KMGT]?)i?B / {_N} "
)
_DURATION: Final = re.compile(rf"^\W{{0,8}}duration: (?P<time>{_TIME}), (?P<n>{_N})(?P<unit>[KMGT]?)i?B/s\s{{0,8}}$")


class Restic:
    """Reader of restic."""

    TOOLS: tuple[str, ...] = ("restic",)
    VERSIONS: str = "0.1 to 0.18: backup"
    HINTS: tuple[str, ...] = ("Added to the repo", "processed ", "B/s  ", "duration: ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._last = 0
        self._sent: float | None = None
        self._done: float | None = None

    def feed(self, line: Line) -> bool:
        """Take a state, the amounts, or the end of a backup."""
        text = line.text
        if (match := _STATE.search(text)) is not None:
            self._done = _value(match["n"], match["unit"])
        elif (match := _ADDED.search(text)) is not None:
            name = "stored" if match["stored"] else "n"
            self._sent = _value(match[name], match["stored_unit" if match["stored"] else "unit"])
        elif (match := _PROCESSED.search(text)) is not None:
            self._end(line, _value(match["n"], match["unit"]), clock(match["time"]), None, half_digit(match["n"]))
            return True
        elif (match := _DURATION.match(text)) is not None:
            self._end(line, self._done, clock(match["time"]), 8 * _value(match["n"], match["unit"]), 0.01)
            return True
        else:
            return False
        self._first, self._last = self._first or line.number, line.number
        return True

    def _end(
        self, line: Line, amount: float | None, seconds: float | None, rate: float | None, rounding: float
    ) -> None:
        first = self._first or line.number
        sent, self._first, self._done, self._sent = self._sent, None, None, None
        rounding += 1 / max(seconds or 0, 1)
        for direction, size in (("read", amount), ("send", sent)):
            columns: dict[str, object] = {
                "tool": "restic",
                "protocol": "file",
                "direction": direction,
                "duration_s": seconds or None,
            }
            columns["bytes"] = None if size is None else round(size)
            columns["throughput_bps"] = (
                rate if direction == "read" and rate else 8 * size / seconds if size is not None and seconds else None
            )
            if direction == "read" or size is not None:
                self._findings.run(Run(first, line.number, columns, rounding=rounding))

    def finish(self) -> None:
        """The output has ended: a backup without its end is no run."""
        if self._first is not None:
            message = "found a state of a backup, expected 'processed … files, … in …'; no run made of it"
            self._findings.problem(self._last, "truncated", message)
        self._first = self._done = self._sent = None


def _value(number: str, unit: str) -> float:
    return float(number) * scale(unit, 1024)
