"""Streams of packed files: a stream with look-ahead, bounds on its output, and its problems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hecn_analysis.base.units import format_bytes

PIECE: Final = 1 << 20
STORED_PIECE: Final = 1 << 15  # bytes of a packed file read at once; output is compared with them
FEED: Final = 256  # input of a decompressor at once; less than this is lost before damage
FREE_BY_LINES: Final = 64_000_000
FREE_WHOLE: Final = 8_000_000
_RATIO: Final = 200
_MEMBERS: Final = 100_000
_RESULTS: Final = 50_000
_RESULTS_OF_A_BYTE: Final = 0.125  # a run with figures of its own takes some ten bytes
_GO_ON: Final = "the rest is left out; if the file is genuine, unpack it and give the result, which has no such limit"
BLOCK: Final = 512


class Notes:
    """Problems of a file or member, each a kind and a message, as long as the output allowance `budget` lasts."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.problems: list[tuple[str, str]] = []

    def add(self, kind: str, message: str) -> None:
        """Note a problem."""
        if not self._budget.spent:
            self.problems.append((kind, message))


class Budget:
    """Counts of input and output of a file; its output may exceed that of any log by `free` bytes."""

    def __init__(self, free: int) -> None:
        self._free = free
        self._stored = 0
        self._made = 0
        self._members = 0
        self._results = 0
        self.spent = False

    def read(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Count bytes read from the file."""
        for piece in pieces:
            self._stored += len(piece)
            yield piece

    def made(self, pieces: Iterator[bytes], notes: Notes) -> Iterator[bytes]:
        """Count the output of a decompressor and stop it above the bound."""
        for piece in pieces:
            self._made += len(piece)
            if excess := self.excess(self._free):
                notes.add("unreadable", excess)
                self.spent = True
            if self.spent:
                return
            yield piece

    def excess(self, free: int) -> str:
        """Message if the output exceeds its bound, given this allowance; else empty."""
        if self._made <= max(free, _RATIO * self._stored):
            return ""
        return (
            f"found compressed data that grow to more than {_RATIO} times their size, expected that or at most "
            f"{format_bytes(free)}; {_GO_ON}"
        )

    def bears(self, results: int, notes: Notes) -> bool:
        """Count the results of readers from compressed data and return whether to read on."""
        self._results += results
        most = max(_RESULTS, int(_RESULTS_OF_A_BYTE * self._stored))
        if self._made and self._results > most:
            notes.add(
                "unreadable",
                f"found {self._results} runs and problems in {self._stored} compressed bytes, expected at most {most}; "
                f"{_GO_ON}",
            )
            self.spent = True
        return not self.spent

    def member(self, notes: Notes) -> None:
        """Count a member of an archive."""
        self._members += 1
        if self._members > _MEMBERS:
            notes.add("unreadable", f"found more members in an archive than {_MEMBERS}; the rest is left out")
            self.spent = True


class Stream:
    """Bytes from pieces of any length, with look-ahead."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""
        self._at = 0

    def peek(self, length: int) -> bytes:
        """Return the next bytes without taking them; fewer only at the end."""
        while len(self._rest) - self._at < length:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._rest = self._rest[self._at :] + piece
            self._at = 0
        return self._rest[self._at : self._at + length]

    def read(self, length: int) -> bytes:
        """Take the next bytes; fewer only at the end."""
        taken = self.peek(length)
        self._at += len(taken)
        return taken

    def back(self, length: int) -> None:
        """Return bytes of the last `read` to the stream."""
        self._at -= length

    def pieces(self) -> Iterator[bytes]:
        """Take all remaining bytes."""
        rest, self._rest, self._at = self._rest[self._at :], b"", 0
        if rest:
            yield rest
        yield from self._pieces

    def take(self, length: int, notes: Notes) -> Iterator[bytes]:
        """Take a number of bytes in pieces."""
        while length > 0:
            if len(self._rest) == self._at and not self.peek(1):
                notes.add("truncated", "found a member that ends with its truncated archive; the readable part is read")
                return
            piece = self.read(min(length, len(self._rest) - self._at))
            length -= len(piece)
            yield piece


@dataclass(frozen=True)
class Member:
    """A file in an archive: its name, its bytes (readable once) and its problems."""

    name: str
    pieces: Iterator[bytes]
    notes: Notes


def finish(pieces: Iterator[bytes]) -> None:
    """Skip the rest."""
    for _ in pieces:
        pass


def text_of(name: bytes) -> str:
    """Decode a name of unknown encoding."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("latin-1")


def breaks_off(kind: str, notes: Notes) -> None:
    """Report that an archive has no end, unless the reason is reported already."""
    if not notes.problems:
        notes.add("truncated", f"found a truncated {kind} archive; the readable part is read")
