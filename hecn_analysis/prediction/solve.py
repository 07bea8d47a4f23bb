"""Shares of flows that use common resources: max-min fairness, many systems at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_FULL = 1e-9  # a resource within this of its capacity is full


def max_min(demand: FloatArray) -> tuple[FloatArray, IntArray]:
    r"""Max-min fair throughputs of flows through shared resources.

    All flows grow at the same pace; when a resource is full, its flows stop and the others go on (progressive filling):
    the unique allocation in which no flow can gain without a slower one losing [1]_.

    .. math:: \sum_f d_{fr} x_f \le 1 \quad \text{for every resource } r

    Parameters
    ----------
    demand
        Time that a resource needs for a bit of a flow, shape (systems, flows, resources). [s/bit]

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
    Two flows share a 10 Gb/s link, one of them also crosses a disk of 2 Gb/s:

    >>> throughput, bottleneck = max_min(np.array([[[1 / 10e9, 0], [1 / 10e9, 1 / 2e9]]]))
    >>> throughput / 1e9
    array([[8., 2.]])
    >>> bottleneck
    array([[0, 1]])
    """
    systems, flows, resources = demand.shape
    throughput = np.zeros((systems, flows))
    bottleneck = np.full((systems, flows), -1, dtype=np.int64)
    active = np.ones((systems, flows), dtype=bool)
    unlimited = ~(demand > 0).any(axis=2)
    throughput[unlimited] = np.inf
    active &= ~unlimited
    room = np.ones((systems, resources))
    for _ in range(min(flows, resources)):
        if not active.any():
            break
        pressure = (demand * active[:, :, None]).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(pressure > 0, room / pressure, np.inf)
        first = step.argmin(axis=1)
        grow = np.where(active.any(axis=1), step[np.arange(systems), first], 0.0)
        throughput += np.where(active, grow[:, None], 0.0)
        room -= pressure * grow[:, None]
        full = (step <= grow[:, None] * (1 + _FULL)) & (pressure > 0)
        stopped = active & ((demand > 0) & full[:, None, :]).any(axis=2)
        own = np.where((demand > 0) & full[:, None, :], demand, 0.0).argmax(axis=2)
        shared = (
            np.take_along_axis(demand[np.arange(systems), :, first], np.arange(flows)[None, :].repeat(systems, 0), 1)
            > 0
        )
        bottleneck = np.where(stopped, np.where(shared, first[:, None], own), bottleneck)
        active &= ~stopped
    return throughput, bottleneck
