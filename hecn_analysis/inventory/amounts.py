"""Numbers, sizes and lists as the commands of a system print them.

Whether a command's "GB" is 2^30 or 10^9 bytes is for its reader to say.
"""

from __future__ import annotations

import re
from typing import Final

_SIZE: Final = re.compile(
    r"\s{0,40}(?P<number>\d{1,19}(?:[.,]\d{1,9})?)\s{0,8}(?P<prefix>[kKMGTPE]?)(?P<binary>i?)(?:[Bb](?:ytes?)?)?\s{0,40}"
)
_WHOLE: Final = re.compile(r"\s{0,40}(?P<number>[-+]?\d{1,18})\s{0,40}")
_NUMBER: Final = re.compile(r"\s{0,40}(?P<number>[-+]?\d{1,18}(?:[.,]\d{1,18})?)\s{0,40}")
_PREFIXES: Final = " kMGTPE"
_RANGE: Final = re.compile(r"\s{0,8}(?P<first>\d{1,6})(?:\s?-\s?(?P<last>\d{1,6})(?::(?P<step>\d{1,6}))?)?\s{0,8}")
_MOST: Final = 1 << 16


def size(text: str | None, *, kilo: int = 1024, unit: int = 1) -> int | None:
    """Bytes of a size with its unit, None where it is none."""
    found = _SIZE.fullmatch(text or "")
    if found is None:
        return None
    number = float(found["number"].replace(",", "."))
    exact = int(found["number"]) if found["number"].isdigit() else None
    if not found["prefix"]:
        bare = (text or "").strip()[-1:].isdigit()
        scale = unit if bare else 1
    else:
        scale = (1024 if found["binary"] else kilo) ** _PREFIXES.index(found["prefix"].replace("K", "k"))
    return exact * scale if exact is not None else round(number * scale)


def whole(text: str | None) -> int | None:
    """A whole number, None for everything else."""
    found = _WHOLE.fullmatch(text or "")
    return int(found["number"]) if found else None


def number(text: str | None) -> float | None:
    """A number with a decimal point or comma, None for everything else."""
    found = _NUMBER.fullmatch(text or "")
    return float(found["number"].replace(",", ".")) if found else None


def numbers(text: str | None) -> list[int] | None:
    """The numbers of a list as the kernel prints lists of processors; None where it is none."""
    if not (text or "").strip():
        return []
    found: list[int] = []
    for part in re.split(r"[,\s]\s?", (text or "").strip()):
        piece = _RANGE.fullmatch(part)
        if piece is None:
            return None
        first, last, step = int(piece["first"]), int(piece["last"] or piece["first"]), int(piece["step"] or 1)
        if step < 1 or last - first > _MOST or len(found) > _MOST:
            return None
        found.extend(range(first, last + 1, step))
    return found


def address(text: str) -> str:
    """A PCI address with its domain of four digits."""
    rest, _, function = text.strip().lower().partition(".")
    parts = rest.split(":")
    domain = parts[0].zfill(4) if len(parts) == 3 else "0000"
    return f"{domain}:{parts[-2].zfill(2) if len(parts) > 1 else '00'}:{parts[-1].zfill(2)}.{function or '0'}"
