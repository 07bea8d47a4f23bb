"""Speeds in what people write: a rate, a time or a word for each part of a sentence, with its condition.

"Without encryption 325 MB/s, with encryption 112 MB/s", "the client took 40 min, scp 9 minutes": two such parts compare
the same transfer under two conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from hecn_analysis.statements import sentences

NUMBER: Final = r"\d{1,6}(?:[.,]\d{1,3})?"
RATE: Final = re.compile(
    rf"(?<![\w./:,-])(?:(?P<low>{NUMBER}) ?(?:-|–|to|or|and) ?)?(?P<number>{NUMBER})\+? ?"
    r"(?:(?P<prefix>[kKmMgG])i?(?P<of>[bB])(?:it|yte)?s?(?: ?/ ?s(?:ec(?:ond)?)?| per s(?:ec(?:ond)?)?|ps)"
    r"|(?P<bits>[kKMG])b(?:it)?(?:E|ps)?|(?P<word>[kKmMgG])(?:bits?|egabit|ilobit|igabit)s?(?: ?/ ?s\w{0,5})?)(?![\w/])"
)
_LESS: Final = re.compile(
    rf"\b(?:reduced|down|drops?|falls?|slows?(?: down)?) to (?:{NUMBER} ?(?:-|or|to) ?)?({NUMBER})"
)
_TIME: Final = re.compile(
    rf"(?:\b(?:took|takes?|taking|in|within|after|for|ran for|needs?|needed|lasts?|only|just) "
    rf"|^\W{{0,3}}(?:(?:and|but|then|to) )?)(?:literally |about |over |only |around |~ ?)?({NUMBER}) ?"
    r"(s|sec\w{0,4}|min\w{0,4}|h|hours?|days?)\b"
    rf"|(?<!every )(?<!each )(?<!first )(?<!last )(?<!another )(?<![\w.,-])({NUMBER}) "
    r"(sec\w{0,4}|minutes?|hours?)\W{0,3}$",
    re.IGNORECASE,
)
_SLOW: Final = re.compile(
    r"\b(?:slow(?:er|ly)?|crawl\w{0,3}|terrible|horrible|poor|abysmal\w{0,2}|unusable|stalls?|stalled|hangs?|hung"
    r"|freez\w{1,3}|times? out|timeouts?|fails?|low|langsam\w{0,2}|lent[oae]?)\b|慢",
    re.IGNORECASE,
)
_FAST: Final = re.compile(
    r"\b(?:fine|fast(?:er)?|full(?: line)?(?: speed| rate)?|normal(?:ly)?|ok(?:ay)?|good|great|as expected|line rate"
    r"|wire ?speed|saturat\w{1,3}|no problems?|without problems?|quick(?:ly)?|excellent|perfect(?:ly)?|well"
    r"|works?|filled|fills?|schnell|rapide)\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(r"\b(?:not|never|n't|isn't|no longer|hardly|too)(?: \w{1,10})? {0,2}$", re.IGNORECASE)
_CUT: Final = re.compile(
    r"[,;:](?=\s|$)|\s(?=\()|(?<=\))\s|\b(?:but|while|whereas|although|though|however|and|against|versus|vs|instead of"
    r"|compared (?:to|with)|as soon as)\b|\bthan\b",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(
    r"\W{0,3}(?:and |but |then )?(?:when|if|with|without|in|on|over|via|using|from|to|after|once|by|through|as|for"
    r"|between|behind|inside|where|whereas|while)\b",
    re.IGNORECASE,
)
_SCALES: Final = {"k": 1e3, "m": 1e6, "g": 1e9}
_SECONDS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Speed(NamedTuple):
    """A part of a sentence that gives a speed as a rate, as a duration, or in words.

    ``line`` is the index of its line; ``bps`` [bit/s] and ``seconds`` [s] are 0 if absent, ``is_fast`` is None.
    """

    line: int
    text: str
    bps: float
    seconds: float
    is_fast: bool | None

    def is_below(self, other: Speed) -> bool:
        """Whether this is clearly slower than another."""
        if self.bps and other.bps:
            return self.bps < other.bps / _CLEARLY
        if self.seconds and other.seconds:
            return self.seconds > other.seconds * _CLEARLY
        slow, fast = self.is_fast, other.is_fast
        return (slow is False and (fast is True or bool(other.bps))) or (
            fast is True and bool(self.bps) and slow is not True
        )


#: From which ratio on one rate is clearly below another.
_CLEARLY: Final = 1.5


def speeds(lines: Sequence[str]) -> Iterator[Speed]:
    """Yield the speeds in the sentences of some lines, each with its condition."""
    unit = 0.0
    for paragraph in sentences.paragraphs(lines):
        if sentences.is_sentence(paragraph.text):
            for start, sentence in sentences.split(sentences.stated(paragraph.text)):
                rate = next(iter(RATE.finditer(sentence)), None)
                unit = unit if rate is None else unit_of(rate)
                begins = start + len(sentence) - len(sentence.lstrip())
                yield from _speeds(paragraph.line_of(begins), sentence, unit)


def _speeds(index: int, sentence: str, unit: float) -> Iterator[Speed]:
    """Yield the speeds of a sentence, each with the clauses without a speed around it."""
    cuts = [0, *(match.start() for match in _CUT.finditer(sentence)), len(sentence)]
    clauses = [sentence[start:end] for start, end in pairwise(cuts) if sentence[start:end].strip()]
    stated = [_speed(clause, unit) for clause in clauses]
    for place in range(1, len(stated)):  # "20 times slower than X" says that X is fast
        _, _, before = stated[place - 1]
        if stated[place] == (0.0, 0.0, None) and clauses[place].lower().startswith("than") and before is not None:
            stated[place] = (0.0, 0.0, not before)
    places = [place for place, one in enumerate(stated) if one != (0.0, 0.0, None)]
    parts = {place: [place] for place in places}
    for place, clause in enumerate(clauses):
        if place in parts or not places:
            continue
        later = [one for one in places if one > place]
        earlier = [one for one in places if one < place]
        if later and (not earlier or _LEADS.match(clause)):
            parts[later[0]].append(place)
        else:
            parts[earlier[-1]].append(place)
    for place in places:
        text = "".join(clauses[part] for part in sorted(parts[place]))
        yield Speed(index, text.strip(" ,;:"), *stated[place])


def unit_of(rate: re.Match[str]) -> float:
    """What one unit of a rate is. [bit/s]."""
    scale = _SCALES[(rate["prefix"] or rate["bits"] or rate["word"]).lower()]
    return scale * (8.0 if rate["of"] == "B" else 1.0)


def _seconds(time: re.Match[str]) -> float:
    """A time that something took. [s]."""
    return float((time[1] or time[3]).replace(",", ".")) * _SECONDS[(time[2] or time[4])[0].lower()]


def _speed(clause: str, unit: float) -> tuple[float, float, bool | None]:
    """The rate, the time and the word of a clause; a rate without its unit has that of the one before."""
    rate, time, less = RATE.search(clause), _TIME.search(clause), _LESS.search(clause)
    bps = 0.0 if rate is None else float(rate["number"].replace(",", ".")) * unit_of(rate)
    if less is not None and rate is None:
        bps = float(less[1].replace(",", ".")) * unit
    seconds = 0.0 if time is None or rate is not None else _seconds(time)
    words: list[tuple[int, bool]] = []
    for pattern, says in ((_SLOW, False), (_FAST, True)):
        for match in pattern.finditer(clause):
            denied = _NOT.search(clause[max(match.start() - 24, 0) : match.start()]) is not None
            is_too = denied and re.search(r"\btoo\b", clause[max(match.start() - 24, 0) : match.start()]) is not None
            words.append((match.start(), says if not denied or is_too else not says))
    is_fast = None if not words else words[-1][1]
    return bps, seconds, is_fast
