"""The model: fair shares of resources, then TCP over time, for central values and for draws from their spreads.

1. `resources.build` turns the scenario into demands.
2. `solve.max_min` shares the resources: the steady rate of each flow.
3. `transport` applies TCP within the test: window, losses, start-up.

`Model` handles many scenarios of one structure at once (see `draws`). `single` runs it for one scenario and climbs the
ladder; `sweep` runs it for many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hecn_analysis.hardware import Scenario
from hecn_analysis.limits.tcp_rounds import MAX_ROUNDS
from hecn_analysis.prediction import discrepancy
from hecn_analysis.prediction.draws import DRAWS, Draws, FloatArray, agreed, central, drawn
from hecn_analysis.prediction.ladder import KINDS, RESOURCE, Lift, above, binding, gain
from hecn_analysis.prediction.resources import build
from hecn_analysis.prediction.solve import IntArray, max_min, max_min_throughput
from hecn_analysis.prediction.transport import Transport
from hecn_analysis.prediction.unstated import completed, drawn_names

BoolArray = npt.NDArray[np.bool_]

MAX_RUNGS = 6

#: A test also counts data still in buffers at its end: a few megabytes in ten seconds at 10 Gb/s.
BUFFERED = 1e-3

#: Runs to average over a lossy path, where a single run is random.
RANDOM_RUNS = 16

#: Steps of TCP, and growth of a window in each, where the path or the buffers are not stated: draws differ by more.
VAGUE_ROUNDS, VAGUE_GRAIN = 480, 0.05

_BUFFERS = ("tcp_rmem_max", "tcp_wmem_max")

#: A transfer at less than this share of a limit is held back by something else. [1]
HELD = 0.97

#: Parallel parts busier than this count as full together.
FULL = 0.995

#: Classes of what carries no more than its clock allows, and how much more than the model's rate a result may say:
#: results are rounded, and headers may be smaller than assumed.
_CARRIERS = frozenset({"link", "slot"})
_MOST_ABOVE = 1.01


@dataclass(frozen=True)
class Effort:
    """Work to spend on a prediction: draws, random runs over a lossy path, simulated round trips, and rungs.

    Without round trips, TCP is its window limit alone.
    """

    draws: int = DRAWS
    random_runs: int = RANDOM_RUNS
    rounds: int = MAX_ROUNDS
    rungs: int = MAX_RUNGS


#: For an answer.
THOROUGH = Effort()

#: For a preview while a slider moves: a rough interval and, on lossy paths, a rough throughput.
GLANCE = Effort(draws=16, random_runs=2, rounds=140, rungs=3)

#: For what resources and windows allow, without TCP over time.
STEADY = Effort(rounds=0)


class Model:
    """Scenarios of one structure on their way to predictions.

    The parameters of ``scenario`` may be arrays with a value for each of ``count`` scenarios; ``described`` is the
    scenario as given, ``scenario`` has priors for what it does not state. ``levels`` have the central throughput of
    each flow and the resource that stops it, as resources are lifted one by one. ``transports`` are TCP of the flows
    from the sender to the receiver (False) and of the reverse flows (True).
    """

    def __init__(
        self, scenario: Scenario, draw: Draws, *, count: int = 1, levels: int, effort: Effort = THOROUGH
    ) -> None:
        self.described = scenario
        self.scenario = scenario = completed(scenario, draw)
        self.effort = effort
        self.draw = draw
        self.count = count
        self.system = build(scenario, draw)
        ways = set(self.system.reverse) if scenario.tool.protocol == "tcp" else set()
        self.transports = {way: Transport.of(scenario, draw, reverse=way) for way in sorted(ways)}
        stems = [resource.name.rstrip("0123456789") for resource in self.system.resources]
        #: Equal parts that are full together (links of a bundle, cores of identical processes, both directions of
        #: a slot) are lifted together: a single faster link would not help a transfer that fills four equally.
        self._alike = np.array([[stem == other for other in stems] for stem in stems], dtype=bool)
        names = list(dict.fromkeys(resource.name for resource in self.system.resources))
        self._named = np.array([names.index(resource.name) for resource in self.system.resources], dtype=np.int64)
        links = [resource.resource_class == "link" for resource in self.system.resources]
        self._is_link = np.array([*links, False])  # the last entry stands for no resource, -1
        self.levels = self._levels(levels)
        self._allowed = np.zeros((count, 0))

    # resources -------------------------------------------------------------------------------------------------------

    @property
    def simulated(self) -> bool:
        """Whether TCP needs a simulation over time."""
        return self.effort.rounds > 0 and any(transport.matters for transport in self.transports.values())

    @property
    def is_random(self) -> bool:
        """Whether the central values say little: runs differ at random, or something is not stated."""
        return bool(drawn_names(self.draw)) or any(transport.is_random for transport in self.transports.values())

    def central_demand(self) -> FloatArray:
        """Demands of the central values, shape (scenarios, flows, resources)."""
        return self.system.table((self.count,), central)

    @cached_property
    def steady(self) -> tuple[FloatArray, IntArray]:
        """Steady rate of each flow in each draw, and the resource that stops it, shape (scenarios, draws, flows)."""
        table = self.system.table((self.count, self.draw.size - 1), drawn)
        throughput, stopped = max_min(table.reshape(self.count * (self.draw.size - 1), *table.shape[2:]))
        return throughput.reshape(table.shape[:3]), stopped.reshape(table.shape[:3])

    def _levels(self, most: int) -> list[tuple[FloatArray, IntArray]]:
        """Central throughput and limit of each flow as resources are lifted; NaN above a scenario's last level."""
        levels: list[tuple[FloatArray, IntArray]] = []
        demand = self.central_demand()
        limited: BoolArray = np.ones(self.count, dtype=bool)
        while len(levels) < most and limited.any():
            throughput, stopped = max_min(demand)
            levels.append((np.where(limited[:, None], throughput, np.nan), stopped))
            limited = limited & np.isfinite(throughput).all(axis=1)
            if limited.any():
                first = self.first(throughput, stopped)
                busy = np.einsum("sf,sfr->sr", np.where(limited[:, None], throughput, 0.0), demand)
                demand = np.where((self._alike[first] & (busy > FULL))[:, None, :], 0.0, demand)
        return levels

    def first(self, throughput: FloatArray, stopped: IntArray) -> IntArray:
        """Number of the resource that limits most of each row's traffic, with both directions of it counted."""
        if stopped.shape[1] == 1:
            return stopped[:, 0]
        names = np.where(stopped >= 0, self._named[stopped], -1)
        held = np.where(names[:, :, None] == names[:, None, :], throughput[:, None, :], 0.0).sum(axis=2)
        return np.take_along_axis(stopped, held.argmax(axis=1)[:, None], axis=1)[:, 0]

    def ceiling(self) -> FloatArray:
        """Rate that the links alone carry [bit/s]; no run exceeds it."""
        if not self._is_link.any():
            return np.full(self.count, np.inf)
        throughput, _ = max_min(self.central_demand()[:, :, self._is_link[:-1]])
        return np.asarray(throughput.sum(axis=1))

    # TCP ------------------------------------------------------------------------------------------------------------

    def limits_of_tcp(self) -> tuple[str, ...]:
        """Kinds of TCP limits in these scenarios."""
        kinds = set()
        for transport in self.transports.values():
            if agreed(np.isfinite(central(transport.window_limit_bps))):
                kinds.add("window")
            if transport.matters:
                kinds.add("start_up")
                if agreed(central(transport.loss) > 0):
                    kinds.add("loss")
        return tuple(kind for kind in KINDS if kind in kinds)

    def throughputs(self, states: Sequence[Lift], *, with_draws: bool) -> tuple[FloatArray, FloatArray]:
        """Return the throughput of each flow in given states of the ladder, and in the draws [bit/s].

        The shapes are (scenarios, states, flows) and (scenarios, draws, flows); `states` have `resources` below the
        number of `levels`.
        """
        flows = len(self.system.flows)
        by_state = np.zeros((self.count, len(states), flows))
        for number, state in enumerate(states):
            by_state[:, number] = self.levels[state.resources][0]
        draws = self._draws(with_draws=with_draws)
        self._allowed = draws.sum(axis=2)
        for way, transport in self.transports.items():
            own = [flow for flow, reverse in enumerate(self.system.reverse) if reverse == way]
            if self.effort.rounds and transport.matters:
                self._simulate(transport, own, states, by_state, draws)
            else:
                window = transport.window_limit_bps
                for number in (number for number, state in enumerate(states) if not state.window):
                    limit = np.reshape(central(window), (-1, 1))
                    by_state[:, number, own] = np.minimum(by_state[:, number, own], limit)
                if with_draws:
                    draws[..., own] = np.minimum(draws[..., own], drawn(window)[..., None])
            for flow in own:
                by_state[..., flow] = transport.delayed(by_state[..., flow], transport.delay_s[..., :1])
                draws[..., flow] = transport.delayed(draws[..., flow], drawn(transport.delay_s))
        if (amount := self.scenario.tool.bytes) is not None:
            bits = 8 * np.asarray(amount.value)
            with np.errstate(divide="ignore"):  # no limit remains no limit
                for flow, fill in self.system.fill_s.items():
                    by_state[..., flow] = 1 / (1 / by_state[..., flow] + fill[..., :1] / bits)
                    if with_draws:
                        draws[..., flow] = 1 / (1 / draws[..., flow] + drawn(fill) / bits)
        return by_state, draws

    def _draws(self, *, with_draws: bool) -> FloatArray:
        """Steady rate of each flow in each draw."""
        flows = len(self.system.flows)
        if not with_draws:
            return np.zeros((self.count, 0, flows))
        if self.simulated or self.count == 1:
            return self.steady[0].copy()
        demand = [{flow: drawn(seconds) for flow, seconds in by.items()} for by in self.system.by_resource]
        return max_min_throughput(demand, flows, (self.count, self.draw.size - 1)).copy()

    def _simulate(
        self, transport: Transport, flows: list[int], states: Sequence[Lift], by_state: FloatArray, draws: FloatArray
    ) -> None:
        """Replace the steady rates of some flows by the rates that TCP reaches over time."""
        many = self.effort.random_runs
        runs = np.array([many if transport.runs_differ(lossless=state.loss) else 1 for state in states])
        of_case = np.repeat(np.arange(len(states)), runs)
        first_run = np.cumsum(runs) - runs
        drawn_cases = np.arange(draws.shape[1])

        def lifted(name: str) -> FloatArray:
            values = np.array([float(getattr(state, name)) for state in states])
            return np.concatenate([values[of_case], np.zeros(drawn_cases.size)])

        vague = any(name.startswith("path.") or name.endswith(_BUFFERS) for name in drawn_names(self.draw))
        alike: dict[bytes, FloatArray] = {}
        for flow in flows:
            rate = np.concatenate([by_state[:, of_case, flow], draws[..., flow]], axis=1)
            is_link = np.stack([self._stopped_by_link(state.resources, flow) for state in states], axis=1)[:, of_case]
            if drawn_cases.size:
                stopped = self.steady[1][..., flow]
                is_link = np.concatenate([is_link, self._is_link[stopped]], axis=1)
            key = rate.tobytes() + is_link.tobytes()
            if key not in alike:
                alike[key] = transport.simulate(
                    rate,
                    np.concatenate([np.zeros_like(of_case), 1 + drawn_cases]),
                    link_bound=is_link,
                    lossless=lifted("loss"),
                    windowless=lifted("window"),
                    warm=lifted("start_up"),
                    sequence=np.concatenate([np.arange(of_case.size) - first_run[of_case], RANDOM_RUNS + drawn_cases]),
                    rounds=min(self.effort.rounds, VAGUE_ROUNDS) if vague else self.effort.rounds,
                    grain=VAGUE_GRAIN if vague else 0.0,
                )
            result = alike[key]
            by_state[..., flow] = np.add.reduceat(result[:, : of_case.size], first_run, axis=1) / runs
            draws[..., flow] = result[:, of_case.size :]

    def _stopped_by_link(self, level: int, flow: int) -> BoolArray:
        throughput, stopped = self.levels[level]
        return np.asarray(np.isfinite(throughput).all(axis=1) & self._is_link[stopped[:, flow]])

    # results ---------------------------------------------------------------------------------------------------------

    def interval(self, draws: FloatArray, total: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the interval that holds a single new run with 90 % probability [bit/s].

        `draws` are throughputs of each flow, shape (scenarios, draws, flows), `total` those of all flows together
        [bit/s].
        """
        runs = np.sort(self.runs(draws), axis=1)
        limited = np.isfinite(total)
        with np.errstate(invalid="ignore"):
            low = np.where(limited, np.minimum(_quantile(runs, 0.05), total), total)
            high = np.where(limited, np.maximum(_quantile(runs, 0.95), total), total)
        return low, high

    def ground(self, *, with_draws: bool) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return throughput, first limit (a number in `limits`) and draws of each scenario; needs two `levels` [bit/s].

        The throughput is the median of the draws or, without them, that of the central values; the draws have the shape
        (scenarios, draws, flows) [bit/s].
        """
        gains, totals, draws = self.gains(with_draws=with_draws)
        return self.answer(draws) if with_draws else totals, self.limit(gains), draws

    def gains(self, *, with_draws: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return gains of lifting each of `KINDS`, NaN for what is no limit, central throughput [bit/s], and draws."""
        kinds = [*self.limits_of_tcp(), *(["resource"] if len(self.levels) > 1 else [])]
        states = [Lift(), *(above(Lift())[kind] for kind in kinds)]
        by_state, draws = self.throughputs(states, with_draws=with_draws)
        totals = by_state.sum(axis=2)
        gains = np.full((self.count, len(KINDS)), np.nan)
        limited = np.isfinite(totals[:, 0])
        for number, kind in enumerate(kinds, start=1):
            gains[limited, KINDS.index(kind)] = gain(totals[limited, number], totals[limited, 0])
        return gains, totals[:, 0], draws

    def limit(self, gains: FloatArray) -> IntArray:
        """Number in `limits` of the first limit of each scenario."""
        kind_of = binding(gains)
        resources = len(self.system.resources)
        limit = np.where(kind_of == RESOURCE, self.first(*self.levels[0]), resources + kind_of)
        return np.where(np.isnan(gains).all(axis=1), resources + RESOURCE, limit)

    def answer(self, draws: FloatArray) -> FloatArray:
        """Median of the throughput of all flows together, shape (scenarios,) [bit/s]."""
        together = draws.sum(axis=2)
        ordered = np.sort(together * discrepancy.biases()[self.regimes(together)], axis=1)
        count = ordered.shape[1]  # the middle of the two in the logarithm, in which the draws are symmetric
        return np.asarray(np.sqrt(ordered[:, (count - 1) // 2] * ordered[:, count // 2]))

    def runs(self, draws: FloatArray) -> FloatArray:
        """Throughput of a single run in each draw: `real` with the scatter from run to run [bit/s]."""
        repeat = drawn(self.draw("tool.repeat", self.scenario.tool.repeat))
        real = self.real(draws)
        return np.asarray(np.minimum(real * repeat, np.maximum(real, self.carried() * (1 + BUFFERED))))

    def real(self, draws: FloatArray, *, changed: bool = False) -> FloatArray:
        """Return `throughputs` of all flows with the model's error [bit/s]; `changed`: compared with those before."""
        together = draws.sum(axis=2)
        error = discrepancy.factors(together.shape[1], changed=changed)
        own = error[self.regimes(together), np.arange(together.shape[1])]
        most = self.carried() * np.clip(error[discrepancy.REGIMES.index("lan")], 1.0, _MOST_ABOVE)
        return np.asarray(np.minimum(together * own, np.maximum(most, together)))

    def carried(self) -> FloatArray:
        """Rate that links and slots carry in each draw [bit/s]."""
        carriers = [
            by_flow
            for by_flow, resource in zip(self.system.by_resource, self.system.resources, strict=True)
            if resource.resource_class in _CARRIERS
        ]
        if not carriers:
            return np.full((self.count, 1), np.inf)
        demand = [{flow: drawn(seconds) for flow, seconds in by_flow.items()} for by_flow in carriers]
        flows = len(self.system.flows)
        return np.asarray(max_min_throughput(demand, flows, (self.count, self.draw.size - 1)).sum(axis=2))

    def regimes(self, together: FloatArray) -> IntArray:
        """Number of the regime of each draw: that of the fullest resource, or of the limit of TCP below it."""
        of_resources = [discrepancy.of_resource(self.scenario, each.name) for each in self.system.resources]
        regime = np.full(together.shape, discrepancy.REGIMES.index("stated"))
        most = np.zeros(together.shape)
        for number, by_flow in zip(of_resources, self.system.by_resource, strict=True):
            pressure = drawn(sum(by_flow.values(), np.zeros(1)))
            regime = np.where(pressure > most, number, regime)
            most = np.maximum(most, pressure)
        if not self.transports:
            return regime
        window = sum(drawn(self.transports[way].window_limit_bps) for way in self.system.reverse)
        held, by_window = together < HELD * self._allowed, together > HELD * window
        names = {kind: discrepancy.of_path(self.scenario, held_by=kind) for kind in ("window", "loss")}
        numbers = [discrepancy.REGIMES.index(names[kind]) for kind in ("window", "loss")]
        return np.where(held, np.where(by_window, *numbers), regime)

    def limits(self) -> list[tuple[str | None, str | None]]:
        """Name and class of each possible limit: the resources, the `KINDS` of TCP, and none."""
        resources = [(resource.name, resource.resource_class) for resource in self.system.resources]
        tcp = [self.limit_of_tcp(kind)[:2] if self.transports else (None, None) for kind in KINDS[:RESOURCE]]
        return [*resources, *tcp, (None, None)]

    def limit_of_tcp(self, kind: str) -> tuple[str, str, str]:
        """Name, class and title of a limit that TCP sets."""
        if kind == "window":
            name, title = next(iter(self.transports.values())).window_owner
            return name, "window", title
        if kind == "loss":
            return "path.loss", "loss", "packet loss on the path"
        return "path.start-up", "start-up", "the start-up of TCP"


def _quantile(ordered: FloatArray, share: float) -> FloatArray:
    """Quantile of each row of ordered values, interpolated linearly."""
    place = share * (ordered.shape[1] - 1)
    below = int(place)
    step = ordered[:, below + 1] - ordered[:, below]
    return np.asarray(ordered[:, below] + step * (place - below))
