"""Compressed files and archives, unpacked as a stream and in memory only: nothing is ever written to disk.

What a file is shows in its first bytes, never in its name: gzip, bzip2, xz, zstd, tar
and zip, and these in each other. Members of archives are named ``archive!member``; the name is text, so that
"../" in it leads nowhere. Only regular files are members: folders, links and devices are passed over.

What is damaged or cut gives what can be read of it, and a problem in words. tar and zip are read from front to back,
by the headers in front of the members: an archive without its end still gives its members.

Bounds
------
- Archives in archives: two deep. Compression: twice over.
- What comes out of a file: `_FREE` bytes, and `_RATIO` bytes more for each byte read of it. `_MEMBERS` members.
- Memory: a few pieces of at most a mebibyte, and 256 MiB where an xz or zstd file asks for such a dictionary.
"""

from __future__ import annotations

import bz2
import hashlib
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

import zstandard

_PIECE: Final = 1 << 20
_FEED: Final = 256  # what a decompressor is given at once: what is lost in front of damage is less than that
_FREE: Final = 256 << 20
_RATIO: Final = 200
_MEMBERS: Final = 100_000
_DEPTH: Final = 2
_LAYERS: Final = 2
_DICTIONARY: Final = 256 << 20
_BLOCK: Final = 512
_LONGEST_HEADER: Final = 1 << 20


class Notes:
    """Problems of a file or member, each a kind and a message.

    Parameters
    ----------
    budget
        What may still come out of the file. Once it is spent, nothing further is wrong.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.problems: list[tuple[str, str]] = []

    def add(self, kind: str, message: str) -> None:
        """Note a problem."""
        if not self._budget.spent:
            self.problems.append((kind, message))


class Budget:
    """What has been read of a file and made from it, and whether that is more than a log could be."""

    def __init__(self) -> None:
        self._stored = 0
        self._made = 0
        self._members = 0
        self.spent = False

    def read(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Count what is read of the file."""
        for piece in pieces:
            self._stored += len(piece)
            yield piece

    def made(self, pieces: Iterator[bytes], notes: Notes) -> Iterator[bytes]:
        """Count what a decompressor makes, and end it where it is too much."""
        for piece in pieces:
            self._made += len(piece)
            if self._made > _FREE + _RATIO * self._stored:
                notes.add(
                    "unreadable",
                    f"found compressed data that grow to more than {_RATIO} times their size, expected those of a log;"
                    " the rest is left out",
                )
                self.spent = True
            if self.spent:
                return
            yield piece

    def member(self, notes: Notes) -> None:
        """Count a member of an archive."""
        self._members += 1
        if self._members > _MEMBERS:
            notes.add("unreadable", f"found more members in an archive than {_MEMBERS}; the rest is left out")
            self.spent = True


class _Stream:
    """Bytes from pieces of any length, with a look ahead."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""
        self._at = 0

    def peek(self, length: int) -> bytes:
        """Give the next bytes without taking them; fewer only at the end."""
        while len(self._rest) - self._at < length:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._rest = self._rest[self._at :] + piece
            self._at = 0
        return self._rest[self._at : self._at + length]

    def read(self, length: int) -> bytes:
        """Take the next bytes; fewer only at the end."""
        found = self.peek(length)
        self._at += len(found)
        return found

    def back(self, length: int) -> None:
        """Give back bytes that were taken with the last `read`."""
        self._at -= length

    def pieces(self) -> Iterator[bytes]:
        """Take everything."""
        rest, self._rest, self._at = self._rest[self._at :], b"", 0
        if rest:
            yield rest
        yield from self._pieces

    def take(self, length: int, notes: Notes) -> Iterator[bytes]:
        """Take so many bytes in pieces."""
        while length > 0:
            if len(self._rest) == self._at and not self.peek(1):
                notes.add("truncated", "found a member that breaks off with its archive; what is there is read")
                return
            piece = self.read(min(length, len(self._rest) - self._at))
            length -= len(piece)
            yield piece


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
        _finish(iter(self))
        return self._hash.hexdigest()


def _finish(pieces: Iterator[bytes]) -> None:
    for _ in pieces:
        pass


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
    """

    name: str
    pieces: Iterator[bytes]
    stored: _Hashed
    notes: Notes

    @property
    def content_hash(self) -> str:
        """SHA-256 of the bytes as they are stored, hexadecimal."""
        return self.stored.hexdigest()


@dataclass(frozen=True)
class _Member:
    name: str
    pieces: Iterator[bytes]
    notes: Notes


def contents(name: str, path: Path) -> Iterator[Content]:
    """Contents of a file: itself, or what is packed in it. Each is to be read before the next is asked for.

    Parameters
    ----------
    name
        The name of the file to report.
    path
        Where it is.
    """
    budget = Budget()
    notes = Notes(budget)
    yield from _unpacked(name, budget.read(_file(path, notes)), notes, budget, 0)


def plain(path: Path) -> Content:
    """Content of a file as it is stored, packed or not."""
    notes = Notes(Budget())
    stored = _Hashed(_file(path, notes))
    return Content(str(path), iter(stored), stored, notes)


def unreadable(error: OSError) -> str:
    """Words for a file that the system does not give."""
    return f"found {(error.strerror or str(error)).lower()}, expected a file that can be read"


def _file(path: Path, notes: Notes) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece
    except OSError as error:
        notes.add("unreadable", unreadable(error))


def _unpacked(name: str, pieces: Iterator[bytes], notes: Notes, budget: Budget, depth: int) -> Iterator[Content]:
    stored = _Hashed(pieces)
    stream = _Stream(iter(stored))
    layers = 0
    while (kind := _compression(stream.peek(_BLOCK))) is not None:
        if layers == _LAYERS:
            notes.add("unreadable", f"found data that are compressed more than {_LAYERS} times over; left out")
            stream = _Stream(iter(()))
            break
        layers += 1
        stream = _Stream(budget.made(_CODECS[kind](stream, notes), notes))
    walk = _archive(stream.peek(_BLOCK))
    if walk is None:
        yield Content(name, stream.pieces(), stored, notes)
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
            _finish(member.pieces)
        _finish(stream.pieces())
        if not members:
            notes.add("unrecognised", "found an archive without files, expected one with logs")
    if notes.problems:
        yield Content(name, iter(()), stored, notes)


# Compression


class _Engine(Protocol):
    """What the decompressors of the standard library have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


_Codec = Callable[[_Stream, Notes], Iterator[bytes]]
_GZIP: Final = b"\x1f\x8b\x08"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


def _compression(start: bytes) -> str | None:
    """Name the compression that bytes begin with."""
    if start.startswith(_GZIP):
        return "gzip"
    if start[:3] == b"BZh" and start[3:4] in b"123456789" and start[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return "bzip2"
    if start.startswith(b"\xfd7zXZ\0"):
        return "xz"
    if start.startswith(_ZSTD) or (start[1:4] == b"\x2a\x4d\x18" and start[:1] in b"PQRSTUVWXYZ[\\]^_"):
        return "zstd"
    return None


def _fed(engine: _Engine, stream: _Stream, feed: int = _FEED) -> Iterator[bytes]:
    """Feed an engine up to the end of what it reads, which is given back."""
    while not engine.eof and (data := stream.read(feed)):
        while True:
            made = engine.decompress(data, _PIECE)
            if made:
                yield made
            data = getattr(engine, "unconsumed_tail", b"")
            if engine.eof or not (data or len(made) == _PIECE):
                break
        if engine.eof:
            stream.back(len(engine.unused_data))


def _frames(
    kind: str, make: Callable[[], _Engine], stream: _Stream, notes: Notes, feed: int = _FEED
) -> Iterator[bytes]:
    """Decompress frames one after another; zeros between and after them are padding."""
    broken: tuple[type[Exception], ...] = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
    while True:
        engine = make()
        try:
            yield from _fed(engine, stream, feed)
        except broken:
            _damaged(kind, notes)
            return
        if not engine.eof:
            _cut(kind, notes)
            return
        if not _another(kind, stream, notes):
            return


def _damaged(kind: str, notes: Notes) -> None:
    notes.add("unreadable", f"found damaged {kind} data; what comes before the damage is read")


def _cut(kind: str, notes: Notes) -> None:
    if not notes.problems:
        notes.add("truncated", f"found {kind} data that break off; what is there is read")


def _another(kind: str, stream: _Stream, notes: Notes) -> bool:
    """Whether another frame follows; zeros are passed over, other data are a problem."""
    while (block := stream.read(_FEED)) and not block.strip(b"\0"):
        pass
    if not block:
        return False
    stream.back(len(block.lstrip(b"\0")))
    if _compression(stream.peek(_BLOCK)) == kind:
        return True
    notes.add("unreadable", f"found other data after the end of the {kind} data; left out")
    return False


def _gzip(stream: _Stream, notes: Notes) -> Iterator[bytes]:
    """Decompress gzip, whose check at the end is looked at after the data have been handed over."""
    while True:
        if not _gzip_header(stream):
            _cut("gzip", notes)
            return
        engine = zlib.decompressobj(-zlib.MAX_WBITS)
        check, length = 0, 0
        try:
            for made in _fed(engine, stream):
                check, length = zlib.crc32(made, check), length + len(made)
                yield made
        except zlib.error:
            _damaged("gzip", notes)
            return
        trailer = stream.read(8) if engine.eof else b""
        if len(trailer) < 8:
            _cut("gzip", notes)
            return
        if trailer != check.to_bytes(4, "little") + (length % (1 << 32)).to_bytes(4, "little"):
            notes.add("unreadable", "found gzip data that differ from their checksum; read as they are")
        if not _another("gzip", stream, notes):
            return


def _gzip_header(stream: _Stream) -> bool:
    """Pass over the header; False where it breaks off."""
    header = stream.read(10)
    if len(header) < 10:
        return False
    flags = header[3]
    if flags & 4:
        stream.read(int.from_bytes(stream.read(2), "little"))
    for flag in (8, 16):  # name and comment, each up to a null
        if flags & flag:
            while (byte := stream.read(1)) != b"\0":
                if not byte:
                    return False
    if flags & 2:
        stream.read(2)
    return True


def _bzip2(stream: _Stream, notes: Notes) -> Iterator[bytes]:
    return _frames("bzip2", bz2.BZ2Decompressor, stream, notes)


def _xz(stream: _Stream, notes: Notes) -> Iterator[bytes]:
    return _frames("xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_DICTIONARY), stream, notes)


class _Zstd:
    """zstandard's decompressor, which has no bound of its own: 64 bytes make 2 MiB at most."""

    def __init__(self) -> None:
        self._inner = zstandard.ZstdDecompressor(max_window_size=_DICTIONARY).decompressobj()

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    def decompress(self, data: bytes, _: int, /) -> bytes:
        try:
            return bytes(self._inner.decompress(data)) if data else b""
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error


def _zstd(stream: _Stream, notes: Notes) -> Iterator[bytes]:
    yield from _frames("zstd", _Zstd, stream, notes, 64)


_CODECS: Final[dict[str, _Codec]] = {"gzip": _gzip, "bzip2": _bzip2, "xz": _xz, "zstd": _zstd}


# Archives

_Walk = Callable[[_Stream, Notes, Budget], Iterator[_Member]]


def _archive(start: bytes) -> _Walk | None:
    if start.startswith((b"PK\3\4", b"PK\5\6")):
        return _zip
    return _tar if _tar_header(start) is not None else None


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("latin-1")


@dataclass(frozen=True)
class _TarHeader:
    name: bytes
    size: int
    kind: bytes
    extended: bool


def _tar_number(field: bytes) -> int | None:
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    return int(digits or b"0", 8) if not digits.strip(b"01234567") else None


def _tar_header(block: bytes) -> _TarHeader | None:
    """Read a header, known by its checksum."""
    if len(block) < _BLOCK or not block[0] or not block[148:156].strip(b" \0"):
        return None
    if _tar_number(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        return None
    size = _tar_number(block[124:136])
    if size is None:
        return None
    name, prefix = block[:100].split(b"\0")[0], block[345:500].split(b"\0")[0]
    if prefix and block[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    return _TarHeader(name, size, block[156:157], bool(block[482]))


def _pax(data: bytes) -> dict[bytes, bytes]:
    """Records of an extended header: their length, a blank, key=value and a line feed."""
    found: dict[bytes, bytes] = {}
    at = 0
    while at < len(data):
        digits = data[at : at + 10].split(b" ")[0]
        if not digits.isdigit() or int(digits) <= len(digits):
            break
        key, _, value = data[at + len(digits) + 1 : at + int(digits)].partition(b"=")
        found[key] = value.removesuffix(b"\n")
        at += int(digits)
    return found


def _tar_next(stream: _Stream, notes: Notes) -> _TarHeader | None:
    """Take the headers of the next member; None at the end."""
    given: dict[bytes, bytes] = {}
    while len(block := stream.read(_BLOCK)) == _BLOCK:
        if not block.strip(b"\0"):
            return None
        header = _tar_header(block)
        if header is None:
            damage = ("unreadable", "found a damaged header in a tar archive; read on at the next good one")
            if damage not in notes.problems:
                notes.add(*damage)
        elif header.kind in b"xgLK" and header.size <= _LONGEST_HEADER:
            data = stream.read(header.size)
            stream.read(-header.size % _BLOCK)
            if header.kind == b"x":
                given.update(_pax(data))
            elif header.kind == b"L":
                given[b"path"] = data.split(b"\0")[0]
        else:
            digits = given.get(b"size", b"")[:19]
            size = int(digits) if digits.isdigit() else header.size
            size = 0 if header.kind in b"123456" else size
            return replace(header, name=given.get(b"path", header.name), size=size)
    _breaks_off("tar", notes)
    return None


def _tar(stream: _Stream, notes: Notes, budget: Budget) -> Iterator[_Member]:
    """Members of a tar archive: ustar, GNU and POSIX headers."""
    while (header := _tar_next(stream, notes)) is not None:
        member = Notes(budget)
        pieces = stream.take(header.size, member)
        if header.kind == b"S":
            notes.add("unreadable", f"found a sparse file in a tar archive: {_text(header.name)[:200]}; left out")
            extended = header.extended
            while extended:
                extended = stream.read(_BLOCK)[504:505] == b"\1"
        elif header.kind in b"\x007" + b"0" and not header.name.endswith(b"/"):
            yield _Member(_text(header.name), pieces, member)
        _finish(pieces)
        stream.read(-header.size % _BLOCK)


def _breaks_off(kind: str, notes: Notes) -> None:
    """Say that an archive has no end, unless it is known why."""
    if not notes.problems:
        notes.add("truncated", f"found a {kind} archive that breaks off; what is there is read")


_ZIP_CODECS: Final[dict[int, _Codec]] = {12: _bzip2, 93: _zstd, 95: _xz}
_ZIP64: Final = 0xFFFFFFFF
_ZIP_END: Final = 65_600  # the end record with the longest comment


@dataclass(frozen=True)
class _ZipHeader:
    flags: int
    method: int
    check: int
    size: int
    name: str

    @property
    def open_ended(self) -> bool:
        """Whether the length stands behind the member."""
        return bool(self.flags & 8) and not self.size

    @property
    def fault(self) -> str | None:
        """Why the member cannot be read."""
        if self.flags & 1:
            return "an encrypted member"
        if self.method not in {0, 8, *_ZIP_CODECS}:
            return f"a member packed with method {self.method}"
        if self.open_ended and self.method != 8:
            return "a member without its length in front of it"
        return None


def _zip(stream: _Stream, notes: Notes, budget: Budget) -> Iterator[_Member]:
    """Members of a zip archive, by the headers in front of them (which do not tell links from files)."""
    while stream.peek(4) == b"PK\3\4":
        header = _zip_header(stream)
        if header is None:
            break
        member = Notes(budget)
        stored = iter(()) if header.open_ended else stream.take(header.size, member)
        fault = header.fault
        if fault is None:
            pieces = _zip_member(stream if header.open_ended else _Stream(stored), header, member, budget)
            if not header.name.endswith("/"):
                yield _Member(header.name, pieces, member)
            _finish(pieces)
        else:
            notes.add("unreadable", f"found {fault} in a zip archive: {header.name[:200]}; left out")
        _finish(stored)
        if header.open_ended and (fault or member.problems):
            notes.add("unreadable", "found no way to the members behind that one; left out")
            return
        if header.flags & 8 and stream.peek(4) == b"PK\7\x08":
            _zip_descriptor(stream)
    end = stream.peek(4)
    if len(end) == 4 and end not in {b"PK\3\4", b"PK\1\2", b"PK\5\6", b"PK\6\6", b"PK\6\x08"}:
        notes.add("unreadable", "found damaged data between the members of a zip archive; left out from there on")
        return
    for piece in stream.pieces():
        end = (end + piece)[-_ZIP_END:]
    if b"PK\5\6" not in end:
        _breaks_off("zip", notes)


def _zip_header(stream: _Stream) -> _ZipHeader | None:
    header = stream.read(30)
    if len(header) < 30:
        return None
    flags, method, check, size, plain_size, name_length, extra_length = struct.unpack("<6x2H4x3L2H", header)
    name, extra = stream.read(name_length), stream.read(extra_length)
    if size == _ZIP64:
        size = _zip64_size(extra, both=plain_size == _ZIP64)
    return _ZipHeader(flags, method, check, size, _text(name))


def _zip64_size(extra: bytes, *, both: bool) -> int:
    """Length of a member that needs 64 bits: after the length of what it unpacks to, if that does too."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            start = at + 4 + 8 * both
            return int.from_bytes(extra[start : start + 8], "little")
        at += 4 + length
    return 0


def _zip_descriptor(stream: _Stream) -> int:
    """Take the checksum and the lengths behind a member, of 4 or 8 bytes each."""
    if stream.peek(4) == b"PK\7\x08":
        stream.read(4)
    check = int.from_bytes(stream.read(4), "little")
    stream.read(8 if stream.peek(10)[8:] == b"PK" else 16)
    return check


def _zip_member(stream: _Stream, header: _ZipHeader, notes: Notes, budget: Budget) -> Iterator[bytes]:
    """Unpack a member, compare its checksum."""
    pieces = stream.pieces()
    if header.method == 8:
        pieces = budget.made(_inflated(stream, notes), notes)
    elif header.method:
        pieces = budget.made(_ZIP_CODECS[header.method](stream, notes), notes)
    found = 0
    for piece in pieces:
        found = zlib.crc32(piece, found)
        yield piece
    if notes.problems:
        return
    check = _zip_descriptor(stream) if header.open_ended else header.check
    if found != check and not (header.flags & 8 and not check):
        notes.add("unreadable", "found a member of a zip archive that differs from its checksum; read as it is")


def _inflated(stream: _Stream, notes: Notes) -> Iterator[bytes]:
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        yield from _fed(engine, stream)
    except zlib.error:
        _damaged("deflate", notes)
        return
    if not engine.eof:
        _cut("deflate", notes)
