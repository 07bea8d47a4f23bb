"""Output of Aspera's ascp: progress, the total of a session, and its FASP log.

Versions: ascp 2.7 to 4.4, whose lines have not changed.

Units and traps
---------------
- "Completed: 2097152K bytes transferred in 20 seconds", then, on the next line or after an empty one, "(856624K
  bits/sec), in 1 file.": one run. The K of bytes is 1024, the K of bits 1000.
- The seconds are truncated to whole ones, so the printed rate is more exact and is read.
- "Partial Completion: …" and "Session Stop  (Error: …)" are sessions that failed.
- The progress of a file ("…  100%  369MB  238Mb/s    00:13") is a momentary rate, not that of the run. It only shows
  that ascp ran if the total is missing.
- "FASP Transfer Stop … size=… rate=96.36Mbps elapsed=87.05s" in the log (-L- or syslog) is one line per file: each is a
  run if the log has no total.
- ascp moves data in UDP datagrams. "#" may stand in front of every line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import scale

_PROGRESS: Final = re.compile(
    r"\S\s{1,400}(?P<percent>\d{1,3})%\s{1,9}\d{1,6}(?:[KMGT]?B)?\s{1,9}\d{1,6}(?:\.\d{1,3})?[KMG]?b/s\s{1,9}"
    r"(?:\d{1,4}:)?\d\d:\d\d"
)
_COMPLETED: Final = re.compile(
    r"(?P<how>Completed|Partial Completion): (?P<bytes>\d{1,16})K bytes transferred in (?P<seconds>\d{1,9}) seconds?"
)
_RATE: Final = re.compile(r"^[\s#>*]{0,8}\((?P<rate>\d{1,16})K bits/sec\)")
_RATE_HERE: Final = re.compile(r"\((?P<rate>\d{1,16})K bits/sec\)")
_STOP: Final = re.compile(r"Session Stop {1,4}\(Error: ?(?P<text>.{0,300})\)")
_FASP: Final = re.compile(
    r"FASP Transfer Stop uuid=\S{1,60} op=(?P<op>\w{1,8}) status=(?P<status>\w{1,20}) file=.{1,2000}? "
    r"size=(?P<bytes>\d{1,19}) start_byte=\d{1,19} rate=(?P<rate>\d{1,9}(?:\.\d{1,9})?)(?P<unit>[KMG]?)bps "
    r"elapsed=(?P<seconds>\d{1,9}(?:\.\d{1,9})?)s"
)
_CUT: Final = re.compile(r"(?:Completed|Partial Completion): \d{1,16}K? ?(?:bytes)?")


@dataclass
class _Session:
    """The lines of one session so far."""

    first: int
    last: int
    values: dict[str, object] = field(default_factory=dict)
    unfinished: bool = False
    failed: bool = False


class Ascp:
    """Reader of ascp."""

    TOOLS: tuple[str, ...] = ("ascp",)
    VERSIONS: str = "2.7 to 4.4"
    DATED: bool = True
    HINTS: tuple[str, ...] = ("b/s", "K bytes", "K bits/sec", "Session Stop", "FASP Transfer")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._session: _Session | None = None
        self._files: list[Run] = []
        self._totals = 0

    def feed(self, line: Line) -> bool:  # noqa: PLR0911 - one for each kind of line
        """Take a line of ascp's."""
        text = line.text
        if match := _COMPLETED.search(text):
            self._completed(line, match)
            return True
        session = self._session
        if session is not None and session.values and (match := _RATE.search(text)) and line.number <= session.last + 3:
            session.values["throughput_bps"] = 1000.0 * int(match["rate"])
            session.last = line.number
            return True
        if match := _STOP.search(text):
            self._stop(line, match["text"])
            return True
        if match := _PROGRESS.search(text):
            if session is not None and session.values:
                self._close()
            self._begin(line).unfinished = True
            return True
        if match := _FASP.search(text):
            self._file(line, match)
            return True
        if not line.complete and _CUT.search(text):
            message = f"found {text.strip()!r}, expected 'Completed: …K bytes transferred in … seconds'"
            self._findings.problem(line.number, "truncated", message + "; no run made of it")
            return True
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()
        for run in [] if self._totals else self._files:
            self._findings.run(run)
        self._totals, self._files = 0, []

    def _begin(self, line: Line) -> _Session:
        if self._session is None:
            self._session = _Session(line.number, line.number)
        self._session.last = line.number
        return self._session

    def _completed(self, line: Line, match: re.Match[str]) -> None:
        if self._session is not None and self._session.values:
            self._close()
        session = self._begin(line)
        session.unfinished = False
        session.failed = match["how"] != "Completed"
        session.values = {"bytes": 1024 * int(match["bytes"]), "duration_s": float(match["seconds"])}
        if here := _RATE_HERE.search(match.string):
            session.values["throughput_bps"] = 1000.0 * int(here["rate"])
        if session.failed:
            message = f"found {match[0]!r}, expected 'Completed: …'"
            self._findings.problem(line.number, "aborted", message)

    def _stop(self, line: Line, text: str) -> None:
        self._findings.problem(line.number, "aborted", f"found {text.strip()!r}, expected a session without an error")
        self._begin(line).failed = True
        self._close()

    def _file(self, line: Line, match: re.Match[str]) -> None:
        amount, seconds = int(match["bytes"]), float(match["seconds"])
        values: dict[str, object] = {
            "tool": "ascp",
            "protocol": "udp",
            "direction": {"send": "send", "recv": "receive"}.get(match["op"]),
            "bytes": amount,
            "duration_s": seconds,
            "throughput_bps": float(match["rate"]) * scale(match["unit"], 1000),
            "error": match["status"] != "success",
        }
        self._files.append(Run(line.number, line.number, values, rounding=0.02))

    def _close(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        if session.unfinished and not session.failed:
            self._findings.problem(
                session.last,
                "truncated",
                "found progress and no total, expected 'Completed: …K bytes transferred in … seconds'; run without "
                "figures",
            )
        values = {"tool": "ascp", "protocol": "udp", **session.values, "error": session.failed}
        seconds = session.values.get("duration_s")
        rounding = 0.02 + 1.0 / max(seconds, 0.5) if isinstance(seconds, float) else 0.02
        self._totals += 1
        self._findings.run(Run(session.first, session.last, values, rounding=rounding))
