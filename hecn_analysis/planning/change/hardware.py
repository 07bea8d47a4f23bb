"""Changes of the hardware of a transfer: buses and slots, cards, disks, memory, links.

They affect everything that the host does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from hecn_analysis.base import units
from hecn_analysis.hardware import Host, Scenario
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.parts import BoardSlot, Nic
from hecn_analysis.planning.change.change import UNSET, Change, described, is_networked

_ETHERNET: Final = (1e9, 10e9, 25e9, 40e9, 100e9, 200e9, 400e9, 800e9)


def slots(role: str, host: Host) -> Iterator[Change]:
    """Yield the settings and moves of cards in the slots of a host."""
    pcie = {name: slot for name, slot in host.slots.items() if slot.bus == "pcie"}
    bridges = host.all_bridges.values()
    supported = min([bridge.max_payload.value for bridge in bridges if bridge.max_payload is not None] or [256.0])
    small = {
        f"{role}.slots.{name}.max_payload": supported
        for name, slot in pcie.items()
        if slot.max_payload is not None and slot.max_payload.value < supported
    }
    if pcie and (small or host.max_payload.value < supported):
        now = min([host.max_payload.value, *(slot.max_payload.value for slot in pcie.values() if slot.max_payload)])
        yield described("max-payload", {f"{role}.max_payload": supported, **small}, role=role, able=supported, now=now)
    short = {
        f"{role}.slots.{name}.max_read_request": 4096
        for name, slot in pcie.items()
        if (slot.nic or slot.controller) is not None and slot.max_read_request.value < 4096
    }
    if short:
        yield described("max-read-request", short, role=role)
    bursts = {
        f"{role}.slots.{name}.burst": 4096
        for name, slot in host.slots.items()
        if slot.bus == "pcix" and slot.burst.value < 4096
    }
    if bursts:
        yield described("mmrbc", bursts, role=role)
    yield from _moves(role, host)


def _moves(role: str, host: Host) -> Iterator[Change]:
    """Yield the moves of cards into faster slots of the board that are empty."""
    if host.board is None:
        return
    taken = {slot.at for slot in host.slots.values()}
    for name, slot in host.slots.items():
        card = slot.nic or slot.controller
        if slot.bus != "pcie" or card is None or card.lanes is None or card.gen is None or slot.at is None:
            continue
        now = _speed(slot.gen, slot.lanes, card.gen, card.lanes)
        for free, other in host.board.slots.items():
            if free in taken or other.bus != "pcie" or _speed(other.gen, other.lanes, card.gen, card.lanes) <= now:
                continue
            unset = {f"{role}.slots.{name}.{key}": UNSET for key in BoardSlot.model_fields}
            settings = {f"{role}.slots.{name}.at": free, **unset}
            yield described("move", settings, role=role, slot=name, free=free, gen=other.gen, lanes=other.lanes)


def _speed(gen: int | None, lanes: int | None, card_gen: int, card_lanes: int) -> float:
    """Relative speed that a slot and a card train to."""
    return 2.0 ** min(gen or 0, card_gen) * min(lanes or 0, card_lanes)


def purchases(scenario: Scenario, role: str, host: Host) -> Iterator[Change]:
    """Yield what can be bought for a host: cards, disks, memory."""
    if is_networked(scenario):
        yield from _faster_cards(role, host)
    for name, array in host.arrays.items():
        if array.level is None:
            continue
        groups = 2 * array.groups if array.level in {50, 60} else array.groups
        yield described(
            "disks",
            {f"{role}.arrays.{name}.disks": 2 * array.disks, f"{role}.arrays.{name}.groups": groups},
            price=array.disk.price,
            pieces=array.disks,
            role=role,
            array=name,
            disks=2 * array.disks,
            more=array.disks,
            disk=array.disk.title or "the same disk",
            source=array.disk.source or "the catalogue of parts",
        )
    memory, board = host.memory, host.board
    if memory is not None and board is not None and board.memory_channels is not None:
        channels = board.memory_channels * (host.cpu.sockets if host.cpu is not None else 1)
        filled = int(memory.channels.value)
        if channels > filled:
            settings = {f"{role}.memory.channels": channels}
            words: dict[str, Any] = {
                "channels": channels,
                "filled": filled,
                "more": channels - filled,
                "source": board.source,
            }
            yield described("memory", settings, role=role, **words)


def links(scenario: Scenario) -> Iterator[Change]:
    """Yield the next faster Ethernet rates for the path, which its cards must support too."""
    rate = scenario.path.rate
    if rate is None or scenario.path.framing != "ethernet" or not is_networked(scenario):
        return
    now = units.format_rate(rate.value)
    for faster in [line_rate for line_rate in _ETHERNET if line_rate > rate.value][:2]:
        yield described("link", {"path.rate": faster}, gbps=faster / 1e9, faster=units.format_rate(faster), rate=now)


def _faster_cards(role: str, host: Host) -> Iterator[Change]:
    """Yield, for each network card and each faster rate, the catalogue's cheapest card with as many ports."""
    for name, slot in host.slots.items():
        if slot.nic is None or slot.bus != "pcie":
            continue
        best: dict[float, tuple[float, str, Any]] = {}
        for part, nic in parts("nics").items():
            assert isinstance(nic, Nic)  # noqa: S101 - the model of this kind
            if nic.bus != "pcie" or nic.ports < slot.nic.ports or nic.port_rate.value <= slot.nic.port_rate.value:
                continue
            price = np.inf if nic.price is None else nic.price.value
            if nic.port_rate.value not in best or price < best[nic.port_rate.value][0]:
                best[nic.port_rate.value] = (price, part, nic)
        for rate, (_, part, nic) in sorted(best.items()):
            words: dict[str, Any] = {"slot": name, "part": part, "title": nic.title, "rate": units.format_rate(rate)}
            settings = {f"{role}.slots.{name}.nic": part}
            yield described("card", settings, price=nic.price, role=role, source=nic.source, **words)
