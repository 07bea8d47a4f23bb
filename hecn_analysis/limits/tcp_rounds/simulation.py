"""Transfers to simulate: checked, and given to the congestion control that each has."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from hecn_analysis.base.errors import RangeError, did_you_mean
from hecn_analysis.limits._checks import refuse, require_not_negative, require_positive, require_whole, warn_outside
from hecn_analysis.limits.tcp_rounds.bbr import Bbr
from hecn_analysis.limits.tcp_rounds.loss_based import LossBased
from hecn_analysis.limits.tcp_rounds.run import Simulation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONGESTION_CONTROLS = ("reno", "cubic", "bic", "htcp", "bbr")
MAX_ROUNDS = 6_000

#: Above, many windows are so small that a loss ends in a timeout.
MOST_LOSS = 0.05


def simulate(  # one keyword per physical quantity
    *,
    rate_bps: ArrayLike,
    rtt_s: ArrayLike,
    mss_bytes: ArrayLike = 8948,
    packet_overhead_bytes: ArrayLike = 90,
    loss: ArrayLike = 0.0,
    loss_burst: ArrayLike = 1.0,
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
    grain: ArrayLike = 0.0,
    sequence: ArrayLike | None = None,
    seed: int = 0,
    most_rounds: int = MAX_ROUNDS,
) -> Simulation:
    """Simulate TCP transfers over a path with one bottleneck; all arguments but the last two broadcast.

    After `most_rounds` round trips of an element (very short round-trip times) the rest continues at the mean rate of
    their second half, with an error of the spread between loss cycles over the root of their number. Rounds in which
    nothing can change, such as a reached window, are taken in one step.

    Parameters
    ----------
    rate_bps
        Rate of the narrowest port. A packet costs `mss_bytes + packet_overhead_bytes` there: with the default overhead
        this is the line rate of an Ethernet (IP length + 38 bytes), with an overhead of 0 it is a rate of payload (a
        disk, a CPU). [bit/s]
    rtt_s
        Round-trip time without queueing. [s]
    mss_bytes, packet_overhead_bytes
        Payload of a packet, MTU - 52 with timestamps and IPv4, and its overhead at the bottleneck: 52 + 38 with
        timestamps, IPv4 and untagged Ethernet. [bytes]
    loss, loss_burst
        Probability that a data packet is lost at random, before the queue [fraction], and the mean number of packets
        lost together; a burst is one event for the sender [packets].
    window_bytes
        Usable window of each stream (see `tcp_window`). [bytes]
    queue_bytes
        Room in front of the bottleneck, overhead counted; None or NaN: one bandwidth-delay product. [bytes]
    congestion_control
        One of reno, cubic, bic, htcp, bbr.
    streams
        Parallel connections that share the bottleneck; rates are those of all together.
    duration_s, transfer_bytes
        One of them per element (the other NaN): a timed test, or a fixed amount in all streams together, from the first
        byte sent to the last one received; if both are given, the test is timed. [s], [bytes]
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
        Part of a bunch of packets, sent back to back, that finds the queue full together: 1 all of one, 0 for paced
        packets, 2 if two bunches meet.
    grain
        Part by which CUBIC's window may grow in one step of several round trips, where nothing else happens; 0: every
        round trip is a step. 0.05 takes a fifth of the steps for a rate within some percent. [fraction]
    sequence, seed
        Number of the sequence of random numbers of an element: equal ones have the same luck, whatever else is
        simulated (None: each has its own); and seed.
    most_rounds
        Largest number of simulated round trips, or steps.

    Returns
    -------
    Simulation
        For lossy paths each element is one random run; give S copies to get a distribution. NaN in gives NaN out in
        that element.

    Examples
    --------
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
        "loss_burst": loss_burst,
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
        "grain": grain,
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
            run = Bbr(group, int(n), seed) if name == "bbr" else LossBased(name, group, int(n), seed)
            for k, v in run.run(most_rounds).items():
                result[k][chosen] = v
    return Simulation(**{k: v.reshape(shape) for k, v in result.items()})


def _check(value: dict[str, NDArray[np.float64]]) -> None:
    """Refuse what cannot be, naming the argument."""
    finite = ("rate_bps", "rtt_s", "mss_bytes", "duration_s", "transfer_bytes")
    for name in finite:
        refuse(name, value[name], (value[name] <= 0) | np.isinf(value[name]), "a finite number > 0")
    require_positive(window_bytes=value["window_bytes"])
    at_least_zero = ("packet_overhead_bytes", "queue_bytes", "warm_up_s", "bunching", "grain")
    require_not_negative(**{k: value[k] for k in at_least_zero})
    for name in ("initial_window", "ack_every", "loss_burst"):
        refuse(name, value[name], value[name] < 1, "a number >= 1")
    require_whole(1, streams=value["streams"])
    refuse("loss", value["loss"], (value["loss"] < 0) | (value["loss"] >= 1), "0 to less than 1")
    timeouts = "timeouts are not simulated, the rate is lower"
    warn_outside(
        "loss", value["loss"], value["loss"] > MOST_LOSS * value["loss_burst"], f"{MOST_LOSS:.10g} and less", timeouts
    )
    refuse("warm_up_s", value["warm_up_s"], value["warm_up_s"] >= value["duration_s"], "less than duration_s")
