"""Output of mc, MinIO's client: totals of ``mc cp`` and ``mc mirror``, and rates of ``mc support perf object``.

Versions: RELEASE.2020 to RELEASE.2025. One run for each table of totals, and for each of PUT and GET of a speed test.

Units and traps
---------------
- All prefixes are binary: 1.00 GiB is 2**30 bytes. The duration is in whole seconds.
- The total is what was to be copied; "Transferred" is what was copied, and the speed a mean over the duration.
- The speed test measures the servers of a store together, from inside it: not the line of the client.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line
from hecn_analysis.parsing.amounts import clock, half_digit, scale

_N: Final = r"\d{1,6}(?:\.\d{1,3})?"
_BAR: Final = r"\s{0,8}[│|]?\s{0,12}"
_GAP: Final = r"\s{1,20}[│|]?\s{0,12}"
_SPEED: Final = rf"(?P<rate>{_N}) (?P<rate_unit>(?:[KMGTP]i)?)B/s"
_HEAD: Final = re.compile(rf"^{_BAR}Total{_GAP}Transferred{_GAP}(?:Duration{_GAP})?Speed{_BAR}$")
_TOTALS: Final = re.compile(
    rf"^{_BAR}{_N} (?:[KMGTP]i)?B{_GAP}(?P<done>{_N}) (?P<unit>(?:[KMGTP]i)?)B{_GAP}"
    rf"(?:(?P<time>[\dhms]{{2,12}}){_GAP})?{_SPEED}{_BAR}$"
)
_LINE: Final = re.compile(
    rf"^\s{{0,8}}Total: {_N} (?:[KMGTP]i)?B, Transferred: (?P<done>{_N}) (?P<unit>(?:[KMGTP]i)?)B, "
    rf"Speed: {_SPEED}\s{{0,8}}$"
)
_TEST: Final = re.compile(rf"^{_BAR}(?P<what>PUT|GET){_GAP}{_SPEED}{_GAP}[\d,]{{1,12}} objs/s{_BAR}$")
_WAYS: Final = {"PUT": "write", "GET": "read"}


class MinioClient:
    """Reader of mc."""

    TOOLS: tuple[str, ...] = ("mc",)
    VERSIONS: str = "RELEASE.2020 to RELEASE.2025"
    HINTS: tuple[str, ...] = ("Transferred", " objs/s")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._head: Line | None = None

    def feed(self, line: Line) -> bool:
        """Take the head of the totals, the row below it, or a row of a speed test."""
        head, self._head = self._head, None
        if _HEAD.match(line.text):
            self._head = line
        elif (match := _LINE.match(line.text)) is not None:
            self._totals(line.number, line, match, None)
        elif (match := _TEST.match(line.text)) is not None:
            self._run(line.number, line, match, {"direction": _WAYS[match["what"]], "protocol": "file"})
        elif head is None:
            return False
        elif (match := _TOTALS.match(line.text)) is not None:
            self._totals(head.number, line, match, match["time"])
        else:
            report_damaged_line(self._findings, line, "'… GiB | … GiB | …s | … MiB/s' below the heads; left out")
        return True

    def _totals(self, first: int, line: Line, match: re.Match[str], time: str | None) -> None:
        seconds = clock(time) if time else None
        columns: dict[str, object] = {
            "protocol": "file",
            "bytes": round(float(match["done"]) * scale(match["unit"], 1024)),
            "duration_s": seconds or None,
        }
        self._run(first, line, match, columns, 0.0 if not seconds else 1 / seconds)

    def _run(
        self, first: int, line: Line, match: re.Match[str], columns: dict[str, object], rounding: float = 0.0
    ) -> None:
        rate = 8 * float(match["rate"]) * scale(match["rate_unit"], 1024)
        rounding += 0.01 + half_digit(match["rate"])
        values = {"tool": "mc", **columns, "throughput_bps": rate}
        self._findings.run(Run(first, line.number, values, rounding=rounding))

    def finish(self) -> None:
        """Forget the head."""
        self._head = None
