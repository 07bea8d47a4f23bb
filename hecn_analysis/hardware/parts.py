"""Parts of hosts: processors, boards, memory, cards, disks, enclosures, optics, switches.

Data in ``models/parts/*.yaml``.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hecn_analysis.base import units
from hecn_analysis.hardware.quantity import (
    Bytes,
    Cycles,
    CyclesPerByte,
    Dollars,
    Factor,
    Frequency,
    Parameter,
    Power,
    Rate,
    Time,
    Title,
    Transfers,
)
from hecn_analysis.limits import storage, tcp_window
from hecn_analysis.limits.pci_express_link import raw_bps

Generation = Annotated[int, Field(ge=1, le=6, description="PCI Express generation")]
Lanes = Literal[1, 2, 4, 8, 12, 16, 32]
Bus = Literal["pcie", "pcix"]
Cipher = Literal["aes-gcm", "aes-ctr-hmac", "chacha20-poly1305"]
Node = Annotated[int, Field(ge=0, description="NUMA node (socket) that it is attached to")]


#: More than any rotating disk with one actuator reads: Seagate Exos X24, 285 MB/s. [bit/s]
_FASTEST_ROTATING: Final = 320e6 * 8


class Part(BaseModel):
    """Fields that all parts share."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: str = Field(default="", description="name in models/parts")
    title: Title = Field(default="", description="maker and model")
    source: str = Field(
        default="", description="data sheet, standard or document for numbers without a source of their own"
    )
    date: str = Field(
        default="",
        pattern=r"^(\d{4}(-\d{2}){0,2})?$",
        description="date of that source, or the day it was read: 2024, 2024-06 or 2024-06-30",
    )
    year: int | None = Field(default=None, ge=1970, le=2100, description="year of release")
    price: Dollars | None = Field(
        default=None, description="published price of one piece; its source gives date and seller"
    )
    power: Power | None = Field(default=None, description="typical power, or maximum power if only that is given")

    @field_validator("date", mode="before")
    @classmethod
    def _as_text(cls, date: object) -> str:
        return str(date)  # YAML reads 2024 as a number and 2024-06-30 as a date


class ToolCosts(BaseModel):
    """Costs of two processes of one tool that exchange data on one machine.

    Either process may do the kernel's work for a packet. So the sum of both costs repeats from run to run, and each
    single cost does not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    send_cost: CyclesPerByte = Field(description="cost of the sending process")
    receive_cost: CyclesPerByte = Field(description="cost of the receiving process")
    message: Bytes = Field(description="size of the messages in those runs")
    cores: Factor = Field(
        description="cores used by both processes together; its spread is the scatter of the runs' throughput"
    )


class Cpu(Part):
    """A processor, and the cost of moving a byte on one of its cores.

    Costs are cycles per payload byte, measured as utilisation over throughput (utilisation law). They depend on the
    micro-architecture, not on the clock. `cores` counts the cores of all sockets; its default is `sockets` times
    `cores_per_socket`.
    """

    clock: Frequency = Field(description="core clock under load")
    cores: Annotated[int, Field(ge=1, description="cores of all sockets together")]
    sockets: Annotated[int, Field(ge=1, description="processors of this kind in the host")] = 1
    socket: str = Field(default="", description="type of socket: LGA4189, SP5, …")
    scales_to: Annotated[int, Field(ge=1, description="processors of this kind that one host can have")] = 1
    cores_per_socket: Annotated[int, Field(ge=1)] | None = None
    memory_channels: Annotated[int, Field(ge=1, description="memory channels of a socket")] | None = None
    memory_transfers: Transfers | None = Field(default=None, description="fastest memory, transfers per second")
    gen: Generation | None = None
    lanes: Annotated[int, Field(ge=0, description="PCI Express lanes of a socket")] | None = None
    cache: Bytes = Field(default={"value": "inf"}, validate_default=True, description="last-level cache of a socket")
    crypto: Literal["none", "simd", "aes", "vaes"] | None = Field(
        default=None,
        description="instructions for ciphers: none; simd (SSSE3, AVX2, NEON); aes (AES-NI, ARMv8 AES); vaes; "
        "default: unknown",
    )
    ciphers: dict[Cipher, CyclesPerByte] = Field(
        default={}, description="cost of ciphers, if measured; default: that of processors with such instructions"
    )
    send_cost: CyclesPerByte = Field(description="application core: copy from user memory and TCP transmit")
    receive_cost: CyclesPerByte = Field(description="application core: copy to user memory while the data are in cache")
    far_cost: CyclesPerByte = Field(
        default=0, validate_default=True, description="added to receive_cost when the data have left the cache"
    )
    read_cost: CyclesPerByte = Field(
        default=0, validate_default=True, description="application core: buffered file read"
    )
    write_cost: CyclesPerByte = Field(
        default=0, validate_default=True, description="application core: buffered file write"
    )
    direct_cost: CyclesPerByte = Field(
        default=0, validate_default=True, description="application core: direct file I/O, either way"
    )
    file_call_cost: Cycles = Field(
        default=0,
        validate_default=True,
        description="application core: each block read from or written to a file through the page cache (`request` of "
        "the tool)",
    )
    block_request_cost: Cycles = Field(
        default=0,
        validate_default=True,
        description="application core: each direct request to a disk: block layer, driver, interrupt, completion",
    )
    send_interrupt_cost: CyclesPerByte = Field(
        default=0, validate_default=True, description="interrupt core: transmit completion"
    )
    receive_interrupt_cost: CyclesPerByte = Field(
        default=0, validate_default=True, description="interrupt core: receive processing"
    )
    merged_interrupt_cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="interrupt core: receive processing where the card merges frames (LRO)",
    )
    storage_interrupt_cost: CyclesPerByte = Field(
        default=0, validate_default=True, description="storage core: RAID interrupts and software RAID"
    )
    reorder_cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="added at both ends when a link bundle spreads packets round-robin",
    )
    linear_cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="application core: linear copy of each packet without segmentation offload",
    )
    send_packet_cost: Cycles = Field(
        default=0, validate_default=True, description="application core: each packet sent, or 64 KiB with offload"
    )
    receive_packet_cost: Cycles = Field(
        default=0, validate_default=True, description="application core: each packet received"
    )
    interrupt_packet_cost: Cycles = Field(
        default=0, validate_default=True, description="interrupt core: each packet received"
    )
    frame_cost: Cycles = Field(
        default=0,
        validate_default=True,
        description="each frame through a card: driver, DMA mapping, buffer, merging; sender: application core, "
        "receiver: interrupt core",
    )
    remote_cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="added to receive_cost when another socket's core takes the interrupts",
    )
    measured_payload: Bytes = Field(
        default={"value": 8948, "source": "frames of 9000 bytes, as in the documents"},
        validate_default=True,
        description="packet payload in the measurement of the costs per byte, which include the cost of those packets",
    )
    send_call_cost: Cycles = Field(
        default=0, validate_default=True, description="application core: each message written to a socket"
    )
    receive_call_cost: Cycles = Field(
        default=0, validate_default=True, description="application core: each message read from a socket"
    )
    zero_copy_share: Factor = Field(
        default={
            "value": 0.6,
            "spread": 0.3,
            "basis": "documented",
            "source": "39 % fewer cycles for netperf TCP_STREAM (de Bruijn and Dumazet, sendmsg copy avoidance with "
            "MSG_ZEROCOPY, netdev 2.1, 2017)",
        },
        validate_default=True,
        description="share of send_cost that remains where the tool sends without a copy (zero_copy)",
    )
    zero_copy_call_cost: Cycles = Field(
        default={
            "value": 1700,
            "spread": 0.6,
            "basis": "assumed",
            "source": "no gain below messages of 10 KB (Linux, Documentation/networking/msg_zerocopy.rst)",
        },
        validate_default=True,
        description="application core: each message sent without a copy: pages pinned, completion read",
    )
    measured_kernel: str | None = Field(
        default=None, description="Linux version of the measurement of the costs; default: that of the host"
    )
    kernel_gain: Factor = Field(
        default={
            "value": 0.82,
            "spread": 0.1,
            "basis": "documented",
            "source": "two thirds of the highest gains of 6.8 over 5.15, 30 % on a LAN and 38 % on a WAN (Recent Linux "
            "Improvements that Impact TCP Throughput, INDIS 2024)",
        },
        validate_default=True,
        description="cost of sockets with Linux 6.8 or later over 5.15 or earlier, if measured_kernel is known",
    )
    measured_message: Bytes = Field(
        default={"value": 65536, "source": "nuttcp's default"},
        validate_default=True,
        description="message size in the measurement of the costs per byte",
    )
    local_share: Factor = Field(
        default=1,
        validate_default=True,
        description="share of receive_cost within one machine, where the data are still in a cache; 1 where that was "
        "measured so",
    )
    handover_cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="within one machine, both ends: data in another core's cache",
    )
    handover_packet_cost: Cycles = Field(
        default=0,
        validate_default=True,
        description="both cores: each packet handed from one core to another, of the other process or of the "
        "interrupts; twice this between sockets",
    )
    tools: dict[str, ToolCosts] = Field(
        default={},
        description="costs measured within one machine with particular tools, by name; they replace the general costs",
    )
    scatter: Factor = Field(
        default={
            "value": 1,
            "spread": 0.03,
            "basis": "assumed",
            "source": "repeats in the documents differ by 1 to 3 %, on a shared machine by 4 to 6 %",
        },
        validate_default=True,
        description="scatter of the processor time for the same work from run to run, as a factor with a spread",
    )
    contention: Factor = Field(
        default=0,
        validate_default=True,
        description="relative growth of all costs with each further busy application core",
    )

    def socket_of(self, core: int) -> int:
        """Socket of a core; the lowest numbers are the first socket's."""
        return core * self.sockets // self.cores

    @field_validator("measured_kernel", mode="before")
    @classmethod
    def _kernel(cls, kernel: object) -> object:
        if kernel is None:
            return None
        tcp_window.kernel_version(str(kernel))
        return str(kernel)

    @model_validator(mode="before")
    @classmethod
    def _count_cores(cls, values: Any) -> Any:  # noqa: ANN401 - what a YAML file holds
        if not isinstance(values, dict):
            return values
        sockets, per_socket = values.get("sockets", 1), values.get("cores_per_socket")
        if type(sockets) is int and type(per_socket) is int and values.get("cores") is None:
            return {**values, "cores": sockets * per_socket}
        return values

    @model_validator(mode="after")
    def _cores_exist(self) -> Self:
        if self.cores_per_socket is not None and self.cores > self.sockets * self.cores_per_socket:
            raise ValueError(
                f"found {self.cores} cores, expected at most {self.sockets * self.cores_per_socket}: "
                f"{self.sockets} times {self.cores_per_socket}"
            )
        return self


class Nic(Part):
    """A network card: its ports and its bus."""

    ports: Annotated[int, Field(ge=1)]
    port_rate: Rate = Field(description="line rate of a port")
    bus: Bus = "pcie"
    gen: Generation | None = None
    lanes: Lanes | None = None
    cage: str = Field(default="", description="type of the ports: SFP28, QSFP56, RJ45, …")
    rdma: bool = Field(default=False, description="RoCE, iWARP or InfiniBand in hardware")


class Controller(Part):
    """A RAID controller or host bus adapter."""

    gen: Generation
    lanes: Lanes
    rate: Rate = Field(
        default={"value": "inf"}, validate_default=True, description="throughput of its processor, all disks together"
    )
    disk_ports: Annotated[int, Field(ge=1, description="SAS, SATA or NVMe links for disks")] | None = None
    disk_port_rate: Rate | None = Field(default=None, description="line rate of each disk port")
    raid: bool = Field(default=True, description="computes parity itself; false: a host bus adapter")
    drives: Literal["sas", "pcie"] = Field(
        default="sas", description="type of drives: SAS and SATA, or NVMe on PCI Express"
    )
    drive_form: str = Field(
        default="", description="form factor of drives mounted on the card itself, without a bay: M.2"
    )


class Disk(Part):
    """A disk or solid-state drive as part of an array."""

    read_rate: Rate = Field(description="sequential read rate, at the part of the disk in use")
    write_rate: Rate = Field(description="sequential write rate, at the part of the disk in use")
    sustained_write_rate: Rate | None = Field(
        default=None,
        description="sequential write rate once the drive's fast cache (pseudo-SLC) is full; default: write_rate",
    )
    cache: Bytes | None = Field(
        default=None,
        description="what an empty drive takes at its write_rate before the sustained_write_rate holds; default: "
        "unknown, so transfers of any size count at the sustained rate",
    )
    buffered_read_rate: Rate | None = Field(
        default=None,
        description="read rate through the page cache, of an uncached file, if it differs",
    )
    buffered_write_rate: Rate | None = Field(
        default=None, description="write rate through the page cache, until all data are on the disk, if it differs"
    )
    link: Literal["sata-1.5", "sata-3", "sata-6", "sas-3", "sas-6", "sas-12", "sas-24", "pcie"] | None = Field(
        default=None,
        description="interface; the number is the line rate in Gb/s. A drive with a link counts as solid-state unless "
        "it has a seek or a revolution",
    )
    gen: Generation | None = None
    lanes: Lanes | None = None
    capacity: Bytes | None = Field(default=None, description="capacity")
    form: str = Field(default="", description="3.5 inch, U.2, E1.S, M.2, …")
    read_latency: Time = Field(
        default=0,
        validate_default=True,
        description="time from request to answer on an idle disk, less the transfer time",
    )
    write_latency: Time = Field(default=0, validate_default=True, description="read_latency, for writes")
    read_iops: Factor = Field(default={"value": "inf"}, validate_default=True, description="read requests per second")
    write_iops: Factor = Field(default={"value": "inf"}, validate_default=True, description="write requests per second")
    seek: Time = Field(default=0, validate_default=True, description="seek to another file")
    revolution: Time = Field(
        default=0, validate_default=True, description="one revolution; a seek costs half of one more on average"
    )
    run_bytes: Bytes = Field(
        default={"value": "inf"},
        validate_default=True,
        description="bytes transferred for one file before the next file's turn",
    )

    @property
    def solid_state(self) -> bool:
        """Whether the drive has neither seek nor revolution, and a link or a rate above that of any rotating disk."""
        still = self.seek.value + self.revolution.value <= 0  # arrays where scenarios are predicted together
        return still & ((self.link is not None) | (self.read_rate.value > _FASTEST_ROTATING))

    @property
    def lasting_write_rate(self) -> Parameter:
        """Write rate that lasts for any length of transfer [bit/s]."""
        return self.write_rate if self.sustained_write_rate is None else self.sustained_write_rate

    @model_validator(mode="after")
    def _fits_its_link(self) -> Self:
        lasting = self.lasting_write_rate.value
        if lasting > self.write_rate.value:
            raise ValueError(
                f"found a sustained_write_rate of {units.format_rate(lasting)}, "
                f"expected at most the write_rate of {units.format_rate(self.write_rate.value)}"
            )
        if self.link == "pcie":
            if self.gen is None or self.lanes is None:
                raise ValueError("found an NVMe drive without gen or lanes, expected both")
            carried = float(raw_bps(self.gen, self.lanes))
        elif self.link is None:
            return self
        else:
            carried = storage.coded_bps(self.link)
        for field in ("read_rate", "write_rate"):
            rate: Parameter = getattr(self, field)
            if rate.value > carried:
                raise ValueError(
                    f"found a {field} of {units.format_rate(rate.value)}, "
                    f"expected at most the {units.format_rate(carried)} that its {self.link} link carries"
                )
        return self


class Bridge(BaseModel):
    """An I/O hub, PCI Express switch or PCI bridge between slots and a processor; its slots share its uplink."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Title = Field(default="", description="maker and model")
    kind: Literal["hub", "switch", "bridge"] = "switch"
    gen: Generation | None = None
    lanes: Lanes | None = Field(default=None, description="lanes of the uplink")
    rate: Rate | None = Field(
        default=None, description="rate of an uplink that is not PCI Express (QPI, HyperTransport), one way"
    )
    node: Node = 0
    behind: str | None = Field(default=None, description="bridge above it; default: the processor")
    max_payload: Bytes | None = Field(default=None, description="largest MaxPayload that it supports")


class BoardSlot(BaseModel):
    """A slot of a board and its wiring."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bus: Bus = "pcie"
    gen: Generation | None = None
    lanes: Lanes | None = Field(default=None, description="electrical lanes")
    mechanical: Lanes | None = Field(default=None, description="lanes of the connector")
    clock: Frequency | None = Field(default=None, description="PCI-X clock")
    width: Literal[32, 64] = Field(default=64, description="PCI-X width [bit]")
    node: Node = 0
    behind: str | None = Field(default=None, description="bridge above it; default: the processor")


class Board(Part):
    """A mainboard or server: sockets, memory channels, slots and bridges."""

    sockets: Annotated[int, Field(ge=1)] = 1
    socket: str = Field(default="", description="type of its sockets: LGA4189, SP5, …")
    memory_channels: Annotated[int, Field(ge=1, description="memory channels of a socket")] | None = None
    memory_slots: Annotated[int, Field(ge=1, description="slots for memory modules, all sockets together")] | None = (
        None
    )
    memory_transfers: Transfers | None = Field(default=None, description="fastest memory, transfers per second")
    socket_links: Annotated[int, Field(ge=0, description="links between two sockets")] = 0
    socket_link_rate: Rate | None = Field(default=None, description="rate of one such link, one way")
    write_rate: Rate | None = Field(
        default=None,
        description="rate at which all its hubs together pass what devices write to memory (receive), if that is less",
    )
    slots: dict[str, BoardSlot] = {}
    bridges: dict[str, Bridge] = {}
    bays: Annotated[int, Field(ge=0, description="bays for drives")] | None = None
    form: str = Field(default="", description="ATX, 1U, 2U, …")

    @model_validator(mode="after")
    def _bridges_exist(self) -> Self:
        attached: dict[str, BoardSlot | Bridge] = {**self.slots, **self.bridges}
        for name, item in attached.items():
            known = [bridge for bridge in self.bridges if bridge != name]
            if item.behind is not None and item.behind not in known:
                raise ValueError(
                    f"found {name!r} behind {item.behind!r}, expected one of {', '.join(known) or 'no bridges'}"
                )
            if item.node >= self.sockets:
                raise ValueError(f"found {name!r} on node {item.node}, expected 0 to {self.sockets - 1}")
        return self


class Enclosure(Part):
    """A chassis with its power supplies, for a host or for external drives."""

    bays: Annotated[int, Field(ge=0, description="bays for drives")]
    bay_form: Literal["2.5 inch", "3.5 inch"] = Field(
        default="2.5 inch", description="largest drives that the bays take"
    )
    supply: Power = Field(description="power of its supplies together, without the redundant one")


class Module(Part):
    """A memory module."""

    ddr: Annotated[int, Field(ge=1, le=6, description="generation of DDR memory")]
    transfers: Transfers = Field(description="transfers per second, 8 bytes each")
    size: Bytes = Field(description="capacity")


class Optic(Part):
    """A transceiver or cable."""

    rate: Rate
    cage: str = Field(description="SFP+, QSFP28, OSFP, …")
    medium: Literal["multi-mode", "single-mode", "copper", "active optical"]
    reach_m: Annotated[float, Field(gt=0, description="longest link [m]")]


class Switch(Part):
    """An Ethernet switch."""

    ports: dict[str, Annotated[int, Field(ge=1)]] = Field(description="number of ports by rate, such as '100 Gb/s': 32")
    capacity: Rate | None = Field(default=None, description="forwarding rate, one way")
    buffer: Bytes | None = Field(default=None, description="packet memory, all ports together")


#: Files of ``models/parts``, each with the model of its entries.
KINDS: dict[str, type[Part]] = {
    "boards": Board,
    "controllers": Controller,
    "cpus": Cpu,
    "disks": Disk,
    "enclosures": Enclosure,
    "modules": Module,
    "nics": Nic,
    "optics": Optic,
    "switches": Switch,
}
