"""Routes of transfers over the links of a site: as stated, else those of the least round-trip time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from hecn_analysis.base.errors import did_you_mean

if TYPE_CHECKING:
    from hecn_analysis.hardware.site import Link, Site
    from hecn_analysis.prediction.draws import FloatArray
    from hecn_analysis.prediction.solve import IntArray

#: Round-trip time that a link adds to the search for routes, so that fewer links win among equals. [s]
_PER_LINK = 1e-9


class Hop(NamedTuple):
    """A link on a route, and whether it is crossed from its second end to its first."""

    link: str
    backwards: bool


@dataclass(frozen=True)
class Routes:
    """The routes of a site."""

    site: Site

    def of(self, number: int, sender: str, receiver: str) -> tuple[Hop, ...]:
        """Hops of transfer `number` of the site from one host to another."""
        transfer = self.site.transfers[number]
        stated = [transfer.path] if isinstance(transfer.path, str) else transfer.path
        if sender == receiver:
            expected = "another host than the sender"
            raise self.site.error(("transfers", str(number), "receiver"), f"{receiver!r} at both ends", expected)
        if stated is not None:
            return self._along(stated, number, sender, receiver)
        return self.shortest(number, sender, receiver)

    def shortest(self, number: int, sender: str, receiver: str) -> tuple[Hop, ...]:
        """Hops from one host to another with the least round-trip time, whatever transfer `number` states."""
        key = ("transfers", str(number), "path")
        if not self.site.links:
            raise self.site.error(key, f"no link between {sender} and {receiver}", "a path, or links of the site")
        back = self._before(sender)
        hops: list[Hop] = []
        here = self._number[receiver]
        while here != self._number[sender]:
            before = int(back[here])
            if before < 0:
                raise self.site.error(key, f"no way from {sender} to {receiver}", "links that join them")
            hops.append(self._hop[before, here])
            here = before
        return tuple(reversed(hops))

    def _along(self, stated: list[str], number: int, sender: str, receiver: str) -> tuple[Hop, ...]:
        """Hops of a stated route, each from where the one before ends."""
        key = ("transfers", str(number), "path")
        hops: list[Hop] = []
        here, passed = sender, {sender}
        for name in stated:
            candidates = [link for link in (name, *self._spread.get(name, ())) if link in self.site.links]
            if not candidates:
                known = list(self.site.links)
                raise self.site.error(
                    key, f"link {name!r}", f"one of {', '.join(known)}", advice=did_you_mean(name, known)
                )
            link = next((each for each in candidates if here in (self.site.links[each].ends or (here,))), None)
            if link is None:
                raise self.site.error(key, f"link {name!r} after {here}", f"a link with an end at {here}")
            ends = self.site.links[link].ends
            hops.append(Hop(link, ends is not None and ends[0] != here))
            here = receiver if ends is None else ends[0] if ends[0] != here else ends[1]
            if ends is not None and here in passed:
                expected = "one that passes each host and switch once"
                raise self.site.error(key, f"a route that comes back to {here} over {link}", expected)
            passed.add(here)
        if here != receiver:
            raise self.site.error(key, f"a route that ends at {here}", f"one that ends at {receiver}")
        return tuple(hops)

    @cached_property
    def _spread(self) -> dict[str, list[str]]:
        """Links of each name that stands for one link a host of a group."""
        spread: dict[str, list[str]] = {}
        for link in self.site.links:
            spread.setdefault(link.rstrip("0123456789"), []).append(link)
        return spread

    @cached_property
    def _number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate([*self.site.hosts, *self.site.switches])}

    @cached_property
    def _hop(self) -> dict[tuple[int, int], Hop]:
        """Hop from one place to the next: the link of the least round-trip time between them."""
        hops: dict[tuple[int, int], Hop] = {}
        by_time = sorted(self.site.links.items(), key=lambda item: -item[1].round_trip.value)
        for name, link in by_time:
            if link.ends is not None:
                first, second = (self._number[end] for end in link.ends)
                hops[first, second], hops[second, first] = Hop(name, backwards=False), Hop(name, backwards=True)
        return hops

    @cached_property
    def _pairs(self) -> tuple[IntArray, FloatArray]:
        """Both places of each hop, and its time [s]."""
        pairs = np.array(list(self._hop), dtype=np.int64).reshape(-1, 2)
        return pairs, np.array([self.site.links[hop.link].round_trip.value for hop in self._hop.values()]) + _PER_LINK

    @cached_property
    def _known(self) -> dict[str, IntArray]:
        return {}

    def _before(self, host: str) -> IntArray:
        """Place before each place on the way from a host; other hosts pass nothing on."""
        if host not in self._known:
            pairs, times = self._pairs
            places, number = len(self._number), self._number[host]
            used = (pairs[:, 0] >= len(self.site.hosts)) | (pairs[:, 0] == number)
            ends = pairs[used].T.astype(np.intc)  # SciPy 1.14 takes no wider ones
            graph = csr_array((times[used], (ends[0], ends[1])), shape=(places, places))
            self._known[host] = dijkstra(graph, indices=number, return_predecessors=True)[1]
        return self._known[host]


def path_along(site: Site, route: tuple[Hop, ...]) -> Link:
    """Path along a route: its narrowest link, with the times and losses of all and the least MTU."""
    links = [site.links[hop.link] for hop in route]
    narrow = site.links[narrowest(site, route)]
    times = [link.round_trip for link in links]
    total = sum(time.value for time in times)
    spread = sum(time.value * time.spread for time in times) / total if total else 0.0
    changes: dict[str, Any] = {}
    if any(link.latency is not None or "rtt" in link.model_fields_set for link in links):
        changes["rtt"] = times[0].model_copy(update={"value": total, "spread": spread})
    if mtus := [link.mtu for link in links if "mtu" in link.model_fields_set]:
        changes["mtu"] = min(mtus)
    if losses := [link.loss for link in links if "loss" in link.model_fields_set]:
        kept = math.prod(1 - loss.value for loss in losses)
        changes["loss"] = losses[0].model_copy(
            update={"value": 1 - kept, "spread": max(loss.spread for loss in losses)}
        )
    return narrow.model_copy(update={**changes, "latency": None, "ends": None, "cost": None})


def narrowest(site: Site, route: tuple[Hop, ...]) -> str:
    """Name of the link of a route that carries least."""
    return min((hop.link for hop in route), key=lambda link: carries(site.links[link]))


def carries(link: Link) -> float:
    """Line rate of a link in one direction, its parallel links together [bit/s]."""
    return math.inf if link.rate is None else link.rate.value * link.links
