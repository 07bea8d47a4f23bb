"""The readers of captured outputs, and which of them reads what.

A reader is found by what an output holds, never by the name of its file. `read` reads one file; what no reader knows is
a problem that says what else could.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from hecn_analysis.files.documents import SHORT, Document
from hecn_analysis.inventory import outputs
from hecn_analysis.inventory.contract import Facts, Output, Reader
from hecn_analysis.parsing.cleaning import Text, cleaned
from hecn_analysis.parsing.cleaning.characters import plain_characters
from hecn_analysis.parsing.problems import FileProblems
from hecn_analysis.parsing.readers import find_readers

if TYPE_CHECKING:
    from collections.abc import Sequence

READERS: Final[tuple[Reader, ...]] = tuple(find_readers(__package__, "FORMATS"))

UNRECOGNISED: Final = "the output of a command such as lspci -vvv, lscpu, dmidecode or ethtool"
_SHOWN: Final = 60
#: Within what collects everything of a host (sosreport, Insights), most files are nobody's business.
_DUMP: Final = re.compile(r"(?:^|[/!\\])(?:sosreport-|sos_commands|insights_commands)")


@dataclass(frozen=True)
class Captured:
    """An output that was read.

    Parameters
    ----------
    output
        Where it stands and what it says.
    facts
        What its reader made of it.
    host_name
        The host that the prompt in front of it names, or None.
    """

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
    """What one file holds.

    Parameters
    ----------
    source_file, problems
        Those of `FileProblems`.
    captured
        The outputs in it that a reader knows, in their order.
    """

    captured: list[Captured] = field(default_factory=list)
    is_fine: bool = True
    """Whether every line of it is of an output that was read without a problem."""


def _complete(found: Read, again: Read) -> None:
    """Add what a cleaner text gives where the other gives nothing, or gives problems and less."""
    for one in again.captured:
        beside = [other for other in found.captured if other.lines & one.lines]
        if all(_is_better(one, other) for other in beside):
            found.captured = [other for other in found.captured if other not in beside]
            gone = {id(problem) for other in beside for problem in other.facts.problems}
            found.problems = [
                problem
                for problem in found.problems
                if id(problem) not in gone and not (problem["line"] in one.lines and problem["kind"] == "unrecognised")
            ]
            found.captured.append(one)
            found.problems += one.facts.problems
    found.captured.sort(key=lambda one: one.output.first)


def _is_better(one: Captured, other: Captured) -> bool:
    """Whether an output without its wrapping says as much as with it, and has fewer problems."""
    return (
        one.facts.format == other.facts.format
        and len(one.facts.problems) < len(other.facts.problems)
        and _known(one.facts.values) >= _known(other.facts.values)
    )


def _known(value: object) -> int:
    """How many values facts have."""
    if isinstance(value, dict):
        return sum(map(_known, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_known, value))
    return int(value is not None)


def _texts(document: Document) -> Iterator[tuple[Text, str]]:
    """The text of a file as a terminal writes it, then what is behind its wrapping, with the names of the layers."""
    plain = Text.of(document.lines)
    typed = plain_characters(plain)
    begun = () if typed.lines == plain.lines else ("characters",)
    yield typed, ", ".join(begun)
    if len(document.content) <= SHORT:
        yield from ((found.text, ", ".join((*begun, *found.layers))) for found in cleaned(typed, by_group=True))


def _read(document: Document, text: Text, layers: str, readers: Sequence[Reader]) -> Read:
    """Read a text of a file."""
    found = Read(document.source_file)
    lines = dict(zip(text.numbers, text.lines, strict=True))
    for output, reader in outputs.outputs(document.source_file, text, readers):
        if reader is None:
            found.is_fine = False
            if output.command:
                said, words = output.lines[0].strip()[:_SHOWN], " ".join(output.command)[:_SHOWN]
                message = f"found {said!r} after the command {words!r}, expected its output; left out"
                found.problem(output.first, "unrecognised", message)
            continue
        facts = reader.read(output)
        if output.json_truncated:
            facts.problem(output.last, "truncated", "found the end inside the JSON, expected its closing brackets")
        found.is_fine = found.is_fine and not facts.problems
        host = outputs.host_name(lines.get(output.first - 1, ""))
        is_plain = all(document.lines[number - 1] == line for number, line in output.numbered())
        found.captured.append(Captured(replace(output, cleaned=None if is_plain else layers), facts, host))
        found.problems += facts.problems
    return found


def recognises(document: Document) -> bool:
    r"""Whether a file holds an output that a reader knows; other rooms ask before they call a file unrecognised.

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
    >>> recognises(Document("a", b"MemTotal: 16777216 kB\nMemFree: 1 kB\n")), recognises(Document("b", b"hello\n"))
    (True, False)
    """
    return any(
        reader is not None
        for text, _ in _texts(document)
        for _, reader in outputs.outputs(document.source_file, text, READERS)
    )


def read(document: Document, readers: Sequence[Reader] = READERS, *, hint: Callable[[], str] = str) -> Read:
    r"""Read one file. Nothing in it raises.

    Parameters
    ----------
    document
        The file.
    readers
        The readers to ask.
    hint
        Gives the end of the message about a file in which none of them knows anything.

    Returns
    -------
    Read
        The outputs in it with their facts, and the problems.

    Examples
    --------
    >>> found = read(Document("n1/meminfo.txt", b"MemTotal: 16777216 kB\nMemFree: 1024 kB\n"))
    >>> [(one.facts.format, one.facts.values["mem_total_bytes"]) for one in found.captured]
    [('meminfo', 17179869184)]
    """
    texts = _texts(document)
    found = _read(document, *next(texts), readers)
    found.stored(document.problems)
    for text, layers in () if found.is_fine else texts:
        _complete(found, _read(document, text, layers, readers))
    if not found.captured and not _DUMP.search(document.source_file):
        said = next((line.strip() for line in document.lines if line.strip()), "")
        what = f"{said[:_SHOWN]!r} first" if said else "an empty file"
        found.unrecognised(what, UNRECOGNISED, hint)
    return found
