"""The course of a run: its rate over time, and its shape: start, plateau, teeth, stalls, bursts, trend.

Sources
-------
- Y. Zhang, L. Breslau, V. Paxson, S. Shenker, "On the characteristics and origins of Internet flow rates", SIGCOMM 2002
  (T-RAT): slow start and congestion avoidance are told apart by how the window grows between two losses.
- M. Siekkinen, G. Urvoy-Keller, E. Biersack, D. Collange, "A root cause analysis toolkit for TCP", Computer Networks
  52, 2008: a connection is cut into periods of transfer and periods in which nothing is sent.
- P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63, 1968: the slope is the median
  of the slopes between all pairs, so that single intervals do not bend it.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.base import units

Array = np.ndarray[Any, np.dtype[Any]]

#: Columns of a course, a row for each interval [s, s, bit/s, segments, B, B, B, s].
COURSE: Final = (
    *("t_start_s", "t_end_s", "rate_bps", "retransmits"),
    *("cwnd_bytes", "flight_bytes", "window_bytes", "rtt_s"),
)

#: Columns of the table of features.
FEATURES: Final = (
    *("intervals", "duration_s", "start_s", "plateau_bps", "scatter", "teeth", "tooth_s", "tooth_depth"),
    *("stalls", "stalled", "stall_s", "bursts", "burst_share", "trend"),
)

#: Fewest intervals of which a course can be told.
FEWEST: Final = 4

#: The plateau is reached at this share of the median of the second half. [1]
_REACHED: Final = 0.8

#: A stall is slower than this share of the plateau, a burst faster than this multiple of it. [1]
_STALL: Final = 0.1
_BURST: Final = 1.5

#: A tooth rises over so many intervals, and falls by this share at its end. [1]
_RISE: Final = 2
_FALL: Final = 0.15
_TEETH: Final = 3

#: Stalls whose distances differ by less than this share of their median are periodic. [1]
_PERIODIC: Final = 0.3

#: Fewest intervals that show a trend, the most that it is computed of, and the least that counts as one. [1]
_TREND_OF: Final = 8
_TREND_MOST: Final = 400
_TREND: Final = 0.15

#: Tools write and read blocks of 128 KiB: of fewer than a few in an interval, some intervals have none by chance. [B]
_BLOCKS: Final = 4 * 131072

#: The shortest interval of a course is this much shorter than the others where the last one was cut. [1]
_CUT: Final = 0.7


def together(intervals: pd.DataFrame) -> pd.DataFrame:
    """Return the course of all streams of a run together: columns `COURSE`, in order of time.

    Rates, retransmits and windows are sums over the streams, the RTT is their median. Intervals that only some of the
    streams have are left out, as is a truncated last one.
    """
    known = intervals[intervals["throughput_bps"].notna() & intervals["t_end_s"].notna()]
    if known.empty:
        return pd.DataFrame(columns=list(COURSE), dtype=float)
    moment = _moments(known)
    is_sum = known["stream"].isna().to_numpy(bool)
    streams, sums = known[~is_sum], known[is_sum]
    whole = _summed(sums, moment[is_sum]) if len(sums) else _of_all(streams, moment[~is_sum])
    if len(sums) and len(streams):
        of_streams = _of_all(streams, moment[~is_sum])
        whole = whole.fillna(of_streams.reindex(whole.index))
    course = whole.sort_values("t_end_s", kind="stable").reset_index(drop=True)
    lengths = course["t_end_s"] - course["t_start_s"]
    if len(course) > FEWEST and lengths.iloc[-1] < _CUT * lengths.iloc[0]:
        course = course.iloc[:-1]
    return course


def silence(course: pd.DataFrame) -> float:
    """Share of the intervals after the first that carry nothing [1]; those too short for a few blocks are joined."""
    start, end, rate = (course[name].to_numpy(float) for name in ("t_start_s", "t_end_s", "rate_bps"))
    carried, lasted = np.nan_to_num(rate) * (end - start), float(end[-1] - start[0])
    if not lasted > 0:
        return math.nan
    total = float(carried.sum())
    least_s = min(_BLOCKS * 8 / (total / lasted), lasted / FEWEST) if total > 0 else 0.0
    place = np.floor((start - start[0]) / max(least_s, float(np.median(end - start)))).astype(np.int64)
    parts = np.bincount(place, carried)[np.unique(place)]
    return float((parts[1:] <= 0).mean()) if len(parts) > 1 else math.nan


def _moments(known: pd.DataFrame) -> Array:
    """Number of the interval of each row: intervals of streams differ by less than a tenth of their length."""
    starts, ends = known["t_start_s"].to_numpy(float), known["t_end_s"].to_numpy(float)
    least = 0.1 * float(np.nanmedian(ends - starts))
    order = np.lexsort((starts, ends))
    is_new = np.diff(ends[order], prepend=-math.inf) > least
    is_new |= np.abs(np.diff(starts[order], prepend=starts[order][:1])) > least
    moments = np.empty(len(ends), np.int64)
    moments[order] = np.cumsum(is_new)
    return moments


def _summed(rows: pd.DataFrame, moment: Array) -> pd.DataFrame:
    """Sums over the rows of each interval."""
    groups = rows.groupby(moment)
    sums = pd.DataFrame(
        {
            "t_start_s": groups["t_start_s"].min().astype(float),
            "t_end_s": groups["t_end_s"].max().astype(float),
            "rate_bps": groups["throughput_bps"].sum(min_count=1).astype(float),
            "retransmits": groups["retransmits"].sum(min_count=1).astype(float),
            "cwnd_bytes": groups["cwnd_bytes"].sum(min_count=1).astype(float),
            "rtt_s": groups["rtt_s"].median().astype(float),
        }
    )
    return sums.reindex(columns=list(COURSE)).astype(float)


def _of_all(streams: pd.DataFrame, moment: Array) -> pd.DataFrame:
    """Sums over the streams, for the intervals that all streams have."""
    counts = streams.groupby(moment)["stream"].nunique()
    whole: pd.DataFrame = _summed(streams, moment)[counts.to_numpy() == counts.max()]
    return whole


# --- features ---------------------------------------------------------------------------------------------------------


def features(course: pd.DataFrame) -> dict[str, float]:
    """Return the features of a course over time; NaN if it is too short for one.

    - ``intervals``, ``duration_s`` [s]; ``scatter``: standard deviation over mean without the first quarter;
    - ``start_s``: when the rate first reached 80 % of its median in the second half [s]; ``plateau_bps``: median from
      then on [bit/s]; ``trend``: change of the rate from then to the end (Sen's slope), over the higher of both;
    - ``teeth``: falls of the congestion window (else the rate) by 15 % or more after a rise; ``tooth_s``: median time
      between them [s]; ``tooth_depth``: median share that was left;
    - ``stalls``: periods below a tenth of the plateau; ``stalled``: their share of the time; ``stall_s``: their period
      if it is regular [s];
    - ``bursts``: periods above one and a half times the plateau; ``burst_share``: share of the data in them.
    """
    values = dict.fromkeys(FEATURES, math.nan)
    values["intervals"] = float(len(course))
    if not len(course):
        return values
    start, end, rate = (course[name].to_numpy(float) for name in ("t_start_s", "t_end_s", "rate_bps"))
    values["duration_s"] = float(end[-1] - start[0])
    if len(course) < FEWEST or not np.median(rate[len(rate) // 2 :]) > 0:
        return values
    values["start_s"] = rise_s(start, rate)
    is_later = start >= values["start_s"]
    start, end, rate = start[is_later], end[is_later], rate[is_later]
    plateau = float(np.median(rate))
    cwnd = course["cwnd_bytes"].to_numpy(float)[is_later]
    return {
        **values,
        "plateau_bps": plateau,
        "scatter": scatter(course),
        **_teeth(cwnd if np.isfinite(cwnd).all() and cwnd.max() > cwnd.min() else rate, start),
        **_stalls(rate < _STALL * plateau, start, end),
        **_bursts(rate > _BURST * plateau, rate * (end - start)),
        "trend": _trend(rate, (start + end) / 2, plateau),
    }


def rise_s(time_s: Array, rate_bps: Array) -> float:
    """Time at which the rate first reaches 80 % of its median in the second half; NaN if that is 0 [s]."""
    usual = float(np.median(rate_bps[len(rate_bps) // 2 :]))
    return float(time_s[int(np.argmax(rate_bps >= _REACHED * usual))]) if usual > 0 else math.nan


def scatter(course: pd.DataFrame) -> float:
    """Standard deviation of the rate over its mean, without the first quarter [1]."""
    rates = course["rate_bps"].iloc[len(course) // 4 :]
    return float(rates.std() / rates.mean()) if rates.mean() > 0 else math.nan


def first_rate(course: pd.DataFrame, start_s: float = 0.0, rtt_s: float = 0.0) -> float:
    """Rate of the first interval over the median of the others and over the part that slow start leaves of it [1]."""
    first, rest = float(course["rate_bps"].iloc[0]), float(course["rate_bps"].iloc[1:].median())
    if not rest > 0:
        return math.nan
    length_s = float(course["t_end_s"].iloc[0] - course["t_start_s"].iloc[0])
    return first / rest / _left_by_slow_start(length_s, start_s, rtt_s)


def _left_by_slow_start(length_s: float, start_s: float, rtt_s: float) -> float:
    """Mean rate of a first interval over the rate after slow start, which doubles each RTT until its end [1]."""
    if not (start_s > 0 and rtt_s > 0 and length_s > 0):
        return 1.0
    until_s = min(length_s, start_s)
    growing = rtt_s / math.log(2) * (2 ** ((until_s - start_s) / rtt_s) - 2 ** (-start_s / rtt_s))
    return (growing + length_s - until_s) / length_s


def growth(course: pd.DataFrame, start_s: float = 0.0) -> float:
    """Mean rate of the last third over that of the first one, after slow start if enough intervals remain [1]."""
    after = course[course["t_start_s"] >= start_s]
    course = after if len(after) >= FEWEST else course
    third = max(len(course) // 3, 1)
    before = float(course["rate_bps"].iloc[: third + 1].mean())
    return float(course["rate_bps"].iloc[-third:].mean()) / before if before > 0 else math.nan


def _periods(chosen: Array) -> tuple[Array, Array]:
    """First and last places of the periods in which a condition holds."""
    edges = np.flatnonzero(np.diff(chosen.astype(np.int8), prepend=0, append=0))
    return edges[::2], edges[1::2] - 1


def _teeth(values: Array, start_s: Array) -> dict[str, float]:
    """Falls after rises, their distance, and the share left after each."""
    fall = np.flatnonzero(values[1:] < (1 - _FALL) * values[:-1])  # from this interval to the next
    before = np.concatenate([[-1], fall])[:-1]
    rises = np.array([_rises(values[last + 1 : at + 1]) for last, at in zip(before, fall, strict=True)], bool)
    fall = fall[rises] if len(fall) else fall
    left = values[fall + 1] / values[fall]
    return {
        "teeth": float(len(fall)),
        "tooth_s": float(np.median(np.diff(start_s[fall + 1]))) if len(fall) >= 2 else math.nan,
        "tooth_depth": float(np.median(left)) if len(fall) else math.nan,
    }


def _rises(part: Array) -> bool:
    """Whether values between two falls rise over at least two steps."""
    return len(part) > _RISE and bool(part[-1] > part[0] / (1 - _FALL))


def _stalls(is_stalled: Array, start_s: Array, end_s: Array) -> dict[str, float]:
    """Periods in which almost nothing moved, and their regularity."""
    first, last = _periods(is_stalled)
    spent = float((end_s[last] - start_s[first]).sum())
    gaps = np.diff(start_s[first])
    middle = float(np.median(gaps)) if len(gaps) >= 2 else math.nan
    is_regular = len(gaps) >= 2 and float(np.abs(gaps - middle).max()) <= _PERIODIC * middle
    return {
        "stalls": float(len(first)),
        "stalled": spent / float(end_s[-1] - start_s[0]),
        "stall_s": middle if is_regular else math.nan,
    }


def _bursts(is_burst: Array, amount: Array) -> dict[str, float]:
    """Periods that were much faster than the plateau, and the share of the data in them."""
    whole = float(amount.sum())
    share = float(amount[is_burst].sum()) / whole if whole > 0 else math.nan
    return {"bursts": float(len(_periods(is_burst)[0])), "burst_share": share}


def _trend(rate: Array, time_s: Array, plateau: float) -> float:
    """Change by Sen's slope, as a share of the higher end; longer courses are averaged first."""
    if len(rate) < _TREND_OF or not plateau > 0:
        return math.nan
    if len(rate) > _TREND_MOST:
        edges = np.arange(_TREND_MOST) * len(rate) // _TREND_MOST
        counts = np.diff(edges, append=len(rate))
        rate, time_s = (np.add.reduceat(values, edges) / counts for values in (rate, time_s))
    first, second = np.triu_indices(len(rate), 1)
    slope = np.median((rate[second] - rate[first]) / (time_s[second] - time_s[first]))
    change = float(slope * (time_s[-1] - time_s[0]))
    return float(np.clip(change / (plateau + abs(change) / 2), -1, 1))


def words(values: dict[str, float]) -> str:
    """Describe the shape of a course by its `features`: the prominent ones, or that the rate is steady."""
    if math.isnan(values["plateau_bps"]):
        return "too few intervals to tell"
    phrases = [f"reaches its plateau after {units.format_time(values['start_s'])}"] if values["start_s"] > 0 else []
    shape = list(_shapes(values))
    return "; ".join([*phrases, *(shape or ["steady" if values["scatter"] < _FALL else "uneven"])])


def _shapes(values: dict[str, float]) -> list[str]:
    """Describe the prominent features: teeth or bursts, stalls, a trend larger than the scatter."""
    phrases = []
    if values["teeth"] >= _TEETH:
        every = (
            f"one every {units.format_time(values['tooth_s'])}, down to {units.format_percent(values['tooth_depth'])}"
        )
        phrases.append(f"sawtooth of {values['teeth']:.0f} teeth, {every}")
    elif values["bursts"]:  # the tips of teeth are no bursts
        share = units.format_percent(values["burst_share"])
        phrases.append(f"{units.format_count(values['bursts'], 'burst')} with {share} of the data")
    if values["stalls"]:
        every = "" if math.isnan(values["stall_s"]) else f", one every {units.format_time(values['stall_s'])}"
        share = units.format_percent(values["stalled"])
        phrases.append(f"{units.format_count(values['stalls'], 'stall')} for {share} of the time{every}")
    if abs(values["trend"]) >= max(_TREND, values["scatter"]):
        phrases.append(f"{'falls' if values['trend'] < 0 else 'rises'} by {units.format_percent(abs(values['trend']))}")
    return phrases
