"""Sentences that quote the output of a program, which are not results."""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(r"`{1,3}(?P<inner>[^`]{1,400})`{1,3}")
_WORD: Final = re.compile(r"(?<![\w/.:-])[^\W\d_]{2,30}(?![\w/:=-]|\.\w)")
_DIGIT: Final = re.compile(r"\d")
_FIGURE: Final = re.compile(
    r"(?<![\d.:])\d{1,18}[.,]\d{1,18}(?![\d.:])|\d\s?(?:%|[KMGT]?i?(?:B|b|bit|byte|bps|Byte)s?\b|[mun\u00b5]?s(?:ec)?\b|packets)"
)
_COMMON: Final = (
    " the ",
    " that ",
    " which ",
    " was ",
    " is ",
    " it ",
    " we ",
    " but ",
    " than ",
    " this ",
    " you ",
    " I ",
)
_STRONG: Final = re.compile(
    r"\b(?:the|that|this|these|those|which|who|what|when|while|where|why|because|although|though|however|therefore|than|"
    r"then|was|were|is|are|has|have|had|does|did|been|we|I|you|it|they|our|my|your|its|but|so|if|there|here|only|even|"
    r"still|just|also|both|with|reported|showed|shows|saw|see|got|gets|says|said|about)\b",
    re.IGNORECASE,
)
_FEW: Final = 3
_WORDS: Final = 6
_WHOLE: Final = 3  # words of a quote that is more than a figure


def is_prose(line: str) -> bool:
    """Whether a line is a sentence that quotes a figure, such as "we saw 10 packets transmitted, 9 received"."""
    if "`" in line:
        quoted = max((len(code[1].split()) for code in _CODE.finditer(line) if _DIGIT.search(code[1])), default=0)
        if quoted and len(_WORD.findall(_CODE.sub(" ", line))) >= (_WORDS if quoted < _WHOLE else _FEW):
            return True
    for word in _COMMON:  # called for every line of a tool, where a generator takes twice as long
        if word in line:
            break
    else:
        return False
    return len({strong.lower() for strong in _STRONG.findall(line)}) >= _FEW and _FIGURE.search(line) is not None
