"""Columns of tables of results that people keep: what a heading means, its unit, and the values of its cells.

A unit is read only as it is written: bits or bytes, per second. ``Gb``, ``MBPS`` and ``KB/s`` state no rate: the time
is missing, the case tells nothing, or K is 1000 or 1024.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import pandas as pd

from hecn_analysis.base import units
from hecn_analysis.base.errors import RangeError
from hecn_analysis.parsing.amounts import half_digit
from hecn_analysis.parsing.json_values import utc_time

RATE, SENDER_RATE, STRANGE = "throughput_bps", "sender_throughput_bps", ""

_DIMENSIONS: Final[dict[str, units.Dimension]] = {
    RATE: "rate",
    SENDER_RATE: "rate",
    "duration_s": "time",
    "rtt_s": "time",
    "bytes": "bytes",
}
_RATE: Final = (
    r"(?:(?:avg|average|mean|achieved|measured|transfer|data|tcp|udp|network|application) )?"
    r"(?:throughput|goodput|bandwidth|bw|rate|bit ?rate|speed)"
)
#: Names of columns in lower case with blanks between words.
_NAMES: Final = tuple(
    (column, re.compile(names))
    for column, names in (
        (SENDER_RATE, rf"(?:sender|sent|sending) {_RATE}|{_RATE} (?:sender|sent)"),
        (RATE, rf"(?:(?:receiver|received|receiving) )?{_RATE}|{_RATE} (?:receiver|received)"),
        (RATE, rf"(?:download|upload)(?: {_RATE})?"),  # of which a table has both: two rates
        ("time", r"(?:start |test )?(?:date|time|date ?/? ?time|timestamp|when)|date and time|start(?:ed)?(?: at)?"),
        ("source", r"from|source|src|sender|source host|src host|sending host|from host"),
        ("destination", r"to|destination|dest|dst|receiver|target|(?:dest|dst|destination|to|receiving) host"),
        ("client", r"client|client host"),
        ("server", r"server|server host"),
        ("host", r"host|host ?name"),
        ("tool", r"tool|program|tool used"),
        ("tool_version", r"(?:tool )?version"),
        ("protocol", r"protocol|proto"),
        ("direction", r"direction|dir"),
        (
            "streams",
            r"(?:number of |no\.? of |# ?(?:of )?|n )?(?:parallel )?(?:tcp )?(?:streams?|connections|flows|parallel)",
        ),
        ("rtt_s", r"(?:avg |average |mean |tcp )?(?:rtt|round[ -]trip time)"),
        ("retransmits", r"retransmits?|retransmissions?|retransmitted|retrans|retr|retries"),
        ("duration_s", r"(?:test )?duration|elapsed|elapsed time|transfer time"),
        (
            "bytes",
            r"bytes|bytes (?:transferred|moved|sent|copied)|transfer|transferred|amount|size|data size|file size",
        ),
        ("label", r"label|name|test|test name|case|experiment"),
        ("notes", r"notes?|comments?|remarks?|#|no\.?|nr\.?|row|run|run ?#|id"),
        (
            "around",
            r"mtu|window(?: size)?|congestion(?: control)?|(?:tcp )?cc|kernel|os|path|site|file|buffer|block size",
        ),
    )
)
_MARKS: Final = re.compile(r"[*`]|^[\"'\s]{1,4}|[\"'\s]{1,4}$")
_PER_SECOND: Final = re.compile(
    r"(?P<prefix>[kKMGTmgt]?)(?P<binary>i?)"
    r"(?:(?P<bits>[Bb][Ii][Tt][Ss]?)|(?P<bytes>[Bb][Yy][Tt][Ee][Ss]?)|(?P<letter>[bB]))"
    r"(?:/s|/sec|/second|ps| per second|_s|_per_s|_per_sec)"
)
_OTHER_UNITS: Final = {
    "time": {"seconds": 1.0, "secs": 1.0, "msec": 1e-3, "milliseconds": 1e-3, "minutes": 60.0, "hours": 3600.0},
    "bytes": {"bytes": 1.0},
}
_NUMBER: Final = re.compile(r"(?P<number>\d{1,18}(?:[.,]\d{1,18}){0,6})\s{0,4}(?P<unit>[^\d\s.,][^\d]{0,20})?")
_GROUPS: Final = re.compile(r"\d{1,3}(?:[.,]\d{3}){1,6}")
_MISSING: Final = frozenset(("", "-", "–", "—", "n/a", "na", "nan", "none", "null", "?", "n.a."))
_ZONE: Final = re.compile(r"(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$")
_EPOCH: Final = re.compile(r"1\d{9}(?:\.\d{1,9})?")


@dataclass(frozen=True)
class Column:
    """A column: its heading, what it is (`STRANGE` if unknown), the unit in the heading and its factor to SI."""

    heading: str
    kind: str
    unit: str | None = None
    factor: float | None = None

    @property
    def needs_unit(self) -> bool:
        """Whether a figure of the column means nothing without a unit."""
        return self.kind in _DIMENSIONS


def column(heading: str) -> Column:
    """Read a heading."""
    text = _MARKS.sub("", " ".join(heading.split()))
    for name, unit in _splits(text):
        words = " ".join(name.lower().replace("_", " ").split()).strip(" :,")
        kind = next((kind for kind, pattern in _NAMES if pattern.fullmatch(words)), STRANGE)
        if not words and unit is not None and factor_of(unit, "rate") is not None:
            kind = RATE
        if kind == "time" and unit is not None:
            return Column(text, kind if unit.upper() in {"UTC", "GMT", "Z"} else STRANGE, unit)
        if kind in _DIMENSIONS:
            whole = kind == "bytes" and "bytes" in words and unit is None
            factor = 1.0 if whole else factor_of(unit, _DIMENSIONS[kind]) if unit is not None else None
            if unit is None or factor is not None or unit == _bracketed(text):
                return Column(text, kind, unit, factor)
        elif kind and (unit is None or unit == _bracketed(text)):
            return Column(text, kind, unit)
    return Column(text, STRANGE)


def _bracketed(text: str) -> str | None:
    return _parts(text)[1]


def _parts(text: str) -> tuple[str, str | None]:
    """The name and the unit of a heading with a unit in brackets; None without one."""
    for opening, closing in ("()", "[]"):
        name, _, unit = text.partition(opening)
        if unit.endswith(closing) and opening not in unit and unit.count(closing) == 1:
            return name.strip(), unit[:-1].strip()
    return text, None


def _splits(text: str) -> list[tuple[str, str | None]]:
    """Ways to split a heading into a name and a unit, the likeliest first."""
    name, bracketed = _parts(text)
    if bracketed is not None:
        return [(name, bracketed)]
    ways: list[tuple[str, str | None]] = [("", text), (text, None)]
    ways += [(text[:at], text[at + 1 :]) for at, sign in enumerate(text) if sign in " _," and at]
    return [(name, unit.strip().removeprefix("in ") if unit else unit) for name, unit in ways[:12]]


def factor_of(unit: str, dimension: units.Dimension) -> float | None:
    """Factor to SI of a written unit; None if it is none of the dimension or is ambiguous."""
    if dimension == "rate":
        return _rate_factor(unit)
    if (factor := _OTHER_UNITS.get(dimension, {}).get(unit.lower())) is not None:
        return factor
    if len(unit) == 1 and dimension == "bytes" and unit != "B":
        return None
    try:
        return units.parse(f"1 {unit}", dimension)
    except RangeError:
        return None


def _rate_factor(unit: str) -> float | None:
    match = _PER_SECOND.fullmatch(unit)
    if match is None:
        return None
    of_bytes = match["bytes"] is not None or match["letter"] == "B"
    if of_bytes and match["prefix"] == "K" and not match["binary"]:
        return None
    prefix = match["prefix"].upper().replace("K", "K" if match["binary"] else "k")
    return units.parse(f"1 {prefix}{match['binary']}{'B' if of_bytes else 'b'}/s", "rate")


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.lower() in _MISSING


def decimal_sign(cells: list[str]) -> str | None:
    """Return the decimal sign of figures of one table; None if it cannot be told, as from 9,412 alone."""
    figures = [match["number"] for cell in cells if (match := _NUMBER.fullmatch(cell)) is not None]
    with_comma = [figure for figure in figures if "," in figure]
    if not with_comma:
        return "."
    decimal = {figure[max(figure.rfind("."), figure.rfind(","))] for figure in figures if _tells(figure)}
    return decimal.pop() if len(decimal) == 1 else None


def _tells(figure: str) -> bool:
    """Whether a figure shows which sign is the decimal one."""
    signs = [sign for sign in figure if sign in ".,"]
    if len(set(signs)) > 1:
        return True
    return len(signs) == 1 and (figure.startswith("0") or not _GROUPS.fullmatch(figure))


def quantity(cell: str, column: Column, sign: str) -> float | None:
    """Read a cell as an SI number; None where it is no number or has no unit, or another than the heading's."""
    match = _NUMBER.fullmatch(cell)
    if match is None:
        return None
    digits, unit = match["number"], (match["unit"] or "").strip()
    thousands = ",."[sign == ","]
    whole, _, part = digits.partition(sign)
    if sign in part or thousands in part or (thousands in whole and not _GROUPS.fullmatch(whole)):
        return None
    number = float(whole.replace(thousands, "") + (f".{part}" if part else ""))
    if not column.needs_unit:
        return None if unit else number
    factor = factor_of(unit, _DIMENSIONS[column.kind]) if unit else column.factor
    if factor is None or (unit and column.factor is not None and factor != column.factor):
        return None
    return number * factor if factor >= 1 else number / round(1 / factor)


def half_digit_of(cell: str) -> float:
    """Return the relative error that the rounding of a figure may hide."""
    match = _NUMBER.fullmatch(cell)
    return half_digit(match["number"]) if match else 1.0


def has_unit(cell: str) -> bool:
    """Whether a cell is a figure with a unit."""
    match = _NUMBER.fullmatch(cell)
    return match is not None and bool(match["unit"])


def moment(text: str, *, is_utc: bool) -> pd.Timestamp | None:
    """Read a time that states its zone, or seconds since 1970; None for everything else."""
    if _EPOCH.fullmatch(text):
        return pd.Timestamp(round(float(text) * 1000), unit="ms", tz="UTC")
    if _ZONE.search(text) is None and not is_utc:
        return None
    text = re.sub(r"\s?(?:UTC|GMT)$", "+00:00", text)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return None
    return utc_time(text) if len(text) > len("2026-01-05") else None
