"""Parsing of a JSON document: by the standard's decoder if it is plain, else by a tolerant parser, line by line.

The tolerant parser notes deviations from JSON, see `hecn_analysis.parsing.json_documents`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from hecn_analysis.files.source import Line
from hecn_analysis.parsing.json_documents import JsonDocument, past_blanks

_DEEPEST: Final = 200
_TOKEN: Final = re.compile(
    r'\s*(?:(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<mark>[{}\[\],:])|(?P<word>[^\s{}\[\],:"]{1,400}))'
)
_CUT: Final = re.compile(r'\s*+(?:"(?:[^"\\]|\\.)*+\\?|[^\s{}\[\],:"]*+)', re.DOTALL)
_BEYOND_64_BITS: Final = re.compile(r"\d{19}")
_WHOLE: Final = re.compile(r"[-+]?\d{1,400}")
_NUMBER: Final = re.compile(r"[-+]?(?:\d{1,800}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][-+]?\d{0,4})?")
_NO_NUMBER: Final = re.compile(r"[-+]?(?:nan(?:\(\w{0,20}\))?|inf(?:inity)?|1\.#\w{1,8})", re.IGNORECASE)
_WORDS: Final = {"true": True, "false": False, "null": None}


def decoded(text: str, start: int, first: int, *, alone: bool = True) -> tuple[JsonDocument, int] | None:
    """Return the document at a position of a text, and its end."""
    plain = text[start:].rstrip() if alone else ""
    if plain.endswith("}") and (quick := _decoded_quickly(plain)) is not None:
        return JsonDocument(quick, first, first + plain.count("\n"), text=plain), start + len(plain)
    notes = _Notes()
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=notes.pairs, parse_constant=notes.constant)
    try:
        value, end = decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    last = first + text.count("\n", start, end)
    return JsonDocument(value, first, last, defects=notes.defects, text=text[start:end]), end


def _decoded_quickly(text: str) -> dict[str, Any] | None:
    """Return the object that fills a text, in a third of the time; None if anything about it is not plain."""
    if _BEYOND_64_BITS.search(text):
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    written = orjson.dumps(value)
    plain = isinstance(value, dict) and text.count('":') + text.count('" :') == (
        written.count(b'":') + written.count(b'" :')
    )
    return value if plain else None


def repaired(text: str, start: int, first: int) -> tuple[JsonDocument, int] | None:
    """Return the complete part of the value at a position, and its end; None if more than its end is invalid."""
    parser = Parser(first)
    end = parser.feed(Line(first, text, complete=False), start)
    if end is not None and not parser.finished and not _CUT.fullmatch(text, end):
        return None
    value = parser.whole_part()
    document = JsonDocument(value, first, first, truncated=not parser.finished, defects=parser.defects)
    return None if value is None else (document, len(text) if end is None else end)


class Parser:
    """A parser that is fed line by line and builds the part read so far."""

    def __init__(self, first: int) -> None:
        self.failed = False
        self._first = self._last = first
        self._stack: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []
        self._root: Any = {}
        self._state = "value"
        self._members = 0
        self.finished = False
        self._notes = _Notes()
        self._lines: dict[str, list[int]] = {}

    @property
    def defects(self) -> list[str]:
        """Deviations from JSON."""
        return self._notes.defects

    @property
    def begun(self) -> bool:
        """Whether there is a first member or an end, as a document has."""
        return self._members > 0 or self.finished

    def document(self, used: Sequence[Line], start: int, end: int) -> JsonDocument:
        """Return the part read so far."""
        if not self.finished:
            self._drop_unfinished()
        texts = [line.text for line in used]
        texts[-1] = texts[-1][:end]
        texts[0] = texts[0][start:]
        return JsonDocument(
            self._root,
            self._first,
            self._last,
            truncated=not self.finished,
            defects=self.defects,
            text="\n".join(texts),
            _lines=self._lines,
        )

    def whole_part(self) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Return the part read so far without unfinished objects and arrays; None if nothing is complete."""
        while self._stack and not any(isinstance(held, dict | list) for held in _values(self._stack[-1])):
            self._stack.pop()
            self._keys.pop()
            outer = self._stack[-1] if self._stack else None
            if isinstance(outer, list):
                outer.pop()
            elif outer is not None:
                del outer[self._keys[-1] or ""]
        return self._root if self._stack or self.finished else None

    def _drop_unfinished(self) -> None:
        """Remove truncated elements of arrays; members of objects stay."""
        for outer, inner in zip(self._stack, self._stack[1:], strict=False):
            if isinstance(outer, list):
                if outer and outer[-1] is inner:
                    outer.pop()
                return

    def feed(self, line: Line, position: int) -> int | None:
        """Parse a line from a position; return where the document or the valid part ends, None if it continues."""
        text, length = line.text, len(line.text)
        while position < length:
            token = _TOKEN.match(text, position)
            if token is None:
                if past_blanks(text, position) == length:
                    return None
                self.failed = True
                return position
            if token.lastgroup == "word" and token.end() == length and not line.complete:
                self.failed = True
                return position
            before, self._last = self._last, line.number
            if not self._fits(token):
                self._last = before
                self.failed = True
                return token.start(token.lastgroup or 0)
            position = token.end()
            if self.finished:
                return position
        return None

    def _fits(self, token: re.Match[str]) -> bool:
        state, mark = self._state, token["mark"]
        if mark is None:
            return self._scalar(token)
        if mark in "}]":
            return self._close(mark)
        if mark in "{[":
            fits = state in {"value", "element", "element after comma"} and len(self._stack) < _DEEPEST
            if fits:
                self._open({} if mark == "{" else [])
        elif mark == ":":
            fits = state == "colon"
            self._state = "value"
        else:
            fits = state == "comma"
            if fits:
                self._state = "key after comma" if isinstance(self._stack[-1], dict) else "element after comma"
        return fits

    def _scalar(self, token: re.Match[str]) -> bool:
        known, value = self._read(token)
        if not known:
            return False
        if self._state in {"key", "key after comma"}:
            if token["string"] is None:
                return False
            top = self._stack[-1]
            if isinstance(top, dict) and value in top:
                self._notes.twice(value)
            self._keys[-1] = value
            self._state = "colon"
            return True
        if self._state not in {"value", "element", "element after comma"}:
            return False
        self._put(value)
        self._done()
        return True

    def _read(self, token: re.Match[str]) -> tuple[bool, Any]:
        """Return whether a token is a scalar, and its value."""
        text, word = token["string"], token["word"]
        try:
            if text is not None:
                return True, json.loads(text, strict=False)
            if word in _WORDS:
                return True, _WORDS[word]
            if _WHOLE.fullmatch(word):
                return True, int(word)
            if _NUMBER.fullmatch(word):
                return True, float(word)
        except ValueError:
            self._notes.other("an unknown escape in a text" if text is not None else repr(word))
            return True, None if text is None else text[1:-1]
        known = _NO_NUMBER.fullmatch(word) is not None
        if known:
            self._notes.other(repr(word))
        return known, None

    def _put(self, value: object) -> None:
        if not self._stack:
            return
        top = self._stack[-1]
        if isinstance(top, list):
            top.append(value)
        else:
            top[self._keys[-1] or ""] = value
            self._members += 1

    def _open(self, container: dict[str, Any] | list[Any]) -> None:
        if not self._stack:
            self._root = container
        self._put(container)
        self._stack.append(container)
        self._keys.append(None)
        self._state = "key" if isinstance(container, dict) else "element"

    def _close(self, mark: str) -> bool:
        top = self._stack[-1]
        if isinstance(top, dict) != (mark == "}"):
            return False
        if self._state in {"key after comma", "element after comma"}:
            self._notes.other("a comma before a closing bracket")
        elif self._state not in {"comma", "key", "element"}:
            return False
        self._stack.pop()
        self._keys.pop()
        self._done()
        return True

    def _done(self) -> None:
        """Store a complete value."""
        self._state = "comma"
        self.finished = not self._stack
        if len(self._stack) == 2 and isinstance(self._stack[1], list):
            self._lines.setdefault(self._keys[0] or "", []).append(self._last)


def _values(container: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


class _Notes:
    """Deviations of a document from JSON."""

    def __init__(self) -> None:
        self._defects: dict[str, None] = {}
        self._twice: dict[str, None] = {}

    @property
    def defects(self) -> list[str]:
        """All deviations, those by repeated keys in one."""
        keys = ", ".join(map(repr, list(self._twice)[:6]))
        return [*self._defects, *([f"repeated keys ({keys})"] if keys else [])]

    def twice(self, key: str) -> None:
        self._twice[key] = None

    def other(self, text: str) -> None:
        self._defects[text] = None

    def pairs(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        unique = dict(members)
        if len(unique) != len(members):
            seen: set[str] = set()
            for key, _ in members:
                if key in seen:
                    self.twice(key)
                seen.add(key)
        return unique

    def constant(self, text: str) -> None:
        self.other(repr(text))
