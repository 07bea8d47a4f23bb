"""Two sets of few runs: the ratio with its interval, and what chance is taken from."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hecn_analysis.base.errors import RangeError
from hecn_analysis.runs.statistics import difference, shift

RATES = st.lists(st.floats(min_value=1e6, max_value=1e11), min_size=1, max_size=6)


def test_repeats_against_repeats_is_students_test_on_logarithms():
    one, other = [9.0, 9.5, 9.2], [8.1, 8.4, 7.9, 8.0]
    found = difference(one, other)
    assert found.p == pytest.approx(stats.ttest_ind(np.log(one), np.log(other)).pvalue)
    low, high = stats.ttest_ind(np.log(one), np.log(other)).confidence_interval(0.95)
    assert (found.ratio_low, found.ratio_high) == pytest.approx((math.exp(low), math.exp(high)))
    assert found.basis == "runs"


def test_two_single_runs_say_nothing_of_chance_unless_it_is_known():
    found = difference([9.0], [8.0])
    assert (found.ratio, found.basis) == (pytest.approx(1.125), "nothing")
    assert math.isnan(found.p)
    known = difference([9.0], [8.0], scatter=0.1)
    assert known.basis == "scatter"
    assert known.p == pytest.approx(2 * stats.norm.sf(math.log(1.125) / 0.1 / math.sqrt(2)))


@given(RATES, RATES)
def test_turned_round_it_is_the_inverse(one, other):
    there, back = difference(one, other, scatter=0.05), difference(other, one, scatter=0.05)
    assert there.ratio == pytest.approx(1 / back.ratio)
    assert there.p == pytest.approx(back.p, abs=1e-9)


def test_equal_runs_differ_by_nothing():
    assert difference([5.0, 5.0], [5.0]).p == 1.0
    assert difference([5.0, 5.0], [6.0]).p == 0.0


@pytest.mark.parametrize("rates", [[], [1.0, 0.0], [math.nan]])
def test_rates_that_cannot_be_are_refused(rates):
    with pytest.raises(RangeError, match="expected rates above 0, at least one"):
        difference(rates, [1.0])


@pytest.mark.parametrize("digits", [1, 9])
def test_the_p_of_many_repeats_is_that_of_scipys_rank_test_with_and_without_ties(digits):
    chance = np.random.default_rng(1)
    for count in (1, 3, 40, 168):
        one, other = (np.round(chance.normal(size=size), digits) for size in (60, count))
        assert shift(one, other).p == stats.mannwhitneyu(one, other, method="asymptotic").pvalue
