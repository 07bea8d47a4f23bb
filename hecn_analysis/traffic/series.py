"""Counter readings as arrays: one stretch of rows for each interface, in the order in which they were taken.

Readings come in any order: several files, newest first, one after a later one, a clock that was set back in between.
All interfaces are put in order at once.
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
_NEAR = 10  # usual intervals within which the next reading follows though the clock was set back
NEEDED = ("interface", "time", "in_octets", "out_octets")


@dataclass(frozen=True)
class Series:
    """Readings of many interfaces.

    Parameters
    ----------
    starts
        First row of each interface, ascending.
    time_ns
        Times since 1970. [ns]
    in_octets, out_octets
        Counters, 0 where missing. [B]
    in_missing, out_missing
        Where they are missing; None for nowhere.
    uptime_s, discontinuity_s
        sysUpTime and ifCounterDiscontinuityTime, NaN where missing; None for nowhere given. [s]
    bits
        Width of the counters in bits, 0 where unknown; one number where it is the same everywhere.
    speed_bps
        Speed of the interface, NaN where unknown; one number where it is the same everywhere. [bit/s]
    reordered
        Rows that stood after a later one in their file; None for none.
    """

    starts: Ints
    time_ns: Ints
    in_octets: Counters
    out_octets: Counters
    in_missing: Bools | None = None
    out_missing: Bools | None = None
    uptime_s: Floats | None = None
    discontinuity_s: Floats | None = None
    bits: npt.NDArray[np.uint8] | int = 64
    speed_bps: Floats | float = np.nan
    reordered: Bools | None = None

    @property
    def lengths(self) -> Ints:
        """Number of rows of each interface."""
        return np.diff(self.starts, append=len(self.time_ns))


@dataclass(frozen=True)
class Named:
    """Readings, and the names of their interfaces.

    Parameters
    ----------
    hosts, interfaces
        Names of the ports, one for each stretch of `series`, as `hecn_analysis.traffic.ports.port_key` gives them.
    series
        The readings.
    """

    hosts: Any
    interfaces: Any
    series: Series


@dataclass(frozen=True)
class Readings:
    """Readings in any order, as columns.

    Parameters
    ----------
    hosts, interfaces
        Names that the numbers in `host` and `interface` stand for.
    host, interface, file, index
        Numbers from 0, -1 where missing; one number where it is the same for all rows.
    time_ns, in_octets, out_octets, in_missing, out_missing, uptime_s, discontinuity_s
        As in `Series`.
    bits, speed_bps
        As in `Series`; 0 and NaN where unknown.
    files
        Names that the numbers in `file` stand for.
    """

    hosts: Any
    interfaces: Any
    host: Ints | int
    interface: Ints | int
    file: Ints | int
    index: Ints | int
    time_ns: Ints
    in_octets: Counters
    out_octets: Counters
    in_missing: Bools | None
    out_missing: Bools | None
    uptime_s: Floats | None
    discontinuity_s: Floats | None
    bits: Any
    speed_bps: Any
    files: Sequence[Any] = ()


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
    many = len(names)
    named_bits, named_speed = stated_value(widths, names), stated_value(speeds, names)
    wrong = ~np.isnan(named_bits) & ((named_bits < 1) | (named_bits > 64) | (named_bits != np.rint(named_bits)))
    if wrong.any():
        raise InputError(f"a width of {named_bits[wrong][0]:g} bits", "a whole number from 1 to 64")

    small = code.astype(np.uint16) if many < 1 << 16 else code  # NumPy sorts these in linear time
    order = np.argsort(small, kind="stable")
    code, file, runs, run_lengths = code[order], file[order], runs[order], run_lengths[order]
    counts = np.bincount(code, weights=run_lengths, minlength=many).astype(np.int64)
    block = np.cumsum(counts) // (block_rows or max(length, 1) + 1)
    edges = np.r_[np.flatnonzero(np.diff(block, prepend=-1)), many] if many else np.zeros(2, dtype=np.int64)
    for begin, end in itertools.pairwise(edges.tolist()):
        mine = slice(*np.searchsorted(code, (begin, end)).tolist())
        rows = _rows(runs[mine], run_lengths[mine])
        taken = {
            name: values[rows] if isinstance(values, np.ndarray) else values
            for name in _TAKEN
            if (values := getattr(readings, name)) is not None
        }
        series = _series(taken, code[mine] - begin, file[mine], run_lengths[mine], named_bits[begin:end])
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


def _series(taken: dict[str, Any], code: Ints, file: Ints, run_lengths: Ints, named_bits: Floats) -> Series:
    """Series from rows grouped by interface; interfaces whose times go back are sorted."""
    counts = np.bincount(code, weights=run_lengths, minlength=len(named_bits)).astype(np.int64)
    starts = np.cumsum(counts) - counts
    falls = np.zeros(len(taken["time_ns"]), dtype=np.bool_)
    falls[1:] = taken["time_ns"][1:] < taken["time_ns"][:-1]
    falls[starts] = taken["time_ns"][starts] == NAT
    reordered: Bools | None = None
    if bool(falls.any()):
        untidy = np.logical_or.reduceat(falls, starts)
        every, rows = np.repeat(code, run_lengths), np.arange(len(falls))
        some = np.flatnonzero(np.repeat(untidy, counts))
        part = {name: values[some] if isinstance(values, np.ndarray) else values for name, values in taken.items()}
        again, late = _order(every[some], np.repeat(file, run_lengths)[some], part)
        rows[some] = some[again]
        taken = {name: values[rows] if isinstance(values, np.ndarray) else values for name, values in taken.items()}
        if late is not None:
            reordered = np.zeros(len(falls), dtype=np.bool_)
            reordered[some] = late
    bits = _bits(taken, named_bits, counts, starts)
    return Series(starts=starts, reordered=reordered, **{**taken, "bits": bits})


def _bits(taken: Mapping[str, Any], named: Floats, counts: Ints, starts: Ints) -> Any:  # noqa: ANN401 - an array or one number
    """Counter widths: the user's, else the source's, else 64 if a value exceeds 32 bits."""
    bits = taken["bits"]
    if len(counts) and bool(np.any(bits == 0)):
        high = np.maximum.reduceat(np.maximum(taken["in_octets"], taken["out_octets"]), starts)
        wide = np.where(high >> np.uint64(32) > 0, 64, 0).astype(np.uint8)
        bits = np.where(bits == 0, np.repeat(wide, counts), bits)
    if not bool(np.isnan(named).all()):
        each = np.repeat(named, counts)
        bits = np.where(np.isnan(each), bits, each).astype(np.uint8)
    return _same(bits)


def _column(samples: pd.DataFrame, name: str) -> pd.Series[Any]:
    return samples[name] if name in samples.columns else pd.Series(None, index=samples.index, dtype=object)


def _times(column: pd.Series[Any]) -> Ints:
    return np.asarray(pd.DatetimeIndex(pd.to_datetime(column, utc=True)).as_unit("ns").asi8, dtype=np.int64)


def _floats(column: pd.Series[Any]) -> Floats:
    return np.asarray(pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)


def _counters(column: pd.Series[Any]) -> tuple[Counters, Bools | None]:
    missing = column.isna().to_numpy()
    if column.dtype == object:  # whole numbers of Python, which know no largest one
        whole = np.array(
            [0 if gone else int(value) for value, gone in zip(column, missing, strict=True)], dtype=np.uint64
        )
    else:
        whole = (
            column.mask(missing, 0).to_numpy().astype(np.uint64)
            if missing.any()
            else column.to_numpy().astype(np.uint64)
        )
    return whole, missing if missing.any() else None


def _same(values: Any) -> Any:  # noqa: ANN401 - an array, or its only number
    """Replace equal numbers by one, which is cheaper to compare with."""
    if isinstance(values, np.ndarray):
        if values.ndim == 0:
            return values.item()
        if len(values) and (bool((values == values[0]).all()) or bool(np.isnan(values).all())):
            return values[0].item()
    return values


def _order(code: Ints, files: Ints, taken: Mapping[str, Any]) -> tuple[Ints, Bools | None]:
    """Rows in the order in which they were read, and which of these stood after a later one."""
    time_ns: Ints = taken["time_ns"]
    rows = np.lexsort((files, code))  # stable: what a file has first is first
    code, files, time_ns = code[rows], files[rows], time_ns[rows]
    begins = np.flatnonzero((np.diff(code, prepend=-1) != 0) | (np.diff(files, prepend=-2) != 0))
    part = np.zeros(len(code), dtype=np.int64)
    part[begins[1:]] = 1
    part = np.cumsum(part)

    # Files that have the newest first are turned round.
    step, previous = _steps(time_ns, begins, part)
    falls = np.add.reduceat(step < 0, begins, dtype=np.int64) > np.add.reduceat(step > 0, begins, dtype=np.int64)
    if falls.any():
        place = np.arange(len(code))
        turn = np.lexsort((np.where(falls[part], -place, place), part))
        rows, time_ns = rows[turn], time_ns[turn]
        step, previous = _steps(time_ns, begins, part)

    # A time that goes back while the host goes on is a clock that was set; else the row stands in the wrong place.
    shift = np.zeros(len(code), dtype=np.int64)
    later = np.flatnonzero(step < 0)
    if len(later):
        now, before = rows[later], rows[previous[later]]
        onward, moved = np.ones(len(later), dtype=np.bool_), np.zeros(len(later), dtype=np.bool_)
        for name in ("in", "out"):
            octets, missing = taken[f"{name}_octets"], taken.get(f"{name}_missing")
            known = np.ones(len(later), dtype=np.bool_) if missing is None else ~missing[now] & ~missing[before]
            onward &= ~known | (octets[now] >= octets[before])
            moved |= known & (octets[now] > octets[before])
        set_back = onward & moved
        if (uptime := taken.get("uptime_s")) is not None:
            passed = uptime[now] - uptime[before]
            near = (
                passed * 1e9 <= _NEAR * _usual(np.abs(step), begins, part)[part[later]]
            )  # no older row of a host restarted
            set_back = np.where(np.isnan(passed), set_back, (passed > 0) & near)
        if set_back.any():  # nor is a row that is there twice
            every = {"code": code, "time": time_ns, **{name: taken[name][rows] for name in ("in_octets", "out_octets")}}
            set_back &= ~pd.DataFrame(every).duplicated().to_numpy()[later]
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
    place = np.arange(len(time_ns))
    last = np.maximum.accumulate(np.where(time_ns == NAT, -1, place))
    previous = np.r_[np.int64(-1), last[:-1]]
    there = (previous >= begins[part]) & (time_ns != NAT)
    return np.where(there, time_ns - time_ns[previous], 0), previous


def _usual(step: Ints, begins: Ints, part: Ints) -> Ints:
    """Median of the steps of each part. [ns]."""
    lengths = np.diff(begins, append=len(part))
    usual: Ints = step[np.lexsort((step, part))][begins + lengths // 2]
    return usual
