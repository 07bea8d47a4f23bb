"""What the columns of a table of measurements mean: a mapping, and the measurements that it finds in a table.

A mapping says which column, or expression of columns, is which key of a scenario, which is the measured rate, which
rows repeat each other, and which limit the table states. It is a YAML file:

.. code-block:: yaml

    title: what was measured
    where: valid == 'yes'               # rows to take; the others are counted
    measured: goodput_mbps              # a column or an expression of columns; a part may have its own
    unit: Mb/s
    cpu_sender: tx_percent / 100        # busy share of a core of one process, for calibration
    cpu_receiver: rx_percent / 100
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

Expressions are arithmetic, comparisons, ``and``, ``or``, ``not``, ``in``, as `pandas.DataFrame.eval` knows them; names
that are no words stand between backticks. There are no calls and no attributes: a mapping cannot run anything.
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
    cpu_sender: str | None = None
    cpu_receiver: str | None = None
    parts: Annotated[list[_Part], Field(default_factory=list)]


def of_table(
    table: str | Path | pd.DataFrame, mapping: str | Path, settings: Mapping[str, Any] | None = None
) -> tuple[list[Measurement], int]:
    """Measurements of a table, and how many of its rows the mapping leaves out."""
    return _Table(table, mapping).measurements(settings or {})


class _Table:
    """A table, and its mapping."""

    def __init__(self, table: str | Path | pd.DataFrame, mapping: str | Path) -> None:
        self.name = table if isinstance(table, str | Path) else "row"
        self.frame = _read(table)
        self.document = yaml_file.load(Path(mapping))
        self.meaning = yaml_file.validate(
            _Meaning, self.document.values, lambda key: (self.document.source, self.document.line(key))
        )

    def measurements(self, settings: Mapping[str, Any]) -> tuple[list[Measurement], int]:
        """Take the rows that the mapping takes, each with its keys."""
        keys, rates = self._keys_and_rates()
        rates = rates * self._unit()
        words = {name: self._column(name) for name in ("id", "group", "repeats", "limit", "cpu_sender", "cpu_receiver")}
        found = []
        for row in np.flatnonzero(np.isfinite(rates)):
            own = {**keys[row], **settings}
            said = {name: column[row] for name, column in words.items()}
            found.append(
                Measurement(
                    said["id"],
                    None if said["group"] is None else str(said["group"]),
                    repr(sorted(own.items(), key=str)) if said["repeats"] is None else said["repeats"],
                    own,
                    float(rates[row]),
                    cpu_sender_fraction=said["cpu_sender"],
                    cpu_receiver_fraction=said["cpu_receiver"],
                    stated_limit=None if said["limit"] is None else str(said["limit"]),
                    accepted_limits=self._accepted(said["limit"]),
                    source=f"{self.name}:{row + 2}",
                )
            )
        return found, len(self.frame) - len(found)

    def _keys_and_rates(self) -> tuple[list[dict[str, Any]], npt.NDArray[np.float64]]:
        """Keys of each row, and its measured rate; NaN where the mapping does not take it."""
        rates = np.full(len(self.frame), np.nan)
        keys = [dict[str, Any]() for _ in range(len(self.frame))]
        taken = self._evaluate(self.meaning.where, ("where",)).to_numpy(dtype=bool)
        self._lay(self.meaning, (), taken, keys, rates)
        owned = np.full(len(self.frame), not self.meaning.parts)
        for number, part in enumerate(self.meaning.parts):
            place = ("parts", str(number))
            own = self._evaluate(part.where, (*place, "where")).to_numpy(dtype=bool) & ~owned
            owned |= own
            self._lay(part, place, own, keys, rates)
        return keys, np.where(taken & owned, rates, np.nan)

    def _lay(
        self,
        part: _Part,
        place: Place,
        own: npt.NDArray[np.bool_],
        keys: list[dict[str, Any]],
        rates: npt.NDArray[np.float64],
    ) -> None:
        """Lay what a part of the mapping says over the keys and rates of its own rows."""
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
                "that of a rate, such as 'Mb/s'",
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
        """Work out an expression of columns, which stands at that place of the mapping."""
        if expression in self.frame.columns:
            return self.frame[expression]
        fault = _more_than_arithmetic(expression)
        if not fault:
            try:
                found = self.frame.eval(expression, engine="python")
                return found if isinstance(found, pd.Series) else pd.Series(found, index=self.frame.index)
            except Exception as error:  # noqa: BLE001 - pandas raises many kinds for what is written wrongly
                fault = str(error)
        raise InputError(
            f"the expression {expression!r} ({fault})",
            f"one of the columns {', '.join(map(str, self.frame.columns))}",
            source=self.document.source,
            line=self.document.line(place),
            advice=did_you_mean(expression, [str(name) for name in self.frame.columns]),
        )

    def _values(self, source: Source, place: Place) -> list[Any]:
        """Values of a key, None where the cell is empty or its word has no translation."""
        if isinstance(source, str):
            return _plain(self._evaluate(source, place))
        found = _plain(self._evaluate(source.expression, place))
        if source.words:
            known = {str(word): value for word, value in source.words.items()}
            return [None if value is None else known.get(str(value)) for value in found]
        return [
            None if value is None else _one_of(str(value).replace(",", " ").split(), source, place) for value in found
        ]


#: What an expression may consist of.
_ARITHMETIC = (
    *(ast.Expression, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Name, ast.Constant, ast.List, ast.Tuple),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr),
    *(ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context),
)


def _more_than_arithmetic(expression: str) -> str:
    """What in an expression is more than arithmetic of columns; nothing where all is well, or is no expression."""
    try:
        tree = ast.parse(re.sub(r"`[^`]*`", "column", expression.strip()), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{error}"
    found = next((node for node in ast.walk(tree) if not isinstance(node, _ARITHMETIC)), None)
    return "" if found is None else f"{type(found).__name__} is no arithmetic, comparison, and, or, not or in"


#: What else is raised for packed files that are cut off or hold something else.
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


def _one_of(numbers: Sequence[str], source: _Lookup, place: Place) -> str:
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
