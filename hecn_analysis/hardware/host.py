"""A host: processor, memory, slots and their cards, arrays, TCP settings, and cost.

Data in ``models/hosts/*.yaml``.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from hecn_analysis.base.errors import RangeError
from hecn_analysis.hardware.parts import Board, BoardSlot, Bridge, Controller, Cpu, Disk, Nic
from hecn_analysis.hardware.quantity import (
    Bytes,
    Count,
    Dollars,
    Factor,
    Parameter,
    Probability,
    Rate,
    Time,
    Title,
    Transfers,
)
from hecn_analysis.limits import raid, tcp_window

_BUS = {"pcie": "PCI Express", "pcix": "PCI-X"}

#: First word of the source of a captured host, and the mark after its name.
CAPTURED: Final = "captured"

#: Levels in the words of ZFS, and the levels of RAID with as much parity.
_RAIDZ: Final = {"raidz": 5, "raidz1": 5, "raidz2": 6}

#: Links of disks that an expander can share.
SAS_LINKS: Final = ("sata-3", "sata-6", "sas-3", "sas-6", "sas-12", "sas-24")

_NUMBERS: Final = re.compile(r"\d{1,6}")

CongestionControl = Literal["reno", "cubic", "bbr", "htcp", "bic"]


def _some(share: Parameter) -> Parameter:
    if share.value <= 0:
        raise ValueError(f"found {share.value:g}, expected more than 0")
    return share


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Memory(_Described):
    """Main memory of a host; all passes of the data share its bandwidth."""

    channels: Count = Field(description="channels that hold modules, all sockets together")
    transfers: Transfers = Field(description="transfers per second of a channel, 8 bytes each")
    usable: Probability = Field(
        default={
            "value": 0.75,
            "spread": 0.1,
            "basis": "assumed",
            "source": "copies reach 70 to 85 % of nominal",
        },
        validate_default=True,
        description="share of the nominal bandwidth that a copy can use",
    )
    size: Bytes | None = Field(default=None, description="capacity")


class Slot(BoardSlot):
    """A slot and its card; the link trains to the lower generation and width. `at` names a slot of the board."""

    at: str | None = Field(default=None, description="slot of the board")
    max_payload: Bytes | None = Field(default=None, description="MaxPayload as set; default: the host's")
    max_read_request: Bytes = Field(default=512, validate_default=True, description="MaxReadRequest as set")
    burst: Bytes = Field(default=512, validate_default=True, description="PCI-X: longest burst of a read (MMRBC)")
    write_burst: Bytes = Field(
        default=4096, validate_default=True, description="PCI-X: longest burst of a posted write"
    )
    overhead_clocks: Factor = Field(
        default=100, validate_default=True, description="PCI-X: clocks lost with each burst"
    )
    read_efficiency: Factor = Field(
        default=1, validate_default=True, description="measured over modelled device reads (transmit)"
    )
    write_efficiency: Factor = Field(
        default=1, validate_default=True, description="measured over modelled device writes (receive)"
    )
    nic: Nic | None = None
    controller: Controller | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.bus == "pcie" and (self.gen is None or self.lanes is None):
            raise ValueError("found a PCIe slot without gen or lanes, expected both")
        if self.bus == "pcix" and self.clock is None:
            raise ValueError("found a PCI-X slot without clock, expected one such as 133 MHz")
        if self.mechanical is not None and self.lanes is not None and self.lanes > self.mechanical:
            raise ValueError(
                f"found {self.lanes} lanes in an x{self.mechanical} connector, expected at most {self.mechanical}"
            )
        if self.nic is not None and self.controller is not None:
            raise ValueError("found a network card and a controller in one slot, expected one card")
        card_bus = self.nic.bus if self.nic is not None else "pcie" if self.controller is not None else self.bus
        if card_bus != self.bus:
            raise ValueError(f"found a {_BUS[card_bus]} card in a {_BUS[self.bus]} slot, expected a card of its bus")
        return self


class Array(_Described):
    """An array of disks, or a single disk."""

    level: Literal[0, 1, 5, 6, 10, 50, 60] | None = Field(
        default=None, description="RAID level; raidz and raidz2 are levels 5 and 6 of ZFS; default: a single disk"
    )
    software: Literal["controller", "md", "zfs", "btrfs", "cluster"] | None = Field(
        default=None,
        description="what makes the array of the disks (cluster: a parallel file system or object store over many "
        "servers, such as Ceph, Lustre or BeeGFS); default: unknown, a controller or Linux md",
    )
    layout: Literal["near", "far"] = Field(
        default="near", description="RAID 10 of Linux md: far stripes reads over all disks"
    )
    chunk: Bytes = Field(default="64 KiB", validate_default=True, description="part of a stripe on one disk")
    read_ahead: Bytes = Field(
        default="128 KiB",
        validate_default=True,
        description="what the kernel reads ahead of a process (read_ahead_kb); Linux md: two stripes at least",
    )
    stripe_cache: Annotated[int, Field(ge=17)] | None = Field(
        default=None, description="Linux md with parity: stripes of a page that collect writes (stripe_cache_size)"
    )
    doubling_loss: Probability | None = Field(
        default=None,
        description="share of the rate lost each time that the disks with data double in number; default: by software",
    )
    ceiling: Rate | None = Field(
        default=None,
        description="most that all disks together deliver (controller, expander, file system, parity); "
        "default: unknown where no slot is named, so drawn",
    )
    expander_lanes: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="SAS lanes from the controllers to an expander that all disks share; default: none"
    )
    disks: Annotated[int, Field(ge=1)] = 1
    groups: Annotated[int, Field(ge=1, description="RAID sets of the stripe (levels 50 and 60)")] = 1
    copies: Annotated[int, Field(ge=1, description="copies that a storage cluster keeps of what is written")] = 1
    disk: Disk
    slots: list[str] = Field(default=[], description="slots of the disks' controllers, used evenly")

    @model_validator(mode="before")
    @classmethod
    def _of_zfs(cls, values: Any) -> Any:  # noqa: ANN401 - what a YAML file holds
        """Levels in the words of ZFS as levels of RAID."""
        if not isinstance(values, dict) or values.get("level") not in _RAIDZ:
            return values
        level = _RAIDZ[values["level"]]
        nested = type(values.get("groups")) is int and values["groups"] > 1
        return {**values, "level": level * 10 if nested else level, "software": values.get("software") or "zfs"}

    @model_validator(mode="after")
    def _can_be_built(self) -> Self:
        if self.level is None:
            if self.disks > 1:
                raise ValueError(f"found {self.disks} disks without a level, expected one of 0, 1, 5, 6, 10, 50, 60")
            return self
        try:
            raid(level=self.level, disks=self.disks, groups=self.groups, disk_rate=1.0, op="read")
        except RangeError as impossible:
            _, _, expected = str(impossible).partition(", expected ")
            groups = f" in {self.groups} groups" if self.groups > 1 else ""
            raise ValueError(f"found RAID {self.level} of {self.disks} disks{groups}, expected {expected}") from None
        if self.layout == "far" and self.level != 10:
            raise ValueError(f"found layout 'far' with level {self.level}, expected level 10")
        if self.expander_lanes is not None and self.disk.link not in SAS_LINKS:
            raise ValueError(f"found an expander for disks with link {self.disk.link}, expected {', '.join(SAS_LINKS)}")
        return self


class Item(_Described):
    """An item of a bill of materials."""

    item: str = Field(description="the item, in the words of the list")
    quantity: Annotated[int, Field(ge=1)] = 1
    price: Dollars | None = Field(default=None, description="price of one piece; default: unknown")
    part: str = Field(default="", description="name in models/parts, if it has one")
    note: str = ""


class Bill(_Described):
    """A bill of materials, with the total that the document states."""

    year: int = Field(ge=1970, le=2100, description="year of the prices")
    items: list[Item]
    total: Dollars | None = Field(default=None, description="total that the document states")
    rounded_to: Dollars = Field(default=1, validate_default=True, description="rounding of that total")
    at_most: bool = Field(
        default=False, description="whether the document says that the host costs less than that total"
    )
    off_usd: float = Field(default=0, description="total less sum, as far as `difference` explains it [USD]")
    difference: str = Field(default="", description="why sum and total differ")

    @property
    def sum_usd(self) -> float:
        """Sum of all known prices [USD]."""
        return sum(item.quantity * item.price.value for item in self.items if item.price is not None)


class Host(_Described):
    """A computer at one end of a transfer. A part that is not described sets no limit.

    `tcp_rmem_max` and `tcp_wmem_max` are the largest sizes to which the kernel tunes socket buffers.
    """

    name: str
    title: Title = ""
    source: str = ""
    example: bool = Field(default=False, description="made up to start from: no document describes such a host")
    year: int | None = Field(default=None, ge=1970, le=2100, description="year of assembly")
    board: Board | None = None
    cpu: Cpu | None = None
    memory: Memory | None = None
    bridges: dict[str, Bridge] = Field(
        default={}, description="bridges above the slots that the board does not describe, or not correctly"
    )
    slots: dict[str, Slot] = {}
    arrays: dict[str, Array] = {}
    bill: Bill | None = None
    max_payload: Bytes = Field(
        default=256, validate_default=True, description="MaxPayload of slots that do not set their own"
    )
    storage: Literal["hdd", "ssd", "nvme", "cluster", "cluster-client"] | None = Field(
        default=None,
        description="kind of storage whose rate is unknown: one disk or drive, a file system of many servers, or what "
        "one client sees of it",
    )
    read_rate: Rate | None = Field(default=None, description="read rate of storage that is known only by its rate")
    write_rate: Rate | None = Field(default=None, description="write rate of storage that is known only by its rate")
    filter_rate: Rate | None = Field(
        default=None,
        description="rate on one core of a program that all data pass through (cipher, compression)",
    )
    filter_quota: Factor = Field(
        default=1, validate_default=True, description="share of a core that this program may use (cgroup cpu.max)"
    )
    files_on: list[str] = Field(
        default=[], description="arrays of the processes' files, in turn; default: the first array"
    )
    app_cores: list[int] = Field(
        default=[], description="cores of the transfer processes, in turn; default: 1, 3, 2, 0"
    )
    nic_cores: list[int] = Field(
        default=[],
        description="cores that serve network interrupts, evenly; default: all, those without a transfer process first",
    )
    receive_queues: int | None = Field(
        default=None,
        ge=1,
        description="receive queues of the cards, each served by a core of its own; RSS puts every connection on one "
        "of them by a hash; default: one for each of nic_cores, else one for each core",
    )
    arfs: bool = Field(
        default=False,
        description="accelerated receive flow steering: the core of the transfer process takes the interrupts",
    )
    storage_cores: list[int] = Field(
        default=[],
        description="cores of storage interrupts and software RAID, one per array in turn; default: nic_cores",
    )
    busy_cores: list[int] = Field(
        default=[], description="cores with a competing program of equal weight, one entry per program"
    )
    time_slice: Time = Field(
        default={
            "value": 0.003,
            "spread": 0.9,
            "basis": "assumed",
            "source": "Linux, kernel/sched/fair.c: base_slice of 0.7 to 2.8 ms by the number of cores, up to the next "
            "tick of 1 to 4 ms",
        },
        validate_default=True,
        description="time that a competing program keeps a core when the transfer process wakes up",
    )
    cpu_share: Annotated[Probability, AfterValidator(_some)] = Field(
        default=1,
        validate_default=True,
        description="part of a core that each thread of a transfer process gets beside other programs",
    )
    cpu_quota: Factor | None = Field(
        default=None, description="share of a core that each transfer process may use (cgroup cpu.max)"
    )
    governor: Literal["performance", "schedutil", "ondemand", "conservative", "powersave"] | None = Field(
        default=None, description="policy of the cores' clock (cpufreq); default: unknown, as the clock is stated"
    )
    iommu: Literal["off", "passthrough", "lazy", "strict"] | None = Field(
        default=None,
        description="translation of the addresses of cards and disks: off; passthrough (iommu=pt); lazy or strict "
        "flushes of translations; default: unknown, as in the costs",
    )
    qdisc: Literal["fq", "other"] | None = Field(
        default=None,
        description="queue of the network card: fq paces for TCP, otherwise TCP has a timer for each connection",
    )
    firewall: Literal["none", "stateful"] | None = Field(
        default=None,
        description="packet filter of the kernel (iptables, nftables): none, or one that tracks connections; default: "
        "unknown, as in the costs",
    )
    virtual_switch: Literal["none", "veth", "bridge", "ovs"] = Field(
        default="none",
        description="switch of the kernel between the process or machine and the card: a veth pair (containers), a "
        "bridge, Open vSwitch",
    )
    offload: bool = Field(
        default=True, description="segmentation offload (TSO, GSO): up to 64 KiB cross the sending stack as one packet"
    )
    card: Literal["physical", "sr-iov", "virtio", "virtio-user", "vmxnet3", "ena", "gvnic", "emulated"] = Field(
        default="physical",
        description="network card that the operating system sees; a virtual machine's virtio (vhost), virtio-user, "
        "vmxnet3 and emulated cards cost a core of the machine below",
    )
    card_queues: Annotated[int, Field(ge=1)] = Field(default=1, description="queues of a virtual card, a core each")
    port_rate: Rate | None = Field(
        default=None,
        description="line rate of the port, where no card is described; a path without a rate has one up to it",
    )
    instance_rate: Rate | None = Field(
        default=None, description="rate that a cloud or hypervisor allows the machine, each way"
    )
    flow_rate: Rate | None = Field(
        default=None, description="rate that a cloud allows one connection; default: known for ena, else no limit"
    )
    congestion_control: CongestionControl = "cubic"
    tcp_rmem_max: Bytes = Field(default={"value": "inf"}, validate_default=True)
    tcp_wmem_max: Bytes = Field(default={"value": "inf"}, validate_default=True)
    rmem_max: Bytes = Field(
        default={"value": "inf"},
        validate_default=True,
        description="net.core.rmem_max: caps the receive buffer that a tool requests",
    )
    wmem_max: Bytes = Field(
        default={"value": "inf"},
        validate_default=True,
        description="net.core.wmem_max: caps the send buffer that a tool requests",
    )
    system: Literal["linux", "windows", "macos", "freebsd", "solaris"] = Field(
        default="linux",
        description="operating system; others spend more cycles on sockets, by a wide margin, and have other windows",
    )
    kernel: str = Field(default="6.18", description="Linux version: sets the defaults below")
    adv_win_scale: Annotated[int, Field(ge=-31, le=31)] | None = Field(
        default=None, description="net.ipv4.tcp_adv_win_scale, if changed"
    )
    initcwnd: int = Field(
        default_factory=lambda data: 10 if tcp_window.kernel_version(data["kernel"]) >= (3, 0) else 3,
        ge=1,
        description="initial congestion window in segments; by kernel: 10 since 2.6.39 (RFC 6928), 3 before",
    )
    byte_counting: bool = Field(
        default_factory=lambda data: tcp_window.kernel_version(data["kernel"]) >= (3, 13),
        description="slow start counts acknowledged segments, not ACKs; by kernel: since 3.13",
    )
    hystart: bool = Field(default=True, description="CUBIC leaves slow start when the round-trip time rises")
    gro: bool = Field(
        default_factory=lambda data: [int(part) for part in _NUMBERS.findall(data["kernel"])[:3]] >= [2, 6, 29],
        description="generic receive offload: the kernel merges received segments to up to 64 KiB; by kernel: "
        "since 2.6.29",
    )
    lro: bool = Field(
        default=False,
        description="large receive offload: one ACK for lro_frames segments",
    )
    lro_frames: Factor = Field(
        default={"value": 7, "spread": 0.15, "basis": "assumed", "source": "64 KiB over the MSS of 9000-byte frames"},
        validate_default=True,
        description="segments that LRO merges",
    )

    @property
    def origin(self) -> Literal["captured", "bill of materials", "description"]:
        """Where the description comes from: a capture, a bill of materials, or other."""
        if self.source.startswith(CAPTURED):
            return "captured"
        return "description" if self.bill is None else "bill of materials"

    @property
    def label(self) -> str:
        """Its name, marked if captured."""
        return f"{self.name} ({CAPTURED})" if self.origin == CAPTURED and CAPTURED not in self.name else self.name

    @property
    def all_bridges(self) -> dict[str, Bridge]:
        """Bridges of the board, overridden by those of the host."""
        return {**(self.board.bridges if self.board is not None else {}), **self.bridges}

    @property
    def file_arrays(self) -> list[str]:
        """Arrays of the processes' files, in turn."""
        return self.files_on or list(self.arrays)[:1]

    @field_validator("iommu", mode="before")
    @classmethod
    def _iommu(cls, iommu: object) -> object:
        """YAML reads on and off as truth values; Linux flushes lazily unless told otherwise."""
        return {True: "lazy", False: "off"}[iommu] if isinstance(iommu, bool) else "lazy" if iommu == "on" else iommu

    @field_validator("kernel", mode="before")
    @classmethod
    def _kernel(cls, kernel: object) -> str:
        tcp_window.kernel_version(str(kernel))
        return str(kernel)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, array in self.arrays.items():
            for slot in array.slots:
                if slot not in self.slots:
                    raise ValueError(
                        f"found array {name!r} on slot {slot!r}, expected one of {', '.join(self.slots) or 'no slots'}"
                    )
        self._check_topology()
        for name in self.files_on:
            if name not in self.arrays:
                raise ValueError(
                    f"found files on array {name!r}, expected one of {', '.join(self.arrays) or 'no arrays'}"
                )
        for core in (*self.app_cores, *self.nic_cores, *self.storage_cores, *self.busy_cores):
            if self.cpu is not None and not 0 <= core < self.cpu.cores:
                raise ValueError(f"found core {core}, expected 0 to {self.cpu.cores - 1}")
        return self

    def _check_topology(self) -> None:
        """Refuse two cards in one slot, unknown bridges, and more processors or channels than the board has."""
        bridges = self.all_bridges
        taken: dict[str, str] = {}
        for name, slot in self.slots.items():
            if slot.behind is not None and slot.behind not in bridges:
                raise ValueError(
                    f"found slot {name!r} behind {slot.behind!r}, expected one of {', '.join(bridges) or 'no bridges'}"
                )
            if slot.at is not None and slot.at in taken:
                raise ValueError(
                    f"found slots {taken[slot.at]!r} and {name!r} both at {slot.at!r} of the board, expected one"
                )
            if slot.at is not None:
                taken[slot.at] = name
        if self.cpu is None or self.board is None:
            return
        if self.cpu.sockets > self.board.sockets:
            raise ValueError(
                f"found {self.cpu.sockets} processors, expected at most {self.board.sockets}, the sockets of the board"
            )
        channels = self.board.memory_channels
        if (
            self.memory is not None
            and channels is not None
            and self.memory.channels.value > channels * self.board.sockets
        ):
            raise ValueError(
                f"found {self.memory.channels.value:g} memory channels, "
                f"expected at most {channels * self.board.sockets}, the channels of the board"
            )
