"""Captured facts, as the keys of a description in ``models/hosts``.

Captured facts are taken as they are; what a capture omits (cycles a byte, rates of disks) comes from the catalogue of
parts if it has the part, else from its priors, with their spread. Links count as trained.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from hecn_analysis.base import places, units
from hecn_analysis.hardware import Library
from hecn_analysis.hardware.host import CAPTURED
from hecn_analysis.inventory.hosts import matching, probes
from hecn_analysis.inventory.hosts.machine import Machine
from hecn_analysis.inventory.parts.computer import Device, Memory, generation
from hecn_analysis.inventory.parts.network import Interface
from hecn_analysis.inventory.parts.storage import Array, Disk

_GENERIC_CPU: Final = "generic-server-cpu"
_LANES: Final = (32, 16, 12, 8, 4, 2, 1)
_CONGESTION: Final = frozenset({"reno", "cubic", "bbr", "htcp", "bic"})
#: Channels of a socket where neither the firmware nor the catalogue knows them: by kind and rate of the memory. [MT/s]
_CHANNELS: Final = (
    ("DDR5", 0, 8),
    ("DDR4", 3200, 8),
    ("DDR4", 2666, 6),
    ("DDR4", 0, 4),
    ("DDR3", 1600, 4),
    ("DDR3", 0, 3),
)
_PRIOR: Final = "what disks of its kind do"
#: Rates of disks that the catalogue does not know, by kind: read, write, spread. [B/s]
_DISK_PRIORS: Final = {
    "nvme": (3e9, 1.8e9, 0.5),
    "sas ssd": (1e9, 0.8e9, 0.4),
    "ssd": (0.5e9, 0.42e9, 0.25),
    "disk": (0.18e9, 0.17e9, 0.4),
}
#: Virtual disks share theirs with other guests: 0.7 to 3 GB/s on one, from hour to hour.
_VIRTUAL_DISK: Final = (1.4e9, 2e9, 0.95)
#: The virtual machine whose costs were measured, for processors of other ones; what they then may differ by.
_VIRTUAL_CPU: Final = ("virtual-2-cores", 0.4)
#: The clock that cycles are counted in where no output gives one.
_ANY_CLOCK_HZ: Final = 1e9
_BUSY: Final = 0.05
_LEAST_ARRAY: Final = 8e9

Keys = dict[str, Any]


def describe(machine: Machine, files: Sequence[str]) -> Keys:
    """Keys of a description in ``models/hosts``."""
    named = [file.rpartition("/")[2] for file in files]
    source = f"{CAPTURED}: {', '.join(named[:6])}" + (f" and {len(named) - 6} more" if len(named) > 6 else "")
    title = machine.product or machine.cpu.model or "a host"
    keys: Keys = {"title": f"{title} ({CAPTURED})", "source": source}
    slots, bridges = _slots(machine)
    parts: tuple[tuple[str, Any], ...] = (
        ("cpu", _cpu(machine)),
        ("memory", _memory(machine)),
        ("bridges", bridges),
        ("slots", slots),
        ("arrays", _arrays(machine, slots)),
    )
    keys.update((name, value) for name, value in parts if value)
    keys.update(_kernel(machine))
    return probes.probed(keys, machine.cpu.clock_hz or _ANY_CLOCK_HZ, machine.probes)


def _said(value: Any, source: str, *, spread: float = 0.0, basis: str = "documented") -> Keys:  # noqa: ANN401
    return {"value": value, "spread": spread, "basis": basis, "source": source}


# processor and memory -------------------------------------------------------------------------------------------------


def _cpu(machine: Machine) -> Keys | None:
    cpu = machine.cpu
    cores = cpu.cores
    if not cores:
        return None
    part = matching.cpu(cpu.model)
    keys: Keys = {"part": part} if part else _virtual_costs() if machine.virtual else {"part": _GENERIC_CPU}
    keys["cores"] = cores
    sockets = cpu.sockets if cpu.sockets and cores % cpu.sockets == 0 else None
    keys["sockets"] = sockets or 1
    keys["cores_per_socket"] = cores // keys["sockets"]
    if cpu.model:
        name = " ".join(cpu.model.split())
        keys["title"] = _virtual_title(name, cores) if machine.virtual and part is None else name
    if cpu.l3_bytes:
        keys["cache"] = _said(cpu.l3_bytes, f"{CAPTURED}: last-level cache of a socket")
    if part is None:
        low, high = cpu.nominal_mhz or cpu.mhz, cpu.mhz_max or cpu.mhz
        clocks = [clock for clock in (low, high) if clock]
        if clocks:
            middle = (min(clocks) + max(clocks)) / 2
            spread = max(0.1, (max(clocks) - min(clocks)) / 2 / middle)
            source = f"{CAPTURED}: {min(clocks):g} to {max(clocks):g} MHz"
            keys["clock"] = _said(f"{middle / 1000:.4g} GHz", source, spread=round(min(spread, 0.9), 3))
    return keys


def _virtual_title(model: str, cores: int) -> str:
    """Title of a virtual processor: the similar family and the number of cores."""
    words = re.sub(r"\((?:R|TM)\)|\bProcessor\b|\bCPU\b|@ ?[\d.]+ ?GHz", " ", model).split()
    return f"{' '.join(words) or 'a processor'}, {cores} virtual core{'' if cores == 1 else 's'}"


def _virtual_costs() -> Keys:
    """Costs of a core of a virtual machine, as measured on one, with room for others."""
    name, least = _VIRTUAL_CPU
    measured = Library(places.models_dir()).entry("hosts", name).below(("cpu",)).values
    costs = {key: value for key, value in measured.items() if isinstance(value, dict)}
    for key, cost in costs.items():
        if key.endswith("_cost") or key == "clock":
            spread = max(units.parse(cost.get("spread", 0), "fraction"), least)
            costs[key] = {**cost, "spread": spread, "basis": "assumed", "source": f"measured on {name}, another guest"}
    return costs


def _memory(machine: Machine) -> Keys | None:
    memory = machine.memory
    rate, dimms = memory.mtps, memory.n_dimms
    part = _part("cpus", matching.cpu(machine.cpu.model))
    sockets = machine.cpu.sockets or 1
    known = None
    if part is not None and part.memory_channels:
        name = part.title or part.part
        known = _said(part.memory_channels * sockets, f"channels of {name}", basis="specification")
        if machine.virtual:  # whose sockets are no processors
            known = _said(
                part.memory_channels, f"channels of one {name}; a virtual machine has a part", basis="assumed"
            )
    if rate:
        channels = _channels(memory, known, sockets)
        transfers = _said(f"{rate:g} MT/s", f"{CAPTURED}: rate that the modules run at")
    elif known and part is not None and part.memory_transfers is not None:
        channels = known
        transfers = _said(
            part.memory_transfers.value,
            "fastest memory of the processor; its modules were not captured",
            spread=0.15,
            basis="assumed",
        )
    else:
        return None
    if dimms and dimms < channels["value"]:
        source = f"{CAPTURED}: {dimms} modules, a channel each; {channels['value']} channels are there"
        channels = _said(dimms, source, basis="assumed")
    keys: Keys = {"channels": channels, "transfers": transfers}
    if memory.size_bytes:
        keys["size"] = _said(
            memory.size_bytes, f"{CAPTURED}: sum of the modules" if dimms else f"{CAPTURED}: what the kernel uses"
        )
    return keys


def _channels(memory: Memory, known: Keys | None, sockets: int) -> Keys:
    """Channels of the memory: by the firmware's words, else by the processor, else by the kind of memory."""
    if memory.channels:
        return _said(memory.channels, f"{CAPTURED}: channels that the firmware names for the modules")
    if known is not None:
        return known
    kind_of, rate = memory.type or "", memory.mtps or 0
    each = next((count for name, least, count in _CHANNELS if kind_of.startswith(name) and rate >= least), 2)
    return _said(each * sockets, f"as usual for {kind_of or 'memory'} of this rate, a socket", basis="assumed")


def _part(kind_of: str, name: str | None) -> Any:  # noqa: ANN401 - a part of that kind
    from hecn_analysis.hardware import catalogue  # noqa: PLC0415 - beside its only use

    return catalogue.parts(kind_of)[name] if name is not None else None


# slots ----------------------------------------------------------------------------------------------------------------


def _lanes(width: int | None) -> int | None:
    """The width of a slot with so many lanes in use."""
    return next((lanes for lanes in _LANES if width is not None and lanes <= width), None)


def slot_name(card: str) -> str:
    """Name of the slot of a card: its address without function, and without domain where that is the first one."""
    return card.removeprefix("0000:")


def _slots(machine: Machine) -> tuple[Keys, Keys]:
    """Slots with their cards, those of the fastest connected network cards first; and the bridges above them."""
    cards = machine.cards()
    slots: Keys = {}
    bridges: Keys = {}
    order = sorted(cards, key=lambda card: (-_weight(machine, cards[card]), card))
    for card in order:
        functions = cards[card]
        slot = _link(machine, functions)
        if slot is None:
            continue
        what = functions[0].purpose
        slot.update(
            _nic(machine, functions) if what == "nic" else _controller(functions) if what in {"raid", "hba"} else {}
        )
        behind = _behind(machine, functions[0].address, bridges)
        if behind is not None:
            slot["behind"] = behind
        slots[slot_name(card)] = slot
    return slots, bridges


def _weight(machine: Machine, functions: Sequence[Device]) -> float:
    """Sort key of a card in the list."""
    if functions[0].purpose != "nic":
        return -1.0
    up = any(interface.link_detected for interface in _interfaces(machine, functions))
    return (_port_rate(machine, functions) or 0.0) + (1e15 if up else 0.0)


def _link(machine: Machine, functions: Sequence[Device]) -> Keys | None:
    """The slot's bus: the link as trained, or, for PCI-X, the running bus; None if neither is known."""
    device = functions[0]
    gen = generation(device.lnksta_gtps or device.lnkcap_gtps)
    lanes = _lanes(device.lnksta_width or device.lnkcap_width)
    slot: Keys = {}
    if gen is not None and lanes is not None:
        slot = {"gen": gen, "lanes": lanes}
        if device.max_payload:
            slot["max_payload"] = device.max_payload
        if device.max_read_req:
            slot["max_read_request"] = device.max_read_req
    elif device.pcix_64bit is not None:
        above = machine.device(machine.bridge_above(device.address))
        clock = above.pcix_secondary_freq_hz or (133e6 if device.pcix_133mhz else 66e6)
        slot = {"bus": "pcix", "clock": clock, "width": 64 if device.pcix_64bit else 32}
        if device.pcix_rbc:
            slot["burst"] = device.pcix_rbc
    if not slot:
        return None
    if device.numa_node is not None and device.numa_node >= 0:
        slot["node"] = device.numa_node
    return slot


def _interfaces(machine: Machine, functions: Sequence[Device]) -> list[Interface]:
    places = {function.address for function in functions}
    return [interface for interface in machine.interfaces.values() if interface.address in places]


def _name(device: Device) -> str:
    return " ".join(name for name in (device.name, device.subsystem_name, device.device_name) if name)


def _port_rate(machine: Machine, functions: Sequence[Device]) -> float | None:
    """Line rate of a port in bit/s: the current one, else the maximum, else the one in its name."""
    interfaces = _interfaces(machine, functions)
    for rates in (
        [interface.speed_bps for interface in interfaces],
        [interface.supported_max_bps for interface in interfaces],
    ):
        known = [float(rate) for rate in rates if rate is not None and rate > 0]
        if known:
            return max(known)
    return matching.port_rate_bps(_name(functions[0]))


def _nic(machine: Machine, functions: Sequence[Device]) -> Keys:
    """The network card of a slot, or None if the speed of its ports is unknown."""
    rate, device = _port_rate(machine, functions), functions[0]
    if rate is None:
        return {}
    name = _name(device)
    part = matching.nic(name, len(functions), matching.port_rate_bps(name) or rate)
    nic: Keys = {"part": part} if part else {}
    pcix = device.lnkcap_gtps is None and device.pcix_64bit is not None
    nic |= {"title": device.name or "network card", "ports": len(functions)}
    nic["port_rate"] = _said(rate, f"{CAPTURED}: line rate of a port")
    nic |= {"bus": "pcix"} if pcix else {"gen": generation(device.lnkcap_gtps), "lanes": _lanes(device.lnkcap_width)}
    return {"nic": {key: value for key, value in nic.items() if value is not None}}


def _controller(functions: Sequence[Device]) -> Keys:
    device = functions[0]
    gen, lanes = generation(device.lnkcap_gtps), _lanes(device.lnkcap_width)
    if gen is None or lanes is None:
        return {}
    part = matching.controller(_name(device))
    made: Keys = {"part": part} if part else {"raid": device.purpose == "raid"}
    return {"controller": {**made, "title": device.name or "storage controller", "gen": gen, "lanes": lanes}}


def _behind(machine: Machine, address: str, bridges: Keys) -> str | None:
    """The switch or bridge above a device, added to the bridges with those above it."""
    behind: str | None = None
    for place in reversed(machine.above(address)):
        device = machine.device(place)
        made = _bridge(device)
        if made is None:
            continue
        name = slot_name(place.removesuffix(".0").replace(".", "-"))
        if name not in bridges:
            bridges[name] = {**made, "behind": behind} if behind is not None else made
        behind = name
    return behind


def _bridge(device: Device) -> Keys | None:
    """A bridge whose uplink several slots share: the upstream port of a switch, or a bridge to another bus."""
    role = device.express_type or ""
    gen = generation(device.lnksta_gtps or device.lnkcap_gtps)
    lanes = _lanes(device.lnksta_width or device.lnkcap_width)
    if gen is None or lanes is None or not (role == "Upstream Port" or "Bridge" in role):
        return None
    made: Keys = {
        "title": device.name or "bridge",
        "kind": "switch" if role == "Upstream Port" else "bridge",
        "gen": gen,
        "lanes": lanes,
    }
    if device.max_payload_cap:
        made["max_payload"] = device.max_payload_cap
    node = device.numa_node
    return {**made, "node": node} if node is not None and node >= 0 else made


# storage --------------------------------------------------------------------------------------------------------------


def _arrays(machine: Machine, slots: Keys) -> Keys:
    """Arrays, then disks outside of arrays, the largest first; files are on the first by default."""
    sized: list[tuple[float, str, Keys]] = []
    taken: set[str] = set()
    for array in machine.arrays:
        made = _array(machine, array, slots)
        taken.update(array.members)
        if made is not None:
            sized.append((float(array.size_bytes or 0), array.name, made))
    hidden = any(array.controller for array in machine.arrays)
    for name, disk in machine.disks.items():
        held = disk.size_bytes
        whole = name not in taken and not name.startswith(("md", "loop", "dm-", "zram", "sr", "ram", "fd"))
        if not whole or (held is not None and held < _LEAST_ARRAY) or (hidden and _is_volume(disk)):
            continue
        slot = _disk_slot(disk, slots)
        sized.append(
            (float(held or 0) - 1e18, name, {"disk": _disk(machine, disk), **({"slots": [slot]} if slot else {})})
        )
    return {name: made for _, name, made in sorted(sized, key=lambda item: -item[0])}


def _is_volume(disk: Disk) -> bool:
    """Whether a disk is a volume of a RAID controller."""
    return disk.transport != "nvme"


def _array(machine: Machine, array: Array, slots: Keys) -> Keys | None:
    disks = [machine.disks.get(name, Disk()) for name in array.members]
    like = next((disk for disk in disks if disk.facts), array.disk)
    keys: Keys = {"level": array.level, "disks": array.disks, "disk": _disk(machine, like)}
    if array.disks == 1:  # what controllers call RAID 0 of one disk
        del keys["level"]
    if array.level in {50, 60}:
        keys["groups"] = 2
    if array.level == 10 and array.disks % 2:  # md makes such arrays, of which no formula knows
        return None
    on = {slot for disk in disks if (slot := _disk_slot(disk, slots))}
    if array.controller is not None and array.controller.pci is not None:
        on |= {slot_name(array.controller.pci.rpartition(".")[0])} & set(slots)
    elif array.controller is not None:
        raid = [
            name
            for name, slot in slots.items()
            if slot.get("controller", {}).get("raid", True) and "controller" in slot
        ]
        on |= set(raid) if len(raid) == 1 else set()
    if on:
        keys["slots"] = sorted(on)
    return keys


def _disk_slot(disk: Disk, slots: Keys) -> str | None:
    name = slot_name(disk.pci.rpartition(".")[0]) if disk.pci is not None else None
    return name if name in slots else None


def _disk(machine: Machine, disk: Disk) -> Keys:
    """A disk of the catalogue, or the prior of its kind."""
    part = matching.disk(disk.model)
    about: Keys = {"title": " ".join(disk.model.split())} if disk.model else {}
    if disk.size_bytes:
        about["capacity"] = _said(disk.size_bytes, f"{CAPTURED}: its size")
    if part is not None:
        return {"part": part, **about}
    read, write, spread = _VIRTUAL_DISK if machine.virtual else _DISK_PRIORS[_disk_kind(disk)]
    why = f"not in the catalogue: {'what virtual disks do' if machine.virtual else _PRIOR}"
    rates: tuple[tuple[str, float], ...] = (("read_rate", read), ("write_rate", write))
    return {**about, **{name: _said(8 * rate, why, spread=spread, basis="assumed") for name, rate in rates}}


def _disk_kind(disk: Disk) -> str:
    words = " ".join(
        word or "" for word in (disk.transport, disk.protocol, disk.interface, disk.type, disk.media)
    ).lower()
    if "nvme" in words:
        return "nvme"
    solid = disk.ssd is True or disk.rotational is False or "ssd" in words
    if not solid:
        return "disk"
    return "sas ssd" if "sas" in words else "ssd"


# kernel ---------------------------------------------------------------------------------------------------------------


def _kernel(machine: Machine) -> Keys:
    keys: Keys = {}
    kernel = machine.kernel
    for name, sizes in (("tcp_rmem", kernel.tcp_rmem), ("tcp_wmem", kernel.tcp_wmem)):
        if sizes is not None and len(sizes) == 3:
            keys[f"{name}_max"] = _said(sizes[2], f"{CAPTURED}: net.ipv4.{name}")
    for name, size in (("rmem_max", kernel.rmem_max), ("wmem_max", kernel.wmem_max)):
        if size:
            keys[name] = _said(size, f"{CAPTURED}: net.core.{name}")
    if kernel.congestion_control in _CONGESTION:
        keys["congestion_control"] = kernel.congestion_control
    version = _version(kernel.kernel or "")
    if version is not None and kernel.os in {None, "Linux"}:
        keys["kernel"] = version
    if kernel.adv_win_scale is not None:
        keys["adv_win_scale"] = kernel.adv_win_scale
    if any((interface.features or {}).get("large-receive-offload") for interface in machine.interfaces.values()):
        keys["lro"] = True
    served = _nic_cores(machine)
    if served:
        keys["nic_cores"] = served
    return keys


def _version(text: str) -> str | None:
    """Major and minor number of a kernel."""
    parts = text.split(".")
    numbers = [part for part in parts[:2] if part.isdigit() and len(part) < 5]
    return ".".join(numbers) if len(numbers) == 2 else None


def _nic_cores(machine: Machine) -> list[int]:
    """Cores that served the network cards' interrupts, unless all did."""
    cores, threads = machine.cpu.cores, machine.cpu.threads_per_core or 1
    cards = [card for card, them in machine.cards().items() if them[0].purpose == "nic"]
    names = re.compile("|".join(map(re.escape, [*machine.interfaces, *cards])) or r"(?!)")
    sums: dict[int, int] = {}
    for irq in machine.interrupts.values():
        if names.search(irq.actions):
            for cpu, count in enumerate(irq.counts):
                sums[cpu] = sums.get(cpu, 0) + count
    most = max(sums.values(), default=0)
    busy = [cpu for cpu, count in sums.items() if most and count >= _BUSY * most]
    if not cores or threads != 1 or len(busy) >= cores or any(cpu >= cores for cpu in busy):
        return []
    return busy
