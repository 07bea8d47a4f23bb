"""Rates on equal time slots, preserving all bytes: the basis of percentiles and profiles.

Poll times drift, so intervals have unequal lengths and do not start on the hour. The bytes of each interval are spread
evenly over it and assigned to its slots, so that the total is preserved. A slot has a rate if intervals with a known
rate cover nine tenths of it; otherwise it is missing, not zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.traffic.flags import LOWER_BOUND, Flag, Flags, to_bits
from hecn_analysis.traffic.ports import Floats, Ints, number_rows

_INSTANT_S: Final = 1e-9  # the resolution of times; shorter coverage counts as zero [s]
LEAST_COVERAGE: Final = 0.9
"""Fraction of a slot that known rates must cover for the slot to have a rate. [1]"""
MOST_SLOTS: Final = 200_000_000
"""Largest number of slots computed at once (about 5 GB). Larger tables are computed in shares, one after another."""
LONGEST_INTERVAL: Final = 1.5
"""Intervals longer than this are averages too long to yield a percentile of slots. [slots]"""
NEEDED = ("host", "interface", "time", "interval_s", "in_bps", "out_bps", "flag")


@dataclass(frozen=True)
class Intervals:
    """Rates of many interfaces: consecutive rows for each, in order of time.

    ``starts`` is the first row of each interface, ``end_ns`` the end of each interval since 1970 [ns], ``seconds`` its
    length [s]; lengths and rates are NaN if unknown.
    """

    starts: Ints
    end_ns: Ints
    seconds: Floats
    in_bps: Floats
    out_bps: Floats
    flags: Flags


@dataclass(frozen=True)
class Slots:
    """Bytes of many interfaces on equal slots.

    ``starts`` is the first slot of each interface, ``first`` the number of that slot since 1970. ``covered_s`` is the
    time covered by intervals with a known rate in at least one direction, ``in_covered_s`` and ``out_covered_s`` that
    of one direction [s]. ``expected`` counts the slots entirely between the first and the last reading of each
    interface.
    """

    starts: Ints
    first: Ints
    slot_s: float
    in_bytes: Floats
    out_bytes: Floats
    covered_s: Floats
    in_covered_s: Floats
    out_covered_s: Floats
    expected: Ints

    @property
    def lengths(self) -> Ints:
        """Number of slots of each interface."""
        return np.diff(self.starts, append=len(self.covered_s))

    @property
    def end_ns(self) -> Ints:
        """End of each slot since 1970. [ns]."""
        number = np.arange(len(self.covered_s)) - np.repeat(self.starts - self.first, self.lengths)
        return ((number + 1) * round(self.slot_s * 1e9)).astype(np.int64)

    def rates(self) -> tuple[Floats, Floats]:
        """Rates of the slots in both directions, NaN if too little is covered. [bit/s]."""
        received = self._scale(self.in_covered_s)
        sent = received if self.out_covered_s is self.in_covered_s else self._scale(self.out_covered_s)
        return self.in_bytes * received, self.out_bytes * sent

    def _scale(self, covered_s: Floats) -> Floats:
        """Convert bytes to rates."""
        return np.where(covered_s >= LEAST_COVERAGE * self.slot_s, 8.0, np.nan) / np.maximum(covered_s, _INSTANT_S)


def from_frame(table: pd.DataFrame) -> tuple[pd.DataFrame, Intervals]:
    """Names of the ports of a table of rates, and its rates in order.

    Parameters
    ----------
    table
        Columns of the table ``rates``, in any order of rows.

    Returns
    -------
    DataFrame
        ``host`` and ``interface`` of each port, from `hecn_analysis.traffic.ports.port_key`.
    Intervals
        Their rates in order of time. [bit/s]

    Raises
    ------
    InputError
        If a column is absent.

    Examples
    --------
    >>> names, intervals = from_frame(table[::-1])
    >>> names["interface"].tolist(), (intervals.in_bps[:3] / 1e6).tolist()
    (['eth0'], [100.0, 200.0, 300.0])
    """
    absent = [name for name in NEEDED if name not in table.columns]
    if absent:
        raise InputError("no column " + " and no column ".join(absent), f"rates with {', '.join(NEEDED)}")
    table = table[table["time"].notna()]  # a rate without a time has no slot
    code, names = number_rows(table)
    end_ns = np.asarray(pd.DatetimeIndex(pd.to_datetime(table["time"], utc=True)).as_unit("ns").asi8)
    rows = np.lexsort((end_ns, code))
    code = code[rows]
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    numbers = {name: table[name].to_numpy(dtype=float, na_value=np.nan)[rows] for name in NEEDED[3:6]}
    return names, Intervals(
        starts, end_ns[rows], numbers["interval_s"], numbers["in_bps"], numbers["out_bps"], to_bits(table["flag"])[rows]
    )


def regrid(intervals: Intervals, slot_s: float, *, gaps: bool = False) -> Slots:
    """Distribute intervals over equal slots."""
    if not slot_s > 0:
        raise RangeError(f"slot: found {slot_s!r} s, expected more than 0 s")
    lengths = np.diff(intervals.starts, append=len(intervals.end_ns))
    slot_ns = round(slot_s * 1e9)
    excluded = int(LOWER_BOUND) | (0 if gaps else int(Flag.GAP))
    known = intervals.seconds > 0
    span = np.where(known, intervals.seconds, 0.0)
    begin_ns = intervals.end_ns - np.rint(span * 1e9).astype(np.int64)
    if len(intervals.starts) == 0:
        empty, none = np.empty(0), np.empty(0, dtype=np.int64)
        return Slots(none, none, slot_s, empty, empty, empty, empty, empty, none)
    earliest = np.minimum.reduceat(begin_ns, intervals.starts)
    latest = np.maximum.reduceat(intervals.end_ns, intervals.starts)
    first = earliest // slot_ns
    n_slots = np.maximum(-(-latest // slot_ns) - first, 1)  # one slot for a single reading between two slots
    starts = np.r_[np.int64(0), np.cumsum(n_slots)[:-1]]
    shift = np.repeat(starts - first, lengths)
    used = known & (intervals.flags & excluded == 0) & ~(np.isnan(intervals.in_bps) & np.isnan(intervals.out_bps))
    size = int(n_slots.sum())
    if size > MOST_SLOTS:
        raise RangeError(
            f"slot: found {slot_s:g} s, which makes {size} slots between the first and the last reading of each "
            f"interface, expected at most {MOST_SLOTS}: longer slots, or sources of one time"
        )
    filled = {name: np.zeros(size) for name in ("in", "out", "seconds")}
    rates = {"in": np.nan_to_num(intervals.in_bps) / 8, "out": np.nan_to_num(intervals.out_bps) / 8}
    one_sided = {"in": used & np.isnan(intervals.in_bps), "out": used & np.isnan(intervals.out_bps)}
    unknown = {name: (np.zeros(size), rows) for name, rows in one_sided.items() if rows.any()}

    def add(rows: Ints | slice, slot: Ints, seconds: Floats) -> None:
        place = slot + shift[rows]
        filled["seconds"] += np.bincount(place, weights=seconds, minlength=size)
        for name, rate in rates.items():
            filled[name] += np.bincount(place, weights=seconds * rate[rows], minlength=size)
        for lost_s, is_unknown in unknown.values():
            np.add(lost_s, np.bincount(place, weights=seconds * is_unknown[rows], minlength=size), out=lost_s)

    begin_slot = begin_ns // slot_ns
    end_slot = -(-intervals.end_ns // slot_ns) - 1  # of the last moment before the end
    short = used & (end_slot - begin_slot <= 1)
    rows: Ints | slice = slice(None) if bool(short.all()) else np.flatnonzero(short)
    part = (
        np.clip((begin_slot[rows] + 1) * slot_ns - begin_ns[rows], None, intervals.end_ns[rows] - begin_ns[rows]) * 1e-9
    )
    add(rows, begin_slot[rows], part)
    add(rows, end_slot[rows], span[rows] - part)
    long = np.flatnonzero(used & ~short)
    if len(long):
        pieces = end_slot[long] - begin_slot[long] + 1
        row = np.repeat(long, pieces)
        slot = begin_slot[row] + np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        begins, ends = (
            np.maximum(slot * slot_ns, begin_ns[row]),
            np.minimum((slot + 1) * slot_ns, intervals.end_ns[row]),
        )
        add(row, slot, (ends - begins) * 1e-9)
    expected = np.maximum(latest // slot_ns + (-earliest // slot_ns), 0)
    covered = filled["seconds"]
    in_covered, out_covered = (covered - unknown[name][0] if name in unknown else covered for name in ("in", "out"))
    return Slots(starts, first, slot_s, filled["in"], filled["out"], covered, in_covered, out_covered, expected)


def frame(names: pd.DataFrame, slots: Slots) -> pd.DataFrame:
    """Table of slots: ``host``, ``interface``, ``time`` (the end), bytes, covered time, rates."""
    in_bps, out_bps = slots.rates()
    named = names.iloc[np.repeat(np.arange(len(names)), slots.lengths)].reset_index(drop=True)
    return named.assign(
        time=pd.DatetimeIndex(slots.end_ns.view("datetime64[ns]"), tz="UTC"),
        in_bytes=np.where(slots.in_covered_s > _INSTANT_S, slots.in_bytes, np.nan),
        out_bytes=np.where(slots.out_covered_s > _INSTANT_S, slots.out_bytes, np.nan),
        covered_s=slots.covered_s,
        in_bps=in_bps,
        out_bps=out_bps,
    )
