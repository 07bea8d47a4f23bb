"""Measured transfers compared with their predictions: from any table by a mapping, or from the shipped series.

There are four *modes*. In-sample uses the parameters as described, possibly calibrated on the same runs. Leave-one-out
predicts each run with parameters calibrated without any run of its set-up, leave-one-series-out without any of its
series. Leave-one-host-out calibrates without any run of its hosts, so that only the descriptions of their components
remain.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError
from hecn_analysis.base.progress import track
from hecn_analysis.base.records import records
from hecn_analysis.base.tables import with_units
from hecn_analysis.prediction.held_out import MODES, Mode, recalibrated, setup
from hecn_analysis.prediction.mapping import of_table
from hecn_analysis.prediction.measurements import Measurement, of_series
from hecn_analysis.prediction.result import Prediction
from hecn_analysis.prediction.sensitivity import uncertain
from hecn_analysis.prediction.single import predict_each

COLUMNS = [
    *(
        "mode",
        "id",
        "group",
        "repeat",
        "hosts",
        "measured_bps",
        "predicted_bps",
        "low_bps",
        "high_bps",
        "error",
        "inside",
    ),
    *("bottleneck", "bottleneck_class", "stated_limit", "named", "determined", "setup", "calibrated", "fault"),
]


@dataclass(frozen=True)
class Validation:
    """Predictions of measured transfers beside what was measured.

    ``rows`` has one row per measurement and mode: ``mode``, ``id``, ``group``, ``repeat``, ``hosts`` (who sends to
    whom), ``measured_bps``, ``predicted_bps``, ``low_bps``, ``high_bps``, ``error`` (predicted / measured - 1; missing
    for "more than"), ``inside`` (the interval), ``bottleneck``, ``bottleneck_class``, ``stated_limit``, ``named``
    (whether the bottleneck is the stated one), ``determined`` (whether the source describes the test well enough),
    ``setup`` (the same number for equal set-ups), ``calibrated`` (calibrated parameters in use), ``fault`` (why a row
    could not be predicted).

    ``groups`` has one row per mode and group, and ``all`` for the determined rows of all groups: see `summary`.
    ``setups`` counts distinct set-ups, ``parameters`` the calibrated parameters of their predictions, ``freedom`` the
    difference: errors of a group without any say nothing about new runs. ``left_out`` counts the rows outside the
    mapping.
    """

    rows: pd.DataFrame
    groups: pd.DataFrame
    left_out: int = 0

    def to_dict(self) -> dict[str, object]:
        """Rows and groups as plain objects.

        Returns
        -------
        dict
            Numbers in SI, texts and lists, for JSON.

        Examples
        --------
        >>> validate_series(["c-dd"]).to_dict()["left_out"]
        0
        """
        return {"rows": records(self.rows), "groups": records(self.groups), "left_out": self.left_out}


def validate(
    table: str | Path | pd.DataFrame,
    mapping: str | Path,
    *,
    modes: Sequence[Mode] = ("in-sample",),
    progress: bool = False,
) -> Validation:
    """Predict every row of a table of measurements, and compare the two.

    Parameters
    ----------
    table, mapping
        CSV file or DataFrame, and the YAML file that gives the meaning of the columns.
    modes
        Of ``in-sample``, ``leave-one-out`` (without the rows of the same set-up), ``leave-one-series-out`` (without
        those of its series), ``leave-one-host-out`` (without those of its hosts).
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Returns
    -------
    Validation
        Table ``rows``, a row for each measurement and mode with ``measured_bps``, ``predicted_bps`` [bit/s] and
        ``error`` (predicted / measured - 1), table ``groups``, and the number of rows ``left_out``.

    Raises
    ------
    InputError
        The table or the mapping is invalid; the message gives file and line. A row that fails is a ``fault`` in
        the result.

    Examples
    --------
    >>> from hecn_analysis.base.places import models_dir
    >>> run = {"id": 7, "valid": "yes", "group": "long", "condition": "", "tool": "iperf3", "cc": "cubic",
    ...        "rate_mbps": 1000, "rtt_ms_ping": 20.0, "loss_configured": 0.0, "queue_bytes": 4e6, "mtu": 1500,
    ...        "streams": 1, "window_bytes": 4e6, "span_bytes": 0.0, "span_s": 0.0, "steady_bps": 934e6,
    ...        "total_s": 30.0, "warmup_s": 5.0}
    >>> validation = validate(pd.DataFrame([run]), models_dir() / "mappings" / "tcp-lab.yaml")
    >>> validation.rows[["bottleneck", "error"]].round(3).to_dict("records")
    [{'bottleneck': 'path.link', 'error': 0.008}]
    """
    measured, left_out = of_table(table, mapping)
    return replace(validated(measured, modes, progress=progress), left_out=left_out)


def validate_series(
    names: Sequence[str] | None = None, *, modes: Sequence[Mode] = ("in-sample",), progress: bool = False
) -> Validation:
    """Predict the measured cases of the shipped series, and compare the two.

    Parameters
    ----------
    names
        Names of series; all by default. Parameters are calibrated on these alone.
    modes, progress
        As in `validate`.

    Returns
    -------
    Validation
        As from `validate`.

    Raises
    ------
    InputError
        Unknown name.

    Examples
    --------
    >>> validate_series(["c-dd"]).rows[["id", "inside"]].to_dict("records")
    [{'id': 'c-dd-read', 'inside': True}, {'id': 'c-dd-write', 'inside': True}]
    """
    return validated(of_series(names), modes, progress=progress)


def validated(
    measured: Sequence[Measurement], modes: Sequence[Mode] = ("in-sample",), *, progress: bool = False
) -> Validation:
    """Predict measured transfers, and compare the two."""
    by_mode = recalibrated(measured, modes)
    chosen = [mode for mode in MODES if mode in modes]
    # modes share scenarios: predict each one once
    distinct = {id(scenario): scenario for mode in chosen for scenario in by_mode[mode] if scenario is not None}
    results = predict_each(distinct.values())
    answers = dict(
        zip(distinct, track(results, "validating", total=len(distinct)) if progress else results, strict=True)
    )
    rows = pd.DataFrame(
        [
            {"mode": mode, **_row(run, answers[id(scenario)])}
            for mode in chosen
            for run, scenario in zip(measured, by_mode[mode], strict=True)
            if scenario is not None
        ],
        columns=COLUMNS,
    )
    return Validation(with_units(rows), summary(rows))


def _row(run: Measurement, answer: Prediction | HecnError) -> dict[str, object]:
    row: dict[str, object] = {
        "id": run.name,
        "group": run.group,
        "repeat": run.repeat,
        "measured_bps": run.measured_bps,
        "stated_limit": run.stated_limit,
        "determined": run.determined,
    }
    if isinstance(answer, HecnError):
        return {**row, "fault": str(answer)}
    name, resource_class = answer.bottleneck or "", answer.bottleneck_class
    used = {name: known for name, known in uncertain(answer.scenario).items() if known.basis == "calibrated"}
    calibrated = sorted({_owned(answer, name) for name in used})
    hosts = [host.name for host in (answer.scenario.sender, answer.scenario.receiver) if host is not None]
    has_error = run.measured_bps > 0 and not run.at_least
    return {
        **row,
        "hosts": " to ".join(hosts),
        "predicted_bps": answer.throughput_bps,
        "low_bps": answer.low_bps,
        "high_bps": answer.high_bps,
        "error": answer.throughput_bps / run.measured_bps - 1 if has_error else None,
        "inside": (run.at_least or answer.low_bps <= run.measured_bps) and run.measured_bps <= answer.high_bps,
        "bottleneck": answer.bottleneck,
        "bottleneck_class": resource_class,
        "setup": zlib.crc32(setup(answer.scenario).encode()),
        "calibrated": "; ".join(calibrated),
        "named": any(resource_class == word or name.startswith(word) for word in run.accepted_limits)
        if run.accepted_limits
        else None,
    }


def _owned(answer: Prediction, name: str) -> str:
    """Name of a parameter with that of its processor, host, path or tool in place of the role."""
    role, _, rest = name.partition(".")
    owner = getattr(answer.scenario, role)
    part = owner.cpu.part if rest.startswith("cpu.") else ""
    return f"{part or owner.name}.{rest}"


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Errors by mode and group, and for the determined rows of all groups."""
    summaries = []
    for mode, of_mode in rows.groupby("mode", sort=False):
        groups = [*of_mode.groupby("group", sort=False), ("all", of_mode[of_mode["determined"].astype(bool)])]
        summaries += [{"mode": mode, **_summarised(str(name), part)} for name, part in groups]
    columns = [
        "mode",
        "group",
        "rows",
        "setups",
        "parameters",
        "freedom",
        "conditions",
        "mdape",
        "p90",
        "coverage",
        "named",
        "faults",
        "undetermined",
    ]
    return with_units(pd.DataFrame(summaries, columns=columns))


def side_by_side(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a measurement, with error and interval of each mode beside each other.

    Parameters
    ----------
    rows
        As in `Validation.rows`.

    Returns
    -------
    DataFrame
        ``group``, ``id``, ``measured`` [Gb/s], for each mode ``<mode> value`` (error, with a dagger where the
        measurement lies outside the interval) and ``<mode> interval`` [Gb/s], all as text; ``bottleneck`` and
        ``stated_limit``.

    Examples
    --------
    >>> side_by_side(validate_series(["c-dd"]).rows)[["id", "measured", "bottleneck"]].to_dict("records")[0]
    {'id': 'c-dd-read', 'measured': '21.24', 'bottleneck': 'sender.raid.raid50'}
    """
    keys = ["group", "id"]
    first = rows.drop_duplicates(keys).set_index(keys)
    table = first.assign(measured=[f"{rate / 1e9:.4g}" for rate in first["measured_bps"]])[["measured"]]
    for mode, of_mode in rows.groupby("mode", sort=False):
        own = of_mode.drop_duplicates(keys).set_index(keys)
        errors = zip(own["error"].astype(float), own["inside"], strict=True)
        words = [
            f"{'–' if np.isnan(off) else units.format_change(off, places=1)}{'' if inside else ' †'}"
            for off, inside in errors
        ]
        ends = zip(own["low_bps"], own["high_bps"], strict=True)
        table[f"{mode} value"] = pd.Series(words, own.index, dtype=object)
        table[f"{mode} interval"] = pd.Series(
            [f"{low / 1e9:.4g} – {high / 1e9:.4g}" for low, high in ends], own.index, dtype=object
        )
    return table.assign(bottleneck=first["bottleneck"], stated_limit=first["stated_limit"]).reset_index()


def _summarised(name: str, rows: pd.DataFrame) -> dict[str, object]:
    good = rows[rows["fault"].isna()]
    by_condition = good[good["error"].notna()].groupby("repeat", sort=False)
    errors = (by_condition["predicted_bps"].first() / by_condition["measured_bps"].median() - 1).abs()
    named = good["named"].dropna()
    setups = int(good["setup"].nunique())
    parameters = len({each for text in good["calibrated"].dropna() for each in text.split("; ") if each})
    return {
        "group": name,
        "rows": len(rows),
        "setups": setups,
        "parameters": parameters,
        "freedom": max(setups - parameters, 0),
        "conditions": len(errors),
        "mdape": float(errors.median()) if len(errors) else None,
        "p90": float(errors.quantile(0.9)) if len(errors) else None,
        "coverage": float(good["inside"].mean()) if len(good) else None,
        "named": float(named.mean()) if len(named) else None,
        "faults": len(rows) - len(good),
        "undetermined": int((~rows["determined"].astype(bool)).sum()) or None,
    }
