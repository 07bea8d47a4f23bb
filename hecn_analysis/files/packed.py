"""Compressed files and archives, unpacked as a stream and in memory only: nothing is ever written to disk.

The first bytes, never the name, determine the format: gzip, bzip2, xz, zstd, tar and zip, also nested. Members of
archives are named ``archive!member``; the name is only text, so "../" in it is harmless. Only regular files are
members: folders, links and devices are skipped.

Damaged or truncated files yield their readable part, and a problem. tar and zip are read from front to back by the
headers before the members, so an archive without its end still yields its members.

Bounds
------
- Archives in archives: two deep. Compression: twice over.
- Output of a compressed file: 200 bytes for each byte read, with an allowance of 64 MB when read line by line and 8 MB
  when read whole. Even logs whose lines differ only in their times stay below 200. The rest is left out, with a problem
  that says what to do.
- Runs and problems in a compressed file: 50,000, or one for each eight bytes read of it.
- Members of an archive: 100,000 (for all of these see `streams`).
- Memory: a few pieces of at most a mebibyte, and 256 MiB where an xz or zstd file asks for such a dictionary.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from hecn_analysis.files import opening
from hecn_analysis.files.capture_forms import capture_form
from hecn_analysis.files.compression import CODECS, compression
from hecn_analysis.files.opening import File
from hecn_analysis.files.streams import BLOCK, STORED_PIECE, Budget, Member, Notes, Stream, finish
from hecn_analysis.files.tar_archive import is_tar, members_of_tar
from hecn_analysis.files.zip_archive import is_zip, members_of_zip

_DEPTH: Final = 2
_LAYERS: Final = 2

_Walk = Callable[[Stream, Notes, Budget], Iterator[Member]]


class _Hashed:
    """Stored bytes, hashed while they are read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._hash.update(piece)
            yield piece

    def hexdigest(self) -> str:
        """Return the SHA-256 of all of them, including bytes not read so far."""
        finish(iter(self))
        return self._hash.hexdigest()


@dataclass(frozen=True)
class Content:
    """A file, or a member of an archive, without its packing."""

    name: str  # the name to report; ``archive!member`` for a member
    pieces: Iterator[bytes]  # the bytes, which can be read once
    stored: _Hashed  # the bytes as they are stored, with their hash
    # problems of the packing, complete once the bytes and `content_hash` have been read. An archive with problems of
    # its own is a content without bytes.
    notes: Notes
    budget: Budget  # the remaining allowance for output of the file, all members together
    start: bytes = b""  # the first bytes, which are still in `pieces`

    @property
    def content_hash(self) -> str:
        """Return the SHA-256 of the stored bytes, hexadecimal."""
        return self.stored.hexdigest()


def contents(name: str, file: File | OSError, free: int) -> Iterator[Content]:
    """Iterate over the contents of a file: itself, or its members. Read each before taking the next.

    A file that cannot be read gives an empty content with that problem. Compressed data may unpack to `free` bytes.
    """
    budget = Budget(free)
    notes = Notes(budget)
    if isinstance(file, OSError):
        notes.add("unreadable", opening.unreadable(file))
        yield Content(name, iter(()), _Hashed(iter(())), notes, budget)
        return
    yield from _unpacked(name, budget.read(_cut(opening.pieces(file, notes, _is_packed))), notes, budget, 0)


def texts(name: str, file: File | OSError, free: int) -> Iterator[Content]:
    """Iterate over the contents of a file for readers of text: a packet capture is empty and has a problem."""
    for content in contents(name, file, free):
        form = capture_form(content.start)
        if form is None:
            yield content
            continue
        message = f"found a packet capture ({form}), expected text; 'hecn diagnose FILE' reads packet captures"
        content.notes.add("unrecognised", message)
        yield replace(content, pieces=iter(()), start=b"")


def plain(file: File) -> Content:
    """Return the content of a file as it is stored, packed or not."""
    budget = Budget(0)
    notes = Notes(budget)
    stored = _Hashed(opening.pieces(file, notes, lambda _: False))
    return Content(file.name, iter(stored), stored, notes, budget)


def _cut(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Cut packed bytes into pieces that are small against the output allowance."""
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
    start = stream.peek(BLOCK)
    walk = _archive(start)
    if walk is None:
        yield Content(name, stream.pieces(), stored, notes, budget, start)
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
