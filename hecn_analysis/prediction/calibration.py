r"""Calibration of hosts: what measured runs say about their parameters, and what they cannot say.

A run says two things about its hosts. Its CPU columns are demands by the utilisation law, :math:`d = U / X`: a process
that is busy for the share U of a core at the throughput X spends d seconds for each bit. And its throughput is that of
the resource which binds. `estimation` finds the values that fit both and what was known before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.records import records
from hecn_analysis.hardware import Scenario
from hecn_analysis.prediction.draws import FloatArray
from hecn_analysis.prediction.estimation import Posterior, Problem
from hecn_analysis.prediction.mapping import of_table
from hecn_analysis.prediction.measurements import Measurement, of_runs, scenarios

#: A parameter is found where its spread is less than half of what it was before the runs; partly where it is less.
FOUND = 0.5
PARTLY = 0.9
#: Parameters that move together as closely as this are known only together. [1]
TOGETHER = 0.8
#: Standard deviations beyond which a run contradicts the others.
CONTRADICTS = 3.0
#: Share of what is known of a parameter that the runs named as its source give.
_MOST = 0.9
#: Lines of a file that a source names.
LINES_NAMED = 8

PARAMETER_COLUMNS = [
    *("parameter", "host", "end", "unit", "prior_value", "prior_spread_fraction", "value", "spread_fraction"),
    *("found", "together_with", "basis", "source"),
]
RUN_COLUMNS = ["run", "measured_bps", "fitted_bps", "error", "cpu_sender_error", "cpu_receiver_error", "contradicts"]

_ENDS = ("sender", "receiver", "tool")


@dataclass(frozen=True)
class Calibration:
    """Parameters after measured runs.

    Attributes
    ----------
    parameters
        One row a parameter that the runs depend on: ``parameter`` (its key in the host), ``host``, ``end`` (sender,
        receiver, both, tool), ``unit``, value and spread before and after, ``found`` (yes, partly, no),
        ``together_with`` (parameters that are known only together with it), ``basis``, ``source`` (files and lines).
    runs
        One row a run: measured and fitted throughput, errors of throughput and CPU columns (model over measurement
        less 1), whether it ``contradicts`` the others.
    unknown
        What the runs cannot tell apart: combinations of parameters, each with their weights.
    remarks
        What the reader should know before relying on it.

    Examples
    --------
    >>> from hecn_analysis.prediction.measurements import of_series
    >>> found = calibrated(of_series(["c-memory"]))
    >>> found.yaml("c").splitlines()[:2], list(found.to_dict())[:2]
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
            "unknown": [dict(one) for one in self.unknown],
            "remarks": list(self.remarks),
            "yaml": self.yaml(),
        }

    @property
    def hosts(self) -> list[str]:
        """Hosts of which something was found, the sender first."""
        rows = self.parameters[(self.parameters["found"] != "no") & (self.parameters["end"] != "tool")]
        return list(dict.fromkeys(rows.sort_values("end", ascending=False)["host"]))

    def yaml(self, host: str | None = None) -> str:
        """Lines to put into the description of a host: what was found, fully or in part.

        Parameters
        ----------
        host
            Its name; by default all, one after another, tools too.

        Returns
        -------
        str
            The lines.
        """
        rows = self.parameters[self.parameters["found"] != "no"]
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
    runs
        Logs of transfer tools, or folders of them; with `mapping`, CSV tables.
    sender, receiver
        Names in ``models/hosts``, or YAML files.
    settings
        Further keys of the scenario of all runs: ``path``, ``tool``, ``path.rtt``, ``tool.window``, …
    mapping
        YAML file that says what the columns of the tables mean; see `hecn_analysis.validate`.
    update
        Take values that are calibrated already as what is known before, for runs that they were not calibrated with.

    Returns
    -------
    Calibration
        Values, how well they are known, and the YAML lines to put into the hosts.

    Raises
    ------
    InputError
        No run says anything about the hosts, or the runs contradict each other; a file cannot be used.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> log = data_dir() / "logs" / "c-systems-nuttcp.txt"
    >>> found = calibrate(log, sender="c", receiver="c", settings={"path": "lan-2x10ge"}).parameters
    >>> found.loc[found["found"] == "yes", "parameter"].tolist()
    ['cpu.send_cost', 'cpu.receive_cost']
    """
    keys = {"sender": str(sender), "receiver": str(receiver), **(settings or {})}
    several = [runs] if isinstance(runs, str | Path) else list(runs)
    left_out: list[str] = []
    if mapping is None:
        measured = of_runs(several, keys, left_out=left_out)
    else:
        measured = [one for table in several for one in of_table(table, mapping, keys)[0]]
    found = calibrated(measured, update=update)
    return replace(found, remarks=(*left_out, *found.remarks))


def calibrated(measured: Sequence[Measurement], *, update: bool = False) -> Calibration:
    """Fit the parameters of all hosts of some measurements; see `calibrate`."""
    if not measured:
        raise InputError("no measured run", "at least one with a rate")
    described = scenarios(measured)
    for scenario in described:
        if isinstance(scenario, InputError):
            raise scenario
    problem = Problem(measured, [one for one in described if isinstance(one, Scenario)], update=update)
    posterior = problem.fit()
    runs = _runs(problem, posterior)
    parameters = _parameters(problem, posterior)
    _check(measured, parameters, runs)
    return Calibration(parameters, runs, _unknown(problem, posterior), tuple(_remarks(measured, parameters, runs)))


# tables --------------------------------------------------------------------------------------------------------------


def _parameters(problem: Problem, posterior: Posterior) -> pd.DataFrame:
    left = np.sqrt(np.diag(posterior.covariance))
    together = posterior.covariance / np.outer(left, left)
    informed = posterior.information.sum(axis=0) > 0
    rows = []
    for number, unknown in enumerate(problem.unknowns):
        places = {owner: place for owner, place in unknown.places.items() if owner[0] in _ENDS}
        if not places:
            continue
        found = "yes" if left[number] < FOUND else "partly" if left[number] < PARTLY else "no"
        source = _source(problem.measured, posterior.information[:, number]) if found != "no" else unknown.prior.source
        after = problem.parameter(number, posterior, source)
        others = [
            other
            for other in np.flatnonzero(np.abs(together[number]) > TOGETHER).tolist()
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
                    "found": found,
                    "together_with": ", ".join(_name(problem, other) for other in others) or None,
                    "basis": after.basis if found != "no" else unknown.prior.basis,
                    "source": source,
                }
            )
    frame = pd.DataFrame(rows, columns=PARAMETER_COLUMNS)
    order = {"yes": 0, "partly": 1, "no": 2}
    return frame.sort_values("found", key=lambda column: column.map(order), kind="stable").reset_index(drop=True)


def _name(problem: Problem, number: int) -> str:
    return next(iter(problem.unknowns[number].places.values()))


def _source(measured: Sequence[Measurement], information: FloatArray) -> str:
    """Files and lines of the runs that say most of a parameter."""
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
    for number, one in enumerate(problem.measured):
        fit = problem.fitted(number, posterior)
        rows.append(
            {
                "run": one.source or one.name,
                "measured_bps": one.measured_bps,
                "fitted_bps": fit.rate_bps,
                "error": None if fit.rate_bps is None else fit.rate_bps / one.measured_bps - 1,
                "cpu_sender_error": fit.work.get("sender"),
                "cpu_receiver_error": fit.work.get("receiver"),
                "contradicts": fit.worst > CONTRADICTS,
            }
        )
    return pd.DataFrame(rows, columns=RUN_COLUMNS)


def _unknown(problem: Problem, posterior: Posterior) -> tuple[dict[str, float], ...]:
    """Directions that the runs depend on but cannot tell: of several parameters that are known only together."""
    own = np.flatnonzero(posterior.information.sum(axis=0) > 0)
    variances, directions = np.linalg.eigh(posterior.covariance[np.ix_(own, own)])
    found = []
    for variance, direction in zip(variances, directions.T, strict=True):
        weights = {
            _name(problem, int(own[place])): round(float(direction[place]), 3)
            for place in np.argsort(-abs(direction))
            if abs(direction[place]) > 1 / 3
        }
        if variance > PARTLY**2 and len(weights) > 1:
            found.append(weights)
    return tuple(found)


# what to say ---------------------------------------------------------------------------------------------------------


def _check(measured: Sequence[Measurement], parameters: pd.DataFrame, runs: pd.DataFrame) -> None:
    has_cpu = any(one.cpu_sender_fraction or one.cpu_receiver_fraction for one in measured)
    where = f"{measured[0].source}{' and others' if len(measured) > 1 else ''}"
    if len(runs) > 2 and runs["contradicts"].mean() > 0.5:
        raise InputError(
            f"{int(runs['contradicts'].sum())} of {len(runs)} runs that contradict the others or the description",
            "runs of these hosts, with the path and the tool that were used",
            source=where,
        )
    if (parameters["found"] == "no").all():
        raise InputError(
            "runs that say nothing about the hosts: "
            + (
                "what they say was known better before"
                if has_cpu
                else "without CPU columns, and held back by no part of a host"
            ),
            "runs with the CPU share of the processes, or held back by a core, a slot, a disk or a window",
            source=where,
        )


def _remarks(measured: Sequence[Measurement], parameters: pd.DataFrame, runs: pd.DataFrame) -> list[str]:
    found = []
    if len(measured) == 1:
        found.append("a single run: nothing checks what it says")
    if not any(one.cpu_sender_fraction or one.cpu_receiver_fraction for one in measured):
        found.append("no run has CPU columns: what processes cost is known only where a core held them back")
    against = runs[runs["contradicts"]].to_dict("records")
    found += [f"{run['run']}: contradicts the others and counts less ({_off(run)})" for run in against]
    tied = parameters[parameters["together_with"].notna() & (parameters["found"] != "no")].to_dict("records")
    found += [f"{row['parameter']} of {row['host']} is known only together with {row['together_with']}" for row in tied]
    return list(dict.fromkeys(found))


def _off(run: Mapping[Any, Any]) -> str:
    words = {
        "error": "throughput",
        "cpu_sender_error": "CPU of the sender",
        "cpu_receiver_error": "CPU of the receiver",
    }
    return ", ".join(
        f"{word} {run[name]:+.0%}" for name, word in words.items() if run[name] is not None and not pd.isna(run[name])
    )


def _lines(nested: Mapping[str, Any], indent: str) -> str:
    """Nested rows as YAML, a parameter a line."""
    text = ""
    for key, below in nested.items():
        if "spread_fraction" in below:
            value = yaml_value(float(below["value"]), str(below["unit"]))
            source = yaml.safe_dump(below["source"], default_style='"', width=10_000).strip()
            spread = f"{below['spread_fraction']:.1%}".replace("%", " %")
            text += f"{indent}{key}: {{value: {value}, spread: {spread}, basis: calibrated, source: {source}}}\n"
        else:
            text += f"{indent}{key}:\n{_lines(below, indent + '  ')}"
    return text


def yaml_value(value: float, unit: str) -> str:
    """A number as a description has it, with its unit where that has one.

    Parameters
    ----------
    value
        The number, in SI.
    unit
        Unit that it is shown in.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> yaml_value(7.584e8, "bit/s"), yaml_value(1.8734, "cycles/B"), yaml_value(2.6e9, "Hz")
    ('758.4 Mb/s', '1.873', '2.6 GHz')
    """
    forms = {"bit/s": units.format_rate, "B": units.format_bytes, "s": units.format_time}
    if unit in forms:
        return forms[unit](value, digits=4)
    return f"{value / 1e9:.4g} GHz" if unit == "Hz" else f"{value:.4g}" if value < 1e4 else str(round(value))
