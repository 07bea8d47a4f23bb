"""Marks of emphasis, code and tables inside lines: Markdown, BBCode and the wikis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from hecn_analysis.parsing.cleaning.text import Text

_FIGURE: Final = r"[^\s*_`|](?:[^*`|]{0,58}[^\s*_`|])?"
_BOLD: Final = re.compile(rf"(?<![\w*])(?P<mark>\*{{1,3}})(?P<inner>{_FIGURE})(?P=mark)(?![\w*])")
_UNDERLINED: Final = re.compile(r"(?<![\w_])(?P<mark>_{2,3})(?P<inner>[^\s_](?:[^_`|]{0,58}[^\s_])?)(?P=mark)(?![\w_])")
_ENTIRE: Final = re.compile(
    r"(?P<margin>\s{0,40})(?:(?P<stars>\*{2,3})(?P<bold>[^*](?:[^*]|\*(?!\*)){0,1000})(?P=stars)"
    r"|__(?P<underlined>[^_](?:[^_]|_(?!_)){0,1000})__)\s{0,8}$"
)
_CODE: Final = re.compile(r"(?P<mark>`{1,3})(?P<inner>[^`]{1,400})(?P=mark)")
_ESCAPED: Final = re.compile(r"\\(?P<inner>[\\`*_{}\[\]()#+.!|<>~-])")
_CODES: Final = re.compile(
    r"\[/?(?:b|i|u|code|pre|quote|tt|color|size|font|noparse|spoiler|list|\*)(?:=[^\]]{1,80})?\]"
    r"|\{(?:code|noformat|quote|color|panel)(?::[^}]{1,80})?\}|\{\{[{<%]?|[>%}]?\}\}|'{2,3}",
    re.IGNORECASE,
)
_ROW: Final = re.compile(r"\s{0,8}\|.{0,2000}\|\s{0,8}$")
_EDGES: Final = "||"
_RULE: Final = re.compile(r"[\s|:+-]{0,2000}$")
_BREAK: Final = re.compile(r"\s{0,4}\\$")
_MOST_WORDS: Final = 3
_FAR: Final = 200  # lines between the beginning and the end of a mark
_OPEN: Final = {mark: re.compile(rf"\s{{0,8}}{re.escape(mark)}(?=[^\s*`])") for mark in ("**", "`")}


def without_markup(text: Text) -> Text:
    """Remove marks of bold, code and escapes from figures, and from lines that are code or bold entirely."""
    text = text.each(_without_markup)
    lines = list(text.lines)
    for mark, opening in _OPEN.items():
        single = [index for index, line in enumerate(lines) if line.count(mark) == 1]
        for first, last in pairwise(single):
            begun = opening.match(lines[first])
            if begun and last - first <= _FAR and lines[last].rstrip().endswith(mark) and lines[last].strip() != mark:
                lines[first] = lines[first][begun.end() :]
                lines[last] = lines[last].rstrip().removesuffix(mark)
    return Text(lines, text.numbers)


def _without_markup(line: str) -> str:
    if ("**" in line or "__" in line) and (entire := _ENTIRE.match(line)):
        return f"{entire['margin']}{entire['bold'] or entire['underlined']}"
    if "*" in line:
        line = _BOLD.sub(r"\g<inner>", line)
    if "__" in line:
        line = _UNDERLINED.sub(r"\g<inner>", line)
    if "`" in line:
        whole = line.strip()
        line = _CODE.sub(lambda match: _bare(match, whole), line)
    if "[" in line or "{" in line or "''" in line:
        line = _CODES.sub("", line)
    if "\\" in line:
        line = _BREAK.sub("", _ESCAPED.sub(r"\g<inner>", line))
    return line


def _bare(code: re.Match[str], line: str) -> str:
    """Return code without its marks, if it is a figure or the entire line."""
    if code[0] == line or len(code["inner"].split()) <= _MOST_WORDS:
        return code["inner"]
    return code[0]


def cells(text: Text) -> Text:
    """Write cells of a Markdown table with several words as lines, and other rows with blanks between cells."""
    if not any(_ROW.match(line) for line in text.lines):
        return text
    pairs = zip(text.lines, text.numbers, strict=True)
    return Text.pairs((part, number) for line, number in pairs for part in _cells(line))


def _cells(line: str) -> Iterator[str]:
    if not _ROW.match(line):
        yield line
    elif _RULE.match(line):
        yield ""
    elif line.count("|") == len(_EDGES):
        yield line.strip()[1:-1].removeprefix(" ").rstrip()
    else:
        parts = [part.strip() for part in line.strip().strip("|").split("|")]
        long = [part for part in parts if len(part.split()) > _MOST_WORDS]
        if any(map(_is_sentence, long)):
            yield line
        elif long:
            yield from parts
        else:
            yield "  ".join(parts)


def _is_sentence(cell: str) -> bool:
    """Whether a cell of several words explains the others: it has no figure."""
    return not any(character.isdigit() for character in cell) and "`" not in cell
