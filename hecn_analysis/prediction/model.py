"""The prediction: resources and demands to fair shares, TCP over time, bottleneck, ladder, interval.

1. `resources.build` turns the scenario into demands, for the central values and for draws from their spreads.
2. `solve.max_min` shares the resources: what each flow could reach for ever.
3. `transport` says what TCP makes of that within the test: window, losses, start-up.
4. The ladder lifts, again and again, whatever gains most when lifted; the first one lifted is the bottleneck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.prediction.draws import Draws, FloatArray
from hecn_analysis.prediction.resources import Resource, build
from hecn_analysis.prediction.result import Assumption, Flow, Prediction, Rung
from hecn_analysis.prediction.solve import max_min
from hecn_analysis.prediction.transport import Transport

MAX_RUNGS = 6

#: A test counts what still lies in buffers at its end: a few megabytes in ten seconds at 10 Gb/s.
BUFFERED = 1e-3

#: Losses are the bottleneck where doing without them gains more than this, the start-up where it gains more than that:
#: below, they cost something of what a resource allows, and the resource is what to change.
LOSS_FELT = 1.03
START_UP_FELT = 1.25

#: A transfer over a lossy path is one random run; its mean is taken over this many of them.
RANDOM_RUNS = 16

#: Parts side by side that are busier than this are full together.
FULL = 0.995

#: A limit is worth a rung when lifting it gains more than this.
WORTH = 1e-3


def predict(
    scenario: str | Path | Mapping[str, Any] | Scenario, settings: Mapping[str, Any] | None = None
) -> Prediction:
    """Throughput of a scenario, its interval, and what holds it back.

    Parameters
    ----------
    scenario
        YAML file, name in ``models/scenarios``, mapping of keys, or a loaded scenario.
    settings
        Keys set over it, e.g. ``{"path.rtt": "80 ms"}``.

    Raises
    ------
    InputError
        The scenario cannot be: unknown key or name, impossible value.

    Examples
    --------
    >>> result = predict({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "1 Gb/s"})
    >>> round(result.throughput_bps / 1e6, 2), result.bottleneck
    (941.48, 'path.link')
    """
    return _Model(load_scenario(scenario, settings)).predict()


@dataclass(frozen=True)
class _Lift:
    """A state of the ladder: how many resources are lifted, and which limits of TCP."""

    resources: int = 0
    window: bool = False
    loss: bool = False
    start_up: bool = False


class _Model:
    """One scenario on its way to a prediction."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.draw = Draws()
        self.system = build(scenario, self.draw)
        self.steady, self.stopped = max_min(self.system.demand)
        self.transports = self._transports()
        self.levels = self._levels()

    def _transports(self) -> dict[bool, Transport]:
        if self.scenario.tool.protocol == "file":
            return {}
        return {way: Transport.of(self.scenario, self.draw, reverse=way) for way in set(self.system.reverse)}

    def _levels(self) -> list[tuple[FloatArray, list[Resource]]]:
        """Central throughput of each flow as resources are lifted one after another, with what stops each flow."""
        demand = self.system.demand[:1].copy()
        resources = self.system.resources
        levels: list[tuple[FloatArray, list[Resource]]] = []
        for _ in range(MAX_RUNGS + 1):
            throughput, stopped = max_min(demand)
            if not np.isfinite(throughput).all():
                levels.append((throughput[0], []))
                break
            by_flow = [resources[index] for index in stopped[0]]
            levels.append((throughput[0], by_flow))
            first = self._binding(throughput[0], by_flow)
            busy = throughput[0] @ demand[0]
            demand[
                :,
                :,
                [column for column, resource in enumerate(resources) if _same(resource, first) and busy[column] > FULL],
            ] = 0.0
        return levels

    @staticmethod
    def _binding(throughput: FloatArray, by_flow: list[Resource]) -> Resource:
        """Return the resource that holds back most of the traffic."""
        held: dict[str, float] = {}
        for resource, rate in zip(by_flow, throughput, strict=True):
            held[resource.name] = held.get(resource.name, 0.0) + rate
        most = max(held, key=lambda name: held[name])
        return next(resource for resource in by_flow if resource.name == most)

    # throughput of states of the ladder and of draws -----------------------------------------------------------------

    def _states(self) -> list[_Lift]:
        tcp = self._limits_of_tcp()
        choices = [(False, True) if name in tcp else (False,) for name in ("window", "loss", "start_up")]
        return [
            _Lift(level, window, loss, start_up)
            for level in range(len(self.levels))
            for window in choices[0]
            for loss in choices[1]
            for start_up in choices[2]
        ]

    def _limits_of_tcp(self) -> set[str]:
        found = set()
        for transport in self.transports.values():
            if np.isfinite(transport.window_limit_bps[0]):
                found.add("window")
            if transport.matters:
                found.add("start_up")
                if transport.loss[0] > 0:
                    found.add("loss")
        return found

    def throughputs(self) -> tuple[dict[_Lift, FloatArray], FloatArray]:
        """Central throughput of each flow in every state of the ladder; and of each draw, shape (draws, flows)."""
        states = self._states()
        by_state = np.stack([self.levels[state.resources][0] for state in states])
        draws = self.steady[1:].copy()
        for way, transport in self.transports.items():
            for flow in [number for number, reverse in enumerate(self.system.reverse) if reverse == way]:
                window = transport.window_limit_bps
                is_windowless = np.array([state.window for state in states])
                if not transport.matters:
                    by_state[:, flow] = np.where(
                        is_windowless, by_state[:, flow], np.minimum(by_state[:, flow], window[0])
                    )
                    draws[:, flow] = np.minimum(draws[:, flow], window[1:])
                    continue
                runs = np.array([RANDOM_RUNS if transport.runs_differ(lossless=state.loss) else 1 for state in states])
                central = np.repeat(np.arange(len(states)), runs)
                link_bound = [self._is_link(self.levels[state.resources][1][flow : flow + 1]) for state in states]
                drawn_link_bound = [
                    self._is_link([self.system.resources[index]] if index >= 0 else [])
                    for index in self.stopped[1:, flow]
                ]

                def column(
                    name: str, states: list[_Lift] = states, central: npt.NDArray[np.int64] = central
                ) -> FloatArray:
                    lifted = np.array([float(getattr(state, name)) for state in states])
                    return np.concatenate([lifted[central], np.zeros(Draws.size - 1)])

                result = transport.simulate(
                    np.concatenate([by_state[central, flow], draws[:, flow]]),
                    np.concatenate([np.zeros(central.size), np.arange(1, Draws.size)]),
                    link_bound=np.concatenate(
                        [np.array(link_bound, dtype=float)[central], np.array(drawn_link_bound, dtype=float)]
                    ),
                    lossless=column("loss"),
                    windowless=column("window"),
                    warm=column("start_up"),
                )
                by_state[:, flow] = np.add.reduceat(result[: central.size], np.cumsum(runs) - runs) / runs
                draws[:, flow] = result[central.size :]
        for flow, reverse in enumerate(self.system.reverse):
            if reverse in self.transports:
                by_state[:, flow] = self.transports[reverse].delayed(by_state[:, flow], slice(1))
                draws[:, flow] = self.transports[reverse].delayed(draws[:, flow], slice(1, None))
        if (amount := self.scenario.tool.bytes) is not None:
            bits = 8 * amount.value
            with np.errstate(divide="ignore"):  # no limit stays none
                by_state = 1 / (1 / by_state + self.system.fill_s[:1] / bits)
                draws = 1 / (1 / draws + self.system.fill_s[1:] / bits)
        return dict(zip(states, by_state, strict=True)), draws

    @staticmethod
    def _is_link(by_flow: list[Resource]) -> bool:
        return bool(by_flow) and by_flow[0].resource_class == "link"

    # the ladder ------------------------------------------------------------------------------------------------------

    def _climb(self, totals: Mapping[_Lift, float]) -> list[tuple[_Lift, str]]:
        """States of the ladder from the bottom, each with the limit that gains most when lifted from it."""
        climb: list[tuple[_Lift, str]] = []
        here = _Lift()
        while np.isfinite(totals[here]) and len(climb) < MAX_RUNGS:
            candidates = {
                "window": _Lift(here.resources, window=True, loss=here.loss, start_up=here.start_up),
                "loss": _Lift(here.resources, window=here.window, loss=True, start_up=here.start_up),
                "start_up": _Lift(here.resources, window=here.window, loss=here.loss, start_up=True),
                "resource": _Lift(here.resources + 1, here.window, here.loss, here.start_up),
            }
            gains = {
                name: totals[state] / totals[here]
                for name, state in candidates.items()
                if state in totals and state != here
            }
            if not gains:
                break
            best = self._most(gains)
            climb.append((here, best))
            here = candidates[best]
        return climb

    @staticmethod
    def _most(gains: Mapping[str, float]) -> str:
        """Return which limit binds, given what lifting each would multiply the throughput by."""
        felt = {"loss": LOSS_FELT, "start_up": START_UP_FELT}
        taken = {name: gain for name, gain in gains.items() if gain > felt.get(name, float("inf"))}
        if taken:
            return max(taken, key=lambda name: taken[name])
        standing = {name: gain for name, gain in gains.items() if name not in felt} or gains
        best = max(standing, key=lambda name: standing[name])
        equal = "resource" in standing and standing[best] <= 1 + WORTH
        return "resource" if equal else best  # of equal limits, lift the resource and look again

    def _limit(self, state: _Lift, kind: str) -> tuple[str, str, str]:
        """Resource name, class and words of what is lifted from a state."""
        transport = next(iter(self.transports.values()), None)
        if kind == "resource" or transport is None:
            resource = self._binding(*self.levels[state.resources])
            return resource.name, resource.resource_class, resource.title
        if kind == "window":
            name, title = transport.window_owner
            return name, "window", title
        if kind == "loss":
            return "path.loss", "loss", "packet loss on the path"
        return "path.start-up", "start-up", "the start-up of TCP"

    def _probabilities(self, first_kind: str, draws: FloatArray) -> dict[str, float]:
        """Share of the draws in which each limit is the first.

        Where TCP is the bottleneck, it counts as such in the draws in which it keeps the flows more than a tenth below
        what the resources would allow.
        """
        steady, stopped = self.steady[1:], self.stopped[1:]
        held = 0.0
        if first_kind != "resource":
            held = float((draws.sum(axis=1) < 0.9 * steady.sum(axis=1)).mean())
        shares: dict[str, float] = {}
        for row in stopped:
            if (row >= 0).all():
                name = self._binding(np.ones(len(row)), [self.system.resources[index] for index in row]).name
                shares[name] = shares.get(name, 0.0) + (1 - held) / len(stopped)
        return {**shares, "": held}

    # all together ----------------------------------------------------------------------------------------------------

    def predict(self) -> Prediction:
        """Solve, climb the ladder, and put the result together."""
        by_state, draws = self.throughputs()
        totals = {state: float(flows.sum()) for state, flows in by_state.items()}
        climb = self._climb(totals)
        central = by_state[_Lift()]
        is_random = any(transport.is_random for transport in self.transports.values())
        total = float(np.median(draws.sum(axis=1))) if is_random else float(central.sum())
        low, high = self._interval(draws, total)
        probabilities = self._probabilities(climb[0][1], draws) if climb else {}
        ladder: list[Rung] = []
        for step, (state, kind) in enumerate(climb):
            name, resource_class, title = self._limit(state, kind)
            if any(rung.resource == name for rung in ladder):
                continue
            probability = probabilities.get(name, probabilities[""] if step == 0 and kind != "resource" else 0.0)
            probability = min(1.0, round(probability, 6))
            ladder.append(Rung(name, resource_class, title, total if step == 0 else totals[state], probability))
        by_flow = self.levels[0][1]
        flow_bottleneck = (
            [ladder[0].resource if climb[0][1] != "resource" else resource.name for resource in by_flow]
            if climb
            else []
        )
        return Prediction(
            scenario=self.scenario,
            throughput_bps=total,
            low_bps=low,
            high_bps=high,
            utilisation=self._utilisation(central * (total / central.sum() if np.isfinite(total) else 1.0)),
            ladder=tuple(ladder),
            flows=tuple(
                Flow(name, float(rate), limit)
                for name, rate, limit in zip(
                    self.system.flows, central, flow_bottleneck or [""] * len(central), strict=True
                )
            ),
            warnings=tuple(self._warnings()),
            assumptions=tuple(self._assumptions()),
        )

    def _interval(self, draws: FloatArray, total: float) -> tuple[float, float]:
        if not np.isfinite(total):
            return total, total
        repeat = self.draw("tool.repeat", self.scenario.tool.repeat)[1:]
        runs = np.minimum(draws.sum(axis=1) * repeat, self._ceiling() * (1 + BUFFERED))
        low, high = np.quantile(runs, [0.05, 0.95])
        return float(min(low, total)), float(max(high, total))

    def _ceiling(self) -> float:
        """Return what the links alone carry [bit/s]: no run exceeds it, however lucky."""
        links = [column for column, resource in enumerate(self.system.resources) if resource.resource_class == "link"]
        if not links:
            return float("inf")
        throughput, _ = max_min(self.system.demand[:1][:, :, links])
        return float(throughput.sum())

    def _utilisation(self, throughput: FloatArray) -> dict[str, float]:
        if not np.isfinite(throughput).all():
            return {}
        busy = throughput @ self.system.demand[0]
        result: dict[str, float] = {}
        for resource, fraction in zip(self.system.resources, busy, strict=True):
            result[resource.name] = max(result.get(resource.name, 0.0), round(float(fraction), 9))
        return result

    def _warnings(self) -> list[str]:
        found = []
        for role, host in (("sender", self.scenario.sender), ("receiver", self.scenario.receiver)):
            for name, slot in (host.slots if host is not None else {}).items():
                card = slot.nic or slot.controller
                if card is None or slot.lanes is None or card.lanes is None:
                    continue
                if card.lanes > slot.lanes:
                    found.append(
                        f"{role}.slots.{name}: an x{card.lanes} card in an x{slot.lanes} slot trains to x{slot.lanes}"
                    )
                if slot.gen is not None and card.gen is not None and card.gen > slot.gen:
                    card_gen, slot_gen = f"PCIe {card.gen}.0", f"PCIe {slot.gen}.0"
                    found.append(f"{role}.slots.{name}: a {card_gen} card in a {slot_gen} slot trains to {slot_gen}")
        return found

    def _assumptions(self) -> list[Assumption]:
        owners: dict[str, Callable[[], str]] = {
            "sender": lambda: self.scenario.sender.source if self.scenario.sender else "",
            "receiver": lambda: self.scenario.receiver.source if self.scenario.receiver else "",
            "path": lambda: self.scenario.path.source,
            "tool": lambda: self.scenario.tool.source,
        }
        return [
            Assumption(
                name,
                parameter.value,
                parameter.unit,
                parameter.spread,
                parameter.basis,
                parameter.source or owners[name.partition(".")[0]](),
            )
            for name, parameter in self.draw.used.items()
            if np.isfinite(parameter.value)
        ]


def _same(resource: Resource, first: Resource) -> bool:
    """Whether `resource` is `first`, in either direction, or one of the equal parts beside it.

    Equal parts that are full together (the links of a bundle, the cores of alike processes) are lifted together: one
    more link would not help a transfer that fills four alike.
    """
    return resource.name.rstrip("0123456789") == first.name.rstrip("0123456789")
