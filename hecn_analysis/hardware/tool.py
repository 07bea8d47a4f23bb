"""A transfer tool: what it moves between which ends, in how many processes. Data in ``models/tools/*.yaml``."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hecn_analysis.hardware.quantity import Bytes, CyclesPerByte, Factor, Rate, Time, Title

End = Literal["memory", "disk", "none"]

#: Connections that two addresses can have with one port of a server.
_MOST_CONNECTIONS: Final = 65_535


class Tool(BaseModel):
    """A tool and the settings of one use of it.

    `window` is what one asks the tool for (0: the kernel tunes it); it goes through the kernel's rules before it
    limits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""
    title: Title = ""
    source: str = ""
    protocol: Literal["tcp", "udp", "rdma", "file"] = Field(
        default="tcp", description="file: nothing crosses a network"
    )
    source_end: End = Field(
        default="memory", description="where the sender takes the data from; none: there is no sender"
    )
    sink_end: End = Field(default="memory", description="where the receiver puts them; none: there is no receiver")
    io: Literal["buffered", "direct"] = Field(
        default="buffered", description="file I/O through the page cache or around it"
    )
    processes: Annotated[int, Field(ge=1, description="transfers at once, each a process of its own")] = 1
    streams: Annotated[int, Field(ge=1, description="TCP connections of each process")] = 1
    threads: Literal["one", "per-stream", "reader-writer"] = Field(
        default="one",
        description="who does the work of a process: one thread all of it; a thread each stream; one the disk, one the "
        "network",
    )
    overlap: bool = Field(
        default=True,
        description="the next block is read while one is on its way; false: request and response, whose times add",
    )
    request: Bytes | None = Field(default=None, description="block that is read, written or asked for at a time")
    outstanding: Annotated[int, Field(ge=1, description="requests under way at once, of each stream")] = 1
    cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="application core, both ends: what the tool does to the data beside copies (encryption, checksums)",
    )
    message: Bytes | None = Field(
        default=None, description="what is written to or read from a socket at a time; left out: as the costs suppose"
    )
    send_calls: Factor = Field(
        default=1, validate_default=True, description="system calls for each message sent, by what they cost"
    )
    receive_calls: Factor = Field(
        default=1, validate_default=True, description="system calls for each message received, by what they cost"
    )
    bonding: bool = Field(
        default=False,
        description="application bonding: each process opens `streams` connections on every link of the path",
    )
    lockstep: bool = Field(
        default=False, description="streams are written in turn by one thread: all go at the pace of the slowest"
    )
    bidirectional: bool = Field(
        default=False, description="as many processes again send the other way at the same time"
    )
    pace: Rate | None = Field(default=None, description="rate that each stream holds itself to (iperf3 -b)")
    window: Bytes = Field(default=0, validate_default=True)
    channel: Bytes = Field(
        default=0,
        validate_default=True,
        description="what the tool itself keeps in flight per stream at most, such as the window of an ssh channel; "
        "0: no such bound",
    )
    duration: Time | None = Field(default=None, description="whole test")
    warm_up: Time = Field(default=0, validate_default=True, description="its first seconds, left out of the average")
    bytes: Bytes | None = Field(default=None, description="a fixed amount instead of a duration, per process")
    repeat: Factor = Field(
        default={"value": 1, "spread": 0.025, "basis": "assumed", "source": "a quiet network and idle hosts"},
        validate_default=True,
        description="what a single run differs by from the mean of many, as a factor with a spread",
    )

    @model_validator(mode="after")
    def _can_connect(self) -> Self:
        if self.processes * self.streams > _MOST_CONNECTIONS:
            count = f"{self.processes} x {self.streams} connections"
            raise ValueError(f"found {count} (processes, streams), expected at most {_MOST_CONNECTIONS}")
        return self
