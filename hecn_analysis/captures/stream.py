"""The two flows of a connection as streams: places of data and acknowledgements, times, and data in flight.

32-bit sequence numbers become places in the stream, from that of the sender's first packet. Times are seconds since the
first packet of the connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hecn_analysis.captures.headers import ACK, FIN, PUSH, RST, SACKS, SYN, Handshake

Array = np.ndarray[Any, np.dtype[Any]]

#: Share of the receiver's window from which it counts as full. So Linux's own count (rwnd_limited of ss) is met to
#: some three points at the sender; captures at the receiver give up to fourteen less, for delays vary.
FULL: Final = 0.97
#: Share from which the limitation scores of the literature count it.
NEARLY_FULL: Final = 0.9
#: Pause of the sender before a segment is sent again from which this is a timeout: the least of Linux [s].
TIMEOUT_S: Final = 0.2
_RELEASED: Final = 4  # segments: each delayed ACK releases two
_REORDERED_S: Final = 0.003
_SENDINGS: Final = 3
_WAIT_S: Final = 0.002
_WAITS: Final = 5
_WAKES: Final = (0.55, 0.9)  # the kernel counts its own bytes, too
_WAKE_SPREAD: Final = 0.1
_FLAT, _STILL, _GROWTH, _BELOW = 0.6, 0.05, 0.3, 0.7  # of a flight that a buffer holds: its band, its drift
_CLOCKED: Final = 0.6  # of the groups of segments leave as an acknowledgement arrives
_AT_ONCE_S: Final = 0.0002
_FASTER: Final = 2.0  # a sender that could send so much faster does not wait for its port


@dataclass(frozen=True)
class Data:
    """Packets with data in order of time, as they passed the place of the capture (``time_s`` [s]).

    ``start``, ``end`` and ``length`` are the places of their bytes in the stream [B], ``headers`` those of IP and TCP
    [B], ``echo`` the echoed timestamp, ``before`` the end of the data sent before. ``again`` marks retransmissions,
    ``reordered`` late packets that were not lost. ``missed`` are data between those of the capture that no packet
    carries [B].
    """

    time_s: Array
    start: Array
    end: Array
    length: Array
    headers: Array
    flags: Array
    echo: Array
    before: Array
    again: Array
    reordered: Array
    missed: int

    def ends_write(self, segment: int) -> Array:
        """Whether a packet empties the sender's buffer: pushed, and no multiple of a full segment (T-RAT)."""
        is_end: Array = ((self.flags & PUSH) != 0) & (self.length % segment != 0) & ~self.again
        return is_end


@dataclass(frozen=True)
class Acks:
    """Acknowledging packets of the other direction in order of time, as they passed the place of the capture [s].

    ``ack`` and ``upto`` are the acknowledged place and the highest one so far, ``window`` is the offered window [B],
    ``stamp`` the timestamp.
    """

    time_s: Array
    ack: Array
    upto: Array
    window: Array
    flags: Array
    length: Array
    stamp: Array


def in_time(columns: Mapping[str, Array], places: Array) -> Array:
    """Order packets by time; those of equal time as they were captured."""
    times = columns["time_ns"][places]
    return places if (np.diff(times) >= 0).all() else places[np.argsort(times, kind="stable")]


def seconds(columns: Mapping[str, Array], places: Array, zero_ns: int) -> Array:
    """Return times since a moment [s]."""
    return (columns["time_ns"][places] - zero_ns) / 1e9


def data_of(columns: Mapping[str, Array], places: Array, zero_ns: int, rtt_s: float | None) -> Data:
    """Make the stream of the packets with data, without probes, and classify late ones."""
    start = _unwrapped(columns["seq"][places], int(columns["seq"][places[0]]))
    start = start + ((columns["flags"][places] & SYN) != 0)
    length = columns["payload"][places].astype(np.int64)
    end = start + length
    before = np.maximum.accumulate(np.concatenate([start[:1], end]))[:-1]
    is_probe = (length <= 1) & (start == before - 1)
    chosen = (length > 0) & ~is_probe & ((columns["flags"][places] & RST) == 0)
    places, start, end, length, before = places[chosen], start[chosen], end[chosen], length[chosen], before[chosen]
    time_s = seconds(columns, places, zero_ns)
    again, reordered, missed = _late(time_s, start, end, before, _REORDERED_S if rtt_s is None else rtt_s / 2)
    return Data(
        time_s=time_s,
        start=start,
        end=end,
        length=length,
        headers=columns["headers"][places],
        flags=columns["flags"][places],
        echo=columns["echo"][places],
        before=before,
        again=again,
        reordered=reordered,
        missed=missed,
    )


def _unwrapped(numbers: Array, base: int) -> Array:
    """Turn 32-bit sequence numbers into places: each step is the shorter way round."""
    steps = np.diff(numbers, prepend=np.uint32(base)).astype(np.uint32).view(np.int32)
    places: Array = np.cumsum(steps, dtype=np.int64)
    return places


# A late segment was sent again where its bytes passed before, or where it comes half a round trip after the gap that it
# fills.
def _late(time_s: Array, start: Array, end: Array, before: Array, soon_s: float) -> tuple[Array, Array, int]:
    """Mark retransmitted and reordered segments, and count the bytes of gaps that were never filled."""
    late = np.flatnonzero(start < before)
    gaps = np.flatnonzero(start > before)
    again, reordered = np.zeros(len(start), bool), np.zeros(len(start), bool)
    again[late] = True
    if not len(gaps):
        return again, reordered, 0
    gap = np.maximum(np.searchsorted(before[gaps], start[late], "right") - 1, 0)
    fills = (start[late] >= before[gaps[gap]]) & (start[late] < start[gaps[gap]]) & (gaps[gap] < late)
    filling, gap = late[fills], gap[fills]
    _, first = np.unique(start[filling], return_index=True)
    filling, gap = filling[first], gap[first]
    is_soon = time_s[filling] - time_s[gaps[gap]] < soon_s
    again[filling[is_soon]], reordered[filling[is_soon]] = False, True
    lengths = np.minimum(end[filling], start[gaps[gap]]) - start[filling]
    return again, reordered, max(int((start[gaps] - before[gaps]).sum() - lengths.sum()), 0)


def acks_of(columns: Mapping[str, Array], places: Array, zero_ns: int, base: int, scale: int) -> Acks:
    """Make the stream of acknowledgements, without those of resets."""
    places = places[(columns["flags"][places] & (ACK | RST)) == ACK]
    ack = _unwrapped(columns["ack"][places], base)
    shift = np.where((columns["flags"][places] & SYN) != 0, 0, scale)
    return Acks(
        time_s=seconds(columns, places, zero_ns),
        ack=ack,
        upto=np.maximum.accumulate(ack),
        window=columns["window"][places].astype(np.int64) << shift,
        flags=columns["flags"][places],
        length=columns["payload"][places].astype(np.int64),
        stamp=columns["stamp"][places],
    )


def scale_of(mine: Handshake | None, theirs: Handshake | None) -> int:
    """Return the scale of the receiver's window, which counts only if both ends offer one."""
    is_refused = mine is not None and mine.scale < 0
    return 0 if theirs is None or is_refused else max(theirs.scale, 0)


def duplicate_acks(data: Data, acks: Acks) -> int:
    """Count acknowledgements that repeat the one before while data are in flight (RFC 5681)."""
    if len(acks.ack) < 2:
        return 0
    sent = np.concatenate([[0], np.maximum.accumulate(data.end)])[np.searchsorted(data.time_s, acks.time_s[1:])]
    is_same = (acks.ack[1:] == acks.ack[:-1]) & (acks.length[1:] == 0) & ((acks.flags[1:] & (SYN | FIN)) == 0)
    is_same &= (acks.window[1:] == acks.window[:-1]) | ((acks.flags[1:] & SACKS) != 0)
    return int((is_same & (sent > acks.ack[1:])).sum())


def beyond(data: Data, acks: Acks) -> tuple[Array, Array]:
    """Return when data passed that were not sent twice (Karn), and the times to their acknowledgement [s]."""
    new = np.flatnonzero(np.diff(acks.upto, prepend=acks.upto[:1]) > 0)
    fresh = np.flatnonzero(data.start >= data.before)
    if not len(new) or not len(fresh):
        return np.empty(0), np.empty(0)
    place = np.searchsorted(data.end[fresh], acks.upto[new])
    new, place = new[place < len(fresh)], place[place < len(fresh)]
    sent = data.time_s[fresh[place]]
    samples = acks.time_s[new] - sent
    late_times = data.time_s[data.start < data.before]
    is_clear = np.searchsorted(late_times, sent) == np.searchsorted(late_times, acks.time_s[new], "right")
    good = (samples >= 0) & is_clear
    return sent[good], samples[good]


def echoed(data: Data, acks: Acks) -> Array:
    """Return times from an acknowledgement's timestamp to the first data that echo it (RFC 7323) [s]."""
    stamps, first = np.unique(acks.stamp, return_index=True)
    echoes, answered = np.unique(data.echo, return_index=True)
    _, acked, answers = np.intersect1d(stamps[stamps > 0], echoes, assume_unique=True, return_indices=True)
    acked = acked + int((stamps == 0).any())
    samples = data.time_s[answered[answers]] - acks.time_s[first[acked]]
    good: Array = samples[samples >= 0]
    return good


@dataclass(frozen=True)
class State:
    """The sender's knowledge over time: data in flight against the window, and the time between its events.

    ``time_s`` and ``span_s`` are the times of events (data sent, acknowledgements received) and the time to the next
    [s]; ``flight``, ``window`` and ``room`` the data in flight, the receiver's window and the rest of it [B].
    ``drained``: all data were acknowledged, or the last segment ended a write early, and acknowledgements since then
    released nothing more.
    """

    time_s: Array
    span_s: Array
    flight: Array
    window: Array
    room: Array
    drained: Array

    def idle(self, segment: int) -> Array:
        """Whether the program had nothing to send: the sender's buffer was empty and the window open."""
        is_idle: Array = self.drained & (self.room >= min(segment, int(self.window.max()) // 2 + 1))
        return is_idle

    def waits_for_buffer(self, segment: int) -> Array:
        """Whether the sender's full buffer blocked the program until a third of it was free (sk_stream_write_space).

        Such pauses have data in flight and all end at the same share of the flight at their beginning.
        """
        waits = self.idle(segment) & (self.flight > 0)
        edges = np.flatnonzero(np.diff(waits.astype(np.int8), prepend=0, append=0))
        first, last = edges[::2], edges[1::2] - 1
        lasting = self.time_s[np.minimum(last + 1, len(waits) - 1)] - self.time_s[first] > _WAIT_S
        left = self.flight[last[lasting]] / self.flight[first[lasting]]
        if len(left) < _WAITS:
            return np.zeros(len(waits), bool)
        low, middle, high = np.quantile(left, (0.25, 0.5, 0.75))
        is_buffer = _WAKES[0] < middle < _WAKES[1] and high - low < _WAKE_SPREAD
        return waits if is_buffer else np.zeros(len(waits), bool)

    def is_flat(self, segment: int, rtt_s: float) -> bool:
        """Whether the flight stayed far below the window, although congestion control would let it grow."""
        low, high = self.band()
        middle = (self.time_s[0] + self.time_s[-1]) / 2
        later = self.time_s >= (middle + self.time_s[-1]) / 2
        third = self.flight[(self.time_s >= middle) & ~later]
        if not len(third):
            return False
        drift = abs(float(np.median(self.flight[later])) / max(float(np.median(third)), 1.0) - 1)
        grows = segment * (self.time_s[-1] - middle) / rtt_s  # a segment each round trip: RFC 5681; RFC 9438, 4.3
        is_steady = low >= _FLAT * high and drift <= _STILL and grows > _GROWTH * high
        return bool(is_steady and high < _BELOW * self.window[self.time_s >= middle].min())

    def band(self) -> tuple[int, int]:
        """Return the band of the flight for nine tenths of the second half of the time."""
        second = self.time_s >= (self.time_s[0] + self.time_s[-1]) / 2
        order = np.argsort(self.flight[second], kind="stable")
        spent = np.cumsum(self.span_s[second][order])
        low, high = np.searchsorted(spent, (0.05 * spent[-1], 0.95 * spent[-1]))
        flights = self.flight[second][order]
        return int(flights[low]), int(flights[min(high, len(flights) - 1)])

    @property
    def duration_s(self) -> float:
        """From the first to the last event [s]."""
        return float(self.span_s.sum())

    def share(self, chosen: Array) -> float:
        """Return the share of the time that follows some events."""
        return share(self.span_s[chosen].sum(), self.duration_s)

    def full(self, segment: int) -> Array:
        """Whether the receiver's window is full."""
        is_full: Array = (self.flight >= FULL * self.window) | (self.room < segment)
        return is_full

    def nearly_full(self, segment: int) -> Array:
        """Whether the window is full to within a tenth, or what two acknowledgements release."""
        is_released = (self.room < _RELEASED * segment) & (2 * self.flight >= self.window)
        is_near: Array = self.full(segment) | (self.flight >= NEARLY_FULL * self.window) | is_released
        return is_near


def share(part: float, whole: float) -> float:
    """Return a share between 0 and 1; 0 if there is nothing to divide by."""
    return min(max(float(part) / float(whole), 0.0), 1.0) if whole > 0 else 0.0


def state_of(data: Data, acks: Acks, later_s: float, segment: int) -> State:
    """Follow sender and receiver; acknowledgements reach the sender after they pass the capture."""
    ack_times = acks.time_s + later_s
    times = np.concatenate([ack_times, data.time_s])
    order = np.argsort(times, kind="stable")
    is_ack = np.concatenate([np.ones(len(ack_times), bool), np.zeros(len(data.time_s), bool)])[order]
    floor = int(data.start[0])
    upto = np.maximum.accumulate(np.concatenate([acks.upto, np.full(len(data.end), floor)])[order])
    sent = np.maximum.accumulate(np.concatenate([np.full(len(acks.upto), floor), data.end])[order])
    upto = np.clip(upto, floor, sent)
    last = np.maximum.accumulate(np.where(is_ack, np.arange(len(order)), -1))
    window = np.concatenate([acks.window, np.zeros(len(data.end), np.int64)])[order]
    window = np.where(last >= 0, window[np.maximum(last, 0)], 1 << 30)
    ends = np.concatenate([np.zeros(len(acks.upto), bool), data.ends_write(segment)])[order]
    latest = np.maximum(np.maximum.accumulate(np.where(is_ack, -1, np.arange(len(order)))), 0)
    ended = ends[latest] & (upto > upto[latest])
    times = times[order]
    first = int(np.searchsorted(times, data.time_s[0]))
    done = np.flatnonzero(upto >= data.end.max())
    end = max(int(done[0]) if len(done) else len(times) - 1, int(np.searchsorted(times, data.time_s[-1], "right")) - 1)
    part = slice(first, end + 1)
    flight = (sent - upto)[part]
    return State(
        time_s=times[part],
        span_s=np.diff(times[part], append=times[part][-1:]),
        flight=flight,
        window=window[part],
        room=window[part] - flight,
        drained=(flight == 0) | ended[part],
    )


# A program that writes at its own pace, and a sender that spaces its packets, do not wait for acknowledgements; a
# sender whose port is full sends at the mean rate even within a group (packet pairs).
def is_clocked(data: Data, acks: Acks, later_s: float) -> bool:
    """Whether groups of segments leave as acknowledgements arrive, each much faster than the mean."""
    arrivals = acks.time_s + later_s
    if len(arrivals) < 2 or len(data.time_s) < 2:
        return False
    number = np.searchsorted(arrivals, data.time_s, "right")
    opens = np.diff(number, prepend=-1) > 0
    known = opens & (number > 0)
    if not known.any():
        return False
    at_once = min(_AT_ONCE_S, float(np.median(np.diff(arrivals))) / 10)
    lags = data.time_s[known] - arrivals[number[known] - 1]
    gaps = np.diff(data.time_s)[~opens[1:]]
    lengths = data.length[1:][~opens[1:]]
    mean = data.length.sum() / (data.time_s[-1] - data.time_s[0]) if data.time_s[-1] > data.time_s[0] else np.inf
    is_fast = len(gaps) > 0 and float(np.median(lengths)) > _FASTER * mean * float(np.median(gaps))
    return bool(is_fast and np.mean(lags <= at_once) > _CLOCKED)


def timeouts(data: Data, state: State, rtt_s: float) -> Array:
    """Mark segments that were sent again after a pause of more than 200 ms and a round trip with an open window."""
    pause = np.diff(data.time_s, prepend=data.time_s[:1])
    place = np.clip(np.searchsorted(state.time_s, data.time_s) - 1, 0, len(state.time_s) - 1)
    after: Array = data.again & (pause > max(TIMEOUT_S, 1.1 * rtt_s)) & (state.window[place] > 0)
    return after


def black_hole(data: Data, acks: Acks, segment: int) -> int | None:
    """Size of full segments that were sent three times or more and never acknowledged in that size [B]."""
    if not len(acks.ack):  # nothing shows that the receiver lives
        return None
    is_full = data.length >= NEARLY_FULL * segment
    starts, repeats = np.unique(data.start[data.again & is_full], return_counts=True)
    often = starts[repeats >= _SENDINGS - 1]
    for start in often[:64].tolist():
        full = (data.start == start) & is_full
        last = data.time_s[full][-1]
        arrived = acks.time_s[acks.upto > start]
        smaller = (data.start == start) & ~is_full
        is_smaller_first = smaller.any() and len(arrived) and data.time_s[smaller][0] < arrived[0]
        if (not len(arrived) or is_smaller_first) and last - data.time_s[full][0] > TIMEOUT_S:
            return int((data.length + data.headers)[full].min())
    return None


def black_hole_at_receiver(data: Data, acks: Acks, segment: int) -> int | None:
    """Size of full segments of which none ever arrived, while small ones did on both sides of a hole [B]."""
    gaps = np.flatnonzero(data.start > data.before)
    if not len(gaps) or not len(acks.upto) or data.length.max() >= NEARLY_FULL * segment:
        return None
    hole, since = int(data.before[gaps[0]]), float(data.time_s[gaps[0]])
    filled = (data.start <= hole) & (data.end > hole)
    is_open = acks.upto.max() <= hole and not filled.any() and int(data.start[gaps[0]]) - hole >= segment
    lasts = max(float(data.time_s[-1]), float(acks.time_s[-1])) - since > TIMEOUT_S
    return int(segment + data.headers.max()) if is_open and lasts else None
