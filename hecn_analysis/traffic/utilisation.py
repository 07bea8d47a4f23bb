"""Utilisation of interfaces: percentiles as billed, peak, volume, busy hour, profiles.

Two different conventions for billing a port by its 95th percentile are in use; each has its own column:

- ``p95_greater_bps``, "the greater of the 95ths": in and out are ranked separately, and the larger percentile counts;
- ``p95_slot_greater_bps``, "the 95th of the greater": the larger direction of each slot is taken, then the slots are
  ranked. It is never less than the other.

``p95_sum_bps`` ranks the sum of both directions of each slot. Several ports on one bill are summed slot by slot before
ranking (`billing`); the sum of the ports' percentiles would be another number. Slots without a known rate are excluded
from the ranking, and counted in a column of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from hecn_analysis.base.errors import InputError, RangeError, did_you_mean
from hecn_analysis.traffic import slots as gridded
from hecn_analysis.traffic.flags import LOWER_BOUND, Flag, to_bits
from hecn_analysis.traffic.percentiles import nearest_ranks, peak_bounds, percentile_bounds
from hecn_analysis.traffic.ports import KEY, Floats, Ints, number_rows
from hecn_analysis.traffic.series import Speeds
from hecn_analysis.traffic.slots import LONGEST_INTERVAL, Intervals, Slots
from hecn_analysis.traffic.speeds import speed_findings, speed_of

SLOT_S: Final = 300.0
"""Five minutes, the usual slot in billing. [s]"""

DIRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "in": "inbound traffic",
        "out": "outbound traffic",
        "greater": "in and out ranked separately, the larger percentile",
        "slot_greater": "the larger of in and out in each slot",
        "sum": "the sum of in and out in each slot",
    }
)
Direction = Literal["in", "out", "greater", "slot_greater", "sum"]

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "host": "host",
        "interface": "interface",
        "first_time": "start of the first interval",
        "last_time": "end of the last one",
        "rates": "intervals",
        "unrated": "of these, without a known rate (reset, gap in the file, lower bound …)",
        "slots": "equal slots wholly between first and last time",
        "missing_slots": "of these, without a known rate in at least one direction: excluded from the percentiles",
        "in_bytes": "bytes in, over all intervals with a rate, including gaps; missing if no interval has one [B]",
        "out_bytes": "bytes out [B]",
        "mean_in_bps": "mean over the time with a known rate [bit/s]",
        "mean_out_bps": "the same, out [bit/s]",
        "peak_in_bps": "largest slot in [bit/s]",
        "peak_out_bps": "largest slot out [bit/s]",
        "p95_in_bps": "95th percentile of the slots, in, nearest rank [bit/s]",
        "p95_out_bps": "the same, out [bit/s]",
        "p95_greater_bps": "the greater of the two [bit/s]",
        "p95_slot_greater_bps": "95th percentile of the larger direction of each slot [bit/s]",
        "p95_sum_bps": "95th percentile of the sum of both directions of each slot [bit/s]",
    }
)


def summarise(intervals: Intervals, slot_s: float = SLOT_S, percent: float = 95.0) -> dict[str, Any]:
    """Compute the columns `COLUMNS`, except the names, for many interfaces at once.

    Parameters
    ----------
    intervals
        The rates.
    slot_s
        Length of a slot. [s]
    percent
        The percentile; column names say 95 regardless. [%]

    Returns
    -------
    dict
        Arrays by the names and in the units of `COLUMNS`, one element per interface.

    Examples
    --------
    >>> summary = summarise(gridded.from_frame(table)[1])
    >>> (summary["p95_in_bps"] / 1e9).tolist(), summary["slots"].tolist()
    ([3.8], [40])
    """
    starts = intervals.starts
    slots = gridded.regrid(intervals, slot_s)
    in_bps, out_bps = slots.rates()
    seconds = intervals.seconds
    known = (seconds > 0) & ~(np.isnan(intervals.in_bps) & np.isnan(intervals.out_bps))
    rated = known & (intervals.flags & int(LOWER_BOUND) == 0)
    amounts, time_s = {}, {}
    for name, rate in (("in", intervals.in_bps), ("out", intervals.out_bps)):
        counted = rated & ~np.isnan(rate)
        time_s[name] = _sums(np.where(counted, seconds, 0.0), starts)
        amount = _sums(np.where(counted, rate * seconds / 8, 0.0), starts)
        amounts[name] = np.where(time_s[name] > 0, amount, np.nan)
    begin_ns = intervals.end_ns - np.nan_to_num(seconds * 1e9).astype(np.int64)
    long = _too_long(intervals, slot_s)
    is_complete = ~np.isnan(in_bps) & ~np.isnan(out_bps) & whole(slots, intervals)
    missing_slots = slots.expected - _sums(is_complete.astype(float), slots.starts)
    ranked = {
        "in": in_bps,
        "out": out_bps,
        "slot_greater": np.maximum(in_bps, out_bps),
        "sum": in_bps + out_bps,
    }
    p95 = {
        name: np.where(long, np.nan, nearest_ranks(values, slots.starts, percent)) for name, values in ranked.items()
    }
    p95["greater"] = np.fmax(p95["in"], p95["out"])
    with np.errstate(divide="ignore", invalid="ignore"):
        means = {name: 8 * amounts[name] / time_s[name] for name in amounts}  # NaN where there is no such time
    return {
        "first_time": _utc(np.minimum.reduceat(begin_ns, starts) if len(starts) else begin_ns),
        "last_time": _utc(np.maximum.reduceat(intervals.end_ns, starts) if len(starts) else begin_ns),
        "rates": np.diff(starts, append=len(seconds)),
        "unrated": _sums((~rated).astype(float), starts).astype(np.int64),
        "slots": slots.expected,
        "missing_slots": np.maximum(missing_slots, 0).astype(np.int64),
        **{f"{name}_bytes": amount for name, amount in amounts.items()},
        **{f"mean_{name}_bps": mean for name, mean in means.items()},
        "peak_in_bps": _largest(in_bps, slots.starts),
        "peak_out_bps": _largest(out_bps, slots.starts),
        **{f"p95_{name}_bps": p95[name] for name in ("in", "out", "greater", "slot_greater", "sum")},
    }


def whole(slots: Slots, intervals: Intervals) -> Any:  # noqa: ANN401 - an array of booleans
    """Mark the slots that lie entirely between the first and the last reading of their interface."""
    inside = np.ones(len(slots.covered_s), dtype=np.bool_)
    if len(slots.starts) == 0:
        return inside
    slot_ns = round(slots.slot_s * 1e9)
    begin_ns = intervals.end_ns - np.nan_to_num(intervals.seconds * 1e9).astype(np.int64)
    early = slots.first * slot_ns < np.minimum.reduceat(begin_ns, intervals.starts)
    late = (slots.first + slots.lengths) * slot_ns > np.maximum.reduceat(intervals.end_ns, intervals.starts)
    inside[slots.starts[early]] = False
    inside[(slots.starts + slots.lengths - 1)[late]] = False
    return inside


def _sums(values: Floats, starts: Ints) -> Floats:
    return np.add.reduceat(values, starts) if len(starts) else np.empty(0)


def _largest(values: Floats, starts: Ints) -> Floats:
    if len(starts) == 0:
        return np.empty(0)
    largest = np.maximum.reduceat(np.where(np.isnan(values), -np.inf, values), starts)
    return np.where(np.isfinite(largest), largest, np.nan)


def _utc(time_ns: Ints) -> pd.DatetimeIndex:
    return pd.DatetimeIndex(time_ns.view("datetime64[ns]"), tz="UTC")


def _too_long(intervals: Intervals, slot_s: float) -> Any:  # noqa: ANN401 - an array of booleans
    """Mark interfaces that mostly have averages too long to yield a percentile."""
    usual = (intervals.seconds > 0) & (intervals.flags & int(Flag.GAP) == 0)
    longer = usual & (intervals.seconds > LONGEST_INTERVAL * slot_s)
    return 2 * _sums(longer.astype(float), intervals.starts) > _sums(usual.astype(float), intervals.starts)


def utilisation(table: pd.DataFrame, *, slot_s: float = SLOT_S, speeds: Speeds = None) -> pd.DataFrame:
    """Summarise each interface.

    If a source keeps averages over more than a slot, there is no percentile (see `bounds`).

    Parameters
    ----------
    table
        Rates as in the table ``rates``.
    slot_s
        Length of a slot. [s]
    speeds
        Speeds, for all or by interface or (host, interface); `speeds_of` takes them from readings. [bit/s]

    Returns
    -------
    DataFrame
        `COLUMNS`; then ``speed_bps``, ``in_utilisation_fraction`` and ``out_utilisation_fraction`` (percentile over
        speed), ``busy_hour`` (hour of the day, UTC, 0 to 23, in which the larger direction has the highest mean), and
        ``remark`` (fault of the stated speed). Rates are never capped by the speed.

    Examples
    --------
    >>> print(utilisation(table, speeds=10e9)[["slots", "p95_in_bps", "in_utilisation_fraction"]])
       slots    p95_in_bps  in_utilisation_fraction
    0     40  3.800000e+09                     0.38
    """
    names, intervals = gridded.from_frame(table)
    summary = pd.DataFrame({**names, **summarise(intervals, slot_s)})
    speed = speed_of(names, speeds)
    summary["speed_bps"] = speed
    for name in ("in", "out"):
        summary[f"{name}_utilisation_fraction"] = summary[f"p95_{name}_bps"] / speed
    summary["busy_hour"] = _busy_hours(names, gridded.regrid(intervals, min(slot_s, 3600.0)))
    remarks = speed_findings(table, speeds).groupby(["host", "interface"], dropna=False)["message"].agg("; ".join)
    keys = pd.MultiIndex.from_frame(names)
    summary["remark"] = pd.array(remarks.reindex(keys).tolist(), dtype="string")
    return summary


def billing(
    table: pd.DataFrame,
    ports: Sequence[tuple[Any, Any]] | None = None,
    *,
    direction: Direction = "greater",
    percent: float = 95.0,
    slot_s: float = SLOT_S,
    missing: Literal["left_out", "zero"] = "left_out",
) -> dict[str, Any]:
    """Compute the percentile of several ports together, as for a bill.

    Ports are summed slot by slot, then the slots are ranked. A slot in which a port has no known rate is excluded
    (``missing="left_out"``), or that port counts as 0 in it (``missing="zero"``), which lowers the percentile.

    Parameters
    ----------
    table
        Rates as in the table ``rates``.
    ports
        Pairs of host and interface, from `hecn_analysis.traffic.ports.port_key`; by default all.
    direction
        One of `DIRECTIONS`.
    percent
        Which percentile. [%]
    slot_s
        Length of a slot. [s]
    missing
        Treatment of slots in which a port has no known rate.

    Returns
    -------
    dict
        ``percentile_bps``, ``direction``, ``convention`` (a sentence), ``percent``, ``ports``, ``slots`` (number
        ranked), ``missing_slots``, ``thrown_away`` (slots above the rank), ``rank``; `slot_table` has the data to
        check it by hand.

    Raises
    ------
    InputError
        If a port is not in the table, or its rates are averages over several slots.

    Examples
    --------
    >>> bill = billing(table, direction="sum")
    >>> bill["percentile_bps"] / 1e9, bill["rank"], bill["slots"], bill["thrown_away"]
    (3.9, 38, 40, 2)
    """
    if direction not in DIRECTIONS:
        raise RangeError(f"direction: found {direction!r}, expected one of {', '.join(DIRECTIONS)}")
    names, intervals = gridded.from_frame(table)
    known = list(zip(*(names[name].astype(object).where(names[name].notna(), None) for name in KEY), strict=True))
    wanted = _numbers(known, known if ports is None else list(ports))
    long = _too_long(intervals, slot_s)
    for i in wanted:
        if long[i]:
            raise InputError(
                f"averages over more than {slot_s:g} s of {known[i][1]}",
                "rates of one slot or less",
                advice="use longer slots, or the bounds from averages (bounds)",
            )
    slots = gridded.regrid(intervals, slot_s)
    rates = dict(zip(("in", "out"), slots.rates(), strict=True))
    inside = whole(slots, intervals)
    first, last = int(slots.first[wanted].min()), int((slots.first + slots.lengths)[wanted].max())
    total = {name: np.zeros(last - first) for name in rates}
    within = np.zeros(last - first, dtype=np.bool_)
    for i in wanted:
        port_slots = slice(slots.starts[i], slots.starts[i] + slots.lengths[i])
        position = slice(int(slots.first[i]) - first, int(slots.first[i]) - first + int(slots.lengths[i]))
        within[position] |= inside[port_slots]
        for name, rate in rates.items():
            port_rate = np.full(last - first, np.nan)
            port_rate[position] = rate[port_slots]
            total[name] += np.nan_to_num(port_rate) if missing == "zero" else port_rate
    if missing == "zero":
        for values in total.values():
            values[~within] = np.nan
    ranked = {
        **total,
        "slot_greater": np.maximum(total["in"], total["out"]),
        "sum": total["in"] + total["out"],
    }
    counted = {name: int(np.isfinite(values).sum()) for name, values in ranked.items()}
    begin = np.zeros(1, dtype=np.int64)
    percentiles = {name: float(nearest_ranks(values, begin, percent)[0]) for name, values in ranked.items()}
    percentiles["greater"] = float(np.fmax(percentiles["in"], percentiles["out"]))
    larger = "out" if np.isnan(percentiles["in"]) or percentiles["out"] > percentiles["in"] else "in"
    count = counted[larger if direction == "greater" else direction]
    place_in_order = int(np.ceil(round(count * percent / 100, 9)))
    return {
        "percentile_bps": percentiles[direction],
        "direction": direction,
        "convention": f"{DIRECTIONS[direction]}; {len(wanted)} port(s) summed slot by slot; nearest rank",
        "percent": percent,
        "ports": len(wanted),
        "slots": count,
        "missing_slots": max(int(within.sum()) - count, 0),
        "rank": place_in_order,
        "thrown_away": count - place_in_order,
    }


def _numbers(known: Sequence[Any], wanted: Sequence[Any]) -> list[int]:
    numbers = {port: number for number, port in enumerate(known)}
    for port in wanted:
        if port not in numbers:
            advice = did_you_mean(str(port[1]), [str(known_port[1]) for known_port in known])
            raise InputError(f"no port {port!r}", "a pair of host and interface of the rates", advice=advice)
    if not wanted:
        raise InputError("no port", "one or more")
    return [numbers[port] for port in wanted]


def slot_table(table: pd.DataFrame, *, slot_s: float = SLOT_S, gaps: bool = False) -> pd.DataFrame:
    """Rates on equal slots, preserving all bytes.

    Parameters
    ----------
    table
        Rates as in the table ``rates``.
    slot_s
        Length of a slot; slots begin at whole multiples of it since 1970, UTC. [s]
    gaps
        Whether the mean over a gap may stand for each slot in it.

    Returns
    -------
    DataFrame
        ``host``, ``interface``, ``time`` (end of the slot), ``in_bytes``, ``out_bytes`` (missing if no rate covers any
        part), ``covered_s``, ``in_bps``, ``out_bps`` (missing if less than nine tenths are covered).

    Examples
    --------
    >>> slot_table(table, slot_s=900.0)["covered_s"].head(2).tolist()
    [300.0, 900.0]
    """
    names, intervals = gridded.from_frame(table)
    return gridded.frame(names, gridded.regrid(intervals, slot_s, gaps=gaps))


def _busy_hours(names: pd.DataFrame, slots: Slots) -> Any:  # noqa: ANN401 - an extension array of pandas
    in_bps, out_bps = slots.rates()
    hour = (slots.end_ns - 1) // (3600 * 10**9) % 24
    number = np.repeat(np.arange(len(names)), slots.lengths) * 24 + hour
    rate = np.fmax(in_bps, out_bps)
    known = ~np.isnan(rate)
    sums = np.bincount(number[known], weights=rate[known], minlength=24 * len(names)).reshape(-1, 24)
    counts = np.bincount(number[known], minlength=24 * len(names)).reshape(-1, 24)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), -1.0)
    busiest = pd.array(means.argmax(axis=1), dtype="Int64")
    busiest[means.max(axis=1) < 0] = pd.NA
    return busiest


def profile(
    table: pd.DataFrame,
    *,
    period: Literal["day", "week"] = "day",
    zone: str = "UTC",
    slot_s: float = SLOT_S,
) -> pd.DataFrame:
    """Typical traffic by hour of the day, or by day and hour of the week, in local time.

    Parameters
    ----------
    table
        Rates as in the table ``rates``.
    period
        ``day`` or ``week``.
    zone
        Time zone of the hours, such as ``America/New_York``, including daylight-saving time.
    slot_s
        Length of the averaged slots. [s]

    Returns
    -------
    DataFrame
        ``host``, ``interface``, ``weekday`` (0 is Monday; week only), ``hour``, ``slots``, then mean, median and 95th
        percentile (nearest rank) of both directions. [bit/s]

    Examples
    --------
    >>> hours = profile(table, zone="America/New_York")
    >>> int(hours["hour"][hours["mean_in_bps"].idxmax()])
    22
    """
    slots = slot_table(table, slot_s=slot_s).dropna(subset=["in_bps", "out_bps"], how="all")
    middle = (slots["time"] - pd.Timedelta(slot_s / 2, "s")).dt.tz_convert(zone)
    slots = slots.assign(weekday=middle.dt.day_of_week, hour=middle.dt.hour)
    keys = ["host", "interface", *(["weekday"] if period == "week" else []), "hour"]
    slots = slots.sort_values(keys, kind="stable", ignore_index=True)
    groups = slots.groupby(keys, dropna=False)
    starts = np.flatnonzero(np.diff(groups.ngroup().to_numpy(), prepend=-1))
    hours = slots.loc[starts, keys].reset_index(drop=True)
    hours["slots"] = np.diff(starts, append=len(slots))
    for name in ("in", "out"):
        rate = slots[f"{name}_bps"].to_numpy()
        hours[f"mean_{name}_bps"] = groups[f"{name}_bps"].mean().to_numpy()
        hours[f"median_{name}_bps"] = nearest_ranks(rate, starts, 50.0)
        hours[f"p95_{name}_bps"] = nearest_ranks(rate, starts, 95.0)
    return hours


def busiest_hour(table: pd.DataFrame, *, slot_s: float = SLOT_S) -> pd.DataFrame:
    """The 60 minutes in which each interface carried most, in the larger direction."""
    slots_per_hour = round(3600 / slot_s)
    if slots_per_hour < 1 or abs(slots_per_hour * slot_s - 3600) > 1e-9:
        raise RangeError(f"slot: found {slot_s!r} s, expected a divisor of 3600 s")
    slots = slot_table(table, slot_s=slot_s)
    rates = slots.groupby(["host", "interface"], dropna=False, sort=False)[["in_bps", "out_bps"]]
    hours = rates.rolling(slots_per_hour).mean().reset_index(drop=True)
    hours = slots[["host", "interface", "time"]].join(hours)
    larger = hours[["in_bps", "out_bps"]].max(axis=1).dropna()
    names = hours.loc[larger.index, ["host", "interface"]]
    best = larger.groupby([names["host"], names["interface"]], dropna=False, sort=False).idxmax()
    return hours.loc[best].reset_index(drop=True)


def bounds(
    table: pd.DataFrame, *, slot_s: float = SLOT_S, percent: float = 95.0, speeds: Speeds = None
) -> pd.DataFrame:
    """Bound the peak and the percentile of slots, given averages over longer intervals.

    For sources that keep averages over more than a slot (MRTG's weekly, monthly and yearly rows, RRD archives), and for
    bursts shorter than a poll. Maxima stored by the source (``in_max_bps``) and the speed tighten the bounds.

    Parameters
    ----------
    table
        Rates as in the table ``rates``. Lower bounds are excluded, since nothing bounds them from above.
    slot_s
        Length of the slots. [s]
    percent
        The percentile. [%]
    speeds
        Speeds, for all or by interface or (host, interface). [bit/s]

    Returns
    -------
    DataFrame
        ``host``, ``interface``, ``direction``, ``interval_s`` (the longest), ``peak_low_bps``, ``peak_high_bps``,
        ``percentile_low_bps``, ``percentile_high_bps``.

    Examples
    --------
    >>> bounds(table.head(1).assign(interval_s=7200.0), speeds=10e9)["peak_high_bps"].tolist()
    [2400000000.0, 2400000000.0]
    """
    rows = []
    code, names = number_rows(table)
    for number in range(len(names)):
        part, port = table[code == number], names.iloc[number : number + 1]
        speed = speed_of(port, speeds)[0]
        length = part["interval_s"].to_numpy(dtype=float)
        bounded = to_bits(part["flag"]) & int(LOWER_BOUND) == 0
        for name in ("in", "out"):
            mean = part[f"{name}_bps"].to_numpy(dtype=float, na_value=np.nan)
            stored_max = (
                part[f"{name}_max_bps"].to_numpy(dtype=float, na_value=np.nan)
                if f"{name}_max_bps" in part
                else mean * np.nan
            )
            known = ~np.isnan(mean) & (length > 0) & bounded
            if not known.any():
                continue
            slots_per_interval = np.maximum(np.rint(length[known] / slot_s), 1).astype(np.int64)
            # Maxima are of the source's own polls, its short intervals: they bound slots of at least that length
            poll_s = np.quantile(length[known], 0.1, method="higher")
            max_usable = ~np.isnan(stored_max[known]) & (poll_s <= LONGEST_INTERVAL * slot_s)
            most = np.fmin(np.where(max_usable, stored_max[known], np.inf), np.inf if np.isnan(speed) else speed)
            most = np.maximum(np.fmin(most, slots_per_interval * mean[known]), mean[known])
            low, high = percentile_bounds(mean[known], slots_per_interval, percent=percent, most_bps=most)
            peak_low, peak_high = peak_bounds(mean[known], slots_per_interval, most_bps=most)
            peak_low = max(peak_low, float(np.nanmax(stored_max[known], initial=peak_low)))  # a largest slot was one
            peaks = (peak_low, max(peak_low, peak_high))
            rows.append((*port.iloc[0], name, float(length[known].max()), *peaks, low, high))
    columns = ["host", "interface", "direction", "interval_s", "peak_low_bps", "peak_high_bps"]
    return pd.DataFrame(rows, columns=[*columns, "percentile_low_bps", "percentile_high_bps"])
