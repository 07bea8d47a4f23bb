"""Changes that turn a good file into a damaged one, and the ways in which files are packed.

Two searches use them: `fuzz.run`, which is guided by the branches that an input reaches, and `fuzz.mutate`, which is
not and tries all readers. Everything is drawn from a random generator that is handed in: the same one makes the same.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import re
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import zstandard

_WORD: Final = re.compile(rb"[A-Za-z_%/]+|[-+]?[\d.,]+|\s+|[^\w\s]")
_NUMBERS: Final = (
    *(b"0", b"-1", b"1", b"0.0", b"-0.001", b"1e309", b"1e-320", b"nan", b"-nan", b"inf", b"9" * 30, b"0" * 30),
    *(b"18446744073709551616", b"9223372036854775808", b"4294967295", b"1,5", b"1.234.567", b"1_000", b"1e5"),
    *("\u0661\u0662".encode(), "\u00b2".encode(), b"2262-04-12 00:00:00", b"0001-01-01", b"99:99:99", b"9" * 5000),
    *(b"", b"-", b".", b"12:60:61", b"1e999999999", b"0x7fffffffffffffff"),
    *(b"true", b"null", b"{}", b"[]", b'""', b"2026-13-45"),
)  # fmt: skip
_BETWEEN: Final = (
    *(b"\r\n", b"\r", b"\n\n", b"\x00", b"\x1b[31m", b"\x1b[2J", b"\t", b"\xff", b"\xed\xa0\x80", b"\xe2\x80\xa8"),
    *(b"> ", b"<", b"2026-01-31T12:00:00Z ", b"[  5] ", b": ", b"&#0;", b'"', b"'", b"{", b"]"),
    *(b"!!python/name:os.system ",),
)  # fmt: skip
_ODD_BYTES: Final = (b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\x80", b"\x1b", b"\x0c", b"\x1a")
_ALIASES: Final = b"a0: &a0 [x, x]\n" + b"".join(
    b"a%d: &a%d [*a%d, *a%d, *a%d]\n" % (n, n, n - 1, n - 1, n - 1) for n in range(1, 30)
)
_ENTITIES: Final = (
    b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b0 "b">'
    + b"".join(b'<!ENTITY b%d "%s">' % (n, b"&b%d;" % (n - 1) * 10) for n in range(1, 30))
    + b'<!ENTITY c SYSTEM "file:///etc/hostname">]>\n<a>&b29;&c;</a>\n'
)

_LONG: Final = (b"0", b"9", b" ", b"\t", b"a", b"-", b"[", b"(", b"/", b".", b":", b"=", b"|", b"\xe9")

#: Lengths of what is made long: mostly short, since each input costs its length.
_LENGTHS: Final = (100, 1_000, 1_000, 5_000, 5_000, 5_000, 20_000, 20_000, 100_000)
LONGEST: Final = 1_000_000


def tar(content: bytes, name: str = "a.log") -> bytes:
    """A tar archive of one member."""
    return tar_of([(name, content)])


def tar_of(members: Sequence[tuple[str, bytes]]) -> bytes:
    """A tar archive."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def zip_of(members: Sequence[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in members:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            archive.writestr(entry, content)
    return made.getvalue()


def _utf16(content: bytes) -> bytes:
    return content.decode("latin-1").encode("utf-16")


#: Ways to pack the bytes of one file.
PACKINGS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gz": lambda content: gzip.compress(content, 1, mtime=0),
    "bz2": bz2.compress,
    "xz": lambda content: lzma.compress(content, preset=0),
    "zst": lambda content: zstandard.compress(content, 1),
    "tar": tar,
    "zip": lambda content: zip_of([("a.log", content)]),
    "utf-16": _utf16,
}
MAGIC: Final = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"(\xb5/\xfd", b"PK\x03\x04")


class Mutator:
    """Changes of a file.

    Parameters
    ----------
    samples
        Good files, whose lines and parts are mixed into others.
    """

    def __init__(self, samples: Sequence[bytes]) -> None:
        self._samples = [sample for sample in samples if sample]
        self._lines = sorted({line for sample in samples for line in sample.splitlines(keepends=True)}) or [b"\n"]

    def __call__(self, data: bytes, rng: random.Random) -> bytes:
        """Change a file a few times, in its lines, its bytes, or both."""
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            data = self.lines(data, rng) if rng.random() < 0.5 else self.bytes(data, rng)
        return data

    def lines(self, data: bytes, rng: random.Random) -> bytes:
        """Change lines, or words and numbers in one."""
        lines = data.splitlines(keepends=True) or [b"\n"]
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(9):
            case 0:
                lines.insert(at, rng.choice(self._lines))
            case 1:
                start = rng.randrange(len(self._lines))
                lines[at:at] = self._lines[start : start + rng.randint(2, 6)]
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                del lines[min(at, other) : max(at, other) + rng.randint(0, 1)]
            case 4:
                lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)] + (b"\n" if rng.random() < 0.5 else b"")
            case 5:
                lines[at] = lines[at].rstrip(b"\r\n") + rng.choice(_BETWEEN) + lines[other]
            case 6:
                lines.insert(at, lines[other] * rng.choice((1, 1, 3, 40)))
            case _:
                lines[at] = self._line(lines[at], rng)
        return b"".join(lines)

    def _line(self, line: bytes, rng: random.Random) -> bytes:
        words = _WORD.findall(line)
        if not words:
            return line
        at = rng.randrange(len(words))
        match rng.randrange(5):
            case 0:
                words[at] = rng.choice(_NUMBERS)
            case 1:
                numbers = [place for place, word in enumerate(words) if word[:1].isdigit()]
                words[rng.choice(numbers or [at])] = rng.choice(_NUMBERS)
            case 2:
                words[at] = words[rng.randrange(len(words))]
            case 3:
                del words[at]
            case 4:
                others = _WORD.findall(rng.choice(self._lines)) or [b" "]
                words[at:at] = others[: rng.randint(1, len(others))]
        return b"".join(words)

    def bytes(self, data: bytes, rng: random.Random) -> bytes:  # noqa: PLR0911 - one for each way
        """Cut, splice, flip, repeat, reorder, blow up."""
        at, other = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        match rng.randrange(12):
            case 0 | 1:
                return data[:other]
            case 2:
                return data[other:]
            case 3 | 4 if self._samples:
                sample = rng.choice(self._samples)
                return data[:at] + sample[rng.randrange(len(sample)) :]
            case 5 | 6:
                return flipped(data, rng)
            case 7:
                return data[:at] + rng.choice(_ODD_BYTES) * rng.choice((1, 1, 2, 512)) + data[at:]
            case 8:
                return data[:other] + data[at:other] * rng.choice((1, 2, 10)) + data[other:]
            case 9:
                lines = data.splitlines(keepends=True)
                rng.shuffle(lines)
                return b"".join(lines)
            case 10:
                return data[:at] + data[other:]
            case _:
                return self.blown_up(data, rng, length(rng))

    def blown_up(self, data: bytes, rng: random.Random, length: int) -> bytes:
        """Add what is very long, or deep.

        Parameters
        ----------
        data
            The file.
        rng
            Where chance comes from.
        length
            How long, about. [bytes]
        """
        lines = data.splitlines(keepends=True) or [b"\n"]
        at = rng.randrange(len(lines))
        line = lines[at].rstrip(b"\r\n") or b" "
        words = _WORD.findall(line) or [b" "]
        place = rng.randrange(len(words))
        match rng.randrange(10):
            case 0:  # one line, many times in a row, without its end
                lines[at] = line * (length // len(line) + 1) + b"\n"
            case 1:  # a word of a line, many times
                word = words[place]
                lines[at] = b"".join((*words[:place], word * (length // len(word) + 1), *words[place + 1 :], b"\n"))
            case 2:  # one character within a line
                lines[at] = b"".join((*words[:place], rng.choice(_LONG) * length, *words[place:], b"\n"))
            case 3:
                deep = rng.choice((b'{"a":', b"[", b'[{"b":', b"<a>", b"- ", b"(", b"&a [", b"{"))
                lines[at:at] = [deep * (length // len(deep)), b"\n"]
            case 4:
                lines[at] = lines[at] * (length // len(lines[at]) + 1)
            case 5:  # the whole file, many times
                lines = lines * min(length // (len(data) + 1) + 1, 1000)
            case 6:
                lines[at] = rng.choice((b"\n", b"\r", b"\x00", b"\x1b[A", b" \n", b"\x1b]0;")) * (length // 2)
            case 7:
                lines[at:at] = [_ALIASES]
            case 8:
                return _ENTITIES + data
            case _:  # the lines without their ends
                lines = [b" ".join(each.rstrip(b"\r\n") for each in lines * min(length // (len(data) + 1) + 1, 1000))]
        return b"".join(lines)


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Flip single bits."""
    if not data:
        return data
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def length(rng: random.Random) -> int:
    """Draw how long something is made that is to be long. [bytes]."""
    return LONGEST if rng.random() < 0.05 else rng.choice(_LENGTHS)
