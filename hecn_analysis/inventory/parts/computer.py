"""Devices, processors, their clocks and interrupts, memory and the kernel."""

import re
from dataclasses import dataclass, field
from typing import Final

from hecn_analysis.inventory.parts.part import Part

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
class Kernel(Part):
    """Version and settings of a kernel, by uname and sysctl.

    Parameters
    ----------
    kernel, os
        Its version and its name.
    tcp_rmem, tcp_wmem
        Least, usual and largest buffer of a TCP connection. [B]
    rmem_max, wmem_max
        Largest buffer that a program may ask for. [B]
    tcp_recvbuf_max, tcp_sendbuf_max
        Largest buffer of a TCP connection, on FreeBSD and macOS. [B]
    adv_win_scale
        Part of a receive buffer that is no window, as a power of 2.
    congestion_control
        Name of the algorithm.
    window_scaling, sack, moderate_rcvbuf
        Whether these options of TCP are on.
    """

    kernel: str | None = None
    os: str | None = None
    tcp_rmem: list[int] | None = None
    tcp_wmem: list[int] | None = None
    rmem_max: int | None = None
    wmem_max: int | None = None
    tcp_recvbuf_max: int | None = None
    tcp_sendbuf_max: int | None = None
    adv_win_scale: int | None = None
    congestion_control: str | None = None
    window_scaling: bool | None = None
    sack: bool | None = None
    moderate_rcvbuf: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Clocks(Part):
    """How a processor's clock is set, by sysfs.

    Parameters
    ----------
    governor, driver
        What sets it.
    min_hz, max_hz, cpu_max_hz
        Bounds that it is kept in, and the highest that the processor can do. [Hz]
    """

    governor: str | None = None
    driver: str | None = None
    min_hz: float | None = None
    max_hz: float | None = None
    cpu_max_hz: float | None = None


@dataclass(frozen=True, kw_only=True)
class Interrupt(Part):
    """An interrupt, by /proc/interrupts.

    Parameters
    ----------
    actions
        What it is for, in the driver's words.
    counts
        How often each processor served it.
    """

    actions: str = ""
    counts: list[int] = field(default_factory=list)
