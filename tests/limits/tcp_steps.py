"""Transfers that tests take step by step, a round trip at a time."""

import numpy as np

from hecn_analysis.limits.tcp_rounds.loss_based import LossBased


def settings(**changes):
    """One transfer without an end, over a path that is far too fast to matter; a packet is one byte."""
    usual = {
        "rate_bps": 1e14,
        "rtt_s": 0.1,
        "mss_bytes": 1,
        "packet_overhead_bytes": 0,
        "loss": 0,
        "sequence": 0,
        "loss_burst": 1,
    }
    usual |= {"window_bytes": np.inf, "queue_bytes": np.nan, "duration_s": 1e9, "transfer_bytes": np.nan}
    usual |= {"warm_up_s": 0, "initial_window": 10, "ack_every": 2, "byte_counting": 1, "hystart": 0, "lockstep": 0}
    return {
        name: np.array([value], dtype=float) for name, value in (usual | {"bunching": 1, "grain": 0} | changes).items()
    }


def rounds(flow, number):
    """The same run after each of some rounds."""
    for _ in range(number):
        flow.rounds += 1
        flow.round()
        yield flow


def windows(flow, number):
    return [float(each.window[0, 0]) for each in rounds(flow, number)]


def avoiding(name, window, streams=1, **changes):
    """A flow in congestion avoidance with a window of so many packets."""
    flow = LossBased(name, settings(**changes), streams, 0)
    flow.rounds = 3  # the receiver's first windows are behind it
    flow.window[:] = flow.threshold[:] = window
    return flow


def after_a_loss(name, window, number, *, at=0.0, **changes):
    """Windows after a loss at a window of so many packets, of which the sender learns in the first of these rounds."""
    flow = avoiding(name, window, **changes)
    flow.loss_at[:] = at
    return windows(flow, number)
