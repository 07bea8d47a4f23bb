"""States of the ladder: the limits lifted so far, the gain of one more lift, and the limit that binds.

A ladder starts with nothing lifted. Each step lifts the limit (a resource or one of TCP) whose removal gains most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hecn_analysis.prediction.draws import FloatArray
from hecn_analysis.prediction.solve import IntArray

#: Losses or the start-up count as the bottleneck only if lifting them gains more than this factor; below it, the
#: resource that they reduce is the one to change.
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


#: Kinds of limits to lift from a state; of equal gains, the first one counts.
KINDS = ("window", "loss", "start_up", "resource")

_FELT = np.array([np.inf, LOSS_FELT, START_UP_FELT, np.inf])
RESOURCE = KINDS.index("resource")


def above(state: Lift) -> dict[str, Lift]:
    """States that one more lift reaches, by its kind."""
    return {
        "window": Lift(state.resources, window=True, loss=state.loss, start_up=state.start_up),
        "loss": Lift(state.resources, window=state.window, loss=True, start_up=state.start_up),
        "start_up": Lift(state.resources, window=state.window, loss=state.loss, start_up=True),
        "resource": Lift(state.resources + 1, state.window, state.loss, state.start_up),
    }


def gain(lifted_bps: FloatArray, held_bps: FloatArray) -> FloatArray:
    """Factor by which lifting a limit multiplies the throughput [1]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lifted_bps == held_bps, 1.0, lifted_bps / held_bps)


def binding(gains: FloatArray) -> IntArray:
    """Index into `KINDS` of the limit that binds."""
    gains = np.where(np.isnan(gains), -np.inf, gains)
    taken = np.where(gains > _FELT, gains, -np.inf)
    standing = np.where(np.isinf(_FELT), gains, -np.inf)
    standing = np.where(np.isneginf(standing).all(axis=-1, keepdims=True), gains, standing)
    best = standing.argmax(axis=-1)
    # of equal limits, lift the resource and look again
    equal = (standing.max(axis=-1) <= 1 + WORTH) & ~np.isneginf(standing[..., RESOURCE])
    best = np.where(equal, RESOURCE, best)
    return np.where(np.isneginf(taken).all(axis=-1), best, taken.argmax(axis=-1))
