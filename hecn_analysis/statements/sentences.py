"""Sentences that people write: what they state, without what they ask, guess, quote, or tried in vain.

Notes and mails name causes that nobody saw: "could it be the cable?", "somebody suggested jumbo frames", "I tried
another card, no difference". Spaces replace such words, so that the rest of the text stays in its place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

#: Longest line that is split into sentences, and least words that make a line prose. [characters]
_LONGEST: Final = 4000
_LEAST_WORDS: Final = 4
_MANY_WORDS: Final = 15

#: A word, or two characters of a script that writes words without spaces.
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{2,}")
#: What stands in lines of tools, and hardly in sentences.
_OF_TOOLS: Final = re.compile(
    r"^\s{0,40}(?:[\[{<|/\\$#%*+]|\d{1,4}[:.]\d{2}[:.]\d)|\b\d\d:\d\d:\d\d\b|\t|   \S|={2}|-{4}|^ {0,4}-{1,2}\w"
    r"|\w=\S{1,80} \w{1,40}="
)
_CERTAINLY_OF_TOOLS: Final = re.compile(r"^\s{0,40}(?:\[|\d{1,4}[:.]\d{2}[:.]\d)|^\s|\t|\b\d\d:\d\d:\d\d\b")

_SENTENCE: Final = re.compile(r"[^.!?;。！？；]{0,600}(?:\.(?=\w)[^.!?;。！？；]{0,600}){0,40}[.!?;。！？；]{0,3}")

_ASKS: Final = re.compile(
    r"(?:^|[,:(]|\b(?:or|and|but|so|then)\b)\s{0,3}(?:is|are|was|were|could|can|would|should|might|may|does|do|did|has"
    r"|have|am|will|shouldn't|isn't|aren't|couldn't|wouldn't|don't|doesn't|any\w{0,4}|maybe|perhaps|what|which|who"
    r"|or)\b[^?]{0,400}\?{1,3}\s{0,3}$|[^,，]{0,80}(?:吗|呢)[?？]{1,3}\s{0,3}$",
    re.IGNORECASE,
)
_GUESSES: Final = re.compile(
    r"\b(?:(?:could|might|may|must) (?:it |this |that |there |also |well |still |even )?(?:be|have been|cause"
    r"|come from|affect)"
    r"|could (?:it|this|that|the|my|a|an)\b|maybe|perhaps|possibly|i (?:don't |do not )?(?:think|guess|suspect|assume"
    r"|believe|suppose|fear|wonder|doubt)|suspect(?:ed|ing|s)?|wonder(?:ed|ing)?|what if|not sure (?:if|whether)"
    r"|whether (?:it|this|the)|should i|in theory|supposed to|if (?:it|this|that) (?:is|was|were|has))\b"
    r"[^,;:.!?]{0,400}"
    r"|\bif\b[^;:.!?]{0,160}\bwould(?:n't)?\b[^;:.!?]{0,200}|(?:是不是|会不会|难道|可能是|怀疑|猜测)[^,，。；]{0,80}",
    re.IGNORECASE,
)
_QUOTES: Final = re.compile(
    r"\b(?:i(?:'ve| have)? (?:also )?(?:read|heard)|according to (?:an?|the|some|this|that|posts?"
    r"|articles?|forums?|google|them|him|her)\b"
    r"|(?:some(?:body|one|(?: people| posts?| threads?)?)|people"
    r"|others|forums?|posts?|articles?|threads?|guides?|wikis?|google|they|he|she|support|a friend|the vendor)"
    r" (?:(?:has|have|had|online|there|here|also|all) )?(?:said?|says|suggest\w{0,3}|recommend\w{0,3}|advis\w{1,3}"
    r"|told|tells|claim\w{0,3}|mention\w{0,3}|point\w{0,3}|report\w{0,3}|blame\w{0,1}|think\w{0,1})"
    r"|(?:was|were|been) (?:suggested|recommended|advised|told)|suggest(?:ed|ion|ions)|recommend(?:ed|ation|ations)"
    r"|advice|rumou?rs?"
    r"|(?:a|my|our|his|her) (?:friend|neighbou?r|buddy|brother|sister|mate)s?"
    r" (?:has|have|had|is|uses?|runs?|gets?|got|sees?))"
    r"\b[^;:.!?]{0,400}",
    re.IGNORECASE,
)
_IN_VAIN: Final = re.compile(
    r"\b(?:(?:made|makes?|make|with|shows?|saw|see|is|but|and|,) )?(?:no|without(?: any)?|zero|little)"
    r" (?:change|changes|difference|effect|improvement|luck|success|avail|help|result)\b|\bto no avail\b|\bin vain\b"
    r"|\b(?:did|does|do|has|have|had|would|could)(?: not|n't|nt) (?:help\w{0,2}|change\w{0,1}|matter\w{0,2}|fix\w{0,2}"
    r"|solv\w{1,2}|resolv\w{1,2}|make (?:a|any) difference|affect\w{0,2}|improve\w{0,1})\b"
    r"|\b(?:no|not any) (?:better|faster|different)\b|\bdifferent \w{1,20} made no\b"
    r"|\b(?:same|identical|similar) (?:results?|speeds?|problem|issue|thing|behaviou?r|rate|numbers?)\b"
    r"(?=.{0,20}$)|\b(?:ruled?|rules|ruling) (?:\w{1,12} ){0,3}out\b|\bunchanged\b|\bnothing (?:helped|changed)\b",
    re.IGNORECASE,
)
BUT: Final = re.compile(r"\b(?:but|however|yet|though|aber|mais|pero)\b", re.IGNORECASE)
"""What parts a sentence in two that say the opposite of each other."""
HELPED: Final = re.compile(
    r"\b(?:fixed|solved|resolved|helped|(?:is|are|was|it's|now|runs?|works?) (?:\w{1,8} )?(?:fast|fine|normal"
    r"|ok(?:ay)?))"
    r"\b|\bfull (?:speed|rate)\b",
    re.IGNORECASE,
)
"""What says of a change that it helped."""

#: What somebody excludes, up to a "but": "it is not the MTU, I checked".
_EXCLUDES: Final = re.compile(
    r"\b(?:it|that|this)(?:'s| is| was)(?: definitely| certainly| surely)? not"
    r" (?:the|an?|my|our|about|caused by|related to)\b(?:(?!\bbut\b)[^;:.!?]){0,400}",
    re.IGNORECASE,
)
#: A greeting before what a sentence states.
_GREETS: Final = re.compile(
    r"^\s{0,8}(?:hi|hello|hey|dear|greetings|good (?:morning|day|evening|afternoon)|hallo|bonjour|hola|guten tag)\b"
    r"(?: [\w']{1,20}){0,3}[,!:]",
    re.IGNORECASE,
)
_TRIES: Final = re.compile(
    r"\b(?:tried|try|replac\w{1,3}|swapp\w{1,3}|chang\w{1,3}|different|another|new|other|disabl\w{1,3}|enabl\w{1,3}"
    r"|set(?:ting)?|updat\w{1,3}|upgrad\w{1,3}|install\w{0,3}|switch\w{1,3}|reboot\w{0,3}|remov\w{1,3}|unplug\w{0,4}"
    r"|adjust\w{0,3}|lower\w{0,3}|increas\w{1,3}|turn\w{1,3}|adding|added|tweak\w{0,3}|rul\w{1,3}|tuning|tuned)\b",
    re.IGNORECASE,
)
#: Words before a match that deny it, unless they deny that a rate goes higher.
_DENIES: Final = re.compile(
    r"\b(?:no|not|without any|isn't|aren't|wasn't|weren't|never|neither|nor|n't|instead of|rather than"
    r"|nothing to do with)"
    r"(?: (?!more|faster|above|over|exceed|get|go|goes|reach|only|better|higher|past|beyond|used?|work|just)\w{1,14})"
    r"{0,2}\s{1,2}$",
    re.IGNORECASE,
)
#: Words with which a match begins that denies or bounds by itself: "without SQM", "exceed 93 Mb/s".
_OWN: Final = re.compile(
    r"\W{0,3}(?:no|not|without|never|isn't|low|only|more|faster|above|over|exceed\w{0,2}|get\w{0,4}|goes?|reach\w{0,4}"
    r"|better|higher|past|beyond|than|just|enough|sufficient)\b",
    re.IGNORECASE,
)
_NONE: Final = re.compile(r"\b(?:no|zero|0 ?%) (?!more|faster|longer|problems?|matter)", re.IGNORECASE)
_NONE_ITSELF: Final = re.compile(r"(?<![a-z\\])no(?![a-z])")
_NEAR: Final = 60

#: Lengths of a line that a mail program broke: a shorter one ends where its author wanted [characters].
_BROKEN: Final = range(50, 101)
_MOST_JOINED: Final = 40
_LEAST_BROKEN: Final = 6
#: How a line begins that does not continue the one before: a list, a quote, a heading, an output.
_BEGINS: Final = re.compile(r"\s{0,8}(?:[-*+>|#=$`~\[<{]|\d{1,3}[.):]\s|[A-Za-z][\w-]{0,30}:(?:\s|$))|\s{2}|\s*$")
#: How a line of a list begins that labels what it states: "From home with VPN: 3 MB/s".
_LABELS: Final = re.compile(r"\s{0,8}[^\W\d][\w'/.+-]{0,30}(?: [\w'/.+-]{1,20}){0,8} ?:\s")


class Paragraph(NamedTuple):
    """Lines that one sentence may span: index of the first, and their text, joined by spaces."""

    first: int
    text: str
    starts: tuple[int, ...]

    def line_of(self, place: int) -> int:
        """Index of the line that holds a place in the text."""
        return self.first + bisect_right(self.starts, place) - 1


def paragraphs(lines: Sequence[str]) -> Iterator[Paragraph]:
    """Join lines that a mail program broke."""
    first = 0
    while first < len(lines):
        end = first + 1
        while end < min(len(lines), first + _MOST_JOINED) and _is_broken(lines[end - 1], lines[end]):
            end += 1
        starts = [0]
        for line in lines[first : end - 1]:
            starts.append(starts[-1] + len(line) + 1)
        yield Paragraph(first, " ".join(lines[first:end]), tuple(starts))
        first = end


def _is_broken(line: str, following: str) -> bool:
    """Whether a sentence goes on in the next line."""
    if len(line.rstrip()) not in _BROKEN or _BEGINS.match(following) is not None:
        return False
    if _LABELS.match(line) is not None and _LABELS.match(following) is not None:
        return False
    return is_sentence(line) and len(_WORD.findall(line)) >= _LEAST_BROKEN and _OF_TOOLS.search(following) is None


def is_sentence(line: str) -> bool:
    """Whether a person wrote a line, judged by its form."""
    words = len(_WORD.findall(line)) if len(line) <= _LONGEST else 0
    if words >= _MANY_WORDS and line.rstrip().endswith((".", "?", "!", "。", "？", "！")):  # which may name a command
        return _CERTAINLY_OF_TOOLS.search(line) is None
    return words >= _LEAST_WORDS and _OF_TOOLS.search(line) is None


def split(line: str) -> Iterator[tuple[int, str]]:
    """Split a line of prose into sentences; yield the position and the text of each."""
    for match in _SENTENCE.finditer(line):
        if match[0].strip():
            yield match.start(), match[0]


def around(text: str, first: int, last: int) -> str:
    """The sentences that hold a part of a text."""
    start, end = text.rfind("\n", 0, first) + 1, text.find("\n", last)
    line = text[start : end if end >= 0 else len(text)]
    parts = [part for at, part in split(line) if at + len(part) > first - start and at < max(last - start, 1)]
    return " ".join(" ".join(parts).split())


@lru_cache(maxsize=4096)
def stated(line: str) -> str:
    """Replace the words of a sentence that state nothing with spaces; return other lines unchanged."""
    if not is_sentence(line):
        return line
    kept = list(line)
    for start, sentence in split(line):
        for first, end in _void(sentence):
            kept[start + first : start + end] = " " * (end - first)
    return "".join(kept)


def _void(sentence: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each part of a sentence that states nothing."""
    if _IN_VAIN.search(sentence) is not None and _TRIES.search(sentence) is not None:
        yield from _vain(sentence)
        return
    for pattern in (_GREETS, _ASKS, _GUESSES, _QUOTES, _EXCLUDES):
        for match in pattern.finditer(sentence):
            yield match.span()


def _vain(sentence: str) -> Iterator[tuple[int, int]]:
    """What a sentence tells of a trial in vain: all of it, but for what it says that did help."""
    cuts = [0, *(match.start() for match in BUT.finditer(sentence)), len(sentence)]
    for start, end in pairwise(cuts):
        part = sentence[start:end]
        if HELPED.search(part) is None or _IN_VAIN.search(part) is not None:
            yield start, end


def is_denied(text: str, match: re.Match[str]) -> bool:
    """Whether the words before a match deny it: "no packet loss"."""
    if _OWN.match(match[0]) is not None:
        return False
    before = text[max(match.start() - _NEAR, 0) : match.start()].rpartition("\n")[2]
    within = _NONE.search(match[0]) is not None and _NONE_ITSELF.search(match.re.pattern) is None
    return within or _DENIES.search(before) is not None
