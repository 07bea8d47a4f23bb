"""What lines tell of a cause without a figure of the run: those that name it by themselves, and words of a subject."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hecn_analysis.diagnosis.kinds import Kind
from hecn_analysis.statements import Statement
from hecn_analysis.statements.cues import Cue, entries
from hecn_analysis.statements.topics import Topic, topics

#: Each further word of a subject adds this part of what the last one added to the logarithm of the odds. [1]
_NEXT_WORD: Final = 0.5

Odds = Mapping[str, float]


def cues_of(kind: Kind) -> Iterator[tuple[Cue, Statement]]:
    """Lines that name a cause by themselves; of each entry the first."""
    told = set()
    for statement in kind.say("cue"):
        cue = entries()[str(statement.value)]
        if statement.value not in told and kind.tool not in cue.not_of:
            told.add(statement.value)
            yield cue, statement


def odds_of(kind: Kind) -> dict[str, Odds]:
    """Odds of all that is told: of the cues of each subject the strongest, of the words of each topic all together."""
    return {**_cue_odds(cue for cue, _ in cues_of(kind)), **_topic_odds(kind)}


def lines_of(kind: Kind) -> Iterator[tuple[Odds, Statement]]:
    """The lines to quote, each with its own odds."""
    for cue, statement in cues_of(kind):
        yield _odds(cue), statement
    for topic, words in _words(kind).items():
        for place, statement in enumerate(words):
            yield _raised(topics()[topic], _NEXT_WORD ** (place + 1)), statement


def _cue_odds(cues: Iterable[Cue]) -> dict[str, Odds]:
    """Odds of the lines that name a cause: several of one subject that say the same count once."""
    strongest: dict[str, Odds] = {}
    for cue in cues:
        odds = _odds(cue)
        if cue.subject not in strongest or _strength(odds) > _strength(strongest[cue.subject]):
            strongest[cue.subject] = odds
    return {f"cue: {subject}": odds for subject, odds in strongest.items()}


def _topic_odds(kind: Kind) -> dict[str, Odds]:
    """Odds of the words of each topic."""
    return {
        f"topic: {topic}": _raised(topics()[topic], 1 - _NEXT_WORD ** len(words))
        for topic, words in _words(kind).items()
    }


def _words(kind: Kind) -> dict[str, list[Statement]]:
    """For each topic, a line for each of its words."""
    found: dict[str, dict[str, Statement]] = {}
    for statement in kind.say("topic"):
        topic, _, word = str(statement.value).partition("/")
        found.setdefault(topic, {}).setdefault(word, statement)
    return {topic: list(words.values()) for topic, words in found.items()}


def _odds(cue: Cue) -> Odds:
    return {str(name): value for name, value in cue.odds.items()}


def _raised(topic: Topic, exponent: float) -> Odds:
    return {str(name): value**exponent for name, value in topic.odds.items()}


def _strength(odds: Odds) -> float:
    return max(abs(math.log(value)) for value in odds.values())
