"""Counter readings as arrays: consecutive rows for each interface, in the order in which they were taken.

Readings arrive in any order: from several files, newest first, misplaced, or with a clock set back in between. All
interfaces are sorted at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.base.errors import InputError
from hecn_analysis.traffic.ports import Floats, Identities, Ints, number_ports, stated_value

Counters = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]

Widths = int | Mapping[Any, int] | None
"""Bits of the counters: one number for all, or by interface or (host, interface)."""
Speeds = float | Mapping[Any, float] | None
"""Speeds [bit/s]: one number for all, or by interface or (host, interface)."""

NAT = np.iinfo(np.int64).min
_TAKEN = (
    *("time_ns", "in_octets", "out_octets", "in_missing", "out_missing", "uptime_s", "discontinuity_s"),
    *("bits", "speed_bps"),
)
_NEAR = 10  # usual intervals within which the next reading follows after the clock was set back
NEEDED = ("interface", "time", "in_octets", "out_octets")


@dataclass(frozen=True)
class Series:
    """Readings of many interfaces."""

    starts: Ints  # first row of each interface, ascending
    time_ns: Ints  # times since 1970 [ns]
    # counters, 0 if missing [B]
    in_octets: Counters
    out_octets: Counters
    # masks of missing counters; None if none is missing
    in_missing: Bools | None = None
    out_missing: Bools | None = None
    # sysUpTime and ifCounterDiscontinuityTime, NaN if missing; None if all are [s]
    uptime_s: Floats | None = None
    discontinuity_s: Floats | None = None
    # width of the counters in bits, 0 if unknown; a single number if all are equal
    bits: npt.NDArray[np.uint8] | int = 64
    # speed of the interface, NaN if unknown; a single number if all are equal [bit/s]
    speed_bps: Floats | float = np.nan
    reordered: Bools | None = None  # mask of rows that came after a later one in their file; None if there are none

    @property
    def lengths(self) -> Ints:
        """Number of rows of each interface."""
        return np.diff(self.starts, append=len(self.time_ns))


@dataclass(frozen=True)
class Named:
    """Readings, and the names of their interfaces."""

    # keys of the ports (`hecn_analysis.traffic.ports.port_key`), one for each interface of `series`
    hosts: Any
    interfaces: Any
    series: Series  # the readings


@dataclass(frozen=True)
class Readings:
    """Readings in any order, as columns."""

    # names for the codes in `host` and `interface`
    hosts: Any
    interfaces: Any
    # codes from 0, -1 if missing; a single number if all rows are equal
    host: Ints | int
    interface: Ints | int
    file: Ints | int
    index: Ints | int
    # as in `Series`
    time_ns: Ints
    in_octets: Counters
    out_octets: Counters
    in_missing: Bools | None
    out_missing: Bools | None
    uptime_s: Floats | None
    discontinuity_s: Floats | None
    # as in `Series`; 0 and NaN if unknown
    bits: Any
    speed_bps: Any
    files: Sequence[Any] = ()  # names for the codes in `file`


def from_frame(samples: pd.DataFrame, *, widths: Widths = None, speeds: Speeds = None) -> Named:
    """Sort a table of readings into series."""
    absent = [name for name in NEEDED if name not in samples.columns]
    if absent:
        raise InputError("no column " + " and no column ".join(absent), f"samples with {', '.join(NEEDED)}")
    host, hosts = pd.factorize(_column(samples, "host"))
    interface, interfaces = pd.factorize(samples["interface"])
    file, files = pd.factorize(_column(samples, "source_file"))
    octets = {name: _counters(samples[f"{name}_octets"]) for name in ("in", "out")}
    times = {name: _floats(_column(samples, name)) for name in ("uptime_s", "discontinuity_s")}
    readings = Readings(
        hosts=hosts,
        interfaces=interfaces,
        host=host.astype(np.int64),
        interface=interface.astype(np.int64),
        file=file.astype(np.int64),
        files=list(files),
        index=np.nan_to_num(_floats(_column(samples, "index")), nan=-1.0).astype(np.int64),
        time_ns=_times(samples["time"]),
        in_octets=octets["in"][0],
        out_octets=octets["out"][0],
        in_missing=octets["in"][1],
        out_missing=octets["out"][1],
        uptime_s=None if bool(np.isnan(times["uptime_s"]).all()) else times["uptime_s"],
        discontinuity_s=None if bool(np.isnan(times["discontinuity_s"]).all()) else times["discontinuity_s"],
        bits=np.nan_to_num(_floats(_column(samples, "counter_bits"))).astype(np.uint8),
        speed_bps=_floats(_column(samples, "speed_bps")),
    )
    return in_order(readings, widths=widths, speeds=speeds)


def in_order(readings: Readings, *, widths: Widths = None, speeds: Speeds = None) -> Named:
    """Sort readings into series, all at once."""
    (named,) = in_blocks(readings, widths=widths, speeds=speeds)
    return named


def in_blocks(
    readings: Readings, *, widths: Widths = None, speeds: Speeds = None, block_rows: int | None = None
) -> Iterator[Named]:
    """Sort readings into series, some interfaces at a time."""
    length = len(readings.time_ns)
    keys = [readings.host, readings.interface, readings.file, readings.index]
    changes = np.zeros(length, dtype=np.bool_)
    changes[:1] = True
    for key in keys:
        if isinstance(key, np.ndarray):
            changes[1:] |= key[1:] != key[:-1]
    runs = np.flatnonzero(changes)
    run_lengths = np.diff(runs, append=length)
    host, name, file, index = (
        key[runs].astype(np.int64) if isinstance(key, np.ndarray) else np.full(len(runs), key) for key in keys
    )
    identities = Identities(
        *(readings.hosts, readings.files, readings.interfaces), host, file, name, index, run_lengths, readings.time_ns
    )
    code, names = number_ports(identities)
    n_ports = len(names)
    named_bits, named_speed = stated_value(widths, names), stated_value(speeds, names)
    invalid = ~np.isnan(named_bits) & ((named_bits < 1) | (named_bits > 64) | (named_bits != np.rint(named_bits)))
    if invalid.any():
        raise InputError(f"a width of {named_bits[invalid][0]:g} bits", "a whole number from 1 to 64")

    sortable = code.astype(np.uint16) if n_ports < 1 << 16 else code  # NumPy sorts these in linear time
    order = np.argsort(sortable, kind="stable")
    code, file, runs, run_lengths = code[order], file[order], runs[order], run_lengths[order]
    counts = np.bincount(code, weights=run_lengths, minlength=n_ports).astype(np.int64)
    block = np.cumsum(counts) // (block_rows or max(length, 1) + 1)
    edges = np.r_[np.flatnonzero(np.diff(block, prepend=-1)), n_ports] if n_ports else np.zeros(2, dtype=np.int64)
    for begin, end in itertools.pairwise(edges.tolist()):
        block_runs = slice(*np.searchsorted(code, (begin, end)).tolist())
        rows = _rows(runs[block_runs], run_lengths[block_runs])
        columns = {
            name: values[rows] if isinstance(values, np.ndarray) else values
            for name in _TAKEN
            if (values := getattr(readings, name)) is not None
        }
        series = _series(
            columns, code[block_runs] - begin, file[block_runs], run_lengths[block_runs], named_bits[begin:end]
        )
        speed = np.where(series.speed_bps > 0, series.speed_bps, np.nan)
        if speeds is not None:
            named = np.repeat(named_speed[begin:end], series.lengths)
            speed = np.where(named > 0, named, speed)
        series = replace(series, speed_bps=_same(speed))
        port = names.iloc[begin:end].reset_index(drop=True)
        yield Named(port["host"], port["interface"], series)


def _rows(runs: Ints, lengths: Ints) -> Ints | slice:
    """Rows of runs, one after another."""
    if len(runs) == 0:
        return slice(0, 0)
    if bool((runs[1:] == runs[:-1] + lengths[:-1]).all()):
        return slice(int(runs[0]), int(runs[-1] + lengths[-1]))
    rows = np.arange(int(lengths.sum()))
    rows += np.repeat(runs - (np.cumsum(lengths) - lengths), lengths)
    return rows


def _series(columns: dict[str, Any], code: Ints, file: Ints, run_lengths: Ints, named_bits: Floats) -> Series:
    """Series from rows grouped by interface; interfaces whose times go back are sorted."""
    counts = np.bincount(code, weights=run_lengths, minlength=len(named_bits)).astype(np.int64)
    starts = np.cumsum(counts) - counts
    falls = np.zeros(len(columns["time_ns"]), dtype=np.bool_)
    falls[1:] = columns["time_ns"][1:] < columns["time_ns"][:-1]
    falls[starts] = columns["time_ns"][starts] == NAT
    reordered: Bools | None = None
    if bool(falls.any()):
        is_unsorted = np.logical_or.reduceat(falls, starts)
        code_of_row, rows = np.repeat(code, run_lengths), np.arange(len(falls))
        unsorted_rows = np.flatnonzero(np.repeat(is_unsorted, counts))
        part = {
            name: values[unsorted_rows] if isinstance(values, np.ndarray) else values
            for name, values in columns.items()
        }
        sorted_order, late = _order(code_of_row[unsorted_rows], np.repeat(file, run_lengths)[unsorted_rows], part)
        rows[unsorted_rows] = unsorted_rows[sorted_order]
        columns = {name: values[rows] if isinstance(values, np.ndarray) else values for name, values in columns.items()}
        if late is not None:
            reordered = np.zeros(len(falls), dtype=np.bool_)
            reordered[unsorted_rows] = late
    bits = _bits(columns, named_bits, counts, starts)
    return Series(starts=starts, reordered=reordered, **{**columns, "bits": bits})


def _bits(columns: Mapping[str, Any], stated: Floats, counts: Ints, starts: Ints) -> Any:  # noqa: ANN401 - an array or one number
    """Counter widths: the user's, else the source's, else 64 if a value exceeds 32 bits."""
    bits = columns["bits"]
    if len(counts) and bool(np.any(bits == 0)):
        high = np.maximum.reduceat(np.maximum(columns["in_octets"], columns["out_octets"]), starts)
        wide = np.where(high >> np.uint64(32) > 0, 64, 0).astype(np.uint8)
        bits = np.where(bits == 0, np.repeat(wide, counts), bits)
    if not bool(np.isnan(stated).all()):
        stated_bits = np.repeat(stated, counts)
        bits = np.where(np.isnan(stated_bits), bits, stated_bits).astype(np.uint8)
    return _same(bits)


def _column(samples: pd.DataFrame, name: str) -> pd.Series[Any]:
    return samples[name] if name in samples.columns else pd.Series(None, index=samples.index, dtype=object)


def _times(column: pd.Series[Any]) -> Ints:
    return np.asarray(pd.DatetimeIndex(pd.to_datetime(column, utc=True)).as_unit("ns").asi8, dtype=np.int64)


def _floats(column: pd.Series[Any]) -> Floats:
    return np.asarray(pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def _counters(column: pd.Series[Any]) -> tuple[Counters, Bools | None]:
    missing = column.isna().to_numpy()
    if column.dtype == object:  # Python integers, which are unbounded
        counts = np.array(
            [0 if gone else int(value) for value, gone in zip(column, missing, strict=True)], dtype=np.uint64
        )
    else:
        counts = (
            column.mask(missing, 0).to_numpy().astype(np.uint64)
            if missing.any()
            else column.to_numpy().astype(np.uint64)
        )
    return counts, missing if missing.any() else None


def _same(values: Any) -> Any:  # noqa: ANN401 - an array, or its only number
    """Replace an array of equal numbers by that number, which is cheaper to compare with."""
    if isinstance(values, np.ndarray):
        if values.ndim == 0:
            return values.item()
        if len(values) and (bool((values == values[0]).all()) or bool(np.isnan(values).all())):
            return values[0].item()
    return values


def _order(code: Ints, files: Ints, columns: Mapping[str, Any]) -> tuple[Ints, Bools | None]:
    """Rows in the order in which they were taken, and a mask of those that came after a later one."""
    time_ns: Ints = columns["time_ns"]
    rows = np.lexsort((files, code))  # stable: keeps the order within a file
    code, files, time_ns = code[rows], files[rows], time_ns[rows]
    begins = np.flatnonzero((np.diff(code, prepend=-1) != 0) | (np.diff(files, prepend=-2) != 0))
    part = np.zeros(len(code), dtype=np.int64)
    part[begins[1:]] = 1
    part = np.cumsum(part)

    # Reverse files with the newest reading first.
    step, previous = _steps(time_ns, begins, part)
    falls = np.add.reduceat(step < 0, begins, dtype=np.int64) > np.add.reduceat(step > 0, begins, dtype=np.int64)
    if falls.any():
        position = np.arange(len(code))
        reversal = np.lexsort((np.where(falls[part], -position, position), part))
        rows, time_ns = rows[reversal], time_ns[reversal]
        step, previous = _steps(time_ns, begins, part)

    # A time that goes back while the counters advance is a clock that was set; otherwise the row is misplaced.
    shift = np.zeros(len(code), dtype=np.int64)
    later = np.flatnonzero(step < 0)
    if len(later):
        now, before = rows[later], rows[previous[later]]
        not_lower, higher = np.ones(len(later), dtype=np.bool_), np.zeros(len(later), dtype=np.bool_)
        for name in ("in", "out"):
            octets, missing = columns[f"{name}_octets"], columns.get(f"{name}_missing")
            known = np.ones(len(later), dtype=np.bool_) if missing is None else ~missing[now] & ~missing[before]
            not_lower &= ~known | (octets[now] >= octets[before])
            higher |= known & (octets[now] > octets[before])
        set_back = not_lower & higher
        if (uptime := columns.get("uptime_s")) is not None:
            passed = uptime[now] - uptime[before]
            near = (
                passed * 1e9 <= _NEAR * _usual(np.abs(step), begins, part)[part[later]]
            )  # no older row of a host restarted
            set_back = np.where(np.isnan(passed), set_back, (passed > 0) & near)
        if set_back.any():  # a repeated row is misplaced as well
            readings = {
                "code": code,
                "time": time_ns,
                **{name: columns[name][rows] for name in ("in_octets", "out_octets")},
            }
            set_back &= ~pd.DataFrame(readings).duplicated().to_numpy()[later]
        misplaced = np.bincount(part[later], weights=~set_back, minlength=len(begins)) > 0  # all or none: rows that are
        set_back &= ~misplaced[part[later]]  # misplaced among restarts may look like steps of the clock
        shift[later[set_back]] = 1 - step[later[set_back]]
    shift = np.cumsum(shift)
    moment = time_ns + shift - shift[begins][part]
    moment[time_ns == NAT] = NAT
    by_moment = np.argsort(moment, kind="stable")
    rank = np.empty(len(code), dtype=np.int64)
    rank[by_moment] = np.cumsum(np.r_[False, np.diff(moment[by_moment]) != 0])
    key = part * len(code) + rank
    late = (key < np.maximum.accumulate(key)) & (time_ns != NAT)
    final = np.lexsort((moment, time_ns == NAT, code))
    return rows[final], late[final] if late.any() else None


def _steps(time_ns: Ints, begins: Ints, part: Ints) -> tuple[Ints, Ints]:
    """Time since the previous row with a time in the same part (0: no such row), and the number of that row. [ns]."""
    position = np.arange(len(time_ns))
    last = np.maximum.accumulate(np.where(time_ns == NAT, -1, position))
    previous = np.r_[np.int64(-1), last[:-1]]
    has_previous = (previous >= begins[part]) & (time_ns != NAT)
    return np.where(has_previous, time_ns - time_ns[previous], 0), previous


def _usual(step: Ints, begins: Ints, part: Ints) -> Ints:
    """Median of the steps of each part. [ns]."""
    lengths = np.diff(begins, append=len(part))
    usual: Ints = step[np.lexsort((step, part))][begins + lengths // 2]
    return usual
