r"""Calibration of hosts: estimate their parameters from measured runs.

A run gives two kinds of evidence about its hosts. Its CPU columns give demands by the utilisation law, :math:`d = U /
X`: a process that uses the share U of a core at the throughput X spends d seconds of the core on each bit. Its
throughput is that of the bottleneck. `estimation` finds the values that best fit both and the prior values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.records import records
from hecn_analysis.base.tables import with_units
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction.draws import FloatArray
from hecn_analysis.prediction.estimation import Posterior, Problem
from hecn_analysis.prediction.mapping import of_table
from hecn_analysis.prediction.measurements import Measurement, of_runs, scenarios

#: A parameter is determined if the runs cut its spread below this share of the prior's, partly below `PARTLY`. [1]
FOUND = 0.5
PARTLY = 0.9
#: Correlation above which parameters are known only together. [1]
TOGETHER = 0.8
#: A run this many standard deviations off contradicts the others.
CONTRADICTS = 3.0
#: A parameter's source names the runs that give this share of the information about it. [1]
_MOST = 0.9
#: A source names at most this many lines of a file.
LINES_NAMED = 8

PARAMETER_COLUMNS = [
    *("parameter", "host", "end", "unit", "prior_value", "prior_spread_fraction", "value", "spread_fraction"),
    *("determined", "together_with", "basis", "source"),
]
RUN_COLUMNS = ["run", "measured_bps", "fitted_bps", "error", "cpu_sender_error", "cpu_receiver_error", "contradicts"]

_ENDS = ("sender", "receiver", "tool")


@dataclass(frozen=True)
class Calibration:
    """Parameters estimated from measured runs.

    ``parameters`` has one row per parameter that affects the runs: ``parameter`` (its key in the host), ``host``,
    ``end`` (sender, receiver, both, tool), ``unit``, value and spread before and after, ``determined`` (yes, partly,
    no), ``together_with`` (parameters known only together with it), ``basis``, ``source`` (files and lines). ``runs``
    has one row per run: measured and fitted throughput, errors of throughput and CPU columns (model / measurement - 1),
    and whether it ``contradicts`` the others. ``unknown`` are combinations of parameters that the runs cannot
    separate, with weights.

    Examples
    --------
    >>> from hecn_analysis.prediction.measurements import of_series
    >>> calibration = calibrated(of_series(["c-memory"]))
    >>> calibration.yaml("c").splitlines()[:2], list(calibration.to_dict())[:2]
    (['# host c', 'cpu:'], ['parameters', 'runs'])
    """

    parameters: pd.DataFrame
    runs: pd.DataFrame
    unknown: tuple[Mapping[str, float], ...]
    remarks: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Everything as plain objects.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.
        """
        return {
            "parameters": records(self.parameters),
            "runs": records(self.runs),
            "unknown": [dict(weights) for weights in self.unknown],
            "remarks": list(self.remarks),
            "yaml": self.yaml(),
        }

    @property
    def hosts(self) -> list[str]:
        """Hosts with at least one determined parameter, the sender first."""
        rows = self.parameters[(self.parameters["determined"] != "no") & (self.parameters["end"] != "tool")]
        return list(dict.fromkeys(rows.sort_values("end", ascending=False)["host"]))

    def yaml(self, host: str | None = None) -> str:
        """YAML lines for the description of a host: the parameters determined fully or partly.

        Parameters
        ----------
        host
            Its name; by default all hosts and tools, one after another.

        Returns
        -------
        str
            The lines.
        """
        rows = self.parameters[self.parameters["determined"] != "no"]
        texts = []
        for name in dict.fromkeys(rows["host"]) if host is None else (host,):
            own = rows[rows["host"] == name]
            nested: dict[str, Any] = {}
            for row in own.to_dict("records"):
                *above, last = str(row["parameter"]).split(".")
                here = nested
                for key in above:
                    here = here.setdefault(key, {})
                here[last] = row
            texts.append(f"# {'tool' if (own['end'] == 'tool').all() else 'host'} {name}\n{_lines(nested, '')}")
        return "\n".join(texts)


def calibrate(
    runs: str | Path | Sequence[str | Path],
    *,
    sender: str | Path,
    receiver: str | Path,
    settings: Mapping[str, Any] | None = None,
    mapping: str | Path | None = None,
    update: bool = False,
) -> Calibration:
    """Fit parameters of two hosts to measured runs between them.

    Parameters
    ----------
    runs, mapping
        Logs of transfer tools, or folders of them; with `mapping`, CSV tables, and the YAML file that gives the meaning
        of their columns (see `hecn_analysis.validate`).
    sender, receiver
        Names in ``models/hosts``, or YAML files.
    settings
        Further keys of the scenario of all runs: ``path``, ``tool``, ``path.rtt``, ``tool.window``, …
    update
        Use already calibrated values as priors, for runs that they were not calibrated with.

    Returns
    -------
    Calibration
        Values, their spreads, and the YAML lines for the hosts.

    Raises
    ------
    InputError
        The runs hold no information about the hosts or contradict each other, or a file cannot be read.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> log = data_dir() / "logs" / "c-systems-nuttcp.txt"
    >>> table = calibrate(log, sender="c", receiver="c", settings={"path": "lan-2x10ge"}).parameters
    >>> table.loc[table["determined"] == "yes", "parameter"].tolist()
    ['cpu.send_cost', 'cpu.receive_cost']
    """
    keys = {"sender": str(sender), "receiver": str(receiver), **(settings or {})}
    paths = [runs] if isinstance(runs, str | Path) else list(runs)
    left_out: list[str] = []
    if mapping is None:
        measured = of_runs(paths, keys, left_out=left_out)
    else:
        measured = [run for table in paths for run in of_table(table, mapping, keys)[0]]
    calibration = calibrated(measured, update=update)
    return replace(calibration, remarks=(*left_out, *calibration.remarks))


def calibrated(measured: Sequence[Measurement], *, update: bool = False) -> Calibration:
    """Fit the parameters of all hosts of some measurements; see `calibrate`."""
    if not measured:
        raise InputError("no measured run", "at least one with a rate")
    described = scenarios(measured)
    for scenario in described:
        if isinstance(scenario, InputError):
            raise scenario
    problem = Problem(measured, [scenario for scenario in described if isinstance(scenario, Scenario)], update=update)
    posterior = problem.fit()
    runs = _runs(problem, posterior)
    parameters = _parameters(problem, posterior)
    _check(measured, parameters, runs)
    return Calibration(parameters, runs, _unknown(problem, posterior), tuple(_remarks(measured, parameters, runs)))


# tables --------------------------------------------------------------------------------------------------------------


def _parameters(problem: Problem, posterior: Posterior) -> pd.DataFrame:
    spread = np.sqrt(np.diag(posterior.covariance))
    correlation = posterior.covariance / np.outer(spread, spread)
    informed = posterior.information.sum(axis=0) > 0
    rows = []
    for number, unknown in enumerate(problem.unknowns):
        places = {owner: place for owner, place in unknown.places.items() if owner[0] in _ENDS}
        if not places:
            continue
        status = "yes" if spread[number] < FOUND else "partly" if spread[number] < PARTLY else "no"
        source = _source(problem.measured, posterior.information[:, number]) if status != "no" else unknown.prior.source
        after = problem.parameter(number, posterior, source)
        others = [
            other
            for other in np.flatnonzero(np.abs(correlation[number]) > TOGETHER).tolist()
            if other != number and informed[number] and informed[other]
        ]
        for host in dict.fromkeys(name for _, name in places):
            ends = [end for end, name in places if name == host]
            rows.append(
                {
                    "parameter": next(place for (_, name), place in places.items() if name == host),
                    "host": host,
                    "end": "both" if len(ends) > 1 else ends[0],
                    "unit": unknown.prior.unit,
                    "prior_value": unknown.prior.value,
                    "prior_spread_fraction": unknown.prior.spread,
                    "value": after.value,
                    "spread_fraction": after.spread,
                    "determined": status,
                    "together_with": ", ".join(_name(problem, other) for other in others) or None,
                    "basis": after.basis if status != "no" else unknown.prior.basis,
                    "source": source,
                }
            )
    frame = with_units(pd.DataFrame(rows, columns=PARAMETER_COLUMNS))
    order = {"yes": 0, "partly": 1, "no": 2}
    return frame.sort_values("determined", key=lambda column: column.map(order), kind="stable").reset_index(drop=True)


def _name(problem: Problem, number: int) -> str:
    return next(iter(problem.unknowns[number].places.values()))


def _source(measured: Sequence[Measurement], information: FloatArray) -> str:
    """Files and lines of the runs that give most of the information about a parameter."""
    order = np.argsort(information)[::-1]
    share = np.cumsum(information[order]) / information.sum()
    chosen = sorted(order[: 1 + int(np.searchsorted(share, _MOST))])
    by_file: dict[str, list[str]] = {}
    for number in chosen:
        file, _, lines = measured[number].source.rpartition(":")
        first, _, last = lines.partition("-")
        by_file.setdefault(file, []).append(first if last in ("", first) else lines)
    return "; ".join(f"{file}:{_listed(list(dict.fromkeys(lines)))}" for file, lines in by_file.items())


def _listed(lines: Sequence[str]) -> str:
    more = f" and {len(lines) - LINES_NAMED} more" if len(lines) > LINES_NAMED else ""
    return ", ".join(lines[:LINES_NAMED]) + more


def _runs(problem: Problem, posterior: Posterior) -> pd.DataFrame:
    rows = []
    for number, run in enumerate(problem.measured):
        fit = problem.fitted(number, posterior)
        rows.append(
            {
                "run": run.source or run.name,
                "measured_bps": run.measured_bps,
                "fitted_bps": fit.rate_bps,
                "error": None if fit.rate_bps is None else fit.rate_bps / run.measured_bps - 1,
                "cpu_sender_error": fit.work.get("sender"),
                "cpu_receiver_error": fit.work.get("receiver"),
                "contradicts": fit.worst > CONTRADICTS,
            }
        )
    return with_units(pd.DataFrame(rows, columns=RUN_COLUMNS))


def _unknown(problem: Problem, posterior: Posterior) -> tuple[dict[str, float], ...]:
    """Combinations of parameters that affect the runs but that the runs cannot tell apart."""
    own = np.flatnonzero(posterior.information.sum(axis=0) > 0)
    variances, directions = np.linalg.eigh(posterior.covariance[np.ix_(own, own)])
    combinations = []
    for variance, direction in zip(variances, directions.T, strict=True):
        weights = {
            _name(problem, int(own[place])): round(float(direction[place]), 3)
            for place in np.argsort(-abs(direction))
            if abs(direction[place]) > 1 / 3
        }
        if variance > PARTLY**2 and len(weights) > 1:
            combinations.append(weights)
    return tuple(combinations)


# checks and remarks --------------------------------------------------------------------------------------------------


def _check(measured: Sequence[Measurement], parameters: pd.DataFrame, runs: pd.DataFrame) -> None:
    has_cpu = any(run.cpu_sender_fraction or run.cpu_receiver_fraction for run in measured)
    where = f"{measured[0].source}{' and others' if len(measured) > 1 else ''}"
    if len(runs) > 2 and runs["contradicts"].mean() > 0.5:
        raise InputError(
            f"{int(runs['contradicts'].sum())} of {len(runs)} runs that contradict the others or the description",
            "runs of these hosts, with the path and the tool that were used",
            source=where,
        )
    if (parameters["determined"] == "no").all():
        raise InputError(
            "runs without new information about the hosts: "
            + (
                "the descriptions already give these parameters more precisely"
                if has_cpu
                else "no CPU columns, and limited by no part of a host"
            ),
            "runs with the CPU share of the processes, or limited by a core, a slot, a disk or a window",
            source=where,
        )


def _remarks(measured: Sequence[Measurement], parameters: pd.DataFrame, runs: pd.DataFrame) -> list[str]:
    remarks = []
    if len(measured) == 1:
        remarks.append("only one run: no other run confirms it")
    if not any(run.cpu_sender_fraction or run.cpu_receiver_fraction for run in measured):
        remarks.append("no run has CPU columns: costs of processes are known only from runs limited by a core")
    contradicting = runs[runs["contradicts"]].to_dict("records")
    remarks += [
        f"{run['run']}: contradicts the other runs, so it has less weight ({_off(run)})" for run in contradicting
    ]
    tied = parameters[parameters["together_with"].notna() & (parameters["determined"] != "no")].to_dict("records")
    remarks += [
        f"{row['parameter']} of {row['host']} is known only together with {row['together_with']}" for row in tied
    ]
    return list(dict.fromkeys(remarks))


def _off(run: Mapping[Any, Any]) -> str:
    words = {
        "error": "throughput",
        "cpu_sender_error": "CPU of the sender",
        "cpu_receiver_error": "CPU of the receiver",
    }
    return ", ".join(
        f"{word} {units.format_change(run[name])}"
        for name, word in words.items()
        if run[name] is not None and not pd.isna(run[name])
    )


def _lines(nested: Mapping[str, Any], indent: str) -> str:
    """Nested rows as YAML, a parameter a line."""
    text = ""
    for key, below in nested.items():
        if "spread_fraction" in below:
            value = yaml_value(float(below["value"]), str(below["unit"]))
            source = yaml.safe_dump(below["source"], default_style='"', width=10_000).strip()
            spread = units.format_percent(below["spread_fraction"], places=1)
            text += f"{indent}{key}: {{value: {value}, spread: {spread}, basis: calibrated, source: {source}}}\n"
        else:
            text += f"{indent}{key}:\n{_lines(below, indent + '  ')}"
    return text


def yaml_value(value: float, unit: str) -> str:
    """A number in the form of a description, with its unit if it has one.

    Parameters
    ----------
    value, unit
        The number in SI, and its unit.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> yaml_value(7.584e8, "bit/s"), yaml_value(1.8734, "cycles/B")
    ('758.4 Mb/s', '1.873')
    """
    forms: dict[str, Callable[..., str]] = {"bit/s": units.format_rate, "B": units.format_bytes, "s": units.format_time}
    if unit in forms:
        return forms[unit](value, digits=4)
    return f"{value / 1e9:.4g} GHz" if unit == "Hz" else f"{value:.4g}" if value < 1e4 else str(round(value))
