"""Text from files and people, for a page."""

from __future__ import annotations

import html

from hecn_analysis.base.bidi import escape_bidi


def html_text(value: object) -> str:
    """Escape what HTML would interpret, and what would change how the text around it is displayed."""
    return html.escape(escape_bidi(str(value)))
