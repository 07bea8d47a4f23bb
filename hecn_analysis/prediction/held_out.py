"""Scenarios of measured transfers, with parameters calibrated without those transfers.

The calibration starts from `priors`. The transfers left out have no part in it, so an error is that of a prediction,
not of a fit.
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

#: Host without parameters: its runs are not left out with it.
_NO_HOST = "ideal"


def recalibrated(
    measured: Sequence[Measurement], modes: Sequence[Mode]
) -> dict[Mode, list[Scenario | InputError | None]]:
    """Scenario of each measurement, recalibrated as each mode requires."""
    described = scenarios(measured)
    by_mode: dict[Mode, list[Scenario | InputError | None]] = {mode: list(described) for mode in modes}
    if set(modes) <= {"in-sample"}:
        return by_mode
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
        done: dict[tuple[frozenset[int], int], Scenario] = {}
        by_mode[mode] = [scenario if isinstance(scenario, InputError) else None for scenario in described]
        for row, number in enumerate(usable):
            out = _same_repeat(problem, row) if mode == "leave-one-out" else _same_host(problem, row)
            if not out:
                continue
            key = (out, id(described[number]))
            if key not in done:
                kept = [near for near in connected(problem.names, out) if near not in out]
                done[key] = problem.recalibrated(row, problem.fit_to(kept, after_all))
            by_mode[mode][number] = done[key]
    return by_mode


def _same_repeat(problem: Problem, row: int) -> frozenset[int]:
    own = problem.measured[row]
    return frozenset(
        other for other, run in enumerate(problem.measured) if (run.group, run.repeat) == (own.group, own.repeat)
    )


def _same_host(problem: Problem, row: int) -> frozenset[int]:
    own = _hosts(problem.scenarios[row])
    return frozenset(other for other, scenario in enumerate(problem.scenarios) if not own.isdisjoint(_hosts(scenario)))


def _hosts(scenario: Scenario) -> set[str]:
    return {host.name for host in (scenario.sender, scenario.receiver) if host is not None} - {_NO_HOST}
