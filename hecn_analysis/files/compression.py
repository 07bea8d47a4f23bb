"""Compressed data, recognised by their first bytes and decompressed as a stream: gzip, bzip2, xz and zstd.

Consecutive frames are one stream. Damaged or truncated data yield the part before the damage, and a problem.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol

import zstandard

from hecn_analysis.files.streams import BLOCK, FEED, PIECE, Notes, Stream

_DICTIONARY: Final = 256 << 20
_GZIP: Final = b"\x1f\x8b\x08"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"

Codec = Callable[[Stream, Notes], Iterator[bytes]]


class _Engine(Protocol):
    """The common interface of the standard library's decompressors."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def compression(start: bytes) -> str | None:
    """Return the name of the compression that bytes begin with."""
    if start.startswith(_GZIP):
        return "gzip"
    if start[:3] == b"BZh" and start[3:4] in b"123456789" and start[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return "bzip2"
    if start.startswith(b"\xfd7zXZ\0"):
        return "xz"
    if start.startswith(_ZSTD) or (start[1:4] == b"\x2a\x4d\x18" and start[:1] in b"PQRSTUVWXYZ[\\]^_"):
        return "zstd"
    return None


def _fed(engine: _Engine, stream: Stream, feed: int = FEED) -> Iterator[bytes]:
    """Feed an engine to the end of its frame and return unused bytes to the stream."""
    while not engine.eof and (data := stream.read(feed)):
        while True:
            made = engine.decompress(data, PIECE)
            if made:
                yield made
            data = getattr(engine, "unconsumed_tail", b"")
            if engine.eof or not (data or len(made) == PIECE):
                break
        if engine.eof:
            stream.back(len(engine.unused_data))


def _frames(kind: str, make: Callable[[], _Engine], stream: Stream, notes: Notes, feed: int = FEED) -> Iterator[bytes]:
    """Decompress consecutive frames; zeros between and after them are padding."""
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
        if not _has_next_frame(kind, stream, notes):
            return


def _damaged(kind: str, notes: Notes) -> None:
    notes.add("unreadable", f"found damaged {kind} data; what comes before the damage is read")


def _cut(kind: str, notes: Notes) -> None:
    if not notes.problems:
        notes.add("truncated", f"found truncated {kind} data; the readable part is read")


def _has_next_frame(kind: str, stream: Stream, notes: Notes) -> bool:
    """Return whether another frame follows; skip zeros, report other data."""
    while (block := stream.read(FEED)) and not block.strip(b"\0"):
        pass
    if not block:
        return False
    stream.back(len(block.lstrip(b"\0")))
    if compression(stream.peek(BLOCK)) == kind:
        return True
    notes.add("unreadable", f"found other data after the end of the {kind} data; left out")
    return False


def _gzip(stream: Stream, notes: Notes) -> Iterator[bytes]:
    """Decompress gzip; its checksum is verified after the data have been handed over."""
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
        if not _has_next_frame("gzip", stream, notes):
            return


def _gzip_header(stream: Stream) -> bool:
    """Skip the header; return False if it is truncated."""
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


def bzip2(stream: Stream, notes: Notes) -> Iterator[bytes]:
    """Decompress bzip2."""
    return _frames("bzip2", bz2.BZ2Decompressor, stream, notes)


def xz(stream: Stream, notes: Notes) -> Iterator[bytes]:
    """Decompress xz."""
    return _frames("xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_DICTIONARY), stream, notes)


class _Zstd:
    """zstandard's decompressor, which has no bound of its own: 64 bytes yield at most 2 MiB."""

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


def zstd(stream: Stream, notes: Notes) -> Iterator[bytes]:
    """Decompress Zstandard."""
    yield from _frames("zstd", _Zstd, stream, notes, 64)


def inflated(stream: Stream, notes: Notes) -> Iterator[bytes]:
    """Decompress deflated data without a header, as in a zip archive."""
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        yield from _fed(engine, stream)
    except zlib.error:
        _damaged("deflate", notes)
        return
    if not engine.eof:
        _cut("deflate", notes)


CODECS: Final[dict[str, Codec]] = {"gzip": _gzip, "bzip2": bzip2, "xz": xz, "zstd": zstd}
