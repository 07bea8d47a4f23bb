"""Removal of what mails, web pages, notes and terminals add to the output of a program, layer by layer.

Readers first get a file as it is. If that yields nothing or problems, they get it again without each layer of `LAYERS`,
in addition to the layers before. A layer is a function from a `Text` to a `Text`; lines keep their numbers in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
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
    ("quote marks", marks.without_quotes),
    ("margins", marks.without_margins),
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
    ("broken lines", wraps.joined_at_blanks),
    ("filled lines", wraps.joined_at_width),
)
"""The layers by the names that the column ``cleaned`` has, in the order in which they are taken off."""

CERTAIN: Final = frozenset({"recording", "control characters", "mail", "HTML", "block marks", "cells", "characters"})
"""The layers that no program prints itself."""


class Cleaned(NamedTuple):
    """A text without some of its layers: all ``layers`` removed, and the last ``layer`` of them."""

    text: Text
    layers: tuple[str, ...]
    layer: str


def cleaned(text: Text, *, left_on: Collection[str] = ()) -> Iterator[Cleaned]:
    """Yield a text without its first layer, then without the second too, and so on; `left_on` names layers to keep."""
    layers: tuple[str, ...] = ()
    for name, clean in LAYERS if text.lines else ():
        after = text if name in left_on else clean(text)
        if list(after.lines) != list(text.lines) or list(after.numbers) != list(text.numbers):
            text, layers = after, tuple(dict.fromkeys((*layers, name)))
            yield Cleaned(text, layers, name)
