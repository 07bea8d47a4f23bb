"""The readers of counters, and which of them reads a file.

What a file is shows in what it holds, never in its name. The first reader that knows a file as a whole reads it alone;
otherwise all readers that find something of theirs in it do, for a file may hold the output of several commands. A
file that gives nothing, or problems, is read once more behind each group of layers of `hecn_analysis.parsing.cleaning`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hecn_analysis.counters.clock import Clock
from hecn_analysis.counters.contract import CounterFindings, Reader
from hecn_analysis.files.documents import SHORT, Document
from hecn_analysis.parsing.cleaning import Text, cleaned
from hecn_analysis.parsing.readers import find_readers

_UNREAD: Final = frozenset({"malformed", "truncated", "inconsistent"})
READERS: Final[tuple[Reader, ...]] = tuple(find_readers(__package__, "FORMATS"))


def readers_of(document: Document, readers: Sequence[Reader] = READERS) -> list[Reader]:
    r"""Readers that a file is for."""
    for reader in readers:
        if reader.WHOLE and reader.recognises(document):
            return [reader]
    return [reader for reader in readers if not reader.WHOLE and reader.recognises(document)]


def recognises(document: Document) -> bool:
    r"""Whether a file holds counters that a reader knows.

    Parameters
    ----------
    document
        The file.

    Returns
    -------
    bool
        Whether one of the `READERS` knows something in it.

    Examples
    --------
    >>> walk = b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n"
    >>> recognises(Document("a", walk)), recognises(Document("b", b"hello\n"))
    (True, False)
    """
    return bool(readers_of(document))


def read(document: Document, clock: Clock, readers: Sequence[Reader] = READERS) -> list[CounterFindings]:
    """Read one file: what each of its readers found, not checked yet."""
    found = _read(document, clock, readers)
    if len(document.content) > SHORT or (found and not any(map(_problems, found))):
        return found
    for text, layers, _ in cleaned(Text.of(document.lines), by_group=True):
        again = _read(replace(document, content="\n".join(text.lines).encode()), clock, readers)
        for one in again:
            _number(one, text.numbers)
            one.facts["cleaned"] = ", ".join(layers)
        found = _better(found, again)
    return found


def _read(document: Document, clock: Clock, readers: Sequence[Reader]) -> list[CounterFindings]:
    """Read a text as it is."""
    result = []
    for reader in readers_of(document, readers):
        findings = CounterFindings(document.source_file, clock)
        reader.read(document, findings)
        if not findings.times.certain:
            findings = CounterFindings(document.source_file, clock, times=findings.times.made_out())
            reader.read(document, findings)
            findings.tell_doubtful_times()
        result.append(findings)
    return result


def _number(findings: CounterFindings, numbers: Sequence[int]) -> None:
    """Name lines of the file in place of lines of a text without its wrapping."""
    for row in (*findings.samples, *findings.rates, *findings.problems):
        line = row.get("line")
        if isinstance(line, int) and 0 < line <= len(numbers):
            row["line"] = numbers[line - 1]


def _better(before: Sequence[CounterFindings], after: Sequence[CounterFindings]) -> list[CounterFindings]:
    """What a text without its wrapping gives more than with it, or with fewer problems."""
    kept = list(before)
    for one in after:
        beside = [other for other in kept if other.format == one.format or _lines(other) & _lines(one)]
        if not _size(one):
            continue
        if not beside:
            kept.append(one)
        elif len(beside) == 1 and beside[0].format == one.format and _gain(beside[0], one):
            kept[kept.index(beside[0])] = one
    return kept


def _gain(before: CounterFindings, after: CounterFindings) -> bool:
    fewer, more = _problems(after) < _problems(before), _size(after) > _size(before)
    return (fewer and _size(after) >= _size(before)) or (more and _problems(after) <= _problems(before))


def _problems(findings: CounterFindings) -> int:
    """How many things could not be read, and one where nothing was."""
    return sum(problem["kind"] in _UNREAD for problem in findings.problems) or int(not _size(findings))


def _size(findings: CounterFindings) -> int:
    """How many values were read."""
    return sum(map(len, (*findings.samples, *findings.rates, *findings.interfaces.values())))


def _lines(findings: CounterFindings) -> set[object]:
    return {row["line"] for row in (*findings.samples, *findings.rates) if row.get("line") is not None}
