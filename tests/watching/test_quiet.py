"""Descriptions of quiet stretches, and scores of results against them."""

import numpy as np
import pytest

from hecn_analysis.watching.quiet import CLIP, quiet_of

TIMES_S = 1.6e9 + 3600.0 * np.arange(500)
ERRORS = np.random.default_rng(1).standard_normal(500)


def test_the_scatter_is_that_of_the_errors_or_the_least():
    assert quiet_of(TIMES_S, 5 + 0.1 * ERRORS, 0.01).scale == pytest.approx(0.1, rel=0.15)
    assert quiet_of(TIMES_S, np.full(500, 5.0), 0.01).scale == 0.01


def test_independent_errors_have_a_level_only():
    quiet = quiet_of(TIMES_S, 5 + 0.1 * ERRORS, 0.01)
    assert quiet.kind == "level"
    assert quiet.usual(TIMES_S[:2]) == pytest.approx([5.0, 5.0], abs=0.01)
    assert quiet.persistence < 0.15


@pytest.mark.parametrize(
    ("kind", "course"),
    [
        ("harmonic", 0.3 * np.cos(2 * np.pi * TIMES_S / 86400)),
        ("weekend", 0.4 * ((TIMES_S // 86400 + 3) % 7 >= 5)),
        ("hours weekend", -0.6 * (TIMES_S % 86400 < 3 * 3600) + 0.4 * ((TIMES_S // 86400 + 3) % 7 >= 5)),
    ],
)
def test_the_usual_course_is_of_the_least_kind_that_explains_it(kind, course):
    quiet = quiet_of(TIMES_S, course + 0.05 * ERRORS, 0.01)
    assert quiet.kind == kind
    assert quiet.usual(TIMES_S) == pytest.approx(course, abs=0.05)


def test_weekends_are_saturdays_and_sundays():
    """Day 0 is the Thursday with which 1970 begins: Saturday, the third day, is the first of a weekend."""
    days_s = 86400.0 * np.repeat(np.arange(28), 2) + np.tile([3600.0, 50000.0], 28)
    values = np.where((days_s // 86400 % 7 == 2) | (days_s // 86400 % 7 == 3), 1.0, 0.0)
    usual = quiet_of(days_s, values, 0.01).usual(days_s)
    assert usual == pytest.approx(values, abs=0.02)


def test_scores_are_normal_quantiles_of_ranks_and_are_cut():
    quiet = quiet_of(TIMES_S, 0.1 * ERRORS, 0.01)
    scores = quiet.scores(TIMES_S, 0.1 * ERRORS)
    assert scores.std() == pytest.approx(1.0, abs=0.05)
    assert scores.mean() == pytest.approx(0.0, abs=0.02)
    assert quiet.scores(TIMES_S[:1], np.array([-9.0])).tolist() == [-CLIP]
    assert quiet.scores(TIMES_S[:1], np.array([9.0])).tolist() == [CLIP]


def test_errors_that_persist_are_removed_before_ranking():
    errors = ERRORS.copy()
    for place in range(1, 500):
        errors[place] = 0.6 * errors[place - 1] + 0.8 * ERRORS[place]
    quiet = quiet_of(TIMES_S, errors, 0.01)
    scores = quiet.scores(TIMES_S, errors)
    assert 0.5 < quiet.persistence < 0.75
    assert abs(np.corrcoef(scores[1:], scores[:-1])[0, 1]) < 0.15


def test_results_after_a_course_of_many_levels_do_not_stand_out():
    """Those that it was fitted to lie closer to it than those after it: 24 hours and a weekend of eight days."""
    scores = []
    for seed in range(20):
        times_s = 1.6e9 + 3600.0 * np.arange(400)
        values = 0.05 * np.random.default_rng(seed).standard_normal(400) - 0.7 * (times_s % 86400 // 3600 < 4)
        quiet = quiet_of(times_s[:204], values[:204], 0.01)
        assert quiet.kind == "hours weekend"
        scores.append(quiet.scores(times_s[204:], values[204:]))
    together = np.concatenate(scores)
    assert 0.93 < together.std() < 1.02  # 1.08 by the errors of the fit alone
    assert (np.abs(together) >= 2.5).mean() < 0.0124  # of normal scores; 0.017 by the errors of the fit alone
