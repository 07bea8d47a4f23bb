"""Web pages: tags around and inside lines, and entities for characters."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.parsing.cleaning.text import Text

_NAMES: Final = (
    "a|abbr|article|b|big|blockquote|body|br|center|cite|code|dd|del|div|dl|dt|em|figure|font|footer|form|h[1-6]|head|"
    "header|hr|html|i|img|ins|kbd|label|li|link|main|mark|meta|nav|ol|p|pre|q|s|samp|section|small|span|strike|strong|"
    "sub|sup|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul|var"
)
_TAG: Final = re.compile(rf"<(?P<ends>/?)(?P<name>{_NAMES})(?:\s[^<>]{{0,500}})?\s?/?>", re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.{0,500}?-->|<!doctype[^<>]{0,200}>", re.IGNORECASE)
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}\d{0,2});", re.IGNORECASE)
_BREAKS: Final = frozenset({"br", "hr"})
_BLOCKS: Final = frozenset({"p", "div", "li", "tr", "pre", "h1", "h2", "h3", "h4", "blockquote", "dd", "dt"})
_CELLS: Final = frozenset({"td", "th"})


def without_html(text: Text) -> Text:
    """Remove the tags of HTML, write its entities as characters, and break lines as a page does."""
    if not any(("<" in line and _TAG.search(line)) or ("&" in line and _ENTITY.search(line)) for line in text.lines):
        return text
    pairs = zip(text.lines, text.numbers, strict=True)
    return Text.pairs((part, number) for line, number in pairs for part in _parts(line))


def _parts(line: str) -> Iterator[str]:
    """Yield the lines that a page shows for a line."""
    if "<" in line:
        broken = _TAG.sub(_shown, _COMMENT.sub("", line))
        parts = [part for part in broken.split("\x00") if part.strip()] or [""] if "\x00" in broken else [broken]
    else:
        parts = [line]
    for part in parts:
        yield html.unescape(part).replace("\n", " ") if "&" in part else part


def _shown(tag: re.Match[str]) -> str:
    """Return what a page shows for a tag."""
    name = tag["name"].lower()
    if name in _BREAKS or name in _BLOCKS:
        return "\x00"
    return "  " if name in _CELLS and tag["ends"] else ""
