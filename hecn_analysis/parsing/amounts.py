"""Numbers, sizes and durations as programs print them; the reader knows the unit of a bare number."""

from __future__ import annotations

import math
import re
from typing import Final

_PREFIXES: Final = " KMGTPE"
_SEPARATORS: Final = re.compile(r"[.,'’\s\u00a0\u202f]")
_LAST: Final = re.compile(r"[.,](?=\d*$)")
_PARTS: Final = re.compile(r"(\d{1,9}(?:[.,]\d{1,9})?)\s?([dhms])")
_SIZE: Final = re.compile(
    r"\s{0,40}(?P<number>\d{1,19}(?:[.,]\d{1,9})?)\s{0,8}(?P<prefix>[kKMGTPE]?)(?P<binary>i?)(?:[Bb](?:ytes?)?)?\s{0,40}"
)
_WHOLE: Final = re.compile(r"\s{0,40}(?P<number>[-+]?\d{1,18})\s{0,40}")
_LARGEST: Final = 1e100
_MOST_DIGITS: Final = 40


def number(text: str | None) -> float | None:
    """Read a number with a decimal point or comma; None for everything else, such as "nan" or "inf"."""
    try:
        value = float((text or "").replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) <= _LARGEST and "_" not in (text or "") else None


def number_or_nan(text: str | None) -> float:
    """Read a number with a decimal point or comma; NaN for everything else."""
    value = number(text)
    return math.nan if value is None else value


def whole(text: str | None) -> int | None:
    """Read a whole number of at most 18 digits; None for everything else."""
    match = _WHOLE.fullmatch(text or "")
    return int(match["number"]) if match else None


def counter(digits: str, prefix: str = "") -> int:
    """Read a counter, which a program may have rounded to a prefix: K is 1000, Ki 1024."""
    digits = digits[:_MOST_DIGITS]
    if not prefix:
        return int(digits) if digits.isdecimal() else round(float(digits))
    return round(float(digits) * scale(prefix, 1024 if prefix.endswith("i") else 1000))


def size(text: str | None, *, kilo: int = 1024, unit: int = 1) -> int | None:
    """Read a size with its unit, in bytes; None for everything else."""
    match = _SIZE.fullmatch(text or "")
    if match is None:
        return None
    if match["prefix"]:
        factor = int(scale(match["prefix"], 1024 if match["binary"] else kilo))
    else:
        factor = unit if (text or "").strip()[-1:].isdigit() else 1
    digits = match["number"]
    return int(digits) * factor if digits.isdigit() else round(float(digits.replace(",", ".")) * factor)


def grouped(text: str) -> int:
    """Read a whole number with or without separators of thousands."""
    return int(_SEPARATORS.sub("", text))


def decimal(text: str) -> float:
    """Read a number whose last comma or point, if any, is the decimal one."""
    if "e" in text or "E" in text:
        return float(text.replace(",", "."))
    last = _LAST.search(text)
    if last is None:
        return float(_SEPARATORS.sub("", text))
    return float(_SEPARATORS.sub("", text[: last.start()]) + "." + text[last.end() :])


def scale(unit: str, base: int) -> float:
    """Return the factor of a prefix, the first letter of a unit; 1 without one."""
    return float(base ** max(_PREFIXES.find(unit[:1].upper() or " "), 0))


def half_digit(text: str) -> float:
    """Return the relative error that the rounding of a printed number may hide."""
    mantissa = text.lower().partition("e")[0]
    digits = _SEPARATORS.sub("", mantissa)
    return 0.5 / int(digits) if digits.isdigit() and int(digits) else 1.0


def clock(text: str) -> float | None:
    """Read a duration: ``1:02:03``, ``02:03``, ``3m 19s``, ``0.2s``, ``1d 2h``."""
    if ":" in text:
        fields = text.strip().split(":")
        if not all(field.isdigit() for field in fields):
            return None
        seconds = 0.0
        for field in fields:
            seconds = 60 * seconds + float(field)
        return seconds
    parts = _PARTS.findall(text)
    worth = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
    return sum(decimal(digits) * worth[unit] for digits, unit in parts) if parts else None
