"""One direction of a TCP connection in a capture: what limited the sender, and what the path did.

The time of a direction is divided as in the limitation scores of Siekkinen, Urvoy-Keller, Biersack and En-Najjary, "A
root cause analysis toolkit for TCP", Computer Networks 52 (2008), and T-RAT (Zhang, Breslau, Paxson, Shenker, "On the
characteristics and origins of Internet flow rates", SIGCOMM 2002): the receiver's window, the sending program, stalls
before timeouts, and the rest, which is the congestion window or the path. A capture is made at the sender, at the
receiver or between them; the sender's knowledge is reconstructed by delaying acknowledgements by the time from the
place of the capture to the sender and back. Segments out of order count as in Jaiswal et al., "Measurement and
classification of out-of-sequence packets" (IEEE/ACM ToN 15, 2007): retransmitted if they were seen before or come more
than half a round trip after the gap, else reordered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.captures import stream
from hecn_analysis.captures.connections import Headers, address
from hecn_analysis.captures.headers import ACK, SYN, Handshake
from hecn_analysis.runs.course import COURSE, rise_s

Array = np.ndarray[Any, np.dtype[Any]]

_BINS: Final = 200
_BIN_S: Final = 0.1
_NEAR: Final = 0.2
_QUIET: Final = 1.25  # of the least round-trip time: no queue stands
_ROUNDS: Final = 20  # of round trips, fewer than which show no band


@dataclass(frozen=True)
class Course:
    """Course of a direction over time, in at most 200 equal steps.

    Each step has its end since the first packet with data ``time_s`` [s], the rate of its new data ``rate_bps``
    [bit/s], unacknowledged data and the receiver's window at its end, ``flight_bytes`` and ``window_bytes`` [B], its
    retransmitted segments, and the median round-trip time ``rtt_s`` of its data [s]; NaN where unknown.
    """

    time_s: Array
    rate_bps: Array
    flight_bytes: Array
    window_bytes: Array
    retransmits: Array
    rtt_s: Array

    def table(self) -> pd.DataFrame:
        """Return the course with the columns `hecn_analysis.runs.course.COURSE`."""
        start = np.concatenate([[0.0], self.time_s[:-1]])
        known = {name: getattr(self, name) for name in COURSE if hasattr(self, name)}
        frame = pd.DataFrame({"t_start_s": start, "t_end_s": self.time_s, **known})
        return frame.reindex(columns=list(COURSE)).astype(float)


@dataclass(frozen=True)
class Direction:
    """One direction of a connection; None for what the capture does not show. Shares are fractions.

    Attributes
    ----------
    first, last
        Numbers of the first and last packet of the connection in the capture, from 1.
    vantage
        Place of the capture: "sender", "receiver", "between", or "" if unknown.
    duration_s, bytes, rate_bps
        From the first data to the last data or its acknowledgement [s]; its data, each byte once [B]; their ratio
        [bit/s].
    segments, small
        Packets with data, which can be longer than the MSS before the card cuts them; the share that end a write early.
    mss_bytes, own_mss_bytes
        Smaller MSS of both handshakes; MSS of the end at the place of the capture, unchanged by the path [B].
    handshake_rtt_s, rtt_min_s, rtt_s
        From SYN over SYN-ACK to ACK; least and median round-trip time on both sides of the capture together [s].
    flight_max_bytes, flight_low_bytes, flight_high_bytes
        Most unacknowledged data; the band that holds the flight for nine tenths of the second half of the time. Without
        losses, well below the window, and at the least round-trip time, a buffer or a setting holds such a band:
        congestion control would have left it [B].
    window_max_bytes, window_limited, window_nearly
        Largest receive window [B]; share of the time in which the flight was at least 97 % of the window, or less than
        a segment below it; the same for 90 % and a few segments: the limitation score of the literature.
    zero_window, zero_windows
        Share of the time with a window of zero, and how often it became zero.
    idle
        Share of the time in which the sender's buffer was empty, with the window open: all data were acknowledged, or
        the last segment was the short end of a write, and acknowledgements since then released nothing more.
    buffer_limited
        Share of the time in which the sender's full buffer blocked the program: the pauses that would be `idle`, if all
        end with the same share of the flight acknowledged; or, seen at the sender, a flight that stays flat far below
        the window, without losses or a queue, each group of segments leaving as an acknowledgement arrives.
    retransmitted, retransmits, timeouts, stalled
        Share of the data sent again; segments sent again; those of them after a pause of the sender of more than 200 ms
        and a round trip; share of the time in these pauses.
    reordered, missed
        Share of the segments that came late without a loss; share of the acknowledged data that the capture dropped.
    duplicate_acks
        Acknowledgements that repeat the one before, while data are in flight.
    ramp_s
        Time until the rate first reached 80 % of its median in the second half [s].
    black_hole_bytes
        Size of the IP packets that were sent three times or more and never acknowledged, while small ones were; at the
        receiver, that of full ones, if none ever arrived and small ones did on both sides of the hole [B].
    """

    ends: str
    first: int
    last: int
    vantage: str
    duration_s: float
    bytes: int
    segments: int
    rate_bps: float | None
    mss_bytes: int | None
    own_mss_bytes: int | None
    window_scaling: bool | None
    sack: bool | None
    handshake_rtt_s: float | None
    rtt_min_s: float | None
    rtt_s: float | None
    flight_max_bytes: int
    flight_low_bytes: int | None
    flight_high_bytes: int | None
    window_max_bytes: int | None
    window_limited: float | None
    window_nearly: float | None
    zero_window: float
    zero_windows: int
    idle: float
    buffer_limited: float
    small: float
    retransmitted: float
    retransmits: int
    timeouts: int
    stalled: float
    reordered: float
    duplicate_acks: int
    missed: float
    ramp_s: float | None
    black_hole_bytes: int | None
    course: Course = field(repr=False)


@dataclass(frozen=True)
class _Opening:
    """Handshake: its round-trip time, and the part of it between the capture and the sender of the data [s]."""

    rtt_s: float | None = None
    echo_s: float | None = None


def directions(headers: Headers, most: int = 8) -> list[Direction]:
    """Analyse the directions that carry most data."""
    flow = headers.columns["flow"]
    known = flow >= 0
    amounts = np.bincount(flow[known], weights=headers.columns["payload"][known], minlength=len(headers.flows))
    chosen = np.argsort(-amounts, kind="stable")[:most].tolist()
    return [
        direction
        for number in chosen
        if amounts[number] > 0 and amounts[number] >= amounts[chosen[0]] / 100
        for direction in [_direction(headers, number)]
        if direction is not None
    ]


def _direction(headers: Headers, number: int) -> Direction | None:
    columns, back = headers.columns, headers.back[number]
    places = stream.in_time(columns, np.flatnonzero(columns["flow"] == number))
    back_places = stream.in_time(columns, np.flatnonzero(columns["flow"] == back))
    both = np.concatenate([places, back_places])
    zero_ns, base = int(columns["time_ns"][both].min()), int(columns["seq"][places[0]])
    mine, theirs = headers.handshakes.get(number), headers.handshakes.get(back)
    acks = stream.acks_of(columns, back_places, zero_ns, base, stream.scale_of(mine, theirs))
    opening = _opening(columns, places, back_places, zero_ns)
    data = stream.data_of(columns, places, zero_ns, opening.rtt_s)
    if not len(data.time_s):
        return None
    (sent_s, beyond), echoed = stream.beyond(data, acks), stream.echoed(data, acks)
    rtt_min_s, rtt_s = _round_trips(opening, beyond, echoed)
    if opening.rtt_s is None and rtt_s is not None:
        data = stream.data_of(columns, places, zero_ns, rtt_s)
    segment = _segment(data, mine, theirs)
    vantage = _vantage(opening, beyond, echoed)
    later_s = _later(opening, echoed)
    state = stream.state_of(data, acks, later_s, segment)
    is_known = theirs is not None and len(acks.ack) > 0
    is_placed = vantage != "" or (rtt_min_s or 0.0) > 0.001
    own = {"sender": mine, "receiver": theirs}.get(vantage)
    offers = [offer.mss for offer in (mine, theirs) if offer is not None and offer.mss]
    distinct = int((data.end - np.maximum(data.start, data.before)).clip(0).sum())
    paused = stream.timeouts(data, state, rtt_s or 0.0)
    pauses = np.diff(data.time_s, prepend=data.time_s[:1])
    buffer = state.waits_for_buffer(segment)
    is_long = rtt_s is not None and state.duration_s > _ROUNDS * rtt_s
    low, high = state.band() if is_long else (None, None)
    is_calm = is_known and vantage == "sender" and not data.again.any() and _is_near(rtt_min_s, rtt_s)
    is_flat = is_calm and is_long and state.is_flat(segment, rtt_s or 0.0) and stream.is_clocked(data, acks, later_s)
    if is_flat and low is not None:
        buffer |= state.flight >= low
    course = _course(data, state, sent_s, beyond + later_s, is_known=is_known)
    return Direction(
        ends=address(headers.flows[number]),
        first=int(columns["number"][both].min()),
        last=int(columns["number"][both].max()),
        vantage=vantage,
        duration_s=state.duration_s,
        bytes=distinct,
        segments=len(data.time_s),
        rate_bps=distinct * 8 / state.duration_s if state.duration_s > 0 else None,
        mss_bytes=min(offers) if offers else None,
        own_mss_bytes=own.mss if own is not None and own.mss else None,
        window_scaling=mine.scale >= 0 and theirs.scale >= 0 if mine is not None and theirs is not None else None,
        sack=mine.sack and theirs.sack if mine is not None and theirs is not None else None,
        handshake_rtt_s=opening.rtt_s,
        rtt_min_s=rtt_min_s,
        rtt_s=rtt_s,
        flight_max_bytes=int(state.flight.max()),
        flight_low_bytes=low,
        flight_high_bytes=high,
        window_max_bytes=int(acks.window.max()) if is_known else None,
        window_limited=state.share(state.full(segment)) if is_known and is_placed else None,
        window_nearly=state.share(state.nearly_full(segment)) if is_known and is_placed else None,
        zero_window=state.share(state.window == 0),
        zero_windows=int(((acks.window[1:] == 0) & (acks.window[:-1] > 0)).sum()),
        idle=state.share(state.idle(segment) & ~buffer),
        buffer_limited=state.share(buffer),
        small=float(data.ends_write(segment).mean()),
        retransmitted=stream.share(data.length[data.again].sum(), data.length.sum()),
        retransmits=int(data.again.sum()),
        timeouts=int(paused.sum()),
        stalled=stream.share(pauses[paused].sum(), state.duration_s),
        reordered=float(data.reordered.mean()),
        duplicate_acks=stream.duplicate_acks(data, acks),
        missed=stream.share(data.missed, distinct + data.missed) if data.end.max() <= acks.upto.max(initial=0) else 0.0,
        ramp_s=_ramp(course),
        black_hole_bytes=_black_hole(data, acks, segment, vantage),
        course=course,
    )


def _is_near(least_s: float | None, usual_s: float | None) -> bool:
    """Whether the usual round-trip time is that of an empty path."""
    return least_s is not None and usual_s is not None and 0 < usual_s <= _QUIET * least_s


def _black_hole(data: stream.Data, acks: stream.Acks, segment: int, vantage: str) -> int | None:
    """Size of packets that never arrive, as either end sees them [B]."""
    at_sender = stream.black_hole(data, acks, segment)
    return at_sender if at_sender or vantage != "receiver" else stream.black_hole_at_receiver(data, acks, segment)


def _opening(columns: Mapping[str, Array], places: Array, back: Array, zero_ns: int) -> _Opening:
    """Time the handshake; None if a part of it was sent twice."""
    syn = columns["flags"]
    offers, answers = (part[(syn[part] & SYN) != 0] for part in (places, back))
    if len(offers) != 1 or len(answers) != 1:
        return _Opening()
    is_client = not syn[offers[0]] & ACK
    client, first, second = (places, offers, answers) if is_client else (back, answers, offers)
    if syn[first[0]] & ACK or not syn[second[0]] & ACK:
        return _Opening()
    asked, answered = (float(stream.seconds(columns, part, zero_ns)[0]) for part in (first, second))
    times = stream.seconds(columns, client, zero_ns)
    third = times[(times >= answered) & (client != first[0])]
    if answered < asked or not len(third):
        return _Opening()
    to_server, to_client = answered - asked, float(third[0]) - answered
    return _Opening(to_server + to_client, to_client if is_client else to_server)


def _round_trips(opening: _Opening, beyond: Array, echoed: Array) -> tuple[float | None, float | None]:
    """Return the least and median round-trip time on both sides of the capture together [s]."""
    if not len(beyond):
        return opening.rtt_s, opening.rtt_s
    if not len(echoed) and opening.echo_s is None:
        return float(beyond.min()), float(np.median(beyond))
    later = _later(opening, echoed)
    nearest = min([later, *([opening.echo_s] if opening.echo_s is not None else []), *echoed[echoed.argsort()[:1]]])
    return float(beyond.min() + nearest), float(np.median(beyond) + later)


def _later(opening: _Opening, echoed: Array) -> float:
    """Time from an acknowledgement's passing to the data that it allows; a program that pauses lengthens it [s]."""
    echo_s = opening.echo_s
    if not len(echoed):
        return echo_s or 0.0
    usual = float(np.quantile(echoed, 0.2))
    return usual if echo_s is None else min(usual, 2 * echo_s + 0.01)


def _vantage(opening: _Opening, beyond: Array, echoed: Array) -> str:
    """Infer the place of the capture from the parts of the round trip on both sides of it."""
    if opening.rtt_s is not None and opening.echo_s is not None:
        near, far = opening.echo_s, opening.rtt_s - opening.echo_s
    elif len(beyond) and len(echoed):
        near, far = float(echoed.min()), float(beyond.min())
    else:
        return ""
    if near + far < 0.0005:
        return ""
    if near < _NEAR * (near + far):
        return "sender"
    return "receiver" if far < _NEAR * (near + far) else "between"


def _segment(data: stream.Data, mine: Handshake | None, theirs: Handshake | None) -> int:
    """Data in a full segment: by the handshake, else the most common length [B]."""
    if mine is not None and theirs is not None and mine.mss and theirs.mss:
        return max(min(mine.mss, theirs.mss) - 12 * (mine.stamps and theirs.stamps), 1)
    return max(int(np.bincount(np.minimum(data.length, 65535)).argmax()), 1)


def _course(data: stream.Data, state: stream.State, sent_s: Array, rtt_s: Array, *, is_known: bool) -> Course:
    """Divide the time into steps."""
    start, span = float(state.time_s[0]), state.duration_s
    steps = int(np.clip(span / _BIN_S, 1, _BINS))
    edges = np.linspace(0.0, max(span, 1e-6), steps + 1)
    times = data.time_s - start
    distinct = (data.end - np.maximum(data.start, data.before)).clip(0)
    place = np.clip(np.searchsorted(state.time_s - start, edges[1:], "right") - 1, 0, None)
    return Course(
        time_s=edges[1:],
        rate_bps=np.histogram(times, edges, weights=distinct)[0] * 8 / edges[1],
        flight_bytes=state.flight[place].astype(float),
        window_bytes=state.window[place].astype(float) if is_known else np.full(steps, np.nan),
        retransmits=np.histogram(times[data.again], edges)[0],
        rtt_s=_medians(rtt_s, np.clip(np.searchsorted(edges, sent_s - start, "right") - 1, 0, steps - 1), steps),
    )


def _medians(values: Array, place: Array, steps: int) -> Array:
    """Median of the values of each step; NaN for steps without values."""
    medians = np.full(steps, np.nan)
    known = pd.Series(values).groupby(place).median()
    medians[known.index.to_numpy(np.int64)] = known.to_numpy(float)
    return medians


def _ramp(course: Course) -> float | None:
    """Return the time until the rate first reaches 80 % of its median in the second half [s]."""
    if len(course.rate_bps) < 10:
        return None
    reached = rise_s(course.time_s, course.rate_bps)
    return None if np.isnan(reached) else reached
