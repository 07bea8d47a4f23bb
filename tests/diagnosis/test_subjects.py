"""Odds of the words of a subject: the estimates, and counts of reports beside them."""

import pytest

from hecn_analysis.diagnosis import likelihood, subjects
from hecn_analysis.statements.topics import topics


@pytest.mark.parametrize(("words", "expected"), [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (40, 3)])
def test_numbers_of_words_have_classes(words, expected):
    assert subjects.class_of(words) == expected


def test_reports_are_counted_with_and_without_words_of_a_subject():
    counts = subjects.count(
        [("wifi", {"radio": 3}), ("wifi", {"radio": 1, "card": 1}), ("nic", {"card": 5}), ("nic", {})]
    )
    assert counts["radio"] == {"nic": [1, 0, 0, 0], "wifi": [0, 1, 1, 0]}
    assert counts["card"] == {"nic": [0, 0, 0, 1], "wifi": [1, 1, 0, 0]}


def test_estimates_alone_speak_for_the_causes_of_the_subject():
    none, one, few, many = subjects.fitted({})["radio"]
    assert none["wifi"] < one["wifi"] < few["wifi"] < many["wifi"]
    assert many["wifi"] > 1.5 * many["mtu"]
    assert none["wifi"] < none["mtu"]


def test_reports_move_the_estimates_by_their_number():
    def ratio(reports):
        _, _, _, many = subjects.fitted(subjects.count([("mtu", {"radio": 5}), ("loss", {"card": 1})] * reports))[
            "radio"
        ]
        return many["mtu"] / many["loss"]

    assert ratio(0) == pytest.approx(1 / topics()["radio"].odds["loss"], rel=0.3)
    assert ratio(0) < ratio(3) < ratio(30)


def test_a_cause_without_reports_keeps_the_estimates():
    few = subjects.fitted(subjects.count([("mtu", {"packet size": 2})] * 5))["radio"][3]
    assert few["wifi"] / few["disk-read"] == pytest.approx(
        subjects.fitted(subjects.count([("nic", {"packet size": 2})] * 5))["radio"][3]["wifi"]
        / subjects.fitted(subjects.count([("nic", {"packet size": 2})] * 5))["radio"][3]["disk-read"]
    )


def test_the_counts_of_the_package_are_of_known_causes_and_subjects():
    assert set(likelihood.words()) == set(topics())
    assert {cause for row in likelihood.words().values() for cause in row} <= set(likelihood.evidence().names)
