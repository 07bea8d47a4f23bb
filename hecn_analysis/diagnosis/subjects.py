r"""How likely words of a subject are under each cause: estimates, and counts of reports with a known cause.

A report has no, one, two or three, or more words of a subject. With the odds :math:`o_c` of ``models/topics.yaml``, of
:math:`k` words the odds are :math:`o_c^{1 - 2^{-k}}`; these estimates weigh as much as ``strength`` reports of each
cause beside those that were counted (``models/evidence_counts.yaml``). Who writes nothing of a subject rather writes of
something else: no word counts, too, where somebody reports a fault in words.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np

from hecn_analysis.diagnosis import likelihood
from hecn_analysis.statements.topics import topics

#: Numbers of words from which on a class begins, and the number that stands for each class.
_EDGES: Final = (1, 2, 4)
_WORDS: Final = (0.0, 1.0, 2.5, 5.0)

NEXT_WORD: Final = 0.5
"""Each further word of a subject adds this part of what the last one added to the logarithm of the odds [1]."""

Counts = Mapping[str, Mapping[str, Sequence[float]]]


def class_of(words: int) -> int:
    """The class of a number of words: none, one, two or three, more."""
    return bisect_right(_EDGES, words)


def count(reports: Iterable[tuple[str, Mapping[str, int]]]) -> dict[str, dict[str, list[int]]]:
    """Count for each subject and cause the reports with no, one, several words; a report has its cause and words."""
    rows = [(cause, words) for cause, words in reports if words]
    counts: dict[str, dict[str, list[int]]] = {}
    for subject in topics():
        own = counts.setdefault(subject, {})
        for cause, words in rows:
            own.setdefault(cause, [0] * len(_WORDS))[class_of(words.get(subject, 0))] += 1
    return {subject: dict(sorted(own.items())) for subject, own in counts.items()}


def fitted(counts: Counts) -> dict[str, list[dict[str, float]]]:
    """For each subject and class of a number of words, the odds of the causes."""
    table = likelihood.evidence()
    odds = {}
    for subject, topic in topics().items():
        seen = np.zeros((len(table.names), len(_WORDS)))
        for cause, row in counts.get(subject, {}).items():
            seen[table.names.index(cause)] += row
        usual = (seen.sum(axis=0) + 1 / 2) / (seen.sum() + len(_WORDS) / 2)
        estimated: dict[str, float] = {str(cause): value for cause, value in topic.odds.items()}
        written = np.log([estimated.get(cause, 1.0) for cause in table.names])
        rows = usual * np.exp(written[:, None] * (1 - NEXT_WORD ** np.array(_WORDS)))
        rows *= table.strength / rows.sum(axis=1, keepdims=True)
        rows = (rows + seen) / (table.strength + seen.sum(axis=1, keepdims=True)) / usual
        odds[subject] = [dict(zip(table.names, column, strict=True)) for column in rows.T.tolist()]
    return odds


@cache
def odds() -> Mapping[str, Sequence[Mapping[str, float]]]:
    """Odds by the estimates and the counts of the package."""
    return fitted(likelihood.words())
