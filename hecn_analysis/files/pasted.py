"""Text that went through a mail, a web page or an editor before it became a file.

Their additions are removed: quote marks of mail, no-break spaces, and the margin of a code block. The number of lines
never changes, so line numbers remain valid.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_QUOTE: Final = re.compile(r"(?: {0,2}>){1,20}(?: |$)?")
_BLANKS: Final = str.maketrans({"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u200b": "", "\ufeff": ""})
_FOREIGN: Final = re.compile("[\u00a0\u2007\u202f\u200b\ufeff]")


def plain(lines: Sequence[str]) -> Sequence[str]:
    """Remove quote marks of mail, and replace no-break spaces; as many lines are returned.

    A line counts as quoted only next to another one: ``> lspci`` alone is a command after a prompt.

    >>> plain(["You wrote:", "> > MemTotal:  1 kB", "> >", "> lspci"])
    ['You wrote:', 'MemTotal:  1 kB', '', 'lspci']
    >>> plain(["> lspci", "00:00.0 Host bridge: A"])
    ['> lspci', '00:00.0 Host bridge: A']
    """
    quoted = [line.startswith((">", " >")) for line in lines]
    if any(is_quoted and other for is_quoted, other in pairwise(quoted)):
        beside = zip(lines, quoted, [False, *quoted], [*quoted[1:], False], strict=False)
        lines = [
            _QUOTE.sub("", line, count=1) if is_quoted and (above or below) else line
            for line, is_quoted, above, below in beside
        ]
    if any(_FOREIGN.search(line) for line in lines):
        lines = [line.translate(_BLANKS) for line in lines]
    return lines


def without_margins(lines: Sequence[str], *, paragraphs: bool = False) -> list[str]:
    r"""Remove the common indentation of each block of indented lines; as many lines are returned.

    This destroys intended indentation, so use it only for text that is not recognised otherwise. With `paragraphs`, a
    blank line also ends a block, for pages whose margins differ between paragraphs.

    >>> without_margins(["I see:", "", "    md0 : active raid1", "          100 blocks", "Thanks"])
    ['I see:', '', 'md0 : active raid1', '      100 blocks', 'Thanks']
    >>> without_margins(["\ta", "", "  b"]), without_margins(["\ta", "", "  b"], paragraphs=True)
    (['\ta', '', '  b'], ['a', '', 'b'])
    """
    result = list(lines)
    start = 0
    for index in range(len(result) + 1):
        blank = index < len(result) and not result[index].strip()
        if (blank and not paragraphs) or (not blank and index < len(result) and result[index][0] in " \t"):
            continue
        run = [line for line in result[start:index] if line.strip()]
        margin = min((_margin(line, run[0]) for line in run), default=0)
        if margin:
            result[start:index] = [line[margin:] if line.strip() else line for line in result[start:index]]
        start = index + 1
    return result


def _margin(line: str, first: str) -> int:
    """Return how many leading blanks and tabs a line shares with another."""
    count = 0
    for mine, other in zip(line, first, strict=False):
        if mine != other or mine not in " \t":
            break
        count += 1
    return count
