"""Maximum a posteriori estimation of uncertain parameters from measured transfers, with their remaining spread.

It works in logarithms. Each parameter starts from its prior (value and spread); each run constrains its throughput and
the CPU share of its processes. `scipy.optimize.least_squares` finds the values; the slopes there give the remaining
spread. A run far from all others has less weight (soft L1).
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

#: Error of the model with known parameters: its error in the laboratory, on links and disks. [1]
MODEL_ERROR = 0.02
#: Error of a CPU column: five equal tests of data/series/b-bonding scatter by 9 % at one end and 2 % at the
#: other, and a single cost for all conditions is off by as much. [1]
CPU_ERROR = 0.1
#: Rounding error of a column in whole percent. [1]
CPU_ROUNDING = 0.003
#: A process whose core is less busy than this was not limited by it. [1]
FULL = 0.9
#: Standard deviations beyond which a run has less weight.
FAR = 2.0

LARGEST_SPREAD = 0.99
_STEP = 0.01
_LINEARISATIONS = 2

Key = tuple[str, ...]


@dataclass
class Unknown:
    """An uncertain parameter: one line of a description, with all its uses.

    ``described`` is the parameter as described, ``prior`` that before the runs. ``places`` are its uses: end and name
    of the host (or path, or tool), with its key there, such as ``cpu.write_cost``.
    """

    key: str
    described: Parameter
    prior: Parameter
    places: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def sigma(self) -> float:
        """Standard deviation of the prior's logarithm."""
        return float(np.log1p(self.prior.spread) / Z90)


@dataclass(frozen=True)
class Posterior:
    """Estimates after the runs.

    ``z`` are logarithms of the values over the priors, in standard deviations of the priors, ``covariance`` theirs: the
    unit matrix without information. ``information`` has squared slopes, shape (runs, unknowns).
    """

    z: FloatArray
    covariance: FloatArray
    information: FloatArray


class Problem:
    """Runs, and the unknowns that affect them.

    ``update`` uses calibrated values as priors, for runs that they were not calibrated with; ``calibrated_only`` treats
    all other parameters as exact.
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
        self._shares = {id(case): share_of_transport(case) if numbered[id(case)] else None for case in scenarios}
        start = [np.log(unknown.described.value / unknown.prior.value) / unknown.sigma for unknown in self.unknowns]
        self._linearise(np.array(start))

    @property
    def prior(self) -> Posterior:
        """Estimates without any run."""
        count = len(self.unknowns)
        return Posterior(np.zeros(count), np.eye(count), np.zeros((len(self.measured), count)))

    def _numbered(self, scenario: Scenario) -> dict[str, int]:
        """Number of the unknown for each uncertain parameter of a scenario."""
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
        """Linearise the runs as functions of the unknowns near these values."""
        dependences: dict[tuple[int, tuple[str, ...]], Dependence] = {}
        self._point, self._rows = z, list[Dependence]()
        for run, scenario, names in zip(self.measured, self.scenarios, self.names, strict=True):
            roles = tuple(role for role in ("sender", "receiver") if _busy(run, scenario, role) is not None)
            if (id(scenario), roles) not in dependences:
                share = self._shares[id(scenario)] or 1.0
                dependences[id(scenario), roles] = Dependence(self._moved(scenario, names, z), names, roles, share)
            self._rows.append(dependences[id(scenario), roles])

    def _moved(self, scenario: Scenario, names: Mapping[str, int], z: FloatArray) -> Scenario:
        values = {
            name: self.unknowns[number].described.model_copy(update={"value": self.value(number, z)})
            for name, number in names.items()
        }
        return with_parameters(scenario, values)

    def value(self, number: int, z: FloatArray) -> float:
        """Value of an unknown."""
        unknown = self.unknowns[number]
        return float(unknown.prior.value * np.exp(unknown.sigma * z[number]))

    # fitting ---------------------------------------------------------------------------------------------------------

    def fit(self) -> Posterior:
        """Most probable values after all runs, linearised at these values."""
        rows, posterior = range(len(self.measured)), self.prior
        for _ in range(_LINEARISATIONS):
            posterior = self.fit_to(rows, posterior)
            self._linearise(posterior.z)
        return self.fit_to(rows, posterior)

    def fit_to(self, rows: Sequence[int], start: Posterior) -> Posterior:
        """Most probable values after some of the runs."""
        if not len(rows):
            return self.prior
        unknowns = sorted({number for row in rows for number in self.names[row].values()})
        place = {number: index for index, number in enumerate(unknowns)}
        cache: dict[bytes, tuple[FloatArray, FloatArray]] = {}

        def evaluate(z: FloatArray) -> tuple[FloatArray, FloatArray]:
            if z.tobytes() not in cache:
                cache.clear()
                full = start.z.copy()
                full[unknowns] = z
                residuals, slopes = [z], [np.eye(len(unknowns))]
                for row in rows:
                    residual, slope = self.compared(row, full)
                    wide = np.zeros((len(residual), len(unknowns)))
                    wide[:, [place[number] for number in self._rows[row].unknowns]] = slope
                    residuals.append(residual)
                    slopes.append(wide)
                cache[z.tobytes()] = np.concatenate(residuals), np.concatenate(slopes)
            return cache[z.tobytes()]

        solution = optimize.least_squares(
            lambda z: evaluate(z)[0],
            start.z[unknowns],
            jac=lambda z: evaluate(z)[1],
            loss="soft_l1",
            f_scale=FAR,
            xtol=1e-4,
            ftol=1e-4,
        )
        return self._posterior(rows, unknowns, np.asarray(solution.x), evaluate(solution.x))

    def _posterior(
        self, rows: Sequence[int], unknowns: Sequence[int], z: FloatArray, last: tuple[FloatArray, FloatArray]
    ) -> Posterior:
        """Values and covariance, from the slopes and the remaining misfit at the solution."""
        posterior = self.prior
        posterior.z[unknowns] = z
        weight = (1 + (last[0] / FAR) ** 2) ** -0.25  # of the soft L1 loss, by residual
        slopes = (last[1] * weight[:, None])[len(unknowns) :]
        misfit = (last[0] * weight)[len(unknowns) :]
        covariance = np.linalg.inv(np.eye(len(unknowns)) + slopes.T @ slopes)
        free = len(misfit) - float(np.sum(1 - np.diag(covariance)))
        scale = max(1.0, float(misfit @ misfit) / free) if free > 0 else 1.0
        covariance = np.linalg.inv(np.eye(len(unknowns)) + slopes.T @ slopes / scale)
        posterior.covariance[np.ix_(unknowns, unknowns)] = covariance
        first = 0
        for row in rows:
            count = len(self.compared(row, posterior.z)[0])
            posterior.information[row, unknowns] = (slopes[first : first + count] ** 2).sum(axis=0)
            first += count
        return posterior

    def compared(self, row: int, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Difference of a run from the model, in standard deviations, and its slopes by the run's own unknowns."""
        dependence, run, scenario = self._rows[row], self.measured[row], self.scenarios[row]
        own = dependence.unknowns
        sigma = np.array([self.unknowns[number].sigma for number in own])
        here = (z - self._point)[own] * sigma
        moved = here + np.concatenate([np.zeros((1, len(own))), _STEP * np.eye(len(own))])
        columns = []
        if self._shares[id(scenario)] is not None:
            rate, stopped = dependence.rate(moved)
            off = (rate - np.log(run.measured_bps)) / rate_error(scenario)
            is_least = np.isin(stopped, self._not_full(run, dependence)) | run.at_least
            columns.append(np.where(is_least, np.minimum(off, 0.0), off))
        for role in ("sender", "receiver"):
            busy, seconds = _busy(run, scenario, role), dependence.work(role, moved)
            if busy is not None and seconds is not None:
                measured = _seconds(run, scenario, busy)
                columns.append((seconds - np.log(measured)) / np.hypot(CPU_ERROR, CPU_ROUNDING / busy))
        values = np.array(columns) if columns else np.zeros((0, len(own) + 1))
        return values[:, 0], (values[:, 1:] - values[:, :1]) / _STEP * sigma

    @staticmethod
    def _not_full(run: Measurement, dependence: Dependence) -> list[int]:
        """Cores that did not limit a run, whatever the model says: the processes at their end were partly idle."""
        busy = {"sender": run.cpu_sender_fraction, "receiver": run.cpu_receiver_fraction}
        waiting = [role for role, share in busy.items() if share is not None and share < FULL]
        return [core for role in waiting for core in dependence.cores[role]]

    # results -------------------------------------------------------------------------------------------------------

    def parameter(self, number: int, posterior: Posterior, source: str = "") -> Parameter:
        """Unknown as a parameter, with its spread after the runs."""
        sigma = self.unknowns[number].sigma * float(np.sqrt(posterior.covariance[number, number]))
        return Parameter(
            value=self.value(number, posterior.z),
            spread=min(float(np.expm1(Z90 * sigma)), LARGEST_SPREAD),
            basis="calibrated",
            source=source,
            unit=self.unknowns[number].prior.unit,
        )

    def recalibrated(self, row: int, posterior: Posterior) -> Scenario:
        """Scenario of a run with the parameters after the runs."""
        if not self.names[row]:
            return self.scenarios[row]
        return with_parameters(
            self.scenarios[row], {name: self.parameter(number, posterior) for name, number in self.names[row].items()}
        )

    def fitted(self, row: int, posterior: Posterior) -> Fitted:
        """Model of a run with the parameters after the runs."""
        dependence, run, scenario = self._rows[row], self.measured[row], self.scenarios[row]
        own = dependence.unknowns
        sigma = np.array([self.unknowns[number].sigma for number in own])
        moved = ((posterior.z - self._point)[own] * sigma)[None]
        work = {}
        for role in ("sender", "receiver"):
            busy, seconds = _busy(run, scenario, role), dependence.work(role, moved)
            if busy is not None and seconds is not None:
                work[role] = float(np.exp(seconds[0]) / _seconds(run, scenario, busy) - 1)
        off = np.abs(self.compared(row, posterior.z)[0])
        says = self._shares[id(scenario)] is not None
        rate = float(np.exp(dependence.rate(moved)[0][0])) if says else None
        return Fitted(rate, work, float(off.max(initial=0.0)))


@dataclass(frozen=True)
class Fitted:
    """Model of a run with fitted parameters.

    ``rate_bps`` is None without information about the hosts [bit/s]; ``work`` is modelled over measured processor time,
    less 1, for each end with a CPU column; ``worst`` is the largest deviation in standard deviations.
    """

    rate_bps: float | None
    work: Mapping[str, float]
    worst: float


def rate_error(scenario: Scenario) -> float:
    """Relative standard deviation of a single run's throughput from the model's [1]."""
    return float(np.hypot(MODEL_ERROR, np.log1p(scenario.tool.repeat.spread) / Z90))


def _busy(run: Measurement, scenario: Scenario, role: str) -> float | None:
    """Busy share of a core of one process; None if unknown or if it covers both directions."""
    busy: float | None = getattr(run, f"cpu_{role}_fraction")
    return None if busy is None or not busy > 0 or scenario.tool.bidirectional else float(busy)


def _seconds(run: Measurement, scenario: Scenario, busy: float) -> float:
    """Seconds of a core per bit of a process, by the utilisation law [s/bit]."""
    return busy * scenario.tool.processes / run.measured_bps


def _key(scenario: Scenario, name: str, parameter: Parameter) -> Key:
    """Identity of a parameter: two with the same key are one unknown."""
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
    """Numbers of the runs that share unknowns with the first ones, directly or through other runs."""
    connected_runs = set(first)
    reached = {number for row in connected_runs for number in names[row].values()}
    growing = True
    while growing:
        new = {
            row for row, own in enumerate(names) if row not in connected_runs and not reached.isdisjoint(own.values())
        }
        connected_runs |= new
        reached |= {number for row in new for number in names[row].values()}
        growing = bool(new)
    return sorted(connected_runs)
