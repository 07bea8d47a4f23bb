"""Text from files and people, for a page."""

from __future__ import annotations

import html

from hecn_analysis.base.bidi import escape_bidi


def html_text(value: object) -> str:
    r"""Escape what HTML would interpret, and what would change how the text around it is displayed.

    >>> html_text("<b> \u202egnp.exe")
    '&lt;b&gt; \\u202egnp.exe'
    """
    return html.escape(escape_bidi(str(value)))
