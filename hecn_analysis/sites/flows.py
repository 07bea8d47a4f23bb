"""Single transfers of a site: groups, copies and repetitions taken apart, each with its kind, route and amount."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hecn_analysis.hardware.scenario import make_scenario
from hecn_analysis.sites.alone import Alone, Size
from hecn_analysis.sites.routes import Hop, Routes, path_along

if TYPE_CHECKING:
    from hecn_analysis.hardware import Scenario
    from hecn_analysis.hardware.site import Site, SiteHost, Transfer


#: Share of a transfer against one of the next lower priority: so much that hardly anything is left for that one.
_PER_PRIORITY: Final = 1e4


class Flow(NamedTuple):
    """One transfer between two hosts."""

    name: str
    transfer: int
    sender: str
    receiver: str
    route: tuple[Hop, ...]
    kind: Alone
    start_s: float
    size: Size
    weight: float


def flows_of(site: Site, draws: int) -> list[Flow]:
    """All single transfers of a site, in the order of their start.

    Parameters
    ----------
    site, draws
        The site, and the number of draws of all that is uncertain.

    Returns
    -------
    list of Flow
        Groups, copies and repetitions taken apart.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_site
    >>> [flow.name for flow in flows_of(load_site("sc13-two-waves"), 0)][:2]
    ['north (1)', 'north (2)']
    """
    kinds = Kinds(site, draws)
    flows = [flow for number in range(len(site.transfers)) for flow in kinds.flows(number)]
    seen: Counter[str] = Counter()
    for place, flow in enumerate(flows):
        seen[flow.name] += 1
        if seen[flow.name] > 1:
            flows[place] = flow._replace(name=f"{flow.name} #{seen[flow.name]}")
    return sorted(flows, key=lambda flow: flow.start_s)


def _pairs(site: Site, transfer: Transfer) -> list[tuple[str, str]]:
    """Sender and receiver of each transfer between two groups; nobody sends to itself."""
    senders, receivers = site.groups[transfer.sender], site.groups[transfer.receiver]
    if transfer.mesh:
        return [(sender, receiver) for sender in senders for receiver in receivers if sender != receiver]
    shift = 1 if senders == receivers and len(senders) > 1 else 0
    return [
        (senders[number % len(senders)], receivers[(number + shift) % len(receivers)])
        for number in range(max(len(senders), len(receivers)))
    ]


@dataclass
class Kinds:
    """Transfers of equal hosts, tool and path are of one kind, whose prediction is made once; sites may share them."""

    site: Site
    draws: int
    known: dict[tuple[str, ...], Alone] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.routes = Routes(self.site)
        self._paths: dict[tuple[Hop, ...], str] = {}

    def flows(self, number: int) -> Iterator[Flow]:
        """Single transfers of one transfer of the site."""
        transfer = self.site.transfers[number]
        pairs = _pairs(self.site, transfer)
        for sender, receiver in pairs:
            route = self.routes.of(number, sender, receiver)
            kind = self.kind(number, sender, receiver, route)
            size = self._size(number, kind)
            ends = f"{sender} to {receiver}"
            base = ends if not transfer.name else transfer.name if len(pairs) == 1 else f"{transfer.name}: {ends}"
            every = 0.0 if transfer.every is None else transfer.every.value
            for time in range(transfer.times):
                for copy in range(transfer.count):
                    name = base + (f" ({copy + 1})" if transfer.count > 1 else "")
                    name += f" [{time + 1}]" if transfer.times > 1 else ""
                    start = transfer.start.value + time * every
                    weight = transfer.weight.value * _PER_PRIORITY**transfer.priority
                    yield Flow(name, number, sender, receiver, route, kind, start, size, weight)

    def _size(self, number: int, kind: Alone) -> Size:
        """Size of a transfer: its own, or that of its tool."""
        transfer, tool = self.site.transfers[number], kind.described.tool
        amount, duration = transfer.bytes, transfer.duration
        if amount is None and duration is None:
            amount, duration = tool.bytes, tool.duration
        size = amount or duration
        if size is None:
            expected = "bytes or duration, of it or of its tool"
            raise self.site.error(("transfers", str(number)), "a transfer without an end", expected)
        if not 0 < size.value < math.inf:
            name = "duration" if amount is None else "bytes"
            expected = "more than 0, and an end"
            raise self.site.error(("transfers", str(number), name), f"{name} of {size.value:g}", expected)
        return Size(size.value * (1 if amount is None else 8), is_amount=amount is not None)

    def kind(self, number: int, sender: str, receiver: str, route: tuple[Hop, ...]) -> Alone:
        """Kind of a transfer between two hosts over a route."""
        transfer, hosts = self.site.transfers[number], self.site.hosts
        if route not in self._paths:
            self._paths[route] = repr(path_along(self.site, route))
        settings = self._settings(transfer)
        stored = [self.site.storage.get(hosts[end].storage or "") for end in (sender, receiver)]
        key = (self._paths[route], repr(hosts[sender]), repr(hosts[receiver]), repr(stored), repr(settings))
        if key not in self.known:
            self.known[key] = Alone(self._scenario(number, hosts[sender], hosts[receiver], route), self.draws)
        return self.known[key]

    def _settings(self, transfer: Transfer) -> dict[str, Any]:
        """Keys of the scenario of a transfer: those of the site, then its own."""
        settings = {**self.site.settings, **({} if transfer.tool is None else {"tool": transfer.tool}), **transfer.set}
        if transfer.streams is not None:
            settings["tool.streams"] = transfer.streams
        if transfer.pace is not None:
            settings["tool.pace"] = transfer.pace.value
        return settings

    def _scenario(self, number: int, sender: SiteHost, receiver: SiteHost, route: tuple[Hop, ...]) -> Scenario:
        transfer, site = self.site.transfers[number], self.site
        keys: dict[str, Any] = {"sender": sender.host, "receiver": receiver.host}
        for role, host in (("sender", sender), ("receiver", receiver)):
            keys |= {f"{role}.{key}": value for key, value in host.set.items()}
        keys |= self._settings(transfer)
        here = ("transfers", str(number))

        def line(key: str) -> int | None:
            return site.place((*here, "set", key))[1]

        def made(more: Mapping[str, Any]) -> Scenario:
            return make_scenario({**keys, **more}, source=site.place(here)[0] or "", line=line)

        scenario = made({})
        stored = {}
        if sender.storage is not None and scenario.tool.source_end == "disk":
            stored["sender.read_rate"] = site.storage[sender.storage].ceiling("read").model_dump()
        if receiver.storage is not None and scenario.tool.sink_end == "disk":
            stored["receiver.write_rate"] = site.storage[receiver.storage].ceiling("write").model_dump()
        if stored:
            scenario = made(stored)
        if scenario.tool.protocol == "file":
            raise site.error((*here, "tool"), f"tool {scenario.tool.name!r}", "a tool that uses the network")
        path = path_along(site, route)
        keys_with_path = {**scenario.keys, **({} if path.path is None else {"path": path.path})}
        return replace(scenario, path=path, keys=keys_with_path)
