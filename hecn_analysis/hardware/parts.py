"""What hosts are made of: processors, boards, memory, cards, disks, enclosures, optics, switches.

Data in ``models/parts/*.yaml``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

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
from hecn_analysis.limits.pci_express_link import raw_bps

Generation = Annotated[int, Field(ge=1, le=6, description="PCI Express generation")]
Lanes = Literal[1, 2, 4, 8, 12, 16, 32]
Bus = Literal["pcie", "pcix"]
Node = Annotated[int, Field(ge=0, description="NUMA node (socket) that it hangs on")]


class Part(BaseModel):
    """What all parts have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: str = Field(default="", description="name in models/parts")
    title: Title = Field(default="", description="maker and model")
    source: str = Field(
        default="", description="data sheet, standard or document of the numbers without a source of their own"
    )
    date: str = Field(
        default="",
        pattern=r"^(\d{4}(-\d{2}){0,2})?$",
        description="date of that source, or the day on which it was read: 2024, 2024-06 or 2024-06-30",
    )
    year: int | None = Field(default=None, ge=1970, le=2100, description="year in which the part came out")
    price: Dollars | None = Field(
        default=None, description="published price of one piece; its source says when and where"
    )
    power: Power | None = Field(default=None, description="typical or, where only that is given, largest power")

    @field_validator("date", mode="before")
    @classmethod
    def _as_text(cls, date: object) -> str:
        return str(date)  # YAML makes a number of 2024 and a date of 2024-06-30


class ToolCosts(BaseModel):
    """What two processes of one tool on one machine, and the data between them, took of its cores.

    Tools differ by messages, system calls and copies. Which of the two processes does the kernel's work of a packet
    depends on who holds the socket just then: a byte's costs of both together repeat from run to run, those of one
    alone do not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    send_cost: CyclesPerByte = Field(description="the sending process")
    receive_cost: CyclesPerByte = Field(description="the receiving process")
    message: Bytes = Field(description="size of the messages in those runs")
    cores: Factor = Field(
        description="cores that both processes got together; its spread is what the throughput of runs differed by"
    )


class Cpu(Part):
    """A processor and what moving a byte costs on one of its cores.

    Costs are cycles per payload byte. They are measured as utilisation over throughput (utilisation law) and grow
    or shrink with the micro-architecture, not with the clock. `cores` counts those of all sockets together; left out,
    it is `sockets` times `cores_per_socket`.
    """

    clock: Frequency = Field(description="core clock under load")
    cores: Annotated[int, Field(ge=1, description="cores of all sockets together")]
    sockets: Annotated[int, Field(ge=1, description="processors of this kind in the host")] = 1
    socket: str = Field(default="", description="socket that it fits: LGA4189, SP5, …")
    scales_to: Annotated[int, Field(ge=1, description="processors of this kind that can work together")] = 1
    cores_per_socket: Annotated[int, Field(ge=1)] | None = None
    memory_channels: Annotated[int, Field(ge=1, description="memory channels of a socket")] | None = None
    memory_transfers: Transfers | None = Field(default=None, description="fastest memory, transfers per second")
    gen: Generation | None = None
    lanes: Annotated[int, Field(ge=0, description="PCI Express lanes of a socket")] | None = None
    cache: Bytes = Field(default={"value": "inf"}, validate_default=True, description="last-level cache of a socket")
    send_cost: CyclesPerByte = Field(description="application core: copy from user memory and TCP transmit")
    receive_cost: CyclesPerByte = Field(
        description="application core: copy to user memory while data are still in cache"
    )
    far_cost: CyclesPerByte = Field(
        default=0, validate_default=True, description="added to receive_cost when a window of data has left the cache"
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
        description="application core: each block read from a file or written to one, `request` of the tool",
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
        default=0, validate_default=True, description="added at both ends when a link bundle deals packets round-robin"
    )
    linear_cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="application core: copy into one piece for each packet, where segmentation offload is off",
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
    measured_payload: Bytes = Field(
        default={"value": 8948, "source": "frames of 9000 bytes, as in the documents"},
        validate_default=True,
        description="payload of the packets with which the costs a byte were measured: what those cost is in them",
    )
    send_call_cost: Cycles = Field(
        default=0, validate_default=True, description="application core: each message written to a socket"
    )
    receive_call_cost: Cycles = Field(
        default=0, validate_default=True, description="application core: each message read from one"
    )
    measured_message: Bytes = Field(
        default={"value": 65536, "source": "nuttcp's default"},
        validate_default=True,
        description="size of the messages with which the costs a byte were measured",
    )
    handover_cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="within one machine, both ends: what the other core's cache holds",
    )
    handover_packet_cost: Cycles = Field(
        default=0,
        validate_default=True,
        description="within one machine, both ends: each packet that one core made and another one takes",
    )
    tools: dict[str, ToolCosts] = Field(
        default={},
        description="what runs of a tool within one machine took, by its name; in place of the costs of any tool",
    )
    scatter: Factor = Field(
        default={
            "value": 1,
            "spread": 0.03,
            "basis": "assumed",
            "source": "repeats in the documents differ by 1 to 3 %, on a shared machine by 4 to 6 %",
        },
        validate_default=True,
        description="what the same work takes a core in one run, over what it takes in the mean",
    )
    contention: Factor = Field(
        default=0,
        validate_default=True,
        description="relative growth of all costs with each further busy application core",
    )

    def socket_of(self, core: int) -> int:
        """Socket that a core belongs to: the first ones are the first socket's."""
        return core * self.sockets // self.cores

    @model_validator(mode="before")
    @classmethod
    def _count_cores(cls, values: Any) -> Any:  # noqa: ANN401 - what a YAML file holds
        if not isinstance(values, dict):
            return values
        sockets, each = values.get("sockets", 1), values.get("cores_per_socket")
        if type(sockets) is int and type(each) is int and values.get("cores") is None:
            return {**values, "cores": sockets * each}
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
    """A network card: its ports and the bus it is made for."""

    ports: Annotated[int, Field(ge=1)]
    port_rate: Rate = Field(description="line rate of a port")
    bus: Bus = "pcie"
    gen: Generation | None = None
    lanes: Lanes | None = None
    cage: str = Field(default="", description="what the ports take: SFP28, QSFP56, RJ45, …")
    rdma: bool = Field(default=False, description="RoCE, iWARP or InfiniBand in hardware")


class Controller(Part):
    """A RAID controller or host bus adapter."""

    gen: Generation
    lanes: Lanes
    rate: Rate = Field(
        default={"value": "inf"}, validate_default=True, description="what its processor moves, all disks together"
    )
    disk_ports: Annotated[int, Field(ge=1, description="SAS, SATA or NVMe links for disks")] | None = None
    disk_port_rate: Rate | None = Field(default=None, description="line rate of each of them")
    raid: bool = Field(default=True, description="computes parity itself; false: a host bus adapter")
    drives: Literal["sas", "pcie"] = Field(
        default="sas", description="what its ports take: SAS and SATA drives, or NVMe drives on PCI Express"
    )
    drive_form: str = Field(default="", description="form of drives that sit on the card itself and take no bay: M.2")


class Disk(Part):
    """A disk or solid-state drive as part of an array."""

    read_rate: Rate = Field(description="sequential read, at the place of the disk that is used")
    write_rate: Rate = Field(description="sequential write, at the place of the disk that is used")
    sustained_write_rate: Rate | None = Field(
        default=None,
        description="sequential write once the drive's fast cache (pseudo-SLC) is full; left out: write_rate lasts",
    )
    buffered_read_rate: Rate | None = Field(
        default=None,
        description="the same through the page cache, of a file that is not in it, where it is known apart",
    )
    buffered_write_rate: Rate | None = Field(
        default=None, description="the same through the page cache, until all is on the disk, where it is known apart"
    )
    link: Literal["sata-1.5", "sata-3", "sata-6", "sas-3", "sas-6", "sas-12", "sas-24", "pcie"] | None = Field(
        default=None,
        description="interface; the number is the line rate in Gb/s. A drive with a link counts as solid-state unless "
        "it has a seek or a revolution",
    )
    gen: Generation | None = None
    lanes: Lanes | None = None
    capacity: Bytes | None = Field(default=None, description="bytes it holds")
    form: str = Field(default="", description="3.5 inch, U.2, E1.S, M.2, …")
    read_latency: Time = Field(
        default=0, validate_default=True, description="from a request to its answer on an idle disk, less its transfer"
    )
    write_latency: Time = Field(default=0, validate_default=True, description="the same of a write")
    read_iops: Factor = Field(
        default={"value": "inf"}, validate_default=True, description="requests that it answers in a second"
    )
    write_iops: Factor = Field(default={"value": "inf"}, validate_default=True, description="the same of writes")
    seek: Time = Field(default=0, validate_default=True, description="seek to the place of another file")
    revolution: Time = Field(
        default=0, validate_default=True, description="one revolution; half of it is waited after a seek"
    )
    run_bytes: Bytes = Field(
        default={"value": "inf"},
        validate_default=True,
        description="bytes a disk moves for one file before another's turn",
    )

    @property
    def solid_state(self) -> bool:
        """True for a drive that states its link and neither a seek nor a revolution: parity costs its reads no time."""
        return self.link is not None and self.seek.value + self.revolution.value == 0

    @property
    def lasting_write_rate(self) -> Parameter:
        """What the drive goes on writing, however long a transfer is [bit/s]."""
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
            # SATA and SAS to 12 Gb/s code 8 bits in 10; SAS of 22.5 Gb/s codes 128 in 150
            carried = 19.2e9 if self.link == "sas-24" else float(self.link.partition("-")[2]) * 0.8e9
        for field in ("read_rate", "write_rate"):
            rate: Parameter = getattr(self, field)
            if rate.value > carried:
                raise ValueError(
                    f"found a {field} of {units.format_rate(rate.value)}, "
                    f"expected at most the {units.format_rate(carried)} that its {self.link} link carries"
                )
        return self


class Bridge(BaseModel):
    """What joins slots to a processor: an I/O hub, a PCI Express switch, a PCI bridge. Its slots share its uplink."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Title = Field(default="", description="maker and model")
    kind: Literal["hub", "switch", "bridge"] = "switch"
    gen: Generation | None = None
    lanes: Lanes | None = Field(default=None, description="lanes of the uplink")
    rate: Rate | None = Field(default=None, description="uplink that is not PCI Express: QPI, HyperTransport; one way")
    node: Node = 0
    behind: str | None = Field(default=None, description="bridge that it hangs on; left out: the processor")
    max_payload: Bytes | None = Field(default=None, description="largest MaxPayload that it can be set to")


class BoardSlot(BaseModel):
    """A slot of a board: what it is wired for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bus: Bus = "pcie"
    gen: Generation | None = None
    lanes: Lanes | None = Field(default=None, description="electrical lanes")
    mechanical: Lanes | None = Field(default=None, description="lanes that the connector has room for")
    clock: Frequency | None = Field(default=None, description="PCI-X clock")
    width: Literal[32, 64] = Field(default=64, description="PCI-X width [bit]")
    node: Node = 0
    behind: str | None = Field(default=None, description="bridge that it hangs on; left out: the processor")


class Board(Part):
    """A mainboard or server: sockets, memory channels, slots and what joins them."""

    sockets: Annotated[int, Field(ge=1)] = 1
    socket: str = Field(default="", description="what its sockets are: LGA4189, SP5, …")
    memory_channels: Annotated[int, Field(ge=1, description="of a socket")] | None = None
    memory_slots: Annotated[int, Field(ge=1, description="modules that fit, all sockets together")] | None = None
    memory_transfers: Transfers | None = Field(default=None, description="fastest memory, transfers per second")
    socket_links: Annotated[int, Field(ge=0, description="links between two sockets")] = 0
    socket_link_rate: Rate | None = Field(default=None, description="one such link, one way")
    slots: dict[str, BoardSlot] = {}
    bridges: dict[str, Bridge] = {}
    bays: Annotated[int, Field(ge=0, description="bays for drives")] | None = None
    form: str = Field(default="", description="ATX, 1U, 2U, …")

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        hanging: dict[str, BoardSlot | Bridge] = {**self.slots, **self.bridges}
        for name, below in hanging.items():
            known = [bridge for bridge in self.bridges if bridge != name]
            if below.behind is not None and below.behind not in known:
                raise ValueError(
                    f"found {name!r} behind {below.behind!r}, expected one of {', '.join(known) or 'no bridges'}"
                )
            if below.node >= self.sockets:
                raise ValueError(f"found {name!r} on node {below.node}, expected 0 to {self.sockets - 1}")
        return self


class Enclosure(Part):
    """A chassis with its power supplies, for a host or for drives beside it."""

    bays: Annotated[int, Field(ge=0, description="bays for drives")]
    supply: Power = Field(description="power that its supplies deliver together, without the spare one")


class Module(Part):
    """A memory module."""

    ddr: Annotated[int, Field(ge=1, le=6, description="generation of DDR memory")]
    transfers: Transfers = Field(description="transfers per second, 8 bytes each")
    size: Bytes = Field(description="bytes that it holds")


class Optic(Part):
    """A transceiver or cable."""

    rate: Rate
    cage: str = Field(description="SFP+, QSFP28, OSFP, …")
    medium: Literal["multi-mode", "single-mode", "copper", "active optical"]
    reach_m: Annotated[float, Field(gt=0, description="longest link [m]")]


class Switch(Part):
    """An Ethernet switch."""

    ports: dict[str, Annotated[int, Field(ge=1)]] = Field(description="number of ports by rate, such as '100 Gb/s': 32")
    capacity: Rate | None = Field(default=None, description="what it forwards, one way")
    buffer: Bytes | None = Field(default=None, description="packet memory, all ports together")


#: Files of ``models/parts`` and what they hold.
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
