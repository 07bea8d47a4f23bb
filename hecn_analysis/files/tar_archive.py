"""tar archives, read from front to back, even without their end: ustar, GNU and POSIX headers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from hecn_analysis.files.streams import BLOCK, Budget, Member, Notes, Stream, breaks_off, finish, text_of

_LONGEST_HEADER: Final = 1 << 20


@dataclass(frozen=True)
class _Header:
    name: bytes
    size: int
    kind: bytes
    extended: bool


def _number(field: bytes) -> int | None:
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    return int(digits or b"0", 8) if not digits.strip(b"01234567") else None


def _header(block: bytes) -> _Header | None:
    """Read a header, recognised by its checksum."""
    if len(block) < BLOCK or not block[0] or not block[148:156].strip(b" \0"):
        return None
    if _number(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        return None
    size = _number(block[124:136])
    if size is None:
        return None
    name, prefix = block[:100].split(b"\0")[0], block[345:500].split(b"\0")[0]
    if prefix and block[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    return _Header(name, size, block[156:157], bool(block[482]))


def is_tar(start: bytes) -> bool:
    """Return whether bytes begin with a header of a tar archive."""
    return _header(start) is not None


def _pax(data: bytes) -> dict[bytes, bytes]:
    """Return the records of an extended header: length, blank, key=value, line feed."""
    records: dict[bytes, bytes] = {}
    at = 0
    while at < len(data):
        digits = data[at : at + 10].split(b" ")[0]
        if not digits.isdigit() or int(digits) <= len(digits):
            break
        key, _, value = data[at + len(digits) + 1 : at + int(digits)].partition(b"=")
        records[key] = value.removesuffix(b"\n")
        at += int(digits)
    return records


def _next(stream: Stream, notes: Notes) -> _Header | None:
    """Take the headers of the next member; None at the end."""
    extended: dict[bytes, bytes] = {}
    while len(block := stream.read(BLOCK)) == BLOCK:
        if not block.strip(b"\0"):
            return None
        header = _header(block)
        if header is None:
            damage = ("unreadable", "found a damaged header in a tar archive; read on at the next good one")
            if damage not in notes.problems:
                notes.add(*damage)
        elif header.kind in b"xgLK" and header.size <= _LONGEST_HEADER:
            data = stream.read(header.size)
            stream.read(-header.size % BLOCK)
            if header.kind == b"x":
                extended.update(_pax(data))
            elif header.kind == b"L":
                extended[b"path"] = data.split(b"\0")[0]
        else:
            digits = extended.get(b"size", b"")[:19]
            size = int(digits) if digits.isdigit() else header.size
            size = 0 if header.kind in b"123456" else size
            return replace(header, name=extended.get(b"path", header.name), size=size)
    breaks_off("tar", notes)
    return None


def members_of_tar(stream: Stream, notes: Notes, budget: Budget) -> Iterator[Member]:
    """Iterate over the members of a tar archive."""
    while (header := _next(stream, notes)) is not None:
        member = Notes(budget)
        pieces = stream.take(header.size, member)
        if header.kind == b"S":
            notes.add("unreadable", f"found a sparse file in a tar archive: {text_of(header.name)[:200]}; left out")
            extended = header.extended
            while extended:
                extended = stream.read(BLOCK)[504:505] == b"\1"
        elif header.kind in b"\x007" + b"0" and not header.name.endswith(b"/"):
            yield Member(text_of(header.name), pieces, member)
        finish(pieces)
        stream.read(-header.size % BLOCK)
