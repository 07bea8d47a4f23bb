"""What the prediction of a single transfer says of it, for its course among others.

Its own limits (window, losses, pace and requests of its tool) bound its rate whatever the others do. Its demands on
hosts come from the same rules as those of a single prediction with as many processes as the host has transfers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hecn_analysis.prediction import discrepancy
from hecn_analysis.prediction.demands import Demands, Resource
from hecn_analysis.prediction.draws import Draws, FloatArray, central, drawn, order
from hecn_analysis.prediction.host_demands import HostDemands
from hecn_analysis.prediction.ladder import Lift
from hecn_analysis.prediction.model import HELD, RANDOM_RUNS, Model
from hecn_analysis.prediction.neighbours import add_slices
from hecn_analysis.prediction.packets import payload_per_packet

if TYPE_CHECKING:
    from hecn_analysis.hardware import Host, Scenario
    from hecn_analysis.hardware.quantity import Parameter
    from hecn_analysis.prediction.solve import IntArray

#: Time that a resource needs at least for a bit. [s/bit]
LEAST = 1e-30

#: Test of a queue: long enough for many losses. [s], [round trips]
_LONG_S, _LONG_ROUNDS = 10.0, 300

_LIMITS_OF_PATH = frozenset({"pep", "switch"})


class Demand(NamedTuple):
    """Time that a resource needs for a bit of a transfer, for central values and each draw [s/bit].

    ``part`` is its name without that of its host or link, ``variant`` the direction of one that has two, ``error`` the
    measured over the predicted rate where it is the limit.
    """

    part: str
    variant: str
    resource_class: str
    title: str
    seconds: FloatArray
    error: FloatArray


class Size(NamedTuple):
    """Amount of a transfer in bits, or its duration in seconds."""

    of: float
    is_amount: bool


@dataclass(frozen=True)
class Limit:
    """Most that a transfer carries by itself, for central values and each draw [bit/s], and what sets it."""

    most_bps: FloatArray
    name: str
    resource_class: str


class Alone:
    """A kind of transfer: one process from host to host along a route."""

    def __init__(self, scenario: Scenario, draws: int) -> None:
        self.described = scenario
        self.model = self._over(scenario, None, draws=draws)
        self.scenario = self.model.scenario
        self.draws = draws
        self._sides: dict[tuple[str, int, tuple[int, ...]], list[list[Demand]]] = {}
        self.courses: dict[Size, tuple[Limit, FloatArray]] = {}
        self.queue_shares: dict[int, FloatArray] = {}

    # own limits ------------------------------------------------------------------------------------------------------

    def of_size(self, size: Size) -> Model:
        """Model of a transfer of an amount or a duration."""
        return self._over(self.described, size, draws=self.draws)

    def learn_course(self, size: Size, model: Model) -> None:
        """Note the limit of its own and the start-up of a transfer of a size, from its model.

        A short transfer may be over before the losses that hold back a long one: then its own rate is the limit.
        """
        of_tool = self._limits_of_tool()
        transport = self.model.transports.get(False)
        if transport is None:
            self.courses[size] = (self._least(of_tool), np.zeros(1 + self.draws))
            return
        (allowed, steady), (_, started) = reached_alone(self.model), reached_alone(model)
        reached = np.maximum(steady, started)
        window = np.broadcast_to(transport.window_limit_bps, reached.shape)
        kind = "window" if reached[0] > HELD * window[0] else "loss"
        name, resource_class, _ = self.model.limit_of_tcp(kind)
        error = self._error(discrepancy.of_path(self.scenario, held_by=kind))
        of_tcp = Limit(np.where(reached < HELD * allowed, reached * error, np.inf), name, resource_class)
        with np.errstate(invalid="ignore"):  # of what has no limit
            late = size.of * (1 / started - 1 / reached) if size.is_amount else size.of * (1 - started / reached)
        late = np.where(np.isfinite(reached), np.clip(late, 0.0, None), 0.0)
        self.courses[size] = (self._least([of_tcp, *of_tool]), late)

    def _least(self, limits: list[Limit]) -> Limit:
        """Least limit; none is infinite."""
        nothing = Limit(np.full(1 + self.draws, np.inf), "", "")
        return min(limits, key=lambda limit: float(limit.most_bps[0]), default=nothing)

    def _limits_of_tool(self) -> list[Limit]:
        return [
            Limit(self._full(1 / seconds) * self._error(self._regime(resource.name)), resource.name, "tool")
            for resource, seconds in self._own_demands()
            if resource.resource_class == "tool"
        ]

    def _own_demands(self) -> Iterator[tuple[Resource, FloatArray]]:
        """Resources that a transfer alone uses, and its demands on them."""
        for resource, by_flow in zip(self.model.system.resources, self.model.system.by_resource, strict=True):
            if 0 in by_flow:
                yield resource, by_flow[0]

    def at_full_link(self, together: int) -> Model | None:
        """Model of one of several equal transfers that fill the narrowest link and share its queue."""
        path = self.scenario.path
        if path.rate is None:
            return None
        part = path.links / together
        parts = {"rate": path.rate, **({} if path.queue is None else {"queue": path.queue})}
        each = {name: whole.model_copy(update={"value": whole.value * part}) for name, whole in parts.items()}
        own = replace(self.described, path=self.described.path.model_copy(update={**each, "links": 1}))
        long = Size(max(_LONG_S, _LONG_ROUNDS * float(path.rtt.value)), is_amount=False)
        return self._over(own, long, draws=self.draws)

    def _over(self, scenario: Scenario, size: Size | None, *, draws: int) -> Model:
        """Model of a transfer of a size, or of no known end."""
        zero = scenario.tool.warm_up.model_copy(update={"value": 0.0, "spread": 0.0})
        sizes: dict[str, Parameter | None] = {"bytes": None, "duration": None, "warm_up": zero}
        if size is not None:
            value = size.of / 8 if size.is_amount else size.of
            sizes["bytes" if size.is_amount else "duration"] = zero.model_copy(update={"value": value})
        return Model(replace(scenario, tool=scenario.tool.model_copy(update=sizes)), Draws(draws), levels=1)

    # demands ---------------------------------------------------------------------------------------------------------

    @cached_property
    def wire_share(self) -> FloatArray:
        """Bits on the wire for a bit of payload."""
        payload, wire = payload_per_packet(self.scenario)
        share = self._full(np.atleast_1d(np.asarray(wire / payload, dtype=np.float64)))
        if self.scenario.tool.protocol == "udp":
            share = share / (1 - self._full(self.model.draw("path.loss", self.scenario.path.loss)))
        return np.asarray(share)

    @cached_property
    def link_error(self) -> FloatArray:
        """Measured over predicted rate where a link is the limit; no run exceeds what the link carries by more."""
        error, lan = self._error(discrepancy.of_path(self.scenario)), self._error("lan")
        return np.asarray(np.minimum(error, np.maximum(lan, 1.0)))

    def on_path(self) -> list[Demand]:
        """Demands on proxies and boxes of the path."""
        return [
            Demand(
                resource.name.partition(".")[2],
                "",
                resource.resource_class,
                resource.title,
                self._full(seconds),
                self._error(discrepancy.of_path(self.scenario)),
            )
            for resource, seconds in self._own_demands()
            if resource.resource_class in _LIMITS_OF_PATH
        ]

    def side(self, role: str, ports: int, numbers: tuple[int, ...]) -> list[list[Demand]]:
        """Demands on one end's host of each of several transfers at once; `numbers` choose its ports and arrays."""
        key = (role, ports, numbers)
        if key not in self._sides:
            self._sides[key] = self._side(*key)
        return self._sides[key]

    def _side(self, role: str, ports: int, numbers: tuple[int, ...]) -> list[list[Demand]]:
        tool = self.scenario.tool.model_copy(update={"processes": len(numbers)})
        path = self.scenario.path.model_copy(update={"links": ports})
        host: Host = getattr(self.scenario, role)
        if len(arrays := host.file_arrays) > 1:  # in turn, whichever ports the transfers use
            turns = {number: place for place, number in enumerate(numbers)}
            files_on = [arrays[turns.get(number, number) % len(arrays)] for number in range(max(numbers) + 1)]
            host = host.model_copy(update={"files_on": files_on})
        changes: dict[str, Any] = {"tool": tool, "path": path, role: host}
        scenario = replace(self.scenario, **changes)
        flows = [(number, False) for number in numbers]
        demands = Demands()
        HostDemands(scenario, self.model.draw, demands, role, flows).add()
        if getattr(scenario, role).busy_cores:
            add_slices(scenario, self.model.draw, demands, flows)
        sides: list[list[Demand]] = [[] for _ in numbers]
        for (name, variant), (resource, by_flow) in demands.table.items():
            regime = discrepancy.REGIMES[discrepancy.of_resource(scenario, name)]
            for flow, seconds in by_flow.items():
                part = name.partition(".")[2]
                if seconds.max() > 0:
                    given = np.maximum(self._full(seconds), LEAST)
                    sides[flow].append(
                        Demand(part, variant, resource.resource_class, resource.title, given, self._error(regime))
                    )
        return sides

    def error_range(self, resource_class: str, *, is_receiver: bool) -> FloatArray:
        """Ends of the interval of single runs that one resource limits, relative to the prediction."""
        if resource_class in {"window", "loss"}:
            regime = discrepancy.of_path(self.scenario, held_by=resource_class)
        else:
            on_path = resource_class in {"link", "switch", "pep", "start-up", ""}
            role = "path" if on_path else "receiver" if is_receiver else "sender"
            part = "link" if on_path else resource_class
            regime = discrepancy.REGIMES[discrepancy.of_resource(self.scenario, f"{role}.{part}.any")]
        error = discrepancy.discrepancies()[regime]
        repeat = np.log1p(self.scenario.tool.repeat.spread)
        return np.exp([-np.hypot(error.below, repeat), np.hypot(error.above, repeat)])

    def _regime(self, resource: str) -> str:
        """Regime of a transfer of this kind that a resource limits."""
        return discrepancy.REGIMES[discrepancy.of_resource(self.scenario, resource)]

    def _error(self, regime: str) -> FloatArray:
        """Measured over predicted rate in a regime: its bias, and the draws."""
        number = discrepancy.REGIMES.index(regime)
        return np.concatenate([discrepancy.biases()[number : number + 1], discrepancy.factors(self.draws)[number]])

    def _full(self, values: FloatArray) -> FloatArray:
        """Central value and draws, where all draws may be equal."""
        values = np.asarray(values, dtype=np.float64).reshape(-1)
        return np.concatenate([[central(values)], np.broadcast_to(drawn(values), self.draws)])


def reached_alone(model: Model) -> tuple[FloatArray, FloatArray]:
    """Rate that the resources allow a transfer alone, and what TCP makes of it [bit/s]."""
    draws = model.draw.size - 1
    by_state, drawn_rates = model.throughputs([Lift()], with_draws=draws > 0)
    allowed = np.full(1 + draws, model.levels[0][0][0, 0])
    if draws:
        allowed[1:] = model.steady[0][0, :, 0]
    return allowed, np.concatenate([by_state[0, :1, 0], np.broadcast_to(drawn_rates[0, :, 0], draws)])


def share_of_link(model: Model) -> FloatArray:
    """Share of a full link that TCP uses with its queue, at most 1; see `Alone.at_full_link`."""
    draws = model.draw.size - 1
    transport, rate = model.transports.get(False), model.scenario.path.rate
    if transport is None or rate is None or not transport.matters:
        return np.ones(1 + draws)
    payload, wire = (float(np.ravel(size)[0]) for size in payload_per_packet(model.scenario))
    runs = RANDOM_RUNS if transport.runs_differ(lossless=True) else 1
    element = np.concatenate([np.zeros(runs, dtype=np.int64), 1 + np.arange(draws)])
    lifted, full_bps = np.ones(element.size), float(rate.value) * payload / wire
    reached = transport.simulate(
        np.full((1, element.size), full_bps),
        element,
        link_bound=np.ones((1, element.size), dtype=np.bool_),
        lossless=lifted,
        windowless=lifted,
        warm=lifted,
        sequence=np.arange(element.size),
        rounds=model.effort.rounds,
        grain=0.0,
    )[0]
    return np.minimum(np.concatenate([[reached[:runs].mean()], reached[runs:]]) / full_bps, 1.0)


@lru_cache(maxsize=4096)
def shuffled(owner: str, draws: int) -> IntArray:
    """Places of the central value and of the draws for one host or link, whose parameters are its own."""
    return np.concatenate([[0], 1 + np.argsort(order(f"site {owner}")[:draws])]).astype(np.int64)
