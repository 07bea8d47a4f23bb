"""Measured transfers: a rate, the scenario that it was measured in, and how busy the processes were."""

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
    """One measured transfer, or several at once whose rates add up.

    Attributes
    ----------
    name
        What to call it.
    group
        What it belongs to: a series, a part of a table.
    repeat
        Measurements of the same group and repeat are one measurement made again.
    keys
        The keys of its scenario, or the scenario itself.
    measured_bps
        Payload of all flows together. [bit/s]
    at_least
        Whether the document gives the rate as "more than".
    cpu_sender_fraction, cpu_receiver_fraction
        Busy share of a core of one process at each end, as a tool's CPU columns say it.
    stated_limit, accepted_limits
        The limit that the source states, and the resources or classes that mean it.
    source
        File and lines, or document and place.
    determined
        Whether the source says enough for a prediction; where not, an error is that of guesses at hosts and settings,
        and nothing is calibrated on it.
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
    """Scenario of each measurement: the same object for the same keys, or why there can be none."""
    made: dict[str, Scenario | InputError] = {}
    found: list[Scenario | InputError] = []
    for one in measured:
        if isinstance(one.keys, Scenario):
            found.append(one.keys)
            continue
        said = repr(sorted(one.keys.items(), key=str))
        if said not in made:
            try:
                made[said] = make_scenario(one.keys, source=one.source)
            except InputError as error:
                made[said] = error
        found.append(made[said])
    return found


def of_series(names: Sequence[str] | None = None) -> list[Measurement]:
    """Measured cases of shipped series, all by default.

    Parameters
    ----------
    names
        Names of series.

    Returns
    -------
    list of Measurement
        What was measured; rates are in bit/s.

    Raises
    ------
    InputError
        Unknown name.

    Examples
    --------
    >>> [(one.name, round(one.measured_bps / 1e9, 1)) for one in of_series(["c-dd"])]
    [('c-dd-read', 21.2), ('c-dd-write', 20.5)]
    """
    found = []
    for name in series_names() if names is None else names:
        series = load_series(name)
        found += [one for case in series.cases if (one := _of_case(series, case)) is not None]
    return found


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
    """Runs of logs, each in the scenario of `keys` with what the log says of its own: tool, round-trip time, streams.

    Parameters
    ----------
    paths
        Logs of transfer tools, or folders of them.
    keys
        Keys of the scenario, at least the hosts. What they say counts more than what a log says.
    left_out
        Takes a sentence for each run without a rate: where it is, and why it has none.

    Returns
    -------
    list of Measurement
        What was measured; rates are in bit/s.

    Raises
    ------
    InputError
        No run has a rate, or a tool is not in the library.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> log = data_dir() / "logs" / "c-systems-nuttcp.txt"
    >>> found = of_runs([log], {"sender": "c", "receiver": "c", "path": "lan-2x10ge"})
    >>> [round(one.measured_bps / 1e9, 1) for one in found]
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
    """Whether a tool sends for a time, not an amount."""
    return Library(places.models_dir()).entry("tools", tool, asked_by=(source, None)).at(("bytes",)) is None


def _known(value: Any) -> float | None:  # noqa: ANN401 - a cell of a table
    return None if value is None or pd.isna(value) else float(value)
