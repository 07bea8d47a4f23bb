"""Packets of a scenario: payload, bytes on the wire, connections, and the links that they use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from hecn_analysis.hardware.path import INFINIBAND_OVERHEAD
from hecn_analysis.limits import framing

if TYPE_CHECKING:
    from hecn_analysis.prediction.draws import FloatArray

    Bytes = float | FloatArray
    from collections.abc import Iterator

    from hecn_analysis.hardware import Path, Scenario


#: Data of an RDMA packet where nothing is stated: what adapters agree on where the network allows it. [B]
_RDMA_MTU: Final = 4096


def link_shares(scenario: Scenario, number: int) -> Iterator[tuple[int, float]]:
    """Links that process `number` uses, each with its share of the process's traffic."""
    path, tool = scenario.path, scenario.tool
    if path.spread == "round-robin" or tool.bonding:
        yield from ((link, 1 / path.links) for link in range(path.links))
        return
    used = [(number * tool.streams + stream) % path.links for stream in range(tool.streams)]
    yield from ((link, used.count(link) / tool.streams) for link in sorted(set(used)))


def streams_per_process(scenario: Scenario) -> int:
    """TCP connections that a process opens.

    Parameters
    ----------
    scenario
        Path and tool.

    Returns
    -------
    int
        The connections.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s", "path.mtu": 9000}
    >>> streams_per_process(load_scenario({**base, "tool.streams": 4}))
    4
    """
    tool = scenario.tool
    return tool.streams * (scenario.path.links if tool.bonding else 1)


def payload_per_packet(scenario: Scenario) -> tuple[Bytes, Bytes]:
    """Payload of a full packet, and its size on the wire [B].

    Parameters
    ----------
    scenario
        Path and tool.

    Returns
    -------
    tuple
        Payload and size on the wire; arrays of draws where the path does not state its MTU. [B]

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> base = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s", "path.mtu": 9000}
    >>> payload_per_packet(load_scenario(base))
    (8948, 9038.0)
    """
    path, protocol = scenario.path, scenario.tool.protocol
    if protocol == "rdma" and path.framing == "infiniband":
        data = path.rdma_mtu or _RDMA_MTU
        return data, float(data + INFINIBAND_OVERHEAD)
    if protocol == "rdma" and path.framing == "ethernet" and (path.rdma_mtu or path.mtu <= framing.LARGEST_MTU):
        mtu = path.rdma_mtu or (path.mtu if "mtu" in path.model_fields_set else _RDMA_MTU)  # not the default of IP
        payload = framing.payload_bytes(mtu, ip=path.ip, protocol="roce")
        return int(payload), float(framing.wire_bytes(mtu, ip=path.ip, vlan=path.vlan, protocol="roce"))
    transport: Literal["tcp", "udp"] = "udp" if protocol == "udp" else "tcp"
    headers = framing.header_bytes(ip=path.ip, timestamps=path.timestamps, protocol=transport)
    return path.mtu - headers - tunnel_bytes(path), path.wire_bytes


def tunnel_bytes(path: Path) -> int:
    """Bytes that a tunnel adds to each packet; the MTU is that of the network below it."""
    return 0 if path.tunnel is None else _TUNNEL_BYTES[path.tunnel]


#: Bytes that tunnels over IPv4 add: outer IP 20; UDP 8; WireGuard 32 (Donenfeld, NDSS 2017); ESP with AES-GCM 38 (RFC
#: 4303, 4106); OpenVPN 24; VXLAN 8 and Ethernet 14 (RFC 7348); Geneve 8 more options (RFC 8926); GRE 4 (RFC 2784).
_TUNNEL_BYTES: Final = {
    "wireguard": 60,
    "ipsec": 58,
    "openvpn": 52,
    "openvpn-dco": 52,
    "vxlan": 50,
    "geneve": 58,
    "gre": 24,
    "ipip": 20,
    "user-mode": 0,
}
