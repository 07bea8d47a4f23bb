"""Local times, which most exports have, made into UTC.

A file that does not name its time zone is read in the zone that the caller gives, and in UTC where none is given. The
hour that comes twice when summer time ends is told by the order of the rows: times that go back are the second pass.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hecn_analysis.errors import InputError


class Clock:
    """The clock on the wall where the files were written.

    Parameters
    ----------
    zone
        Its time zone; None: not known, and taken as UTC.
    """

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    @classmethod
    def named(cls, name: str | None) -> Clock:
        """Give the clock of a time zone by its name in the IANA database, such as ``Europe/Berlin``.

        Parameters
        ----------
        name
            The name; None: not known.

        Raises
        ------
        InputError
            When there is no such time zone.
        """
        if name is None:
            return cls()
        try:
            return cls(ZoneInfo(name))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InputError(
                f"time zone {name!r}", "one of the IANA database, such as 'Europe/Berlin' or 'UTC'"
            ) from None

    @property
    def known(self) -> bool:
        """Whether the caller gave a time zone."""
        return self.zone is not None

    def seconds(self, local: datetime, after: float | None = None) -> float:
        """Seconds since 1970 of a time on this clock.

        Parameters
        ----------
        local
            The time, without a time zone of its own (or with one, which counts).
        after
            The seconds of the row before, where rows go forward: of two times that look the same, the later one is
            taken if the earlier one is not after it.

        Examples
        --------
        >>> berlin = Clock.named("Europe/Berlin")
        >>> first = berlin.seconds(datetime(2026, 10, 25, 2, 55))
        >>> berlin.seconds(datetime(2026, 10, 25, 2, 0), after=first) - first
        300.0
        """
        if local.tzinfo is not None:
            return local.timestamp()
        zone = self.zone or UTC
        found = local.replace(tzinfo=zone).timestamp()
        if after is not None and found <= after:
            second = local.replace(tzinfo=zone, fold=1).timestamp()
            if second > after:
                return second
        return found


def iso(seconds: float) -> str:
    """Write seconds since 1970 as ISO 8601 in UTC.

    Parameters
    ----------
    seconds
        Seconds since 1970. [s]

    Returns
    -------
    str
        The time, with milliseconds where it has some.

    Examples
    --------
    >>> iso(1795261201), iso(0.25)
    ('2026-11-21T11:40:01Z', '1970-01-01T00:00:00.250Z')
    """
    time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return time.isoformat(timespec="milliseconds" if time.microsecond else "seconds").replace("+00:00", "Z")
