"""Parts of a host with their facts: fields of known types, so that a misspelt fact is an error of the type checker.

Outputs are merged by name first (`machine`); `Part.of` then makes a part of the merged facts. What only JSON shows has
no field and stays in `Part.facts`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self, get_args, get_origin

_KINDS: Final = {
    "0200": "nic",
    "0207": "nic",
    "0c06": "nic",
    "0104": "raid",
    "0107": "hba",
    "0100": "hba",
    "0108": "nvme",
}
_KIND_WORDS: Final = {
    "Ethernet controller": "nic",
    "Infiniband controller": "nic",
    "Ethernet": "nic",
    "InfiniBand": "nic",
    "RAID bus controller": "raid",
    "RAID": "raid",
    "Serial Attached SCSI controller": "hba",
    "SAS": "hba",
    "SCSI storage controller": "hba",
    "Non-Volatile memory controller": "nvme",
    "NVMExp": "nvme",
}
_VIRTUAL_FUNCTION: Final = re.compile(r"Virtual Function|Ethernet Adaptive VF|\bVF\b")
_GENERATIONS: Final = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
#: No number of a host is larger; JSON may hold any.
_LARGEST: Final = 1e30


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a host; a field is None where no output gives it, and ends in _ where Python keeps its name.

    Parameters
    ----------
    facts
        All that the outputs say of it, by name and in their order: what JSON shows.

    Examples
    --------
    >>> port = Interface.of({"speed_bps": 10**10, "duplex": 1, "rx_usecs": 3})
    >>> port.speed_bps, port.duplex, port.facts["rx_usecs"]
    (10000000000, None, 3)
    """

    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        """Make the part of merged facts; a value of another type than its field's is None."""
        given = ((one, facts.get(one.name.removesuffix("_"))) for one in fields(cls) if one.name != "facts")
        return cls(
            facts=facts, **{one.name: value for one, value in given if _is(value, get_args(one.type) or (one.type,))}
        )


def _is(value: object, types: tuple[Any, ...]) -> bool:
    """Whether a value is of one of the types; a bool is no number, an int also a float."""
    kinds = [get_origin(one) or one for one in types]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return type(value) in kinds
    return (type(value) in kinds or float in kinds) and abs(value) < _LARGEST


def generation(gtps: float | None) -> int | None:
    """The generation of PCI Express that transfers so many bits of a lane a second [GT/s]."""
    return _GENERATIONS.get(gtps or 0.0)


@dataclass(frozen=True, kw_only=True)
class Device(Part):
    """A PCI device.

    Parameters
    ----------
    address
        With its domain and function: ``0000:04:00.0``.
    name, subsystem_name, device_name
        Maker and model, of the card, and of the chip alone.
    class_, class_code, kind
        What it is, by lspci in words and as a number (``0200``), and by hwloc.
    os_device
        The interface or disk that it is.
    parent, bus_secondary
        Address of the bridge that it hangs on; number of the bus below it.
    numa_node
        The node that it is attached to.
    express_type
        Its place in PCI Express: ``Endpoint``, ``Root Port``, ``Upstream Port`` …
    lnksta_gtps, lnkcap_gtps
        Rate of a lane as trained, and at most. [GT/s]
    lnksta_width, lnkcap_width
        Lanes as trained, and at most.
    max_payload, max_payload_cap, max_read_req
        MaxPayload as set and at most, MaxReadReq. [B]
    pcix_64bit, pcix_133mhz
        Whether its PCI-X has 64 bits, and 133 MHz.
    pcix_rbc, pcix_dmmrbc
        Bytes that it reads at once from PCI-X, as set and at most. [B]
    pcix_secondary_freq_hz
        Clock of the PCI-X bus below it. [Hz]
    """

    address: str = ""
    name: str | None = None
    subsystem_name: str | None = None
    device_name: str | None = None
    class_: str | None = None
    class_code: str | None = None
    kind: str | None = None
    os_device: str | None = None
    parent: str | None = None
    bus_secondary: int | None = None
    numa_node: int | None = None
    express_type: str | None = None
    lnksta_gtps: float | None = None
    lnkcap_gtps: float | None = None
    lnksta_width: int | None = None
    lnkcap_width: int | None = None
    max_payload: int | None = None
    max_payload_cap: int | None = None
    max_read_req: int | None = None
    pcix_64bit: bool | None = None
    pcix_133mhz: bool | None = None
    pcix_rbc: int | None = None
    pcix_dmmrbc: int | None = None
    pcix_secondary_freq_hz: float | None = None

    @property
    def purpose(self) -> str | None:
        """What it is for transfers: nic, raid, hba, nvme, or None."""
        return _KINDS.get(self.class_code or "") or _KIND_WORDS.get(self.class_ or self.kind or "")

    @property
    def is_virtual_function(self) -> bool:
        """Whether it is an SR-IOV virtual function; its link status has an unknown speed and width 0."""
        named = _VIRTUAL_FUNCTION.search(self.name or "") is not None
        unlinked = self.lnksta_width == 0 and self.lnksta_gtps is None and self.max_payload is not None
        return named or (unlinked and bool(self.lnkcap_width))

    @property
    def card(self) -> str:
        """Its address without the function."""
        return self.address.rpartition(".")[0]


@dataclass(frozen=True, kw_only=True)
class Cpu(Part):
    """The processors of a host.

    Parameters
    ----------
    model
        Name of each.
    cpus, sockets, cores, cores_per_socket, threads_per_core, numa_nodes
        How many the kernel sees, and how they are arranged.
    nominal_mhz, mhz_max, mhz
        Clock by the name, at most, and when it was captured. [MHz]
    l3_bytes
        Last-level cache of a socket. [B]
    """

    model: str | None = None
    cpus: int | None = None
    sockets: int | None = None
    cores: int | None = None
    cores_per_socket: int | None = None
    threads_per_core: int | None = None
    numa_nodes: int | None = None
    nominal_mhz: int | None = None
    mhz_max: float | None = None
    mhz: float | None = None
    l3_bytes: int | None = None

    @property
    def clock_hz(self) -> float | None:
        """Clock of a core under load [Hz], None if unknown."""
        mhz = next((one for one in (self.mhz_max, self.nominal_mhz, self.mhz) if one and one > 0), None)
        return None if mhz is None else mhz * 1e6


@dataclass(frozen=True, kw_only=True)
class Memory(Part):
    """The main memory of a host.

    Parameters
    ----------
    n_dimms, n_slots
        Number of modules, and of places for them.
    dimm_bytes, size_bytes
        What most modules hold, and all. [B]
    type
        Kind of the modules, such as ``DDR4``.
    mtps
        Rate that they run at. [MT/s]
    channels
        Number of channels that the firmware names for them.
    """

    n_dimms: int | None = None
    n_slots: int | None = None
    dimm_bytes: float | None = None
    type: str | None = None
    mtps: float | None = None
    size_bytes: float | None = None
    channels: int | None = None


@dataclass(frozen=True, kw_only=True)
class Interface(Part):
    """A network interface, by ethtool, lshw and sysfs.

    Parameters
    ----------
    bus_info
        PCI address of its card as it says itself.
    address
        The same where a PCI device has it.
    port
        Kind of its connector.
    link_detected
        Whether there is a signal.
    duplex
        ``full`` or ``half``.
    speed_bps, supported_max_bps, advertised_max_bps
        What runs, and the fastest link mode that it can do and that it offers. [bit/s]
    rx, tx, rx_max, tx_max
        Packets of its rings, as set and at most.
    features, fixed
        Whether each offload is on, by its long name, and those that cannot be changed.
    """

    bus_info: str | None = None
    address: str | None = None
    port: str | None = None
    link_detected: bool | None = None
    duplex: str | None = None
    speed_bps: float | None = None
    supported_max_bps: float | None = None
    advertised_max_bps: float | None = None
    rx: int | None = None
    tx: int | None = None
    rx_max: int | None = None
    tx_max: int | None = None
    features: dict[str, bool] | None = None
    fixed: list[str] | None = None


@dataclass(frozen=True, kw_only=True)
class Link(Part):
    """What ip link and sysfs say of an interface.

    Parameters
    ----------
    mtu
        Largest packet of IP. [B]
    up
        Whether somebody switched it on.
    loopback
        Whether it leads back to the host.
    kind
        What it is made of software: ``bond``, ``bridge``, ``vlan`` …; None for a card's port.
    """

    mtu: int | None = None
    up: bool | None = None
    loopback: bool | None = None
    kind: str | None = None


@dataclass(frozen=True, kw_only=True)
class Disk(Part):
    """A disk, by the system or by the program of its RAID controller.

    Parameters
    ----------
    model
        Its model number.
    size_bytes
        What it holds. [B]
    rotational, ssd
        Whether it turns, and whether it says that it does not.
    transport, protocol, interface, type, media
        How it is attached and what it is made of, in the words of each program.
    link_bps, link_max_bps
        Line rate of its link, and the fastest that it can do. [bit/s]
    pci
        PCI address of its controller.
    slot
        Its place in an enclosure.
    """

    model: str | None = None
    size_bytes: float | None = None
    rotational: bool | None = None
    ssd: bool | None = None
    transport: str | None = None
    protocol: str | None = None
    interface: str | None = None
    type: str | None = None
    media: str | None = None
    link_bps: float | None = None
    link_max_bps: float | None = None
    pci: str | None = None
    slot: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Volume(Part):
    """What a RAID controller shows the system as one disk.

    Parameters
    ----------
    id
        Its number or name.
    level
        RAID level in the words of the program.
    n_drives, n_segments
        Number of disks that carry it.
    size_bytes, strip_bytes
        What it holds, and what is written to one disk before the next one's turn. [B]
    state, cache
        In the words of the program.
    """

    id: int | str | None = None
    level: str | None = None
    n_drives: int | None = None
    n_segments: int | None = None
    size_bytes: float | None = None
    strip_bytes: int | None = None
    state: str | None = None
    cache: str | None = None


@dataclass(frozen=True, kw_only=True)
class Controller(Part):
    """A RAID controller with what hangs on it, by its program.

    Parameters
    ----------
    controller, model
        Its name, under which programs print it.
    pci
        Its PCI address.
    """

    controller: str | None = None
    model: str | None = None
    pci: str | None = None

    @property
    def volumes(self) -> list[Volume]:
        """What it shows the system as disks."""
        return [Volume.of(one) for one in self.facts.get("volumes", ())]

    @property
    def raidsets(self) -> list[Volume]:
        """Sets of disks, by Areca's program."""
        return [Volume.of(one) for one in self.facts.get("raidsets", ())]

    @property
    def drives(self) -> list[Disk]:
        """Its disks."""
        return [Disk.of(one) for one in self.facts.get("drives", ())]


@dataclass(frozen=True, kw_only=True)
class SoftwareArray(Part):
    """An array of Linux' software RAID, by mdstat, mdadm or sysfs.

    Parameters
    ----------
    name, device
        Its name, and the path that mdadm gives.
    level, state
        In the words of the source.
    members, spares
        Names of its disks, and of those that only wait.
    n_configured, n_raid_devices
        Number of disks that make it, by mdstat and by the others.
    n_working, n_active
        Number of disks that work, by mdstat and by mdadm.
    size_bytes, chunk_bytes
        What it holds, and what is written to one disk before the next one's turn. [B]
    stripe_cache_size
        Pages of a disk that writes are collected in.
    """

    name: str | None = None
    device: str | None = None
    level: str | None = None
    state: str | None = None
    members: list[str] | None = None
    spares: list[str] | None = None
    n_configured: int | None = None
    n_raid_devices: int | None = None
    n_working: int | None = None
    n_active: int | None = None
    size_bytes: float | None = None
    chunk_bytes: int | None = None
    stripe_cache_size: int | None = None


@dataclass(frozen=True, kw_only=True)
class Array:
    """Disks that work as one.

    Parameters
    ----------
    name
        Name of the device, or of the controller and the volume.
    level
        RAID level.
    disks
        Number of disks that carry it.
    members
        Names of the disks, where they are known.
    size_bytes
        What it holds. [B]
    chunk_bytes
        What is written to one disk before the next one's turn. [B]
    state
        In the words of the source.
    working
        Number of disks that work, None where that is not known.
    controller
        Its controller, None for software RAID.
    disk
        What its controller says of its disks.
    """

    name: str
    level: int
    disks: int
    members: list[str] = field(default_factory=list)
    size_bytes: float | None = None
    chunk_bytes: int | None = None
    state: str | None = None
    working: int | None = None
    controller: Controller | None = None
    disk: Disk = field(default_factory=Disk)

    @property
    def facts(self) -> dict[str, Any]:
        """What JSON shows of it."""
        by = self.controller
        controller = {} if by is None else {"model": by.controller or by.model, "pci": by.pci}
        return {**vars(self), "controller": controller, "disk": dict(self.disk.facts)}
