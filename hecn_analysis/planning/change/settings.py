"""All that can be changed about a transfer, and here what is tuned: the path, the tool, network settings, cores.

Slots, cards, disks and what else is bought are in `hecn_analysis.planning.change.hardware`. Whether a change gains
anything is decided by predicting both sides (`hecn_analysis.planning.change.advise`): here stands what would be
possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from hecn_analysis.base import units
from hecn_analysis.hardware import Host, Scenario
from hecn_analysis.limits.tcp_window import LARGEST_WINDOW
from hecn_analysis.planning.change.change import UNSET, Change, is_networked
from hecn_analysis.planning.change.hardware import links, purchases, slots
from hecn_analysis.prediction.cores import thread_cores

#: Distance at which a proxy that ends TCP is worth a thought: satellites, and half around the world. [s]
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
    """Everything that could be changed about a scenario, whether it would gain something or not."""
    found = [*_path(scenario), *_tool(scenario), *links(scenario)]
    for role in _ROLES:
        host = getattr(scenario, role)
        if host is not None:
            found += [*_network_settings(scenario, role, host), *_cores(scenario, role, host), *slots(role, host)]
            found += [*purchases(scenario, role, host)]
    return found


# path ----------------------------------------------------------------------------------------------------------------


def _path(scenario: Scenario) -> Iterator[Change]:
    path = scenario.path
    if not is_networked(scenario):
        return
    if path.framing == "ethernet" and path.mtu < 9000:
        yield Change(
            "jumbo-frames",
            f"frames of 9000 bytes instead of {path.mtu}",
            {"path.mtu": 9000},
            "path",
            "ip link set dev IFACE mtu 9000 on both hosts, and the same on every switch port and router between them",
            "ping -M do -s 8972 HOST is answered; tracepath HOST says pmtu 9000",
            "a hop that does not carry them loses them without a word (a black hole: RFC 4821)",
            "HECN, SC09 to SC13: all tests with 9000-byte frames; RFC 4821",
        )
    if path.rtt.value >= FAR and not path.pep:
        yield Change(
            "pep",
            "performance-enhancing proxies at both ends of the long part",
            {"path.pep": True},
            "path",
            "a proxy that ends TCP at each ground station or border, such as SkyX or a SOCKS relay with tuned windows",
            "the round-trip time that hosts see (ss -ti) is that to their proxy",
            "end-to-end acknowledgement and IPsec are broken by it (RFC 3135, section 4)",
            "HECN, Trans-Pacific tests of 1999: 0.22 to 11.9 Mb/s; RFC 3135",
        )
    if path.loss.value > 0:
        yield Change(
            "mend-losses",
            f"no packets lost on the way, instead of one in {1 / path.loss.value:,.0f}",
            {"path.loss": 0},
            "path",
            "find the port whose errors grow during a transfer, hop by hop; clean, reseat or change its fibre, optics "
            "or cable",
            "show interface (CRC, input errors) and ethtool -S (rx_crc_errors) stay; nuttcp reports 0 retrans",
            "losses to full queues are no errors: for these look at queues and pace",
            "HECN B systems: 5.56 Gb/s with frames dropped for bad checksums, 9.66 without",
        )
    bdp = _bdp(scenario)
    if path.queue is not None and math.isfinite(bdp) and path.queue.value < bdp and path.rtt.value > 0:
        yield Change(
            "queue",
            f"a queue of one bandwidth-delay product ({units.format_bytes(bdp)}) at the narrowest port",
            {"path.queue": bdp},
            "path",
            "the buffer of the egress port: qos queue-limit or a switch with deep buffers",
            "drops of that port stay 0 during a transfer (show interface, ethtool -S)",
            "others wait behind a long queue",
            "limits buffer; Villamizar and Song 1994",
        )
    if path.spread == "round-robin":
        yield Change(
            "one-link-a-stream",
            "each stream on a link of its own instead of packets dealt to all",
            {"path.spread": "streams", "tool.bonding": True},
            "path",
            "a link for each address, and the tool opens a connection on each (nuttcp -N with several addresses)",
            "the counters of all links rise alike, and nothing is reordered (nstat TcpExtTCPSACKReorder)",
            "the tool must know of the links",
            "HECN B systems: 31.6 Gb/s with the kernel's round-robin bond, 39.6 with application bonding",
        )


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
        for factor in (4, 8) if has_streams else ():
            yield Change(
                f"streams-{tool.streams * factor}",
                f"{tool.streams * factor} streams instead of {tool.streams}",
                {"tool.streams": tool.streams * factor},
                "tool",
                f"{tool.name} {option.format(tool.streams * factor)}",
                "the log names as many streams; ss -tn counts as many connections",
                "several streams take more than a fair share where others use the path",
                "Hacker, Athey and Noble 2002",
            )
        yield from _windows(scenario)
    if tool.source_end == "disk" or tool.sink_end == "disk":
        other = "buffered" if tool.io == "direct" else "direct"
        yield Change(
            f"io-{other}",
            "file I/O around the page cache" if other == "direct" else "file I/O through the page cache",
            {"tool.io": other},
            "tool",
            "O_DIRECT: the tool's option for direct I/O" if other == "direct" else "leave out the tool's option for it",
            "Cached of /proc/meminfo does not grow with the transfer" if other == "direct" else "it grows with it",
            "small or unaligned blocks become slow" if other == "direct" else "writing back costs a core",
            "HECN C systems: dd with direct I/O",
        )
    if not tool.overlap:
        for factor in (4, 16):
            yield Change(
                f"requests-{tool.outstanding * factor}",
                f"{tool.outstanding * factor} requests under way at once instead of {tool.outstanding}",
                {"tool.outstanding": tool.outstanding * factor},
                "tool",
                "the tool's queue depth, threads, or slots (sunrpc.tcp_slot_table_entries for NFS)",
                "as many requests are seen under way (iostat aqu-sz, nfsstat)",
                "memory for each request under way; seeks where several read one disk",
                "Little's law: limits requests",
            )
    cores = [
        host.cpu.cores for host in (scenario.sender, scenario.receiver) if host is not None and host.cpu is not None
    ]
    for factor in (2, 4):
        number = tool.processes * factor
        if cores and number <= min(cores):
            yield Change(
                f"processes-{number}",
                f"{number} transfers at once, each on a core of its own, instead of {tool.processes}",
                {"tool.processes": number},
                "tool",
                f"start {number} of {tool.name}, each with taskset -c CORE, on ports or files of their own",
                "mpstat -P ALL 1: as many cores are busy",
                "disks seek between files",
                "HECN HotLava tests: one core for each stream; C systems: two copies",
            )


def _windows(scenario: Scenario) -> Iterator[Change]:
    path, tool = scenario.path, scenario.tool
    bdp = _bdp(scenario)
    if tool.protocol != "tcp" or not 0 < bdp < math.inf or path.pep:
        return
    wanted = min(2 ** math.ceil(math.log2(2 * bdp / tool.streams)), LARGEST_WINDOW)
    wanted = max(int(wanted), 4 * _MIB)
    size = f"{wanted // _MIB} MiB"
    kernel = {
        "receiver.tcp_rmem_max": wanted,
        "receiver.rmem_max": wanted,
        "sender.tcp_wmem_max": wanted,
        "sender.wmem_max": wanted,
    }
    largest = {key: getattr(getattr(scenario, key.partition(".")[0]), key.partition(".")[2]).value for key in kernel}
    kernel = {key: value for key, value in kernel.items() if largest[key] < value}
    asked = f"twice the bandwidth-delay product of {units.format_bytes(bdp)}"
    if kernel:
        yield Change(
            "kernel-windows",
            f"socket buffers of up to {size}, {asked}",
            kernel,
            "setting",
            f'sysctl -w net.core.rmem_max={wanted} net.core.wmem_max={wanted} net.ipv4.tcp_rmem="4096 131072 {wanted}"'
            f' net.ipv4.tcp_wmem="4096 65536 {wanted}"; the same in /etc/sysctl.d/',
            "ss -tmi during a transfer: cwnd times MSS reaches the bandwidth-delay product",
            "as much memory for each busy connection",
            "RFC 7323; man 7 tcp",
        )
    if tool.channel.value > 0:
        yield Change(
            "channel",
            f"a channel that follows TCP's window instead of one of {units.format_bytes(tool.channel.value)}",
            {"tool.channel": 0},
            "tool",
            "HPN-SSH at both ends (hpnssh, HPNBufferSize), or a tool without a channel: an rsync daemon, GridFTP",
            "ss -ti during a transfer: more than the channel's window is unacknowledged",
            "both ends need the patched ssh, and the cipher's core is the next limit",
            "Rapier and Bennett, High Speed Bulk Data Transfer Using the SSH Protocol, 2008",
        )
    if tool.window.value > 0:
        yield Change(
            "autotuned-window",
            "the window left to the kernel",
            {"tool.window": 0, **kernel},
            "tool",
            f"{tool.name} without its window option (-w)",
            "ss -tmi: the receive buffer grows during the transfer",
            "kernels before 2.6.17 do not tune; LRO may keep the window small",
            "HECN B systems: LRO and autotuned windows",
        )
    if tool.window.value < wanted:
        yield Change(
            "window",
            f"a window of {size} asked for, {asked}",
            {"tool.window": wanted, **kernel},
            "tool",
            f"{tool.name} -w{wanted // _MIB}m, with net.core.rmem_max and wmem_max as large",
            "the log shows the window that was granted",
            "a window that is asked for is no longer tuned",
            "HECN B systems: 7.03 Gb/s autotuned, 9.44 with 100 MB asked for",
        )


# settings of a host --------------------------------------------------------------------------------------------------


def _network_settings(scenario: Scenario, role: str, host: Host) -> Iterator[Change]:
    if not is_networked(scenario) or host.name == "ideal":
        return
    if role == "sender" and scenario.tool.protocol == "tcp":
        for other in ("cubic", "bbr", "htcp"):
            if other != host.congestion_control:
                yield Change(
                    f"congestion-control-{other}",
                    f"congestion control {other} instead of {host.congestion_control}",
                    {f"{role}.congestion_control": other},
                    "setting",
                    f"sysctl -w net.ipv4.tcp_congestion_control={other} (modprobe tcp_{other})",
                    "ss -ti names it",
                    "BBR takes more than its share from loss-based flows, and loses packets in short queues"
                    if other == "bbr"
                    else "other flows of the host change with it",
                    "RFC 9438; Cardwell et al. 2017; Leith and Shorten 2004",
                )
    if role == "receiver":
        yield Change(
            f"{role}-lro-{'off' if host.lro else 'on'}",
            f"large receive offload {'off' if host.lro else 'on'}",
            {f"{role}.lro": not host.lro},
            "setting",
            f"ethtool -K IFACE lro {'off' if host.lro else 'on'}",
            "ethtool -k IFACE | grep large-receive-offload",
            "must be off where packets are forwarded or bridged; with autotuned windows it slows the start",
            "HECN B systems: 6.05 Gb/s with, 7.03 without LRO and autotuned windows; C systems gained processor time",
        )
    if role == "sender" and not host.offload:
        yield Change(
            f"{role}-tso",
            "segmentation offload on",
            {f"{role}.offload": True},
            "setting",
            "ethtool -K IFACE sg on tso on gso on",
            "ethtool -k IFACE | grep segmentation-offload",
            "bursts of 64 KiB leave at line rate: short queues may drop them",
            "Linux, Documentation/networking/segmentation-offloads.rst",
        )


def _cores(scenario: Scenario, role: str, host: Host) -> Iterator[Change]:
    cpu = host.cpu
    if cpu is None or cpu.cores < 2:
        return
    flows = range(scenario.tool.processes)
    busy = {core for flow in flows for core in thread_cores(host, scenario.tool, flow)}
    others = [core for core in range(cpu.cores) if core not in busy]
    if host.nic_cores and others and set(host.nic_cores) != set(others) and is_networked(scenario):
        yield Change(
            f"{role}-interrupts",
            f"network interrupts of the {role} on all cores that run no transfer ({', '.join(map(str, others))})",
            {f"{role}.nic_cores": others},
            "setting",
            "echo MASK > /proc/irq/N/smp_affinity for each queue, or the driver's set_irq_affinity; stop irqbalance",
            "/proc/interrupts: the counts grow on those cores",
            "a core on another socket than the card is slower",
            "HECN C systems, '6-of-7': interrupts moved between cores",
        )
    shared = busy & set(host.nic_cores) if host.nic_cores else set()
    free = [core for core in range(cpu.cores) if core not in host.nic_cores and core not in host.storage_cores]
    if shared and len(free) >= len(busy):
        yield Change(
            f"{role}-processes",
            f"transfer processes of the {role} on cores without interrupts ({', '.join(map(str, free))})",
            {f"{role}.app_cores": free},
            "setting",
            "taskset -c CORE or numactl --physcpubind=CORE in front of the tool",
            "ps -o psr, or mpstat -P ALL 1",
            "none beside the core's other work",
            "HECN HotLava tests and C systems: processes pinned apart from interrupts",
        )
    yield Change(
        f"{role}-clock",
        f"the cores of the {role} clocked 6 % higher",
        {f"{role}.cpu.clock": {**cpu.clock.model_dump(exclude={"unit"}), "value": 1.0625 * cpu.clock.value}},
        "setting",
        "BIOS: CPU ratio or turbo limits; cpupower frequency-set -g performance",
        "turbostat, or cpupower monitor, under load",
        "heat and stability; out of warranty above the maker's clock",
        "HECN B systems: 3.2 to 3.4 GHz at the receiver",
    )
    if host.busy_cores:
        yield Change(
            f"{role}-neighbours",
            f"other programs moved away from cores {', '.join(map(str, sorted(set(host.busy_cores))))} of the {role}",
            {f"{role}.busy_cores": []},
            "setting",
            "taskset -p or isolcpus= for the cores of transfers",
            "top, pressing 1",
            "those programs run elsewhere",
            "the scheduler shares a core evenly: limits cpu",
        )
    if host.cpu_quota is not None:
        yield Change(
            f"{role}-quota",
            f"no processor quota for the transfer on the {role}",
            {f"{role}.cpu_quota": UNSET},
            "setting",
            "echo max > cpu.max of its control group, or CPUQuota= in its unit",
            "cpu.stat: nr_throttled stays",
            "it may take a whole core",
            "Linux, Documentation/scheduler/sched-bwc.rst",
        )
