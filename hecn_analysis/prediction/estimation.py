"""The most probable values of uncertain parameters after measured transfers, and how well they are known then.

Maximum a posteriori estimation in logarithms: each parameter starts from its prior (value and spread), each run says
what its throughput and the CPU share of its processes would have to be. `scipy.optimize.least_squares` finds the
values; the spread after the runs comes from the slopes there. A run far from all others counts less (soft L1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import optimize

from hecn_analysis.hardware import Scenario
from hecn_analysis.hardware.quantity import Parameter
from hecn_analysis.hardware.scenario import value_at
from hecn_analysis.prediction.draws import Z90, FloatArray
from hecn_analysis.prediction.measurements import Measurement
from hecn_analysis.prediction.parameters import with_parameters
from hecn_analysis.prediction.priors import before_calibration
from hecn_analysis.prediction.sensitivity import Dependence, share_of_transport, uncertain

#: What the model is off by where all parameters are known: its error in the laboratory, on links and disks. [1]
MODEL_ERROR = 0.02
#: What a CPU column differs by: five equal tests of data/series/b-bonding scatter by 9 % at one end and 2 % at the
#: other; one cost for all conditions is off by as much. [1]
CPU_ERROR = 0.1
#: Half a unit of a column in whole percent. [1]
CPU_ROUNDING = 0.003
#: A process that is busy for less than this was not held back by its core. [1]
FULL = 0.9
#: Standard deviations from which on a run counts less.
FAR = 2.0

LARGEST_SPREAD = 0.99
_STEP = 0.01
_LINEARISED = 2  # times

Key = tuple[str, ...]


@dataclass
class Unknown:
    """An uncertain parameter: one line of a description, wherever it is taken over.

    Attributes
    ----------
    key
        Its field: ``write_cost``.
    said
        What the descriptions say now.
    prior
        What is taken before the runs.
    places
        Where it stands: end and name of the host (or path, or tool) to the key there: ``cpu.write_cost``.
    """

    key: str
    said: Parameter
    prior: Parameter
    places: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def sigma(self) -> float:
        """Standard deviation of the prior's logarithm."""
        return float(np.log1p(self.prior.spread) / Z90)


@dataclass(frozen=True)
class Posterior:
    """What is known after the runs.

    Attributes
    ----------
    z
        Logarithms of the values over those of the priors, in standard deviations of the priors.
    covariance
        Of `z`: the unit matrix where the runs say nothing.
    information
        What each run says of each unknown: squares of slopes, shape (runs, unknowns).
    """

    z: FloatArray
    covariance: FloatArray
    information: FloatArray


class Problem:
    """Runs, and the unknowns that they depend on.

    Parameters
    ----------
    measured, scenarios
        The runs, and the scenario of each.
    update
        Take calibrated values as priors, for runs that they were not calibrated with.
    calibrated_only
        Take only parameters as unknown that are calibrated, the others as described.
    """

    def __init__(
        self,
        measured: Sequence[Measurement],
        scenarios: Sequence[Scenario],
        *,
        update: bool = False,
        calibrated_only: bool = False,
    ) -> None:
        self.measured = measured
        self.scenarios = scenarios
        self.unknowns: list[Unknown] = []
        self._numbers: dict[Key, int] = {}
        self._update = update
        self._calibrated_only = calibrated_only
        numbered = {id(scenario): self._numbered(scenario) for scenario in scenarios}
        self.names = [numbered[id(scenario)] for scenario in scenarios]
        self._shares = {id(one): share_of_transport(one) if numbered[id(one)] else None for one in scenarios}
        said = [np.log(each.said.value / each.prior.value) / each.sigma for each in self.unknowns]
        self._linearise(np.array(said))

    @property
    def prior(self) -> Posterior:
        """What is known without any run."""
        count = len(self.unknowns)
        return Posterior(np.zeros(count), np.eye(count), np.zeros((len(self.measured), count)))

    def _numbered(self, scenario: Scenario) -> dict[str, int]:
        """Give each uncertain parameter of a scenario the number of its unknown."""
        numbers = {}
        for name, parameter in uncertain(scenario).items():
            if self._calibrated_only and parameter.basis != "calibrated":
                continue
            role, _, place = name.partition(".")
            owner = value_at(scenario, role)
            key = _key(scenario, name, parameter)
            if key not in self._numbers:
                year = getattr(owner, "year", None)
                last = name.rpartition(".")[2]
                prior = parameter if self._update else before_calibration(last, parameter, year)
                self._numbers[key] = len(self.unknowns)
                self.unknowns.append(Unknown(last, parameter, prior))
            numbers[name] = self._numbers[key]
            self.unknowns[numbers[name]].places.setdefault((role, owner.name), place)
        return numbers

    def _linearise(self, z: FloatArray) -> None:
        """Make the runs functions of the unknowns near these values."""
        made: dict[tuple[int, tuple[str, ...]], Dependence] = {}
        self._point, self._rows = z, list[Dependence]()
        for one, scenario, names in zip(self.measured, self.scenarios, self.names, strict=True):
            roles = tuple(role for role in ("sender", "receiver") if _busy(one, scenario, role) is not None)
            if (id(scenario), roles) not in made:
                share = self._shares[id(scenario)] or 1.0
                made[id(scenario), roles] = Dependence(self._moved(scenario, names, z), names, roles, share)
            self._rows.append(made[id(scenario), roles])

    def _moved(self, scenario: Scenario, names: Mapping[str, int], z: FloatArray) -> Scenario:
        values = {
            name: self.unknowns[number].said.model_copy(update={"value": self.value(number, z)})
            for name, number in names.items()
        }
        return with_parameters(scenario, values)

    def value(self, number: int, z: FloatArray) -> float:
        """Value of an unknown."""
        unknown = self.unknowns[number]
        return float(unknown.prior.value * np.exp(unknown.sigma * z[number]))

    # fitting ---------------------------------------------------------------------------------------------------------

    def fit(self) -> Posterior:
        """Most probable values after all runs; the runs are linearised there."""
        rows, found = range(len(self.measured)), self.prior
        for _ in range(_LINEARISED):
            found = self.fit_to(rows, found)
            self._linearise(found.z)
        return self.fit_to(rows, found)

    def fit_to(self, rows: Sequence[int], start: Posterior) -> Posterior:
        """Most probable values after some of the runs."""
        if not len(rows):
            return self.prior
        own = sorted({number for row in rows for number in self.names[row].values()})
        place = {number: index for index, number in enumerate(own)}
        cache: dict[bytes, tuple[FloatArray, FloatArray]] = {}

        def looked_at(z: FloatArray) -> tuple[FloatArray, FloatArray]:
            if z.tobytes() not in cache:
                cache.clear()
                everything = start.z.copy()
                everything[own] = z
                residuals, slopes = [z], [np.eye(len(own))]
                for row in rows:
                    residual, slope = self.compared(row, everything)
                    wide = np.zeros((len(residual), len(own)))
                    wide[:, [place[number] for number in self._rows[row].unknowns]] = slope
                    residuals.append(residual)
                    slopes.append(wide)
                cache[z.tobytes()] = np.concatenate(residuals), np.concatenate(slopes)
            return cache[z.tobytes()]

        solution = optimize.least_squares(
            lambda z: looked_at(z)[0],
            start.z[own],
            jac=lambda z: looked_at(z)[1],
            loss="soft_l1",
            f_scale=FAR,
            xtol=1e-4,
            ftol=1e-4,
        )
        return self._posterior(rows, own, np.asarray(solution.x), looked_at(solution.x))

    def _posterior(
        self, rows: Sequence[int], own: Sequence[int], z: FloatArray, last: tuple[FloatArray, FloatArray]
    ) -> Posterior:
        """Values with what is known of them: slopes at the solution, and the misfit that is left."""
        found = self.prior
        found.z[own] = z
        weight = (1 + (last[0] / FAR) ** 2) ** -0.25  # of the soft L1 loss, by residual
        slopes = (last[1] * weight[:, None])[len(own) :]
        misfit = (last[0] * weight)[len(own) :]
        covariance = np.linalg.inv(np.eye(len(own)) + slopes.T @ slopes)
        free = len(misfit) - float(np.sum(1 - np.diag(covariance)))
        scale = max(1.0, float(misfit @ misfit) / free) if free > 0 else 1.0
        covariance = np.linalg.inv(np.eye(len(own)) + slopes.T @ slopes / scale)
        found.covariance[np.ix_(own, own)] = covariance
        first = 0
        for row in rows:
            count = len(self.compared(row, found.z)[0])
            found.information[row, own] = (slopes[first : first + count] ** 2).sum(axis=0)
            first += count
        return found

    def compared(self, row: int, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What a run differs by from the model, in standard deviations, and the slopes of that by its own unknowns."""
        dependence, one, scenario = self._rows[row], self.measured[row], self.scenarios[row]
        own = dependence.unknowns
        sigma = np.array([self.unknowns[number].sigma for number in own])
        here = (z - self._point)[own] * sigma
        moved = here + np.concatenate([np.zeros((1, len(own))), _STEP * np.eye(len(own))])
        columns = []
        if self._shares[id(scenario)] is not None:
            rate, stopped = dependence.rate(moved)
            off = (rate - np.log(one.measured_bps)) / rate_error(scenario)
            is_least = np.isin(stopped, self._not_full(one, dependence)) | one.at_least
            columns.append(np.where(is_least, np.minimum(off, 0.0), off))
        for role in ("sender", "receiver"):
            busy, seconds = _busy(one, scenario, role), dependence.work(role, moved)
            if busy is not None and seconds is not None:
                measured = _seconds(one, scenario, busy)
                columns.append((seconds - np.log(measured)) / np.hypot(CPU_ERROR, CPU_ROUNDING / busy))
        values = np.array(columns) if columns else np.zeros((0, len(own) + 1))
        return values[:, 0], (values[:, 1:] - values[:, :1]) / _STEP * sigma

    @staticmethod
    def _not_full(one: Measurement, dependence: Dependence) -> list[int]:
        """Cores that did not hold a run back, whatever the model says: the processes of their end were seen to wait."""
        busy = {"sender": one.cpu_sender_fraction, "receiver": one.cpu_receiver_fraction}
        waiting = [role for role, share in busy.items() if share is not None and share < FULL]
        return [core for role in waiting for core in dependence.cores[role]]

    # what is known ---------------------------------------------------------------------------------------------------

    def parameter(self, number: int, posterior: Posterior, source: str = "") -> Parameter:
        """An unknown as a parameter with its spread after the runs."""
        sigma = self.unknowns[number].sigma * float(np.sqrt(posterior.covariance[number, number]))
        return Parameter(
            value=self.value(number, posterior.z),
            spread=min(float(np.expm1(Z90 * sigma)), LARGEST_SPREAD),
            basis="calibrated",
            source=source,
            unit=self.unknowns[number].prior.unit,
        )

    def recalibrated(self, row: int, posterior: Posterior) -> Scenario:
        """Scenario of a run with the parameters as they are known after the runs."""
        if not self.names[row]:
            return self.scenarios[row]
        return with_parameters(
            self.scenarios[row], {name: self.parameter(number, posterior) for name, number in self.names[row].items()}
        )

    def fitted(self, row: int, posterior: Posterior) -> Fitted:
        """What the model makes of a run with the parameters as they are known after the runs."""
        dependence, one, scenario = self._rows[row], self.measured[row], self.scenarios[row]
        own = dependence.unknowns
        sigma = np.array([self.unknowns[number].sigma for number in own])
        moved = ((posterior.z - self._point)[own] * sigma)[None]
        work = {}
        for role in ("sender", "receiver"):
            busy, seconds = _busy(one, scenario, role), dependence.work(role, moved)
            if busy is not None and seconds is not None:
                work[role] = float(np.exp(seconds[0]) / _seconds(one, scenario, busy) - 1)
        off = np.abs(self.compared(row, posterior.z)[0])
        says = self._shares[id(scenario)] is not None
        rate = float(np.exp(dependence.rate(moved)[0][0])) if says else None
        return Fitted(rate, work, float(off.max(initial=0.0)))


@dataclass(frozen=True)
class Fitted:
    """A run as the model has it.

    Attributes
    ----------
    rate_bps
        Throughput; None where it says nothing about the hosts. [bit/s]
    work
        Of each end with a CPU column: what its processes need, over what they needed, less 1.
    worst
        What the run is off by in standard deviations, where it is most.
    """

    rate_bps: float | None
    work: Mapping[str, float]
    worst: float


def rate_error(scenario: Scenario) -> float:
    """Standard deviation of a single run's throughput from the model's, relative."""
    return float(np.hypot(MODEL_ERROR, np.log1p(scenario.tool.repeat.spread) / Z90))


def _busy(one: Measurement, scenario: Scenario, role: str) -> float | None:
    """Busy share of a core of one process; None where it is not known, or is that of both directions."""
    busy: float | None = getattr(one, f"cpu_{role}_fraction")
    return None if busy is None or not busy > 0 or scenario.tool.bidirectional else float(busy)


def _seconds(one: Measurement, scenario: Scenario, busy: float) -> float:
    """Seconds of a core that a process needed for each of its bits: the utilisation law."""
    return busy * scenario.tool.processes / one.measured_bps


def _key(scenario: Scenario, name: str, parameter: Parameter) -> Key:
    """What a parameter is known by: two with the same key are one."""
    role, *path = name.split(".")
    owner = value_at(scenario, role)
    source = parameter.source or getattr(owner, "source", "")
    if parameter.basis == "calibrated":
        return (path[-1], repr(parameter.value), source)
    parts = [value_at(scenario, ".".join([role, *path[:depth]])) for depth in range(len(path), 0, -1)]
    named = next((part.part for part in parts if getattr(part, "part", "")), None)
    where = (named, path[-1]) if named else (owner.name, *path)
    return (*where, repr(parameter.value), source)


def connected(names: Sequence[Mapping[str, int]], first: Iterable[int]) -> list[int]:
    """Numbers of the runs that share unknowns with some, through others too."""
    inside = set(first)
    reached = {number for row in inside for number in names[row].values()}
    growing = True
    while growing:
        new = {row for row, own in enumerate(names) if row not in inside and not reached.isdisjoint(own.values())}
        inside |= new
        reached |= {number for row in new for number in names[row].values()}
        growing = bool(new)
    return sorted(inside)
