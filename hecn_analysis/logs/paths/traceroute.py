"""Output of traceroute and tracepath: that they ran, and the target.

Versions: Linux (Dmitry Butskoy's and the older one), busybox, inetutils, FreeBSD, NetBSD, OpenBSD, macOS, Solaris,
Junos, Cisco, Huawei; tracert of Windows in English, and by its hops in other languages; tracepath of iputils.
traceroute6 and tracepath6 are read as those without the 6.

Units and traps
---------------
- A run has no figures: the times of a hop show how a router answers, not how a path treats a transfer. The label is the
  traced host.
- A hop may list several addresses, over several lines, with AS numbers ("[AS64496]"), marks (!H, !P, !<13>), MPLS
  labels and stars; a silent hop is ``* * *``.
- "Warning: … has multiple addresses" stands above the first line and belongs to the run.
- Hops without their first line are read, with a problem; a silent last hop is no problem.
- tracepath prints the host nowhere: the label is empty. It begins with "1?: [LOCALHOST]"; the path's MTU is not read.
- mtr and tcptraceroute are other tools.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.rows import matched

_HEADER: Final = re.compile(
    r"\btraceroute6? to\s{1,2}(?P<host>[^\s(]{1,255})\s{0,3}\([^()]{1,300}\)"
    r"(?: from .{1,300}?)?[,:]\s?(?:\d{1,4} hops? max|\d{1,5} relative hops|max hops: ?\d)"
)
_WINDOWS: Final = re.compile(r"\bTracing route to (?P<host>\S{1,255}?)(?= \[| over|\s*$)")
_CISCO: Final = re.compile(r"\bTracing the route to (?P<host>\S{1,255})")
_SECOND: Final = re.compile(r"over a maximum of \d{1,4} hops|^\W{0,20}VRF info")
_WARNING: Final = re.compile(r"\btraceroute6?: Warning: \S{1,255} has multiple addresses")
_FAILED: Final = re.compile(
    r"^[^A-Za-z]{0,40}(?:traceroute6?: (?P<text>(?:unknown host|bad address"
    r"|\S{1,255}: (?:Name or|Temporary|nodename|Unknown host))\b.{0,200})"
    r"|(?P<windows>Unable to resolve target system name \S{1,255})"
    r"|(?P<argument>Cannot handle \"host\" cmdline arg .{1,300}))"
)
_TIME: Final = r"(?:<?\d{1,9}(?:\.\d{1,6})?\s?(?:ms|msec|sec)|<1 ms)"
_ADDRESS: Final = r"(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]{0,4}:[\da-fA-F:.%]{1,60})"
_BARE_HOP: Final = re.compile(
    rf"^\W{{0,40}}1\s{{1,4}}(?:\* ){{0,4}}(?:\[\S{{1,40}}\] )?(?:{_ADDRESS}|\S{{1,255}} \({_ADDRESS}\))"
    rf"(?: \[\S{{1,40}}\])?\s{{1,4}}{_TIME}(?:\s|$)"
)
_WINDOWS_HOP: Final = re.compile(
    r"^\s{0,4}1\s{2,6}(?:(?:<?\d{1,5}|<1) ms\s{2,6}|\*\s{3,8}){3}"
    rf"(?P<address>\S{{1,255}} \[{_ADDRESS}\]|{_ADDRESS}|\w.{{4,100}})\s*$"
)
_PATH: Final = re.compile(r"^\W{0,40}1\?: \[LOCALHOST\]\s{1,80}pmtu \d")
_PATH_HOP: Final = re.compile(
    r"^\W{0,40}\d{1,3}\??: {1,4}(?:\[LOCALHOST\]|no reply|send failed"
    r"|\S{1,255}(?: \(.{2,60}\))?\s{1,80}(?:\S{1,12} {1,8})?(?:\d{1,9}\.\d{1,6}ms|asymm|pmtu|!))"
    r"|^\W{0,40}(?:Too many hops|Resume): pmtu \d"
)
_REFUSED: Final = re.compile(
    r"^\W{0,40}(?:traceroute6?: )?(?P<text>(?:connect|send(?:to|msg)?|bind|socket|setsockopt|findsaddr): \w.{0,200})"
)
_FIRST: Final = re.compile(r"^\W{0,40}1\s")
_PLAIN_HOP: Final = re.compile(
    r" {0,2}(?:[2-9]|[1-9]\d)  (?:\* \* \*|[^\s*]{1,255} \([\d.]{7,15}\)(?:  \d{1,6}\.\d{1,3} ms| \*){3})$"
)
_HOP: Final = re.compile(
    rf"^\W{{0,40}}\d{{1,3}}\s{{1,6}}(?:\*|{_TIME}|\S.{{0,400}}?\s{{1,3}}(?:{_TIME}|\*|![A-Z<])"
    rf"|\S{{1,255}} \({_ADDRESS}\)$)"
)
_MORE: Final = re.compile(
    rf"^\s{{2,10}}(?:\[\S{{1,40}}\] )?(?:{_ADDRESS}|\S{{1,255}} \({_ADDRESS}\)|MPLS Label|\[Label)"
)
_ENDS: Final = re.compile(r"^\W{0,4}Trace complete\.")
_FAR: Final = 6
_HEADING: Final = 2


@dataclass
class _OpenRun:
    """A path that may still get hops."""

    first: int
    last: int
    host: str | None
    headed: bool
    hops: int = 0
    tool: str = "traceroute"


class Traceroute:
    """Reader of traceroute."""

    TOOLS: tuple[str, ...] = ("traceroute", "tracepath")
    VERSIONS: str = "Linux, busybox, inetutils, BSD, macOS, Solaris, Junos, Cisco, Huawei; Windows tracert; tracepath"
    HINTS: tuple[str, ...] = (
        "traceroute",
        "racing route",
        "racing the route",
        " ms",
        "Unable to resolve",
        "Cannot handle",
        "[LOCALHOST]",
        "  *  ",
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None
        self._warned = -_FAR

    def feed(self, line: Line) -> bool:
        """Take the first line of a path, or a hop."""
        text, opened = line.text, self._open
        if opened is not None and line.number > opened.last + _FAR:
            self._close()
            opened = None
        named = "traceroute" in text or "racing " in text
        if named and (match := _HEADER.search(text) or _WINDOWS.search(text) or _CISCO.search(text)):
            return self._begin(line, match["host"], headed=True)
        if named and _WARNING.search(text):
            self._close()
            self._warned = line.number
            return True
        if "[LOCALHOST]" in text and _PATH.match(text):
            self._begin(line, None, headed=True, hops=1)
            if self._open is not None:
                self._open.tool = "tracepath"
            return True
        return (opened is not None and self._continues(line, opened)) or self._failed(line) or self._bare_hop(line)

    def rows(self, texts: Sequence[str], numbers: Sequence[int], start: int) -> int:
        """Take plain hops that follow others."""
        opened = self._open
        if opened is None or not opened.hops or opened.tool != "traceroute":
            return 0
        taken, _ = matched(_PLAIN_HOP, texts, start)
        if taken:
            opened.hops += taken
            opened.last = numbers[start + taken - 1]
        return taken

    def _failed(self, line: Line) -> bool:
        if (match := _FAILED.search(line.text)) is None:
            return False
        message = next(text for text in match.groups() if text).strip()
        self._findings.problem(line.number, "aborted", f"found {message!r}, expected hops")
        values: dict[str, object] = {"tool": "traceroute", "error": True}
        self._findings.run(Run(line.number, line.number, values))
        return True

    def _bare_hop(self, line: Line) -> bool:
        """Take a first hop without a heading, or below a Windows heading in another language, which ends in a colon."""
        if self._open is not None:
            return False
        if self._findings.recent and "Tracing the path to " in self._findings.recent[-1].text:  # tcptraceroute
            return False
        if hop := _WINDOWS_HOP.match(line.text):
            above = self._findings.recent[-1] if self._findings.recent else None
            headed = above is not None and line.number - above.number <= _HEADING and above.text.rstrip().endswith(":")
            known = hop["address"].endswith("]") or re.fullmatch(_ADDRESS, hop["address"]) is not None
            return (headed or known) and self._begin(line, None, headed=headed, hops=1)
        return _BARE_HOP.match(line.text) is not None and self._begin(line, None, headed=False, hops=1)

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, line: Line, host: str | None, *, headed: bool, hops: int = 0) -> bool:
        self._close()
        first = self._warned if line.number - self._warned < _FAR else line.number
        self._warned = -_FAR
        self._open = _OpenRun(first, line.number, host, headed, hops)
        return True

    def _continues(self, line: Line, opened: _OpenRun) -> bool:
        if not opened.hops and (match := _REFUSED.match(line.text)):
            opened.last, self._open = line.number, None
            self._findings.problem(line.number, "aborted", f"found {match['text'].strip()!r}, expected hops")
            values: dict[str, object] = {"tool": opened.tool, "label": opened.host, "error": True}
            self._findings.run(Run(opened.first, opened.last, values))
            return True
        if (_HOP if opened.tool == "traceroute" else _PATH_HOP).match(line.text):
            if opened.hops and opened.tool == "traceroute" and _FIRST.match(line.text):
                self._close()
                return self._bare_hop(line) or self._begin(line, None, headed=False, hops=1)
            opened.hops += 1
        elif opened.tool == "tracepath" or not (
            _MORE.match(line.text) or _ENDS.match(line.text) or _SECOND.search(line.text)
        ):
            return False
        opened.last = line.number
        return True

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        if not opened.hops:
            self._findings.problem(
                opened.last, "truncated", "found no hops, expected at least one; a run without figures"
            )
        elif not opened.headed:
            self._findings.problem(
                opened.first, "truncated", "found hops without 'traceroute to …' above them; a run without figures"
            )
        values: dict[str, object] = {"tool": opened.tool, "label": opened.host}
        self._findings.run(Run(opened.first, opened.last, values))
