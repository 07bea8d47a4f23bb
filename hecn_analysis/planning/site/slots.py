"""What deadlines ask of the resources of a site, as linear programmes over time slots, solved by HiGHS.

The slots lie between the times at which a transfer may start or has to be done. Within a slot, each transfer moves some
of its data at any rate that fits: a resource is busy for no longer than the slot, and a transfer is no faster than by
itself. What these programmes cannot do, no schedule can, whatever holds its rates; what they can do may still need held
rates, which fair shares do not give.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import scipy.optimize
import scipy.sparse

if TYPE_CHECKING:
    from hecn_analysis.prediction.draws import FloatArray
    from hecn_analysis.prediction.solve import IntArray

#: Growth smaller than this is none.
_NONE: Final = 1e-6

#: Halvings of the search for the least delay.
_HALVINGS: Final = 24


class Growth(NamedTuple):
    """Number of a resource, and its rate that deadlines need, relative to the present one."""

    resource: int
    factor: float


@dataclass(frozen=True)
class Windows:
    """Transfers with deadlines: from ``opens_s`` to ``by_s``, each of a size in bits.

    Entry n says that transfer ``flow[n]`` needs ``seconds[n]`` of resource ``resource[n]`` for a bit.
    """

    opens_s: FloatArray
    by_s: FloatArray
    bits: FloatArray
    flow: IntArray
    resource: IntArray
    seconds: FloatArray

    def growths(self) -> list[Growth] | None:
        """Least growth of resources, as the sum of their parts, that lets all be in time; None: no growth helps."""
        if (self.by_s <= self.opens_s).any():
            return None
        solved = self._solve(self.by_s, can_grow=True)
        grown = solved.x[-self._resources.size :]
        return [
            Growth(int(resource), 1 + float(more))
            for resource, more in zip(self._resources, grown, strict=True)
            if more > _NONE
        ]

    def least_delay_s(self) -> float:
        """Least delay of all deadlines with which everything can be in time [s]."""
        low, high = 0.0, 1.0
        while not self._can(high):
            low, high = high, 2 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self._can(middle) else (middle, high)
        return high

    def _can(self, delay_s: float) -> bool:
        by = self.by_s + delay_s
        return bool((by > self.opens_s).all()) and self._solve(by, can_grow=False).status == 0

    @cached_property
    def _resources(self) -> IntArray:
        return np.unique(self.resource)

    def _solve(self, by_s: FloatArray, *, can_grow: bool) -> scipy.optimize.OptimizeResult:
        """Share of each transfer in each slot of its window, and the growth of each resource."""
        times = np.unique(np.concatenate([self.opens_s, by_s]))
        length = np.diff(times)
        inside = (times[:-1] >= self.opens_s[:, None]) & (times[1:] <= by_s[:, None])
        flow, slot = np.nonzero(inside)  # a variable each
        column = np.full(inside.shape, -1)
        column[flow, slot] = np.arange(flow.size)
        place = np.searchsorted(self._resources, self.resource)
        entry, within = np.nonzero(inside[self.flow])  # an entry of the matrix for each slot of its transfer
        busy = self.bits[self.flow[entry]] * self.seconds[entry] / length[within]
        row = place[entry] * length.size + within
        rows, grown = self._resources.size * length.size, self._resources.size if can_grow else 0
        values, places = busy, (row, column[self.flow[entry], within])
        if can_grow:
            growing = np.repeat(np.arange(grown), length.size)
            values = np.concatenate([busy, np.full(rows, -1.0)])
            places = (np.concatenate([row, np.arange(rows)]), np.concatenate([places[1], flow.size + growing]))
        matrix = scipy.sparse.csr_array(entries(values, *places), shape=(rows, flow.size + grown))
        whole = scipy.sparse.csr_array(
            entries(np.ones(flow.size), flow, np.arange(flow.size)), shape=(self.bits.size, flow.size + grown)
        )
        cost = np.concatenate([np.zeros(flow.size), np.ones(grown)])
        return scipy.optimize.linprog(cost, matrix, np.ones(rows), whole, np.ones(self.bits.size), method="highs")


def entries(values: FloatArray, row: IntArray, column: IntArray) -> tuple[FloatArray, tuple[object, object]]:
    """Entries of a sparse matrix; older SciPy accepts no other type of their places."""
    return values, (np.asarray(row, dtype=np.int32), np.asarray(column, dtype=np.int32))
