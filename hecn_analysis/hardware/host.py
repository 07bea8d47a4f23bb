"""A host: processor, memory, slots and their cards, arrays, and how its TCP is set. Data in ``models/hosts/*.yaml``."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hecn_analysis.hardware.parts import Controller, Cpu, Disk, Generation, Nic
from hecn_analysis.hardware.quantity import Bytes, Factor, Frequency, Probability, Rate, Transfers
from hecn_analysis.limits import tcp_window

CongestionControl = Literal["reno", "cubic", "bbr", "htcp", "bic"]
Lanes = Literal[1, 2, 4, 8, 12, 16, 32]


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Memory(_Described):
    """Main memory of a host: what all passes of the data over it may sum up to."""

    channels: Annotated[int, Field(ge=1)]
    transfers: Transfers = Field(description="transfers per second of a channel, 8 bytes each")
    usable: Probability = Field(description="share of the nominal bandwidth that a copy can use")


class Slot(_Described):
    """A slot and the card in it; the link trains to what both can do."""

    bus: Literal["pcie", "pcix"] = "pcie"
    gen: Generation | None = None
    lanes: Lanes | None = None
    max_payload: Bytes | None = Field(default=None, description="MaxPayload as set; default: the host's")
    max_read_request: Bytes = Field(default=512, validate_default=True, description="MaxReadRequest as set")
    clock: Frequency | None = Field(default=None, description="PCI-X clock")
    width: Literal[32, 64] = Field(default=64, description="PCI-X width [bit]")
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
        return self


class Array(_Described):
    """Disks that work as one device."""

    level: Literal[0, 1, 5, 6, 10, 50, 60]
    disks: Annotated[int, Field(ge=1)]
    groups: Annotated[int, Field(ge=1, description="RAID sets that are striped over (levels 50 and 60)")] = 1
    disk: Disk
    slots: list[str] = Field(default=[], description="slots of the controllers that the disks hang on, used evenly")


class Host(_Described):
    """A computer at one end of a transfer. What is left out sets no limit.

    `tcp_rmem_max` and `tcp_wmem_max` are the largest sizes that the kernel tunes socket buffers to.
    """

    name: str
    title: str = ""
    source: str = ""
    year: int | None = None
    cpu: Cpu | None = None
    memory: Memory | None = None
    slots: dict[str, Slot] = {}
    arrays: dict[str, Array] = {}
    max_payload: Bytes = Field(default=256, validate_default=True, description="MaxPayload of slots that name none")
    read_rate: Rate | None = Field(default=None, description="storage known only by the rate it reads with")
    write_rate: Rate | None = Field(default=None, description="storage known only by the rate it writes with")
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
        for name in self.files_on:
            if name not in self.arrays:
                raise ValueError(
                    f"found files on array {name!r}, expected one of {', '.join(self.arrays) or 'no arrays'}"
                )
        for core in (*self.app_cores, *self.nic_cores, *self.storage_cores):
            if self.cpu is not None and not 0 <= core < self.cpu.cores:
                raise ValueError(f"found core {core}, expected 0 to {self.cpu.cores - 1}")
        return self
