"""Commands to run next: those whose outcome would separate the remaining causes, by the value of information.

The value of a command is the mutual information [1]_ of the cause and the signs that its output shows, in bits: by how
much it is expected to reduce the entropy of the causes' probabilities. Commands are data, ``models/questions.yaml``;
signs not yet seen count, and those of one command are taken as independent under each cause. A class without a row in
the table of a sign gets the mean of those that have one.

References
----------
.. [1] Cover and Thomas, Elements of Information Theory, 2nd edition, 2006, 2.3; Lindley, On a measure of the
   information provided by an experiment, Annals of Mathematical Statistics 27, 1956.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hecn_analysis.diagnosis.known import Known, words
from hecn_analysis.diagnosis.questions import entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_BITS: Final = 0.05
"""A command that is expected to tell less is not asked for. [bit]"""
MOST: Final = 4
_MOST_SEPARATED: Final = 3
_MOST_OUTCOMES: Final = 4096


@dataclass(frozen=True)
class Question:
    """A question to answer, and the command for it.

    ``separates`` are the two or three classes of cause whose probabilities the answer should move most, ``bits`` is the
    expected reduction of the entropy of the causes, ``name`` the entry of ``models/questions.yaml``.
    """

    what: str
    command: str
    separates: tuple[str, ...]
    bits: float
    name: str

    def to_dict(self) -> dict[str, Any]:
        """The question with the keys of the JSON output."""
        own = {"what": self.what, "command": self.command}
        return {**own, "separates": list(self.separates), "bits": self.bits}


def missing(
    causes: Mapping[str, float],
    present: Collection[str],
    likelihoods: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    known: Known | None = None,
    temper: float = 1.0,
    most: int | None = MOST,
    is_local: bool = False,
) -> tuple[Question, ...]:
    """Return the questions that separate the causes, the best first; `temper` is the exponent of the likelihoods."""
    names = sorted(name for name, value in causes.items() if math.isfinite(value) and value > 0)
    if len(names) < 2:
        return ()
    prior = np.array([causes[name] for name in names], dtype=np.float64)
    prior /= prior.sum()
    filled = words(known)
    questions = []
    shown_by = Counter(sign for entry in entries().values() for sign in entry.signs)
    for name, entry in entries().items():
        if is_local and not entry.local:
            continue
        if not entry.both_hosts and any(sign in present and shown_by[sign] == 1 for sign in entry.signs):
            continue  # it has been run
        new = [sign for sign in entry.signs if sign in likelihoods and sign not in present]
        channels = [_channel(likelihoods[sign], names, temper) for sign in new]
        if not channels:
            continue
        bits, moved = _value(prior, _joint(prior, channels))
        if bits >= LEAST_BITS:
            order = np.argsort(-moved.round(9), kind="stable")[:_MOST_SEPARATED]
            apart = tuple(names[at] for number, at in enumerate(order) if number < 2 or 2 * moved[at] > moved[order[0]])
            what, command = entry.what.format(**filled), entry.command.format(**filled)
            questions.append(Question(what, command, apart, bits, name))
    return tuple(sorted(questions, key=lambda question: -question.bits)[:most])


def _channel(rows: Mapping[str, Sequence[float]], names: Sequence[str], temper: float) -> NDArray[np.float64]:
    """Probability of each bin (columns) under each class (rows)."""
    usual = np.mean([np.asarray(row, dtype=np.float64) for row in rows.values()], axis=0)
    table = np.array([np.asarray(rows.get(name, usual), dtype=np.float64) for name in names])
    table = np.maximum(table, 1e-12) ** temper
    normal: NDArray[np.float64] = table / table.sum(axis=1, keepdims=True)
    return normal


def _joint(prior: NDArray[np.float64], channels: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Probability of each joint outcome (columns) under each class (rows): the most informative signs, up to a size."""
    ranked = sorted(channels, key=lambda channel: -_value(prior, channel)[0])
    joint = ranked[0]
    for channel in ranked[1:]:
        if joint.shape[1] * channel.shape[1] > _MOST_OUTCOMES:
            break
        joint = (joint[:, :, None] * channel[:, None, :]).reshape(len(prior), -1)
    return joint


def _value(prior: NDArray[np.float64], channel: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Mutual information in bits, and the expected change of each class."""
    both = prior[:, None] * channel
    outcomes = both.sum(axis=0)
    independent = prior[:, None] * outcomes
    bits = float(np.sum(both * np.log2(np.where(both > 0, both / np.maximum(independent, 1e-300), 1.0))))
    return max(bits, 0.0), np.abs(both - independent).sum(axis=1)
