"""The JSON documents of iperf3: those of ``-J`` and the events of ``--json-stream``.

`hecn_analysis.logs.network.iperf3` describes the tool, reads its text, and passes the documents on to this module.

Units and traps
---------------
- Bytes, bit/s, milliseconds of jitter, microseconds of round-trip time, per cent of one core.
- ``sum`` where there is no ``sum_received`` (UDP before 3.2) has the sender's rate and the receiver's loss. The rate
  counts as the throughput; if packets were lost, a problem says so.
- A sum of zero bytes beside another sum, or beside packets that arrived, means that the figure of that end is unknown.
- ``--bidir`` makes two runs: the sums of the second direction end in ``_bidir_reverse``. From 3.7 to 3.9 both
  directions have the same keys, so one is lost; 3.0 prints no sums for a single stream. In both cases the sums are
  computed from the streams.
- A server that is stopped while waiting prints a document without a run.
- In a JSON stream the error comes before the end; ``--json-stream-full-output`` prints the whole document after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.logs.contract import Array, Run, RunFindings
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_values import at, count, number

_ANSWERS: Final = re.compile(
    r"(?:unable to|control socket|the (?:client|server) |interrupt - |error - |test |stream |select failed|"
    r"idle timeout|parameter|some option|bad |invalid |this OS|cannot |only one |only |must |int_errno|total required|"
    r"no SCTP|skew|protocol does not|received an unknown|server test duration|client's requested|server |an option)"
)
_LEFT: Final = "the client has unexpectedly closed the connection"


@dataclass
class _Streamed:
    """A JSON stream whose end has not been read."""

    first: int
    last: int
    value: dict[str, Any]
    lines: list[int] = field(default_factory=list)


class Documents:
    """The documents of one file: complete ones, and the events of an open stream.

    Parameters
    ----------
    findings
        Where the runs go.
    """

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._streamed: _Streamed | None = None
        self._cookie = ""

    def accepts(self, document: JsonDocument) -> bool:
        """Return whether a document is iperf3's, or an event of the open stream."""
        value = document.value
        event = value.get("event")
        if isinstance(event, str) and "data" in value:
            return (
                _is_iperf3({"start": value["data"]})
                if event == "start"
                else self._continues_stream(event, value["data"])
            )
        if value.keys() == {"error"}:
            message = value["error"]
            return isinstance(message, str) and _ANSWERS.match(message) is not None
        return _is_iperf3(value)

    def take(self, document: JsonDocument) -> None:
        """Take a document for which `accepts` is true."""
        value = document.value
        if isinstance(value.get("event"), str) and "data" in value:
            self._event(document)
            return
        cookie = at(value, "start", "cookie")
        if (isinstance(cookie, str) and cookie and cookie == self._cookie) or _is_idle_server(value):
            return
        lines = document.lines("intervals")
        _Run(self._findings, value, (document.first, document.last), lines, complete=not document.truncated).hand_over()

    def finish(self) -> None:
        """End the open stream."""
        streamed, self._streamed = self._streamed, None
        if streamed is None:
            return
        cookie = at(streamed.value, "start", "cookie")
        self._cookie = cookie if isinstance(cookie, str) else ""
        complete = "end" in streamed.value or "error" in streamed.value
        if not complete:
            self._findings.problem(
                streamed.last, "truncated", "found a JSON stream without its end; the complete part is read"
            )
        ends = (streamed.first, streamed.last)
        _Run(self._findings, streamed.value, ends, streamed.lines, complete=complete).hand_over()

    def _continues_stream(self, event: str, data: object) -> bool:
        """Return whether an event continues a stream, or is the error of one that never began."""
        begins = event == "error" and isinstance(data, str) and _ANSWERS.match(data) is not None
        return self._streamed is not None or begins

    def _event(self, document: JsonDocument) -> None:
        event, data = document.value["event"], document.value["data"]
        if event == "start":
            self.finish()
            self._streamed = _Streamed(document.first, document.last, {"start": data, "intervals": []})
            return
        if self._streamed is None:
            self._streamed = _Streamed(document.first, document.last, {"intervals": []})
        streamed = self._streamed
        streamed.last = document.last
        if event == "interval":
            streamed.value["intervals"].append(data)
            streamed.lines.append(document.last)
        elif event == "end":
            streamed.value["end"] = data
            self.finish()
        else:
            streamed.value[event] = data


def _is_idle_server(value: Mapping[str, Any]) -> bool:
    """Return whether a document is that of a server stopped while waiting for a client."""
    start, message = value.get("start"), value.get("error")
    if not isinstance(message, str) or not message.startswith("interrupt - the server has terminated"):
        return False
    return isinstance(start, dict) and "accepted_connection" not in start and not start.get("connected")


def _sends_on(stream: object) -> bool | None:
    """Return whether this host sends on a stream of the result; None before 3.7."""
    flag = at(stream, "udp", "sender") if at(stream, "udp") is not None else at(stream, "sender", "sender")
    return flag if isinstance(flag, bool) else None


def _added(parts: Sequence[object]) -> dict[str, Any]:
    """Add up the figures of several streams."""
    added: dict[str, Any] = {}
    for key in ("bytes", "bits_per_second", "retransmits", "packets", "lost_packets"):
        values = [number(at(part, key)) for part in parts]
        if values and None not in values:
            added[key] = sum(value for value in values if value is not None)
    for key in ("start", "end", "jitter_ms"):
        values = [number(at(part, key)) for part in parts]
        if values and None not in values:
            added[key] = sum(value for value in values if value is not None) / len(values)
    if {"start", "end"} <= added.keys():
        added["seconds"] = added["end"] - added["start"]  # a stream's own seconds may belong to the other end
    added["omitted"] = any(at(part, "omitted") for part in parts)
    return added


def _is_iperf3(value: Mapping[str, Any]) -> bool:
    """Return whether a document begins as iperf3's do."""
    start = value.get("start")
    if not isinstance(start, dict):
        return False
    version = start.get("version")
    return (isinstance(version, str) and version.startswith(("iperf 3", "iperf version 3"))) or bool(
        {"connected", "test_start", "connecting_to", "accepted_connection"} & start.keys()
    )


class _Run:
    """One document, or the events of one stream."""

    def __init__(
        self, findings: RunFindings, value: dict[str, Any], ends: tuple[int, int], lines: list[int], *, complete: bool
    ) -> None:
        self._findings = findings
        self._value = value
        self._first, self._last = ends
        self._complete = complete
        self._lines = lines
        self._server = at(value, "start", "accepted_connection") is not None
        end = value.get("end")
        self._end: dict[str, Any] = end if isinstance(end, dict) else {}
        flags = {_sends_on(stream) for stream in self._streams()}
        self._mixed = {True, False} <= flags and not any(key.endswith("_bidir_reverse") for key in self._end)
        if self._mixed:
            self._end = {key: value for key, value in self._end.items() if not key.startswith("sum")}
        if complete and (self._mixed or (len(flags) == 1 and not any(key.startswith("sum") for key in self._end))):
            self._end = {**self._end, **self._sums("")}
        if complete and self._mixed:
            self._end |= self._sums("_bidir_reverse")

    def hand_over(self) -> None:
        """Hand over the run, or both of a bidirectional test."""
        value, end = self._value, self._end
        message = value.get("error")
        complete = message == _LEFT and any(key.startswith("sum") for key in end)
        failed = message is not None and not complete
        if complete:
            self._findings.problem(self._last, "inconsistent", f"found {message!r} below a result; the result is kept")
        if failed:
            self._findings.problem(self._last, "aborted", f"found {str(message)[:400]!r}, expected a result")
        both_ways = (
            self._mixed
            or any(key.endswith("_bidir_reverse") for key in end)
            or any(isinstance(interval, dict) and "sum_bidir_reverse" in interval for interval in self._intervals())
        )
        ways = ["", "_bidir_reverse"] if both_ways else [""]
        if both_ways and self._sends("") is False:
            ways.reverse()
        if self._complete and not failed and not any(key.startswith("sum") for key in end):
            self._findings.problem(self._last, "truncated", "found no 'sum' at the end; the run has no figures")
        for way in ways:
            self._findings.run(self._run(way, failed=failed, both_ways=both_ways))

    def _streams(self) -> list[Any]:
        streams = self._end.get("streams")
        return streams if isinstance(streams, list) else []

    def _sums(self, way: str) -> dict[str, Any]:
        """Compute the sums of one direction from its streams."""
        streams = self._streams()
        if self._mixed:
            streams = [stream for stream in streams if _sends_on(stream) is self._sends(way)]
        if at(self._value, "start", "test_start", "protocol") == "UDP":
            return {f"sum{way}": _added([at(stream, "udp") for stream in streams])}
        return {
            f"sum_sent{way}": _added([at(stream, "sender") for stream in streams]),
            f"sum_received{way}": _added([at(stream, "receiver") for stream in streams]),
        }

    def _intervals(self) -> list[Any]:
        intervals = self._value.get("intervals")
        return intervals if isinstance(intervals, list) else []

    def _sends(self, way: str) -> bool | None:
        """Return whether this host sends."""
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
            "tool_version": _version(version),
            "protocol": {"UDP": "udp", "TCP": "tcp"}.get(protocol if isinstance(protocol, str) else ""),
            "direction": None if sends is None else "send" if sends else "receive",
            "start_time": _seconds(at(start, "timestamp", "timesecs")),
            "streams": streams or None,
            "error": failed,
        }
        columns |= self._udp(way) if udp else self._tcp(way)
        if not udp:
            columns["mss_bytes"] = count(at(start, "tcp_mss")) or count(at(start, "tcp_mss_default")) or None
        host, remote = (number(at(end, "cpu_utilization_percent", f"{name}_total")) for name in ("host", "remote"))
        remote = None if failed and remote == 0 else remote
        ends = (host, remote) if sends else (remote, host)
        if sends is not None:
            columns["cpu_sender_fraction"], columns["cpu_receiver_fraction"] = (
                percent / 100 if percent is not None and percent >= 0 else None for percent in ends
            )
        rows = self._stream_rows(sends=sends, both_ways=both_ways)
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
        elif amounts[0] == 0 and (amounts[1] or self._server):
            sent = None
        columns["sender_throughput_bps"] = number(at(sent, "bits_per_second"))
        columns["throughput_bps"] = number(at(received, "bits_per_second"))
        columns["duration_s"] = number(at(received or sent, "seconds"))
        columns["bytes"] = count(at(received, "bytes"))
        return columns

    def _udp(self, way: str) -> dict[str, object]:
        total, sent, received = (at(self._end, f"{name}{way}") for name in ("sum", "sum_sent", "sum_received"))
        columns: dict[str, object] = {"sender_throughput_bps": number(at(sent, "bits_per_second"))}
        result = received if isinstance(received, dict) else total
        if count(at(sent, "bytes")) == 0 and count(at(result, "bytes")):
            columns = {}
        arrived = (count(at(result, "packets")) or 0) - (count(at(result, "lost_packets")) or 0)
        if (arrived > 0 or at(result, "packets") is None) and count(at(result, "bytes")) == 0:
            result = {**result, "bytes": None, "bits_per_second": None}
            self._findings.problem(self._last, "inconsistent", "found no bytes in the result after packets; left out")
        if received is None and sent is None and not self._server and count(at(total, "lost_packets")):
            self._findings.problem(
                self._last, "ambiguous", "found one rate beside lost packets; it is that of the sender, and kept"
            )
        return columns | _figures(result, loss=True)

    def _stream_rows(self, *, sends: bool | None, both_ways: bool) -> list[dict[str, object]]:
        """Return rows of the table of streams; their line is the last one of the document."""
        rows: list[dict[str, object]] = []
        for stream in self._streams():
            both_ends = at(stream, "udp")
            sent, received = at(stream, "sender"), at(stream, "receiver")
            if both_ways and sends is not None and _sends_on(stream) not in {None, sends}:
                continue
            row: dict[str, object] = {"stream": len(rows), "line": self._last}
            if isinstance(both_ends, dict):
                row |= _figures(both_ends, loss=True)
            else:
                row |= _figures(received, loss=False)
                row["sender_throughput_bps"] = number(at(sent, "bits_per_second"))
                row["retransmits"] = count(at(sent, "retransmits"))
                mean = number(at(sent, "mean_rtt"))
                row["rtt_s"] = mean / 1e6 if mean else None
            rows.append(_possible(row))
        return rows

    def _interval_columns(self, way: str, *, sends: bool | None, both_ways: bool) -> dict[str, Array]:
        lines: list[int] = []
        indices: list[float] = []
        rows: list[Mapping[str, Any]] = []
        for line, interval in zip(self._lines, self._intervals(), strict=False):
            streams = at(interval, "streams")
            streams = [stream for stream in streams if isinstance(stream, dict)] if isinstance(streams, list) else []
            if both_ways:
                streams = [stream for stream in streams if stream.get("sender") in (None, sends)]
            total = at(interval, f"sum{way}")
            if self._mixed or (total is None and len(streams) == 1):
                total = streams[0] if len(streams) == 1 else _added(streams)
            if not isinstance(total, dict) or total.get("omitted"):
                continue
            if len(streams) == 1:
                rows.append(streams[0] | total)
                indices.append(np.nan)
                lines.append(line)
                continue
            rows += [*streams, total]
            indices += [*range(len(streams)), np.nan]
            lines += [line] * (len(streams) + 1)
        if not rows:
            return {}
        columns = {"line": np.array(lines, float), "stream": np.array(indices, float), **_columns(rows)}
        return {name: values for name, values in columns.items() if name == "stream" or not np.isnan(values).all()}


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Array]:
    """Return columns of intervals, NaN where missing or impossible."""

    def of(key: str) -> Array:
        cells = [row.get(key) for row in rows]
        if not {int, float, type(None)}.issuperset(map(type, cells)):
            cells = [number(value) for value in cells]
        try:
            values = np.array(cells, float)  # None becomes NaN
        except OverflowError:
            values = np.array([number(value) for value in cells], float)
        values[~((values >= 0) & (values < np.inf))] = np.nan
        return values

    packets, lost = of("packets"), of("lost_packets")
    rtt, loss = of("rtt") * 1e-6, np.full(len(rows), np.nan)
    rtt[rtt == 0] = np.nan
    np.divide(lost, packets, out=loss, where=(packets > 0) & (lost <= packets))
    return {
        "t_start_s": of("start"),
        "t_end_s": of("end"),
        "bytes": np.rint(of("bytes")),
        "throughput_bps": of("bits_per_second"),
        "retransmits": np.rint(of("retransmits")),
        "cwnd_bytes": np.rint(of("snd_cwnd")),
        "rtt_s": rtt,
        "sent_packets": np.rint(packets),
        "lost_packets": np.rint(lost),
        "loss_fraction": loss,
        "jitter_s": of("jitter_ms") * 1e-3,
    }


def _figures(values: object, *, loss: bool) -> dict[str, object]:
    """Return the columns of a sum, or of one end of a stream."""
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
    """Return a row of the table of streams without negative figures."""
    return {
        name: None
        if isinstance(value, (int, float)) and (value < 0 or value >= 2**63 or (name == "loss_fraction" and value > 1))
        else value
        for name, value in row.items()
    }


def _version(value: object) -> str | None:
    """Return the version, which 3.0 writes as "iperf version 3.0.1 (10 January 2014)"."""
    return value.removeprefix("iperf ").removeprefix("version ").partition(" ")[0] if isinstance(value, str) else None


def _seconds(value: object) -> pd.Timestamp | None:
    seconds = number(value)
    return pd.Timestamp(seconds, unit="s", tz="UTC") if seconds is not None and 0 < seconds < 2**33 else None
