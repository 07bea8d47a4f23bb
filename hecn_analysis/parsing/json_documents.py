r"""JSON documents inside a log, as tools print them and not only as the standard has them.

A document is an object. It may be one line of any length or be spread over many, stand after chatter on its line
("Warning: …", a prompt), be followed by text or by the next document, break off, or stand inside an array, whose
elements are then documents of their own. What is not JSON but is printed as such is read: ``nan``, ``-nan`` and
``inf`` (missing values), numbers such as ``1.e5`` or ``+1``, trailing commas, a key that stands twice (the last one
counts). Each is one problem per file, of kind ``malformed``. A document printed twice in a row is read once. Of one
that breaks off everything complete is kept: an object keeps its complete members, an array its complete elements.
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
    """One JSON object of a log.

    Parameters
    ----------
    value
        The object; ``nan`` and other invalid numbers are None.
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
        r"""Give the last line of each element of a top-level array.

        Parameters
        ----------
        key
            The key of the array.

        Returns
        -------
        list of int
            Numbers of lines in the file; empty where the key has no array.

        Examples
        --------
        >>> from hecn_analysis.files.source import Lines
        >>> from hecn_analysis.parsing.json_parts import Parts
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
        while (position := past_blanks(text, position)) < len(text) and text[position] == '"':
            key, position = PLAIN.raw_decode(text, position)
            position = past_blanks(text, past_blanks(text, position) + 1)
            if text[position] == "[":
                found: list[int] = []
                position = past_blanks(text, position + 1)
                while text[position] != "]":
                    _, position = PLAIN.raw_decode(text, position)
                    number += text.count("\n", counted, position)
                    counted = position
                    found.append(number)
                    position = past_blanks(text, position)
                    position = past_blanks(text, position + (text[position] == ","))
                position += 1
                if self._lines is not None:
                    self._lines[key] = found
            else:
                _, position = PLAIN.raw_decode(text, position)
            position = past_blanks(text, position)
            position += text[position] == ","


def past_blanks(text: str, position: int) -> int:
    """Go on from a place to what is no blank."""
    found = _BLANKS.match(text, position)
    return found.end() if found else position
