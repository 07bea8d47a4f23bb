"""Output of snmptable of IF-MIB's tables: a header of names of columns, then a row for each interface.

Versions: Net-SNMP 5.x, options -Cb (brief names), -Cf (separator), -Ci (index), -Cl (left), -Cw (width).

Units and traps
---------------
- Without -Ci there is no ifIndex in ifXTable: the interface has a name alone.
- Columns in a fixed width end where their name in the header ends (start, with -Cl): a value with blanks stays whole.
- Brief names (-Cb) lack what they begin with in common ("InOctets"), which is "if" in both tables.
- With -Cw the table comes in parts, told apart by their lines "SNMP table …, part 2": rows are joined by their order.
- "?" is a value that the agent does not have. Other units are as in `snmp`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hecn_analysis.counters.cells import cells_of
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.snmp.objects import NO_INDEX, NUMBERS, Readings, Value
from hecn_analysis.files.documents import Document

FORMATS: Final = ("snmptable",)
VERSIONS: Final = "Net-SNMP 5.x"
WHOLE: Final = False

_TITLE: Final = re.compile(r"SNMP table:? (?:[\w-]{1,80}::)?(?P<table>[\w.-]{1,80}?)(?P<part>, part \d{1,4})?\s*$")
_NAMES: Final = frozenset(name for name in NUMBERS if name.startswith(("if", "dot3")))
_BRIEF: Final = {name[2:]: name for name in NUMBERS if name.startswith("if")} | {
    name.removeprefix("dot3Stats"): name for name in NUMBERS if name.startswith("dot3Stats")
}
_TABLES: Final = frozenset({"ifTable", "ifXTable", "dot3StatsTable"})
_KEYS: Final = frozenset({"index", "ifIndex", "ifName", "ifDescr", "dot3StatsIndex"})
_ENOUGH: Final = 4
_LOOKED_AT: Final = 4000
_SEPARATORS: Final = ",;|\t:"


def recognises(document: Document) -> bool:
    """Whether a line is the title of a table of interfaces, or a header with names of its columns."""
    lines = [
        line for line in document.lines[:_LOOKED_AT] if " = " not in line and "|" not in line and "::" not in line[:40]
    ]
    return any(_of_interfaces(line) for line in document.lines[:_LOOKED_AT] if line.startswith("SNMP table")) or any(
        _header(line) is not None for line in lines
    )


def read(document: Document, findings: CounterFindings) -> None:
    """Read the tables, each up to an empty line."""
    findings.format = "snmptable"
    tables: list[_Table] = []
    table: _Table | None = None
    for number, line in enumerate(document.lines, 1):
        header = _header(line)
        if header is not None:
            table = _Table(header, line)
            tables.append(table)
        elif _TITLE.match(line) or (not line.strip() and table is not None and table.lines):
            table = None
        elif table is not None and line.strip():
            table.lines.append((number, line))
    if not tables:
        findings.problem(None, "truncated", "found the title of a table of interfaces, expected its header and rows")
    readings = Readings(findings)
    joined: dict[int, dict[str, Value]] = {}
    for each in tables:
        rows = each.rows(findings)
        if any(joined.get(place, {}).keys() & row.keys() - _KEYS for place, row in enumerate(rows)):
            _put(readings, joined)
            joined = {}
        for place, row in enumerate(rows):
            joined.setdefault(place, {}).update(row)
    _put(readings, joined)
    readings.finish()


class _Table:
    """A table, or a part of one, with the names of its columns ("" for unknown objects) and the line of its header."""

    def __init__(self, names: Sequence[str], header: str) -> None:
        self._names = names
        self._header = header
        self._separator = _separator(header)
        self.lines: list[tuple[int, str]] = []

    def rows(self, findings: CounterFindings) -> list[dict[str, Value]]:
        """Return the values of each row by the names of their columns; a row that does not fit is a problem."""
        result = []
        cut = self._cut()
        for number, line in self.lines:
            words = self._words(line, cut)
            if len(words) != len(self._names):
                last = number == self.lines[-1][0]
                findings.problem(
                    number,
                    "truncated" if last else "malformed",
                    f"found {len(words)} values, expected {len(self._names)} as in the header; left out",
                )
                continue
            values = zip(self._names, map(str.strip, words), strict=True)
            result.append({name: Value(word, number) for name, word in values if name and word not in {"", "?"}})
        return result

    def _words(self, line: str, cut: Sequence[slice] | None) -> list[str]:
        if self._separator is not None:
            return cells_of(line, self._separator)
        if cut is None:
            return line.split()
        return [line[part] for part in cut if part.start < len(line)]

    def _cut(self) -> list[slice] | None:
        """Places of the columns: between the ends of their names, or between the starts; None if neither fits."""
        if self._separator is not None:
            return None
        words = list(re.finditer(r"\S+", self._header))
        ends = [0, *(word.end() for word in words)]
        starts = [*(word.start() for word in words), 1 << 20]
        lines = [line for _, line in self.lines]
        if all(line[end : end + 1] in {"", " "} for end in ends[1:] for line in lines):
            return [slice(before, after) for before, after in pairwise(ends)]
        if all(line[start - 1 : start] in {"", " "} for start in starts[1:-1] for line in lines):
            return [slice(before, after) for before, after in pairwise(starts)]
        return None


def _put(readings: Readings, rows: dict[int, dict[str, Value]]) -> None:
    """Add rows, those without an index under numbers that no interface has."""
    for place, row in rows.items():
        given = next((row[name].integer for name in _KEYS if name in row and name.endswith("ndex")), None)
        for name, value in row.items():
            if name in NUMBERS:
                readings.put(NUMBERS[name], str(NO_INDEX + place if given is None else given), value)
    readings.close()


def _of_interfaces(line: str) -> bool:
    title = _TITLE.match(line)
    return title is not None and title["table"] in _TABLES


def _separator(line: str) -> str | None:
    return next((sign for sign in _SEPARATORS if line.count(sign) >= _ENOUGH - 1), None)


def _header(line: str) -> list[str] | None:
    """Return the names of columns if a line is a header with enough known ones."""
    if not any(word in line for word in ("Octets", "Descr", "Name", "Errors", "Speed")):
        return None
    separator = _separator(line)
    words = [word.strip().strip('"') for word in (line.split(separator) if separator else line.split())]
    full = [word if word in _NAMES or word == "index" else "" for word in words]
    if sum(map(bool, full)) >= min(_ENOUGH, len(words)) > 1 or (len(words) > 1 and all(full)):
        return full
    brief = [_BRIEF.get(word, "index" if word == "index" else "") for word in words]
    return brief if sum(map(bool, brief)) >= _ENOUGH and sum(map(bool, brief)) > len(words) / 2 else None
