"""Fair shares of groups of equal transfers, kept up to date as groups come, go and change.

A change moves the rates of few: the shares of all others stay fair. So the rates of the groups that changed are solved
with those of all others held fixed; then every resource that they use is checked for what makes shares fair: each group
is at its own limit, or some full resource gives no other group more for its weight. Groups that break this join the
solution, until none does; then the rates are those of the whole system solved at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from hecn_analysis.prediction.solve import Uses, weighted_max_min

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from hecn_analysis.prediction.draws import FloatArray
    from hecn_analysis.prediction.solve import IntArray

#: Numbers within this of each other are equal.
_EQUAL: Final = 1e-9

#: Limit of a group that is at its own.
OWN: Final = -1


class Column(NamedTuple):
    """Entries of a transfer in the matrix of demands: resources, seconds per bit [s/bit], and weights there."""

    resource: IntArray
    seconds: FloatArray
    weight: FloatArray


class _Group:
    """Equal transfers under way: ``rate`` is that of each [bit/s], ``limit`` the resource that stops it."""

    __slots__ = ("column", "count", "limit", "most_bps", "rate", "resources", "weights")

    def __init__(self, column: Column, most_bps: float) -> None:
        self.column = column
        self.most_bps = most_bps
        self.resources: list[int] = column.resource.tolist()
        self.weights: dict[int, float] = dict(zip(self.resources, column.weight.tolist(), strict=True))
        self.count = 0
        self.rate = 0.0
        self.limit = OWN


class Sharing:
    """Groups of transfers under way, and the ``load`` of each resource, 1 when full."""

    def __init__(self) -> None:
        self.groups: dict[Hashable, _Group] = {}
        self.load: FloatArray = np.zeros(0)
        self._users: dict[int, dict[Hashable, _Group]] = {}
        self._held: dict[int, set[Hashable]] = {}
        self._changed: dict[Hashable, None] = {}
        self._touched: set[int] = set()

    def put(self, key: Hashable, column: Column, most_bps: float) -> None:
        """Add a transfer to its group, which is made if it is the first."""
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = _Group(column, most_bps)
            if (more := max(group.resources) + 1 - self.load.size) > 0:
                self.load = np.pad(self.load, (0, more))
            for resource in group.resources:
                self._users.setdefault(resource, {})[key] = group
                self._held.setdefault(resource, set())
        self._change(key, group, 1)

    def take(self, key: Hashable) -> None:
        """Take a transfer out of its group, which ends with the last."""
        group = self.groups[key]
        self._change(key, group, -1)
        if group.count == 0:
            self._held.get(group.limit, set()).discard(key)
            for resource in group.resources:
                del self._users[resource][key]
                if not self._users[resource]:
                    self.load[resource] = 0.0  # sums of many numbers may leave a trace
            del self.groups[key], self._changed[key]

    def _change(self, key: Hashable, group: _Group, change: int) -> None:
        self.load[group.column.resource] += change * group.rate * group.column.seconds
        group.count += change
        self._changed[key] = None
        self._touched.update(group.resources)

    def settle(self) -> list[Hashable]:
        """Share all resources anew, and return the groups whose rate or limit may have changed."""
        touched, self._touched = self._touched, set()
        solved = dict(self._changed)
        self._changed.clear()
        for resource in touched:  # what was full may have room for those that it held back, or more to share it
            solved.update(dict.fromkeys(self._held[resource]))
        fresh = list(solved)
        while fresh:
            solved.update(dict.fromkeys(fresh))
            for key in solved:
                group = self.groups[key]
                self.load[group.column.resource] -= group.count * group.rate * group.column.seconds
                touched.update(group.resources)
            self._solve(solved)
            fresh = self._unfair(touched, solved)
        return list(solved)

    def _solve(self, keys: Iterable[Hashable]) -> None:
        """Share what others leave among some groups, whose load is taken away, and add their load."""
        groups = [self.groups[key] for key in keys]
        sizes = np.array([len(group.resources) for group in groups])
        counts = np.array([group.count for group in groups])
        entries = np.concatenate([group.column.resource for group in groups])
        own = np.concatenate([group.column.seconds for group in groups])
        seconds = own * np.repeat(counts, sizes)
        weight = np.concatenate([group.column.weight for group in groups])
        resources, place = np.unique(entries, return_inverse=True)
        room = np.clip(1.0 - self.load[resources], 0.0, 1.0)
        room[room < _EQUAL] = 0.0
        most = np.array([group.most_bps for group in groups])
        uses = Uses(np.cumsum(sizes) - sizes, place, seconds, weight)
        rates, limits = weighted_max_min(uses, most, room)
        self.load[resources] += np.bincount(place, seconds * np.repeat(rates, sizes), resources.size)
        stopping = np.where(limits == OWN, OWN, resources[limits]).tolist()
        for key, group, rate, limit in zip(keys, groups, rates.tolist(), stopping, strict=True):
            if limit != group.limit:
                if group.limit != OWN:
                    self._held[group.limit].discard(key)
                group.limit = limit
            if limit != OWN:
                self._held[limit].add(key)
            group.rate = rate

    def _unfair(self, touched: Iterable[int], solved: dict[Hashable, None]) -> list[Hashable]:
        """Other groups whose share is not fair to the solved ones, or not to themselves, at the touched resources."""
        fresh: dict[Hashable, None] = {}
        for resource in touched:
            held = self._held[resource]
            if not held:
                continue
            if self.load[resource] < 1 - _EQUAL:
                fresh.update((key, None) for key in held if key not in solved)
                continue
            users = self._users[resource]
            if len(users) == len(held) and all(key in solved for key in held):
                continue
            levels = {key: group.rate / group.weights[resource] for key, group in users.items()}
            level = min(levels[key] for key in held) * (1 + _EQUAL)
            if any(own > level for own in levels.values()):
                fresh.update((key, None) for key, own in levels.items() if key not in solved and own > level)
                fresh.update((key, None) for key in held if key not in solved)
        return list(fresh)
