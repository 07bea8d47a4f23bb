"""Jobs of certain hours of the week, and hours that scatter more than others."""

import numpy as np
import pytest

from hecn_analysis.watching.hours import jobs, spreads, week_hours

HOURS = np.arange(28 * 24) % 168
ERRORS = np.random.default_rng(2).standard_normal(28 * 24)


def test_the_hours_of_the_week_begin_on_monday():
    """1 January 1970 was a Thursday, 5 January a Monday."""
    assert week_hours(3600.0 * np.array([0, 23, 4 * 24, 4 * 24 + 167, 11 * 24])).tolist() == [72, 95, 0, 167, 0]


def test_a_job_of_one_night_a_week_is_usual_after_three_weeks():
    job = np.where(HOURS < 6, -8.0, 0.0)
    assert not jobs(HOURS[:336], (ERRORS + job)[:336]).any()
    found = jobs(HOURS, ERRORS + job)
    assert found[:6] == pytest.approx([-8.0] * 6, abs=1.5)
    assert not found[6:].any()


def test_results_that_are_often_far_off_make_no_job():
    second = np.random.default_rng(3).random(len(HOURS)) < 0.2
    assert not jobs(HOURS, ERRORS - 8.0 * second).any()


def test_hours_that_scatter_alike_are_not_told_apart():
    for seed in range(50):
        errors = np.random.default_rng(seed).standard_normal(len(HOURS))
        assert (spreads(HOURS, errors) == 1).all()
        assert (spreads(HOURS, np.random.default_rng(seed).standard_t(3, len(HOURS))) == 1).all()


def test_hours_of_work_scatter_more():
    works = (HOURS < 120) & (HOURS % 24 >= 8) & (HOURS % 24 < 16)
    found = spreads(HOURS, np.where(works, 3.0, 0.75) * ERRORS)
    ratio = np.median(found[HOURS[:168][works[:168]]]) / np.median(found[HOURS[:168][~works[:168]]])
    assert 3.0 < ratio < 4.5  # drawn towards 1
