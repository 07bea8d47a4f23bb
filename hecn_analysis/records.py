"""Tables as rows of plain values, for JSON and CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Give the rows of a table in plain values.

    Parameters
    ----------
    frame
        The table.

    Returns
    -------
    list of dict
        A value for each column by its name: None where it is missing, times as ISO 8601 in UTC.

    Examples
    --------
    >>> import pandas as pd
    >>> time = pd.Timestamp("2024-03-01T10:00:00Z")
    >>> records(pd.DataFrame({"start_time": [time], "bytes": [5], "rtt_s": [float("nan")]}))
    [{'start_time': '2024-03-01T10:00:00Z', 'bytes': 5, 'rtt_s': None}]
    """
    columns = []
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind == "M":
            column = column.map(lambda time: time.isoformat().replace("+00:00", "Z"), na_action="ignore")
        columns.append(column.astype(object).where(column.notna(), None).tolist())
    return [dict(zip(frame.columns, values, strict=True)) for values in zip(*columns, strict=True)]
