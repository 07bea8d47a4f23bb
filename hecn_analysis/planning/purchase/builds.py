"""Two hosts to buy: parts, quantities and slots, as keys of a scenario and as a bill of materials."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from hecn_analysis.hardware.parts import Board, Controller, Cpu, Disk, Enclosure, Module, Nic, Optic, Part
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.planning.purchase.offers import price_usd

Role = Literal["sender", "receiver"]
ROLES: Final[tuple[Role, ...]] = ("sender", "receiver")

#: MaxReadRequest of cards; a free setting. [B]
MAX_READ_REQUEST: Final = 4096


@dataclass(frozen=True)
class Platform:
    """A board with some of its sockets filled."""

    board: Board
    sockets: int

    def slots(self) -> dict[str, tuple[int, int, int]]:
        """Usable PCI Express slots with these sockets filled: generation, lanes, lanes of the connector."""
        return {
            name: (slot.gen, slot.lanes, slot.mechanical or slot.lanes)
            for name, slot in self.board.slots.items()
            if slot.bus == "pcie" and slot.gen is not None and slot.lanes is not None and slot.node < self.sockets
        }


@dataclass(frozen=True)
class Processors:
    """Equal processors of a host."""

    cpu: Cpu
    count: int

    @property
    def cores(self) -> int:
        """Cores of all of them."""
        return self.count * (self.cpu.cores_per_socket or self.cpu.cores)


@dataclass(frozen=True)
class Modules:
    """Equal memory modules, one per channel."""

    module: Module
    channels: int


@dataclass(frozen=True)
class Cards:
    """Equal network cards, each with the same number of used ports."""

    nic: Nic
    count: int
    ports: int

    @property
    def links(self) -> int:
        """Links of the path that the cards connect to."""
        return self.count * self.ports


@dataclass(frozen=True)
class Storage:
    """Equal arrays, each of equal drives on a controller of its own.

    `link_bps` is the rate of one drive's link for NVMe drives on an adapter, which use the slot's lanes. [bit/s]
    """

    disk: Disk
    controller: Controller
    arrays: int
    disks: int
    link_bps: float = float("inf")

    @property
    def bays(self) -> int:
        """Bays that the drives take."""
        return 0 if self.controller.drive_form else self.arrays * self.disks


Chosen = Platform | Processors | Modules | Cards | Storage


@dataclass(frozen=True, eq=False)
class Line:
    """Used links of the path, and their optics."""

    rate_bps: float
    links: int
    optic: Optic | None

    def pieces(self, *, direct: bool) -> int:
        """Transceivers or cables of both hosts together."""
        if self.optic is None:
            return 0
        per_link = 1 if self.optic.medium in {"copper", "active optical"} else 2
        return self.links * per_link * (1 if direct else 2)


@dataclass(frozen=True)
class HostBuild:
    """The parts of one host."""

    platform: Platform
    processors: Processors
    modules: Modules | None
    cards: Cards
    storage: Storage | None
    enclosures: tuple[tuple[Enclosure, int], ...] = ()

    def items(self) -> Iterator[tuple[Part, int]]:
        """Parts with their number."""
        yield self.platform.board, 1
        yield self.processors.cpu, self.processors.count
        if self.modules is not None:
            yield self.modules.module, self.modules.channels
        yield self.cards.nic, self.cards.count
        if self.storage is not None:
            yield self.storage.controller, self.storage.arrays
            yield self.storage.disk, self.storage.arrays * self.storage.disks
        yield from self.enclosures


#: Groups of parts of a host, in the order in which they are examined alone.
GROUPS: Final = ("processors", "modules", "storage", "cards", "platform")


def host_keys(  # noqa: C901, PLR0912 - one host, key by key
    role: Role,
    chosen: Mapping[str, Any],
    fitting: Mapping[str, Collection[tuple[int, int, int]]],
    *,
    raid: int,
    base: Mapping[str, Any],
) -> dict[str, Any]:
    """Keys of a scenario for one of its hosts; a group that is not chosen sets no limit."""
    keys: dict[str, Any] = {f"{role}.{key}": value for key, value in base.items()}
    processors, modules, storage = chosen.get("processors"), chosen.get("modules"), chosen.get("storage")
    if processors is not None:
        keys[f"{role}.cpu"] = {"part": processors.cpu.part, "sockets": processors.count}
    if modules is not None:
        fastest = [modules.module.transfers.value]
        if processors is not None and processors.cpu.memory_transfers is not None:
            fastest.append(processors.cpu.memory_transfers.value)
        if "platform" in chosen and chosen["platform"].board.memory_transfers is not None:
            fastest.append(chosen["platform"].board.memory_transfers.value)
        keys[f"{role}.memory.channels"] = modules.channels
        keys[f"{role}.memory.transfers"] = min(fastest)
    slots: dict[str, dict[str, Any]] = {}
    if "platform" in chosen:
        keys[f"{role}.board"] = chosen["platform"].board.part
        wanted = {
            "nic": (chosen["cards"].count, fitting["cards"]) if "cards" in chosen else (0, ()),
            "drives": (storage.arrays, fitting["storage"]) if storage is not None else (0, ()),
        }
        slots = {
            name: {"at": at, "max_read_request": MAX_READ_REQUEST}
            for name, at in placed(chosen["platform"], wanted).items()
        }
    elif storage is not None:  # ideal slots, to examine the storage alone
        slots = {f"drives{number + 1}": {"gen": 6, "lanes": 16} for number in range(storage.arrays)}
    for name, slot in slots.items():
        if name.startswith("nic"):
            slot["nic"] = {"part": chosen["cards"].nic.part, "ports": chosen["cards"].ports}
        elif storage is not None:
            slot["controller"] = storage.controller.part
        keys[f"{role}.slots.{name}"] = slot
    if storage is not None:
        level = {} if storage.disks == 1 and raid == 0 else {"level": raid}
        names = [name for name in slots if name.startswith("drives")]
        for name in names:
            disk: dict[str, Any] = {"part": storage.disk.part}
            for way in ("read_rate", "write_rate", "sustained_write_rate"):
                known = getattr(storage.disk, way)
                if known is not None and known.value > storage.link_bps:
                    source = f"its link carries less: {known.source or storage.disk.source}"
                    disk[way] = {"value": storage.link_bps, "spread": 0, "basis": known.basis, "source": source}
            array = {**level, "disks": storage.disks, "disk": disk, "slots": [name]}
            keys[f"{role}.arrays.{name}"] = array
        keys[f"{role}.files_on"] = names
    return keys


def placed(platform: Platform, wanted: Mapping[str, tuple[int, Collection[tuple[int, int, int]]]]) -> dict[str, str]:
    """Slot of the board for each card: slots that fit no other kind of card first, then in the board's order."""
    slots: dict[str, str] = {}
    free = platform.slots()
    for kind, (count, fitting) in wanted.items():
        others = [other_fitting for other, (_, other_fitting) in wanted.items() if other != kind]
        mine = [at for at, slot in free.items() if slot in fitting]
        mine.sort(key=lambda at: any(free[at] in other for other in others))
        if len(mine) < count:
            raise LookupError(f"found {len(mine)} slots for {count} cards")
        for number, at in enumerate(sorted(mine[:count], key=list(free).index)):
            slots[f"{kind}{number + 1}"] = at
        free = {at: slot for at, slot in free.items() if at not in slots.values()}
    return slots


@dataclass(frozen=True)
class Entry:
    """A line of the bill of both hosts."""

    role: str
    part: str
    title: str
    quantity: int
    price: Parameter | float

    @property
    def price_usd(self) -> float:
        """Price of one piece [USD]."""
        return self.price if isinstance(self.price, float) else self.price.value

    @property
    def assumed(self) -> bool:
        """Whether the price is assumed, not published."""
        return not isinstance(self.price, float) and self.price.basis == "assumed"

    @property
    def doubt_usd(self) -> float:
        """Uncertainty of the price of all pieces [USD]."""
        return 0.0 if isinstance(self.price, float) else self.quantity * self.price.value * self.price.spread


def bill(
    hosts: Mapping[Role, HostBuild], line: Line, *, direct: bool, fixed_usd: float, fixed_title: str
) -> tuple[Entry, ...]:
    """Bill of materials of both hosts."""
    entries = []
    for role, host in hosts.items():
        for part, quantity in host.items():
            assert part.price is not None  # noqa: S101 - parts without a price are not on offer
            entries.append(Entry(role, part.part, part.title, quantity, part.price))
        if fixed_usd:
            entries.append(Entry(role, "", fixed_title, 1, float(fixed_usd)))
    if line.optic is not None and line.optic.price is not None:
        pieces = line.pieces(direct=direct)
        entries.append(Entry("both", line.optic.part, line.optic.title, pieces, line.optic.price))
    return tuple(entries)


def line_usd(line: Line, *, direct: bool) -> float:
    """Price of the links' transceivers or cables [USD]."""
    return 0.0 if line.optic is None else line.pieces(direct=direct) * price_usd(line.optic)
