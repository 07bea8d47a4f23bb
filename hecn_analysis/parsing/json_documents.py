r"""JSON documents inside a log, in the forms that tools print.

A document is an object, on one line of any length or on many, after other text on its line ("Warning: …", a prompt),
before text or the next document, truncated, or in an array, whose elements are then documents. Some invalid JSON is
read, with one problem of kind ``malformed`` per file: ``nan``, ``-nan`` and ``inf`` (missing values), numbers such as
``1.e5`` or ``+1``, trailing commas, repeated keys (the last one counts). A document printed twice in a row is read
once. A truncated one yields its complete members and elements.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

PLAIN: Final = json.JSONDecoder(strict=False)
_INDENT: Final = re.compile(r'\{(\n[ \t]{1,40})"')
_BLANKS: Final = re.compile(r"\s*")


@dataclass
class JsonDocument:
    """One JSON object of a log, from its first to its last line (from 1).

    `value` has None for invalid numbers, and what is complete of a `truncated` object; `defects` are its deviations
    from JSON, each once.
    """

    value: dict[str, Any]
    first: int
    last: int
    truncated: bool = False
    defects: list[str] = field(default_factory=list)
    text: str = field(default="", repr=False)
    _lines: dict[str, list[int]] | None = field(default=None, repr=False)

    def lines(self, key: str) -> list[int]:
        r"""Return the last line of each element of a top-level array; empty if the key has no array."""
        if self._lines is None:
            elements = self.value.get(key)
            if isinstance(elements, list) and not self.defects:
                ends = self._indented_lines(key, len(elements))
                if ends is not None:
                    return ends
            self._lines = {}
            self._find_lines()
        return self._lines.get(key, [])

    def _indented_lines(self, key: str, elements: int) -> list[int] | None:
        """Find by indentation the lines on which elements that are objects end; None if it does not show them."""
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
        ends = []
        for part in parts[:-1]:
            number += part.count("\n") + 1
            ends.append(number)
        return ends

    def _find_lines(self) -> None:
        """Scan the top level of a text that is known to be valid."""
        text, number, counted = self.text, self.first, 0
        position = 1
        while (position := past_blanks(text, position)) < len(text) and text[position] == '"':
            key, position = PLAIN.raw_decode(text, position)
            position = past_blanks(text, past_blanks(text, position) + 1)
            if text[position] == "[":
                ends: list[int] = []
                position = past_blanks(text, position + 1)
                while text[position] != "]":
                    _, position = PLAIN.raw_decode(text, position)
                    number += text.count("\n", counted, position)
                    counted = position
                    ends.append(number)
                    position = past_blanks(text, position)
                    position = past_blanks(text, position + (text[position] == ","))
                position += 1
                if self._lines is not None:
                    self._lines[key] = ends
            else:
                _, position = PLAIN.raw_decode(text, position)
            position = past_blanks(text, position)
            position += text[position] == ","


def past_blanks(text: str, position: int) -> int:
    """Return the position of the next character that is not blank."""
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position
