"""Measurements from a table by a mapping, which gives the meaning of the table's columns.

A mapping gives the column, or expression of columns, for each key of a scenario, the measured rate, the rows that
repeat each other, and the limit that the table states. It is a YAML file:

.. code-block:: yaml

    title: title of the measurements
    where: valid == 'yes'               # rows to use; the others are counted
    measured: goodput_mbps              # a column or an expression of columns; a part may have its own
    unit: Mb/s
    cpu_sender: tx_percent / 100        # busy share of a core of one process, for calibration
    cpu_receiver: rx_percent / 100
    id: id
    group: loss
    repeats: condition                  # rows with the same value repeat one measurement
    limit: known_bottleneck             # the limit that the table states
    limits: {network: link}             # the table's words: a class, a resource, or a list of them
    set: {sender: ideal, receiver: ideal}
    columns:                            # an empty cell leaves a key out
      path.rtt: rtt_ms / 1000
      tool: {from: tool, values: {nuttcp: nuttcp, iperf: iperf3}}
      sender.read_rate: {from: member_rates, unit: MB/s, take: min}
    parts:                              # groups of rows that need keys of their own
      - where: kind == 'copy'
        set: {tool: dd-copy}

Expressions are arithmetic, comparisons, ``and``, ``or``, ``not``, ``in``, as in `pandas.DataFrame.eval`; column names
that are not identifiers need backticks. Calls and attributes are refused, so a mapping cannot run code.
"""

from __future__ import annotations

import ast
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError, RangeError, did_you_mean
from hecn_analysis.hardware import yaml_file
from hecn_analysis.prediction.measurements import Measurement

Place = tuple[str, ...]


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class _Lookup(_Described):
    """A key whose cells need a translation, a unit, or a choice among several numbers."""

    expression: str = Field(alias="from")
    words: dict[str | int | float | bool, Any] = Field(default={}, alias="values")
    unit: str = ""
    take: Literal["min", "max", "sum"] = "min"


Source = str | _Lookup


class _Part(_Described):
    """Keys of the rows that satisfy `where`."""

    where: str = "True"
    measured: str | None = None
    set: dict[str, Any] = {}
    columns: dict[str, Source] = {}


class _Meaning(_Part):
    """A whole mapping."""

    title: str = ""
    source: str = ""
    unit: str = "bit/s"
    id: str | None = None
    group: str | None = None
    repeats: str | None = None
    limit: str | None = None
    limits: dict[str, str | list[str]] = {}
    cpu_sender: str | None = None
    cpu_receiver: str | None = None
    parts: Annotated[list[_Part], Field(default_factory=list)]


def of_table(
    table: str | Path | pd.DataFrame, mapping: str | Path, settings: Mapping[str, Any] | None = None
) -> tuple[list[Measurement], int]:
    """Measurements of a table, and the number of rows that the mapping leaves out."""
    return _Table(table, mapping).measurements(settings or {})


class _Table:
    """A table and its mapping."""

    def __init__(self, table: str | Path | pd.DataFrame, mapping: str | Path) -> None:
        self.name = table if isinstance(table, str | Path) else "row"
        self.frame = _read(table)
        self.document = yaml_file.load(Path(mapping))
        self.meaning = yaml_file.validate(
            _Meaning, self.document.values, lambda key: (self.document.source, self.document.line(key))
        )

    def measurements(self, settings: Mapping[str, Any]) -> tuple[list[Measurement], int]:
        """Measurements of the rows that the mapping uses, and the number of the other rows."""
        keys, rates = self._keys_and_rates()
        rates = rates * self._unit()
        columns = {
            name: self._column(name) for name in ("id", "group", "repeats", "limit", "cpu_sender", "cpu_receiver")
        }
        measurements = []
        for row in np.flatnonzero(np.isfinite(rates)):
            own = {**keys[row], **settings}
            cells = {name: column[row] for name, column in columns.items()}
            measurements.append(
                Measurement(
                    cells["id"],
                    None if cells["group"] is None else str(cells["group"]),
                    repr(sorted(own.items(), key=str)) if cells["repeats"] is None else cells["repeats"],
                    own,
                    float(rates[row]),
                    cpu_sender_fraction=cells["cpu_sender"],
                    cpu_receiver_fraction=cells["cpu_receiver"],
                    stated_limit=None if cells["limit"] is None else str(cells["limit"]),
                    accepted_limits=self._accepted(cells["limit"]),
                    source=f"{self.name}:{row + 2}",
                )
            )
        return measurements, len(self.frame) - len(measurements)

    def _keys_and_rates(self) -> tuple[list[dict[str, Any]], npt.NDArray[np.float64]]:
        """Keys of each row, and its measured rate; NaN where the mapping does not use the row."""
        rates = np.full(len(self.frame), np.nan)
        keys = [dict[str, Any]() for _ in range(len(self.frame))]
        used = self._evaluate(self.meaning.where, ("where",)).to_numpy(dtype=bool)
        self._set(self.meaning, (), used, keys, rates)
        in_parts = np.full(len(self.frame), not self.meaning.parts)
        for number, part in enumerate(self.meaning.parts):
            place = ("parts", str(number))
            own = self._evaluate(part.where, (*place, "where")).to_numpy(dtype=bool) & ~in_parts
            in_parts |= own
            self._set(part, place, own, keys, rates)
        return keys, np.where(used & in_parts, rates, np.nan)

    def _set(
        self,
        part: _Part,
        place: Place,
        own: npt.NDArray[np.bool_],
        keys: list[dict[str, Any]],
        rates: npt.NDArray[np.float64],
    ) -> None:
        """Set the keys and rates of a part's rows."""
        if part.measured is not None:
            figures = pd.to_numeric(self._evaluate(part.measured, (*place, "measured")), errors="coerce")
            rates[own] = figures.to_numpy(dtype=float)[own]
        values = {key: self._values(source, (*place, "columns", key)) for key, source in part.columns.items()}
        for row in np.flatnonzero(own):
            keys[row] |= part.set | {key: column[row] for key, column in values.items() if column[row] is not None}

    def _unit(self) -> float:
        try:
            return units.parse(f"1 {self.meaning.unit}", "rate", name="unit")
        except RangeError:
            raise InputError(
                f"unit {self.meaning.unit!r}",
                "a unit of rate, such as 'Mb/s'",
                source=self.document.source,
                line=self.document.line(("unit",)),
            ) from None

    def _accepted(self, limit: object) -> Sequence[str]:
        if limit is None:
            return ()
        stated = self.meaning.limits.get(str(limit), str(limit))
        return (stated,) if isinstance(stated, str) else tuple(stated)

    # columns ---------------------------------------------------------------------------------------------------------

    def _column(self, name: str) -> list[Any]:
        expression = getattr(self.meaning, name)
        return [None] * len(self.frame) if expression is None else _plain(self._evaluate(expression, (name,)))

    def _evaluate(self, expression: str, place: Place) -> pd.Series[Any]:
        """Values of an expression of columns, given at `place` in the mapping."""
        if expression in self.frame.columns:
            return self.frame[expression]
        fault = _fault(expression)
        if not fault:
            try:
                result = self.frame.eval(expression, engine="python")
                return result if isinstance(result, pd.Series) else pd.Series(result, index=self.frame.index)
            except Exception as error:  # noqa: BLE001 - pandas raises many kinds for wrong expressions
                fault = str(error)
        raise InputError(
            f"the expression {expression!r} ({fault})",
            f"one of the columns {', '.join(map(str, self.frame.columns))}",
            source=self.document.source,
            line=self.document.line(place),
            advice=did_you_mean(expression, [str(name) for name in self.frame.columns]),
        )

    def _values(self, source: Source, place: Place) -> list[Any]:
        """Values of a key; None where the cell is empty or has no translation."""
        if isinstance(source, str):
            return _plain(self._evaluate(source, place))
        cells = _plain(self._evaluate(source.expression, place))
        if source.words:
            known = {str(word): value for word, value in source.words.items()}
            return [None if value is None else known.get(str(value)) for value in cells]
        return [
            None if value is None else _combined(str(value).replace(",", " ").split(), source, place) for value in cells
        ]


#: Syntax that an expression may use.
_ARITHMETIC = (
    *(ast.Expression, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Name, ast.Constant, ast.List, ast.Tuple),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr),
    *(ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context),
)


def _fault(expression: str) -> str:
    """Why an expression is refused: its syntax error or its first forbidden node; empty if it is allowed."""
    try:
        tree = ast.parse(re.sub(r"`[^`]*`", "column", expression.strip()), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{error}"
    forbidden = next((node for node in ast.walk(tree) if not isinstance(node, _ARITHMETIC)), None)
    return (
        "" if forbidden is None else f"{type(forbidden).__name__} is not arithmetic, a comparison, and, or, not or in"
    )


#: Other errors of damaged compressed files.
_DAMAGED: Final = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)


def _read(table: str | Path | pd.DataFrame) -> pd.DataFrame:
    if isinstance(table, pd.DataFrame):
        return table.reset_index(drop=True)
    expected = "a CSV table with a line of column names"
    if "://" in str(table):
        raise InputError("an address", f"the file of {expected}", source=table)
    try:
        return pd.read_csv(table)
    except (OSError, ValueError, EOFError, *_DAMAGED) as error:
        raise InputError(" ".join(str(error).split())[:160], expected, source=table) from None


_TAKE: Mapping[str, Callable[[list[float]], float]] = {"min": min, "max": max, "sum": sum}


def _combined(numbers: Sequence[str], source: _Lookup, place: Place) -> str:
    """Minimum, maximum or sum of the numbers in a cell, with its unit."""
    try:
        number = _TAKE[source.take]([float(number) for number in numbers])
    except ValueError:
        raise InputError(
            f"the cell {' '.join(numbers)!r} for {place[-1]}", "numbers with blanks or commas between them"
        ) from None
    return f"{number!r} {source.unit}".strip()


def _plain(column: pd.Series[Any]) -> list[Any]:
    values = column.astype(object).where(column.notna(), None).tolist()
    return [
        int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
        for value in values
    ]
