"""Common parts of sysstat's programs (sar, mpstat, iostat): first line, dates and clocks in many languages.

The first line is ``Linux 6.1.0 (host)  11/21/26  _x86_64_  (2 CPU)``; its date and the clocks below follow the locale:
11/21/26 (C), 11/21/2026 and 11:03:43 PM (United States), 21.11.2026, 21/11/26, 2026-11-21 …

- 11/12/2026 is ambiguous: with a clock of twelve hours, two digits of the year (C) or no clock the month is first, as
  in the United States and in C; with 24 hours and four digits the day is first. A problem reports it.
- Clocks start again at midnight. Each table of a report passes midnight by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.programs.readings import local_time
from hecn_analysis.files.documents import Document

_FIRST: Final = re.compile(
    r"^(?P<system>[A-Z][\w.-]{1,20}) (?P<release>\S{1,80}) \((?P<host>[^)\s]{1,80})\)"
    r"\s{1,40}(?P<date>\d[^\t_\n]{4,25}?)(?:\s{1,40}_?(?P<machine>\w{2,20}?)_?)?"
    r"(?:\s{1,40}\((?P<cpus>\d{1,5}) CPU\))?\s{0,40}$",
    re.MULTILINE,
)
_MORNING: Final = frozenset({"am", "a.m.", "上午", "午前", "오전", "πμ", "vorm."})
_EVENING: Final = frozenset({"pm", "p.m.", "下午", "午後", "오후", "μμ", "nachm."})
_HALVES: Final = "|".join(re.escape(word) for word in sorted(_MORNING | _EVENING, key=len, reverse=True))
_CLOCK_TEXT: Final = (
    rf"(?:(?P<before>{_HALVES})\s?)?(?P<hour>\d{{1,2}})(?:[:.]|時|时|시 ?)(?P<minute>\d\d)(?:[:.]|分|분 ?)"
    rf"(?P<second>\d\d)(?:秒|초)?(?:\s?(?P<after>{_HALVES}))?"
)
CLOCK: Final = re.compile(rf"^(?:(?P<epoch>\d{{9,10}})|{_CLOCK_TEXT})(?=\s)", re.IGNORECASE)
"""A clock at the beginning of a line, or seconds since 1970 (-U)."""
_STAMP: Final = re.compile(
    rf"^(?P<date>\d[\d/.年月日. -]{{5,14}}?)[ T]{_CLOCK_TEXT}(?P<zone>Z|[+-]\d\d:?\d\d)?$", re.IGNORECASE
)
_HALF_A_DAY: Final = timedelta(hours=12)
_YEARS: Final = range(1900, 2262)  # the last that a time in nanoseconds holds


@dataclass(frozen=True)
class First:
    """The first line: its number, host, date as written, and number of processors or None."""

    line: int
    host: str
    date: str
    cpus: int | None


def first_line(document: Document) -> First | None:
    r"""First line of a report, or None."""
    match = _FIRST.search(document.text)
    if match is None:
        return None
    line = document.text.count("\n", 0, match.start()) + 1
    return _first(line, match)


def later_lines(document: Document) -> dict[int, First]:
    r"""First lines of later reports by their numbers: a file may hold several days."""
    result, line, at = {}, 1, 0
    for match in _FIRST.finditer(document.text):
        line, at = line + document.text.count("\n", at, match.start()), match.start()
        result[line] = _first(line, match)
    return dict(list(result.items())[1:])


def _first(line: int, match: re.Match[str]) -> First:
    return First(line, match["host"], match["date"].strip(), int(match["cpus"]) if match["cpus"] else None)


def day_of(text: str, *, half_days: bool = False, clock: bool = False) -> tuple[date | None, bool]:
    """Date of a text of any locale, and whether its day could be its month."""
    numbers = [int(word) for word in re.findall(r"\d{1,4}", text)]
    if len(numbers) != 3:
        return None, False
    widths = [len(word) for word in re.findall(r"\d{1,4}", text)]
    doubtful = False
    if widths[0] == 4:
        year, month, day = numbers
    else:
        year = numbers[2] if widths[2] == 4 else 2000 + numbers[2] if numbers[2] < 70 else 1900 + numbers[2]
        month, day = numbers[0], numbers[1]
        if "/" not in text or month > 12:
            month, day = day, month
        elif day <= 12 and not half_days and clock and widths[2] == 4:
            month, day = day, month
            doubtful = day != month
    if year not in _YEARS:
        return None, False
    try:
        return date(year, month, day), doubtful
    except ValueError:
        return None, False


def clock_of(match: re.Match[str]) -> time | None:
    """Time of day in a match of `CLOCK`, None if impossible."""
    if match["hour"] is None:
        return None
    hour, half = int(match["hour"]), (match["before"] or match["after"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in _EVENING else 0)
    try:
        return time(hour, int(match["minute"]), int(match["second"]))
    except ValueError:
        return None


def stamp_of(text: str) -> datetime | None:
    """Date and time of a text, with its zone if it has one."""
    match = _STAMP.match(text.strip())
    if match is None:
        return None
    half = bool(match["before"] or match["after"])
    day, _ = day_of(match["date"], half_days=half, clock=True)
    clock = clock_of(match)
    if day is None or clock is None:
        return None
    try:
        return datetime.fromisoformat(f"{datetime.combine(day, clock).isoformat()}{match['zone'] or ''}")
    except ValueError:  # an invalid zone
        return None


class Days:
    """Converts the clocks of a report, whose tables each cross midnight, to dates and times."""

    def __init__(self, findings: CounterFindings) -> None:
        self._findings = findings
        self._day: date | None = None
        self._last: dict[str, datetime] = {}
        self._reports = 0
        self.locals: set[datetime] = set()

    def begin(self, first: First, document: Document) -> None:
        """Read the date of a first line."""
        clocks = [match for line in document.lines[:200] if (match := CLOCK.match(line))]
        half = any(clock["before"] or clock["after"] for clock in clocks)
        self._day, doubtful = day_of(first.date, half_days=half, clock=bool(clocks))
        self._last = {}
        self._reports += 1
        if self._day is None:
            self._findings.problem(
                first.line, "malformed", f"found date {first.date!r}, expected day, month and year; no times"
            )
        elif doubtful:
            self._findings.problem(
                first.line, "ambiguous", f"found date {first.date!r}, which is day or month first; read as {self._day}"
            )

    def time(
        self, line: int, match: re.Match[str], table: str, *, row: str | None = None, counts: bool = True
    ) -> float | None:
        """Seconds since 1970 of the clock in a line."""
        if match["epoch"]:
            return float(match["epoch"])
        clock = clock_of(match)
        if clock is None or self._day is None:
            return None
        last = self._last.get(table)
        local = datetime.combine(last.date() if last else self._day, clock)
        if last is not None and last - local > _HALF_A_DAY:
            local += timedelta(days=1)
        self._last[table] = local
        if counts:
            self.locals.add(local)
        return local_time(self._findings, line, local, series=(self._reports, table), row=row)

    @property
    def date(self) -> str | None:
        """The date of the first line, ISO 8601."""
        return self._day.isoformat() if self._day else None

    def facts(self) -> dict[str, object]:
        """Facts of the times, local as in the file."""
        if not self.locals:
            return {}
        times = sorted(self.locals)
        return {"first_time_local": times[0].isoformat(), "last_time_local": times[-1].isoformat()}
