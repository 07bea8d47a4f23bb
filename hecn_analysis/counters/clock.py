"""Conversion of local times, which most exports have, to UTC.

A file without a time zone is read in the caller's zone, by default UTC. Two kinds of local times need a rule:

- The repeated hour at the end of summer time. The rows of a file go forward (or backward) in time, so a time that goes
  back within this hour is the second pass, and the rows before it are the first. If no time goes back, the pass that
  keeps equal distances to the rows before and after the hour counts. Any other row of this hour has no time, and a
  problem reports it.
- The skipped hour at the beginning of summer time, which no clock shows: such a row has no time, and a problem reports
  it.

Abbreviations of zones are read if they mean one offset only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import groupby, pairwise
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hecn_analysis.base.errors import InputError

_HOURS_EAST: Final[Mapping[str, float]] = MappingProxyType(
    {
        "UTC": 0, "GMT": 0, "UT": 0, "Z": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2,
        "EEST": 3, "MSK": 3, "JST": 9, "KST": 9, "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8,
        "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "NST": -3.5, "NDT": -2.5, "AEST": 10, "AEDT": 11, "ACST": 9.5,
        "ACDT": 10.5, "AWST": 8, "NZST": 12, "NZDT": 13, "HKT": 8, "SGT": 8, "PKT": 5, "WIB": 7, "SAST": 2, "EAT": 3,
        "CAT": 2, "WAT": 1,
    }
)  # fmt: skip
_SEVERAL: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AST": "Atlantic or Arabia", "BST": "Britain, Bangladesh or Bougainville", "CST": "America, China or Cuba",
        "ECT": "Ecuador or the Caribbean", "GST": "the Gulf or South Georgia", "IST": "India, Ireland or Israel",
        "SST": "Samoa or Singapore",
    }
)  # fmt: skip
_OFFSET: Final = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>[0-5]\d)?$")
_MOST_HOURS: Final = 14
_FEWEST_STEPS: Final = 2  # that are alike, before a distance of rows is the usual one
_JITTER: Final = 0.1  # of a distance [1]
_SAME_CHANGE: Final = timedelta(hours=6)


class Clock:
    """The clock of the files' local times; its zone is None if unknown, and then UTC."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    @classmethod
    def named(cls, name: str | None) -> Clock:
        """Return the clock of a time zone by its name in the IANA database, such as ``Europe/Berlin``."""
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

    def passes(self, local: datetime) -> tuple[float, ...]:
        """Moments at which this clock shows a time: one, two if it is set back, none if it is set forward."""
        if local.tzinfo is not None:
            return (local.timestamp(),)
        first, second = (local.replace(tzinfo=self.zone or UTC, fold=fold).timestamp() for fold in (0, 1))
        return (first,) if first == second else (first, second) if first < second else ()

    def day(self, local: datetime) -> float:
        """Seconds since 1970 at which a day begins, even if its first hour is skipped or repeated."""
        return local.replace(tzinfo=self.zone or UTC).timestamp()

    def in_zone(self, local: datetime, abbreviation: str) -> datetime | None:
        """Add this clock's zone to a time if its abbreviation fits, else return None."""
        if self.zone is None:
            return None
        for fold in (0, 1):
            zoned = local.replace(tzinfo=self.zone, fold=fold)
            if zoned.tzname() == abbreviation and zoned.utcoffset() is not None and self.passes(local):
                return zoned.replace(tzinfo=timezone(zoned.utcoffset() or timedelta()), fold=0)
        return None


def offset(zone: str) -> timedelta | None:
    """Offset of a zone from UTC, from its abbreviation or its digits.

    Parameters
    ----------
    zone
        Such as ``CET``, ``+0530`` or ``-03``.

    Returns
    -------
    timedelta or None
        What its clocks are ahead of UTC; None if that is ambiguous or unknown.

    Examples
    --------
    >>> offset("EST").total_seconds() / 3600, offset("IST")
    (-5.0, None)
    """
    if zone in _HOURS_EAST:
        return timedelta(hours=_HOURS_EAST[zone])
    match = _OFFSET.match(zone)
    if match is None or int(match["hours"]) > _MOST_HOURS:
        return None
    ahead = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    return -ahead if match["sign"] == "-" else ahead


def meanings(zone: str) -> str:
    """Explain an abbreviation with an ambiguous offset."""
    return _SEVERAL.get(zone, "not known here")


@dataclass(frozen=True)
class _Asked:
    """A local time in a file: its series, the name of its row in it, and its line."""

    series: Hashable
    row: Hashable
    local: datetime
    line: int | None


class LocalTimes:
    """The local times of one file, in the order in which its reader asks for them.

    A time of the repeated hour is resolved by the rows after it, so a file with one is read twice: the first reading
    collects its times, the second one gets them resolved.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asked: list[_Asked] = []
        self._answers: list[float | None] | None = None
        self._at = 0
        self.twofold: list[_Asked] = []
        self.skipped: list[_Asked] = []

    def seconds(
        self, local: datetime, *, series: Hashable = None, row: Hashable = None, line: int | None = None
    ) -> float | None:
        """Seconds since 1970 of a time; None if the clock skips it or it is ambiguous."""
        if self._answers is not None and self._at < len(self._answers):
            self._at += 1
            return self._answers[self._at - 1]
        self._asked.append(_Asked(series, row, local, line))
        return next(iter(self._clock.passes(local)), None)

    @property
    def asks(self) -> bool:
        """Whether any local time was read."""
        return bool(self._asked)

    @property
    def certain(self) -> bool:
        """Whether each requested time is one moment."""
        return not self._clock.known or all(
            len(self._clock.passes(local)) == 1 for local in {asked.local for asked in self._asked}
        )

    def made_out(self) -> LocalTimes:
        """Return the same times for a second reading, resolved as far as possible."""
        result = LocalTimes(self._clock)
        answers: list[float | None] = [None] * len(self._asked)
        series: dict[Hashable, list[int]] = {}
        for place, asked in enumerate(self._asked):
            series.setdefault(asked.series, []).append(place)
        for places in series.values():
            moments = _moments([self._asked[place] for place in places], self._clock)
            for place, seconds in zip(places, moments, strict=True):
                answers[place] = seconds
        for asked, seconds in zip(self._asked, answers, strict=True):
            if seconds is None:
                (result.twofold if self._clock.passes(asked.local) else result.skipped).append(asked)
        result._answers = answers
        return result

    @property
    def zone(self) -> str:
        """Name of the zone."""
        return str(self._clock.zone)


def _moments(rows: Sequence[_Asked], clock: Clock) -> list[float | None]:
    """Seconds since 1970 of the rows of a series."""
    goes_on = [b.local.replace(tzinfo=None) - a.local.replace(tzinfo=None) for a, b in pairwise(rows)]
    backward = sum(step < timedelta() for step in goes_on) > sum(step > timedelta() for step in goes_on)
    ordered = list(reversed(rows)) if backward else list(rows)
    times = [[row.local for row in same] for same in _at_one_time(ordered)]
    usual = _usual_step([same[0] for same in times])
    if usual is not None and abs(usual - 3600) <= _JITTER * 3600:  # an hour on, the clock shows the same again
        times = [[row.local for row in same] for same in _at_one_time(ordered, once=True)]
    passes = [clock.passes(same[0]) for same in times]
    chosen: list[float | None] = [each[0] if len(each) == 1 else None for each in passes]
    at = 0
    while at < len(times):
        end = at
        while end < len(times) and len(passes[end]) == 2 and times[end][0] - times[at][0] < _SAME_CHANGE:
            end += 1
        if end > at:
            before = chosen[at - 1] if at else None
            behind = chosen[end] if end < len(times) else None
            second = _second_pass([same[0] for same in times[at:end]], passes[at:end], (before, behind), usual)
            for place in range(at, end) if second is not None else ():
                chosen[place] = passes[place][int(place >= at + (second or 0))]
        at = max(end, at + 1)
    result = [seconds for seconds, same in zip(chosen, times, strict=True) for _ in same]
    return result[::-1] if backward else result


def _at_one_time(rows: Sequence[_Asked], *, once: bool = False) -> list[list[_Asked]]:
    """Rows in groups of the same time; with `once`, a row of the same name in a group begins the next one."""
    groups: list[list[_Asked]] = []
    for _, same in groupby(rows, key=lambda asked: asked.local):
        names: set[Hashable] = set()
        groups.append([])
        for asked in same:
            if once and asked.row in names:
                names = set()
                groups.append([])
            names.add(asked.row)
            groups[-1].append(asked)
    return groups


def _usual_step(locals_: Sequence[datetime]) -> float | None:
    """The most frequent distance of rows, None if none occurs twice [s]."""
    steps = Counter(
        (b - a).total_seconds() for a, b in pairwise(local.replace(tzinfo=None) for local in locals_) if a < b
    )
    step, count = steps.most_common(1)[0] if steps else (0.0, 0)
    return step if count >= _FEWEST_STEPS else None


def _second_pass(
    locals_: Sequence[datetime],
    passes: Sequence[tuple[float, ...]],
    around: tuple[float | None, float | None],
    usual: float | None,
) -> int | None:
    """Place of the first row of the second pass among those of the repeated hour; None if it is ambiguous."""
    back = [place for place, (a, b) in enumerate(pairwise(locals_), 1) if b <= a]
    if back:
        return back[0] if len(back) == 1 else None
    if usual is None:
        return None
    uneven = [place for place, (a, b) in enumerate(pairwise(passes), 1) if not _near(b[0] - a[0], usual)]
    if len(uneven) > 1 or (around[0] is None and around[1] is None):
        return None
    fits = []
    for place in uneven or (0, len(locals_)):
        chosen = [each[int(at >= place)] for at, each in enumerate(passes)]
        steps = [b - a for a, b in pairwise([around[0], *chosen, around[1]]) if a is not None and b is not None]
        if all(_near(step, usual) for step in steps):
            fits.append(place)
    return fits[0] if len(fits) == 1 else None


def _near(step: float, usual: float) -> bool:
    return abs(step - usual) <= max(_JITTER * usual, 1.5)


def iso(seconds: float) -> str:
    """Write seconds since 1970 as ISO 8601 in UTC."""
    time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return time.isoformat(timespec="milliseconds" if time.microsecond else "seconds").replace("+00:00", "Z")
