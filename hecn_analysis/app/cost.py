"""Cost of the hosts of a scenario: their bills of materials, with parts added or removed since."""

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
    """One line of a bill."""

    item: str
    quantity: int
    each_usd: float | None  # unit price, None if unknown [USD]
    assumed: bool  # whether the price is assumed, not a list price
    source: str  # source of the price
    part: str = ""  # name in models/parts, if it has one

    @property
    def usd(self) -> float:
        """Price of all items, 0 if unknown [USD]."""
        return self.quantity * (self.each_usd or 0.0)


@dataclass(frozen=True)
class Cost:
    """Cost of one host."""

    host: str
    year: int | None  # year of the prices, None if they are from several years
    lines: tuple[Line, ...]
    stated_usd: float | None  # total that the document states for the host as built [USD]

    @property
    def usd(self) -> float:
        """Sum of the known prices [USD]."""
        return sum(line.usd for line in self.lines)

    @property
    def assumed_usd(self) -> float:
        """Sum of the assumed prices [USD]."""
        return sum(line.usd for line in self.lines if line.assumed)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Parts without a known price."""
        return tuple(line.item for line in self.lines if line.each_usd is None)


def costs(scenario: Scenario, base: Scenario) -> dict[str, Cost]:
    """Bill of each host of a scenario."""
    bills = {}
    for role in ("sender", "receiver"):
        host, as_built = getattr(scenario, role), getattr(base, role)
        if host is not None and as_built is not None:
            bills[role] = _cost(host, as_built)
    return bills


def _cost(host: Host, as_built: Host) -> Cost:
    if as_built.bill is None:
        return Cost(host.title or host.name, None, tuple(_by_parts(host)), None)
    source = as_built.source
    lines = [Line(item.item, item.quantity, *_price(item.price, source), item.part) for item in as_built.bill.items]
    for part, count in _more(host, as_built):
        index = next((number for number, line in enumerate(lines) if line.part == part.part), None)
        if index is None:
            lines.append(Line(part.title or part.part, count, *_price(part.price, part.source), part.part))
        else:
            lines[index] = replace(lines[index], quantity=lines[index].quantity + count)
    total = as_built.bill.total
    return Cost(
        host.title or host.name,
        as_built.bill.year,
        tuple(line for line in lines if line.quantity),
        None if total is None else total.value,
    )


def _price(price: Parameter | None, source: str) -> tuple[float | None, bool, str]:
    if price is None:
        return None, False, ""
    return price.value, price.basis == "assumed", price.source or source


def _more(host: Host, as_built: Host) -> Iterator[tuple[Part, int]]:
    """Cards and disks added to a host since it was built (negative: removed)."""
    cards: dict[str, tuple[Nic, int]] = {}
    for configured, sign in ((host, 1), (as_built, -1)):
        for slot in configured.slots.values():
            if slot.nic is not None:
                cards[slot.nic.part] = (slot.nic, cards.get(slot.nic.part, (slot.nic, 0))[1] + sign)
    yield from ((nic, count) for nic, count in cards.values() if count)
    for name, array in host.arrays.items():
        if name in as_built.arrays and (added := array.disks - as_built.arrays[name].disks):
            disk: Disk = array.disk
            yield disk, added


def _by_parts(host: Host) -> Iterator[Line]:
    """Bill of a host without one: the parts of its description."""
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
        yield Line(part.title or part.part or "unnamed part", quantity, *_price(part.price, part.source), part.part)
