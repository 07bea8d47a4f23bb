"""The readers of captured outputs, and which of them reads what.

A reader is chosen by the content of an output, never by the name of its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.files.documents import SHORT, Document
from hecn_analysis.inventory import outputs
from hecn_analysis.inventory.contract import Facts, Output, Reader
from hecn_analysis.inventory.leftovers import blocks, leftovers
from hecn_analysis.inventory.stated import stated
from hecn_analysis.parsing import second_reading
from hecn_analysis.parsing.cleaning import Text
from hecn_analysis.parsing.cleaning.characters import plain_characters
from hecn_analysis.parsing.problems import FileProblems
from hecn_analysis.parsing.readers import find_readers
from hecn_analysis.parsing.second_reading import Part, Reading
from hecn_analysis.parsing.unread_rows import Numbered, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hecn_analysis.parsing.leftovers import Leftover

READERS: Final[tuple[Reader, ...]] = tuple(find_readers(__package__, "FORMATS"))

#: Format of the parts that a person states in words.
STATED: Final = "stated-parts"
UNRECOGNISED: Final = "the output of a command such as lspci -vvv, lscpu, dmidecode or ethtool"
_SHOWN: Final = 60
_LONG: Final = 4  # lines of an output that says something
#: Formats of which some of many values are taken, and a driver may have none of these.
_SELECTIVE: Final = frozenset({"ethtool-S"})
_DOCUMENTS: Final = tuple("{[<")  # first signs of JSON and XML
_NAMES: Final = frozenset({"n", "interface", "device", "level"})
#: Within what collects everything of a host (sosreport, Insights), most files are nobody's business.
_DUMP: Final = re.compile(r"(?:^|[/!\\])(?:sosreport-|sos_commands|insights_commands)")


@dataclass(frozen=True)
class Captured:
    """An output that was read, with its facts, and the host named by the prompt above it, or None."""

    output: Output
    facts: Facts
    host_name: str | None = None

    @property
    def source(self) -> dict[str, Any]:
        """Its row in the table of sources."""
        place = {"source_file": self.output.source_file, "format": self.facts.format}
        lines = {"line_first": self.output.first, "line_last": self.output.last, "cleaned": self.output.cleaned}
        return {**place, **lines, "command": " ".join(self.output.command) or None, **self.facts.values}

    @cached_property
    def lines(self) -> frozenset[int]:
        """Numbers of its lines in the file."""
        return frozenset(number for number, _ in self.output.numbered())


@dataclass
class Read(FileProblems):
    """The outputs in one file that a reader knows, in order."""

    captured: list[Captured] = field(default_factory=list)


def _typed(document: Document) -> Text:
    """The text of a file as a terminal writes it."""
    return plain_characters(Text.of(document.lines))


def _knows(source_file: str, text: Text, readers: Sequence[Reader]) -> bool:
    return any(reader is not None for _, reader in outputs.outputs(source_file, text, readers))


def _read(
    document: Document, text: Text, layers: Sequence[str], readers: Sequence[Reader]
) -> tuple[Reading[Captured], bool]:
    """Read a text of a file, and tell whether every line is of an output that was read without a problem."""
    reading = Reading[Captured]()
    is_fine = True
    lines = dict(zip(text.numbers, text.lines, strict=True))
    for output, reader in outputs.outputs(document.source_file, text, readers):
        if reader is None:
            is_fine = False
            if output.command:
                said, words = output.lines[0].strip()[:_SHOWN], " ".join(output.command)[:_SHOWN]
                message = f"found {said!r} after the command {words!r}, expected its output; left out"
                unknown = FileProblems(document.source_file, problems=reading.problems)
                unknown.problem(output.first, "unrecognised", message)
            continue
        facts = reader.read(output)
        if output.json_truncated:
            facts.problem(output.last, "truncated", "found the end inside the JSON, expected its closing brackets")
        if len(output.lines) > 1 and _is_empty(facts.values) and second_reading.are_marked(output.lines):
            facts.problem(output.first, "malformed", "found marks around lines and no value, expected the output alone")
        elif len(output.lines) >= _LONG and not (facts.problems or output.json or _says(facts)):
            said = output.lines[0].strip()[:_SHOWN]
            facts.problem(
                output.first, "malformed", f"found {said!r} and no value below it, expected those of {facts.format}"
            )
        is_fine = is_fine and not facts.problems
        host = outputs.host_name(lines.get(output.first - 1, ""))
        is_plain = all(document.lines[number - 1] == line for number, line in output.numbered())
        captured = Captured(replace(output, cleaned=None if is_plain else ", ".join(layers)), facts, host)
        reading.parts.append(Part(captured, facts.format, captured.lines, facts.values, facts.problems))
        reading.problems += facts.problems
    return reading, is_fine


def _says(facts: Facts) -> bool:
    """Whether facts say anything beside how many there are, and of what."""
    beside = (value for name, value in facts.values.items() if name not in _NAMES and not name.startswith("n_"))
    return facts.format in _SELECTIVE or any(value not in (None, "", [], {}, ()) for value in beside)


def _is_empty(value: object) -> bool:
    """Whether nothing is known, in lists and mappings too."""
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    return all(map(_is_empty, value)) if isinstance(value, (list, tuple)) else value in (None, 0, "")


def _unread(result: Read, readers: Sequence[Reader]) -> Iterator[Leftover]:
    """Yield what of the tables and labels of text outputs their readers did not take."""
    by_format = {form: reader for reader in readers for form in reader.FORMATS}
    named = {line for problem in result.problems if isinstance(line := problem["line"], int)}
    for one in result.captured:
        reader = by_format[one.facts.format]
        if one.output.lines[0].lstrip()[:1] not in _DOCUMENTS:
            unread = Unread(dict(one.output.numbered()), partial(_facts_of, one.output, reader), named)
            yield from unread.rows()
            yield from unread.labels(_labels(reader))


def _facts_of(output: Output, reader: Reader, lines: Numbered) -> object:
    """What a reader makes of an output with some of its lines changed; None if it is another's then."""
    other = replace(output, lines=tuple(lines.values()))
    if not reader.recognises(other):
        return None
    facts = reader.read(other)
    return facts.values, [problem["kind"] for problem in facts.problems]


def _labels(reader: Reader) -> frozenset[str]:
    """The labels in the tables of a reader."""
    tables = (
        value for name, value in vars(reader).items() if name.isupper() and isinstance(value, (Mapping, frozenset))
    )
    return frozenset(label for table in tables for label in table if isinstance(label, str))


def _take_stated(result: Read, document: Document, text: Text) -> None:
    """Add the parts that lines outside all outputs state in words."""
    taken = {line for each in result.captured for line in each.lines}
    rest = [(number, line) for line, number in zip(*text, strict=True) if number not in taken]
    parts = list(stated(rest))
    if parts:
        numbers = tuple(dict.fromkeys(part["line"] for part in parts))
        by_number = dict(rest[::-1])
        output = Output(document.source_file, tuple(by_number[each] for each in numbers), numbers[0], numbers=numbers)
        result.captured.insert(0, Captured(output, output.facts(STATED, {"n_parts": len(parts), "parts": parts})))


def recognises(document: Document) -> bool:
    r"""Whether a file contains an output that a reader knows.

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
    >>> recognises(Document("a", b"MemTotal: 16777216 kB\nMemFree: 1 kB\n"))
    True
    """
    text = _typed(document)
    if _knows(document.source_file, text, READERS):
        return True
    return len(document.content) <= SHORT and any(
        _knows(document.source_file, change.around, READERS) for change in second_reading.changes(text)
    )


def read(document: Document, readers: Sequence[Reader] = READERS, *, hint: Callable[[], str] = str) -> Read:
    r"""Read one file; no content of it raises an error.

    Parameters
    ----------
    document
        The file.
    readers, hint
        The readers to ask; a function that returns the end of the message about an unknown file.

    Returns
    -------
    Read
        The outputs in it with their facts, and the problems.

    Examples
    --------
    >>> file = read(Document("n1/meminfo.txt", b"MemTotal: 16777216 kB\nMemFree: 1024 kB\n"))
    >>> [(output.facts.format, output.facts.values["mem_total_bytes"]) for output in file.captured]
    [('meminfo', 17179869184)]
    """
    text = _typed(document)
    begun = () if text.lines == document.lines else ("characters",)
    reading, is_fine = _read(document, text, begun, readers)
    if len(document.content) <= SHORT and (not is_fine or second_reading.is_wrapped(text.lines)):
        reading = second_reading.read_again(
            reading,
            text,
            lambda change: _read(document, change.text, (*begun, *change.layers), readers)[0],
            matters=lambda change: bool(reading.parts) or _knows(document.source_file, change.around, readers),
        )
    result = Read(document.source_file, [part.what for part in reading.parts])
    result.stored(document.problems)
    result.problems += reading.problems
    if result.captured and len(document.content) <= SHORT:
        for left in list(_unread(result, readers)):
            result.problem(left.line, "unrecognised", left.message)
        forms = {line: one.facts.format for one in result.captured for line in one.lines}
        forms.update((line, "") for problem in result.problems if isinstance(line := problem["line"], int))
        for line, message in (*leftovers(document.lines, forms), *blocks(document.lines, forms)):
            result.problem(line, "unrecognised", message)
    if len(document.content) <= SHORT and not _DUMP.search(document.source_file):
        _take_stated(result, document, text)
    if all(each.facts.format == STATED for each in result.captured) and not _DUMP.search(document.source_file):
        said = next((line.strip() for line in document.lines if line.strip()), "")
        what = f"{said[:_SHOWN]!r} first" if said else "an empty file"
        result.unrecognised(what, UNRECOGNISED, hint)
    return result
