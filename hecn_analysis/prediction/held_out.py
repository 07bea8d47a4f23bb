"""Scenarios of measured transfers with parameters that were calibrated without them.

The calibration starts from priors: what is taken for a parameter before any host is measured (`priors`). What is left
out is left out of the calibration altogether, so that an error is that of a prediction, not of a fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction.estimation import Problem, connected
from hecn_analysis.prediction.measurements import Measurement, scenarios

Mode = Literal["in-sample", "leave-one-out", "leave-one-host-out"]
MODES: tuple[Mode, ...] = get_args(Mode)

#: Stands for no host: no run is left out.
_NO_HOST = "ideal"


def recalibrated(
    measured: Sequence[Measurement], modes: Sequence[Mode]
) -> dict[Mode, list[Scenario | InputError | None]]:
    """Scenario of each measurement with the parameters that a mode asks for."""
    described = scenarios(measured)
    found: dict[Mode, list[Scenario | InputError | None]] = {mode: list(described) for mode in modes}
    if set(modes) <= {"in-sample"}:
        return found
    usable = [
        number
        for number, scenario in enumerate(described)
        if isinstance(scenario, Scenario) and measured[number].determined
    ]
    problem = Problem(
        [measured[number] for number in usable],
        [scenario for number, scenario in enumerate(described) if number in usable and isinstance(scenario, Scenario)],
        calibrated_only=True,
    )
    after_all = problem.fit()
    for mode in set(modes) - {"in-sample"}:
        made: dict[tuple[frozenset[int], int], Scenario] = {}
        found[mode] = [scenario if isinstance(scenario, InputError) else None for scenario in described]
        for row, number in enumerate(usable):
            out = _same_repeat(problem, row) if mode == "leave-one-out" else _same_host(problem, row)
            if not out:
                continue
            key = (out, id(described[number]))
            if key not in made:
                kept = [near for near in connected(problem.names, out) if near not in out]
                made[key] = problem.recalibrated(row, problem.fit_to(kept, after_all))
            found[mode][number] = made[key]
    return found


def _same_repeat(problem: Problem, row: int) -> frozenset[int]:
    own = problem.measured[row]
    return frozenset(
        other for other, one in enumerate(problem.measured) if (one.group, one.repeat) == (own.group, own.repeat)
    )


def _same_host(problem: Problem, row: int) -> frozenset[int]:
    own = _hosts(problem.scenarios[row])
    return frozenset(other for other, scenario in enumerate(problem.scenarios) if not own.isdisjoint(_hosts(scenario)))


def _hosts(scenario: Scenario) -> set[str]:
    return {host.name for host in (scenario.sender, scenario.receiver) if host is not None} - {_NO_HOST}
