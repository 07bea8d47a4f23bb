"""Demands of a scenario's flows on the cores of a host: copies, packets, calls, interrupts, files.

The catalogue's cost of a byte includes packets of `Cpu.measured_payload`, with segmentation offload and merged on
receipt, and messages of `Cpu.measured_message`; costs of packets and calls add the extra work of smaller ones
(`hecn_analysis.limits.processor.cost_cycles_per_byte`). Interrupts run on cores of their own (`interrupts`). Between
two processes of one machine, the sending core also receives the packets, and data from another core's cache costs more.

Where the machine was measured with the same tool (`Cpu.tools`), those costs apply. The kernel moves two processes of
one machine between cores unless they are bound: only the sum of their costs and their share of the cores repeat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hecn_analysis.limits.processor import SEGMENTS_TOGETHER
from hecn_analysis.limits.tcp_window import kernel_version
from hecn_analysis.prediction.devices import (
    buffer_cost,
    core_clock,
    filter_cost,
    pacing_cost,
    process_cost,
    request_cost,
    slowness,
    switch_cost,
    system_factor,
)
from hecn_analysis.prediction.draws import FloatArray
from hecn_analysis.prediction.interrupts import Interrupts
from hecn_analysis.prediction.placement import Placement

if TYPE_CHECKING:
    from collections.abc import Callable

    from hecn_analysis.hardware import Cpu, Host, Scenario
    from hecn_analysis.hardware.parts import ToolCosts
    from hecn_analysis.hardware.quantity import Parameter
    from hecn_analysis.prediction.draws import Draws

#: Packets that the kernel takes from a receive queue at once, and merges (Linux, NAPI_POLL_WEIGHT).
POLLED = 64

#: First kernel that cuts what TCP sends into packets below TCP, even for cards without offloads (GSO always on).
_GSO_ALWAYS = (4, 17)

#: Gain of kernels for sockets: releases after 5.15, and the share of `Cpu.kernel_gain` that they have.
_RELEASES, _PROGRESS = (0, 10, 13), (0.0, 0.42, 1.0)


def _progress(kernel: str) -> float:
    """Share of `Cpu.kernel_gain` that a kernel has: none up to 5.15, all from 6.8 on."""
    major, minor = kernel_version(kernel)
    releases = {5: minor - 15, 6: minor + 5}.get(major, 13 if major > 6 else 0)
    return float(np.interp(releases, _RELEASES, _PROGRESS))


def _together(payload: FloatArray) -> FloatArray:
    """Packets that an offload handles as one; an infinite payload is one."""
    return np.asarray(np.where(np.isinf(payload), 1.0, np.maximum(SEGMENTS_TOGETHER // payload, 1.0)))


_INTERRUPTS = "network interrupts"

#: Tools with a thread for the disk alone.
_DISK_THREAD = frozenset({"reader-writer", "streams-and-disk"})

_Work: TypeAlias = tuple[list[int], FloatArray, str]
"""Cores that share a task evenly, its cycles per byte, its name."""


@dataclass
class Cores:
    """The cores of one host of a scenario.

    ``flows`` has, for each flow, the number of its process and whether it goes from the scenario's receiver to its
    sender; ``payload`` is that of a full packet [B]. ``put`` adds a demand: flow, resource, seconds per bit, title.
    """

    scenario: Scenario
    draw: Draws
    role: str
    host: Host
    cpu: Cpu
    flows: list[tuple[int, bool]]
    payload: float | FloatArray
    put: Callable[[int, str, FloatArray, str], None]
    _duties: dict[int, list[str]] = field(default_factory=dict)

    def add(self, flow: int, *, sends: bool, networked: bool, on_disk: bool) -> None:
        """Add a flow's demands on the cores of this host, which `sends` or receives it."""
        busy = {core for other in range(len(self.flows)) for core in self._threads(other)}
        crowding = 1 + self._draw("cpu.contention", self.cpu.contention) * (len(busy) - 1)
        per_clock = crowding / core_clock(self.draw, self.role, self.host) / 8
        seconds_per_cycle = self._draw("cpu.scatter", self.cpu.scatter) * per_clock
        process, others = self._work(flow, sends=sends, networked=networked, on_disk=on_disk)
        stated = "cpu_share" in self.host.model_fields_set
        share = self._draw("cpu_share", self.host.cpu_share) if stated else np.ones(1)
        self._spread(flow, [(cores, cost * seconds_per_cycle / share, duty) for cores, cost, duty in process])
        for cores, cost, duty in others:
            for core in cores:
                self._core(flow, core, cost * (seconds_per_cycle / len(cores)), duty)
            if duty == _INTERRUPTS:
                self._queues(flow, cost * seconds_per_cycle)
        of_process = sum((cost for _, cost, _ in process), np.zeros(1))
        if self._is_free or any(not cores for cores, *_ in others):
            unbound = sum((cost for cores, cost, _ in others if not cores), np.zeros(1))
            self._together(flow, (of_process + unbound) * seconds_per_cycle)
        quota = self.host.cpu_quota
        if quota is not None and not (
            self._is_as_measured and quota.basis == "calibrated"
        ):  # that quota comes from the same runs
            self._quota(flow, of_process * seconds_per_cycle, quota)
        if self._is_as_measured and (measured := self._measured) is not None:
            share_of_cores = self.draw(f"sender.cpu.tools.{self.scenario.tool.name}.cores", measured.cores)
            name = f"sender.cpu.processes{flow + 1}" if len(self.flows) > 1 else "sender.cpu.processes"
            title = "the share of the cores that the sending and receiving processes get"
            self.put(flow, name, of_process * per_clock / share_of_cores, title)

    def _work(self, flow: int, *, sends: bool, networked: bool, on_disk: bool) -> tuple[list[_Work], list[_Work]]:
        """Tasks of a flow's process, and those that other cores do for it, each with its cores and cycles per byte."""
        threads = self._all() if self._is_as_measured else self._threads(flow)
        near = networked and self.scenario.path.same_host
        sockets = networked and self.scenario.tool.protocol != "rdma"  # RDMA bypasses the processor
        network = self._network_cost(flow, sends=sends) if sockets else np.zeros(1)
        files = self._file_cost(flow, sends=sends) if on_disk else np.zeros(1)
        files = files + self.draw("tool.cost", self.scenario.tool.cost) * slowness(self.cpu)
        files = files + process_cost(self.scenario, self.draw, self.role, self.cpu)
        process: list[_Work] = [(threads, network + files, "the transfer process")]
        if self.scenario.tool.threads in _DISK_THREAD and networked and on_disk:
            process = [(threads[:-1] or threads, network, "the network"), (threads[-1:], files, "the disk thread")]
        others: list[_Work] = []
        if sockets and not (near and not sends):
            interrupts = self._interrupt_cost(flow, sends=sends)
            if near or self.host.arfs:
                process.append((threads, interrupts, _INTERRUPTS))
            else:
                others.append((self.host.nic_cores, interrupts, _INTERRUPTS))
        if on_disk and self.host.arrays:
            cost = self._draw("cpu.storage_interrupt_cost", self.cpu.storage_interrupt_cost)
            others.append((self._storage_cores(flow) or self.host.nic_cores, cost, "storage"))
        return process, others

    def _spread(self, flow: int, process: list[tuple[list[int], FloatArray, str]]) -> None:
        """Add a process's demands on the cores of its threads, or on those of the other end if both share one."""
        joined = self._placement.together(flow) if self._is_free and self.role == "receiver" else np.zeros(1)
        for cores, seconds_per_bit, duty in process:
            for core in cores:
                self._core(flow, core, seconds_per_bit / len(cores) * (1 - joined), duty)
            if joined.any():
                self._core(flow, self._placement.cores("sender", flow)[0], seconds_per_bit * joined, duty)

    def application_nodes(self, flow: int) -> set[int]:
        """Sockets on whose cores a flow's threads run."""
        return {self.cpu.socket_of(core) for core in self._threads(flow)}

    @property
    def _measured(self) -> ToolCosts | None:
        """Costs of this tool measured within the machine, if known."""
        return self.cpu.tools.get(self.scenario.tool.name)

    @property
    def _is_as_measured(self) -> bool:
        """Whether the measured runs match this scenario: two processes of one machine, bound to no core."""
        return self._measured is not None and self.scenario.path.same_host and not self.host.app_cores

    @cached_property
    def _interrupts(self) -> Interrupts:
        return Interrupts(self.scenario, self.draw, self.role, self.host, self.cpu)

    @cached_property
    def _payload(self) -> FloatArray:
        return np.atleast_1d(np.asarray(self.payload, dtype=np.float64))

    @property
    def _is_free(self) -> bool:
        """Whether both ends run in this machine on any core, at costs that were not measured so."""
        return self._placement.is_free and not self._is_as_measured

    @cached_property
    def _placement(self) -> Placement:
        return Placement(self.scenario, self.draw, len(self.flows))

    # which cores -----------------------------------------------------------------------------------------------------

    def _all(self) -> list[int]:
        return list(range(self.cpu.cores))

    def _threads(self, flow: int) -> list[int]:
        return self._placement.cores(self.role, flow)

    def _storage_cores(self, flow: int) -> list[int]:
        """Core that serves the array of a flow, if the host says which."""
        cores, files_on = self.host.storage_cores, self.host.file_arrays
        array = files_on[self.flows[flow][0] % len(files_on)]
        return [cores[list(dict.fromkeys(files_on)).index(array) % len(cores)]] if cores else []

    # costs -----------------------------------------------------------------------------------------------------------

    def _draw(self, name: str, parameter: Parameter) -> FloatArray:
        return self.draw(f"{self.role}.{name}", parameter)

    def _network_cost(self, flow: int, *, sends: bool) -> FloatArray:
        """Cycles per payload byte of a process for its sockets [cycles/B]."""
        cpu, tool = self.cpu, self.scenario.tool
        if sends:
            total = self._send_cost() + self._packets("send_packet_cost", Cores._sent_unit)
            if not self.host.offload:
                total = total + self._cost("linear_cost")
            unit = self._sent_unit(self._payload, offloaded=False)
            if tool.protocol == "tcp":
                segmented_late = kernel_version(self.host.kernel) >= _GSO_ALWAYS
                paced = self._sent_unit(self._payload, offloaded=segmented_late)
                total = total + pacing_cost(self.draw, self.role, self.host, paced)
            if not self.scenario.path.same_host:
                total = total + buffer_cost(self.draw, self.role, self.host, unit)
                total = total + self._packets("frame_cost", Cores._sent_unit) + self._from_interrupts(flow, sends=True)
        else:
            total = self._receive_cost() + self._cost("far_cost") * self._far()
            total = total + self._packets("receive_packet_cost", Cores._received_unit)
            if not self.scenario.path.same_host:
                total = total + self._from_interrupts(flow, sends=False)
                if self.cpu.sockets > 1:
                    total = total + self._cost("remote_cost") * self._interrupts.far_share(self._threads(flow))
        if self.scenario.path.spread == "round-robin":
            total = total + self._cost("reorder_cost")
        if tool.message is not None:
            calls = (
                self.draw("tool.send_calls", tool.send_calls)
                if sends
                else self.draw("tool.receive_calls", tool.receive_calls)
            )
            cost = self._cost("send_call_cost") if sends else self._cost("receive_call_cost")
            message = self.draw("tool.message", tool.message)
            tool_costs = self._measured
            measured = (
                self._draw("cpu.measured_message", cpu.measured_message)
                if tool_costs is None
                else self._draw(f"cpu.tools.{tool.name}.message", tool_costs.message)
            )
            total = total + cost * calls * (1 / message - 1 / measured)
        if self.scenario.path.same_host:
            total = total + self._handed_over(flow, sends=sends)
        return np.maximum(total, 0.0) * self._kernel_factor()

    def _send_cost(self) -> FloatArray:
        """Cost of a byte sent, with the copy or without [cycles/B]."""
        total, tool = self._byte_cost("send_cost"), self.scenario.tool
        if not tool.zero_copy or not self.host.offload or self.scenario.path.same_host:  # the kernel copies then
            return total
        message = SEGMENTS_TOGETHER if tool.message is None else self.draw("tool.message", tool.message)
        return total * self._cost("zero_copy_share") + self._cost("zero_copy_call_cost") / message

    def _receive_cost(self) -> FloatArray:
        """Cost of a byte received from a card, or from a process of the same machine [cycles/B]."""
        total = self._byte_cost("receive_cost")
        is_local = self.scenario.path.same_host and self._measured is None
        return total * self._cost("local_share") if is_local else total

    def _kernel_factor(self) -> FloatArray:
        """Cost of sockets with the host's kernel over that of the measured one; 1 where either is unknown."""
        factor = system_factor(self.draw, self.role, self.host)
        measured = self.cpu.measured_kernel
        if measured is None or "kernel" not in self.host.model_fields_set:
            return factor
        later = _progress(self.host.kernel) - _progress(measured)
        return self._cost("kernel_gain") ** later * factor if later else factor

    def _byte_cost(self, name: str) -> FloatArray:
        """Cost of a byte with this tool if known, else with any; without spread where `_is_as_measured`."""
        if self._measured is None:
            return self._cost(name)
        cost: Parameter = getattr(self._measured, name)
        if self._is_as_measured:
            cost = cost.model_copy(update={"spread": 0.0})
        return self._draw(f"cpu.tools.{self.scenario.tool.name}.{name}", cost)

    def _handed_over(self, flow: int, *, sends: bool) -> FloatArray:
        """Cycles per byte for data handed over between two cores of one machine [cycles/B]."""
        scenario = self.scenario
        together = self._placement.together(flow)
        if (together == 1).all():
            return np.zeros(1)
        is_far = not sends and self._placement.is_apart(flow, self.cpu)
        unit = self._sent_unit(self._payload, offloaded=False)
        total = self._cost("handover_cost") + self._cost("handover_packet_cost") / unit
        if is_far:
            total = total + self._cost("remote_cost")
        if sends and scenario.tool.message is not None:
            clock = core_clock(self.draw, self.role, self.host)
            total = total + self.draw("path.device_time", scenario.path.device_time) * clock / self.draw(
                "tool.message", scenario.tool.message
            )
        return total * (1 - together)

    def _interrupt_cost(self, flow: int, *, sends: bool) -> FloatArray:
        """Cycles per byte on the cores that serve the network [cycles/B]; within a machine, for both directions."""
        if self.scenario.path.same_host:  # there is no card, so no cost per byte
            return self._packets("interrupt_packet_cost", Cores._sent_unit) + self._filter_cost(sends=True)
        handover = self._from_interrupts(flow, sends=sends) + self._filter_cost(sends=sends)
        if sends:
            return np.maximum(self._cost("send_interrupt_cost") + handover, 0.0) * self._kernel_factor()
        total = self._cost("merged_interrupt_cost" if self.host.lro else "receive_interrupt_cost")
        total = total + self._packets("frame_cost", Cores._received_frame) + handover
        total = total + buffer_cost(self.draw, self.role, self.host, self._payload)
        total = np.maximum(total + self._packets("interrupt_packet_cost", Cores._received_unit), 0.0)
        return total * self._kernel_factor()

    def _filter_cost(self, *, sends: bool) -> FloatArray:
        """Cycles per byte of packet filter and virtual switch, which see packets uncut, and merged [cycles/B]."""
        unit = (self._sent_unit if sends else self._received_unit)(self._payload, offloaded=False)
        return filter_cost(self.draw, self.role, self.host, unit) + switch_cost(self.draw, self.role, self.host, unit)

    def _from_interrupts(self, flow: int, *, sends: bool) -> FloatArray:
        """Cycles per byte, at each end, for packets handed over between the interrupts' core and the process's."""
        threads = self._threads(flow)
        if self._interrupts.on_process_core(threads):
            return np.zeros(1)
        extra = self._packets("handover_packet_cost", Cores._sent_unit if sends else Cores._received_unit)
        return extra * (1 + self._interrupts.far_share(threads))

    def _file_cost(self, flow: int, *, sends: bool) -> FloatArray:
        tool = self.scenario.tool
        uncopied = tool.io == "direct" or (sends and tool.zero_copy and self.host.offload)  # sendfile, splice
        name = "direct_cost" if uncopied else "read_cost" if sends else "write_cost"
        if tool.request is None:
            return self._cost(name)
        request = self.draw("tool.request", tool.request)
        if tool.io == "direct":
            piece = self._piece(flow, request)
            return (
                self._cost(name)
                + self._cost("block_request_cost") / piece
                + request_cost(self.draw, self.role, self.host, piece)
            )
        return self._cost(name) + self._cost("file_call_cost") / request

    def _piece(self, flow: int, request: FloatArray) -> FloatArray:
        """Part of a request that goes to one disk: Linux md cuts it at each chunk [B]."""
        host = self.host
        if not host.arrays:
            return request
        name = host.file_arrays[self.flows[flow][0] % len(host.file_arrays)]
        array = host.arrays[name]
        if array.software != "md" or array.level == 1:
            return request
        return np.asarray(np.minimum(request, self._draw(f"arrays.{name}.chunk", array.chunk)))

    def _cost(self, name: str) -> FloatArray:
        return self._draw(f"cpu.{name}", getattr(self.cpu, name))

    def _packets(self, name: str, unit: Callable[..., FloatArray]) -> FloatArray:
        """Extra cycles per byte for units smaller than those of the measured packets; negative for larger ones."""

        def extra() -> FloatArray:
            measured = self._draw("cpu.measured_payload", self.cpu.measured_payload)
            own = unit(self, self._payload, offloaded=False)
            return np.asarray(self._cost(name) * (1 / own - 1 / unit(self, measured, offloaded=True)))

        return self.draw.once((self.role, name, unit.__name__), extra)

    def _sent_unit(self, payload: FloatArray, *, offloaded: bool) -> FloatArray:
        """Payload that the sending host handles as one packet, `offloaded` or as the host is set [B]."""
        return payload * (_together(payload) if offloaded or self.host.offload else 1.0)

    def _received_frame(self, payload: FloatArray, *, offloaded: bool) -> FloatArray:  # noqa: ARG002
        """Payload that the card of the receiving host delivers as one packet [B]."""
        return payload * (self._draw("lro_frames", self.host.lro_frames) if self.host.lro else 1.0)

    def _received_unit(self, payload: FloatArray, *, offloaded: bool) -> FloatArray:
        """Payload that the receiving host handles as one packet, `offloaded` or as the host is set [B]."""
        if self.scenario.path.same_host:
            return self._sent_unit(payload, offloaded=offloaded)
        if (offloaded or self.host.gro) and not self.host.lro:
            polled = POLLED / (1.0 if offloaded else self._interrupts.sharing)
            return payload * np.clip(_together(payload), 1.0, max(polled, 1.0))
        return self._received_frame(payload, offloaded=offloaded)

    def _far(self) -> FloatArray:
        """Share of received data evicted from the cache before the copy: data in flight over cache size, at most 1."""
        path = self.scenario.path
        ports = [
            self.draw(f"{self.role}.slots.{name}.nic.port_rate", slot.nic.port_rate)
            for name, slot in self.host.slots.items()
            if slot.nic is not None
        ]
        line_rate = np.max(np.stack(np.broadcast_arrays(*ports)), axis=0) if ports else np.asarray(np.inf)
        if path.rate is not None:
            line_rate = np.minimum(line_rate, self.draw("path.rate", path.rate))
        line_rate = np.where(np.isfinite(line_rate), line_rate, 0.0)  # without a rate, nothing is in flight
        in_flight = line_rate * path.links * self.draw("path.rtt", path.rtt) / 8
        return np.minimum(1.0, in_flight / self._draw("cpu.cache", self.cpu.cache))

    # demands ---------------------------------------------------------------------------------------------------------

    def _queues(self, flow: int, seconds_per_bit: FloatArray) -> None:
        """Add the interrupts' demand on the queues of all connections, and on those of one process."""
        of_host = f"of the {self.role}'s network interrupts"
        processes = len(self.flows)
        cores = "core" if self._interrupts.queues == 1 else "cores"
        name, title = f"{self.role}.cpu.queues", f"the {cores} {of_host}"
        self.put(flow, name, seconds_per_bit / self._interrupts.in_use(processes), title)
        if processes > 1:
            name, title = f"{self.role}.cpu.queue{flow + 1}", f"the core {of_host} for process {flow + 1}"
            self.put(flow, name, seconds_per_bit / self._interrupts.in_use(1), title)

    def _together(self, flow: int, seconds_per_bit: FloatArray) -> None:
        """Add the demand on all cores together, over which the scheduler spreads what is bound to none."""
        free = sum(1 / (1 + self.host.busy_cores.count(core)) for core in self._all())
        owner = "sender" if self.scenario.path.same_host else self.role
        self.put(flow, f"{owner}.cpu.cores", seconds_per_bit / free, f"all cores of the {owner} together")

    def _core(self, flow: int, core: int, seconds_per_bit: FloatArray, duty: str) -> None:
        duties = self._duties.setdefault(core, [])
        if duty not in duties:
            duties.append(duty)
        owner = self._owner(core)
        neighbours = self.host.busy_cores.count(core)
        title = f"core {core} of the {owner} ({' and '.join(duties)})"
        if neighbours:
            seconds_per_bit = seconds_per_bit * (1 + neighbours)
        self.put(flow, f"{owner}.cpu.core{core}", seconds_per_bit, title)

    def _owner(self, core: int) -> str:
        """Role that a core counts for: within one machine the sender, if a sending process runs on it."""
        if not self.scenario.path.same_host:
            return self.role
        if self._is_as_measured:
            return "sender"
        sending = {
            sending_core for flow in range(len(self.flows)) for sending_core in self._placement.cores("sender", flow)
        }
        return "sender" if core in sending else self.role

    def _quota(self, flow: int, seconds_per_bit: FloatArray, cpu_quota: Parameter) -> None:
        quota = self._draw("cpu_quota", cpu_quota)
        name = f"{self.role}.cpu.quota{flow + 1}" if len(self.flows) > 1 else f"{self.role}.cpu.quota"
        title = f"the CPU quota of the {self.role}'s process"
        self.put(flow, name, seconds_per_bit / quota, title)
