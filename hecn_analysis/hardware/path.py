"""A network path between two hosts. Data in ``models/paths/*.yaml``."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from hecn_analysis.base import units
from hecn_analysis.hardware.quantity import Bytes, Factor, FlowRate, Parameter, Probability, Rate, Time, Title
from hecn_analysis.limits.framing import FRAME_OVERHEAD, VLAN_TAG

#: Line rate over payload rate of a concatenated SONET carrier: 622.08 Mb/s carry 599.04 (ANSI T1.105).
_SONET = 27 / 26

#: Headers of an InfiniBand packet on a connection: LRH 8, BTH 12, ICRC 4, VCRC 2 (InfiniBand Architecture, volume 1).
INFINIBAND_OVERHEAD: Final = 26
#: Datagrams and encapsulation of IP add 8 and 4 (RFC 4391). [B]
_IPOIB: Final = 12
_INFINIBAND_MTU: Final = 4096

#: Tunnels between two hosts.
Tunnel = Literal["wireguard", "ipsec", "openvpn", "openvpn-dco", "vxlan", "geneve", "gre", "ipip", "user-mode"]

_MTU: Final = re.compile(r"\s{0,9}(\d{1,5})\s{0,9}(?:([kK])B?|B)?\s{0,9}")


class Segment(BaseModel):
    """One link of a path of unlike links; a key that is not stated sets no limit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Title = ""
    rate: Rate | None = Field(default=None, description="line rate; default: no limit")
    rtt: Time = Field(default=0, validate_default=True, description="its part of the round-trip time")
    mtu: Annotated[int, Field(ge=68, le=65_536, description="IP MTU [B]; default: no limit")] | None = None
    loss: Probability = Field(default=0, validate_default=True, description="probability per packet")
    queue: Bytes | None = Field(default=None, description="buffer in front of it")


def _segment(number: int, written: object) -> Segment:
    """Segment of a path, checked."""
    try:
        return Segment.model_validate(written)
    except ValidationError as invalid:
        fault = invalid.errors()[0]
        key = ".".join(str(part) for part in fault["loc"])
        known = ", ".join(Segment.model_fields)
        reason = fault["msg"].removeprefix("Value error, ")
        fault_text = (
            f"{key}: {reason}" if key in Segment.model_fields else f"{fault['input']!r} as {key or 'a segment'}"
        )
        raise ValueError(f"found in segment {number} {fault_text}, expected keys {known}") from None


def _of_segments(segments: list[Segment]) -> dict[str, Any]:
    """Properties of a path of segments: the least rate with its queue, the least MTU, sums of times and losses."""
    limited = [segment for segment in segments if segment.rate is not None]
    narrowest = min(limited, key=lambda segment: segment.rate.value if segment.rate else math.inf, default=None)
    values: dict[str, Any] = {}
    if narrowest is not None:
        values = {"rate": narrowest.rate, "queue": narrowest.queue}
    if mtus := [segment.mtu for segment in segments if segment.mtu is not None]:
        values["mtu"] = min(mtus)
    rtts, losses = [segment.rtt for segment in segments], [segment.loss for segment in segments]
    if total := sum(rtt.value for rtt in rtts):
        spread = sum(rtt.value * rtt.spread for rtt in rtts) / total
        values["rtt"] = rtts[0].model_copy(update={"value": total, "spread": spread})
    if any(loss.value for loss in losses):
        kept = math.prod(1 - loss.value for loss in losses)
        values["loss"] = losses[0].model_copy(update={"value": 1 - kept, "spread": max(loss.spread for loss in losses)})
    return {name: value for name, value in values.items() if value is not None}


def _one_at_least(burst: Parameter) -> Parameter:
    if burst.value < 1:
        raise ValueError(f"found {burst.value:g}, expected 1 packet or more")
    return burst


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
    framing: Literal["ethernet", "atm", "pos", "infiniband"] = Field(
        default="ethernet",
        description="framing of packets on the line: Ethernet; ATM cells over SONET (LLC, AAL5); PPP over SONET; "
        "InfiniBand, whose rate is the data rate, and IP over it",
    )
    segments: list[Segment] = Field(
        default=[],
        description="unlike links in a row, which give the path its rate, rtt, mtu, loss and queue",
    )
    rdma_mtu: Literal[256, 512, 1024, 2048, 4096] | None = Field(
        default=None,
        description="payload of a full RDMA packet; default: the largest that the MTU holds if it is stated, else 4096",
    )
    links: Annotated[int, Field(ge=1, description="equal parallel links")] = 1
    spread: Literal["streams", "round-robin"] = Field(
        default="streams",
        description="streams: each stream stays on one link; round-robin: packets alternate over all links",
    )
    rtt: Time = Field(default=0, validate_default=True, description="round-trip time without load")
    loss: Probability = Field(default=0, validate_default=True, description="probability per packet, data direction")
    loss_burst: Annotated[Factor, AfterValidator(_one_at_least)] = Field(
        default=1,
        validate_default=True,
        description="packets lost in one event: TCP reduces its window once for all of them",
    )
    queue: Bytes | None = None
    background: FlowRate | None = Field(
        default=None,
        description="other traffic on the narrowest link, all parallel links together; default: drawn on a long path "
        "between real hosts whose loss is not stated, else none",
    )
    pep: bool = Field(
        default=False,
        description="performance-enhancing proxies at both ends of the long segment terminate TCP (RFC 3135)",
    )
    pep_rate: Rate | None = Field(default=None, description="throughput of these proxies")
    mtu: Annotated[int, Field(ge=68, le=65_536, description="IP MTU [B]")] = 1500
    tunnel: Tunnel | None = Field(
        default=None,
        description="tunnel between the hosts, whose processors work for it and whose headers come out of the MTU; "
        "user-mode: a TCP/IP stack in a program (slirp); openvpn-dco: OpenVPN with its packets in the kernel",
    )
    tunnel_offload: bool = Field(
        default=False,
        description="segments of up to 64 KiB cross the tunnel's program and its sockets as one packet (TSO and GRO of "
        "tun devices, UDP GSO)",
    )
    forward_rate: Rate | None = Field(
        default=None,
        description="most that a box on the path forwards (router, firewall, NAT, bridge), both directions together",
    )
    forward_packets: Factor | None = Field(default=None, description="packets per second that such a box forwards")
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
        IP rate of an OC-12c of ATM [Mb/s]:

        >>> round(622.08 * 9180 / Path(mtu=9180, framing="atm").wire_bytes, 1)
        540.4
        """
        if self.framing == "atm":
            return math.ceil((self.mtu + 16) / 48) * 53 * _SONET
        if self.framing == "infiniband":
            return self.mtu + _IPOIB + math.ceil(self.mtu / _INFINIBAND_MTU) * INFINIBAND_OVERHEAD
        if self.framing == "pos":
            return (self.mtu + 9) * _SONET
        return self.mtu + FRAME_OVERHEAD + (VLAN_TAG if self.vlan else 0)

    @model_validator(mode="before")
    @classmethod
    def _joined(cls, values: Any) -> Any:  # noqa: ANN401 - what a YAML file holds
        """Properties of the path from those of its segments."""
        if not isinstance(values, dict) or not isinstance(values.get("segments"), list) or not values["segments"]:
            return values
        if stated := {"rate", "rtt", "mtu", "loss", "queue"} & set(values):
            raise ValueError(f"found {', '.join(sorted(stated))} beside segments, expected them in the segments alone")
        segments = [_segment(number, written) for number, written in enumerate(values["segments"], start=1)]
        return {**values, "segments": segments, **_of_segments(segments)}

    @field_validator("mtu", mode="before")
    @classmethod
    def _mtu(cls, mtu: object) -> object:
        """MTU with a unit: 9k is 9000, as people say it, and so is 9000 B."""
        if not isinstance(mtu, str) or (match := _MTU.fullmatch(mtu)) is None:
            return mtu
        return int(match[1]) * (1000 if match[2] else 1)

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
        if self.background is not None and self.rate is not None:
            line, other = self.rate.value * self.links, self.background.value
            if other >= line:
                excess = f"{units.format_rate(other)} of background on a path of {units.format_rate(line)}"
                raise ValueError(f"found {excess}, expected less than the path carries")
        if self.vlan and self.framing != "ethernet":
            raise ValueError(f"found a VLAN tag with framing {self.framing!r}, expected framing 'ethernet'")
        if self.pep_rate is not None and not self.pep:
            raise ValueError("found pep_rate on a path without proxies, expected 'pep: true'")
        return self
