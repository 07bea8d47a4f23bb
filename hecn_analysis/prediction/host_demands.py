"""Demands of flows on one host: storage, packet filter, slots, cores and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hecn_analysis import limits
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.prediction.array_rates import array_rate, flush_time
from hecn_analysis.prediction.cores import Cores
from hecn_analysis.prediction.devices import Devices
from hecn_analysis.prediction.draws import agreed
from hecn_analysis.prediction.packets import payload_per_packet
from hecn_analysis.prediction.priors import Unstated
from hecn_analysis.prediction.slots import Slots, named

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario
    from hecn_analysis.prediction.demands import Demands
    from hecn_analysis.prediction.draws import Draws, FloatArray

#: Passes of each byte over main memory for a transfer through sockets: one for the card, one for the kernel's copy.
#: RFC 4297, section 4.2, counts a third for the application's buffer, which stays in the cache of a transfer tool.
NETWORK_PASSES = 2
#: Passes that a file adds: one in the page cache (with direct I/O, the buffer), one for the disk controller.
FILE_PASSES = 2

#: What a host keeps of a file before it lets the writer wait for its disk. [B]
_PAGE_CACHE = Parameter(
    value=4e9,
    spread=5.0,
    basis="assumed",
    source="Linux, mm/page-writeback.c, vm_dirty_ratio: a fifth of the memory that is available, of 4 to 128 GB",
    unit="B",
)

#: Least share of a file that a disk has to write before its writer is done.
_LEAST_WRITTEN = 0.02


class HostDemands:
    """Demands of the flows on one host."""

    def __init__(
        self, scenario: Scenario, draw: Draws, demands: Demands, role: str, flows: list[tuple[int, bool]]
    ) -> None:
        self.scenario = scenario
        self.draw = draw
        self.demands = demands
        self.role = role
        host = scenario.sender if role == "sender" else scenario.receiver
        assert host is not None  # noqa: S101 - the caller skips absent hosts
        self.host: Host = host
        self.flows = flows
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
        self.devices = Devices(scenario, draw, demands, role, host)
        self.slots = Slots(scenario, draw, demands, role, host=host, cores=self.cores)

    def add(self) -> None:
        """Add the demands of each flow on storage, slots, cores and memory, for this host's role in it."""
        for flow, (number, way) in enumerate(self.flows):
            sends = (self.role == "sender") != way
            tool = self.scenario.tool
            networked = tool.protocol != "file"
            end = tool.source_end if sends else tool.sink_end
            on_disk = end == "disk"
            self._storage(flow, number, sends=sends, on_disk=on_disk)
            self._filter(flow)
            if networked:
                self.slots.add_cards(flow, number, sends=sends)
                self.devices.add(flow, number, sends=sends)
            if self.cores is not None:
                self.cores.add(flow, sends=sends, networked=networked, on_disk=on_disk)
            self._memory(flow, networked=networked, on_disk=on_disk)

    def _storage(self, flow: int, number: int, *, sends: bool, on_disk: bool) -> None:
        host = self.host
        known_rate = host.read_rate if sends else host.write_rate
        if known_rate is not None:
            field = "read_rate" if sends else "write_rate"
            rate = self.draw(f"{self.role}.{field}", known_rate)
            time = 1 / rate
            if on_disk and not sends and self.scenario.tool.sync:
                time = time + flush_time(self.scenario.tool, self.draw, self.role)
            elif on_disk and not sends and isinstance(known_rate, Unstated):
                time = time * self._not_cached()
            self.demands.add(flow, f"{self.role}.disk", time, title=f"storage of the {self.role}", variant=field)
        if not on_disk or not host.arrays or known_rate is not None:
            return
        files_on = host.file_arrays
        name = files_on[number % len(files_on)]
        array = host.arrays[name]
        neighbours = sum(
            files_on[other % len(files_on)] == name for other, way in self.flows if way == self.flows[flow][1]
        )
        rate = self.draw.once(
            (self.role, name, neighbours, sends),
            lambda: array_rate(self.scenario.tool, self.draw, self.role, name, array, streams=neighbours, reads=sends),
        )
        if array.level is None:
            kind, title = "disk", f"{array.disk.title or 'disk'} {name} of the {self.role}"
        else:
            kind, title = "raid", f"{named('array', name, self.role)} (RAID {array.level}, {array.disks} disks)"
        self.demands.add(flow, f"{self.role}.{kind}.{name}", 1 / rate, title=title)
        for slot_name in array.slots:
            slot = host.slots[slot_name]
            capacity = self.slots.pcie_bps(slot_name, slot, op="write" if sends else "read")
            share = 1 / len(array.slots)
            self.demands.add(
                flow,
                f"{self.role}.slot.{slot_name}",
                share / capacity,
                title=self.slots.title(slot_name, slot),
                variant=str(sends),
            )
            self.slots.add_uplinks(flow, slot, share, op="write" if sends else "read")
            if slot.controller is not None and agreed(np.isfinite(slot.controller.rate.value)):
                carried = self.draw(f"{self.role}.slots.{slot_name}.controller.rate", slot.controller.rate)
                self.demands.add(
                    flow,
                    f"{self.role}.raid.controller-{slot_name}",
                    share / carried,
                    title=f"{slot.controller.title or 'the controller'} of the {self.role}",
                )

    def _not_cached(self) -> FloatArray:
        """Share of the amount to write that the page cache does not hold until the end."""
        tool = self.scenario.tool
        if tool.bytes is None or "tool.bytes" not in self.scenario.keys or tool.io == "direct":
            return np.ones(1)
        amount = self.draw("tool.bytes", tool.bytes) * len(self.flows)
        return np.maximum(1 - self.draw(f"{self.role}.page_cache", _PAGE_CACHE) / amount, _LEAST_WRITTEN)

    def _filter(self, flow: int) -> None:
        if self.host.filter_rate is not None:
            rate = self.draw(f"{self.role}.filter_rate", self.host.filter_rate)
            share = self.draw(f"{self.role}.filter_quota", self.host.filter_quota)
            name = f"{self.role}.cpu.filter{flow + 1}" if len(self.flows) > 1 else f"{self.role}.cpu.filter"
            self.demands.add(flow, name, 1 / (rate * share), title=f"the filter of the {self.role}")

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
