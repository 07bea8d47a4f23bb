"""zip archives, read from front to back by the headers before the members, which do not mark links."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hecn_analysis.files.compression import Codec, bzip2, inflated, xz, zstd
from hecn_analysis.files.streams import Budget, Member, Notes, Stream, breaks_off, finish, text_of

_CODECS: Final[dict[int, Codec]] = {12: bzip2, 93: zstd, 95: xz}
_IN_64_BITS: Final = 0xFFFFFFFF
_END: Final = 65_600  # the end record with the longest comment


@dataclass(frozen=True)
class _Header:
    flags: int
    method: int
    check: int
    size: int
    name: str

    @property
    def open_ended(self) -> bool:
        """Return whether the length stands behind the member."""
        return bool(self.flags & 8) and not self.size

    @property
    def fault(self) -> str | None:
        """Return why the member cannot be read."""
        if self.flags & 1:
            return "an encrypted member"
        if self.method not in {0, 8, *_CODECS}:
            return f"a member packed with method {self.method}"
        if self.open_ended and self.method != 8:
            return "a member without its length in front of it"
        return None


def is_zip(start: bytes) -> bool:
    """Return whether bytes begin as a zip archive does, even an empty one."""
    return start.startswith((b"PK\3\4", b"PK\5\6"))


def members_of_zip(stream: Stream, notes: Notes, budget: Budget) -> Iterator[Member]:
    """Iterate over the members of a zip archive by the headers before them."""
    while stream.peek(4) == b"PK\3\4":
        header = _header(stream)
        if header is None:
            break
        member = Notes(budget)
        stored = iter(()) if header.open_ended else stream.take(header.size, member)
        fault = header.fault
        if fault is None:
            pieces = _member(stream if header.open_ended else Stream(stored), header, member, budget)
            if not header.name.endswith("/"):
                yield Member(header.name, pieces, member)
            finish(pieces)
        else:
            notes.add("unreadable", f"found {fault} in a zip archive: {header.name[:200]}; left out")
        finish(stored)
        if header.open_ended and (fault or member.problems):
            notes.add("unreadable", "found no way to the members behind that one; left out")
            return
        if header.flags & 8 and stream.peek(4) == b"PK\7\x08":
            _descriptor(stream)
    end = stream.peek(4)
    if len(end) == 4 and end not in {b"PK\3\4", b"PK\1\2", b"PK\5\6", b"PK\6\6", b"PK\6\x08"}:
        notes.add("unreadable", "found damaged data between the members of a zip archive; left out from there on")
        return
    for piece in stream.pieces():
        end = (end + piece)[-_END:]
    if b"PK\5\6" not in end:
        breaks_off("zip", notes)


def _header(stream: Stream) -> _Header | None:
    header = stream.read(30)
    if len(header) < 30:
        return None
    flags, method, check, size, plain_size, name_length, extra_length = struct.unpack("<6x2H4x3L2H", header)
    name, extra = stream.read(name_length), stream.read(extra_length)
    if size == _IN_64_BITS:
        size = _size_of_64_bits(extra, both=plain_size == _IN_64_BITS)
    return _Header(flags, method, check, size, text_of(name))


def _size_of_64_bits(extra: bytes, *, both: bool) -> int:
    """Return a 64-bit length of a member; it follows the unpacked length if that has 64 bits too."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            start = at + 4 + 8 * both
            return int.from_bytes(extra[start : start + 8], "little")
        at += 4 + length
    return 0


def _descriptor(stream: Stream) -> int:
    """Return the checksum behind a member, and skip its lengths of 4 or 8 bytes each."""
    if stream.peek(4) == b"PK\7\x08":
        stream.read(4)
    check = int.from_bytes(stream.read(4), "little")
    stream.read(8 if stream.peek(10)[8:] == b"PK" else 16)
    return check


def _member(stream: Stream, header: _Header, notes: Notes, budget: Budget) -> Iterator[bytes]:
    """Unpack a member and verify its checksum."""
    pieces = stream.pieces()
    if header.method == 8:
        pieces = budget.made(inflated(stream, notes), notes)
    elif header.method:
        pieces = budget.made(_CODECS[header.method](stream, notes), notes)
    checksum = 0
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
        yield piece
    if notes.problems:
        return
    check = _descriptor(stream) if header.open_ended else header.check
    if checksum != check and not (header.flags & 8 and not check):
        notes.add("unreadable", "found a member of a zip archive that differs from its checksum; read as it is")
