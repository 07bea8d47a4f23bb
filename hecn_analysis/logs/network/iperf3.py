"""Output of iperf3 (ESnet): memory to memory over TCP, UDP or SCTP; text, JSON and JSON stream.

Versions 3.0 to 3.20, from the source code and from runs of 3.12: client and server, one or several streams (``-P``),
``-R``, ``--bidir``, ``-O``, ``-V``, ``--get-server-output``, ``-J``, ``--json-stream``, interrupted and failed runs.
The text of iperf 2 looks alike and is read by `hecn_analysis.logs.network.iperf2`: iperf3 writes two decimals of a
second in a field of six characters, and ends its results in ``sender`` or ``receiver``.

Units and traps
---------------
- `hecn_analysis.logs.network.iperf3_rows` describes the units of the text, `hecn_analysis.logs.network.iperf3_json`
  those of JSON.
- With ``-P`` the run is ``[SUM]``; ``--bidir`` makes two runs, the sent one first. The rows of ``TX-C`` and ``TX-S``
  are sent by the host that wrote the log.
- The throughput is in the receiver's row. A server prints its own end only: with a ``sender`` row alone there is a
  sender's rate and no throughput. Servers before 3.2 print a ``sender`` row of zeros, and an interrupted client prints
  a ``receiver`` row of zeros: such a figure is unknown.
- UDP before 3.2: one row with the sender's rate and the receiver's loss. The rate counts as the throughput; if packets
  were lost, a problem says so. A server prints zero bytes in that row: there is no rate.
- ``(omitted)`` intervals are not part of the run and are left out.
- A client that a signal stops prints a result, and may print its last interval twice.
- ``Server output:`` repeats the same run as seen by the server.
- ``(sender statistics not available)`` replaces a row.
- The number of packets sent is in the receiver's row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from typing import Final

import pandas as pd

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import DocumentReader, Run, RunFindings
from hecn_analysis.logs.network.iperf3_json import Documents
from hecn_analysis.logs.network.iperf3_rows import (
    END,
    GAP,
    ID,
    JITTER,
    LIKE_ROW,
    ROLE,
    ROW,
    START,
    WORD,
    Groups,
    Side,
)
from hecn_analysis.logs.network.iperf3_runs import OpenRun, hand_over
from hecn_analysis.logs.network.iperf_rate import repaired_row
from hecn_analysis.logs.rows import Text
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at

_RULE: Final = "- - - -"
_RETYPED_RULE: Final = re.compile(r"\s{0,16}(?:-{3,80}|\*{3,80}|_{3,80})\s{0,8}$")  # as people shorten it
_HEADING: Final = re.compile(r"\[ ID\](?P<role>\[Role\])?\s{1,12}Interval(?P<gap>\s{1,30})Transfer\s")
_OTHER_HEADING: Final = re.compile(r"Write/Err|Reads|Latency|PPS|NetPwr")
_VERSION: Final = re.compile(r"(?:^|\s)iperf (?:version )?(?P<version>3\.\d\S{0,30})\s*(?:\(|$)")
_TIME: Final = re.compile(r"(?:^|\s)Time: (?P<time>\w{3}, \d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d \w{1,5})\s*$")
_CPU: Final = re.compile(r"(?P<where>local|remote)/(?P<end>sender|receiver) (?P<percent>\d{1,9}(?:\.\d{1,6})?)%")
_MESSAGE: Final = re.compile(r"(?:^|[\s/>])iperf3: (?P<text>\S.{0,400})")
_FAILURE: Final = re.compile(
    r"error - |interrupt - |the (?:client|server) has |unrecognized option|option requires|parameter error"
)
_ALONE: Final = re.compile(
    r"unable to connect|busy|option|parameter|unable to (?:start listener|create a new test)|only one test end|"
    r"must |cannot |bad |invalid |too (?:large|small)|not (?:implemented|supported)"
)
_CHATTER: Final = re.compile(
    r"- - - -|-{20,}|Test Complete\.|Starting Test:|Reverse mode, |Server listening on \d|snd_tcp_cong|"
    r"rcv_tcp_cong|CPU Utilization:|Control connection MSS|\sCookie: |\sTCP MSS: |\sTarget Bitrate: |"
    r"(?:^|\s)(?:Linux|Darwin|FreeBSD|CYGWIN\S{0,20}|Windows) |(?:^|\s)(?:Sent|Received)\s{0,8}$|"
    r"\[ {0,4}(?:\d{1,5}|SUM)\].{0,60}(?:Sent \d|out-of-order|not available\)|local .{1,120} port \d)|"
    r"WARNING: |warning: |(?:^|\s)iperf Done\."
)
_MSS: Final = re.compile(r"(?:Control connection MSS|\sTCP MSS:) (?P<bytes>\d{1,5})\b")
_WORD_LINE: Final = re.compile(r"(?:^|\s)(?P<word>Sent|Received)\s{0,8}$")
_PROSE: Final = re.compile(r"[\"'`|*]|#\s{1,8}\w|(?<![A-Za-z])[A-Za-z]{3,}+ [a-z]{2,}+ (?:$|[a-z])")
_REST: Final = re.compile(r"[\s>|]{0,12}(?:\(\S{1,8}%\)\s{1,8})?(?P<word>sender|receiver)\b(?P<rest>.{0,200})$")
_LEFT: Final = "the client has unexpectedly closed the connection"
_STOPPED: Final = "interrupt - the server has terminated"


#: What the client asks of the server, as both print it with ``-d``.
_PARAMETERS: Final = frozenset({"omit", "parallel"})


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
        _PARAMETERS,
    )

    def __init__(self, findings: RunFindings) -> None:
        super().__init__(findings)
        self._open: OpenRun | None = None
        self._held: tuple[Line, Groups, int] | None = None
        self._early: tuple[int, str] | None = None
        self._server_part = False
        self._server_version: str | None = None
        self._documents = Documents(findings)
        self._document: JsonDocument | None = None
        self._asked_reverse = False
        self._completed = -1  # the line that announces a summary

    def take(self, document: JsonDocument) -> bool:
        """Take a document of ``-J``, or one event of a JSON stream."""
        if self._server_part:
            return True
        if document.value.keys() >= _PARAMETERS and "start" not in document.value:
            self._asked_reverse = document.value.get("reverse") is True
            return True
        if not self._documents.accepts(document):
            return False
        self._close()
        self._documents.take(document)
        self._document = document
        return True

    def feed(self, line: Line) -> bool:
        """Take a line of iperf3's."""
        if self._held is not None and self._wrapped(line):
            return True
        text, opened = line.text, self._open
        if self._server_part:
            return self._in_server_part(line)
        if "sec" in text and "]" in text:
            row = ROW.search(text)
            if row is not None:
                groups = row.groups()
                return self._hold(line, groups, row.start()) or self._row(line, groups, row.start())
            known = opened is not None and (opened.counts != "" or opened.has_rows or opened.has_finals)
            if known and LIKE_ROW.search(text) and "out-of-order" not in text:
                return self._damaged(line)
        return self._heading(line) or self._beginning(line) or self._message(line) or self._other_line(line)

    def finish(self) -> None:
        """The output has ended."""
        self._close()
        early, self._early = self._early, None
        if early is not None:
            self._failed_run(*early)
        self._documents.finish()

    def _begin(self, number: int) -> OpenRun:
        early = self._early
        if early is not None and number > early[0] + 1:
            self._failed_run(*early)
        if self._open is None:
            self._open = OpenRun(number, number, self.findings.command)
            if self._early is not None:
                # the output is buffered and the error is not: both belong to one run
                self._open.first = self._early[0]
                self._open.failed = self._open.interrupted = True
                self._early = None
        self._open.last = number
        return self._open

    def rows(self, texts: Sequence[str], numbers: Sequence[int], start: int) -> int:
        """Take further intervals of known streams and the rules between them, but not the result."""
        opened = self._open
        if opened is None or opened.summary or opened.has_finals or self._server_part or self._held is not None:
            return 0
        match, role, side = ROW.match, None, None
        lines: list[int] = []
        row_texts: list[Text] = []
        for place in range(start, len(texts)):
            row = match(texts[place])
            if row is None:
                if lines and texts[place].startswith(_RULE) and self._interval_follows(texts, place + 1):
                    continue
                break
            groups = row.groups()
            if side is None or groups[ROLE] != role:
                if side is not None:
                    side.rows.add(lines, row_texts)
                    lines, row_texts = [], []
                role, side = groups[ROLE], opened.sides.get(groups[ROLE] or "")
            span, key = (groups[START], groups[END]), groups[ID]
            if groups[WORD] is not None or side is None or side.latest.get(key, span) == span:
                break
            side.latest[key] = span
            lines.append(numbers[place])
            row_texts += groups
        else:
            place = len(texts)
        if side is not None and lines:
            side.rows.add(lines, row_texts)
        if place > start:
            opened.last = numbers[place - 1]
            opened.separated = texts[place - 1].startswith(_RULE)
        return place - start

    @staticmethod
    def _interval_follows(texts: Sequence[str], place: int) -> bool:
        """Return whether the line at a place is an interval, not the heading of the result."""
        row = ROW.match(texts[place]) if place < len(texts) else None
        return row is not None and row[WORD + 1] is None

    def _hold(self, line: Line, groups: Groups, position: int) -> bool:
        """Keep a row that may be a result whose end a mail program wrapped."""
        opened = self._open
        expected = opened is not None and (opened.summary or opened.has_finals or not opened.sides)
        if not expected or groups[WORD] is not None or position > 80 or not line.complete:
            return False
        self._held = (line, groups, position)
        return True

    def _wrapped(self, line: Line) -> bool:
        """Take the wrapped end of the row above; if it is something else, take that row as it is."""
        held, self._held = self._held, None
        if held is None:
            return False
        row, groups, position = held
        match = _REST.match(line.text) if line.number == row.number + 1 else None
        if match is None:
            self._row(row, groups, position)
            return False
        self._row(row, (*groups[:WORD], match["word"]), position)
        self._begin(line.number)
        if match["rest"].strip():
            self.feed(line._replace(text=match["rest"]))
        return True

    def _row(self, line: Line, groups: Groups, position: int) -> bool:
        """Take an interval, or a row of the result."""
        opened, word = self._open, groups[WORD]
        if opened is None and len(groups[GAP]) < 2 and word not in {"sender", "receiver"} and groups[ROLE] is None:
            return False
        if position > 80:
            return False
        key = groups[ID]
        final = word in {"sender", "receiver"} or (opened is not None and opened.summary and word is None)
        label = (word or (opened.word if opened else "")) if final else ""
        if opened is not None:
            side = opened.sides.get(groups[ROLE] or "")
            repeated = final and side is not None and (key, label) in side.finals
            if repeated or (not final and opened.has_finals):
                self._close()
        opened = self._begin(line.number)
        opened.separated = False
        side = opened.sides.setdefault(groups[ROLE] or "", Side.new(kept=self.findings.keep_intervals))
        if key != "SUM" and key not in side.ids:
            side.ids.append(key)
        if groups[JITTER] is not None:
            opened.udp = True
        if final:
            opened.has_finals = True
            side.finals[key, label] = (line.number, groups)
        elif word is None:
            span = (groups[START], groups[END])
            if side.latest.get(key) != span:
                side.latest[key] = span
                side.first.setdefault(key, line.number)
                side.rows.add([line.number], groups)
                side.alone = (line.number, groups) if len(side.rows) == 1 else None
                opened.has_rows = True
        return True

    def _damaged(self, line: Line) -> bool:
        row = repaired_row(self.findings, line, ROW, "'[ ID] … sec … Bytes … bits/sec …'")
        if row is not None:
            return self._row(line, row.groups(), row.start())
        self._begin(line.number)
        return True

    def _heading(self, line: Line) -> bool:
        """Take the heading of the intervals or of the result."""
        match = _HEADING.search(line.text) if "[ ID]" in line.text else None
        if match is None or _OTHER_HEADING.search(line.text):
            return False
        opened = self._open
        ours = "Bitrate" in line.text or match["role"] is not None or len(match["gap"]) > 8
        if not ours and (opened is None or opened.counts != ""):
            return False
        if opened is not None:
            again = opened.has_rows and not opened.separated and line.number > opened.last + 1
            if opened.has_finals or again:
                self._close()
        above = self.findings.recent[-1] if self.findings.recent else None
        title = above is not None and ("- - - -" in above.text or "Test Complete." in above.text)
        is_below = above is not None and above.number == line.number - 1
        excerpt = self._open is None and (self._completed == line.number - 1 or (title and is_below))
        opened = self._begin(line.number)
        opened.summary = (opened.separated and opened.has_rows) or excerpt
        opened.separated = False
        opened.counts = "retransmits" if "Retr" in line.text else "packets"
        opened.first_end = opened.first_end or (
            "send" if "Cwnd" in line.text or " Total Datagrams" in line.text else None
        )
        opened.udp = opened.udp or "Datagrams" in line.text
        return True

    def _beginning(self, line: Line) -> bool:
        """Take a line above the intervals."""
        text = line.text
        if "Connecting to host " in text or "Accepted connection from " in text:
            if self._open is not None and (self._open.has_rows or self._open.client is not None):
                self._close()
            opened = self._begin(line.number)
            opened.client = "Connecting" in text
            if not opened.client:
                opened.reverse, self._asked_reverse = self._asked_reverse, False
                opened.version = opened.version or self._server_version
            return True
        if "iperf " in text and (match := _VERSION.search(text)) is not None:
            if self._open is not None and (self._open.has_rows or self._open.has_finals):
                self._close()
            self._begin(line.number).version = match["version"]
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
        match = _MESSAGE.search(line.text) if "iperf3: " in line.text else None
        if match is None or (self._open is None and _PROSE.search(line.text[: match.start("text") - len("iperf3: ")])):
            return False
        text = match["text"].strip()
        if not _FAILURE.match(text):
            return self._open is not None or "warning" in text.lower() or "OUT OF ORDER" in text
        opened = self._open
        if text.startswith(_STOPPED) and (opened is None or (opened.client is None and not opened.sides)):
            return True
        if opened is not None and opened.has_finals and text.startswith((_LEFT, _STOPPED)):
            self._error_after_result(line.number, opened, text)
            return True
        if opened is None and self._below_document(line.number, text):
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

    def _below_document(self, number: int, text: str) -> bool:
        """Take an error directly below the JSON of its run."""
        document = self._document
        if document is None or number > document.last + 2 or _ALONE.search(text):
            return False
        if at(document.value, "end"):
            self.findings.problem(number, "inconsistent", f"found {text!r} below a result; the result is kept")
            return True
        run = self.findings.runs[-1] if self.findings.runs else None
        if run is None or run.line_last != document.last:
            return False
        self.findings.problem(number, "aborted", f"found {text!r}, expected a result")
        run.columns["error"] = True
        run.line_last = number
        return True

    def _error_after_result(self, number: int, opened: OpenRun, text: str) -> None:
        """Take a server's error below a result; stopping a waiting server is no failure."""
        opened.last = number
        if text.startswith(_LEFT):
            self.findings.problem(number, "inconsistent", f"found {text!r} below a result; the result is kept")
        else:
            opened.stopped = (number, text)

    def _failed_run(self, number: int, _: str) -> None:
        self._early = None
        self.findings.run(Run(number, number, {"tool": "iperf3", "error": True}))

    def _other_line(self, line: Line) -> bool:
        """Take any other line that iperf3 prints around a run."""
        opened, text = self._open, line.text
        if opened is None:
            return False
        if "Server output:" in text or "Server JSON output:" in text:
            self._server_part = True
            opened.last = line.number
            return True
        if (match := _TIME.search(text)) is not None:
            opened.start_time = _time(match["time"])
        elif not _CHATTER.search(text) and not (opened.has_rows and _RETYPED_RULE.match(text)):
            return False
        self._completed = line.number if "Test Complete." in text else self._completed
        opened.separated = (
            "- - - -" in text or _RETYPED_RULE.match(text) is not None or ("Test Complete" in text and opened.separated)
        )
        if "Server listening on" in text:
            opened.stopped = None
            self._server_version = opened.version or self._server_version
            self._close()
            return True
        opened.last = line.number
        self._take_parameters(opened, text)
        if "iperf Done." in text:
            self._close()
        return True

    def _take_parameters(self, opened: OpenRun, text: str) -> None:
        """Take the parameters that a line between the rows states."""
        opened.reverse = opened.reverse or "Reverse mode" in text
        opened.other_protocol = opened.other_protocol or "protocol: SCTP" in text
        opened.udp = opened.udp or "protocol: UDP" in text
        if (segment := _MSS.search(text)) is not None and int(segment["bytes"]):
            opened.mss = int(segment["bytes"])
        if "CPU Utilization:" in text and not opened.cpu:
            for end in _CPU.finditer(text):
                opened.cpu[end["where"]] = float(end["percent"]) / 100
                if end["where"] == "local":
                    opened.first_end = opened.first_end or ("send" if end["end"] == "sender" else "receive")
        if (words := _WORD_LINE.search(text)) is not None and opened.has_rows:
            opened.summary = True
            opened.word = "sender" if words["word"] == "Sent" else "receiver"

    def _in_server_part(self, line: Line) -> bool:
        """Skip what the server printed about the same run."""
        opened, text = self._open, line.text
        if opened is None or "iperf Done." in text or "Connecting to host " in text:
            self._server_part = False
            return self.feed(line) if opened is not None else False
        row = ROW.search(text) if "sec" in text else None
        ours = row is not None or _HEADING.search(text) or _CHATTER.search(text) or "Accepted connection" in text
        if not ours and not _VERSION.search(text) and not _TIME.search(text) and "iperf3: " not in text:
            self._server_part = False
            return self.feed(line)
        opened.last = line.number
        if row is not None and row[WORD + 1] == "receiver":
            side = opened.sides.get(row[ROLE + 1] or "")
            key = "SUM" if row[1] == "SUM" else side.ids[0] if side is not None and len(side.ids) == 1 else row[1]
            if side is not None and not any(word == "receiver" for _, word in side.finals):
                side.finals[key, "receiver"] = (line.number, row.groups())
        return True

    # --- runs

    def _close(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            self._row(*held)
        opened, self._open = self._open, None
        self._server_part = False
        if opened is None:
            return
        if opened.stopped is not None:
            self.findings.problem(opened.stopped[0], "aborted", f"found {opened.stopped[1]!r}, expected a result")
            opened.failed = opened.interrupted = True
        if not opened.sides:
            if opened.failed:
                hand_over(self.findings, opened, "", Side.new(kept=self.findings.keep_intervals))
            elif opened.client is not None or opened.counts != "":
                self.findings.problem(
                    opened.last, "truncated", "found the beginning of a run of iperf3 and no figures; no run made"
                )
            return
        for role in sorted(opened.sides, key=lambda role: role.startswith("RX")):
            hand_over(self.findings, opened, role, opened.sides[role])


def _time(text: str) -> pd.Timestamp | None:
    try:
        return pd.Timestamp(parsedate_to_datetime(text)).tz_convert("UTC")
    except (TypeError, ValueError):
        return None
