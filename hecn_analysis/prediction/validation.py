"""Any table of measurements against the predictions of its rows.

A mapping says which column, or expression of columns, is which key of a scenario, which is the measured rate, which
rows repeat each other, and which limit the table states. It is a YAML file:

.. code-block:: yaml

    title: what was measured
    where: valid == 'yes'               # rows to take; the others are counted
    measured: goodput_mbps              # a column or an expression of columns; a part may have its own
    unit: Mb/s
    id: id
    group: loss
    repeats: condition                  # rows with the same value repeat one measurement
    limit: known_bottleneck             # the limit that the table states
    limits: {network: link}             # its words in ours: a class, a resource, or a list of them
    set: {sender: ideal, receiver: ideal}
    columns:                            # an empty cell leaves a key out
      path.rtt: rtt_ms / 1000
      tool: {from: tool, values: {nuttcp: nuttcp, iperf: iperf3}}
      sender.read_rate: {from: member_rates, unit: MB/s, take: min}
    parts:                              # rows that differ in more than their values, each with keys of its own
      - where: kind == 'copy'
        set: {tool: dd-copy}

Expressions are those of `pandas.DataFrame.eval`: arithmetic, comparisons, ``and``, ``or``, ``not``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis import units
from hecn_analysis.errors import HecnError, InputError, RangeError, did_you_mean
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.scenario import make_scenario
from hecn_analysis.prediction.compare import compare, series_names
from hecn_analysis.prediction.model import predict
from hecn_analysis.prediction.result import Prediction
from hecn_analysis.progress import track


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class _Lookup(_Described):
    """A key whose values stand in the table in other words, in another unit, or several in a cell."""

    expression: str = Field(alias="from")
    words: dict[str | int | float | bool, Any] = Field(default={}, alias="values")
    unit: str = ""
    take: Literal["min", "max", "sum"] = "min"


Source = str | _Lookup


class _Part(_Described):
    """Keys of the rows for which `where` holds."""

    where: str = "True"
    measured: str | None = None
    set: dict[str, Any] = {}
    columns: dict[str, Source] = {}


class _Meaning(_Part):
    """What the columns of a table mean."""

    title: str = ""
    source: str = ""
    unit: str = "bit/s"
    id: str | None = None
    group: str | None = None
    repeats: str | None = None
    limit: str | None = None
    limits: dict[str, str | list[str]] = {}
    parts: Annotated[list[_Part], Field(default_factory=list)]


@dataclass(frozen=True)
class Validation:
    """Predictions of the rows of a table beside what was measured.

    Attributes
    ----------
    rows
        One row a measurement: ``id``, ``group``, ``repeat``, ``measured_bps``, ``predicted_bps``, ``low_bps``,
        ``high_bps``, ``error`` (predicted / measured - 1), ``inside`` (the interval), ``bottleneck``,
        ``bottleneck_class``, ``stated_limit``, ``named`` (whether the bottleneck is the stated one), ``fault`` (why a
        row could not be predicted).
    groups
        One row a group, and ``all``: see `summary`.
    left_out
        Rows of the table that the mapping leaves out.
    """

    rows: pd.DataFrame
    groups: pd.DataFrame
    left_out: int

    def to_dict(self) -> dict[str, object]:
        """Rows and groups as plain objects."""
        return {
            "rows": _records(self.rows),
            "groups": _records(self.groups),
            "left_out": self.left_out,
        }


def validate(table: str | Path | pd.DataFrame, mapping: str | Path, *, progress: bool = False) -> Validation:
    """Predict every row of a table of measurements, and compare.

    Parameters
    ----------
    table
        CSV file, or a table that has been read already.
    mapping
        YAML file that says what the columns mean.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Raises
    ------
    InputError
        The table or the mapping cannot be used: with file and line. A row that cannot be predicted is a ``fault`` in
        the result.
    """
    document = yaml_file.load(Path(mapping))
    content = yaml_file.validate(_Meaning, document.values, lambda key: (document.source, document.line(key)))
    frame = _table(table)
    evaluate = _evaluator(frame, document)
    measured = np.full(len(frame), np.nan)
    keys = [dict[str, Any]() for _ in range(len(frame))]
    parts = [(content, ()), *((part, ("parts", str(number))) for number, part in enumerate(content.parts))]
    owned = np.full(len(frame), not content.parts)
    for part, place in parts:
        is_own = evaluate(part.where, (*place, "where")).to_numpy(dtype=bool)
        if place:
            is_own = is_own & ~owned
            owned |= is_own
        else:
            taken = is_own
        if part.measured is not None:
            figures = pd.to_numeric(evaluate(part.measured, (*place, "measured")), errors="coerce")
            measured = np.where(is_own, figures.to_numpy(dtype=float), measured)
        values = {key: _values(source, evaluate, (*place, "columns", key)) for key, source in part.columns.items()}
        for row in np.flatnonzero(is_own):
            keys[row] |= part.set | {key: column[row] for key, column in values.items() if column[row] is not None}
    taken = taken & owned & np.isfinite(measured)
    try:
        factor = units.parse(f"1 {content.unit}", "rate", name="unit")
    except RangeError:
        raise InputError(
            f"unit {content.unit!r}", "that of a rate, such as 'Mb/s'", source=mapping, line=document.line(("unit",))
        ) from None

    def column(expression: str | None, name: str) -> list[Any]:
        return [None] * len(frame) if expression is None else _plain(evaluate(expression, (name,)))

    identity, group, repeat, limit = (
        column(getattr(content, name), name) for name in ("id", "group", "repeats", "limit")
    )
    predictions: dict[str, Prediction | str] = {}
    rows = []
    numbers = np.flatnonzero(taken)
    for row in track(numbers, "validating") if progress else numbers:
        said = repr(sorted(keys[row].items(), key=str))
        if said not in predictions:
            predictions[said] = _predicted(keys[row], f"{table if isinstance(table, str | Path) else 'row'}:{row + 2}")
        answer = predictions[said]
        rows.append(
            {
                "id": identity[row],
                "group": None if group[row] is None else str(group[row]),
                "repeat": said if repeat[row] is None else repeat[row],
                "measured_bps": float(measured[row] * factor),
                **_compared(answer, float(measured[row] * factor)),
                **_named(answer, limit[row], content.limits),
            }
        )
    found = pd.DataFrame(rows, columns=COLUMNS)
    return Validation(found, summary(found), int(len(frame) - taken.sum()))


def validate_series(names: Sequence[str] | None = None) -> Validation:
    """Predict the cases of the shipped series, and compare; parameters of hosts were calibrated on some of them.

    Of what a document gives as "more than", there is no error.

    Parameters
    ----------
    names
        Names of series; all by default.

    Raises
    ------
    InputError
        Unknown name.
    """
    found = compare(series_names() if names is None else list(names))
    measured = found["measured_bps"].notna()
    rows = pd.DataFrame(
        {
            "id": found["case"],
            "group": found["series"],
            "repeat": found["series"] + " " + found["case"],
            "measured_bps": found["measured_bps"].astype(float),
            **{name: found[name].astype(float) for name in ("predicted_bps", "low_bps", "high_bps")},
            "error": found["error"].astype(float).where(~found["measured_low_bound"]),
            "inside": found["inside"].astype(object),
            "bottleneck": found["bottleneck"],
            "bottleneck_class": found["bottleneck_class"],
            "stated_limit": found["stated_limit"].replace("", None),
            "fault": None,
        }
    )
    rows["named"] = (rows["stated_limit"] == rows["bottleneck_class"]).where(rows["stated_limit"].notna(), None)
    rows = rows.loc[measured, COLUMNS].reset_index(drop=True)
    return Validation(rows, summary(rows), int((~measured).sum()))


COLUMNS = [
    *("id", "group", "repeat", "measured_bps", "predicted_bps", "low_bps", "high_bps", "error", "inside"),
    *("bottleneck", "bottleneck_class", "stated_limit", "named", "fault"),
]


def _predicted(keys: Mapping[str, Any], place: str) -> Prediction | str:
    try:
        return predict(make_scenario(keys, source=place))
    except HecnError as error:
        return str(error)


def _compared(answer: Prediction | str, measured_bps: float) -> dict[str, object]:
    if isinstance(answer, str):
        return {"fault": answer}
    return {
        "predicted_bps": answer.throughput_bps,
        "low_bps": answer.low_bps,
        "high_bps": answer.high_bps,
        "error": answer.throughput_bps / measured_bps - 1 if measured_bps > 0 else None,
        "inside": answer.low_bps <= measured_bps <= answer.high_bps,
        "bottleneck": answer.bottleneck,
        "bottleneck_class": answer.bottleneck_class,
    }


def _named(answer: Prediction | str, said: object, limits: Mapping[str, str | list[str]]) -> dict[str, object]:
    """Whether the bottleneck is the one that the table states."""
    if said is None or isinstance(answer, str):
        return {"stated_limit": None, "named": None}
    stated = limits.get(str(said), str(said))
    accepted = [stated] if isinstance(stated, str) else stated
    if not accepted:
        return {"stated_limit": str(said), "named": None}
    fits = any(answer.bottleneck_class == word or (answer.bottleneck or "").startswith(word) for word in accepted)
    return {"stated_limit": str(said), "named": fits}


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Errors by group, and of all rows together.

    A repeated measurement counts once, with the median of its repeats; the interval is for a single one.

    Parameters
    ----------
    rows
        As in `Validation.rows`.

    Returns
    -------
    DataFrame
        ``group``, ``rows``, ``conditions`` (measurements without their repeats), ``mdape`` and ``p90`` (median and
        90th percentile of absolute relative errors), ``coverage`` (share of rows inside the 90 % interval), ``named``
        (share of rows whose stated limit is the predicted one; missing where none states one), ``faults``.
    """
    groups = [(name, part) for name, part in rows.groupby("group", sort=False)]
    return pd.DataFrame([_summarised(str(name), part) for name, part in [*groups, ("all", rows)]])


def _summarised(name: str, rows: pd.DataFrame) -> dict[str, object]:
    good = rows[rows["fault"].isna()]
    by_condition = good[good["error"].notna()].groupby("repeat", sort=False)
    errors = (by_condition["predicted_bps"].first() / by_condition["measured_bps"].median() - 1).abs()
    named = good["named"].dropna()
    return {
        "group": name,
        "rows": len(rows),
        "conditions": len(errors),
        "mdape": float(errors.median()) if len(errors) else None,
        "p90": float(errors.quantile(0.9)) if len(errors) else None,
        "coverage": float(good["inside"].mean()) if len(good) else None,
        "named": float(named.mean()) if len(named) else None,
        "faults": len(rows) - len(good),
    }


# reading -------------------------------------------------------------------------------------------------------------


def _table(table: str | Path | pd.DataFrame) -> pd.DataFrame:
    if isinstance(table, pd.DataFrame):
        return table.reset_index(drop=True)
    try:
        return pd.read_csv(table)
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise InputError(str(error), "a CSV table with a line of column names", source=table) from None


def _evaluator(frame: pd.DataFrame, document: yaml_file.Document) -> Callable[[str, tuple[str, ...]], pd.Series[Any]]:
    """Give a function that works out an expression of columns, named by its place in the mapping."""

    def evaluate(expression: str, place: tuple[str, ...]) -> pd.Series[Any]:
        if expression in frame.columns:
            return frame[expression]
        if "@" in expression or "__" in expression:
            fault = "found '@' or '__', which reach outside the table"
        else:
            try:
                found = frame.eval(expression, engine="python")
                return found if isinstance(found, pd.Series) else pd.Series(found, index=frame.index)
            except Exception as error:  # noqa: BLE001 - pandas raises many kinds for what is written wrongly
                fault = str(error)
        raise InputError(
            f"the expression {expression!r} ({fault})",
            f"one of the columns {', '.join(map(str, frame.columns))}",
            source=document.source,
            line=document.line(place),
            advice=did_you_mean(expression, [str(name) for name in frame.columns]),
        )

    return evaluate


def _values(
    source: Source, evaluate: Callable[[str, tuple[str, ...]], pd.Series[Any]], place: tuple[str, ...]
) -> list[Any]:
    """Values of a key, None where the cell is empty or its word has no translation."""
    if isinstance(source, str):
        return _plain(evaluate(source, place))
    found = _plain(evaluate(source.expression, place))
    if source.words:
        known = {str(word): value for word, value in source.words.items()}
        return [None if value is None else known.get(str(value)) for value in found]
    return [None if value is None else _one_of(str(value).replace(",", " ").split(), source, place) for value in found]


_TAKE: Mapping[str, Callable[[list[float]], float]] = {"min": min, "max": max, "sum": sum}


def _one_of(numbers: Sequence[str], source: _Lookup, place: tuple[str, ...]) -> str:
    """Take one of the numbers in a cell, or their sum, with its unit."""
    try:
        found = _TAKE[source.take]([float(number) for number in numbers])
    except ValueError:
        raise InputError(
            f"the cell {' '.join(numbers)!r} for {place[-1]}", "numbers with blanks or commas between them"
        ) from None
    return f"{found!r} {source.unit}".strip()


def _plain(column: pd.Series[Any]) -> list[Any]:
    values = column.astype(object).where(column.notna(), None).tolist()
    return [
        int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
        for value in values
    ]


def _records(frame: pd.DataFrame) -> Sequence[dict[str, object]]:
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in plain.to_dict("records")]
