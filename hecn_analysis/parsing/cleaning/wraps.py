"""Lines that a mail or a page has wrapped, and outputs that it has written as one line."""

from __future__ import annotations

import re
from typing import Final

from hecn_analysis.parsing.cleaning.text import Text, runs

_WIDTHS: Final = range(60, 133)
"""Widths at which mails and terminals break lines."""

_COLLAPSED: Final = 120  # characters of a line that may hold several
_LEAST: Final = 3  # parts of a line that is split
#: What the lines of tools begin with that no other line of theirs contains.
_BEGINS: Final = re.compile(
    r"(?<=[^-\s] )(?=-{20,} )|(?<=-{20} )(?=\w)"
    r"|(?<=\S )(?=\[ {0,3}(?:\d{1,3}|ID|SUM)\] {1,8}(?:local |Interval |\d{1,5}\.\d))"
    r"|(?<=\S )(?=\d{2,5} bytes from \S|--- \S{1,255} ping statistics|rtt min/avg|round-trip min/avg"
    r"|\d{1,9} packets transmitted|Connecting to host |Client connecting to |Server listening on |TCP window size: "
    r"|iperf Done\.|Reply from \d|Ping statistics for "
    r"|Packets: Sent = |Approximate round trip |Minimum = \d|\d{1,12}\+\d{1,12} records (?:in|out)|\d{4,18} bytes \("
    r"|real {1,8}\d{1,4}m\d|user {1,8}\d{1,4}m\d|sys {1,8}\d{1,4}m\d|Run status group |(?:READ|WRITE): (?:bw|io)=)"
)


def split(text: Text) -> Text:
    """Split lines in which a page wrote several lines of a tool."""
    if not any(len(line) >= _COLLAPSED for line in text.lines):
        return text
    return Text.pairs(
        (part, number) for line, number in zip(text.lines, text.numbers, strict=True) for part in _split(line)
    )


def _split(line: str) -> list[str]:
    """Return the lines that a line holds, or the line itself."""
    parts = _BEGINS.split(line) if len(line) >= _COLLAPSED else []
    return [part.rstrip() for part in parts] if len(parts) >= _LEAST else [line]


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
