"""Packets of a scenario: payload, bytes on the wire, connections, and the links that they use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hecn_analysis.limits import framing

if TYPE_CHECKING:
    from hecn_analysis.prediction.draws import FloatArray

    Bytes = float | FloatArray
    from collections.abc import Iterator

    from hecn_analysis.hardware import Scenario


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
    if protocol == "rdma" and path.framing == "ethernet" and path.mtu <= framing.LARGEST_MTU:
        payload = framing.payload_bytes(path.mtu, ip=path.ip, protocol="roce")
        return int(payload), float(framing.wire_bytes(path.mtu, ip=path.ip, vlan=path.vlan, protocol="roce"))
    transport: Literal["tcp", "udp"] = "udp" if protocol == "udp" else "tcp"
    headers = framing.header_bytes(ip=path.ip, timestamps=path.timestamps, protocol=transport)
    return path.mtu - headers, path.wire_bytes
