"""Outputs with a stanza for each port: a first line with its name, and lines with values below.

A `Layout` is a table of words and patterns: lines with the word are matched against the pattern, whose groups name the
values (`port`). A line of `counts` with the word must match, else it is a problem; one of `words` need not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hecn_analysis.counters.switches.port import Port, Problem
from hecn_analysis.files.documents import Document

#: What stands in the patterns of a table for a whole number, and for a rate with its unit.
_SHORT: Final = {
    "#": r"\d{1,20}",
    "@": r"(?P<rate>\d{1,20}(?:\.\d{1,6})?) ?(?P<rate_unit>bits/sec|bytes/sec|[kKMGT]?bps)",
}

#: The prompt of a device before a command: its name, and what the device puts around it.
PROMPT: Final = re.compile(
    r"^(?:RP/\d{1,3}/\w{1,8}/CPU\d{1,3}:)?[<\[]?(?:[\w.-]{1,32}@)?(?P<host>[A-Za-z][\w.-]{0,62})"
    r"(?:\([\w.-]{1,40}\)|\]|/[\w./-]{1,40})?(?: ?[#>\]])(?: ?[A-Za-z/][^\n]{0,200})?$"
)

#: A section whose counters are parts of others.
LEFT_OUT: Final = "-"

#: What a pager leaves in front of the line after it.
_PAGER: Final = re.compile(
    r"^\s{0,4}<?-{2,5} ?[Mm]ore ?(?:\(\d{1,3}%\))?-{2,5}>?(?: {0,40}\x08{1,40} {0,40}\x08{0,40})?"
)
_MARKS: Final = frozenset("#>]")
_LONGEST: Final = 2000

Row = tuple[str, "re.Pattern[str]"]


@dataclass(frozen=True)
class Layout:
    """Layout of the ports of a kind of device.

    `begins` is the first line of a port, which may reach into the next line; its group ``interface``, ``physical`` or
    ``logical`` has the name. `counts` have words and patterns of lines with counters and rates, `words` those of lines
    that may have a setting or a state. `sections` are words at the beginning of lines, and the direction of the
    counters below: "in", "out", "" (named in the lines) or `LEFT_OUT`. `ends` are lines that end a port. `is_indented`:
    a line without indentation after a blank one ends the port.
    """

    begins: re.Pattern[str]
    counts: Sequence[Row]
    words: Sequence[Row]
    sections: Sequence[tuple[str, str]] = ()
    ends: re.Pattern[str] | None = None
    is_indented: bool = True


def compiled(rows: Iterable[tuple[str, str]]) -> tuple[Row, ...]:
    """Compile the patterns of a table, in which ``#`` is a whole number and ``@`` a rate with its unit."""

    def written_out(pattern: str) -> str:
        for short, long in _SHORT.items():
            pattern = pattern.replace(short, long)
        return pattern

    return tuple((word, re.compile(written_out(pattern))) for word, pattern in rows)


def ports(document: Document, layout: Layout, problem: Problem) -> Iterator[Port]:
    """Read the ports of a file."""
    port: Port | None = None
    host, way, is_over = None, "", False
    lines = document.lines
    for number, whole in enumerate(lines, 1):
        text = without_pager(whole)
        if not text or text.isspace() or len(text) > _LONGEST:
            is_over = layout.is_indented
            continue
        begins = layout.begins.match(text + "\n" + (lines[number] if number < len(lines) else ""))
        prompt = PROMPT.match(text) if not _MARKS.isdisjoint(text) else None
        ends = (is_over and not text[0].isspace()) or (layout.ends is not None and layout.ends.match(text) is not None)
        if port is not None and (begins or prompt or ends):
            yield port
            port = None
        host = prompt["host"] if prompt is not None else host
        if begins is not None:
            port, way = Port(_name(begins), number, host), ""
            port.take(begins.groupdict(), number)
        if port is not None:
            words = text.strip()
            way = next((section for start, section in layout.sections if words.startswith(start)), way)
            _take(port, layout, (number, text, number == len(lines)), way, problem)
        is_over = False
    if port is not None:
        yield port


def without_pager(text: str) -> str:
    """Remove the traces of a pager in front of a line."""
    return _PAGER.sub("", text) if "ore" in text[:16] else text


def _name(begins: re.Match[str]) -> str:
    """Name of a port: the first non-empty group."""
    groups = begins.groupdict()
    return next(groups[name].strip() for name in ("interface", "physical", "logical") if groups.get(name))


def _take(port: Port, layout: Layout, line: tuple[int, str, bool], way: str, problem: Problem) -> None:
    """Take the values that the patterns find in a line, which may be truncated at the end of a file."""
    number, text, is_cut = line
    bare = text.rstrip()
    cut_at = len(bare) if is_cut and bare[-1:].isdigit() else _LONGEST + 1
    for word, pattern in layout.counts if way != LEFT_OUT else ():
        if word in text:
            match = pattern.search(text)
            if match is not None and match.end() < cut_at:
                port.take(match.groupdict(), number, way)
            else:
                port.block(pattern.groupindex, text, way)
                kind = "malformed" if match is None else "truncated"
                problem(number, kind, f"found {text.strip()[:200]!r}, expected numbers at {word!r}; left out")
    for word, pattern in layout.words:
        if word in text and (match := pattern.search(text)) is not None:
            if match.end() < cut_at:
                port.take(match.groupdict(), number, way)
            else:
                problem(number, "truncated", f"found {text.strip()[:200]!r}, expected a whole line; left out")
