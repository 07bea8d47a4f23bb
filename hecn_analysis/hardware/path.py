"""A network path between two hosts. Data in ``models/paths/*.yaml``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.hardware.quantity import Bytes, Probability, Rate, Time


class Path(BaseModel):
    """What lies between two hosts; every direction has the same properties.

    `rate` is the line rate of one link: a packet costs its IP length + 38 bytes on Ethernet. `queue` is the buffer at
    the narrowest port, counted like the rate; left out, it is one bandwidth-delay product.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""
    title: str = ""
    source: str = ""
    rate: Rate | None = Field(default=None, description="line rate of one link; left out: no limit")
    links: Annotated[int, Field(ge=1, description="equal links side by side")] = 1
    spread: Literal["streams", "round-robin"] = Field(
        default="streams",
        description="streams: each stream keeps to one link; round-robin: packets are dealt to all links",
    )
    rtt: Time = Field(default=0, validate_default=True, description="round-trip time without load")
    loss: Probability = Field(default=0, validate_default=True, description="probability per packet, data direction")
    queue: Bytes | None = None
    mtu: Annotated[int, Field(ge=68, le=65_535, description="IP MTU [B]")] = 1500
    timestamps: bool = Field(default=True, description="TCP timestamps, 12 bytes a packet")
    vlan: bool = Field(default=False, description="an 802.1Q tag, 4 bytes a frame")
    ip: Literal[4, 6] = 4
