"""Comparisons that people tell: the same transfer with one thing changed, and whether that changed the speed.

"Through the switch 80 Mb/s, directly 940", "a new cable fixed it", "without the VPN it is fast": what was changed
matters. "I swapped the cable, no change": it does not. Words are English, German, French and Spanish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from hecn_analysis.statements import sentences
from hecn_analysis.statements.speeds import Speed

#: Words for another one of the same, and the longest way from them to the thing. [words]
_OTHER: Final = (
    r"(?:an)?other|different|new|fresh|second|third|spare|(?:two|three|several) (?:more|others?)|ander\w{1,2}"
    r"|zweit\w{1,2}|neu\w{1,2}|autres?|nouve\w{1,4}|otr[oa]s?|nuev[oa]s?"
)
_REPLACES: Final = (
    r"replac\w{1,6}|swapp?\w{0,4}|chang\w{1,3}|exchang\w{1,3}|re-?seat\w{0,3}|borrow\w{0,3}|(?:aus)?tausch\w{0,3}"
    r"|(?:aus)?getauscht|ersetz\w{1,3}|remplac\w{1,4}|chang[ée]\w{0,2}|cambi\w{1,4}"
)
_REPLACED: Final = (
    r"(?:was|were|been|is|got)? ?(?:replaced|swapped|changed|exchanged|re-?seated|(?:aus)?getauscht|ersetzt|chang[ée])"
)
#: Words for a thing that is not there, before and after it.
_WITHOUT: Final = (
    r"without|no|disabl\w{1,3}|(?:turn|switch)\w{0,3} off|(?:turn|switch)\w{0,3} it off|remov\w{1,3}|delet\w{1,3}"
    r"|bypass\w{0,3}|unplug\w{0,4}|stop\w{0,4}|paus\w{1,3}|uninstall\w{0,3}|outside|disconnect\w{0,3}|around"
    r"|not connected to|deactivat\w{1,3}|ohne|abschalt\w{0,4}|aus(?:ge)?schalt\w{0,4}|abgeschaltet\w{0,2}"
    r"|deaktivier\w{0,4}|entfern\w{0,4}|hors|sans|d[ée]sactiv\w{1,4}|sin|desactiv\w{1,4}|quit\w{1,4}"
)
_OFF: Final = (
    r"off|disabled|removed|stopped|deactivated|uninstalled|down|aus|ab(?:ge)?schalt\w{0,4}|ausgeschaltet|deaktiviert"
    r"|d[ée]sactiv[ée]\w{0,2}|desactivad[oa]"
)
_WORDS: Final = r"\W{1,3}(?:[\w'./-]{1,20},? ){0,4}?(?<!same )(?:[ld]')?"
#: Words of the thing itself, as in "another cheap network card".
_NAME: Final = r"\W{1,3}(?:(?!(?:same|my|the|an?|its|our|is|was|are|of|in|on|and|to|install)\b)[\w'./-]{1,20},? ){0,2}?"
#: What says of a rate that it is better than before.
_NOW: Final = re.compile(
    r"(?<!only )(?<!still )\b(?:now|jump\w{0,3}|br(?:ought|ings?) it|rais\w{1,3}|rose|climb\w{0,3}|schon)\b(?! only"
    r"| still)",
    re.IGNORECASE,
)
#: What says when a feature slows down.
_ONCE: Final = (
    r"\b(?:as soon as|once|when(?:ever)?|sobald|dès que|en cuanto|only (?:with|through|via|inside|over|on))\b.{0,20}"
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
    r"|\bsin (?:cambios?|efecto)",
    re.IGNORECASE,
)
#: What names a thing as the culprit.
_CULPRIT: Final = (
    r"\b(?:it (?:really |indeed |actually )?(?:was|is|turned out to be)|turned out to be|culprit (?:was|is)|caused by"
    r"|due to|because of) (?:in fact )?(?:the|an?|my|our|that) (?:\w{1,12} ){0,3}?(?:{thing})"
    r"|(?:{thing})(?: itself)? (?:was|is|turned out to be) (?:the (?:culprit|cause|problem|bottleneck)|faulty|bad"
    r"|broken"
    r"|defective|damaged|dying|to blame|at fault|it\b|kaputt|defekt)|\b(?:faulty|defective|broken|damaged|bad) "
    r"(?:\w{1,12} )?(?:{thing})\b"
)


@cache
def replaced(thing: str) -> re.Pattern[str]:
    """Another one of a thing: "a different cable", "the cable was replaced"."""
    return re.compile(
        rf"\b(?:{_OTHER})\b{_NAME}(?:{thing})|\b(?:{_REPLACES})\b{_WORDS}(?:{thing})|(?:{thing}){_WORDS}{_REPLACED}\b",
        re.IGNORECASE,
    )


@cache
def absent(thing: str) -> re.Pattern[str]:
    """A thing that is off or away: "without the VPN", "QoS is disabled"."""
    return re.compile(
        rf"\b(?:{_WITHOUT})\b{_WORDS}(?:{thing})|(?:{thing})[ :=]{{1,3}}(?:[\w'./-]{{1,14}} ){{0,5}}?(?:{_OFF})\b",
        re.IGNORECASE,
    )


@cache
def _named(thing: str) -> re.Pattern[str]:
    return re.compile(thing, re.IGNORECASE)


@cache
def _culprit(thing: str) -> re.Pattern[str]:
    return re.compile(_CULPRIT.replace("{thing}", thing), re.IGNORECASE)


def of_changed(speeds: Sequence[Speed], change: re.Pattern[str]) -> Iterator[Speed]:
    """Speeds with a change that is clearly better, or clearly differs from that beside it without the change."""
    for speed in speeds:
        if change.search(speed.text) is None or _VAIN.search(speed.text) is not None:
            continue
        others = [other for other in speeds if speed.is_beside(other) and change.search(other.text) is None]
        is_better = speed.is_fast or (speed.bps and _NOW.search(speed.text))
        if is_better or any(other.is_below(speed) for other in others):
            yield speed


def of_one_side(speeds: Sequence[Speed], name: str, *, is_slow: bool) -> Iterator[Speed]:
    """Speeds with a thing that are clearly slower, or faster, than that beside them without it."""
    thing, off = _named(name), absent(name)
    for speed in speeds:
        if thing.search(speed.text) is not None and off.search(speed.text) is None:
            others = [other for other in speeds if speed.is_beside(other) and thing.search(other.text) is None]
            if any(speed.is_below(other) if is_slow else other.is_below(speed) for other in others):
                yield speed


def once_there(speeds: Sequence[Speed], thing: str) -> Iterator[Speed]:
    """Slow speeds as soon as a feature is there."""
    pattern = _named(_ONCE + f"(?:{thing})")
    return (speed for speed in speeds if speed.is_fast is False and pattern.search(speed.text) is not None)


def culprits(lines: Sequence[str], thing: str) -> Iterator[tuple[int, str]]:
    """Sentences that name a thing as the culprit, unless they deny it."""
    pattern = _culprit(thing)
    for paragraph in sentences.paragraphs(lines):
        if not sentences.is_sentence(paragraph.text):
            continue
        text = sentences.stated(paragraph.text)
        for match in pattern.finditer(text):
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
