"""What stands between the network stack and the wire: ciphers, tunnels, virtual cards, shapers, and forwarding boxes.

Each is a resource of its own, with costs from ``models/devices.yaml``. A cipher of the program itself (TLS, ssh) is
work of the transfer process and so part of its cost per byte (`process_cost`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hecn_analysis.base import places, units
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.quantity import SHOWN_UNIT, Parameter
from hecn_analysis.limits.processor import SEGMENTS_TOGETHER
from hecn_analysis.prediction.draws import agreed
from hecn_analysis.prediction.packets import link_shares, payload_per_packet, streams_per_process

if TYPE_CHECKING:
    from hecn_analysis.hardware import Cpu, Host, Scenario
    from hecn_analysis.hardware.parts import Cipher
    from hecn_analysis.prediction.demands import Demands
    from hecn_analysis.prediction.draws import Draws, FloatArray

#: Clock of a processor that is not described.
_CLOCK: Final = Parameter(
    value=3e9, spread=0.3, basis="assumed", source="servers under load: 2.3 to 3.9 GHz", unit=SHOWN_UNIT["frequency"]
)

#: Cycles for a packet in interrupts of the servers that the costs of this module are those of (generic-server-cpu).
_SERVER_PACKET: Final = 1000.0

#: Memory that one translation covers. [B]
_PAGE: Final = 4096

#: Ciphers that programs use unless told otherwise, with and without AES instructions.
_USUAL_TLS: Final[tuple[Cipher, Cipher]] = ("aes-gcm", "chacha20-poly1305")

#: Year from which OpenSSH has ChaCha20-Poly1305, and prefers it: release notes of OpenSSH 6.5, January 2014.
_SSH_CHACHA: Final = 2014


@cache
def _table() -> dict[str, Any]:
    return dict(yaml_file.load(places.models_dir() / "devices.yaml").values)


def _assumed(entry: dict[str, Any], field: str = "value", dimension: units.Dimension = "cycles_per_byte") -> Parameter:
    return Parameter(
        value=units.parse(entry[field], dimension),
        spread=units.parse(entry["spread"], "fraction"),
        basis="assumed",
        source=entry["source"],
        unit=SHOWN_UNIT[dimension],
    )


def slowness(cpu: Cpu | None) -> float:
    """Cycles that a processor needs for a packet, over those of a server's: small cores do less in each [1]."""
    return 1.0 if cpu is None else float(agreed(cpu.interrupt_packet_cost.value)) / _SERVER_PACKET


def core_clock(draw: Draws, role: str, host: Host) -> FloatArray:
    """Clock of a host's cores under its governor [Hz]."""
    clock = draw(f"{role}.cpu.clock", _CLOCK if host.cpu is None else host.cpu.clock)
    if host.governor is None:
        return clock
    share = draw(f"{role}.governor", _assumed(_table()["governors"][host.governor], dimension="fraction"))
    return np.asarray(clock * np.minimum(share, 1.0))


def system_factor(draw: Draws, role: str, host: Host) -> FloatArray:
    """Cycles for sockets with the host's operating system, over those with Linux."""
    if host.system == "linux":
        return np.ones(1)
    systems = _table()["systems"]
    entry = systems.get(host.system, systems["other"])
    return np.asarray(draw(f"{role}.system", _assumed(entry, dimension="fraction")))


def buffer_cost(draw: Draws, role: str, host: Host, unit: FloatArray) -> FloatArray:
    """Cycles per byte for the IOMMU's translation of each buffer of up to a page [cycles/B]."""
    return request_cost(draw, role, host, np.minimum(unit, _PAGE))


def request_cost(draw: Draws, role: str, host: Host, size: FloatArray) -> FloatArray:
    """Cycles per byte for the IOMMU's translation of a request to a disk, whose pages are mapped at once [cycles/B]."""
    if host.iommu is None:
        return np.zeros(1)
    cycles = draw(f"{role}.iommu", _assumed(_table()["iommu"][host.iommu], dimension="cycles"))
    return np.asarray(cycles / size)


def filter_cost(draw: Draws, role: str, host: Host, unit: FloatArray) -> FloatArray:
    """Cycles per byte of the kernel's packet filter, for packets of a size [cycles/B]."""
    if host.firewall is None:
        return np.zeros(1)
    cycles = draw(f"{role}.firewall", _assumed(_table()["firewalls"][host.firewall], dimension="cycles"))
    return np.asarray(cycles / unit)


def switch_cost(draw: Draws, role: str, host: Host, unit: FloatArray) -> FloatArray:
    """Cycles per byte of a virtual switch that the host's packets of a size cross [cycles/B]."""
    if host.virtual_switch == "none":
        return np.zeros(1)
    entry = _table()["virtual_switches"][host.virtual_switch]
    return np.asarray(draw(f"{role}.virtual_switch", _assumed(entry, dimension="cycles")) / unit)


def pacing_cost(draw: Draws, role: str, host: Host, unit: FloatArray) -> FloatArray:
    """Cycles per byte for the timer that releases each packet of a paced sender [cycles/B]."""
    if host.congestion_control != "bbr":
        return np.zeros(1)
    by = "fq" if host.qdisc == "fq" else "own"
    return np.asarray(draw(f"{role}.pacing", _assumed(_table()["pacing"][by], dimension="cycles")) / unit)


def process_cost(scenario: Scenario, draw: Draws, role: str, cpu: Cpu) -> FloatArray:
    """Cycles per byte that a program spends on its own cipher and its own packets [cycles/B]."""
    tool = scenario.tool
    total = draw("tool.packet_cost", tool.packet_cost) / payload_per_packet(scenario)[0]
    if tool.request is not None and tool.protocol != "file":
        each = draw("tool.request_cost", tool.request_cost) * slowness(cpu)
        total = total + each / draw("tool.request", tool.request)
    if tool.encryption is None or tool.protocol == "file":
        return total
    cipher = tool.cipher or _usual_cipher(scenario, cpu)
    own = draw(f"tool.encryption.{tool.encryption}", _assumed(_table()["encryption"][tool.encryption]))
    return np.asarray(total + own * slowness(cpu) + _cipher_cost(draw, role, cpu, cipher))


def _usual_cipher(scenario: Scenario, cpu: Cpu) -> Cipher:
    """Cipher that a program uses unless told otherwise."""
    if scenario.tool.encryption == "ssh":
        years = [host.year for host in (scenario.sender, scenario.receiver) if host is not None and host.year]
        return "aes-ctr-hmac" if min(years, default=_SSH_CHACHA) < _SSH_CHACHA else "chacha20-poly1305"
    with_aes, without = _USUAL_TLS
    return without if cpu.crypto in {"none", "simd"} else with_aes


def _cipher_cost(draw: Draws, role: str, cpu: Cpu | None, cipher: Cipher) -> FloatArray:
    """Cycles per byte of a cipher on a processor [cycles/B]."""
    stated = None if cpu is None else cpu.ciphers.get(cipher)
    crypto = (cpu.crypto if cpu is not None else None) or "unknown"
    return draw(f"{role}.cpu.ciphers.{cipher}", stated or _assumed(_table()["ciphers"][cipher][crypto]))


class Devices:
    """Tunnels, virtual cards and shapers of one host."""

    def __init__(self, scenario: Scenario, draw: Draws, demands: Demands, role: str, host: Host) -> None:
        self.scenario = scenario
        self.draw = draw
        self.demands = demands
        self.role = role
        self.host = host

    def add(self, flow: int, number: int, *, sends: bool) -> None:
        """Add the demands of a flow, process `number` of the tool."""
        self._tunnel(flow)
        self._card(flow, number)
        self._shapers(flow, sends=sends)

    @property
    def _clock(self) -> FloatArray:
        return core_clock(self.draw, self.role, self.host)

    def _tunnel(self, flow: int) -> None:
        """Add the time of a tunnel's packets on the one core that they all pass."""
        tunnel, near = self.scenario.path.tunnel, self.scenario.path.same_host
        if tunnel is None:
            return
        if near and tunnel == "user-mode" and self.role == "receiver":  # this end has no such stack
            return
        entry = _table()["tunnels"][tunnel]
        payload = np.atleast_1d(np.asarray(payload_per_packet(self.scenario)[0], dtype=np.float64))
        cycles = self.draw(f"path.tunnel.{tunnel}", _assumed(entry, "packet", "cycles")) / payload
        cycles = cycles * self._left_of_packets(payload) + entry.get("byte_cost", 0)
        cycles = cycles * slowness(self.host.cpu)
        cycles = cycles + 2 * filter_cost(self.draw, self.role, self.host, payload)  # without its headers, then with
        if "cipher" in entry:
            cores = 1 if self.host.cpu is None else self.host.cpu.cores
            cost = _cipher_cost(self.draw, self.role, self.host.cpu, entry["cipher"])
            cycles = cycles + cost / min(entry.get("spread_over", 1), cores)
        owner = "sender" if near else self.role
        title = f"the {tunnel} tunnel on a core of the {owner}"
        self.demands.add(flow, f"{owner}.cpu.tunnel", cycles / self._clock / 8, title=title)

    def _left_of_packets(self, payload: FloatArray) -> FloatArray:
        """Share of a tunnel's work on packets that remains, given what crosses it as one [1]."""
        if not self.scenario.path.tunnel_offload:
            return np.ones(1)
        each = self.draw("path.tunnel_offload", _assumed(_table()["tunnel_offload"], dimension="fraction"))
        return np.asarray(each + (1 - each) / np.maximum(SEGMENTS_TOGETHER // payload, 1.0))

    def _card(self, flow: int, number: int) -> None:
        """Add the time of a virtual card on the cores that serve its queues."""
        card = self.host.card
        if card not in _table()["cards"]:
            return
        entry = _table()["cards"][card]
        payload = payload_per_packet(self.scenario)[0]
        unit = np.maximum(payload, SEGMENTS_TOGETHER // payload * payload) if self.host.offload else payload
        byte_cost = self.draw(f"{self.role}.card.byte_cost", _assumed(entry, "byte_cost"))
        cycles = byte_cost + self.draw(f"{self.role}.card.packet", _assumed(entry, "packet", "cycles")) / unit
        streams = self.scenario.tool.streams
        queues = [(number * streams + stream) % self.host.card_queues for stream in range(streams)]
        for queue in sorted(set(queues)):
            share = queues.count(queue) / streams
            title = f"queue {queue + 1} of the {card} card of the {self.role}"
            name = f"{self.role}.cpu.card{queue + 1}"
            self.demands.add(flow, name, share * cycles / self._clock / 8, title=title)

    def _shapers(self, flow: int, *, sends: bool) -> None:
        """Add what a cloud allows the machine and each of its connections."""
        at, host = self.role, self.host
        if host.instance_rate is not None:
            payload, wire = payload_per_packet(self.scenario)
            rate = self.draw(f"{at}.instance_rate", host.instance_rate) * payload / wire
            title = f"the rate allowed to the {at}'s machine"
            self.demands.add(flow, f"{at}.nic.shaper", 1 / rate, title=title, variant=str(sends))
        allowed = host.flow_rate
        if allowed is None and host.card in _table()["flow_rates"]:
            allowed = _assumed(_table()["flow_rates"][host.card], dimension="rate")
        if allowed is not None:
            rate = self.draw(f"{at}.flow_rate", allowed) * streams_per_process(self.scenario)
            title = f"the rate allowed to each connection of the {at}'s machine"
            self.demands.add(flow, f"{at}.nic.flow{flow + 1}", 1 / rate, title=title, variant=str(sends))


def add_forwarding(scenario: Scenario, draw: Draws, demands: Demands, flows: list[tuple[int, bool]]) -> None:
    """Add the boxes on the path: what they forward of bits and of packets, both directions together."""
    path = scenario.path
    payload, wire = payload_per_packet(scenario)
    for flow, (number, _) in enumerate(flows):
        share = sum(part for _, part in link_shares(scenario, number))
        if path.forward_rate is not None:
            time = share * wire / payload / draw("path.forward_rate", path.forward_rate)
            demands.add(flow, "path.switch.bits", time, title="the bits that a box on the path forwards")
        if path.forward_packets is not None:
            time = share / (8 * payload) / draw("path.forward_packets", path.forward_packets)
            demands.add(flow, "path.switch.packets", time, title="the packets that a box on the path forwards")
