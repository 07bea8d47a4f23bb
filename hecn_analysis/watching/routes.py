"""Changes of a route: from which hop on the packets go through other routers, and since when.

A route is known by its hops. A trace that has only unknown addresses at a hop deviates from that hop on; so many
deviating traces in a row are a change. Fewer, between others, are a path that alternates with the known one, as load is
balanced over several: both are known from then on. A change back to the former route is reported once; later changes
between these two are not. Hops that do not answer say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pandas as pd

from hecn_analysis.base.units import format_count

#: Traces that are needed to know the paths of a route, and traces in a row that are another one.
LEAST: Final = 24
CONFIRMED: Final = 3

#: An address that was not seen in so many traces is no longer known: four weeks of hourly traces.
_FORGOTTEN: Final = 672


@dataclass
class _Known:
    """What is known of a route: for each hop its addresses, with the number of the last trace that had each."""

    begin: int
    hops: list[dict[str, int]] = field(default_factory=list)
    former: _Known | None = None

    def add(self, number: int, hops: Sequence[Sequence[str]]) -> None:
        """Note a trace."""
        self.hops += [{} for _ in range(len(hops) - len(self.hops))]
        for known, addresses in zip(self.hops, hops, strict=False):
            known.update(dict.fromkeys(addresses, number))

    def deviates_at(self, number: int, hops: Sequence[Sequence[str]]) -> int | None:
        """The first hop of a trace, from 0, at which it has only unknown addresses."""
        oldest = number - _FORGOTTEN
        for place, (known, addresses) in enumerate(zip(self.hops, hops, strict=False)):
            if known and addresses and all(known.get(address, -_FORGOTTEN - 1) < oldest for address in addresses):
                return place
        return None

    def joined(self, other: _Known) -> None:
        """Know the addresses of another route, too."""
        self.hops += [{} for _ in range(len(other.hops) - len(self.hops))]
        for known, more in zip(self.hops, other.hops, strict=False):
            for address, number in more.items():
                known[address] = max(number, known.get(address, number))


def hops_of(route: str) -> list[list[str]]:
    """Addresses of each hop, by which hops are compared; of "name(address)" the address."""
    return [[host.rpartition("(")[2].rstrip(")") for host in hop.split(",") if hop != "*"] for hop in route.split()]


def route_changes(runs: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """Return the changes of the column ``route``, oldest first, as plain objects."""
    return tuple(_changes(runs, [str(route) for route in runs["route"]]))


def deviating(runs: pd.DataFrame) -> int:
    """Number of the newest traces that deviate from what is known, too few for a change."""
    routes = [str(route) for route in runs["route"].tail(_FORGOTTEN)]
    known, number = _Known(0), 0
    for number, route in enumerate(routes[:-CONFIRMED]):
        known.add(number, hops_of(route))
    newest = [known.deviates_at(number, hops_of(route)) is not None for route in routes[-CONFIRMED + 1 :]]
    return next((count for count, is_other in enumerate(reversed(newest)) if not is_other), len(newest))


def _changes(runs: pd.DataFrame, routes: Sequence[str]) -> Iterator[dict[str, Any]]:
    known = _Known(0)
    waiting: list[int] = []
    place: int | None = 0
    before = None
    for number, route in enumerate(routes):
        if route == before and not waiting:
            continue  # what is known of this route is noted when it ends
        if before is not None and not waiting:
            known.add(number - 1, hops_of(before))
        before = route
        hops = hops_of(route)
        is_learning = number - known.begin < LEAST
        if is_learning:
            place = None if known.former is None else _returns_at(known, number, hops)
        else:
            place = known.deviates_at(number, hops)
        if place is None:
            for each in waiting:  # they alternate
                known.add(each, hops_of(routes[each]))
            waiting = []
            known.add(number, hops)
            continue
        waiting.append(number)
        if len(waiting) < CONFIRMED:
            continue
        first = waiting[0]
        fresh = _Known(first, former=known)
        for each in waiting:
            fresh.add(each, hops_of(routes[each]))
        is_return = known.former is not None and known.former.deviates_at(number, hops) is None
        yield _told(runs, routes, known.begin, waiting, is_return=is_return)
        if is_return and known.former is not None:
            fresh.joined(known.former)
            fresh.joined(known)
            fresh.former = None
        known, waiting = fresh, []


def _returns_at(known: _Known, number: int, hops: Sequence[Sequence[str]]) -> int | None:
    """The hop from which on a trace is that of the route before, not of the one that is being learnt."""
    if known.former is None or known.former.deviates_at(number, hops) is not None:
        return None
    return known.deviates_at(number, hops)


def _told(
    runs: pd.DataFrame, routes: Sequence[str], begin: int, waiting: Sequence[int], *, is_return: bool
) -> dict[str, Any]:
    """A change as plain objects, with the last trace before and the first one after it."""
    first, seen = waiting[0], waiting[-1]
    old, new = routes[first - 1], routes[first]
    earlier = _Known(begin)
    for number in range(max(begin, first - _FORGOTTEN), first):
        earlier.add(number, hops_of(routes[number]))
    place = earlier.deviates_at(first, hops_of(new)) or 0
    return {
        "time": runs["start_time"].iloc[first].isoformat(),
        "seen_time": runs["start_time"].iloc[seen].isoformat(),
        "results_until_seen": len(waiting),
        "hop": place + 1,
        "before": _hop(routes[begin:first], place),
        "after": _hop([new], place),
        "before_hops": len(old.split()),
        "after_hops": len(new.split()),
        "before_route": old,
        "after_route": new,
        "is_return": is_return,
        "reasons": [_evidence(runs, first)],
    }


def _hop(routes: Sequence[str], place: int) -> str:
    """A hop as the last of some routes that knows it has it."""
    hops = (route.split()[place : place + 1] for route in reversed(routes))
    return next((shown_hop(hop[0]) for hop in hops if hop and hop[0] != "*"), "*")


def shown_hop(hop: str) -> str:
    """A hop as people write it: "r5.example.net (192.0.2.5) or 192.0.2.6"."""
    return hop.replace(",", " or ").replace("(", " (")


def _evidence(runs: pd.DataFrame, first: int) -> str:
    """The traces before and after, in words."""
    files = [str(runs["source_file"].iloc[place]) for place in (first - 1, first)]
    lines = [runs["line_first"].iloc[place] for place in (first - 1, first)]
    places = [file if pd.isna(line) else f"{file}:{int(line)}" for file, line in zip(files, lines, strict=True)]
    old, new = (len(str(runs["route"].iloc[place]).split()) for place in (first - 1, first))
    hops = f"{format_count(new, 'hop')} as before" if old == new else f"{format_count(new, 'hop')} instead of {old}"
    return f"{hops} ({'; '.join(places)})"
