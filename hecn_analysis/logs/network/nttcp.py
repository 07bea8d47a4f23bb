"""Output of nttcp (Elmar Bartel's "new test TCP program"): memory to memory over TCP, UDP or multicast.

Version 1.47, from its source code and manual: the rows of the local and the remote end, with or without the title line
(``-T``), with ``-v``, and with a custom format (``-f``) if a title line names the columns.

Units and traps
---------------
- The row ``l`` is the local end's, ``1``, ``2`` … the remote ones'. MBit is 10**6 bit. The printed rate is read: nttcp
  computes it from the unrounded time.
- By default the local host sends. With ``-r`` it receives: the command line or the lines of ``-v`` say so. Without
  either the direction is missing, and the remote end counts as the receiver.
- The throughput is the receiver's. With UDP the receiver has fewer bytes if datagrams were lost; nttcp counts no
  packets.
- CPU seconds over real seconds are the CPU time in cores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings

_DEFAULT: Final = ("Bytes", "Real s", "CPU s", "Real-MBit/s", "CPU-MBit/s", "Calls", "Real-C/s", "CPU-C/s")
_TITLES: Final = (*_DEFAULT, "BufLen", "BufCnt")
_TITLE: Final = re.compile(rf"^\W{{0,4}}\s{{0,8}}(?:(?:{'|'.join(map(re.escape, _TITLES))})\s{{0,12}}){{2,12}}$")
_NAMES: Final = re.compile("|".join(map(re.escape, sorted(_TITLES, key=len, reverse=True))))
_ROW: Final = re.compile(
    r"^\W{0,4}(?P<end>l|\d{1,3})\s{1,12}(?P<values>\d{1,15}(?:\.\d{1,6})?(?:\s{1,14}\d{1,18}(?:\.\d{1,6})?){1,11})\s*$"
)
_PLAIN: Final = re.compile(
    r"^\W{0,4}(?:l|\d{1,3})\s{1,8}\d{1,15}\s{1,8}\d{1,8}\.\d\d\s{1,8}\d{1,8}\.\d\d\s{1,12}\d{1,9}\.\d{4}\s{1,12}\d{1,9}\.\d{4}"
    r"\s{1,8}\d{1,12}\s{1,10}\d{1,12}\.\d\d\s{1,10}\d{1,12}\.\d\s*$"
)
_VERBOSE: Final = re.compile(r"(?:^|[\s>])nttcp(?:-(?P<end>l|\d{1,3}))?: ?(?P<text>.{0,300})$")
_PROTOCOL: Final = re.compile(r"dataport=\d{1,5}/(?P<protocol>tcp|udp)")
_ERROR: Final = re.compile(
    r"(?:.{0,60}(?:refused|unreachable|timed out|unknown host|not found|denied|reset by).{0,100})$", re.IGNORECASE
)


@dataclass
class _OpenRun:
    """A run whose end has not been read."""

    first: int
    last: int
    command: Command
    titles: tuple[str, ...] = _DEFAULT
    ends: dict[str, dict[str, float]] = field(default_factory=dict)
    protocol: str | None = None
    direction: str | None = None
    version: str | None = None
    failed: bool = False
    known: bool = False


class Nttcp:
    """Reader of nttcp."""

    TOOLS: tuple[str, ...] = ("nttcp",)
    VERSIONS: str = "1.47"
    HINTS: tuple[str, ...] = ("nttcp", "Real-MBit/s", "Real s", *(f"l {first}" for first in " 0123456789"))

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of nttcp's."""
        opened, text = self._open, line.text
        if ("Real" in text or "Bytes" in text) and _TITLE.match(text):
            if self._open is not None and self._open.ends:
                self._close()
            opened = self._begin(line)
            opened.titles = tuple(_NAMES.findall(text))
            opened.known = True
            return True
        if "nttcp" in text and (match := _VERBOSE.search(text)) is not None:
            return self._verbose(line, match)
        return self._row(line)

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line) -> _OpenRun:
        if self._open is None:
            self._open = _OpenRun(line.number, line.number, self._findings.command)
        self._open.last = line.number
        return self._open

    def _verbose(self, line: Line, match: re.Match[str]) -> bool:
        text = match["text"].strip()
        if "nttcp, version " in text or ("Pid=" in text and match["end"] == "l"):
            if self._open is not None and self._open.ends:
                self._close()
            self._begin(line)
        opened = self._begin(line)
        if "nttcp, version " in text:
            opened.version = text.rpartition(" ")[2]
        if (protocol := _PROTOCOL.search(text)) is not None:
            opened.protocol = protocol["protocol"]
        if match["end"] == "l" and text.startswith(("received ", "transmitted ")):
            opened.direction = "receive" if text.startswith("received") else "send"
        if _ERROR.match(text) and not opened.failed:
            opened.failed = True
            self._findings.problem(line.number, "aborted", f"found {text[:200]!r}, expected a result")
        return True

    def _row(self, line: Line) -> bool:
        opened = self._open
        known = opened is not None and opened.known
        match = (_ROW if known else _PLAIN).match(line.text)
        if match is None:
            return False
        match = _ROW.match(line.text)
        if match is None:
            return False
        end, values = match["end"], [float(value) for value in match["values"].split()]
        if opened is not None and (end == "l" or end in opened.ends) and "l" in opened.ends:
            titles = opened.titles
            self._close()
            opened = self._begin(line)
            opened.titles, opened.known = titles, known
        titles = opened.titles if opened is not None else _DEFAULT
        if len(values) != len(titles) or (opened is None and end != "l"):
            return False
        opened = self._begin(line)
        opened.ends[end] = dict(zip(titles, values, strict=True))
        return True

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        if not opened.ends:
            if opened.failed:
                self._findings.run(Run(opened.first, opened.last, {"tool": "nttcp", "error": True}))
            else:
                self._findings.problem(
                    opened.last, "truncated", "found the beginning of a run of nttcp and no result; no run made"
                )
            return
        direction, arguments = opened.direction, opened.command.arguments
        if direction is None and opened.command.program == "nttcp":
            direction = "receive" if "-r" in arguments else "send"
        udp = opened.protocol == "udp" or (opened.command.program == "nttcp" and "-u" in arguments)
        local = opened.ends.pop("l", None)
        for remote in opened.ends.values() or [None]:
            ends = (remote, local) if direction == "receive" else (local, remote)
            self._hand_over(opened, direction, "udp" if udp else "tcp", *ends)

    def _hand_over(
        self,
        opened: _OpenRun,
        direction: str | None,
        protocol: str,
        sender: dict[str, float] | None,
        receiver: dict[str, float] | None,
    ) -> None:
        if receiver is None or sender is None:
            missing = "receiver" if receiver is None else "sender"
            self._findings.problem(opened.last, "truncated", f"found no row of the {missing} of nttcp; it is missing")
        columns: dict[str, object] = {
            "tool": "nttcp",
            "tool_version": opened.version,
            "protocol": protocol,
            "direction": direction,
            "streams": 1,
            "sender_throughput_bps": _rate(sender),
            "cpu_sender_fraction": _cpu(sender),
            "cpu_receiver_fraction": _cpu(receiver),
            "error": opened.failed,
        }
        rounding = 0.01
        if receiver is not None:
            seconds = receiver.get("Real s")
            amount = receiver.get("Bytes")
            columns |= {
                "throughput_bps": _rate(receiver),
                "duration_s": seconds,
                "bytes": None if amount is None else round(amount),
            }
            rounding = min(1.0, 0.002 + 0.006 / seconds) if seconds else 1.0
        self._findings.run(Run(opened.first, opened.last, columns, rounding=rounding))


def _rate(end: dict[str, float] | None) -> float | None:
    """Return the rate of one end [bit/s]."""
    if end is None:
        return None
    if "Real-MBit/s" in end:
        return end["Real-MBit/s"] * 1e6
    amount, seconds = end.get("Bytes"), end.get("Real s")
    return 8 * amount / seconds if amount is not None and seconds else None


def _cpu(end: dict[str, float] | None) -> float | None:
    """Return the CPU time of one end over the duration of the run."""
    seconds = end.get("Real s") if end is not None else None
    busy = end.get("CPU s") if end is not None else None
    return busy / seconds if seconds and busy is not None else None
