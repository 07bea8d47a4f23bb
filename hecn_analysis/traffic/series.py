"""Counter readings as arrays: one stretch of rows for each interface, in the order in which they were taken.

Readings come in any order: several files, newest first, one after a later one, a clock that was set back in between.
All interfaces are put in order at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hecn_analysis.errors import InputError

Ints = npt.NDArray[np.int64]
Counters = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

Widths = int | Mapping[Any, int] | None
"""Bits of the counters: one number for all, or by interface or (host, interface)."""
Speeds = float | Mapping[Any, float] | None
"""Speeds [bit/s]: one number for all, or by interface or (host, interface)."""

NAT = np.iinfo(np.int64).min
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
        Names, one for each stretch of `series`; missing where the source gives none.
    series
        The readings.
    """

    hosts: Any
    interfaces: Any
    series: Series


def from_frame(samples: pd.DataFrame, *, widths: Widths = None, speeds: Speeds = None) -> Named:
    """Put a table of readings in order.

    An interface is its host and name. Where no host is given, the file stands for it: two files without a host are two
    hosts. Where a host has several interfaces of one name at the same time, their index tells them apart.

    Parameters
    ----------
    samples
        Columns of the table ``samples``; all but `NEEDED` may be absent. ``discontinuity_s`` is
        ifCounterDiscontinuityTime as sysUpTime, where known.
    widths, speeds
        What a user knows better than the source.

    Raises
    ------
    InputError
        When a column is absent, or a width is none.
    """
    absent = [name for name in NEEDED if name not in samples.columns]
    if absent:
        raise InputError("no column " + " and no column ".join(absent), f"samples with {', '.join(NEEDED)}")
    files = pd.factorize(_column(samples, "source_file"))[0].astype(np.int64)
    time_ns = _times(samples["time"])
    code, first = _interfaces(samples, files, time_ns)
    taken: dict[str, Any] = {}
    for name in ("in", "out"):
        taken[f"{name}_octets"], taken[f"{name}_missing"] = _counters(samples[f"{name}_octets"])
    for name in ("uptime_s", "discontinuity_s"):
        numbers = _floats(_column(samples, name))
        taken[name] = None if bool(np.isnan(numbers).all()) else numbers
    hosts = _column(samples, "host").iloc[first].reset_index(drop=True)
    interfaces = samples["interface"].iloc[first].reset_index(drop=True)
    named_bits = _overrides(widths, hosts, interfaces)
    wrong = ~np.isnan(named_bits) & ((named_bits < 1) | (named_bits > 64) | (named_bits != np.rint(named_bits)))
    if wrong.any():
        raise InputError(f"a width of {named_bits[wrong][0]:g} bits", "a whole number from 1 to 64")
    bits = np.nan_to_num(_floats(_column(samples, "counter_bits"))).astype(np.uint8)
    wide = np.zeros(len(first), dtype=np.bool_)
    np.logical_or.at(wide, code, (taken["in_octets"] >> np.uint64(32) | taken["out_octets"] >> np.uint64(32)) > 0)
    bits = np.where((bits == 0) & wide[code], 64, bits)  # unknown, but more than 32 bits hold
    bits = np.where(np.isnan(named_bits[code]), bits, named_bits[code]).astype(np.uint8)
    speed = np.where(
        np.isnan(named := _overrides(speeds, hosts, interfaces))[code],
        _floats(_column(samples, "speed_bps")),
        named[code],
    )
    speed = np.where(speed > 0, speed, np.nan)
    rows, reordered = _order(code, files, time_ns, taken)
    if rows is not None:
        code, time_ns, bits, speed = code[rows], time_ns[rows], bits[rows], speed[rows]
        taken = {name: None if values is None else values[rows] for name, values in taken.items()}
    series = Series(
        starts=np.flatnonzero(np.diff(code, prepend=-1)),
        time_ns=time_ns,
        bits=_same(bits),
        speed_bps=_same(speed),
        reordered=reordered,
        **taken,
    )
    return Named(hosts, interfaces, series)


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
    """One number where all are the same: comparing with that is cheaper."""
    if len(values) and (bool((values == values[0]).all()) or bool(np.isnan(values).all())):
        return values[0].item()
    return values


def _overrides(known: Any, hosts: pd.Series[Any], interfaces: pd.Series[Any]) -> Floats:  # noqa: ANN401 - Widths or Speeds
    if not isinstance(known, Mapping):
        return np.full(len(hosts), np.nan if known is None else float(known))
    pairs = zip(hosts, interfaces, strict=True)
    return np.array([float(known.get(pair, known.get(pair[1], np.nan))) for pair in pairs], dtype=np.float64)


def _interfaces(samples: pd.DataFrame, files: Ints, time_ns: Ints) -> tuple[Ints, Ints]:
    """Number of the interface of each row, in order of appearance, and the row where each appears first."""
    host, hosts = pd.factorize(_column(samples, "host"))
    host = np.where(host < 0, len(hosts) + files, host)
    index = pd.factorize(_column(samples, "index"))[0]
    name, names = pd.factorize(samples["interface"])
    name = np.where(name < 0, len(names) + index + 1, name)
    code, pairs = pd.factorize(host.astype(np.int64) * (int(name.max(initial=0)) + 1) + name)
    number = code.astype(np.int64) * (int(index.max(initial=0)) + 2) + index + 1
    if len(np.unique(number)) > len(pairs):
        at = pd.DataFrame({"code": code, "file": files, "time": time_ns})
        twice = at.duplicated(keep=False) & ~at.assign(number=number).duplicated(keep=False)
        several = np.zeros(len(pairs), dtype=np.bool_)
        several[code[twice.to_numpy()]] = True
        code, pairs = pd.factorize(np.where(several[code], number, -1 - code.astype(np.int64)))
    first = np.full(len(pairs), len(code), dtype=np.int64)
    np.minimum.at(first, code, np.arange(len(code)))
    return code.astype(np.int64), first


def _order(code: Ints, files: Ints, time_ns: Ints, taken: Mapping[str, Any]) -> tuple[Ints | None, Bools | None]:
    """Rows in the order in which they were read, and which of these stood after a later one; None for as they are."""
    same = code[1:] == code[:-1]
    if bool(((code[1:] >= code[:-1]) & (~same | (time_ns[1:] > time_ns[:-1]))).all()):
        return None, None
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
            octets, missing = taken[f"{name}_octets"], taken[f"{name}_missing"]
            known = np.ones(len(later), dtype=np.bool_) if missing is None else ~missing[now] & ~missing[before]
            onward &= ~known | (octets[now] >= octets[before])
            moved |= known & (octets[now] > octets[before])
        set_back = onward & moved
        if (uptime := taken["uptime_s"]) is not None:
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
    key = part * (len(code) + 1) + rank
    late = (key < np.maximum.accumulate(key)) & (time_ns != NAT)
    final = np.lexsort((moment, time_ns == NAT, code))
    return rows[final], late[final] if late.any() else None


def _steps(time_ns: Ints, begins: Ints, part: Ints) -> tuple[Ints, Ints]:
    """Time since the row before it in its part that has a time, and which row that is; 0 where there is none. [ns]."""
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
