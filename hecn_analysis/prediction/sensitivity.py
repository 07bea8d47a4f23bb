"""Slopes of a measured transfer by its uncertain parameters: of its throughput and the work of its processes.

Logarithms of demands are almost linear in the logarithms of parameters (a demand is a cost over a clock, or one over a
rate), so they are linearised once. The sharing of resources is not smooth, so it is computed exactly each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hecn_analysis.hardware import Scenario
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import value_at
from hecn_analysis.prediction.draws import Draws, FloatArray
from hecn_analysis.prediction.resources import build
from hecn_analysis.prediction.solve import max_min
from hecn_analysis.prediction.sweep import sweep
from hecn_analysis.prediction.transport import Transport

#: Step in the logarithm of a parameter for its slope.
_STEP = 0.01

#: The scatter of single runs is not a property of a host.
_OF_A_RUN = "tool.repeat"

#: Limits set by the path and the duration of a test: they give no information about a host.
_NO_HOST = ("loss", "start-up")

_ENDS = ("sender", "receiver")

#: Demands below this count as zero. [s/bit]
_LEAST = 1e-30


def uncertain(scenario: Scenario) -> dict[str, Parameter]:
    """Parameters with a spread that a scenario's prediction uses, by name (``receiver.cpu.write_cost``)."""
    draw = Draws(0)
    _evaluate(scenario, draw)
    return {
        name: parameter
        for name, parameter in draw.used.items()
        if parameter.spread > 0 and parameter.value > 0 and name != _OF_A_RUN and value_at(scenario, name) == parameter
    }


class _Nudged(Draws):
    """Central values, then the same with one parameter after another slightly increased."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        super().__init__(1 + max(numbers.values(), default=0))
        self._numbers = numbers

    def uniform(self, name: str, *, central: float) -> FloatArray:  # noqa: ARG002 - a run without chance
        return np.full(self.size, central)

    def _drawn(self, name: str, parameter: Parameter) -> FloatArray:
        values = np.full(self.size, parameter.value)
        if name in self._numbers:
            values[1 + self._numbers[name]] *= np.exp(_STEP)
        return values


def _evaluate(scenario: Scenario, draw: Draws) -> tuple[FloatArray, list[str]]:
    """Demands of a scenario and its windows, shape (draws, flows, resources), and the names of the resources."""
    system = build(scenario, draw)
    demand = system.table((draw.size,))
    if scenario.tool.protocol != "file":
        flows = demand.shape[1]
        windows = np.zeros((demand.shape[0], flows, flows))
        for way in set(system.reverse):
            limit = 1 / Transport.of(scenario, draw, reverse=way).window_limit_bps
            for flow in [number for number, reverse in enumerate(system.reverse) if reverse == way]:
                windows[:, flow, flow] = limit
        demand = np.concatenate([demand, windows], axis=2)
    return demand, [resource.name for resource in system.resources]


class Dependence:
    """A transfer as a function of its uncertain parameters, near the values in its scenario.

    ``numbers`` has the number of the unknown for each parameter's name; several names may share one. ``share`` is what
    TCP reaches of what the resources allow, see `share_of_transport`. ``unknowns`` are the last axis of the methods'
    arguments; ``cores`` the numbers of the resources that are cores, for each end.
    """

    def __init__(self, scenario: Scenario, numbers: Mapping[str, int], roles: Iterable[str], share: float) -> None:
        self.unknowns = sorted(set(numbers.values()))
        local = {name: self.unknowns.index(number) for name, number in numbers.items()}
        demand, resources = _evaluate(scenario, _Nudged(local))
        self._demand, self._slope = _linearised(demand, len(self.unknowns))
        self._share = share
        self.cores = {
            role: [number for number, name in enumerate(resources) if name.startswith(f"{role}.cpu.")] for role in _ENDS
        }
        self._work: dict[str, tuple[FloatArray, FloatArray]] = {}
        for role in roles:
            seconds = process_seconds(scenario, role, _Nudged(local))
            if seconds is not None:
                self._work[role] = _linearised(seconds, len(self.unknowns))

    def rate(self, moved: FloatArray) -> tuple[FloatArray, npt.NDArray[np.int64]]:
        """Logarithm of the throughput [bit/s] for several values of the parameters, and the first flow's limit."""
        demand = np.exp(self._demand + np.tensordot(moved, self._slope, axes=1))
        demand[demand < _LEAST] = 0.0
        throughput, stopped = max_min(demand)
        return np.log(throughput.sum(axis=1) * self._share), stopped[:, 0]

    def work(self, role: str, moved: FloatArray) -> FloatArray | None:
        """Logarithm of the core seconds per bit of a process, for values as in `rate`; None without a core."""
        if role not in self._work:
            return None
        log, slope = self._work[role]
        return np.asarray(log + moved @ slope)


def share_of_transport(scenario: Scenario) -> float | None:
    """Share of what the resources allow that TCP reaches within the test."""
    steady = float(max_min(_evaluate(scenario, Draws(0))[0])[0].sum())
    if not np.isfinite(steady):
        return None
    if scenario.tool.protocol == "file" or not Transport.of(scenario, Draws(0), reverse=False).matters:
        return 1.0
    (result,) = sweep(scenario, {"path.rtt": [scenario.path.rtt.value]}, intervals=False).to_dict("records")
    return None if result["bottleneck_class"] in _NO_HOST else float(result["throughput_bps"]) / steady


def _linearised(values: FloatArray, unknowns: int) -> tuple[FloatArray, FloatArray]:
    """Logarithms of the central values, and their slopes by the logarithms of the unknowns."""
    logs = np.log(np.maximum(values[: 1 + unknowns], _LEAST / 10))
    return logs[0], (logs[1:] - logs[0]) / _STEP


def process_seconds(scenario: Scenario, role: str, draw: Draws) -> FloatArray | None:
    """Core seconds per bit of one process [s/bit]; None where the host has no cores."""
    host = getattr(scenario, role)
    if host is None or host.cpu is None:
        return None
    system = build(replace(scenario, **{role: host.model_copy(update={"cpu_quota": Parameter(value=1.0)})}), draw)
    columns = [
        number for number, resource in enumerate(system.resources) if resource.name.startswith(f"{role}.cpu.quota")
    ]
    seconds = np.asarray(system.table((draw.size,))[:, :, columns].sum(axis=2).mean(axis=1))
    return seconds if (seconds > 0).all() else None
