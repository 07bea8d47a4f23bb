"""Finding, opening and decoding of text files: any path, any common encoding, numbered lines.

Line numbers are those of an editor. Carriage returns inside a line (progress displays) and cursor movements separate
pieces that share the number of their line. Encodings: UTF-8 with or without a byte order mark, UTF-16 with one, and
Latin-1 for every line that is not UTF-8. Colours and other terminal sequences are removed. Files are read as a stream,
in blocks of lines: memory does not grow with them. `packed` unpacks compressed files and archives.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple, Self

from hecn_analysis.base.children import is_private
from hecn_analysis.base.errors import InputError
from hecn_analysis.files import packed
from hecn_analysis.files.names import as_stored, readable
from hecn_analysis.files.opening import LEADS_OUT, File, check_file_system, is_within, kind_of

_LONGEST: Final = 1 << 24
_MOVED: Final = re.compile(r"\x1b(?:\[[0-9;]{0,20}[ABEFGHdfu]|8)")
_TERMINAL: Final = re.compile(r"\x1b(?:\[[0-9;?]{0,40}[ -/]?[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[78@-Z\\^_=>])")
_MARKED: Final = 512
_REMEMBERED: Final = 8
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Line(NamedTuple):
    """A line of a log, or a piece of one between carriage returns."""

    number: int  # number of the line in its file, from 1
    text: str  # the text without its end, decoded, without terminal sequences
    complete: bool = True  # false if the file ends inside the line
    marks: int = -1  # bits for possible contents of the line, set by `Lines.mark`; all bits if nothing was marked


class Block(NamedTuple):
    """Consecutive lines."""

    texts: list[str]  # their texts
    numbers: Sequence[int]  # their numbers, as many
    complete: bool = True  # false if the file ends inside the last of them


Take = Callable[[Sequence[str], Sequence[int], int], int]
"""Takes as many texts, with their numbers, as it can from an index on, and returns how many."""


class Lines:
    """The lines of a file, in blocks, one by one or many at once."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._block = Block([], range(0))
        self._at = 0
        self._look: Callable[[Sequence[str]], list[int]] | None = None
        self._marked = 0
        self._marks: list[int] = []
        self.heeded = -1
        """Bits of the marks that keep a line from being passed over."""

    @classmethod
    def of(cls, text: str) -> Self:
        r"""Return the lines of a text."""
        return cls(_blocks(iter([text])))

    def mark(self, look: Callable[[Sequence[str]], list[int]]) -> None:
        """Set the function that returns, from the texts of lines, the marks of those that are not taken in bulk."""
        self._look = look

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Line:
        at = self._at
        while at == len(self._block.texts):
            self._block, self._marks, at = next(self._blocks), [], 0
        texts, numbers, complete = self._block
        self._at = at + 1
        marks = -1 if self._look is None else self._look_at(self._look, at)
        return Line(numbers[at], texts[at], complete or self._at < len(texts), marks)

    def whole(self) -> Block:
        """Return the lines as one block, before any of them was taken."""
        blocks = list(self._blocks)
        if len(blocks) == 1:
            return blocks[0]
        texts = list(chain.from_iterable(block.texts for block in blocks))
        numbers = list(chain.from_iterable(block.numbers for block in blocks))
        return Block(texts, numbers, not blocks or blocks[-1].complete)

    def _look_at(self, look: Callable[[Sequence[str]], list[int]], at: int) -> int:
        if not self._marked <= at < self._marked + len(self._marks):
            self._marked, self._marks = at, look(self._block.texts[at : at + _MARKED])
        return self._marks[at - self._marked]

    def marked(self, texts: Sequence[str], numbers: Sequence[int]) -> list[Line]:
        """Return lines taken in bulk as they would have come one by one."""
        if self._look is None:
            return list(map(Line, numbers, texts))
        marks = [mark for at in range(0, len(texts), _MARKED) for mark in self._look(texts[at : at + _MARKED])]
        return [Line(number, text, marks=mark) for number, text, mark in zip(numbers, texts, marks, strict=True)]

    def pass_over(self) -> list[Line]:
        """Skip the following lines without marks and return the last of those that are not empty."""
        passed: list[Line] = []
        while self._look is not None:
            start = at = self._at
            texts = self._block.texts
            if at == len(texts):
                block = next(self._blocks, None)
                if block is None:
                    break
                self._block, self._marks, self._at = block, [], 0
                continue
            if self._look_at(self._look, at) & self.heeded:
                break
            marks, heeded = self._marks, self.heeded
            end = self._marked + len(marks)
            while at < end and not marks[at - self._marked] & heeded:
                at += 1
            self._at = at
            latest = [place for place in range(max(start, at - 4 * _REMEMBERED), at) if texts[place]][-_REMEMBERED:]
            passed = [*passed, *(Line(self._block.numbers[place], texts[place], marks=0) for place in latest)]
        return passed[-_REMEMBERED:]

    def take(self, rows: Take) -> int:
        """Offer the following lines of the block to a reader; return the number of the last one taken, 0 for none."""
        last, at = 0, self._at
        while True:
            if at == len(self._block.texts):
                block = next(self._blocks, None)
                if block is None:
                    break
                self._block, self._marks, at = block, [], 0
            texts, numbers, complete = self._block
            taken = rows(texts, numbers, at) if complete else 0
            if taken:
                at += taken
                last = numbers[at - 1]
            if at < len(texts):
                break
        self._at = at
        return last


class Source:
    r"""A file of lines, with the hash of its bytes once they have been read.

    `origin` is the file, whose bytes are taken as they are, or content that is already unpacked.

    Examples
    --------
    >>> _ = (folder / "a.log").write_bytes(b"one\r\n10 %\r100 %\nlast")
    >>> [tuple(line)[:3] for line in Source(folder / "a.log").lines()]
    [(1, 'one', True), (2, '10 %', True), (2, '100 %', True), (3, 'last', False)]
    """

    def __init__(self, origin: str | os.PathLike[str] | packed.Content) -> None:
        self._content = origin if isinstance(origin, packed.Content) else packed.plain(File(os.fspath(origin)))
        self.name = self._content.name

    @property
    def content_hash(self) -> str:
        """SHA-256 of the bytes as they are stored, hexadecimal."""
        return self._content.content_hash

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Return the problems of the file or its packing, complete once the lines and the hash have been read."""
        return self._content.notes.problems

    def lines(self, results: Callable[[], int] = int) -> Lines:
        """Return the lines of the file, which can be read once.

        `results` returns the number of runs and problems so far: reading stops at compressed data with more than logs
        have.
        """
        return Lines(self._borne(_blocks(self._text()), results))

    def _borne(self, blocks: Iterator[Block], results: Callable[[], int]) -> Iterator[Block]:
        before = 0
        for block in blocks:
            yield block
            now = results()
            if not self._content.budget.bears(now - before, self._content.notes):
                return
            before = now

    def _text(self) -> Iterator[str]:
        """Iterate over decoded text in pieces of any length that end between characters."""
        chunks = self._content.pieces
        first = next(chunks, b"")
        if first.startswith(_UTF16):
            decoder = codecs.getincrementaldecoder("utf-16")("replace")
            yield decoder.decode(first)
            for chunk in chunks:
                yield decoder.decode(chunk)
            yield decoder.decode(b"", final=True)
            return
        rest = first.removeprefix(codecs.BOM_UTF8)
        for chunk in chunks:
            cut = rest.rfind(b"\n") + 1
            yield _decode(rest[:cut])
            rest = rest[cut:] + chunk
            if len(rest) > _LONGEST:
                yield _decode(rest)
                rest = b""
        yield _decode(rest)


def decode(content: bytes) -> str:
    r"""Decode a whole text, with line feeds as line ends and without terminal sequences."""
    if content.startswith(_UTF16):
        text = content.decode("utf-16", "replace")
    else:
        text = _decode(content.removeprefix(codecs.BOM_UTF8))
    if "\x1b" in text:
        text = _TERMINAL.sub("", _MOVED.sub("\r", text))
    return text.replace("\r\n", "\n")


def _decode(block: bytes) -> str:
    try:
        return block.decode()
    except UnicodeDecodeError:
        return "\n".join(map(_decode_line, block.split(b"\n")))


def _decode_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _blocks(pieces: Iterator[str]) -> Iterator[Block]:
    """Iterate over blocks of lines, which end at line feeds only."""
    number, rest = 1, ""
    for piece in pieces:
        before, feed, after = piece.rpartition("\n")
        if not feed and len(rest) + len(after) <= _LONGEST:
            rest += after
            continue
        block = _block(rest + (before if feed else after), number)
        yield block
        number, rest = block.numbers[-1] + 1, after if feed else ""
    if rest:
        yield _block(rest, number)._replace(complete=False)


def _block(text: str, first: int) -> Block:
    if "\x1b" in text:
        text = _TERMINAL.sub("", _MOVED.sub("\r", text))
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    lines = text.split("\n")
    if "\r" not in text:
        return Block(lines, range(first, first + len(lines)))
    pieces = [line.split("\r") for line in lines]
    numbers = [number for number, parts in enumerate(pieces, first) for _ in parts]
    return Block([part for parts in pieces for part in parts], numbers)


def listed(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str | os.PathLike[str]]:
    """Return one path or several as a list.

    InputError if a single path does not exist. Of several, a missing one becomes a problem of the reading.
    """
    if not isinstance(paths, str | os.PathLike):
        return list(paths)
    name = os.fspath(paths)
    if not isinstance(paths, File) and not os.path.lexists(as_stored(name)):
        raise InputError("no such file or directory", "a file or a folder", source=readable(name))
    return [paths]


def find(path: str | os.PathLike[str]) -> Iterator[tuple[str, File | OSError]]:
    """Iterate over the files under a path in sorted order: the name to report, and the file or why it cannot be read.

    A path that is itself a file may be a link or a pipe; inside folders, only regular files are read. Links are
    followed if they stay in the folder, and to each folder once. Escapes stand for bytes of names that are not UTF-8.
    """
    entries = iter([(path.name, path)]) if isinstance(path, File) else _found(as_stored(os.fspath(path)))
    for name, file in entries:
        yield readable(name), file


def _found(name: str) -> Iterator[tuple[str, File | OSError]]:
    try:
        status = Path(name).stat()
        if stat.S_ISDIR(status.st_mode):
            yield from _Walk(name).files()
        elif stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode):
            yield name, File(name)
        else:
            yield name, OSError(kind_of(status))
    except OSError as error:
        yield name, error
    except ValueError:  # its message differs between Python versions
        yield name, OSError("a null byte in the name")


def parquet_below(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Iterate over Parquet files at any depth below a folder, without links to folders and unreadable folders."""
    waiting = [Path(folder)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except PermissionError:
            continue
        waiting += (Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
        yield from (Path(entry.path) for entry in entries if entry.name.endswith(".parquet"))


_Place = tuple[int, int]  # device and number of a folder


class _Walk:
    """A walk through a folder that the user named, without this package's own temporary folders in use."""

    def __init__(self, folder: str) -> None:
        self._top = folder
        self._folder = os.path.realpath(folder)
        self._entered: set[_Place] = set()

    def files(self) -> Iterator[tuple[str, File | OSError]]:
        """Iterate over files in sorted order, and the reasons why others are not read."""
        waiting: list[tuple[str, tuple[_Place, ...]]] = [(self._top, ())]  # each with the folders above it
        while waiting:
            name, above = waiting.pop()
            try:
                status = self._status(Path(name))
                if stat.S_ISDIR(status.st_mode):
                    if above and is_private(name):
                        continue
                    here = self._enter(status, Path(name), above)
                    entries = sorted(os.listdir(name), reverse=True)  # noqa: PTH208 - text, joined as it was given
                    waiting += [(os.path.join(name, entry), (*above, here)) for entry in entries]  # noqa: PTH118
                else:
                    yield name, File(name, self._folder)
            except OSError as error:
                yield name, error

    def _status(self, path: Path) -> os.stat_result:
        """Return the status of a regular file or a folder; raise for anything that is skipped."""
        if path.is_symlink() and not is_within(os.path.realpath(path), self._folder):
            raise OSError(LEADS_OUT)
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise OSError(kind_of(status))
        check_file_system(status, self._folder)
        return status

    def _enter(self, status: os.stat_result, path: Path, above: tuple[_Place, ...]) -> _Place:
        """Note a folder; raise for a link to a known one, of which there may be arbitrarily many."""
        here = (status.st_dev, status.st_ino)
        if here in above:
            raise OSError("a folder that contains itself through a link")
        if here in self._entered and path.is_symlink():
            raise OSError("a link to a folder that is read under another name")
        self._entered.add(here)
        return here
