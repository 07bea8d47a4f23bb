"""Descriptions of quiet stretches, and scores of results against them."""

import numpy as np
import pytest
from statsmodels.robust.norms import HuberT
from statsmodels.robust.robust_linear_model import RLM

from hecn_analysis.watching.quiet import FURTHEST, quiet_of, quiets_of

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
    assert quiet.scores(TIMES_S[:1], np.array([-9.0])).tolist() == [-FURTHEST]
    assert quiet.scores(TIMES_S[:1], np.array([9.0])).tolist() == [FURTHEST]


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


def test_stretches_of_one_series_are_described_as_if_they_were_alone():
    """Of different lengths, so that some can show weekends and hours and others only a level."""
    values = 0.05 * ERRORS + 0.2 * np.cos(2 * np.pi * TIMES_S / 86400)
    stretches = [slice(0, 20), slice(3, 190), slice(100, 399), slice(0, 500), slice(470, 500)]
    for together, stretch in zip(quiets_of(TIMES_S, values, stretches, 0.01), stretches, strict=True):
        alone = quiet_of(TIMES_S[stretch], values[stretch], 0.01)
        assert together.kind == alone.kind
        for name in ("coefficients", "scale", "persistence", "errors", "own_scores"):
            assert getattr(together, name) == pytest.approx(getattr(alone, name), abs=1e-9), name


def test_a_course_is_that_of_a_robust_regression_of_statsmodels():
    values = 5 + 0.05 * ERRORS + 0.2 * np.cos(2 * np.pi * TIMES_S / 86400)
    values[::30] -= 2.0
    angle = 2 * np.pi * TIMES_S / 86400
    columns = np.column_stack([np.ones(500), np.cos(angle), np.sin(angle)])
    expected = RLM(values, columns, M=HuberT()).fit(tol=1e-10, maxiter=500, scale_est="mad").params
    quiet = quiet_of(TIMES_S, values, 0.01)
    assert quiet.kind == "harmonic"
    assert quiet.coefficients == pytest.approx(expected, abs=0.0005)  # a hundredth of the scatter


def test_a_weekend_that_was_never_seen_takes_no_share_of_the_level():
    days_s = np.concatenate([86400.0 * (4 + 7 * week) + 3600.0 * np.arange(24 * 5) for week in range(4)])
    values = 20 + 0.5 * np.cos(2 * np.pi * days_s / 86400) + 0.01 * ERRORS[: len(days_s)]
    quiet = quiet_of(days_s, values, 0.01)
    saturday_s = 86400.0 * 9 + 3600.0 * np.arange(24)
    assert quiet.usual(saturday_s) == pytest.approx(20 + 0.5 * np.cos(2 * np.pi * saturday_s / 86400), abs=0.05)
