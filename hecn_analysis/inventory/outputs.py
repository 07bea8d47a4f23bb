"""Splitting of a file into outputs.

People capture with `script`, paste a terminal, or let a loop write everything into one file. A file is split at command
lines (after a prompt, after ``+`` of a shell's -x, between marks as ``==> /proc/meminfo <==`` or
``#==[ Command ]==#``), then at first lines of outputs, if their reader knows what follows, and at documents of JSON.
Nothing is ever executed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from hecn_analysis.inventory.contract import Output, Reader
from hecn_analysis.parsing.cleaning import Text
from hecn_analysis.parsing.cleaning.marks import FENCE

_LONGEST: Final = 400
_AHEAD: Final = 60  # lines by which a reader knows what begins
_TWO_LINES: Final = r"\n"  # in a pattern
_PROMPT: Final = re.compile(
    r"^\s{0,8}(?P<who>\[[^\]]{1,80}\]|[\w.@~:/+-]{0,80}[@:/~][\w.@~:/+-]{0,80}(?:\[[^\]]{1,80}\])?|)\s?[$#%>]"
    r"\s{1,4}(?P<command>\S.*)$"
)
#: A prompt of a host's name alone, certain where a known program follows, and wherever it comes again.
_NAMED: Final = re.compile(r"^\s{0,8}(?P<who>[A-Za-z][\w.-]{0,60}) [$#%>]\s{1,4}(?P<command>\S.*)$")
#: A prompt where nothing was typed.
_IDLE: Final = re.compile(
    r"^\s{0,8}(?:\[[\w.-]{1,40}@[^\]]{1,80}\]|[\w.-]{1,40}@[\w.@~:/+-]{1,80}(?:\[[^\]]{1,80}\])?)\s?[$#%]\s{0,8}$"
)
_MARKED: Final = re.compile(
    r"^\s{0,8}(?:(?:[=#*+<>\[-]\s?){2,80}|\+{1,8}\s|(?:Command|Output|Running|Executing|CMD)(?: of)?:?\s)\s{0,8}"
    r"[`'\"]?(?P<command>[\w./-](?:.*?\S)??)[`'\"]?\s{0,400}(?::\s{0,400})?(?<![=#*<>\]-])(?:[=#*<>\]-]\s?){0,400}$",
    re.IGNORECASE,
)
_HOST: Final = re.compile(r"\[?(?:[\w.-]{1,40}@)(?P<host>[\w.-]{1,64})")
# A document of JSON that stands on lines of its own, below one that has ended.
_DOCUMENT: Final = re.compile(r"(?:\[\s{0,8})?\{\s{0,8}(?:\"|$)|\[\s{0,8}$")
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*+\"")
_VERSION: Final = re.compile(r"# \w{2,20} \d{1,3}(?:\.\d{1,3}){0,2}\s*$")  # the first line of dmidecode's own output
_WRAPPERS: Final = frozenset({"sudo", "time", "nice", "nohup", "exec", "command", "env", "-n", "LC_ALL=C", "LANG=C"})
_PRINTERS: Final = frozenset({"cat", "head", "tail", "more", "less", "zcat", "xzcat"})


class _Begin(NamedTuple):
    """A reader whose output may begin at a line, the group of its pattern, and the text that tells."""

    reader: Reader
    group: int | None
    told: str


def command(line: str, known: Collection[str]) -> tuple[str, ...] | None:
    """Return the words of a command line after a prompt or between marks; empty for an unknown program."""
    if len(line) > _LONGEST:
        return None
    prompt = _PROMPT.match(line)
    if prompt and (words := _words(prompt["command"], known)) and not (not prompt["who"] and _VERSION.match(line)):
        return words
    marked = _MARKED.match(line)
    if marked and (words := _words(marked["command"], known)):
        return words
    return () if (prompt and prompt["who"]) or _IDLE.match(line) else None


def _words(text: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the words of a known command, else none."""
    words = text.split()
    while words and words[0] in _WRAPPERS:
        del words[0]
    if not words or words[0].endswith(":"):
        return ()
    if words[0] in known and words[0].startswith("/"):
        return (words[0], *words[1:])
    program = words[0].rpartition("/")[2]
    if program in _PRINTERS:
        named = next((word for word in words[1:] if word.startswith("/")), None)
        return (named, *(word for word in words[1:] if word != named)) if named is not None else ()
    return (program, *words[1:]) if program in known else ()


def host_name(line: str) -> str | None:
    """Return the host that a prompt names."""
    prompt = _PROMPT.match(line[:_LONGEST])
    match = _HOST.match(prompt["who"]) if prompt else None
    return match["host"] if match else None


def outputs(source_file: str, text: Text, readers: Sequence[Reader]) -> Iterator[tuple[Output, Reader | None]]:
    r"""Yield the outputs of a text in order, each with its reader, or None."""
    known = {name for reader in readers for name in reader.COMMANDS}
    for section in _sections(source_file, text, known):
        yield from _pieces(section, readers)


def _sections(source_file: str, text: Text, known: Collection[str]) -> Iterator[Output]:
    """Split at command lines and at the fences of code."""
    complete = not text.lines[-1]
    start = 0
    words: tuple[str, ...] = ()
    first_seen = False
    hosts = _hosts(text.lines, known)
    for index, line in enumerate(text.lines):
        typed = () if FENCE.match(line) else command(line, known)
        if typed is None and hosts and (prompt := _NAMED.match(line[:_LONGEST])) and prompt["who"] in hosts:
            typed = _words(prompt["command"], known)
        if typed is None and not first_seen and line.strip():
            typed = _bare(line, known)
        first_seen = first_seen or bool(line.strip())
        if typed is not None:
            yield from _section(source_file, text, (start, index), words, complete=True)
            start, words = index + 1, typed
    yield from _section(source_file, text, (start, len(text.lines)), words, complete=complete)


def _hosts(lines: Sequence[str], known: Collection[str]) -> set[str]:
    """The names in front of known commands, as in ``backup1 # lscpu``."""
    prompts = (prompt for line in lines if (prompt := _NAMED.match(line[:_LONGEST])))
    return {prompt["who"] for prompt in prompts if _words(prompt["command"], known)}


def _bare(line: str, known: Collection[str]) -> tuple[str, ...] | None:
    """Return the words of a command line without a prompt, such as the first line of a file."""
    words = line.split()
    return tuple(words) if len(words) > 1 and words[0] in known and words[1].startswith("-") else None


def _section(
    name: str, text: Text, span: tuple[int, int], words: tuple[str, ...], *, complete: bool
) -> Iterator[Output]:
    """Make an output of the lines of a span, without blank ones around; none if all are blank."""
    lines = text.lines
    start, end = span
    while start < end and not lines[start].strip():
        start += 1
    whole = complete or end < len(lines)
    while end > start and not lines[end - 1].strip():
        end -= 1
        whole = True
    if start < end:
        numbers = () if isinstance(text.numbers, range) else tuple(text.numbers[start:end])
        yield Output(name, tuple(lines[start:end]), text.numbers[start], words, whole, numbers)


def _pieces(section: Output, readers: Sequence[Reader]) -> Iterator[tuple[Output, Reader | None]]:
    """Split at lines that begin an output."""
    starts = _starts(section, readers)
    spans = zip(starts, [*list(starts)[1:], len(section.lines)], strict=True)
    pieces = {span: _cut(section, *span) for span in spans}
    known = {span: own for span, piece in pieces.items() if (own := _reader(piece, starts[span[0]])) is not None}
    cuts = [start for start, _ in known]
    if not cuts or cuts[0] != 0:
        cuts.insert(0, 0)
    for span in zip(cuts, [*cuts[1:], len(section.lines)], strict=True):
        if span in known:
            yield _own(pieces[span], known[span], readers), known[span]
        elif span in pieces:
            yield pieces[span], None
        else:
            piece = _cut(section, *span)
            yield piece, _reader(piece, readers)


def _own(piece: Output, reader: Reader, readers: Sequence[Reader]) -> Output:
    """An output with the command line above it; without, if that was the line of another program further up."""
    program = piece.command[0] if piece.command else ""
    is_other = program not in reader.COMMANDS and any(program in other.COMMANDS for other in readers)
    return replace(piece, command=()) if is_other else piece


def _starts(section: Output, readers: Sequence[Reader]) -> dict[int, Sequence[Reader]]:
    """The lines at which outputs begin, with the readers in the order to ask them."""
    lines = section.lines
    begins = _candidates(section, readers)
    following = _following(begins, len(lines))
    starts: dict[int, Sequence[Reader]] = {0: readers}
    begun: tuple[Reader, int | None] | None = None
    seen: set[str] = set()  # what tells of the open output so far: the same again begins another
    place = 0  # the first line of the open output
    open_brackets, counted = 0, 0  # of the open output, up to a line
    for index in sorted({*begins, *_documents(lines)}):
        if index not in begins:
            open_brackets += sum(map(_brackets, lines[counted:index])) if _DOCUMENT.match(lines[place]) else 0
            counted = index
            if not open_brackets:
                starts[index] = readers
                begun, seen, place = None, set(), index
            continue
        for reader, group, told in begins[index]:
            is_next = (reader, group) != begun or reader.REPEATS or (told and told in seen)
            if not is_next or _is_start(section, index, following[index], reader):
                break
        else:
            continue
        if is_next:
            starts[index] = (reader, *readers)  # whose output begins is asked first
            seen, place = set(), index
            open_brackets, counted = 0, index
        seen.add(told)
        begun = (reader, group)
    return starts


def _brackets(line: str) -> int:
    """Number of brackets of JSON that a line opens, less those that it closes."""
    bare = _STRING.sub("", line)
    return bare.count("{") + bare.count("[") - bare.count("}") - bare.count("]")


def _is_start(section: Output, index: int, following: int, reader: Reader) -> bool:
    """Whether a reader knows the next lines, or all to the next beginning of another output."""
    ahead = min(index + _AHEAD, len(section.lines))
    return any(reader.recognises(_cut(section, index, stop)) for stop in {ahead, min(following, ahead)})


def _following(begins: Mapping[int, Sequence[_Begin]], end: int) -> dict[int, int]:
    """The line at which another output may begin, for each line at which one may begin."""
    next_kind: dict[int, int] = {}
    last, kinds = end, set[tuple[Reader, int | None]]()
    for index in reversed(list(begins)):
        own = {(each.reader, each.group) for each in begins[index]}
        next_kind[index] = last if own.isdisjoint(kinds) else next_kind[last]
        last, kinds = index, own
    return next_kind


def _documents(lines: Sequence[str]) -> Iterator[int]:
    """The lines at which documents of JSON may begin."""
    return (index for index, line in enumerate(lines) if index and _DOCUMENT.match(line))


def _candidates(section: Output, readers: Sequence[Reader]) -> dict[int, Sequence[_Begin]]:
    """The lines that match the first line of a reader's output."""
    one_line, two_lines = _begins(tuple(readers))
    begins: dict[int, Sequence[_Begin]] = {}
    whose: dict[str, Sequence[_Begin]] = {}
    for index, (line, below) in enumerate(zip(section.lines, (*section.lines[1:], ""), strict=True)):
        both = f"{line}\n{below}"
        if not one_line.match(line) and not two_lines.match(both):
            continue
        if both not in whose:
            whose[both] = [
                _Begin(reader, match.lastindex, match[0])
                for reader in readers
                if reader.BEGINS is not None
                and (match := reader.BEGINS.match(both if _TWO_LINES in reader.BEGINS.pattern else line)) is not None
            ]
        begins[index] = whose[both]
    return begins


@lru_cache(maxsize=8)
def _begins(readers: tuple[Reader, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Join the patterns of all readers: for a line, and for a line with the next one."""
    patterns = [reader.BEGINS.pattern for reader in readers if reader.BEGINS is not None]
    long = [pattern for pattern in patterns if _TWO_LINES in pattern]
    short = [pattern for pattern in patterns if _TWO_LINES not in pattern]
    one_line, two_lines = ("|".join(f"(?:{each})" for each in group) or r"(?!)" for group in (short, long))
    return re.compile(one_line), re.compile(two_lines)


def _cut(section: Output, start: int, end: int) -> Output:
    if (start, end) == (0, len(section.lines)):
        return section
    last = end
    while last > start and not section.lines[last - 1].strip():
        last -= 1
    return replace(
        section,
        lines=section.lines[start:last],
        first=section.numbers[start] if section.numbers else section.first + start,
        complete=section.complete or end < len(section.lines),
        numbers=section.numbers[start:last],
    )


def _reader(output: Output, readers: Sequence[Reader]) -> Reader | None:
    return next((reader for reader in readers if output.lines and reader.recognises(output)), None)
