"""Marks of forums and wikis around a block, and CSV and JSON whose texts hold outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.parsing.cleaning.text import Text, runs

_MARK: Final = re.compile(
    r"\[/?(?:code|pre|quote|noparse|spoiler)(?:=[^\]]{1,80})?\]|\{(?:code|noformat|quote|panel)(?::[^}]{1,80})?\}",
    re.IGNORECASE,
)
_QUOTE: Final = '"'
#: A cell that begins in a line and does not end there (RFC 4180, 2.6 and 2.7): quotes inside are doubled.
_OPENS: Final = re.compile(r'(?:[^"]*[,;\t])?"(?P<inner>(?:[^"]|"")*)$')
_INSIDE: Final = re.compile(r'(?:[^"]|"")*$')
#: A text in a list of texts, as Ansible prints ``stdout_lines``.
_ITEM: Final = re.compile(r'\s{0,40}(?P<text>"(?:[^"\\]|\\.){0,4000}"),?\s{0,8}$')
_FEW: Final = 3
#: A text in a member of an object, perhaps without the object around it.
_MEMBER: Final = re.compile(r'[\s`{]{0,40}"[\w. -]{1,60}": ?(?P<text>"(?:[^"\\]|\\.){20,200000}")[\s,}`]{0,8}$')
_FEED: Final = "\\n"
_CLOSES: Final = re.compile(r'(?P<inner>(?:[^"]|"")*)"(?:[,;\t].*)?$')


def without_block_marks(text: Text) -> Text:
    """Remove the marks that forums and wikis have around code and quotes."""
    if not any(_MARK.search(line) for line in text.lines if "[" in line or "{" in line):
        return text
    return text.each(lambda line: _MARK.sub("", line) if "[" in line or "{" in line else line)


def without_cells(text: Text) -> Text:
    """Write cells of CSV that hold several lines, and lists of texts in JSON, as lines."""
    return _without_cells(_without_members(_without_items(text)))


def _without_members(text: Text) -> Text:
    """Write a text of several lines in a member of JSON as lines."""
    if not any(_FEED in line for line in text.lines):
        return text
    pairs = zip(text.lines, text.numbers, strict=True)
    return Text.pairs((part, number) for line, number in pairs for part in _member(line))


def _member(line: str) -> list[str]:
    """Lines of the text in a member of JSON, or the line itself."""
    if line.count(_FEED) < _FEW or (member := _MEMBER.match(line)) is None:
        return [line]
    try:
        return _written(member["text"])
    except ValueError:
        return [line]


def _without_items(text: Text) -> Text:
    """Write the texts of a list of three or more as lines."""
    items = [_ITEM.match(line) if _QUOTE in line else None for line in text.lines]
    written: list[list[str]] = [[line] for line in text.lines]
    for start, end in runs(items, _FEW):
        try:
            written[start:end] = [_written(item["text"]) for item in items[start:end] if item]
        except ValueError:
            continue
    return Text.pairs((line, number) for lines, number in zip(written, text.numbers, strict=True) for line in lines)


def _written(item: str) -> list[str]:
    """Lines of a text in JSON, whose last line feed ends the last line."""
    return str(json.loads(item)).removesuffix("\n").split("\n")


def _without_cells(text: Text) -> Text:
    lines = list(text.lines)
    for start, end in _cells(lines):
        opening, closing = _OPENS.match(lines[start]), _CLOSES.match(lines[end])
        if opening and closing:
            inside = [opening["inner"], *lines[start + 1 : end], closing["inner"]]
            lines[start : end + 1] = [line.replace(_QUOTE * 2, _QUOTE) for line in inside]
    return Text(lines, text.numbers)


def _cells(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each cell that holds several lines."""
    start = None
    for place, line in enumerate(lines):
        if start is None:
            start = place if line.count(_QUOTE) % 2 and _OPENS.match(line) else None
        elif line.count(_QUOTE) % 2:
            if _CLOSES.match(line):
                yield start, place
            start = None
        elif not _INSIDE.match(line):
            start = None
