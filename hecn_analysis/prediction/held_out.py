"""Scenarios of measured transfers with parameters that were calibrated without them.

The calibration starts from priors: what is taken for a parameter before any host is measured (`priors`). What is left
out is left out of the calibration altogether, so that an error is that of a prediction, not of a fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from hecn_analysis.errors import InputError
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction.estimation import Problem, connected
from hecn_analysis.prediction.measurements import Measurement, scenarios

Mode = Literal["in-sample", "leave-one-out", "leave-one-host-out"]
MODES: tuple[Mode, ...] = get_args(Mode)

#: A host that is nobody's: no run of it can be left out.
_NO_HOST = "ideal"


def recalibrated(measured: Sequence[Measurement], mode: Mode) -> list[Scenario | InputError | None]:
    """Scenario of each measurement with the parameters that a mode asks for.

    Parameters
    ----------
    measured
        What was measured.
    mode
        ``in-sample``: as described; ``leave-one-out``: calibrated without the measurement and its repeats;
        ``leave-one-host-out``: calibrated without all measurements of its hosts.

    Returns
    -------
    list
        The same object for measurements of the same scenario; an error where a scenario cannot be, None where there is
        nothing to leave out (a path between hosts without limits of their own).
    """
    described = scenarios(measured)
    if mode == "in-sample":
        return list(described)
    numbers = [number for number, scenario in enumerate(described) if isinstance(scenario, Scenario)]
    problem = Problem(
        [measured[number] for number in numbers],
        [scenario for scenario in described if isinstance(scenario, Scenario)],
        calibrated_only=True,
    )
    after_all = problem.fit()
    found: list[Scenario | InputError | None] = list(described)
    made: dict[tuple[frozenset[int], int], Scenario] = {}
    for row, number in enumerate(numbers):
        out = _same_repeat(problem, row) if mode == "leave-one-out" else _same_host(problem, row)
        if out and (out, id(described[number])) not in made:
            kept = [near for near in connected(problem.names, out) if near not in out]
            made[out, id(described[number])] = problem.recalibrated(row, problem.fit_to(kept, after_all))
        found[number] = made[out, id(described[number])] if out else None
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
