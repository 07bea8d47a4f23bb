"""Text from files, safe to show.

Logs, names of files and names of hosts come from anywhere; a terminal must not be moved, recoloured or retitled by
them. What a spreadsheet must not take for formulas, `hecn_analysis.records` says.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.bidi import MARKS

#: Control characters (C0 without the tab, delete, C1), marks that turn the direction of text, halves of pairs.
_OBEYED: Final = re.compile(f"[\x00-\x08\x0a-\x1f\x7f-\x9f{MARKS}\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Escape what a terminal would obey.

    >>> printable("eth0\x1b[2J"), printable("Münster")
    ('eth0\\x1b[2J', 'Münster')
    """
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
