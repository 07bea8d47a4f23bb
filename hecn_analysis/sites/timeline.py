"""The course of the transfers of a site: between two events, each has its fair share of what it uses.

A transfer counts from the end of its start-up, when its window has opened, to its end. Whenever one comes or goes, the
rates of all are shared anew (`prediction.solve.weighted_max_min`); equal transfers are one flow with a count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from hecn_analysis.prediction.solve import Uses, weighted_max_min
from hecn_analysis.sites.system import Column

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
    """Follow all transfers, with the central values (0) or those of a draw."""
    return _Follower(system, draw).follow()


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
        self.rate = np.zeros(len(flows))
        self.limit = np.full(len(flows), OVER, dtype=np.int64)
        self.finish = np.full(len(flows), np.inf)  # of those under way
        self.moved = np.zeros(len(flows))
        self.most = system.most_bps[:, draw]
        self.at_host: dict[str, dict[int, None]] = {
            host: {} for flow in flows for host in (flow.sender, flow.receiver) if system.is_limited(host)
        }
        self.members: dict[Hashable, dict[int, None]] = {}
        self.key_of: dict[int, Hashable] = {}
        self.columns: dict[Hashable, Column] = {}
        self.states: dict[tuple[str, tuple[int, ...]], int] = {}
        self.place: dict[tuple[str, int], tuple[int, int, tuple[int, ...]]] = {}
        self.load: FloatArray = np.zeros(0)

    def follow(self) -> Course:
        """Go from event to event."""
        count = len(self.system.flows)
        order = np.argsort(self.opens, kind="stable")
        done = np.full(count, np.nan)
        busy, full, peak = np.zeros(0), np.zeros(0), np.zeros(0)
        changes = Changes()
        waiting = 0
        active = np.zeros(0, dtype=np.int64)
        now = float(self.start.min())
        events = 0
        while waiting < count or active.size:
            coming = self.opens[order[waiting]] if waiting < count else np.inf
            then = min(coming, float(self.finish[active].min()) if active.size else np.inf)
            moved = self.rate[active] * (then - now)
            self.moved[active] += moved
            self.left[active] -= moved
            busy += self.load * (then - now)
            full += (self.load >= _FULL) * (then - now)
            now = then
            near = now + _TOGETHER * max(1.0, abs(now))
            over = active[self.finish[active] <= near]
            came: list[int] = []
            while waiting < count and self.opens[order[waiting]] <= near:
                came.append(int(order[waiting]))
                waiting += 1
            done[over] = now
            self._move(came, over.tolist())
            active = np.fromiter(chain.from_iterable(self.members.values()), dtype=np.int64)
            events += len(came) + over.size
            before, limits = self.rate.copy() if self.draw == 0 else self.rate, self.limit.copy()
            self.rate[over], self.limit[over] = 0.0, OVER
            self._share(active, now)
            resources = len(self.system.resources)
            busy, full, peak = (np.pad(values, (0, resources - values.size)) for values in (busy, full, peak))
            peak = np.maximum(peak, self.load)
            if self.draw == 0:
                touched = np.concatenate([over, active])
                changed = touched[(self.rate[touched] != before[touched]) | (self.limit[touched] != limits[touched])]
                changes.time_s.append(now)
                changes.flows.append(changed)
                changes.rates.append(self.rate[changed])
                changes.limits.append(self.limit[changed])
        return Course(done, self.moved, busy, full, peak, events, changes)

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
            self._leave(flow)
            places = [self.place[host, flow][:2] for host in self._limited(flow)]
            key = (self.system.network_of[flow], *places)
            self.key_of[flow] = key
            self.members.setdefault(key, {})[flow] = None
            if key not in self.columns:
                self.columns[key] = self._column(flow)

    def _limited(self, flow: int) -> list[str]:
        """Hosts of a transfer that have limits of their own."""
        ends = self.system.flows[flow]
        return [host for host in (ends.sender, ends.receiver) if host in self.at_host]

    def _leave(self, flow: int) -> None:
        key = self.key_of.pop(flow, None)
        if key is not None:
            del self.members[key][flow]
            if not self.members[key]:
                del self.members[key]

    def _column(self, flow: int) -> Column:
        """Entries of a transfer: those on the network and at both hosts."""
        parts = [self.system.on_network[flow]]
        for host in self._limited(flow):
            _, place, numbers = self.place[host, flow]
            parts.append(self.system.at_host(host, flow, numbers)[place])
        return Column(
            np.concatenate([part.resource for part in parts]),
            np.concatenate([part.seconds[:, self.draw] for part in parts]),
            np.concatenate([part.weight for part in parts]),
        )

    def _share(self, active: IntArray, now: float) -> None:
        """Share the resources among those under way, and foresee their ends."""
        self.load = np.zeros(len(self.system.resources))
        if not active.size:
            return
        columns = [self.columns[key] for key in self.members]
        counts = np.array([len(flows) for flows in self.members.values()])
        sizes = np.array([column.resource.size for column in columns])
        first = np.cumsum(sizes) - sizes
        resource = np.concatenate([column.resource for column in columns])
        seconds = np.concatenate([column.seconds for column in columns]) * np.repeat(counts, sizes)
        weight = np.concatenate([column.weight for column in columns])
        most = self.most[[next(iter(flows)) for flows in self.members.values()]]
        rates, limits = weighted_max_min(Uses(first, resource, seconds, weight), most, self.load.size)
        busy = np.bincount(resource, seconds * np.repeat(rates, sizes), self.load.size)
        self.load = np.asarray(busy, dtype=np.float64)
        self.rate[active], self.limit[active] = np.repeat(rates, counts), np.repeat(limits, counts)
        self.finish[active] = np.minimum(self.ends[active], now + self.left[active] / self.rate[active])
