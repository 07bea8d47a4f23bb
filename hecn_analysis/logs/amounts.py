"""Numbers, units and durations as tools print them for people: shared by the readers of file copies."""

from __future__ import annotations

import re
from typing import Final

_PREFIXES: Final = " KMGTPE"
_SEPARATORS: Final = re.compile(r"[.,'’\s\u00a0\u202f]")
_LAST: Final = re.compile(r"[.,](?=\d*$)")
_PARTS: Final = re.compile(r"(\d{1,9}(?:[.,]\d{1,9})?)\s?([dhms])")


def whole(text: str) -> int:
    """Read a whole number with or without separators of thousands.

    >>> whole("1,073,741,824"), whole("1.073.741.824")
    (1073741824, 1073741824)
    """
    return int(_SEPARATORS.sub("", text))


def decimal(text: str) -> float:
    """Read a number whose last comma or point, if any, is the decimal one.

    >>> decimal("429,601,637.20"), decimal("429.601.637,20"), decimal("1.5e+03")
    (429601637.2, 429601637.2, 1500.0)
    """
    if "e" in text or "E" in text:
        return float(text.replace(",", "."))
    last = _LAST.search(text)
    if last is None:
        return float(_SEPARATORS.sub("", text))
    return float(_SEPARATORS.sub("", text[: last.start()]) + "." + text[last.end() :])


def scale(unit: str, base: int) -> float:
    """Say what a prefix multiplies by: the first letter of a unit, where it is one.

    >>> scale("MB/s", 1000), scale("k", 1024), scale("B/s", 1024), scale("", 1024)
    (1000000.0, 1024.0, 1.0, 1.0)
    """
    return float(base ** max(_PREFIXES.find(unit[:1].upper() or " "), 0))


def half_digit(text: str) -> float:
    """Relative error that the rounding of a printed number may hide.

    >>> half_digit("0.1"), half_digit("50")
    (0.5, 0.01)
    """
    mantissa = text.lower().partition("e")[0]
    digits = _SEPARATORS.sub("", mantissa)
    return 0.5 / int(digits) if digits.isdigit() and int(digits) else 1.0


def clock(text: str) -> float | None:
    """Read a duration [s]: ``1:02:03``, ``02:03``, ``3m 19s``, ``0.2s``, ``1d 2h``.

    >>> clock("1:02:03"), clock("3m 19s"), clock("0,2s"), clock("--:--")
    (3723.0, 199.0, 0.2, None)
    """
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
    return sum(decimal(number) * worth[unit] for number, unit in parts) if parts else None
