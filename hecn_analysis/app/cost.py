"""What the hosts of a scenario cost: their bills of materials, with what was added or left out since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hecn_analysis.hardware.parts import Disk, Nic, Part

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario
    from hecn_analysis.hardware.quantity import Parameter


@dataclass(frozen=True)
class Line:
    """One line of a bill.

    Attributes
    ----------
    item
        What it is.
    quantity
        How many.
    each_usd
        Price of one, None where nobody knows it. [USD]
    assumed
        The price is nobody's list price but assumed.
    source
        Where the price comes from.
    part
        Name in models/parts, where it has one.
    """

    item: str
    quantity: int
    each_usd: float | None
    assumed: bool
    source: str
    part: str = ""

    @property
    def usd(self) -> float:
        """Price of all, 0 where it is not known [USD]."""
        return self.quantity * (self.each_usd or 0.0)


@dataclass(frozen=True)
class Cost:
    """What one host costs.

    Attributes
    ----------
    host
        Its title.
    year
        Year of the prices, None where they are of several.
    lines
        The bill.
    stated_usd
        Total that its document states, of the host as it was built. [USD]
    """

    host: str
    year: int | None
    lines: tuple[Line, ...]
    stated_usd: float | None

    @property
    def usd(self) -> float:
        """Sum of the prices that are known [USD]."""
        return sum(line.usd for line in self.lines)

    @property
    def assumed_usd(self) -> float:
        """Part of it that rests on assumed prices [USD]."""
        return sum(line.usd for line in self.lines if line.assumed)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Parts without a known price."""
        return tuple(line.item for line in self.lines if line.each_usd is None)


def costs(scenario: Scenario, base: Scenario) -> dict[str, Cost]:
    """Bill of each host of a scenario."""
    found = {}
    for role in ("sender", "receiver"):
        host, was = getattr(scenario, role), getattr(base, role)
        if host is not None and was is not None:
            found[role] = _cost(host, was)
    return found


def _cost(host: Host, was: Host) -> Cost:
    if was.bill is None:
        return Cost(host.title or host.name, None, tuple(_by_parts(host)), None)
    source = was.source
    lines = [Line(item.item, item.quantity, *_price(item.price, source), item.part) for item in was.bill.items]
    for part, more in _more(host, was):
        at = next((number for number, line in enumerate(lines) if line.part == part.part), None)
        if at is None:
            lines.append(Line(part.title or part.part, more, *_price(part.price, part.source), part.part))
        else:
            lines[at] = replace(lines[at], quantity=lines[at].quantity + more)
    total = was.bill.total
    return Cost(
        host.title or host.name,
        was.bill.year,
        tuple(line for line in lines if line.quantity),
        None if total is None else total.value,
    )


def _price(price: Parameter | None, source: str) -> tuple[float | None, bool, str]:
    if price is None:
        return None, False, ""
    return price.value, price.basis == "assumed", price.source or source


def _more(host: Host, was: Host) -> Iterator[tuple[Part, int]]:
    """Cards and disks that a host has more (or less) of than it was built with."""
    cards: dict[str, tuple[Nic, int]] = {}
    for each, sign in ((host, 1), (was, -1)):
        for slot in each.slots.values():
            if slot.nic is not None:
                cards[slot.nic.part] = (slot.nic, cards.get(slot.nic.part, (slot.nic, 0))[1] + sign)
    yield from ((nic, count) for nic, count in cards.values() if count)
    for name, array in host.arrays.items():
        if name in was.arrays and (more := array.disks - was.arrays[name].disks):
            disk: Disk = array.disk
            yield disk, more


def _by_parts(host: Host) -> Iterator[Line]:
    """Bill of a host that has none: the parts that it is described with."""
    counted: dict[str, tuple[Part, int]] = {}

    def add(part: Part | None, quantity: int = 1) -> None:
        if part is not None:
            name = part.part or part.title
            counted[name] = (part, counted.get(name, (part, 0))[1] + quantity)

    add(host.board)
    add(host.cpu, host.cpu.sockets if host.cpu is not None else 1)
    for slot in host.slots.values():
        add(slot.nic)
        add(slot.controller)
    for name in host.file_arrays:
        add(host.arrays[name].disk, host.arrays[name].disks)
    for part, quantity in counted.values():
        yield Line(
            part.title or part.part or "a part without a name", quantity, *_price(part.price, part.source), part.part
        )
