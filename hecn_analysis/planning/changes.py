"""What can be changed about a transfer: settings of hosts and tools, then parts; each with how, how to check, the risk.

A change is a set of scenario keys. Whether it gains anything is not decided here but by predicting both sides
(`hecn_analysis.planning.advise`): here stands what would be possible at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from hecn_analysis import units
from hecn_analysis.hardware import Host, Scenario
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.hardware.parts import Nic
from hecn_analysis.hardware.quantity import Basis
from hecn_analysis.limits.tcp_window import LARGEST_WINDOW
from hecn_analysis.prediction.cores import thread_cores

#: Distance at which a proxy that ends TCP is worth a thought: satellites, and half around the world. [s]
FAR: Final = 0.2

_ROLES: Final = ("sender", "receiver")
_ETHERNET: Final = (1e9, 10e9, 25e9, 40e9, 100e9, 200e9, 400e9, 800e9)
_MIB: Final = 2**20

#: Bases of a price, the weakest first.
PRICE_BASES: Final = ("assumed", "calibrated", "documented", "specification")
_STREAMS: Final = {
    "nuttcp": "-N{}",
    "iperf3": "-P {}",
    "gridftp": "-p {}",
    "bbftp": "-p {}",
    "xdd": "-e2e … qthreads {}",
}


@dataclass(frozen=True)
class Change:
    """Something that can be done about a transfer.

    Attributes
    ----------
    name
        Short and unique for a scenario: ``receiver-max-payload``.
    title
        What is done, for people.
    settings
        Keys of the scenario with the values that they take.
    kind
        ``setting`` of a host, of the ``tool``, of the ``path`` (which has other users), or ``purchase``.
    how, check, risk
        The command or BIOS item; how to see that it took; what may go wrong.
    source
        Where that is known from.
    price_usd
        Of the parts, both hosts together; None: not known; 0 for what is free. [USD]
    price_basis, price_source
        How far the price is to be trusted (one of `PRICE_BASES`; None: there is none), and where it is from.
    """

    name: str
    title: str
    settings: Mapping[str, Any]
    kind: Literal["setting", "tool", "path", "purchase"]
    how: str
    check: str
    risk: str
    source: str
    price_usd: float | None = field(default=0.0)
    price_basis: Basis | None = None
    price_source: str = ""

    @property
    def is_free(self) -> bool:
        """Whether nothing has to be bought."""
        return self.kind != "purchase"


def possible(scenario: Scenario) -> list[Change]:
    """Everything that could be changed about a scenario, whether it would gain something or not.

    Parameters
    ----------
    scenario
        The transfer as it is.
    """
    found = [*_path(scenario), *_tool(scenario), *_links(scenario)]
    for role in _ROLES:
        host = getattr(scenario, role)
        if host is not None:
            found += [*_network_settings(scenario, role, host), *_cores(scenario, role, host), *_slots(role, host)]
            found += [*_purchases(scenario, role, host)]
    return found


def _is_networked(scenario: Scenario) -> bool:
    return scenario.tool.protocol != "file" and not scenario.path.same_host


# path ----------------------------------------------------------------------------------------------------------------


def _path(scenario: Scenario) -> Iterator[Change]:
    path = scenario.path
    if not _is_networked(scenario):
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
    if _is_networked(scenario):
        option = _STREAMS.get(tool.name, "the tool's option for {} streams")
        for factor in (4, 8):
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
    if not _is_networked(scenario) or host.name == "ideal":
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
    if host.nic_cores and others and set(host.nic_cores) != set(others) and _is_networked(scenario):
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
            {f"{role}.cpu_quota": None},
            "setting",
            "echo max > cpu.max of its control group, or CPUQuota= in its unit",
            "cpu.stat: nr_throttled stays",
            "it may take a whole core",
            "Linux, Documentation/scheduler/sched-bwc.rst",
        )


def _slots(role: str, host: Host) -> Iterator[Change]:
    pcie = {name: slot for name, slot in host.slots.items() if slot.bus == "pcie"}
    bridges = [*(host.board.bridges.values() if host.board is not None else ()), *host.bridges.values()]
    able = min([bridge.max_payload.value for bridge in bridges if bridge.max_payload is not None] or [256.0])
    small = {
        f"{role}.slots.{name}.max_payload": able
        for name, slot in pcie.items()
        if slot.max_payload is not None and slot.max_payload.value < able
    }
    if pcie and (small or host.max_payload.value < able):
        now = min([host.max_payload.value, *(slot.max_payload.value for slot in pcie.values() if slot.max_payload)])
        yield Change(
            f"{role}-max-payload",
            f"MaxPayload of {able:.0f} bytes instead of {now:.0f} on the {role}",
            {f"{role}.max_payload": able, **small},
            "setting",
            "BIOS: PCIe Maximum Payload Size; kernel: pci=pcie_bus_perf; or setpci -s DEVICE CAP_EXP+8.w=0020:00e0",
            "lspci -vv: DevCtl MaxPayload of the card and of every bridge above it",
            "all of a path must be able to (DevCap): a device that is not stops with a malformed packet",
            "HECN, HotLava: 128 to 256 bytes raise the theoretical maximum from 53.9 to 58.5 Gb/s; PCI Express Base",
        )
    short = {
        f"{role}.slots.{name}.max_read_request": 4096
        for name, slot in pcie.items()
        if (slot.nic or slot.controller) is not None and slot.max_read_request.value < 4096
    }
    if short:
        yield Change(
            f"{role}-max-read-request",
            f"MaxReadRequest of 4096 bytes for the cards of the {role}",
            short,
            "setting",
            "setpci -s DEVICE CAP_EXP+8.w=5000:7000",
            "lspci -vv: DevCtl MaxReadReq",
            "long reads of one card delay the others'",
            "PCI Express Base, Device Control",
        )
    bursts = {
        f"{role}.slots.{name}.burst": 4096
        for name, slot in host.slots.items()
        if slot.bus == "pcix" and slot.burst.value < 4096
    }
    if bursts:
        yield Change(
            f"{role}-mmrbc",
            f"PCI-X bursts (MMRBC) of 4096 bytes on the {role}",
            bursts,
            "setting",
            "MMRBC 3 in the card's PCI-X command register; Intel PRO/10GbE: setpci -d 8086:1048 e6.b=2e",
            "lspci -vv: PCI-X Command, RBC=4096",
            "other cards on that bus wait longer",
            "HECN bullets of 2004: 3.2 to 5.0 Gb/s",
        )
    yield from _moves(role, host)


def _moves(role: str, host: Host) -> Iterator[Change]:
    """Cards that could go into a wider slot of the board that nothing is in."""
    if host.board is None:
        return
    taken = {slot.at for slot in host.slots.values()}
    for name, slot in host.slots.items():
        card = slot.nic or slot.controller
        if slot.bus != "pcie" or card is None or card.lanes is None or card.gen is None or slot.at is None:
            continue
        now = _speed(slot.gen, slot.lanes, card.gen, card.lanes)
        for free, other in host.board.slots.items():
            if free in taken or other.bus != "pcie" or _speed(other.gen, other.lanes, card.gen, card.lanes) <= now:
                continue
            yield Change(
                f"{role}-{name}-to-{free}",
                f"the card of slot {name} in {free} (PCIe {other.gen}.0 x{other.lanes}) of the {role}",
                {f"{role}.slots.{name}.at": free, f"{role}.slots.{name}.lanes": None, f"{role}.slots.{name}.gen": None},
                "setting",
                "power off, move the card",
                "lspci -vv: LnkSta speed and width",
                "interface names may change",
                "the board's manual",
            )


def _speed(gen: int | None, lanes: int | None, card_gen: int, card_lanes: int) -> float:
    """What a slot and a card train to, in an order of sizes."""
    return 2.0 ** min(gen or 0, card_gen) * min(lanes or 0, card_lanes)


# purchases -----------------------------------------------------------------------------------------------------------


def _purchases(scenario: Scenario, role: str, host: Host) -> Iterator[Change]:
    if _is_networked(scenario):
        yield from _faster_cards(role, host)
    for name, array in host.arrays.items():
        if array.level is None:
            continue
        price = array.disk.price
        yield Change(
            f"{role}-{name}-disks",
            f"twice as many disks ({2 * array.disks}) in array {name} of the {role}",
            {
                f"{role}.arrays.{name}.disks": 2 * array.disks,
                f"{role}.arrays.{name}.groups": _groups(array.level, array.groups),
            },
            "purchase",
            f"{array.disks} more of {array.disk.title or 'the same disk'}, and bays, ports and power for them",
            "mdadm --detail or the controller's program",
            "the controllers, or their slots, may be the limit then",
            array.disk.source or "the catalogue of parts",
            None if price is None else array.disks * price.value,
            None if price is None else price.basis,
            "" if price is None else price.source,
        )
    memory, board = host.memory, host.board
    if memory is not None and board is not None and board.memory_channels is not None:
        channels = board.memory_channels * (host.cpu.sockets if host.cpu is not None else 1)
        if channels > memory.channels:
            yield Change(
                f"{role}-memory",
                f"all {channels} memory channels of the {role} filled instead of {memory.channels}",
                {f"{role}.memory.channels": channels},
                "purchase",
                f"{channels - memory.channels} more modules of the same kind, one in each empty channel",
                "dmidecode -t memory",
                "more modules on a channel may lower its clock",
                board.source,
                None,
            )


def _links(scenario: Scenario) -> Iterator[Change]:
    """The next rates of Ethernet for the path, which its cards must have too."""
    rate = scenario.path.rate
    if rate is None or scenario.path.framing != "ethernet" or not _is_networked(scenario):
        return
    for faster in [each for each in _ETHERNET if each > rate.value][:2]:
        yield Change(
            f"link-{faster / 1e9:g}g",
            f"links of {units.format_rate(faster)} instead of {units.format_rate(rate.value)}",
            {"path.rate": faster},
            "purchase",
            "another wave, circuit or switch port",
            "ethtool IFACE: Speed at both ends, and the provider's counters",
            "cards, optics and switches must have that rate",
            "IEEE 802.3",
            None,
        )


def _groups(level: int, groups: int) -> int:
    return 2 * groups if level in {50, 60} else groups


def _faster_cards(role: str, host: Host) -> Iterator[Change]:
    """For each network card, the cheapest of the catalogue with as many ports for each faster rate."""
    for name, slot in host.slots.items():
        if slot.nic is None or slot.bus != "pcie":
            continue
        best: dict[float, tuple[float, str, Any]] = {}
        for part, nic in parts("nics").items():
            assert isinstance(nic, Nic)  # noqa: S101 - what this kind holds
            if nic.bus != "pcie" or nic.ports < slot.nic.ports or nic.port_rate.value <= slot.nic.port_rate.value:
                continue
            price = np.inf if nic.price is None else nic.price.value
            if nic.port_rate.value not in best or price < best[nic.port_rate.value][0]:
                best[nic.port_rate.value] = (price, part, nic)
        for rate, (_, part, nic) in sorted(best.items()):
            yield Change(
                f"{role}-{name}-{part}",
                f"{nic.title} in slot {name} of the {role}",
                {f"{role}.slots.{name}.nic": part},
                "purchase",
                f"buy and fit it; optics or cables of {units.format_rate(rate)} at both ends",
                "ethtool IFACE: Speed; lspci -vv: LnkSta",
                "the slot, the cores or the path may be the limit then",
                nic.source,
                None if nic.price is None else nic.price.value,
                None if nic.price is None else nic.price.basis,
                "" if nic.price is None else nic.price.source,
            )
