"""What mails, web pages, notes and terminals put around the output of a program, taken off layer by layer.

Readers get a file as it is. Where that gives nothing, or gives problems, they get it once more behind each layer of
`LAYERS`, on top of the layers before. Each layer is a function from a `Text` to a `Text`, in which every line keeps its
number in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from hecn_analysis.parsing.cleaning import characters, html, mail, marks, markup, terminal, wraps
from hecn_analysis.parsing.cleaning.text import Clean, Text

__all__ = ["LAYERS", "Cleaned", "Text", "cleaned"]

LAYERS: Final[tuple[tuple[str, Clean], ...]] = (
    ("recording", terminal.played),
    ("control characters", terminal.without_control_characters),
    ("mail", mail.decoded),
    ("HTML", html.without_html),
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

CERTAIN: Final = frozenset({"recording", "control characters", "mail", "HTML", "characters"})
"""The layers that no program prints itself."""

_ENDS: Final = frozenset(
    {
        "characters",
        "quote marks",
        "repeated beginnings",
        "list marks",
        "margins",
        "margins of paragraphs",
        "broken lines",
    }
)
"""The layers that end a group: readers that look at whole files get each file once for a group."""


class Cleaned(NamedTuple):
    """A text without some of its layers.

    Parameters
    ----------
    text
        The lines.
    layers
        Names of the layers taken off.
    layer
        The one taken off last.
    """

    text: Text
    layers: tuple[str, ...]
    layer: str


def cleaned(text: Text, *, by_group: bool = False, left_on: Collection[str] = ()) -> Iterator[Cleaned]:
    """Take off the layers that a text has.

    Parameters
    ----------
    text
        The lines of a file.
    by_group
        Whether to give one text for each group of layers that belong together, instead of one for each layer.
    left_on
        Names of layers that are not taken off.

    Yields
    ------
    Cleaned
        The text without the first layer, then also without the second, and so on.

    Examples
    --------
    >>> [(found.text.lines, found.layers) for found in cleaned(Text.of(["# one", "#  two"]))]
    [(['one', ' two'], ('comment marks',)), (['one', 'two'], ('comment marks', 'margins'))]
    """
    layers: tuple[str, ...] = ()
    is_given = True
    if not text.lines:
        return
    for place, (name, clean) in enumerate(LAYERS, 1):
        after = text if name in left_on else clean(text)
        if list(after.lines) != list(text.lines) or list(after.numbers) != list(text.numbers):
            text, layers, is_given = after, tuple(dict.fromkeys((*layers, name))), False
        if not is_given and (not by_group or name in _ENDS or place == len(LAYERS)):
            is_given = True
            yield Cleaned(text, layers, name)
