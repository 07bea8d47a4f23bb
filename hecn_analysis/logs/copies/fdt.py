"""Output of FDT (Fast Data Transfer): the rate every five seconds and the statistics of a session.

Written from the source (ConsoleReportingTask, FDTReaderSession, FDTWriterSession of FDT 0.27); no recorded output was
found. Versions: 0.9 to 0.27.

Units and traps
---------------
- "Net Out: 9.312 Gb/s  Avg: 9.280 Gb/s" are bits, in powers of 1000; with a decimal comma if Java's locale has one.
  "Out" is sent, "In" received. These are the intervals; they have no times.
- "FDTReaderSession ( … ) final stats:" is the end that sends, "FDTWriterSession" the one that receives; "TotalBytes"
  counts the files, "TotalNetworkBytes" the network.
- "Transfer period" has whole seconds, omits zeros ("02m 05s"), and omits seconds from one hour on. The rate is computed
  from it and is as coarse. If the period is missing or below ten seconds, the rate is the last average of the reports.
- FDT prints the statistics to the log and to the terminal: a session that appears twice is one run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import clock, decimal, scale

_N: Final = r"(\d{1,9}[.,]\d{1,6}) ([KMGTP]?)b/s"
_NET: Final = re.compile(rf"(?:^|[\s\]])Net (?P<way>In|Out): {_N}\s{{1,8}}Avg: {_N}")
_HEAD: Final = re.compile(r"FDT(?P<kind>Reader|Writer)Session \( (?P<session>[^)]{1,120}?) \) final stats:")
_FIELD: Final = re.compile(
    r"^\s{0,4}(?P<name>Started|Ended|Transfer period|TotalBytes|TotalNetworkBytes): *(?P<text>.{0,200})$"
)
_EXIT: Final = re.compile(r"^\s{0,4}Exit Status: (?P<text>OK|Not OK)")
_SHORTEST: Final = 10.0


@dataclass
class _Session:
    """Statistics of one session."""

    first: int
    last: int
    way: str
    name: str
    fields: dict[str, str] = field(default_factory=dict)


class Fdt:
    """Reader of FDT."""

    TOOLS: tuple[str, ...] = ("fdt",)
    VERSIONS: str = "0.9 to 0.27"
    DATED: bool = True
    HINTS: tuple[str, ...] = ("Net In:", "Net Out:", "Session (", "Transfer period", "Total", "Exit Status")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._reports: list[tuple[int, str, float, float]] = []
        self._session: _Session | None = None
        self._known: set[tuple[str, str]] = set()

    def feed(self, line: Line) -> bool:
        """Take a line of FDT's."""
        text = line.text
        if match := _NET.search(text):
            way, now, unit, average, average_unit = match.groups()
            way = "send" if way == "Out" else "receive"
            if self._reports and self._reports[-1][1] != way:
                self._close()
            rates = decimal(now) * scale(unit, 1000), decimal(average) * scale(average_unit, 1000)
            self._reports.append((line.number, way, *rates))
            return True
        if match := _HEAD.search(text):
            if self._session is not None:
                self._end(self._session, "")
            way = "send" if match["kind"] == "Reader" else "receive"
            self._session = _Session(line.number, line.number, way, match["session"])
            return True
        session = self._session
        if session is None:
            return False
        if match := _FIELD.search(text):
            session.fields[match["name"]] = match["text"].strip()
            session.last = line.number
            return True
        if match := _EXIT.search(text):
            session.last = line.number
            self._end(session, match["text"])
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        if self._session is not None:
            self._end(self._session, "")
        self._close()
        self._known.clear()

    def _end(self, session: _Session, status: str) -> None:
        """Hand over a session, unless it was printed before."""
        self._session = None
        if (session.way, session.name) in self._known:
            return
        self._known.add((session.way, session.name))
        total = session.fields.get("TotalBytes", "")
        amount = int(total) if total.isascii() and total.isdigit() else None
        seconds = clock(session.fields.get("Transfer period", ""))
        average = self._reports[-1][3] if self._reports and self._reports[-1][1] == session.way else None
        rate = 8 * amount / seconds if amount is not None and seconds and seconds >= _SHORTEST else average
        failed = status == "Not OK"
        if failed:
            self._findings.problem(session.last, "aborted", "found 'Exit Status: Not OK', expected 'OK'")
        elif not status:
            self._findings.problem(
                session.last, "truncated", "found statistics without their end, expected 'Exit Status: OK'"
            )
        values: dict[str, object] = {
            "bytes": amount,
            "duration_s": seconds or None,
            "throughput_bps": rate,
            "error": failed,
        }
        self._hand_over(session.way, session.first, session.last, values)

    def _close(self) -> None:
        """Hand over reports without statistics: an interrupted copy."""
        if self._reports:
            number, way, _, _ = self._reports[-1]
            self._findings.problem(
                number, "truncated", "found rates and no statistics, expected '… final stats:'; run without a rate"
            )
            self._hand_over(way, number, number, {"error": False})

    def _hand_over(self, way: str, first: int, last: int, figures: dict[str, object]) -> None:
        reports, self._reports = self._reports, []
        own = [report for report in reports if report[1] == way]
        values = {"tool": "fdt", "protocol": "tcp", "direction": way, **figures}
        run = Run(own[0][0] if own else first, last, values, rounding=0.2)
        if own:
            run.intervals = {
                "line": np.array([report[0] for report in own], dtype=float),
                "throughput_bps": np.array([report[2] for report in own]),
            }
        self._findings.run(run)
