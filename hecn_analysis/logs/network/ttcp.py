"""Output of ttcp (Mike Muuss, 1984, and its many descendants): memory to memory over TCP or UDP.

Versions: the BSD and Linux ttcp, SGI's and HP's, ttcp of Cisco IOS and the Java one as far as they print the same
lines, and PCATTCP of PCAUSA, which prints its result below a line of statistics. From the source codes; there is no
common version number.

Units and traps
---------------
- KB and MB, and also Kbit, Mbit and Gbit of ``-f``, are powers of 1024 in the classic source; powers of 1000 are used
  if bytes and seconds show that a descendant counts so. Bytes without a prefix are exact.
- The seconds have two decimals: for a short run the printed rate is better than bytes over seconds, and is read.
  Cisco's rate is rounded and marked ``~``: it is computed from bytes and milliseconds instead.
- A report is one end's: ``ttcp-t`` sends, ``ttcp-r`` receives. Either rate is the throughput of a TCP run, since a
  sender finishes when nearly all data are acknowledged. For UDP a sender's report is the sender's figure only.
- CPU time is in per cent of one core: ``0.0user 0.1sys 0:07real 1%``.
- Lines that a mail program wrapped are joined: the rate may stand on the line below.
- nuttcp and nttcp print similar lines with their own names in front; they have their own readers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.parsing.amounts import scale

_N: Final = r"\d{1,18}(?:\.\d{1,6})?"
_LINE: Final = re.compile(r"(?:^|[\s>])ttcp(?P<role>-[tr])?: ?(?P<text>.{0,500})$")
_BEGINNING: Final = re.compile(r"buflen=\d{1,12}.{0,80}")
_PROTOCOL: Final = re.compile(r"\bport=\d{1,5}\s{1,8}(?P<protocol>tcp|udp|[a-z]{3,8})\b")
_STATISTICS: Final = re.compile(
    r"\s{0,8}Statistics {1,4}: (?P<protocol>TCP|UDP) (?P<way><-|->) \S{1,80}:\d{1,5}\s{0,8}$"
)
_RESULT: Final = re.compile(
    rf"(?P<amount>{_N}) (?P<prefix>[KMG]?)[Bb]ytes in (?:(?P<ms>\d{{1,15}}) ms \()?(?P<seconds>{_N}) real seconds"
    rf"(?:\) \(~(?P<about>{_N}) ?[kK]B/s\)| = ?(?P<rest>.{{0,80}})$)"
)
_RATE: Final = re.compile(rf"\s{{0,8}}(?P<rate>{_N}) (?P<unit>[KMGkmg]?)(?P<kind>B|bits?|b|bytes)/sec\b")
_CPU: Final = re.compile(r"(?<![\d.])\d{1,9}\.\d{1,6}user .{0,60}real (?P<percent>\d{1,6})%")
_ERROR: Final = re.compile(
    r"(?:connect|accept|bind|socket|IO|listen|setsockopt|getpeername|bad hostname|unknown host|select)\b[^=+]{0,60}: "
    r"\S.{0,200}|bad hostname"
)
_WRAPPED: Final = 2


@dataclass
class _OpenRun:
    """A report of one end whose end has not been read."""

    first: int
    last: int
    command: Command
    role: str
    protocol: str | None = None
    seconds: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    rate: re.Match[str] | None = None
    cpu: float | None = None
    failed: bool = False
    wrapped: bool = False
    awaited: bool = False


class Ttcp:
    """Reader of ttcp."""

    TOOLS: tuple[str, ...] = ("ttcp",)
    VERSIONS: str = "BSD, Linux, SGI, HP, Cisco IOS, PCATTCP"
    HINTS: tuple[str, ...] = ("ttcp", "Statistics  : ", "Statistics : ")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of ttcp's."""
        match = _LINE.search(line.text)
        if match is None:
            return self._statistics(line) or self._continuation(line)
        role, text = match["role"] or "", match["text"]
        if self._open is not None and (_BEGINNING.match(text) or role not in {self._open.role, ""}):
            self._close()
        if self._open is not None and self._open.texts and _RESULT.search(text):
            self._close()
        if self._open is None:
            if not (_BEGINNING.match(text) or _RESULT.search(text) or _ERROR.match(text)):
                return False
            self._open = _OpenRun(line.number, line.number, self._findings.command, role)
        self._open.last = line.number
        self._open.wrapped = not text.endswith("+++")
        self._take(line, self._open, text)
        return True

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _statistics(self, line: Line) -> bool:
        """Take the heading of a PCATTCP result, or the result on the line below."""
        match = _STATISTICS.match(line.text)
        if match is not None:
            self._close()
            role = "-t" if match["way"] == "->" else "-r"
            protocol = match["protocol"].lower()
            self._open = _OpenRun(line.number, line.number, self._findings.command, role, protocol, awaited=True)
            return True
        opened = self._open
        if opened is None or not opened.awaited or line.number > opened.last + _WRAPPED:
            return False
        if _RESULT.match(line.text) is None:
            return False
        opened.last, opened.awaited = line.number, False
        self._take(line, opened, line.text)
        return True

    def _continuation(self, line: Line) -> bool:
        """Take the rest of a wrapped line."""
        opened = self._open
        if opened is None or not opened.wrapped or line.number > opened.last + _WRAPPED:
            return False
        text = line.text
        if opened.texts and opened.rate is None and (rate := _RATE.match(text)) is not None:
            opened.rate = rate
        elif (protocol := _PROTOCOL.match(text.strip())) is not None:
            opened.protocol = protocol["protocol"]
        else:
            return False
        opened.last = line.number
        return True

    def _take(self, line: Line, opened: _OpenRun, text: str) -> None:
        if (protocol := _PROTOCOL.search(text)) is not None:
            opened.protocol = protocol["protocol"]
        opened.protocol = opened.protocol or "tcp"
        if (result := _RESULT.search(text)) is not None:
            opened.texts = {name: value for name, value in result.groupdict().items() if value is not None}
            opened.rate = _RATE.match(result["rest"] or "")
        elif (cpu := _CPU.search(text)) is not None:
            opened.cpu = float(cpu["percent"]) / 100
        elif _ERROR.match(text) and not opened.failed:
            opened.failed = True
            self._findings.problem(line.number, "aborted", f"found {text.strip()[:200]!r}, expected a result")
        elif " bytes in " in text and "CPU" not in text and "cpu" not in text:
            self._findings.problem(
                line.number, "malformed", f"found {text.strip()[:200]!r}, expected '… bytes in … real seconds = …/sec'"
            )

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        if not opened.texts and not opened.failed:
            self._findings.problem(
                opened.last, "truncated", "found the beginning of a run of ttcp and no result; no run made"
            )
            return
        sends = opened.role == "-t"
        columns: dict[str, object] = {
            "tool": "ttcp",
            "protocol": opened.protocol if opened.protocol in {"tcp", "udp"} else None,
            "direction": {"-t": "send", "-r": "receive"}.get(opened.role),
            "streams": 1,
            "error": opened.failed,
        }
        rounding = 0.01
        if opened.texts:
            exact = not opened.texts["prefix"]
            amount = float(opened.texts["amount"]) * scale(opened.texts["prefix"], 1024)
            seconds = float(opened.texts["seconds"])
            columns |= {"bytes": round(amount), "duration_s": seconds}
            columns["throughput_bps"] = _throughput(opened, amount, seconds)
            decimals = len(opened.texts["seconds"].partition(".")[2])
            rounding = min(1.0, (0.002 if exact else 0.01) + (0.6 * 10.0**-decimals / seconds if seconds > 0 else 1))
            if sends and opened.protocol == "udp":
                columns["sender_throughput_bps"] = columns.pop("throughput_bps")
                del columns["bytes"]
        if opened.role:
            columns["cpu_sender_fraction" if sends else "cpu_receiver_fraction"] = opened.cpu
        self._findings.run(Run(opened.first, opened.last, columns, rounding=rounding))


def _throughput(opened: _OpenRun, amount: float, seconds: float) -> float | None:
    """Return the rate [bit/s] as printed, or computed if it is printed roughly or not at all."""
    computed = 8 * amount / seconds if seconds > 0 else None
    rate = opened.rate
    if rate is None:
        return computed
    value = float(rate["rate"]) * (8 if rate["kind"] in {"B", "bytes"} else 1)
    shown = [value * scale(rate["unit"], base) for base in (1024, 1000)]
    if computed is None or abs(shown[0] - computed) <= 1.2 * abs(shown[1] - computed):
        return shown[0]
    return shown[1]
