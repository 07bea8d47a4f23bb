"""Mails and mailboxes: encoded bodies and attachments, decoded with the numbers of their lines kept."""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Iterable, Iterator, Sequence
from email.errors import MessageError
from email.message import Message
from email.parser import HeaderParser
from itertools import pairwise
from typing import Final

from hecn_analysis.files.source import Lines
from hecn_analysis.parsing.cleaning.text import Text

_HEADER: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,60}:(?:\s|$)")
_ENVELOPE: Final = re.compile(r"From \S{1,200} .{0,20}\d\d:\d\d")
_ENCODED: Final = re.compile(r"=(?:3D|20$|E2=80|C[23]=[89AB][0-9A-F])")
_ESCAPED: Final = re.compile(r"=[0-9A-Fa-f]{2}")
_FRONT: Final = re.compile(r"(?:[>|] ?){1,10}")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/=\s]{0,1000}$")
_MAIL_HEADERS: Final = ("From", "To", "Date", "Subject", "Message-ID", "MIME-Version", "Content-Type")
_BYTES_OF_GROUP, _GROUP = 3, 4
_TEXTUAL: Final = 0.02  # most control characters of a text, as a fraction

Pair = tuple[str, int]


def decoded(text: Text) -> Text:
    """Decode quoted-printable and base64: of a mail by its headers, of an excerpt by its escapes."""
    first = next((line for line in text.lines if line.strip()), "")
    if _HEADER.match(first) or _ENVELOPE.match(first):
        mails = Text.pairs(_mails(list(zip(text.lines, text.numbers, strict=True))))
        if mails.lines != list(text.lines):
            return mails
    if any(map(_ENCODED.search, text.lines)):
        return Text.pairs(_unquoted(zip(text.lines, text.numbers, strict=True), "utf-8"))
    return text


def _unquoted(pairs: Iterable[Pair], charset: str) -> Iterator[Pair]:
    """Decode lines in quoted-printable; a line that ends with an equals sign continues in the next one."""
    held, begun = "", 0
    for line, number in pairs:
        bare = line.rstrip()
        part = _FRONT.sub("", bare, count=1) if held and _FRONT.match(held) else bare
        begun = begun if held else number
        held += part
        if held.endswith("=") and not _ESCAPED.match(held[-3:]):
            held = held[:-1]
            continue
        yield from ((row, begun) for row in _unescaped(held, charset))
        held = ""
    if held:
        yield from ((row, begun) for row in _unescaped(held, charset))


def _unescaped(line: str, charset: str) -> list[str]:
    """Decode a line, which shows several if it has returns of a progress display."""
    if not _ESCAPED.search(line):
        return [line]
    raw = quopri.decodestring(line.encode("utf-8", "surrogatepass"))
    return _rows(_text_of(raw, charset).rstrip("\r").replace("\n", " "))


def _rows(line: str) -> list[str]:
    """The lines that a terminal shows for a line with returns."""
    return [part.text for part in Lines.of(f"{line}\n")]


def _text_of(raw: bytes, charset: str) -> str:
    try:
        return raw.decode(charset)
    except (UnicodeDecodeError, LookupError):
        return raw.decode("latin-1")


def _mails(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the lines of all mails of a mailbox, with decoded bodies."""
    starts = [0]
    starts += [
        place
        for place in range(1, len(pairs) - 1)
        if _ENVELOPE.match(pairs[place][0]) and _HEADER.match(pairs[place + 1][0])
    ]
    for start, end in pairwise([*starts, len(pairs)]):
        yield from _part(pairs[start:end])


def _part(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the lines of a mail or a part of one, with its body decoded."""
    gap = next((place for place, (line, _) in enumerate(pairs) if not line.strip()), len(pairs))
    headers, body = pairs[:gap], pairs[gap:]
    message = _message(headers)
    is_mail = sum(name in message for name in _MAIL_HEADERS) > 1
    yield from () if is_mail else headers
    while is_mail and body and not body[0][0].strip():
        body = body[1:]
    boundary = message.get_boundary() if message.get_content_maintype() == "multipart" else None
    if boundary:
        yield from _parts(body, boundary, is_alternative=message.get_content_subtype() == "alternative")
        return
    charset = str(message.get_content_charset() or "utf-8")
    coding = str(message.get("Content-Transfer-Encoding", "")).strip().lower()
    if coding == "quoted-printable":
        yield from _unquoted(body, charset)
    elif coding == "base64":
        yield from _of_base64(body, charset)
    else:
        yield from body


def _parts(body: Sequence[Pair], boundary: str, *, is_alternative: bool) -> Iterator[Pair]:
    """Yield the lines of the parts of a multipart body; of alternatives, the first text."""
    marks = {f"--{boundary}", f"--{boundary}--"}
    places = [place for place, (line, _) in enumerate(body) if line.startswith("--") and line.rstrip() in marks]
    yield from body[: places[0] if places else len(body)]
    has_text = False
    for start, end in pairwise([*places, len(body)]):
        part = body[start + 1 : end]
        if body[start][0].rstrip() == f"--{boundary}--":
            yield from part
            continue
        gap = next((place for place, (line, _) in enumerate(part) if not line.strip()), 0)
        kind = _message(part[:gap]).get_content_type()
        if not (is_alternative and has_text and kind == "text/html"):
            yield from _part(part if gap else [("", part[0][1]), *part]) if part else ()
        has_text = has_text or kind == "text/plain"


def _message(headers: Sequence[Pair]) -> Message:
    try:
        return HeaderParser().parsestr("\n".join(line for line, _ in headers if not _ENVELOPE.match(line)) + "\n\n")
    except (MessageError, ValueError, LookupError):
        return Message()


def _of_base64(body: Sequence[Pair], charset: str) -> Iterator[Pair]:
    """Yield the lines of a body in base64, each with the number of the line in which it begins."""
    numbers: list[int] = []
    coded: list[str] = []
    for line, number in body:
        if not _BASE64.match(line):
            break
        characters = "".join(line.split())
        coded.append(characters)
        numbers += [number] * len(characters)
    whole = "".join(coded)
    whole = whole[: len(whole) - len(whole) % _GROUP]
    try:
        raw = binascii.a2b_base64(whole)
    except binascii.Error:
        return
    if sum(byte < ord(" ") and byte not in b"\t\n\r\f\x1b\b" for byte in raw[:4096]) > _TEXTUAL * len(raw[:4096]):
        return
    at = 0
    for row in raw.split(b"\n"):
        place = min(at // _BYTES_OF_GROUP * _GROUP, len(numbers) - 1)
        if place >= 0:
            yield from ((line, numbers[place]) for line in _rows(_text_of(row.rstrip(b"\r"), charset)))
        at += len(row) + 1
