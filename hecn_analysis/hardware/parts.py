"""What hosts are made of: processors, network cards, storage controllers, disks. Data in ``models/parts/*.yaml``."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.hardware.quantity import Bytes, CyclesPerByte, Factor, Frequency, Rate, Time

Generation = Annotated[int, Field(ge=1, le=6, description="PCI Express generation")]


class Part(BaseModel):
    """What all parts have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: str = Field(default="", description="name in models/parts")
    title: str = Field(default="", description="maker and model")
    source: str = Field(
        default="", description="data sheet, standard or document of the numbers without a source of their own"
    )


class Cpu(Part):
    """A processor and what moving a byte costs on one of its cores.

    Costs are cycles per payload byte. They are measured as utilisation over throughput (utilisation law) and grow
    or shrink with the micro-architecture, not with the clock.
    """

    clock: Frequency = Field(description="core clock under load")
    cores: Annotated[int, Field(ge=1, description="cores of all sockets together")]
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
    contention: Factor = Field(
        default=0,
        validate_default=True,
        description="relative growth of all costs with each further busy application core",
    )


class Nic(Part):
    """A network card: its ports and the bus it is made for."""

    ports: Annotated[int, Field(ge=1)]
    port_rate: Rate = Field(description="line rate of a port")
    bus: Annotated[str, Field(pattern="^(pcie|pcix)$")] = "pcie"
    gen: Generation | None = None
    lanes: Annotated[int, Field(ge=1)] | None = None


class Controller(Part):
    """A RAID controller or host bus adapter."""

    gen: Generation
    lanes: Annotated[int, Field(ge=1)]
    rate: Rate = Field(
        default={"value": "inf"}, validate_default=True, description="what its processor moves, all disks together"
    )


class Disk(Part):
    """A disk or solid-state drive as part of an array."""

    read_rate: Rate = Field(description="sequential read, at the place of the disk that is used")
    write_rate: Rate = Field(description="sequential write, at the place of the disk that is used")
    seek: Time = Field(default=0, validate_default=True, description="seek to the place of another file")
    revolution: Time = Field(
        default=0, validate_default=True, description="one revolution; half of it is waited after a seek"
    )
    run_bytes: Bytes = Field(
        default={"value": "inf"},
        validate_default=True,
        description="bytes a disk moves for one file before another's turn",
    )
