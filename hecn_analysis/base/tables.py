"""The tables of measurements: one list of columns drives the dtypes, the checks and the documentation.

`runs` has one row per test run, `streams` the same figures per parallel stream, `intervals` the rows that a tool prints
while it runs. `samples` has one row per reading of an interface's counters, `rates` one per interval between readings,
`interfaces` one per interface. `problems` says what could not be used and why, `statements` what single lines say about
a transfer. SI base units: bit/s, bytes, seconds, fractions (1.0 is all packets, or one whole core), UTC. A value that
the file does not give is missing (NA; NaN where the dtype is float64), never 0. `make` checks a table where it is made;
readers ask `faults` first, so that an impossible value in a file becomes a problem with its line and not an exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np
import pandas as pd

from hecn_analysis.base.columns import ANSWER, COUNT, COUNTER, FLAG, NUMBER, TEXT, TIME, Column
from hecn_analysis.base.errors import RangeError, did_you_mean
from hecn_analysis.base.secrets import hidden

PROTOCOLS = ("tcp", "udp", "rdma", "icmp", "file")

PROBLEM_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "unrecognised": "no reader knows the file, a line inside the output of a known tool, or a line like a result",
        "unreadable": "the file could not be opened or decoded",
        "truncated": "the output ends before its summary or inside a line",
        "malformed": "a line of the tool with unreadable figures",
        "inconsistent": "two figures of the log contradict each other",
        "ambiguous": "the line can be read in more than one way; the message says which one was taken",
        "unit": "a unit that the tool is known to misprint, or a misprinted unit that was corrected",
        "aborted": "the run ended in an error, which the message gives",
    }
)


_PLACE = (Column("source_file", TEXT, "", "file as given; for a directory, that path joined with the file's"),)
_RUN = Column("run", COUNT, "", "number of the run within its file, from 0", low=0)
_STREAM = Column("stream", COUNT, "", "number of the parallel stream, from 0; missing: all of them together", low=0)
_LINE = Column("line", COUNT, "", "line of the row in the file, from 1", low=1)
_AMOUNT = (
    Column("bytes", COUNT, "B", "payload bytes", low=0),
    Column(
        "throughput_bps",
        NUMBER,
        "bit/s",
        "payload goodput as the tool's summary gives it; the receiver's where both ends are given",
        low=0,
    ),
)
_SENDER = Column(
    "sender_throughput_bps",
    NUMBER,
    "bit/s",
    "the sender's figure where the log gives it; where it gives only that one, throughput_bps is missing",
    low=0,
)
_DURATION = Column("duration_s", NUMBER, "s", "duration over which the throughput is averaged", low=0)
_RETRANSMITS = Column("retransmits", COUNT, "", "TCP segments retransmitted", low=0)
_RTT = Column("rtt_s", NUMBER, "s", "round-trip time of the connection as the tool gives it", low=0)
_LOSS = (
    Column("sent_packets", COUNT, "", "packets sent", low=0),
    Column("lost_packets", COUNT, "", "packets that did not arrive", low=0),
    Column("loss_fraction", NUMBER, "1", "lost packets over sent packets", low=0, high=1),
    Column("jitter_s", NUMBER, "s", "jitter as the tool defines it", low=0),
)
_CPU = (
    Column(
        "cpu_sender_fraction", NUMBER, "cores", "processor time of the sender over the duration; 1.0 is one core", low=0
    ),
    Column("cpu_receiver_fraction", NUMBER, "cores", "the receiver's", low=0),
)

_RUNS = (
    *_PLACE,
    _RUN,
    Column("line_first", COUNT, "", "first line of the run in the file, from 1", low=1),
    Column("line_last", COUNT, "", "last line of the run", low=1),
    Column("content_hash", TEXT, "", "SHA-256 of the file's bytes, hexadecimal"),
    Column("tool", TEXT, "", "name of the tool, as in the list of readers"),
    Column("tool_version", TEXT, "", "version that the log names"),
    Column(
        "label",
        TEXT,
        "",
        "label in front of the result in the log, such as 'File copy 1', 'n2tx' or 'Get'",
        quotes=True,
    ),
    Column("protocol", TEXT, "", "what carried the data; 'file' for disks and file copies", words=PROTOCOLS),
    Column(
        "direction",
        TEXT,
        "",
        "'send' or 'receive' as seen by the host that wrote the log; for disks 'read', 'write' or a tool's finer word",
    ),
    Column("start_time", TIME, "UTC", "when the run began"),
    _DURATION,
    *_AMOUNT,
    _SENDER,
    Column("iops", NUMBER, "1/s", "requests to a disk per second, as the tool states them", low=0),
    Column("streams", COUNT, "", "parallel streams", low=1),
    _RETRANSMITS,
    _RTT,
    Column("rtt_min_s", NUMBER, "s", "smallest delay of a probing tool (ping, mtr, owping)"),
    Column("rtt_avg_s", NUMBER, "s", "mean delay of a probing tool"),
    Column("rtt_max_s", NUMBER, "s", "largest delay of a probing tool"),
    *_LOSS,
    *_CPU,
    Column("mss_bytes", COUNT, "B", "maximum segment size of TCP as the tool states it, without headers", low=1),
    Column("error", FLAG, "", "true where the run aborted; the text is in problems"),
    Column(
        "circumstances",
        TEXT,
        "",
        "what the log says beside: simultaneous with other runs, over an emulated or a real path, between which hosts",
    ),
    Column("cleaned", TEXT, "", "what was removed from the text before the run could be read; missing: nothing"),
)
_STREAMS = (*_PLACE, _RUN, _STREAM, _LINE, _DURATION, *_AMOUNT, _SENDER, _RETRANSMITS, _RTT, *_LOSS)
_INTERVALS = (
    *_PLACE,
    _RUN,
    _STREAM,
    _LINE,
    Column("t_start_s", NUMBER, "s", "start of the interval since the start of the run", low=0),
    Column("t_end_s", NUMBER, "s", "end of the interval since the start of the run", low=0),
    *_AMOUNT,
    _RETRANSMITS,
    Column("cwnd_bytes", COUNT, "B", "congestion window of the sender", low=0),
    _RTT,
    *_LOSS,
)
_INTERFACE = (
    Column(
        "host", TEXT, "", "the device, by the name that it gives itself (SNMP: sysName) or that the source gives it"
    ),
    Column("interface", TEXT, "", "name of the interface (SNMP: ifName where the source has it, else ifDescr)"),
    Column("index", COUNT, "", "number of the interface on the device (SNMP: ifIndex)", low=0),
)
_COUNTERS = tuple(
    Column(name, COUNTER, unit, meaning, low=0)
    for name, unit, meaning in (
        ("in_octets", "B", "octets received, of the widest counter that the source has"),
        ("out_octets", "B", "octets sent"),
        (
            "in_packets",
            "",
            "packets received: unicast, multicast and broadcast together where the source has them apart",
        ),
        ("out_packets", "", "packets sent"),
        ("in_errors", "", "packets received with errors"),
        ("out_errors", "", "packets that were not sent because of errors"),
        ("in_discards", "", "packets received without errors and discarded"),
        ("out_discards", "", "outgoing packets discarded without errors"),
        ("in_multicast", "", "multicast packets received"),
    )
)
_SPEED = Column("speed_bps", NUMBER, "bit/s", "speed that the interface reports; missing if it is 0 or absent", low=0)
_WIDTH = Column(
    "counter_bits", COUNT, "bit", "width of the counters of octets: they wrap to 0 at 2 to this power", low=1
)
_STATE = (
    Column("mtu", COUNT, "B", "largest packet of the interface", low=0),
    Column("up", ANSWER, "", "whether the interface is up (operational state)"),
)
_SAMPLES = (
    *_PLACE,
    _LINE,
    *_INTERFACE,
    Column("time", TIME, "UTC", "when the counters were read; missing where the source has no time"),
    *_COUNTERS,
    _SPEED,
    _WIDTH,
    Column("uptime_s", NUMBER, "s", "time since the device's own clock of SNMP started (sysUpTime)", low=0),
    Column(
        "discontinuity_s",
        NUMBER,
        "s",
        "uptime_s at which a counter was last reset (ifCounterDiscontinuityTime)",
        low=0,
    ),
    *_STATE,
)
_INTERFACES = (
    *_PLACE,
    *_INTERFACE,
    Column("description", TEXT, "", "the device's description of the interface (SNMP: ifDescr)"),
    Column("alias", TEXT, "", "operator's description of the interface (SNMP: ifAlias)"),
    Column("mac_address", TEXT, "", "address of the interface on its link, as 02:00:5e:00:53:01"),
    _SPEED,
    *_STATE,
    Column("samples", COUNT, "", "readings of its counters", low=0),
    Column("intervals", COUNT, "", "intervals with a known rate", low=0),
    Column("first_time", TIME, "UTC", "first reading, or start of the first interval"),
    Column("last_time", TIME, "UTC", "last reading, or end of the last interval"),
    *_COUNTERS,
    _WIDTH,
    *(
        Column(f"{name}_{direction}_bps", NUMBER, "bit/s", meaning, low=0)
        for name, meaning in (
            ("mean", "mean rate over all known intervals, weighted by length"),
            ("peak", "largest rate of an interval, or largest maximum in the source"),
            ("p95", "95th percentile of slots of 5 min by nearest rank, as hecn traffic gives it"),
        )
        for direction in ("in", "out")
    ),
)
_RATES = (
    *_PLACE,
    _LINE,
    *_INTERFACE,
    Column("time", TIME, "UTC", "end of the interval"),
    Column("interval_s", NUMBER, "s", "length of the interval", low=0),
    Column("in_bps", NUMBER, "bit/s", "mean rate of the octets received over the interval", low=0),
    Column("out_bps", NUMBER, "bit/s", "mean rate of the octets sent", low=0),
    Column("in_max_bps", NUMBER, "bit/s", "largest shorter mean inside the interval, where the source keeps it", low=0),
    Column("out_max_bps", NUMBER, "bit/s", "largest shorter mean of the octets sent", low=0),
    Column("flag", TEXT, "", "how the rate was computed, or why it is missing"),
)
_PROBLEMS = (
    *_PLACE,
    _LINE,
    Column("kind", TEXT, "", "what kind of problem", words=tuple(PROBLEM_KINDS)),
    Column("message", TEXT, "", "what was found, what was expected, what was done", quotes=True),
)
_STATEMENTS = (
    *_PLACE,
    _LINE,
    Column("name", TEXT, "", "what the line states, such as asked.remote, the other end of a transfer"),
    Column("value", TEXT, "", "its value: words, or a number in SI units", quotes=True),
    Column("says", TEXT, "", "words of the line", quotes=True),
    Column("end", TEXT, "", "end of the transfer that it is about: sender, receiver or unknown"),
    Column("host", TEXT, "", "host that the file names"),
)

COLUMNS: Mapping[str, Mapping[str, Column]] = MappingProxyType(
    {
        table: MappingProxyType({column.name: column for column in columns})
        for table, columns in {
            "runs": _RUNS,
            "streams": _STREAMS,
            "intervals": _INTERVALS,
            "samples": _SAMPLES,
            "interfaces": _INTERFACES,
            "rates": _RATES,
            "problems": _PROBLEMS,
            "statements": _STATEMENTS,
        }.items()
    }
)


#: Units of columns of other tables, by the ending of their names.
ENDINGS: Final = {
    "_bps": "bit/s",
    "_bytes": "B",
    "_s": "s",
    "_fraction": "1",
    "probability": "1",
    "utilisation": "1",
    "gain": "1",
    "gain_low": "1",
    "gain_high": "1",
    "ratio": "1",
    "_usd": "USD",
}


def _columns(table: str) -> Mapping[str, Column]:
    try:
        return COLUMNS[table]
    except KeyError:
        raise RangeError(f"found table {table!r}, expected one of {', '.join(COLUMNS)}") from None


def faults(table: str, row: Mapping[str, object]) -> dict[str, str]:
    """Describe the faults of a row: the column, what was found, and what was expected.

    Parameters
    ----------
    table, row
        A key of `COLUMNS`, and values by column name; columns that are absent are missing values.

    Returns
    -------
    dict
        Words by name of the column; empty for a row without faults.

    Examples
    --------
    >>> faults("intervals", {"bytes": -1, "t_end_s": 1.0})
    {'bytes': 'bytes: found -1, expected a whole number of at least 0'}
    """
    columns = _columns(table)
    messages = {}
    for name, value in row.items():
        if name not in columns:
            suggestion = did_you_mean(name, columns)
            messages[name] = f"{table}: found column {name!r}, expected one of {', '.join(columns)}" + (
                f"; {suggestion}" if suggestion else ""
            )
        elif fault := columns[name].fault(value):
            messages[name] = fault
    return messages


def make(table: str, rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Make a checked table with all its columns, in their order.

    Parameters
    ----------
    table, rows
        A key of `COLUMNS`; one mapping per row, in which absent keys are missing values, and an absent flag is False.

    Returns
    -------
    DataFrame
        One row for each mapping, with the columns and types of `COLUMNS`, whose names end with their units.

    Raises
    ------
    RangeError
        For an unknown column, a value of the wrong type or out of its range, with the number of the row.

    Examples
    --------
    >>> make("intervals", [{"run": 0, "t_start_s": 0.0, "t_end_s": 1.0}])[["run", "t_end_s"]].to_dict("records")
    [{'run': 0, 't_end_s': 1.0}]
    """
    rows, columns = list(rows), _columns(table)
    if not rows:
        return _empty(table).copy(deep=False)  # there are no values to change
    values = {
        name: [row.get(name, False if column.kind == FLAG else None) for row in rows]
        for name, column in columns.items()
    }
    given = set[str]().union(*rows)
    if not columns.keys() >= given or not all(columns[name].fits_all(values[name]) for name in given):
        for number, row in enumerate(rows):
            for fault in faults(table, row).values():
                raise RangeError(f"{table}, row {number}: {fault}")
    return _frame(
        {
            name: _array(column, values[name]) if name in given else _missing(column, len(rows)).copy()
            for name, column in columns.items()
        },
        len(rows),
    )


@lru_cache(maxsize=1024)
def _missing(column: Column, length: int) -> Any:  # noqa: ANN401 - of numpy or of pandas, by the dtype
    """The values of a column that no row has; most rows lack most columns."""
    return _array(column, [None] * length)


@cache
def _empty(table: str) -> pd.DataFrame:
    """A table without rows; many files have nothing for most tables."""
    return _frame({name: _array(column, []) for name, column in _columns(table).items()}, 0)


def _frame(arrays: Mapping[str, Any], length: int) -> pd.DataFrame:
    return with_units(pd.DataFrame(arrays, index=pd.RangeIndex(length), copy=False))


@cache
def unit_of(column: str) -> str:
    """Unit of a column by its name: one of `COLUMNS`, or one that ends with its unit; empty for a text or a count."""
    known = next((columns[column].unit for columns in COLUMNS.values() if column in columns), None)
    return known if known is not None else next((unit for end, unit in ENDINGS.items() if column.endswith(end)), "")


def with_units(frame: pd.DataFrame) -> pd.DataFrame:
    """State the units of a table's columns in ``frame.attrs["units"]``, and return the table.

    Parameters
    ----------
    frame
        A table whose columns are those of `COLUMNS`, or have names that end with their unit.

    Returns
    -------
    DataFrame
        The same table.

    Examples
    --------
    >>> with_units(pd.DataFrame({"title": ["link"], "throughput_bps": [1e9]})).attrs["units"]
    {'throughput_bps': 'bit/s'}
    """
    frame.attrs["units"] = _Units((name, unit) for name in map(str, frame.columns) if (unit := unit_of(name)))
    return frame


class _Units(dict[str, str]):
    """Units of columns: one object serves all copies, since pandas copies ``attrs`` in depth with every operation."""

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


def _array(column: Column, values: Sequence[object]) -> Any:  # noqa: ANN401 - of numpy or of pandas, by the dtype
    if column.kind == NUMBER:
        return np.array([np.nan if value is None or value is pd.NA else value for value in values], dtype=float)
    if column.kind == FLAG:
        return np.array([value is not None and bool(value) for value in values], dtype=bool)
    dtype: Any = column.dtype
    if column.quotes:
        values = [hidden(value) if isinstance(value, str) else value for value in values]
    return pd.array(values, dtype=dtype)


@dataclass(frozen=True)
class Block:
    """Rows of one table in column form, for tables too long to be handled row by row.

    `shared` are values that all rows have in common, by column name; `arrays` one float per row by column name, NaN if
    missing, for columns of numbers and counts only.
    """

    length: int
    shared: Mapping[str, object]
    arrays: Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]


def concatenate(table: str, blocks: Sequence[Block]) -> pd.DataFrame:
    """Make one checked table of blocks, equal to `make` of their rows one after another.

    Parameters
    ----------
    table, blocks
        A key of `COLUMNS`, and the blocks, in the order of the rows.

    Returns
    -------
    DataFrame
        The rows of all blocks, with the columns and types of `COLUMNS`, whose names end with their units.

    Raises
    ------
    RangeError
        For an unknown column, or a value of the wrong type or out of its range.

    Examples
    --------
    >>> concatenate("intervals", [Block(2, {"run": 0}, {"t_end_s": np.array([1.0, 2.0])})])["t_end_s"].tolist()
    [1.0, 2.0]
    """
    for block in blocks:
        for fault in faults(table, {**block.shared, **dict.fromkeys(block.arrays)}).values():
            raise RangeError(f"{table}: {fault}")
    return _frame(
        {name: _joined(column, blocks) for name, column in _columns(table).items()},
        sum(block.length for block in blocks),
    )


def _joined(column: Column, blocks: Sequence[Block]) -> Any:  # noqa: ANN401 - of numpy or of pandas, by the dtype
    if column.kind not in {COUNT, NUMBER}:
        values = [value for block in blocks for value in [block.shared.get(column.name)] * block.length]
        return _array(column, values)
    parts = [np.empty(0)]
    for block in blocks:
        shared = block.shared.get(column.name)
        parts.append(
            np.asarray(block.arrays[column.name], dtype=float)
            if column.name in block.arrays
            else np.full(block.length, np.nan if shared is None else float(str(shared)))
        )
    numbers = np.concatenate(parts)
    wrong = column.wrong(numbers)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise RangeError(f"row {row}: {column.name}: found {numbers[row]:g}, expected {column.expected}")
    if column.kind == NUMBER:
        return numbers
    missing = np.isnan(numbers)
    return pd.arrays.IntegerArray(np.where(missing, 0, numbers).astype("int64"), missing)
