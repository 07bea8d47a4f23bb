"""Marks that people leave where they cut an output: an ellipsis, "[snip]", "(truncated)"."""

from __future__ import annotations

import re
from typing import Final

_ELIDED: Final = re.compile(
    r"^[\s>#|*]{0,12}(?:[\[(<{]{0,2}\s?"
    r"(?:\.{3,12}|\u2026{1,4}|(?:\. ){2,8}\.|snip(?:ped)?|cut|truncated|omitted|etc|-{0,2}More-{0,2})\.{0,4}"
    r"\s?[\])>}]{0,2}\s{0,2}){1,3}$",
    re.IGNORECASE,
)
_LONGEST: Final = 60


def is_elided(line: str) -> bool:
    """Whether a line stands for lines that somebody left out."""
    return len(line) <= _LONGEST and _ELIDED.match(line) is not None
