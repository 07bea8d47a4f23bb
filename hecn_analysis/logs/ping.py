"""Output of ping: round-trip times and loss.

Versions: Linux iputils (2000 to today, with its translations), busybox, toybox and Android, FreeBSD, NetBSD, OpenBSD,
macOS, Junos, Solaris, GNU inetutils, Cygwin; Windows in any language. ping6 is read as ping.

Units and traps
---------------
- Times are milliseconds, also where the line says no unit ("round-trip (ms)  min/avg/max"). Old versions write
  "icmp_req=", old BSD ones "std-dev", small ones no deviation at all.
- "+3 errors" and "+19 duplicates" stand between the counts: they are neither received nor lost packets. A duplicate
  counts in the times.
- The printed loss is often cut to a whole per cent: it is compared, and the fraction is made of the counts.
- More packets received than sent is possible ("somebody's printing up packets!"): there is no loss to give then.
- Windows counts an answer of a router ("Destination host unreachable.") as received; its order is minimum, maximum,
  average. Its lines are known by their numbers, as only "TTL" and "ping" are the same in every language; the counts
  are spread over two or three lines in some.
- Without statistics at the end (interrupted with a signal, cut) the times are those of the replies, and nothing is
  said about loss.
- hping, httping, arping and fping print lines that look alike; they are other tools.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from hecn_analysis.logs.contract import Findings, Run
from hecn_analysis.logs.source import Line

_N: Final = r"\d{1,12}(?:[.,]\d{1,9})?"
_PER_CENT: Final = r"(?P<loss>\d{1,12}(?:[.,]\d{1,9})?(?:e[-+]\d{1,3})?)\s?%"
_HEADER: Final = re.compile(
    r"\bPING6?(?:\(\d{1,6}=\d{1,6}\+[\d+]{1,20} bytes\) \S{1,100} --> (?P<host6>\S{1,255})"
    r"|\s{1,2}(?P<host>[^\s:(]\S{0,255}?)?:?\s{0,2}\(.{1,300}?[):] \d{1,6}(?:\(\d{1,6}\)| (?:data )?bytes| \S{0,6}data)"
    r"|\s(?P<plain>\S{1,255}): \d{1,6} data bytes)"
    r"|\bPING (?P<glued>[^\s(]{1,255})\(.{1,300}?\) (?:from .{1,120}?: )?\d{1,6} data bytes"
)
_REPLY: Final = re.compile(
    rf"\b(?:icmp_)?[sr]eq[=:]\s?\d{{1,9}}\.?\s(?:(?:ttl|hlim)=\d{{1,3}}\s)?[^\d\s=<]{{1,12}}[=<]\s?"
    rf"(?P<ms>{_N})\.?\s?(?P<unit>ms|msec|usec|us|s)\b"
)
_SILENT: Final = re.compile(
    r"\bicmp_[sr]eq[= ]\d|\bDestination \w{1,10} \w|\bRedirect Host\b|\bbytes from \S"
    r"|^\s{0,40}(?:Vr HL TOS|\d  \d  \d\d \d{4} )"
)
_STATISTICS: Final = re.compile(r"(?<!-)-{3,4} ?(?P<host>.{0,255}?) ?\bping6?\b.{0,40}?-{3,4}", re.IGNORECASE)
_COUNTS: Final = re.compile(
    rf"(?<![\w.])(?P<sent>\d{{1,12}}) packets? transmitted, (?P<received>\d{{1,12}}) (?:packets? )?received\b"
    rf"(?:.{{0,160}}?{_PER_CENT} packet loss|.{{0,60}}?(?P<more>printing up packets))"
)
_COUNTS_TRANSLATED: Final = re.compile(
    rf"(?<![\w.])(?P<sent>\d{{1,12}})\s?[^\d\s,，、]\D{{2,60}}?(?<!\+)(?P<received>\d{{1,12}})\D.{{0,160}}?{_PER_CENT}"
)
_TIME: Final = re.compile(r"%.{2,40}[,，、] ?\D{2,20}(?P<ms>\d{1,12}) ?m?s\b")
_TIMES: Final = re.compile(
    rf"[^\W\d]{{2,8}}/[^\W\d]{{2,9}}/[^\W\d]{{2,8}}\S{{0,12}}\s?[=:]\s{{0,2}}"
    rf"(?P<low>{_N})/(?P<mean>{_N})/(?P<high>{_N})(?:/{_N})?"
    r"(?:\s{0,2}(?P<unit>ms|msec|usec|us|s)\b)?"
)
_OTHER_TOOL: Final = re.compile(
    r"\b(?:[a-oq-z]\w{0,6}|p[a-hj-z]\w{0,6})ping\d?\b.{0,10}\bstatistics?\b|\bconnects\b|unanswered"
)

_WINDOWS_HEADER: Final = re.compile(r"\bPinging (?P<host>\S{1,255}) .{0,300}?with \d{1,5} bytes of data:?")
_WINDOWS_REPLY: Final = re.compile(
    r"[=<]\s{0,2}(?P<ms>\d{1,7})\s?[^\d\s]{1,6}\sTTL=\d{1,3}"
    r"|\bReply from [\da-fA-F:%.]{2,60}: time[=<](?P<ms6>\d{1,7})ms\s*$"
)
_WINDOWS_PACKETS: Final = re.compile(r"\bPackets: Sent =\s{0,3}\d")
_WINDOWS_COUNTS: Final = re.compile(
    r"\S\s?[:：]\s?\D{2,40}?=\s{0,3}(?P<sent>\d{1,9})\D{2,60}?=\s{0,3}(?P<received>\d{1,9})\D{2,60}?=\s{0,3}"
    rf"(?P<lost>\d{{1,9}})\D{{1,60}}?{_PER_CENT}"
)
_WINDOWS_TIMES: Final = re.compile(
    r"\D{2,40}?=\s{0,3}(?P<one>\d{1,7})\s?[^\d\s,]\D{2,60}?=\s{0,3}(?P<two>\d{1,7})\s?[^\d\s,]\D{2,60}?=\s{0,3}"
    r"(?P<three>\d{1,7})\s?[^\d\s]"
)
_FAILED: Final = re.compile(
    r"^[^A-Za-z]{0,40}(?:(?:/[\w.-]{1,40}){0,6}/)?ping6?: (?P<text>(?:unknown host|bad address|cannot resolve|sendmsg"
    r"|sendto|connect|socket|icmp open socket"
    r"|[^\s:]{1,255}: (?:Name or service|Temporary failure|No address|nodename|Unknown host|Address family))\b.{0,300})"
    r"|(?P<windows>Ping request could not find host \S{1,255})"
    r"|^(?P<connect>connect: (?:Network is unreachable|Invalid argument))"
)
_FAR: Final = 4
_LONGEST_HEADING: Final = 400
_PER_SECOND: Final = {"ms": 1e3, "msec": 1e3, "us": 1e6, "usec": 1e6, "s": 1.0}


@dataclass
class _Open:
    """A run that may still get lines."""

    first: int
    last: int
    host: str | None = None
    sure: bool = True
    replies: int = 0
    low: float = math.inf
    high: float = 0.0
    total: float = 0.0
    statistics: int = 0
    text: str = ""
    counted: int = 0
    columns: dict[str, object] | None = None


class Ping:
    """Reader of ping."""

    TOOLS: tuple[str, ...] = ("ping",)
    VERSIONS: str = "Linux iputils, busybox, toybox, BSD, macOS, Junos, Solaris, inetutils; Windows in any language"
    HINTS: tuple[str, ...] = ("ping", "PING", "Ping", "seq=", "req=", "TTL=", "packets transmitted", "= ", "connect: ")

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._open: _Open | None = None
        self._foreign = -_FAR

    def feed(self, line: Line) -> bool:
        """Take a line of ping's."""
        opened = self._open
        if opened is not None and self._findings.command.line > opened.last:
            self._close()
            opened = None
        if opened is not None and opened.statistics and self._after(line, opened):
            return True
        return self._replied(line) or self._heading(line) or self._failure(line) or self._rest(line)

    def finish(self) -> None:
        """The file has ended."""
        self._close()

    def _begin(self, line: Line, host: str | None = None) -> _Open:
        """The open run, or a new one; what only looked like a heading is forgotten a few lines below it."""
        opened = self._open
        if opened is None or (not opened.sure and line.number - opened.last > _FAR):
            opened = self._open = _Open(line.number, line.number, host)
        opened.last = line.number
        return opened

    def _reply(self, line: Line, seconds: float) -> bool:
        if self._open is not None and self._open.columns is not None:
            self._close()
        opened = self._begin(line)
        opened.sure = True
        opened.replies += 1
        opened.total += seconds
        opened.low = min(opened.low, seconds)
        opened.high = max(opened.high, seconds)
        return True

    def _replied(self, line: Line) -> bool:
        """Take a reply."""
        text = line.text
        if "eq" in text and (found := _REPLY.search(text)):
            return "connected to" not in text and self._reply(line, _number(found["ms"]) / _PER_SECOND[found["unit"]])
        if ("TTL=" in text or "Reply from" in text) and (found := _WINDOWS_REPLY.search(text)):
            return self._reply(line, int(found["ms"] or found["ms6"]) / 1e3)
        return False

    def _rest(self, line: Line) -> bool:
        """Take counts without a heading, or what was said instead of a reply."""
        text = line.text
        if "packets transmitted" in text and (found := _COUNTS.search(text)):
            return line.number - self._foreign >= _FAR and self._counts(line, found)
        if _WINDOWS_PACKETS.search(text):
            self._statistics(line, None, sure=True)
            return self._count_lines(line, self._begin(line))
        if self._open is not None and _SILENT.search(text):
            self._begin(line)
            return True
        return False

    def _heading(self, line: Line) -> bool:
        """What begins a run, or its statistics; a heading of Windows in another language proves nothing yet."""
        text = line.text
        if "ing" not in text and "ING" not in text:
            return False
        if "PING" in text and (found := _HEADER.search(text)):
            self._close()
            self._begin(line, next((name for name in found.groups() if name), None))
            return True
        if found := _WINDOWS_HEADER.search(text):
            self._close()
            self._begin(line, found["host"])
            return True
        if _OTHER_TOOL.search(text):
            self._foreign = line.number
            return False
        if "---" in text and (found := _STATISTICS.search(text)):
            self._statistics(line, found["host"].strip() or None, sure=self._open is not None and self._open.sure)
            return True
        if text.rstrip().endswith((":", "：")) and len(text) < _LONGEST_HEADING and "ping" in text.lower():
            self._statistics(line, None, sure=self._open is not None and self._open.sure)
        return False

    def _statistics(self, line: Line, host: str | None, *, sure: bool) -> None:
        """Expect statistics below; a heading is not sure to be ping's where nothing of ping stands above it."""
        if self._open is not None and self._open.columns is not None:
            self._close()
            sure = False
        opened = self._begin(line, host)
        opened.sure = sure
        opened.statistics, opened.text = line.number, ""

    def _after(self, line: Line, opened: _Open) -> bool:
        """Take the counts or the times below the heading of the statistics."""
        if opened.columns is None:
            if line.number - opened.statistics <= _FAR:
                return self._count_lines(line, opened)
            if not opened.sure:
                self._open = None
            return False
        if line.number - opened.counted > _FAR:
            self._close()
            return False
        return self._time_lines(line, opened)

    def _count_lines(self, line: Line, opened: _Open) -> bool:
        """Take the counts, which Windows prints on up to three lines."""
        text = line.text
        if found := _COUNTS.search(text):
            return self._counts(line, found)
        signs = "=" in text or "%" in text
        if opened.sure and "=" not in text and (found := _COUNTS_TRANSLATED.search(text)):
            return not _OTHER_TOOL.search(text) and self._counts(line, found)
        if not signs and not opened.text:
            return False
        opened.text = f"{opened.text} {text.strip()}"[:600] if opened.text else text[:300]
        if found := _WINDOWS_COUNTS.search(opened.text):
            return self._counts(line, found)
        if signs and opened.sure:
            opened.last = line.number
        return signs and opened.sure

    def _time_lines(self, line: Line, opened: _Open) -> bool:
        """Take the times below the counts."""
        if found := _TIMES.search(line.text):
            unit = _PER_SECOND[found["unit"] or "ms"]
            return self._times(line, opened, *(_number(found[name]) / unit for name in ("low", "mean", "high")))
        if "=" in line.text and (found := _WINDOWS_TIMES.match(line.text)):
            low, mean, high = sorted(int(found[name]) / 1e3 for name in ("one", "two", "three"))
            return self._times(line, opened, low, mean, high)
        return False

    def _counts(self, line: Line, found: re.Match[str]) -> bool:
        if self._open is not None and self._open.columns is not None:
            self._close()
        opened = self._begin(line)
        opened.sure = True
        values = found.groupdict()
        sent, received = int(values["sent"]), int(values["received"])
        lost = sent - received
        columns: dict[str, object] = {"tool": "ping", "protocol": "icmp", "label": opened.host, "sent_packets": sent}
        if lost < 0:
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found {received} packets received of {sent} sent, expected no more received than sent; no loss given",
            )
        else:
            columns["lost_packets"] = lost
            columns["loss_fraction"] = lost / sent if sent else None
            self._compare(line, lost / sent if sent else 0.0, values["loss"])
        if took := _TIME.search(line.text, found.start("loss") if values["loss"] else found.end()):
            columns["duration_s"] = int(took["ms"]) / 1e3
        opened.columns, opened.counted, opened.statistics = columns, line.number, opened.statistics or line.number
        return True

    def _compare(self, line: Line, computed: float, printed: str | None) -> None:
        """The printed loss is rounded or cut; more than that is a contradiction."""
        if printed is None:
            return
        places = len(printed.replace(",", ".").partition(".")[2].partition("e")[0])
        slack = 1e-4 if "e" in printed or places > 1 else 10.0**-places
        if abs(_number(printed) - 100 * computed) > slack * 1.001:
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found a loss of {printed} %, expected {100 * computed:.6g} % from the counts; the latter is kept",
            )

    def _times(self, line: Line, opened: _Open, low: float, mean: float, high: float) -> bool:
        columns = opened.columns or {}
        if low <= mean <= high:
            columns |= {"rtt_min_s": low, "rtt_avg_s": mean, "rtt_max_s": high}
        else:
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found times of {low:g}, {mean:g} and {high:g} s, expected smallest, mean, largest; left out",
            )
        opened.last = line.number
        self._close()
        return True

    def _failure(self, line: Line) -> bool:
        """A message instead of a run; inside of a run it is one of the packets that did not get through."""
        if (found := _FAILED.search(line.text)) is None:
            return False
        if self._open is not None and self._open.sure:
            self._begin(line)
            return True
        self._open = None
        message = next(text for text in found.groups() if text).strip()
        self._findings.problem(line.number, "aborted", f"found {message!r}, expected replies and statistics")
        self._findings.run(Run(line.number, line.number, {"tool": "ping", "protocol": "icmp", "error": True}))
        return True

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None or not opened.sure:
            return
        if opened.columns is not None:
            self._findings.run(Run(opened.first, opened.last, opened.columns))
            return
        wanted = "expected '… packets transmitted, … received'"
        if not opened.replies:
            self._findings.problem(
                opened.last, "truncated", f"found no replies and no statistics, {wanted}; no run made"
            )
            return
        self._findings.problem(
            opened.last,
            "truncated",
            f"found {opened.replies} replies and no statistics, {wanted}; times are those of the replies",
        )
        columns: dict[str, object] = {
            "tool": "ping",
            "protocol": "icmp",
            "label": opened.host,
            "rtt_min_s": opened.low,
            "rtt_avg_s": opened.total / opened.replies,
            "rtt_max_s": opened.high,
        }
        self._findings.run(Run(opened.first, opened.last, columns))


def _number(text: str) -> float:
    return float(text.replace(",", "."))
