"""Points in time of a site: durations after its time 0, or dates if its clock says when that is."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T].{1,40})?")
_WEEKDAY: Final = re.compile(rf"({'|'.join(_DAYS)})(?:[ T](\d{{1,2}}:\d{{2}}))?", re.IGNORECASE)

_EXPECTED: Final = "a time such as 44 h, a date such as 2026-11-27 18:00 (UTC without a zone), or a day such as Friday"


def is_date(when: object) -> bool:
    """Whether a point in time is a date or a weekday, and no duration.

    Parameters
    ----------
    when
        What a file or the command line says.

    Returns
    -------
    bool
        True for what only a clock makes a time.

    Examples
    --------
    >>> is_date("Friday 18:00"), is_date("2026-11-27"), is_date("44 h")
    (True, True, False)
    """
    text = str(when).strip()
    return bool(_DATE.fullmatch(text) or _WEEKDAY.fullmatch(text))


def date_of(when: object) -> datetime:
    """Date that a text such as ``2026-11-27 18:00`` states, in UTC if it has no zone; a day is its beginning."""
    text = str(when).strip()
    try:
        stated = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"found {text!r}, expected a date such as 2026-11-27 18:00") from None
    return stated if stated.tzinfo is not None else stated.replace(tzinfo=UTC)


def seconds_after(when: object, clock: datetime | None) -> float:
    """Time that a point in time is after time 0 [s].

    Parameters
    ----------
    when
        A duration, a date, or a weekday: its next beginning after time 0.
    clock
        Date of time 0.

    Returns
    -------
    float
        Negative for a date before time 0 [s].

    Raises
    ------
    ValueError
        It is neither, or a date without a clock.

    Examples
    --------
    >>> monday = date_of("2026-11-23 08:00")
    >>> [seconds_after(when, monday) / 3600 for when in ("44 h", "2026-11-24 09:00", "Friday", "Monday 07:00")]
    [44.0, 25.0, 88.0, 167.0]
    """
    text = str(when).strip()
    if not is_date(text):
        try:
            return units.parse(when, "time")
        except HecnError:
            raise ValueError(f"found {text!r}, expected {_EXPECTED}") from None
    if clock is None:
        raise ValueError(f"found {text!r}, expected a duration, or a clock: the date of time 0")
    if (named := _WEEKDAY.fullmatch(text)) is None:
        return (date_of(text) - clock).total_seconds()
    try:
        hour = datetime.strptime(named[2] or "00:00", "%H:%M").time()  # noqa: DTZ007 - a time of day
    except ValueError:
        raise ValueError(f"found {text!r}, expected {_EXPECTED}") from None
    day = clock.date() + timedelta(days=(_DAYS.index(named[1].lower()) - clock.weekday()) % 7)
    then = datetime.combine(day, hour, tzinfo=clock.tzinfo)
    return (then + timedelta(days=7 * (then <= clock)) - clock).total_seconds()
