"""Lines that look like a result of a program, to name those that no reader took.

A result has a rate, operations per second or a loss beside an amount or a time, or a figure behind a word that only a
program writes so (``bw=``, ``avg-latency=``), and few other words. Sentences, items of lists and rows of tables with
bars are about results; so is a line whose rates stand in lines that were read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from hecn_analysis.parsing.prose import is_prose

_NUMBER: Final = r"(?<![\w.,/~-])\d[\d.,]{0,17}"
_RATE: Final = re.compile(
    rf"(?P<digits>{_NUMBER})(?: ?(?:[KMGTkmgt]i?)?(?:[Bb]ytes?|[Bb]its?|B|b)(?:/s(?:ec)?\b|ps\b)"
    r"|[KMk]? ?(?:IOPS|iops|ops/s(?:ec)?)\b)"
)
_DIGITS: Final = re.compile(r"\d[\d.,]{0,17}")
_LOSS: Final = re.compile(rf"{_NUMBER}% ?(?:packet )?loss\b|\b\d{{1,9}}/ ?\d{{1,9}} \({_NUMBER}%\)")
_BESIDE: Final = re.compile(
    rf"{_NUMBER} ?(?:[KMGTkmgt]i?(?:[Bb]ytes?|B)|[Bb]ytes|s|secs?|seconds?|ms|msec|us|usec)(?![\w/])"
)
_KEY: Final = re.compile(
    r"\b(?:bw|BW|iops|IOPS|aggrb|avg-latency|throughput|Throughput) ?= ?(?P<digits>\d[\d.,]{0,17})"
    r"|^[\s*>]{0,20}[A-Za-z][\w ,.-]{0,40}[ ,(\[](?:[KMGT]i?)?(?:[Bb]ytes?|[Bb]its?|B|b)(?:/s(?:ec)?|ps)[)\]]?"
    r" ?[:=]\s{1,40}(?P<labelled>\d[\d.,]{0,17})\s{0,20}$"
    r"|\b(?:Bandwidth|Throughput|Average (?:rate|speed|throughput))\b[^:=]{0,20}[:=] {1,20}(?P<number>\d[\d.,]{0,17})"
)
_MAYBE: Final = ("/s", "ps", "OPS", "iops", "loss", "%)", "bw=", "BW=", "=", "width", "hroughput", "rate:", "speed:")
_STATE: Final = re.compile(
    r"\beta\b|\bETA\b|\d{1,3}(?:[.,]\d{1,2})? ?%[ ,:|\]](?!.{0,80}loss)"
    r"|</?[a-z]{1,10}[ >/]|=3D|=[CE][0-9A-F]=|=(?:20)?$"
)
_ABOUT: Final = re.compile(r"[^|]{0,400}\||[\s>]{0,12}(?:[-*+\u2022] |#|//|--|<|\d{1,2}[.)] |['\"`])")
_WORD: Final = re.compile(r"(?<![\w/=.-])[^\W\d_]{3,30}(?![\w/=])")
_WORDS: Final = 6
_SYLLABLES: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_SYLLABLES_OF_PROSE: Final = 8
_LONGEST: Final = 400
_SHOWN: Final = 80
_NEAR: Final = 3  # lines of one block
_MOST: Final = 8  # blocks of a file that are named


class Leftover(NamedTuple):
    """The first line of a block that looks like results, its text, how many such lines there are, what was expected."""

    line: int
    text: str
    lines: int
    expected: str = "a result in a form that a reader knows"

    @property
    def message(self) -> str:
        """What is said of it."""
        more = f" and {self.lines - 1} more such line{'s' * (self.lines > 2)}" if self.lines > 1 else ""
        return f"found {self.text.strip()[:_SHOWN]!r}{more}, expected {self.expected}; not read"


def figures(line: str) -> set[str]:
    """Return the digits of the results in a line; empty if it does not look like a program's result."""
    if len(line) > _LONGEST or not any(map(line.__contains__, _MAYBE)):
        return set()
    rates, key = {found["digits"] for found in _RATE.finditer(line)}, _KEY.search(line)
    found = rates or ({key["digits"] or key["labelled"] or key["number"]} if key else set())
    if not (key or ((rates or _LOSS.search(line)) and _BESIDE.search(line))):
        return set()
    if _ABOUT.match(line) or _STATE.search(line) or is_prose(line) or len(_WORD.findall(line)) > _WORDS:
        return set()
    return set() if len(_SYLLABLES.findall(line)) > _SYLLABLES_OF_PROSE else found or {""}


def leftovers(texts: Sequence[str], numbers: Sequence[int], read: Collection[int]) -> Iterator[Leftover]:
    """Yield the blocks of lines that look like results among those that were not read, all by number in the file."""
    left = [
        (number, text, own)
        for number, text in zip(numbers, texts, strict=True)
        if number not in read and (own := figures(text))
    ]
    if not left:
        return
    said = {
        digits
        for number, text in zip(numbers, texts, strict=True)
        if number in read
        for digits in _DIGITS.findall(text)
    }
    left = [each for each in left if not each[2] <= said]
    blocks: list[list[tuple[int, str]]] = []
    for number, text, _ in left:
        if blocks and number <= blocks[-1][-1][0] + _NEAR:
            blocks[-1].append((number, text))
        else:
            blocks.append([(number, text)])
    for block in blocks[:_MOST]:
        yield Leftover(*block[0], len(block))
