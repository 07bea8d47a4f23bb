"""The readers of logs and the session: which reader gets which line.

A log may hold the output of several tools one after another, with prompts, command lines and prose between. The reader
that claimed the last line is asked first; every other reader sees the lines with one of its `HINTS`. An unclaimed line
is offered once more without the prefixes of loggers (`prefixes`); then it may be a command line, which later readers
ask for, or prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final, NamedTuple

from hecn_analysis.files.source import Line, Lines, Take
from hecn_analysis.logs.contract import Command, DocumentReader, Reader, RunFindings
from hecn_analysis.logs.hints import BITS, Index
from hecn_analysis.parsing import prefixes
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_parts import Parts
from hecn_analysis.parsing.prose import is_prose
from hecn_analysis.parsing.readers import find_readers

READERS: Final[tuple[type[Reader], ...]] = tuple(find_readers(__package__, "TOOLS"))
TOOLS: Final = tuple(tool for reader in READERS for tool in reader.TOOLS)

_LONGEST_LINE: Final = 4000
_LEFT_OVER: Final = 1024
_ALIKE: Final = 4  # lines behind prefixes that are offered at once at first
_MOST_ALIKE: Final = 1024  # and once all of them are taken
_PATIENCE: Final = 4096  # lines in a row that nobody takes, after which no reader is asked without a hint
_PROMPT: Final = re.compile(
    r"^\s{0,8}(?:\[[^\]]{1,80}\]|[\w.@~:/+-]{0,80}[@:/~][\w.@~:/+-]{0,80}|)\s?[$#%]\s(?P<command>.*)$"
)
_PROGRAM: Final = re.compile(
    rf"(?:^|[\s;|&(`'\"/])(?P<program>{'|'.join(map(re.escape, TOOLS))})(?P<version>-\d[\w.]{{0,12}})?"
    r"(?=\s+-{1,2}\w|\s+\w{1,20}=)\s+(?P<arguments>[^|;&>`]{0,500})"
)
_COMMAND_HINTS: Final = (
    *(f"{prompt}{blank}" for prompt in "$#%" for blank in " \t"),
    *(f"{tool}{after}" for tool in TOOLS for after in " -"),
)
# Bits of a line: readers share the first ones, for there may be more of them; then commands, documents, later hints.
_SHARED: Final = BITS - 3
_COMMANDS: Final = 1 << _SHARED
_LATER: Final = 1 << BITS - 1
_WRAPPERS: Final = frozenset({"sudo", "time", "nice", "nohup", "exec", "command", "env"})


@dataclass(frozen=True)
class _Hints:
    """The hints of a reader that count now, and those that count later."""

    alone: tuple[str, ...]
    together: tuple[tuple[str, ...], ...]
    repeated: tuple[tuple[str, int], ...]
    later: tuple[str, ...]

    def all(self) -> _Hints:
        """The same hints, of which the later ones count from now on."""
        return replace(self, alone=(*self.alone, *self.later), later=())

    def on(self, text: str) -> bool:
        """Whether one of them is on a line."""
        for hint in self.alone:  # called for every line of prose, where a generator takes twice as long
            if hint in text:
                return True
        for hints in self.together:
            if all(map(text.__contains__, hints)):
                return True
        return any(text.count(hint) >= least for hint, least in self.repeated)


@cache
def _hints(reader: type[Reader]) -> _Hints:
    """The hints of a reader at the beginning of a file."""
    others = (tuple(getattr(reader, name, ())) for name in ("HINTS_TOGETHER", "HINTS_REPEATED", "LATER_HINTS"))
    return _Hints(tuple(reader.HINTS), *others)


@lru_cache(maxsize=4096)
def _candidates(readers: tuple[type[Reader], ...], marks: int) -> tuple[int, ...]:
    """Numbers of the readers that may have a hint on a line with such marks."""
    return tuple(
        number
        for number, reader in enumerate(readers)
        if marks >> number % _SHARED & 1 or (marks & _LATER and _hints(reader).later)
    )


class _Roles(NamedTuple):
    """What classes of readers state: hints, order, numbers of those of programs and documents, those with dates."""

    hints: dict[type[Reader], _Hints]
    order: dict[type[Reader], int]
    of_program: dict[str, tuple[int, ...]]
    of_documents: tuple[int, ...]
    dated: frozenset[type[Reader]]


@cache
def _roles(readers: tuple[type[Reader], ...]) -> _Roles:
    """The roles of some readers, which are the same in every file."""
    numbered = tuple(enumerate(readers))
    tools = {tool for reader in readers for tool in reader.TOOLS}
    return _Roles(
        {reader: _hints(reader) for reader in readers},
        {reader: number for number, reader in numbered},
        {tool: tuple(number for number, reader in numbered if tool in reader.TOOLS) for tool in tools},
        tuple(number for number, reader in numbered if issubclass(reader, DocumentReader)),
        frozenset(reader for reader in readers if getattr(reader, "DATED", False)),
    )


def command(line: Line) -> Command | None:
    """Read a line as a command line, or as an empty prompt, which ends the command before it."""
    if match := _PROGRAM.search(line.text):
        return Command(line.number, match["program"], tuple(match["arguments"].split()))
    prompt = _PROMPT.match(line.text)
    words = (prompt["command"] if prompt else line.text).split()
    while words and words[0] in _WRAPPERS:
        del words[0]
    program = re.sub(r"-\d[\w.]*$", "", words[0].rpartition("/")[2]) if words else ""
    if program in TOOLS and (prompt or len(words) == 2):
        return Command(line.number, program, tuple(words[1:]))
    if prompt and not line.text.startswith("#"):
        return Command(line.number, "", ())
    return None


class _Asked:
    """The readers of one file, each made when it is first asked."""

    def __init__(self, findings: RunFindings, classes: tuple[type[Reader], ...]) -> None:
        self.classes = classes
        self._findings = findings
        self._made: dict[int, Reader] = {}

    def __getitem__(self, number: int) -> Reader:
        if number not in self._made:
            self._made[number] = self.classes[number](self._findings)
        return self._made[number]

    def of_documents(self) -> Iterator[DocumentReader]:
        """The readers of JSON documents."""
        made = (self[number] for number in _roles(self.classes).of_documents)
        return (reader for reader in made if isinstance(reader, DocumentReader))

    def finish(self) -> None:
        """End the output of all that were made."""
        for number in sorted(self._made):
            self._made[number].finish()


class _Documents:
    """The JSON documents of one file on their way to the readers."""

    def __init__(self, findings: RunFindings, asked: _Asked, fed: set[Reader]) -> None:
        self._findings = findings
        self._asked = asked
        self._fed = fed
        self._before = ("", 0)
        self._named: set[str] = set()

    def wanted(self, value: dict[str, object]) -> bool:
        """Whether a reader asks for objects with such keys."""
        return any(reader.wants(value) for reader in self._asked.of_documents())

    def offer(self, document: JsonDocument) -> None:
        """Give a document to the first reader that takes it, unless it has just been read."""
        text, self._before = self._before, (document.text, document.last)
        between = [self._findings.claimed, *(line.number for line in self._findings.recent)]
        if text[0] == document.text and max(between) <= text[1]:
            self._name("the same JSON document twice in a row", "different ones; read once", document, "ambiguous")
            return
        if not any(self._takes(reader, document) for reader in self._asked.of_documents()):
            return
        self._findings.claim(document.first, document.last)
        for defect in document.defects:
            self._name(defect, "JSON; read as far as it has a meaning", document, "malformed")
        if document.truncated:
            self._findings.problem(
                document.last, "truncated", "found a truncated JSON document; the complete part is read"
            )

    def _takes(self, reader: DocumentReader, document: JsonDocument) -> bool:
        if not reader.wants(document.value):
            return False
        self._fed.add(reader)
        return reader.take(document)

    def _name(self, defect: str, expected: str, document: JsonDocument, kind: str) -> None:
        """Report a defect once in the file."""
        if defect not in self._named:
            self._named.add(defect)
            self._findings.problem(document.first, kind, f"found {defect}, expected {expected}")


class _Session:
    """The lines of one file on their way to the readers."""

    def __init__(self, findings: RunFindings, asked: _Asked, lines: Lines, parts: Parts, fed: set[Reader]) -> None:
        self._findings = findings
        self._asked = asked
        self._lines = lines
        self._parts = parts
        self._active: Reader | None = None
        self._silent = 0
        self._rows: Take | None = None
        self._front: int | None = 0  # prefixes before the claimed line, None where its reader knows them
        self._roles = _roles(asked.classes)
        self._hints = self._roles.hints.copy()
        lines.heeded = ~_LATER
        self._fed = fed
        parts.passed = self.pass_over

    def offer(self, line: Line) -> None:
        """Offer a line to its reader, and to all readers the consequences."""
        if not line.text or len(line.text) > _LONGEST_LINE:
            self._in_vain()
            return
        asked = self._to_ask(line) if self._active is None else None
        if asked == [] and not line.marks & _COMMANDS:
            self._findings.recent.append(line)
            return
        bare = [Line(line.number, text, line.complete, line.marks) for text in prefixes.without(line.text) if text]
        if is_prose(line.text):
            self._findings.recent.append(line)
            self._in_vain()
            return
        refused = self._refused(line, bare, asked)
        if refused is not None:
            last = bare[-1] if bare else line
            if line.marks & _COMMANDS and (typed := command(last)) is not None:
                self._begin(typed)
            elif len(self._findings.left_over) < _LEFT_OVER and refused:
                self._findings.left_over.append(line.number)
            self._findings.recent.append(line)
            self._in_vain()
            return
        self._silent = 0
        self._parts.passed = None
        end = line.number
        if self._rows is not None and self._front is not None:
            rows = _behind(self._front, line.text, self._rows) if bare else self._rows
            self._findings.claimed = end
            end = self._parts.take(rows) or end
        self._findings.claim(line.number, end)

    def _in_vain(self) -> None:
        """Count an unclaimed line; after many of them, lines without a hint are skipped again."""
        self._silent += 1
        if self._silent == _PATIENCE:
            self._active, self._parts.passed = None, self.pass_over

    def _begin(self, typed: Command) -> None:
        """End the output of the previous command, as the end of the file does."""
        if self._findings.claimed > self._findings.command.line:
            for reader in sorted(self._fed, key=lambda each: self._roles.order[type(each)]):
                reader.finish()
            self._fed.clear()
        for number in self._roles.of_program.get(typed.program, ()):
            self._wake(self._asked[number])
        self._findings.command = typed

    def _wake(self, reader: Reader) -> None:
        """Let the later hints of a reader count."""
        hints = self._hints[type(reader)]
        if hints.later:
            self._hints[type(reader)] = hints.all()
            self._lines.heeded |= _LATER

    def pass_over(self, lines: Iterable[Line]) -> None:
        """Note lines that no reader is asked about."""
        self._findings.recent.extend(line for line in lines if len(line.text) <= _LONGEST_LINE)

    def _refused(self, line: Line, bare: Sequence[Line], asked: Sequence[Reader] | None) -> Sequence[Reader] | None:
        """Offer a line: to readers whose own lines begin with a date, then without its prefixes, then unchanged.

        Returns the readers with a hint on the line if none takes it.
        """
        self._front = None if bare else 0
        if not bare and self._active_takes(line):
            return None
        asked = self._to_ask(line) if asked is None else asked
        if not bare:
            return None if self._other_takes(line, asked) else asked
        if self._one_takes(line, [reader for reader in asked if type(reader) in self._roles.dated], self._roles.dated):
            return None
        for number, part in enumerate(bare, 1):
            if self._one_takes(part, [each for each in asked if self._hints[type(each)].on(part.text)]):
                self._front = number
                return None
        return None if self._one_takes(line, asked) else asked

    def _one_takes(self, line: Line, asked: Sequence[Reader], among: frozenset[type[Reader]] | None = None) -> bool:
        return self._active_takes(line, among) or self._other_takes(line, asked)

    def _active_takes(self, line: Line, among: frozenset[type[Reader]] | None = None) -> bool:
        active = self._active
        if active is None or (among is not None and type(active) not in among):
            return False
        self._fed.add(active)
        return active.feed(line)

    def _other_takes(self, line: Line, asked: Sequence[Reader]) -> bool:
        for reader in asked:
            if reader is self._active:
                continue
            self._fed.add(reader)
            if reader.feed(line):
                self._active = reader
                self._rows = getattr(reader, "rows", None)
                self._wake(reader)
                return True
        return False

    def _to_ask(self, line: Line) -> list[Reader]:
        """Readers with a hint on a line; prefixes have none of their own."""
        marks = line.marks
        if not marks:
            return []
        classes = self._asked.classes
        return [
            self._asked[number] for number in _candidates(classes, marks) if self._hints[classes[number]].on(line.text)
        ]


def _behind(count: int, claimed: str, rows: Take) -> Take:
    """Take rows behind as many prefixes as a claimed line has; most logs repeat the same."""
    front = claimed.removesuffix(prefixes.without(claimed)[count - 1])

    def bare(text: str) -> str | None:
        if text.startswith(front):
            return text[len(front) :]
        rest = prefixes.without(text)
        return rest[count - 1] if len(rest) >= count else None

    def take(texts: Sequence[str], numbers: Sequence[int], start: int) -> int:
        at, size = start, _ALIKE
        while True:
            alike: list[str] = []
            for text in texts[at : at + size]:
                if (rest := bare(text)) is None:
                    break
                alike.append(rest)
            taken = rows(alike, numbers[at : at + len(alike)], 0) if alike else 0
            at += taken
            if taken < size:
                return at - start
            size = min(4 * size, _MOST_ALIKE)

    return take


@cache
def _index(readers: tuple[type[Reader], ...]) -> Index:
    """The hints of the readers, those of command lines, the bracket that a document begins with, and later hints."""
    hints = [_hints(reader) for reader in readers]
    groups: list[list[str]] = [[] for _ in range(_SHARED)]
    for number, reader in enumerate(readers):
        groups[number % _SHARED].extend(reader.HINTS)
    return Index(
        [*groups, [*_COMMAND_HINTS], ["{"], [word for each in hints for word in each.later]],
        [(number % _SHARED, words) for number, each in enumerate(hints) for words in each.together],
        [(number % _SHARED, *repeated) for number, each in enumerate(hints) for repeated in each.repeated],
    )


def has_hints(lines: Sequence[str]) -> bool:
    """Whether a line may be a command's or a tool's, by its hints."""
    return any(_index(READERS).marks(lines)) if lines else False


def read(lines: Lines, findings: RunFindings, readers: Sequence[type[Reader]] = READERS) -> None:
    r"""Offer the lines of one file to the readers.

    Parameters
    ----------
    lines
        The lines of the file.
    findings
        Where the readers put what they find.
    readers
        The readers to ask.

    Examples
    --------
    >>> findings = RunFindings("copies.txt")
    >>> read(Lines.of("$ dd if=a of=b\n1000000 bytes (1.0 MB) copied, 0.5 s, 2.0 MB/s\n"), findings)
    >>> [(run.columns["tool"], run.columns["throughput_bps"]) for run in findings.runs]
    [('dd', 16000000.0)]
    """
    asked = _Asked(findings, tuple(readers))
    fed: set[Reader] = set()  # readers with lines or documents since the last command
    documents = _Documents(findings, asked, fed)
    lines.mark(_index(asked.classes).marks)
    parts = Parts(lines, documents.wanted)
    session = _Session(findings, asked, lines, parts, fed)
    for part in parts:
        if isinstance(part, JsonDocument):
            documents.offer(part)
        else:
            session.offer(part)
    asked.finish()
