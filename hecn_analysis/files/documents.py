"""Whole files in memory, for formats that say what they are only when seen together: walks, dumps, exports, XML.

`documents` walks paths as `source.find` does and unpacks what `packed` can. Logs of tools, which may be long, are read
line by line instead (`source.Source`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from typing import Final

from hecn_analysis.base.progress import reading
from hecn_analysis.base.units import format_bytes
from hecn_analysis.files import packed, streams
from hecn_analysis.files.opening import File, unreadable
from hecn_analysis.files.source import decode, find

GAVE_UP: Final = "found nothing that a reader knows"
"""Beginning of the message about a long file that was given up."""
LOOKED_AT: Final = 1 << 24
_STRUCTURED: Final = ("{", "[", "<")
_FIRST: Final = 64
_LARGEST: Final = 1 << 30
_MOST_LINES: Final = 1 << 24  # files in which each has 64 bytes at the mean are never cut for these
_GO_ON: Final = "the rest is left out; cut the file, and give its parts"
_PACKED: Final = frozenset({".gz", ".bz2", ".xz", ".zst"})


@dataclass(frozen=True)
class Document:
    """A file, or a member of an archive, whole.

    Parameters
    ----------
    source_file
        The name to report: the path as given, for a directory that path joined with the file's, ``archive!member``.
    content
        Its bytes, unpacked.
    content_hash
        SHA-256 of the bytes as they are stored, hexadecimal.
    problems
        What was wrong with the file or its packing: each a kind of the table of problems and a message.
    """

    source_file: str
    content: bytes
    content_hash: str = ""
    problems: tuple[tuple[str, str], ...] = ()

    @property
    def stem(self) -> str:
        """Name of the file, or of the member of an archive, without folders, its ending, and those of compression.

        >>> Document("mrtg/port1.log.gz", b"").stem, Document("mrtg.tar.gz!mrtg/port1.log", b"").stem
        ('port1', 'port1')
        """
        name = PurePath(self.source_file.rpartition("!")[2] or self.source_file)
        while name.suffix.lower() in _PACKED:
            name = PurePath(name.stem)
        return name.stem

    @cached_property
    def text(self) -> str:
        r"""The text, decoded, without terminal sequences, its lines ended by line feeds alone.

        >>> Document("a", b"caf\xe9\r\n").text
        'café\n'
        """
        return decode(self.content)

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the text; the first one has number 1 in every message."""
        return self.text.split("\n")


def documents(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    knows: Callable[[Document], bool] | None = None,
    progress: bool = False,
) -> Iterator[Document]:
    """Give the files under paths, one after another, with what is in archives.

    What cannot be read is a document without content, with the reason in its problems.

    Parameters
    ----------
    paths
        A file or a folder, or several. Folders are walked in sorted order.
    knows
        Whether the first 16 MiB of a longer text are worth reading the rest; by default, all is read. JSON and XML,
        which are recognised only as a whole, are always read.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Yields
    ------
    Document
        The name to report, the text, and what is wrong with it.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> [PurePath(document.source_file).name for document in documents(data_dir() / "logs" / "c-systems-dd.txt")]
    ['c-systems-dd.txt']
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = [entry for path in given for entry in find(path)]
    with reading(len(found), shown=progress) as done:
        for name, file in found:
            if isinstance(file, OSError):
                yield Document(name, b"", problems=(("unreadable", unreadable(file)),))
            else:
                yield from _read(name, file, knows)
            done(1)


def _read(name: str, file: File, knows: Callable[[Document], bool] | None) -> Iterator[Document]:
    for content in packed.contents(name, file, streams.FREE_WHOLE):
        head = list(_up_to(content.pieces, LOOKED_AT))
        if knows is not None and not _is_worth_reading(content.name, head, knows):
            problem = f"{GAVE_UP} in the first {format_bytes(LOOKED_AT)}; the rest is not looked at"
            yield Document(content.name, b"", problems=(*content.notes.problems, ("unrecognised", problem)))
            continue
        kept, size, lines = [], 0, 0
        for piece in chain(head, content.pieces):
            size += len(piece)
            lines += piece.count(b"\n")
            if size <= _LARGEST and lines <= _MOST_LINES:
                kept.append(piece)
        head.clear()
        content_hash = content.content_hash
        problems = list(content.notes.problems)
        whole = b"".join(kept)
        if content.budget.spent or size > len(whole):
            whole = whole[: whole.rfind(b"\n") + 1]  # half a line may be a wrong number
        if size > _LARGEST:
            problems.append(("unreadable", f"found {size} bytes, expected at most {_LARGEST}; {_GO_ON}"))
        elif lines > _MOST_LINES:
            problems.append(("unreadable", f"found {lines} lines, expected at most {_MOST_LINES}; {_GO_ON}"))
        yield Document(content.name, whole, content_hash, tuple(problems))


def _up_to(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Take pieces until they are more than a size."""
    for piece in pieces:
        yield piece
        size -= len(piece)
        if size < 0:
            return


def _is_worth_reading(name: str, head: Sequence[bytes], knows: Callable[[Document], bool]) -> bool:
    """Whether a text is short, known by its beginning, or of a format that shows only as a whole."""
    start = b"".join(head)
    if len(start) <= LOOKED_AT or decode(start[:_FIRST]).lstrip()[:1] in _STRUCTURED:
        return True
    return knows(Document(name, start[: start.rfind(b"\n", 0, LOOKED_AT) + 1]))
