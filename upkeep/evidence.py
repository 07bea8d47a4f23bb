"""Count the signs of transfers with a known cause: ``python -m upkeep.evidence CASES``; `make evidence CASES=DIR`.

CASES/NNN/before/ is what an engineer would hand in, CASES/NNN/truth.json has its ``cause``, and what makes its set-up:
``tool``, ``rtt_s``, ``rate_bps``, ``streams``, ``congestion_control``. The counts go to
``models/evidence_counts.yaml``, with the exponents of signs and groups, and the scores of a cross-validation: each case
is judged by tables that were made without the cases of its set-up. Several folders of cases are several laboratories.
``--reports DIR`` counts the words of what people wrote about transfers with a known cause, in the same form, and judges
each report by counts without it. What is not given keeps its counts and scores.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml
from numpy.typing import NDArray

from hecn_analysis.base import places
from hecn_analysis.diagnosis import likelihood, subjects
from hecn_analysis.diagnosis.facts import Facts
from hecn_analysis.diagnosis.kinds import kinds, without_runs
from hecn_analysis.diagnosis.signs import Sign, signs
from hecn_analysis.diagnosis.stated import odds_of, words_of
from hecn_analysis.ingest.folder import read_folder

#: Names of causes in truth.json that the tables call otherwise.
_ALIASES: Final = {"healthy": "link", "duplex-speed": "duplex", "driver-offload": "offload", "cpu": "cpu-sender"}

#: Classes that one change mends: a verdict that names another one of the family is nearly right.
FAMILIES: Final[Mapping[str, str]] = {
    "window-tool": "window",
    "window-host": "window",
    "cpu-sender": "cpu",
    "cpu-receiver": "cpu",
    "disk-read": "disk",
    "disk-write": "disk",
    "receiver-app": "disk",
}

_SETUP: Final = ("tool", "rtt_s", "rate_bps", "streams", "congestion_control")

#: Weights that are tried.
_TEMPERS: Final = (0.6, 0.7, 0.8, 0.9, 1.0)
_DISCOUNTS: Final = (0.0, 0.15, 0.3, 0.45)

#: Edges of the classes of stated probability in the calibration.
_STATED: Final = (0.0, 0.5, 0.7, 0.9, 1.0)

_HEAD: Final = """\
# Measured transfers with a known cause: how many showed each sign, in the bins of evidence.yaml, and how well the
# tables judge transfers whose set-up was left out. Written by `make evidence`.
"""


@dataclass(frozen=True)
class Case:
    """A transfer with a known cause, and what its folder shows."""

    laboratory: str
    cause: str
    setup: tuple[object, ...]
    evidence: str
    seen: tuple[Sign, ...]
    told: Mapping[str, Mapping[str, float]]
    words: Mapping[str, int]
    is_fault: bool


def read(folder: Path) -> Case:
    """Read a case."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    found = read_folder(folder / "before")
    kind = (kinds(found) or [without_runs(found)])[0]
    return Case(
        laboratory=folder.parent.name,
        cause=_ALIASES.get(truth["cause"], truth["cause"]),
        setup=tuple(truth.get(key) for key in _SETUP),
        evidence=str(truth.get("evidence", "")),
        seen=tuple(signs(Facts(kind))),
        told=odds_of(kind),
        words=words_of(kind),
        is_fault=any(kind.say("report")) or not len(kind.runs),
    )


def count(cases: Sequence[Case]) -> dict[str, dict[str, list[int]]]:
    """Count for each sign and cause how many cases are in each bin."""
    tables = likelihood.evidence().signs
    counts: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for case in cases:
        for sign in case.seen:
            table = tables[sign.name]
            place = table.bin_of(sign.value)
            if place is not None and table.counted and len(table.usual) > 1:
                row = counts[sign.name].setdefault(case.cause, [0] * len(table.usual))
                row[place] += 1
    return {name: dict(sorted(counts[name].items())) for name in tables if name in counts}


def left_out(cases: Sequence[Case]) -> list[Mapping[str, NDArray[np.float64]]]:
    """Give for each case the likelihoods that were counted without the cases of its set-up."""
    tables = {
        setup: likelihood.fitted(likelihood.evidence(), count([other for other in cases if other.setup != setup]))
        for setup in {case.setup for case in cases}
    }
    return [tables[case.setup] for case in cases]


def best_weights(cases: Sequence[Case], tables: Sequence[Mapping[str, NDArray[np.float64]]]) -> likelihood.Weights:
    """Find the weights with the least mean Brier score of left-out cases."""

    def mean_score(weights: likelihood.Weights) -> float:
        judged = zip(cases, tables, strict=True)
        return float(np.mean([brier(case, judge(case, own, weights)[1]) for case, own in judged]))

    tried = (likelihood.Weights(temper=temper, discount=discount) for temper, discount in product(_TEMPERS, _DISCOUNTS))
    return min(tried, key=mean_score)


def brier(case: Case, families: Mapping[str, float]) -> float:
    """Sum of the squared errors of the families' probabilities."""
    return sum((share - (name == _family(case.cause))) ** 2 for name, share in families.items())


def judge(
    case: Case, tables: Mapping[str, NDArray[np.float64]], weights: likelihood.Weights
) -> tuple[str, Counter[str]]:
    """Give the likeliest cause of a case, and the probabilities of the families."""
    found = likelihood.posterior(case.seen, tables, case.told, exponents=weights)
    families: Counter[str] = Counter()
    for cause, probability in zip(found.causes, found.probabilities.tolist(), strict=True):
        families[_family(cause)] += probability
    return found.causes[int(found.probabilities.argmax())], families


def cross_validated(
    cases: Sequence[Case], left: Sequence[Mapping[str, NDArray[np.float64]]], weights: likelihood.Weights
) -> dict[str, Any]:
    """Judge each case by the tables without its set-up, and sum the scores up."""
    judged = []
    for case, tables in zip(cases, left, strict=True):
        likeliest, families = judge(case, tables, weights)
        judged.append(
            _Judged(
                evidence=case.evidence or "unknown",
                laboratory=case.laboratory,
                exact=likeliest == case.cause,
                family=_family(likeliest) == _family(case.cause),
                brier=brier(case, families),
                stated=families[_family(likeliest)],
            )
        )
    scores: dict[str, Any] = {"cases": len(judged), "setups": len({case.setup for case in cases})}
    scores["all"] = _summed(judged)
    for evidence in sorted({one.evidence for one in judged}):
        scores[evidence] = _summed([one for one in judged if one.evidence == evidence])
    laboratories = list(dict.fromkeys(case.laboratory for case in cases))
    for number, laboratory in enumerate(laboratories, 1):
        scores[f"laboratory {number}"] = _summed([one for one in judged if one.laboratory == laboratory])
    scores["calibration"] = []
    for low, high in pairwise(_STATED):
        own = [one for one in judged if low < one.stated <= high]
        if own:
            means = {
                "stated": float(np.mean([one.stated for one in own])),
                "right": float(np.mean([one.family for one in own])),
            }
            scores["calibration"].append({"n": len(own), **{name: round(value, 3) for name, value in means.items()}})
    return scores


@dataclass(frozen=True)
class _Judged:
    """The verdict on a left-out case: where it is from, whether it is right, and the probability that it states."""

    evidence: str
    laboratory: str
    exact: bool
    family: bool
    brier: float
    stated: float


def _summed(judged: Sequence[_Judged]) -> dict[str, float]:
    means = {name: float(np.mean([getattr(one, name) for one in judged])) for name in ("exact", "family", "brier")}
    return {"n": len(judged), **{name: round(value, 3) for name, value in means.items()}}


def _family(cause: str) -> str:
    return FAMILIES.get(cause, cause)


def of_reports(reports: Sequence[Case]) -> dict[str, float]:
    """Judge each report by the words that were counted in the others."""
    judged = []
    for report in reports:
        others = [(other.cause, other.words) for other in reports if other is not report]
        odds = subjects.fitted(subjects.count(others))
        told = dict(report.told)
        for name in odds:
            if f"topic: {name}" in told:
                told[f"topic: {name}"] = odds[name][subjects.class_of(report.words.get(name, 0))]
        found = likelihood.posterior(report.seen, extra=told, measured=not report.is_fault, reported=bool(report.words))
        families: Counter[str] = Counter()
        for cause, probability in zip(found.causes, found.probabilities.tolist(), strict=True):
            families[_family(cause)] += probability
        likeliest = found.causes[int(found.probabilities.argmax())]
        is_family = _family(likeliest) == _family(report.cause)
        stated = families[_family(likeliest)]
        judged.append(
            _Judged("", report.laboratory, likeliest == report.cause, is_family, brier(report, families), stated)
        )
    return _summed(judged)


def _cases(folders: Sequence[Path]) -> list[Case]:
    return [read(path.parent) for folder in folders for path in sorted(folder.glob("*/truth.json"))]


def main() -> None:
    """Count, judge, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path, nargs="*")
    parser.add_argument("--reports", type=Path, nargs="+", default=[], help="folders of what people wrote")
    parser.add_argument("--dry-run", action="store_true", help="print the scores, and write nothing")
    arguments = parser.parse_args()
    path = places.models_dir() / "evidence_counts.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    if cases := _cases(arguments.cases):
        tables = left_out(cases)
        weights = best_weights(cases, tables)
        document["held_out"] = {**document["held_out"], **cross_validated(cases, tables, weights)}
        document["weights"] = weights.model_dump()
        document["counts"] = count(cases)
    if reports := _cases(arguments.reports):
        document["held_out"]["reports"] = of_reports(reports)
        document["words"] = subjects.count([(report.cause, report.words) for report in reports])
    print(yaml.safe_dump({"weights": document["weights"], **document["held_out"]}, sort_keys=False), end="")
    if not arguments.dry_run:
        text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=118)
        path.write_text(_HEAD + text, encoding="utf-8")


if __name__ == "__main__":
    main()
