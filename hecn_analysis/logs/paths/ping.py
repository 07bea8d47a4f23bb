"""Output of ping: round-trip times and loss.

Versions: Linux iputils (2000 to today, in all its translations, and ``-J``), busybox, toybox and Android, FreeBSD,
NetBSD, OpenBSD, macOS, Junos, AIX, HP-UX, IRIX, Solaris, GNU inetutils, Cygwin; Windows in any language; routers of
Cisco, Huawei and MikroTik. ping6 is read as ping.

Units and traps
---------------
- Times are milliseconds, even if the line has no unit ("round-trip (ms)  min/avg/max"). Old versions write "icmp_req=",
  old BSD ones "std-dev", small implementations no deviation at all.
- "+3 errors" and "+19 duplicates" stand between the counts: they count neither as received nor as lost. The times
  include duplicates.
- The printed loss is often truncated to a whole per cent: it is compared, and the fraction is computed from the counts.
- More packets may be received than sent ("somebody's printing up packets!", "2.00 times amplification"): the loss is
  then missing.
- Translations reorder the numbers ("送信パケット数 40, 受信パケット数 30", "%25 kayıp") and translate the unit: the
  first two unsigned numbers are the counts, and an unknown unit of time is milliseconds.
- Windows over IPv6 prints no "TTL": such a reply is read only below its heading. Its three counts must add up.
- MikroTik's "sent=20 received=20 packet-loss=0% …" repeats with growing counts: the last one is read.
- "ping: permission denied" and the like below a heading is an aborted run if no reply came, else one lost packet.
- Windows counts an answer of a router ("Destination host unreachable.") as received; its order is minimum, maximum,
  average. Only "TTL" and "ping" are the same in every language, so its lines are recognised by their numbers; some
  languages spread the counts over two or three lines.
- Without final statistics (a signal, a truncated log) the times are those of the replies, and the loss is missing.
- Simultaneous pings may write into one log: statistics name their host. Without statistics, replies belong to the
  heading above them.
- hping, httping and arping print similar lines; they are other tools and are not read. fping has its own reader.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.losses import loss_columns
from hecn_analysis.logs.rows import matched
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, count

_DECIMAL: Final = re.compile(r"\d{1,12}\.\d{1,9}")
_N: Final = r"\d{1,12}(?:[.,]\d{1,9})?"
_PER_CENT: Final = r"(?P<loss>\d{1,12}(?:[.,]\d{1,9})?(?:e[-+]\d{1,2})?)\s?%"
_ADDRESS: Final = r"(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]{0,4}:[\da-fA-F.]{0,40}:[\da-fA-F:.]{0,60}(?:%\w{1,20})?)"
_MS: Final = r"(?:msec|ms|мсек|мс|毫秒|ミリ秒|მწმ|mts)"
_HEADER: Final = re.compile(
    r"(?<![\"'])\b(?:PING6?|ПІНГ)(?:\(\d{1,6}=\d{1,6}\+[\d+]{1,20} bytes\) \S{1,100} --> (?P<host6>\S{1,255})"
    r"|\s{1,2}(?P<host>[^\s:(]\S{0,255}?)?:?\s{0,2}\((?:(?!PING).){1,120}?[):] (?:[^\s\d]{1,8} )?"
    r"\d{1,6}(?: ?\(\d{1,6}\)| (?:data )?bytes| \S{0,6}data)"
    r"|\s(?P<plain>\S{1,255}): \d{1,6}\s{1,2}data bytes)"
    r"|\bPING (?P<glued>[^\s(]{1,255})\((?:(?!PING).){1,300}?\) (?:from (?:(?!PING).){1,120}?: )?\d{1,6} data bytes"
)
_REPLY: Final = re.compile(
    rf"\b(?:(?:icmp_)?[sr]eq|Sequence|pořadí)\s?[=:]\s?\d{{1,9}}\.?\s(?:(?:ttl|TTL|hlim)\s?=\d{{1,3}}\s)?"
    rf"[^\d\s=<]{{1,12}}[=<]\s?(?P<ms>{_N})\.?\s?(?P<unit>{_MS}|usec|us|s)(?!\w)"
)
_REPLIES: Final = re.compile(
    r"\d{1,6} bytes from \S{1,255}(?: \(\S{1,255}\))?: icmp_[rs]eq[=:]\d{1,9} (?:ttl|hlim)=\d{1,3} "
    r"time=(\d{1,9}(?:\.\d{1,6})?) ms$"
)
_SILENT: Final = re.compile(
    r"\bicmp_[sr]eq[= ]\d|\bDestination \w{1,10} \w|\bRedirect Host\b|\bbytes from \S"
    r"|^\s{0,40}(?:Vr HL TOS|\d  \d  \d\d \d{4} )"
)
_STATISTICS: Final = re.compile(
    r"(?<![^\s:>|\]])-{2,4} ?(?:(?P<host>(?:(?![\s:>|\]]--).){0,255}?) ?\bping6? statistics?\b"
    r"|(?:(?![\s:>|\]]--).){0,255}?(?:\bping|\bпінг|\bპინგ)).{0,255}?-{2,4}",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(
    rf"(?<![\w.\"'])(?P<sent>\d{{1,12}}) packets?(?:\(s\))? transmitted,? (?:[^\d\s]{{1,20}}\s{{1,20}})?"
    rf"(?P<received>\d{{1,12}}) (?:packets?(?:\(s\))? )?received\b"
    rf"(?:.{{0,160}}?{_PER_CENT} (?:packet )?loss|.{{0,60}}?(?P<more>printing up packets|times amplification))"
)
_COUNTS_TRANSLATED: Final = re.compile(
    rf"(?<![\w.])(?P<sent>\d{{1,12}})(?:\s?[^\d\s,，、]\D|,\s)\D{{1,60}}?(?<!\+)(?P<received>\d{{1,12}})(?!\d)"
    rf"(?=[^%]{{0,200}}%).{{0,160}}?(?:{_PER_CENT}|%(?P<loss_after>\d{{1,3}}(?:[.,]\d{{1,9}})?))"
)
_TIME: Final = re.compile(rf"[,，、]\s?[^\d+]{{2,20}}(?P<ms>\d{{1,12}})\s?(?:{_MS}|s)(?!\w)")
_TIMES: Final = re.compile(
    rf"[^\W\d.]\s?[=:]\s{{0,2}}(?P<low>{_N})/(?P<mean>{_N})/(?P<high>{_N})(?:/{_N})?"
    rf"(?:\s{{0,2}}(?P<unit>{_MS}|usec|us|s)(?!\w))?"
)
_OTHER_TOOL: Final = re.compile(
    r"\b(?:[a-oq-z]\w{0,6}|p[a-hj-z]\w{0,6})ping\d?\b.{0,10}\bstatistics?\b|\bconnects\b|unanswered"
)

_WINDOWS_HEADER: Final = re.compile(r"\bPinging (?P<host>\S{1,255}) .{0,300}?with \d{1,5} bytes of data:?")
_WINDOWS_REPLY: Final = re.compile(r"[=<]\s{0,2}(?P<ms>\d{1,7})\s?[^\d\s]{1,6}\sTTL=\d{1,3}")
_WINDOWS_REPLY6: Final = re.compile(
    r"(?<![^\s])[\da-fA-F]{0,4}:[\da-fA-F.]{0,40}:[\da-fA-F:.]{0,60}(?:%\w{1,20})?\D{0,30}?:\s[^\d\s=<]{1,20}\s?[=<]"
    r"(?P<ms>\d{1,7})\s?[^\d\s]{1,6}\s*$"
)
_HOST: Final = re.compile(rf"(?<![\w.-])(?P<name>[\w.-]{{1,255}}+) \[{_ADDRESS}\]|(?<![\w.:]){_ADDRESS}")
_WINDOWS_PACKETS: Final = re.compile(r"\bPackets: Sent =\s{0,3}\d")
_WINDOWS_COUNTS: Final = re.compile(
    r"\S\s?[:：]\s?\D{2,40}?=\s{0,3}(?P<sent>\d{1,9})\D{2,60}?=\s{0,3}(?P<received>\d{1,9})\D{2,60}?=\s{0,3}"
    rf"(?P<lost>\d{{1,9}})\D{{1,60}}?{_PER_CENT}"
)
_WINDOWS_TIMES: Final = re.compile(
    r"\D{2,40}?=\s{0,3}(?P<one>\d{1,7})\s?[^\d\s,]\D{2,60}?=\s{0,3}(?P<two>\d{1,7})\s?[^\d\s,]\D{2,60}?=\s{0,3}"
    r"(?P<three>\d{1,7})\s?[^\d\s]"
)
_CISCO: Final = re.compile(
    r"^\W{0,20}Success rate is (?P<loss>\d{1,3}) percent \((?P<received>\d{1,9})/(?P<sent>\d{1,9})\)"
    rf"(?:, round-trip min/avg/max = (?P<low>{_N})/(?P<mean>{_N})/(?P<high>{_N}) ms)?"
)
_MIKROTIK: Final = re.compile(
    r"\bsent=(?P<sent>\d{1,9}) received=(?P<received>\d{1,9}) packet-loss=(?P<loss>\d{1,3})%"
    r"(?: min-rtt=(?P<low>\w{2,20}) avg-rtt=(?P<mean>\w{2,20}) max-rtt=(?P<high>\w{2,20}))?"
)
_TIMES_ALONE: Final = re.compile(
    r"\b(?:rtt min/avg/max/mdev|round-trip min/avg/max/std-?dev) = "
    rf"(?P<low>{_N})/(?P<mean>{_N})/(?P<high>{_N})/{_N} ms\b"
)
_SPAN: Final = re.compile(r"(?:(?P<s>\d{1,6})s)?(?:(?P<ms>\d{1,6})ms)?(?:(?P<us>\d{1,6})us)?")
_CISCO_HEADER: Final = re.compile(
    r"\bSending \d{1,9}, (?:.{1,40}-byte )?ICMP Echos to (?P<host>[^\s,]{1,255}), timeout is "
)
_FAILED: Final = re.compile(
    r"^[^A-Za-z]{0,40}(?:(?:/[\w.-]{1,40}){0,6}/)?ping6?: (?P<text>(?:unknown host|bad address|cannot resolve|sendmsg"
    r"|sendto|connect|socket|icmp open socket|permission denied|sending packet|wrote \S{1,255} \d|local error"
    r"|[Ll]acking privilege|SO_BINDTODEVICE|bind"
    r"|[^\s:]{1,255}: (?:Name (?:or service|does not)|Temporary failure|No address|nodename|hostname nor"
    r"|[Uu]nknown host|Address family|Non-recoverable))\b.{0,300})"
    r"|(?P<windows>Ping request could not find host \S{1,255})"
    r"|^(?P<connect>connect: (?:Network is unreachable|Invalid argument))"
)
_FAR: Final = 4
_MOST_NUMBERS: Final = 8
_SAME_TIME: Final = 50
_MOST_PARALLEL: Final = 1000
_LONGEST_HEADING: Final = 400
_PER_SECOND: Final = {"us": 1e6, "usec": 1e6, "s": 1.0}
_SPANS: Final = {"s": 1.0, "ms": 1e3, "us": 1e6}
_PER_SECOND_OTHERWISE: Final = 1e3


@dataclass
class _OpenRun:
    """A run that may still get lines."""

    first: int
    last: int
    host: str | None = None
    sure: bool = True
    titled: bool = False
    replies: int = 0
    low: float = math.inf
    high: float = 0.0
    total: float = 0.0
    statistics: int = 0
    text: str = ""
    failed: str = ""
    counted: int = 0
    columns: dict[str, object] | None = None


class Ping(DocumentReader):
    """Reader of ping."""

    TOOLS: tuple[str, ...] = ("ping",)
    VERSIONS: str = "Linux iputils, busybox, toybox, BSD, macOS, Junos, Solaris, inetutils; Windows in any language"
    HINTS: tuple[str, ...] = (
        "ping",
        "PING",
        "Ping",
        "ПІНГ",
        "seq=",
        "req=",
        "TTL=",
        "packets transmitted",
        *(f"= {first}" for first in " 0123456789"),
        "connect: ",
        "Success rate",
        "ICMP Echos",
        "packet-loss=",
        "min/avg/max",
    )
    DOCUMENTS: tuple[frozenset[str], ...] = (frozenset({"host", "transmitted", "received", "loss", "time"}),)

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._open: _OpenRun | None = None
        self._foreign = -_FAR
        self._parallel: dict[str, _OpenRun] = {}

    def feed(self, line: Line) -> bool:
        """Take a line of ping's."""
        opened = self._open
        if opened is not None and opened.statistics and self._after(line, opened):
            return True
        return self._replied(line) or self._heading(line) or self._failure(line) or self._rest(line)

    def rows(self, texts: Sequence[str], numbers: Sequence[int], start: int) -> int:
        """Take the plain replies that follow others."""
        opened = self._open
        if opened is None or not opened.replies or opened.columns is not None or opened.statistics:
            return 0
        taken, milliseconds = matched(_REPLIES, texts, start)
        if taken:
            seconds = [float(text) / 1e3 for text in milliseconds]
            opened.replies += taken
            opened.total += sum(seconds)
            opened.low, opened.high = min([opened.low, *seconds]), max([opened.high, *seconds])
            opened.last = numbers[start + taken - 1]
        return taken

    def finish(self) -> None:
        """The output has ended."""
        self._close()
        parallel, self._parallel = self._parallel, {}
        for opened in parallel.values():
            self._open = opened
            self._close()

    def take(self, document: JsonDocument) -> bool:
        """Take the statistics of iputils' ``-J``."""
        value = document.value
        sent, received, time = (count(value[name]) for name in ("transmitted", "received", "time"))
        if sent is None or received is None or not isinstance(value["host"], str):
            return False
        self._close()
        columns: dict[str, object] = {"tool": "ping", "protocol": "icmp", "label": value["host"], "sent_packets": sent}
        columns |= loss_columns(sent, received)
        columns["duration_s"] = None if time is None else time / 1e3
        for name, column in (("min", "rtt_min_s"), ("avg", "rtt_avg_s"), ("max", "rtt_max_s")):
            milliseconds = at(value, "rtt", name)
            if isinstance(milliseconds, str) and _DECIMAL.fullmatch(milliseconds):
                columns[column] = float(milliseconds) / 1e3
        self.findings.run(Run(document.first, document.last, columns))
        return True

    def _begin(self, line: Line, host: str | None = None) -> _OpenRun:
        """Return the open run, or a new one if the last heading led to nothing within a few lines."""
        opened = self._open
        if opened is None or (not opened.sure and line.number - opened.last > _FAR):
            opened = self._open = _OpenRun(line.number, line.number)
        opened.last, opened.host = line.number, opened.host or host
        return opened

    def _reply(self, line: Line, seconds: float) -> bool:
        if self._open is not None and self._open.columns is not None:
            self._close()
        if self._open is None and self._parallel:
            host, last = next(reversed(self._parallel.items()))
            if line.number - last.last <= _SAME_TIME:
                self._open = self._parallel.pop(host)
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
        if ("eq" in text or "TTL=" in text) and (match := _REPLY.search(text)):
            quoted = self._open is None and ('"' in text or "'" in text)
            return not quoted and "connected to" not in text and self._reply(line, _seconds(match["ms"], match["unit"]))
        if "TTL=" in text and (match := _WINDOWS_REPLY.search(text)):
            return self._reply(line, int(match["ms"]) / 1e3)
        if ("Reply from" in text or self._open is not None) and (match := _WINDOWS_REPLY6.search(text)):
            return self._reply(line, int(match["ms"]) / 1e3)
        return False

    def _rest(self, line: Line) -> bool:
        """Take counts without a heading, or a message in place of a reply."""
        text = line.text
        if "packets transmitted" in text and (match := _COUNTS.search(text)):
            return line.number - self._foreign >= _FAR and self._counts(line, match)
        if "Packets" in text and _WINDOWS_PACKETS.search(text):
            self._statistics(line, None, sure=True)
            return self._count_lines(line, self._begin(line))
        if self._one_line(line):
            return True
        if self._open is not None and _SILENT.search(text):
            self._begin(line)
            return True
        return False

    def _one_line(self, line: Line) -> bool:
        """Take a result on one line: that of a router, or times without their counts."""
        text = line.text
        if "Success rate" in text and (match := _CISCO.match(text)):
            return self._router(line, match, *(_number(match[name] or "0") / 1e3 for name in ("low", "mean", "high")))
        if "packet-loss=" in text and (match := _MIKROTIK.search(text)):
            return self._router(line, match, *(_span(match[name]) for name in ("low", "mean", "high")), more=True)
        if self._open is None and "min/avg/max" in text and (match := _TIMES_ALONE.search(text)):
            return self._alone(line, match)
        return False

    def _heading(self, line: Line) -> bool:
        """Take the heading of a run or of its statistics; one of Windows in another language is unconfirmed."""
        text = line.text
        if "--" in text and (match := _statistics(text)) and not _OTHER_TOOL.search(text):
            host = (match["host"] or "").strip() or None
            self._statistics(line, host, sure=self._is_sure(), titled=True)
            if host is not None and self._open is not None:
                self._open.host = host
            if counts := _COUNTS.search(text, match.end()):  # all on one line, as scripts print it
                self._counts(line, counts)
            return True
        if not any(word in text for word in ("ing", "ING", "ІНГ", "Echos")):
            return False
        header = _header(text)
        if header is not None:
            self._set_aside()
            self._begin(line, next((name for name in header.groups() if name), None))
            return True
        if "ping" in text and _OTHER_TOOL.search(text):
            self._foreign = line.number
        elif text.rstrip().endswith((":", "：")) and len(text) < _LONGEST_HEADING and "ping" in text.lower():
            named = _HOST.search(text)
            self._statistics(
                line, (named["name"] or named[0].removesuffix(":")) if named else None, sure=self._is_sure()
            )
            return named is not None
        return False

    def _set_aside(self) -> None:
        """Set aside a run whose statistics may still follow those of a simultaneous ping."""
        opened = self._open
        if opened is None or opened.columns is not None or opened.host is None or not opened.sure:
            self._close()
            return
        self._open = self._parallel.pop(opened.host, None)
        self._close()
        if len(self._parallel) >= _MOST_PARALLEL:
            self._open = self._parallel.pop(next(iter(self._parallel)))
            self._close()
        self._parallel[opened.host] = opened

    def _is_sure(self) -> bool:
        return self._open is not None and self._open.sure

    def _statistics(self, line: Line, host: str | None, *, sure: bool, titled: bool = False) -> None:
        """Expect statistics below; the heading is unconfirmed if no line of ping precedes it.

        One between dashes (``titled``) is confirmed by counts on the next line.
        """
        if host is not None and host in self._parallel:
            self._set_aside()
            self._open, sure = self._parallel.pop(host), True
        if self._open is not None and self._open.columns is not None:
            self._close()
            sure = False
        opened = self._begin(line, host)
        opened.sure, opened.titled = sure, titled
        opened.statistics, opened.text = line.number, ""

    def _after(self, line: Line, opened: _OpenRun) -> bool:
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

    def _count_lines(self, line: Line, opened: _OpenRun) -> bool:
        """Take the counts, which Windows prints on up to three lines."""
        text = line.text
        if match := _COUNTS.search(text):
            return self._counts(line, match)
        signs = "=" in text or "%" in text or "packet(s)" in text
        is_below = opened.sure or (opened.titled and line.number == opened.statistics + 1)
        if is_below and "=" not in text and "packet(s)" not in text and (match := _translated(text)):
            return not _OTHER_TOOL.search(text) and self._counts(line, match)
        if not signs and not opened.text:
            return False
        opened.text = f"{opened.text} {text.strip()}"[:600] if opened.text else text[:300]
        match = _COUNTS.search(opened.text) or _WINDOWS_COUNTS.search(opened.text)
        if match is None:
            if signs and opened.sure:
                opened.last = line.number
            return signs and opened.sure
        lost = match.groupdict().get("lost")
        if not opened.sure and lost is not None and int(match["sent"]) != int(match["received"]) + int(lost):
            return False
        return self._counts(line, match)

    def _time_lines(self, line: Line, opened: _OpenRun) -> bool:
        """Take the times below the counts."""
        if match := _TIMES.search(line.text):
            times = (_seconds(match[name], match["unit"]) for name in ("low", "mean", "high"))
            return self._times(line, opened, *times)
        if "=" in line.text and (match := _WINDOWS_TIMES.match(line.text)):
            low, mean, high = sorted(int(match[name]) / 1e3 for name in ("one", "two", "three"))
            return self._times(line, opened, low, mean, high)
        return False

    def _counts(self, line: Line, match: re.Match[str]) -> bool:
        if self._open is not None and self._open.columns is not None:
            self._close()
        opened = self._begin(line)
        opened.sure = True
        values = match.groupdict()
        sent, received = int(values["sent"]), int(values["received"])
        lost = sent - received
        columns: dict[str, object] = {"tool": "ping", "protocol": "icmp", "label": opened.host, "sent_packets": sent}
        if lost < 0:
            self.findings.problem(
                line.number,
                "inconsistent",
                f"found {received} packets received of {sent} sent, expected no more received than sent; no loss given",
            )
        else:
            columns |= loss_columns(sent, received)
            self._compare(line, lost / sent if sent else 0.0, values["loss"] or values.get("loss_after"))
        if took := _TIME.search(line.text, match.end()):
            columns["duration_s"] = int(took["ms"]) / 1e3
        opened.columns, opened.counted, opened.statistics = columns, line.number, opened.statistics or line.number
        if _TIMES.search(line.text, match.end()):
            self._time_lines(line, opened)
        return True

    def _alone(self, line: Line, match: re.Match[str]) -> bool:
        """Take times without their counts, as left by ``tail -1``."""
        self.findings.problem(
            line.number, "truncated", "found times alone, expected '… packets transmitted, … received' above them"
        )
        opened = self._begin(line)
        opened.sure, opened.columns = True, {"tool": "ping", "protocol": "icmp"}
        return self._times(line, opened, *(_number(match[name]) / 1e3 for name in ("low", "mean", "high")))

    def _router(
        self, line: Line, match: re.Match[str], low: float, mean: float, high: float, *, more: bool = False
    ) -> bool:
        """Take the result of IOS or RouterOS, which have no heading; the latter repeats it while it runs."""
        sent, received = int(match["sent"]), int(match["received"])
        before = self._open.columns if self._open is not None else None
        if before is not None and not (more and isinstance(was := before["sent_packets"], int) and was < sent):
            self._close()
        opened = self._begin(line)
        opened.sure = True
        columns: dict[str, object] = {"tool": "ping", "protocol": "icmp", "label": opened.host, "sent_packets": sent}
        columns |= loss_columns(sent, received)
        opened.columns = columns
        if match["low"]:
            columns |= {"rtt_min_s": low, "rtt_avg_s": mean, "rtt_max_s": high}
        if not more:
            self._close()
        return True

    def _compare(self, line: Line, computed: float, printed: str | None) -> None:
        """Report a printed loss that differs from the counts by more than rounding or truncation."""
        if printed is None:
            return
        places = len(printed.replace(",", ".").partition(".")[2].partition("e")[0])
        slack = 1e-4 if "e" in printed else 10.0**-places
        if abs(_number(printed) - 100 * computed) > slack * 1.001:
            self.findings.problem(
                line.number,
                "inconsistent",
                f"found a loss of {printed} %, expected {100 * computed:.6g} % from the counts; the latter is kept",
            )

    def _times(self, line: Line, opened: _OpenRun, low: float, mean: float, high: float) -> bool:
        columns = opened.columns or {}
        if low <= mean <= high:
            columns |= {"rtt_min_s": low, "rtt_avg_s": mean, "rtt_max_s": high}
        else:
            self.findings.problem(
                line.number,
                "inconsistent",
                f"found times of {low:g}, {mean:g} and {high:g} s, expected smallest, mean, largest; left out",
            )
        opened.last = line.number
        self._close()
        return True

    def _failure(self, line: Line) -> bool:
        """Take an error: an aborted run, or inside a run one lost packet."""
        if not any(word in line.text for word in ("ping", "Ping", "connect: ")):
            return False
        if (match := _FAILED.search(line.text)) is None:
            return False
        message = next(text for text in match.groups() if text).strip()
        if self._open is not None and self._open.sure:
            self._begin(line).failed = message
            return True
        self._open = None
        self.findings.problem(line.number, "aborted", f"found {message!r}, expected replies and statistics")
        self.findings.run(Run(line.number, line.number, {"tool": "ping", "protocol": "icmp", "error": True}))
        return True

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None or not opened.sure:
            return
        if opened.columns is not None:
            self.findings.run(Run(opened.first, opened.last, opened.columns))
            return
        wanted = "expected '… packets transmitted, … received'"
        if opened.failed and not opened.replies:
            self.findings.problem(opened.last, "aborted", f"found {opened.failed!r}, expected replies and statistics")
            failed: dict[str, object] = {"tool": "ping", "protocol": "icmp", "label": opened.host, "error": True}
            self.findings.run(Run(opened.first, opened.last, failed))
            return
        if not opened.replies:
            self.findings.problem(
                opened.last, "truncated", f"found no replies and no statistics, {wanted}; no run made"
            )
            return
        self.findings.problem(
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
        self.findings.run(Run(opened.first, opened.last, columns))


def _header(text: str) -> re.Match[str] | None:
    """Return the heading of a run of any kind."""
    if "PING" in text or "ПІНГ" in text:
        return _HEADER.search(text)
    if "Pinging" in text:
        return _WINDOWS_HEADER.search(text)
    return _CISCO_HEADER.search(text) if "ICMP Echos" in text else None


def _statistics(text: str) -> re.Match[str] | None:
    """Return the heading of statistics: ping in any language between two rows of dashes."""
    known = text.count("--") > 1 and any(word in text for word in ("ping", "PING", "Ping", "пінг", "პინგ"))
    return _STATISTICS.search(text) if known else None


def _translated(text: str) -> re.Match[str] | None:
    """Return counts in any language: the first that agree with the loss, else the first."""
    first = match = _COUNTS_TRANSLATED.search(text) if "%" in text else None
    for _ in range(_MOST_NUMBERS):
        if match is None:
            return first
        sent, received = int(match["sent"]), int(match["received"])
        loss = _number(match["loss"] or match["loss_after"])
        if 0 < sent >= received and abs(100 * (sent - received) / sent - loss) <= 1:
            return match
        match = _COUNTS_TRANSLATED.search(text, match.end("sent"))
    return first


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _span(text: str | None) -> float:
    """Return the time of a text such as ``9ms350us``, 0 if it is empty."""
    match = _SPAN.fullmatch(text or "")
    return sum(int(match[unit] or 0) / worth for unit, worth in _SPANS.items()) if match else 0.0


def _seconds(text: str, unit: str | None) -> float:
    """Return a time [s]; without a unit, or with an unknown one, it is in milliseconds."""
    return _number(text) / _PER_SECOND.get(unit or "", _PER_SECOND_OTHERWISE)
