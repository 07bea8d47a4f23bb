"""Output of bbFTP's client: a line per file with -V, another one with -S ("statoutput").

Written from the source (bbftp-client 3.2.1: bbftp_put.c, bbftp_get.c); no recorded output was found. Versions: 2.0 to
3.2.1.

Units and traps
---------------
- "1073741824 bytes send in 9.13 secs (1.15e+05 Kbytes/sec or 898 Mbits/s)": K is 1024 and M is 1024 * 1024, for bits
  too. Seconds and rates have three digits. The rate is computed from bytes and seconds only if it is not printed.
- "put 1073741824 9.130 256 256 256 5 nogzip" is bytes, seconds, buffer, both windows (kilobytes) and streams; if it
  follows the first line, both are one run.
- The time includes the forking of the streams. With compression, the bytes are those of the file.
- "BBFTP-ERROR-00100 : …" is a file that failed.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

_N: Final = r"\d{1,12}(?:\.\d{1,12})?(?:e[+-]?\d{1,2})?"
_DONE: Final = re.compile(
    rf"(?<![\w.])(?P<bytes>\d{{1,19}}) bytes (?P<way>send|sent|got|received) in (?P<seconds>{_N}) secs "
    rf"\((?P<rate>{_N}) Kbytes/sec or (?:{_N}) Mbits/s\)"
)
_STATISTICS: Final = re.compile(
    r"(?:^|\s)(?P<way>put|get) (?P<bytes>\d{1,19}) (?P<seconds>\d{1,9}\.\d{3}) \d{1,9} \d{1,9} \d{1,9} "
    r"(?P<streams>\d{1,6}) (?:no)?gzip\b"
)
_ERROR: Final = re.compile(r"BBFTP-ERROR-(?P<code>\d{5}) ?: ?(?P<text>.{0,400})")
_CUT: Final = re.compile(r"(?<![\w.])\d{1,19} bytes (?:send|got) in ")
_WAYS: Final = {"put": "send", "send": "send", "sent": "send"}


class Bbftp:
    """Reader of bbftp."""

    TOOLS: tuple[str, ...] = ("bbftp",)
    VERSIONS: str = "2.0 to 3.2.1"
    HINTS: tuple[str, ...] = ("Mbits/s)", "gzip", "BBFTP-ERROR", " bytes send in", " bytes got in")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._last: Run | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of bbftp's."""
        text = line.text
        if match := _DONE.search(text):
            values = self._values(match["way"], int(match["bytes"]), float(match["seconds"]))
            values["throughput_bps"] = 8 * 1024 * float(match["rate"])
            self._last = Run(line.number, line.number, values, rounding=0.02)
            self._findings.run(self._last)
            return True
        if match := _STATISTICS.search(text):
            self._statistics(line, match)
            return True
        if match := _ERROR.search(text):
            message = f"found error {match['code']}, {match['text'].strip()!r}, expected a file copied to its end"
            self._findings.problem(line.number, "aborted", message)
            values = {"tool": "bbftp", "protocol": "tcp", "error": True}
            self._findings.run(Run(line.number, line.number, values))
            return True
        if _CUT.search(text):
            expected = "'… bytes send in … secs (… Kbytes/sec or … Mbits/s)'; no run made of it"
            report_damaged_line(self._findings, line, expected)
            return True
        return False

    def finish(self) -> None:
        """The output has ended; every line was a run of its own."""

    def _values(self, way: str, amount: int, seconds: float) -> dict[str, object]:
        command, streams = self._findings.command, None
        if command.program == "bbftp" and "-p" in command.arguments[:-1]:
            text = command.arguments[command.arguments.index("-p") + 1]
            streams = int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 5 else None
        return {
            "tool": "bbftp",
            "protocol": "tcp",
            "direction": _WAYS.get(way, "receive"),
            "bytes": amount,
            "duration_s": seconds,
            "streams": streams or None,
            "error": False,
        }

    def _statistics(self, line: Line, match: re.Match[str]) -> None:
        amount, seconds, streams = int(match["bytes"]), float(match["seconds"]), int(match["streams"]) or None
        last = self._last
        if last is not None and line.number - last.line_last <= 2 and last.columns["bytes"] == amount:
            last.columns.update(streams=streams, duration_s=seconds)
            last.line_last = line.number
            self._last = None
            return
        values = self._values(match["way"], amount, seconds)
        values.update(streams=streams, throughput_bps=8 * amount / seconds if seconds > 0 else None)
        self._findings.run(Run(line.number, line.number, values))
