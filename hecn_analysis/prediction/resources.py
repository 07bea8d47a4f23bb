"""From a scenario to resources and demands: which part of which host a bit of each flow keeps busy, and for how long.

A flow is one process of the tool, from the place its data come from to the place they go to. Each resource (a core, a
slot, an array, a link) has a demand: the time that it needs for one payload bit. Work that shares a core adds up, work
on different resources overlaps. Demands come from `hecn_analysis.limits`; this module only knows which applies where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Literal

import numpy as np

from hecn_analysis import limits
from hecn_analysis.limits import framing, storage
from hecn_analysis.limits.socket_links import LINE_SHARE
from hecn_analysis.prediction.cores import Cores
from hecn_analysis.prediction.draws import Draws, FloatArray, agreed, central

if TYPE_CHECKING:
    from hecn_analysis.hardware import Array, Disk, Host, Scenario, Slot
    from hecn_analysis.hardware.quantity import Parameter

#: Passes of each byte over main memory for a transfer through sockets: the card's own and that of the copy's far side.
#: RFC 4297, section 4.2, counts a third one for the application's buffer, which in a transfer tool stays in the cache.
NETWORK_PASSES = 2
#: What a file adds: the copy's side in the page cache (or, with direct I/O, in the buffer), and the controller's.
FILE_PASSES = 2

#: Classes of resources that are stages of a request: while one works on it, the others wait where nothing overlaps.
_STAGES = frozenset({"disk", "raid", "cpu", "link", "filesystem"})

#: What a device does with the memory of its host, or a host with its disks.
Operation = Literal["read", "write"]

_STORING = frozenset({"disk", "raid"})


@dataclass(frozen=True)
class Resource:
    """Something that can be fully busy.

    Attributes
    ----------
    name
        ``receiver.cpu.core1``, ``sender.slot.nic1``, ``path.link``: whose, its class, which one.
    resource_class
        One of the contract's classes: cpu, memory, slot, nic, disk, raid, link, ...
    title
        What it is, for people.
    """

    name: str
    resource_class: str
    title: str


@dataclass(frozen=True)
class System:
    """What `solve.max_min` needs, for the central values and every draw.

    Attributes
    ----------
    resources, flows
        What there is.
    by_resource
        Of each resource, the demand of each flow that uses it, central and drawn (see `draws`). [s/bit]
    reverse
        Of each flow: it goes from the scenario's receiver to its sender.
    fill_s
        Of each flow, time that the first block needs through all stages but the slowest, central and drawn. [s]
    """

    resources: tuple[Resource, ...]
    flows: tuple[str, ...]
    by_resource: tuple[Mapping[int, FloatArray], ...]
    reverse: tuple[bool, ...]
    fill_s: Mapping[int, FloatArray]

    def table(
        self, shape: tuple[int, ...], part: Callable[[FloatArray], FloatArray] = lambda values: values
    ) -> FloatArray:
        """Demands side by side, shape (…, flows, resources); 0 where a flow does not use a resource [s/bit]."""
        found = np.zeros((*shape, len(self.flows), len(self.resources)))
        for number, by_flow in enumerate(self.by_resource):
            for flow, seconds in by_flow.items():
                found[..., flow, number] = part(seconds)
        return found


class _Demands:
    """Collects demands by resource and flow."""

    def __init__(self) -> None:
        self.table: dict[tuple[str, str], tuple[Resource, dict[int, FloatArray]]] = {}

    def add(self, flow: int, name: str, seconds_per_bit: FloatArray, *, title: str, variant: str = "") -> None:
        """Add to what `flow` asks of the resource; `variant` keeps apart the two directions of one resource."""
        key = (name, variant)
        by_flow = self.table[key][1] if key in self.table else {}
        by_flow[flow] = by_flow[flow] + seconds_per_bit if flow in by_flow else seconds_per_bit
        self.table[key] = (Resource(name, name.split(".")[1], title), by_flow)


def build(scenario: Scenario, draw: Draws) -> System:
    """Resources of a scenario and the demands of its flows on them."""
    tool = scenario.tool
    ways = (False, True) if tool.bidirectional else (False,)
    flows = [(number, way) for way in ways for number in range(tool.processes)]
    names = [
        ("reverse " if way else "") + (f"process {number + 1}" if tool.processes > 1 else "flow")
        for number, way in flows
    ]
    demands = _Demands()
    for role, host in (("sender", scenario.sender), ("receiver", scenario.receiver)):
        if host is not None:
            _HostDemands(scenario, draw, demands, role, flows).add()
    if tool.protocol != "file":
        _add_links(scenario, draw, demands, flows)
    _add_tool(scenario, draw, demands, flows)
    rows = list(demands.table.values())
    return System(
        tuple(resource for resource, _ in rows),
        tuple(names),
        tuple(by_flow for _, by_flow in rows),
        tuple(way for _, way in flows),
        _fill(scenario, draw, rows),
    )


def _fill(
    scenario: Scenario, draw: Draws, rows: Sequence[tuple[Resource, Mapping[int, FloatArray]]]
) -> dict[int, FloatArray]:
    """Time to fill the pipeline: of each stage that takes a whole block before it hands it on, but the slowest."""
    if scenario.tool.request is None or not scenario.tool.overlap:
        return {}
    stages = [by_flow for resource, by_flow in rows if resource.resource_class in _STORING]
    block = 8 * draw("tool.request", scenario.tool.request)
    fill: dict[int, FloatArray] = {}
    for flow in {flow for by_flow in stages for flow in by_flow}:
        times = [by_flow[flow] for by_flow in stages if flow in by_flow]
        fill[flow] = np.asarray((sum(times) - reduce(np.maximum, times)) * block, dtype=np.float64)
    return fill


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


def payload_per_packet(scenario: Scenario) -> tuple[int, float]:
    """Payload of a full packet, and what the packet costs on the wire [B].

    Parameters
    ----------
    scenario
        Path and tool.

    Returns
    -------
    tuple
        Both numbers. [B]

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


def _add_links(scenario: Scenario, draw: Draws, demands: _Demands, flows: list[tuple[int, bool]]) -> None:
    path = scenario.path
    if path.rate is None:
        return
    payload, wire = payload_per_packet(scenario)
    seconds_per_bit = wire / payload / draw("path.rate", path.rate)
    if scenario.tool.protocol == "udp":  # nothing is sent again: what is lost has taken its time on the link
        seconds_per_bit = seconds_per_bit / (1 - draw("path.loss", path.loss))
    for flow, (number, way) in enumerate(flows):
        for link, share in link_shares(scenario, number):
            name = "path.link" if path.links == 1 else f"path.link.{link + 1}"
            which = f"link {link + 1} of the path" if path.links > 1 else "the link"
            title = f"{which} ({path.title})" if path.title else which
            demands.add(flow, name, share * seconds_per_bit, title=title, variant=str(way))
            if path.pep_rate is not None:
                proxy = share * wire / payload / draw("path.pep_rate", path.pep_rate)
                demands.add(flow, "path.pep", proxy, title="the proxies of the path", variant=str(way))


def _add_tool(scenario: Scenario, draw: Draws, demands: _Demands, flows: list[tuple[int, bool]]) -> None:
    """Add what the tool itself holds back: its pace, and that it does one thing after another."""
    tool = scenario.tool
    for flow, (_, way) in enumerate(flows):
        sender = "receiver" if way else "sender"
        if tool.pace is not None:
            rate = draw("tool.pace", tool.pace) * streams_per_process(scenario)
            demands.add(flow, f"{sender}.tool.pace", 1 / rate, title="the pace that the tool holds itself to")
        if not tool.overlap:
            _add_stages_in_turn(scenario, draw, demands, flow)
        elif tool.protocol == "rdma" and tool.request is not None:
            under_way = 8 * draw("tool.request", tool.request) * tool.outstanding * tool.streams
            title = f"{tool.outstanding * tool.streams} requests under way over the round trip"
            demands.add(flow, f"{sender}.tool.requests", draw("path.rtt", scenario.path.rtt) / under_way, title=title)


def _add_stages_in_turn(scenario: Scenario, draw: Draws, demands: _Demands, flow: int) -> None:
    """Add the time of a request, its stages and the round trip one after another, by the requests under way at once."""
    tool = scenario.tool
    stages = {
        resource.name: by_flow[flow]
        for resource, by_flow in demands.table.values()
        if resource.resource_class in _STAGES and flow in by_flow and agreed(central(by_flow[flow]) > 0)
    }
    if not stages:
        return
    total = sum(stages.values(), np.zeros(1))
    slowest = list(stages)[agreed(np.argmax(np.broadcast_arrays(*map(central, stages.values())), axis=0))]
    if tool.protocol == "file" or tool.request is None:
        role, resource_class, *_ = slowest.split(".")
        name, title = f"{role}.{resource_class}.in-turn", "reading and writing in turn"
    else:
        total = total + draw("path.rtt", scenario.path.rtt) / draw("tool.request", tool.request) / 8
        name, title = (
            "sender.tool.requests",
            f"{tool.outstanding * tool.streams} requests under way, each answered first",
        )
    demands.add(flow, name, total / (tool.outstanding * tool.streams), title=title)


def _trained(slot: Slot) -> tuple[int, int]:
    """Generation and lanes that a PCIe slot and its card agree on."""
    card = slot.nic or slot.controller
    assert slot.gen is not None  # noqa: S101 - checked by Slot
    assert slot.lanes is not None  # noqa: S101 - checked by Slot
    gen = slot.gen if card is None or card.gen is None else min(slot.gen, card.gen)
    lanes = slot.lanes if card is None or card.lanes is None else min(slot.lanes, card.lanes)
    return gen, lanes


class _HostDemands:
    """What the flows ask of one host."""

    def __init__(
        self, scenario: Scenario, draw: Draws, demands: _Demands, role: str, flows: list[tuple[int, bool]]
    ) -> None:
        self.scenario = scenario
        self.draw = draw
        self.demands = demands
        self.role = role
        host = scenario.sender if role == "sender" else scenario.receiver
        assert host is not None  # noqa: S101 - made only for hosts that are there
        self.host: Host = host
        self.flows = flows
        self._bridges = host.all_bridges
        self.cores = (
            None
            if host.cpu is None
            else Cores(
                scenario,
                draw,
                role,
                host,
                host.cpu,
                flows,
                payload_per_packet(scenario)[0],
                lambda flow, name, seconds_per_bit, title: demands.add(flow, name, seconds_per_bit, title=title),
            )
        )

    def add(self) -> None:
        """Add storage, slots, cores and memory, for each flow in the part that this host has in it."""
        for flow, (number, way) in enumerate(self.flows):
            sends = (self.role == "sender") != way
            tool = self.scenario.tool
            networked = tool.protocol != "file"
            end = tool.source_end if sends else tool.sink_end
            on_disk = end == "disk"
            self._storage(flow, number, sends=sends, on_disk=on_disk)
            self._filter(flow)
            if networked:
                self._cards(flow, number, sends=sends)
            if self.cores is not None:
                self.cores.add(flow, sends=sends, networked=networked, on_disk=on_disk)
            self._memory(flow, networked=networked, on_disk=on_disk)

    # storage -------------------------------------------------------------------------------------------------------

    def _storage(self, flow: int, number: int, *, sends: bool, on_disk: bool) -> None:
        host = self.host
        known_rate = host.read_rate if sends else host.write_rate
        if known_rate is not None:
            field = "read_rate" if sends else "write_rate"
            rate = self.draw(f"{self.role}.{field}", known_rate)
            self.demands.add(flow, f"{self.role}.disk", 1 / rate, title=f"storage of the {self.role}", variant=field)
        if not on_disk or not host.arrays or known_rate is not None:
            return
        files_on = host.file_arrays
        name = files_on[number % len(files_on)]
        array = host.arrays[name]
        neighbours = sum(
            files_on[other % len(files_on)] == name for other, way in self.flows if way == self.flows[flow][1]
        )
        rate = self.draw.once(
            (self.role, name, neighbours, sends), lambda: self._array_rate(name, array, neighbours, reads=sends)
        )
        if array.level is None:
            kind, title = "disk", f"{array.disk.title or 'disk'} {name} of the {self.role}"
        else:
            kind, title = "raid", f"array {name} of the {self.role} (RAID {array.level}, {array.disks} disks)"
        self.demands.add(flow, f"{self.role}.{kind}.{name}", 1 / rate, title=title)
        for slot_name in array.slots:
            slot = host.slots[slot_name]
            capacity = self._pcie(slot_name, slot, op="write" if sends else "read")
            share = 1 / len(array.slots)
            self.demands.add(
                flow,
                f"{self.role}.slot.{slot_name}",
                share / capacity,
                title=self._slot_title(slot_name, slot),
                variant=str(sends),
            )
            self._uplinks(flow, slot, share, op="write" if sends else "read")
            if slot.controller is not None and agreed(np.isfinite(slot.controller.rate.value)):
                carried = self.draw(f"{self.role}.slots.{slot_name}.controller.rate", slot.controller.rate)
                self.demands.add(
                    flow,
                    f"{self.role}.raid.controller-{slot_name}",
                    share / carried,
                    title=f"{slot.controller.title or 'the controller'} of the {self.role}",
                )

    def _array_rate(self, name: str, array: Array, streams: int, *, reads: bool) -> FloatArray:
        at = f"{self.role}.arrays.{name}.disk"
        disk = array.disk
        field, known = ("read_rate", disk.read_rate) if reads else ("write_rate", disk.write_rate)
        buffered = disk.buffered_read_rate if reads else disk.buffered_write_rate
        if self.scenario.tool.io == "buffered" and buffered is not None:
            field, known = f"buffered_{field}", buffered
        rate = self.draw(f"{at}.{field}", known)
        if not reads and disk.sustained_write_rate is not None:
            rate = np.minimum(rate, self.draw(f"{at}.sustained_write_rate", disk.sustained_write_rate))
        if streams > 1 and agreed(np.isfinite(disk.run_bytes.value)):  # what seeks, loses time between files
            shared = storage.interleaved_bps(
                rate,
                self.draw(f"{at}.run_bytes", disk.run_bytes),
                seek=self.draw(f"{at}.seek", disk.seek),
                revolution=self.draw(f"{at}.revolution", disk.revolution),
            )
            rate = np.asarray(shared, dtype=np.float64)
        if array.level is not None:
            op: Operation = "read" if reads else "write"
            figures = limits.raid(
                level=array.level,
                disks=array.disks,
                groups=array.groups,
                disk_rate=rate,
                op=op,
                solid_state=agreed(disk.solid_state),
            )
            rate = np.asarray(figures["throughput_bps"], dtype=np.float64)
        return np.minimum(rate, self._answered_rate(at, disk, rate, reads=reads))

    def _answered_rate(self, at: str, disk: Disk, rate: FloatArray, *, reads: bool) -> FloatArray | float:
        """Rate at which the requests under way at once are answered, where they pass the page cache by [bit/s]."""
        tool = self.scenario.tool
        if tool.request is None or tool.io != "direct":
            return np.inf
        way = "read" if reads else "write"
        latency, most = (
            self.draw(f"{at}.{way}_{each}", getattr(disk, f"{way}_{each}")) for each in ("latency", "iops")
        )
        request = self.draw("tool.request", tool.request)
        answered = storage.outstanding_bps(request, tool.outstanding * tool.streams, latency, rate)
        return np.minimum(np.asarray(answered, dtype=np.float64), most * 8 * request)

    def _filter(self, flow: int) -> None:
        if self.host.filter_rate is not None:
            rate = self.draw(f"{self.role}.filter_rate", self.host.filter_rate)
            share = self.draw(f"{self.role}.filter_quota", self.host.filter_quota)
            name = f"{self.role}.cpu.filter{flow + 1}" if len(self.flows) > 1 else f"{self.role}.cpu.filter"
            self.demands.add(flow, name, 1 / (rate * share), title=f"the filter of the {self.role}")

    # slots and cards -----------------------------------------------------------------------------------------------

    def _ports(self) -> list[str]:
        """Slot of each network port, in order."""
        return [name for name, slot in self.host.slots.items() if slot.nic is not None for _ in range(slot.nic.ports)]

    def _cards(self, flow: int, number: int, *, sends: bool) -> None:
        ports = self._ports()
        if not ports:
            return
        payload, wire = payload_per_packet(self.scenario)
        path = self.scenario.path
        frame = wire - 24 if self.scenario.tool.protocol == "rdma" else path.mtu + 14  # what crosses the slot
        for link, share in link_shares(self.scenario, number):
            port = link % len(ports)
            name = ports[port]
            slot = self.host.slots[name]
            capacity = self._slot_rate(name, slot, sends=sends) * payload / frame
            variant = "" if slot.bus == "pcix" else str(sends)  # PCI-X is one bus for both directions
            self.demands.add(
                flow, f"{self.role}.slot.{name}", share / capacity, title=self._slot_title(name, slot), variant=variant
            )
            self._uplinks(flow, slot, share * frame / payload, op="read" if sends else "write")
            assert slot.nic is not None  # noqa: S101 - ports are those of slots with a card
            shared = path.links > len(ports)
            if path.rate is None or shared or agreed(slot.nic.port_rate.value < path.rate.value):
                rate = self.draw(f"{self.role}.slots.{name}.nic.port_rate", slot.nic.port_rate) * payload / wire
                title = f"port {port + 1} of the {self.role}'s {slot.nic.title or 'network card'}"
                self.demands.add(
                    flow, f"{self.role}.nic.{name}.{port + 1}", share / rate, title=title, variant=str(sends)
                )

    def _slot_rate(self, name: str, slot: Slot, *, sends: bool) -> FloatArray:
        at = f"{self.role}.slots.{name}"
        if slot.bus == "pcie":
            efficiency = (
                self.draw(f"{at}.read_efficiency", slot.read_efficiency)
                if sends
                else self.draw(f"{at}.write_efficiency", slot.write_efficiency)
            )
            return self._pcie(name, slot, op="read" if sends else "write") * efficiency
        assert slot.clock is not None  # noqa: S101 - checked by Slot
        figures = limits.pcix(
            clock=self.draw(f"{at}.clock", slot.clock),
            width=slot.width,
            burst=self.draw(f"{at}.burst", slot.burst) if sends else self.draw(f"{at}.write_burst", slot.write_burst),
            overhead_clocks=self.draw(f"{at}.overhead_clocks", slot.overhead_clocks),
        )
        return np.asarray(figures["throughput_bps"], dtype=np.float64)

    def _pcie(self, name: str, slot: Slot, *, op: Operation) -> FloatArray:
        gen, lanes = _trained(slot)
        at = f"{self.role}.slots.{name}"
        return self._pcie_rate(at, gen, lanes, slot, op=op, max_read_request=slot.max_read_request)

    def _pcie_rate(
        self, at: str, gen: int, lanes: int, slot: Slot, *, op: Operation, max_read_request: Parameter | None = None
    ) -> FloatArray:
        """What a PCI Express link carries of the traffic of a slot's card [bit/s]."""

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

    def _between_sockets(self, flow: int, slot: Slot, bits: float, *, op: Operation) -> None:
        """Add what a card's traffic asks of the links between sockets, where its flow runs on another one's cores."""
        board = self.host.board
        if self.cores is None or board is None or board.socket_link_rate is None or board.socket_links == 0:
            return
        node = slot.node
        above = slot.behind
        while above is not None:
            bridge = self._bridges[above]
            node, above = bridge.node, bridge.behind
        away = [at for at in self.cores.application_nodes(flow) if at != node]
        if away:
            rate = self.draw(f"{self.role}.board.socket_link_rate", board.socket_link_rate)
            share = bits * len(away) / len(self.cores.application_nodes(flow))
            seconds_per_bit = share / (board.socket_links * rate * LINE_SHARE)
            title = f"links between the sockets of the {self.role}"
            self.demands.add(flow, f"{self.role}.interconnect.sockets", seconds_per_bit, title=title, variant=op)

    def _uplinks(self, flow: int, slot: Slot, bits: float, *, op: Operation) -> None:
        """Add what a card's traffic asks of the bridges between its slot and the processor, which other slots share."""
        self._between_sockets(flow, slot, bits, op=op)
        above = slot.behind
        while above is not None:
            bridge = self._bridges[above]
            at = f"{self.role}.bridges.{above}"
            if bridge.rate is not None:
                capacity = self.draw(f"{at}.rate", bridge.rate)
            elif bridge.gen is not None and bridge.lanes is not None:
                capacity = self._pcie_rate(at, bridge.gen, bridge.lanes, slot, op=op)
            else:
                capacity = None
            if capacity is not None:
                title = f"uplink of {bridge.title or above} of the {self.role}"
                self.demands.add(flow, f"{self.role}.interconnect.{above}", bits / capacity, title=title, variant=op)
            above = bridge.behind

    def _slot_title(self, name: str, slot: Slot) -> str:
        card = slot.nic or slot.controller
        bus = "PCIe {}.0 x{}".format(*_trained(slot)) if slot.bus == "pcie" else "PCI-X"
        return f"slot {name} of the {self.role} ({bus}{', ' + card.title if card and card.title else ''})"

    # memory --------------------------------------------------------------------------------------------------------

    def _memory(self, flow: int, *, networked: bool, on_disk: bool) -> None:
        memory = self.host.memory
        if memory is None:
            return
        passes = (NETWORK_PASSES if networked else 0) + (FILE_PASSES if on_disk else 0)
        if passes == 0:
            return

        def seconds_per_bit() -> FloatArray:
            figures = limits.memory(
                channels=self.draw(f"{self.role}.memory.channels", memory.channels),
                transfers=self.draw(f"{self.role}.memory.transfers", memory.transfers),
                usable=self.draw(f"{self.role}.memory.usable", memory.usable),
                passes=passes,
            )
            return np.asarray(1 / figures["throughput_bps"], dtype=np.float64)

        name = f"{self.role}.memory"
        demand = self.draw.once((name, passes), seconds_per_bit)
        self.demands.add(flow, name, demand, title=f"memory of the {self.role}")
