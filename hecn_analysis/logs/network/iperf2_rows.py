"""The rows of iperf 2, of text and of CSV: intervals and results of a stream, and the figures in them.

`hecn_analysis.logs.network.iperf2` describes the tool and assigns rows to runs.

Units and traps
---------------
- KBytes, MBytes, GBytes and the K of the congestion window are powers of 1024, Kbits, Mbits, Gbits powers of 1000, also
  in amounts.
- The result is a row that begins at 0 again; without ``-i`` it is the only one. The first interval of a truncated log
  looks like a result, unless it has four decimals (since 2.0.14) and ends on a full second.
- ``-e``: the retries are the retransmits; a congestion window of ``-1K`` is unknown.
- CSV: date (local time), addresses and ports, number of the stream (-1: the sum), ``start-end``, bytes, bit/s; for UDP
  at a receiver also jitter in ms, lost, all, per cent, out of order. Some versions write the year 1970. With ``-e``
  since 2.2 a line of names comes first, and a comma stands between start and end; seven whole numbers at the end are
  writes, their errors, retries, the congestion window in K and in packets, the round-trip time and its variation in us.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, Self

import numpy as np

from hecn_analysis.logs.contract import Array
from hecn_analysis.logs.losses import loss_fractions
from hecn_analysis.logs.rows import Rows, Text, joined, looked_up, numbers

_N: Final = r"\d{1,18}(?:\.\d{1,6})?"
ID: Final = r"\[ {0,4}(?P<id>\*?\d{1,6}|SUM(?:-\d{1,6})?|FD\d{1,6}|[^\s\[\]()]{1,64}\(\*?\d{1,6}\))\]"
ROW: Final = re.compile(
    rf"{ID}(?P<gap> {{1,6}}+)(?P<start>\d{{1,8}}+\.\d{{1,6}}+)- {{0,4}}+(?P<end>\d{{1,8}}+\.\d{{1,6}}+) {{0,3}}+sec"
    rf"\s{{1,8}}+(?P<amount>{_N}) {{0,3}}+(?P<scale>[KMGTP]?(?=Bytes)|[KMGTP]?b(?=its))(?:Bytes|its)"
    rf"\s{{1,8}}+(?P<rate>{_N}) {{0,3}}+(?P<rate_scale>[KMGTP]?)"
    r"(?P<rate_unit>bits|Bytes)/sec(?P<rest>.*)$"
)
LIKE_ROW: Final = re.compile(rf"{ID} {{1,6}}\d{{1,8}}\.\d{{1,6}}- {{0,4}}\d{{1,8}}\.\d{{1,6}} {{0,3}}sec\s{{1,8}}\S")
_WRITES: Final = re.compile(
    r"\s{1,4}\d{1,15}/\d{1,15}\s{1,16}(?P<retries>\d{1,12})(?!\d|\s{0,4}pps)"
    r"(?:\s{1,16}(?:(?:-?\d{1,9}K(?:\(\d{1,9}\))?/)?(?P<window>-?\d{1,9})K(?:\(\d{1,9}\))?|NA)"
    r"/(?P<rtt>\d{1,9})(?:\(\d{1,9}\))? ?us)?"
)
_LOSS: Final = re.compile(
    rf"\s{{1,8}}(?:(?P<jitter>{_N}) ms\s{{1,8}})?(?P<lost>-?\d{{1,15}})/ {{0,12}}(?P<packets>-?\d{{1,15}}) {{0,8}}\("
)
CSV: Final = re.compile(
    r"^\s{0,8}(?:[+-]\d{4}:)?(\d{14})(?:\.\d{1,6})?,([0-9A-Fa-f.:%\w-]{1,64}),(\d{1,5}),([0-9A-Fa-f.:%\w-]{1,64}),(\d{1,5}),"
    r"(-?\d{1,6}),(\d{1,8}\.\d{1,6})[-,](\d{1,8}\.\d{1,6}),(\d{1,19}),(\d{1,19})"
    r"(?:,(-?\d{1,12}\.\d{1,6}|-?nan),(-?\d{1,15}),(-?\d{1,15}),(-?\d{1,6}\.\d{1,6}|-?nan|-?inf),(-?\d{1,15}))?"
    r"(?:,\d{1,15},\d{1,15},(\d{1,12}),(-?\d{1,9}),\d{1,9},(\d{1,9}),\d{1,9}|,[\d.,-]{0,200})?\s*$"
)
_BINARY: Final = {letter: 1024.0**power for power, letter in enumerate(("", *"KMGTP"))}
_DECIMAL: Final = {letter: 1000.0**power for power, letter in enumerate(("", *"KMGTP"))}
_AMOUNTS: Final = _BINARY | {f"{letter}b": factor / 8 for letter, factor in _DECIMAL.items()}


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


Texts = tuple[Text, ...]
"""The texts of a row's figures, in the order of `_TEXTS`."""

_TEXTS: Final = (
    *("start", "end", "amount", "scale", "rate", "rate_scale", "rate_unit"),
    *("retries", "window", "rtt", "jitter", "lost", "packets"),
)
_PLAIN: Final = (None,) * 6


def key_of(identity: str) -> str:
    """Return the key of a stream: its number, or ``SUM``."""
    if identity.startswith("SUM"):
        return "SUM"
    return identity.rpartition("(")[2].removesuffix(")")


@dataclass
class Stream:
    """The rows of one stream in one direction, or of the sum.

    Examples
    --------
    >>> stream = Stream.new(kept=True)
    >>> for line, span in enumerate(("0.0- 1.0", "1.0- 2.0", "0.0- 2.0"), start=1):
    ...     texts = of_text(ROW.match(f"[  3] {span} sec  1.00 MBytes  8.39 Mbits/sec"))
    ...     stream.add(read(line, texts), texts)
    >>> stream.result().line, stream.intervals()["line"]
    (3, array([1., 2.]))
    """

    rows: Rows
    first: Row | None = None
    start: float = 0.0
    end: float = 0.0
    final: Row | None = None
    report: Row | None = None
    sent: int | None = None
    on_the_way: bool = False

    @classmethod
    def new(cls, *, kept: bool) -> Self:
        """Create a stream without rows."""
        return cls(Rows(len(_TEXTS), _converted, kept=kept))

    def result(self) -> Row | None:
        """Return the result: the row that begins at 0 again, or the only row."""
        if self.final is not None:
            return self.final
        only = self.first if len(self.rows) == 1 and not self.on_the_way else None
        return only if only is not None and only.start == 0 and not only.on_time else None

    def add(self, row: Row, texts: Texts) -> None:
        """Add a row; a row that begins at 0 after others is the result."""
        if self.first is not None and row.start == 0 and row.end >= self.start:
            self.final = row
            return
        self.first = self.first or row
        self.go_on([row.line], texts)

    def go_on(self, lines: Sequence[int], texts: Sequence[Text]) -> None:
        """Add the intervals after the first."""
        self.rows.add(lines, texts)
        self.start, self.end = float(texts[-len(_TEXTS)]), float(texts[1 - len(_TEXTS)])

    def intervals(self) -> dict[str, Array]:
        """Return the columns of the intervals."""
        return self.rows.columns() if self.final is not None or self.result() is None else {}


def take(
    pattern: re.Pattern[str], own: Callable[[re.Match[str]], Stream | None], texts: Sequence[str], start: int
) -> list[tuple[Stream, list[int], list[Text]]]:
    """Return the rows, by stream, that are each a further interval; stop at the first other row."""
    of_row, named = (of_text, ("id",)) if pattern is ROW else (of_csv, (6, 3, 5))
    taken: list[tuple[Stream, list[int], list[Text]]] = []
    match, identity = pattern.match, None
    places: list[int] = []
    figures: list[Text] = []
    for place in range(start, len(texts)):
        row = match(texts[place])
        if row is None:
            break
        name = row.group(*named)
        if name != identity:
            stream = own(row)
            if stream is None or stream.first is None or stream.final is not None:
                break
            identity, places, figures = name, [], []
            taken.append((stream, places, figures))
        row_texts = of_row(row)
        if row_texts[0][0] == "0" and float(row_texts[0]) == 0:
            break
        places.append(place)
        figures += row_texts
    return taken


def written_at(match: re.Match[str]) -> float | None:
    """Return when a row of CSV was written, reading its local time as UTC."""
    try:
        time = datetime.strptime(match[1] + "+0000", "%Y%m%d%H%M%S%z").timestamp()
    except ValueError:
        return None
    return time if time > 3e8 else None


def of_csv(match: re.Match[str]) -> Texts:
    """Return the texts of a row of CSV."""
    start, end, amount, rate, jitter, lost, packets, _, _, retries, window, rtt = match.groups()[6:]
    if packets is None or int(packets) <= 0:
        jitter = lost = packets = None
    return (start, end, amount, "", rate, "", "bits", retries, window, rtt, jitter, lost, packets)


def of_text(match: re.Match[str]) -> Texts:
    """Return the texts of a row of text."""
    groups = match.groups()
    rest = groups[9]
    if not rest or rest.isspace():
        return groups[2:9] + _PLAIN
    if (writes := _WRITES.match(rest)) is not None:
        return (*groups[2:9], writes["retries"], writes["window"], writes["rtt"], None, None, None)
    if (loss := _LOSS.match(rest)) is not None:
        return (*groups[2:9], None, None, None, loss["jitter"], loss["lost"], loss["packets"])
    return groups[2:9] + _PLAIN


def read(line: int, texts: Texts, *, on_time: bool = False) -> Row:
    """Return the figures of a row."""
    start, end, amount, scale, rate, rate_scale, rate_unit, retries, window, rtt, jitter, lost, packets = texts
    factor = 8 * _BINARY[rate_scale] if rate_unit == "Bytes" else _DECIMAL[rate_scale]
    return Row(
        line,
        float(start),
        float(end),
        float(amount) * _AMOUNTS[scale],
        float(rate) * factor,
        retries=None if retries is None else int(retries),
        window=None if window is None or int(window) < 0 else 1024 * int(window),
        rtt_us=None if rtt is None else int(rtt),
        jitter_ms=None if jitter is None or "n" in jitter or jitter.startswith("-") else float(jitter),
        lost=None if lost is None else int(lost),
        packets=None if packets is None else int(packets),
        on_time=on_time,
    )


def _converted(texts: Sequence[Sequence[Text]], lines: Array) -> dict[str, Array]:
    """Convert the texts of rows to columns of numbers."""
    column = dict(zip(_TEXTS, texts, strict=True))
    by_1024 = looked_up(column["rate_unit"], {"Bytes": 1.0, "bits": 0.0}) > 0
    scales = column["rate_scale"]
    columns = {
        "line": lines,
        "t_start_s": numbers(column["start"]),
        "t_end_s": numbers(column["end"]),
        "bytes": np.rint(numbers(column["amount"]) * looked_up(column["scale"], _AMOUNTS)),
        "throughput_bps": numbers(column["rate"])
        * np.where(by_1024, 8 * looked_up(scales, _BINARY), looked_up(scales, _DECIMAL)),
    }
    if any(column["retries"]):
        windows = 1024 * numbers(column["window"])
        columns["retransmits"] = numbers(column["retries"])
        columns["cwnd_bytes"] = np.rint(np.where(windows < 0, np.nan, windows))
        columns["rtt_s"] = numbers(column["rtt"]) / 1e6
    if any(column["packets"]):
        lost, packets = numbers(column["lost"]), numbers(column["packets"])
        lost[lost < 0] = np.nan
        packets[packets < 0] = np.nan
        columns["lost_packets"], columns["sent_packets"] = lost, packets
        columns["loss_fraction"] = loss_fractions(lost, packets)
        columns["jitter_s"] = numbers(column["jitter"]) / 1000
    return columns


def figures(row: Row) -> dict[str, object]:
    """Return the columns of a row."""
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
    """Add up results of streams; None if one is missing or took longer than the others."""
    results = list(rows)
    kept = [row for row in results if row is not None]
    if not kept or len(kept) < len(results):
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
    """Return a row of the table of streams."""
    result = stream.result()
    line = result.line if result is not None else stream.first.line if stream.first is not None else last
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
    """Return the figures of a stream without a loss above 1."""
    loss = columns.get("loss_fraction")
    return {**columns, "loss_fraction": None} if isinstance(loss, float) and loss > 1 else columns


def intervals(streams: Sequence[Stream], whole: Stream | None) -> dict[str, Array]:
    """Return the columns of the intervals in file order; rows of a single stream have no stream number."""
    numbered = [(np.nan if len(streams) == 1 else float(index), stream) for index, stream in enumerate(streams)]
    parts = [
        {"stream": np.full(len(part["line"]), index), **part}
        for index, stream in [*numbered, *([(np.nan, whole)] if whole is not None else [])]
        if (part := stream.intervals())
    ]
    if not parts:
        return {}
    columns = joined(parts)
    if len(parts) > 1:
        order = np.argsort(columns["line"], kind="stable")
        columns = {name: values[order] for name, values in columns.items()}
    forward = columns["t_end_s"] >= columns["t_start_s"]
    if not forward.all():
        columns = {name: values[forward] for name, values in columns.items()}
    return {name: values for name, values in columns.items() if name == "stream" or not np.isnan(values).all()}
