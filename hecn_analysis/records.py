"""Tables as rows of plain values, for JSON and CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Rows of a table in plain values; None where a value is missing, times as ISO 8601 in UTC."""
    columns = []
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind == "M":
            column = column.map(lambda time: time.isoformat().replace("+00:00", "Z"), na_action="ignore")
        columns.append(column.astype(object).where(column.notna(), None).tolist())
    return [dict(zip(frame.columns, values, strict=True)) for values in zip(*columns, strict=True)]
