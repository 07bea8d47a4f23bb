"""Text from files, safe to show.

Logs, names of files and names of hosts come from anywhere; a terminal must not be moved, recoloured or retitled by
them, and a spreadsheet must not take them for formulas.
"""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.bidi import MARKS

#: Control characters (C0 without the tab, delete, C1), marks that turn the direction of text, halves of pairs.
_OBEYED: Final = re.compile(f"[\x00-\x08\x0a-\x1f\x7f-\x9f{MARKS}\ud800-\udfff]")
#: What spreadsheets compute instead of showing; a number with its sign, and a sign alone, are none.
_FORMULA: Final = re.compile(r"[=@\t\r]|[+-](?![\d.]*(?:[eE][+-]?\d+)?$)")


def printable(text: str) -> str:
    r"""Escape what a terminal would obey.

    >>> printable("eth0\x1b[2J"), printable("Münster")
    ('eth0\\x1b[2J', 'Münster')
    """
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def no_formula(text: str) -> str:
    """Put an apostrophe in front of what a spreadsheet would compute.

    >>> no_formula("=1+1"), no_formula("-1.5e3"), no_formula("-")
    ("'=1+1", '-1.5e3', '-')
    """
    return f"'{text}" if _FORMULA.match(text) else text
