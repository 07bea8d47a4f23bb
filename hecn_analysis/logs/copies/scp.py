"""Progress meter of scp and sftp (OpenSSH), of HPN-SSH's scp, and of PuTTY's pscp.

Versions: OpenSSH 3.5 to 10.2, HPN-SSH 14 to 18, PuTTY 0.52 to 0.83.

Units and traps
---------------
- "name   100%   29MB  63.7MB/s   00:00": one file is one run. K, M, G are powers of 1024, for size and rate; a size of
  up to 9999 bytes has no unit. The size is rounded to four digits, the rate has one decimal and is at least in KB/s.
- Before the end the rate is smoothed and the time is the remaining one ("ETA"). In the last piece the rate is the
  average and the time is the duration in whole seconds; below one second it is left out.
- HPN-SSH (tool ``hpn-scp``) prints two rates: the average, then the current one, or in the last piece the highest.
- sftp (tool ``sftp``) prints the same below "Fetching … to …" or "Uploading … to …", which give the direction. The
  direction of scp is in its command line.
- pscp: "name | 29296 kB | 14648.4 kB/s | ETA: 00:00:00 | 100%", kB of 1024 bytes.
- A meter that stops early is a run without a rate, and a problem.
- The name in front is cut or padded to the width of the terminal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.parsing.amounts import clock, scale

_METER: Final = re.compile(
    r"(?<!\S)(?P<percent>\d{1,3})%\s{1,4}(?P<size>\d{1,6}) {0,4}(?P<size_unit>[KMGT]?B)?\s{1,9}"
    r"(?P<rate>\d{1,6}\.\d)(?P<unit>[KMGT])B/s"
    r"(?P<second>\s{1,4}\d{1,6}\.\d[KMGT]B/s)?"
    r"\s{0,4}(?P<time>(?:\d{1,4}:)?\d\d:\d\d|--:--|- stalled -)(?P<left>\s{1,2}ETA)?(?!\S)"
)
_PUTTY: Final = re.compile(
    r"^\s{0,4}(?P<name>\S.{0,200}?)\s{0,80}\| (?P<size>\d{1,12}) kB \|\s{1,8}(?P<rate>\d{1,9}\.\d) kB/s \| "
    r"ETA: (?P<time>\d\d:\d\d:\d\d) \|\s{1,4}(?P<percent>\d{1,3})%"
)
_SFTP: Final = re.compile(r"^(?:sftp> )?(?P<way>Fetching|Uploading) \S.{0,2000} to \S")
_ERROR: Final = re.compile(
    r"^\s{0,8}(?:\S{0,40}/)?(?:scp|sftp): (?P<text>.{0,300}(?:No such|denied|refused|closed|ailed|ailure|rror|not a|"
    r"write|timed out|quota|space).{0,100})"
    r"|^\s{0,8}(?P<lost>lost connection|Connection closed(?: by .{1,80})?\.?|client_loop: .{1,80}|"
    r"Killed by signal \d{1,2}\.)\s*$"
)


@dataclass
class _Meter:
    """The meter of a file, which may be drawn again after its end."""

    first: int
    last: int
    label: str
    tool: str
    direction: str | None
    size: int = 0
    rate: float = 0.0
    seconds: float | None = None
    done: bool = False


class Scp:
    """Reader of the meter of scp and sftp."""

    TOOLS: tuple[str, ...] = ("scp", "hpn-scp", "sftp")
    VERSIONS: str = "OpenSSH 3.5 to 10.2, HPN-SSH 14 to 18, PuTTY 0.52 to 0.83"
    HINTS: tuple[str, ...] = (
        "B/s",
        "sftp",
        "Fetching ",
        "Uploading ",
    )
    LATER_HINTS: tuple[str, ...] = ("scp: ", "onnection", "client_loop", "Killed by")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._meter: _Meter | None = None
        self._sftp = 0
        self._way: str | None = None
        self._broken = -1

    def feed(self, line: Line) -> bool:
        """Take a piece of the meter, or an error."""
        text = line.text
        if (match := _METER.search(text)) and (label := text[: match.start()].strip()):
            self._draw(line, label[-200:], match)
            return True
        if match := _PUTTY.search(text):
            self._putty(line, match)
            return True
        if match := _SFTP.search(text):
            self._sftp = line.number
            self._way = "receive" if match["way"] == "Fetching" else "send"
            return False
        if text.startswith("sftp>"):
            self._sftp, self._way = line.number, None
            return False
        if match := _ERROR.search(text):
            return self._failed(line, (match["text"] or match["lost"]).strip())
        return False

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _draw(self, line: Line, label: str, match: re.Match[str]) -> None:
        meter, done = self._meter, match["percent"] == "100" and not match["left"] and match["time"][0] != "-"
        tool = "hpn-scp" if match["second"] else self._tool()
        if meter is not None and (meter.label != label or (meter.done and not (done and line.number == meter.last))):
            self._close()
        if self._meter is None:
            self._meter = _Meter(line.number, line.number, label, tool, self._direction())
        meter = self._meter
        meter.last, meter.done = line.number, done
        meter.size = round(int(match["size"]) * scale(match["size_unit"] or "", 1024))
        meter.rate = 8 * float(match["rate"]) * scale(match["unit"], 1024)
        meter.seconds = clock(match["time"]) if done else None

    def _putty(self, line: Line, match: re.Match[str]) -> None:
        meter, done = self._meter, match["percent"] == "100"
        if meter is not None and (meter.label != match["name"] or (meter.done and line.number != meter.last)):
            self._close()
        if self._meter is None:
            self._meter = _Meter(line.number, line.number, match["name"], "scp", self._direction())
        meter = self._meter
        meter.last, meter.done = line.number, done
        meter.size, meter.rate = 1024 * int(match["size"]), 8 * 1024 * float(match["rate"])

    def _tool(self) -> str:
        command: Command = self._findings.command
        if self._sftp > command.line:
            return "sftp"
        return "sftp" if command.program == "sftp" else "scp"

    def _direction(self) -> str | None:
        """Return the direction from sftp's last message, or from the colon in scp's command line."""
        command: Command = self._findings.command
        if self._sftp > command.line:
            return self._way
        if command.program not in {"scp", "hpn-scp"}:
            return None
        words = [word for word in command.arguments if not word.startswith("-")]
        if len(words) < 2 or (":" in words[-1] and any(":" in word for word in words[:-1])):
            return None
        return "send" if ":" in words[-1] else "receive" if any(":" in word for word in words[:-1]) else None

    def _failed(self, line: Line, text: str) -> bool:
        under_way = self._meter is not None and not self._meter.done
        if not under_way and 0 < line.number - self._broken <= 2:
            return True
        command: Command = self._findings.command
        near = command.program in self.TOOLS and line.number <= command.line + 8
        if not under_way and not (near and text.startswith(("stat", "/", "remote", "Connection", "lost"))):
            return False
        self._broken = line.number
        self._findings.problem(line.number, "aborted", f"found {text!r}, expected a file copied to its end")
        meter = self._meter if under_way else None
        if meter is None:
            self._close()
            tool = command.program if command.program in self.TOOLS else "scp"
            values: dict[str, object] = {
                "tool": tool,
                "protocol": "file",
                "direction": self._direction(),
                "error": True,
            }
            self._findings.run(Run(line.number, line.number, values))
            return True
        meter.last = line.number
        self._hand_over(meter, failed=True)
        self._meter = None
        return True

    def _close(self) -> None:
        meter, self._meter = self._meter, None
        if meter is None:
            return
        if not meter.done:
            self._findings.problem(
                meter.last, "truncated", "found a meter that stops before its end, expected 100 %; run without a rate"
            )
        self._hand_over(meter, failed=False)

    def _hand_over(self, meter: _Meter, *, failed: bool) -> None:
        values: dict[str, object] = {
            "tool": meter.tool,
            "protocol": "file",
            "label": meter.label,
            "direction": meter.direction,
            "bytes": meter.size,
            "throughput_bps": meter.rate if meter.done else None,
            "duration_s": meter.seconds or None,
            "error": failed,
        }
        self._findings.run(Run(meter.first, meter.last, values, rounding=1.0))
