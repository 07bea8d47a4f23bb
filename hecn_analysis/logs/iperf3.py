"""Output of iperf3 (ESnet): memory to memory over TCP, UDP or SCTP; text, JSON and JSON stream.

Versions 3.0 to 3.20, from the source code and from runs of 3.12: client and server, one or several streams (``-P``),
``-R``, ``--bidir``, ``-O``, ``-V``, ``--get-server-output``, ``-J``, ``--json-stream``, interrupted and failed runs.
The text of iperf 2 looks alike and is read by `hecn_analysis.logs.iperf2`: iperf3 writes two decimals of a second in a
field of six characters, and ends its results in ``sender`` or ``receiver``.

Units and traps
---------------
- KBytes, MBytes, GBytes of an amount, of the congestion window and of a rate (``-f M``) are powers of 1024; Kbits,
  Mbits, Gbits powers of 1000. JSON has bytes, bit/s, milliseconds of jitter, microseconds of round-trip time and per
  cent of one core.
- With ``-P`` the run is ``[SUM]``; ``--bidir`` makes two runs, what this host sends first. The rows of ``TX-C`` and
  ``TX-S`` are sent by the host that wrote the log.
- The throughput is that of the receiver's row. A server prints only its own end: its ``sender`` row is then the
  sender's figure, and there is no throughput. Servers before 3.2 print a ``sender`` row of zeros, and an interrupted
  client a ``receiver`` row of zeros: such a row says that the figure is not known.
- UDP before 3.2, and ``sum`` of the JSON where there is no ``sum_received``: one row with the rate that was sent and
  the loss that was received. It is taken for the throughput; where packets were lost, a problem says so. The server
  prints zero bytes in that row: no rate then.
- ``(omitted)`` intervals are no part of the run, and left out.
- A client killed by a signal ends with a result; its last interval may be printed twice.
- ``Server output:`` repeats the run as the server saw it: it is not a second run.
- ``(sender statistics not available)`` stands in place of a row.
- The loss is computed from the packets. The packets that were sent are those of the receiver's row.
- In a JSON stream the error comes before the end; ``--json-stream-full-output`` prints the whole document after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.logs.contract import Array, Command, Findings, Run
from hecn_analysis.logs.json_documents import Document, DocumentReader, at, count, number
from hecn_analysis.logs.source import Line

_N: Final = r"\d{1,18}(?:\.\d{1,6})?"
_ROW: Final = re.compile(
    r"\[ {0,4}(\d{1,5}|SUM)\](?:\[([RT]X-[CS])\])?(\s{1,12})(\d{1,7}\.\d\d)-(\d{1,7}\.\d\d)\s{0,8}sec"
    rf"\s{{1,12}}({_N}) {{1,3}}([KMGTPE]?)Bytes\s{{1,12}}({_N}) {{1,3}}([KMGTPE]?)(bits|Bytes)/sec"
    rf"(?:\s{{1,30}}(\d{{1,18}})(?:\s{{1,12}}({_N}) ([KMGTPE]?)Bytes)?(?=\s|$))?"
    rf"(?:\s{{1,12}}({_N}) ms\s{{1,8}}(-?\d{{1,18}}|Unknown)/ {{0,8}}(-?\d{{1,18}})(?: ?\([^)\s]{{1,12}}%\))?)?"
    r"\s{0,30}(sender|receiver|\(omitted\))?\s{0,12}$"
)
_LIKE_ROW: Final = re.compile(
    r"\[ {0,4}(?:\d{1,5}|SUM)\](?:\[[RT]X-[CS]\])?\s{1,12}-?\d{1,7}\.\d\d?-.{0,40}(?:sec|$).{0,200}$"
)
_ID, _ROLE, _GAP, _START, _END, _AMOUNT, _SCALE, _RATE, _RATE_SCALE, _RATE_UNIT = range(10)
_COUNTED, _WINDOW, _WINDOW_SCALE, _JITTER, _LOST, _PACKETS, _WORD = range(10, 17)
_HEADING: Final = re.compile(r"\[ ID\](?P<role>\[Role\])?\s{1,12}Interval(?P<gap>\s{1,30})Transfer\s")
_OTHER_HEADING: Final = re.compile(r"Write/Err|Reads|Latency|PPS|NetPwr")
_VERSION: Final = re.compile(r"(?:^|\s)iperf (?P<version>3\.\d\S{0,30})\s*(?:\(|$)")
_TIME: Final = re.compile(r"\s*Time: (?P<time>\w{3}, \d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d \w{1,5})\s*$")
_CPU: Final = re.compile(r"(?P<where>local|remote)/(?P<end>sender|receiver) (?P<percent>\d{1,9}(?:\.\d{1,6})?)%")
_MESSAGE: Final = re.compile(r"(?:^|[\s/>])iperf3: (?P<text>\S.{0,400})")
_FAILURE: Final = re.compile(
    r"error - |interrupt - |the (?:client|server) has |unrecognized option|option requires|parameter error"
)
_ALONE: Final = re.compile(
    r"unable to connect|busy|option|parameter|unable to (?:start listener|create a new test)|only one test end|"
    r"must |cannot |bad |invalid |too (?:large|small)|not (?:implemented|supported)"
)
_ANSWERS: Final = re.compile(
    r"(?:unable to|control socket|the (?:client|server) |interrupt - |error - |test |stream |select failed|"
    r"idle timeout|parameter|some option|bad |invalid |this OS|cannot |only one |only |must |int_errno|total required|"
    r"no SCTP|skew|protocol does not|received an unknown|server test duration|client's requested|server |an option)"
)
_CHATTER: Final = re.compile(
    r"^\W{0,4}(?:- - - -|-{20,}|Test Complete|Starting Test:|Reverse mode|Server listening on \d|snd_tcp_cong|"
    r"rcv_tcp_cong|CPU Utilization|Control connection|\s*Cookie:|\s*TCP MSS|\s*Target Bitrate|Linux |Darwin |FreeBSD |"
    r"CYGWIN|Windows|\s*(?:Sent|Received)\s*$)|\[ {0,4}(?:\d{1,5}|SUM)\].{0,60}(?:Sent \d|out-of-order|not available\)|"
    r"local .{1,120} port \d)|WARNING: |warning: |^iperf Done\."
)
_WORD_LINE: Final = re.compile(r"\s*(?P<word>Sent|Received)\s*$")
_POWERS: Final = {letter: power for power, letter in enumerate("KMGTPE", start=1)} | {"": 0}

Groups = tuple[str | Any, ...]
_Row = tuple[int, Groups]


@dataclass
class _Side:
    """One direction of a run."""

    ids: list[str] = field(default_factory=list)
    rows: list[_Row] = field(default_factory=list)
    latest: dict[str, tuple[str, str]] = field(default_factory=dict)
    finals: dict[tuple[str, str], _Row] = field(default_factory=dict)


@dataclass
class _Open:
    """A run under way."""

    first: int
    last: int
    command: Command
    client: bool | None = None
    reverse: bool = False
    version: str | None = None
    start_time: pd.Timestamp | None = None
    counts: str = ""
    udp: bool = False
    other_protocol: bool = False
    separated: bool = False
    summary: bool = False
    word: str = ""
    interrupted: bool = False
    failed: bool = False
    sides: dict[str, _Side] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    first_end: str | None = None
    has_finals: bool = False
    has_rows: bool = False


class Iperf3(DocumentReader):
    """Reader of iperf3."""

    TOOLS: tuple[str, ...] = ("iperf3",)
    VERSIONS: str = "3.0 to 3.20, text, JSON and JSON stream"
    HINTS: tuple[str, ...] = (
        "its/sec",
        "ytes/sec",
        "[ ID]",
        "iperf",
        "Connecting to host",
        "Accepted connection from",
        "connected to",
        "sec ",
    )
    DOCUMENTS: tuple[frozenset[str], ...] = (
        frozenset({"start", "intervals"}),
        frozenset({"start", "error"}),
        frozenset({"start", "end"}),
        frozenset({"error"}),
        frozenset({"event", "data"}),
        frozenset({"start"}),
    )

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings)
        self._open: _Open | None = None
        self._early: tuple[int, str] | None = None
        self._server_part = False
        self._streamed: _Streamed | None = None
        self._cookie = ""

    # --- text

    def feed(self, line: Line) -> bool:
        """Take a line of iperf3's."""
        text, opened = line.text, self._open
        if opened is not None and opened.last < self.findings.command.line < line.number:
            self._close()
            opened = None
        if self._server_part:
            return self._in_server_part(line)
        if "sec" in text and "]" in text:
            row = _ROW.search(text)
            if row is not None:
                groups = row.groups()
                return self._next_interval(line.number, groups) or self._row(line, groups, row.start())
            if opened is not None and opened.counts != "" and _LIKE_ROW.search(text) and "out-of-order" not in text:
                return self._damaged(line)
        return self._heading(line) or self._beginning(line) or self._message(line) or self._other(line)

    def finish(self) -> None:
        """The file has ended."""
        self._close()
        if self._early is not None:
            self._failed_run(*self._early)
        if self._streamed is not None:
            self._end_stream()

    def _begin(self, number: int) -> _Open:
        early = self._early
        if early is not None and number > early[0] + 1:
            self._failed_run(*early)
        if self._open is None:
            self._open = _Open(number, number, self.findings.command)
            if self._early is not None:
                # the output was held back and the error was not: they are one run
                self._open.first = self._early[0]
                self._open.failed = self._open.interrupted = True
                self._early = None
        self._open.last = number
        return self._open

    def _next_interval(self, number: int, groups: Groups) -> bool:
        """Take an interval of a stream that has some already, as most rows are; anything else is left to `_row`."""
        opened = self._open
        if opened is None or groups[_WORD] is not None or opened.summary or opened.has_finals:
            return False
        side = opened.sides.get(groups[_ROLE] or "")
        span, key = (groups[_START], groups[_END]), groups[_ID]
        if side is None or side.latest.get(key, span) == span:
            return False
        side.latest[key] = span
        side.rows.append((number, groups))
        opened.last = number
        opened.separated = False
        return True

    def _row(self, line: Line, groups: Groups, position: int) -> bool:
        """Take an interval, or a row of the result."""
        opened, word = self._open, groups[_WORD]
        if opened is None and len(groups[_GAP]) < 2 and word not in {"sender", "receiver"} and groups[_ROLE] is None:
            return False
        if position > 80:
            return False
        key = groups[_ID]
        final = word in {"sender", "receiver"} or (opened is not None and opened.summary and word is None)
        label = (word or (opened.word if opened else "")) if final else ""
        if opened is not None:
            side = opened.sides.get(groups[_ROLE] or "")
            repeated = final and side is not None and (key, label) in side.finals
            if repeated or (not final and opened.has_finals):
                self._close()
        opened = self._begin(line.number)
        opened.separated = False
        side = opened.sides.setdefault(groups[_ROLE] or "", _Side())
        if key != "SUM" and key not in side.ids:
            side.ids.append(key)
        if groups[_JITTER] is not None:
            opened.udp = True
        if final:
            opened.has_finals = True
            side.finals[key, label] = (line.number, groups)
        elif word is None:
            span = (groups[_START], groups[_END])
            if side.latest.get(key) != span:
                side.latest[key] = span
                side.rows.append((line.number, groups))
                opened.has_rows = True
        return True

    def _damaged(self, line: Line) -> bool:
        kind = "malformed" if line.complete else "truncated"
        self.findings.problem(
            line.number,
            kind,
            f"found {line.text.strip()[:200]!r}, expected '[ ID] … sec … Bytes … bits/sec …'; left out",
        )
        self._begin(line.number)
        return True

    def _heading(self, line: Line) -> bool:
        """Take the heading of the intervals or of the result."""
        found = _HEADING.search(line.text) if "[ ID]" in line.text else None
        if found is None or _OTHER_HEADING.search(line.text):
            return False
        opened = self._open
        ours = "Bitrate" in line.text or found["role"] is not None or len(found["gap"]) > 8
        if not ours and (opened is None or opened.counts != ""):
            return False
        if opened is not None:
            again = opened.has_rows and not opened.separated and line.number > opened.last + 1
            if opened.has_finals or again:
                self._close()
        above = self.findings.recent[-1] if self.findings.recent else None
        excerpt = self._open is None and above is not None and "- - - -" in above.text
        opened = self._begin(line.number)
        opened.summary = (opened.separated and opened.has_rows) or (
            excerpt and above is not None and above.number == line.number - 1
        )
        opened.separated = False
        opened.counts = "retransmits" if "Retr" in line.text else "packets"
        opened.first_end = opened.first_end or (
            "send" if "Cwnd" in line.text or " Total Datagrams" in line.text else None
        )
        opened.udp = opened.udp or "Datagrams" in line.text
        return True

    def _beginning(self, line: Line) -> bool:
        """Take a line that stands in front of the intervals."""
        text = line.text
        if "Connecting to host " in text or "Accepted connection from " in text:
            if self._open is not None and (self._open.has_rows or self._open.client is not None):
                self._close()
            self._begin(line.number).client = "Connecting" in text
            return True
        if (found := _VERSION.search(text)) is not None and "iperf 3" in text:
            if self._open is not None and (self._open.has_rows or self._open.has_finals):
                self._close()
            self._begin(line.number).version = found["version"]
            return True
        if "] local " in text and " connected to " in text:
            if self._open is not None and self._open.has_finals:
                self._close()
            if self._open is None and "[" not in text[:4]:
                return False
            self._begin(line.number)
            return True
        return False

    def _message(self, line: Line) -> bool:
        """Take an error or a warning."""
        found = _MESSAGE.search(line.text) if "iperf3: " in line.text else None
        if found is None:
            return False
        text = found["text"].strip()
        if not _FAILURE.match(text):
            return self._open is not None or "warning" in text.lower() or "OUT OF ORDER" in text
        opened = self._open
        if opened is None and text.startswith("interrupt - the server"):
            return True
        self.findings.problem(line.number, "aborted", f"found {text!r}, expected a result")
        if opened is not None and not _ALONE.search(text):
            opened.last = line.number
            opened.failed = True
            opened.interrupted = True
        elif _ALONE.search(text):
            self._close()
            self._failed_run(line.number, text)
        else:
            if self._early is not None:
                self._failed_run(*self._early)
            self._early = (line.number, text)
        return True

    def _failed_run(self, number: int, _: str) -> None:
        self._early = None
        self.findings.run(Run(number, number, {"tool": "iperf3", "error": True}))

    def _other(self, line: Line) -> bool:
        """Take what else iperf3 prints around a run."""
        opened, text = self._open, line.text
        if opened is None:
            return False
        if text.startswith(("Server output:", "Server JSON output:")):
            self._server_part = True
            opened.last = line.number
            return True
        if (found := _TIME.match(text)) is not None:
            opened.start_time = _time(found["time"])
        elif not _CHATTER.search(text):
            return False
        opened.separated = "- - - -" in text or ("Test Complete" in text and opened.separated)
        if "Server listening on" in text:
            self._close()
            return True
        opened.last = line.number
        self._about_the_run(opened, text)
        if text.startswith("iperf Done"):
            self._close()
        return True

    def _about_the_run(self, opened: _Open, text: str) -> None:
        """Note what a line between the rows says."""
        opened.reverse = opened.reverse or "Reverse mode" in text
        opened.other_protocol = opened.other_protocol or "protocol: SCTP" in text
        opened.udp = opened.udp or "protocol: UDP" in text
        if text.lstrip().startswith("CPU Utilization") and not opened.cpu:
            for end in _CPU.finditer(text):
                opened.cpu[end["where"]] = float(end["percent"]) / 100
                if end["where"] == "local":
                    opened.first_end = opened.first_end or ("send" if end["end"] == "sender" else "receive")
        if (words := _WORD_LINE.match(text)) is not None and opened.has_rows:
            opened.summary = True
            opened.word = "sender" if words["word"] == "Sent" else "receiver"

    def _in_server_part(self, line: Line) -> bool:
        """Pass over what the server printed about the same run."""
        opened, text = self._open, line.text
        if opened is None or text.startswith(("iperf Done", "Connecting to host")):
            self._server_part = False
            return self.feed(line) if opened is not None else False
        row = _ROW.search(text) if "sec" in text else None
        ours = row is not None or _HEADING.search(text) or _CHATTER.search(text) or "Accepted connection" in text
        if not ours and not _VERSION.search(text) and not _TIME.match(text) and "iperf3: " not in text:
            self._server_part = False
            return self.feed(line)
        opened.last = line.number
        if row is not None and row[_WORD + 1] == "receiver":
            side = opened.sides.get(row[_ROLE + 1] or "")
            key = "SUM" if row[1] == "SUM" else side.ids[0] if side is not None and len(side.ids) == 1 else row[1]
            if side is not None and not any(word == "receiver" for _, word in side.finals):
                side.finals[key, "receiver"] = (line.number, row.groups())
        return True

    # --- runs of text

    def _close(self) -> None:
        opened, self._open = self._open, None
        self._server_part = False
        if opened is None:
            return
        if not opened.sides:
            if opened.failed:
                self._hand_over(opened, "", _Side())
            elif opened.client is not None or opened.counts != "":
                self.findings.problem(
                    opened.last, "truncated", "found the beginning of a run of iperf3 and no figures; no run made"
                )
            return
        for role in sorted(opened.sides, key=lambda role: role.startswith("RX")):
            self._hand_over(opened, role, opened.sides[role])

    def _hand_over(self, opened: _Open, role: str, side: _Side) -> None:
        columns: dict[str, object] = {
            "tool": "iperf3",
            "tool_version": opened.version,
            "protocol": None if opened.other_protocol or not opened.sides else "udp" if opened.udp else "tcp",
            "direction": _direction(opened, role),
            "start_time": opened.start_time,
            "streams": len(side.ids) or None,
            "error": opened.failed,
        }
        key = side.ids[0] if len(side.ids) == 1 and ("SUM", "") not in side.finals else "SUM"
        sender, receiver, both = (side.finals.get((key, word)) for word in ("sender", "receiver", ""))
        if opened.sides and not side.finals:
            self.findings.problem(
                opened.last, "truncated", "found intervals and no result of iperf3; the run has no figures"
            )
        elif side.finals and sender is receiver is both is None:
            self.findings.problem(
                opened.last, "truncated", "found results of several streams and no '[SUM]'; the run has no figures"
            )
        if both is not None:
            columns |= self._mixed(both, side, opened)
        elif sender is not None or receiver is not None:
            if receiver is None and opened.client and not opened.failed:
                self.findings.problem(opened.last, "truncated", "found no row 'receiver'; the throughput is missing")
            sender, receiver = self._known(opened, sender, receiver)
            columns |= _ends(opened, sender, receiver)
        local = columns["direction"]
        if local in {"send", "receive"}:
            ends = ("local", "remote") if local == "send" else ("remote", "local")
            columns["cpu_sender_fraction"], columns["cpu_receiver_fraction"] = map(opened.cpu.get, ends)
        duration = columns.get("duration_s")
        rounding = 0.012 + (0.01 / duration if isinstance(duration, float) and duration > 0 else 0)
        run = Run(opened.first, opened.last, columns, rounding=rounding)
        if len(side.ids) > 1:
            run.streams = [_stream(index, side, identity, opened) for index, identity in enumerate(side.ids)]
        if side.rows:
            run.intervals = _intervals(side, opened)
        own = both or (sender if local == "send" else receiver if local == "receive" else None)
        run.interval_bytes = (_bytes(own[1]) if own is not None else 0) or np.nan
        self.findings.run(run)

    def _mixed(self, row: _Row, side: _Side, opened: _Open) -> dict[str, object]:
        """Columns of a result that has the rate of one end and the loss of the other."""
        line, groups = row
        columns = _figures(groups, opened)
        if columns["bytes"] == 0 and side.rows:
            del columns["bytes"], columns["throughput_bps"]
            self.findings.problem(line, "inconsistent", "found no bytes in the result after intervals; left out")
        elif opened.client is not False and columns.get("lost_packets"):
            self.findings.problem(
                line, "ambiguous", "found one rate beside lost packets; it is that of the sender, and kept"
            )
        return columns

    def _known(self, opened: _Open, sender: _Row | None, receiver: _Row | None) -> tuple[_Row | None, _Row | None]:
        """Leave out a row of zeros that says that the other end's figure is not known."""
        if sender is None or receiver is None:
            return sender, receiver
        sent, received = _bytes(sender[1]), _bytes(receiver[1])
        lost = receiver[1][_LOST]
        if sent == 0 and received > 0:
            return None, receiver
        if received == 0 and sent > 0 and lost in {None, "0"} and (not opened.udp or opened.interrupted):
            self.findings.problem(
                receiver[0], "inconsistent", "found no bytes received of a sender that sent some; left out"
            )
            return sender, None
        return sender, receiver

    # --- JSON

    def take(self, document: Document) -> bool:
        """Take a document of ``-J``, or one event of a JSON stream."""
        value = document.value
        if self._server_part:
            return True
        if isinstance(value.get("event"), str) and "data" in value:
            return self._event(document)
        message = value.get("error")
        if value.keys() == {"error"}:
            if not isinstance(message, str) or not _ANSWERS.match(message):
                return False
        elif not _is_iperf3(value):
            return False
        self._close()
        cookie = at(value, "start", "cookie")
        if isinstance(cookie, str) and cookie and cookie == self._cookie:
            return True
        _JsonRun(self.findings, value, document.first, document.last, document.lines("intervals")).hand_over(
            whole=not document.truncated
        )
        return True

    def _event(self, document: Document) -> bool:
        event, data = document.value["event"], document.value["data"]
        streamed = self._streamed
        if event == "start":
            if not _is_iperf3({"start": data}):
                return False
            self._close()
            self._end_stream()
            self._streamed = _Streamed(document.first, document.last, {"start": data, "intervals": []})
            return True
        if streamed is None:
            if event == "error" and isinstance(data, str) and _ANSWERS.match(data):
                self._streamed = _Streamed(document.first, document.last, {"error": data, "intervals": []})
                return True
            return False
        streamed.last = document.last
        if event == "interval":
            streamed.value["intervals"].append(data)
            streamed.lines.append(document.last)
        elif event == "end":
            streamed.value["end"] = data
            self._end_stream()
        else:
            streamed.value[event] = data
        return True

    def _end_stream(self) -> None:
        streamed, self._streamed = self._streamed, None
        if streamed is None:
            return
        cookie = at(streamed.value, "start", "cookie")
        self._cookie = cookie if isinstance(cookie, str) else ""
        whole = "end" in streamed.value or "error" in streamed.value
        if not whole:
            self.findings.problem(
                streamed.last, "truncated", "found a JSON stream without its end; what is complete in it is read"
            )
        _JsonRun(self.findings, streamed.value, streamed.first, streamed.last, streamed.lines).hand_over(whole=whole)


# --- figures of text


def _time(text: str) -> pd.Timestamp | None:
    try:
        return pd.Timestamp(parsedate_to_datetime(text)).tz_convert("UTC")
    except (TypeError, ValueError):
        return None


def _direction(opened: _Open, role: str) -> str | None:
    """What the host that wrote the log did."""
    if role:
        return "send" if role.startswith("TX") else "receive"
    if opened.reverse:
        return "receive" if opened.client is not False else "send"
    if opened.first_end is not None:
        return opened.first_end
    if opened.client is not None:
        return "send" if opened.client else "receive"
    return None


def _scaled(text: str, scale: str, base: int) -> float:
    return float(text) * float(base) ** _POWERS[scale]


def _bytes(groups: Groups) -> int:
    return round(_scaled(groups[_AMOUNT], groups[_SCALE], 1024))


def _rate(groups: Groups) -> float:
    """Rate of a row [bit/s]."""
    if groups[_RATE_UNIT] == "Bytes":
        return 8 * _scaled(groups[_RATE], groups[_RATE_SCALE], 1024)
    return _scaled(groups[_RATE], groups[_RATE_SCALE], 1000)


def _figures(groups: Groups, opened: _Open) -> dict[str, object]:
    """Columns of one row."""
    columns: dict[str, object] = {
        "duration_s": float(groups[_END]) - float(groups[_START]),
        "bytes": _bytes(groups),
        "throughput_bps": _rate(groups),
    }
    if groups[_COUNTED] is not None and not opened.udp:
        columns["retransmits"] = int(groups[_COUNTED])
    if groups[_JITTER] is not None:
        packets = int(groups[_PACKETS])
        lost = None if groups[_LOST] == "Unknown" else int(groups[_LOST])
        columns["jitter_s"] = float(groups[_JITTER]) / 1000
        columns["sent_packets"] = packets
        columns["lost_packets"] = lost
        columns["loss_fraction"] = lost / packets if lost is not None and packets > 0 else None
    return columns


def _ends(opened: _Open, sender: _Row | None, receiver: _Row | None) -> dict[str, object]:
    """Columns of the rows of both ends."""
    columns: dict[str, object] = {}
    if sender is not None:
        columns |= _figures(sender[1], opened)
        columns["sender_throughput_bps"] = columns.pop("throughput_bps")
        for name in ("jitter_s", "lost_packets", "loss_fraction"):
            columns.pop(name, None)
        columns.pop("bytes")
    if receiver is not None:
        columns |= {name: value for name, value in _figures(receiver[1], opened).items() if value is not None}
    return columns


def _stream(index: int, side: _Side, identity: str, opened: _Open) -> dict[str, object]:
    """A row of the table of streams."""
    sender, receiver, both = (side.finals.get((identity, word)) for word in ("sender", "receiver", ""))
    row = both or receiver or sender
    if row is None:
        lines = [line for line, groups in side.rows if groups[_ID] == identity]
        return {"stream": index, "line": lines[0] if lines else None}
    if both is not None:
        return {"stream": index, "line": both[0], **_figures(both[1], opened)}
    return {"stream": index, "line": row[0], **_ends(opened, sender, receiver)}


def _intervals(side: _Side, opened: _Open) -> dict[str, Array]:
    """Columns of the intervals; those of a single stream are those of the run."""
    place = {identity: float(index) for index, identity in enumerate(side.ids)} if len(side.ids) > 1 else {}
    rows = side.rows
    columns = list(zip(*(groups for _, groups in rows), strict=True))
    found: dict[str, Array] = {
        "line": np.array([line for line, _ in rows], dtype=float),
        "stream": np.array([place.get(identity, np.nan) for identity in columns[_ID]]),
        "t_start_s": _numbers(columns[_START]),
        "t_end_s": _numbers(columns[_END]),
        "bytes": np.rint(_numbers(columns[_AMOUNT]) * _factors(columns[_SCALE], 1024)),
    }
    by_1024 = np.array([unit == "Bytes" for unit in columns[_RATE_UNIT]])
    factors = np.where(by_1024, 8 * _factors(columns[_RATE_SCALE], 1024), _factors(columns[_RATE_SCALE], 1000))
    found["throughput_bps"] = _numbers(columns[_RATE]) * factors
    has_window = any(window is not None for window in columns[_WINDOW])
    counted = _numbers(columns[_COUNTED])
    if not np.isnan(counted).all():
        is_packets = not has_window and (opened.udp or opened.counts == "packets")
        found["sent_packets" if is_packets else "retransmits"] = counted
    if has_window:
        found["cwnd_bytes"] = np.rint(_numbers(columns[_WINDOW]) * _factors(columns[_WINDOW_SCALE], 1024))
    if any(groups[_JITTER] is not None for _, groups in rows):
        found |= _interval_loss(rows)
    return found


def _numbers(texts: Sequence[str | None]) -> Array:
    return np.array([np.nan if text is None else float(text) for text in texts])


def _factors(scales: Sequence[str | None], base: int) -> Array:
    powers = {scale: float(base) ** power for scale, power in _POWERS.items()}
    return np.array([powers[scale or ""] for scale in scales])


def _interval_loss(rows: Sequence[_Row]) -> dict[str, Array]:
    packets = np.array([np.nan if groups[_PACKETS] is None else float(groups[_PACKETS]) for _, groups in rows])
    lost = np.array([np.nan if groups[_LOST] in {None, "Unknown"} else float(groups[_LOST]) for _, groups in rows])
    lost[(lost < 0) | (packets < 0)] = np.nan
    packets[packets < 0] = np.nan
    return {
        "sent_packets": packets,
        "lost_packets": lost,
        "loss_fraction": _fraction(lost, packets),
        "jitter_s": np.array(
            [np.nan if groups[_JITTER] is None else float(groups[_JITTER]) / 1000 for _, groups in rows]
        ),
    }


def _fraction(lost: Array, packets: Array) -> Array:
    fraction = np.full(len(lost), np.nan)
    np.divide(lost, packets, out=fraction, where=(packets > 0) & (lost <= packets))
    return fraction


# --- JSON


@dataclass
class _Streamed:
    """A JSON stream under way."""

    first: int
    last: int
    value: dict[str, Any]
    lines: list[int] = field(default_factory=list)


def _is_iperf3(value: Mapping[str, Any]) -> bool:
    """Whether the beginning of a document is that of iperf3's."""
    start = value.get("start")
    if not isinstance(start, dict):
        return False
    version = start.get("version")
    return (isinstance(version, str) and version.startswith("iperf 3")) or bool(
        {"connected", "test_start", "connecting_to", "accepted_connection"} & start.keys()
    )


class _JsonRun:
    """One document, or the events of one stream."""

    def __init__(self, findings: Findings, value: dict[str, Any], first: int, last: int, lines: list[int]) -> None:
        self._findings = findings
        self._value = value
        self._first, self._last = first, last
        self._lines = lines
        end = value.get("end")
        self._end: dict[str, Any] = end if isinstance(end, dict) else {}
        self._server = at(value, "start", "accepted_connection") is not None

    def hand_over(self, *, whole: bool) -> None:
        """Hand over the run, or both of a bidirectional test."""
        value, end = self._value, self._end
        message = value.get("error")
        failed = message is not None
        if failed:
            self._findings.problem(self._last, "aborted", f"found {str(message)[:400]!r}, expected a result")
        both_ways = any(key.endswith("_bidir_reverse") for key in end) or any(
            isinstance(interval, dict) and "sum_bidir_reverse" in interval for interval in self._intervals()
        )
        ways = ["", "_bidir_reverse"] if both_ways else [""]
        if both_ways and self._sends("") is False:
            ways.reverse()
        if whole and not failed and not any(key.startswith("sum") for key in end):
            self._findings.problem(self._last, "truncated", "found no 'sum' at the end; the run has no figures")
        for way in ways:
            self._findings.run(self._run(way, failed=failed, both_ways=both_ways))

    def _intervals(self) -> list[Any]:
        found = self._value.get("intervals")
        return found if isinstance(found, list) else []

    def _sends(self, way: str) -> bool | None:
        """Whether this host sends."""
        if not self._value.get("start") or not at(self._value, "start", "test_start"):
            return None
        reverse = bool(at(self._value, "start", "test_start", "reverse"))
        return (not self._server) ^ reverse ^ bool(way)

    def _run(self, way: str, *, failed: bool, both_ways: bool) -> Run:
        start, end = self._value.get("start"), self._end
        protocol = at(start, "test_start", "protocol")
        udp = protocol == "UDP"
        sends = self._sends(way)
        version = at(start, "version")
        streams = count(at(start, "test_start", "num_streams"))
        columns: dict[str, object] = {
            "tool": "iperf3",
            "tool_version": version.removeprefix("iperf ") if isinstance(version, str) else None,
            "protocol": {"UDP": "udp", "TCP": "tcp"}.get(protocol if isinstance(protocol, str) else ""),
            "direction": None if sends is None else "send" if sends else "receive",
            "start_time": _seconds(at(start, "timestamp", "timesecs")),
            "streams": streams or None,
            "error": failed,
        }
        columns |= self._udp(way) if udp else self._tcp(way)
        host, remote = (number(at(end, "cpu_utilization_percent", f"{name}_total")) for name in ("host", "remote"))
        remote = None if failed and remote == 0 else remote
        ends = (host, remote) if sends else (remote, host)
        if sends is not None:
            columns["cpu_sender_fraction"], columns["cpu_receiver_fraction"] = (
                percent / 100 if percent is not None and percent >= 0 else None for percent in ends
            )
        rows = self._stream_rows(udp=udp, sends=sends, both_ways=both_ways)
        if len(rows) == 1:
            columns["rtt_s"] = rows[0].pop("rtt_s", None)
        run = Run(self._first, self._last, columns, rounding=0.01)
        if len(rows) > 1:
            run.streams = rows
        run.intervals = self._interval_columns(way, sends=sends, both_ways=both_ways)
        own = at(end, f"sum_{'sent' if sends else 'received'}{way}", "bytes")
        run.interval_bytes = count(own if own is not None else at(end, f"sum{way}", "bytes")) or np.nan
        return run

    def _tcp(self, way: str) -> dict[str, object]:
        sent, received = at(self._end, f"sum_sent{way}"), at(self._end, f"sum_received{way}")
        columns: dict[str, object] = {"retransmits": count(at(sent, "retransmits"))}
        amounts = count(at(sent, "bytes")), count(at(received, "bytes"))
        if amounts[0] and amounts[1] == 0:
            received = None
            self._findings.problem(
                self._last, "inconsistent", "found no bytes received of a sender that sent some; left out"
            )
        elif amounts[1] and amounts[0] == 0:
            sent = None
        columns["sender_throughput_bps"] = number(at(sent, "bits_per_second"))
        columns["throughput_bps"] = number(at(received, "bits_per_second"))
        columns["duration_s"] = number(at(received or sent, "seconds"))
        columns["bytes"] = count(at(received, "bytes"))
        return columns

    def _udp(self, way: str) -> dict[str, object]:
        whole, sent, received = (at(self._end, f"{name}{way}") for name in ("sum", "sum_sent", "sum_received"))
        columns: dict[str, object] = {"sender_throughput_bps": number(at(sent, "bits_per_second"))}
        result = received if isinstance(received, dict) else whole
        if received is None and sent is None and not self._server and count(at(whole, "lost_packets")):
            self._findings.problem(
                self._last, "ambiguous", "found one rate beside lost packets; it is that of the sender, and kept"
            )
        return columns | _json_figures(result, loss=True)

    def _stream_rows(self, *, udp: bool, sends: bool | None, both_ways: bool) -> list[dict[str, object]]:
        """Rows of the table of streams, with their line, which is that of the end of the document."""
        rows: list[dict[str, object]] = []
        found = self._end.get("streams")
        for stream in found if isinstance(found, list) else []:
            whole = at(stream, "udp")
            sent, received = at(stream, "sender"), at(stream, "receiver")
            if both_ways:
                local = at(whole if udp else sent, "sender")
                if isinstance(local, bool) and sends is not None and local != sends:
                    continue
            row: dict[str, object] = {"stream": len(rows), "line": self._last}
            if isinstance(whole, dict):
                row |= _json_figures(whole, loss=True)
            else:
                row |= _json_figures(received, loss=False)
                row["sender_throughput_bps"] = number(at(sent, "bits_per_second"))
                row["retransmits"] = count(at(sent, "retransmits"))
                mean = number(at(sent, "mean_rtt"))
                row["rtt_s"] = mean / 1e6 if mean else None
            rows.append(_possible(row))
        return rows

    def _interval_columns(self, way: str, *, sends: bool | None, both_ways: bool) -> dict[str, Array]:
        rows: list[list[float]] = []
        for line, interval in zip(self._lines, self._intervals(), strict=False):
            streams = at(interval, "streams")
            streams = [stream for stream in streams if isinstance(stream, dict)] if isinstance(streams, list) else []
            if both_ways:
                streams = [stream for stream in streams if stream.get("sender") in {None, sends}]
            whole = at(interval, f"sum{way}")
            if not isinstance(whole, dict) or whole.get("omitted"):
                continue
            if len(streams) == 1:
                rows.append(_json_row(line, np.nan, {**streams[0], **whole}))
                continue
            rows.extend(_json_row(line, index, stream) for index, stream in enumerate(streams))
            rows.append(_json_row(line, np.nan, whole))
        if not rows:
            return {}
        table = np.array(rows, dtype=float)
        columns = {name: table[:, index] for index, name in enumerate(_JSON_COLUMNS)}
        return {name: values for name, values in columns.items() if name == "stream" or not np.isnan(values).all()}


_JSON_COLUMNS: Final = (
    "line",
    "stream",
    "t_start_s",
    "t_end_s",
    "bytes",
    "throughput_bps",
    "retransmits",
    "cwnd_bytes",
    "rtt_s",
    "sent_packets",
    "lost_packets",
    "loss_fraction",
    "jitter_s",
)


def _json_row(line: int, stream: float, values: Mapping[str, Any]) -> list[float]:
    """One interval, in the order of `_JSON_COLUMNS`; NaN where missing or impossible."""

    def of(key: str, scale: float = 1.0) -> float:
        found = number(values.get(key))
        return np.nan if found is None or found < 0 else found * scale

    packets, lost = of("packets"), of("lost_packets")
    return [
        line,
        stream,
        of("start"),
        of("end"),
        np.rint(of("bytes")),
        of("bits_per_second"),
        np.rint(of("retransmits")),
        np.rint(of("snd_cwnd")),
        of("rtt", 1e-6) or np.nan,
        np.rint(packets),
        np.rint(lost),
        lost / packets if packets > 0 and lost <= packets else np.nan,
        of("jitter_ms", 1e-3),
    ]


def _json_figures(values: object, *, loss: bool) -> dict[str, object]:
    """Columns of a sum, or of one end of a stream."""
    columns: dict[str, object] = {
        "duration_s": number(at(values, "seconds")),
        "bytes": count(at(values, "bytes")),
        "throughput_bps": number(at(values, "bits_per_second")),
    }
    if loss:
        packets, lost, jitter = count(at(values, "packets")), count(at(values, "lost_packets")), at(values, "jitter_ms")
        jitter_ms = number(jitter)
        columns["sent_packets"] = packets
        columns["lost_packets"] = lost
        columns["loss_fraction"] = lost / packets if lost is not None and packets else None
        columns["jitter_s"] = None if jitter_ms is None else jitter_ms / 1000
    return columns


def _possible(row: dict[str, object]) -> dict[str, object]:
    """A row of the table of streams without negative figures."""
    return {
        name: None
        if isinstance(value, (int, float)) and (value < 0 or value >= 2**63 or (name == "loss_fraction" and value > 1))
        else value
        for name, value in row.items()
    }


def _seconds(value: object) -> pd.Timestamp | None:
    found = number(value)
    return pd.Timestamp(found, unit="s", tz="UTC") if found is not None and 0 < found < 2**33 else None
