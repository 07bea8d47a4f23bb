"""Comparisons that people tell: the same transfer with something changed, and whether that changed the speed.

"Through the switch 80 Mb/s, directly 940", "a new cable fixed it", "without the VPN it is fast": what was changed
matters. "I swapped the cable, no change": it does not. ``models/comparisons.yaml`` has the words for what people
change, ``models/outcomes.yaml`` those for the change itself; every entry is looked for in every form:

- one side is slower than the other, in one sentence or in a few that follow each other;
- one side is slower than what the same sentence or the next states without it;
- another one of it, or its absence, is fast, cures, or raises the rate;
- it is slow as soon as it is there, or it is named as the culprit;
- the change was in vain, or both sides have the same rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import places
from hecn_analysis.hardware import yaml_file
from hecn_analysis.statements import sentences, vocabulary
from hecn_analysis.statements.speeds import Speed

SLOWER, FASTER, SAME = "slower", "faster", "same"
Outcome = Literal["slower", "faster", "same"]
"""How a transfer goes with the names of an entry, compared with the other side."""

WITH, CHANGED, INSTEAD, BOTH = "with", "changed", "instead", "both"

#: Characters around a name that say what became of it.
_AROUND: Final = 100
#: Words between what somebody did and the name, and words of the name itself, as in "another cheap network card".
_WORDS: Final = r"(?:\W{1,3}(?:[\w'./-]{1,20},? ){0,4}?(?<!same )(?:[ld]')?|(?<=[\u3040-\u9fff]))$"
_NAME: Final = (
    r"\W{1,3}(?:(?!(?:same|my|the|an?|its|our|is|was|are|of|in|on|and|to|install)\b)[\w'./-]{1,20},? ){0,2}?$"
)
#: What says of a rate that it is better than before.
_NOW: Final = re.compile(
    r"(?<!only )(?<!still )\b(?:now|suddenly|jump\w{0,3}|br(?:ought|ings?) it|rais\w{1,3}|rose|climb\w{0,3}|schon)\b"
    r"(?! only| still)",
    re.IGNORECASE,
)
#: What says, before a name, when it slows down, and what was left for something else.
_ONCE: Final = re.compile(
    r"\b(?:as soon as|once|when(?:ever)?|sobald|dès que|en cuanto|only|just|nur|solo|seule?)\b.{0,20}$", re.IGNORECASE
)
_LEFT: Final = re.compile(
    r"\b(?:from|instead of|rather than|off|statt|von|au lieu d[eu]|en vez de(?:l)?) (?:[\w'./-]{1,14} ){0,3}?$",
    re.IGNORECASE,
)

#: What says that a change did not matter.
_VAIN: Final = re.compile(
    r"\b(?:no|any|zero|little|without(?: any)?) (?:changes?|difference|effect|improvement|avail|luck|success)\b"
    r"|\b(?:nothing|hardly anything) (?:\w{1,8} )?(?:changed|helped|improved|different)\b|\bunchanged\b"
    r"|\b(?:do|does|did|has|have|had|would)(?: not|n.?t)(?: \w{1,8})? (?:help|chang|matter|fix|solv|affect|improv"
    r"|make any)"
    r"\w{0,4}\b|\b(?:the |exactly |shows? |with |gives? |at )?(?:the )?(?:same|identical|similar) (?:\w{1,12} )?"
    r"(?:speeds?|results?|problems?|issues?|rates?|numbers?|behaviou?r|thing|throughput|\d[\d.]{0,5} ?[kMG])"
    r"|\bsame (?:here|thing|with)\b"
    r"|\bbehaves? the same\b|\b(?:is|are|it's) the same\b|\b(?:just |also |equally |exactly )?(?:as|equally) slow\b"
    r"|\bslow alike\b|\bare (?:both )?slow\b|\ball (?:are )?slow\b|\b(?:the|is|it) same (?:on|from|for|with)\b"
    r"|\bstill (?:\w{1,8} ){0,3}?(?:slow|only|just|\d)|\b(?:stays?|remains?) (?:at|slow|the same)\b"
    r"|\brul(?:e|ed|ing) out\b|\bruled\b.{1,40}\bout\b|\b(?:is|are|was|were)(?: not|n.?t) (?:it|to blame|at fault"
    r"|(?:the |my )?(?:\w{1,12} )?(?:problem|bottleneck|culprit|cause|issue|limit|reason))\b"
    r"|\b(?:it|that)(?:'s| is| was)(?: \w{4,12})? not (?:the|an?|my|our)\b|\beven (?:with|from|when|without|to)\b"
    r"|\bwith and without\b|\b(?:all|both|every|each)\b.{1,40}\b(?:are|is) (?:\w{1,8} )?(?:affected|slow)\b"
    r"|\bhappens (?:\w{1,8} )?(?:on|with|from) (?:all|every|each|any)\b|\bno matter (?:which|what|if)\b"
    r"|\bdoes not matter (?:which|what|if)\b"
    r"|\bkeine? (?:änderung|besserung|unterschied|wirkung|effekt)|\bnichts (?:geändert|gebracht)|\bbrachte? nichts"
    r"|\bliegt es nicht\b|\b(?:ge)?nauso langsam|\bgleich langsam|\bgleiche[sr]? \w{4,14}|\bdasselbe\b"
    r"|\baucun (?:changement|effet)|\bsans (?:effet|résultat|succès)|\bpareil\b|\bce n.est pas l|\bmême (?:résultat"
    r"|problème|débit|vitesse|sans|avec)|\btous\b.{1,40}\btouchés|\b(?:sigue|va) igual\b|\blo mismo\b|\bno es (?:el"
    r"|la)\b"
    r"|\bsin (?:cambios?|efecto)|没有?(?:任何)?(?:变化|区别|效果)|没用|一样慢|无效|依然|还是(?:慢|不行)"
    r"|без изменений|не помогл",
    re.IGNORECASE,
)
#: What names a part as the culprit, before its name and after it.
_BLAMED_BEFORE: Final = re.compile(
    r"\b(?:it (?:really |indeed |actually )?(?:was|is|turned out to be)|turned out to be|culprit (?:was|is)|caused by"
    r"|due to|because of) (?:in fact )?(?:the|an?|my|our|that) (?:\w{1,12} ){0,3}?$"
    r"|\b(?:faulty|defective|broken|damaged|bad) (?:\w{1,12} )?$",
    re.IGNORECASE,
)
_BLAMED_AFTER: Final = re.compile(
    r"(?: itself)? (?:was|is|turned out to be) (?:the (?:culprit|cause|problem|bottleneck)|faulty|bad|broken|defective"
    r"|damaged|dying|to blame|at fault|it\b|kaputt|defekt)",
    re.IGNORECASE,
)

#: How far the rates of two sides may be from each other that are alike, and how far apart clearly are. [1]
_ALIKE: Final = 1.15

_Text = Annotated[str, Field(min_length=1)]


class _Words(BaseModel):
    """An entry of ``models/outcomes.yaml``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: list[_Text] = Field(min_length=1)


class Compared(BaseModel):
    """An entry of ``models/comparisons.yaml``; the keys are described there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: list[_Text] = Field(min_length=1)
    instead: list[_Text] = []
    differ: list[_Text] = []
    slows: list[_Text] = []
    cures: list[_Text] = []
    part: bool = False
    common: bool = False

    @cached_property
    def pieces(self) -> frozenset[str]:
        """Pieces of the words: a text without any of them compares nothing of this."""
        return vocabulary.pieces([*self.names, *self.instead, *self.differ, *self.slows, *self.cures])

    @cached_property
    def named(self) -> re.Pattern[str]:
        """The names."""
        return vocabulary.compiled(self._names)

    @cached_property
    def other_side(self) -> re.Pattern[str]:
        """Words for the other side."""
        return vocabulary.compiled(vocabulary.any_of([*self.instead, *self.cures]))

    @cached_property
    def variants(self) -> re.Pattern[str]:
        """Words of which two different ones compare."""
        return vocabulary.compiled(vocabulary.any_of(self.differ))

    @cached_property
    def _names(self) -> str:
        return vocabulary.any_of([*self.names, *self.slows])

    @cached_property
    def slowing(self) -> re.Pattern[str]:
        """Names that say enough where it is slow."""
        return vocabulary.compiled(vocabulary.any_of(self.slows))

    @cached_property
    def curing(self) -> re.Pattern[str]:
        """Words for the other side that say enough where it is fast."""
        return vocabulary.compiled(vocabulary.any_of(self.cures))

    @property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """All patterns of the entry."""
        return (self.named, self.other_side, self.variants, self.slowing, self.curing)

    def side_of(self, text: str) -> str:
        """The side of a clause: with it, changed, the other side, both; "" if it speaks of neither."""
        named = [match.span() for match in self.named.finditer(text)]
        if any(self._is_changed(text, *span) for span in named):
            return CHANGED
        others = [match.span() for match in self.other_side.finditer(text)]
        others, named = _outside(others, named), _outside(named, others, equal=False)
        if named and others:
            return INSTEAD if any(_LEFT.search(_before(text, start)) for start, _ in named) else BOTH
        return WITH if named else INSTEAD if others else ""

    def _is_changed(self, text: str, start: int, end: int) -> bool:
        """Whether a name is off, away, or, of a part, another one: "without the VPN", "QoS is off", "a new cable"."""
        before, after = _before(text, start), text[end : end + _AROUND]
        if _form("without", _WORDS).search(before) is not None or _form("off", "", _GAP).match(after) is not None:
            return True
        return self.part and (
            _form("another", _NAME).search(before) is not None
            or _form("replaces", _WORDS).search(before) is not None
            or _form("replaced", "", _WAS).match(after) is not None
        )

    def is_once_there(self, text: str) -> bool:
        """Whether a clause says when it is there: "as soon as the VPN is up", "only over wireless"."""
        return any(_ONCE.search(_before(text, match.start())) for match in self.named.finditer(text))

    def kind_of(self, text: str) -> str:
        """What tells a part from another: "old" for "the old cable" or "the old one"; "" for what is no part."""
        if not self.part:
            return ""
        starts = [match.start() for pattern in (self.named, _ONE) for match in pattern.finditer(text)]
        kinds = (_form("kinds", _KIND).search(_before(text, start)) for start in starts)
        return next((kind[0].split()[0].lower() for kind in kinds if kind is not None), "")

    def blamed(self, text: str) -> Iterator[re.Match[str]]:
        """Names of the culprit."""
        for match in self.named.finditer(text):
            start, end = match.span()
            is_before = _BLAMED_BEFORE.search(_before(text, start)) is not None
            if is_before or _BLAMED_AFTER.match(text[end : end + _AROUND]) is not None:
                yield match

    def speaks_of(self, text: str) -> bool:
        """Whether a clause has any of the words."""
        return self.named.search(text) is not None or self.other_side.search(text) is not None


_Span = tuple[int, int]


def _outside(spans: Sequence[_Span], others: Sequence[_Span], *, equal: bool = True) -> list[_Span]:
    """Spans not within another one, as "disk" is in "RAM disk"; `equal`: nor within one of the same length."""
    return [
        (start, end)
        for start, end in spans
        if not any(
            first <= start and end <= last and (equal or (start, end) != (first, last)) for first, last in others
        )
    ]


#: Words between a name and what says that it is off, or was replaced; between a kind and the name.
_GAP: Final = r"[ :=]{1,3}(?:[\w'./-]{1,14} ){0,5}?"
_WAS: Final = r"\W{1,3}(?:[\w'./-]{1,20},? ){0,4}?(?:(?:was|were|been|is|got) )?"
_KIND: Final = r"[ -](?:[\w'./-]{1,14} ){0,2}?$"
_ONE: Final = re.compile(r"\bones?\b", re.IGNORECASE)


@cache
def _form(entry: str, after: str, before: str = "") -> re.Pattern[str]:
    """Words of an entry of ``models/outcomes.yaml``, with what may stand after and before them."""
    words = yaml_file.entries(_Words, places.models_dir() / "outcomes.yaml")[entry].words
    return vocabulary.compiled(rf"{before}(?:{vocabulary.any_of(words)}){after}")


def _before(text: str, place: int) -> str:
    return text[max(place - _AROUND, 0) : place]


@cache
def compared() -> Mapping[str, Compared]:
    """The entries of ``models/comparisons.yaml`` by their names."""
    return yaml_file.entries(Compared, places.models_dir() / "comparisons.yaml")


def outcomes(entry: Compared, speeds: Sequence[Speed]) -> Iterator[tuple[str, Speed]]:
    """How transfers go with what an entry names, and the clause that says so."""
    sides = [entry.side_of(speed.text) for speed in speeds]
    for speed, side in zip(speeds, sides, strict=True):
        is_there = entry.is_once_there(speed.text) or entry.slowing.search(speed.text) is not None
        if side == WITH and speed.is_fast is False and is_there:
            yield SLOWER, speed
        is_cured = side in (INSTEAD, BOTH) and entry.curing.search(speed.text) is not None
        if (side == CHANGED or is_cured) and _is_better(speed):
            yield SLOWER, speed
    for place, (speed, side) in enumerate(zip(speeds, sides, strict=True)):
        for other, other_side in zip(speeds[place + 1 :], sides[place + 1 :], strict=True):
            if not speed.is_near(other):
                break
            yield from _of_two(entry, (speed, side), (other, other_side))


def _of_two(entry: Compared, one: tuple[Speed, str], two: tuple[Speed, str]) -> Iterator[tuple[str, Speed]]:
    """What two clauses tell together."""
    if _differ(entry, one[0], two[0]):
        if one[0].is_below(two[0]) or two[0].is_below(one[0]):
            yield SLOWER, one[0] if one[0].is_below(two[0]) else two[0]
        return
    for (speed, own), (other, opposite) in ((one, two), (two, one)):
        # of a clause that names both, what the other one lacks is what differs
        side, other_side = (WITH if own == BOTH else own), (INSTEAD if opposite == BOTH else opposite)
        is_pair = side == WITH and (
            other_side in (CHANGED, INSTEAD)
            or (other_side == "" and not entry.common and speed.is_beside(other) and not entry.speaks_of(other.text))
        )
        if is_pair and speed.is_below(other):
            yield SLOWER, speed
        if is_pair and other_side != "" and other.is_below(speed):
            yield FASTER, other
        if (
            side == CHANGED
            and other_side == ""
            and speed.is_beside(other)
            and not entry.speaks_of(other.text)
            and other.is_below(speed)
            and not _is_in_vain(speed)
        ):
            yield SLOWER, speed
        if is_pair and other_side != "" and _are_alike(speed, other):
            yield SAME, speed


def _differ(entry: Compared, one: Speed, two: Speed) -> bool:
    """Whether two clauses name different ones."""
    first, second = entry.variants.search(one.text), entry.variants.search(two.text)
    if first is not None and second is not None:
        return first[0].lower() != second[0].lower()
    kinds = {entry.kind_of(one.text), entry.kind_of(two.text)}
    return len(kinds) > 1 and "" not in kinds and one.is_beside(two)


def _is_better(speed: Speed) -> bool:
    """Whether a clause says that it is fast, or faster than before."""
    return (speed.is_fast is True or bool(speed.bps and _NOW.search(speed.text))) and not _is_in_vain(speed)


def _is_in_vain(speed: Speed) -> bool:
    return _VAIN.search(speed.text) is not None


def _are_alike(one: Speed, two: Speed) -> bool:
    return bool(one.bps and two.bps) and max(one.bps, two.bps) <= _ALIKE * min(one.bps, two.bps)


def culprits(lines: Sequence[str], entry: Compared) -> Iterator[tuple[int, str]]:
    """Sentences that name an entry as the culprit, unless they deny it."""
    for paragraph in sentences.paragraphs(lines):
        if not sentences.is_sentence(paragraph.text):
            continue
        text = sentences.stated(paragraph.text)
        for match in entry.blamed(text):
            if not sentences.is_denied(text, match):
                yield paragraph.line_of(match.start()), sentences.around(text, *match.span())


def in_vain(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Sentences that tell of a change without an effect, and their lines; without what else had one."""
    for paragraph in sentences.paragraphs(lines):
        if not sentences.is_sentence(paragraph.text):
            continue
        for start, sentence in sentences.split(paragraph.text):
            if sentence.rstrip().endswith("?") or _VAIN.search(sentence) is None:
                continue
            parts = sentences.BUT.split(sentence)
            if any(sentences.HELPED.search(part) for part in parts):
                parts = [part for part in parts if _VAIN.search(part) and not sentences.HELPED.search(part)]
            if parts:
                begins = start + len(sentence) - len(sentence.lstrip())
                yield paragraph.line_of(begins), " ".join(" but ".join(part.strip() for part in parts).split())
