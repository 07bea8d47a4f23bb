"""Traces of terminals and their recordings: backspaces, control characters, recordings of asciinema."""

from __future__ import annotations

import json
import re
from typing import Final

from hecn_analysis.files.source import Lines
from hecn_analysis.parsing.cleaning.text import Text

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TYPED_OVER: Final = re.compile(r"[^\x08]\x08")
_MOST: Final = 200
_EVENT: Final = re.compile(r'\[\s{0,4}\d{1,9}(?:\.\d{1,9})?,\s{0,4}"[a-z]",')
_OUTPUT: Final = "o"


def without_control_characters(text: Text) -> Text:
    """Remove control characters, and text that was typed over or that a line showed before."""
    return text.each(_without_control)


def _without_control(line: str) -> str:
    if not _CONTROL.search(line):
        return line
    for _ in range(_MOST):
        if "\x08" not in line:
            break
        line = _TYPED_OVER.sub("", line).lstrip("\x08")
    return _CONTROL.sub("", line.rstrip("\r").rpartition("\r")[2])


def played(text: Text) -> Text:
    """Return the output in a recording of asciinema, whose lines are events with a time."""
    first = next((line for line in text.lines if line.strip()), "")
    if '"version"' not in first or not any(map(_EVENT.match, text.lines[1:4])):
        return text
    rows_done: list[tuple[str, int]] = []
    shown, begun = "", 0
    for line, number in zip(text.lines, text.numbers, strict=True):
        output = _output_of(line)
        begun = begun if shown else number
        *ended, shown = f"{shown}{output}".split("\n")
        for row_done in ended:
            rows_done.append((row_done, begun))
            begun = number
    rows = [*rows_done, (shown, begun)] if shown else rows_done
    return Text.pairs((part.text, number) for row, number in rows for part in Lines.of(f"{row}\n"))


def _output_of(line: str) -> str:
    """Return the output of an event."""
    if not _EVENT.match(line):
        return ""
    try:
        _, kind, output = json.loads(line)
    except (ValueError, RecursionError, TypeError):
        return ""
    return output if kind == _OUTPUT and isinstance(output, str) else ""
