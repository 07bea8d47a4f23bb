"""Lines of a label and its value (``Raid Level : raid5``, ``/c0 Model = 9750-4i``), and rows of cells under labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

_LABELLED: Final = re.compile(
    r"(?P<indent>[ \t]{0,80})(?P<name>[^\s:=][^:=]{0,80}?)\s{0,60}(?P<sign>[:=])(?P<value>.*)$"
)
_LONGEST: Final = 2000
#: Lines that somebody left out.
ELIDED: Final = re.compile(r"\s{0,80}[\[(<]?(?:\.{2,9}|…)[\])>]?\s{0,80}$")
#: What somebody wrote behind a figure, with more than one blank between.
_NOTE: Final = re.compile(r"(?:(?<=[ \t][ \t])|(?<=\t))(?://|#|/\*|\*{0,9}<{1,9}[-=<*]|\*{1,9}<|←|⟵|⇐|<{2,9})")
_RATE: Final = re.compile(r"(?<![\d.])(?P<number>\d{1,3}(?:\.\d{1,2})?)\s?Gb(?:/s|ps)")

#: Labels, or heads of columns, as a tool prints them: the field that holds the value, and what parses its text.
Fields = Mapping[str, tuple[str, Callable[[str], object]]]


class Labelled(NamedTuple):
    """A label with its stripped value: the line's number, and the number of blanks before the label."""

    number: int
    indent: int
    name: str
    value: str


def without_note(line: str) -> str:
    """The line without what somebody wrote behind its figure (``CPU(s):   8    // with HT``)."""
    note = _NOTE.search(line) if len(line) <= _LONGEST else None
    return line[: note.start()].rstrip() if note is not None and line[: note.start()].strip() else line


def labelled(number: int, line: str) -> Labelled | None:
    """The label and value of a line, or None if it has none."""
    match = _LABELLED.match(without_note(line)) if len(line) <= _LONGEST else None
    if match is None:
        return None
    return Labelled(number, len(match["indent"]), match["name"], match["value"].strip())


def all_labelled(lines: Iterable[tuple[int, str]]) -> Iterator[Labelled]:
    """The labelled lines among numbered ones."""
    return (field for number, line in lines if (field := labelled(number, line)) is not None)


def text(value: str) -> str | None:
    """The value, or None if it is empty."""
    return value or None


def line_rate(value: str) -> float | None:
    """The first rate of a link, such as ``SAS 6.0 Gb/s`` or ``6.0Gbps`` [bit/s]."""
    match = _RATE.search(value)
    return float(match["number"]) * 1e9 if match else None


def take(values: dict[str, Any], fields: Fields, name: str, value: str) -> bool:
    """Store a labelled value in its field; False if the table lacks the label."""
    if name not in fields:
        return False
    field, parse = fields[name]
    values[field] = parse(value)
    return True


def row(cells: Mapping[str, str | None], fields: Fields) -> dict[str, Any]:
    """The fields of a row of a table from its cells by column; None where the column is absent or empty."""
    values: dict[str, Any] = {field: None for field, _ in fields.values()}
    for name, value in cells.items():
        if value:
            take(values, fields, name, value)
    return values
