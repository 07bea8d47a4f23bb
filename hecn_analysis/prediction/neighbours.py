"""Competing programs on the cores of a transfer: the time that they keep a core when the transfer wakes up.

A thread that does not fill its core sleeps whenever its buffer is empty (or full). A competing program then runs, and
keeps the core for its slice S; meanwhile the other end fills the buffer of B bytes, and waits. Of a thread that would
use the part u of the core alone, at d seconds per bit, a bit then takes

    d + (1 - u) S / (8 B)

because it works off a buffer while the other end keeps filling it. A thread that fills its core gets its share, which
`cores` counts: the larger of the two times holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hecn_analysis.prediction.packets import streams_per_process
from hecn_analysis.prediction.solve import max_min
from hecn_analysis.prediction.transport import Transport

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario
    from hecn_analysis.prediction.demands import Demands
    from hecn_analysis.prediction.draws import Draws, FloatArray


def add_slices(scenario: Scenario, draw: Draws, demands: Demands, flows: list[tuple[int, bool]]) -> None:
    """Add the waits of flows for competing programs at both ends.

    Parameters
    ----------
    scenario, draw
        Hosts, path and tool, and the draws of their parameters.
    demands, flows
        Demands so far, to which the waits are added; number and direction of each flow.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> from hecn_analysis.prediction.demands import Demands
    >>> from hecn_analysis.prediction.draws import Draws
    >>> demands = Demands()
    >>> add_slices(load_scenario("c-two-copies"), Draws(0), demands, [(0, False)])
    >>> demands.table
    {}
    """
    if scenario.tool.protocol != "tcp":
        return
    crowded = {
        f"{role}.cpu.core{core}": (role, host.busy_cores.count(core))
        for role, host in (("receiver", scenario.receiver), ("sender", scenario.sender))
        if host is not None
        for core in host.busy_cores
    }
    rows = {key: by_flow for key, (_, by_flow) in demands.table.items()}
    if not any(name in crowded for name, _ in rows):
        return
    alone = {
        key: {flow: seconds / (1 + crowded[key[0]][1]) for flow, seconds in by_flow.items()}
        if key[0] in crowded
        else by_flow
        for key, by_flow in rows.items()
    }
    throughput = _throughput(alone, len(flows))
    for (name, _), by_flow in alone.items():
        if name not in crowded:
            continue
        role, number = crowded[name]
        used = sum((seconds * throughput[..., flow] for flow, seconds in by_flow.items()), np.zeros(1))
        for flow, seconds in by_flow.items():
            wait = number * _wait(scenario, draw, role, reverse=flows[flow][1])
            title = f"the time slices of competing programs on core {name.rpartition('core')[2]} of the {role}"
            slices = f"{role}.cpu.slices{flow + 1}" if len(flows) > 1 else f"{role}.cpu.slices"
            demands.add(flow, slices, seconds + np.clip(1 - used, 0.0, 1.0) * wait, title=title, variant=name)


def _wait(scenario: Scenario, draw: Draws, role: str, *, reverse: bool) -> FloatArray:
    """Time of a slice over the bits of a buffer [s/bit]."""
    host: Host | None = scenario.sender if role == "sender" else scenario.receiver
    assert host is not None  # noqa: S101 - it has the competing program
    window = Transport.of(scenario, draw, reverse=reverse).window_bytes * streams_per_process(scenario)
    return draw(f"{role}.time_slice", host.time_slice) / (8 * window)


def _throughput(rows: dict[tuple[str, str], dict[int, FloatArray]], flows: int) -> FloatArray:
    """Throughput of each flow for given demands, with the shape of the demands and an axis of flows [bit/s]."""
    shape = np.broadcast_shapes(*(seconds.shape for by_flow in rows.values() for seconds in by_flow.values()))
    table = np.zeros((*shape, flows, len(rows)))
    for number, by_flow in enumerate(rows.values()):
        for flow, seconds in by_flow.items():
            table[..., flow, number] = seconds
    return max_min(table.reshape(-1, flows, len(rows)))[0].reshape(*shape, flows)
