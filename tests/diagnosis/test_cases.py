"""Transfers with a known cause, where HECN_CORPUS names the folder that holds them: verdicts, remedies and gains."""

import json
from collections import Counter
from statistics import mean

import pytest

from hecn_analysis.diagnosis.verdict import diagnose
from upkeep.evidence import FAMILIES

ALIASES = {
    "healthy": "link",
    "duplex-speed": "duplex",
    "driver-offload": "offload",
    "reverse-loss": "loss",
    "requests": "latency-protocol",
    "raid": "disk",
    "buffer": "buffer-small",
}


def family(cause):
    cause = ALIASES.get(cause, cause)
    return FAMILIES.get(cause, cause)


def judged(folder):
    """The truth of each case, and the verdict on its kind of run with most runs."""
    found = []
    for file in sorted(folder.glob("*/truth.json")):
        before = file.parent / "before"
        verdicts = diagnose(before if before.is_dir() else file.parent)
        most = max(verdicts, key=lambda one: (len(one.kind.runs), one.causes[0].probability))
        found.append((json.loads(file.read_text(encoding="utf-8")), most))
    if not found:
        pytest.skip(f"HECN_CORPUS has no {folder.name}")
    return found


@pytest.fixture(scope="module")
def cases(corpus):
    return judged(corpus / "verdict")


@pytest.fixture(scope="module")
def remedies(cases):
    """Cases whose remedy helped: what it set, the rate that it led to, and the changes that the verdict gives."""
    return [
        (set(truth["remedy"]["settings"]), truth["after_bps"], verdict.changes)
        for truth, verdict in cases
        if (truth.get("remedy") or {}).get("settings") and (truth["after_bps"] or 0) > 1.05 * truth["before_bps"]
    ]


def test_the_likeliest_cause_is_the_true_one(cases):
    true = [ALIASES.get(truth["cause"], truth["cause"]) for truth, _ in cases]
    told = [verdict.causes[0].kind for _, verdict in cases]
    assert mean(family(one) == family(other) for one, other in zip(true, told, strict=True)) >= 0.85
    assert mean(one == other for one, other in zip(true, told, strict=True)) >= 0.8


def test_the_probabilities_are_those_of_being_right(cases):
    scores = []
    for truth, verdict in cases:
        shares = Counter()
        for cause in verdict.causes:
            shares[family(cause.kind)] += cause.probability
        scores.append(sum((share - (name == family(truth["cause"]))) ** 2 for name, share in shares.items()))
    assert mean(scores) <= 0.25


def test_the_remedy_is_among_the_first_two_changes(remedies):
    assert mean(any(keys & set(change.settings) for change in told[:2]) for keys, _, told in remedies) >= 0.85


def test_the_rate_after_the_remedy_is_in_its_interval(remedies):
    inside = []
    for keys, after, told in remedies:
        change = next((one for one in told if keys & set(one.settings)), None)
        inside.append(bool(change and change.low_bps and change.low_bps <= after <= change.high_bps))
    assert 0.8 <= mean(inside) <= 0.99


def test_tickets_that_an_expert_could_solve(corpus):
    solved = [
        family(verdict.causes[0].kind) == family(truth["cause"])
        for truth, verdict in judged(corpus / "tickets")
        if truth["evidence_enough"] == "yes"
    ]
    assert mean(solved) >= 0.7
