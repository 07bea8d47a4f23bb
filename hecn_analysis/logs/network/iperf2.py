"""Output of iperf 2 (``iperf``, NLANR, later Robert McMahon): memory to memory over TCP or UDP; text and CSV.

Versions 2.0.2 to 2.2, and 1.7, from the source code and from runs of 2.1.8: client and server, ``-i``, ``-P``, ``-d``,
``-r``, ``-R``, ``--full-duplex``, ``-u`` with the server's report, ``-e``, ``-y C``. The text of iperf3 looks alike;
`hecn_analysis.logs.network.iperf3` says how they differ. The tool is called ``iperf2`` in the tables.

Units and traps
---------------
- `hecn_analysis.logs.network.iperf2_rows` describes the units, and which row of a stream is its result.
- With ``-P`` the run is ``[SUM]``. If one stream ends late there is no final ``[SUM]``. The figures are then missing,
  unless all streams took equally long. ``[SUM]`` of a single stream may be a sum over several runs: the stream's own
  row is read.
- A server prints nothing between two clients: a new connection after a result begins a new run. Connections of both
  directions (``-d``, ``--full-duplex``) are two runs, the sent one first. ``*`` marks the reverse direction.
- UDP: the client's row is what it sent, the row under ``Server Report:`` is what arrived. Without the report the
  throughput is missing. With ``-P`` each stream has a report and ``[SUM]`` is the sender's: the reports are added up.
- The number of packets sent is the receiver's count, else the client's ``Sent … datagrams``.
- ``-e``: the round-trip time in the result is the last one.
- CSV has local time, so the start of the run is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Command, Run, RunFindings
from hecn_analysis.logs.network.iperf2_rows import (
    CSV,
    ID,
    LIKE_ROW,
    ROW,
    Row,
    Stream,
    added,
    figures,
    intervals,
    key_of,
    of_csv,
    of_text,
    read,
    stream_row,
    take,
    written_at,
)
from hecn_analysis.logs.network.iperf_rate import repaired_row

_CONNECTED: Final = re.compile(
    ID + r" local \S{1,120} port (?P<local>\d{1,5}) connected with \S{1,120} port "
    r"(?P<remote>\d{1,5})(?P<rest>.{0,300})$"
)
_MSS: Final = re.compile(r"(?:MSS size |/mss/irtt=\d{1,9}/|\(MSS=)(?P<bytes>[1-9]\d{1,4})(?!\d)")
_BANNER: Final = re.compile(
    r"(?P<role>Client connecting to .{1,255}, |Server listening on )(?P<protocol>TCP|UDP) ports? (?P<port>\d{1,5})"
)
_TIME: Final = re.compile(r" on (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?) \(UTC\)")
_SENT: Final = re.compile(rf"{ID} Sent (?P<packets>\d{{1,15}}) datagrams")
_REPORT: Final = re.compile(rf"{ID} Server Report:")
_FAILURE: Final = re.compile(
    r"(?:^|\s)(?:(?:tcp |udp )?connect failed: |write\d? failed: |read\d? failed: |shutdown failed: |bind failed: |"
    r"error: |unable to |tcp connect to \S{1,255} port \d{1,5} failed )\S.{0,200}"
)
_CHATTER: Final = re.compile(
    r"-{40,}|TCP window size|UDP buffer size|(?:Write|Read) buffer size|TOS set to|Sending \d|Receiving \d|"
    r"Setting multicast|Joining multicast|Binding to|\[ CT\]|out-of-order|WARNING|MSS size|trip-time|traffic started|"
    r"listener bind|Client set to bypass|\[ ID\]|congestion|Waiting for server|\] Sent |iperf: |"
    r"-PDF: |OWD Delays|L2 processing|Isochronous: |Bursting|Bounceback test|fair-queue|TOS defaults"
)
_NO_ROW: Final = re.compile(r"out-of-order|trip-time|-PDF: |OWD Delays|L2 processing")
_NAMES: Final = re.compile(
    r"\s{0,8}time,srcaddress,srcport,dstaddr,dstport,transferid,istart,iend,bytes,speed,(?P<rest>.{0,400})$"
)
_WRAPPED: Final = re.compile(r"\s{0,8}(?P<lost>\d{1,15})/ {0,12}(?P<packets>\d{1,15}) {0,8}\(")
_NEAR: Final = 3
_ROUNDED: Final = 0.03
_CUT: Final = 0.2


@dataclass
class _Connection:
    """The ports of a connection, and whether it is reversed."""

    local: int
    remote: int
    reverse: bool


@dataclass
class _OpenRun:
    """A run, or both directions of one, whose end has not been read."""

    first: int
    last: int
    command: Command
    client: bool | None = None
    ports: set[int] = field(default_factory=set)
    way: str | None = None
    count: int | None = None
    udp: bool = False
    known: bool = False
    start_time: pd.Timestamp | None = None
    failed: bool = False
    report: str = ""
    wrapped: str = ""
    streams: dict[str, Stream] = field(default_factory=dict)
    connections: dict[str, _Connection] = field(default_factory=dict)
    csv: bool = False
    written: float | None = None
    mss: int | None = None

    @property
    def has_results(self) -> bool:
        """Whether a stream has a result."""
        return any(stream.result() is not None for stream in self.streams.values())


class Iperf2:
    """Reader of iperf 2."""

    TOOLS: tuple[str, ...] = ("iperf2",)
    VERSIONS: str = "1.7 and 2.0.2 to 2.2, text and CSV"
    HINTS: tuple[str, ...] = (
        "its/sec",
        "ytes/sec",
        "Client connecting",
        "Server listening",
        "connected with",
        ",0.0",
        "sec ",
        "srcaddress,",
    )

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._open: _OpenRun | None = None
        self._before: _OpenRun | None = None
        self._listening: set[int] = set()
        self._way: str | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of iperf's."""
        text, opened = line.text, self._open
        if "]" in text and "sec" in text:
            row = ROW.search(text)
            if row is not None:
                return self._row(line, row)
            if opened is not None and LIKE_ROW.search(text) and not _NO_ROW.search(text):
                return self._damaged(line)
        elif text.count(",") >= 8 and (match := CSV.match(text)) is not None:
            self._values(line, match)
            return True
        elif (names := _NAMES.match(text)) is not None:
            self._close()
            self._way = "receive" if "readcnt" in names["rest"] else "send"
            return True
        return self._banner(line) or self._connection(line) or self._other_line(line)

    def rows(self, texts: Sequence[str], numbers: Sequence[int], start: int) -> int:
        """Take intervals of streams that have some already."""
        opened = self._open
        if opened is None or opened.report or (opened.way == "send" and opened.udp):
            return 0
        pattern = CSV if opened.csv else ROW
        taken_rows = take(pattern, lambda row: self._known_stream(opened, row), texts, start)
        taken = sum(len(places) for _, places, _ in taken_rows)
        for stream, places, parts in taken_rows:
            if places:
                stream.go_on([numbers[place] for place in places], parts)
        if taken:
            opened.last = numbers[start + taken - 1]
            if opened.csv and (last := CSV.match(texts[start + taken - 1])) is not None:
                opened.written = written_at(last)
        return taken

    @staticmethod
    def _known_stream(opened: _OpenRun, row: re.Match[str]) -> Stream | None:
        """Return the stream of a row, or None unless it is certainly one of the open run."""
        if row.re is ROW:
            return opened.streams.get(key_of(row["id"]))
        ports = opened.connections.get(row[6])
        if ports is not None and (ports.local, ports.remote) != (int(row[3]), int(row[5])):
            return None
        return opened.streams.get("SUM" if row[6] == "-1" else row[6])

    def finish(self) -> None:
        """The output has ended."""
        self._close()

    def _begin(self, number: int) -> _OpenRun:
        if self._open is None:
            self._open = _OpenRun(number, number, self._findings.command, ports=set(self._listening))
        self._open.last = number
        return self._open

    # --- text

    def _row(self, line: Line, match: re.Match[str]) -> bool:
        opened, rest = self._open, match["rest"]
        if match.start() > 80 or rest.rstrip().endswith(("sender", "receiver")):
            return False
        like_iperf3 = len(match["gap"]) > 1 and len(match["end"].partition(".")[2]) == 2
        if opened is None and like_iperf3:
            return False
        key = key_of(match["id"])
        texts = of_text(match)
        on_time = match["end"].endswith(".0000") and key != "SUM"
        row = read(line.number, texts, on_time=on_time)
        if opened is not None and not opened.report and self._starts_next_run(opened, key, row):
            self._close()
        opened = self._begin(line.number)
        if key.startswith("FD") or rest.endswith("(omitted)"):
            return True
        if key not in opened.streams:
            self._rejoin(opened, key, row)
        if key == "SUM" and match["id"] != key:
            opened.count = int(match["id"].removeprefix("SUM-"))
        stream = self._stream(opened, key)
        opened.udp = opened.udp or row.packets is not None
        if opened.report == key and row.start == 0:
            stream.report = row
            opened.report = ""
            opened.wrapped = key if row.packets is None else ""
        else:
            stream.add(row, texts)
        return True

    def _rejoin(self, opened: _OpenRun, key: str, row: Row) -> None:
        """Continue the previous run: its supposed result was the first interval of a stream."""
        before = self._before
        first = before.streams[key].first if before is not None and key in before.streams else None
        if before is None or first is None or row.start == 0 or row.start != first.end:
            return
        self._before = None
        opened.first = before.first
        opened.start_time = before.start_time or opened.start_time
        opened.streams = before.streams | opened.streams
        opened.connections = before.connections | opened.connections

    def _stream(self, opened: _OpenRun, key: str) -> Stream:
        if key not in opened.streams:
            opened.streams[key] = Stream.new(kept=self._findings.keep_intervals)
        return opened.streams[key]

    def _starts_next_run(self, opened: _OpenRun, key: str, row: Row) -> bool:
        """Return whether a row begins the next run although no connection line precedes it."""
        stream = opened.streams.get(key)
        if stream is None:
            return False
        if stream.final is not None:
            return True
        only = stream.first if len(stream.rows) == 1 else None
        if opened.known or only is None or row.start > 0 or only.start > 0:
            return False
        return abs(only.end - row.end) <= 0.1 + 0.05 * row.end and (only.amount, only.rate) != (row.amount, row.rate)

    def _damaged(self, line: Line) -> bool:
        row = repaired_row(self._findings, line, ROW, "'[ ID] … sec … Bytes … bits/sec'")
        if row is not None:
            return self._row(line, row)
        self._begin(line.number)
        return True

    def _banner(self, line: Line) -> bool:
        match = _BANNER.search(line.text) if " port" in line.text else None
        if match is None:
            return False
        client = match["role"].startswith("Client")
        opened = self._open
        if opened is not None and (opened.streams or opened.failed or opened.client is client):
            self._close()
        if self._open is None:
            self._early_failure(line.number)
        opened = self._begin(line.number)
        opened.client = client if opened.client is None else True
        opened.ports.add(int(match["port"]))
        if not client:
            self._listening.add(int(match["port"]))
        opened.udp = match["protocol"] == "UDP"
        return True

    def _early_failure(self, number: int) -> None:
        """Take an error above the banner: the error is unbuffered, the banner is not."""
        command = self._findings.command.line
        for line in self._findings.recent:
            match = _FAILURE.search(line.text) if "connect failed: " in line.text else None
            if match is not None and max(command, number - _NEAR) < line.number:
                self._findings.problem(line.number, "aborted", f"found {match[0].strip()!r}, expected a result")
                self._begin(line.number).failed = True
                return

    def _connection(self, line: Line) -> bool:
        match = _CONNECTED.search(line.text) if "connected with" in line.text else None
        if match is None:
            return False
        opened = self._open
        if opened is not None and opened.has_results:
            kept = opened
            if all(stream.final is None for stream in kept.streams.values()):
                self._close_previous()
                self._before, self._open = kept, None
            else:
                self._close()
            opened = self._begin(line.number)
            opened.client, opened.ports, opened.udp = kept.client, kept.ports, kept.udp
        opened = self._begin(line.number)
        opened.known = True
        rest = match["rest"]
        opened.connections[key_of(match["id"])] = _Connection(
            int(match["local"]), int(match["remote"]), reverse="(reverse)" in rest
        )
        if (segment := _MSS.search(rest)) is not None:
            opened.mss = int(segment["bytes"])
        if opened.start_time is None and (time := _TIME.search(rest)) is not None:
            opened.start_time = _time(time["time"])
        return True

    def _other_line(self, line: Line) -> bool:
        opened, text = self._open, line.text
        if opened is None:
            return False
        if (match := _REPORT.search(text)) is not None:
            opened.report = key_of(match["id"])
        elif (match := _SENT.search(text)) is not None:
            if not match["id"].startswith("SUM"):
                self._stream(opened, key_of(match["id"])).sent = int(match["packets"])
        elif opened.wrapped and (match := _WRAPPED.match(text)) is not None and line.number <= opened.last + 1:
            stream = opened.streams[opened.wrapped]
            if stream.report is not None:
                stream.report = stream.report._replace(lost=int(match["lost"]), packets=int(match["packets"]))
            opened.wrapped = ""
        elif (segment := _MSS.search(text)) is not None:
            opened.mss = int(segment["bytes"])
        elif not _CHATTER.search(text):
            return self._failure(line)
        opened.last = line.number
        return True

    def _failure(self, line: Line) -> bool:
        match, opened = _FAILURE.search(line.text), self._open
        if match is None or opened is None or line.number > opened.last + _NEAR:
            return False
        if not opened.failed:
            self._findings.problem(line.number, "aborted", f"found {match[0].strip()!r}, expected a result")
        opened.failed = True
        opened.last = line.number
        return True

    # --- CSV

    def _values(self, line: Line, match: re.Match[str]) -> None:
        """Take a row of CSV; number and ports identify its stream."""
        texts = of_csv(match)
        if self._way == "send":
            texts = (*texts[:10], None, None, None)
        row = read(line.number, texts)
        seconds = row.end - row.start
        if not line.complete and seconds > 0 and abs(8 * row.amount / seconds - row.rate) > _CUT * row.rate:
            self._findings.problem(
                line.number, "truncated", f"found {line.text.strip()[:200]!r} at the end of the file; left out"
            )
            return
        local, remote, number = match[3], match[5], match[6]
        if self._open is not None and not self._open.csv:
            self._close()
        opened, key = self._open, "SUM" if number == "-1" else number
        stream = opened.streams.get(key) if opened is not None else None
        ports = _Connection(int(local), int(remote), reverse=False)
        if opened is not None and stream is not None and stream.result() is not None:
            before, last = opened.connections.get(key, ports), stream.result()
            swapped = (before.local, before.remote) in {(ports.remote, ports.local), (ports.local, ports.remote)}
            if row.packets is not None and last is not None and last.packets is None and swapped and row.start == 0:
                opened.last, opened.udp = line.number, True
                stream.report = row
                return
        written = written_at(match)
        if opened is not None and self._other_csv_run(opened, key, row, ports, written):
            self._close()
        opened = self._begin(line.number)
        opened.written, opened.way = written, self._way
        opened.csv, opened.udp = True, opened.udp or match[13] is not None
        if key != "SUM":
            opened.connections[key] = ports
        self._stream(opened, key).add(row, texts)

    def _other_csv_run(self, opened: _OpenRun, key: str, row: Row, ports: _Connection, written: float | None) -> bool:
        """Return whether a row begins the next run: its stream has ended, has other ports, or time has passed."""
        stream = opened.streams.get(key)
        if stream is not None and stream.final is not None:
            return True
        before = opened.connections.get(key)
        if before is not None and (before.local, before.remote) != (ports.local, ports.remote):
            return True
        if row.start > 0 or key == "SUM" or opened.written is None or written is None:
            return False
        if stream is not None and len(stream.rows) > 1 and row.end >= stream.end:
            return False  # the result of the intervals above, even if written late
        last = stream.end if stream is not None else 0.0
        return written - opened.written > 2 + 1.5 * (row.end - last if last < row.end else row.end)

    # --- runs

    def _close(self) -> None:
        self._close_previous()
        opened, self._open = self._open, None
        if opened is not None:
            self._end(opened)

    def _close_previous(self) -> None:
        """Hand over the previous run: its results were not intervals after all."""
        before, self._before = self._before, None
        if before is not None:
            self._end(before)

    def _end(self, opened: _OpenRun) -> None:
        sides: dict[str | None, list[str]] = {}
        for key in opened.streams:
            if key != "SUM":
                sides.setdefault(_direction(opened, key), []).append(key)
        if not sides and "SUM" in opened.streams:
            sides[_by_role(opened)] = []
        if not sides:
            if opened.failed:
                columns: dict[str, object] = {
                    "tool": "iperf2",
                    "protocol": "udp" if opened.udp else "tcp",
                    "error": True,
                }
                self._findings.run(Run(opened.first, opened.last, columns))
            elif opened.known:
                self._findings.problem(
                    opened.last, "truncated", "found the beginning of a run of iperf and no figures; no run made"
                )
            return
        for direction in sorted(sides, key=lambda way: way != "send"):
            self._hand_over(opened, direction, sides[direction], alone=len(sides) == 1)

    def _hand_over(self, opened: _OpenRun, direction: str | None, keys: list[str], *, alone: bool) -> None:
        if any(stream.final is not None or len(stream.rows) > 1 for stream in opened.streams.values()):
            ends = [stream.final.end for stream in opened.streams.values() if stream.final is not None]
            for key, stream in opened.streams.items():
                # a single row of the sum is its result if it covers nearly the time of the streams' results
                last = (
                    key == "SUM" and stream.first is not None and stream.first.end >= 0.95 * max(ends, default=np.inf)
                )
                stream.on_the_way = not last
        streams = [opened.streams[key] for key in keys]
        silent = _without_rows(opened, direction)
        total = opened.streams.get("SUM") if alone and (not keys or len(keys) + silent != 1) else None
        result = streams[0].result() if streams and len(streams) + silent == 1 else total.result() if total else None
        if result is None and len(streams) > 1 and not silent and not (total is not None and len(total.rows) > 1):
            result = added(stream.result() for stream in streams)
        columns: dict[str, object] = {
            "tool": "iperf2",
            "protocol": "udp" if opened.udp else "tcp",
            "direction": direction,
            "start_time": opened.start_time,
            "streams": len(keys) + silent or opened.count,
            "mss_bytes": None if opened.udp else opened.mss,
            "error": opened.failed,
        }
        if total is not None and result is not None:
            result = self._checked_sum(opened, streams, result)
        if result is None and not opened.failed:
            self._findings.problem(
                opened.last,
                "truncated",
                "found no result of iperf"
                + (" over all streams" if len(keys) > 1 or silent else "")
                + "; the run has no figures",
            )
        if result is not None:
            columns |= self._result(opened, direction, streams, result)
        duration = columns.get("duration_s")
        rounding = 0.012 + (0.06 / duration if isinstance(duration, float) and duration > 0 else 0)
        run = Run(opened.first, opened.last, columns, rounding=rounding)
        run.interval_bytes = result.amount if result is not None else np.nan
        if len(streams) > 1:
            run.streams = [
                stream_row(index, stream, udp=opened.udp, last=opened.last) for index, stream in enumerate(streams)
            ]
        run.intervals = intervals(streams, total)
        self._findings.run(run)

    def _checked_sum(self, opened: _OpenRun, streams: Sequence[Stream], total: Row) -> Row:
        """Return the printed sum of the streams, with their packets if it has none."""
        own = added((stream.result() for stream in streams), near=0.05)
        if own is None:
            return total
        if abs(own.amount - total.amount) > _ROUNDED * max(own.amount, total.amount):
            self._findings.problem(
                opened.last,
                "inconsistent",
                f"found {total.amount:.6g} bytes in '[SUM]' and {own.amount:.6g} in its streams, expected the same; "
                "kept as printed",
            )
        return total if total.packets is not None else total._replace(lost=own.lost, packets=own.packets)

    def _result(
        self, opened: _OpenRun, direction: str | None, streams: Sequence[Stream], result: Row
    ) -> dict[str, object]:
        """Return the columns of the result and of the server's reports."""
        if not opened.udp or direction == "receive" or result.packets is not None:
            columns = figures(result)
            if len(streams) == 1 and result.rtt_us:
                columns["rtt_s"] = result.rtt_us / 1e6
            return columns
        columns = {"sender_throughput_bps": result.rate, "duration_s": result.end - result.start}
        sent = [stream.sent for stream in streams if stream.sent is not None]
        if sent and len(sent) == len(streams):
            columns["sent_packets"] = sum(sent)
        report = added((stream.report for stream in streams), near=0.05)
        if report is not None:
            return columns | figures(report)
        if not opened.failed:
            self._findings.problem(
                opened.last, "truncated", "found no report of the server; what it received is missing"
            )
        return columns


def _time(text: str) -> pd.Timestamp | None:
    try:
        return pd.Timestamp(text, tz="UTC")
    except ValueError:
        return None


def _without_rows(opened: _OpenRun, direction: str | None) -> int:
    """Count the connections of a direction without rows: the log breaks off before them."""
    seen = {key.removeprefix("*") for key in opened.streams}
    lost = [key for key in opened.connections if key.removeprefix("*") not in seen]
    return sum(_direction(opened, key) == direction for key in lost)


def _by_role(opened: _OpenRun) -> str | None:
    return None if opened.client is None else "send" if opened.client else "receive"


def _direction(opened: _OpenRun, key: str) -> str | None:
    """Return the direction of a stream from the side with the service port and the mark for reversed streams."""
    connection = opened.connections.get(key) or opened.connections.get(key.removeprefix("*"))
    usual = _by_role(opened)
    if opened.way is not None:
        return opened.way
    if connection is not None:
        ports = opened.ports or {5001}
        if connection.local in ports and connection.remote not in ports:
            usual = "receive"
        elif connection.remote in ports and connection.local not in ports:
            usual = "send"
    turned = key.startswith("*") or (connection is not None and connection.reverse)
    if usual is None or not turned or (key in opened.connections and key.startswith("*")):
        return usual
    return "receive" if usual == "send" else "send"
