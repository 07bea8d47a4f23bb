"""Numbers, units and durations as tools print them for people: shared by the readers of file copies."""

from __future__ import annotations

import re
from typing import Final

_PREFIXES: Final = " KMGTPE"
_SEPARATORS: Final = re.compile(r"[.,'’\s\u00a0\u202f]")
_LAST: Final = re.compile(r"[.,](?=\d*$)")
_RATE_IN_ROW: Final = re.compile(
    r"\] {1,6}(?P<start>\d{1,8}\.\d{1,6})- {0,4}(?P<end>\d{1,8}\.\d{1,6}) {0,8}sec\s{1,12}"
    r"(?P<amount>\d{1,12}(?:\.\d{1,6})?) {0,3}(?P<scale>[KMGTPE]?)Bytes\s{1,12}"
    r"(?P<rate>\S{1,40}(?: {1,3}(?!\d{1,12}(?:\s|$))[^\s]{1,40})?)(?=\s|$)"
)
_PARTS: Final = re.compile(r"(\d{1,9}(?:[.,]\d{1,9})?)\s?([dhms])")


def whole(text: str) -> int:
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
    """Say what a prefix multiplies by: the first letter of a unit, where it is one."""
    return float(base ** max(_PREFIXES.find(unit[:1].upper() or " "), 0))


def half_digit(text: str) -> float:
    """Say which relative error the rounding of a printed number may hide."""
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
    return sum(decimal(number) * worth[unit] for number, unit in parts) if parts else None


def with_rate(row: str) -> tuple[str, str] | None:
    """Put the rate into an iperf row whose own cannot be read."""
    found = _RATE_IN_ROW.search(row)
    if found is None:
        return None
    seconds = float(found["end"]) - float(found["start"])
    if seconds <= 0:
        return None
    bits = 8 * float(found["amount"]) * 1024.0 ** _PREFIXES.index(found["scale"] or " ") / seconds
    return f"{row[: found.start('rate')]}{bits:.0f} bits/sec{row[found.end('rate') :]}", found["rate"]
