"""Lines that name a cause by themselves, and how much likelier they make each class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from hecn_analysis.diagnosis.kinds import Kind
from hecn_analysis.statements import Statement
from hecn_analysis.statements.cues import Cue, entries

Told = tuple[Cue, Statement]
"""An entry of ``models/cues.yaml``, and the first line that has it."""

#: Classes of the sender, and those of the receiver with the same cause.
_OF_ENDS: Final = MappingProxyType({"cpu-sender": "cpu-receiver", "disk-read": "disk-write"})


def cues_of(kind: Kind) -> Iterator[Told]:
    """Lines that name a cause by themselves; of each entry the first, without its end if both ends have such a line."""
    lines: dict[str, Statement] = {}
    for statement in kind.say("cue"):
        name = str(statement.value)
        first = lines.setdefault(name, statement)
        if first.end != statement.end:
            lines[name] = replace(first, end="")
    for name, statement in lines.items():
        cue = entries()[name]
        if kind.tool not in cue.not_of:
            yield cue, replace(statement, end="") if kind.is_local else statement


def odds_of(told: Told) -> Mapping[str, float]:
    """Odds of a line; where its end is known, the class of that end has those of both ends together."""
    cue, statement = told
    odds = {str(name): value for name, value in cue.odds.items()}
    for sender, receiver in _OF_ENDS.items() if statement.end else ():
        own, other = (sender, receiver) if statement.end == "sender" else (receiver, sender)
        if min(odds.get(own, 0.0), odds.get(other, 0.0)) > 1:
            odds[own] += odds.pop(other) - 1
    return odds


def cue_odds(cues: Iterable[Told]) -> dict[str, Mapping[str, float]]:
    """Odds of the lines that name a cause: of each subject the strongest, for several that say the same count once."""
    strongest: dict[str, Mapping[str, float]] = {}
    for told in cues:
        odds, subject = odds_of(told), told[0].subject
        if subject not in strongest or _strength(odds) > _strength(strongest[subject]):
            strongest[subject] = odds
    return {f"cue: {subject}": odds for subject, odds in strongest.items()}


def _strength(odds: Mapping[str, float]) -> float:
    return max(abs(math.log(value)) for value in odds.values())
