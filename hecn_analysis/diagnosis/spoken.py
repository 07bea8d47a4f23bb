"""Words about several kinds of run, and lines on busy programs: they count for the runs named, else for slow ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hecn_analysis.diagnosis.kinds import FASTER, Kind
from hecn_analysis.diagnosis.stated import PROCESS
from hecn_analysis.statements import Statement
from hecn_analysis.statements.cues import entries
from hecn_analysis.statements.sentences import is_sentence

_AMOUNT: Final = re.compile(r"(?<![\w.,])(?P<number>\d{1,6}(?:\.\d{1,3})?) ?(?P<prefix>[kKMGT])i?B(?![\w/])")
_POWERS: Final = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}

#: How far an amount in words may be from that of the runs, which count in powers of 1000 or 1024. [1]
_ABOUT: Final = 0.12


def with_own_words(kinds: Sequence[Kind]) -> list[Kind]:
    """Leave to each of several kinds the words of other files that speak of it."""
    free = [kind.median_bps for kind in kinds if len(kind.runs) and not kind.say("asked.rate_bps")]
    if len(kinds) < 2 or not free:
        return list(kinds)
    return [_with_own(kind, kinds, is_slow=not kind.median_bps > FASTER * min(free)) for kind in kinds]


def _with_own(kind: Kind, kinds: Sequence[Kind], *, is_slow: bool) -> Kind:
    """Leave the words that speak of a kind to it, and, to slow ones, those that speak of none."""

    def counts(statement: Statement) -> bool:
        is_prose = statement.name == "topic" or (statement.name == "cue" and is_sentence(statement.says))
        is_of_process = statement.name == "cue" and entries()[str(statement.value)].subject == PROCESS
        if not (is_prose or is_of_process) or statement.source_file in kind.files:
            return True
        named = [other for other in kinds if _is_named(other, kinds, statement.says)]
        return any(other is kind for other in named) if named else is_slow

    return replace(kind, statements=tuple(filter(counts, kind.statements)))


def _is_named(kind: Kind, kinds: Sequence[Kind], text: str) -> bool:
    """Whether words name the amount of a kind, or its tool, which not all kinds have."""
    has_own_tool = any(other.tool != kind.tool for other in kinds)
    if has_own_tool and re.search(rf"(?<!\w){re.escape(kind.tool)}(?!\w)", text, re.IGNORECASE) is not None:
        return True
    amounts = kind.runs["bytes"].dropna().astype(float)
    said = [float(match["number"]) * _POWERS[match["prefix"].lower()] for match in _AMOUNT.finditer(text)]
    return any(abs(size / amount - 1) < _ABOUT for size in amounts if size > 0 for amount in said)
