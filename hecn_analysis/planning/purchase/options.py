"""Options for the parts of each host: all that closed forms do not rule out, with price and resource use."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any, Final, Literal

import numpy as np

from hecn_analysis import limits
from hecn_analysis.base.errors import RangeError
from hecn_analysis.hardware.parts import Controller, Disk, Nic
from hecn_analysis.hardware.path import Path
from hecn_analysis.limits.pci_express import PORT_SHARE
from hecn_analysis.limits.storage import coded_port_bps
from hecn_analysis.planning.purchase.builds import (
    MAX_READ_REQUEST,
    ROLES,
    Cards,
    Chosen,
    Line,
    Modules,
    Platform,
    Processors,
    Role,
    Storage,
    line_usd,
)
from hecn_analysis.planning.purchase.offers import Offers, ddr_of, power_w, price_usd

Level = Literal[0, 5, 6, 10]
Slot = tuple[int, int, int]
"""Generation, lanes, lanes of the connector."""

#: Most links where the path does not give their number.
MOST_LINKS: Final = 16

#: PCI Express generation of the first boards that boot from NVMe drives and split a slot's lanes among several.
NVME_GEN: Final = 3

#: Memory channels of a processor with an unknown number of them.
MANY: Final = 99

#: Cages that also take modules for the cages before them.
_CAGES: Final = (("SFP+", "SFP28", "SFP56"), ("QSFP+", "QSFP28", "QSFP56", "QSFP112", "QSFP112-DD"))
_QSFP: Final = (*_CAGES[1][:-1], "QSFP-DD", "QSFP112-DD")

#: Tolerance for rounding errors.
_ROUNDING: Final = 1 + 1e-9


@dataclass(frozen=True, eq=False)
class Option:
    """A choice of parts for one host."""

    # the host, and the group of its parts (`builds.GROUPS`)
    role: Role
    group: str
    chosen: Any
    usd: float  # their price [USD]
    # their power [W], lanes of the processors, and slots
    power_w: float
    lanes: int = 0
    cards: int = 0
    alike: Hashable = None  # key of interchangeable options: only one with the same key can replace this one
    # use of each limited resource; of two options with the same key, one that uses no more of any resource replaces the
    # other until a prediction rules it out
    uses: tuple[float, ...] = ()
    fitting: frozenset[Slot] = field(default_factory=frozenset)  # slots that take the cards


@dataclass(frozen=True)
class Request:
    """A request for a purchase."""

    target_bps: float  # target throughput [bit/s]
    offers: Offers  # parts on offer
    path: Path  # path between the hosts
    end: Literal["memory", "disk"]  # source and destination of the data
    raid: Level  # RAID level of the arrays
    reach_m: float  # length of the cable at each host [m]
    direct: bool  # whether the hosts are connected directly, without a switch
    max_payload: dict[Role, float]  # MaxPayload of each host [B]
    capacity_bytes: float = 0.0  # usable capacity of the arrays of each host together [B]


@cache
def _pcie_bps(gen: int, lanes: int, max_payload: float, op: Literal["read", "write"]) -> float:
    figures = limits.pcie(gen=gen, lanes=lanes, max_payload=max_payload, max_read_request=MAX_READ_REQUEST, op=op)
    return float(figures["throughput_bps"])


def _fitting(
    slots: Iterable[Slot],
    card: Nic | Controller,
    needed: float,
    *,
    max_payload: float,
    op: Literal["read", "write"],
) -> frozenset[Slot]:
    """Slots that take a card and carry the needed rate."""
    gen, lanes = card.gen, card.lanes
    if gen is None or lanes is None:
        return frozenset()
    return frozenset(
        slot
        for slot in slots
        if lanes <= slot[2] and _pcie_bps(min(gen, slot[0]), min(lanes, slot[1]), max_payload, op) * _ROUNDING >= needed
    )


def fits_cage(optic: str, nic: str) -> bool:
    """Whether a port takes a transceiver or cable."""
    if optic == nic:
        return True
    family = _QSFP if nic == "QSFP-DD" else next((family for family in _CAGES if nic in family), ())
    return optic in family and family.index(optic) <= family.index(nic)


def lines(request: Request) -> list[Line]:
    """Links that could carry the target, each with the cheapest optics of its rate and reach."""
    path, offers = request.path, request.offers
    rates = (
        [path.rate.value] if path.rate is not None else sorted({nic.port_rate.value for nic in offers.nics.values()})
    )
    most = path.links if path.rate is not None else MOST_LINKS
    candidates = []
    for rate in rates:
        for links in range(max(1, int(np.ceil(request.target_bps / rate / _ROUNDING))), most + 1):
            if not offers.bought("optics"):
                candidates.append(Line(rate, links, None))
                continue
            best: dict[str, Line] = {}
            for optic in offers.optics.values():
                right_rate = optic.rate.value >= rate if optic.cage == "RJ45" else optic.rate.value == rate
                if right_rate and optic.reach_m >= request.reach_m:
                    line = Line(rate, links, optic)
                    known = best.get(optic.cage)
                    if known is None or _usd(line, request) < _usd(known, request):
                        best[optic.cage] = line
            candidates += best.values()
    return candidates


def _usd(line: Line, request: Request) -> float:
    return line_usd(line, direct=request.direct)


def accepts(cards: Cards, line: Line) -> bool:
    """Whether cards fit a line: as many ports, fast enough, with the right cages."""
    return (
        cards.links == line.links
        and cards.nic.port_rate.value >= line.rate_bps
        and (line.optic is None or fits_cage(line.optic.cage, cards.nic.cage))
    )


def options(request: Request, over: list[Line]) -> Iterator[Option]:
    """All options of both hosts; storage with the fewest drives that may suffice, see `more_disks`."""
    for role in ROLES:
        yield from _platforms(request, role)
        yield from _processors(request, role)
        yield from _modules(request, role)
        yield from _cards(request, role, over)
        if request.end == "disk":
            yield from _storages(request, role)


def _platforms(request: Request, role: Role) -> Iterator[Option]:
    for name, board in request.offers.boards.items():
        for sockets in range(1, board.sockets + 1):
            yield Option(
                role, "platform", Platform(board, sockets), price_usd(board), power_w("boards", board), alike=name
            )


def _processors(request: Request, role: Role) -> Iterator[Option]:
    known = {board.socket for board in request.offers.boards.values()}
    for cpu in request.offers.cpus.values():
        if not cpu.socket or cpu.socket not in known:
            continue
        for count in range(1, cpu.scales_to + 1):
            usd, power = count * price_usd(cpu), count * power_w("cpus", cpu)
            lanes = -1 if cpu.lanes is None else count * cpu.lanes
            yield Option(
                role,
                "processors",
                Processors(cpu, count),
                usd,
                power,
                lanes,
                alike=(cpu.socket, count, ddr_of(_transfers(cpu)), cpu.lanes is None),
                uses=(usd, power, -lanes, -(cpu.memory_channels or MANY)),
            )


def _transfers(cpu: Any) -> float | None:  # noqa: ANN401 - a Cpu
    return None if cpu.memory_transfers is None else cpu.memory_transfers.value


def _modules(request: Request, role: Role) -> Iterator[Option]:
    most = max(
        ((board.memory_channels or 0) * board.sockets for board in request.offers.boards.values()),
        default=0,
    )
    for module in request.offers.modules.values():
        for channels in range(1, most + 1):
            usd, power = channels * price_usd(module), channels * power_w("modules", module)
            yield Option(
                role, "modules", Modules(module, channels), usd, power, alike=module.ddr, uses=(usd, power, channels)
            )


def _slots(request: Request) -> set[Slot]:
    return {
        slot for board in request.offers.boards.values() for slot in Platform(board, board.sockets).slots().values()
    }


def _cards(request: Request, role: Role, over: list[Line]) -> Iterator[Option]:
    slots = _slots(request)
    most = max((len(Platform(board, board.sockets).slots()) for board in request.offers.boards.values()), default=0)
    op: Literal["read", "write"] = "read" if role == "sender" else "write"
    for nic in request.offers.nics.values():
        if nic.bus != "pcie":
            continue
        for count in range(1, most + 1):
            needed = request.target_bps / count
            fitting = _fitting(slots, nic, needed, max_payload=request.max_payload[role], op=op)
            for ports in range(1, nic.ports + 1) if fitting else ():
                cards = Cards(nic, count, ports)
                on = frozenset(line for line in over if accepts(cards, line))
                if on:
                    yield _card_option(role, cards, nic, fitting=fitting, alike=on)


def _card_option(
    role: Role,
    chosen: Cards | Storage,
    card: Nic | Controller,
    *,
    fitting: frozenset[Slot],
    alike: Hashable = None,
) -> Option:
    count = chosen.count if isinstance(chosen, Cards) else chosen.arrays
    group = "cards" if isinstance(chosen, Cards) else "storage"
    usd = count * price_usd(card)
    power = count * power_w("nics" if isinstance(card, Nic) else "controllers", card)
    bays = 0
    if isinstance(chosen, Storage):
        usd += count * chosen.disks * price_usd(chosen.disk)
        power += count * chosen.disks * power_w("disks", chosen.disk)
        bays = chosen.bays
    lanes = count * (card.lanes or 0)
    uses = (usd, power, lanes, count, bays)
    return Option(role, group, chosen, usd, power, lanes, count, (alike, fitting), uses, fitting)


def _fits_controller(disk: Disk, controller: Controller) -> bool:
    """Whether a controller takes a drive and its ports are as fast as the drive."""
    if disk.link is None or (controller.drives == "pcie") != (disk.link == "pcie"):
        return False
    on_card = disk.form in {"M.2", "add-in card"} or bool(controller.drive_form)
    if disk.link == "pcie" and on_card and disk.form != controller.drive_form:
        return False
    rate = np.inf if controller.disk_port_rate is None else controller.disk_port_rate.value
    usable = rate * PORT_SHARE if controller.drives == "pcie" else coded_port_bps(rate)
    return bool(max(disk.read_rate.value, disk.write_rate.value) <= usable)


def _storages(request: Request, role: Role) -> Iterator[Option]:
    slots = _slots(request)
    most = max((len(Platform(board, board.sockets).slots()) for board in request.offers.boards.values()), default=0)
    op: Literal["read", "write"] = "write" if role == "sender" else "read"
    gens = sorted({slot[0] for slot in slots})
    for controller in request.offers.controllers.values():
        nvme = controller.drives == "pcie"
        for arrays, least in product(range(1, most + 1), [gen for gen in gens if gen >= NVME_GEN] if nvme else [1]):
            needed = request.target_bps / arrays
            if controller.rate.value * _ROUNDING < needed:
                continue
            able = {slot for slot in slots if slot[0] >= least}
            fitting = _fitting(able, controller, needed, max_payload=request.max_payload[role], op=op)
            for disk in request.offers.disks.values() if fitting else ():
                if not _fits_controller(disk, controller):
                    continue
                link = np.inf
                if nvme:
                    gen = min(least, controller.gen, disk.gen or least)
                    link = _pcie_bps(gen, disk.lanes or 1, request.max_payload[role], op)
                rate = min(link, disk.read_rate.value if role == "sender" else disk.lasting_write_rate.value)
                ports = range(1, (controller.disk_ports or 1) + 1)
                disks = next(
                    (
                        count
                        for count in ports
                        if _factor(count, request.raid, role, solid_state=disk.solid_state) * rate * _ROUNDING >= needed
                        and arrays * usable_bytes(disk, count, request.raid) * _ROUNDING >= request.capacity_bytes
                    ),
                    None,
                )
                if disks is not None:
                    chosen = Storage(disk, controller, arrays, disks, float(link))
                    yield _card_option(role, chosen, controller, fitting=fitting)


def usable_bytes(disk: Disk, disks: int, raid: int) -> float:
    """Capacity of an array without its parity or copies [B]; 0 where that of a drive is not known."""
    data = disks // 2 if raid == 10 else disks - {5: 1, 6: 2}.get(raid, 0)
    return 0.0 if disk.capacity is None else data * disk.capacity.value


@cache
def _factor(disks: int, raid: Level, role: Role, *, solid_state: bool) -> float:
    """Rate of an array over that of one drive; 0 if it cannot be built."""
    if disks == 1 and raid == 0:
        return 1.0
    try:
        figures = limits.raid(
            level=raid,
            disks=disks,
            disk_rate=1.0,
            op="read" if role == "sender" else "write",
            solid_state=solid_state,
        )
    except RangeError:
        return 0.0
    return float(figures["throughput_bps"])


def more_disks(option: Option) -> Option | None:
    """The same storage with one more drive per controller; None if the controllers are full."""
    storage: Storage = option.chosen
    disks = storage.disks + 1
    if disks > (storage.controller.disk_ports or 1):
        return None
    chosen = replace(storage, disks=disks)
    return _card_option(option.role, chosen, storage.controller, fitting=option.fitting)


def worse(option: Option, known: Iterable[Option]) -> frozenset[Option]:
    """Options of its group that are no faster than this one in any combination, including itself."""
    return frozenset(other for other in known if other is option or _no_better(other.chosen, option.chosen))


def _no_better(worse: Chosen, better: Chosen) -> bool:
    if isinstance(worse, Processors) and isinstance(better, Processors):
        worse_cpu, better_cpu = worse.cpu, better.cpu
        return (
            worse.count == better.count
            and worse_cpu.clock.value <= better_cpu.clock.value
            and worse.cores <= better.cores
            and worse_cpu.cache.value <= better_cpu.cache.value
            and (_transfers(worse_cpu) or np.inf) <= (_transfers(better_cpu) or np.inf)
            and all(
                getattr(worse_cpu, name).value >= getattr(better_cpu, name).value
                for name in type(worse_cpu).model_fields
                if name.endswith("_cost") or name == "contention"
            )
            and worse_cpu.measured_payload == better_cpu.measured_payload
            and worse_cpu.measured_message == better_cpu.measured_message
        )
    if isinstance(worse, Modules) and isinstance(better, Modules):
        return worse.channels <= better.channels and worse.module.transfers.value <= better.module.transfers.value
    if isinstance(worse, Storage) and isinstance(better, Storage):
        return (
            worse.controller.part == better.controller.part
            and worse.arrays == better.arrays
            and worse.disks <= better.disks
            and all(
                worse_cpu <= better_cpu for worse_cpu, better_cpu in zip(_merits(worse), _merits(better), strict=True)
            )
        )
    return False


def _merits(storage: Storage) -> tuple[float, ...]:
    """Figures of a drive on its link that a prediction uses, higher is better."""
    disk = storage.disk
    rates = (min(rate.value, storage.link_bps) for rate in (disk.read_rate, disk.lasting_write_rate))
    more = (disk.read_iops, disk.write_iops, disk.run_bytes)
    less = (disk.read_latency, disk.write_latency, disk.seek, disk.revolution)
    return (*rates, *(figure.value for figure in more), *(-figure.value for figure in less))


def front(known: list[Option]) -> list[Option]:
    """Options that no other one replaces."""
    kept: list[Option] = []
    groups: dict[Hashable, list[Option]] = {}
    for option in known:
        groups.setdefault((option.role, option.group, option.alike), []).append(option)
    for members in groups.values():
        if not members[0].uses:
            kept += members
            continue
        members.sort(key=lambda option: option.uses)
        table = np.empty((len(members), len(members[0].uses)))
        count = 0
        for option in members:
            uses = np.array(option.uses)
            if count and (table[:count] <= uses).all(axis=1).any():
                continue
            table[count] = uses
            count += 1
            kept.append(option)
    return kept
