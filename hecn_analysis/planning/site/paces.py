"""A pace for each transfer of a site, held from its start to its end, with which deadlines and promised rates hold.

A transfer with a deadline needs its data over the time that it has; one with ``at_least`` needs that rate. All of
these go faster by the same part of the room that slow runs need, as far as the resources allow; what they leave is for
transfers that need nothing, in equal rates. Paces without which the solver of the site finds all in time are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse

from hecn_analysis.planning.site.slots import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from hecn_analysis.prediction.draws import FloatArray
    from hecn_analysis.prediction.solve import BoolArray, IntArray
    from hecn_analysis.sites.system import System

#: What is left for transfers that need nothing is none below this part of the highest needed rate.
_NOTHING: Final = 1e-3

#: Use of a resource above 1 that is rounding.
_EXCESS: Final = 1e-9


@dataclass(frozen=True)
class Needs:
    """What the flows of the entries of a site need.

    ``least_bps`` is the rate that each flow needs, 0 if none [bit/s], from ``opens_s`` to ``ends_s`` [s], and ``slow``
    its predicted over its late rate. ``entry`` is the transfer of each flow; ``paced`` says of each transfer whether it
    may have a pace.
    """

    entry: IntArray
    opens_s: FloatArray
    ends_s: FloatArray
    least_bps: FloatArray
    most_bps: FloatArray
    slow: FloatArray
    paced: BoolArray

    def paces(self, flow: IntArray, resource: IntArray, seconds: FloatArray) -> FloatArray | None:
        """Pace of each transfer of the site [bit/s]: infinite without a pace, 0 if nothing is left; None: impossible.

        Entry n of the arguments says that flow ``flow[n]`` needs ``seconds[n]`` of ``resource[n]`` for a bit.
        """
        count = self.paced.size
        least, slow = np.zeros(count), np.ones(count)
        most = np.full(count, np.inf)
        np.maximum.at(least, self.entry, self.least_bps)
        np.maximum.at(slow, self.entry, self.slow)
        np.minimum.at(most, self.entry, self.most_bps)
        least = np.minimum(least, most)  # what is late in any case does not keep others from their rates
        needed, others = least > 0, self.paced & (least == 0)
        room = least * (np.minimum(slow, most / np.where(needed, least, 1.0)) - 1)
        rows = self._full(flow, resource, seconds)
        share = _most_that_fits(rows @ room, 1 - rows @ least, 1.0)
        if share is None:
            return None
        rates = least + share * room
        if others.any():
            left = _most_that_fits(rows @ others.astype(float), 1 - rows @ rates, most[others].min()) or 0.0
            rates[others] = left if left > _NOTHING * least.max() else 0.0
        return np.where(self.paced, rates, np.inf)

    def _full(self, flow: IntArray, resource: IntArray, seconds: FloatArray) -> scipy.sparse.csr_array:
        """Use of each resource by a bit/s of each transfer, whenever one opens: no other time has more of them."""
        times = np.unique(self.opens_s)
        inside = (self.opens_s <= times[:, None]) & (times[:, None] < self.ends_s)  # times, flows
        time, given = np.nonzero(inside[:, flow])
        count = int(resource.max()) + 1
        shape = (times.size * count, self.paced.size)
        return scipy.sparse.csr_array(
            entries(seconds[given], time * count + resource[given], self.entry[flow[given]]), shape=shape
        )


def _most_that_fits(growth: FloatArray, room: FloatArray, bound: float) -> float | None:
    """Most of a variable up to a bound whose growth fits into the room of every row; None: not even 0 fits."""
    if (room < -_EXCESS).any():
        return None
    grows = growth > 0
    return float(min(bound, (np.maximum(room[grows], 0.0) / growth[grows]).min(initial=np.inf)))


def without_needless(
    system: System, entry: IntArray, paces_bps: FloatArray, faults: Callable[[System], tuple[float, ...]]
) -> FloatArray:
    """The paces that are needed, infinite for the others: the fastest are the first to go [bit/s]."""
    kept, fewest = paces_bps.copy(), faults(system.capped(paces_bps[entry], entry))
    for number in np.argsort(-np.where(np.isfinite(kept), kept, 0.0), kind="stable"):
        if np.isfinite(kept[number]):
            tried = kept.copy()
            tried[number] = np.inf
            if faults(system.capped(tried[entry], entry)) <= fewest:
                kept = tried
    return kept
