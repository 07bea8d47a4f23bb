"""Marks in front of every line of a block: of quotes, comments and lists, line numbers, and margins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from hecn_analysis.parsing import prefixes
from hecn_analysis.parsing.cleaning.text import Text, runs

_QUOTE: Final = re.compile(r"(?: {0,2}>){1,20}(?: |$)?")
_COMMENT: Final = re.compile(
    r"(?P<mark>[ \t]{0,40}(?://(?=[A-Z\d][^/])|(?:#{1,6}|/{2,4}|/?\*{1,3}(?!.{0,1000}\*\*\s{0,8}$)|\*/|;{1,3}|--|%{1,2}|!|'"
    r"|@?[Rr][Ee][Mm]|::?|\|(?!.{0,2000}\|\s{0,8}$))(?=\s|$))) ?"
)
_LIST: Final = re.compile(
    r"^(?P<mark>[ \t]{0,40}(?:[-*+\u2022\u25cf\u00b7]|\(?\d{1,3}[.)]|\(?[a-z][.)]))[ \t]{1,4}(?=[^\s-])"
)
_ITEM: Final = re.compile(r"(?P<mark>[ \t]{0,40}[-*+\u2022\u25cf\u00b7])(?: |$)")
_CHANGED: Final = re.compile(r"(?P<mark>[ ]{0,4}[+<])(?=[^+<\d]|\s|$)[ ]?")
_SIDES: Final = ("+", "-")
_BAR: Final = re.compile(r"[ \t]{0,40}\|(?=\s)")
_SIDE: Final = re.compile(r"[+-](?![+-])")
#: ``cat -n`` pads with blanks, never with zeros: "01:00.0" is an address, and so is "10:00.0".
_NUMBER: Final = re.compile(
    r"\s{0,8}(?P<number>(?!0\d)\d{1,6})(?!:[0-9a-f]{2}\.[0-7]\b)(?:[:|)\t]|\.(?:\s|$)|\s{1,2}(?=\S|$))"
)
_REPEATED: Final = re.compile(r"[ \t]{0,8}\S{1,80}?(?: \S{1,40}){0,2}?(?:[:|>\])]|\s->|\s=>)(?:[ \t]{1,2}|$)")
FENCE: Final = re.compile(r"\s{0,8}(?:>\s{0,2}){0,4}(?:`{3,8}|~{3,8})[^`]{0,80}$")
"""A line that fences a block of code in Markdown."""
_MARGIN: Final = re.compile(r"[ \t]{1,200}")
_MOST: Final = 3  # marks behind each other
_BLOCK: Final = 4  # lines, fewer than which begin with a sign by chance


def without_quotes(text: Text) -> Text:
    """Remove quote marks of mail."""
    return _where_repeated(text, _QUOTE, lambda line: _QUOTE.sub("", line, count=1))


def without_comments(text: Text) -> Text:
    """Remove marks of comments, of quotes and of boxes from blocks whose every line has the same."""
    text = _where_repeated(text, _COMMENT, _without(_COMMENT))
    for _ in range(_MOST - 1):  # a second mark if every line has one: outputs mark some of their own lines
        if not all(_COMMENT.match(line) for line in text.lines if line.strip()):
            break
        text = text.each(_without(_COMMENT))
    return text


def without_lists(text: Text) -> Text:
    """Remove the marks of lists, from blocks whose every line has the same mark with one blank only."""
    return _where_repeated(text, _ITEM, _without(_ITEM), _without(_LIST))


def without_changes(text: Text) -> Text:
    """Remove the marks of added and removed lines, and of one side of a comparison."""
    lines = list(text.lines)
    for side in _SIDES:
        for start, end in runs([line.startswith(side) for line in lines], _BLOCK):
            if any(line[1:2] not in {side, " "} for line in lines[start:end] if line != side):
                lines[start:end] = [line[1:] for line in lines[start:end]]
    return _where_repeated(Text(lines, text.numbers), _CHANGED, _without(_CHANGED))


def without_line_numbers(text: Text) -> Text:
    """Remove the line numbers of ``cat -n`` and ``grep -n``: each is one more than the one above."""
    matches = [match if (match := _NUMBER.match(line)) else None for line in text.lines]
    counted = [int(match["number"]) if match else None for match in matches]
    follows = [a is not None and b == a + 1 for a, b in pairwise(counted)]
    if not any(follows):
        return text
    lines = [
        line[match.end() :] if match and (above or below) else line
        for line, match, above, below in zip(text.lines, matches, [False, *follows], [*follows, False], strict=True)
    ]
    return Text(lines, text.numbers)


def without_prefixes(text: Text) -> Text:
    """Remove the prefixes of loggers."""
    return text.each(prefixes.bare)


def without_beginnings(text: Text) -> Text:
    """Remove a beginning with a colon or a bracket, such as a host name, that every line of a block repeats."""
    beginnings = [match[0].rstrip() if (match := _REPEATED.match(line)) else "" for line in text.lines]
    alike = [bool(beginning) and beginning == other for beginning, other in pairwise(beginnings)]
    beside = zip(text.lines, beginnings, [False, *alike], [*alike, False], strict=True)
    return Text(
        [line[len(mark) :].removeprefix(" ") if above or below else line for line, mark, above, below in beside],
        text.numbers,
    )


def without_fences(text: Text) -> Text:
    """Empty the lines that fence a block of code in Markdown."""
    return text.each(lambda line: "" if FENCE.match(line) else line)


def without_margins(text: Text) -> Text:
    """Remove the common indentation of each block of indented lines, blank lines included."""
    return Text(_without_margins(text.lines, paragraphs=False), text.numbers)


def without_margins_of_paragraphs(text: Text) -> Text:
    """Remove the common indentation of each paragraph of indented lines."""
    return Text(_without_margins(text.lines, paragraphs=True), text.numbers)


def front(line: str) -> str:
    """Return the mark or the margin in front of a line, empty for none."""
    for mark in (_NUMBER, _QUOTE, _COMMENT, _LIST, _CHANGED, _REPEATED, _BAR, _SIDE, _MARGIN):
        if match := mark.match(line):
            return "1" if mark is _NUMBER else match[0].rstrip() or match[0]
    return ""


def _without(mark: re.Pattern[str]) -> Callable[[str], str]:
    return lambda line: line[match.end() :] if (match := mark.match(line)) else line


def _where_repeated(
    text: Text, mark: re.Pattern[str], change: Callable[[str], str], other: Callable[[str], str] = str
) -> Text:
    """Change lines with a mark that are next to another one with the same mark; `other` changes all other lines."""
    marks = [match[0].strip() or " " if (match := mark.match(line)) else "" for line in text.lines]
    if mark is _QUOTE:
        marks = [front and ">" for front in marks]
    alike = [bool(front) and front == other for front, other in pairwise(marks)]
    if not any(alike) and other is str:
        return text
    beside = zip(text.lines, [False, *alike], [*alike, False], strict=True)
    return Text([change(line) if above or below else other(line) for line, above, below in beside], text.numbers)


def _without_margins(lines: Sequence[str], *, paragraphs: bool) -> list[str]:
    result = list(lines)
    for start, end in _indented(lines, paragraphs=paragraphs):
        block = [line for line in lines[start:end] if line.strip()]
        margin = min((_margin(line, block[0]) for line in block), default=0)
        if margin:
            result[start:end] = [line[margin:] if line.strip() else line for line in lines[start:end]]
    return result


def _indented(lines: Sequence[str], *, paragraphs: bool) -> Iterator[tuple[int, int]]:
    """Yield the blocks of indented lines."""
    start = 0
    for index, line in enumerate([*lines, "."]):
        is_blank = not line.strip()
        if (is_blank and not paragraphs) or (not is_blank and line[0] in " \t"):
            continue
        if start < index:
            yield start, index
        start = index + 1


def _margin(line: str, first: str) -> int:
    """Return the number of leading blanks and tabs that two lines share."""
    count = 0
    for mine, other in zip(line, first, strict=False):
        if mine != other or mine not in " \t":
            break
        count += 1
    return count
