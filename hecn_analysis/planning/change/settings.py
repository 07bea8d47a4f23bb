"""All possible changes of a transfer; this module has those of the path, the tool, network settings and cores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from hecn_analysis.base import units
from hecn_analysis.hardware import Host, Scenario
from hecn_analysis.limits.tcp_window import LARGEST_WINDOW
from hecn_analysis.planning.change.change import UNSET, Change, described, is_networked
from hecn_analysis.planning.change.hardware import links, purchases, slots
from hecn_analysis.prediction.placement import thread_cores

#: Round-trip time from which a proxy that terminates TCP may pay: satellites, and half around the world. [s]
FAR: Final = 0.2

_ROLES: Final = ("sender", "receiver")
_MIB: Final = 2**20

_STREAMS: Final = {
    "nuttcp": "-N{}",
    "iperf3": "-P {}",
    "gridftp": "-p {}",
    "bbftp": "-p {}",
    "xdd": "-e2e dest HOST:PORT,{} at both ends",
    "fdt": "-P {}",
    "irods": "-N {}",
}


def possible(scenario: Scenario) -> list[Change]:
    """Return every possible change of a scenario, whether it gains something or not."""
    changes = [*_path(scenario), *_tool(scenario), *links(scenario)]
    for role in _ROLES:
        host = getattr(scenario, role)
        if host is not None:
            changes += [*_network_settings(scenario, role, host), *_cores(scenario, role, host), *slots(role, host)]
            changes += [*purchases(scenario, role, host)]
    return [*changes, *_arrays(scenario)]


# path ----------------------------------------------------------------------------------------------------------------


def _path(scenario: Scenario) -> Iterator[Change]:
    path = scenario.path
    if not is_networked(scenario):
        return
    if path.framing == "ethernet" and path.mtu < 9000:
        yield described("jumbo-frames", {"path.mtu": 9000}, mtu=path.mtu)
    if path.rtt.value >= FAR and not path.pep:
        yield described("pep", {"path.pep": True})
    if path.loss.value > 0:
        yield described("fix-losses", {"path.loss": 0}, packets=1 / path.loss.value)
    bdp = _bdp(scenario)
    if path.queue is not None and math.isfinite(bdp) and path.queue.value < bdp and path.rtt.value > 0:
        yield described("queue", {"path.queue": bdp}, bdp=units.format_bytes(bdp))
    if path.spread == "round-robin":
        yield described("one-link-a-stream", {"path.spread": "streams", "tool.bonding": True})


def _bdp(scenario: Scenario) -> float:
    """Bandwidth-delay product of one link [B]."""
    rate = scenario.path.rate
    ports = [
        slot.nic.port_rate.value
        for host in (scenario.sender, scenario.receiver)
        if host is not None
        for slot in host.slots.values()
        if slot.nic is not None
    ]
    narrowest = min([*ports, np.inf if rate is None else rate.value])
    return narrowest * scenario.path.rtt.value / 8


# tool ----------------------------------------------------------------------------------------------------------------


def _tool(scenario: Scenario) -> Iterator[Change]:
    tool = scenario.tool
    if is_networked(scenario):
        option = _STREAMS.get(tool.name, "with its option for {} streams")
        has_streams = tool.name in _STREAMS or tool.streams > 1
        for streams in (4 * tool.streams, 8 * tool.streams) if has_streams else ():
            words: dict[str, Any] = {
                "streams": streams,
                "now": tool.streams,
                "tool": tool.name,
                "option": option.format(streams),
            }
            yield described("streams", {"tool.streams": streams}, **words)
        yield from _windows(scenario)
    if tool.source_end == "disk" or tool.sink_end == "disk":
        other = "buffered" if tool.io == "direct" else "direct"
        yield described(f"io-{other}", {"tool.io": other})
    if not tool.overlap:
        for requests in (4 * tool.outstanding, 16 * tool.outstanding):
            yield described("requests", {"tool.outstanding": requests}, requests=requests, now=tool.outstanding)
    cores = [
        host.cpu.cores for host in (scenario.sender, scenario.receiver) if host is not None and host.cpu is not None
    ]
    for processes in (2 * tool.processes, 4 * tool.processes):
        if cores and processes <= min(cores):
            settings = {"tool.processes": processes}
            yield described("processes", settings, processes=processes, now=tool.processes, tool=tool.name)


def _arrays(scenario: Scenario) -> Iterator[Change]:
    """Yield an array for each of simultaneous copies, at the ends that have several alike."""
    tool = scenario.tool
    ends = {"sender": tool.source_end, "receiver": tool.sink_end}
    hosts = {role: host for role in _ROLES if (host := getattr(scenario, role)) is not None and ends[role] == "disk"}
    several = {role: alike for role, host in hosts.items() if len(alike := _alike(host)) > 1}
    if not several:
        return
    copies = max(tool.processes, min(map(len, several.values())))
    settings: dict[str, Any] = {
        f"{role}.files_on": names[:copies]
        for role, names in several.items()
        if len(set(hosts[role].file_arrays)) < min(copies, len(names))
    }
    if settings:
        settings |= {"tool.processes": copies} if copies > tool.processes else {}
        yield described("array-each", settings, copies=copies, now=tool.processes, tool=tool.name)


def _alike(host: Host) -> list[str]:
    """Arrays like that of the files: others may be the same disks in another way."""
    if not host.file_arrays:
        return []
    present = host.arrays[host.file_arrays[0]]
    return [name for name, array in host.arrays.items() if (array.level, array.disks) == (present.level, present.disks)]


def _windows(scenario: Scenario) -> Iterator[Change]:
    path, tool = scenario.path, scenario.tool
    bdp = _bdp(scenario)
    if tool.protocol != "tcp" or not 0 < bdp < math.inf or path.pep:
        return
    wanted = min(2 ** math.ceil(math.log2(2 * bdp / tool.streams)), LARGEST_WINDOW)
    wanted = max(int(wanted), 4 * _MIB)
    kernel = {
        "receiver.tcp_rmem_max": wanted,
        "receiver.rmem_max": wanted,
        "sender.tcp_wmem_max": wanted,
        "sender.wmem_max": wanted,
    }
    largest = {key: getattr(getattr(scenario, key.partition(".")[0]), key.partition(".")[2]).value for key in kernel}
    kernel = {key: value for key, value in kernel.items() if largest[key] < value}
    words: dict[str, Any] = {
        "mib": wanted // _MIB,
        "size": f"{wanted // _MIB} MiB",
        "bdp": units.format_bytes(bdp),
        "tool": tool.name,
    }
    if kernel:
        yield described("kernel-windows", kernel, window=wanted, **words)
    if tool.channel.value > 0:
        yield described("channel", {"tool.channel": 0}, now=units.format_bytes(tool.channel.value))
    if tool.window.value > 0:
        yield described("autotuned-window", {"tool.window": 0, **kernel}, **words)
    if tool.window.value < wanted:
        yield described("window", {"tool.window": wanted, **kernel}, **words)


# settings of a host --------------------------------------------------------------------------------------------------


def _network_settings(scenario: Scenario, role: str, host: Host) -> Iterator[Change]:
    if not is_networked(scenario) or host.name == "ideal":
        return
    if role == "sender" and scenario.tool.protocol == "tcp":
        for other in ("cubic", "bbr", "htcp"):
            if other != host.congestion_control:
                key = "congestion-control-bbr" if other == "bbr" else "congestion-control"
                settings = {f"{role}.congestion_control": other}
                yield described(key, settings, other=other, now=host.congestion_control)
    if role == "receiver":
        yield described("lro", {f"{role}.lro": not host.lro}, role=role, state="off" if host.lro else "on")
        if not host.gro:
            yield described("gro", {f"{role}.gro": True}, role=role)
    if host.cpu is not None and host.receive_queues is not None:
        most = len(set(host.nic_cores)) or host.cpu.cores
        if host.receive_queues < most:
            now = host.receive_queues
            yield described("queues", {f"{role}.receive_queues": most}, role=role, queues=now, most=most)
    if role == "sender" and not host.offload:
        yield described("tso", {f"{role}.offload": True}, role=role)


def _cores(scenario: Scenario, role: str, host: Host) -> Iterator[Change]:
    cpu = host.cpu
    if cpu is None or cpu.cores < 2:
        return
    flows = range(scenario.tool.processes)
    busy = {core for flow in flows for core in thread_cores(host, scenario.tool, flow)}
    others = [core for core in range(cpu.cores) if core not in busy]
    if host.nic_cores and others and set(host.nic_cores) != set(others) and is_networked(scenario):
        yield described("interrupts", {f"{role}.nic_cores": others}, role=role, cores=_listed(others))
    shared = busy & set(host.nic_cores) if host.nic_cores else set()
    free = [core for core in range(cpu.cores) if core not in host.nic_cores and core not in host.storage_cores]
    if shared and len(free) >= len(busy):
        yield described("pinned-processes", {f"{role}.app_cores": free}, role=role, cores=_listed(free))
    near = [core for core in range(cpu.cores) if cpu.socket_of(core) == _card_socket(host)]
    if cpu.sockets > 1 and len(near) > 1 and is_networked(scenario):
        queues = min(host.receive_queues or len(near) // 2, len(near) // 2)
        settings = {f"{role}.nic_cores": near[:queues], f"{role}.app_cores": near[queues:]}
        if settings != {f"{role}.nic_cores": host.nic_cores, f"{role}.app_cores": host.app_cores}:
            words: dict[str, Any] = {"interrupts": _listed(near[:queues]), "processes": _listed(near[queues:])}
            yield described("socket-of-card", settings, role=role, **words)
    clock = {**cpu.clock.model_dump(exclude={"unit"}), "value": 1.0625 * cpu.clock.value}
    yield described("clock", {f"{role}.cpu.clock": clock}, role=role)
    if host.busy_cores:
        cores = _listed(sorted(set(host.busy_cores)))
        yield described("neighbours", {f"{role}.busy_cores": []}, role=role, cores=cores)
    if host.cpu_quota is not None:
        yield described("quota", {f"{role}.cpu_quota": UNSET}, role=role)


def _card_socket(host: Host) -> int:
    """Socket that the first network card is attached to."""
    bridges = host.all_bridges
    for slot in host.slots.values():
        if slot.nic is not None:
            node, behind = slot.node, slot.behind
            while behind is not None:
                node, behind = bridges[behind].node, bridges[behind].behind
            return node
    return 0


def _listed(cores: Iterable[int]) -> str:
    return ", ".join(map(str, cores))
