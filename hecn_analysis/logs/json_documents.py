r"""JSON documents inside a log, as tools print them and not only as the standard has them.

A document is an object. It may be one line of any length or be spread over many, stand after chatter on its line
("Warning: …", a prompt), be followed by text or by the next document, break off, or stand inside an array, whose
elements are then documents of their own. What is not JSON but is printed as such is read: ``nan``, ``-nan`` and
``inf`` (missing values), numbers such as ``1.e5`` or ``+1``, trailing commas, a key that stands twice (the last one
counts). Each is one problem per file, of kind ``malformed``. A document printed twice in a row is read once. Of one
that breaks off everything complete is kept: an object keeps its complete members, an array its complete elements.

How to write a reader
---------------------
Derive from `DocumentReader` and say in `DOCUMENTS` which top-level keys a document of the tool has (all of one of the
sets). A tool that prints text as well implements `feed` and `HINTS` in the same class, as any reader does.

.. code-block:: python

    class Example(DocumentReader):
        TOOLS = ("example",)
        VERSIONS = "1.0 to 2.3"
        DOCUMENTS = (frozenset({"example version", "results"}),)

        def take(self, document: Document) -> bool:
            value = document.value
            seconds = number(at(value, "results", 0, "seconds"))  # None where a step is missing or no number
            columns = {"tool": "example", "protocol": "tcp", "duration_s": seconds}
            lines = document.lines("results")  # the last line of each element of a top-level array
            self.findings.run(Run(document.first, document.last, columns))
            return True  # False: not the tool's after all, and the next reader is asked

That a document breaks off (`Document.truncated`) and what is wrong with its JSON are made problems by the registry;
the reader decides which figures of a document that breaks off are good.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import orjson
import pandas as pd

from hecn_analysis.files.source import Line, Lines, Take
from hecn_analysis.logs import prefixes
from hecn_analysis.logs.contract import Findings

_LARGEST: Final = 1 << 26
_MOST_LINES: Final = 1 << 22
_DEEPEST: Final = 200
_START: Final = re.compile(r'\{(?=\s*(?:"|$))')
_INDENT: Final = re.compile(r'\{(\n[ \t]{1,40})"')
_AFTER: Final = re.compile(r"[\s\],;]*")
_BLANKS: Final = re.compile(r"\s*")
_TOKEN: Final = re.compile(
    r'\s*(?:(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<mark>[{}\[\],:])|(?P<word>[^\s{}\[\],:"]{1,400}))'
)
_BEYOND_64_BITS: Final = re.compile(r"\d{19}")
_WHOLE: Final = re.compile(r"[-+]?\d{1,400}")
_NUMBER: Final = re.compile(r"[-+]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][-+]?\d{0,4})?")
_NO_NUMBER: Final = re.compile(r"[-+]?(?:nan(?:\(\w{0,20}\))?|inf(?:inity)?|1\.#\w{1,8})", re.IGNORECASE)
_WORDS: Final = {"true": True, "false": False, "null": None}


class _Place(NamedTuple):
    """Where a document may begin: a line, from where on the line is not used yet, and where the bracket stands."""

    line: Line
    origin: int
    start: int


@dataclass
class Document:
    """One JSON object of a log.

    Parameters
    ----------
    value
        The object; numbers that are none (``nan``) are None.
    first, last
        Its lines in the file, from 1.
    truncated
        Whether it breaks off: `value` then holds what was complete.
    defects
        What is not JSON in it, without repetition.
    """

    value: dict[str, Any]
    first: int
    last: int
    truncated: bool = False
    defects: list[str] = field(default_factory=list)
    text: str = field(default="", repr=False)
    _lines: dict[str, list[int]] | None = field(default=None, repr=False)

    def lines(self, key: str) -> list[int]:
        r"""Return the last line of each element of a top-level array, and nothing where the key has none.

        >>> [document] = Parts(Lines.of('{"a": [1,\n2],\n "b": [{"c":\n3}]}'))
        >>> document.lines("a"), document.lines("b"), document.lines("c")
        ([1, 2], [4], [])
        """
        if self._lines is None:
            elements = self.value.get(key)
            if isinstance(elements, list) and not self.defects:
                found = self._indented_lines(key, len(elements))
                if found is not None:
                    return found
            self._lines = {}
            self._find_lines()
        return self._lines.get(key, [])

    def _indented_lines(self, key: str, elements: int) -> list[int] | None:
        """The lines on which elements that are objects end, by the indentation; None where it does not show them."""
        text = self.text
        indent = _INDENT.match(text)
        start = text.find(f'{indent[1]}"{key}"') if indent else -1
        if indent is None or start < 0:
            return None
        margin = indent[1]
        until = text.find(margin + '"', start + 1)
        section = text[start : until if until >= 0 else len(text)]
        opening = section.find("[")
        parts = section.split(f"{margin}{margin[1:]}}}")
        if opening < 0 or section[len(margin) + len(key) + 2 : opening].strip() != ":" or len(parts) != elements + 1:
            return None
        number = self.first + text.count("\n", 0, start)
        found = []
        for part in parts[:-1]:
            number += part.count("\n") + 1
            found.append(number)
        return found

    def _find_lines(self) -> None:
        """Walk over the top level of a text that is known to be good."""
        text, number, counted = self.text, self.first, 0
        position = 1
        while (position := _past_blanks(text, position)) < len(text) and text[position] == '"':
            key, position = _PLAIN.raw_decode(text, position)
            position = _past_blanks(text, _past_blanks(text, position) + 1)
            if text[position] == "[":
                found: list[int] = []
                position = _past_blanks(text, position + 1)
                while text[position] != "]":
                    _, position = _PLAIN.raw_decode(text, position)
                    number += text.count("\n", counted, position)
                    counted = position
                    found.append(number)
                    position = _past_blanks(text, position)
                    position = _past_blanks(text, position + (text[position] == ","))
                position += 1
                if self._lines is not None:
                    self._lines[key] = found
            else:
                _, position = _PLAIN.raw_decode(text, position)
            position = _past_blanks(text, position)
            position += text[position] == ","


class DocumentReader:
    """A reader of JSON documents; see the module for how to write one."""

    TOOLS: tuple[str, ...] = ()
    VERSIONS: str = ""
    HINTS: tuple[str, ...] = ()
    DOCUMENTS: tuple[frozenset[str], ...] = ()
    """Sets of top-level keys; a document that has all of one set is offered to the reader."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    def feed(self, line: Line) -> bool:  # noqa: ARG002 - readers of text as well use it
        """Take no line of text."""
        return False

    def finish(self) -> None:
        """The file has ended."""

    def take(self, document: Document) -> bool:
        """Take a document that is the tool's own and return True, or return False and leave it to other readers."""
        raise NotImplementedError

    @classmethod
    def wants(cls, value: dict[str, Any]) -> bool:
        """Whether an object has the top-level keys of the tool's documents."""
        return any(keys <= value.keys() for keys in cls.DOCUMENTS)


def at(value: object, *path: str | int) -> Any:  # noqa: ANN401 - any JSON value may be found
    """Follow keys and indices into a value; None where a step is missing.

    >>> at({"end": {"streams": [{"bytes": 5}]}}, "end", "streams", 0, "bytes")
    5
    >>> at({"end": []}, "end", "sum")
    """
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def number(value: object) -> float | None:
    """Return a finite number as a float, and None for everything else.

    >>> number(5), number("5"), number(True), number(float("inf"))
    (5.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def words(value: object) -> str | None:
    """Text as it is; None for anything else."""
    return value if isinstance(value, str) else None


def utc_time(value: object) -> pd.Timestamp | None:
    """Time of an ISO 8601 text, in UTC where it names no zone; None for anything else.

    >>> utc_time("2026-03-21T23:18:58+01:00")
    Timestamp('2026-03-21 22:18:58+0000', tz='UTC')
    """
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return pd.Timestamp(found if found.tzinfo else found.replace(tzinfo=UTC)).tz_convert("UTC")
    except (ValueError, OverflowError):
        return None


def count(value: object) -> int | None:
    """Return a whole number, also one written 5.0, and None for everything else."""
    found = number(value)
    if found is None or found != int(found):
        return None
    return value if isinstance(value, int) else int(found)


class Parts:
    r"""The documents of a log and its other lines, one after another.

    A document that nobody wants is left out when it is complete and has its lines for itself; otherwise its lines
    are text. Time grows with the length of the log: what has been looked at as a block is looked at once more, token
    by token, and a token that does not fit is where the search goes on.

    Parameters
    ----------
    lines
        The lines of a file.
    wanted
        Whether an object with these members is of use; left out, each is.

    Examples
    --------
    >>> for part in Parts(Lines.of('Warning: slow {"a": nan}\n{\n "b": [1, 2\n$ exit')):
    ...     print(part)
    Line(number=1, text='Warning: slow ', complete=True, marks=-1)
    Document(value={'a': None}, first=1, last=1, truncated=False, defects=["'nan'"])
    Document(value={'b': [1, 2]}, first=2, last=3, truncated=True, defects=[])
    Line(number=4, text='$ exit', complete=False, marks=-1)
    """

    passed: Callable[[Sequence[Line]], object] | None = None
    """Told of lines without marks outside of documents, which are passed over then."""

    def __init__(self, lines: Lines, wanted: Callable[[dict[str, Any]], bool] | None = None) -> None:
        self._rest = lines
        self._wanted = wanted or (lambda _: True)
        self._again: deque[tuple[Line, int]] = deque()
        self._blocks_until = 0
        self._broken_line = 0

    def take(self, rows: Take) -> int:
        """Offer the lines that follow, as `Lines.take` does."""
        return 0 if self._again else self._rest.take(rows)

    def __iter__(self) -> Iterator[Line | Document]:
        """Go through the file once."""
        while True:
            if self.passed is not None and not self._again:
                self.passed(self._rest.pass_over())
            if self._again:
                line, origin = self._again.popleft()
            elif (following := next(self._rest, None)) is not None:
                line, origin = following, 0
            else:
                return
            start = _START.search(line.text, origin) if "{" in line.text else None
            while start is not None:
                if 0 < start.start() == line.text.rstrip().rfind("{") and prefixes.bare(line.text).rstrip() == "{":
                    line, origin, start = self._unprefixed(line), 0, _START.match("{")
                    continue
                place = _Place(line, origin, start.start())
                parts = self._block(place)
                if parts is None:
                    parts = self._one_line(place)
                found = self._tokens(place) if parts is None else parts
                if not isinstance(found, int):
                    yield from found
                    break
                start = _START.search(line.text, found)
            else:
                yield Line(line.number, line.text[origin:], line.complete) if origin else line

    def _unprefixed(self, line: Line) -> Line:
        """Take off what stands in front of the lines, from one on that begins a document with its bracket alone."""
        lines, size = [], 0
        while size <= _LARGEST and (following := self._next()) is not None:
            text = prefixes.bare(following.text)
            lines.append(following._replace(text=text))
            size += len(text)
            if text == following.text:
                break
        self._again.extendleft((following, 0) for following in reversed(lines))
        return line._replace(text="{")

    def _next(self) -> Line | None:
        return self._again.popleft()[0] if self._again else next(self._rest, None)

    def _deliver(self, place: _Place, used: Sequence[Line], end: int, document: Document) -> list[Line | Document]:
        """Give out a document that ends at a place in the last of the lines that it uses."""
        before, last = place.line.text[place.origin : place.start], used[-1]
        text_after = _AFTER.match(last.text, end)
        rest = text_after.end() if text_after else end
        if not self._wanted(document.value):
            if before.strip(" \t[,") == "" and rest == len(last.text) and not document.truncated:
                return []
            return [Line(place.line.number, place.line.text[place.origin :], place.line.complete), *used[1:]]
        if rest < len(last.text):
            self._again.appendleft((last, end))
        return [Line(place.line.number, before), document] if before.strip(" \t[,") else [document]

    def _block(self, place: _Place) -> list[Line | Document] | None:
        """A document over many lines, of which all but the first and the last are indented."""
        line, margin = place.line, place.start
        if line.text.strip() != "{" or line.number <= self._blocks_until:
            return None
        inner, numbers = self._inner(margin)
        used, size, closed = [line], sum(map(len, inner)), False
        while (following := self._next()) is not None:
            used.append(following)
            size += len(following.text)
            if not following.text[: margin + 1].isspace() and following.text.strip():
                closed = following.text.startswith("}", margin)
                break
            if size > _LARGEST:
                break
        if closed:
            whole = "\n".join([line.text[margin:], *inner, *(part.text for part in used[1:])])
            found = _decoded(whole, 0, line.number)
            # a block may also hold the end of one document and the beginning of the next
            if found is not None and found[0].last == used[-1].number:
                end = len(used[-1].text) - len(whole) + found[1]
                if not self._wanted(found[0].value):
                    used[1:1] = map(Line, numbers, inner)
                return self._deliver(place, used, end, found[0])
        used[1:1] = map(Line, numbers, inner)
        self._again.extendleft((part, 0) for part in reversed(used[1:]))
        self._blocks_until = used[-1].number
        return None

    def _inner(self, margin: int) -> tuple[list[str], list[int]]:
        """Take the indented lines that follow, which may be millions: their texts and numbers."""
        inner: list[str] = []
        inner_numbers: list[int] = []

        def take(texts: Sequence[str], numbers: Sequence[int], start: int) -> int:
            end = start if len(inner) > _MOST_LINES else len(texts)
            for place in range(start, end):
                text = texts[place]
                if (margin or text >= "!") and not text[: margin + 1].isspace() and text.strip():
                    end = place
                    break
            inner.extend(texts[start:end])
            inner_numbers.extend(numbers[start:end])
            return end - start

        self.take(take)
        return inner, inner_numbers

    def _one_line(self, place: _Place) -> list[Line | Document] | None:
        """A document on one line; one failure is enough to leave a line to the slower way."""
        line = place.line
        if self._broken_line == line.number:
            return None
        found = _decoded(line.text, place.start, line.number)
        if found is None:
            self._broken_line = line.number
            return None
        return self._deliver(place, [line], found[1], found[0])

    def _tokens(self, place: _Place) -> list[Line | Document] | int:
        """A document token by token, or the place on the line from which to search on."""
        parser = _Parser(place.line.number)
        used, position, size = [place.line], place.start, 0
        indented: bool | None = None
        while (end := parser.feed(used[-1], position)) is None:
            size += len(used[-1].text)
            following = self._next() if size <= _LARGEST else None
            if following is None:
                break
            if indented is None and following.text.strip():
                indented = following.text[:1].isspace()
            if indented and following.text.startswith("{"):
                self._again.appendleft((following, 0))
                break
            used.append(following)
            position = 0
        if end is not None and parser.failed and len(used) > 1 and not used[-1].text[:end].strip():
            self._again.appendleft((used.pop(), 0))
            end = None
        end = len(used[-1].text) if end is None else end
        if parser.begun:
            return self._deliver(place, used, end, parser.document(used, place.start, end))
        if len(used) == 1:
            return max(end, place.start + 1)
        self._again.appendleft((used.pop(), 0))
        self._blocks_until = max(self._blocks_until, used[-1].number)
        return [Line(place.line.number, place.line.text[place.origin :], place.line.complete), *used[1:]]


def _past_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position


class _Notes:
    """What is not JSON in a document."""

    def __init__(self) -> None:
        self._defects: dict[str, None] = {}
        self._twice: dict[str, None] = {}

    @property
    def defects(self) -> list[str]:
        """What was found, keys that stand twice in one."""
        keys = ", ".join(map(repr, list(self._twice)[:6]))
        return [*self._defects, *([f"keys that stand twice ({keys})"] if keys else [])]

    def twice(self, key: str) -> None:
        self._twice[key] = None

    def other(self, text: str) -> None:
        self._defects[text] = None

    def pairs(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        if len(found) != len(members):
            seen: set[str] = set()
            for key, _ in members:
                if key in seen:
                    self.twice(key)
                seen.add(key)
        return found

    def constant(self, text: str) -> None:
        self.other(repr(text))


_PLAIN: Final = json.JSONDecoder(strict=False)


def _decoded(text: str, start: int, first: int) -> tuple[Document, int] | None:
    """The document at a place of a text, and where it ends; None where the standard decoder finds none."""
    plain = text[start:].rstrip()
    if plain.endswith("}") and (quick := _decoded_quickly(plain)) is not None:
        return Document(quick, first, first + plain.count("\n"), text=plain), start + len(plain)
    notes = _Notes()
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=notes.pairs, parse_constant=notes.constant)
    try:
        value, end = decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    last = first + text.count("\n", start, end)
    return Document(value, first, last, defects=notes.defects, text=text[start:end]), end


def _decoded_quickly(text: str) -> dict[str, Any] | None:
    """The object that is the whole of a text, in a third of the time; None where anything about it is not plain.

    A key that stands twice is missing from what is written of the object; a whole number beyond 64 bits would be cut.
    """
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


class _Parser:
    """A parser that is given a document line by line and builds what has come so far."""

    def __init__(self, first: int) -> None:
        self.failed = False
        self._first = self._last = first
        self._stack: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []
        self._root: dict[str, Any] = {}
        self._state = "value"
        self._members = 0
        self._finished = False
        self._notes = _Notes()
        self._lines: dict[str, list[int]] = {}

    @property
    def begun(self) -> bool:
        """Whether there is a first member, or an end: whether this is a document at all."""
        return self._members > 0 or self._finished

    def document(self, used: Sequence[Line], start: int, end: int) -> Document:
        """What has been read."""
        if not self._finished:
            self._drop_unfinished()
        texts = [line.text for line in used]
        texts[-1] = texts[-1][:end]
        texts[0] = texts[0][start:]
        return Document(
            self._root,
            self._first,
            self._last,
            truncated=not self._finished,
            defects=self._notes.defects,
            text="\n".join(texts),
            _lines=self._lines,
        )

    def _drop_unfinished(self) -> None:
        """Take out elements of arrays that break off; the members of objects stay."""
        for outer, inner in zip(self._stack, self._stack[1:], strict=False):
            if isinstance(outer, list):
                if outer and outer[-1] is inner:
                    outer.pop()
                return

    def feed(self, line: Line, position: int) -> int | None:
        """Read a line from a place on; where the document ends or a token does not fit, None when it goes on."""
        text, length = line.text, len(line.text)
        while position < length:
            token = _TOKEN.match(text, position)
            if token is None:
                if _past_blanks(text, position) == length:
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
            if self._finished:
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
        """Whether a token is a scalar, and its value."""
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
        if not self._stack and isinstance(container, dict):
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
        """A value is complete."""
        self._state = "comma"
        self._finished = not self._stack
        if len(self._stack) == 2 and isinstance(self._stack[1], list):
            self._lines.setdefault(self._keys[0] or "", []).append(self._last)
