"""A host: processor, memory, slots and their cards, arrays, how its TCP is set, and what it cost.

Data in ``models/hosts/*.yaml``.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hecn_analysis.base.errors import RangeError
from hecn_analysis.hardware.parts import Board, BoardSlot, Bridge, Controller, Cpu, Disk, Nic
from hecn_analysis.hardware.quantity import Bytes, Count, Dollars, Factor, Probability, Rate, Title, Transfers
from hecn_analysis.limits import raid, tcp_window

_BUS = {"pcie": "PCI Express", "pcix": "PCI-X"}

#: How the source of a captured host begins, and what stands behind its name.
CAPTURED: Final = "captured"

CongestionControl = Literal["reno", "cubic", "bbr", "htcp", "bic"]


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Memory(_Described):
    """Main memory of a host: what all passes of the data over it may sum up to."""

    channels: Count = Field(description="channels that hold modules, all sockets together")
    transfers: Transfers = Field(description="transfers per second of a channel, 8 bytes each")
    usable: Probability = Field(
        default={
            "value": 0.75,
            "spread": 0.1,
            "basis": "assumed",
            "source": "70 to 85 % of nominal is what copies reach",
        },
        validate_default=True,
        description="share of the nominal bandwidth that a copy can use",
    )
    size: Bytes | None = Field(default=None, description="bytes that it holds")


class Slot(BoardSlot):
    """A slot and the card in it; the link trains to what both can do.

    `at` names a slot of the board: `gen`, `lanes` and where it hangs are then that one's.
    """

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
                f"found {self.lanes} lanes in an x{self.mechanical} connector, expected no more than it has"
            )
        if self.nic is not None and self.controller is not None:
            raise ValueError("found a network card and a controller in one slot, expected one card")
        card_bus = self.nic.bus if self.nic is not None else "pcie" if self.controller is not None else self.bus
        if card_bus != self.bus:
            raise ValueError(f"found a {_BUS[card_bus]} card in a {_BUS[self.bus]} slot, expected a card of its bus")
        return self


class Array(_Described):
    """Disks that work as one device, or a disk alone."""

    level: Literal[0, 1, 5, 6, 10, 50, 60] | None = Field(default=None, description="left out: one disk alone")
    disks: Annotated[int, Field(ge=1)] = 1
    groups: Annotated[int, Field(ge=1, description="RAID sets that are striped over (levels 50 and 60)")] = 1
    disk: Disk
    slots: list[str] = Field(default=[], description="slots of the controllers that the disks hang on, used evenly")

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
        return self


class Item(_Described):
    """A line of a bill of materials."""

    item: str = Field(description="what was bought, in the words of the list")
    quantity: Annotated[int, Field(ge=1)] = 1
    price: Dollars | None = Field(default=None, description="of one piece; left out: not known")
    part: str = Field(default="", description="name in models/parts, where it has one")
    note: str = ""


class Bill(_Described):
    """A bill of materials, and how its sum compares with the total that the document states."""

    year: int = Field(ge=1970, le=2100, description="year of the prices")
    items: list[Item]
    total: Dollars | None = Field(default=None, description="total that the document states")
    rounded_to: Dollars = Field(default=1, validate_default=True, description="to what that total is rounded")
    at_most: bool = Field(default=False, description="the document says that the host costs less than that total")
    off_usd: float = Field(default=0, description="total less sum, as far as `difference` explains it [USD]")
    difference: str = Field(default="", description="why sum and total differ")

    @property
    def sum_usd(self) -> float:
        """Sum of all prices that are known [USD]."""
        return sum(item.quantity * item.price.value for item in self.items if item.price is not None)


class Host(_Described):
    """A computer at one end of a transfer. What is left out sets no limit.

    `tcp_rmem_max` and `tcp_wmem_max` are the largest sizes that the kernel tunes socket buffers to.
    """

    name: str
    title: Title = ""
    source: str = ""
    year: int | None = Field(default=None, ge=1970, le=2100, description="year in which it was put together")
    board: Board | None = None
    cpu: Cpu | None = None
    memory: Memory | None = None
    bridges: dict[str, Bridge] = Field(
        default={}, description="what slots hang on, where no board or a changed one describes it"
    )
    slots: dict[str, Slot] = {}
    arrays: dict[str, Array] = {}
    bill: Bill | None = None
    max_payload: Bytes = Field(default=256, validate_default=True, description="MaxPayload of slots that name none")
    read_rate: Rate | None = Field(default=None, description="storage known only by the rate it reads with")
    write_rate: Rate | None = Field(default=None, description="storage known only by the rate it writes with")
    filter_rate: Rate | None = Field(
        default=None,
        description="a program that all data pass through here (cipher, compression), by what it does on one core",
    )
    filter_quota: Factor = Field(
        default=1, validate_default=True, description="share of a core that this program may use (cgroup cpu.max)"
    )
    files_on: list[str] = Field(
        default=[], description="arrays that the processes' files lie on, in turn; default: the first array"
    )
    app_cores: list[int] = Field(
        default=[], description="cores of the transfer processes, in turn; default: 1, 3, 2, 0"
    )
    nic_cores: list[int] = Field(
        default=[], description="cores that serve network interrupts, evenly; default: all that run no process"
    )
    storage_cores: list[int] = Field(
        default=[],
        description="cores of storage interrupts and software RAID, an array each in turn; default: nic_cores",
    )
    busy_cores: list[int] = Field(
        default=[], description="cores that other programs of equal weight compute on, each named once for every one"
    )
    cpu_quota: Factor | None = Field(
        default=None, description="share of a core that each transfer process may use (cgroup cpu.max)"
    )
    offload: bool = Field(
        default=True, description="segmentation offload (TSO, GSO): 64 KiB cross the stack as one packet when sent"
    )
    congestion_control: CongestionControl = "cubic"
    tcp_rmem_max: Bytes = Field(default={"value": "inf"}, validate_default=True)
    tcp_wmem_max: Bytes = Field(default={"value": "inf"}, validate_default=True)
    rmem_max: Bytes = Field(
        default={"value": "inf"},
        validate_default=True,
        description="net.core.rmem_max: cuts the receive buffer a tool asks for",
    )
    wmem_max: Bytes = Field(
        default={"value": "inf"},
        validate_default=True,
        description="net.core.wmem_max: cuts the send buffer a tool asks for",
    )
    kernel: str = Field(default="6.18", description="Linux version: decides what is not set below")
    adv_win_scale: Annotated[int, Field(ge=-31, le=31)] | None = Field(
        default=None, description="net.ipv4.tcp_adv_win_scale, where it was changed"
    )
    initial_window: int = Field(
        default_factory=lambda data: 10 if tcp_window.kernel_version(data["kernel"]) >= (3, 0) else 3,
        ge=1,
        description="segments of the first round; by kernel: 10 since 2.6.39 (RFC 6928), 3 before",
    )
    byte_counting: bool = Field(
        default_factory=lambda data: tcp_window.kernel_version(data["kernel"]) >= (3, 13),
        description="slow start counts acknowledged segments, not ACKs; by kernel: since 3.13",
    )
    hystart: bool = Field(default=True, description="CUBIC leaves slow start when the round-trip time rises")
    lro: bool = Field(
        default=False,
        description="large receive offload as the documents' cards do it: one ACK for lro_frames segments",
    )
    lro_frames: Factor = Field(
        default={"value": 7, "spread": 0.15, "basis": "assumed", "source": "64 KiB over the MSS of 9000-byte frames"},
        validate_default=True,
        description="segments that LRO merges",
    )

    @property
    def origin(self) -> Literal["captured", "bill of materials", "description"]:
        """Whether it was captured, written from what was bought, or described otherwise."""
        if self.source.startswith(CAPTURED):
            return "captured"
        return "description" if self.bill is None else "bill of materials"

    @property
    def label(self) -> str:
        """Its name, with a mark where it was captured."""
        return f"{self.name} ({CAPTURED})" if self.origin == CAPTURED and CAPTURED not in self.name else self.name

    @property
    def all_bridges(self) -> dict[str, Bridge]:
        """Bridges of the board and of the host itself, which win."""
        return {**(self.board.bridges if self.board is not None else {}), **self.bridges}

    @property
    def file_arrays(self) -> list[str]:
        """Arrays that the processes' files lie on, in turn."""
        return self.files_on or list(self.arrays)[:1]

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
        """Cards that are in one slot of the board, bridges that are not there, more processors than sockets."""
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
                f"found {self.cpu.sockets} processors, expected at most {self.board.sockets}, a socket each"
            )
        channels = self.board.memory_channels
        if (
            self.memory is not None
            and channels is not None
            and self.memory.channels.value > channels * self.board.sockets
        ):
            raise ValueError(
                f"found {self.memory.channels.value:g} memory channels, "
                f"expected at most {channels * self.board.sockets}, those of the board"
            )
