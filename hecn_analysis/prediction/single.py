"""The prediction of one scenario: throughput, interval, bottleneck, and the ladder of further limits.

`model` computes throughputs. The ladder repeatedly lifts the limit whose removal gains most. The first one lifted is
the bottleneck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hecn_analysis.base.errors import HecnError
from hecn_analysis.hardware import Scenario, load_scenario
from hecn_analysis.prediction.draws import Draws, FloatArray
from hecn_analysis.prediction.ladder import KINDS, Lift, above, binding, gain
from hecn_analysis.prediction.model import THOROUGH, Effort, Model
from hecn_analysis.prediction.result import Assumption, Flow, Prediction, Rung
from hecn_analysis.prediction.together import followed
from hecn_analysis.prediction.unknowns import ranked


def predict(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    settings: Mapping[str, Any] | None = None,
    *,
    effort: Effort = THOROUGH,
) -> Prediction:
    """Predict the throughput of a scenario, its interval, and its limits.

    Parameters
    ----------
    scenario
        YAML file, name in ``models/scenarios``, mapping of keys, or a loaded scenario.
    settings
        Keys that replace those of the scenario, e.g. ``{"path.rtt": "80 ms"}``.
    effort
        How much work to spend; `GLANCE` gives a quick preview.

    Returns
    -------
    Prediction
        ``throughput_bps`` with its interval ``low_bps`` to ``high_bps`` [bit/s], ``bottleneck``, the ladder of limits,
        and the assumptions.

    Raises
    ------
    InputError
        The scenario is invalid: unknown key or name, impossible value.

    Examples
    --------
    >>> result = predict({"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "1 Gb/s"})
    >>> round(result.throughput_bps / 1e6, 2), result.bottleneck
    (941.48, 'path.link')
    """
    return _Report(load_scenario(scenario, settings), effort).predict()


def predict_each(scenarios: Iterable[Scenario | HecnError]) -> Iterator[Prediction | HecnError]:
    """Predict scenarios, with one simulation of TCP for many (see `together`); the numbers are those of `predict`.

    Parameters
    ----------
    scenarios
        Scenarios; an error in place of a scenario is passed on.

    Yields
    ------
    Prediction or HecnError
        The prediction of each scenario (see `predict`) [bit/s], or its error.

    Examples
    --------
    >>> line = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.mtu": 9000}
    >>> predictions = predict_each(load_scenario(line, {"path.rate": rate}) for rate in ("1 Gb/s", "10 Gb/s"))
    >>> [round(result.throughput_bps / 1e9, 3) for result in predictions]
    [0.99, 9.9]
    """
    for report in followed(map(_reported, scenarios), _Report.look):
        try:
            answer = report if isinstance(report, HecnError) else report.predict()
        except HecnError as error:
            answer = error
        yield answer


def _reported(scenario: Scenario | HecnError) -> _Report | HecnError:
    try:
        return scenario if isinstance(scenario, HecnError) else _Report(scenario, THOROUGH)
    except HecnError as error:
        return error


class _Report(Model):
    """One scenario, with everything that its prediction reports."""

    def __init__(self, scenario: Scenario, effort: Effort) -> None:
        super().__init__(scenario, Draws(effort.draws), levels=effort.rungs + 1, effort=effort)
        self.totals: dict[Lift, float] = {}

    def look(self) -> tuple[list[Lift], FloatArray, FloatArray]:
        """All states of the ladder, their throughputs, and the draws; together they cost little more than one."""
        states = self._states()
        return states, *self.throughputs(states, with_draws=True)

    def predict(self) -> Prediction:
        """Solve, climb the ladder, and put the result together."""
        states, by_state, draws = self.look()
        self.totals = {state: float(by_state[0, number].sum()) for number, state in enumerate(states)}
        climb = self._climb()
        flows = by_state[0, states.index(Lift())]
        total = float(self.answer(draws)[0])
        low, high = self.interval(draws, np.array([total]))
        probabilities = self._probabilities(climb[0][1], draws[0]) if climb else {}
        ladder: list[Rung] = []
        for step, (state, kind) in enumerate(climb):
            name, resource_class, title = self._limit(state, kind)
            if any(rung.resource == name for rung in ladder):
                continue
            probability = probabilities.get(name, probabilities[""] if step == 0 and kind != "resource" else 0.0)
            probability = min(1.0, round(probability, 6))
            ladder.append(Rung(name, resource_class, title, total if step == 0 else self.totals[state], probability))
        limits = [ladder[0].resource if ladder else ""] * flows.size
        if climb and climb[0][1] == "resource":
            limits = [self.system.resources[number].name for number in self.levels[0][1][0]]
        return Prediction(
            scenario=self.described,
            throughput_bps=total,
            low_bps=float(low[0]),
            high_bps=float(high[0]),
            utilisation=self._utilisation(flows * (total / flows.sum() if np.isfinite(total) else 1.0)),
            ladder=tuple(ladder),
            flows=tuple(
                Flow(name, float(rate), limit)
                for name, rate, limit in zip(self.system.flows, flows, limits, strict=True)
            ),
            warnings=tuple(self._warnings()),
            assumptions=tuple(self._assumptions()),
            unknowns=ranked(self.draw, self.runs(draws)[0]),
            draws_bps=np.broadcast_to(self.real(draws)[0], self.effort.draws),
        )

    # the ladder ------------------------------------------------------------------------------------------------------

    def _states(self) -> list[Lift]:
        tcp = self.limits_of_tcp()
        choices = [(False, True) if kind in tcp else (False,) for kind in ("window", "loss", "start_up")]
        return [
            Lift(level, window, loss, start_up)
            for level in range(len(self.levels))
            for window in choices[0]
            for loss in choices[1]
            for start_up in choices[2]
        ]

    def _climb(self) -> list[tuple[Lift, str]]:
        """States of the ladder from the bottom, each with the limit that gains most when lifted."""
        climb: list[tuple[Lift, str]] = []
        here = Lift()
        while np.isfinite(self.totals[here]) and len(climb) < self.effort.rungs:
            candidates = above(here)
            possible = [state for state in candidates.values() if state in self.totals and state != here]
            if not possible:
                break
            totals = [self.totals[state] if state in possible else np.nan for state in candidates.values()]
            best = KINDS[int(binding(gain(np.array(totals), np.array(self.totals[here]))))]
            climb.append((here, best))
            here = candidates[best]
        return climb

    def _limit(self, state: Lift, kind: str) -> tuple[str, str, str]:
        """Name, class and title of the limit lifted from a state."""
        if kind != "resource":
            return self.limit_of_tcp(kind)
        resource = self.system.resources[self.first(*self.levels[state.resources])[0]]
        return resource.name, resource.resource_class, resource.title

    def _probabilities(self, first_kind: str, draws: FloatArray) -> dict[str, float]:
        """Share of the draws in which each limit is the first."""
        steady, stopped = self.steady[0][0], self.steady[1][0]
        held = 0.0
        if first_kind != "resource":
            held = float((draws.sum(axis=1) < 0.9 * steady.sum(axis=1)).mean())
        limited = stopped[(stopped >= 0).all(axis=1)]
        shares: dict[str, float] = {"": held}
        if limited.size:
            numbers, times = np.unique(self.first(np.ones(limited.shape), limited), return_counts=True)
            for number, many in zip(numbers, times, strict=True):
                name = self.system.resources[number].name
                shares[name] = shares.get(name, 0.0) + many * (1 - held) / len(stopped)
        return shares

    # the rest ----------------------------------------------------------------------------------------------------

    def _utilisation(self, throughput: FloatArray) -> dict[str, float]:
        if not np.isfinite(throughput).all():
            return {}
        busy = throughput @ self.central_demand()[0]
        result: dict[str, float] = {}
        for resource, fraction in zip(self.system.resources, busy, strict=True):
            result[resource.name] = min(1.0, max(result.get(resource.name, 0.0), round(float(fraction), 9)))
        return result

    def _warnings(self) -> list[str]:
        warnings = [*self.scenario.warnings, *self._first_arrays()]
        for role, host in (("sender", self.scenario.sender), ("receiver", self.scenario.receiver)):
            for name, slot in (host.slots if host is not None else {}).items():
                card = slot.nic or slot.controller
                if card is None or slot.lanes is None or card.lanes is None:
                    continue
                if card.lanes > slot.lanes:
                    warnings.append(
                        f"{role}.slots.{name}: an x{card.lanes} card in an x{slot.lanes} slot trains to x{slot.lanes}"
                    )
                if slot.gen is not None and card.gen is not None and card.gen > slot.gen:
                    card_gen, slot_gen = f"PCIe {card.gen}.0", f"PCIe {slot.gen}.0"
                    warnings.append(f"{role}.slots.{name}: a {card_gen} card in a {slot_gen} slot trains to {slot_gen}")
        return warnings

    def _first_arrays(self) -> Iterator[str]:
        """Warn about files without a stated array: they count as on the first of several."""
        scenario, tool = self.scenario, self.scenario.tool
        for role, host, end, rate in (
            ("sender", scenario.sender, tool.source_end, "read_rate"),
            ("receiver", scenario.receiver, tool.sink_end, "write_rate"),
        ):
            if host is None or end != "disk" or host.files_on or getattr(host, rate) is not None:
                continue
            if len(host.arrays) > 1:
                first, *others = host.arrays
                yield f"{role}.files_on is not set: the files are assumed to be on {first}, not on {', '.join(others)}"

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
