"""Cores of a host's network interrupts: receive queues, cores, and the way from there to the process.

RSS puts every connection on one receive queue by a hash, and one core serves a queue (Linux,
Documentation/networking/scaling.rst). So a connection has one core for its interrupts, however many are idle, and
several may share a queue. With accelerated RFS the core of the process serves its interrupts. Without bound processes,
the scheduler moves them away from cores that interrupts keep busy (kernel/sched/fair.c): all cores together do all
work.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hecn_analysis.limits.processor import queues_in_use
from hecn_analysis.prediction.packets import streams_per_process

if TYPE_CHECKING:
    from hecn_analysis.hardware import Cpu, Host, Scenario
    from hecn_analysis.prediction.draws import Draws, FloatArray


@dataclass(frozen=True)
class Interrupts:
    """The cores that serve a host's network interrupts."""

    scenario: Scenario
    draw: Draws
    role: str
    host: Host
    cpu: Cpu

    @cached_property
    def queues(self) -> int:
        """Receive queues, each with a core of its own."""
        cores = len(set(self.host.nic_cores)) or self.cpu.cores
        return min(self.host.receive_queues or cores, cores)

    def in_use(self, processes: int) -> FloatArray:
        """Queues that the connections of some processes use: the expected number, then drawn ones."""
        return self.draw.once((self.role, "queues", processes), lambda: self._in_use(processes))

    def _in_use(self, processes: int) -> FloatArray:
        connections, queues = processes * streams_per_process(self.scenario), self.queues
        expected = float(queues_in_use(connections, queues))
        if connections == 1 or queues == 1:
            return np.array([expected])
        empty, both_empty = (1 - 1 / queues) ** connections, (1 - 2 / queues) ** connections
        variance = queues * (queues - 1) * both_empty + queues * empty - (queues * empty) ** 2
        chance = self.draw.uniform(f"{self.role}.queues", central=0.5)
        # logistic for normal: both have the mean in the middle, and its quantile needs no library
        scatter = np.log(chance / (1 - chance)) * np.sqrt(max(variance, 0.0) * 3) / np.pi
        return np.asarray(np.clip(expected + scatter, 1.0, float(min(connections, queues))))

    @cached_property
    def sharing(self) -> float:
        """Connections that share a receive queue, on average of the queues in use."""
        tool = self.scenario.tool
        connections = streams_per_process(self.scenario) * tool.processes * (2 if tool.bidirectional else 1)
        return connections / float(queues_in_use(connections, self.queues))

    def on_process_core(self, threads: list[int]) -> bool:
        """Whether the core of the process serves its interrupts."""
        return self.host.arfs or set(self.host.nic_cores) == set(threads)

    def far_share(self, threads: list[int]) -> FloatArray:
        """Share of a process's data whose interrupts another socket's core serves; unbound cores are random."""
        if self.cpu.sockets == 1 or self.host.arfs:
            return np.zeros(1)
        near = 1 / self.cpu.sockets
        if not self.host.app_cores or not self.host.nic_cores:
            is_far = self.draw.uniform(f"{self.role}.placement", central=0.0) > near
            return is_far.astype(np.float64)
        pairs = [
            self.cpu.socket_of(thread) != self.cpu.socket_of(core) for thread in threads for core in self.host.nic_cores
        ]
        return np.array([sum(pairs) / len(pairs)])
