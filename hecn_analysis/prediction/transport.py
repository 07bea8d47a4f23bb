"""TCP over time: the effect of windows, losses and start-up on the rate that the resources allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hecn_analysis.limits import tcp_rounds, tcp_window
from hecn_analysis.prediction.draws import Draws, FloatArray, agreed, central
from hecn_analysis.prediction.packets import payload_per_packet, streams_per_process
from hecn_analysis.prediction.priors import Circumstances, of_key
from hecn_analysis.prediction.unstated import is_documented

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario

BoolArray = npt.NDArray[np.bool_]

#: Start-up is neglected where this many round trips are less than `_NEGLIGIBLE` of the test.
_ROUNDS = 60
_NEGLIGIBLE = 2e-3

#: Round-trip time between a host and the proxy at its site. [s]
_TO_PROXY = 1e-3

#: Smallest queue in packets: one BDP of a path below a millisecond can be less than a packet.
_LEAST_QUEUE = 8

#: Linux whose windows are what other systems offer: all of a buffer that is tuned, and of one that is asked for (Linux
#: doubles that).
_PLAIN_BUFFERS = {False: ("5.15", 31), True: ("5.15", 1)}

#: Simulated rate where no resource limits the transfer: more than any link carries. [bit/s]
NO_LIMIT_BPS = 1e13


@dataclass(frozen=True)
class Transport:
    """TCP of one flow of a scenario, or of scenarios that are computed together (see `draws`).

    ``window_bytes`` is the usable window of each stream [B], ``window_owner`` name and title of the resource that sets
    it. ``start_up_delay`` are round trips of a run's start-up beyond the simulated ones: a delayed ACK, a window that
    opens a round later or a lost retransmission add up to one; packets that arrive at the end of a round save up to a
    quarter. ``bunching`` is the size of the bunches of packets that arrive at a full queue, relative to the usual: 0.5
    to 1.5. ``queue_bdp`` is the unstated queue at the narrowest port in bandwidth-delay products, ``delay_s`` the delay
    between the proxies at the two ends of the path, which TCP does not see [s]. ``simulate_rounds`` simulates
    transfers, see `together`.
    """

    scenario: Scenario
    sending: Host
    receiving: Host
    rtt_s: FloatArray
    loss: FloatArray
    loss_burst: FloatArray
    window_bytes: FloatArray
    window_owner: tuple[str, str]
    start_up_delay: FloatArray
    bunching: FloatArray
    queue_bdp: FloatArray
    delay_s: FloatArray
    simulate_rounds: Callable[..., tcp_rounds.Simulation] = tcp_rounds.simulate

    @classmethod
    def of(cls, scenario: Scenario, draw: Draws, *, reverse: bool) -> Transport:
        """Transport of the flows of one direction."""
        roles = ("receiver", "sender") if reverse else ("sender", "receiver")
        hosts = {"sender": scenario.sender, "receiver": scenario.receiver}
        sending, receiving = hosts[roles[0]], hosts[roles[1]]
        assert sending is not None  # noqa: S101 - a network tool has both ends
        assert receiving is not None  # noqa: S101 - see above
        window, owner = _window(scenario, draw, roles, sending, receiving)
        rtt, loss = draw("path.rtt", scenario.path.rtt), draw("path.loss", scenario.path.loss)
        proxied = scenario.path.pep
        transport = cls(
            scenario,
            sending,
            receiving,
            np.minimum(rtt, _TO_PROXY) if proxied else rtt,
            np.zeros_like(loss) if proxied else loss,
            draw("path.loss_burst", scenario.path.loss_burst) if np.any(loss > 0) else np.ones(1),
            window,
            owner,
            _start_up_delay(draw),
            0.5 + draw.uniform("path.bunching", central=0.5),
            np.ones(1),
            rtt / 2 if proxied else np.zeros_like(rtt),
        )
        if scenario.path.queue is not None or not transport.matters:
            return transport
        where = Circumstances(documented=is_documented(scenario, "path"))
        return replace(transport, queue_bdp=draw("path.queue", of_key("path.queue", where)))

    @property
    def window_limit_bps(self) -> FloatArray:
        """Window over round-trip time, all streams of a process together [bit/s]."""
        with np.errstate(divide="ignore"):
            return streams_per_process(self.scenario) * self.window_bytes * 8 / self.rtt_s

    @property
    def is_random(self) -> bool:
        """Whether two runs differ by more than their start-up: losses, or BBR's phases."""
        return self.matters and bool(agreed(self._loses()) or self.sending.congestion_control == "bbr")

    def _loses(self) -> BoolArray:
        """Whether packets may be lost: on a path that does not state it, in some of the draws."""
        unstated = getattr(self.scenario.path.loss, "quantiles", (0.0,))[-1] > 0 and not self.scenario.path.pep
        return np.asarray((self.loss > 0).any(axis=-1, keepdims=True) | unstated)

    def runs_differ(self, *, lossless: bool) -> bool:
        """Whether simulated runs differ: by losses, by BBR's phases, or by which stream in lockstep loses packets."""
        in_turn = self.scenario.tool.lockstep and streams_per_process(self.scenario) > 1
        phases = self.sending.congestion_control == "bbr"
        return self.matters and bool(in_turn or phases or (not lossless and agreed(central(self.loss) > 0)))

    @property
    def matters(self) -> bool:
        """Whether the rate needs a simulation beyond the window limit: for losses or a noticeable start-up."""
        rtt = self.rtt_s[..., :1]
        return bool(agreed((rtt > 0) & (self._loses() | (rtt * self._rounds() > _NEGLIGIBLE * self._length()))))

    def _rounds(self) -> FloatArray | float:
        frames = self.receiving.lro_frames.value if self.receiving.lro else 2.0
        return _ROUNDS * (1.0 if self.sending.byte_counting else frames)

    def _length(self) -> FloatArray | float:
        """Duration of the test; for a fixed amount, the shortest possible at the rate of the path [s]."""
        path, tool = self.scenario.path, self.scenario.tool
        if tool.bytes is None:
            return np.inf if tool.duration is None else tool.duration.value
        return 0.0 if path.rate is None else tool.bytes.value * 8 / (path.rate.value * path.links)

    def delayed(self, payload_bps: FloatArray, delay_s: FloatArray) -> FloatArray:
        """Throughput of a fixed amount after a delay between proxies, a part of `Transport.delay_s` [bit/s]."""
        amount = self.scenario.tool.bytes
        if amount is None or not self.scenario.path.pep:
            return payload_bps
        bits = amount.value * 8
        late = bits / (bits / payload_bps + delay_s)
        return np.where(np.isfinite(payload_bps), late, payload_bps)

    def own_port_is_narrowest(self) -> bool:
        """Whether the sender's own port is as slow as the path: its queue then stops the sender without drops."""
        rate = self.scenario.path.rate
        ports = [slot.nic.port_rate.value for slot in self.sending.slots.values() if slot.nic is not None]
        return rate is not None and bool(ports) and bool(agreed(np.maximum.reduce(ports) <= rate.value))

    def simulate(
        self,
        payload_bps: FloatArray,
        element: npt.NDArray[np.int64],
        *,
        link_bound: npt.NDArray[np.bool_],
        lossless: FloatArray,
        windowless: FloatArray,
        warm: FloatArray,
        sequence: npt.NDArray[np.int64],
        rounds: int,
        grain: float,
    ) -> FloatArray:
        """Mean throughput of a process whose resources allow `payload_bps`, for many cases at once.

        `payload_bps` has the shape (scenarios, cases) [bit/s], `element` the index of each case into the draws.
        `link_bound`: the link sets that rate, so packets queue at its port and are dropped when the queue is full;
        otherwise flow control slows the sender without drops. `lossless`, `windowless` and `warm` lift losses, window
        and start-up of a case; `sequence` is the number of its sequence of random numbers; `rounds`
        and `grain` are the number and size of steps (see `limits.tcp_rounds`).
        """
        tool, path = self.scenario.tool, self.scenario.path

        def of_cases(values: FloatArray) -> FloatArray:
            return values[..., element] if values.shape[-1] > 1 else values

        payload, wire = (of_cases(np.atleast_1d(size)) for size in payload_per_packet(self.scenario))
        rtt, loss = of_cases(self.rtt_s), of_cases(self.loss)
        rate = np.minimum(payload_bps, NO_LIMIT_BPS)
        queue = np.full(rate.shape, np.inf)
        if not self.own_port_is_narrowest() and not path.pep:  # a proxy stops its sender before it drops
            bdp = rate * wire / payload * rtt / 8
            one_bdp = np.maximum(bdp * of_cases(self.queue_bdp), _LEAST_QUEUE * wire)
            queue_bytes = one_bdp if path.queue is None else np.full(rate.shape, path.queue.value)
            queue = np.where(link_bound, queue_bytes, np.inf)
        duration = np.full(
            rate.shape, np.nan if tool.duration is None or tool.bytes is not None else tool.duration.value
        )
        amount = np.full(rate.shape, np.nan if tool.bytes is None else tool.bytes.value)
        warm_up = np.full(rate.shape, 0.0 if tool.bytes is not None else tool.warm_up.value)
        long_enough = np.maximum(10.0, 300 * rtt)
        is_warm = warm.astype(bool)
        if tool.duration is None and tool.bytes is None:  # a test of any length: the rate once it has started up
            duration, warm_up = warm_up + 2 * long_enough, warm_up + long_enough
        length = np.where(np.isnan(duration), amount * 8 / rate, duration - warm_up)
        duration = np.where(is_warm, length + long_enough, duration)
        warm_up = np.where(is_warm, long_enough, warm_up)
        amount = np.where(is_warm, np.nan, amount)
        result = self.simulate_rounds(
            rate_bps=rate * wire / payload,
            rtt_s=rtt,
            mss_bytes=payload,
            packet_overhead_bytes=wire - payload,
            loss=np.where(lossless.astype(bool), 0.0, loss),
            loss_burst=np.broadcast_to(of_cases(self.loss_burst), rate.shape),
            window_bytes=np.where(windowless.astype(bool), tcp_window.LARGEST_WINDOW, of_cases(self.window_bytes)),
            queue_bytes=queue,
            congestion_control=self.sending.congestion_control,
            streams=streams_per_process(self.scenario),
            duration_s=duration,
            transfer_bytes=amount,
            warm_up_s=warm_up,
            initial_window=self.sending.initcwnd,
            ack_every=self.receiving.lro_frames.value if self.receiving.lro else 2,
            byte_counting=self.sending.byte_counting,
            hystart=self.sending.hystart,
            lockstep=tool.lockstep,
            bunching=of_cases(self.bunching),
            grain=grain,
            sequence=sequence,
            most_rounds=rounds,
        )
        delay = of_cases(self.start_up_delay) * rtt
        throughput = self._late(np.asarray(result.throughput_bps), result, delay, warm_up)
        unlimited = np.isinf(payload_bps) & ((lossless > 0) | (loss == 0)) & (windowless > 0)
        return np.where(unlimited, np.inf, throughput)

    def _late(
        self, throughput: FloatArray, result: tcp_rounds.Simulation, delay: FloatArray, warm_up: FloatArray
    ) -> FloatArray:
        """Throughput of runs with a delay added to the start-up, if the start-up is measured at all."""
        counted = np.asarray(result.duration_s) - warm_up
        later = np.where(np.asarray(result.start_up_s) > warm_up, delay, 0.0)
        if self.scenario.tool.bytes is not None:
            return throughput * counted / (counted + later)
        return throughput * np.clip(1 - later / counted, 0.0, None)


def _start_up_delay(draw: Draws) -> FloatArray:
    chance = 2 * draw.uniform("path.start-up", central=0.5) - 1
    return np.where(chance < 0, chance / 4, chance)


def _window(
    scenario: Scenario, draw: Draws, roles: tuple[str, str], sending: Host, receiving: Host
) -> tuple[FloatArray, tuple[str, str]]:
    """Usable window of a stream and its owner: TCP, or a channel of the tool within the connection."""
    window, owner = _tcp_window(scenario, draw, roles, sending, receiving)
    if not agreed(scenario.tool.channel.value > 0):
        return window, owner
    channel = draw("tool.channel", scenario.tool.channel)
    if agreed(channel[..., :1] < window[..., :1]):
        owner = (f"{roles[1]}.window.channel", "the window of the tool's channel")
    return np.minimum(window, channel), owner


def _tcp_window(
    scenario: Scenario, draw: Draws, roles: tuple[str, str], sending: Host, receiving: Host
) -> tuple[FloatArray, tuple[str, str]]:
    tool = scenario.tool
    mss, _ = payload_per_packet(scenario)
    requests = agreed(tool.window.value > 0)
    kernel, scale = receiving.kernel, receiving.adv_win_scale
    if receiving.system != "linux":
        kernel, scale = _PLAIN_BUFFERS[requests]
    receiver: dict[str, Any] = {"kernel": kernel, "adv_win_scale": scale, "mss_bytes": mss}
    if requests:
        requested = draw("tool.window", tool.window)
        wmem_max = draw(f"{roles[0]}.wmem_max", sending.wmem_max)
        window = np.asarray(
            tcp_window.usable_window(
                requested, rmem_max=draw(f"{roles[1]}.rmem_max", receiving.rmem_max), wmem_max=wmem_max, **receiver
            )
        )
        rtt = draw("path.rtt", scenario.path.rtt)
        if agreed(central(rtt) > 0):
            least, most = tcp_window.written_window(
                window, 2 * np.minimum(requested, wmem_max), mss_bytes=mss, rtt_s=rtt
            )
            # gaps of the ACKs and of the writer both cost throughput: take the larger of two chances
            share = np.sqrt(draw.uniform("tool.window.written", central=0.5))
            window = np.asarray(least) + (np.asarray(most) - np.asarray(least)) * share
        return window, (f"{roles[1]}.window.tool", "the window that the tool asked for")
    read = draw(f"{roles[1]}.tcp_rmem_max", receiving.tcp_rmem_max)
    written = draw(f"{roles[0]}.tcp_wmem_max", sending.tcp_wmem_max)
    window = np.asarray(tcp_window.autotuned_window(tcp_rmem_max=read, tcp_wmem_max=written, **receiver))
    if agreed(central(window) >= tcp_window.LARGEST_WINDOW):
        return window, (f"{roles[1]}.window.scale", "the largest window that TCP can announce")
    if agreed(written[..., :1] <= window[..., :1]):
        return window, (f"{roles[0]}.window.tcp_wmem", f"the {roles[0]}'s largest send buffer (tcp_wmem)")
    return window, (f"{roles[1]}.window.tcp_rmem", f"the {roles[1]}'s largest receive window (tcp_rmem)")
