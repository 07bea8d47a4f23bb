"""The rows of iperf 2, of text and of CSV: intervals and results of a stream, and the figures in them.

`hecn_analysis.logs.iperf2` describes the tool and says which rows belong together.

Units and traps
---------------
- KBytes, MBytes, GBytes and the K of the congestion window are powers of 1024, Kbits, Mbits, Gbits powers of 1000.
- The result is a row that begins at 0 again; without ``-i`` it is the only one. The first interval of a log that breaks
  off cannot be told from a result, unless it has four decimals (since 2.0.14) and ends on a full second.
- ``-e``: the retries are the retransmits; a congestion window of ``-1K`` is not known.
- CSV: date (local time), addresses and ports, number of the stream (-1: the sum), ``start-end``, bytes, bit/s; for UDP
  at a receiver also jitter in ms, lost, all, per cent, out of order. Some versions write the year 1970.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np

from hecn_analysis.logs.contract import Array

_N: Final = r"\d{1,18}(?:\.\d{1,6})?"
ID: Final = r"\[ {0,4}(?P<id>\*?\d{1,6}|SUM(?:-\d{1,6})?|FD\d{1,6})\]"
ROW: Final = re.compile(
    rf"{ID}(?P<gap> {{1,6}})(?P<start>\d{{1,8}}\.\d{{1,6}})- {{0,4}}(?P<end>\d{{1,8}}\.\d{{1,6}}) {{0,3}}sec\s{{1,8}}"
    rf"(?P<amount>{_N}) {{0,3}}(?P<scale>[KMGTP]?)Bytes\s{{1,8}}(?P<rate>{_N}) {{0,3}}(?P<rate_scale>[KMGTP]?)"
    r"(?P<rate_unit>bits|Bytes)/sec(?P<rest>.*)$"
)
LIKE_ROW: Final = re.compile(rf"{ID} {{1,6}}\d{{1,8}}\.\d{{1,6}}- {{0,4}}\d{{1,8}}\.\d{{1,6}} {{0,3}}sec\s{{1,8}}\S")
_WRITES: Final = re.compile(
    r"\s{1,4}\d{1,15}/\d{1,15}\s{1,16}(?P<retries>\d{1,12})(?!\d|\s{0,4}pps)"
    r"(?:\s{1,16}(?:-?\d{1,9}K(?:\(\d{1,9}\))?/)?(?P<window>-?\d{1,9})K(?:\(\d{1,9}\))?"
    r"/(?P<rtt>\d{1,9})(?:\(\d{1,9}\))? us)?"
)
_LOSS: Final = re.compile(
    rf"\s{{1,8}}(?:(?P<jitter>{_N}) ms\s{{1,8}})?(?P<lost>-?\d{{1,15}})/ {{0,12}}(?P<packets>-?\d{{1,15}}) {{0,2}}\("
)
CSV: Final = re.compile(
    r"^\s{0,8}(?:[+-]\d{4}:)?(\d{14})(?:\.\d{1,6})?,([0-9A-Fa-f.:%\w-]{1,64}),(\d{1,5}),([0-9A-Fa-f.:%\w-]{1,64}),(\d{1,5}),"
    r"(-?\d{1,6}),(\d{1,8}\.\d{1,6})-(\d{1,8}\.\d{1,6}),(\d{1,19}),(\d{1,19})"
    r"(?:,(-?\d{1,12}\.\d{1,6}|-?nan),(-?\d{1,15}),(-?\d{1,15}),(-?\d{1,6}\.\d{1,6}|-?nan|-?inf),(-?\d{1,15}))?(?:,[\d.,-]{0,200})?\s*$"
)
_BINARY: Final = {letter: 1024.0**power for power, letter in enumerate(("", *"KMGTP"))}
_DECIMAL: Final = {letter: 1000.0**power for power, letter in enumerate(("", *"KMGTP"))}


class Row(NamedTuple):
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
class Stream:
    """The rows of one stream in one direction, or of the sum."""

    rows: list[Row] = field(default_factory=list)
    final: Row | None = None
    report: Row | None = None
    sent: int | None = None
    on_the_way: bool = False

    def result(self) -> Row | None:
        """The row over the whole time: the one that begins anew, or the only one."""
        if self.final is not None:
            return self.final
        only = self.rows[0] if len(self.rows) == 1 and not self.on_the_way else None
        return only if only is not None and only.start == 0 and not only.on_time else None

    def add(self, row: Row) -> None:
        """Take a row; one that begins at 0 after others is the result."""
        if self.rows and row.start == 0 and row.end >= self.rows[-1].start:
            self.final = row
        else:
            self.rows.append(row)

    def intervals(self) -> list[Row]:
        """The rows on the way."""
        return self.rows if self.final is not None or self.result() is None else []


def written_at(found: re.Match[str]) -> float | None:
    """Give the time at which a row of CSV was written [s], None where it has none or one of 1970.

    Parameters
    ----------
    found
        A match of `CSV`.
    """
    try:
        time = datetime.strptime(found[1] + "+0000", "%Y%m%d%H%M%S%z").timestamp()
    except ValueError:
        return None
    return time if time > 3e8 else None


def of_csv(number: int, found: re.Match[str]) -> Row:
    """Give the figures of a row of CSV.

    Parameters
    ----------
    number
        The number of its line.
    found
        A match of `CSV`.
    """
    start, end, amount, rate, jitter, lost, packets = found.groups()[6:13]
    known = packets is not None and int(packets) > 0
    return Row(
        number,
        float(start),
        float(end),
        float(amount),
        float(rate),
        jitter_ms=float(jitter) if known and "nan" not in jitter else None,
        lost=int(lost) if known else None,
        packets=int(packets) if known else None,
    )


def of_text(number: int, found: re.Match[str]) -> Row:
    """Give the figures of a row of text.

    Parameters
    ----------
    number
        The number of its line.
    found
        A match of `ROW`.
    """
    identity, _, start, end, amount, scale, rate, rate_scale, rate_unit, rest = found.groups()
    factor = 8 * _BINARY[rate_scale] if rate_unit == "Bytes" else _DECIMAL[rate_scale]
    on_time = end.endswith(".0000") and not identity.startswith("SUM")
    row = Row(number, float(start), float(end), float(amount) * _BINARY[scale], float(rate) * factor, on_time=on_time)
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


def figures(row: Row) -> dict[str, object]:
    """Give the columns of a row.

    Parameters
    ----------
    row
        The row of a result.
    """
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


def added(rows: Iterable[Row | None], *, near: float = 0.01) -> Row | None:
    """Add the results of several streams that took equally long; None where one is missing or took longer.

    Parameters
    ----------
    rows
        A result of each stream.
    near
        By which part of the longest time a stream may have ended before it.
    """
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
    return Row(
        kept[-1].line,
        0.0,
        longest,
        sum(row.amount for row in kept),
        sum(row.rate for row in kept),
        retries=None if None in retries else sum(filter(None, retries)),
        lost=None if None in lost else sum(filter(None, lost)),
        packets=None if None in packets else sum(filter(None, packets)),
    )


def stream_row(index: int, stream: Stream, *, udp: bool, last: int) -> dict[str, object]:
    """Give a row of the table of streams.

    Parameters
    ----------
    index
        Its place among the streams of its direction.
    stream
        The rows of the stream.
    udp
        Whether a row without packets is the sender's only.
    last
        The last line of the run, for a stream without a row.
    """
    result = stream.result()
    line = result.line if result is not None else stream.rows[0].line if stream.rows else last
    row: dict[str, object] = {"stream": index, "line": line}
    if result is None:
        return row
    if udp and result.packets is None:
        row["sender_throughput_bps"] = result.rate
        return row | ({} if stream.report is None else _possible(figures(stream.report)))
    if result.rtt_us:
        row["rtt_s"] = result.rtt_us / 1e6
    return row | _possible(figures(result))


def _possible(columns: dict[str, object]) -> dict[str, object]:
    """Figures of a stream without a loss above 1."""
    loss = columns.get("loss_fraction")
    return {**columns, "loss_fraction": None} if isinstance(loss, float) and loss > 1 else columns


def intervals(streams: Sequence[Stream], whole: Stream | None) -> dict[str, Array]:
    """Give the columns of the intervals in the order of the file; those of a single stream are those of the run.

    Parameters
    ----------
    streams
        The streams of one direction.
    whole
        The rows of all of them together, None where there are none.
    """
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
