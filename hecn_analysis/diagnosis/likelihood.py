r"""How likely each cause is, given the signs: Bayes' rule with tables of likelihoods that anyone can read.

.. math:: P(c \mid s_1, \ldots, s_n) \propto o_c \prod_i P(s_i \mid c)^{t\, n_i^{-d}}

The odds :math:`o_c` and an engineer's likelihoods are in ``models/evidence.yaml``. ``make evidence`` writes counts of
transfers with a known cause and the exponents to ``models/evidence_counts.yaml``: signs of one group depend on each
other, and each weighs less the more of them, :math:`n_i`, a folder shows.

Lines that name a cause, and words, often come from a report that does not show the cause. Such a report is a mixture:

.. math:: P = (1 - u\, r) P(c \mid s, k) + u\, r\, P_0(c)

with the share of such reports :math:`u`, the part :math:`r` of the evidence for the likeliest cause that is lines and
words, and the frequencies of causes in reports :math:`P_0`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis.signs import Sign
from hecn_analysis.hardware import yaml_file

_PERCENT: Final = re.compile(r"(?<=\d)%")

_Probability = Annotated[float, Field(gt=0, lt=1)]

#: How far the probabilities of a row may be from 1 together: they are written with two digits.
_ROUNDED: Final = 0.015


class SignTable(BaseModel):
    """A sign of ``models/evidence.yaml``; its ``title`` has the value in braces.

    ``edges`` are those of the bins of a number, ``words`` the texts. Signs of one ``group`` have a common origin.
    ``counted``: measured transfers count, unless a laboratory chooses the value. ``usual`` is the probability of each
    bin for a cause without a row of its own in ``rows`` [1].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    edges: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    source: str
    group: str = ""
    counted: bool = True
    usual: tuple[_Probability, ...]
    rows: Mapping[str, tuple[_Probability, ...]]

    @model_validator(mode="before")
    @classmethod
    def _with_rows(cls, given: dict[str, object]) -> dict[str, object]:
        """Put the rows of causes, which are beside the other keys, under `rows`."""
        own = {key: value for key, value in given.items() if key in cls.model_fields}
        return {**own, "rows": {key: value for key, value in given.items() if key not in cls.model_fields}}

    @model_validator(mode="after")
    def _check(self) -> SignTable:
        bins = len(self.words) or len(self.edges) + 1
        whole = bins > 1  # a sign with one word tells only where it is there
        for cause, row in {"usual": self.usual, **self.rows}.items():
            if len(row) != bins or (whole and abs(sum(row) - 1) > _ROUNDED):
                raise ValueError(f"{cause}: found {list(row)}, expected {bins} probabilities with a sum of 1")
        return self

    def bin_of(self, value: float | str) -> int | None:
        """Bin of a value; None for an unknown word."""
        if isinstance(value, str):
            return self.words.index(value) if value in self.words else None
        return bisect_right(self.edges, value)

    def says(self, value: float | str) -> str:
        """The sign in words, with a blank before each per cent sign as in all that people read."""
        return _PERCENT.sub(" %", self.title.format(value=value))


class CauseTable(BaseModel):
    """A class of cause of ``models/evidence.yaml``: its odds with and without a measured transfer, and its words.

    ``quotes`` are the signs that people look for first where this is the cause.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    odds: Annotated[float, Field(gt=0)]
    unmeasured: Annotated[float, Field(gt=0)]
    resource: str
    finding: str
    quotes: tuple[str, ...] = ()


class Evidence(BaseModel):
    """All of ``models/evidence.yaml``; ``unshown`` is the share of reports that do not show the cause [1]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strength: Annotated[float, Field(gt=0)]
    unshown: Annotated[float, Field(ge=0, lt=1)] = 0
    causes: Mapping[str, CauseTable]
    signs: Mapping[str, SignTable]

    @property
    def names(self) -> tuple[str, ...]:
        """Classes of causes, in the order of the table."""
        return tuple(self.causes)


class Weights(BaseModel):
    """Weights of signs, which ``make evidence`` estimates on set-ups that were left out.

    ``temper`` is the exponent of all likelihoods; each of `n` signs of one group has the exponent ``temper`` times `n`
    to the power of -``discount``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    temper: Annotated[float, Field(gt=0, le=1)] = 1
    discount: Annotated[float, Field(ge=0, le=1)] = 0


Counts = Mapping[str, Mapping[str, Sequence[float]]]
"""For each sign and cause, how many measured transfers were in each bin."""


@cache
def evidence() -> Evidence:
    """Load ``models/evidence.yaml``."""
    return read_evidence(places.models_dir() / "evidence.yaml")


def read_evidence(path: Path) -> Evidence:
    """Load tables of likelihoods; an error names file and line."""
    document = yaml_file.load(path)

    def place(keys: tuple[str, ...]) -> yaml_file.Place:
        return document.source, document.line(tuple(key for key in keys if key != "rows"))

    table = yaml_file.validate(Evidence, document.values, place)
    for name, sign in table.signs.items():
        for cause in set(sign.rows) - set(table.causes):
            source, line = place(("signs", name, cause))
            expected = f"one of {', '.join(table.causes)}"
            raise InputError(f"a row of {cause!r} in {name}", expected, source=source, line=line)
    return table


@cache
def counts() -> Counts:
    """Load the counts of ``models/evidence_counts.yaml``."""
    return MappingProxyType(_measured().values["counts"])


@cache
def words() -> Counts:
    """For each subject and cause, how many reports had no, one, two or three, more words of it."""
    return MappingProxyType(_measured().values["words"])


@cache
def weights() -> Weights:
    """Load the weights of ``models/evidence_counts.yaml``."""
    document = _measured()
    return yaml_file.validate(
        Weights, document.values["weights"], lambda keys: (document.source, document.line(("weights", *keys)))
    )


def held_out() -> Mapping[str, Any]:
    """Scores of verdicts on left-out transfers, which `make evidence` writes; empty before."""
    scores: Mapping[str, Any] = _measured().values["held_out"]
    return scores


@cache
def _measured() -> yaml_file.Document:
    return yaml_file.load(places.models_dir() / "evidence_counts.yaml")


@cache
def likelihoods() -> Mapping[str, NDArray[np.float64]]:
    """For each sign, the probability of each bin (column) under each cause (row), including measured counts [1]."""
    return fitted(evidence(), counts())


def fitted(table: Evidence, measured: Counts) -> Mapping[str, NDArray[np.float64]]:
    """Combine measured counts with the stated likelihoods."""
    tables = {}
    for name, sign in table.signs.items():
        if len(sign.usual) == 1:
            tables[name] = np.array([sign.rows.get(cause, sign.usual) for cause in table.names], dtype=float)
            continue
        rows = np.array([sign.rows.get(cause, sign.usual) for cause in table.names], dtype=float)
        rows *= table.strength / rows.sum(axis=1, keepdims=True)
        for cause, seen in measured.get(name, {}).items():
            rows[table.names.index(cause)] += np.asarray(seen, dtype=float)
        tables[name] = rows / rows.sum(axis=1, keepdims=True)
    return tables


@dataclass(frozen=True)
class Posterior:
    """Probabilities of the causes, after and before the signs; weights of the signs: log-likelihood times exponent.

    ``unshown`` is the probability that the evidence has nothing to do with the cause [1].
    """

    causes: tuple[str, ...]
    probabilities: NDArray[np.float64]
    before: NDArray[np.float64]
    weights: Mapping[str, NDArray[np.float64]]
    unshown: float = 0.0


def posterior(
    seen: Iterable[Sign],
    tables: Mapping[str, NDArray[np.float64]] | None = None,
    extra: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
    *,
    measured: bool = True,
    reported: bool = False,
    exponents: Weights | None = None,
) -> Posterior:
    """Apply Bayes' rule to the signs of a kind of run; `reported`: somebody describes it in words."""
    table = evidence()
    tables = likelihoods() if tables is None else tables
    exponents = weights() if exponents is None else exponents
    placed = [(sign.name, place) for sign in seen if (place := table.signs[sign.name].bin_of(sign.value)) is not None]
    groups = Counter(table.signs[name].group or name for name, _ in placed)
    logs = {}
    for name, place in placed:
        alike = groups[table.signs[name].group or name]
        logs[name] = exponents.temper * alike**-exponents.discount * np.log(tables[name][:, place])
    lines = {name: np.log([odds.get(cause, 1.0) for cause in table.names]) for name, odds in extra.items()}
    shown, told = (sum(by_source.values(), np.zeros(len(table.names))) for by_source in (logs, lines))
    frequent = _shares(table, measured=False)  # in reports
    before = _shares(table, measured=True) if measured else frequent
    probabilities = _normal(np.log(before) + shown + told)
    likeliest = int(probabilities.argmax())
    unshown = table.unshown * _part(told, shown, before, likeliest) if reported else 0.0
    mixed = (1 - unshown) * probabilities + unshown * frequent
    return Posterior(table.names, mixed, before, {**logs, **lines}, unshown)


def _shares(table: Evidence, *, measured: bool) -> NDArray[np.float64]:
    """How often each cause is met before anything is seen, of all causes [1]."""
    odds = np.array([cause.odds if measured else cause.unmeasured for cause in table.causes.values()])
    shares: NDArray[np.float64] = odds / odds.sum()
    return shares


def _part(told: NDArray[np.float64], shown: NDArray[np.float64], before: NDArray[np.float64], cause: int) -> float:
    """Part that lines and words have in the evidence for a cause, by the logarithm of their mean odds [1]."""
    by_lines, by_signs = (
        max(float(np.log(_normal(evidence)[cause] / (before @ _normal(evidence)))), 0.0) for evidence in (told, shown)
    )
    return by_lines / (by_lines + by_signs) if by_lines > 0 else 0.0


def _normal(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers with these logarithms, scaled to the sum 1."""
    raised = np.exp(logs - logs.max())
    normal: NDArray[np.float64] = np.maximum(raised / raised.sum(), np.finfo(float).tiny)
    return normal
