"""Checks of slots and cards: narrow and slow links, payloads, shared uplinks, nodes, PCI-X bursts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from hecn_analysis import limits
from hecn_analysis.base import units
from hecn_analysis.base.errors import RangeError
from hecn_analysis.inventory.checks.finding import Finding, Seen, listed, positive, whole
from hecn_analysis.inventory.parts.computer import Device, generation

_PAYLOADS: Final = (128, 256, 512, 1024, 2048, 4096)
_SLOWER: Final = 0.999
_PCIE: Final = "PCI Express Base Specification 5.0, 4.2.4 and 7.5.3: Link Capabilities and Link Status"
_PAYLOAD: Final = (
    "HECN, Experiments at SC10 (2010-09), HotLava 4-of-8 and 6-of-8: 49.0 Gb/s with 128, 55.3 Gb/s with 256 bytes"
)
_BURST: Final = (
    "HECN BTR bullets, March 2004, bullet 1: more than 3.2 Gb/s with 512, more than 5.0 Gb/s with 4096 bytes"
)
_SHARED: Final = "HECN, Experiments at SC10 (2010-09), HotLava 1-of-8: six ports behind one slot"
_NODES: Final = "HECN, C-Systems (2010-08): where interrupts, processes and storage run decides the rate"


def _carries(gen: int | None, lanes: int | None, payload: int | None) -> float | None:
    """Return the rate of a PCI Express link in one direction [bit/s]."""
    if gen is None or lanes is None:
        return None
    try:
        return float(limits.pcie(gen=gen, lanes=lanes, max_payload=payload or 256)["throughput_bps"])
    except RangeError:
        return None


def _endpoints(seen: Seen) -> Iterator[Device]:
    """Yield one function of each card; the others share its link."""
    for functions in seen.cards.values():
        known = [function for function in functions if function.lnksta_width or function.lnkcap_width]
        yield (known or functions)[0]


def _above(seen: Seen, device: Device) -> Device:
    """Return the port above a device; empty if it was not captured."""
    return seen.machine.device(seen.machine.bridge_above(device.address))


def link_width(seen: Seen) -> Iterator[Finding]:
    """Cards whose link trained to fewer lanes than they have."""
    for device in _endpoints(seen):
        can, does = whole(device.lnkcap_width), whole(device.lnksta_width)
        if can is None or does is None or does >= can:
            continue
        gen, payload = generation(device.lnksta_gtps), whole(device.max_payload)
        port = whole(_above(seen, device).lnkcap_width)
        wired = port is not None and port < can
        fix = (
            f"the slot is wired for x{port}: move the card to an x{can} slot"
            if wired
            else f"reseat the card, clean its contacts, try another x{can} slot; BIOS: bifurcation of the slot on Auto"
        )
        yield Finding(
            "link-width",
            seen.title(device),
            f"x{does}",
            f"x{can}, which the card can do",
            limit_bps=_carries(gen, does, payload),
            fixed_bps=_carries(gen, can, payload),
            needs_bps=seen.needs(device),
            basis=f"limits.pcie, generation {gen}, MaxPayload {payload or 256}" if gen else "",
            fix=fix,
            verify=f"lspci -vvv -s {device.address} | grep -E 'LnkCap|LnkSta'",
            source=_PCIE,
            scenario_settings=seen.slot_settings(device.address, lanes=can),
        )


def link_speed(seen: Seen) -> Iterator[Finding]:
    """Cards whose link runs at a lower generation than both ends support."""
    for device in _endpoints(seen):
        can, does = generation(device.lnkcap_gtps), generation(device.lnksta_gtps)
        lanes, payload = whole(device.lnksta_width), whole(device.max_payload)
        if can is None or does is None or lanes is None or does >= can:
            continue
        port = generation(_above(seen, device).lnkcap_gtps)
        slot_limits = port is not None and port < can
        if slot_limits and port is not None and does >= port:
            fix = f"the slot is of generation {port}: move the card to one of generation {can}"
        else:
            fix = (
                f"BIOS: PCIe link speed of the slot on Auto or Gen{can}; update the firmware of card and board; reseat"
            )
        yield Finding(
            "link-speed",
            seen.title(device),
            f"generation {does} ({device.lnksta_gtps:g} GT/s)",
            f"generation {can} ({device.lnkcap_gtps:g} GT/s), which the card can do",
            limit_bps=_carries(does, lanes, payload),
            fixed_bps=_carries(can, lanes, payload),
            needs_bps=seen.needs(device),
            basis=f"limits.pcie, x{lanes}, MaxPayload {payload or 256}",
            fix=fix,
            verify=f"lspci -vvv -s {device.address} | grep -E 'LnkCap|LnkSta', under load: idle links may slow down",
            source=_PCIE,
            scenario_settings=seen.slot_settings(device.address, gen=can),
        )


def max_payload(seen: Seen) -> Iterator[Finding]:
    """Cards whose MaxPayload is below that of all devices up to the root port."""
    for device in _endpoints(seen):
        does, can = whole(device.max_payload), whole(device.max_payload_cap)
        if does is None or can is None or does not in _PAYLOADS:
            continue
        bridges = [seen.machine.device(address) for address in seen.machine.above(device.address)]
        caps = [whole(bridge.max_payload_cap) for bridge in bridges]
        if not caps or None in caps:
            continue  # reported as not checked if no bridge is known
        best = min([can, *(cap for cap in caps if cap is not None)])
        if best <= does or best not in _PAYLOADS:
            continue
        code = _PAYLOADS.index(best) << 5
        ends = [bridge.address for bridge in reversed(bridges)] + [device.address]
        gen, lanes = generation(device.lnksta_gtps), whole(device.lnksta_width)
        yield Finding(
            "max-payload",
            seen.title(device),
            f"{does} bytes",
            f"{best} bytes, which the card and all {len(bridges)} bridges up to the processor can do",
            limit_bps=_carries(gen, lanes, does),
            fixed_bps=_carries(gen, lanes, best),
            needs_bps=seen.needs(device),
            basis=f"limits.pcie, generation {gen} x{lanes}" if gen and lanes else "",
            fix="BIOS: Maximum Payload Size; or boot with pci=pcie_bus_perf; to try it, from the root down: "
            + "; ".join(f"setpci -s {end} CAP_EXP+8.w={code:04x}:00e0" for end in ends),
            verify=f"lspci -vvv -s {device.address} | grep -A2 DevCtl",
            source=_PAYLOAD,
            scenario_settings=seen.slot_settings(device.address, max_payload=best),
        )


def read_request(seen: Seen) -> Iterator[Finding]:
    """Network cards that read less than 512 bytes at once from memory (transmit)."""
    for device in _endpoints(seen):
        does = whole(device.max_read_req)
        if does is None or does >= 512 or device.purpose != "nic":
            continue
        gen, lanes = generation(device.lnksta_gtps), whole(device.lnksta_width)
        payload = whole(device.max_payload) or 256
        rates = []
        for request in (does, 4096):
            try:
                known = gen is not None and lanes is not None
                figures = limits.pcie(gen or 1, lanes or 1, payload, op="read", max_read_request=request)
                rates.append(float(figures["throughput_bps"]) if known else None)
            except RangeError:
                rates.append(None)
        yield Finding(
            "read-request",
            seen.title(device),
            f"MaxReadReq {does} bytes",
            "512 bytes or more",
            limit_bps=rates[0],
            fixed_bps=rates[1],
            needs_bps=seen.needs(device),
            basis=f"limits.pcie, reads, generation {gen} x{lanes}, MaxPayload {payload}",
            fix=f"setpci -s {device.address} CAP_EXP+8.w=5000:7000 (4096 bytes); BIOS: PCIe Maximum Read Request",
            verify=f"lspci -vvv -s {device.address} | grep -A2 DevCtl",
            source=_PCIE,
            scenario_settings=seen.slot_settings(device.address, max_read_request=4096),
        )


def shared_uplink(seen: Seen) -> Iterator[Finding]:
    """Ports of a card, or of a bridge with several, that are faster together than the link that they share."""
    groups: dict[str, set[str]] = {}
    for card, functions in seen.cards.items():
        if any(function.purpose == "nic" for function in functions):
            groups[functions[0].address] = {card}
            for bridge in seen.machine.above(functions[0].address):
                groups.setdefault(bridge, set()).add(card)
    reported: set[frozenset[str]] = set()
    for link, cards in groups.items():
        device = seen.machine.device(link)
        shared = device.purpose is None
        ports = {name: seen.port_bps(name) for card in sorted(cards) for name in seen.interfaces_of(card)}
        if (shared and len(cards) < 2) or len(ports) < 2 or None in ports.values() or frozenset(ports) in reported:
            continue
        gen, lanes = generation(device.lnksta_gtps), whole(device.lnksta_width)
        carries = _carries(gen, lanes, whole(device.max_payload))
        wanted = sum(rate for rate in ports.values() if rate is not None)
        if carries is None or carries >= wanted * _SLOWER:
            continue
        reported.add(frozenset(ports))
        what = "bridge" if shared else "card"
        yield Finding(
            "shared-uplink",
            f"{seen.title(device)}: {listed(ports)}",
            f"{len(ports)} ports of {units.format_rate(wanted)} together behind one generation {gen} x{lanes} link",
            "a link that carries them all, or fewer ports in use",
            limit_bps=carries,
            fixed_bps=wanted,
            basis=f"limits.pcie, generation {gen} x{lanes}; fixed: the ports' line rates",
            fix=f"use one port a {what}, or spread the ports over cards in slots with an uplink of their own",
            verify="lspci -tv and lspci -vvv | grep -E '^[0-9a-f]|LnkSta:'",
            source=_SHARED,
        )


def numa_nodes(seen: Seen) -> Iterator[Finding]:
    """Network cards and storage on different nodes: all data cross the link between processors."""
    nodes: dict[str, dict[int, list[str]]] = {"nic": {}, "storage": {}}
    for functions in seen.cards.values():
        device = functions[0]
        node, what = device.numa_node, device.purpose
        if node is not None and node >= 0 and what is not None:
            side = nodes["nic" if what == "nic" else "storage"]
            side.setdefault(node, []).append(seen.title(device))
    if not nodes["nic"] or not nodes["storage"] or set(nodes["nic"]) & set(nodes["storage"]):
        return
    ports, disks = nodes["nic"], nodes["storage"]
    near = listed(f"node {node}: {listed(names, 2)}" for node, names in sorted(ports.items()))
    far = listed(f"node {node}: {listed(names, 2)}" for node, names in sorted(disks.items()))
    first = min(ports)
    yield Finding(
        "numa",
        "network and storage",
        f"network cards on {near}; storage on {far}",
        "network card and storage on one node",
        basis="no figure: the capture does not show the rate of the link between the processors",
        fix="move one of the cards to a slot of the other processor; until then run the transfer on the network card's "
        f"node: numactl --cpunodebind={first} --membind={first}",
        verify="cat /sys/class/net/*/device/numa_node /sys/class/nvme/*/device/numa_node",
        source=_NODES,
    )


def pcix_burst(seen: Seen) -> Iterator[Finding]:
    """PCI-X cards that read in shorter bursts than possible."""
    for address, device in sorted(seen.machine.devices.items()):
        does, can = whole(device.pcix_rbc), whole(device.pcix_dmmrbc)
        if does is None or can is None or does >= can or device.purpose is None:
            continue
        bridge = _above(seen, device)
        clock = positive(bridge.pcix_secondary_freq_hz) or (133.33e6 if device.pcix_133mhz else 66.67e6)
        width: Literal[32, 64] = 32 if device.pcix_64bit is False else 64
        code = {512: 0, 1024: 4, 2048: 8, 4096: 12}.get(can)
        yield Finding(
            "pcix-burst",
            seen.title(device),
            f"bursts (MMRBC) of {does} bytes",
            f"{can} bytes, which the card can do",
            limit_bps=float(limits.pcix(clock, width, does)["throughput_bps"]),
            fixed_bps=float(limits.pcix(clock, width, can)["throughput_bps"]),
            basis=f"limits.pcix, {clock / 1e6:.0f} MHz, {width} bit, 100 clocks lost with each burst",
            fix=f"setpci -s {address} CAP_PCIX+2.b={code:02x}:0c" if code is not None else "",
            verify=f"lspci -vvv -s {address} | grep -i rbc",
            source=_BURST,
            scenario_settings=seen.slot_settings(address, burst=can),
        )
