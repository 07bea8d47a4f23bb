"""Opening and decoding of logs: any path, any common encoding, lines with their numbers.

A line keeps the number that an editor shows. A carriage return inside a line (progress displays) separates pieces
that all have the number of their line. UTF-8 with or without a byte order mark, UTF-16 with one, and Latin-1 for
every line that is not UTF-8. Colours and other terminal sequences are taken out. Files are read as a stream: memory
does not grow with them. What is compressed or in an archive is unpacked by `packed`.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from hecn_analysis.logs import packed

_LONGEST: Final = 1 << 24
_TERMINAL: Final = re.compile(r"\x1b(?:\[[0-9;?]{0,40}[ -/]?[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\^_=>])")
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Line(NamedTuple):
    """A line of a log, or a piece of one between carriage returns.

    Parameters
    ----------
    number
        Number of the line in its file, from 1.
    text
        The text without its end, decoded, without terminal sequences.
    complete
        False where the file ends before the line does.
    """

    number: int
    text: str
    complete: bool = True


class Source:
    r"""A file of lines, with the hash of its bytes once they have been read.

    Parameters
    ----------
    given
        The file, whose bytes are taken as they are, or what has been unpacked from one.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.log").write_bytes(b"one\r\n10 %\r100 %\nlast")
    ...     [tuple(line) for line in Source(Path(folder, "a.log"))]
    [(1, 'one', True), (2, '10 %', True), (2, '100 %', True), (3, 'last', False)]
    """

    def __init__(self, given: Path | packed.Content) -> None:
        self._content = packed.plain(given) if isinstance(given, Path) else given
        self.name = self._content.name

    @property
    def content_hash(self) -> str:
        """SHA-256 of the bytes as they are stored, hexadecimal."""
        return self._content.content_hash

    @property
    def problems(self) -> list[tuple[str, str]]:
        """What was wrong with the file or its packing, complete once the lines and the hash have been read."""
        return self._content.notes.problems

    def __iter__(self) -> Iterator[Line]:
        """Read the file once, line by line."""
        for number, (raw, complete) in enumerate(_split(self._text()), start=1):
            text = raw.removesuffix("\r")
            if "\x1b" in text:
                text = _TERMINAL.sub("", text)
            if "\r" in text:
                *before, text = text.split("\r")
                for piece in before:
                    yield Line(number, piece)
            yield Line(number, text, complete)

    def _text(self) -> Iterator[str]:
        """Decoded text in pieces of any length that end between characters."""
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


def sources(name: str, path: Path) -> Iterator[Source]:
    """Sources of a file: itself, or the members of the archive that it is. Each is to be read before the next.

    Parameters
    ----------
    name
        The name of the file to report.
    path
        Where it is.
    """
    return map(Source, packed.contents(name, path))


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


def _split(pieces: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Lines at line feeds only, and whether each had one."""
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        for line in lines:
            yield line, True
        if len(rest) > _LONGEST:
            yield rest, True
            rest = ""
    if rest:
        yield rest, False


def find(given: str | os.PathLike[str]) -> Iterator[tuple[str, Path | OSError]]:
    """Files under a path in sorted order: the name to report, and the file or why it cannot be read.

    A path that is itself a file may be a pipe; inside folders, only regular files are read. Links to folders are
    followed, except into a folder that contains them.

    Parameters
    ----------
    given
        A file or a folder.
    """
    yield from _walk(os.fspath(given), (), given=True)


def _walk(name: str, above: tuple[tuple[int, int], ...], *, given: bool) -> Iterator[tuple[str, Path | OSError]]:
    path = Path(name)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            here = (status.st_dev, status.st_ino)
            if here in above:
                yield name, OSError("a folder that contains itself through a link")
                return
            for entry in sorted(os.listdir(path)):  # noqa: PTH208 - the names as text, joined as they were given
                yield from _walk(os.path.join(name, entry), (*above, here), given=False)  # noqa: PTH118
        elif stat.S_ISREG(status.st_mode) or (given and stat.S_ISFIFO(status.st_mode)):
            yield name, path
        elif given:
            yield name, OSError("a device or a socket")
    except OSError as error:
        yield name, error
    except ValueError:  # the words for it differ from one Python to the next
        yield name, OSError("a null byte in the name")
