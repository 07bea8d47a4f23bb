"""Count the signs of transfers with a known cause: ``python -m upkeep.evidence CASES``; `make evidence CASES=DIR`.

CASES/NNN/before/ is what an engineer would hand in, CASES/NNN/truth.json has its ``cause``, and what makes its set-up:
``tool``, ``rtt_s``, ``rate_bps``, ``streams``, ``congestion_control``. The counts go to
``models/evidence_counts.yaml``, with the scores of a cross-validation: each case is judged by tables that were made
without the cases of its set-up.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from hecn_analysis.base import places
from hecn_analysis.diagnosis import likelihood
from hecn_analysis.diagnosis.facts import Facts
from hecn_analysis.diagnosis.kinds import kinds, without_runs
from hecn_analysis.diagnosis.signs import Sign, signs
from hecn_analysis.diagnosis.verdict import cue_odds, cues_of
from hecn_analysis.ingest.folder import read_folder

#: Names of causes in truth.json that the tables call otherwise.
_ALIASES: Final = {"healthy": "link", "duplex-speed": "duplex", "driver-offload": "offload"}

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

#: Edges of the classes of stated probability in the calibration.
_STATED: Final = (0.0, 0.5, 0.7, 0.9, 1.0)

_HEAD: Final = """\
# Measured transfers with a known cause: how many showed each sign, in the bins of evidence.yaml, and how well the
# tables judge transfers whose set-up was left out. Written by `make evidence`.
"""


@dataclass(frozen=True)
class Case:
    """A transfer with a known cause, and what its folder shows."""

    cause: str
    setup: tuple[object, ...]
    evidence: str
    seen: tuple[Sign, ...]
    cues: Mapping[str, Mapping[str, float]]


def read(folder: Path) -> Case:
    """Read a case."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    found = read_folder(folder / "before")
    kind = (kinds(found) or [without_runs(found)])[0]
    return Case(
        cause=_ALIASES.get(truth["cause"], truth["cause"]),
        setup=tuple(truth.get(key) for key in _SETUP),
        evidence=str(truth.get("evidence", "")),
        seen=tuple(signs(Facts(kind))),
        cues=cue_odds(cue for cue, _ in cues_of(kind)),
    )


def count(cases: Sequence[Case]) -> dict[str, dict[str, list[int]]]:
    """Count for each sign and cause how many cases are in each bin."""
    tables = likelihood.evidence().signs
    counts: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for case in cases:
        for sign in case.seen:
            table = tables[sign.name]
            place = table.bin_of(sign.value)
            if place is not None and len(table.usual) > 1:
                row = counts[sign.name].setdefault(case.cause, [0] * len(table.usual))
                row[place] += 1
    return {name: dict(sorted(counts[name].items())) for name in tables if name in counts}


def cross_validated(cases: Sequence[Case]) -> dict[str, Any]:
    """Judge each case by the tables without its set-up, and sum the scores up."""
    judged = []
    for case in cases:
        rest = [other for other in cases if other.setup != case.setup]
        found = likelihood.posterior(case.seen, likelihood.fitted(likelihood.evidence(), count(rest)), case.cues)
        families: Counter[str] = Counter()
        for cause, probability in zip(found.causes, found.probabilities.tolist(), strict=True):
            families[_family(cause)] += probability
        likeliest = found.causes[int(found.probabilities.argmax())]
        brier = sum((share - (name == _family(case.cause))) ** 2 for name, share in families.items())
        stated = families[_family(likeliest)]
        judged.append(
            (case.evidence, likeliest == case.cause, _family(likeliest) == _family(case.cause), brier, stated)
        )
    scores: dict[str, Any] = {"cases": len(judged), "setups": len({case.setup for case in cases})}
    for evidence in ("", *sorted({case.evidence for case in cases})):
        own = [row for row in judged if not evidence or row[0] == evidence]
        exact, family, brier = (float(np.mean([row[column] for row in own])) for column in (1, 2, 3))
        scores[evidence or "all"] = {
            "n": len(own),
            "exact": round(exact, 3),
            "family": round(family, 3),
            "brier": round(brier, 3),
        }
    scores["calibration"] = []
    for low, high in pairwise(_STATED):
        own = [row for row in judged if low < row[4] <= high]
        if own:
            means = {
                "stated": float(np.mean([row[4] for row in own])),
                "right": float(np.mean([row[2] for row in own])),
            }
            scores["calibration"].append({"n": len(own), **{name: round(value, 3) for name, value in means.items()}})
    return scores


def _family(cause: str) -> str:
    return FAMILIES.get(cause, cause)


def main() -> None:
    """Count, judge, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--dry-run", action="store_true", help="print the scores, and write nothing")
    arguments = parser.parse_args()
    cases = [read(path.parent) for path in sorted(arguments.cases.glob("*/truth.json"))]
    scores = cross_validated(cases)
    print(yaml.safe_dump(scores, sort_keys=False), end="")
    if not arguments.dry_run:
        document = {"held_out": scores, "counts": count(cases)}
        text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=118)
        (places.models_dir() / "evidence_counts.yaml").write_text(_HEAD + text, encoding="utf-8")


if __name__ == "__main__":
    main()
