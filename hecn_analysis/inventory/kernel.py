"""PCI addresses and lists of processors as the kernel prints them."""

from __future__ import annotations

import re
from typing import Final

_RANGE: Final = re.compile(r"\s{0,8}(?P<first>\d{1,6})(?:\s?-\s?(?P<last>\d{1,6})(?::(?P<step>\d{1,6}))?)?\s{0,8}")
_MOST: Final = 1 << 16


def numbers(text: str | None) -> list[int] | None:
    """The numbers of a list as the kernel prints lists of processors; or None for other text."""
    if not (text or "").strip():
        return []
    listed: list[int] = []
    for part in re.split(r"[,\s]\s?", (text or "").strip()):
        piece = _RANGE.fullmatch(part)
        if piece is None:
            return None
        first, last, step = int(piece["first"]), int(piece["last"] or piece["first"]), int(piece["step"] or 1)
        if step < 1 or last - first > _MOST or len(listed) > _MOST:
            return None
        listed.extend(range(first, last + 1, step))
    return listed


def address(text: str) -> str:
    """A PCI address with its domain of four digits."""
    rest, _, function = text.strip().lower().partition(".")
    parts = rest.split(":")
    domain = parts[0].zfill(4) if len(parts) == 3 else "0000"
    return f"{domain}:{parts[-2].zfill(2) if len(parts) > 1 else '00'}:{parts[-1].zfill(2)}.{function or '0'}"
