"""A network path between two hosts. Data in ``models/paths/*.yaml``."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hecn_analysis.hardware.quantity import Bytes, Parameter, Probability, Rate, Time, Title
from hecn_analysis.limits.framing import FRAME_OVERHEAD, VLAN_TAG

#: Line rate over payload rate of a concatenated SONET carrier: 622.08 Mb/s carry 599.04 (ANSI T1.105).
_SONET = 27 / 26


class Path(BaseModel):
    """A path between two hosts, with the same properties in both directions.

    `rate` is the line rate of one link: a packet costs its IP length + 38 bytes on Ethernet. `queue` is the buffer at
    the narrowest port, counted like the rate; by default one bandwidth-delay product, but at least 8 packets.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""
    title: Title = ""
    source: str = ""
    rate: Rate | None = Field(default=None, description="line rate of one link; default: no limit")
    framing: Literal["ethernet", "atm", "pos"] = Field(
        default="ethernet",
        description="framing of packets on the line: Ethernet; ATM cells over SONET (LLC, AAL5); PPP over SONET",
    )
    links: Annotated[int, Field(ge=1, description="equal parallel links")] = 1
    spread: Literal["streams", "round-robin"] = Field(
        default="streams",
        description="streams: each stream stays on one link; round-robin: packets alternate over all links",
    )
    rtt: Time = Field(default=0, validate_default=True, description="round-trip time without load")
    loss: Probability = Field(default=0, validate_default=True, description="probability per packet, data direction")
    queue: Bytes | None = None
    pep: bool = Field(
        default=False,
        description="performance-enhancing proxies at both ends of the long segment terminate TCP (RFC 3135)",
    )
    pep_rate: Rate | None = Field(default=None, description="throughput of these proxies")
    mtu: Annotated[int, Field(ge=68, le=65_536, description="IP MTU [B]")] = 1500
    same_host: bool = Field(
        default=False,
        description="both ends are processes of one machine: they share its cores, and there is no wire",
    )
    device_time: Time = Field(
        default=0,
        validate_default=True,
        description="within one machine: time of the sending core per message in a virtual device (veth)",
    )
    timestamps: bool = Field(default=True, description="TCP timestamps, 12 bytes a packet")
    vlan: bool = Field(default=False, description="an 802.1Q tag, 4 bytes a frame")
    ip: Literal[4, 6] = 4

    @property
    def wire_bytes(self) -> float:
        """Size of a full packet on the line [B]: the line rate over it gives packets per second.

        Ethernet: 38 more than the packet (IEEE 802.3), with a tag 42. ATM: LLC/SNAP 8 and the AAL5 trailer 8, padded
        to cells of 48 bytes in 53 (RFC 2684). Packet over SONET: PPP in HDLC-like framing, 9 (RFC 2615).

        Examples
        --------
        >>> Path(mtu=1500).wire_bytes, Path(mtu=9180, framing="pos").wire_bytes
        (1538.0, 9542.42)

        IP rate of an OC-12c of ATM [Mb/s]:

        >>> round(622.08 * 9180 / Path(mtu=9180, framing="atm").wire_bytes, 1)
        540.4
        """
        if self.framing == "atm":
            return math.ceil((self.mtu + 16) / 48) * 53 * _SONET
        if self.framing == "pos":
            return (self.mtu + 9) * _SONET
        return self.mtu + FRAME_OVERHEAD + (VLAN_TAG if self.vlan else 0)

    @field_validator("rtt")
    @classmethod
    def _finite(cls, rtt: Parameter) -> Parameter:
        if not math.isfinite(rtt.value):
            raise ValueError(f"found {rtt.value:g} s, expected a finite time")
        return rtt

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.ip == 6 and self.mtu < 1280:
            raise ValueError(f"found an MTU of {self.mtu} B with IPv6, expected at least 1280 B (RFC 8200)")
        if self.vlan and self.framing != "ethernet":
            raise ValueError(f"found a VLAN tag with framing {self.framing!r}, expected framing 'ethernet'")
        if self.pep_rate is not None and not self.pep:
            raise ValueError("found pep_rate on a path without proxies, expected 'pep: true'")
        return self
