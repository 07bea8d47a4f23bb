"""Demands on a host's slots and network cards, and on the bridges and socket links between them and the cores."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from hecn_analysis import limits
from hecn_analysis.limits import framing
from hecn_analysis.limits.socket_links import LINE_SHARE
from hecn_analysis.prediction.draws import agreed
from hecn_analysis.prediction.packets import link_shares, payload_per_packet

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario, Slot
    from hecn_analysis.hardware.quantity import Parameter
    from hecn_analysis.prediction.cores import Cores
    from hecn_analysis.prediction.demands import Demands
    from hecn_analysis.prediction.draws import Draws, FloatArray

#: Direction of a device's access to host memory, or of a host's access to its disks.
Operation = Literal["read", "write", "both"]

_BOTH_AND_WRITE: tuple[Operation, Operation] = ("both", "write")


def _trained(slot: Slot) -> tuple[int, int]:
    """Generation and lanes that a PCIe slot and its card train to."""
    card = slot.nic or slot.controller
    assert slot.gen is not None  # noqa: S101 - checked by Slot
    assert slot.lanes is not None  # noqa: S101 - checked by Slot
    gen = slot.gen if card is None or card.gen is None else min(slot.gen, card.gen)
    lanes = slot.lanes if card is None or card.lanes is None else min(slot.lanes, card.lanes)
    return gen, lanes


#: Names of slots and arrays that say what they are, not where, as hosts in words and purchases have them.
_SLOTS: Final = {"nic": "the slot of the {}'s network card", "drives": "the slot of the {}'s drive controller"}
_ARRAYS: Final = dict.fromkeys(("data", "drives", "array"), "the {}'s array")


def named(kind: str, name: str, role: str) -> str:
    """Name of a slot or an array of a host in a sentence: its label, or what it is."""
    word = name.rstrip(string.digits)
    words = (_SLOTS if kind == "slot" else _ARRAYS).get(word)
    if words is None:
        return f"{kind} {name} of the {role}"
    return words.format(role) + (f" {name[len(word) :]}" if len(name) > len(word) else "")


class Slots:
    """Slots of one host, and the bridges and socket links to its cores."""

    def __init__(
        self, scenario: Scenario, draw: Draws, demands: Demands, role: str, *, host: Host, cores: Cores | None
    ) -> None:
        self.scenario = scenario
        self.draw = draw
        self.demands = demands
        self.role = role
        self.host = host
        self.cores = cores
        self._bridges = host.all_bridges

    def _ports(self) -> list[str]:
        """Slot of each network port, in order."""
        return [name for name, slot in self.host.slots.items() if slot.nic is not None for _ in range(slot.nic.ports)]

    def add_cards(self, flow: int, number: int, *, sends: bool) -> None:
        """Add a flow's demands on the network cards, their slots and the bridges above."""
        ports = self._ports()
        if not ports:
            return
        payload, wire = payload_per_packet(self.scenario)
        path = self.scenario.path
        packet = wire - framing.FRAME_OVERHEAD if self.scenario.tool.protocol == "rdma" else path.mtu
        frame = packet + framing.ETHERNET_HEADER  # frame check sequence, preamble and gap stay in the card
        for link, share in link_shares(self.scenario, number):
            port = link % len(ports)
            name = ports[port]
            slot = self.host.slots[name]
            capacity = self._slot_bps(name, slot, sends=sends) * payload / frame
            variant = "" if slot.bus == "pcix" else str(sends)  # PCI-X is one bus for both directions
            self.demands.add(
                flow, f"{self.role}.slot.{name}", share / capacity, title=self.title(name, slot), variant=variant
            )
            if sends and slot.bus == "pcie" and self.scenario.tool.bidirectional:
                requests = self._request_seconds(name, slot) * share * frame / payload
                self.demands.add(
                    flow, f"{self.role}.slot.{name}", requests, title=self.title(name, slot), variant=str(False)
                )
            self.add_uplinks(flow, slot, share * frame / payload, op="read" if sends else "write")
            assert slot.nic is not None  # noqa: S101 - ports are those of slots with a card
            shared = path.links > len(ports)
            if path.rate is None or shared or agreed(slot.nic.port_rate.value < path.rate.value):
                rate = self.draw(f"{self.role}.slots.{name}.nic.port_rate", slot.nic.port_rate) * payload / wire
                title = f"port {port + 1} of the {self.role}'s {slot.nic.title or 'network card'}"
                self.demands.add(
                    flow, f"{self.role}.nic.{name}.{port + 1}", share / rate, title=title, variant=str(sends)
                )

    def _slot_bps(self, name: str, slot: Slot, *, sends: bool) -> FloatArray:
        at = f"{self.role}.slots.{name}"
        if slot.bus == "pcie":
            efficiency = (
                self.draw(f"{at}.read_efficiency", slot.read_efficiency)
                if sends
                else self.draw(f"{at}.write_efficiency", slot.write_efficiency)
            )
            return self.pcie_bps(name, slot, op="read" if sends else "write") * efficiency
        assert slot.clock is not None  # noqa: S101 - checked by Slot
        figures = limits.pcix(
            clock=self.draw(f"{at}.clock", slot.clock),
            width=slot.width,
            burst=self.draw(f"{at}.burst", slot.burst) if sends else self.draw(f"{at}.write_burst", slot.write_burst),
            overhead_clocks=self.draw(f"{at}.overhead_clocks", slot.overhead_clocks),
        )
        return np.asarray(figures["throughput_bps"], dtype=np.float64)

    def _request_seconds(self, name: str, slot: Slot) -> FloatArray:
        """Time that the requests of reads take of the direction of the writes, for each bit read [s/bit]."""
        both, write = (self.pcie_bps(name, slot, op=op) for op in _BOTH_AND_WRITE)
        return np.maximum(1 / both - 1 / write, 0.0)

    def pcie_bps(self, name: str, slot: Slot, *, op: Operation) -> FloatArray:
        """Rate of a PCI Express slot [bit/s]."""
        gen, lanes = _trained(slot)
        at = f"{self.role}.slots.{name}"
        return self._link_bps(at, gen, lanes, slot, op=op, max_read_request=slot.max_read_request)

    def _link_bps(
        self, at: str, gen: int, lanes: int, slot: Slot, *, op: Operation, max_read_request: Parameter | None = None
    ) -> FloatArray:
        """Rate of a PCI Express link for the traffic of a slot's card [bit/s]."""

        def rate() -> FloatArray:
            max_payload = self.host.max_payload if slot.max_payload is None else slot.max_payload
            figures = limits.pcie(
                gen=gen,
                lanes=lanes,
                max_payload=self.draw(f"{at}.max_payload", max_payload),
                max_read_request=512
                if max_read_request is None
                else self.draw(f"{at}.max_read_request", max_read_request),
                op=op,
            )
            return np.asarray(figures["throughput_bps"], dtype=np.float64)

        return self.draw.once((at, op), rate)

    def _between_sockets(self, flow: int, slot: Slot, bits: float | FloatArray, *, op: Operation) -> None:
        """Add demands on the links between sockets, where a card's flow runs on another socket's cores."""
        board = self.host.board
        if self.cores is None or board is None or board.socket_link_rate is None or board.socket_links == 0:
            return
        node = slot.node
        bridge_name = slot.behind
        while bridge_name is not None:
            bridge = self._bridges[bridge_name]
            node, bridge_name = bridge.node, bridge.behind
        remote = [socket for socket in self.cores.application_nodes(flow) if socket != node]
        if remote:
            rate = self.draw(f"{self.role}.board.socket_link_rate", board.socket_link_rate)
            share = bits * len(remote) / len(self.cores.application_nodes(flow))
            seconds_per_bit = share / (board.socket_links * rate * LINE_SHARE)
            title = f"links between the sockets of the {self.role}"
            self.demands.add(flow, f"{self.role}.interconnect.sockets", seconds_per_bit, title=title, variant=op)

    def add_uplinks(self, flow: int, slot: Slot, bits: float | FloatArray, *, op: Operation) -> None:
        """Add demands on the bridges between a card's slot and the processor, which other slots share."""
        self._between_sockets(flow, slot, bits, op=op)
        board = self.host.board
        if op == "write" and board is not None and board.write_rate is not None:
            written = bits / self.draw(f"{self.role}.board.write_rate", board.write_rate)
            title = f"what the hubs of the {self.role} pass to memory together"
            self.demands.add(flow, f"{self.role}.interconnect.hubs", written, title=title, variant=op)
        bridge_name = slot.behind
        while bridge_name is not None:
            bridge = self._bridges[bridge_name]
            at = f"{self.role}.bridges.{bridge_name}"
            if bridge.rate is not None:
                capacity = self.draw(f"{at}.rate", bridge.rate)
            elif bridge.gen is not None and bridge.lanes is not None:
                capacity = self._link_bps(at, bridge.gen, bridge.lanes, slot, op=op)
            else:
                capacity = None
            if capacity is not None:
                title = f"uplink of {bridge.title or bridge_name} of the {self.role}"
                name = f"{self.role}.interconnect.{bridge_name}"
                self.demands.add(flow, name, bits / capacity, title=title, variant=op)
            bridge_name = bridge.behind

    def title(self, name: str, slot: Slot) -> str:
        """Title of a slot: name, host, bus and card."""
        card = slot.nic or slot.controller
        bus = "PCIe {}.0 x{}".format(*_trained(slot)) if slot.bus == "pcie" else "PCI-X"
        return f"{named('slot', name, self.role)} ({bus}{', ' + card.title if card and card.title else ''})"
