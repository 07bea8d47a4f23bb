"""Characters that change how other text reads: marks that turn its direction, control characters."""

from __future__ import annotations

import re
from typing import Final

#: Left-to-right and right-to-left marks, embeddings, overrides and isolates, for a class of a regular expression.
MARKS: Final = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
#: Those, control characters but the tab and the line feed, and halves of pairs, which no page can hold.
_MISLEADING: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{MARKS}\ud800-\udfff]")


def upright(text: str) -> str:
    r"""Write such characters as escapes, for pages and figures.

    >>> upright("eth0 \u202egnp.exe"), upright("\x1b]0;own\x07.log")
    ('eth0 \\u202egnp.exe', '\\x1b]0;own\\x07.log')
    """
    return _MISLEADING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
