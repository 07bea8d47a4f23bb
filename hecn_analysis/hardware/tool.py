"""A transfer tool: its ends, protocol, processes and settings. Data in ``models/tools/*.yaml``."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hecn_analysis.hardware.parts import Cipher
from hecn_analysis.hardware.quantity import Bytes, Cycles, CyclesPerByte, Factor, FlowRate, Parameter, Time, Title

End = Literal["memory", "disk", "none"]

#: Most connections between two addresses and one port of a server.
_MOST_CONNECTIONS: Final = 65_535


class Tool(BaseModel):
    """A tool and its settings for one test; `window` is the size requested from the tool, 0 if the kernel tunes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""
    title: Title = ""
    source: str = ""
    protocol: Literal["tcp", "udp", "rdma", "file"] = Field(default="tcp", description="file: no network is used")
    source_end: End = Field(default="memory", description="source of the data at the sender; none: there is no sender")
    sink_end: End = Field(
        default="memory", description="destination of the data at the receiver; none: there is no receiver"
    )
    io: Literal["buffered", "direct"] = Field(
        default="buffered", description="file I/O through the page cache, or direct"
    )
    sync: bool = Field(
        default=False, description="each write returns when it is on stable storage (O_SYNC, fsync after each write)"
    )
    processes: Annotated[int, Field(ge=1, description="simultaneous transfers, each in its own process")] = 1
    streams: Annotated[int, Field(ge=1, description="TCP connections of each process")] = 1
    threads: Literal["one", "per-stream", "reader-writer", "streams-and-disk"] = Field(
        default="one",
        description="threads of a process: one for all work; one per stream; one for the disk and one for the network; "
        "one for the disk and one per stream",
    )
    overlap: bool = Field(
        default=True,
        description="the next block is read while one is in transit; false: request and response, whose times add up",
    )
    request: Bytes | None = Field(default=None, description="block size of a read, write or request")
    outstanding: Annotated[int, Field(ge=1, description="requests in flight per stream")] = 1
    cost: CyclesPerByte = Field(
        default=0,
        validate_default=True,
        description="application core, both ends: work on the data besides copies (encryption, checksums)",
    )
    encryption: Literal["ssh", "tls", "ktls", "quic"] | None = Field(
        default=None, description="encryption by the program (ktls: by the kernel for it), in addition to `cost`"
    )
    cipher: Cipher | None = Field(
        default=None, description="cipher of that encryption; default: the usual one for the processor"
    )
    packet_cost: Cycles = Field(
        default=0,
        validate_default=True,
        description="application core, both ends: each packet that a program or a stack without offloads makes",
    )
    request_cost: Cycles = Field(
        default=0,
        validate_default=True,
        description="application core, both ends: each request of a service over a network, besides its bytes",
    )
    message: Bytes | None = Field(
        default=None, description="size of a write to or read from a socket; default: that of the measured costs"
    )
    zero_copy: bool = Field(
        default=False,
        description="the sender sends without a copy (MSG_ZEROCOPY, sendfile), through a card with offload",
    )
    send_calls: Factor = Field(
        default=1, validate_default=True, description="system calls per message sent, weighted by cost"
    )
    receive_calls: Factor = Field(
        default=1, validate_default=True, description="system calls per message received, weighted by cost"
    )
    bonding: bool = Field(
        default=False,
        description="application bonding: each process opens `streams` connections on every link of the path",
    )
    lockstep: bool = Field(
        default=False, description="one thread writes to the streams in turn: all run at the rate of the slowest"
    )
    bidirectional: bool = Field(
        default=False, description="an equal number of processes send the other way at the same time"
    )
    pace: FlowRate | None = Field(
        default=None, description="pacing rate of each stream (iperf3 -b); 0: as fast as it goes, as by default"
    )
    window: Bytes = Field(default=0, validate_default=True)
    channel: Bytes = Field(
        default=0,
        validate_default=True,
        description="the tool's own limit of bytes in flight per stream, such as an ssh channel's window; 0: no limit",
    )
    duration: Time | None = Field(default=None, description="duration of the whole test")
    warm_up: Time = Field(
        default=0, validate_default=True, description="first seconds of the test, left out of the average"
    )
    bytes: Bytes | None = Field(default=None, description="a fixed amount instead of a duration, per process")
    repeat: Factor = Field(
        default={"value": 1, "spread": 0.025, "basis": "assumed", "source": "a quiet network and idle hosts"},
        validate_default=True,
        description="scatter of single runs around their mean, as a factor with a spread",
    )

    @field_validator("pace")
    @classmethod
    def _unpaced(cls, pace: Parameter | None) -> Parameter | None:
        """No pace in place of 0."""
        return None if pace is None or pace.value == 0 else pace

    @model_validator(mode="after")
    def _can_connect(self) -> Self:
        if self.processes * self.streams > _MOST_CONNECTIONS:
            count = f"{self.processes} x {self.streams} connections"
            raise ValueError(f"found {count} (processes, streams), expected at most {_MOST_CONNECTIONS}")
        return self
