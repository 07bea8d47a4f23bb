"""Lines that a mail or a page has broken into several."""

from __future__ import annotations

from typing import Final

from hecn_analysis.parsing.cleaning.text import Text

_WIDTHS: Final = range(40, 133)


def joined_at_blanks(text: Text) -> Text:
    r"""Join lines after a blank at the end, as mails of flowed text have it (RFC 3676).

    Parameters
    ----------
    text
        Lines.

    Examples
    --------
    >>> joined_at_blanks(Text.of(["10 bytes ", "copied", "end"]))
    Text(lines=['10 bytes copied', 'end'], numbers=[1, 3])
    """
    return _joined(text, [line.endswith(" ") and not line.isspace() and line != "-- " for line in text.lines])


def joined_at_width(text: Text) -> Text:
    r"""Join lines that were broken because the next word would have made them longer than all others.

    Parameters
    ----------
    text
        Lines.

    Examples
    --------
    >>> lines = ["one two three four five six seven eight", "nine ten", "end", "one two three four five six seven eight-ten"]
    >>> joined_at_width(Text.of(lines)).numbers
    [1, 3, 4]
    """
    width = max((len(line) for line in text.lines if " " in line.strip() and len(line) in _WIDTHS), default=0)
    words = [next(iter(line.split(maxsplit=1)), "") for line in text.lines[1:]]
    return _joined(
        text,
        [
            bool(word) and width - len(word) <= len(line.rstrip()) <= width and " " in line.strip()
            for line, word in zip(text.lines, [*words, ""], strict=True)
        ],
    )


def _joined(text: Text, goes_on: list[bool]) -> Text:
    """Join each line that goes on with the next one."""
    lines: list[str] = []
    numbers: list[int] = []
    follows = False
    for line, number, is_open in zip(text.lines, text.numbers, goes_on, strict=True):
        if follows and line.strip():
            lines[-1] = f"{lines[-1]}{'' if lines[-1].endswith(' ') else ' '}{line.lstrip()}"
        else:
            lines.append(line)
            numbers.append(number)
        follows = is_open
    return Text(lines, numbers)
