"""Requirements of a throughput for each class of resource, by closed forms, and the year from which parts meet them.

For every resource it finds the fewest sufficient pieces: links, network cards and their slots, drives and controllers,
slots of one board for all of them, cores at the cost per byte, memory channels, the window (the bandwidth-delay
product), and the packet loss at which CUBIC still holds that window. Each is taken alone, with parts available by the
year of the goal; `hecn_analysis.planning.purchase.cheapest` decides whether they fit together, and at what price.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil
from typing import Any, Final, Literal, NamedTuple

import pandas as pd

from hecn_analysis import limits
from hecn_analysis.base import units
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.parts import Board, Cpu, Part
from hecn_analysis.hardware.path import Path
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.planning.purchase.builds import Cards, Platform, Storage
from hecn_analysis.planning.purchase.offers import Offers
from hecn_analysis.planning.purchase.options import Option, Request, Slot, lines, options
from hecn_analysis.prediction.host_demands import FILE_PASSES, NETWORK_PASSES

NEEDS: Final = ("resource", "amount", "unit", "need", "part", "known", "since")

#: MaxPayload that slots are looked at with: what the hubs of 2010 and the processors since take. [B]
MAX_PAYLOAD: Final = 256

#: Generations of PCI Express for which the number of x16 slots is given for comparison.
_GENERATIONS: Final = (2, 3, 4, 5, 6)

#: Largest window of one TCP connection (RFC 7323, section 2.3). [B]
LARGEST_WINDOW: Final = 2**30

#: Round trips from which on a window and a loss are worth saying. [s]
_LONG: Final = 1e-3

#: A year after all parts.
_EVER: Final = 9999


class _Supply(NamedTuple):
    """A sufficient supply: number of pieces, first year, description, and part."""

    amount: float
    year: int
    words: str
    part: str


@dataclass(frozen=True)
class _Asked:
    """A required throughput, and the choices of the hosts that carry it."""

    target_bps: float  # what arrives at one host [bit/s]
    handled_bps: float  # what one host sends and receives [bit/s]
    path: Path
    between: Literal["memory", "disk"]
    year: int
    cards: list[Option]
    storages: list[Option]

    def row(self, resource: str, unit: str, supplies: Iterable[_Supply], nothing: str) -> dict[str, Any]:
        """Row of a resource: the supply with the fewest pieces by the year of the goal, or else the earliest one."""
        choices = list(supplies)
        in_time = [supply for supply in choices if supply.year <= self.year]
        best = min(
            in_time or choices,
            key=lambda supply: (supply.amount, supply.year) if in_time else (supply.year, supply.amount),
            default=None,
        )
        if best is None:
            return dict.fromkeys(NEEDS) | {"resource": resource, "unit": unit, "need": nothing, "known": False}
        return {
            "resource": resource,
            "amount": best.amount,
            "unit": unit,
            "need": best.words,
            "part": best.part,
            "known": bool(in_time),
            "since": min(supply.year for supply in choices),
        }


def needs(
    target_bps: float,
    path: Path,
    between: Literal["memory", "disk"],
    year: int | None,
    *,
    both_ways: bool = False,
) -> pd.DataFrame:
    """Return the requirements of a throughput for each resource."""
    offers = Offers(
        {
            kind: {name: _priced(part) for name, part in parts(kind).items() if part.year is not None}
            for kind in ("boards", "nics", "disks", "controllers")
        }
    )
    payload: Any = dict.fromkeys(("sender", "receiver"), float(MAX_PAYLOAD))
    one_way = target_bps / 2 if both_ways else target_bps
    request = Request(one_way, offers, path, between, 0, 0.0, direct=False, max_payload=payload)
    known = [option for option in options(request, lines(request)) if option.role == "receiver"]
    asked = _Asked(
        one_way,
        target_bps,
        path,
        between,
        year or _EVER,
        _fewest(option for option in known if option.group == "cards"),
        _fewest(option for option in known if option.group == "storage"),
    )
    rate = units.format_rate(one_way)
    rows = [
        asked.row("link", "links", _links(asked), f"no card on offer carries {rate}"),
        asked.row("network card", "cards", _cards(asked), f"no card on offer carries {rate}"),
        asked.row("slot", "slots", _slots(asked), f"no slot on offer carries {rate}"),
    ]
    if between == "disk":
        rows.append(asked.row("drives", "drives", _drives(asked), f"no drives on offer write {rate}"))
    rows += [
        asked.row("board", "slots", _together(asked), "no board on offer has enough slots for all cards"),
        asked.row("cores", "cores", _cores(asked), "no processor on offer has enough cores"),
        asked.row("memory", "channels", _memory(asked), "no processor on offer has enough memory channels"),
    ]
    rtt = path.rtt.value
    if rtt >= _LONG:
        rows += _on_the_way(one_way, path)
    return pd.DataFrame(rows, columns=list(NEEDS)).convert_dtypes()


def _priced(part: Part) -> Part:
    """Set a price for a part without one; the amount does not matter here."""
    return part if part.price is not None else part.model_copy(update={"price": Parameter(value=1.0)})


def _fewest(options: Iterable[Option]) -> list[Option]:
    """Return the options with the fewest pieces, among those with equal parts and slots."""
    best: dict[Any, Option] = {}
    for option in options:
        chosen = option.chosen
        if isinstance(chosen, Cards):
            key: Any = (chosen.nic.part, option.fitting)
            size = (chosen.count, chosen.ports)
            other = best.get(key)
            if other is not None and (other.chosen.count, other.chosen.ports) <= size:
                continue
        else:
            key = (chosen.controller.part, chosen.disk.part, option.fitting)
            size = (chosen.arrays, chosen.disks)
            other = best.get(key)
            if other is not None and (other.chosen.arrays, other.chosen.disks) <= size:
                continue
        best[key] = option
    return list(best.values())


def _year(*parts: Part) -> int:
    return max(part.year or _EVER for part in parts)


@cache
def _boards() -> tuple[tuple[Board, tuple[Slot, ...]], ...]:
    """Boards by their year, with the slots that work with all sockets filled."""
    boards = [board for board in parts("boards").values() if isinstance(board, Board)]
    return tuple((board, tuple(Platform(board, board.sockets).slots().values())) for board in sorted(boards, key=_year))


def _housed(option: Option) -> tuple[Board, tuple[Slot, ...]] | None:
    """First board with enough fitting slots for an option, and these."""
    for board, slots in _boards():
        fitting = tuple(slot for slot in slots if slot in option.fitting)
        if len(fitting) >= option.cards:
            return board, fitting
    return None


def _links(asked: _Asked) -> Iterator[_Supply]:
    for option in asked.cards:
        cards: Cards = option.chosen
        rate = cards.nic.port_rate.value if asked.path.rate is None else asked.path.rate.value
        link_bps = float(limits.ethernet(rate=rate, mtu=asked.path.mtu)["goodput_bps"])
        words = f"{cards.links} x {units.format_rate(rate)}, {units.format_rate(link_bps)} of payload each"
        yield _Supply(cards.links, _year(cards.nic), words, cards.nic.title)


def _cards(asked: _Asked) -> Iterator[_Supply]:
    for option in asked.cards:
        cards: Cards = option.chosen
        housed = _housed(option)
        if housed is not None:
            words = f"{cards.count} x {cards.nic.title}, {cards.ports} of its ports used"
            yield _Supply(cards.count, _year(housed[0], cards.nic), words, cards.nic.title)


def _slots(asked: _Asked) -> Iterator[_Supply]:
    """Slots of one kind for the network cards, and how many of 16 lanes each generation would take."""
    several = {gen: ceil(asked.target_bps / slot_bps(gen, 16)) for gen in _GENERATIONS}
    enough = next((gen for gen, count in several.items() if count == 1), _GENERATIONS[-1])
    others = ", ".join(f"{count} x {gen}.0" for gen, count in several.items() if gen <= enough)
    for option in asked.cards:
        housed = _housed(option)
        if housed is None:
            continue
        board, slot = housed[0], max(housed[1])
        gen, lanes = min(slot[0], option.chosen.nic.gen or 1), min(slot[1], option.chosen.nic.lanes or 1)
        through, most = (units.format_rate(rate) for rate in (slot_bps(gen, lanes), tmt_bps(gen, lanes)))
        words = f"{option.cards} x PCIe {gen}.0 x{lanes}, {through} of data each (TMT {most}); of x16 alone: {others}"
        yield _Supply(option.cards, _year(board, option.chosen.nic), words, board.title)


@cache
def slot_bps(gen: int, lanes: int) -> float:
    """Return the rate of a card's posted writes through a slot [bit/s]."""
    return float(limits.pcie(gen=gen, lanes=lanes, max_payload=MAX_PAYLOAD, op="write")["throughput_bps"])


@cache
def tmt_bps(gen: int, lanes: int) -> float:
    """The documents' theoretical maximum throughput of a slot [bit/s]."""
    return float(limits.pcie(gen=gen, lanes=lanes, max_payload=MAX_PAYLOAD)["tmt_bps"])


def _drives(asked: _Asked) -> Iterator[_Supply]:
    for option in asked.storages:
        stored: Storage = option.chosen
        housed = _housed(option)
        if housed is None:
            continue
        amount, disk, controller = stored.arrays * stored.disks, stored.disk, stored.controller
        drive_rate = units.format_rate(min(disk.lasting_write_rate.value, stored.link_bps))
        words = f"{amount} x {disk.title} ({drive_rate} written each) on {stored.arrays} x {controller.title}"
        yield _Supply(amount, _year(housed[0], disk, controller), words, disk.title)


def _together(asked: _Asked) -> Iterator[_Supply]:
    """Slots of one board for network cards and controllers (Hall's theorem)."""
    networks = {_kind(option, option.chosen.nic) for option in asked.cards}
    stores = {_kind(option, option.chosen.disk, option.chosen.controller) for option in asked.storages}
    if asked.between == "memory":
        stores = {(0, frozenset(), 0)}
    for board, slots in _boards():

        def room(fitting: frozenset[Slot], slots: tuple[Slot, ...] = slots) -> int:
            return sum(slot in fitting for slot in slots)

        housed = [[kind for kind in kinds if room(kind[1]) >= kind[0]] for kinds in (networks, stores)]
        for network, store in product(*housed):
            total = network[0] + store[0]
            if room(network[1] | store[1]) >= total:
                words = f"{total} of {len(slots)}: {network[0]} network, {store[0]} storage"
                yield _Supply(total, max(_year(board), network[2], store[2]), words, board.title)


def _kind(option: Option, *of: Part) -> tuple[int, frozenset[Slot], int]:
    return option.cards, option.fitting, _year(*of)


def _processors() -> list[Cpu]:
    """Processors for which there is a board."""
    sockets = {board.socket for board, _ in _boards()}
    return [cpu for cpu in parts("cpus").values() if isinstance(cpu, Cpu) and cpu.year and cpu.socket in sockets]


def cores_needed(cpu: Cpu, target_bps: float, *, disk: bool, window_bytes: float) -> tuple[int, int] | None:
    """Cores of a receiver at the cost a byte of its processor: those of the processes, and those of interrupts."""
    own = cpu.receive_cost.value + (cpu.far_cost.value if window_bytes > cpu.cache.value else 0)
    own += cpu.direct_cost.value if disk else 0
    beside = cpu.merged_interrupt_cost.value + (cpu.storage_interrupt_cost.value if disk else 0)
    most = cpu.scales_to * (cpu.cores_per_socket or cpu.cores)
    for busy in range(1, most + 1):
        cycles = target_bps / 8 * cpu.scatter.value * (1 + cpu.contention.value * (busy - 1)) / cpu.clock.value
        others = ceil(cycles * beside)
        if cycles * own <= busy and busy + others <= most:
            return busy, others
    return None


def _cores(asked: _Asked) -> Iterator[_Supply]:
    window = asked.target_bps * asked.path.rtt.value / 8
    for cpu in _processors():
        cores = cores_needed(cpu, asked.handled_bps, disk=asked.between == "disk", window_bytes=window)
        if cores is not None:
            words = f"{cores[0]} for processes and {cores[1]} for interrupts at {cpu.clock.value / 1e9:.2f} GHz"
            yield _Supply(sum(cores), _year(cpu), words, cpu.title)


def _memory(asked: _Asked) -> Iterator[_Supply]:
    passes = NETWORK_PASSES + (FILE_PASSES if asked.between == "disk" else 0)
    moved = units.format_rate(asked.handled_bps * passes)
    for cpu in _processors():
        if cpu.memory_transfers is None or cpu.memory_channels is None:
            continue
        channel_bps = float(
            limits.memory(channels=1, transfers=cpu.memory_transfers.value, passes=passes)["throughput_bps"]
        )
        amount = ceil(asked.handled_bps / channel_bps)
        if amount <= cpu.memory_channels * cpu.scales_to:
            words = (
                f"{moved} over the memory bus ({passes} passes), {amount} x {cpu.memory_transfers.value / 1e6:.0f} MT/s"
            )
            yield _Supply(amount, _year(cpu), words, cpu.title)


def _on_the_way(target_bps: float, path: Path) -> Iterator[dict[str, Any]]:
    """Window and loss of a long path."""
    window = target_bps * path.rtt.value / 8
    streams = ceil(window / LARGEST_WINDOW)
    words = f"{units.format_bytes(window)} in flight (bandwidth times round trip)"
    words += f", on {streams} connections or more" if streams > 1 else ""
    empty = dict.fromkeys(NEEDS)
    yield empty | {"resource": "window", "amount": window, "unit": "bytes", "need": words}
    packets = window / (path.mtu - 40)
    loss = float(limits.tcp_loss.cubic_loss(packets, path.rtt.value))
    eight = float(limits.tcp_loss.cubic_loss(packets / 8, path.rtt.value))
    one, of_eight = (units.format_number(1 / share, digits=2) for share in (loss, eight))
    words = f"fewer than one packet in {one} lost on one CUBIC connection, in {of_eight} on eight"
    yield empty | {"resource": "loss", "amount": loss, "unit": "lost packets", "need": words}
