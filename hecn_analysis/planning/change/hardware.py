"""What can be changed about the hardware of a transfer: buses and slots, cards, disks, memory, links.

These take the BIOS, a card's registers, a screwdriver or a purchase, and hold for all that the host does; what is tuned
for transfers while it runs stands in `hecn_analysis.planning.change.settings`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from hecn_analysis.base import units
from hecn_analysis.hardware import Host, Scenario
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.parts import BoardSlot, Nic
from hecn_analysis.planning.change.change import UNSET, Change, is_networked

_ETHERNET: Final = (1e9, 10e9, 25e9, 40e9, 100e9, 200e9, 400e9, 800e9)


def slots(role: str, host: Host) -> Iterator[Change]:
    """Give what can be set or moved in the slots of a host."""
    pcie = {name: slot for name, slot in host.slots.items() if slot.bus == "pcie"}
    bridges = host.all_bridges.values()
    able = min([bridge.max_payload.value for bridge in bridges if bridge.max_payload is not None] or [256.0])
    small = {
        f"{role}.slots.{name}.max_payload": able
        for name, slot in pcie.items()
        if slot.max_payload is not None and slot.max_payload.value < able
    }
    if pcie and (small or host.max_payload.value < able):
        now = min([host.max_payload.value, *(slot.max_payload.value for slot in pcie.values() if slot.max_payload)])
        yield Change(
            f"{role}-max-payload",
            f"MaxPayload of {able:.0f} bytes instead of {now:.0f} on the {role}",
            {f"{role}.max_payload": able, **small},
            "setting",
            "BIOS: PCIe Maximum Payload Size; kernel: pci=pcie_bus_perf; or setpci -s DEVICE CAP_EXP+8.w=0020:00e0",
            "lspci -vv: DevCtl MaxPayload of the card and of every bridge above it",
            "all of a path must be able to (DevCap): a device that is not stops with a malformed packet",
            "HECN, HotLava: 128 to 256 bytes raise the theoretical maximum from 53.9 to 58.5 Gb/s; PCI Express Base",
        )
    short = {
        f"{role}.slots.{name}.max_read_request": 4096
        for name, slot in pcie.items()
        if (slot.nic or slot.controller) is not None and slot.max_read_request.value < 4096
    }
    if short:
        yield Change(
            f"{role}-max-read-request",
            f"MaxReadRequest of 4096 bytes for the cards of the {role}",
            short,
            "setting",
            "setpci -s DEVICE CAP_EXP+8.w=5000:7000",
            "lspci -vv: DevCtl MaxReadReq",
            "long reads of one card delay the others'",
            "PCI Express Base, Device Control",
        )
    bursts = {
        f"{role}.slots.{name}.burst": 4096
        for name, slot in host.slots.items()
        if slot.bus == "pcix" and slot.burst.value < 4096
    }
    if bursts:
        yield Change(
            f"{role}-mmrbc",
            f"PCI-X bursts (MMRBC) of 4096 bytes on the {role}",
            bursts,
            "setting",
            "MMRBC 3 in the card's PCI-X command register; Intel PRO/10GbE: setpci -d 8086:1048 e6.b=2e",
            "lspci -vv: PCI-X Command, RBC=4096",
            "other cards on that bus wait longer",
            "HECN bullets of 2004: 3.2 to 5.0 Gb/s",
        )
    yield from _moves(role, host)


def _moves(role: str, host: Host) -> Iterator[Change]:
    """Cards that could go into a wider slot of the board that nothing is in."""
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
            yield Change(
                f"{role}-{name}-to-{free}",
                f"the card of slot {name} in {free} (PCIe {other.gen}.0 x{other.lanes}) of the {role}",
                {
                    f"{role}.slots.{name}.at": free,
                    **{f"{role}.slots.{name}.{key}": UNSET for key in BoardSlot.model_fields},
                },
                "setting",
                "power off, move the card",
                "lspci -vv: LnkSta speed and width",
                "interface names may change",
                "the board's manual",
            )


def _speed(gen: int | None, lanes: int | None, card_gen: int, card_lanes: int) -> float:
    """What a slot and a card train to, in an order of sizes."""
    return 2.0 ** min(gen or 0, card_gen) * min(lanes or 0, card_lanes)


def purchases(scenario: Scenario, role: str, host: Host) -> Iterator[Change]:
    """Give what can be bought for a host: cards, disks, memory."""
    if is_networked(scenario):
        yield from _faster_cards(role, host)
    for name, array in host.arrays.items():
        if array.level is None:
            continue
        price = array.disk.price
        yield Change(
            f"{role}-{name}-disks",
            f"twice as many disks ({2 * array.disks}) in array {name} of the {role}",
            {
                f"{role}.arrays.{name}.disks": 2 * array.disks,
                f"{role}.arrays.{name}.groups": _groups(array.level, array.groups),
            },
            "purchase",
            f"{array.disks} more of {array.disk.title or 'the same disk'}, and bays, ports and power for them",
            "mdadm --detail or the controller's program",
            "the controllers, or their slots, may be the limit then",
            array.disk.source or "the catalogue of parts",
            None if price is None else array.disks * price.value,
            None if price is None else price.basis,
            "" if price is None else price.source,
        )
    memory, board = host.memory, host.board
    if memory is not None and board is not None and board.memory_channels is not None:
        channels = board.memory_channels * (host.cpu.sockets if host.cpu is not None else 1)
        filled = int(memory.channels.value)
        if channels > filled:
            yield Change(
                f"{role}-memory",
                f"all {channels} memory channels of the {role} filled instead of {filled}",
                {f"{role}.memory.channels": channels},
                "purchase",
                f"{channels - filled} more modules of the same kind, one in each empty channel",
                "dmidecode -t memory",
                "more modules on a channel may lower its clock",
                board.source,
                None,
            )


def links(scenario: Scenario) -> Iterator[Change]:
    """Give the next rates of Ethernet for the path, which its cards must have too."""
    rate = scenario.path.rate
    if rate is None or scenario.path.framing != "ethernet" or not is_networked(scenario):
        return
    for faster in [each for each in _ETHERNET if each > rate.value][:2]:
        yield Change(
            f"link-{faster / 1e9:g}g",
            f"links of {units.format_rate(faster)} instead of {units.format_rate(rate.value)}",
            {"path.rate": faster},
            "purchase",
            "another wave, circuit or switch port",
            "ethtool IFACE: Speed at both ends, and the provider's counters",
            "cards, optics and switches must have that rate",
            "IEEE 802.3",
            None,
        )


def _groups(level: int, groups: int) -> int:
    return 2 * groups if level in {50, 60} else groups


def _faster_cards(role: str, host: Host) -> Iterator[Change]:
    """For each network card, the cheapest of the catalogue with as many ports for each faster rate."""
    for name, slot in host.slots.items():
        if slot.nic is None or slot.bus != "pcie":
            continue
        best: dict[float, tuple[float, str, Any]] = {}
        for part, nic in parts("nics").items():
            assert isinstance(nic, Nic)  # noqa: S101 - what this kind holds
            if nic.bus != "pcie" or nic.ports < slot.nic.ports or nic.port_rate.value <= slot.nic.port_rate.value:
                continue
            price = np.inf if nic.price is None else nic.price.value
            if nic.port_rate.value not in best or price < best[nic.port_rate.value][0]:
                best[nic.port_rate.value] = (price, part, nic)
        for rate, (_, part, nic) in sorted(best.items()):
            yield Change(
                f"{role}-{name}-{part}",
                f"{nic.title} in slot {name} of the {role}",
                {f"{role}.slots.{name}.nic": part},
                "purchase",
                f"buy and fit it; optics or cables of {units.format_rate(rate)} at both ends",
                "ethtool IFACE: Speed; lspci -vv: LnkSta",
                "the slot, the cores or the path may be the limit then",
                nic.source,
                None if nic.price is None else nic.price.value,
                None if nic.price is None else nic.price.basis,
                "" if nic.price is None else nic.price.source,
            )
