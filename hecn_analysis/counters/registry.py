"""The readers of counters, and which of them reads a file.

A file is recognised by its content, never by its name. The first reader of a complete file reads it alone; otherwise
all readers that recognise a part of it do, since a file may hold the output of several commands. A file that yields
nothing, or problems, is read again without its wrapping (`hecn_analysis.parsing.second_reading`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from hecn_analysis.counters.around import place
from hecn_analysis.counters.clock import Clock
from hecn_analysis.counters.contract import CounterFindings, Reader
from hecn_analysis.counters.graphs import csv_columns
from hecn_analysis.files.documents import SHORT, Document
from hecn_analysis.parsing import second_reading
from hecn_analysis.parsing.cleaning import Text
from hecn_analysis.parsing.leftovers import Leftover
from hecn_analysis.parsing.readers import find_readers
from hecn_analysis.parsing.second_reading import Change, Part, Reading
from hecn_analysis.parsing.unread_rows import Numbered, Unread

READERS: Final[tuple[Reader, ...]] = tuple(find_readers(__package__, "FORMATS"))
#: It knows tables by the names of their columns alone: no other reader may know the text, behind whatever wrapping.
LAST: Final = csv_columns
#: Formats of which some of many values are taken, or only the means.
_SELECTIVE: Final = ("mpstat", "netstat-s", "nstat", "snmp")
_LONGEST: Final = 1 << 16  # bytes of a file whose rows are compared with what was read


def readers_of(document: Document, readers: Sequence[Reader] = READERS) -> list[Reader]:
    r"""Return the readers for a file."""
    readers = sorted(readers, key=lambda reader: reader is LAST)
    for reader in readers:
        if reader.WHOLE and reader.recognises(document):
            return [reader]
    return [reader for reader in readers if not reader.WHOLE and reader.recognises(document)]


def recognises(document: Document) -> bool:
    r"""Whether a file contains counters that a reader knows.

    Parameters
    ----------
    document
        The file.

    Returns
    -------
    bool
        Whether one of the `READERS` knows part of it.

    Examples
    --------
    >>> recognises(Document("a", b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n"))
    True
    """
    return bool(readers_of(document))


def read(document: Document, clock: Clock, readers: Sequence[Reader] = READERS) -> list[CounterFindings]:
    """Read one file; return the unchecked findings of each of its readers."""
    others = [reader for reader in readers if reader is not LAST]
    result = _read_behind(document, clock, others)
    if not result:
        return _read_behind(document, clock, [LAST]) if LAST in readers else []
    for findings in result:
        for left in _unread(document, findings, others):
            findings.problem(left.line, "unrecognised", left.message)
    return result


def _unread(document: Document, findings: CounterFindings, readers: Sequence[Reader]) -> Iterator[Leftover]:
    """Yield the rows of tables that a reader of facts did not take; none where only a cleaner text gives the facts."""
    reader = next((each for each in readers if findings.format in each.FORMATS), None)
    if (
        reader is None
        or len(document.content) > _LONGEST
        or str(findings.format).startswith(_SELECTIVE)
        or any("line" in row for row in (*findings.samples, *findings.rates))
    ):
        return

    def result(lines: Numbered) -> object:
        other = replace(document, content="\n".join((*lines.values(), "")).encode())
        if not reader.recognises(other):
            return None
        own = CounterFindings(document.source_file, findings.clock)
        reader.read(other, own)
        rows = [{name: value for name, value in row.items() if name != "line"} for row in (*own.samples, *own.rates)]
        return own.facts, rows, own.interfaces, own.more, [problem["kind"] for problem in own.problems]

    named = {line for problem in findings.problems if isinstance(line := problem["line"], int)}
    unread = Unread(dict(enumerate(document.lines, 1)), result, named)
    facts = {name: value for name, value in findings.facts.items() if name != "cleaned"}
    if isinstance(unread.whole, tuple) and unread.whole[0] == facts:
        yield from unread.rows()


def _read_behind(document: Document, clock: Clock, readers: Sequence[Reader]) -> list[CounterFindings]:
    """Read one file, and if need be the text behind its wrapping."""
    plain = _read(document, clock, readers)
    if len(document.content) > SHORT or not (plain.is_open or second_reading.is_wrapped(document.lines)):
        return [part.what for part in plain.parts]

    def behind(text: Text) -> Document:
        return replace(document, content="\n".join(text.lines).encode())

    def again(change: Change) -> Reading[CounterFindings]:
        text = change.text.begun()
        return _read(behind(text), clock, readers, change._replace(text=text))

    def matters(change: Change) -> bool:
        return bool(plain.parts or readers_of(behind(change.around.begun()), readers))

    second = second_reading.read_again(plain, Text.of(document.lines), again, matters=matters)
    return [part.what for part in second.parts]


def _read(
    document: Document, clock: Clock, readers: Sequence[Reader], change: Change | None = None
) -> Reading[CounterFindings]:
    """Read a text as it is; lines of a cleaner text have the numbers of the file."""
    reading = Reading[CounterFindings]()
    for reader in readers_of(document, readers):
        findings = CounterFindings(document.source_file, clock)
        reader.read(document, findings)
        place(document, findings)
        if not findings.times.certain:
            findings = CounterFindings(document.source_file, clock, times=findings.times.made_out())
            reader.read(document, findings)
            place(document, findings)
            findings.tell_doubtful_times()
        if change is not None:
            _number(findings, change.text.numbers)
            findings.facts["cleaned"] = ", ".join(change.layers)
        reading.parts.append(_part(findings, len(document.lines)))
        reading.problems += findings.problems
    return reading


def _part(findings: CounterFindings, length: int) -> Part[CounterFindings]:
    rows = (*findings.samples, *findings.rates)
    named = {line for row in (*rows, *findings.problems) if isinstance(line := row.get("line"), int)}
    figures = {
        **{name: _counted(name, value) for name, value in findings.facts.items() if name != "cleaned"},
        "samples": findings.samples,
        "rates": findings.rates,
        "interfaces": list(findings.interfaces.values()),
    }
    lines = named if any("line" in row for row in rows) else range(1, length + 1)
    return Part(findings, str(findings.format), frozenset(lines), figures, findings.problems, is_only=True)


def _counted(name: str, value: object) -> object:
    """A number of samples or rows as that many, so that more of them are more figures."""
    return range(value) if name in {"n_samples", "n_rows"} and isinstance(value, int) else value


def _number(findings: CounterFindings, numbers: Sequence[int]) -> None:
    """Replace line numbers of a cleaned text by those of the file."""
    for row in (*findings.samples, *findings.rates, *findings.problems):
        line = row.get("line")
        if isinstance(line, int) and 0 < line <= len(numbers):
            row["line"] = numbers[line - 1]
