"""Reno, CUBIC, BIC and H-TCP, as Linux has them: slow start with HyStart, answer to a loss, growth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hecn_analysis.limits.tcp_rounds.run import DELAYED_ACK_S, GAP, HIT, Run, any_stream, some, summed

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WRITE_BYTES = 65536  # of a tool that writes and reads its streams in turn


_RENO_STEP = 3 * (1024 - 717) / (1024 + 717)  # growth of a Reno flow as fast as CUBIC, packets a round trip


class LossBased(Run):
    """Reno, CUBIC, BIC and H-TCP: the window grows until a packet is lost."""

    def __init__(self, name: str, value: dict[str, NDArray[np.float64]], streams: int, seed: int) -> None:
        super().__init__(value, streams, seed)
        size = self.t.size
        shape = (streams, size)
        self.name = name
        self.hystart = self.hystart & (name == "cubic")
        self.window = np.broadcast_to(self.iw, shape).copy()
        self.threshold = np.full(shape, np.inf)
        self.last_growth = np.zeros(shape)
        self.loss_at = np.full(shape, np.nan)  # fraction of the last round at which an unanswered loss occurred
        self.quiet = np.zeros(shape)  # fraction of this round that is still recovery
        self.lossy = bool((self.loss > 0).any())
        self.silent = np.zeros(shape, dtype=np.int64)  # rounds without sending
        with np.errstate(divide="ignore", over="ignore"):  # no loss, or one in more packets than a float can say
            self.mean_gap = np.broadcast_to(value["loss_burst"] / self.loss, shape)
            self.to_loss = -np.log(self.chance(GAP)) * self.mean_gap if self.lossy else np.full(shape, np.inf)
        overflows = self.cap * streams + self.together > self.bdp + self.queue
        self.steady = ~overflows & ~self.lockstep
        # what is asked in every round
        self.settles, self.exits_early = some(self.steady), some(self.hystart)
        self.lossless = self.loss == 0
        self.arriving = 1 - self.loss
        self.grain = value["grain"]
        self.coarse = name == "cubic" and some(self.grain)
        self.stride = np.ones(size)
        self.grown_part = 1 - 1 / self.growth
        self.room = self.bdp + self.queue
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

    def path(self, total: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Round-trip time, and packets in flight without a queue and with a full one.

        ACKs of streams that are read in turn are late: the window does not grow, and the receiver delays ACKs by its
        timer (`__tcp_ack_snd_check`) unless the turn comes before: by a third of it on Linux 6.18 with four streams.
        """
        if not self.in_turn:
            return self.rtt, self.bdp, self.room
        turn = self.rtt * _WRITE_BYTES / self.mss * self.n / np.maximum(total, 1.0)
        late = np.where(self.lockstep, (1 - 1 / self.n) * np.minimum(DELAYED_ACK_S / 3, turn), 0.0)
        bdp = self.capacity * (self.rtt + late)
        return self.rtt + late, bdp, bdp + self.queue

    def round(self) -> None:
        """Send the window, and let it grow or shrink by the outcome."""
        if self.rounds <= len(self.first_windows):
            self.window = np.minimum(self.window, self.first_windows[self.rounds - 1])
        flight = allowed = np.minimum(np.floor(self.window), self.cap)
        slow = self.window < self.threshold
        burst: NDArray[np.float64] | float = 0.0
        if self.in_turn:
            flight, burst = self.in_step(flight)
        held = flight < allowed
        pending = ~np.isnan(self.loss_at)
        if some(pending):
            flight = self.reduce(pending, flight)
            slow &= ~pending
        any_slow = some(slow)
        self.starting &= any_stream(slow & (self.window < self.cap))
        if some(self.silent):
            flight = np.where(self.silent > 0, 0.0, flight)
            held |= self.silent > 0
            self.silent = np.maximum(self.silent - 1, 0)
        total = summed(flight)
        rtt, bdp, room = self.path(total)
        times = self.repeats(flight, total, slow, pending)
        # Highest queue in the round. In slow start packets arrive faster than they leave, by the growth.
        if any_slow:
            burst = np.maximum(burst, summed(np.where(slow, flight, 0.0)) * self.grown_part)
        peak = np.maximum(burst, total - bdp + self.together)
        lost = np.maximum(peak - self.queue, 0.0)
        length = np.maximum(rtt, np.minimum(total, room) / self.capacity) * times
        delivered = np.minimum((total - lost) * self.arriving * times, self.capacity * length)
        new_loss: NDArray[np.float64] = np.full(flight.shape, np.nan)
        if some(lost):
            self.overflow(new_loss, lost=lost, peak=peak, flight=flight, slow=slow)
            new_loss[pending] = np.nan
        if self.lossy:
            self.random_loss(flight * times, new_loss)
        self.grow(flight=flight, length=length, slow=slow, pending=pending, held=held)
        self.loss_at = new_loss
        delivered = self.over_step(delivered, length)
        if self.in_turn:
            self.dry = held
            self.sent += flight * times
            np.maximum(self.widest, self.window, out=self.widest)
        # a last part of slow start's round comes in one train; later, packets are spread over the round
        train = length
        if any_slow:
            train = length - np.where(any_stream(slow), np.maximum(length / times - total / self.capacity, 0.0), 0.0)
        self.account(delivered, length, train)

    def repeats(
        self,
        flight: NDArray[np.float64],
        total: NDArray[np.float64],
        slow: NDArray[np.bool_],
        pending: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Number of round trips that are one step."""
        equal = self.equal_rounds(flight, total, slow, pending)
        if not self.coarse:
            return equal
        self.stride = self.growing_rounds(flight, total, slow, pending)
        return np.maximum(equal, self.stride)

    def over_step(self, delivered: NDArray[np.float64], length: NDArray[np.float64]) -> NDArray[np.float64]:
        """Delivered packets by the mean of the windows of a step; `delivered` are those by its first window."""
        if not self.coarse:
            return delivered
        more = 0.5 * summed(self.last_growth) * (self.stride - 1)
        return np.minimum(delivered + more, self.capacity * length)

    def equal_rounds(
        self,
        flight: NDArray[np.float64],
        total: NDArray[np.float64],
        slow: NDArray[np.bool_],
        pending: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Number of equal rounds: more than one if nothing can change until the next loss or the end."""
        if not self.settles:
            return np.ones(total.size)
        full = self.lossless & (total >= self.bdp) & ~any_stream(slow)
        calm = self.steady & (~any_stream(self.window < self.cap) | full)
        if not some(calm):
            return np.ones(total.size)
        calm &= ~any_stream(pending) & ~any_stream(self.quiet + self.silent != 0)
        length = np.maximum(self.rtt, total / self.capacity)
        packets = np.maximum(flight, 1.0)
        left = self.rounds_left(packets, length)
        to_loss = np.min((self.to_loss - 1) / packets, axis=0)
        return np.where(calm, np.maximum(np.floor(np.minimum(left, to_loss)), 1.0), 1.0)

    def rounds_left(self, packets: NDArray[np.float64], length: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rounds of so many packets until the end of the time or of the amount."""
        left: NDArray[np.float64] = np.minimum(
            (self.end - self.t) / length, (self.amount - self.received) / summed(packets)
        )
        return left

    def growing_rounds(
        self,
        flight: NDArray[np.float64],
        total: NDArray[np.float64],
        slow: NDArray[np.bool_],
        pending: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Round trips in which CUBIC's window grows by `grain` at most, with no loss, full queue or end among them."""
        w, ones = self.window, np.ones(total.size)
        room = self.room - self.together - total
        steady = ~slow & ~pending & ~np.isnan(self.epoch) & (self.last_max > 0) & (self.quiet + self.silent == 0)
        able = (self.grain > 0) & (room > 0) & ~any_stream(~steady | (w >= self.cap)) & ~self.lockstep
        if not some(able):
            return ones
        most = np.minimum(np.minimum(self.grain, room / np.maximum(total, 1.0)), (self.cap - w) / w)
        length = np.maximum(self.rtt, total / self.capacity)
        until = self.k + np.cbrt((w * (1 + most) - self.origin) / 0.4) - self.epoch - self.rtt
        reno = (w * (1 + most) - self.reno_window) / _RENO_STEP
        rounds = 1 + np.minimum(until / length, reno)
        packets = np.maximum(flight, 1.0) * (1 + most)
        rounds = np.amin(np.minimum(rounds, (self.to_loss - 1) / packets), axis=0)
        left = self.rounds_left(packets, length)
        return np.where(able, np.maximum(np.floor(np.minimum(rounds, left)), 1.0), 1.0)

    def in_step(self, flight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Packets of streams that one process writes in turn, and how many of them leave in a burst.

        The process stops at the first full socket buffer until a third is free (sk_stream_write_space): other streams
        run dry.
        """
        # tcp_sndbuf_expand: twice the largest window, in segments that count the next power of two of MSS and headers;
        # estimates, not derived: a tenth of it is no payload, and a fixed buffer is 1.5 usable windows
        memory = np.exp2(np.ceil(np.log2(self.mss + 640))) + 256
        room = np.minimum(2 * self.widest * (0.9 * memory / self.mss), 1.5 * self.cap)
        filled = self.sent + room
        fullest = np.argmin(filled, axis=0)
        pick = fullest, np.arange(fullest.size)
        limit = filled[pick]
        woken = self.written - self.sent[pick] <= room[pick] * 2 / 3
        self.written = np.where(woken, np.maximum(limit, self.written), self.written)
        bound = np.clip(self.written - self.sent, 0.0, flight)
        sent = np.where(self.lockstep, bound, flight)
        burst = summed(np.where(self.lockstep & self.dry, np.maximum(sent - self.before, 0.0), 0.0))
        queued = np.maximum(summed(self.before) - self.bdp, 0.0)
        self.before = sent
        return sent, np.where(burst > 0, burst + queued, 0.0)

    def overflow(
        self,
        new_loss: NDArray[np.float64],
        *,
        lost: NDArray[np.float64],
        peak: NDArray[np.float64],
        flight: NDArray[np.float64],
        slow: NDArray[np.bool_],
    ) -> None:
        """Tail drop: which streams lose packets, and from which part of the round on."""
        full = lost > 0
        starting = any_stream(slow)
        before = np.maximum(summed(flight) / self.growth - self.bdp, 0.0)  # queue as a round of slow start begins
        with np.errstate(invalid="ignore", divide="ignore"):
            where = np.where(starting, np.clip((self.queue - before) / (peak - before), 0.0, 1.0), 0.5)
        hit: NDArray[np.bool_] = np.broadcast_to(full, flight.shape)
        if self.n > 1:
            share = np.where(starting, flight * slow, flight)
            share = lost * share / np.maximum(summed(share), 1.0)
            luck = self.chance(HIT) + np.expm1(-share)
            hit = hit & ((luck < 0) | (luck == np.amin(luck, axis=0)))
        np.copyto(new_loss, np.broadcast_to(where, flight.shape), where=hit)

    def random_loss(self, sent: NDArray[np.float64], new_loss: NDArray[np.float64]) -> None:
        """Count down to the next lost packet of each stream; losses of one round trip are one event."""
        self.to_loss -= sent
        hit = np.asarray(self.to_loss <= 0)
        if some(hit):
            i = np.nonzero(hit)
            where = np.minimum(np.maximum(1 + self.to_loss[i] / sent[i], 0.0), 1.0)
            known = new_loss[i]
            new_loss[i] = np.where(np.isnan(known), where, np.minimum(known, where))
            # the next event is one of the packets sent from the same part of the next round on
            gap = -np.log(self.chance(GAP, i)) * self.mean_gap[i]
            self.to_loss[i] = gap + where * np.minimum(np.floor(self.window[i]), self.cap[i[1]])

    def reduce(self, pending: NDArray[np.bool_], flight: NDArray[np.float64]) -> NDArray[np.float64]:
        """React to a loss when the sender learns of it; return the packets sent in this round."""
        at = np.where(pending, self.loss_at, 1.0)
        window: NDArray[np.float64] = np.floor(self.window - (1 - at) * self.last_growth)
        new = np.maximum(np.floor(self.reduced(window, pending)), 2.0)
        self.events += summed(pending)
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
            largest = self.rtt + np.minimum(self.queue, np.maximum(summed(self.window) - self.bdp, 0.0)) / self.capacity
            beta = np.where(self.rtt <= 0.010, 0.5, np.clip(self.rtt / largest, 0.5, 0.8))
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
        if some(avoiding):
            growth = np.where(avoiding, self.avoidance(length, avoiding) * open_part, 0.0)
        if some(slow):
            room = np.where(self.window < 2 * self.cap, self.threshold - self.window, 0.0)
            faster = np.minimum((self.growth - 1) * flight, room) * open_part
            if self.exits_early:
                faster = self.hystart_exit(faster, flight, slow)
            growth = np.where(slow, faster, growth)
        self.window = self.window + growth
        self.last_growth = growth

    def hystart_exit(
        self, faster: NDArray[np.float64], flight: NDArray[np.float64], slow: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Growth until HyStart (tcp_cubic.c) ends slow start: ACKs last half the least RTT, or it rises by 1/8."""
        pace, total = self.capacity, summed(flight)
        # up to 1 ms is added for ACKs that come late together: four full offload packets at the pacing rate
        slack = np.minimum(0.001, 4 * 65536 / np.maximum(2 * total * self.mss / self.rtt, 1.0))
        threshold = (self.rtt + slack) / 2
        train = self.hystart & (total / pace > threshold) & (2 / pace <= 0.002)
        delay = self.hystart & ((total - self.bdp) / pace > np.clip(self.rtt / 8, 0.004, 0.016))
        out = (train | delay) & slow & (flight >= 16)
        if some(out):
            part = np.where(delay, 0.0, threshold * pace / np.maximum(total, 1.0))
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
        if some(begin):
            self.epoch[begin] = 0.0
            self.reno_window[begin] = self.reno_seen[begin] = w[begin]
            self.looked[begin] = 0.0
            self.origin[begin] = np.maximum(self.last_max, w)[begin]
            self.k[begin] = np.cbrt(np.maximum(self.last_max - w, 0.0)[begin] / 0.4)
        if self.name == "htcp":
            return self.htcp_step(length)
        since = self.epoch + self.rtt
        if self.coarse:
            since += length * (1 - 1 / self.stride)
        since -= self.k
        step = 0.4 * since
        step *= since
        step *= since
        step += self.origin
        step -= w
        step = np.minimum(np.maximum(step, 0.01), w / 2)  # tcp_cubic.c: cnt between 2 and 100 windows
        before = self.last_max == 0
        if some(before):
            step = np.where(before, np.maximum(step, w / 20), step)  # 5 % a round before the first loss
        self.reno_window += _RENO_STEP * self.stride
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
        f = np.maximum(np.floor(f * np.clip(self.rtt / 0.1, 0.1, 2.0)), 1.0)
        self.epoch += length
        beta = np.where(self.last_max > 0, self.last_max, 0.5)
        step: NDArray[np.float64] = np.maximum(2 * f * (1 - beta), 1.0)
        return step
