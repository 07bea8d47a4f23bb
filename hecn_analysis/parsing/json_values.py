"""Values of JSON documents, found by their path and taken only if they have the expected type."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pandas as pd


def at(value: object, *path: str | int) -> Any:  # noqa: ANN401 - any JSON value may be found
    """Follow keys and indices into a value."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; none for any other value."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def number(value: object) -> float | None:
    """Return a finite number as a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def words(value: object) -> str | None:
    """Return a text unchanged."""
    return value if isinstance(value, str) else None


def trimmed(value: object) -> str | None:
    """Return a text without blanks around it; None if only blanks are in it."""
    return value.strip() or None if isinstance(value, str) else None


def utc_time(value: object) -> pd.Timestamp | None:
    """Return the time of an ISO 8601 text, in UTC if it names no zone."""
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        return pd.Timestamp(time if time.tzinfo else time.replace(tzinfo=UTC)).tz_convert("UTC")
    except (ValueError, OverflowError):
        return None


def count(value: object) -> int | None:
    """Return a whole number, also if it is written 5.0."""
    amount = number(value)
    if amount is None or amount != int(amount):
        return None
    return value if isinstance(value, int) else int(amount)


def positive(value: object) -> int | None:
    """Return a whole number above 0 that is not written as a fraction."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
