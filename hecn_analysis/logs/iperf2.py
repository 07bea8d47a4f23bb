"""Output of iperf 2 (``iperf``, NLANR, later Robert McMahon): memory to memory over TCP or UDP; text and CSV.

Versions 2.0.2 to 2.2, and 1.7, from the source code and from runs of 2.1.8: client and server, ``-i``, ``-P``, ``-d``,
``-r``, ``-R``, ``--full-duplex``, ``-u`` with the server's report, ``-e``, ``-y C``. The text of iperf3 looks alike;
`hecn_analysis.logs.iperf3` says how they are told apart. The tool is called ``iperf2`` in the tables.

Units and traps
---------------
- KBytes, MBytes, GBytes and the K of the congestion window are powers of 1024, Kbits, Mbits, Gbits powers of 1000.
- The result is a row that begins at 0 again; without ``-i`` it is the only one. The first interval of a log that breaks
  off cannot be told from a result, unless it has four decimals (since 2.0.14) and ends on a full second.
- With ``-P`` the run is ``[SUM]``. One stream that ends late leaves no final ``[SUM]``: the figures are then missing,
  unless all streams took equally long. ``[SUM]`` of a single stream may be a sum over several runs: the stream counts.
- A server prints several clients one after another without anything between: a new connection after a result is
  a new run. Connections of both directions (``-d``, ``--full-duplex``) are two runs, what this host sends first; ``*``
  marks the direction that is not the usual one.
- UDP: the client's row is what it sent, the row under ``Server Report:`` what arrived. Without the report the
  throughput is missing. With ``-P`` there is a report per stream and ``[SUM]`` is the sender's: the reports are added.
- The packets sent are those that the receiver counted, or else the client's ``Sent … datagrams``.
- ``-e``: the retries are the retransmits; a congestion window of ``-1K`` is not known. The round-trip time of
  the result is that at its end.
- CSV: date (local time, so that the start is not known), addresses and ports, number of the stream (-1: the sum),
  ``start-end``, bytes, bit/s; for UDP at a receiver also jitter in ms, lost, all, per cent, out of order. Some versions
  write the year 1970.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from hecn_analysis.logs.contract import Array, Command, Findings, Run
from hecn_analysis.logs.source import Line

_N: Final = r"\d{1,18}(?:\.\d{1,6})?"
_ID: Final = r"\[ {0,4}(?P<id>\*?\d{1,6}|SUM(?:-\d{1,6})?|FD\d{1,6})\]"
_ROW: Final = re.compile(
    rf"{_ID}(?P<gap> {{1,6}})(?P<start>\d{{1,8}}\.\d{{1,6}})- {{0,4}}(?P<end>\d{{1,8}}\.\d{{1,6}}) {{0,3}}sec\s{{1,8}}"
    rf"(?P<amount>{_N}) {{0,3}}(?P<scale>[KMGTP]?)Bytes\s{{1,8}}(?P<rate>{_N}) {{0,3}}(?P<rate_scale>[KMGTP]?)"
    r"(?P<rate_unit>bits|Bytes)/sec(?P<rest>.*)$"
)
_LIKE_ROW: Final = re.compile(rf"{_ID} {{1,6}}\d{{1,8}}\.\d{{1,6}}- {{0,4}}\d{{1,8}}\.\d{{1,6}} {{0,3}}sec\s{{1,8}}\S")
_WRITES: Final = re.compile(
    r"\s{1,4}\d{1,15}/\d{1,15}\s{1,16}(?P<retries>\d{1,12})(?!\d|\s{0,4}pps)"
    r"(?:\s{1,16}(?:-?\d{1,9}K(?:\(\d{1,9}\))?/)?(?P<window>-?\d{1,9})K(?:\(\d{1,9}\))?"
    r"/(?P<rtt>\d{1,9})(?:\(\d{1,9}\))? us)?"
)
_LOSS: Final = re.compile(
    rf"\s{{1,8}}(?:(?P<jitter>{_N}) ms\s{{1,8}})?(?P<lost>-?\d{{1,15}})/ {{0,12}}(?P<packets>-?\d{{1,15}}) {{0,2}}\("
)
_CONNECTED: Final = re.compile(
    r"\[ {0,4}(?P<id>\*?\d{1,6})\] local \S{1,120} port (?P<local>\d{1,5}) connected with \S{1,120} port "
    r"(?P<remote>\d{1,5})(?P<rest>.{0,300})$"
)
_BANNER: Final = re.compile(
    r"(?P<role>Client connecting to .{1,255}, |Server listening on )(?P<protocol>TCP|UDP) port (?P<port>\d{1,5})"
)
_TIME: Final = re.compile(r" on (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?) \(UTC\)")
_SENT: Final = re.compile(rf"{_ID} Sent (?P<packets>\d{{1,15}}) datagrams")
_REPORT: Final = re.compile(rf"{_ID} Server Report:")
_HEADING: Final = re.compile(r"\[ ID\] Interval {1,30}Transfer {1,12}Bandwidth")
_FAILURE: Final = re.compile(
    r"(?:^|\s)(?:(?:tcp |udp )?connect failed: |write\d? failed: |read\d? failed: |shutdown failed: |bind failed: |"
    r"error: |unable to )\S.{0,200}"
)
_CHATTER: Final = re.compile(
    r"-{40,}|TCP window size|UDP buffer size|(?:Write|Read) buffer size|TOS set to|Sending \d|Receiving \d|"
    r"Setting multicast|Joining multicast|Binding to|\[ CT\]|out-of-order|WARNING|MSS size|trip-time|traffic started|"
    r"listener bind|Client set to bypass|\[ ID\]|congestion|Waiting for server|\] Sent |iperf: "
)
_CSV: Final = re.compile(
    r"^\s{0,8}(?:[+-]\d{4}:)?(\d{14})(?:\.\d{1,6})?,([0-9A-Fa-f.:%\w-]{1,64}),(\d{1,5}),([0-9A-Fa-f.:%\w-]{1,64}),(\d{1,5}),"
    r"(-?\d{1,6}),(\d{1,8}\.\d{1,6})-(\d{1,8}\.\d{1,6}),(\d{1,19}),(\d{1,19})"
    r"(?:,(-?\d{1,12}\.\d{1,6}|-?nan),(-?\d{1,15}),(-?\d{1,15}),(-?\d{1,6}\.\d{1,6}|-?nan|-?inf),(-?\d{1,15}))?(?:,[\d.,-]{0,200})?\s*$"
)
_BINARY: Final = {letter: 1024.0**power for power, letter in enumerate(("", *"KMGTP"))}
_DECIMAL: Final = {letter: 1000.0**power for power, letter in enumerate(("", *"KMGTP"))}
_NEAR: Final = 3


class _Row(NamedTuple):
    """One row, of text or CSV."""

    line: int
    start: float
    end: float
    amount: float
    rate: float
    retries: int | None = None
    window: int | None = None
    rtt_us: int | None = None
    jitter_ms: float | None = None
    lost: int | None = None
    packets: int | None = None
    on_time: bool = False


@dataclass
class _Stream:
    """The rows of one stream in one direction, or of the sum."""

    rows: list[_Row] = field(default_factory=list)
    final: _Row | None = None
    report: _Row | None = None
    sent: int | None = None
    on_the_way: bool = False

    def result(self) -> _Row | None:
        """The row over the whole time: the one that begins anew, or the only one."""
        if self.final is not None:
            return self.final
        only = self.rows[0] if len(self.rows) == 1 and not self.on_the_way else None
        return only if only is not None and only.start == 0 and not only.on_time else None

    def intervals(self) -> list[_Row]:
        """The rows on the way."""
        return self.rows if self.final is not None or self.result() is None else []


@dataclass
class _Connection:
    """What the line of a connection says."""

    local: int
    remote: int
    reverse: bool
    both: bool


@dataclass
class _Open:
    """A run, or both directions of one, under way."""

    first: int
    last: int
    command: Command
    client: bool | None = None
    port: int | None = None
    udp: bool = False
    known: bool = False
    start_time: pd.Timestamp | None = None
    failed: bool = False
    report: str = ""
    streams: dict[str, _Stream] = field(default_factory=dict)
    connections: dict[str, _Connection] = field(default_factory=dict)
    csv: bool = False
    written: float | None = None

    @property
    def has_results(self) -> bool:
        """Whether a stream has come to its end."""
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
    )

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._open: _Open | None = None

    def feed(self, line: Line) -> bool:
        """Take a line of iperf's."""
        text, opened = line.text, self._open
        if opened is not None and opened.last < self._findings.command.line < line.number:
            self._close()
            opened = None
        if "]" in text and "sec" in text:
            row = _ROW.search(text)
            if row is not None:
                return self._row(line, row)
            if opened is not None and "out-of-order" not in text and "trip-time" not in text and _LIKE_ROW.search(text):
                return self._damaged(line)
        elif text.count(",") >= 8 and (found := _CSV.match(text)) is not None:
            self._values(line, found)
            return True
        return self._banner(line) or self._connection(line) or self._other(line)

    def finish(self) -> None:
        """The file has ended."""
        self._close()

    def _begin(self, number: int) -> _Open:
        if self._open is None:
            self._open = _Open(number, number, self._findings.command)
        self._open.last = number
        return self._open

    # --- text

    def _row(self, line: Line, found: re.Match[str]) -> bool:
        opened, rest = self._open, found["rest"]
        if found.start() > 80 or rest.rstrip().endswith(("sender", "receiver")):
            return False
        like_iperf3 = len(found["gap"]) > 1 and len(found["end"].partition(".")[2]) == 2
        if opened is None and like_iperf3:
            return False
        key = "SUM" if found["id"].startswith("SUM") else found["id"]
        row = _parsed(line.number, found)
        if opened is not None and not opened.report and self._anew(opened, key, row):
            self._close()
        opened = self._begin(line.number)
        if key.startswith("FD"):
            return True
        stream = opened.streams.setdefault(key, _Stream())
        opened.udp = opened.udp or row.packets is not None
        if opened.report == key and row.packets is not None:
            stream.report = row
            opened.report = ""
        else:
            _add(stream, row)
        return True

    def _anew(self, opened: _Open, key: str, row: _Row) -> bool:
        """Whether a row belongs to the next run although no connection was printed."""
        stream = opened.streams.get(key)
        if stream is None:
            return False
        if stream.final is not None:
            return True
        only = stream.rows[0] if len(stream.rows) == 1 else None
        if opened.known or only is None or row.start > 0 or only.start > 0:
            return False
        return abs(only.end - row.end) <= 0.1 + 0.05 * row.end and (only.amount, only.rate) != (row.amount, row.rate)

    def _damaged(self, line: Line) -> bool:
        kind = "malformed" if line.complete else "truncated"
        self._findings.problem(
            line.number, kind, f"found {line.text.strip()[:200]!r}, expected '[ ID] … sec … Bytes … bits/sec'; left out"
        )
        self._begin(line.number)
        return True

    def _banner(self, line: Line) -> bool:
        found = _BANNER.search(line.text) if " port " in line.text else None
        if found is None:
            return False
        client = found["role"].startswith("Client")
        opened = self._open
        if opened is not None and (opened.has_results or opened.failed or (opened.client is client and opened.port)):
            self._close()
        opened = self._begin(line.number)
        opened.client = client if opened.client is None else True
        opened.port = int(found["port"])
        opened.udp = found["protocol"] == "UDP"
        return True

    def _connection(self, line: Line) -> bool:
        found = _CONNECTED.search(line.text) if "connected with" in line.text else None
        if found is None:
            return False
        opened = self._open
        if opened is not None and opened.has_results:
            kept = opened
            self._close()
            opened = self._begin(line.number)
            opened.client, opened.port, opened.udp = kept.client, kept.port, kept.udp
        opened = self._begin(line.number)
        opened.known = True
        rest = found["rest"]
        opened.connections[found["id"]] = _Connection(
            int(found["local"]), int(found["remote"]), "(reverse)" in rest, "(full-duplex)" in rest
        )
        if opened.start_time is None and (time := _TIME.search(rest)) is not None:
            opened.start_time = _time(time["time"])
        return True

    def _other(self, line: Line) -> bool:
        opened, text = self._open, line.text
        if opened is None:
            return False
        if (found := _REPORT.search(text)) is not None:
            opened.report = found["id"]
        elif (found := _SENT.search(text)) is not None:
            if not found["id"].startswith("SUM"):
                opened.streams.setdefault(found["id"], _Stream()).sent = int(found["packets"])
        elif not _CHATTER.search(text):
            return self._failure(line)
        opened.last = line.number
        return True

    def _failure(self, line: Line) -> bool:
        found, opened = _FAILURE.search(line.text), self._open
        if found is None or opened is None or line.number > opened.last + _NEAR:
            return False
        if not opened.failed:
            self._findings.problem(line.number, "aborted", f"found {found[0].strip()!r}, expected a result")
        opened.failed = True
        opened.last = line.number
        return True

    # --- CSV

    def _values(self, line: Line, found: re.Match[str]) -> None:
        """Take a row of CSV; its stream is named by its number and ports."""
        date, _, local, _, remote, number, start, end, amount, rate, jitter, lost, packets, _, _ = found.groups()
        known = packets is not None and int(packets) > 0
        row = _Row(
            line.number,
            float(start),
            float(end),
            float(amount),
            float(rate),
            jitter_ms=float(jitter) if known and "nan" not in jitter else None,
            lost=int(lost) if known else None,
            packets=int(packets) if known else None,
        )
        if self._open is not None and not self._open.csv:
            self._close()
        opened, key = self._open, "SUM" if number == "-1" else number
        stream = opened.streams.get(key) if opened is not None else None
        ports = _Connection(int(local), int(remote), reverse=False, both=False)
        if opened is not None and stream is not None and stream.result() is not None:
            before, last = opened.connections.get(key, ports), stream.result()
            swapped = (before.local, before.remote) in {(ports.remote, ports.local), (ports.local, ports.remote)}
            if row.packets is not None and last is not None and last.packets is None and swapped and row.start == 0:
                opened.last, opened.udp = line.number, True
                stream.report = row
                return
        written = _written(date)
        if opened is not None and self._other_csv_run(opened, key, row, ports, written):
            self._close()
        opened = self._begin(line.number)
        opened.written = written
        opened.csv, opened.udp = True, opened.udp or packets is not None
        if key != "SUM":
            opened.connections[key] = ports
        _add(opened.streams.setdefault(key, _Stream()), row)

    def _other_csv_run(self, opened: _Open, key: str, row: _Row, ports: _Connection, written: float | None) -> bool:
        """Whether a row belongs to the next run: the stream has ended or other ports, or time has passed."""
        stream = opened.streams.get(key)
        if stream is not None and stream.final is not None:
            return True
        before = opened.connections.get(key)
        if before is not None and (before.local, before.remote) != (ports.local, ports.remote):
            return True
        if row.start > 0 or key == "SUM" or opened.written is None or written is None:
            return False
        last = stream.rows[-1].end if stream is not None and stream.rows else 0.0
        return written - opened.written > 1 + 0.5 * (row.end - last if last < row.end else row.end)

    # --- runs

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
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

    def _hand_over(self, opened: _Open, direction: str | None, keys: list[str], *, alone: bool) -> None:
        if any(stream.final is not None or len(stream.rows) > 1 for stream in opened.streams.values()):
            for stream in opened.streams.values():
                stream.on_the_way = True
        streams = [opened.streams[key] for key in keys]
        whole = opened.streams.get("SUM") if alone and len(keys) != 1 else None
        result = streams[0].result() if len(streams) == 1 else whole.result() if whole else None
        if result is None and len(streams) > 1 and not (whole is not None and len(whole.rows) > 1):
            result = _added(stream.result() for stream in streams)
        columns: dict[str, object] = {
            "tool": "iperf2",
            "protocol": "udp" if opened.udp else "tcp",
            "direction": direction,
            "start_time": opened.start_time,
            "streams": len(keys) or None,
            "error": opened.failed,
        }
        if result is None and not opened.failed:
            self._findings.problem(
                opened.last,
                "truncated",
                "found no result of iperf"
                + (" over all streams" if len(keys) > 1 else "")
                + "; the run has no figures",
            )
        if result is not None:
            columns |= self._result(opened, direction, streams, result)
        duration = columns.get("duration_s")
        rounding = 0.012 + (0.06 / duration if isinstance(duration, float) and duration > 0 else 0)
        run = Run(opened.first, opened.last, columns, rounding=rounding)
        run.interval_bytes = result.amount if result is not None else np.nan
        if len(streams) > 1:
            run.streams = [_stream_row(index, stream, opened) for index, stream in enumerate(streams)]
        run.intervals = _intervals(streams, whole)
        self._findings.run(run)

    def _result(
        self, opened: _Open, direction: str | None, streams: Sequence[_Stream], result: _Row
    ) -> dict[str, object]:
        """Columns of the row over the whole run, and of the server's reports."""
        if not opened.udp or direction == "receive" or result.packets is not None:
            columns = _figures(result)
            if len(streams) == 1 and result.rtt_us:
                columns["rtt_s"] = result.rtt_us / 1e6
            return columns
        columns = {"sender_throughput_bps": result.rate, "duration_s": result.end - result.start}
        sent = [stream.sent for stream in streams if stream.sent is not None]
        if sent and len(sent) == len(streams):
            columns["sent_packets"] = sum(sent)
        report = _added((stream.report for stream in streams), near=0.05)
        if report is not None:
            return columns | _figures(report)
        if not opened.failed:
            self._findings.problem(
                opened.last, "truncated", "found no report of the server; what it received is missing"
            )
        return columns


# --- rows and figures


def _time(text: str) -> pd.Timestamp | None:
    try:
        return pd.Timestamp(text, tz="UTC")
    except ValueError:
        return None


def _written(date: str) -> float | None:
    """The seconds of a date of CSV, None where it is none or of 1970."""
    try:
        time = datetime.strptime(date + "+0000", "%Y%m%d%H%M%S%z").timestamp()
    except ValueError:
        return None
    return time if time > 3e8 else None


def _parsed(number: int, found: re.Match[str]) -> _Row:
    identity, _, start, end, amount, scale, rate, rate_scale, rate_unit, rest = found.groups()
    factor = 8 * _BINARY[rate_scale] if rate_unit == "Bytes" else _DECIMAL[rate_scale]
    on_time = end.endswith(".0000") and not identity.startswith("SUM")
    row = _Row(number, float(start), float(end), float(amount) * _BINARY[scale], float(rate) * factor, on_time=on_time)
    if not rest or rest.isspace():
        return row
    if (writes := _WRITES.match(rest)) is not None:
        window, rtt = writes["window"], writes["rtt"]
        return row._replace(
            retries=int(writes["retries"]),
            window=1024 * int(window) if window is not None and int(window) >= 0 else None,
            rtt_us=int(rtt) if rtt is not None else None,
        )
    if (loss := _LOSS.match(rest)) is not None:
        jitter = loss["jitter"]
        return row._replace(
            jitter_ms=None if jitter is None else float(jitter), lost=int(loss["lost"]), packets=int(loss["packets"])
        )
    return row


def _add(stream: _Stream, row: _Row) -> None:
    """A row that begins at 0 after others is the result."""
    if stream.rows and row.start == 0 and row.end >= stream.rows[-1].start:
        stream.final = row
    else:
        stream.rows.append(row)


def _by_role(opened: _Open) -> str | None:
    return None if opened.client is None else "send" if opened.client else "receive"


def _direction(opened: _Open, key: str) -> str | None:
    """What this host did with a stream: who has the port of the service, and whether the stream is turned round."""
    connection = opened.connections.get(key) or opened.connections.get(key.removeprefix("*"))
    usual = _by_role(opened)
    port = opened.port
    if connection is not None:
        port = 5001 if port is None and 5001 in {connection.local, connection.remote} else port
        if port == connection.local != connection.remote:
            usual = "receive"
        elif port == connection.remote != connection.local:
            usual = "send"
    turned = key.startswith("*") or (connection is not None and connection.reverse)
    if usual is None or not turned or (key in opened.connections and key.startswith("*")):
        return usual
    return "receive" if usual == "send" else "send"


def _figures(row: _Row) -> dict[str, object]:
    columns: dict[str, object] = {
        "duration_s": row.end - row.start,
        "bytes": round(row.amount),
        "throughput_bps": row.rate,
        "retransmits": row.retries,
    }
    if row.packets is not None and row.packets >= 0 and row.lost is not None and row.lost >= 0:
        columns["sent_packets"], columns["lost_packets"] = row.packets, row.lost
        columns["loss_fraction"] = row.lost / row.packets if row.packets else None
        columns["jitter_s"] = None if row.jitter_ms is None else row.jitter_ms / 1000
    return columns


def _added(rows: Iterable[_Row | None], *, near: float = 0.01) -> _Row | None:
    """The sum of the results of several streams that took equally long, None where one is missing or took longer."""
    found = list(rows)
    kept = [row for row in found if row is not None]
    if not kept or len(kept) < len(found):
        return None
    if len(kept) == 1:
        return kept[0]
    longest = max(row.end for row in kept)
    if min(row.end for row in kept) < longest * (1 - near) - 0.1:
        return None
    lost, packets = [row.lost for row in kept], [row.packets for row in kept]
    retries = [row.retries for row in kept]
    return _Row(
        kept[-1].line,
        0.0,
        longest,
        sum(row.amount for row in kept),
        sum(row.rate for row in kept),
        retries=None if None in retries else sum(filter(None, retries)),
        lost=None if None in lost else sum(filter(None, lost)),
        packets=None if None in packets else sum(filter(None, packets)),
    )


def _stream_row(index: int, stream: _Stream, opened: _Open) -> dict[str, object]:
    result = stream.result()
    line = result.line if result is not None else stream.rows[0].line if stream.rows else opened.last
    row: dict[str, object] = {"stream": index, "line": line}
    if result is None:
        return row
    if opened.udp and result.packets is None:
        row["sender_throughput_bps"] = result.rate
        return row | ({} if stream.report is None else _possible(_figures(stream.report)))
    if result.rtt_us:
        row["rtt_s"] = result.rtt_us / 1e6
    return row | _possible(_figures(result))


def _possible(columns: dict[str, object]) -> dict[str, object]:
    """Figures of a stream without a loss above 1."""
    loss = columns.get("loss_fraction")
    return {**columns, "loss_fraction": None} if isinstance(loss, float) and loss > 1 else columns


def _intervals(streams: Sequence[_Stream], whole: _Stream | None) -> dict[str, Array]:
    """Columns of the intervals in the order of the file; those of a single stream are those of the run."""
    single = len(streams) == 1
    rows = [(np.nan if single else float(index), row) for index, each in enumerate(streams) for row in each.intervals()]
    if whole is not None:
        rows += [(np.nan, row) for row in whole.intervals()]
    rows = [(stream, row) for stream, row in rows if row.end >= row.start]
    if not rows:
        return {}
    rows.sort(key=lambda pair: pair[1].line)

    def column(values: Iterable[float | None]) -> Array:
        return np.array([np.nan if value is None else value for value in values], dtype=float)

    lost, packets = column(row.lost for _, row in rows), column(row.packets for _, row in rows)
    lost[lost < 0] = np.nan
    packets[packets < 0] = np.nan
    fraction = np.full(len(rows), np.nan)
    np.divide(lost, packets, out=fraction, where=(packets > 0) & (lost <= packets))
    found: dict[str, Array] = {
        "line": column(row.line for _, row in rows),
        "stream": column(stream for stream, _ in rows),
        "t_start_s": column(row.start for _, row in rows),
        "t_end_s": column(row.end for _, row in rows),
        "bytes": np.rint(column(row.amount for _, row in rows)),
        "throughput_bps": column(row.rate for _, row in rows),
        "retransmits": column(row.retries for _, row in rows),
        "cwnd_bytes": column(row.window for _, row in rows),
        "rtt_s": column(row.rtt_us for _, row in rows) / 1e6,
        "sent_packets": packets,
        "lost_packets": lost,
        "loss_fraction": fraction,
        "jitter_s": column(row.jitter_ms for _, row in rows) / 1000,
    }
    return {name: values for name, values in found.items() if name == "stream" or not np.isnan(values).all()}
