"""The rounds of a run: what all congestion controls share (clocks, received packets, random numbers, results).

Values of streams have a row per stream and a column per element: numpy works along rows, and most runs have many
elements of few streams.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Longest that Linux keeps an ACK back (TCP_DELACK_MIN). [s]
DELAYED_ACK_S = 0.04

#: What random numbers are drawn for: each has numbers of its own in every round.
PURPOSES = 4
GAP, HIT, LUCK, PHASE = range(PURPOSES)


@dataclass(frozen=True)
class Simulation:
    """Results of `simulate`, one element per scenario (arrays of the broadcast shape).

    ``throughput_bps`` is payload per second without the warm-up [bit/s], ``received_bytes`` all payload [bytes], and
    ``duration_s`` the time from the first byte sent to the last one received, or the requested duration [s].
    ``start_up_s`` is the time at the full rate of the path (or the window) that slow start lost [s], ``loss_events``
    counts reductions of windows of all streams, and ``rounds`` the simulated round trips; time beyond ``most_rounds``
    is extrapolated.
    """

    throughput_bps: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    received_bytes: NDArray[np.float64]
    start_up_s: NDArray[np.float64]
    loss_events: NDArray[np.float64]
    rounds: NDArray[np.int64]


def summed(streams: NDArray[Any]) -> NDArray[Any]:
    """Sum over the streams of each element.

    Parameters
    ----------
    streams
        A row for each stream, a column for each element.

    Returns
    -------
    array
        The sums, one for each element, in the unit of the streams.

    Examples
    --------
    >>> summed(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [4.0, 6.0]
    """
    return streams[0] if len(streams) == 1 else np.asarray(np.ascontiguousarray(streams.T).sum(axis=1))


def any_stream(streams: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the elements of which any stream is marked.

    Parameters
    ----------
    streams
        A row for each stream, a column for each element.

    Returns
    -------
    array of bool
        One for each element.

    Examples
    --------
    >>> any_stream(np.array([[False, True], [False, False]])).tolist()
    [False, True]
    """
    return streams[0] if len(streams) == 1 else np.asarray(streams.any(axis=0))


def some(values: NDArray[Any]) -> bool:
    """Whether any value is not 0; five times as fast as `any`.

    Parameters
    ----------
    values
        Numbers or truth values of elements or streams.

    Returns
    -------
    bool
        One for all.

    Examples
    --------
    >>> some(np.array([False, True])), some(np.zeros(2))
    (True, False)
    """
    return bool(np.count_nonzero(values))


def _mixed(number: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's mixing function (Steele, Lea, Flood, OOPSLA 2014): neighbouring numbers become unrelated ones."""
    number = number ^ (number >> np.uint64(30))
    number *= np.uint64(0xBF58476D1CE4E5B9)
    number ^= number >> np.uint64(27)
    number *= np.uint64(0x94D049BB133111EB)
    number ^= number >> np.uint64(31)
    return number


class Run:
    """State that all congestion controls share: clocks, received packets, results."""

    def __init__(self, value: dict[str, NDArray[np.float64]], streams: int, seed: int) -> None:
        self.n = streams
        size = value["rate_bps"].size
        stream = np.arange(streams, dtype=np.uint64)[:, None]
        numbers = value["sequence"].astype(np.uint64) << np.uint64(24) | stream
        self.key = _mixed(_mixed(numbers) + np.uint64(seed))
        wire = value["mss_bytes"] + value["packet_overhead_bytes"]
        self.capacity = value["rate_bps"] / 8 / wire  # packets/s
        self.rtt = value["rtt_s"]
        self.bdp = self.capacity * self.rtt
        self.queue = np.where(np.isnan(value["queue_bytes"]), self.bdp, value["queue_bytes"] / wire)
        self.loss = value["loss"]
        self.cap = np.maximum(value["window_bytes"] / value["mss_bytes"], 1.0)
        self.mss = value["mss_bytes"]
        # What a receiver that tunes its buffer offers in the first rounds: 64 KB without a scale factor (RFC 7323), its
        # part of the default tcp_rmem of 131072 bytes, then by dynamic right-sizing (tcp_rcvbuf_grow) twice what came
        # in the first round and twice its growth; later rounds may double. Matters for packets of more than 6 KB.
        offered = np.array([65535.0, 91136.0, 152048.0])[:, None]
        self.first_windows = np.maximum(np.floor(offered / self.mss), 1.0)
        self.iw = value["initial_window"]
        self.growth = np.where(value["byte_counting"] != 0, 2.0, 1 + 1 / value["ack_every"])
        self.reno_step = np.where(value["byte_counting"] != 0, 1.0, 1 / value["ack_every"])
        # Segments that leave a sender back to back: what 1.2 times the rate brings in 1/1024 s, up to 64 KiB, and at
        # least 2 (tcp_tso_autosize); at most a third of the window (tcp_tso_should_defer).
        bunch = np.maximum(np.minimum(1.2 * self.capacity / 1024, 65536 / self.mss), 2.0)
        self.bunch = np.minimum(bunch, np.maximum((self.bdp + self.queue) / 3, 1.0))
        self.together = value["bunching"] * (self.bunch - 1)
        self.hystart = value["hystart"] != 0
        self.lockstep = value["lockstep"] != 0
        self.end = np.where(np.isnan(value["duration_s"]), np.inf, value["duration_s"])
        self.amount = np.where(np.isinf(self.end), value["transfer_bytes"] / value["mss_bytes"], np.inf)  # packets
        self.warm_up = np.where(np.isinf(self.end), 0.0, value["warm_up_s"])
        self.full_rate = np.minimum(self.capacity, self.cap * streams / self.rtt)
        self.index = np.arange(size)
        self.over = np.zeros(size, dtype=bool)
        self.t = np.zeros(size)
        self.received = np.zeros(size)
        self.counted = np.zeros(size)
        self.lost_time = np.zeros(size)
        self.starting = np.ones(size, dtype=bool)
        self.events = np.zeros(size)
        self.rounds = 0
        self.half = (self.t, self.received, self.events)
        self.result = {f.name: np.full(size, np.nan) for f in fields(Simulation)}

    def chance(self, purpose: int, which: tuple[NDArray[np.int64], ...] | None = None) -> NDArray[np.float64]:
        """Random numbers between 0 and 1 of this round, for all streams or some; an element has the same ones alone."""
        number = (self.rounds * PURPOSES + purpose + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        bits = _mixed((self.key if which is None else self.key[which]) + np.uint64(number))
        bits >>= np.uint64(12)
        numbers = bits.astype(np.float64)
        numbers += 0.5
        numbers *= 2.0**-52
        return numbers

    def run(self, most_rounds: int) -> dict[str, NDArray[np.float64]]:
        """All rounds; the result of each element at its own end."""
        while self.index.size:
            self.rounds += 1
            self.round()
            if self.rounds == most_rounds // 2:
                self.half = (self.t.copy(), self.received.copy(), self.events.copy())
            if self.rounds == most_rounds:
                self.extrapolate()
                break
        return self.result

    def round(self) -> None:
        """Simulate one round trip of all elements; each congestion control has its own."""
        raise NotImplementedError

    def account(self, delivered: NDArray[np.float64], length: NDArray[np.float64], train: NDArray[np.float64]) -> None:
        """Add a round of `delivered` packets in `length` seconds, a final part of them over `train`."""
        after = self.t + length
        span = np.minimum(after, self.end) - np.maximum(self.t, self.warm_up)
        self.counted += delivered * np.minimum(np.maximum(span / length, 0.0), 1.0)
        if some(self.starting):
            self.lost_time += self.starting * (length - delivered / self.full_rate)
        missing = self.amount - self.received
        self.received = self.received + delivered * np.minimum((self.end - self.t) / length, 1.0)
        done = ((after >= self.end) | (delivered >= missing)) & ~self.over
        any_done = some(done)
        if any_done:
            with np.errstate(invalid="ignore", divide="ignore"):  # a round that delivers nothing ends a timed run
                part = self.time_of_part(missing / delivered, train)
                finish = np.where(np.isfinite(self.end), self.end, self.t + part + self.rtt / 2)
            self.finish(done, finish)
        self.t = after
        if any_done:
            self.over |= done
            if 4 * np.count_nonzero(self.over) >= self.over.size:  # copying costs more than a few idle elements
                self.keep(~self.over)

    def time_of_part(self, part: NDArray[np.float64], train: NDArray[np.float64]) -> NDArray[np.float64]:
        """Seconds until a part of the last round is sent, evenly."""
        return train * part

    def finish(self, done: NDArray[np.bool_], when: NDArray[np.float64]) -> None:
        """Write down the results of the elements that are done."""
        timed = np.isfinite(self.end)
        packets = np.where(timed, self.counted, self.amount)
        seconds = np.where(timed, self.end - self.warm_up, when)
        out, i = self.result, self.index[done]
        out["throughput_bps"][i] = (packets * self.mss * 8 / seconds)[done]
        out["duration_s"][i] = when[done]
        out["received_bytes"][i] = (np.where(timed, self.received, self.amount) * self.mss)[done]
        out["start_up_s"][i] = self.lost_time[done]
        out["loss_events"][i] = self.events[done]
        out["rounds"][i] = self.rounds

    def extrapolate(self) -> None:
        """Extrapolate the rest of the time at the mean rate of the second half of the rounds."""
        seconds = self.t - self.half[0]
        rate = (self.received - self.half[1]) / seconds
        timed = np.isfinite(self.end)
        rest = np.where(timed, self.end - self.t, 0.0)
        self.counted += rate * np.minimum(rest, self.end - self.warm_up)
        when = np.where(timed, self.end, self.t + (self.amount - self.received) / rate + self.rtt / 2)
        self.received = self.received + rate * rest
        self.events += (self.events - self.half[2]) / seconds * np.maximum(when - self.t, 0.0)
        self.finish(~self.over, when)

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Drop the elements that are done."""
        size = chosen.size
        self.half = (self.half[0][chosen], self.half[1][chosen], self.half[2][chosen])
        for name, v in vars(self).items():
            if isinstance(v, np.ndarray) and v.shape[-1:] == (size,):
                setattr(self, name, np.compress(chosen, v, axis=-1))
