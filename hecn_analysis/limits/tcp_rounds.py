"""TCP transfers round by round: many scenarios, or many random draws of one, in one numpy step per round trip.

A round is one round-trip time of one scenario: the window's packets pass the narrowest port, a queue builds up in front
of it, some packets are lost at random, and packets that find the queue full are lost too. What a sender makes of it
(slow start, HyStart, recovery, growth) follows Linux (`tcp_input.c`, `tcp_output.c`, `tcp_cubic.c`, `tcp_bic.c`,
`tcp_htcp.c`, `tcp_bbr.c`) and RFC 5681, 6675, 6937, 8985 and 9438. No number is fitted to throughputs; two that the
sources do not give are of the order seen on Linux 6.18: the jitter of a host, and how long ACKs of streams wait that
are read in turn.

Left out: reordering, losses of ACKs, several bottlenecks, other traffic, ECN, and retransmission timeouts other than
the probe of a short tail; so it is good for losses of up to some percent. BBR is version 1, the one in Linux. Version 3
(draft-ietf-ccwg-bbr) differs where packets are lost: it leaves start-up and lowers what it keeps in flight at a loss of
more than 2 % in a round trip, keeps half a product of rate and round trip under way while it probes that (every 5 s),
and starts at 2.77 instead of 2.89 windows a round trip; without losses, the probes of version 1 bound its cost.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from hecn_analysis.errors import RangeError, did_you_mean
from hecn_analysis.limits._checks import refuse, require_not_negative, require_positive, require_whole, warn_outside

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONGESTION_CONTROLS = ("reno", "cubic", "bic", "htcp", "bbr")
MAX_ROUNDS = 6_000

#: Above, many windows are so small that a loss ends in a timeout.
MOST_LOSS = 0.05

#: Longest that Linux keeps an ACK back (TCP_DELACK_MIN). [s]
DELAYED_ACK_S = 0.04

_WRITE_BYTES = 65536  # of a tool that writes and reads its streams in turn


@dataclass(frozen=True)
class Simulation:
    """What `simulate` found, one element per scenario (arrays of the broadcast shape).

    Parameters
    ----------
    throughput_bps
        Payload received per second, without the warm-up. [bit/s]
    duration_s
        Time from the first byte sent to the last one received, or the duration asked for. [s]
    received_bytes
        Payload received in all, warm-up included. [bytes]
    start_up_s
        Time at the full rate of the path (or of the window) that was lost until slow start ended. [s]
    loss_events
        Times that a sender reduced its window because of lost packets, all streams together.
    rounds
        Round trips that were simulated; above `most_rounds` the rest of the time is extrapolated.
    """

    throughput_bps: NDArray[np.float64]
    duration_s: NDArray[np.float64]
    received_bytes: NDArray[np.float64]
    start_up_s: NDArray[np.float64]
    loss_events: NDArray[np.float64]
    rounds: NDArray[np.int64]


def simulate(  # one keyword per physical quantity
    *,
    rate_bps: ArrayLike,
    rtt_s: ArrayLike,
    mss_bytes: ArrayLike = 8948,
    packet_overhead_bytes: ArrayLike = 90,
    loss: ArrayLike = 0.0,
    window_bytes: ArrayLike = np.inf,
    queue_bytes: ArrayLike | None = None,
    congestion_control: ArrayLike = "cubic",
    streams: ArrayLike = 1,
    duration_s: ArrayLike | None = None,
    transfer_bytes: ArrayLike | None = None,
    warm_up_s: ArrayLike = 0.0,
    initial_window: ArrayLike = 10,
    ack_every: ArrayLike = 2,
    byte_counting: ArrayLike = True,
    hystart: ArrayLike = True,
    lockstep: ArrayLike = False,
    bunching: ArrayLike = 1.0,
    sequence: ArrayLike | None = None,
    seed: int = 0,
    most_rounds: int = MAX_ROUNDS,
) -> Simulation:
    """Simulate TCP transfers over a path with one bottleneck; all arguments but the last two broadcast.

    Parameters
    ----------
    rate_bps
        Rate of the narrowest port. A packet costs `mss_bytes + packet_overhead_bytes` there: with the default overhead
        this is the line rate of an Ethernet (IP length + 38 bytes), with an overhead of 0 it is a rate of payload (a
        disk, a CPU). [bit/s]
    rtt_s
        Round-trip time without queueing. [s]
    mss_bytes
        Payload of a packet: MTU - 52 with timestamps and IPv4. [bytes]
    packet_overhead_bytes
        What a packet costs more at the bottleneck: 52 + 38 with timestamps, IPv4 and untagged Ethernet. [bytes]
    loss
        Probability that a data packet is lost at random, before the queue. [fraction]
    window_bytes
        Usable window of each stream (see `tcp_window`). [bytes]
    queue_bytes
        Room in front of the bottleneck, overhead counted; None or NaN: one bandwidth-delay product. [bytes]
    congestion_control
        One of reno, cubic, bic, htcp, bbr.
    streams
        Parallel connections that share the bottleneck; rates are those of all together.
    duration_s, transfer_bytes
        One of them is given (NaN in an element: the other holds there): a timed test, or a fixed amount in all streams
        together, whose time runs from the first byte sent to the last one received; where both are, the test is timed.
        [s], [bytes]
    warm_up_s
        First seconds of a timed test that are left out of the average. [s]
    initial_window
        Packets: 10 since Linux 2.6.39 (RFC 6928), 3 before.
    ack_every
        Segments per ACK: 2 (RFC 1122), more where LRO or GRO merges packets.
    byte_counting
        Slow start counts acknowledged segments (Linux since 3.13: the window doubles each round) and not ACKs (before:
        it grows by 1 + 1/`ack_every`; Reno's growth is then 1/`ack_every` packets a round).
    hystart
        CUBIC leaves slow start as Linux does by default since 2.6.29.
    lockstep
        One process writes the streams in turn (nuttcp -N), so that all move at the pace of the slowest.
    bunching
        How much of a bunch of packets, sent back to back, finds the queue full together: 1 all of one, 0 where packets
        are paced, 2 where two bunches meet.
    sequence
        Number of the sequence of random numbers of an element: those with the same one have the same luck, whatever
        else is simulated beside them; None: each has its own.
    seed
        Same inputs and same seed, same result.
    most_rounds
        Round trips that are followed.

    Returns
    -------
    Simulation
        For lossy paths each element is one random run; give S copies to get a distribution. NaN in gives NaN out in
        that element.

    Notes
    -----
    After `most_rounds` round trips of an element (very short round-trip times) the rest of its time goes on at the mean
    rate of the second half of them; the error of that mean is the spread between loss cycles over the root of their
    number. Rounds in which nothing can change, a window reached or a link full without losses, are taken in one step.

    Examples
    --------
    A window of 10 MB over 100 ms; one second of slow start is left out:

    >>> sim = simulate(rate_bps=10e9, rtt_s=0.1, window_bytes=10e6, duration_s=30, warm_up_s=2)
    >>> float(sim.throughput_bps) / 1e6
    800.0

    Linux 2.6.2x without LRO over 80.15 ms, 30 s from the start: a 2009 test with nuttcp measured 9442 Mb/s.

    >>> sim = simulate(rate_bps=10e9, rtt_s=0.08015, window_bytes=100e6, queue_bytes=np.inf, congestion_control="bic",
    ...                duration_s=30, initial_window=3, byte_counting=False)
    >>> round(float(sim.throughput_bps) / 1e6, -1)
    9410.0
    """
    known = set(np.unique(np.asarray(congestion_control, dtype=str)).tolist())
    for name in sorted(known - set(CONGESTION_CONTROLS)):
        advice = did_you_mean(name, CONGESTION_CONTROLS)
        raise RangeError(
            f"congestion_control: found {name!r}, expected one of {', '.join(CONGESTION_CONTROLS)}"
            + (f"; {advice}" if advice else "")
        )
    if duration_s is None and transfer_bytes is None:
        raise RangeError(
            "found neither duration_s nor transfer_bytes, expected the one that says when the transfer ends"
        )
    numbers = {
        "rate_bps": rate_bps,
        "rtt_s": rtt_s,
        "mss_bytes": mss_bytes,
        "packet_overhead_bytes": packet_overhead_bytes,
        "loss": loss,
        "window_bytes": window_bytes,
        "queue_bytes": np.nan if queue_bytes is None else queue_bytes,
        "streams": streams,
        "duration_s": np.nan if duration_s is None else duration_s,
        "transfer_bytes": np.nan if transfer_bytes is None else transfer_bytes,
        "warm_up_s": warm_up_s,
        "initial_window": initial_window,
        "ack_every": ack_every,
        "byte_counting": byte_counting,
        "hystart": hystart,
        "lockstep": lockstep,
        "bunching": bunching,
        "sequence": 0 if sequence is None else sequence,
    }
    arrays = [np.asarray(v, dtype=float) for v in numbers.values()]
    control = np.asarray(congestion_control, dtype=str)
    shape = np.broadcast_shapes(control.shape, *(a.shape for a in arrays))
    value = {k: np.broadcast_to(a, shape).ravel() for k, a in zip(numbers, arrays, strict=True)}
    control = np.broadcast_to(control, shape).ravel()
    if sequence is None:
        value["sequence"] = np.arange(control.size, dtype=float)
    _check(value)
    optional = ("queue_bytes", "duration_s", "transfer_bytes")
    usable = ~np.any([np.isnan(v) for k, v in value.items() if k not in optional], axis=0)
    usable &= ~(np.isnan(value["duration_s"]) & np.isnan(value["transfer_bytes"]))
    result = {f.name: np.full(control.size, np.nan) for f in fields(Simulation)}
    # One group per congestion control and number of streams: each then runs without cases that do not concern it.
    for name in CONGESTION_CONTROLS:
        for n in np.unique(value["streams"][usable & (control == name)]).astype(int):
            chosen = np.flatnonzero(usable & (control == name) & (value["streams"] == n))
            group = {k: v[chosen] for k, v in value.items()}
            run = _Bbr(group, int(n), seed) if name == "bbr" else _LossBased(name, group, int(n), seed)
            for k, v in run.run(most_rounds).items():
                result[k][chosen] = v
    return Simulation(**{k: v.reshape(shape) for k, v in result.items()})


def _check(value: dict[str, NDArray[np.float64]]) -> None:
    """Refuse what cannot be, naming the argument."""
    finite = ("rate_bps", "rtt_s", "mss_bytes", "duration_s", "transfer_bytes")
    for name in finite:
        refuse(name, value[name], (value[name] <= 0) | np.isinf(value[name]), "a finite number > 0")
    require_positive(window_bytes=value["window_bytes"])
    at_least_zero = ("packet_overhead_bytes", "queue_bytes", "warm_up_s", "bunching")
    require_not_negative(**{k: value[k] for k in at_least_zero})
    for name in ("initial_window", "ack_every"):
        refuse(name, value[name], value[name] < 1, "a number >= 1")
    require_whole(1, streams=value["streams"])
    refuse("loss", value["loss"], (value["loss"] < 0) | (value["loss"] >= 1), "0 to less than 1")
    timeouts = "timeouts are not simulated, the rate is lower"
    warn_outside("loss", value["loss"], value["loss"] > MOST_LOSS, f"{MOST_LOSS:.10g} and less", timeouts)
    refuse("warm_up_s", value["warm_up_s"], value["warm_up_s"] >= value["duration_s"], "less than duration_s")


def _total(streams: NDArray[Any]) -> NDArray[Any]:
    """Sum over the streams of each element."""
    return streams[:, 0] if streams.shape[1] == 1 else np.asarray(streams.sum(axis=1))


def _any(streams: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether it is true of a stream of each element."""
    return streams[:, 0] if streams.shape[1] == 1 else np.asarray(streams.any(axis=1))


#: What random numbers are drawn for: each has numbers of its own in every round.
_PURPOSES = 4
_GAP, _HIT, _LUCK, _PHASE = range(_PURPOSES)


def _mixed(number: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's mixing function (Steele, Lea, Flood, OOPSLA 2014): neighbouring numbers become unrelated ones."""
    number = number ^ (number >> np.uint64(30))
    number *= np.uint64(0xBF58476D1CE4E5B9)
    number ^= number >> np.uint64(27)
    number *= np.uint64(0x94D049BB133111EB)
    number ^= number >> np.uint64(31)
    return number


class _Run:
    """State and book-keeping that all congestion controls share: clocks, received packets, results."""

    def __init__(self, value: dict[str, NDArray[np.float64]], streams: int, seed: int) -> None:
        self.n = streams
        size = value["rate_bps"].size
        numbers = value["sequence"].astype(np.uint64)[:, None] << np.uint64(24) | np.arange(streams, dtype=np.uint64)
        self.key = _mixed(_mixed(numbers) + np.uint64(seed))
        wire = value["mss_bytes"] + value["packet_overhead_bytes"]
        self.capacity = value["rate_bps"] / 8 / wire  # packets/s
        self.rtt = value["rtt_s"]
        self.bdp = self.capacity * self.rtt
        self.queue = np.where(np.isnan(value["queue_bytes"]), self.bdp, value["queue_bytes"] / wire)
        self.loss = value["loss"]
        self.cap = np.maximum(value["window_bytes"] / value["mss_bytes"], 1.0)[:, None]
        self.mss = value["mss_bytes"]
        # What a receiver that tunes its buffer offers in the first rounds: 64 KB without a scale factor (RFC 7323), its
        # part of the default tcp_rmem of 131072 bytes, then by dynamic right-sizing (tcp_rcvbuf_grow) twice what came
        # in the first round and twice its growth; later rounds may double. Matters for packets of more than 6 KB.
        self.first_windows = np.maximum(np.floor(np.array([65535.0, 91136.0, 152048.0]) / self.mss[:, None]), 1.0)
        self.iw = value["initial_window"]
        self.growth = np.where(value["byte_counting"] != 0, 2.0, 1 + 1 / value["ack_every"])
        self.reno_step = np.where(value["byte_counting"] != 0, 1.0, 1 / value["ack_every"])[:, None]
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
        self.full_rate = np.minimum(self.capacity, self.cap[:, 0] * streams / self.rtt)
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
        """Random numbers between 0 and 1 of this round, of all streams or those of some indices.

        They depend on nothing but the seed, the sequence of the element, the stream, the round and the purpose: an
        element fares the same alone and in company.
        """
        number = (self.rounds * _PURPOSES + purpose + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
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
        raise NotImplementedError

    def account(self, delivered: NDArray[np.float64], length: NDArray[np.float64], train: NDArray[np.float64]) -> None:
        """Add a round of `delivered` packets in `length` seconds, a final part of them over `train`."""
        after = self.t + length
        span = np.minimum(after, self.end) - np.maximum(self.t, self.warm_up)
        self.counted += delivered * np.minimum(np.maximum(span / length, 0.0), 1.0)
        self.lost_time += self.starting * (length - delivered / self.full_rate)
        missing = self.amount - self.received
        done = ((after >= self.end) | (delivered >= missing)) & ~self.over
        if done.any():
            with np.errstate(invalid="ignore"):
                part = self.time_of_part(missing / delivered, train)
                finish = np.where(np.isfinite(self.end), self.end, self.t + part + self.rtt / 2)
            self.finish(done, finish)
        self.received = self.received + delivered
        self.t = after
        if done.any():
            self.over |= done
            if 4 * np.count_nonzero(self.over) >= self.over.size:  # copying costs more than a few idle elements
                self.keep(~self.over)

    def time_of_part(self, part: NDArray[np.float64], train: NDArray[np.float64]) -> NDArray[np.float64]:
        """Seconds until a part of the last round is sent: evenly."""
        return train * part

    def finish(self, done: NDArray[np.bool_], when: NDArray[np.float64]) -> None:
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
        """The rest of the time at the mean rate of the second half of the rounds."""
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
            if isinstance(v, np.ndarray) and v.shape[:1] == (size,):
                setattr(self, name, v[chosen])


class _LossBased(_Run):
    """Reno, CUBIC, BIC and H-TCP: the window grows until a packet is lost."""

    def __init__(self, name: str, value: dict[str, NDArray[np.float64]], streams: int, seed: int) -> None:
        super().__init__(value, streams, seed)
        size = self.t.size
        shape = (size, streams)
        self.name = name
        self.hystart = self.hystart & (name == "cubic")
        self.window = np.broadcast_to(self.iw[:, None], shape).copy()
        self.threshold = np.full(shape, np.inf)
        self.last_growth = np.zeros(shape)
        self.loss_at = np.full(shape, np.nan)  # fraction of the last round at which an unanswered loss occurred
        self.quiet = np.zeros(shape)  # fraction of this round that is still recovery
        self.lossy = bool((self.loss > 0).any())
        self.silent = np.zeros(shape, dtype=np.int64)  # rounds without sending
        with np.errstate(divide="ignore", over="ignore"):  # no loss, or one in more packets than a float can say
            self.mean_gap = np.broadcast_to(1 / self.loss[:, None], shape)
            self.to_loss = -np.log(self.chance(_GAP)) * self.mean_gap if self.lossy else np.full(shape, np.inf)
        overflows = self.cap[:, 0] * streams + self.together > self.bdp + self.queue
        self.steady = ~overflows & ~self.lockstep
        # congestion avoidance
        self.last_max = np.zeros(shape)
        self.origin = np.zeros(shape)
        self.k = np.zeros(shape)
        self.reno_window = np.zeros(shape)
        self.reno_seen = np.zeros(shape)
        self.looked = np.zeros(shape)
        self.epoch = np.full(shape, np.nan)  # seconds since growth resumed
        self.in_turn = streams > 1 and bool(self.lockstep.any())
        self.sent = np.zeros(shape)
        self.written = np.zeros(size)
        self.widest = self.window.copy()
        self.dry = np.zeros(shape, dtype=bool)
        self.before = np.zeros(shape)

    def wait_for_ack(self, total: NDArray[np.float64]) -> NDArray[np.float64]:
        """Seconds that ACKs of streams come late which are read in turn.

        All but one have data that wait to be read. Then the window does not grow, and the receiver leaves ACKs to their
        timer (`__tcp_ack_snd_check`), unless the turn comes before, after 64 KiB of the stream that is waited for: half
        of the timer if the turn never came, a third is near what Linux 6.18 showed with four streams (8 to 16 ms at
        round trips of 15, 45 and 90 ms).
        """
        turn = self.rtt * _WRITE_BYTES / self.mss * self.n / np.maximum(total, 1.0)
        return np.where(self.lockstep, (1 - 1 / self.n) * np.minimum(DELAYED_ACK_S / 3, turn), 0.0)

    def round(self) -> None:
        if self.rounds <= self.first_windows.shape[1]:
            self.window = np.minimum(self.window, self.first_windows[:, self.rounds - 1, None])
        flight = allowed = np.minimum(np.floor(self.window), self.cap)
        slow = self.window < self.threshold
        burst = np.zeros(self.t.size)
        if self.in_turn:
            flight, burst = self.in_step(flight)
        held = flight < allowed
        if self.in_turn:
            self.dry, self.before = held, flight
        pending = ~np.isnan(self.loss_at)
        if pending.any():
            flight = self.reduce(pending, flight)
            slow &= ~pending
        if self.silent.any():
            flight = np.where(self.silent > 0, 0.0, flight)
            held |= self.silent > 0
            self.silent = np.maximum(self.silent - 1, 0)
        total = _total(flight)
        rtt, bdp = self.rtt, self.bdp
        if self.in_turn:
            rtt = rtt + self.wait_for_ack(total)
            bdp = self.capacity * rtt
        times = self.repeats(flight, total, slow, pending)
        # Highest queue in the round. In slow start packets arrive faster than they leave, by the growth.
        burst = np.maximum(burst, _total(np.where(slow, flight, 0.0)) * (1 - 1 / self.growth))
        peak = np.maximum(burst, total - bdp + self.together)
        lost = np.maximum(peak - self.queue, 0.0)
        length = np.maximum(rtt, np.minimum(total, bdp + self.queue) / self.capacity) * times
        delivered = np.minimum((total - lost) * (1 - self.loss) * times, self.capacity * length)
        new_loss: NDArray[np.float64] = np.full(flight.shape, np.nan)
        if (lost > 0).any():
            self.overflow(new_loss, lost=lost, peak=peak, flight=flight, slow=slow)
            new_loss[pending] = np.nan
        if self.lossy:
            self.random_loss(flight * times[:, None], new_loss)
        self.grow(flight=flight, length=length, slow=slow, pending=pending, held=held)
        self.loss_at = new_loss
        self.starting &= _any(slow & (self.window < self.cap))
        if self.in_turn:
            self.sent += flight * times[:, None]
            np.maximum(self.widest, self.window, out=self.widest)
        # a last part of slow start's round comes in one train; later, packets are spread over the round
        idle = np.where(_any(slow), np.maximum(length / times - total / self.capacity, 0.0), 0.0)
        self.account(delivered, length, length - idle)

    def repeats(
        self,
        flight: NDArray[np.float64],
        total: NDArray[np.float64],
        slow: NDArray[np.bool_],
        pending: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """How many rounds are like this one: more where nothing can change until the next loss or the end."""
        full = (self.loss == 0) & (total >= self.bdp) & ~_any(slow)
        calm = self.steady & (~_any(self.window < self.cap) | full)
        if not calm.any():
            return np.ones(total.size)
        calm &= ~_any(pending) & ~_any(self.quiet + self.silent != 0)
        length = np.maximum(self.rtt, total / self.capacity)
        packets = np.maximum(flight, 1.0)
        left = np.minimum((self.end - self.t) / length, (self.amount - self.received) / _total(packets))
        to_loss = np.min((self.to_loss - 1) / packets, axis=1)
        return np.where(calm, np.maximum(np.floor(np.minimum(left, to_loss)), 1.0), 1.0)

    def in_step(self, flight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Packets that streams may send which one process writes in turn, and what of it comes in a burst.

        The process stops at the first socket whose buffer is full, and Linux wakes it when a third is free again
        (sk_stream_write_space): meanwhile other streams run dry, and then all that their windows allow comes at once.
        """
        # tcp_sndbuf_expand: twice the largest window, in segments that count the next power of two of MSS and headers;
        # estimates, not derived: a tenth of it is no payload, and a fixed buffer is 1.5 usable windows
        memory = np.exp2(np.ceil(np.log2(self.mss + 640))) + 256
        room = np.minimum(2 * self.widest * (0.9 * memory / self.mss)[:, None], 1.5 * self.cap)
        limit = np.min(self.sent + room, axis=1)
        fullest = np.argmin(self.sent + room, axis=1)
        pick = np.arange(fullest.size), fullest
        woken = self.written - self.sent[pick] <= room[pick] * 2 / 3
        self.written = np.where(woken, np.maximum(limit, self.written), self.written)
        bound = np.clip(self.written[:, None] - self.sent, 0.0, flight)
        flight = np.where(self.lockstep[:, None], bound, flight)
        burst = np.where(self.lockstep[:, None] & self.dry, np.maximum(flight - self.before, 0.0), 0.0).sum(axis=1)
        queued = np.maximum(self.before.sum(axis=1) - self.bdp, 0.0)
        return flight, np.where(burst > 0, burst + queued, 0.0)

    def overflow(
        self,
        new_loss: NDArray[np.float64],
        *,
        lost: NDArray[np.float64],
        peak: NDArray[np.float64],
        flight: NDArray[np.float64],
        slow: NDArray[np.bool_],
    ) -> None:
        """Tail drop: which streams lose packets, and at which part of the round the first one goes."""
        full = lost > 0
        starting = _any(slow)
        before = np.maximum(_total(flight) / self.growth - self.bdp, 0.0)  # queue as a round of slow start begins
        with np.errstate(invalid="ignore", divide="ignore"):
            where = np.where(starting, np.clip((self.queue - before) / (peak - before), 0.0, 1.0), 0.5)
        hit: NDArray[np.bool_] = np.broadcast_to(full[:, None], flight.shape)
        if self.n > 1:
            share = np.where(starting[:, None], flight * slow, flight)
            share = lost[:, None] * share / np.maximum(share.sum(axis=1, keepdims=True), 1.0)
            luck = self.chance(_HIT) + np.expm1(-share)
            hit = hit & ((luck < 0) | (luck == np.amin(luck, axis=1, keepdims=True)))
        np.copyto(new_loss, np.broadcast_to(where[:, None], flight.shape), where=hit)

    def random_loss(self, sent: NDArray[np.float64], new_loss: NDArray[np.float64]) -> None:
        """Count down to the next lost packet of each stream; losses of one round trip are one event."""
        self.to_loss -= sent
        hit = np.asarray(self.to_loss <= 0)
        if hit.any():
            i = np.nonzero(hit)
            where = np.minimum(np.maximum(1 + self.to_loss[i] / sent[i], 0.0), 1.0)
            known = new_loss[i]
            new_loss[i] = np.where(np.isnan(known), where, np.minimum(known, where))
            # the next event is one of the packets sent from the same part of the next round on
            gap = -np.log(self.chance(_GAP, i)) * self.mean_gap[i]
            self.to_loss[i] = gap + where * np.minimum(np.floor(self.window[i]), self.cap[i[0], 0])

    def reduce(self, pending: NDArray[np.bool_], flight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Answer to a loss, at the part of the round where the sender learns of it; packets sent in this round."""
        at = np.where(pending, self.loss_at, 1.0)
        window: NDArray[np.float64] = np.floor(self.window - (1 - at) * self.last_growth)
        new = np.maximum(np.floor(self.reduced(window, pending)), 2.0)
        self.events += _total(pending)
        self.window = np.where(pending, new, self.window)
        self.threshold = np.where(pending, new, self.threshold)
        self.epoch[pending] = np.nan
        # fewer than four packets bring no three duplicate ACKs: the tail is probed after two round trips (RFC 8985)
        self.silent = np.where(pending & (flight < 4), 2, self.silent)
        sent: NDArray[np.float64] = at * flight + (1 - at) * np.minimum(flight, np.minimum(self.window, self.cap))
        return sent

    def reduced(self, window: NDArray[np.float64], pending: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Slow-start threshold of the kernel's module."""
        if self.name == "reno":
            return window / 2
        if self.name == "htcp":
            # beta = RTTmin/RTTmax in 0.5 to 0.8; 0.5 where the least RTT is below 10 ms (tcp_htcp.c)
            largest = self.rtt + np.minimum(self.queue, np.maximum(_total(self.window) - self.bdp, 0.0)) / self.capacity
            beta = np.where(self.rtt <= 0.010, 0.5, np.clip(self.rtt / largest, 0.5, 0.8))[:, None]
            self.last_max = np.where(pending, beta, self.last_max)
            return window * beta
        kept = 717 / 1024 if self.name == "cubic" else 819 / 1024
        fast = np.where(window < self.last_max, window * (1 + kept) / 2, window)  # fast convergence
        self.last_max = np.where(pending, fast, self.last_max)
        if self.name == "bic":
            return np.where(window <= 14, window / 2, window * kept)
        return window * kept

    def grow(
        self,
        *,
        flight: NDArray[np.float64],
        length: NDArray[np.float64],
        slow: NDArray[np.bool_],
        pending: NDArray[np.bool_],
        held: NDArray[np.bool_],
    ) -> None:
        """The window after this round's ACKs."""
        open_part = np.where(pending, 0.0, 1 - self.quiet)
        self.quiet = np.where(pending, self.loss_at, 0.0)
        growth: NDArray[np.float64] = np.zeros(flight.shape)
        avoiding = ~slow & (open_part > 0) & (self.window <= self.cap) & ~held
        if avoiding.any():
            growth = np.where(avoiding, self.avoidance(length[:, None], avoiding) * open_part, 0.0)
        if slow.any():
            room = np.where(self.window < 2 * self.cap, self.threshold - self.window, 0.0)
            faster = np.minimum((self.growth[:, None] - 1) * flight, room) * open_part
            if self.hystart.any():
                faster = self.hystart_exit(faster, flight, slow)
            growth = np.where(slow, faster, growth)
        self.window = self.window + growth
        self.last_growth = growth

    def hystart_exit(
        self, faster: NDArray[np.float64], flight: NDArray[np.float64], slow: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Growth up to where HyStart (tcp_cubic.c) ends slow start.

        That is when a round's ACKs, at most 2 ms apart, last half the least RTT, or when the RTT is up by an eighth.
        """
        pace, total = self.capacity, _total(flight)
        # up to 1 ms is added for ACKs that come late together: four full offload packets at the pacing rate
        slack = np.minimum(0.001, 4 * 65536 / np.maximum(2 * total * self.mss / self.rtt, 1.0))
        threshold = (self.rtt + slack) / 2
        train = self.hystart & (total / pace > threshold) & (2 / pace <= 0.002)
        delay = self.hystart & ((total - self.bdp) / pace > np.clip(self.rtt / 8, 0.004, 0.016))
        out = (train | delay)[:, None] & slow & (flight >= 16)
        if out.any():
            part = np.where(delay, 0.0, threshold * pace / np.maximum(total, 1.0))[:, None]
            faster = np.where(out, faster * part, faster)
            self.threshold = np.where(out, self.window + faster, self.threshold)
        return faster

    def avoidance(self, length: NDArray[np.float64], avoiding: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Growth of the window in one round of congestion avoidance, in packets."""
        w = self.window
        if self.name == "reno":
            return self.reno_step
        if self.name == "bic":
            return self.bic_step()
        begin = avoiding & np.isnan(self.epoch)
        if begin.any():
            self.epoch[begin] = 0.0
            self.reno_window[begin] = self.reno_seen[begin] = w[begin]
            self.looked[begin] = 0.0
            self.origin[begin] = np.maximum(self.last_max, w)[begin]
            self.k[begin] = np.cbrt(np.maximum(self.last_max - w, 0.0)[begin] / 0.4)
        if self.name == "htcp":
            return self.htcp_step(length)
        since = self.epoch + self.rtt[:, None]
        since -= self.k
        step = 0.4 * since
        step *= since
        step *= since
        step += self.origin
        step -= w
        step = np.minimum(np.maximum(step, 0.01), w / 2)  # tcp_cubic.c: cnt between 2 and 100 windows
        before = self.last_max == 0
        if before.any():
            step = np.where(before, np.maximum(step, w / 20), step)  # 5 % a round before the first loss
        self.reno_window += 3 * (1024 - 717) / (1024 + 717)
        self.epoch += length
        # whole packets, and a new look at most every 1/32 s (bictcp_update)
        look = self.epoch - self.looked >= 1 / 32
        self.reno_seen = np.where(look, np.floor(self.reno_window), self.reno_seen)
        self.looked = np.where(look, self.epoch, self.looked)
        grown: NDArray[np.float64] = np.maximum(step, self.reno_seen - w)
        return grown

    def bic_step(self) -> NDArray[np.float64]:
        """tcp_bic.c: binary search towards the last maximum, then probing beyond; B = 4, smooth part 20, at most 16."""
        w, top = self.window, self.last_max
        away = (top - w) / 4
        below = np.where(away > 16, 16.0, np.where(away <= 1, 4 / 20, away))
        above = np.where(w < top + 4, 4 / 20, np.where(w < top + 16 * 3, (w - top) / 3, 16.0))
        step = np.where(w < top, below, above)
        step = np.maximum(step, np.where(top == 0, w / 20, 0.0))
        return np.where(w <= 14, 1.0, step)

    def htcp_step(self, length: NDArray[np.float64]) -> NDArray[np.float64]:
        """tcp_htcp.c: faster the longer ago the last loss is, scaled with the RTT; alpha = 2 f (1 - beta)."""
        since = np.maximum(self.epoch - 1, 0.0)
        f = 1 + 10 * since + (since / 2) ** 2
        f = np.maximum(np.floor(f * np.clip(self.rtt / 0.1, 0.1, 2.0)[:, None]), 1.0)
        self.epoch += length
        beta = np.where(self.last_max > 0, self.last_max, 0.5)
        step: NDArray[np.float64] = np.maximum(2 * f * (1 - beta), 1.0)
        return step


class _Bbr(_Run):
    """BBR version 1 (tcp_bbr.c): highest delivery rate and least RTT set pace and window; a loss does not.

    Modes by round: start-up (doubling until three rounds bring less than 25 % more), drain, eight-phase probing of the
    bandwidth, and every 10 s a probe of the RTT with four packets for at least 200 ms.
    """

    GAINS = np.array([1.25, 0.75, 1, 1, 1, 1, 1, 1])
    PROBE_EVERY_S = 10.0
    PROBE_S = 0.2
    JITTER_S = 1e-4  # order of what interrupts and scheduling add to a round trip

    def __init__(self, value: dict[str, NDArray[np.float64]], streams: int, seed: int) -> None:
        super().__init__(value, streams, seed)
        size = self.t.size
        shape = (size, streams)
        self.flight = np.minimum(np.broadcast_to(self.iw[:, None], shape), self.first_windows[:, :1])
        self.backlog = np.zeros(size)
        self.samples = np.zeros((*shape, 10))  # packets/s of the last ten rounds
        self.bandwidth = np.zeros(shape)
        self.mode = np.zeros(shape, dtype=np.int8)  # 0 start-up, 1 drain, 2 probe bandwidth
        self.best = np.zeros(shape)
        self.stale = np.zeros(shape, dtype=np.int64)
        self.phase = np.zeros(shape, dtype=np.int64)
        self.least = np.broadcast_to(self.rtt[:, None], shape).copy()
        self.least_since = np.zeros(shape)
        self.as_low = np.exp(-1 / self.capacity / self.JITTER_S)[:, None]
        self.probe_at = np.full(shape, self.PROBE_EVERY_S)
        self.probe_rounds = self.rounds_of_a_probe()[:, None]
        self.probe_left = np.zeros(shape)

    def rounds_of_a_probe(self) -> NDArray[np.float64]:
        """Round trips without data: one until all are acknowledged, then four packets a round for at least 200 ms.

        The end is noticed when an ACK comes: after whole round trips, or, where the packets did not come in pairs, also
        when the delayed ACK of an odd one does.
        """
        rounds = np.ceil(self.PROBE_S / self.rtt)
        odd = np.ceil((self.PROBE_S - DELAYED_ACK_S) / self.rtt) + DELAYED_ACK_S / self.rtt
        return 1 + np.where(self.bunch > 2, np.minimum(rounds, odd), rounds)

    def time_of_part(self, part: NDArray[np.float64], train: NDArray[np.float64]) -> NDArray[np.float64]:
        """In start-up, pace grows as it goes: what is sent doubles in a round trip, without bunches and gaps."""
        growing = self.starting & (self.backlog <= 0)
        return np.where(growing, train * np.log2(1 + np.minimum(part, 1.0)), train * part)

    def round(self) -> None:
        n = self.flight
        length = self.rtt + self.backlog / self.capacity
        # Pace follows the rate of the last round trip; from the third to the fifth round, packets that left evenly
        # spread become the smooth growth of later rounds, which comes 0.24 round trips later than one round after the
        # other (packet by packet, with the kernel's rules).
        length = length + np.where(self.starting & (2 < self.rounds < 6), 0.08 * self.rtt, 0.0)
        total = _total(n)
        arrived = total * (1 - self.loss)
        delivered = np.minimum(self.backlog + arrived, self.capacity * length)
        rest = self.backlog + arrived - delivered
        self.backlog = np.minimum(rest, self.queue)
        self.events += (rest > self.queue) | (total * self.loss > 1)
        # samples taken while probing the RTT are too low and not used: the highest one stays
        rate = n * (delivered / np.maximum(total, 1e-9) / length)[:, None]
        self.samples[:, :, self.rounds % 10] = np.where(self.probe_left > 0, self.bandwidth, rate)
        self.bandwidth = self.samples.max(axis=2)
        starting = self.mode == 0
        self.change_mode(starting)
        window = self.bandwidth * self.least
        pace = 0.99 * self.bandwidth * (self.rtt + self.backlog / self.capacity)[:, None]
        planned = np.where(self.mode == 2, np.minimum(self.GAINS[self.phase] * pace, 2 * window), pace / 2.885)
        # the phase that drains ends when one product and three bunches are left (bbr_quantization_budget)
        drained = np.minimum(window + 3 * self.bunch[:, None], pace)
        planned = np.where((self.mode == 2) & (self.phase == 1), np.maximum(planned, drained), planned)
        faster = np.minimum(2 * n, np.maximum(2.885 * window, 2 * n * (self.rounds < 3)))
        planned = np.where(self.mode == 0, faster, planned)
        planned = self.probe_rtt(planned, length[:, None])
        self.flight = np.clip(planned, np.minimum(4.0, self.cap), self.cap)
        if self.rounds < self.first_windows.shape[1]:
            self.flight = np.minimum(self.flight, self.first_windows[:, self.rounds, None])
        self.starting &= _any(starting)
        self.account(delivered, length, length)

    def change_mode(self, starting: NDArray[np.bool_]) -> None:
        """Leave start-up when the rate grows no more, drain what it queued, then go round the phases of probing."""
        if starting.any():
            more = self.bandwidth >= 1.25 * self.best
            self.best = np.where(starting & more, self.bandwidth, self.best)
            self.stale = np.where(more, 0, self.stale + 1)
            self.mode[starting & (self.stale >= 3)] = 1
        drained = (self.mode == 1) & (self.backlog <= 0.01 * self.bdp)[:, None]
        if drained.any():
            self.mode[drained] = 2
            self.phase = np.where(drained, self.any_phase(), self.phase + 1) % 8
            return
        self.phase = (self.phase + 1) % 8

    def any_phase(self) -> NDArray[np.int64]:
        """Phase to begin with: each but the one that drains (bbr_reset_probe_bw_mode)."""
        return (2 + (7 * self.chance(_PHASE)).astype(np.int64)) % 8

    def probe_rtt(self, planned: NDArray[np.float64], seen: NDArray[np.float64]) -> NDArray[np.float64]:
        """Packets of the next round; `seen` is the RTT of the round that ends.

        The RTT is probed 10 s after the least one was seen. Of samples that differ by jitter only, one in the last L of
        t seconds is the least with probability L/t. But the lone packets of the handshake and of a probe wait for no
        other of their bunch; the longer a packet takes, the less likely jitter makes up for that.
        """
        now = self.t[:, None] + seen
        lower = seen < self.least * (1 - 1e-9)
        luck = self.chance(_LUCK) * (now - self.least_since) < seen * self.as_low
        again = lower | (luck & (seen <= self.least * (1 + 1e-9)))
        self.least_since = np.where(lower, now - seen, self.least_since)
        self.least = np.where(lower, seen, self.least)
        self.probe_at = np.where(again, now + self.PROBE_EVERY_S, self.probe_at)
        start = (now >= self.probe_at) & (self.probe_left <= 0)
        if start.any():
            self.probe_left = np.where(start, self.probe_rounds, self.probe_left)
            self.probe_at = np.where(
                start, now + self.probe_rounds * self.rtt[:, None] + self.PROBE_EVERY_S, self.probe_at
            )
            self.least_since = np.where(start, now, self.least_since)
            self.least = np.where(start, seen, self.least)
            self.phase = np.where(start, self.any_phase(), self.phase)
        silent = np.minimum(self.probe_left, 1.0)
        self.probe_left = self.probe_left - silent
        return np.where(silent > 0, np.maximum(4.0, (1 - silent) * planned), planned)
