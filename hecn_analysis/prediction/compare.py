"""Series of measured cases, compared with their predictions. Data in ``data/series/*.yaml``.

A series is a set of runs that share a scenario. Each case gives the keys that differ, its measurement (lines of a log,
or a figure from the text of a document), and the document and place that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import places
from hecn_analysis.base.errors import HecnError, InputError, unknown_name
from hecn_analysis.hardware import Scenario, load_scenario, yaml_file
from hecn_analysis.logs import Reading, read
from hecn_analysis.prediction.result import Prediction
from hecn_analysis.prediction.single import predict_each


class Case(BaseModel):
    """One measured test: one run, or several simultaneous runs whose throughputs add up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    place: str = Field(description="place in the document: slide title or section")
    set: dict[str, Any] = Field(default={}, description="keys of the scenario that differ from the series")
    log: str | None = Field(default=None, description="file below data/logs")
    runs: list[int] = Field(default=[], description="numbers of its runs in that file; they ran simultaneously")
    figure: str | None = Field(
        default=None, description="id of a row of data/documents.csv, for a figure from the text of a document"
    )
    stated_limit: str = Field(default="", description="class of the limit that the document states")


class _SeriesFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    document: str
    determined: bool = Field(default=True, description="false: hosts or settings that decide the result are not known")
    scenario: dict[str, Any]
    cases: dict[str, Case]


@dataclass(frozen=True)
class Series:
    """Cases that belong together, each with its scenario, in order.

    ``determined``: the document describes the test well enough to predict it; otherwise errors include guessed
    settings.
    """

    name: str
    title: str
    document: str
    cases: Mapping[str, Case]
    scenarios: Mapping[str, Scenario]
    determined: bool = True


def series_names() -> list[str]:
    """Names of the shipped series.

    Returns
    -------
    list of str
        The names, sorted; `load_series` takes them.

    Examples
    --------
    >>> {"b-netem", "c-memory"} <= set(series_names())
    True
    """
    return sorted(path.stem for path in (places.data_dir() / "series").glob("*.yaml"))


def load_series(name: str) -> Series:
    """Read a series of ``data/series``.

    Parameters
    ----------
    name
        One of `series_names`.

    Returns
    -------
    Series
        The cases and their scenarios.

    Raises
    ------
    InputError
        The name is unknown (the message suggests the nearest), or the file is invalid (with the line).

    Examples
    --------
    >>> list(load_series("c-dd").scenarios)
    ['c-dd-read', 'c-dd-write']
    """
    path = places.data_dir() / "series" / f"{name}.yaml"
    if name not in series_names():
        raise unknown_name("series", name, series_names(), where="data/series")
    document = yaml_file.load(path)
    content = yaml_file.validate(_SeriesFile, document.values, lambda key: (document.source, document.line(key)))
    scenarios = {}
    for case, entry in content.cases.items():
        try:
            scenarios[case] = load_scenario(
                {
                    "name": case,
                    "title": entry.title,
                    **content.scenario,
                    "set": {**(content.scenario.get("set") or {}), **entry.set},
                }
            )
        except InputError as error:
            line = document.line(("cases", case, "set"))
            raise InputError(error.found, error.expected, source=path, line=line, advice=error.advice) from None
    return Series(name, content.title, content.document, content.cases, scenarios, content.determined)


def compare(series: str | Series | Iterable[str | Series]) -> pd.DataFrame:
    """Predict every case of one or more series and compare it with its measurement.

    Parameters
    ----------
    series
        Names of series, or series.

    Returns
    -------
    DataFrame
        One row per case. ``measured_bps`` is the sum of the case's runs [bit/s], missing if the document's line is not
        available; ``measured_low_bound``: the document says "more than"; ``determined``: it describes the test well
        enough to predict it; ``error`` is predicted / measured - 1; ``inside``: the measurement is in the 90 %
        interval; ``source_file``, ``line_first``, ``line_last``, ``document``, ``place`` locate the measurement.

    Examples
    --------
    >>> compare("c-dd")[["case", "bottleneck_class", "inside"]].to_dict("records")[0]
    {'case': 'c-dd-read', 'bottleneck_class': 'raid', 'inside': True}
    """
    requested = [series] if isinstance(series, str | Series) else list(series)
    cases = [
        (loaded, name)
        for loaded in (load_series(item) if isinstance(item, str) else item for item in requested)
        for name in loaded.cases
    ]
    predictions = predict_each(loaded.scenarios[name] for loaded, name in cases)
    rows = [_row(loaded, name, result) for (loaded, name), result in zip(cases, predictions, strict=True)]
    frame = pd.DataFrame(rows).convert_dtypes()
    rate = frame["measured_bps"].astype("Float64")
    frame["error"] = frame["predicted_bps"] / rate - 1
    inside = (frame["low_bps"] <= rate) & (rate <= frame["high_bps"])
    above = rate <= frame["high_bps"]  # against a lower bound, a prediction can only be too low
    frame["inside"] = above.where(frame["measured_low_bound"], inside)
    return frame


def provenance(names: Iterable[str]) -> pd.DataFrame:
    """Sources of the measured numbers of some series, without predictions; columns as in `compare`.

    Parameters
    ----------
    names
        Names of series.

    Returns
    -------
    DataFrame
        One row a case. Rates are in bit/s.

    Examples
    --------
    >>> provenance(["c-dd"])[["case", "source_file", "line_first"]].to_dict("records")[0]
    {'case': 'c-dd-read', 'source_file': 'logs/c-systems-dd.txt', 'line_first': 6}
    """
    loaded = [load_series(name) for name in names]
    rows = [
        {
            "series": series.name,
            "series_title": series.title,
            "case": name,
            "title": case.title,
            **measured(case, series),
            "document": series.document,
            "place": case.place,
        }
        for series in loaded
        for name, case in series.cases.items()
    ]
    return pd.DataFrame(rows).convert_dtypes()


def _row(series: Series, name: str, result: Prediction | HecnError) -> dict[str, Any]:
    if isinstance(result, HecnError):
        raise result
    case = series.cases[name]
    return {
        "series": series.name,
        "series_title": series.title,
        "case": name,
        "title": case.title,
        **measured(case, series),
        "predicted_bps": result.throughput_bps,
        "low_bps": result.low_bps,
        "high_bps": result.high_bps,
        "bottleneck": result.bottleneck,
        "bottleneck_class": result.bottleneck_class,
        "bottleneck_title": result.ladder[0].title if result.ladder else None,
        "stated_limit": case.stated_limit,
        "determined": series.determined,
        "flows": len(result.flows),
        "document": series.document,
        "place": case.place,
    }


def measured(case: Case, series: Series) -> dict[str, Any]:
    """Return the measured figures of a case and their source; None if the line is not available.

    Parameters
    ----------
    case, series
        A case, and its series.

    Returns
    -------
    dict
        ``measured_bps`` [bit/s], whether it is a lower bound, CPU shares [1], ``source_file`` and lines.

    Examples
    --------
    >>> series = load_series("c-dd")
    >>> figures = measured(series.cases["c-dd-read"], series)
    >>> round(figures["measured_bps"] / 1e9, 2), figures["source_file"]
    (21.24, 'logs/c-systems-dd.txt')
    """
    empty = dict.fromkeys(
        (
            "measured_bps",
            "cpu_sender_fraction",
            "cpu_receiver_fraction",
            "retransmits",
            "rtt_s",
            "source_file",
            "line_first",
            "line_last",
        )
    )
    if case.figure is not None:
        figures = _documented()
        if case.figure not in figures.index:
            raise InputError(
                f"figure {case.figure!r}",
                f"one of {', '.join(figures.index)} in data/documents.csv",
                source=f"series {series.name}",
            )
        row = figures.loc[case.figure].to_dict()
        place = {"source_file": "documents.csv", "line_first": row["line"], "line_last": row["line"]}
        return {**empty, "measured_bps": float(row["value"]), "measured_low_bound": row["bound"] == "lower", **place}
    if case.log is None or not case.runs:
        return {**empty, "measured_low_bound": False}
    runs = _reading(case.log).runs
    chosen = runs[runs["run"].isin(case.runs)]
    if len(chosen) != len(case.runs):
        raise InputError(
            f"runs {case.runs}", f"runs 0 to {len(runs) - 1} of {case.log}", source=f"series {series.name}"
        )
    return {
        "measured_bps": float(chosen["throughput_bps"].sum()),
        "measured_low_bound": False,
        "cpu_sender_fraction": chosen["cpu_sender_fraction"].mean(),
        "cpu_receiver_fraction": chosen["cpu_receiver_fraction"].mean(),
        "retransmits": chosen["retransmits"].sum(min_count=1),
        "rtt_s": chosen["rtt_s"].mean(),
        "source_file": f"logs/{case.log}",
        "line_first": int(chosen["line_first"].min()),
        "line_last": int(chosen["line_last"].max()),
    }


@cache
def _reading(log: str) -> Reading:
    return read(Path(places.data_dir() / "logs" / log))


@cache
def _documented() -> pd.DataFrame:
    frame = pd.read_csv(places.data_dir() / "documents.csv", comment="#", dtype={"id": str})
    return frame.assign(line=range(2, len(frame) + 2)).set_index("id")
