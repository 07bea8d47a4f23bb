"""Max-min fair shares of flows through common resources: for many systems at once, or weighted for a large one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_FULL = 1e-9  # a resource within this of its capacity is full


def max_min(demand: FloatArray) -> tuple[FloatArray, IntArray]:
    r"""Max-min fair throughputs of flows through shared resources.

    All flows grow at the same pace; when a resource is full, its flows stop and the others continue (progressive
    filling). The result is the unique allocation in which no flow can gain without a loss to a slower one [1]_.

    .. math:: \sum_f d_{fr} x_f \le 1 \quad \text{for every resource } r

    Parameters
    ----------
    demand
        Time of each resource for one bit of each flow, shape (systems, flows, resources). [s/bit]

    Returns
    -------
    throughput
        Shape (systems, flows); infinite for a flow without demands. [bit/s]
    bottleneck
        Index of the resource that stopped each flow, shape (systems, flows); -1 for a flow without demands.

    References
    ----------
    .. [1] D. Bertsekas and R. Gallager, Data Networks, 2nd ed., Prentice Hall 1992, section 6.5.2.

    Examples
    --------
    Two flows share a 10 Gb/s link; one of them also uses a disk of 2 Gb/s:

    >>> throughput, bottleneck = max_min(np.array([[[1 / 10e9, 0], [1 / 10e9, 1 / 2e9]]]))
    >>> throughput / 1e9
    array([[8., 2.]])
    >>> bottleneck
    array([[0, 1]])
    """
    systems, flows, resources = demand.shape
    throughput = np.zeros((systems, flows))
    bottleneck = np.full((systems, flows), -1, dtype=np.int64)
    used: BoolArray = demand > 0
    active = np.asarray(used.any(axis=2))
    throughput[~active] = np.inf
    room = np.ones((systems, resources))
    rows = np.flatnonzero(active.any(axis=1))
    for _ in range(min(flows, resources)):
        if rows.size == 0:
            break
        is_all = rows.size == systems
        need, uses, going = (demand, used, active) if is_all else (demand[rows], used[rows], active[rows])
        left = room if is_all else room[rows]
        pressure = (need * going[:, :, None]).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(pressure > 0, left / pressure, np.inf)
        first = step.argmin(axis=1)
        here = np.arange(rows.size)
        grow = step[here, first]
        throughput[rows] += np.where(going, grow[:, None], 0.0)
        room[rows] = left - pressure * grow[:, None]
        full = (step <= grow[:, None] * (1 + _FULL)) & (pressure > 0)
        filling = uses & full[:, None, :]
        stopped = going & filling.any(axis=2)
        own = np.where(filling, need, 0.0).argmax(axis=2)
        bottleneck[rows] = np.where(stopped, np.where(uses[here, :, first], first[:, None], own), bottleneck[rows])
        active[rows] = going & ~stopped
        rows = rows[active[rows].any(axis=1)]
    return throughput, bottleneck


def max_min_throughput(demand: Sequence[Mapping[int, FloatArray]], flows: int, shape: tuple[int, int]) -> FloatArray:
    """Throughputs of `max_min` for a grid of systems, whose demands may be constant along its axes."""
    busiest: list[dict[int, FloatArray]] = [{} for _ in range(flows)]
    for by_flow in demand:
        pressure = reduce(np.add, by_flow.values())
        for flow, own in by_flow.items():
            if flows == 1 or (own > 0).all():
                busiest[flow][id(pressure)] = pressure
            else:
                felt = np.where(own > 0, pressure, 0.0)
                busiest[flow][id(felt)] = felt
    of_flows = {tuple(sorted(arrays)): arrays for arrays in busiest}
    highest = [_highest(list(arrays.values())) for arrays in of_flows.values()]
    top = np.broadcast_to(_highest(highest), shape)
    with np.errstate(divide="ignore"):
        throughput = np.broadcast_to((1 / top)[..., None], (*shape, flows))
    if len(highest) == 1:
        return throughput
    together = np.logical_and.reduce([felt * (1 + _FULL) >= top for felt in highest])
    apart = np.nonzero(~np.broadcast_to(together, shape))
    if apart[0].size:
        table = np.zeros((apart[0].size, flows, len(demand)))
        for resource, by_flow in enumerate(demand):
            for flow, own in by_flow.items():
                table[:, flow, resource] = np.broadcast_to(own, shape)[apart]
        throughput = throughput.copy()
        throughput[apart] = max_min(table)[0]
    return throughput


class Uses(NamedTuple):
    """Which flow uses which resource: a sparse matrix by flows, of which each has one entry or more.

    The entries of flow i are those from ``first[i]`` up to the next: ``resource`` numbers, ``seconds`` of the resource
    for a bit of the flow [s/bit], and the ``weight`` of the flow in its share of the resource.
    """

    first: IntArray
    resource: IntArray
    seconds: FloatArray
    weight: FloatArray


def weighted_max_min(uses: Uses, most_bps: FloatArray, room: FloatArray) -> tuple[FloatArray, IntArray]:
    r"""Weighted max-min fair throughputs of the flows of one large system.

    A resource that is full gives each flow that it holds back a rate in proportion to the flow's weight there. Each
    round settles all flows that are at the end of their growth, wherever they are: at their own `most_bps`, or at a
    resource that holds back every flow still growing through it. The rounds are then as many as the resources that wait
    for one another, not as many as are full [1]_.

    Parameters
    ----------
    uses
        Demands and weights.
    most_bps
        Most that each flow reaches alone; infinite: no such limit. [bit/s]
    room
        Share of each resource that is free for these flows, 1 if nothing else uses it.

    Returns
    -------
    throughput
        Of each flow. [bit/s]
    bottleneck
        Number of the resource that stopped each flow; -1: its own limit.

    References
    ----------
    .. [1] D. Bertsekas and R. Gallager, Data Networks, 2nd ed., Prentice Hall 1992, section 6.5.2; J.-Y. Le Boudec,
       Rate adaptation, congestion control and fairness: a tutorial, EPFL 2000, section 1.2.

    Examples
    --------
    Two flows share a link of 12 Gb/s at weights of 2 and 1; the first one stops at 5 Gb/s:

    >>> uses = Uses(np.array([0, 1]), np.array([0, 0]), np.full(2, 1 / 12e9), np.array([2.0, 1.0]))
    >>> throughput, bottleneck = weighted_max_min(uses, np.array([5e9, np.inf]), np.ones(1))
    >>> (throughput / 1e9).tolist(), bottleneck.tolist()
    ([5.0, 7.0], [-1, 0])
    """
    flows = most_bps.size
    throughput, bottleneck = np.zeros(flows), np.full(flows, -1, dtype=np.int64)
    room, resources = room.copy(), room.size
    first, resource, seconds, weight = uses
    growing = np.arange(flows)
    counts = np.diff(first, append=resource.size)
    while growing.size:
        owner = np.repeat(np.arange(growing.size), counts)
        pressure = np.bincount(resource, seconds * weight, resources)
        offered = weight * (room[resource] / pressure[resource])
        least = np.minimum.reduceat(offered, first)
        reached = np.minimum(least, most_bps[growing])
        held = offered <= reached[owner] * (1 + _FULL)
        waits = np.bincount(resource[~held], minlength=resources) > 0
        settling = held & ~waits[resource]
        settled = np.logical_or.reduceat(settling, first)
        stops = settled | (most_bps[growing] <= least)
        if not stops.any():  # unlike weights can leave resources that wait for one another: the slowest flow goes first
            stops = reached <= reached.min() * (1 + _FULL)
        throughput[growing[stops]] = reached[stops]
        by_resource = stops & (least <= most_bps[growing])
        stopping = np.where(settled[owner], settling, held)  # another one may be as slow now, and faster in the end
        place = np.where(stopping, np.arange(resource.size), resource.size)
        bottleneck[growing[by_resource]] = resource[np.minimum.reduceat(place, first)[by_resource]]
        gone = stops[owner]
        room -= np.bincount(resource[gone], (seconds * reached[owner])[gone], resources)
        np.maximum(room, 0.0, out=room)
        growing, kept = growing[~stops], ~gone
        resource, seconds, weight = resource[kept], seconds[kept], weight[kept]
        counts = counts[~stops]
        first = np.cumsum(counts) - counts
    return throughput, bottleneck


def _highest(arrays: Sequence[FloatArray]) -> FloatArray:
    """Element-wise maximum, computed over arrays of equal shape first, as small arrays cost little."""
    by_shape: dict[tuple[int, ...], FloatArray] = {}
    for array in arrays:
        known = by_shape.get(array.shape)
        by_shape[array.shape] = array if known is None else np.maximum(known, array)
    return reduce(np.maximum, sorted(by_shape.values(), key=lambda array: array.size), np.zeros(1))
