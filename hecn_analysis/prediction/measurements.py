"""Measured transfers: rate, scenario, and CPU shares of the processes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from hecn_analysis import logs
from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import Scenario
from hecn_analysis.hardware.description import Library
from hecn_analysis.hardware.scenario import make_scenario
from hecn_analysis.prediction.compare import Series, load_series, measured, series_names
from hecn_analysis.runs.rates import run_rate, why_no_rate


@dataclass(frozen=True)
class Measurement:
    """One measured transfer, or several simultaneous ones whose rates add up.

    Measurements with the same ``group`` (a series, or a part of a table) and ``repeat`` are repeats. ``measured_bps``
    is the payload of all flows [bit/s], ``at_least``: the document says "more than". ``cpu_sender_fraction`` and
    ``cpu_receiver_fraction`` are busy shares of a core of one process, from a tool's CPU columns. ``stated_limit`` is
    the source's, ``accepted_limits`` the resources or classes that match it. Unless ``determined``, the source does not
    describe the test well enough: errors include guessed settings, and it is not used for calibration.
    """

    name: str
    group: str | None
    repeat: str
    keys: Mapping[str, Any] | Scenario
    measured_bps: float
    at_least: bool = False
    cpu_sender_fraction: float | None = None
    cpu_receiver_fraction: float | None = None
    stated_limit: str | None = None
    accepted_limits: Sequence[str] = ()
    source: str = ""
    determined: bool = True


def scenarios(measured: Sequence[Measurement]) -> list[Scenario | InputError]:
    """Scenario of each measurement, or its error; equal keys share one object."""
    by_keys: dict[str, Scenario | InputError] = {}
    results: list[Scenario | InputError] = []
    for run in measured:
        if isinstance(run.keys, Scenario):
            results.append(run.keys)
            continue
        identity = repr(sorted(run.keys.items(), key=str))
        if identity not in by_keys:
            try:
                by_keys[identity] = make_scenario(run.keys, source=run.source)
            except InputError as error:
                by_keys[identity] = error
        results.append(by_keys[identity])
    return results


def of_series(names: Sequence[str] | None = None) -> list[Measurement]:
    """Measured cases of shipped series, all by default.

    Parameters
    ----------
    names
        Names of series.

    Returns
    -------
    list of Measurement
        The measurements; rates are in bit/s.

    Raises
    ------
    InputError
        Unknown name.

    Examples
    --------
    >>> [(run.name, round(run.measured_bps / 1e9, 1)) for run in of_series(["c-dd"])]
    [('c-dd-read', 21.2), ('c-dd-write', 20.5)]
    """
    measurements = []
    for name in series_names() if names is None else names:
        series = load_series(name)
        measurements += [run for case in series.cases if (run := _of_case(series, case)) is not None]
    return measurements


def _of_case(series: Series, name: str) -> Measurement | None:
    case = series.cases[name]
    figures = measured(case, series)
    if figures["measured_bps"] is None:
        return None
    stated = case.stated_limit or None
    lines = f"{figures['line_first']}-{figures['line_last']}"
    return Measurement(
        name,
        series.name,
        f"{series.name} {name}",
        series.scenarios[name],
        float(figures["measured_bps"]),
        at_least=bool(figures["measured_low_bound"]),
        cpu_sender_fraction=_known(figures["cpu_sender_fraction"]),
        cpu_receiver_fraction=_known(figures["cpu_receiver_fraction"]),
        stated_limit=stated,
        accepted_limits=() if stated is None else (stated,),
        source=f"{figures['source_file']}:{lines}",
        determined=series.determined,
    )


def of_runs(
    paths: Sequence[str | Path], keys: Mapping[str, Any], *, left_out: list[str] | None = None
) -> list[Measurement]:
    """Runs of logs, each in the scenario of `keys`, completed by the log's tool, round-trip time and duration.

    Parameters
    ----------
    paths, keys
        Logs of transfer tools or folders of them, and keys of the scenario, at least the hosts, which override the log.
    left_out
        List to extend by a sentence for each run without a rate: its place, and the reason.

    Returns
    -------
    list of Measurement
        The measurements; rates are in bit/s.

    Raises
    ------
    InputError
        No run has a rate, or a tool is not in the library.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> log = data_dir() / "logs" / "c-systems-nuttcp.txt"
    >>> measurements = of_runs([log], {"sender": "c", "receiver": "c", "path": "lan-2x10ge"})
    >>> [round(run.measured_bps / 1e9, 1) for run in measurements]
    [19.8, 19.8]
    """
    rows = logs.read(list(paths)).runs.to_dict("records")
    rated = [row for row in rows if not math.isnan(run_rate(row))]
    if left_out is not None:
        left_out += [
            f"{row['source_file']}:{row['line_first']}: run {row['run']} of {row['tool']} left out: {why_no_rate(row)}"
            for row in rows
            if math.isnan(run_rate(row))
        ]
    if not rated:
        raise InputError("no run with a rate", "logs of transfers", source=", ".join(map(str, paths)))
    return [_of_run(row, keys) for row in rated]


def _of_run(run: Mapping[Any, Any], keys: Mapping[str, Any]) -> Measurement:
    source = f"{run['source_file']}:{run['line_first']}-{run['line_last']}"
    tool = str(keys.get("tool") or run["tool"])
    own: dict[str, Any] = {"tool": tool}
    if "path" not in keys:
        own["path.rtt"] = _known(run["rtt_s"])
    if _is_timed(tool, source):
        own["tool.duration"] = _known(run["duration_s"])
    merged = {**own, **keys}
    return Measurement(
        source,
        str(run["source_file"]),
        repr(sorted(merged.items(), key=str)),
        merged,
        run_rate(run),
        cpu_sender_fraction=_known(run["cpu_sender_fraction"]),
        cpu_receiver_fraction=_known(run["cpu_receiver_fraction"]),
        source=source,
    )


@cache
def _is_timed(tool: str, source: str) -> bool:
    """Whether a tool sends for a fixed time, not a fixed amount."""
    return Library(places.models_dir()).entry("tools", tool, asked_by=(source, None)).at(("bytes",)) is None


def _known(value: Any) -> float | None:  # noqa: ANN401 - a cell of a table
    return None if value is None or pd.isna(value) else float(value)
