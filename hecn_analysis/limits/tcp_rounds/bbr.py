"""BBR version 1, as Linux has it: pace and window by the measured rate and round-trip time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hecn_analysis.limits.tcp_rounds.run import DELAYED_ACK_S, LUCK, PHASE, Run, any_stream, some, summed

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Bbr(Run):
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
        shape = (streams, size)
        self.flight = np.minimum(np.broadcast_to(self.iw, shape), self.first_windows[0])
        self.backlog = np.zeros(size)
        self.samples = np.zeros((10, *shape))  # packets/s of the last ten rounds
        self.bandwidth = np.zeros(shape)
        self.mode = np.zeros(shape, dtype=np.int8)  # 0 start-up, 1 drain, 2 probe bandwidth
        self.best = np.zeros(shape)
        self.stale = np.zeros(shape, dtype=np.int64)
        self.phase = np.zeros(shape, dtype=np.int64)
        self.least = np.broadcast_to(self.rtt, shape).copy()
        self.least_since = np.zeros(shape)
        self.as_low = np.exp(-1 / self.capacity / self.JITTER_S)
        self.probe_at = np.full(shape, self.PROBE_EVERY_S)
        self.probe_rounds = self.rounds_of_a_probe()
        self.probe_left = np.zeros(shape)

    def rounds_of_a_probe(self) -> NDArray[np.float64]:
        """Round trips without data: one until all are acknowledged, then four packets a round for at least 200 ms."""
        rounds = np.ceil(self.PROBE_S / self.rtt)
        odd = np.ceil((self.PROBE_S - DELAYED_ACK_S) / self.rtt) + DELAYED_ACK_S / self.rtt
        return 1 + np.where(self.bunch > 2, np.minimum(rounds, odd), rounds)

    def time_of_part(self, part: NDArray[np.float64], train: NDArray[np.float64]) -> NDArray[np.float64]:
        """In start-up, the pace grows continuously: what is sent doubles in a round trip, without bunches and gaps."""
        growing = self.starting & (self.backlog <= 0)
        return np.where(growing, train * np.log2(1 + np.minimum(part, 1.0)), train * part)

    def round(self) -> None:
        """Send what pace and window allow, and take its rate as a sample."""
        n = self.flight
        length = self.rtt + self.backlog / self.capacity
        # Pace follows the rate of the last round trip; from the third to the fifth round, packets that left evenly
        # spread become the smooth growth of later rounds, which comes 0.24 round trips later than one round after the
        # other (packet by packet, with the kernel's rules).
        length = length + np.where(self.starting & (2 < self.rounds < 6), 0.08 * self.rtt, 0.0)
        total = summed(n)
        arrived = total * (1 - self.loss)
        delivered = np.minimum(self.backlog + arrived, self.capacity * length)
        rest = self.backlog + arrived - delivered
        self.backlog = np.minimum(rest, self.queue)
        self.events += (rest > self.queue) | (total * self.loss > 1)
        # samples taken while probing the RTT are too low and not used: the highest one stays
        rate = n * (delivered / np.maximum(total, 1e-9) / length)
        self.samples[self.rounds % 10] = np.where(self.probe_left > 0, self.bandwidth, rate)
        self.bandwidth = self.samples.max(axis=0)
        starting = self.mode == 0
        self.change_mode(starting)
        window = self.bandwidth * self.least
        pace = 0.99 * self.bandwidth * (self.rtt + self.backlog / self.capacity)
        planned = np.where(self.mode == 2, np.minimum(self.GAINS[self.phase] * pace, 2 * window), pace / 2.885)
        # the phase that drains ends when one product and three bunches are left (bbr_quantization_budget)
        drained = np.minimum(window + 3 * self.bunch, pace)
        planned = np.where((self.mode == 2) & (self.phase == 1), np.maximum(planned, drained), planned)
        faster = np.minimum(2 * n, np.maximum(2.885 * window, 2 * n * (self.rounds < 3)))
        planned = np.where(self.mode == 0, faster, planned)
        planned = self.probe_rtt(planned, length)
        self.flight = np.clip(planned, np.minimum(4.0, self.cap), self.cap)
        if self.rounds < len(self.first_windows):
            self.flight = np.minimum(self.flight, self.first_windows[self.rounds])
        self.starting &= any_stream(starting)
        self.account(delivered, length, length)

    def change_mode(self, starting: NDArray[np.bool_]) -> None:
        """Leave start-up when the rate stops growing, drain its queue, then cycle through the phases of probing."""
        if some(starting):
            more = self.bandwidth >= 1.25 * self.best
            self.best = np.where(starting & more, self.bandwidth, self.best)
            self.stale = np.where(more, 0, self.stale + 1)
            self.mode[starting & (self.stale >= 3)] = 1
        drained = (self.mode == 1) & (self.backlog <= 0.01 * self.bdp)
        if some(drained):
            self.mode[drained] = 2
            self.phase = np.where(drained, self.any_phase(), self.phase + 1) % 8
            return
        self.phase = (self.phase + 1) % 8

    def any_phase(self) -> NDArray[np.int64]:
        """First phase: any but the one that drains (bbr_reset_probe_bw_mode)."""
        return (2 + (7 * self.chance(PHASE)).astype(np.int64)) % 8

    def probe_rtt(self, planned: NDArray[np.float64], seen: NDArray[np.float64]) -> NDArray[np.float64]:
        """Packets of the next round, given the RTT of the round that ends.

        The RTT is probed 10 s after the least sample. Of samples that differ by jitter only, one in the last L of t
        seconds is the least with probability L/t; lone packets of the handshake and of a probe have less delay than a
        bunch.
        """
        now = self.t + seen
        lower = seen < self.least * (1 - 1e-9)
        luck = self.chance(LUCK) * (now - self.least_since) < seen * self.as_low
        again = lower | (luck & (seen <= self.least * (1 + 1e-9)))
        self.least_since = np.where(lower, now - seen, self.least_since)
        self.least = np.where(lower, seen, self.least)
        self.probe_at = np.where(again, now + self.PROBE_EVERY_S, self.probe_at)
        start = (now >= self.probe_at) & (self.probe_left <= 0)
        if some(start):
            self.probe_left = np.where(start, self.probe_rounds, self.probe_left)
            self.probe_at = np.where(start, now + self.probe_rounds * self.rtt + self.PROBE_EVERY_S, self.probe_at)
            self.least_since = np.where(start, now, self.least_since)
            self.least = np.where(start, seen, self.least)
            self.phase = np.where(start, self.any_phase(), self.phase)
        silent = np.minimum(self.probe_left, 1.0)
        self.probe_left = self.probe_left - silent
        return np.where(silent > 0, np.maximum(4.0, (1 - silent) * planned), planned)
