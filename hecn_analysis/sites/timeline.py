"""The course of the transfers of a site: between two events, each has its fair share of what it uses.

A transfer counts from the end of its start-up, when its window has opened, to its end. Whenever one comes or goes, the
rates are shared anew (`sharing`); equal transfers are one group with a count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from hecn_analysis.sites.sharing import Column, Sharing

if TYPE_CHECKING:
    from collections.abc import Hashable

    from hecn_analysis.prediction.draws import FloatArray
    from hecn_analysis.prediction.solve import IntArray
    from hecn_analysis.sites.system import System

#: A resource busier than this is full.
_FULL: Final = 0.995

#: In place of a resource: a transfer that is not under way. Its own limit is -1.
OVER: Final = -2

#: Events nearer than this share of the time are one.
_TOGETHER: Final = 1e-12


@dataclass
class Changes:
    """Rates that changed at each event: its time, the transfers, their new rates [bit/s], what stops each."""

    time_s: list[float] = field(default_factory=list)
    flows: list[IntArray] = field(default_factory=list)
    rates: list[FloatArray] = field(default_factory=list)
    limits: list[IntArray] = field(default_factory=list)


@dataclass
class Course:
    """Course of all transfers: ``finish_s`` [s] and ``moved_bits`` of each, and the use of each resource.

    ``busy_s`` is the time of each resource at its full rate, ``full_s`` the time that it was full [s]; ``peak`` its
    highest load, 1 when full.
    """

    finish_s: FloatArray
    moved_bits: FloatArray
    busy_s: FloatArray
    full_s: FloatArray
    peak: FloatArray
    events: int
    changes: Changes


def course_of(system: System, draw: int) -> Course:
    """Follow all transfers from the first start to the last end.

    Parameters
    ----------
    system, draw
        The transfers with their demands, and the draw to follow; 0: the central values.

    Returns
    -------
    Course
        End and data of each transfer, and the use of each resource.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_site
    >>> from hecn_analysis.sites.flows import flows_of
    >>> from hecn_analysis.sites.system import System
    >>> site = load_site("sc13-two-waves")
    >>> course_of(System(site, flows_of(site, 0), 0), 0).finish_s.size
    8
    """
    return _Follower(system, draw).follow()


def demands_together(system: System) -> list[Column]:
    """Demands of each transfer while all are under way, for central values.

    Parameters
    ----------
    system
        The transfers.

    Returns
    -------
    list of Column
        Of each transfer, the resources that it uses and their time for a bit [s/bit].

    Examples
    --------
    >>> from hecn_analysis.hardware import load_site
    >>> from hecn_analysis.sites.flows import flows_of
    >>> from hecn_analysis.sites.system import System
    >>> site = load_site("sc13-two-waves")
    >>> len(demands_together(System(site, flows_of(site, 0), 0)))
    8
    """
    follower = _Follower(system, 0)
    flows = list(range(len(system.flows)))
    follower._move(flows, [])  # noqa: SLF001 - of this module
    return [follower._column(flow) for flow in flows]  # noqa: SLF001 - the same


def lowest_bps(course: Course) -> FloatArray:
    """Lowest rate of each transfer from the end of its start-up to its end, for central values.

    Parameters
    ----------
    course
        Followed for draw 0.

    Returns
    -------
    ndarray
        A rate for each transfer [bit/s].

    Examples
    --------
    >>> from hecn_analysis.sites.prediction import predict_site
    >>> bool((predict_site("sc13-two-waves").lowest_bps() > 1e9).all())
    True
    """
    lowest = np.full(course.finish_s.size, np.inf)
    flows, rates = np.concatenate(course.changes.flows), np.concatenate(course.changes.rates)
    np.minimum.at(lowest, flows[rates > 0], rates[rates > 0])
    return lowest


class _Follower:
    """State of the transfers at an instant."""

    def __init__(self, system: System, draw: int) -> None:
        self.system = system
        self.draw = draw
        flows = system.flows
        self.start = np.array([flow.start_s for flow in flows])
        sizes = np.array([flow.size.of for flow in flows])
        is_amount = np.array([flow.size.is_amount for flow in flows])
        self.ends = self.start + np.where(is_amount, np.inf, sizes)
        self.opens = np.minimum(self.start + system.delay_s[:, draw], self.ends)
        self.left = np.where(is_amount, sizes, np.inf)
        self.moved = np.zeros(len(flows))
        self.since = np.zeros(len(flows))  # moved and left are those of this time
        self.rate = np.zeros(len(flows))
        self.limit = np.full(len(flows), OVER, dtype=np.int64)
        self.finish = np.full(len(flows), np.inf)  # of those under way
        self.sharing = Sharing()
        self.at_host: dict[str, dict[int, None]] = {
            host: {} for flow in flows for host in (flow.sender, flow.receiver) if system.is_limited(host)
        }
        self.members: dict[Hashable, dict[int, None]] = {}
        self.key_of: dict[int, Hashable] = {}
        self.states: dict[tuple[str, tuple[int, ...]], int] = {}
        self.place: dict[tuple[str, int], tuple[int, int, tuple[int, ...]]] = {}

    def follow(self) -> Course:
        """Go from event to event."""
        count = len(self.system.flows)
        order = np.argsort(self.opens, kind="stable")
        done = np.full(count, np.nan)
        busy, full, peak = np.zeros(0), np.zeros(0), np.zeros(0)
        changes = Changes()
        waiting = under_way = events = 0
        now = float(self.start.min())
        while waiting < count or under_way:
            coming = self.opens[order[waiting]] if waiting < count else np.inf
            then = min(coming, self.finish.min())
            load = self.sharing.load
            busy += load * (then - now)
            full += (load >= _FULL) * (then - now)
            now = float(then)
            near = now + _TOGETHER * max(1.0, abs(now))
            over = np.flatnonzero(self.finish <= near)
            came: list[int] = []
            while waiting < count and self.opens[order[waiting]] <= near:
                came.append(int(order[waiting]))
                waiting += 1
            events += len(came) + over.size
            under_way += len(came) - over.size
            self._advance(over, now)
            done[over], self.finish[over] = now, np.inf
            changed = self._share(came, over, now)
            load = self.sharing.load
            if (more := load.size - busy.size) > 0:
                busy, full, peak = (np.pad(values, (0, more)) for values in (busy, full, peak))
            np.maximum(peak, load, out=peak)
            if self.draw == 0:
                changes.time_s.append(now)
                changes.flows.append(changed)
                changes.rates.append(self.rate[changed])
                changes.limits.append(self.limit[changed])
        return Course(done, self.moved, busy, full, peak, events, changes)

    def _advance(self, flows: IntArray, now: float) -> None:
        """Count what transfers moved up to now, at the rates that they had."""
        moved = self.rate[flows] * (now - self.since[flows])
        self.moved[flows] += moved
        self.left[flows] -= moved
        self.since[flows] = now

    def _share(self, came: list[int], over: IntArray, now: float) -> IntArray:
        """Share the resources after transfers came and went, foresee the ends, and return what changed."""
        self._move(came, over.tolist())
        keys = self.sharing.settle()
        groups = [self.sharing.groups[key] for key in keys]
        counts = [group.count for group in groups]
        flows = np.fromiter(chain.from_iterable(self.members[key] for key in keys), dtype=np.int64)
        rates = np.repeat([group.rate for group in groups], counts)
        limits = np.repeat([group.limit for group in groups], counts)
        differs = (rates != self.rate[flows]) | (limits != self.limit[flows])
        flows, rates, limits = flows[differs], rates[differs], limits[differs]
        self._advance(flows, now)
        self.rate[flows], self.limit[flows] = rates, limits
        self.finish[flows] = np.minimum(self.ends[flows], now + self.left[flows] / rates)
        self.rate[over], self.limit[over] = 0.0, OVER
        return np.concatenate([over, flows])

    def _move(self, came: list[int], over: list[int]) -> None:
        """Put transfers that come and go where they belong; at a host, those that stay may change places."""
        moved = dict.fromkeys(came)
        hosts: dict[str, None] = {}
        for flow in over:
            self._leave(flow)
            for host in self._limited(flow):
                del self.at_host[host][flow], self.place[host, flow]
                hosts[host] = None
        for flow in came:
            for host in self._limited(flow):
                self.at_host[host][flow] = None
                hosts[host] = None
        for host in hosts:
            here = list(self.at_host[host])
            numbers = self.system.numbers(host, here)
            state = self.states.setdefault((host, numbers), len(self.states))
            self.place |= {(host, flow): (state, place, numbers) for place, flow in enumerate(here)}
            moved |= dict.fromkeys(here)
        for flow in moved:
            places = [self.place[host, flow][:2] for host in self._limited(flow)]
            key = (self.system.group_of[flow], *places)
            if self.key_of.get(flow) != key:
                self._leave(flow)
                self.key_of[flow] = key
                self.members.setdefault(key, {})[flow] = None
                self.sharing.put(key, self._column(flow), float(self.system.most_bps[flow, self.draw]))

    def _limited(self, flow: int) -> list[str]:
        """Hosts of a transfer that have limits of their own."""
        ends = self.system.flows[flow]
        return [host for host in (ends.sender, ends.receiver) if host in self.at_host]

    def _leave(self, flow: int) -> None:
        """Take a transfer out of its group."""
        key = self.key_of.pop(flow, None)
        if key is not None:
            del self.members[key][flow]
            if not self.members[key]:
                del self.members[key]
            self.sharing.take(key)

    def _column(self, flow: int) -> Column:
        """Entries of a transfer: those on the network and at both hosts."""
        parts = [self.system.on_network[flow]]
        for host in self._limited(flow):
            _, place, numbers = self.place[host, flow]
            parts.append(self.system.at_host(host, flow, numbers)[place])
        resource = np.concatenate([part.resource for part in parts])
        seconds = np.concatenate([part.seconds[:, self.draw] for part in parts])
        weight = np.concatenate([part.weight for part in parts])
        used, at, entry = np.unique(resource, return_index=True, return_inverse=True)
        if used.size == resource.size:
            return Column(resource, seconds, weight)
        together = np.asarray(np.bincount(entry, seconds), dtype=np.float64)
        return Column(used, together, weight[at])  # both hosts on one storage system, which reads and writes
