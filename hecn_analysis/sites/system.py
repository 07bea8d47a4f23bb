"""The resources of a site and what each of its transfers needs of them."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np

from hecn_analysis.prediction.draws import Draws, FloatArray
from hecn_analysis.prediction.packets import payload_per_packet, streams_per_process
from hecn_analysis.prediction.together import followed
from hecn_analysis.prediction.unstated import IDEAL
from hecn_analysis.sites.alone import LEAST, reached_alone, share_of_link, shuffled
from hecn_analysis.sites.routes import carries, narrowest
from hecn_analysis.sites.shares import shares
from hecn_analysis.sites.sharing import Column

if TYPE_CHECKING:
    from hecn_analysis.hardware.site import Link, Site
    from hecn_analysis.prediction.solve import IntArray
    from hecn_analysis.sites.alone import Alone, Demand, Size
    from hecn_analysis.sites.flows import Flow
    from hecn_analysis.sites.routes import Hop

#: Start-ups to compute for amounts as they are.
_MOST_SIZES: Final = 200

#: Transfers that together reach this share of a link fill its queue: less than 1, as they reach payload.
_FILLS: Final = 0.9

#: More transfers than this at once, at a host or on a link, are computed with a rounded number.
_EXACT: Final = 32


@dataclass(frozen=True)
class SiteResource:
    """A resource that transfers share: ``name`` has whose, its class, which one: ``dtn1.cpu.core0``, ``wave.link``."""

    name: str
    resource_class: str
    title: str


class System:
    """Resources and demands of the transfers of a site.

    ``most_bps`` are the transfers' own limits [bit/s], ``delay_s`` their start-ups [s], shape (flows, 1 + draws), and
    ``own`` name and class of each limit; transfers of one number in ``group_of`` are equal in all of it. ``on_network``
    has the demands of each on links and switches, with the central value and each draw in the columns of ``seconds``;
    those on hosts depend on who else is there: see `at_host`.
    """

    def __init__(self, site: Site, flows: list[Flow], draws: int) -> None:
        self.site = site
        self.flows = flows
        self.draws = draws
        self.draw = Draws(draws)
        self.resources: list[SiteResource] = []
        self._numbers: dict[tuple[str, str], int] = {}
        settings = [site.settings, *(transfer.set for transfer in site.transfers)]
        self._sets_hosts = any(key.startswith(("sender.", "receiver.")) for keys in settings for key in keys)
        self._ports = self._attached()
        self._at_host: dict[tuple[str, Alone, float, str, tuple[int, ...]], list[Column]] = {}
        self._link_times: dict[tuple[Alone, Hop, bool], FloatArray] = {}
        self._crossing = self._counted()
        sizes = self._sizes()
        self._simulate(sizes)
        weights = self._weights()
        known: dict[tuple[object, ...], tuple[Column, FloatArray, FloatArray, tuple[str, str]]] = {}
        groups: dict[tuple[object, ...], int] = {}
        self.group_of: list[int] = []
        parts = []
        for flow, size in zip(flows, sizes, strict=True):
            alike = (flow.kind, flow.sender, flow.receiver, flow.route, flow.weight)
            if (*alike, size) not in known:
                known[*alike, size] = (self._network(flow, weights), *self._own(flow, size))
            parts.append(known[*alike, size])
            self.group_of.append(groups.setdefault((*alike, parts[-1][1].tobytes()), len(groups)))
        self.on_network = [network for network, *_ in parts]
        self.most_bps = np.array([most for _, most, *_ in parts])
        self.delay_s = np.array([delay for _, _, delay, _ in parts])
        self.own = [own for *_, own in parts]

    def at(self, start_s: FloatArray) -> System:
        """The same transfers with other starts; those whose start is NaN are left out."""
        kept = np.flatnonzero(~np.isnan(start_s))
        other = copy.copy(self)
        other.flows = [self.flows[flow]._replace(start_s=float(start_s[flow])) for flow in kept]
        other.on_network = [self.on_network[flow] for flow in kept]
        other.group_of = [self.group_of[flow] for flow in kept]
        other.own = [self.own[flow] for flow in kept]
        other.most_bps, other.delay_s = self.most_bps[kept], self.delay_s[kept]
        return other

    def capped(self, pace_bps: FloatArray, kind_of_pace: IntArray) -> System:
        """The same transfers, none faster than its pace [bit/s]; those with one kind of pace have the same."""
        other = copy.copy(self)
        other.most_bps = np.minimum(self.most_bps, pace_bps[:, None])
        kinds = int(kind_of_pace.max()) + 1
        other.group_of = [group * kinds + int(kind) for group, kind in zip(self.group_of, kind_of_pace, strict=True)]
        return other

    def _simulate(self, sizes: list[Size]) -> None:
        """Have TCP simulated for all kinds of transfers at once: their start-ups, and their shares of a full link."""
        pairs = dict.fromkeys((flow.kind, size) for flow, size in zip(self.flows, sizes, strict=True))
        wanted = [(kind, size) for kind, size in pairs if size not in kind.courses]
        kinds = list(dict.fromkeys(kind for kind, _ in wanted))
        models = [kind.model for kind in kinds] + [kind.of_size(size) for kind, size in wanted]
        simulated = list(followed(models, reached_alone))[len(kinds) :]
        for (kind, size), model in zip(wanted, simulated, strict=True):
            kind.learn_course(size, model)
        crossed = dict.fromkeys(
            (kind, self._together(hop)) for hop, counts in self._crossing.items() for kind in counts
        )
        full = [(kind, together) for kind, together in crossed if together not in kind.queue_shares]
        at_links = followed([kind.at_full_link(together) for kind, together in full], share_of_link)
        for (kind, together), at_link in zip(full, at_links, strict=True):
            kind.queue_shares[together] = np.ones(1 + self.draws) if at_link is None else share_of_link(at_link)

    def _together(self, hop: Hop) -> int:
        """Number of transfers that cross a link, rounded where they are many."""
        together = max(1, round(sum(self._crossing[hop].values())))
        return together if together <= _EXACT else 1 << round(np.log2(together))

    def _number(self, resource: SiteResource, variant: str) -> int:
        """Number of a resource, in one of its directions, which is added when it is first used."""
        key = (resource.name, variant)
        if key not in self._numbers:
            self._numbers[key] = len(self.resources)
            self.resources.append(resource)
        return self._numbers[key]

    # the network -----------------------------------------------------------------------------------------------------

    def _network(self, flow: Flow, weights: dict[tuple[Hop, Alone], float]) -> Column:
        """Demands of a transfer on the links and switches of its route."""
        site, kind = self.site, flow.kind
        share, narrow = kind.wire_share, narrowest(site, flow.route)
        rows: list[tuple[SiteResource, str, FloatArray, float]] = []
        for hop in flow.route:
            link = site.links[hop.link]
            if link.rate is not None:
                time = self._link_time(kind, hop, is_narrowest=hop.link == narrow)
                resource = SiteResource(f"{hop.link}.link", "link", link.title or f"link {hop.link}")
                direction = "backwards" if hop.backwards else "forwards"
                rows.append((resource, direction, time, weights.get((hop, kind), 1.0)))
        for name in self._switches(flow):
            switch = site.switches[name]
            if switch.rate is not None:
                time = share / self._drawn(f"{name}.switch", switch.rate) / kind.link_error
                rows.append((SiteResource(f"{name}.switch", "switch", switch.title or f"switch {name}"), "", time, 1.0))
        for demand in kind.on_path():
            resource = SiteResource(f"{narrow}.{demand.part}", demand.resource_class, demand.title)
            rows.append((resource, "", demand.seconds / demand.error, 1.0))
        if not rows:  # each transfer uses something
            rows.append((SiteResource("", "", "no limit"), "", np.full(1 + self.draws, LEAST), 1.0))
        resources, variants, seconds, own = zip(*rows, strict=True)
        numbers = [self._number(*pair) for pair in zip(resources, variants, strict=True)]
        time = np.maximum(seconds, LEAST)  # a rate may be infinite
        return Column(np.array(numbers, dtype=np.int64), time, flow.weight * np.array(own))

    def _link_time(self, kind: Alone, hop: Hop, *, is_narrowest: bool) -> FloatArray:
        """Time of a link for a bit of a kind of transfer [s/bit]; the narrowest has the queue that TCP fills."""
        key = (kind, hop, is_narrowest)
        if key not in self._link_times:
            capacity = self._capacity(hop.link, self.site.links[hop.link])[shuffled(hop.link, self.draws)]
            time = kind.wire_share / capacity / kind.link_error
            self._link_times[key] = time / kind.queue_shares[self._together(hop)] if is_narrowest else time
        return self._link_times[key]

    def _capacity(self, name: str, link: Link) -> FloatArray:
        """Line rate of a link that other traffic leaves, in one direction [bit/s]."""
        assert link.rate is not None  # noqa: S101 - the caller skips links without a limit
        rate = self._drawn(f"{name}.rate", link.rate) * link.links
        if link.background is None:
            return rate
        return np.maximum(rate - self._drawn(f"{name}.background", link.background), 0.02 * rate)

    def _drawn(self, name: str, parameter: object) -> FloatArray:
        return np.broadcast_to(self.draw(name, parameter), 1 + self.draws)  # type: ignore[arg-type]

    def _switches(self, flow: Flow) -> list[str]:
        """Switches that a transfer passes, each once."""
        ends = [end for hop in flow.route for end in self.site.links[hop.link].ends or ()]
        return [end for end in dict.fromkeys(ends) if end in self.site.switches]

    def _own(self, flow: Flow, size: Size) -> tuple[FloatArray, FloatArray, tuple[str, str]]:
        """Own limit of a transfer [bit/s] and its start-up [s], and what sets the limit.

        Of parallel links, a transfer uses one for each stream.
        """
        kind = flow.kind
        limit, delay = kind.courses[size]
        most, name = limit.most_bps, limit.name
        for role, end in (
            ("sender", flow.sender),
            ("receiver", flow.receiver),
            ("path", narrowest(self.site, flow.route)),
        ):
            if name.startswith(f"{role}."):
                name = f"{end}.{name.partition('.')[2]}"
        own = (name, limit.resource_class)
        for hop in flow.route:
            link = self.site.links[hop.link]
            streams = streams_per_process(kind.scenario)
            if link.rate is None or link.spread == "round-robin" or kind.scenario.tool.bonding or streams >= link.links:
                continue
            part = self._capacity(hop.link, link) / link.links * streams / kind.wire_share
            if part[0] < most[0]:
                own = (f"{hop.link}.link", "link")
            most = np.minimum(most, part)
        return most, delay, own

    def _counted(self) -> dict[Hop, dict[Alone, float]]:
        """Number of transfers of each kind that cross each link in each direction, repetitions counted once."""
        crossing: dict[Hop, dict[Alone, float]] = defaultdict(lambda: defaultdict(float))
        for flow in self.flows:
            for hop in flow.route:
                crossing[hop][flow.kind] += 1 / self.site.transfers[flow.transfer].times
        return crossing

    def _weights(self) -> dict[tuple[Hop, Alone], float]:
        """Weights of the kinds of transfers that share a link."""
        weights: dict[tuple[Hop, Alone], float] = {}
        waiting_s = self._waiting()
        routes = {flow.kind: flow.route for flow in self.flows}
        for hop, counts in self._crossing.items():
            link = self.site.links[hop.link]
            if len(counts) == 1 or link.rate is None:
                continue
            many = np.array(list(counts.values()))
            streams = many * [streams_per_process(kind.scenario) for kind in counts]
            waiting = [sum(waiting_s[passed] for passed in routes[kind]) for kind in counts]
            rtt = np.array([float(kind.scenario.path.rtt.value) for kind in counts]) + waiting
            reno = np.array([getattr(kind.scenario.sender, "congestion_control", "") == "reno" for kind in counts])
            wire = min(float(np.ravel(payload_per_packet(kind.scenario)[1])[0]) for kind in counts)
            of_each = shares(carries(link) / 8 / wire, streams, rtt, reno) / many
            weights |= {(hop, kind): float(weight) for kind, weight in zip(counts, of_each, strict=True)}
        return weights

    def _waiting(self) -> dict[Hop, float]:
        """Half of the queue of each link that the transfers across it can fill, in time [s]."""
        reach = {}
        for kind, route in {flow.kind: flow.route for flow in self.flows}.items():
            most_bps = max(float(limit.most_bps[0]) for limit, _ in kind.courses.values())
            reach[kind] = min(most_bps, carries(self.site.links[narrowest(self.site, route)]))
        waiting = {}
        for hop, counts in self._crossing.items():
            link = self.site.links[hop.link]
            is_full = sum(many * reach[kind] for kind, many in counts.items()) > _FILLS * carries(link)
            queue, rate = link.queue, link.rate
            waiting[hop] = queue.value * 4 / rate.value if queue is not None and rate is not None and is_full else 0.0
        return waiting

    def _sizes(self) -> list[Size]:
        """Size of each transfer for its start-up; many sizes count as the nearest power of two."""
        if len({(flow.kind, flow.size) for flow in self.flows}) <= _MOST_SIZES:
            return [flow.size for flow in self.flows]
        return [flow.size._replace(of=2.0 ** round(np.log2(flow.size.of))) for flow in self.flows]

    # hosts -----------------------------------------------------------------------------------------------------------

    def _attached(self) -> dict[str, dict[str, int]]:
        """First port of each link at each host."""
        names: dict[str, dict[str, None]] = defaultdict(dict)
        for name, link in self.site.links.items():
            for end in link.ends or ():
                names[end][name] = None
        for flow in self.flows:
            names[flow.sender][flow.route[0].link] = None
            names[flow.receiver][flow.route[-1].link] = None
        ports: dict[str, dict[str, int]] = {}
        for host, links in names.items():
            widths = [self.site.links[name].links for name in links]
            ports[host] = dict(zip(links, accumulate(widths, initial=0), strict=False))
        return ports

    def is_limited(self, host: str) -> bool:
        """Whether a host has limits of its own."""
        described = self.site.hosts[host]
        return described.host != IDEAL or bool(described.set) or described.storage is not None or self._sets_hosts

    def numbers(self, host: str, flows: list[int]) -> tuple[int, ...]:
        """Numbers of the transfers at a host, in order: they choose the port, on the link of each, and the array."""
        first = self._ports[host]
        width = sum(self.site.links[link].links for link in first)
        used: Counter[str] = Counter()
        numbers: list[int] = []
        for flow in flows:
            route = self.flows[flow].route
            link = route[0].link if self.flows[flow].sender == host else route[-1].link
            turn, port = divmod(used[link], self.site.links[link].links)
            used[link] += 1
            numbers.append(first[link] + port + width * turn)
        if flows and 0 < self._card_ports(host, flows[0]) < width:  # fewer ports than links: they are used in turn
            numbers = list(range(len(flows)))
        if len(flows) > _EXACT:
            more = -len(flows) % _EXACT
            numbers += [width * len(flows) + number for number in range(more)]
        return tuple(numbers)

    def _card_ports(self, host: str, flow: int) -> int:
        """Ports of the network cards of a host at an end of a transfer; 0 if they are not known."""
        ends = self.flows[flow].kind.scenario
        described = ends.sender if self.flows[flow].sender == host else ends.receiver
        return (
            0 if described is None else sum(slot.nic.ports for slot in described.slots.values() if slot.nic is not None)
        )

    def at_host(self, host: str, flow: int, numbers: tuple[int, ...]) -> list[Column]:
        """Demands on a host of a kind of transfer in each place among those that are there."""
        kind = self.flows[flow].kind
        role = "sender" if self.flows[flow].sender == host else "receiver"
        key = (host, kind, self.flows[flow].weight, role, numbers)
        if key not in self._at_host:
            ports = sum(self.site.links[link].links for link in self._ports[host])
            weight = self.flows[flow].weight
            self._at_host[key] = [self._placed(host, demands, weight) for demands in kind.side(role, ports, numbers)]
        return self._at_host[key]

    def _placed(self, host: str, demands: list[Demand], weight: float) -> Column:
        """Demands of one transfer on a host; files on shared storage use that."""
        storage = self.site.hosts[host].storage
        numbers: list[int] = []
        seconds: list[FloatArray] = []
        for demand in demands:
            owner = storage if storage is not None and demand.part == "disk" else host
            if owner == storage:
                title = self.site.storage[owner].title or f"storage {owner}"
                numbers.append(self._number(SiteResource(f"{owner}.filesystem", "filesystem", title), ""))
            else:
                title = demand.title.replace("the sender", host).replace("the receiver", host)
                resource = SiteResource(f"{host}.{demand.part}", demand.resource_class, title)
                numbers.append(self._number(resource, demand.variant))
            seconds.append(demand.seconds[shuffled(owner, self.draws)] / demand.error)
        table = np.array(seconds).reshape(len(seconds), 1 + self.draws)
        return Column(np.array(numbers, dtype=np.int64), table, np.full(len(seconds), weight))
