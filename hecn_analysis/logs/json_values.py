"""Values of JSON documents, which may be anything: found by their path, taken only where they are what is wanted."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pandas as pd


def at(value: object, *path: str | int) -> Any:  # noqa: ANN401 - any JSON value may be found
    """Follow keys and indices into a value.

    Parameters
    ----------
    value
        What JSON may be: objects, arrays, texts, numbers.
    *path
        Keys of objects and indices of arrays, from the outside in.

    Returns
    -------
    Any
        What is there, None where a step is missing.

    Examples
    --------
    >>> at({"end": {"streams": [{"bytes": 5}]}}, "end", "streams", 0, "bytes")
    5
    >>> at({"end": []}, "end", "sum")
    """
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def number(value: object) -> float | None:
    """Give a finite number as a float.

    Parameters
    ----------
    value
        Any value.

    Returns
    -------
    float or None
        The number, None for everything else.

    Examples
    --------
    >>> number(5), number("5"), number(True), number(float("inf"))
    (5.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def words(value: object) -> str | None:
    """Give a text as it is.

    Parameters
    ----------
    value
        Any value.

    Returns
    -------
    str or None
        The text, None for everything else.

    Examples
    --------
    >>> words("TCP"), words(6)
    ('TCP', None)
    """
    return value if isinstance(value, str) else None


def utc_time(value: object) -> pd.Timestamp | None:
    """Give the time of an ISO 8601 text, which is in UTC where it names no zone.

    Parameters
    ----------
    value
        Any value.

    Returns
    -------
    Timestamp or None
        The time in UTC, None for what is no such text.

    Examples
    --------
    >>> utc_time("2026-03-21T23:18:58+01:00")
    Timestamp('2026-03-21 22:18:58+0000', tz='UTC')
    """
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return pd.Timestamp(found if found.tzinfo else found.replace(tzinfo=UTC)).tz_convert("UTC")
    except (ValueError, OverflowError):
        return None


def count(value: object) -> int | None:
    """Give a whole number, also one that is written 5.0.

    Parameters
    ----------
    value
        Any value.

    Returns
    -------
    int or None
        The number, None for everything else.

    Examples
    --------
    >>> count(5.0), count(5.5), count("5")
    (5, None, None)
    """
    found = number(value)
    if found is None or found != int(found):
        return None
    return value if isinstance(value, int) else int(found)
