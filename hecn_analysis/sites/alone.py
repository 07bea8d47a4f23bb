"""What the prediction of a single transfer says of it, for its course among others.

Its own limits (window, losses, pace and requests of its tool) bound its rate whatever the others do. Its demands on
hosts come from the same rules as those of a single prediction with as many processes as the host has transfers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

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
    from hecn_analysis.hardware import Scenario
    from hecn_analysis.hardware.quantity import Parameter

#: Time that a resource needs at least for a bit. [s/bit]
LEAST = 1e-30

#: Test of a queue: long enough for many losses. [s], [round trips]
_LONG_S, _LONG_ROUNDS = 10.0, 300

_NAN = float("nan")

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
        self.model = self._over(scenario, draws=draws)
        self.scenario = self.model.scenario
        self.draws = draws
        self._sides: dict[tuple[str, int, tuple[int, ...]], list[list[Demand]]] = {}
        self._queue_shares: dict[int, FloatArray] = {}
        self._courses: dict[tuple[str, str], tuple[Limit, FloatArray]] = {}

    # own limits ------------------------------------------------------------------------------------------------------

    def own_course(self, amount_bits: float, duration_s: float) -> tuple[Limit, FloatArray]:
        """Limit of its own for a transfer of an amount or a duration (the other is NaN), and its start-up [s].

        A short transfer may be over before the losses that hold back a long one: then its own rate is the limit.
        """
        key = (str(amount_bits), str(duration_s))
        if key not in self._courses:
            self._courses[key] = self._course(amount_bits, duration_s)
        return self._courses[key]

    def _course(self, amount_bits: float, duration_s: float) -> tuple[Limit, FloatArray]:
        of_tool = self._limits_of_tool()
        transport = self.model.transports.get(False)
        if transport is None:
            return self._least(of_tool), np.zeros(1 + self.draws)
        model = self._over(self.described, amount_bits=amount_bits, duration_s=duration_s, draws=self.draws)
        (allowed, steady), (_, started) = self._reached(self.model), self._reached(model)
        reached = np.maximum(steady, started)
        window = np.broadcast_to(transport.window_limit_bps, reached.shape)
        is_window = bool(reached[0] > HELD * window[0])
        name, resource_class, _ = self.model.limit_of_tcp("window" if is_window else "loss")
        error = self._error(discrepancy.of_path(self.scenario, held_by="window" if is_window else "loss"))
        of_tcp = Limit(np.where(reached < HELD * allowed, reached * error, np.inf), name, resource_class)
        with np.errstate(invalid="ignore"):  # of what has no limit
            late = duration_s * (1 - started / reached)
            if np.isnan(duration_s):
                late = amount_bits / started - amount_bits / reached
        return self._least([of_tcp, *of_tool]), np.where(np.isfinite(reached), np.clip(late, 0.0, None), 0.0)

    def _least(self, limits: list[Limit]) -> Limit:
        """Least limit; none is infinite."""
        nothing = Limit(np.full(1 + self.draws, np.inf), "", "")
        return min(limits, key=lambda limit: float(limit.most_bps[0]), default=nothing)

    def _limits_of_tool(self) -> list[Limit]:
        return [
            Limit(self._full(1 / seconds) * self._error("tool"), resource.name, "tool")
            for resource, seconds in self._own_demands()
            if resource.resource_class == "tool"
        ]

    def _own_demands(self) -> Iterator[tuple[Resource, FloatArray]]:
        """Resources that a transfer alone uses, and its demands on them."""
        for resource, by_flow in zip(self.model.system.resources, self.model.system.by_resource, strict=True):
            if 0 in by_flow:
                yield resource, by_flow[0]

    def _reached(self, model: Model) -> tuple[FloatArray, FloatArray]:
        """Rate that the resources allow alone, and what TCP makes of it [bit/s]."""
        by_state, draws = model.throughputs([Lift()], with_draws=self.draws > 0)
        allowed = np.full(1 + self.draws, model.levels[0][0][0, 0])
        if self.draws:
            allowed[1:] = model.steady[0][0, :, 0]
        return allowed, np.concatenate([by_state[0, :1, 0], np.broadcast_to(draws[0, :, 0], self.draws)])

    def queue_share(self, together: int) -> FloatArray:
        """Share of its full narrowest link that TCP uses, among equals that share it and its queue: at most 1."""
        if together not in self._queue_shares:
            self._queue_shares[together] = self._queue_share(together)
        return self._queue_shares[together]

    def _queue_share(self, together: int) -> FloatArray:
        described = self.scenario.path
        if described.rate is None:
            return np.ones(1 + self.draws)
        parts = {"rate": described.rate, **({} if described.queue is None else {"queue": described.queue})}
        part = described.links / together
        each = {name: whole.model_copy(update={"value": whole.value * part}) for name, whole in parts.items()}
        own = replace(self.described, path=self.described.path.model_copy(update={**each, "links": 1}))
        model = self._over(own, duration_s=max(_LONG_S, _LONG_ROUNDS * float(described.rtt.value)), draws=self.draws)
        payload, wire = (float(np.ravel(size)[0]) for size in payload_per_packet(model.scenario))
        rate_bps = each["rate"].value * payload / wire
        transport = model.transports.get(False)
        if transport is None or not transport.matters:
            return np.ones(1 + self.draws)
        runs = RANDOM_RUNS if transport.runs_differ(lossless=True) else 1
        element = np.concatenate([np.zeros(runs, dtype=np.int64), 1 + np.arange(self.draws)])
        lifted = np.ones(element.size)
        reached = transport.simulate(
            np.full((1, element.size), rate_bps),
            element,
            link_bound=np.ones((1, element.size), dtype=np.bool_),
            lossless=lifted,
            windowless=lifted,
            warm=lifted,
            sequence=np.arange(element.size),
            rounds=model.effort.rounds,
            grain=0.0,
        )[0]
        return np.minimum(np.concatenate([[reached[:runs].mean()], reached[runs:]]) / rate_bps, 1.0)

    def _over(
        self, scenario: Scenario, *, amount_bits: float = _NAN, duration_s: float = _NAN, draws: int = 0
    ) -> Model:
        """Model of a transfer of an amount, or of a duration, or of no known end."""
        warm_up = scenario.tool.warm_up

        def size(value: float) -> Parameter | None:
            return None if np.isnan(value) else warm_up.model_copy(update={"value": value, "spread": 0.0})

        sizes = {"bytes": size(amount_bits / 8), "duration": size(duration_s), "warm_up": size(0.0)}
        tool = scenario.tool.model_copy(update=sizes)
        return Model(replace(scenario, tool=tool), Draws(draws), levels=1)

    # demands ---------------------------------------------------------------------------------------------------------

    def wire_share(self) -> FloatArray:
        """Bits on the wire for a bit of payload."""
        payload, wire = payload_per_packet(self.scenario)
        share = self._full(np.atleast_1d(np.asarray(wire / payload, dtype=np.float64)))
        if self.scenario.tool.protocol == "udp":
            share = share / (1 - self._full(self.model.draw("path.loss", self.scenario.path.loss)))
        return np.asarray(share)

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
        scenario = replace(self.scenario, tool=tool, path=path)
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

    def _error(self, regime: str) -> FloatArray:
        """Measured over predicted rate in a regime: its bias, and the draws."""
        number = discrepancy.REGIMES.index(regime)
        return np.concatenate([discrepancy.biases()[number : number + 1], discrepancy.factors(self.draws)[number]])

    def _full(self, values: FloatArray) -> FloatArray:
        """Central value and draws, where all draws may be equal."""
        values = np.asarray(values, dtype=np.float64).reshape(-1)
        return np.concatenate([[central(values)], np.broadcast_to(drawn(values), self.draws)])


def shuffled(owner: str, draws: int) -> np.ndarray:
    """Places of the central value and of the draws for one host or link, whose parameters are its own."""
    return np.concatenate([[0], 1 + np.argsort(order(f"site {owner}")[:draws])]).astype(np.int64)
