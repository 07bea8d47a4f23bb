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
    """The generation of PCI Express with this transfer rate of a lane [GT/s]."""
    return _GENERATIONS.get(gtps or 0.0)


@dataclass(frozen=True, kw_only=True)
class Device(Part):
    """A PCI device. Rates of lanes are in GT/s, sizes in bytes, clocks in Hz.

    ``address`` has domain and function: ``0000:04:00.0``. ``name``, ``subsystem_name`` and ``device_name`` are maker
    and model, of the card, and of the chip alone. ``class_`` is in lspci's words, ``class_code`` a number (``0200``),
    ``kind`` in hwloc's words. ``os_device`` is its interface or disk, ``parent`` the address of the bridge above it,
    ``bus_secondary`` the bus below it, ``express_type`` its place (``Endpoint``, ``Root Port`` …). ``lnksta_…`` are as
    trained, ``lnkcap_…`` and ``…_cap`` maxima. ``pcix_rbc`` and ``pcix_dmmrbc`` are the bytes of a PCI-X read, as set
    and at most; ``pcix_secondary_freq_hz`` is the clock of the bus below it.
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
        """Its purpose for transfers: nic, raid, hba, nvme, or None."""
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
    """The processors of a host, as the kernel sees and arranges them.

    ``nominal_mhz``, ``mhz_max`` and ``mhz`` are the clock in the name, the maximum, and that of the capture [MHz];
    ``l3_bytes`` is the last-level cache of a socket [B].
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
        mhz = next((known for known in (self.mhz_max, self.nominal_mhz, self.mhz) if known and known > 0), None)
        return None if mhz is None else mhz * 1e6


@dataclass(frozen=True, kw_only=True)
class Memory(Part):
    """The main memory of a host: modules, places for them, the size of most modules and of all [B].

    ``mtps`` is the rate that they run at [MT/s], ``channels`` the number that the firmware names for them.
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
    """Version and settings of a kernel, from uname and sysctl. Buffers are in bytes.

    ``tcp_rmem`` and ``tcp_wmem`` are the least, usual and largest buffer of a connection, ``rmem_max`` and ``wmem_max``
    the largest that a program may request, ``tcp_recvbuf_max`` and ``tcp_sendbuf_max`` those of FreeBSD and macOS.
    ``adv_win_scale`` is the part of a receive buffer outside the window, as a power of 2.
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
    """Clock settings of a processor, from sysfs: governor, driver, bounds and the hardware's maximum [Hz]."""

    governor: str | None = None
    driver: str | None = None
    min_hz: float | None = None
    max_hz: float | None = None
    cpu_max_hz: float | None = None


@dataclass(frozen=True, kw_only=True)
class Interrupt(Part):
    """An interrupt in /proc/interrupts: its purpose in the driver's words, and its count on each processor."""

    actions: str = ""
    counts: list[int] = field(default_factory=list)
