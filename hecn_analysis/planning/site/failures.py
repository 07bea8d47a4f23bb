"""What each single failure costs a site: a link, host, switch or storage server is missing from the start on (N-1).

Of parallel links and of the servers of a storage system, one fails. Transfers take another way if their links or
switches are missing. The transfers of a host that is missing or cut off move, one by one, to the host with the fewest
of the group that they name; those that name the host itself stop, and so do those without a way. Central values,
without intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.progress import track
from hecn_analysis.hardware import Site
from hecn_analysis.hardware.site_file import load_site
from hecn_analysis.planning.site.alike import Part, colours
from hecn_analysis.sites.flows import Flow, Kinds
from hecn_analysis.sites.prediction import require_limits
from hecn_analysis.sites.system import System
from hecn_analysis.sites.timeline import course_of

if TYPE_CHECKING:
    from hecn_analysis.sites.alone import Alone

#: Ends later than this part of the time are later.
_EQUAL: Final = 1e-6


@dataclass(frozen=True)
class AfterFailure:
    """A transfer while something is missing: mean rate [bit/s] and end [s], None if it stops."""

    name: str
    throughput_bps: float | None
    finish_s: float | None


@dataclass(frozen=True)
class Failure:
    """What is missing, and what that costs.

    ``alike`` are other parts whose loss costs the same. ``stopped`` transfers have no way, ``late`` ones miss their
    deadlines. ``finish_s`` is the last end of the others, ``later_s`` how much later it is than without the failure.
    """

    missing: str
    kind: str
    alike: tuple[str, ...]
    stopped: int
    late: int
    throughput_bps: float
    finish_s: float | None
    later_s: float | None
    slowest: str
    slowest_fraction: float
    transfers: tuple[AfterFailure, ...] = field(repr=False)


@dataclass(frozen=True)
class Failures:
    """All single failures of a site, that which costs most first; its own figures are those without one.

    Examples
    --------
    >>> found = failures("sc13-two-waves")
    >>> found.failures[-1].missing, found.to_dict()["failures"][0]["kind"]
    ('one of 4 links laboratory', 'host')
    """

    name: str
    throughput_bps: float
    finish_s: float
    transfers: tuple[AfterFailure, ...]
    failures: tuple[Failure, ...]

    def __str__(self) -> str:
        """Which failure costs most, in a sentence."""
        name, time, worst = self.name or "a site", units.format_time, self.failures[0]
        said = f"{name}: without a failure, the last transfer ends at {time(self.finish_s)}."
        if worst.stopped:
            return f"{said} Without {worst.missing}, {worst.stopped} of {len(self.transfers)} transfers cannot run."
        if not worst.later_s:
            return f"{said} No single failure makes it later."
        return f"{said} Without {worst.missing}, it ends {time(worst.later_s)} later."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, under fixed names.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.
        """
        return {**asdict(self), "sentence": str(self)}


def failures(site: str | Path | Mapping[str, Any] | Site, settings: Mapping[str, Any] | None = None) -> Failures:
    """Predict a site without each link, host, switch and storage server that its transfers use.

    Parameters
    ----------
    site
        YAML file, name in ``models/sites``, mapping of keys, or a loaded site.
    settings
        Keys of the scenario of every transfer that replace its own.

    Returns
    -------
    Failures
        What is missing, which transfers stop, and rate and end of the others.

    Raises
    ------
    InputError
        The site is invalid.

    Examples
    --------
    Two transfers over a link of two strands; one strand carries both in twice the time:

    >>> pair = {"sender": "ideal", "receiver": "ideal", "tool": "ftp", "transfers": [{"count": 2, "bytes": "1 TB"}]}
    >>> path = {"path.rate": "10 Gb/s", "path.links": 2, "path.rtt": 0, "path.loss": 0, "path.mtu": 9000}
    >>> found = failures({**pair, **path})
    >>> [(each.missing, each.stopped, round(each.later_s)) for each in found.failures if not each.stopped]
    [('one of 2 links path', 0, 808)]
    """
    loaded = site if isinstance(site, Site) else load_site(site, settings)
    search = _Search(loaded)
    before = search.base
    finish = max(each.finish_s for each in before if each.finish_s is not None)
    losses = [search.failure(part, alike, finish) for part, alike in track(search.parts(), "failures")]
    losses.sort(key=_cost)
    return Failures(loaded.title or loaded.name, search.whole(before), finish, before, tuple(losses))


def _cost(failure: Failure) -> tuple[float | str, ...]:
    """Order of failures: transfers that stop, that are late, the delay of the last, the slowest."""
    return (
        -failure.stopped,
        -failure.late,
        -(failure.later_s or 0.0),
        failure.slowest_fraction,
        failure.missing,
    )


class _Search:
    """A site and what its transfers do without a failure."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.known: dict[tuple[str, ...], Alone] = {}
        kinds = Kinds(site, 0, self.known)
        self.flows = [flow for number in range(len(site.transfers)) for flow in kinds.flows(number)]
        self.at_host = Counter(end for flow in self.flows for end in (flow.sender, flow.receiver))
        self.base = self._followed(site, self.flows)

    def parts(self) -> list[tuple[Part, tuple[str, ...]]]:
        """One of all parts that are alike, and the names of the others."""
        alike: dict[int, list[Part]] = {}
        for part, colour in colours(self.site, self.flows).items():
            alike.setdefault(colour, []).append(part)
        return [(parts[0], tuple(part.name for part in parts[1:])) for parts in alike.values()]

    def failure(self, part: Part, alike: tuple[str, ...], finish_s: float) -> Failure:
        """What happens without a part."""
        site, words = _without(self.site, part)
        kinds = Kinds(site, 0, self.known)
        taken = Counter[str]()
        after = self._followed(site, [self._moved(kinds, flow, part, words, taken) for flow in self.flows])
        ends = [each.finish_s for each in after if each.finish_s is not None]
        shares = {
            each.name: (each.throughput_bps or 0.0) / before.throughput_bps
            for each, before in zip(after, self.base, strict=True)
            if before.throughput_bps
        }
        slowest = min(shares, key=lambda name: shares[name])
        last = max(ends, default=None)
        later = None if last is None else max(0.0, last - finish_s)
        return Failure(
            words,
            part.kind,
            alike,
            len(after) - len(ends),
            sum(map(self._is_late, self.flows, after)),
            self.whole(after),
            last,
            later if later is None or later > _EQUAL * finish_s else 0.0,
            slowest,
            shares[slowest],
            after,
        )

    def _is_late(self, flow: Flow, after: AfterFailure) -> bool:
        by = self.site.transfers[flow.transfer].by
        return by is not None and after.finish_s is not None and after.finish_s > by.value * (1 + _EQUAL)

    def _moved(self, kinds: Kinds, flow: Flow, part: Part, words: str, taken: Counter[str]) -> Flow | None:
        """A transfer without a part: at other hosts, or over other links; None if it stops."""
        hosts, links = self.site.hosts, kinds.site.links
        stored = {hosts[flow.sender].storage, hosts[flow.receiver].storage}
        if part.kind == "storage" and words == part.name and part.name in stored:
            return None
        if part.kind == "host" and part.name in {flow.sender, flow.receiver}:
            return self._elsewhere(kinds, flow, part.name, taken)
        if all(links.get(hop.link) is self.site.links[hop.link] for hop in flow.route):
            if part.kind != "storage" or part.name not in stored:
                return flow
        elif any(hop.link not in links for hop in flow.route):
            route = _way(kinds, flow.transfer, flow.sender, flow.receiver, is_stated=False)
            if not route:  # one of its hosts may be cut off
                ends = (flow.sender, flow.receiver)
                candidates = (self._elsewhere(kinds, flow, end, taken) for end in ends)
                return next((moved for moved in candidates if moved is not None), None)
            flow = flow._replace(route=route)
        return flow._replace(kind=kinds.kind(flow.transfer, flow.sender, flow.receiver, flow.route))

    def _elsewhere(self, kinds: Kinds, flow: Flow, lost: str, taken: Counter[str]) -> Flow | None:
        """A transfer with the least busy host of the group in place of a lost one; None if no other has a way."""
        transfer, is_sender = self.site.transfers[flow.transfer], flow.sender == lost
        end = flow.receiver if is_sender else flow.sender
        members = self.site.groups[transfer.sender if is_sender else transfer.receiver]
        place = members.index(lost)
        in_turn = [*members[place + 1 :], *members[:place]]
        for other in sorted(in_turn, key=lambda name: self.at_host[name] + taken[name]):
            sender, receiver = (other, end) if is_sender else (end, other)
            if other != end and (route := _way(kinds, flow.transfer, sender, receiver, is_stated=True)):
                kind = kinds.kind(flow.transfer, sender, receiver, route)
                taken[other] += 1
                return flow._replace(sender=sender, receiver=receiver, route=route, kind=kind)
        return None

    def _followed(self, site: Site, flows: Sequence[Flow | None]) -> tuple[AfterFailure, ...]:
        """Rate and end of each transfer; of those that are None, nothing."""
        running = [flow for flow in flows if flow is not None]
        results: Iterator[tuple[float, float]] = iter(())
        if running:
            system = System(site, running, 0)
            require_limits(site, system)
            course = course_of(system, 0)
            lasted = course.finish_s - [flow.start_s for flow in running]
            results = zip((course.moved_bits / lasted).tolist(), course.finish_s.tolist(), strict=True)
        return tuple(
            AfterFailure(named.name, *((None, None) if flow is None else next(results)))
            for named, flow in zip(self.flows, flows, strict=True)
        )

    def whole(self, after: tuple[AfterFailure, ...]) -> float:
        """Rate of all transfers that run, from the first start to the last end [bit/s]."""
        ran = [
            (each.throughput_bps * (each.finish_s - flow.start_s), flow.start_s, each.finish_s)
            for flow, each in zip(self.flows, after, strict=True)
            if each.throughput_bps is not None and each.finish_s is not None
        ]
        if not ran:
            return 0.0
        moved, starts, ends = zip(*ran, strict=True)
        return float(sum(moved) / (max(ends) - min(starts)))


def _way(kinds: Kinds, number: int, sender: str, receiver: str, *, is_stated: bool) -> tuple[Any, ...]:
    """Route of a transfer, as it states or by the least round-trip time; empty if there is none."""
    for find in (kinds.routes.of, kinds.routes.shortest) if is_stated else (kinds.routes.shortest,):
        try:
            return find(number, sender, receiver)
        except InputError:  # no such way
            continue
    return ()


def _without(site: Site, part: Part) -> tuple[Site, str]:
    """The site without a part, and what is missing in words: one of several, or all."""
    if part.kind == "link" and (many := site.links[part.name].links) > 1:
        link = site.links[part.name].model_copy(update={"links": many - 1})
        return replace(site, links={**site.links, part.name: link}), f"one of {many} links {part.name}"
    if part.kind == "storage":
        servers = site.storage[part.name].servers
        if servers is None or servers == 1:
            return site, part.name
        left = site.storage[part.name].model_copy(update={"servers": servers - 1})
        return replace(site, storage={**site.storage, part.name: left}), f"one of {servers} servers of {part.name}"
    links = {
        name: link
        for name, link in site.links.items()
        if (name != part.name if part.kind == "link" else part.name not in (link.ends or ()))
    }
    return replace(site, links=links), part.name
