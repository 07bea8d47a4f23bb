"""Marks that turn the direction of text: in a name they make it read as another, and what stands behind it, too."""

from __future__ import annotations

import re
from typing import Final

#: Left-to-right and right-to-left marks, embeddings, overrides and isolates, for a class of a regular expression.
MARKS: Final = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
_MARK: Final = re.compile(f"[{MARKS}]")


def upright(text: str) -> str:
    r"""Write such marks as escapes.

    >>> upright("eth0 \u202egnp.exe")
    'eth0 \\u202egnp.exe'
    """
    return _MARK.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
