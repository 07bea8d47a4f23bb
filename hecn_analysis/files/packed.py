"""Compressed files and archives, unpacked as a stream and in memory only: nothing is ever written to disk.

What a file is shows in its first bytes, never in its name: gzip, bzip2, xz, zstd, tar
and zip, and these in each other. Members of archives are named ``archive!member``; the name is text, so that
"../" in it leads nowhere. Only regular files are members: folders, links and devices are passed over.

What is damaged or cut gives what can be read of it, and a problem in words. tar and zip are read from front to back,
by the headers in front of the members: an archive without its end still gives its members.

Bounds
------
- Archives in archives: two deep. Compression: twice over.
- What comes out of a compressed file: 200 bytes for each byte read of it, or as much as is free: 64 MB where lines
  are read one after another, 8 MB where a file is read whole. Logs, however long, stay below the 200, even of lines
  that differ in their times only; what is beyond is left out, with a problem that says how to go on.
- Runs and problems in a compressed file: 50,000, or one for each eight bytes read of it.
- Members of an archive: 100,000 (for all of these see `streams`).
- Memory: a few pieces of at most a mebibyte, and 256 MiB where an xz or zstd file asks for such a dictionary.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from hecn_analysis.files import opening
from hecn_analysis.files.compression import CODECS, compression
from hecn_analysis.files.opening import File
from hecn_analysis.files.streams import BLOCK, STORED_PIECE, Budget, Member, Notes, Stream, finish
from hecn_analysis.files.tar_archive import is_tar, members_of_tar
from hecn_analysis.files.zip_archive import is_zip, members_of_zip

_DEPTH: Final = 2
_LAYERS: Final = 2

_Walk = Callable[[Stream, Notes, Budget], Iterator[Member]]


class _Hashed:
    """Stored bytes, hashed as they are read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._hash.update(piece)
            yield piece

    def hexdigest(self) -> str:
        """SHA-256 of all of them, those included that nobody asked for."""
        finish(iter(self))
        return self._hash.hexdigest()


@dataclass(frozen=True)
class Content:
    """A file, or a member of an archive, without its packing.

    Parameters
    ----------
    name
        The name to report: of a member, the archive's, an exclamation mark and its own.
    pieces
        The bytes, to be read once.
    stored
        The bytes as they are stored, with their hash.
    notes
        What is wrong with the packing, complete once the bytes and `content_hash` have been read. An archive with
        problems of its own is a content without bytes.
    budget
        What may still come out of the file, of all members together.
    """

    name: str
    pieces: Iterator[bytes]
    stored: _Hashed
    notes: Notes
    budget: Budget

    @property
    def content_hash(self) -> str:
        """SHA-256 of the bytes as they are stored, hexadecimal."""
        return self.stored.hexdigest()


def contents(name: str, file: File, free: int) -> Iterator[Content]:
    """Contents of a file: itself, or what is packed in it. Each is to be read before the next is asked for."""
    budget = Budget(free)
    notes = Notes(budget)
    yield from _unpacked(name, budget.read(_cut(opening.pieces(file, notes, _is_packed))), notes, budget, 0)


def plain(file: File) -> Content:
    """Content of a file as it is stored, packed or not."""
    budget = Budget(0)
    notes = Notes(budget)
    stored = _Hashed(opening.pieces(file, notes, lambda _: False))
    return Content(file.name, iter(stored), stored, notes, budget)


def _cut(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Cut packed bytes into pieces that are small beside what may come out of them."""
    first = next(pieces, b"")
    packed = _is_packed(first)
    for piece in chain([first], pieces):
        length = STORED_PIECE if packed else max(1, len(piece))
        for at in range(0, len(piece), length):
            yield piece[at : at + length]


def _is_packed(first: bytes) -> bool:
    return compression(first[:BLOCK]) is not None or _archive(first[:BLOCK]) is not None


def _unpacked(name: str, pieces: Iterator[bytes], notes: Notes, budget: Budget, depth: int) -> Iterator[Content]:
    stored = _Hashed(pieces)
    stream = Stream(iter(stored))
    layers = 0
    while (kind := compression(stream.peek(BLOCK))) is not None:
        if layers == _LAYERS:
            notes.add("unreadable", f"found data that are compressed more than {_LAYERS} times over; left out")
            stream = Stream(iter(()))
            break
        layers += 1
        stream = Stream(budget.made(CODECS[kind](stream, notes), notes))
    walk = _archive(stream.peek(BLOCK))
    if walk is None:
        yield Content(name, stream.pieces(), stored, notes, budget)
        return
    members = 0
    if depth == _DEPTH:
        notes.add("unreadable", f"found an archive in archives more than {_DEPTH} deep; left out")
    else:
        for member in walk(stream, notes, budget):
            members += 1
            budget.member(notes)
            if budget.spent:
                break
            yield from _unpacked(f"{name}!{member.name}", member.pieces, member.notes, budget, depth + 1)
            finish(member.pieces)
        finish(stream.pieces())
        if not members:
            notes.add("unrecognised", "found an archive without files, expected one with logs")
    if notes.problems:
        yield Content(name, iter(()), stored, notes, budget)


def _archive(start: bytes) -> _Walk | None:
    if is_zip(start):
        return members_of_zip
    return members_of_tar if is_tar(start) else None
