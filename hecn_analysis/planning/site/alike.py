"""Parts of a site whose loss costs the same: equal by what they are, who uses them, and what those use besides.

Colours of parts and transfers are refined in turns: a transfer by the colours of what it uses, a part by those of its
transfers and neighbours. Parts of one colour have the same place in the site as far as shares of rates can tell: equal
colours keep the solutions of linear programmes (Grohe, Kersting, Mladenov, Selman 2014), and so those of fair shares.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from hecn_analysis.hardware.site import Site
    from hecn_analysis.sites.flows import Flow

Key = TypeVar("Key")

#: Turns: how far away parts may differ.
_TURNS: Final = 5


class Part(NamedTuple):
    """A part of a site that may fail."""

    kind: Literal["link", "host", "switch", "storage"]
    name: str


def colours(site: Site, flows: list[Flow]) -> Mapping[Part, int]:
    """Colour of each part that transfers use; parts of one colour are alike."""
    users = _users(site, flows)
    neighbours = _neighbours(site)
    of_part = _numbered({part: _described(site, part) for part in users})
    of_flow = dict.fromkeys(range(len(flows)), 0)
    for _ in range(_TURNS):
        seen: dict[int, list[Hashable]] = defaultdict(list)
        for part, using in users.items():
            for flow, role in using:
                seen[flow].append((role, of_part[part]))
        of_flow = _numbered(
            {
                number: (flow.transfer, flow.start_s, flow.size, frozenset(Counter(seen[number]).items()))
                for number, flow in enumerate(flows)
            }
        )
        of_part = _numbered(
            {
                part: (
                    of_part[part],
                    frozenset(Counter((of_flow[flow], role) for flow, role in using).items()),
                    frozenset(Counter(of_part.get(other, -1) for other in neighbours[part]).items()),
                )
                for part, using in users.items()
            }
        )
    return of_part


def _numbered(keys: Mapping[Key, Hashable]) -> dict[Key, int]:
    """Numbers, equal for equal keys."""
    numbers: dict[Hashable, int] = {}
    return {name: numbers.setdefault(key, len(numbers)) for name, key in keys.items()}


def _described(site: Site, part: Part) -> Hashable:
    """What a part is, apart from its name; a host also by its groups, which take over its transfers."""
    if part.kind == "host":
        groups = [name for name, members in site.groups.items() if len(members) > 1 and part.name in members]
        return (part.kind, repr(site.hosts[part.name]), tuple(groups))
    if part.kind == "link":
        return (part.kind, repr(site.links[part.name].model_copy(update={"ends": None})))
    described = site.switches[part.name] if part.kind == "switch" else site.storage[part.name]
    return (part.kind, repr(described))


def _users(site: Site, flows: list[Flow]) -> dict[Part, list[tuple[int, str]]]:
    """Transfers that use each part, and as what."""
    users: dict[Part, list[tuple[int, str]]] = defaultdict(list)
    for number, flow in enumerate(flows):
        for host, role in ((flow.sender, "sender"), (flow.receiver, "receiver")):
            users[Part("host", host)].append((number, role))
            if (storage := site.hosts[host].storage) is not None:
                users[Part("storage", storage)].append((number, role))
        for place, hop in enumerate(flow.route):
            users[Part("link", hop.link)].append((number, f"hop {place} {hop.backwards}"))
        for switch in _switches(site, flow):
            users[Part("switch", switch)].append((number, "through"))
    return dict(users)


def _switches(site: Site, flow: Flow) -> Iterable[str]:
    """Switches that a transfer passes."""
    ends = [end for hop in flow.route for end in site.links[hop.link].ends or ()]
    return dict.fromkeys(end for end in ends if end in site.switches)


def _neighbours(site: Site) -> Mapping[Part, list[Part]]:
    """Parts at the ends of links, and links at each."""
    neighbours: dict[Part, list[Part]] = defaultdict(list)
    for name, link in site.links.items():
        for end in link.ends or ():
            other = Part("host" if end in site.hosts else "switch", end)
            neighbours[Part("link", name)].append(other)
            neighbours[other].append(Part("link", name))
    return neighbours
