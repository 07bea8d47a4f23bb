"""A column of a table: its name, kind, unit and bounds, and the values that fit."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

TEXT, COUNT, NUMBER, FLAG, TIME = "text", "count", "number", "flag", "time"
COUNTER, ANSWER = "counter", "answer"
_DTYPES: Mapping[str, str] = {
    TEXT: "string",
    COUNT: "Int64",
    NUMBER: "float64",
    FLAG: "bool",
    TIME: "datetime64[ns, UTC]",
    COUNTER: "UInt64",
    ANSWER: "boolean",
}
_LARGEST: Mapping[str, int] = {COUNT: 2**63 - 1, NUMBER: 2**63 - 1, COUNTER: 2**64 - 1}
_YEARS = range(1678, 2262)  # what fits into nanoseconds since 1970
_FEW = 8  # values that are checked one by one


@dataclass(frozen=True)
class Column:
    """One column of a table.

    `name` ends with the `unit` of the values. `kind` is `TEXT`, `COUNT` (whole number), `COUNTER` (whole number from 0
    of up to 64 bits), `NUMBER`, `FLAG`, `ANSWER` (a flag that may be missing) or `TIME`. `low` and `high` are the
    bounds of the values, `words` the allowed texts. The secrets of a column that `quotes` a file are masked.
    """

    name: str
    kind: str
    unit: str
    meaning: str
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()
    quotes: bool = False

    @property
    def dtype(self) -> str:
        """The pandas dtype of the column."""
        return _DTYPES[self.kind]

    def fault(self, value: object) -> str | None:
        """Describe the fault of a value, or None if it fits."""
        if value is not None and self._fits(value):
            return None
        if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
            return None if self.kind != FLAG else f"{self.name}: found nothing, expected True or False"
        return f"{self.name}: found {value!r}, expected {self.expected}"

    @cached_property
    def _bounds(self) -> Mapping[type, tuple[float, float]]:
        """Smallest and largest value of the types that numbers of this column usually have."""
        if self.kind not in _LARGEST:
            return {}
        largest: dict[type, float] = {int: _LARGEST[self.kind]}
        if self.kind == NUMBER:
            largest[float] = sys.float_info.max
        return {
            kind: (-bound if self.low is None else self.low, bound if self.high is None else min(bound, self.high))
            for kind, bound in largest.items()
        }

    def _fits(self, value: Any) -> bool:  # noqa: ANN401 - any value may be asked about
        bounds = self._bounds.get(type(value))
        if bounds is not None:
            return bool(bounds[0] <= value <= bounds[1])
        if self.kind == TEXT:
            return isinstance(value, str) and (not self.words or value in self.words)
        if self.kind in {FLAG, ANSWER}:
            return isinstance(value, (bool, np.bool_))
        if self.kind == TIME:
            return isinstance(value, pd.Timestamp) and value.tzinfo is not None and value.year in _YEARS
        if isinstance(value, (bool, np.bool_)):
            return False
        if isinstance(value, (int, np.integer)):
            finite = abs(int(value)) <= _LARGEST[self.kind]
        else:
            finite = self.kind == NUMBER and isinstance(value, (float, np.floating)) and bool(np.isfinite(value))
        return finite and bool((self.low is None or value >= self.low) and (self.high is None or value <= self.high))

    def fits_all(self, values: Sequence[object]) -> bool:
        """Whether all of many values fit; most are checked together."""
        kinds = set(map(type, values))
        if kinds <= ({bool} if self.kind == FLAG else {bool, type(None)} if self.kind == ANSWER else {type(None)}):
            return True
        if self.kind == TEXT and kinds <= {str, type(None)}:
            return not self.words or {None, *self.words}.issuperset(values)
        if kinds - {type(None)} in ({int}, {float}) and self.kind in _LARGEST:
            numbers: list[Any] = [value for value in values if value is not None and value == value]  # noqa: PLR0124 - no NaN
            if numbers:
                return not any(map(self.fault, (min(numbers), max(numbers))))
        return not any(map(self.fault, values))

    def wrong(self, numbers: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which of many values do not fit; NaN is a missing value."""
        if len(numbers) <= _FEW and not any(map(self._misfits, numbers.tolist())):
            return np.zeros(len(numbers), dtype=np.bool_)
        missing = np.isnan(numbers)
        wrong = ~missing & ~np.isfinite(numbers)
        if self.low is not None:
            wrong |= numbers < self.low
        if self.high is not None:
            wrong |= numbers > self.high
        if self.kind in {COUNT, COUNTER}:
            wrong |= ~missing & ((numbers != np.rint(numbers)) | (np.abs(numbers) >= float(_LARGEST[self.kind])))
        return np.asarray(wrong, dtype=np.bool_)

    def _misfits(self, number: float) -> bool:
        """Whether one value does not fit; ten times as fast for a few values as `wrong`."""
        if math.isnan(number):
            return False
        if math.isinf(number) or (self.low is not None and number < self.low):
            return True
        if self.high is not None and number > self.high:
            return True
        return self.kind != NUMBER and not (number.is_integer() and abs(number) < _LARGEST[self.kind])

    @property
    def expected(self) -> str:
        """Describe the valid values of this column."""
        if self.words:
            return "one of " + ", ".join(self.words)
        noun = {
            TEXT: "text",
            COUNT: "a whole number",
            COUNTER: "a whole number",
            NUMBER: "a number",
            FLAG: "True or False",
            ANSWER: "True or False",
            TIME: "a UTC time from 1678 to 2261",
        }[self.kind]
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low:g} to {self.high:g}"
        return noun if self.low is None else f"{noun} of at least {self.low:g}"
