"""From a scenario to resources and demands: the work of each flow on hosts, links and its tool.

A flow is one process of the tool, from the source of its data to the sink. Its demand on a resource (a core, a slot, an
array, a link) is the time that the resource needs for one payload bit. Work on the same core adds up; work on different
resources overlaps. Demands come from `hecn_analysis.limits`; this module and those that it calls decide which apply.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.prediction.demands import Demands, Resource
from hecn_analysis.prediction.devices import add_forwarding
from hecn_analysis.prediction.draws import Draws, FloatArray, agreed, central
from hecn_analysis.prediction.host_demands import HostDemands
from hecn_analysis.prediction.neighbours import add_slices
from hecn_analysis.prediction.packets import link_shares, payload_per_packet, streams_per_process
from hecn_analysis.prediction.unstated import other_traffic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hecn_analysis.hardware import Scenario

#: Classes of resources that are stages of a request: without overlap, only one of them works at a time.
_STAGES = frozenset({"disk", "raid", "cpu", "link", "filesystem"})

#: Share of a line that a transfer gets beside any other traffic, where draws of that traffic exceed the line.
_LEAST_LEFT = 0.02

_STORING = frozenset({"disk", "raid"})

#: Links over which packets may alternate: TCP takes two acknowledgements out of turn for no loss (RFC 5681).
_IN_ORDER = 2

#: What each further link adds for one TCP stream, over the first.
_OUT_OF_ORDER = Parameter(
    value=0.15,
    spread=3.0,
    basis="assumed",
    source="Linux, Documentation/networking/bonding.txt (2007), 12.1.1: four links are worth 2.3 to one stream",
    unit="",
)


@dataclass(frozen=True)
class System:
    """Input of `solve.max_min`, for the central values and every draw.

    ``by_resource`` has the demand of each flow on each resource [s/bit]; ``reverse`` marks flows from the scenario's
    receiver to its sender; ``fill_s`` is, for each flow, the time of the first block in all stages but the slowest [s].
    """

    resources: tuple[Resource, ...]
    flows: tuple[str, ...]
    by_resource: tuple[Mapping[int, FloatArray], ...]
    reverse: tuple[bool, ...]
    fill_s: Mapping[int, FloatArray]

    def table(
        self, shape: tuple[int, ...], part: Callable[[FloatArray], FloatArray] = lambda values: values
    ) -> FloatArray:
        """Demands as an array of shape (…, flows, resources); 0 where a flow does not use a resource [s/bit]."""
        demand = np.zeros((*shape, len(self.flows), len(self.resources)))
        for number, by_flow in enumerate(self.by_resource):
            for flow, seconds in by_flow.items():
                demand[..., flow, number] = part(seconds)
        return demand


def build(scenario: Scenario, draw: Draws) -> System:
    """Resources of a scenario and the demands of its flows on them."""
    tool = scenario.tool
    ways = (False, True) if tool.bidirectional else (False,)
    flows = [(number, way) for way in ways for number in range(tool.processes)]
    names = [
        ("reverse " if way else "") + (f"process {number + 1}" if tool.processes > 1 else "flow")
        for number, way in flows
    ]
    demands = Demands()
    for role, host in (("sender", scenario.sender), ("receiver", scenario.receiver)):
        if host is not None:
            HostDemands(scenario, draw, demands, role, flows).add()
    if tool.protocol != "file":
        _add_links(scenario, draw, demands, flows)
        add_forwarding(scenario, draw, demands, flows)
    add_slices(scenario, draw, demands, flows)
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
    """Time to fill the pipeline: a block's time in each storage stage but the slowest."""
    if scenario.tool.request is None or not scenario.tool.overlap:
        return {}
    stages = [by_flow for resource, by_flow in rows if resource.resource_class in _STORING]
    block = 8 * draw("tool.request", scenario.tool.request)
    fill: dict[int, FloatArray] = {}
    for flow in {flow for by_flow in stages for flow in by_flow}:
        times = [by_flow[flow] for by_flow in stages if flow in by_flow]
        fill[flow] = np.asarray((sum(times) - reduce(np.maximum, times)) * block, dtype=np.float64)
    return fill


def _add_links(scenario: Scenario, draw: Draws, demands: Demands, flows: list[tuple[int, bool]]) -> None:
    path = scenario.path
    if path.rate is None:
        return
    payload, wire = payload_per_packet(scenario)
    rate = draw("path.rate", path.rate)
    if path.background is not None:
        left = rate - draw("path.background", path.background) / path.links
        rate = np.maximum(left, _LEAST_LEFT * rate)
    elif (busy := other_traffic(scenario)) is not None:
        rate = rate * np.maximum(1 - draw("path.background", busy), _LEAST_LEFT)
    seconds_per_bit = wire / payload / rate
    if scenario.tool.protocol == "udp":  # UDP does not retransmit: lost packets still use the link
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
        _add_reordering(scenario, draw, demands, flow, seconds_per_bit, which=str(flow + 1) if len(flows) > 1 else "")


def _add_reordering(
    scenario: Scenario, draw: Draws, demands: Demands, flow: int, seconds_per_bit: FloatArray, *, which: str
) -> None:
    """Add what a single TCP stream gets of links that deliver its packets out of order."""
    path = scenario.path
    one_stream = scenario.tool.protocol == "tcp" and streams_per_process(scenario) == 1
    if path.spread == "streams" or path.links <= _IN_ORDER or not one_stream:
        return
    each = np.minimum(draw("path.out_of_order", _OUT_OF_ORDER), 1.0)
    time = seconds_per_bit / (_IN_ORDER + (path.links - _IN_ORDER) * each)
    demands.add(flow, f"path.switch.order{which}", time, title="one TCP stream over links that reorder its packets")


def _add_tool(scenario: Scenario, draw: Draws, demands: Demands, flows: list[tuple[int, bool]]) -> None:
    """Add the tool's own limits: its pace, its requests in flight, and stages that do not overlap."""
    tool = scenario.tool
    for flow, (_, way) in enumerate(flows):
        sender = "receiver" if way else "sender"
        which = str(flow + 1) if len(flows) > 1 else ""  # each process has its own pace and its own requests
        if tool.pace is not None:
            rate = draw("tool.pace", tool.pace) * streams_per_process(scenario)
            demands.add(flow, f"{sender}.tool.pace{which}", 1 / rate, title="the pace that the tool is set to")
        if not tool.overlap:
            _add_stages_in_turn(scenario, draw, demands, flow, which)
        elif tool.request is not None and (tool.protocol == "rdma" or tool.outstanding > 1):
            in_flight = 8 * draw("tool.request", tool.request) * tool.outstanding * tool.streams
            title = f"{tool.outstanding * tool.streams} requests in flight over the round trip"
            demands.add(
                flow, f"{sender}.tool.requests{which}", draw("path.rtt", scenario.path.rtt) / in_flight, title=title
            )


def _add_stages_in_turn(scenario: Scenario, draw: Draws, demands: Demands, flow: int, which: str) -> None:
    """Add the time of a request through all stages and the round trip, divided by the requests in flight."""
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
        name, title = f"{role}.{resource_class}.in-turn{which}", "reading and writing in turn"
    else:
        total = total + draw("path.rtt", scenario.path.rtt) / draw("tool.request", tool.request) / 8
        name, title = (
            f"sender.tool.requests{which}",
            f"{tool.outstanding * tool.streams} requests in flight, each answered before the next",
        )
    demands.add(flow, name, total / (tool.outstanding * tool.streams), title=title)
