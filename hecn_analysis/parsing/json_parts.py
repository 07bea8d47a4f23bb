"""The JSON documents among the lines of a log, and the lines outside them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from hecn_analysis.files.source import Line, Lines, Take
from hecn_analysis.parsing import prefixes
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_parser import Parser, decoded

_LARGEST: Final = 1 << 26
_MOST_LINES: Final = 1 << 22
_START: Final = re.compile(r'\{(?=\s*(?:"|$))')
_AFTER: Final = re.compile(r"[\s\],;]*")


class Parts:
    r"""The documents of a log and its other lines, one after another.

    Documents for which `wanted` is false are left out if they are complete and alone on their lines, else they are
    text. Time grows linearly with the log: a block is parsed at most twice, and the search resumes at the first invalid
    token.

    >>> [type(part).__name__ for part in Parts(Lines.of('Warning: slow {"a": nan}\n{\n "b": [1, 2\n$ exit'))]
    ['Line', 'JsonDocument', 'JsonDocument', 'Line']
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
        """Offer the following lines, as `Lines.take` does."""
        return 0 if self._again else self._rest.take(rows)

    def __iter__(self) -> Iterator[Line | JsonDocument]:
        """Iterate over the file once."""
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
                result = self._tokens(place) if parts is None else parts
                if not isinstance(result, int):
                    yield from result
                    break
                start = _START.search(line.text, result)
            else:
                yield Line(line.number, line.text[origin:], line.complete) if origin else line

    def _unprefixed(self, line: Line) -> Line:
        """Remove prefixes of lines, from one on that begins a document with its bracket alone."""
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

    def _deliver(
        self, place: _Place, used: Sequence[Line], end: int, document: JsonDocument
    ) -> list[Line | JsonDocument]:
        """Return a document that ends at a position in the last of its lines, and the text around it."""
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

    def _block(self, place: _Place) -> list[Line | JsonDocument] | None:
        """Parse a document over many lines, of which all but the first and the last are indented."""
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
            block = "\n".join([line.text[margin:], *inner, *(part.text for part in used[1:])])
            document = decoded(block, 0, line.number)
            # a block may also hold the end of one document and the beginning of the next
            if document is not None and document[0].last == used[-1].number:
                end = len(used[-1].text) - len(block) + document[1]
                if not self._wanted(document[0].value):
                    used[1:1] = self._rest.marked(inner, numbers)
                return self._deliver(place, used, end, document[0])
        used[1:1] = self._rest.marked(inner, numbers)
        self._again.extendleft((part, 0) for part in reversed(used[1:]))
        self._blocks_until = used[-1].number
        return None

    def _inner(self, margin: int) -> tuple[list[str], list[int]]:
        """Take the following indented lines, possibly millions: their texts and numbers."""
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

    def _one_line(self, place: _Place) -> list[Line | JsonDocument] | None:
        """Parse a document on one line; after one failure, the slower way parses the line."""
        line = place.line
        if self._broken_line == line.number:
            return None
        # of what stands behind another document, the rest is not looked at: there may be a hundred thousand on a line
        document = decoded(line.text, place.start, line.number, alone=not place.origin)
        if document is None:
            self._broken_line = line.number
            return None
        return self._deliver(place, [line], document[1], document[0])

    def _tokens(self, place: _Place) -> list[Line | JsonDocument] | int:
        """Parse a document token by token, or return the position on the line at which to resume the search."""
        parser = Parser(place.line.number)
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


class _Place(NamedTuple):
    """Possible start of a document: a line, the position from which it is unused, and that of the bracket."""

    line: Line
    origin: int
    start: int
