"""Tables as rows of plain values, for JSON and CSV; and the only writer of CSV.

Text that a spreadsheet would evaluate as a formula is made harmless in CSV, since it may come from any file.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pandas as pd

#: Text that spreadsheets evaluate as a formula; signed numbers and a sign alone are not evaluated. Some take the wide
#: forms of East Asian writing for the same.
_FORMULA: Final = re.compile(r"[=@\t\r\n\uff1d\uff20\uff0b\uff0d]|[+-](?![\d.]*(?:[eE][+-]?\d+)?$)")

_AT_ONCE: Final = 256  # rows


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Return the rows of a table as plain values: None if missing, times as ISO 8601 in UTC."""
    columns = []
    names = frame.columns.tolist()  # Arrow text is slow to iterate for each row
    for name in names:
        column = frame[name]
        if column.dtype.kind == "M":
            column = column.map(lambda time: time.isoformat().replace("+00:00", "Z"), na_action="ignore")
        columns.append(column.astype(object).where(column.notna(), None).tolist())
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def plain(value: Any) -> Any:  # noqa: ANN401 (any value of a result may be given)
    """Convert a value to JSON types, with None if missing; infinity stays."""
    if isinstance(value, str | int) or value is None:  # a bool is an int
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        return plain(value.tolist())
    return str(value)


def no_formula(text: str) -> str:
    """Put an apostrophe in front of text that a spreadsheet would evaluate."""
    return f"'{text}" if _FORMULA.match(text) else text


def csv_rows(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> Iterator[str]:
    """Rows of CSV under a header; lists and objects are written as JSON."""
    lines = _Lines()
    writer = csv.writer(lines, lineterminator=_Lines.END)
    writer.writerow(map(no_formula, columns))
    left = iter(rows)
    while block := list(islice(left, _AT_ONCE)):
        if unknown := set().union(*block).difference(columns):
            raise ValueError(f"found {sorted(unknown)} in a row, expected {columns}")
        writer.writerows(zip(*(_cells([row.get(name) for row in block]) for name in columns), strict=True))
        yield lines.taken()
    yield lines.taken()


class _Lines:
    """Collects lines that end in a line feed, from a CSV writer that also quotes carriage returns.

    Before Python 3.13, quoting both requires a writer whose lines end in both.
    """

    END: Final = "\r\n"

    def __init__(self) -> None:
        self._lines: list[str] = []

    def write(self, line: str) -> None:
        """Add a line."""
        self._lines.append(line.removesuffix(self.END))

    def taken(self) -> str:
        """Return the lines and clear them."""
        text = "".join(f"{line}\n" for line in self._lines)
        self._lines = []
        return text


def _cells(values: Sequence[object]) -> list[str]:
    """Cells of one column."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds <= {str}:  # most are repeated
        cells = {value: _cell(value) for value in set(values)}
        return [cells[value] for value in values]
    if kinds == {int}:
        return ["" if value is None else repr(value) for value in values]
    return [_cell(plain(value)) for value in values]


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(int(value) if value.is_integer() else value)  # 8, not 8.0
    return no_formula(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
