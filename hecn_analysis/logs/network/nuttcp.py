"""Output of nuttcp (Bill Fink and Rob Scott): memory to memory over TCP or UDP.

Versions 5.1 to 8.2, from the source code and from runs: the one-line summary (the default, ``-b``), the rows of ``-i``,
the ``-v`` reports of both ends (``nuttcp-t:``, ``nuttcp-r:``, also with an identifier, ``-I``), ``-fparse``
(key=value), ``-frunningtotal``, ``-fxmitstats``, and the errors. `hecn_analysis.logs.network.nuttscp` reads results
without bytes and seconds, as reports quote them.

Units and traps
---------------
- MB is 2**20 bytes, KB (of the congestion window) 1024 bytes, Mbps 10**6 bit/s; CPU time in per cent of one core.
- The summary of a run looks like an interval followed by ``%TX``. It may be wrapped onto a second line.
- The summary's rate is the receiver's. ``-v`` gives both ends, whose durations differ.
- The direction is missing without a command line. So is the number of streams if there is a round-trip time but no
  ``retrans`` field (several streams before version 7.1.1). ``-F`` does not reverse the data, only who opens the
  connection.
- ``~drop/pkt`` of an interval is an estimate; the summary's ``drop/pkt`` is exact. The loss is computed from the
  packets.
- ``host-retrans`` counts a whole host's segments: it is left out, with a problem of kind ``ambiguous``.
- ``31 = 4+9+10+8 retrans`` is the total and the retransmits of each stream.
- UDP summaries may give ``msMinJitter``, ``msAvgJitter`` and ``msMaxJitter``: only the average is the jitter.
- Text recognition turns ``0 retrans`` into ``O retrans`` and ``0.11 ms`` into ``0.11 Tms``: both are read, with a
  problem of kind ``ambiguous``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Array, Command, Run, RunFindings
from hecn_analysis.logs.network.nuttcp_figures import (
    MIB,
    NUMBER,
    PARTS,
    Texts,
    fields,
    figures,
    label,
    pairs,
    streams,
    throughput,
    unread,
    way,
)
from hecn_analysis.logs.options import option_values
from hecn_analysis.logs.rows import Rows, Text, matched, numbers

_N: Final = NUMBER
_FEW_LINES: Final = 3

# --- an interval, and a summary line: the rate, and fields after it in any order
_INTERVAL: Final = re.compile(
    r"\s*(\d{1,12}\.\d{1,6}) MB\s*/\s*(\d{1,8}\.\d{1,6}) sec\s*=\s*(\d{1,12}\.\d{1,6}) Mbps"
    r"(?:\s+(\d{1,12}) retrans)?(?:\s+(\d{1,12}) KB-cwnd)?"
    r"(?:\s+(\d{1,15})\s*/\s*(\d{1,15}) ~?drop/pkt)?(?:\s+(\d{1,3}\.\d{1,9}) ~?%loss)?\s*$"
)
_INTERVAL_NAMES: Final = ("mib", "seconds", "mbps", "retransmits", "cwnd_kib", "lost", "sent", "loss_percent")
_RESULT: Final = re.compile(
    rf"(?P<mib>{_N})\s*MB\s*/\s*(?P<seconds>{_N})\s*sec\s*=\s*(?P<mbps>{_N})\s*Mbps\b(?P<rest>.*)$"
)
_PARSABLE: Final = re.compile(
    rf"megabytes=(?P<mib>{_N}) real_sec(?:onds)?=(?P<seconds>{_N}) (?:rate_KBps=\S+ )?"
    rf"rate_Mbps=(?P<mbps>{_N})(?P<rest>.*)$"
)
_BEGINNING: Final = re.compile(rf"\s*(?:{_N} MB\s*/|megabytes=)")

# --- the -v report of one end
_VERBOSE: Final = re.compile(r"(?:^|\s)nuttcp-(?P<role>[tr])(?:-(?P<ident>\S{1,40}))?: ?(?P<text>.*)$")
_VERSION: Final = re.compile(r"v(?P<version>\d{1,4}(?:\.\d{1,4}){1,3}[\w-]{0,20}): (?P<text>.*)$")
_REPORTED: Final = (
    re.compile(rf"(?P<mib>{_N}) MB in (?P<seconds>{_N}) real seconds = {_N} KB/sec(?: = (?P<mbps>{_N}) Mbps)?"),
    re.compile(rf"megabytes=(?P<mib>{_N}) real_seconds=(?P<seconds>{_N}) rate_KBps=\S+(?: rate_Mbps=(?P<mbps>{_N}))?"),
    re.compile(r"nstream=(?P<streams>\d{1,5})"),
    re.compile(r"port=\d+.{0,40} (?P<protocol>tcp|udp)\b"),
    re.compile(r"mode=(?P<protocol>tcp|udp)\b"),
    re.compile(rf"(?:RTT ?= ?|rtt_ms=)(?P<rtt_ms>{_N})"),
    re.compile(r"(?<!\w)mss=(?P<mss>\d{1,5})(?!\d)"),
    re.compile(
        r"(?<![\w-])(?P<host>host-)?retrans ?= ?(?P<retransmits>\d{1,12})"
        rf"(?:(?: \( | retrans_by_stream=)(?P<each>{PARTS}))?"
    ),
    re.compile(r"(?P<lost>\d{1,15}) / (?P<sent>\d{1,15}) drop/pkt"),
    re.compile(r"drop=(?P<lost>\d{1,15}) pkt=(?P<sent>\d{1,15})"),
    re.compile(rf"(?P<loss_percent>{_N})% data loss"),
    re.compile(rf"data_loss=(?P<loss_percent>{_N})"),
    re.compile(rf"(?:avg-jitter = |msavgjitter=)(?P<jitter_ms>-?{_N})"),
    re.compile(r"(?:user\b.{0,120}real |\bcpu=)(?P<cpu>\d{1,6})%"),
)
_CHATTER: Final = re.compile(
    r"socket$|buflen|nbuf|time.limit|rate.limit|packet.burst|tos ?=|connect|accept|send.window|available|initial|"
    r"receive window|I/O calls|io_calls|CPU seconds|cpu_seconds|interval reporting|reporting_interval|cwnd ?=|"
    r"min-OWD|msminOWD|multicast|receive from|sending from|using [as]sm|Warning|Info|Debug|option|not supported|"
    r"ignores|affinity|transmit timeout|nodelay|couldn't|doesn't|Unable"
)
_BARE_ERROR: Final = re.compile(
    r"(?:bad hostname or address|server aborted connection|getaddrinfo:|invalid |failed to execute)"
)

# --- a label that says that files were copied
_COPY: Final = re.compile(r"(?:file cop(?:y|ies)|get|put)\b", re.IGNORECASE)


@dataclass
class _OpenRun:
    """A run that has no summary yet."""

    first: int
    last: int
    command: Command
    rows: Rows
    ends: dict[str, Texts] = field(default_factory=dict)
    version: str | None = None
    label: str | None = None

    @property
    def results(self) -> set[str]:
        """The ends, ``t`` and ``r``, whose result has been read."""
        return {role for role, end in self.ends.items() if "mib" in end}


class Nuttcp:
    """Reader of nuttcp."""

    TOOLS: tuple[str, ...] = ("nuttcp",)
    VERSIONS: str = "5.1 to 8.2"
    HINTS: tuple[str, ...] = (
        " MB",
        "nuttcp-",
    )
    HINTS_TOGETHER: tuple[tuple[str, ...], ...] = (("Mbps", "sec"),)
    LATER_HINTS: tuple[str, ...] = ("errno=", "hostname", "aborted", "getaddrinfo", "invalid", "failed")

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None
        self._failed: tuple[int, str] = (-_FEW_LINES, "")
        self._command_with_output = 0

    def feed(self, line: Line) -> bool:
        """Take a line of nuttcp's."""
        if row := _INTERVAL.match(line.text):
            self._row(line, row.groups())
            return True
        return self._continuation(line) or self._verbose(line) or self._result(line) or self._failure(line)

    def rows(self, texts: Sequence[str], numbers: Sequence[int], start: int) -> int:
        """Take intervals that follow others."""
        opened = self._open
        if opened is None or not opened.rows or opened.ends or opened.last != numbers[start] - 1:
            return 0
        taken, row_texts = matched(_INTERVAL, texts, start)
        if taken:
            opened.rows.add(numbers[start : start + taken], row_texts)
            opened.last = numbers[start + taken - 1]
        return taken

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    # --- lines

    def _new(self, number: int) -> _OpenRun:
        rows = Rows(_INTERVAL.groups, _converted, kept=self._findings.keep_intervals)
        return _OpenRun(number, number, self._findings.command, rows)

    def _begin(self, line: Line) -> _OpenRun:
        if self._open is None:
            self._open = self._new(line.number)
        self._open.last = line.number
        return self._open

    def _row(self, line: Line, texts: tuple[str | None, ...]) -> None:
        """Take an interval; after the result of an end it belongs to the next run."""
        if self._open is not None and self._open.ends and self._open.results:
            self._close()
        self._begin(line).rows.add([line.number], texts)

    def _continuation(self, line: Line) -> bool:
        """Take a line of fields alone as the rest of the line above."""
        opened = self._open
        if opened is None or not opened.rows or line.number != opened.rows.last_line + 1:
            return False
        texts, left = fields(line.text)
        if left or not ({"tx", "rx"} & texts.keys()):
            return False
        number, row = opened.rows.pop()
        self._summary(number, line, {**_texts(row), **texts}, None)
        return True

    def _result(self, line: Line) -> bool:
        """Take a summary on one line, or an interval with rarely used fields."""
        match = (_RESULT.search(line.text) or _PARSABLE.search(line.text)) if "Mbps" in line.text else None
        if match is None:
            return False
        texts = {name: match[name] for name in ("mib", "seconds", "mbps")}
        more, left = pairs(match["rest"]) if match.re is _PARSABLE else fields(match["rest"])
        unread(self._findings, line, left)
        texts |= more
        if {"tx", "rx"} & texts.keys():
            self._summary(line.number, line, texts, label(self._findings, line, line.text[: match.start()]))
        else:
            self._row(line, tuple(texts.get(name) for name in _INTERVAL_NAMES))
        return True

    def _verbose(self, line: Line) -> bool:
        """Take a line of the report of one end."""
        match = _VERBOSE.search(line.text) if "nuttcp-" in line.text else None
        if match is None:
            return False
        role, text = match["role"], match["text"].strip()
        version = _VERSION.match(text)
        if version is not None:
            text = version["text"]
            if text.startswith(("Error", "error")):
                self._error(line, role, text, version["version"])
                return True
            if self._open is not None and role in self._open.results:
                self._close()
        opened = self._begin(line)
        opened.version = version["version"] if version else opened.version
        opened.label = match["ident"] or opened.label
        end = opened.ends.setdefault(role, {})
        known = version is not None or _CHATTER.search(text) is not None
        for pattern in _REPORTED:
            if (reported := pattern.search(text)) is not None:
                known = True
                end |= {name: value for name, value in reported.groupdict().items() if value is not None}
        if not known:
            unread(self._findings, line, line.text.strip(), "a line that nuttcp -v prints")
        return True

    def _failure(self, line: Line) -> bool:
        """Take the rest of an error, an error right after the command, or a truncated line."""
        text, command = line.text.strip(), self._findings.command
        if text.startswith("errno=") and line.number - self._failed[0] <= _FEW_LINES:
            return True
        ours = command.program == "nuttcp" and self._command_with_output < command.line >= line.number - _FEW_LINES
        if ours and _BARE_ERROR.match(text):
            self._error(line, "", text, None)
            return True
        if (self._open is not None or not line.complete) and _BEGINNING.match(line.text):
            unread(self._findings, line, text, "'… MB / … sec = … Mbps'", kind="malformed")
            if self._open is not None:
                self._begin(line)
            return True
        return False

    def _error(self, line: Line, role: str, text: str, version: str | None) -> None:
        """Take an error; two consecutive ones of different ends are one failed run."""
        self._findings.problem(line.number, "aborted", f"found {text!r}, expected a result")
        before, other = self._failed
        if line.number - before <= _FEW_LINES and role != other:
            self._failed = (-_FEW_LINES, "")
            return
        self._failed = (line.number, role)
        opened = self._begin(line)
        opened.version = opened.version or version
        self._close(failed=True)

    # --- runs

    def _summary(self, first: int, last: Line, texts: Texts, words: str | None) -> None:
        """Close the run of the intervals and reports above with its summary."""
        if self._open is not None and self._open.results:
            self._close()
        opened, self._open = self._open, None
        if opened is None:
            opened = self._new(first)
        opened.last = last.number
        columns = figures(self._findings, last, texts)
        columns["protocol"] = "udp" if "sent" in texts or "loss_percent" in texts else "tcp"
        columns["streams"] = 1 if "retransmits" in texts or "rtt_ms" not in texts else None
        columns |= self._from_command(opened.command) | _from_label(words)
        if "each" in texts:
            columns["streams"] = texts["each"].count("+") + 1
        self._hand_over(opened, columns, texts, label=words)

    def _close(self, *, failed: bool = False) -> None:
        """End a run without a summary line: one with reports, with an error, or a truncated one."""
        opened = self._open
        if opened is None:
            return
        if not failed and not opened.ends and _last_covers(opened.rows):
            number, row = opened.rows.pop()
            texts = _texts(row)
            self._summary(number, Line(number, ""), texts, None)
            return
        self._open = None
        sender, receiver = opened.ends.get("t", {}), opened.ends.get("r", {})
        texts = {**sender, **receiver}
        columns: dict[str, object] = {"protocol": texts.get("protocol", "udp" if "sent" in texts else "tcp")}
        if opened.ends:
            columns["direction"] = "send" if next(iter(opened.ends)) == "t" else "receive"
        columns |= self._from_command(opened.command) | figures(self._findings, Line(opened.last, ""), texts)
        for column, end in (("cpu_sender_fraction", sender), ("cpu_receiver_fraction", receiver)):
            if "cpu" in end:
                columns[column] = float(end["cpu"]) / 100
        if "mib" in sender:
            columns["sender_throughput_bps"] = throughput(sender)
            if "mib" not in receiver:
                columns["throughput_bps"] = None
        if not failed and not opened.results:
            self._findings.problem(
                opened.last,
                "truncated",
                f"found {len(opened.rows)} intervals and no summary, expected '… Mbps … %TX … %RX'",
            )
        columns["error"] = failed
        self._hand_over(opened, columns, texts, label=opened.label)

    def _hand_over(self, opened: _OpenRun, columns: dict[str, object], texts: Texts, *, label: str | None) -> None:
        banner = next((end["streams"] for end in opened.ends.values() if "streams" in end), None)
        if banner is not None and int(banner) > 0:
            columns["streams"] = int(banner)
        columns["mss_bytes"] = next((int(end["mss"]) for end in opened.ends.values() if int(end.get("mss", 0))), None)
        tool = "nuttscp" if label is not None and _COPY.match(label) else "nuttcp"
        if tool == "nuttscp":
            columns["protocol"] = "file"
        columns |= {"tool": tool, "tool_version": opened.version, "label": label}
        rounding = 0.002 + 0.0051 / max(float(texts.get("seconds", 0)), 0.0051)
        intervals = _intervals(opened.rows)
        self._findings.run(Run(opened.first, opened.last, columns, streams(texts), intervals, rounding))

    def _from_command(self, command: Command) -> dict[str, object]:
        """Return the columns that a command line of nuttcp above determines."""
        if command.program != "nuttcp":
            return {}
        self._command_with_output = command.line
        known: dict[str, object] = {"streams": 1, "direction": "receive" if "-r" in command.arguments else "send"}
        for value in option_values(command.arguments, "-N"):
            if digits := re.match(r"\d{1,5}", value):
                known["streams"] = max(1, int(digits.group()))
        if any(word.startswith("-u") for word in command.arguments):
            known["protocol"] = "udp"
        return known


def _from_label(words: str | None) -> dict[str, object]:
    direction = way(words)
    return {} if direction is None else {"direction": direction}


def _texts(row: Sequence[Text]) -> Texts:
    return {name: value for name, value in zip(_INTERVAL_NAMES, row, strict=True) if value is not None}


def _last_covers(rows: Rows) -> bool:
    """Return whether the last row is a summary without fields: as long as all other rows together."""
    if len(rows) < 3:
        return False
    seconds = rows.columns()["seconds"]
    return bool(abs(seconds[-1] - seconds[:-1].sum()) <= 0.02 * seconds[-1])


def _converted(texts: Sequence[Sequence[Text]], lines: Array) -> dict[str, Array]:
    """Convert the texts of rows to columns of numbers."""
    columns = {name: numbers(column) for name, column in zip(_INTERVAL_NAMES, texts, strict=True)}
    with np.errstate(invalid="ignore", divide="ignore"):
        counted = columns["lost"] / columns["sent"]
    loss = np.where(np.isfinite(counted), counted, columns["loss_percent"] / 100)
    return {
        "line": lines,
        "seconds": columns["seconds"],
        "bytes": np.rint(columns["mib"] * MIB),
        "throughput_bps": (columns["mbps"] * 1e6).round(3),
        "retransmits": columns["retransmits"],
        "cwnd_bytes": np.rint(columns["cwnd_kib"] * 1024),
        "lost_packets": columns["lost"],
        "sent_packets": columns["sent"],
        "loss_fraction": np.where(loss <= 1, loss, np.nan),
    }


def _intervals(rows: Rows) -> dict[str, Array]:
    """Return the columns of the table of intervals."""
    columns = rows.columns()
    if not columns:
        return {}
    ends = np.cumsum(columns.pop("seconds"))
    return {
        "line": columns.pop("line"),
        "t_start_s": np.concatenate([[0.0], ends[:-1]]).round(6),
        "t_end_s": ends.round(6),
        **columns,
    }
