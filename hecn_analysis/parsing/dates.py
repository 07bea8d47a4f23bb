"""What the command ``date`` prints: ``Sat Nov 28 14:12:35 UTC 2026``, in the orders of other languages, or ISO 8601."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, NamedTuple

_MONTH: Final = "(?P<month{0}>[A-Z][a-z]{{2}})"
_DAY: Final = r"(?P<day{0}>\d{{1,2}})"
_WORDS: Final = re.compile(
    rf"\W{{0,8}}(?:[A-Z][a-z]{{2}},? {{1,2}})?"
    rf"(?:{_MONTH.format(1)} {{1,2}}{_DAY.format(1)}|{_DAY.format(2)} {_MONTH.format(2)})(?: (?P<year1>\d{{4}}))?"
    r" (?P<clock>\d\d:\d\d:\d\d)(?: (?P<half>[AP]M))? (?P<zone>[A-Z]{2,5}|[+-]\d\d(?:\d\d)?)(?: (?P<year2>\d{4}))?\b"
)
_ISO: Final = re.compile(
    r"\W{0,8}(?P<local>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
    r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)(?!\w))?"
)


class Stamp(NamedTuple):
    """A time as printed, its zone (an abbreviation or an offset, "" for none), and what follows in the line."""

    local: datetime
    zone: str
    rest: str


def stamp(text: str) -> Stamp | None:
    """Read what ``date`` printed at the beginning of a line."""
    try:
        if match := _ISO.match(text):
            return Stamp(datetime.fromisoformat(match["local"]), match["zone"] or "", text[match.end() :])
        if (match := _WORDS.match(text)) and (year := match["year1"] or match["year2"]):
            day = f"{year} {match['month1'] or match['month2']} {match['day1'] or match['day2']}"
            clock, form = match["clock"], "%H:%M:%S"
            if match["half"]:
                clock, form = f"{clock} {match['half']}", "%I:%M:%S %p"
            local = datetime.strptime(f"{day} {clock}", f"%Y %b %d {form}")  # noqa: DTZ007 - its zone stands beside it
            return Stamp(local, match["zone"], text[match.end() :])
    except ValueError:  # no such day, hour or month
        return None
    return None
