"""Escape characters that change how the text around them is displayed: direction marks and control characters."""

from __future__ import annotations

import re
from typing import Final

#: Left-to-right and right-to-left marks, embeddings, overrides and isolates, for a class of a regular expression.
_MARKS: Final = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
#: Direction marks, control characters except tab and line feed, and lone surrogates, which UTF-8 cannot encode.
_MISLEADING: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_MARKS}\ud800-\udfff]")


def escape_bidi(text: str) -> str:
    r"""Escape direction marks, control characters and lone surrogates.

    >>> escape_bidi("eth0 \u202egnp.exe"), escape_bidi("\x1b]0;own\x07.log")
    ('eth0 \\u202egnp.exe', '\\x1b]0;own\\x07.log')
    """
    return _MISLEADING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def printable(text: str) -> str:
    r"""Escape terminal control sequences and line breaks."""
    return escape_bidi(text).replace("\n", "\\n")
