"""Checks of ports and TCP: links, MTU, rings, offloads, interrupts, buffers against a path, bonds, drops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hecn_analysis import limits
from hecn_analysis.base import units
from hecn_analysis.base.errors import RangeError
from hecn_analysis.inventory.checks.finding import Finding, Seen, listed, positive
from hecn_analysis.inventory.parts.network import Bond, Queue
from hecn_analysis.limits import framing
from hecn_analysis.limits.tcp_window import autotuned_window, bdp_bytes, kernel_version, window_limit_bps

_CYCLES: Final = {"cycles_per_byte": 1.0, "cycles_per_packet": 4000}
_CORE: Final = "limits.cpu with 1 cycle a byte and 4000 a packet (assumed)"
_MERGED: Final = 65_536
_AWAY_S: Final = 1e-3
_FAST: Final = 9.9e9
_LONG_S: Final = 0.01
_BUSY: Final = 0.9
_FEW: Final = 1000
_OFFLOADS: Final = {
    "tcp-segmentation-offload": "tso",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "scatter-gather": "sg",
    "tx-checksumming": "tx",
    "rx-checksumming": "rx",
}

_LRO: Final = "HECN, netem-enabled-WAN additional results (2009-11), 80 ms: 6.05 Gb/s with LRO, 7.03 Gb/s without"
_INTERRUPTS: Final = "HECN, C-Systems (2010-08): the receiver's core that serves the card is full at 99 %"
_OFFLOAD: Final = "ethtool(8), -K; Linux networking/segmentation-offloads.rst: one pass of the stack for up to 64 KiB"
_RING: Final = "ethtool(8), -G; Linux networking/scaling.rst"
_BUFFERS: Final = "RFC 7323: a window must hold bandwidth times delay; Linux networking/ip-sysctl.rst, tcp_rmem"
_MTU: Final = "HECN tests run with 9000 bytes; RFC 894, IEEE 802.3: 38 bytes of framing a packet"
_BOND: Final = "Linux networking/bonding.rst, 802.3ad: only ports of the active aggregator carry traffic"
_ETHTOOL: Final = "ethtool(8)"


def _goodput(rate: float | None, mtu: int | None) -> float | None:
    if rate is None:
        return None
    try:
        return float(limits.ethernet(rate=rate, mtu=mtu or 1500)["goodput_bps"])
    except RangeError:
        return None


def _core(seen: Seen, unit: int, cores: int = 1) -> float | None:
    """Return the rate of cores that handle units of this size [bit/s]."""
    clock = seen.machine.cpu.clock_hz
    if clock is None:
        return None
    return float(limits.cpu(clock, unit=max(unit, 1), cores=max(cores, 1), **_CYCLES)["throughput_bps"])


def link(seen: Seen) -> Iterator[Finding]:
    """Ports that are down, or slower than possible."""
    for name, port in sorted(seen.ports.items()):
        can, does = seen.port_bps(name), positive(port.speed_bps)
        if port.link_detected is False and seen.link(name).up is not False:
            yield Finding(
                "link-down",
                name,
                "no link",
                "a link" + (f" of {units.format_rate(can)}" if can else ""),
                limit_bps=0.0,
                fixed_bps=_goodput(can, seen.mtu(name)),
                basis="limits.ethernet at the fastest link mode",
                fix=f"cable, optics and the switch's port; ip link set {name} down where it is not used",
                verify=f"ethtool {name} | grep -E 'Link detected|Speed'",
                source=_ETHTOOL,
            )
        elif can is not None and does is not None and does < can * 0.999:
            yield Finding(
                "link-slow",
                name,
                units.format_rate(does),
                f"{units.format_rate(can)}, which the port can do",
                limit_bps=_goodput(does, seen.mtu(name)),
                fixed_bps=_goodput(can, seen.mtu(name)),
                basis=f"limits.ethernet, MTU {seen.mtu(name) or 1500}",
                fix="optics or cable for that rate; same rate, FEC and autonegotiation at both ends: "
                f"ethtool -s {name} autoneg on; ethtool -m {name} shows what the optics can do",
                verify=f"ethtool {name} | grep -E 'Speed|Link partner'",
                source=_ETHTOOL,
            )
        if port.duplex == "half":
            yield Finding(
                "half-duplex",
                name,
                "half duplex",
                "full duplex",
                limit_bps=None if does is None else does / 2,
                fixed_bps=_goodput(does, seen.mtu(name)),
                basis="both directions share the line: half of it each",
                fix=f"ethtool -s {name} autoneg on; the same setting at the switch",
                verify=f"ethtool {name} | grep Duplex",
                source=_ETHTOOL,
            )


def mtu(seen: Seen) -> Iterator[Finding]:
    """Ports of 10 Gb/s and more with packets of 1500 bytes or less."""
    for name in sorted(seen.ports):
        size, rate = seen.mtu(name), seen.port_bps(name)
        if size is None or size > 1500 or rate is None or rate < _FAST:
            continue
        yield Finding(
            "mtu",
            name,
            f"MTU {size}",
            "MTU 9000, on this port, the switches and the other end",
            limit_bps=_goodput(rate, size),
            fixed_bps=_goodput(rate, 9000),
            basis=f"limits.ethernet at {units.format_rate(rate)}; and a sixth of the packets where cores limit",
            fix=f"ip link set {name} mtu 9000, and wherever the network's configuration is kept",
            verify=f"ip link show {name}; ping -M do -s 8972 HOST",
            source=_MTU,
            scenario_settings={"path.mtu": 9000},
        )


def rings(seen: Seen) -> Iterator[Finding]:
    """Ports of 10 Gb/s and more whose rings are below half of the card's maximum."""
    for name, port in sorted(seen.ports.items()):
        rate = seen.port_bps(name)
        if rate is not None and rate < _FAST:
            continue
        low = [
            (side, now, most)
            for side, now, most in (("rx", port.rx, port.rx_max), ("tx", port.tx, port.tx_max))
            if now is not None and most is not None and 0 < now <= most / 2
        ]
        if not low:
            continue
        frame = (seen.mtu(name) or 1500) + framing.FRAME_OVERHEAD
        received = next(((now, most) for side, now, most in low if side == "rx"), None)
        held = (
            [min(count * frame * 8 / _AWAY_S, rate or float("inf")) for count in received] if received else [None, None]
        )
        yield Finding(
            "rings",
            name,
            ", ".join(f"{side} {now}" for side, now, _ in low),
            ", ".join(f"{side} {most}" for side, _, most in low) + ", the card's largest",
            limit_bps=held[0],
            fixed_bps=held[1],
            basis=f"packets of {frame} bytes that the receive ring holds while its core is away for 1 ms (assumed), "
            "at most the port's rate",
            fix=f"ethtool -G {name} " + " ".join(f"{side} {most}" for side, _, most in low),
            verify=f"ethtool -g {name}; ethtool -S {name} | grep -iE 'drop|miss|no_buf'",
            source=_RING,
        )


def offloads(seen: Seen) -> Iterator[Finding]:
    """Offloads that are off although the card has them."""
    for name, port in sorted(seen.ports.items()):
        features, fixed = port.features or {}, port.fixed or []
        off = [long for long in _OFFLOADS if features.get(long) is False and long not in fixed]
        if off:
            segment = (seen.mtu(name) or 1500) - framing.header_bytes()
            together = any("segmentation" in offload or offload == "generic-receive-offload" for offload in off)
            yield Finding(
                "offloads",
                name,
                f"off: {listed(off)}",
                "on",
                limit_bps=_core(seen, segment) if together else None,
                fixed_bps=_core(seen, _MERGED) if together else None,
                basis=f"one core: {_CORE}, {segment} or 65536 bytes at once" if together else "",
                fix=f"ethtool -K {name} " + " ".join(f"{_OFFLOADS[offload]} on" for offload in off),
                verify=f"ethtool -k {name}",
                source=_OFFLOAD,
            )


def lro(seen: Seen) -> Iterator[Finding]:
    """Large receive offload on a long path, whose few acknowledgements slow the sender down."""
    rtt = None if seen.path is None else seen.path.rtt.value
    if rtt is not None and rtt < _LONG_S:
        return
    for name, port in sorted(seen.ports.items()):
        if port.features is not None and port.features.get("large-receive-offload") is True:
            where = "on this path" if rtt is not None else "for paths of more than some 10 ms"
            yield Finding(
                "lro",
                name,
                "large receive offload on",
                f"off {where}, and generic receive offload on",
                limit_bps=6.05e9,
                fixed_bps=7.03e9,
                basis="measured at 80 ms with an autotuned window on a 10 Gb/s path, not this host",
                fix=f"ethtool -K {name} lro off gro on",
                verify=f"ethtool -k {name} | grep receive-offload",
                source=_LRO,
                scenario_settings={"host.lro": False},
            )


def interrupts(seen: Seen) -> Iterator[Finding]:
    """Ports with several queues whose interrupts go almost all to one processor."""
    for name in sorted(seen.ports):
        rows = _queues(seen, name)
        sums: dict[int, int] = {}
        for counts in rows:
            for cpu, count in enumerate(counts):
                sums[cpu] = sums.get(cpu, 0) + count
        total = sum(sums.values())
        if len(rows) < 2 or len(sums) < 2 or total < _FEW:
            continue
        cpu, most = max(sums.items(), key=lambda item: item[1])
        if most < _BUSY * total:
            continue
        cores = min(len(rows), len(sums))
        segment = (seen.mtu(name) or 1500) - framing.header_bytes()
        yield Finding(
            "interrupts",
            name,
            f"{100 * most / total:.0f} % of the interrupts of {len(rows)} queues on processor {cpu}",
            "queues spread over the cores of the card's node",
            limit_bps=_core(seen, segment),
            fixed_bps=_core(seen, segment, cores),
            basis=f"{_CORE}, {segment} bytes a packet, on one and on {cores} cores",
            fix="systemctl stop irqbalance; for each queue: echo CORE > /proc/irq/NUMBER/smp_affinity_list "
            f"(or the driver's set_irq_affinity.sh local {name})",
            verify=f"grep {name} /proc/interrupts during a test",
            source=_INTERRUPTS,
        )


def _queues(seen: Seen, name: str) -> list[list[int]]:
    """Counts of a port's interrupts, a list for each queue that was ever used."""
    place = seen.ports[name].bus_info or ""
    counts = []
    for interrupt in seen.machine.interrupts.values():
        words = interrupt.actions.replace("-", " ").replace("@", " ").replace(",", " ").split()
        mine = name in words or (place and f"pci:{place}" in interrupt.actions)
        if mine and sum(interrupt.counts):
            counts.append(interrupt.counts)
    return counts


def buffers(seen: Seen) -> Iterator[Finding]:
    """Largest TCP buffers below what the named path needs."""
    path, settings = seen.path, seen.machine.kernel
    if path is None:
        return
    if path.rate is None:
        return
    rate, rtt, size = path.rate.value, path.rtt.value, int(path.mtu)
    need = float(bdp_bytes(rate, rtt))
    kernel = _kernel(settings.kernel)
    mss = max(size - framing.header_bytes(), 500)
    for side, key, three in (("receive", "tcp_rmem", settings.tcp_rmem), ("send", "tcp_wmem", settings.tcp_wmem)):
        if three is None or len(three) != 3 or three[2] < 1:
            continue
        ends = {"tcp_rmem_max": float("inf"), "tcp_wmem_max": float("inf"), f"{key}_max": float(three[2])}
        window = float(autotuned_window(**ends, kernel=kernel, mss_bytes=mss, adv_win_scale=settings.adv_win_scale))
        if window >= need:
            continue
        wanted = 1 << max(int(2.5 * need) - 1, 1).bit_length()
        words = " ".join(str(value) for value in (*three[:2], wanted))
        yield Finding(
            f"tcp-{side}-buffer",
            f"net.ipv4.{key}",
            f"{three[2]} bytes at most, a window of {window:.0f} bytes",
            f"{wanted} bytes: the path needs a window of {need:.0f} bytes",
            limit_bps=float(window_limit_bps(window, rtt)),
            fixed_bps=_goodput(rate, size),
            basis=f"one stream: the window Linux makes of the buffer, each {units.format_time(rtt)}",
            fix=f"sysctl -w net.ipv4.{key}='{words}', and in /etc/sysctl.d/",
            verify=f"sysctl net.ipv4.{key}; ss -ti during a test",
            source=_BUFFERS,
            scenario_settings={f"host.{key}_max": wanted},
        )
    for key, most in (("tcp_recvbuf_max", settings.tcp_recvbuf_max), ("tcp_sendbuf_max", settings.tcp_sendbuf_max)):
        if most is not None and 0 < most < need:
            wanted = 1 << max(int(2 * need) - 1, 1).bit_length()
            name = key.removeprefix("tcp_")
            yield Finding(
                "tcp-receive-buffer" if "recv" in key else "tcp-send-buffer",
                f"net.inet.tcp.{name}",
                f"{most} bytes at most",
                f"{wanted} bytes: the path needs a window of {need:.0f} bytes",
                limit_bps=float(window_limit_bps(most, rtt)),
                fixed_bps=_goodput(rate, size),
                basis=f"one stream: the buffer as a window, each {units.format_time(rtt)}",
                fix=f"sysctl kern.ipc.maxsockbuf={wanted} net.inet.tcp.{name}={wanted}, and in /etc/sysctl.conf "
                f"(macOS: net.inet.tcp.auto{'rcv' if 'recv' in key else 'snd'}bufmax)",
                verify=f"sysctl net.inet.tcp.{name}",
                source=_BUFFERS,
                scenario_settings={f"host.{'tcp_rmem_max' if 'recv' in key else 'tcp_wmem_max'}": wanted},
            )


def _kernel(text: str | None) -> str:
    """Version of Linux that the model supports."""
    try:
        kernel_version(text or "")
    except RangeError:
        return "6.18"
    return text or ""


def tcp_options(seen: Seen) -> Iterator[Finding]:
    """TCP options that are off and that fast or long paths need."""
    kernel = seen.machine.kernel
    rtt = None if seen.path is None else seen.path.rtt.value
    three = kernel.tcp_rmem or []
    usual = float(three[1]) if len(three) == 3 and three[1] > 0 else None
    rules = (
        (kernel.window_scaling, "net.ipv4.tcp_window_scaling", "windows stay below 64 KiB", 65_535.0),
        (kernel.sack, "net.ipv4.tcp_sack", "several lost packets of a window cost a round each", None),
        (
            kernel.moderate_rcvbuf,
            "net.ipv4.tcp_moderate_rcvbuf",
            "receive buffers do not grow beyond the default",
            usual,
        ),
    )
    for on, key, why, window in rules:
        if on is not False:
            continue
        yield Finding(
            "tcp-options",
            key,
            f"0: {why}",
            "1",
            limit_bps=float(window_limit_bps(window, rtt)) if window and rtt else None,
            basis=f"one stream: a window of {window:.0f} bytes, each {units.format_time(rtt)}"
            if window and rtt
            else "",
            fix=f"sysctl -w {key}=1",
            verify=f"sysctl {key}",
            source="RFC 7323, RFC 2018; Linux networking/ip-sysctl.rst",
        )


def bonds(seen: Seen) -> Iterator[Finding]:
    """Bonds with idle members."""
    for bond in map(Bond.of, seen.facts("proc-net-bonding")):
        slaves, active = bond.slaves, bond.active_aggregator
        idle = [
            slave.name
            for slave in slaves
            if slave.state not in (None, "up") or (active is not None and slave.aggregator not in (None, active))
        ]
        if not idle or bond.mode == "active-backup":
            continue
        speeds = [positive(slave.speed_bps) for slave in slaves]
        each = next((speed for speed in speeds if speed is not None), None)
        yield Finding(
            "bond",
            bond.interface or "bond",
            f"{listed(idle)} of {len(slaves)} ports carry nothing",
            "all ports up and in the active aggregator",
            limit_bps=None if each is None else _goodput(each * (len(slaves) - len(idle)), 1500),
            fixed_bps=None if each is None else _goodput(each * len(slaves), 1500),
            basis="limits.ethernet, MTU 1500, all ports with flows of their own",
            fix="cables; LACP on the same group of ports of the switch",
            verify="cat /proc/net/bonding/*",
            source=_BOND,
        )


def drops(seen: Seen) -> Iterator[Finding]:
    """Queues that dropped outgoing packets."""
    sums: dict[str, tuple[int, int]] = {}
    for facts in seen.facts("tc-s-qdisc"):
        for queue in map(Queue.of, facts["qdiscs"]):
            if queue.root and queue.dropped:
                sums[str(queue.dev)] = (queue.dropped, queue.sent_packets or 0)
    for name, (lost, sent) in sorted(sums.items()):
        share = lost / max(lost + sent, 1)
        yield Finding(
            "queue-drops",
            name,
            f"{lost} packets dropped before the cable, {100 * share:.2g} % of all",
            "none",
            basis="no figure: what it costs depends on the round-trip time of who lost them",
            fix=f"tc qdisc replace dev {name} root fq; pace the sender (iperf3 --fq-rate, nuttcp -R); "
            f"ip link set {name} txqueuelen 10000",
            verify=f"tc -s qdisc show dev {name}",
            source="Linux tc-fq(8): pacing keeps bunches out of queues",
        )
