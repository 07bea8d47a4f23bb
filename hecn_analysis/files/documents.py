"""Whole files in memory, for formats recognisable only as a whole: walks, dumps, exports, XML.

`documents` walks paths like `source.find` and unpacks files with `packed`. Logs of tools, which may be long, are read
line by line instead (`source.Source`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final
from xml.etree.ElementTree import Element

import defusedxml.ElementTree as SafeElementTree

from hecn_analysis.base.progress import reading
from hecn_analysis.base.units import format_bytes
from hecn_analysis.files import packed, streams
from hecn_analysis.files.source import Lines, Source, decode, find, listed

GAVE_UP: Final = "found nothing that a reader knows"
"""Beginning of the message about a long file that no reader recognised."""
LOOKED_AT: Final = 1 << 24
SHORT: Final = 4 << 20
"""Largest file that the readers of other commands may be asked about when no reader knows it. [B]"""
_STRUCTURED: Final = ("{", "[", "<")
_FIRST: Final = 64
_LARGEST: Final = 1 << 30
_MOST_LINES: Final = 1 << 24  # reached before _LARGEST only if lines average less than 64 bytes
_GO_ON: Final = "the rest is left out; cut the file, and give its parts"
_PACKED: Final = frozenset({".gz", ".bz2", ".xz", ".zst"})


@dataclass(frozen=True)
class Document:
    """A whole file or archive member; as text, lines, JSON or XML, each computed once.

    `source_file` is the name to report: the path as given; for a directory, joined with the file's name; or
    ``archive!member``. `content` are its unpacked bytes, `content_hash` the hexadecimal SHA-256 of the stored ones,
    `problems` kinds and messages of the table of problems.
    """

    source_file: str
    content: bytes
    content_hash: str = ""
    problems: tuple[tuple[str, str], ...] = ()

    @property
    def stem(self) -> str:
        """Name of the file or archive member without folders, its ending, and endings of compression."""
        name = PurePath(self.source_file.rpartition("!")[2] or self.source_file)
        while name.suffix.lower() in _PACKED:
            name = PurePath(name.stem)
        return name.stem

    @cached_property
    def text(self) -> str:
        r"""The decoded text, without terminal sequences, with line feeds as line ends."""
        return decode(self.content)

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the text; messages number them from 1."""
        return self.text.split("\n")

    @cached_property
    def start(self) -> str:
        """The first 64 KiB of the text, without leading white space: enough to recognise most formats."""
        return self.text[: 1 << 16].lstrip()

    @cached_property
    def json(self) -> Any:  # noqa: ANN401 - whatever JSON holds
        """The value of the text if it is JSON, else None."""
        if not self.start.startswith(("{", "[")):
            return None
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    @cached_property
    def xml(self) -> Element | None:
        """The root element if the text is well-formed XML without its own entities, else None."""
        try:
            root: Element = SafeElementTree.fromstring(self.content)
        except (SafeElementTree.ParseError, ValueError, LookupError):
            return None
        return root


def documents(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    knows: Callable[[Document], bool] | None = None,
    progress: bool = False,
) -> Iterator[Document]:
    """Iterate over the files under paths, archive members included; folders are walked in sorted order.

    An unreadable file yields a document without content, whose problems give the reason. `knows` decides, after 16 MiB
    of a text, whether the rest is read (default: always); JSON and XML are always read completely.
    """
    entries = [entry for path in listed(paths) for entry in find(path)]
    with reading(len(entries), shown=progress) as done:
        for name, file in entries:
            for content in packed.texts(name, file, streams.FREE_WHOLE):
                keeper = Keeper(content, [knows or (lambda _: True)])
                for _ in keeper.pieces():
                    if not keeper.is_wanted:
                        break
                yield from keeper.documents()
            done(1)


class Keeper:
    """A file opened once, whose bytes are kept as they pass while a reader of whole files needs them.

    `knows` decides, for each kind of such reader, whether to read on after the first 16 MiB of a longer text.
    """

    def __init__(self, content: packed.Content, knows: Sequence[Callable[[Document], bool]] = ()) -> None:
        self._content = content
        self._knows = knows
        self._wanted = [True for _ in knows]
        self._kept: list[bytes] = []
        self._size = self._lines = 0
        self._is_looked_at = False
        self.excess = ""
        """Message if compressed data exceed the limit for whole files; else empty."""

    @property
    def is_wanted(self) -> bool:
        """Whether any reader needs the rest."""
        return any(self._wanted)

    @property
    def source(self) -> Source:
        """The lines; their bytes are kept as they pass."""
        return Source(replace(self._content, pieces=self.pieces()))

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the file, and keep them."""
        for piece in self._content.pieces:
            self._keep(piece)
            yield piece

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        self._lines += piece.count(b"\n")
        if not self.excess and not self._content.budget.spent:
            self.excess = self._content.budget.excess(streams.FREE_WHOLE)
        if not self.is_wanted and self._size > SHORT:
            self._kept.clear()
            return
        if self.excess:
            return
        if self._size <= _LARGEST and self._lines <= _MOST_LINES:
            self._kept.append(piece)
        if self._size > LOOKED_AT and not self._is_looked_at:
            self._is_looked_at = True
            self._look()

    def _look(self) -> None:
        """Ask the readers about the beginning, unless the format is recognised only as a whole."""
        start = b"".join(self._kept)
        if decode(start[:_FIRST]).lstrip()[:1] in _STRUCTURED:
            return
        beginning = Document(self._content.name, start[: start.rfind(b"\n", 0, LOOKED_AT) + 1])
        self._wanted = [knows(beginning) for knows in self._knows]

    @property
    def is_short(self) -> bool:
        """Whether the file was short enough to be kept whole, once the bytes have passed."""
        return self._size <= SHORT

    @property
    def lines(self) -> Lines:
        """The lines of a short file once more."""
        return Lines.of(decode(b"".join(self._kept)))

    def hint(self, ask: Callable[[Document], str] | None) -> str:
        """Ask who else reads a short file, once the bytes have passed; nothing is known of a longer one."""
        if ask is None or not self.is_short:
            return ""
        return ask(Document(self._content.name, b"".join(self._kept)))

    def documents(self) -> list[Document]:
        """The document for each kind of reader, once the bytes have passed; readers that need it share one."""
        name, problems = self._content.name, list(self._content.notes.problems)
        gave_up = ("unrecognised", f"{GAVE_UP} in the first {format_bytes(LOOKED_AT)}; the rest is not looked at")
        left = Document(name, b"", problems=(*problems, gave_up))
        return [left if not wanted else self._whole for wanted in self._wanted]

    @cached_property
    def _whole(self) -> Document:
        content_hash = self._content.content_hash
        problems = list(self._content.notes.problems)
        whole = b"".join(self._kept)
        if self.excess or self._content.budget.spent or self._size > len(whole):
            whole = whole[: whole.rfind(b"\n") + 1]  # half a line may hold a wrong number
        if self.excess:
            problems.append(("unreadable", self.excess))
        elif self._size > _LARGEST:
            problems.append(("unreadable", f"found {self._size} bytes, expected at most {_LARGEST}; {_GO_ON}"))
        elif self._lines > _MOST_LINES:
            problems.append(("unreadable", f"found {self._lines} lines, expected at most {_MOST_LINES}; {_GO_ON}"))
        return Document(self._content.name, whole, content_hash, tuple(problems))
