"""The order of names that people expect: numbers in them by size."""

from __future__ import annotations

import re


def natural(text: str) -> list[tuple[int, str]]:
    """Sort key that puts ``port10`` after ``port9``."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text)]
