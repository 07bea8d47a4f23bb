r"""Contract of a reader of captured outputs: its input and output.

A reader is a module for one command (or one file of ``/proc``). It recognises its outputs by content alone, and turns
them into facts. It knows the format and nothing else: `hosts` interprets facts.

How to write a reader
---------------------
.. code-block:: python

    FORMATS = ("nproc",)                    # the names of its formats, as `hecn inventory --table sources` shows them
    VERSIONS = "coreutils 8 and 9"          # whose output it was tried on
    COMMANDS = ("nproc",)                   # programs, or files (/proc/…), whose output this is
    BEGINS = re.compile(r"Processors:\s")    # first line of an output, wherever it stands; None: no line tells
    REPEATS = True                          # a further such line inside its output begins another one

    def recognises(output: Output) -> bool:     # cheap and strict: no other reader may say yes to the same output
        return BEGINS.match(output.lines[0]) is not None

    def read(output: Output) -> Facts:          # never raises, whatever the output holds
        facts = output.facts("nproc", {"cpus": None})
        for number, line in output.numbered():
            ...
            facts.problem(number, "malformed", "found 'x', expected a number of processors; left out")
        return facts

Facts are JSON values in SI units (bytes, bit/s, seconds, fractions), PCI addresses with their domain
(``0000:04:00.0``). A fact that the output omits is None or absent, never 0. `registry` finds the module by its
`FORMATS`; the tests in ``tests/inventory/`` try it on all samples, its own and those of other readers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol
from xml.etree.ElementTree import Element, ParseError

import defusedxml
import defusedxml.ElementTree

from hecn_analysis.files.source import Lines
from hecn_analysis.parsing.json_documents import JsonDocument
from hecn_analysis.parsing.json_parts import Parts
from hecn_analysis.parsing.problems import FileProblems

#: Where a text that is JSON may begin: alone on its line, or after one that a program put in front.
_JSON: Final = re.compile(r"^[ \t]{0,8}[\[{]", re.MULTILINE)
_XML: Final = re.compile(r"^\s{0,8}<(?:\?xml|!DOCTYPE|\w)", re.MULTILINE)
_DEEPEST: Final = 100


@dataclass(frozen=True)
class Output:
    """The output of one command, or one file of ``/proc``.

    ``lines`` have no line feeds and no blank lines at either end; ``first`` is the number of the first one in the file.
    ``command`` are the words of the command line above it, the program without its path, or none. ``complete`` is False
    if the file ends inside the last line. ``numbers`` are those of all lines, if they are not consecutive; ``cleaned``
    names what was removed from the text before the output could be read.

    Examples
    --------
    >>> output = Output("n1.txt", ("MemTotal: 16777216 kB", "MemFree: 1024 kB"), first=4)
    >>> list(output.numbered())[1], output.head(1)
    ((5, 'MemFree: 1024 kB'), 'MemTotal: 16777216 kB')
    """

    source_file: str
    lines: tuple[str, ...]
    first: int = 1
    command: tuple[str, ...] = ()
    complete: bool = True
    numbers: tuple[int, ...] = ()
    cleaned: str | None = None

    def facts(self, form: str, values: dict[str, Any] | None = None) -> Facts:
        """Facts in one of the reader's `FORMATS`, for the reader to fill."""
        return Facts(self.source_file, form, {} if values is None else values)

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Lines with their numbers in the file."""
        return zip(self.numbers or range(self.first, self.first + len(self.lines)), self.lines, strict=True)

    @property
    def last(self) -> int:
        """Number of the last line in the file."""
        return self.numbers[-1] if self.numbers else self.first + max(len(self.lines), 1) - 1

    @cached_property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    def head(self, lines: int = 20) -> str:
        """The first lines as one text."""
        return "\n".join(self.lines[:lines])

    @cached_property
    def json(self) -> tuple[Any, ...]:
        """The JSON values of the output, one after another; the complete part of a truncated one."""
        return self._json[0]

    @property
    def json_truncated(self) -> bool:
        """Whether JSON that a reader requested is truncated."""
        return "_json" in vars(self) and self._json[1]

    @cached_property
    def _json(self) -> tuple[tuple[Any, ...], bool]:
        start = _JSON.search(self.text)
        if start is None:
            return (), False
        try:
            value, _ = json.JSONDecoder().raw_decode(self.text, start.end() - 1)
        except (ValueError, RecursionError):
            pass
        else:
            rest = self.text[start.end() :]
            if isinstance(value, list) or "\n{" not in rest:
                return (value,) if _depth(value) <= _DEEPEST else (), False
        documents = [part for part in Parts(Lines.of(self.text)) if isinstance(part, JsonDocument)]
        return tuple(part.value for part in documents), any(part.truncated for part in documents)

    @cached_property
    def xml(self) -> Element | None:
        """The root element of XML output; None for other output and for XML with entities."""
        start = _XML.search(self.text)
        if start is None:
            return None
        try:
            root: Element = defusedxml.ElementTree.fromstring(self.text[start.start() :].encode())
        except (ParseError, ValueError, defusedxml.DefusedXmlException):
            return None
        return root


def _depth(value: object) -> int:
    """Depth of a JSON value, up to the relevant one."""
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            below
            for part in level
            for below in (part.values() if isinstance(part, dict) else part if isinstance(part, list) else ())
        ]
    return depth


@dataclass
class Facts(FileProblems):
    """Facts in an output by name, in one of the reader's `FORMATS`."""

    format: str
    values: dict[str, Any] = field(default_factory=dict)


class Reader(Protocol):
    """A module that reads the output of one command; see above for how to write one.

    Examples
    --------
    >>> from hecn_analysis.inventory.computer import meminfo
    >>> output = Output("n1.txt", ("MemTotal: 16777216 kB", "MemFree: 1024 kB"))
    >>> meminfo.recognises(output), meminfo.read(output).format
    (True, 'meminfo')
    """

    @property
    def FORMATS(self) -> tuple[str, ...]:  # noqa: N802 - a constant of the module
        """The names of its formats."""

    @property
    def VERSIONS(self) -> str:  # noqa: N802
        """The versions whose wording it knows, for the documentation."""

    @property
    def COMMANDS(self) -> tuple[str, ...]:  # noqa: N802
        """Programs, and files that people print with cat, whose output it reads."""

    @property
    def BEGINS(self) -> re.Pattern[str] | None:  # noqa: N802
        """Matches the first line of an output from its start; None where no line tells.

        Where an output of another form may follow at once, the first line of each form is a group. A pattern with
        a line feed is matched on the line and the one below it. A match inside another output begins one only if the
        reader recognises what follows. A match with the same text as an earlier one of the output begins another
        output; nothing repeats the empty text of a lookahead.
        """

    @property
    def REPEATS(self) -> bool:  # noqa: N802
        """Whether such a line inside an output begins another one."""

    def recognises(self, output: Output) -> bool:
        """Whether an output is of this format: cheap, and False for every other format.

        Parameters
        ----------
        output
            Output of a command.

        Returns
        -------
        bool
            The answer.
        """

    def read(self, output: Output) -> Facts:
        """Return the facts of an output that it recognises, whatever it contains.

        Parameters
        ----------
        output
            Output of a command.

        Returns
        -------
        Facts
            The facts in SI units by name, and the problems.
        """
