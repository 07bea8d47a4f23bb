"""Merged facts of one host: processor, memory, devices, network cards, disks, arrays, kernel.

If several outputs give a fact, the most precise source wins. A fact that no output gives is None.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.inventory.parts.computer import Cpu, Device, Interrupt, Kernel, Memory
from hecn_analysis.inventory.parts.network import Interface
from hecn_analysis.inventory.parts.storage import Array, Controller, Disk, SoftwareArray

if TYPE_CHECKING:
    from hecn_analysis.inventory.registry import Captured

Facts = Mapping[str, Any]

_CPU_SOURCES: Final = (
    *("lscpu", "lscpu-json", "lscpu-e", "lscpu-p", "hwloc-xml", "hwloc-console"),
    *("proc-cpuinfo", "lshw-json", "lshw-text"),
)
_PCI_SOURCES: Final = (
    *("lspci-tv", "hwloc-console", "hwloc-xml", "lspci", "lspci-mm", "lspci-nnmmv", "lspci-vmmkn", "lspci-k"),
    *("sysfs", "pciconf", "lspci-xxx", "lspci-vvv"),
)
_NETWORK: Final = "Ethernet controller"
#: Names under which sources give the same thing.
_OTHER_NAMES: Final = {
    "model": ("model", "cpu_model"),
    "sockets": ("sockets", "packages"),
    "cpus": ("cpus", "pus"),
}
_NOMINAL: Final = re.compile(r"@ {0,2}(?P<clock>\d{1,2}(?:\.\d{1,3})?) ?GHz")
_PARTITION: Final = re.compile(
    r"^(?P<disk>nvme\d{1,4}n\d{1,4}|mmcblk\d{1,3}|md\d{1,4})p\d{1,3}$|^(?P<letters>[shv]d[a-z]{1,3})\d{1,3}$"
)
_LEVEL: Final = re.compile(r"(?:raid)?[- ]?(?P<level>0|1|5|6|10|50|60)$", re.IGNORECASE)
_CHANNEL: Final = re.compile(r"(?:CHANNEL|CH)[ _-]?(?P<channel>[A-P]|\d{1,2})", re.IGNORECASE)
_OWNER: Final = re.compile(r"(?:CPU|PROC|NODE|SOCKET|P)[ _-]?(?P<owner>\d{1,2})", re.IGNORECASE)


@dataclass
class Machine:
    """Facts of one host by its parts; those that were not captured are empty.

    ``nodes`` has the processors of each NUMA node, ``devices`` PCI devices by address, ``interfaces`` and ``disks`` are
    by name (sda, nvme0n1), ``interrupts`` have counts by processor, and ``probes`` are results of short runs, see
    `probes`.
    """

    product: str | None = None
    virtual: bool | None = None
    host_name: str | None = None
    cpu: Cpu = field(default_factory=Cpu)
    memory: Memory = field(default_factory=Memory)
    kernel: Kernel = field(default_factory=Kernel)
    nodes: dict[str, list[int]] = field(default_factory=dict)
    devices: dict[str, Device] = field(default_factory=dict)
    interfaces: dict[str, Interface] = field(default_factory=dict)
    disks: dict[str, Disk] = field(default_factory=dict)
    arrays: list[Array] = field(default_factory=list)
    interrupts: dict[str, Interrupt] = field(default_factory=dict)
    probes: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, captured: Sequence[Captured]) -> Machine:
        """Merge the facts of a host's outputs."""
        by_format: dict[str, list[dict[str, Any]]] = {}
        for output in captured:
            by_format.setdefault(output.facts.format, []).append(output.facts.values)
        machine = cls()
        _system(machine, by_format, [output.host_name for output in captured])
        _cpu(machine, by_format)
        _memory(machine, by_format)
        _devices(machine, by_format)
        _interfaces(machine, by_format)
        _disks(machine, by_format)
        _arrays(machine, by_format)
        for facts in by_format.get("proc-interrupts", [])[:1]:
            machine.interrupts = {number: Interrupt.of(row) for number, row in facts["irqs"].items()}
        machine.probes = by_format.get("probe", [])
        return machine

    def summary(self) -> dict[str, Any]:
        """The facts as JSON can hold them, by the part of the host."""
        return {
            "product": self.product,
            "virtual": self.virtual,
            "cpu": self.cpu.facts,
            "memory": self.memory.facts,
            "nodes": self.nodes,
            "devices": [device.facts for device in self.devices.values()],
            "interfaces": {name: interface.facts for name, interface in self.interfaces.items()},
            "disks": {name: disk.facts for name, disk in self.disks.items()},
            "arrays": [array.facts for array in self.arrays],
            "kernel": self.kernel.facts,
            "probes": self.probes,
        }

    # the tree of PCI --------------------------------------------------------------------------------------------------

    def device(self, address: str | None) -> Device:
        """The device at an address; empty if it was not captured."""
        return self.devices.get(address or "", Device())

    def bridge_above(self, address: str) -> str | None:
        """The bridge above a device, None on a root bus."""
        parent = self.device(address).parent
        if parent is not None and parent != address:
            return parent
        domain, bus = address.rsplit(":", 2)[0], int(address.rsplit(":", 2)[1], 16)
        for other, bridge in self.devices.items():
            if bridge.bus_secondary == bus and bus and other != address and other.rsplit(":", 2)[0] == domain:
                return other
        return None

    def above(self, address: str) -> list[str]:
        """All bridges between a device and the processor, the nearest first."""
        bridges: list[str] = []
        bridge = self.bridge_above(address)
        while bridge is not None and bridge not in bridges:
            bridges.append(bridge)
            bridge = self.bridge_above(bridge)
        return bridges

    def named(self, card: str) -> str:
        """Name of the device in a slot, by the slot's name: the address without function and first domain."""
        place = card if card.count(":") > 1 else f"0000:{card}"
        return next(
            (device.name for at, device in self.devices.items() if at.startswith(f"{place}.") and device.name),
            "a device without a name",
        )

    def cards(self) -> dict[str, list[Device]]:
        """Network cards, storage controllers and NVMe drives: their functions, by address without function."""
        by_card: dict[str, list[Device]] = {}
        for address, device in sorted(self.devices.items()):
            if device.purpose is not None and not device.is_virtual_function:
                by_card.setdefault(address.rpartition(".")[0], []).append(device)
        return by_card


def _first(sources: Iterable[Facts], *names: str) -> Any:  # noqa: ANN401 - whatever a source gives
    return next((facts[name] for facts in sources for name in names if facts.get(name) is not None), None)


def _all(by_format: Mapping[str, list[dict[str, Any]]], formats: Sequence[str]) -> Iterator[dict[str, Any]]:
    for name in formats:
        yield from by_format.get(name, ())


def _system(machine: Machine, by_format: Mapping[str, list[dict[str, Any]]], names: Sequence[str | None]) -> None:
    sources = list(_all(by_format, ("dmidecode", "lshw-json", "lshw-text", "hwloc-xml", "hwloc-console")))
    product, maker = _first(sources, "product"), _first(sources, "manufacturer")
    machine.product = f"{maker} {product}" if maker and product and not product.startswith(maker) else product
    guests = [facts.get("virtual") for facts in (*sources, *_all(by_format, _CPU_SOURCES))]
    machine.virtual = any(guests) if any(guest is not None for guest in guests) else None
    prompt = next((name for name in names if name), None)
    machine.host_name = prompt or _first(_all(by_format, ("uname", "sysctl")), "host_name")
    kernel = _first(_all(by_format, ("uname", "sysctl")), "kernel")
    settings: dict[str, Any] = {} if kernel is None else {"kernel": kernel}
    for facts in by_format.get("sysctl", ()):
        settings.update({name: value for name, value in facts.items() if value is not None})
    machine.kernel = Kernel.of(settings)


def _cpu(machine: Machine, by_format: Mapping[str, list[dict[str, Any]]]) -> None:
    sources = list(_all(by_format, _CPU_SOURCES))
    processors = [
        processor
        for facts in by_format.get("dmidecode", ())
        for processor in facts["processors"]
        if processor["populated"]
    ]
    if not sources and not processors:
        return
    cpu: dict[str, Any] = {}
    for name in ("model", "cpus", "sockets", "cores", "cores_per_socket", "threads_per_core", "numa_nodes"):
        cpu[name] = _first(sources, *_OTHER_NAMES.get(name, (name,)))
    if processors:
        cpu["model"] = cpu["model"] or processors[0]["model"]
        cpu["sockets"] = cpu["sockets"] or len(processors)
        each = processors[0]["cores_enabled"] or processors[0]["cores"]
        cpu["cores"] = cpu["cores"] or (each * len(processors) if each else None)
    cpu["cores"] = cpu["cores"] or cpu["cpus"]
    nominal = _NOMINAL.search(str(cpu["model"]))
    cpu["nominal_mhz"] = round(1000 * float(nominal["clock"])) if nominal else None
    cpu["mhz_max"] = _first(sources, "mhz_max") or _first(processors, "mhz")
    cpu["mhz"] = _first(sources, "mhz")
    cpu["l3_bytes"] = _l3(sources, cpu["sockets"])
    machine.cpu = Cpu.of(cpu)
    machine.nodes = _first(sources, "numa_cpus") or _first(by_format.get("numactl-H", ()), "node_cpus") or {}


def _l3(sources: Sequence[Facts], sockets: int | None) -> int | None:
    """Last-level cache of a socket [B]: old versions of lscpu print one socket's, new ones the sum."""
    for facts in sources:
        if facts.get("l3_bytes"):
            total = int(facts["l3_bytes"])
            return total // (sockets or 1) if facts.get("l3_instances") else total
    return None


def _memory(machine: Machine, by_format: Mapping[str, list[dict[str, Any]]]) -> None:
    modules = list(_all(by_format, ("dmidecode", "lshw-json", "lshw-text")))
    memory: dict[str, Any] = {}
    for name in ("n_dimms", "n_slots", "dimm_bytes", "type"):
        memory[name] = _first([facts for facts in modules if facts.get("n_dimms")], name)
    memory["mtps"] = _first(modules, "configured_mtps", "speed_mtps")
    systems = ("hwloc-xml", "hwloc-console", "meminfo", "free", "systeminfo", "system-profiler")
    seen = _first(_all(by_format, systems), "memory_bytes", "mem_total_bytes")
    memory["size_bytes"] = (
        _first(modules, "memory_bytes") or _first(by_format.get("lsmem", ()), "memory_online_bytes") or seen
    )
    held = [module for facts in by_format.get("dmidecode", ()) for module in facts["modules"]]
    places = {place for module in held if (place := _channel(module)) is not None}
    memory["channels"] = len(places) if places and all(_channel(module) for module in held) else None
    if any(value is not None for value in memory.values()):
        machine.memory = Memory.of(memory)


def _channel(module: Facts) -> tuple[str, str] | None:
    """Processor and channel of a module, if the firmware names both."""
    words = f"{module.get('bank') or ''} {module.get('locator') or ''}"
    channel, owner = _CHANNEL.search(words), _OWNER.search(words)
    return (owner["owner"] if owner else "0", channel["channel"].upper()) if channel else None


def _devices(machine: Machine, by_format: Mapping[str, list[dict[str, Any]]]) -> None:
    devices: dict[str, dict[str, Any]] = {}
    for facts in _all(by_format, _PCI_SOURCES):
        for device in facts.get("devices", ()):
            place = device.get("address")
            if isinstance(place, str):
                known = devices.setdefault(place, {})
                known.update({name: value for name, value in device.items() if value not in (None, "")})
    for facts in by_format.get("kernel-log", ()):
        links = {link["address"] for link in facts["links"]}
        for slot in (slot for slot in facts["slots"] if slot["address"] is not None):
            _put(
                devices, slot["address"], {**slot, "class": _NETWORK if slot["address"] in links else None}, over=False
            )
    machine.devices = {place: Device.of(known) for place, known in devices.items()}


#: What channels and pause frames call by the names of ring sizes and of the link's negotiation.
_NOT_OF_RINGS: Final = frozenset({"rx", "tx", "rx_max", "tx_max", "autoneg"})


def _of_ethtool(by_format: Mapping[str, list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Facts of named interfaces in the outputs of ethtool."""
    formats = ("ethtool", *(f"ethtool-{option}" for option in "ikgc"))
    yield from (facts for facts in _all(by_format, formats) if facts.get("interface"))
    for facts in _all(by_format, ("ethtool-l", "ethtool-a")):
        if facts.get("interface"):
            yield {name: value for name, value in facts.items() if name not in _NOT_OF_RINGS}


def _interfaces(machine: Machine, by_format: Mapping[str, list[dict[str, Any]]]) -> None:
    interfaces: dict[str, dict[str, Any]] = {}
    for facts in _of_ethtool(by_format):
        _put(interfaces, facts["interface"], facts)
    for facts in _all(by_format, ("lshw-json", "lshw-text")):
        for network in facts["networks"]:
            place = str(network["businfo"])
            network_facts = {"speed_bps": network["speed_bps"], "bus_info": place.removeprefix("pci@")}
            _put(interfaces, network["logicalname"], network_facts, over=False)
    for device in machine.devices.values():
        name = device.os_device
        if name and (name in interfaces or device.purpose == "nic"):
            _put(interfaces, name, {"bus_info": device.address}, over=False)
    for facts in by_format.get("sysfs", ()):
        for name, interface_facts in facts.get("net", {}).items():
            _put(interfaces, name, interface_facts, over=False)
    for name, port in _less_precise(by_format):
        _put(interfaces, name, port, over=False)
    for name, known in interfaces.items():
        known["address"] = known["bus_info"] if known.get("bus_info") in machine.devices else None
        machine.interfaces[name] = Interface.of(known)


#: Outputs that list ports in the words of another system, or as the driver logged them: where their list is.
_LISTS_OF_PORTS: Final = {
    "ifconfig": "interfaces",
    "mii-tool": "interfaces",
    "esxi-nics": "interfaces",
    "dladm": "interfaces",
    "get-netadapter": "adapters",
    "wmic-nic": "adapters",
    "kernel-log": "links",
}
_STATES: Final = {"active": True, "associated": True, "no carrier": False, "inactive": False}


def _less_precise(by_format: Mapping[str, list[dict[str, Any]]]) -> Iterator[tuple[str, Facts]]:
    """Ports with what other outputs than ethtool say of their links."""
    for form, held in _LISTS_OF_PORTS.items():
        for port in (port for facts in by_format.get(form, ()) for port in facts[held]):
            if not port.get("name") or port.get("loopback"):
                continue
            up = port.get("up") if form != "ifconfig" else _STATES.get(str(port["status"]))
            yield (
                port["name"],
                {
                    **{name: port.get(name) for name in ("speed_bps", "duplex", "driver", "mtu", "media", "downs")},
                    "bus_info": port.get("address"),
                    "port": "Ethernet" if form == "mii-tool" else (port.get("media") or "").partition(" ")[0] or None,
                    "link_detected": port.get("link_detected", up),
                },
            )


def _put(things: dict[str, dict[str, Any]], name: Any, facts: Facts, *, over: bool = True) -> None:  # noqa: ANN401
    """Merge facts into the entry of a name; keep existing values unless `over`."""
    known = things.setdefault(str(name), {})
    known.update({key: value for key, value in facts.items() if value is not None and (over or known.get(key) is None)})


def _disk_name(node: Any) -> str:  # noqa: ANN401 - what a source gives
    """Name of the disk that holds a device or a partition."""
    name = str(node).rpartition("/")[2]
    match = _PARTITION.match(name)
    return (match["disk"] or match["letters"]) if match else name


def _disks(machine: Machine, by_format: Mapping[str, list[dict[str, Any]]]) -> None:
    disks: dict[str, dict[str, Any]] = {}
    for facts in _all(by_format, ("lsblk", "lsblk-json")):
        for name, held in facts["disks"].items():
            turning = facts.get("rotational", {}).get(name)
            _put(disks, _disk_name(name), {"size_bytes": held, "rotational": turning})
    listed = frozenset(disks)
    for name, disk_facts in _disk_facts(by_format):
        if not listed or _disk_name(name) in listed:
            _put(disks, _disk_name(name), disk_facts)
    for device in machine.devices.values():
        if device.os_device in disks:
            _put(disks, device.os_device, {"pci": device.address}, over=False)
    machine.disks = {name: Disk.of(known) for name, known in disks.items()}


def _disk_facts(by_format: Mapping[str, list[dict[str, Any]]]) -> Iterator[tuple[Any, Facts]]:
    """Device names with their facts, the more precise source later."""
    for facts in by_format.get("sysfs", ()):
        yield from facts.get("block", {}).items()
    for facts in _all(by_format, ("lsblk", "lsblk-json")):
        for device in facts.get("devices", ()):
            yield device["name"], {name: device.get(name) or None for name in ("model", "transport")}
    for facts in by_format.get("geom-disk", ()):
        yield from ((device["node"], device) for device in facts["devices"])
    for facts in by_format.get("lsscsi", ()):
        yield from ((device["node"], {"model": device["model"]}) for device in facts["devices"] if device.get("node"))
    for facts in _all(by_format, ("nvme-list", "nvme-list-json")):
        yield from (
            (device["node"], {**device, "transport": "nvme"}) for device in facts["devices"] if device.get("node")
        )
    forms = ("hdparm-I", "smartctl", "smartctl-json")
    yield from ((disk["device"], disk) for disk in _all(by_format, forms) if disk.get("device"))


def _arrays(machine: Machine, by_format: Mapping[str, list[dict[str, Any]]]) -> None:
    software: dict[str, Array] = {}
    for array in _software(by_format):
        known = software.setdefault(array.name, array)
        software[array.name] = replace(
            known,
            size_bytes=known.size_bytes or array.size_bytes,
            chunk_bytes=known.chunk_bytes or array.chunk_bytes,
            state=known.state or array.state,
            working=known.working or array.working,
        )
    controllers = ("storcli-json", "storcli", "megacli", "ssacli", "hpacucli", "arcconf", "tw_cli", "sas2ircu")
    behind = map(Controller.of, _all(by_format, (*controllers, "areca-cli64")))
    machine.arrays = [*software.values(), *(array for controller in behind for array in _volumes(controller))]


def _software(by_format: Mapping[str, list[dict[str, Any]]]) -> Iterator[Array]:
    """Software RAID arrays of each output."""
    for facts in by_format.get("mdstat", ()):
        for array in map(SoftwareArray.of, facts["arrays"]):
            if array.state == "active":
                members = [name for name in array.members or () if name not in (array.spares or ())]
                yield from _software_array(array, str(array.name), members, array.n_configured, array.n_working)
    for array in map(SoftwareArray.of, by_format.get("mdadm-detail", ())):
        name = str(array.device).rpartition("/")[2]
        yield from _software_array(array, name, array.members or (), array.n_raid_devices, array.n_active)


def _software_array(
    facts: SoftwareArray, name: str, members: Sequence[str], disks: int | None, working: int | None
) -> Iterator[Array]:
    """The array, unless its level or its number of disks is unknown."""
    level, disks = _level(facts.level), disks or len(members)
    if level is not None and disks:
        yield Array(
            name=name,
            level=level,
            disks=disks,
            members=[_disk_name(member) for member in members],
            size_bytes=facts.size_bytes,
            chunk_bytes=facts.chunk_bytes,
            state=facts.state,
            working=working,
        )


def _volumes(controller: Controller) -> Iterator[Array]:
    """Arrays of a RAID controller; its disks count as equal if the output does not assign them."""
    drives = [drive for drive in controller.drives if drive.model]
    models = Counter(drive.model for drive in drives).most_common(1)
    like = next((drive for drive in drives if models and drive.model == models[0][0]), Disk())
    volumes = controller.volumes
    for volume in volumes:
        level = _level(volume.level)
        count = volume.n_drives or volume.n_segments or (len(drives) if len(volumes) == 1 else None)
        if level is None or count is None or count < 1:
            continue
        yield Array(
            name=f"{controller.controller or 'raid'} {volume.id}",
            level=level,
            disks=count,
            size_bytes=volume.size_bytes,
            chunk_bytes=volume.strip_bytes,
            state=volume.state,
            controller=controller,
            disk=like,
        )


def _level(text: str | None) -> int | None:
    """RAID level in the words of a source."""
    match = _LEVEL.fullmatch(text or "")
    return int(match["level"]) if match else None
