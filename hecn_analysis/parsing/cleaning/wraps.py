"""Lines that a mail or a page has wrapped."""

from __future__ import annotations

from typing import Final

from hecn_analysis.parsing.cleaning.text import Text, runs

_WIDTHS: Final = range(60, 133)
"""Widths at which mails and terminals break lines."""


def joined_at_blanks(text: Text) -> Text:
    """Join lines that end in a blank with the next one, as in mails of flowed text (RFC 3676)."""
    flows = [line.endswith(" ") and not line.isspace() and line != "-- " for line in text.lines]
    for start, end in runs([line.strip() for line in text.lines], 1):
        if flows[end - 1]:  # the last line ends in a blank too: the paragraph is padded
            flows[start:end] = [False] * (end - start)
    return _joined(text, flows)


def joined_at_width(text: Text) -> Text:
    """Join lines that a mail wrapped at its width: the next word did not fit, and a short rest follows."""
    width = max((len(line) for line in text.lines if " " in line.strip() and len(line) in _WIDTHS), default=0)
    lengths = [len(line.rstrip()) for line in text.lines]
    words = [next(iter(line.split(maxsplit=1)), "") for line in text.lines[1:]]
    is_full = [
        bool(word) and width - len(word) <= length <= width and " " in line.strip()
        for line, length, word in zip(text.lines, lengths, [*words, ""], strict=True)
    ]
    goes_on = [False] * len(lengths)
    for place, full in enumerate(is_full):
        end = place + 1 + (full and place + 2 < len(is_full) and is_full[place + 1])
        if full and not (place and is_full[place - 1]) and not is_full[end] and lengths[end] <= width // 2:
            goes_on[place:end] = [True] * (end - place)
    return _joined(text, goes_on)


def _joined(text: Text, goes_on: list[bool]) -> Text:
    """Join each marked line with the next one."""
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
