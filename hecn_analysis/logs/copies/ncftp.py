"""Output of NcFTP's clients: the meter of ncftpget, ncftpput and of get and put in ncftp.

Versions: NcFTP 3.0 to 3.2.6. From runs of 3.2.6 and from its manual; the optional bar of ncftp (``progress-meter``) and
the log of its spooler are not read.

Units and traps
---------------
- "run.dat:      28.61 MB  176.22 MB/s" is one file and one run. kB, MB, GB are powers of 1024, for size and rate; the
  rate is the average over the file.
- The line appears twice: in place of the meter and once more. Before it the meter prints "ETA:  0:01  8.06/ 28.61 MB
  166.04 MB/s": a meter that stops early is a run without a rate, and a problem.
- Only the command line has the direction: ncftpget receives, ncftpput sends.
- "ncftpget /file: server said: …" is a file that failed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.parsing.amounts import half_digit, scale

_N: Final = r"\d{1,6}\.\d\d"
_NAME: Final = r"^(?P<name>\S.{0,400}?):\s{1,80}"
_AT: Final = rf"{{1,6}}(?P<rate>{_N}) (?P<rate_unit>[kMGT]?B)/s"
_DONE: Final = re.compile(rf"{_NAME}(?P<size>{_N}) (?P<unit>[kMGT]?B) {_AT}\s*$")
_METER: Final = re.compile(
    rf"{_NAME}(?P<sofar>(?:ETA: {{1,4}}\d{{1,4}}:\d\d {{1,6}})?{_N}/ {{0,4}}{_N} [kMGT]?B|\d{{1,19}} bytes) {_AT}"
    r"(?: \S)?\s*$"
)
_FAILED: Final = re.compile(
    r"^(?P<program>ncftp(?:get|put)):? (?P<text>(?:\S.{0,400}: )?(?:server said: .{1,200}|could not .{1,200}|"
    r"cannot open .{1,300}: .{1,200}))$"
)
_COLUMN_DONE: Final = 61  # names are padded with blanks, so that sizes end here or later
_COLUMN_METER: Final = 34
_WAYS: Final = {"ncftpget": "receive", "ncftpput": "send"}


@dataclass
class _Meter:
    """The meter of a file, which may be repeated after its end."""

    first: int
    last: int
    name: str
    direction: str | None


class Ncftp:
    """Reader of NcFTP's meter."""

    TOOLS: tuple[str, ...] = ("ncftp", "ncftpget", "ncftpput")
    VERSIONS: str = "NcFTP 3.0 to 3.2.6"
    HINTS: tuple[str, ...] = ("B/s", "ncftpget ", "ncftpput ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._meter: _Meter | None = None
        self._run: Run | None = None
        self._shown: list[str] = []

    def feed(self, line: Line) -> bool:
        """Take a piece of the meter, or an error."""
        text = line.text
        if (match := _DONE.match(text)) is not None and match.end("size") >= _COLUMN_DONE:
            self._done(line, match)
        elif (match := _METER.match(text)) is not None and match.start("sofar") >= _COLUMN_METER:
            if self._meter is None or self._meter.name != match["name"]:
                self._close()
                self._meter = _Meter(line.number, line.number, match["name"], self._direction())
            self._meter.last = line.number
        elif (match := _FAILED.match(text)) is not None:
            self._failed(line, match)
        else:
            return False
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _direction(self) -> str | None:
        return _WAYS.get(self._findings.command.program)

    def _done(self, line: Line, match: re.Match[str]) -> None:
        meter, self._meter = self._meter, None
        if meter is not None and meter.name != match["name"]:
            self._meter = meter
            self._close()
            meter = None
        run = self._run
        shown = match[0].split()
        if run is not None and meter is None and line.number - run.line_last <= 1 and self._shown == shown:
            run.line_last = line.number
            return
        self._shown = shown
        self._run = Run(
            meter.first if meter is not None else line.number,
            line.number,
            {
                "tool": "ncftp",
                "protocol": "file",
                "label": match["name"],
                "direction": self._direction(),
                "bytes": round(float(match["size"]) * scale(match["unit"], 1024)),
                "throughput_bps": 8 * float(match["rate"]) * scale(match["rate_unit"], 1024),
                "error": False,
            },
            rounding=0.01 + half_digit(match["size"]) + half_digit(match["rate"]),
        )
        self._findings.run(self._run)

    def _failed(self, line: Line, match: re.Match[str]) -> None:
        self._findings.problem(
            line.number, "aborted", f"found {match['text'].strip()!r}, expected a file transferred to its end"
        )
        meter, self._meter = self._meter, None
        values: dict[str, object] = {
            "tool": "ncftp",
            "protocol": "file",
            "label": meter.name if meter is not None else None,
            "direction": _WAYS[match["program"]],
            "error": True,
        }
        self._findings.run(Run(meter.first if meter is not None else line.number, line.number, values))

    def _close(self) -> None:
        meter, self._meter = self._meter, None
        if meter is None:
            return
        self._findings.problem(meter.last, "truncated", "found a meter that stops before its end; run without a rate")
        values: dict[str, object] = {
            "tool": "ncftp",
            "protocol": "file",
            "label": meter.name,
            "direction": meter.direction,
            "error": False,
        }
        self._findings.run(Run(meter.first, meter.last, values))
