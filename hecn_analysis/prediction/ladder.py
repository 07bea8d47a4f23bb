"""States of the ladder: which limits are lifted, what one more lift gains, and which limit binds.

A ladder starts with nothing lifted and lifts, again and again, whatever gains most: a resource, or a limit of TCP.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hecn_analysis.prediction.draws import FloatArray
from hecn_analysis.prediction.solve import IntArray

#: Losses are the bottleneck where doing without them gains more than this, the start-up where it gains more than that:
#: below, they cost something of what a resource allows, and the resource is what to change.
LOSS_FELT = 1.03
START_UP_FELT = 1.25

#: A limit is worth a rung when lifting it gains more than this.
WORTH = 1e-3


@dataclass(frozen=True)
class Lift:
    """A state of the ladder: how many resources are lifted, and which limits of TCP."""

    resources: int = 0
    window: bool = False
    loss: bool = False
    start_up: bool = False


#: What can be lifted from a state, in the order in which equal ones count.
KINDS = ("window", "loss", "start_up", "resource")

_FELT = np.array([np.inf, LOSS_FELT, START_UP_FELT, np.inf])
RESOURCE = KINDS.index("resource")


def above(state: Lift) -> dict[str, Lift]:
    """Give the states that one more lift reaches, by its kind."""
    return {
        "window": Lift(state.resources, window=True, loss=state.loss, start_up=state.start_up),
        "loss": Lift(state.resources, window=state.window, loss=True, start_up=state.start_up),
        "start_up": Lift(state.resources, window=state.window, loss=state.loss, start_up=True),
        "resource": Lift(state.resources + 1, state.window, state.loss, state.start_up),
    }


def gain(lifted_bps: FloatArray, held_bps: FloatArray) -> FloatArray:
    """What lifting a limit multiplies the throughput by [1]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lifted_bps == held_bps, 1.0, lifted_bps / held_bps)


def binding(gains: FloatArray) -> IntArray:
    """Number of the kind of limit that binds, in `KINDS`."""
    gains = np.where(np.isnan(gains), -np.inf, gains)
    taken = np.where(gains > _FELT, gains, -np.inf)
    standing = np.where(np.isinf(_FELT), gains, -np.inf)
    standing = np.where(np.isneginf(standing).all(axis=-1, keepdims=True), gains, standing)
    best = standing.argmax(axis=-1)
    # of equal limits, lift the resource and look again
    equal = (standing.max(axis=-1) <= 1 + WORTH) & ~np.isneginf(standing[..., RESOURCE])
    best = np.where(equal, RESOURCE, best)
    return np.where(np.isneginf(taken).all(axis=-1), best, taken.argmax(axis=-1))
