"""Removal of what mails, web pages, notes and terminals add to the output of a program, layer by layer.

Readers first get a file as it is. If that yields nothing or problems, they get it again without each layer of `LAYERS`,
in addition to the layers before. A layer is a function from a `Text` to a `Text`; lines keep their numbers in the file.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from hecn_analysis.parsing.cleaning import characters, html, mail, marks, markup, pages, terminal, wraps
from hecn_analysis.parsing.cleaning.text import Clean, Text

__all__ = ["LAYERS", "Cleaned", "Text", "cleaned"]

LAYERS: Final[tuple[tuple[str, Clean], ...]] = (
    ("recording", terminal.played),
    ("control characters", terminal.without_control_characters),
    ("mail", mail.decoded),
    ("HTML", html.without_html),
    ("block marks", pages.without_block_marks),
    ("cells", pages.without_cells),
    ("characters", characters.plain_characters),
    ("small letters", characters.with_large_letters),
    ("quote marks", marks.without_quotes),
    ("line numbers", marks.without_line_numbers),
    ("comment marks", marks.without_comments),
    ("log prefixes", marks.without_prefixes),
    ("repeated beginnings", marks.without_beginnings),
    ("change marks", marks.without_changes),
    ("fences", marks.without_fences),
    ("table cells", markup.cells),
    ("markup", markup.without_markup),
    ("list marks", marks.without_lists),
    ("margins", marks.without_margins),
    ("margins of paragraphs", marks.without_margins_of_paragraphs),
    ("collapsed lines", wraps.split),
    ("broken lines", wraps.joined_at_blanks),
    ("filled lines", wraps.joined_at_width),
)
"""The layers by the names that the column ``cleaned`` has, in the order in which they are taken off."""

JOINING: Final = frozenset({"broken lines", "filled lines"})
"""The layers that join lines."""

_HEAD: Final = 8  # lines by which most layers can be ruled out

CERTAIN: Final = frozenset({"recording", "control characters", "mail", "HTML", "block marks", "cells", "characters"})
"""The layers that no program prints itself."""


class Cleaned(NamedTuple):
    """A text without some of its layers: all ``layers`` removed, and the last ``layer`` of them."""

    text: Text
    layers: tuple[str, ...]
    layer: str


def cleaned(text: Text, *, left_on: Collection[str] = ()) -> Iterator[Cleaned]:
    """Yield a text without one layer, then without two, and so on; `left_on` names layers to keep."""
    # A layer that every line has comes off before layers that only some lines have: those may belong to the output.
    layers: tuple[str, ...] = ()
    waiting = [layer for layer in LAYERS if layer[0] not in left_on] if text.lines else []
    written = _written(text)
    outermost: dict[str, bool] = {}  # by layer, until one comes off
    while waiting:
        first = (each for each in sorted(waiting, key=_place) if _is_first(each, written, outermost))
        name, clean = layer = next(first, waiting[0])
        waiting.remove(layer)
        after = clean(text)
        if list(after.lines) != list(text.lines) or list(after.numbers) != list(text.numbers):
            text, layers, written = after, tuple(dict.fromkeys((*layers, name))), _written(after)
            outermost.clear()
            yield Cleaned(text, layers, name)


def _place(layer: tuple[str, Clean]) -> int:
    """Order of a layer that every line has: a margin is outside all marks."""
    return 0 if layer[0] in CERTAIN else 1 if layer[0] == "margins" else 2


def _written(text: Text) -> tuple[Text, ...]:
    """The lines of a text that are not blank, the first few of them before all; nothing of a single line."""
    written = [line for line in text.lines if line.strip()]
    # A single line may be the output's own.
    return (Text.of(written[:_HEAD]), Text.of(written)) if len(written) > 1 else ()


def _is_first(layer: tuple[str, Clean], written: Sequence[Text], known: dict[str, bool]) -> bool:
    """Whether no program prints a layer, or every line has it; `known` keeps the answers for a text."""
    name, clean = layer
    if name not in known:
        known[name] = name in CERTAIN or (
            name not in JOINING and bool(written) and all(_is_everywhere(clean, few) for few in written)
        )
    return known[name]


def _is_everywhere(clean: Clean, written: Text) -> bool:
    """Whether a layer changes every line."""
    after = clean(written).lines
    return len(after) == len(written.lines) and all(map(operator.ne, after, written.lines))
