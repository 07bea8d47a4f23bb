"""Which cores the threads of transfer processes run on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hecn_analysis.hardware import Cpu, Host, Scenario, Tool
    from hecn_analysis.prediction.draws import Draws, FloatArray

_DEFAULT_APP_CORES = (1, 3, 2, 0)


def threads_of(tool: Tool) -> int:
    """Threads of a process of a tool."""
    of_kind = {"one": 1, "per-stream": tool.streams, "reader-writer": 2, "streams-and-disk": tool.streams + 1}
    return of_kind[tool.threads]


def thread_cores(host: Host, tool: Tool, flow: int, *, after: int = 0) -> list[int]:
    """Cores that run the threads of a flow's process: as the host says, else those furthest from interrupts.

    Parameters
    ----------
    host, tool, flow
        The host, the tool, and the number of the flow, from 0.
    after
        Number of preceding threads, if the host binds none to a core.

    Returns
    -------
    list of int
        Numbers of cores.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> transfer = load_scenario({"sender": "c", "receiver": "c", "tool": "nuttcp", "path": "lan-2x10ge"})
    >>> thread_cores(transfer.sender, transfer.tool, 0)
    [1]
    """
    count = host.cpu.cores if host.cpu is not None else 1
    first = [core for core in _DEFAULT_APP_CORES if core < count]
    cores = host.app_cores or first + list(range(len(_DEFAULT_APP_CORES), count))
    number = threads_of(tool)
    before = flow * number + (0 if host.app_cores else after)
    return list(dict.fromkeys(cores[(before + thread) % len(cores)] for thread in range(number)))


@dataclass(frozen=True)
class Placement:
    """Cores of the processes at both ends of a scenario with a number of ``flows``."""

    scenario: Scenario
    draw: Draws
    flows: int

    def cores(self, role: str, flow: int) -> list[int]:
        """Cores of the process of a flow at one end; the ends are apart in one machine that binds neither."""
        host = self.scenario.sender if role == "sender" else self.scenario.receiver
        if host is None:
            return []
        is_second = role == "receiver" and self.scenario.path.same_host
        after = self.flows * threads_of(self.scenario.tool) if is_second else 0
        return thread_cores(host, self.scenario.tool, flow, after=after)

    def is_apart(self, flow: int, cpu: Cpu) -> bool:
        """Whether the description binds the ends of a flow within one machine to cores of different sockets."""
        sockets = [{cpu.socket_of(core) for core in self.cores(role, flow)} for role in ("sender", "receiver")]
        return not self.is_free and not sockets[0] & sockets[1]

    @property
    def is_free(self) -> bool:
        """Whether both ends run in one machine, bound to no core."""
        ends = (self.scenario.sender, self.scenario.receiver)
        return self.scenario.path.same_host and not any(host is not None and host.app_cores for host in ends)

    def together(self, flow: int) -> FloatArray:
        """Whether the processes of both ends of a flow share a core: 0 or 1, of processes that are free at random."""
        shared = set(self.cores("sender", flow)) & set(self.cores("receiver", flow))
        if shared or not self.is_free:
            return np.array([float(bool(shared))])
        sender = self.scenario.sender
        count = 1 if sender is None or sender.cpu is None else sender.cpu.cores
        return np.asarray(self.draw.uniform("path.placement", central=1.0) < 1 / count, dtype=np.float64)
