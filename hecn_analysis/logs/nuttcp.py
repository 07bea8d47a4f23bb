"""Output of nuttcp, and of nuttscp, which copies files with it.

nuttcp (Bill Fink and Rob Scott) measures memory to memory over TCP or UDP. This reader knows what versions 5.1 to 8.2 print,
from the source code and from runs: the one-line summary (the default, ``-b``), the rows of ``-i``, the ``-v`` blocks of both
ends (``nuttcp-t:``, ``nuttcp-r:``, also with an identifier, ``-I``), ``-fparse`` (key=value), ``-frunningtotal``,
``-fxmitstats`` and the errors. Of nuttscp no format is documented: the result lines on the HECN slides are all that is known
of it, so that it is recognised by the words in front of its figures (File copy, Get, Put) or by its name above them.

Units and traps
---------------
- MB is 2**20 bytes, KB (of the congestion window) 1024 bytes, Mbps 10**6 bit/s. Processor time is in per cent of one core.
- The summary of a run looks like an interval followed by ``%TX``. It may wrap onto a second line.
- The summary's rate is the receiver's. ``-v`` gives both ends; their durations differ.
- Without a command line in the log one cannot see the direction, and with a round-trip time but no ``retrans`` field (several
  streams before version 7.1.1) not the number of streams: both are then missing. ``-F`` only says who opens the connection.
- ``~drop/pkt`` of an interval is an estimate; the summary's ``drop/pkt`` is exact. The loss is computed from the packets.
- ``host-retrans`` counts a whole host's segments: it is left out, with a problem of kind ``ambiguous``.
- ``31 = 4+9+10+8 retrans`` is the total and what each stream retransmitted.
- Reports give only the rate and what follows it (``9824.2054-Mbps 58% TX 96% RX 0retrans 0.10ms RTT``), with words in front
  or on the line above, the duration in a heading (``60 Second Transmit Test``) or in ``(completed in 57.58 seconds)``, and the
  size of the copied files in a heading (``64-GB file``: 2**30 bytes to the GB, which the durations confirm). Text recognition
  turns ``0retrans`` into ``Oretrans`` and ``0.11ms`` into ``0.11Tms``: both are read, with a problem of kind ``ambiguous``.
- ``Aggregate throughput`` is no run: it is compared with the sum of the runs above it.
- UDP summaries give ``msMinJitter``, ``msAvgJitter``, ``msMaxJitter`` or any of them: the average is the jitter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hecn_analysis.logs.contract import Array, Findings, Run
from hecn_analysis.logs.source import Line

_N: Final = r"(?<![\d.])\d{1,15}(?:\.\d{1,9})?"
_MIB: Final = 2**20

_INTERVAL: Final = re.compile(
    r"\s*(\d{1,12}\.\d{1,6}) MB\s*/\s*(\d{1,8}\.\d{1,6}) sec\s*=\s*(\d{1,12}\.\d{1,6}) Mbps"
    r"(?:\s+(\d{1,12}) retrans)?(?:\s+(\d{1,12}) KB-cwnd)?"
    r"(?:\s+(\d{1,15})\s*/\s*(\d{1,15}) ~?drop/pkt)?(?:\s+(\d{1,3}\.\d{1,9}) ~?%loss)?\s*$"
)
_INTERVAL_NAMES: Final = ("mib", "seconds", "mbps", "retransmits", "cwnd_kib", "lost", "sent", "loss_percent")
_RESULT: Final = re.compile(
    rf"(?P<label>.*?)(?P<mib>{_N})\s*MB\s*/\s*(?P<seconds>{_N})\s*sec\s*=\s*(?P<mbps>{_N})\s*Mbps\b(?P<rest>.*)$"
)
_PARSABLE: Final = re.compile(
    rf"(?P<label>.*?)megabytes=(?P<mib>{_N}) real_sec(?:onds)?=(?P<seconds>{_N}) (?:rate_KBps=\S+ )?"
    rf"rate_Mbps=(?P<mbps>{_N})(?P<rest>.*)$"
)
_RATE: Final = re.compile(rf"(?P<label>.*?)(?P<mbps>{_N})\s*-?\s*Mbps\b(?P<rest>.*%\s?[TR]X.*)$")
_BEGINNING: Final = re.compile(rf"\s*(?:{_N} MB\s*/|megabytes=)")
_FIELD: Final = re.compile(
    rf"""\s*(?:
      (?P<tx>{_N})\s?%\s?TX\b
    | (?P<rx>{_N})\s?%\s?RX\b
    | (?P<retransmits>\d{{1,12}}|O)\s*(?:=\s*(?P<each>\d{{1,12}}(?:\+\d{{1,12}}){{1,512}})\s*)?(?P<host>host-)?retrans\b
    | (?P<cwnd_kib>\d{{1,12}})\s*(?:=\s*\d{{1,12}}(?:\+\d{{1,12}}){{1,512}})?\s?KB-cwnd\b
    | (?P<rtt_ms>{_N})\s*(?P<noise>T?)ms\s*-?RTT\b
    | (?P<lost>\d{{1,15}})\s*/\s*(?P<sent>\d{{1,15}})\s*~?drop/pkt\b
    | (?P<loss_percent>{_N})\s*~?%\s?loss\b
    | (?P<jitter_ms>-?{_N})\s?msAvgJitter\b
    | -?{_N}\s?ms(?:(?:Min|Max)Jitter|(?:Min|Avg|Max)OWD)\b
    | Trans:\s+{_N}\sMB
    | (?P<running>Tot:.*)
    )[\])]?""",
    re.VERBOSE,
)
_WORD: Final = re.compile(r"\s*\S*")
_KEYS: Final[Mapping[str, str]] = {
    "tx_cpu": "tx",
    "rx_cpu": "rx",
    "retrans": "retransmits",
    "host-retrans": "host",
    "retrans_by_stream": "each",
    "cwnd": "cwnd_kib",
    "rtt_ms": "rtt_ms",
    "drop": "lost",
    "pkt": "sent",
    "data_loss": "loss_percent",
    "msavgjitter": "jitter_ms",
}
_OTHER_KEYS: Final = re.compile(
    r"(?:cwnd_by_stream|tx_megabytes|tx_total_megabytes|total_\w+|ms(?:min|max)jitter|ms(?:min|avg|max)OWD)$"
)

_VERBOSE: Final = re.compile(r"(?:^|\s)nuttcp-(?P<role>[tr])(?P<ident>-\S{1,40})?: ?(?P<text>.*)$")
_VERSION: Final = re.compile(r"v(?P<version>\d{1,4}(?:\.\d{1,4}){1,3}[\w-]{0,20}): (?P<text>.*)$")
_ERROR: Final = re.compile(r"[Ee]rror\b")
_END: Final = re.compile(
    rf"(?P<mib>{_N}) MB in (?P<seconds>{_N}) real seconds = (?:{_N}) KB/sec(?: = (?P<mbps>{_N}) Mbps)?"
    rf"|megabytes=(?P<mib2>{_N}) real_seconds=(?P<seconds2>{_N}) (?:rate_KBps=\S+ )?rate_Mbps=(?P<mbps2>{_N})"
)
_BANNERS: Final = (
    re.compile(r"nstream=(?P<streams>\d{1,5})"),
    re.compile(r"(?:port=\d+(?:, srcport=\d+)?,? |mode=)(?P<protocol>tcp|udp)\b"),
    re.compile(rf"RTT ?= ?(?P<rtt_ms>{_N}) ms|rtt_ms=(?P<rtt_ms2>{_N})"),
    re.compile(
        r"(?<![\w-])(?P<host>host-)?retrans ?= ?(?P<retransmits>\d{1,12})"
        r"(?: \( (?P<each>\d{1,12}(?:\+\d{1,12}){1,512}) \)| retrans_by_stream=(?P<each2>\d{1,12}(?:\+\d{1,12}){1,512}))?"
    ),
    re.compile(r"(?P<lost>\d{1,15}) / (?P<sent>\d{1,15}) drop/pkt|drop=(?P<lost2>\d{1,15}) pkt=(?P<sent2>\d{1,15})"),
    re.compile(rf"(?P<loss_percent>{_N})% data loss|data_loss=(?P<loss_percent2>{_N})"),
    re.compile(rf"avg-jitter = (?P<jitter_ms>-?{_N}) ms|msavgjitter=(?P<jitter_ms2>-?{_N})"),
    re.compile(r"user\b.{0,120}real (?P<cpu>\d{1,6})%|\bcpu=(?P<cpu2>\d{1,6})%"),
)
_CHATTER: Final = re.compile(
    r"socket$|buflen|nbuf|time.limit|rate.limit|packet.burst|tos ?=|connect|accept|send.window|available|receive window|"
    r"initial|I/O calls|io_calls|CPU seconds|cpu_seconds|interval reporting|reporting_interval|cwnd ?=|min-OWD|msminOWD|"
    r"multicast|receive from|sending from|using [as]sm|Warning|Info|Debug|option|not supported|ignores|affinity|"
    r"transmit timeout|nodelay|couldn't|doesn't|Unable"
)
_BARE_ERROR: Final = re.compile(
    r"^(?:bad hostname or address|server aborted connection|getaddrinfo:|invalid |failed to execute|errno=)"
)

_BULLETS: Final = " \t-–—*•·«»>[]("
_DECORATION: Final = re.compile(r"[\s:;]*$")
_TEST: Final = re.compile(rf"(?P<seconds>{_N})[ -]?sec(?:ond)?s?\b.{{0,60}}?\btests?\b", re.IGNORECASE)
_WAY: Final = re.compile(r"\b(?P<send>transmit|tx|put)|\b(?P<receive>receive|rx|get)", re.IGNORECASE)
_NAMED_WAY: Final = re.compile(r"(?:^|[^A-Za-z]|\d)(?P<way>tx|rx)\b|^(?P<verb>put|get)\b", re.IGNORECASE)
_SIZE: Final = re.compile(r"\b(?P<number>\d{1,6})[ -]?(?P<unit>[KMGT])i?B(?:ytes?)?[ -]files?\b", re.IGNORECASE)
_STREAMS: Final = re.compile(r"\busing (?P<streams>\d{1,4}) (?:parallel )?streams\b", re.IGNORECASE)
_COPY: Final = re.compile(r"(?:file cop(?:y|ies)|get|put)\b", re.IGNORECASE)
_NAME: Final = re.compile(r"\b(?P<name>nutt(?:s)?cp)\b", re.IGNORECASE)
_COMPLETED: Final = re.compile(rf"completed in (?P<seconds>{_N}) sec", re.IGNORECASE)
_AGGREGATE: Final = re.compile(
    rf"\baggregate\b.{{0,40}}?throughput\b\W{{0,4}}(?:(?P<mbps>{_N})\s*-?Mbps)?", re.IGNORECASE
)
_BARE_RATE: Final = re.compile(rf"\s*(?P<mbps>{_N})\s*-?Mbps\b")
_FEW_LINES: Final = 3


@dataclass
class _Open:
    """A run that has no summary yet."""

    first: int
    last: int
    rows: list[tuple[int, tuple[str | None, ...]]] = field(default_factory=list)
    ends: dict[str, dict[str, str]] = field(default_factory=dict)
    version: str | None = None

    def has_result(self, role: str) -> bool:
        return "mbps" in self.ends.get(role, {})


@dataclass
class _Heading:
    """What the prose above a result says about it."""

    file_bytes: int | None = None
    test_seconds: float | None = None
    test_once: bool = False
    direction: str | None = None
    streams: int | None = None
    tool: str = "nuttcp"


class Nuttcp:
    """Reader of nuttcp and nuttscp."""

    TOOLS: tuple[str, ...] = ("nuttcp", "nuttscp")
    VERSIONS: str = "nuttcp 5.1 to 8.2; nuttscp as on the HECN slides"
    HINT: re.Pattern[str] = re.compile(
        r"Mbps|[Nn]utts?cp|retrans|[Ss]econds?\b|[Ff]iles?\b|streams|throughput|\d MB|megabytes=|%\s?[TR]X|"
        r"^bad hostname|^server aborted|^errno="
    )

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._open: _Open | None = None
        self._heading = _Heading()
        self._short: Run | None = None
        self._summed: list[Run] = []
        self._failed: tuple[int, str] | None = None
        self._command_used = 0

    def feed(self, line: Line) -> bool:
        """Take a line of nuttcp's, or note what a heading says."""
        if row := _INTERVAL.match(line.text):
            self._settle(line)
            self._begin(line).rows.append((line.number, row.groups()))
            return True
        claimed = self._continue(line) or self._result(line) or self._verbose(line) or self._failure(line)
        return claimed or self._prose(line)

    def finish(self) -> None:
        """The file has ended."""
        self._close()

    # --- one line after another ---------------------------------------------------------------------------------------

    def _begin(self, line: Line) -> _Open:
        if self._open is None:
            self._open = _Open(line.number, line.number)
        self._open.last = line.number
        return self._open

    def _settle(self, line: Line) -> None:
        """A run that is open when a newer command line has appeared has ended without a summary."""
        if self._open is not None and self._open.last < self._findings.command.line < line.number:
            self._close()

    def _continue(self, line: Line) -> bool:
        """A line of nothing but fields is the rest of the line before it."""
        opened = self._open
        if opened is None or not opened.rows or line.number != opened.rows[-1][0] + 1:
            return False
        fields, left = _fields(line.text)
        if left or not ({"tx", "rx"} & fields.keys()):
            return False
        number, row = opened.rows.pop()
        before = {name: value for name, value in zip(_INTERVAL_NAMES, row, strict=True) if value is not None}
        self._summary(Line(number, ""), line, {**before, **fields}, None)
        return True

    def _result(self, line: Line) -> bool:
        """A result on one line: of nuttcp's own form, of its parsable form, or only the rate and what follows it."""
        text = line.text
        verbose = "nuttcp-" in text and _VERBOSE.search(text)
        found = None if verbose else _RESULT.match(text) or _PARSABLE.match(text) or _RATE.match(text)
        if found is None:
            return False
        self._settle(line)
        parsed = found.groupdict()
        fields, left = _pairs(parsed["rest"]) if "megabytes=" in text else _fields(parsed["rest"])
        if left:
            self._unread(line, left)
        given = {name: value for name, value in parsed.items() if name in {"mib", "seconds", "mbps"}}
        if {"tx", "rx"} & fields.keys():
            self._summary(line, line, {**given, **fields}, parsed["label"])
        else:
            values = {**given, **fields}
            self._begin(line).rows.append((line.number, tuple(values.get(name) for name in _INTERVAL_NAMES)))
        return True

    def _unread(self, line: Line, left: str) -> None:
        if line.complete:
            kind, expected = "unrecognised", "fields such as '9 %TX', '0 retrans' or '0.18 msRTT'"
        else:
            kind, expected = "truncated", "the rest of the line before the end of the file"
        self._findings.problem(line.number, kind, f"found {left!r} after a rate, expected {expected}; left out")

    def _verbose(self, line: Line) -> bool:
        found = _VERBOSE.search(line.text)
        if found is None:
            return False
        self._settle(line)
        role, text = found["role"], found["text"].strip()
        version = _VERSION.match(text)
        if version is not None:
            text = version["text"]
            if _ERROR.match(text):
                self._error(line, role, text, version["version"])
                return True
            if self._open is not None and self._open.has_result(role):
                self._close()
        opened = self._begin(line)
        if version is not None:
            opened.version = version["version"]
        end = opened.ends.setdefault(role, {})
        result = _END.search(text)
        known = result is not None or _CHATTER.search(text) is not None or version is not None
        for found in (result, *(banner.search(text) for banner in _BANNERS)):
            if found is not None:
                known = True
                end |= {name.rstrip("2"): value for name, value in found.groupdict().items() if value is not None}
        if result is not None and "mbps" not in end:
            end["mbps"] = str(8 * _MIB * float(end["mib"]) / float(end["seconds"]) / 1e6)
        if not known:
            kind, expected = ("unrecognised", "a line that nuttcp -v prints")
            if not line.complete:
                kind, expected = ("truncated", "the rest of the line before the end of the file")
            self._findings.problem(line.number, kind, f"found {line.text.strip()!r}, expected {expected}; left out")
        return True

    def _failure(self, line: Line) -> bool:
        text = line.text.strip()
        if self._failed is not None and text.startswith("errno=") and line.number - self._failed[0] <= _FEW_LINES:
            return True
        command = self._findings.command
        ours = command.program in self.TOOLS and 0 < line.number - command.line <= _FEW_LINES
        if ours and command.line > self._command_used and _BARE_ERROR.match(text):
            self._error(line, "t", text, None)
            return True
        if self._open is not None and _BEGINNING.match(line.text):
            if line.complete:
                kind, expected = "malformed", "'… MB / … sec = … Mbps'"
            else:
                kind, expected = "truncated", "the rest of the line before the end of the file"
            self._findings.problem(line.number, kind, f"found {text!r}, expected {expected}; left out")
            return True
        return False

    def _error(self, line: Line, role: str, text: str, version: str | None) -> None:
        """Each end may report the same failure: two lines of different ends, one after the other, are one run."""
        self._findings.problem(line.number, "aborted", f"found {text!r}, expected a result")
        if self._failed is not None and line.number - self._failed[0] <= _FEW_LINES and role != self._failed[1]:
            self._failed = None
            return
        self._failed = (line.number, role)
        opened = self._begin(line)
        opened.version = opened.version or version
        self._close(failed=True)

    # --- prose around the results -------------------------------------------------------------------------------------

    def _prose(self, line: Line) -> bool:
        text = line.text
        if self._short is not None and (done := _COMPLETED.search(text)):
            if line.number - self._short.line_last <= _FEW_LINES:
                self._short.columns["duration_s"] = float(done["seconds"])
                self._short.line_last = line.number
                self._flush_short()
                return True
        if self._summed and self._aggregate(line):
            return True
        heading = self._heading
        if size := _SIZE.search(text):
            power = "KMGT".index(size["unit"].upper()) + 1
            heading.file_bytes = int(size["number"]) * 1024**power
            heading.test_seconds = heading.direction = None
        if test := _TEST.search(text):
            way = _WAY.search(text)
            heading.test_seconds = float(test["seconds"])
            heading.test_once = text.rstrip().endswith((":", ";"))
            heading.direction = None if way is None else "send" if way["send"] else "receive"
            if re.search(r"bi-?directional", text, re.IGNORECASE):
                heading.direction = None
        if streams := _STREAMS.search(text):
            heading.streams = int(streams["streams"])
        for name in _NAME.finditer(text):
            heading.tool = name["name"].lower()
        return False

    def _aggregate(self, line: Line) -> bool:
        """Compare a total with the runs above it: some number of the last ones must add up to it."""
        found = _AGGREGATE.search(line.text)
        words = line.text
        if found is None and (bare := _BARE_RATE.match(line.text)) and self._findings.recent:
            above = self._findings.recent[-1]
            if above.number == line.number - 1 and (heading := _AGGREGATE.search(above.text)) and not heading["mbps"]:
                found, words = bare, above.text
        if found is None or found["mbps"] is None:
            return False
        self._flush_short()
        way = _WAY.search(words)
        direction = None if way is None else "send" if way["send"] else "receive"
        rates = [
            float(str(run.columns["throughput_bps"])) / 1e6
            for run in self._summed
            if direction is None or run.columns.get("direction") == direction
        ]
        total, sums = float(found["mbps"]), np.cumsum(rates[::-1])
        rounding = 0.51 * 10.0 ** -len(found["mbps"].partition(".")[2]) + 1e-4 * len(rates)
        if len(sums) and float(np.min(np.abs(sums - total))) > rounding:
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found an aggregate of {total:.10g} Mbps, expected the sum of the runs above it, "
                f"nearest {sums[np.argmin(np.abs(sums - total))]:.10g} Mbps",
            )
        self._heading.test_seconds = self._heading.direction = None
        return True

    def _label(self, line: Line, before: str | None) -> str | None:
        """The words in front of a result, on its line or alone on the line above it."""
        own = _DECORATION.sub("", (before or "").strip(_BULLETS))
        if any(character.isalpha() for character in own):
            return own[-120:]
        if self._findings.recent:
            above = self._findings.recent[-1]
            text = above.text.strip()
            if 0 < line.number - above.number <= 2 and text.endswith((":", ";")):
                return _DECORATION.sub("", text.strip(_BULLETS))[:120] or None
        return None

    # --- runs ---------------------------------------------------------------------------------------------------------

    def _summary(self, first: Line, last: Line, given: Mapping[str, str], before: str | None) -> None:
        """A summary line closes the run; one without MB and seconds takes them from the prose around it."""
        opened = self._open
        if opened is not None and (opened.has_result("r") or opened.has_result("t")):
            self._close()
            opened = None
        self._open = None
        short = "mib" not in given
        label = self._label(first, before)
        heading, command = self._heading, self._findings.command
        values: dict[str, object] = {"label": label, "tool": self._tool(label)}
        values |= self._figures(given, last)
        way = _NAMED_WAY.search(label or "")
        if way is not None:
            values["direction"] = "send" if (way["way"] or way["verb"]).lower() in {"tx", "put"} else "receive"
        if short:
            values |= {"direction": values.get("direction") or heading.direction, "streams": heading.streams}
            if values["tool"] == "nuttscp":
                values |= {"bytes": heading.file_bytes, "streams": None}
            else:
                values["duration_s"] = heading.test_seconds
            if heading.test_once:
                heading.test_seconds = heading.direction = None
                heading.test_once = False
        ours = command.program in self.TOOLS
        if not short and not ours and ("retransmits" in given or "rtt_ms" not in given):
            values["streams"] = 1
        udp = "sent" in given or "loss_percent" in given
        values |= {"protocol": "udp" if udp else "tcp"} | self._from_command()
        if values["tool"] == "nuttscp":
            values["protocol"] = "file"
        if each := given.get("each"):
            values["streams"] = each.count("+") + 1
        if opened is not None:
            banner = {name: value for end in opened.ends.values() for name, value in end.items()}
            if "streams" in banner:
                values["streams"] = int(banner["streams"])
            values["tool_version"] = opened.version
        run = Run(opened.first if opened else first.number, last.number, values, _streams(given), {}, 0.01)
        if opened is not None and opened.rows:
            run.intervals = _intervals(opened.rows)
        if "seconds" in given:
            run.rounding = 0.002 + 0.0051 / max(float(given["seconds"]), 0.0051)
        self._hand_over(run, wait=short)

    def _hand_over(self, run: Run, *, wait: bool) -> None:
        """Give a run to the findings; one in short form waits for its '(completed in … seconds)'."""
        self._flush_short()
        if len(self._summed) < 1000:
            self._summed.append(run)
        if wait:
            self._short = run
        else:
            self._findings.run(run)

    def _flush_short(self) -> None:
        if self._short is not None:
            run, self._short = self._short, None
            duration, amount = run.columns.get("duration_s"), run.columns.get("bytes")
            if isinstance(duration, float) and amount is not None:
                run.rounding = 0.002 + 0.0051 / max(duration, 0.0051)
            self._findings.run(run)

    def _close(self, *, failed: bool = False) -> None:
        """End a run that has no summary line: a -v report, an error, or one that broke off."""
        self._flush_short()
        opened = self._open
        if opened is None:
            return
        if not failed and not opened.ends and (summary := _covering(opened.rows)):
            number = opened.rows.pop()[0]
            self._summary(Line(number, ""), Line(number, ""), summary, None)
            return
        self._open = None
        ends = opened.ends
        values: dict[str, object] = {
            "tool": "nuttcp",
            "tool_version": opened.version,
            "error": failed,
            "protocol": "tcp",
        }
        for role, end in ends.items():
            if "streams" in end:
                values["streams"] = int(end["streams"])
            if "protocol" in end or "sent" in end:
                values["protocol"] = end.get("protocol", "udp")
            if "cpu" in end:
                values["cpu_sender_fraction" if role == "t" else "cpu_receiver_fraction"] = float(end["cpu"]) / 100
        values |= self._from_command()
        if ends and "direction" not in values:
            values["direction"] = "send" if next(iter(ends)) == "t" else "receive"
        given: dict[str, str] = {}
        for role in "tr":
            end = ends.get(role, {})
            given |= {name: value for name, value in end.items() if name != "cpu"}
        last = Line(opened.last, "")
        values |= {name: value for name, value in self._figures(given, last).items() if value is not None}
        if "mbps" in (sender := ends.get("t", {})):
            values["sender_throughput_bps"] = float(sender["mbps"]) * 1e6
            if not opened.has_result("r"):
                values["throughput_bps"] = None
        run = Run(opened.first, opened.last, values, _streams(given), {}, 0.01)
        if "seconds" in given:
            run.rounding = 0.002 + 0.0051 / max(float(given["seconds"]), 0.0051)
        if opened.rows:
            run.intervals = _intervals(opened.rows)
        if not failed and "mbps" not in given:
            self._findings.problem(
                opened.last,
                "truncated",
                f"found {len(opened.rows)} intervals and no summary, expected '… Mbps … %TX … %RX'; intervals kept",
            )
        self._hand_over(run, wait=False)

    def _tool(self, label: str | None) -> str:
        if label is not None and _COPY.match(label):
            return "nuttscp"
        if label is not None and (_TEST.search(label) or _NAMED_WAY.search(label)):
            return "nuttcp"
        return self._heading.tool

    def _from_command(self) -> dict[str, object]:
        """What the command line above says, where it is one of nuttcp's."""
        command = self._findings.command
        if command.program != "nuttcp":
            return {}
        self._command_used = command.line
        streams = 1
        for word, following in zip(command.arguments, (*command.arguments[1:], ""), strict=True):
            if word.startswith("-N") and (digits := re.match(r"\d{1,5}", word[2:] or following)):
                streams = max(1, int(digits.group()))
        known: dict[str, object] = {"streams": streams}
        known["direction"] = "receive" if "-r" in command.arguments else "send"
        if any(re.match(r"-u(?!\w*=)", word) for word in command.arguments):
            known["protocol"] = "udp"
        return known

    def _figures(self, given: Mapping[str, str], line: Line) -> dict[str, object]:
        """Columns of the run from the texts of a summary's fields."""
        values: dict[str, object] = {}
        if "mbps" in given:
            values["throughput_bps"] = float(given["mbps"]) * 1e6
        if "mib" in given:
            values["bytes"] = round(float(given["mib"]) * _MIB)
        if "seconds" in given:
            values["duration_s"] = float(given["seconds"])
        for name, column, factor in (
            ("tx", "cpu_sender_fraction", 0.01),
            ("rx", "cpu_receiver_fraction", 0.01),
            ("rtt_ms", "rtt_s", 1e-3),
            ("jitter_ms", "jitter_s", 1e-3),
            ("loss_percent", "loss_fraction", 0.01),
        ):
            if name in given:
                values[column] = round(float(given[name]) * factor, 12)
        values |= self._retransmits(given, line)
        if "sent" in given:
            lost, sent = int(given["lost"]), int(given["sent"])
            values |= {"lost_packets": lost, "sent_packets": sent, "loss_fraction": lost / sent if sent else None}
        if given.get("noise"):
            self._findings.problem(
                line.number,
                "ambiguous",
                f"found '{given['rtt_ms']}{given['noise']}ms RTT', expected '… ms RTT'; read as {given['rtt_ms']} ms",
            )
        return values

    def _retransmits(self, given: Mapping[str, str], line: Line) -> dict[str, object]:
        if "retransmits" not in given:
            return {}
        if given.get("host"):
            self._findings.problem(
                line.number,
                "ambiguous",
                f"found '{given['retransmits']} host-retrans', expected the connection's own retransmissions; left out",
            )
            return {}
        if given["retransmits"] == "O":
            self._findings.problem(
                line.number, "ambiguous", "found the letter O in 'Oretrans', expected a number; read as 0"
            )
            return {"retransmits": 0}
        total = int(given["retransmits"])
        if (each := given.get("each")) and sum(map(int, each.split("+"))) != total:
            self._findings.problem(
                line.number,
                "inconsistent",
                f"found {total} = {each} retrans, expected the sum of the streams; kept as printed",
            )
        return {"retransmits": total}


def _fields(rest: str) -> tuple[dict[str, str], str]:
    """Read the fields after a rate: the texts by name, and what could not be read."""
    fields: dict[str, str] = {}
    position, left = 0, []
    while position < len(rest):
        found = _FIELD.match(rest, position)
        if found is None:
            word = _WORD.match(rest, position)
            end = word.end() if word else len(rest)
            left.append(rest[position:end].strip())
            position = end
            continue
        if found["running"]:
            break
        fields |= {name: value for name, value in found.groupdict().items() if value is not None}
        position = found.end()
    return fields, " ".join(word for word in left if word)


def _pairs(rest: str) -> tuple[dict[str, str], str]:
    """Read the key=value fields of -fparse."""
    fields: dict[str, str] = {}
    left = []
    for word in rest.split():
        key, equals, value = word.partition("=")
        name = _KEYS.get(key)
        if equals and name in {"retransmits", "host"} and re.fullmatch(r"\d{1,12}", value):
            fields |= {"retransmits": value} | ({"host": "host-"} if name == "host" else {})
        elif equals and name == "each" and re.fullmatch(r"\d{1,12}(?:\+\d{1,12}){0,512}", value):
            fields[name] = value
        elif equals and name in {"lost", "sent", "cwnd_kib"} and re.fullmatch(r"\d{1,15}", value):
            fields[name] = value
        elif (
            equals
            and name in {"tx", "rx", "rtt_ms", "loss_percent", "jitter_ms"}
            and re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?", value)
        ):
            fields[name] = value
        elif not _OTHER_KEYS.match(key):
            left.append(word)
    if ("lost" in fields) != ("sent" in fields):
        fields.pop("lost", None)
        fields.pop("sent", None)
    return fields, " ".join(left)


def _covering(rows: Sequence[tuple[int, tuple[str | None, ...]]]) -> dict[str, str] | None:
    """The last row, where it is a summary that has lost its fields: it is as long as all the others together."""
    if len(rows) < 3:
        return None
    seconds = [float(row[1] or 0) for _, row in rows]
    if abs(seconds[-1] - sum(seconds[:-1])) > 0.02 * seconds[-1]:
        return None
    return {name: value for name, value in zip(_INTERVAL_NAMES, rows[-1][1], strict=True) if value is not None}


def _streams(given: Mapping[str, str]) -> Sequence[Mapping[str, object]]:
    each = given.get("each")
    return (
        [{"stream": number, "retransmits": int(count)} for number, count in enumerate(each.split("+"))] if each else ()
    )


def _intervals(rows: Sequence[tuple[int, tuple[str | None, ...]]]) -> dict[str, Array]:
    """Columns of the table of intervals from the texts of the rows."""
    columns = dict(zip(_INTERVAL_NAMES, zip(*(row for _, row in rows), strict=True), strict=True))
    numbers = {name: np.array(texts, dtype=object).astype(float) for name, texts in columns.items()}
    ends = np.cumsum(numbers["seconds"])
    with np.errstate(invalid="ignore", divide="ignore"):
        fraction = numbers["lost"] / numbers["sent"]
    exact = np.isfinite(fraction) & (fraction <= 1)
    printed = numbers["loss_percent"] / 100
    return {
        "line": np.array([line for line, _ in rows], dtype=float),
        "t_start_s": np.concatenate([[0.0], ends[:-1]]).round(6),
        "t_end_s": ends.round(6),
        "bytes": np.rint(numbers["mib"] * _MIB),
        "throughput_bps": numbers["mbps"] * 1e6,
        "retransmits": numbers["retransmits"],
        "cwnd_bytes": numbers["cwnd_kib"] * 1024,
        "lost_packets": numbers["lost"],
        "sent_packets": numbers["sent"],
        "loss_fraction": np.where(exact, fraction, np.where(printed <= 1, printed, np.nan)),
    }
