"""Scenarios of measured transfers, with parameters calibrated without those transfers.

The calibration starts from `priors`. The transfers left out have no part in it, so an error is that of a prediction,
not of a fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, get_args

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction.estimation import Problem, connected
from hecn_analysis.prediction.measurements import Measurement, scenarios

Mode = Literal["in-sample", "leave-one-out", "leave-one-series-out", "leave-one-host-out"]
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
            out = _LEFT_OUT[mode](problem, row)
            if not out:
                continue
            key = (out, id(described[number]))
            if key not in done:
                kept = [near for near in connected(problem.names, out) if near not in out]
                done[key] = problem.recalibrated(row, problem.fit_to(kept, after_all))
            by_mode[mode][number] = done[key]
    return by_mode


def setup(scenario: Scenario) -> str:
    """Description of a scenario without names: equal for repeats, and for twins under other names."""
    anonymous = {"name": "", "title": "", "source": ""}
    parts = (scenario.sender, scenario.receiver, scenario.path, scenario.tool)
    return repr([None if part is None else part.model_copy(update=anonymous) for part in parts])


def _same_setup(problem: Problem, row: int) -> frozenset[int]:
    """Runs of the same set-up, and those that their table calls repeats."""
    own, described = problem.measured[row], [setup(scenario) for scenario in problem.scenarios]
    return frozenset(
        other
        for other, run in enumerate(problem.measured)
        if (run.group, run.repeat) == (own.group, own.repeat) or described[other] == described[row]
    )


def _same_series(problem: Problem, row: int) -> frozenset[int]:
    """Runs of the same series, and all of the same set-ups as any of them."""
    described = [setup(scenario) for scenario in problem.scenarios]
    group = problem.measured[row].group
    own = {described[other] for other, run in enumerate(problem.measured) if run.group == group}
    return frozenset(other for other, text in enumerate(described) if text in own)


def _same_host(problem: Problem, row: int) -> frozenset[int]:
    own = _hosts(problem.scenarios[row])
    return frozenset(other for other, scenario in enumerate(problem.scenarios) if not own.isdisjoint(_hosts(scenario)))


def _hosts(scenario: Scenario) -> set[str]:
    return {host.name for host in (scenario.sender, scenario.receiver) if host is not None} - {_NO_HOST}


_LEFT_OUT: Final[Mapping[str, Callable[[Problem, int], frozenset[int]]]] = {
    "leave-one-out": _same_setup,
    "leave-one-series-out": _same_series,
    "leave-one-host-out": _same_host,
}
