"""Readers of output with one figure per line, by a table of its figures and the runs that they make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from hecn_analysis.files.source import Line
from hecn_analysis.logs.contract import Run, RunFindings
from hecn_analysis.logs.damage import report_damaged_line

Figures = Mapping[str, str]
Columns = dict[str, object]


class BlockReader:
    """A reader of output with a figure on each line.

    A subclass has a table `FIGURES` of words and patterns with named groups; a line with the word that does not match
    is a problem. `BEGINS` matches the first line of a run. `LAST` names the figure without which a run is truncated.
    `runs` makes runs from the groups, each with the relative error that rounding may hide.
    """

    TOOLS: tuple[str, ...] = ()
    VERSIONS: str = ""
    HINTS: tuple[str, ...] = ()
    BEGINS: ClassVar[re.Pattern[str]]
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]]
    LAST: ClassVar[tuple[str, str]]

    def __init__(self, findings: RunFindings) -> None:
        self._findings = findings
        self._first: int | None = None
        self._last = 0
        self._figures: dict[str, str] = {}

    def feed(self, line: Line) -> bool:
        """Take a line of the tool."""
        if (begins := self.BEGINS.match(line.text)) is not None:
            self.finish()
            self._first = line.number
            return self._take(line, begins)
        if self._first is None:
            return False
        for word, pattern in self.FIGURES:
            if word in line.text:
                is_cut = not line.complete and line.text[-1:].isdigit()
                if (match := pattern.match(line.text)) is not None and not (is_cut and match.end() == len(line.text)):
                    return self._take(line, match)
                if self.LAST[0] in self._figures:
                    return False
                report_damaged_line(self._findings, line, f"a figure at {word.strip()!r}; left out")
                return True
        return False

    def _take(self, line: Line, match: re.Match[str]) -> bool:
        self._last = line.number
        self._figures.update({name: text for name, text in match.groupdict().items() if text is not None})
        return True

    def finish(self) -> None:
        """The output has ended."""
        first, self._first = self._first, None
        figures, self._figures = self._figures, {}
        if first is None:
            return
        name, words = self.LAST
        if name not in figures:
            message = f"found the end of the output, expected {words}; no run made of it"
            self._findings.problem(self._last, "truncated", message)
            return
        for columns, rounding in self.runs(figures):
            self._findings.run(Run(first, self._last, columns, rounding=rounding))

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make runs from the figures of a block."""
        raise NotImplementedError
