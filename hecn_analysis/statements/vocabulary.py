"""Words as people write them in lists of ``models/``, and the regular expressions that find them in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

#: What the signs in a word stand for: any ending, up to two words between, a number.
_SIGNS: Final = {
    r"\*": r"\w{0,12}",
    r"\~\ ": r"(?:[\w'./-]{1,14} ){0,2}?",
    r"\#": r"\d{1,6}(?:[.,]\d{1,3})?",
    r"\ ": "[ -]",
}


def expression(word: str) -> str:
    """A word as a regular expression: whole words, hyphen and space alike; of another alphabet, anywhere in a text."""
    return any_of([word])


def any_of(words: Iterable[str]) -> str:
    """Any of several words, as a regular expression; of none, one that matches nowhere."""
    whole: list[str] = []
    anywhere: list[str] = []
    for word in words:
        body = re.escape(word)
        for sign, stands_for in _SIGNS.items():
            body = body.replace(sign, stands_for)
        (whole if word.isascii() else anywhere).append(body if word.isascii() else re.escape(word.replace("*", "")))
    bounded = [rf"(?<![a-z0-9_.-])(?:{'|'.join(whole)})(?![a-z0-9_-])"] if whole else []
    return "|".join([*bounded, *anywhere]) or r"(?!)"


def pieces(words: Iterable[str]) -> frozenset[str]:
    """The longest piece of each word, in lower case: a text without any of them has none of the words."""
    return frozenset(max(re.split(r"[ *~#]", word.lower()), key=len) for word in words)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of words, capitals or not."""
    return re.compile(pattern, re.IGNORECASE)
