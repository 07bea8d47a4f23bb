"""Change points of series that are made with them, and of quiet ones."""

import numpy as np
import pytest

from hecn_analysis.watching.changes import FALSE_ALARM_EVERY, LEAST, WINDOW, changes, threshold

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S


def hours(count):
    return 1.6e9 + HOUR_S * np.arange(count)


def normal(count, scatter=0.03, seed=1):
    return scatter * np.random.default_rng(seed).standard_normal(count)


def found(values, times_s=None):
    """First result of each change, and the result at which it showed."""
    times_s = hours(len(values)) if times_s is None else times_s
    return [(change.first, change.seen) for change in changes(times_s, values, least_scale=0.01)]


def test_a_quiet_year_has_no_change():
    assert found(normal(8760)) == []


def test_a_drop_of_a_fifth_shows_after_three_results_and_has_its_size():
    values = normal(600)
    values[500:] += np.log(0.8)
    (change,) = changes(hours(600), values, least_scale=0.01)
    assert (change.first, change.seen) == (500, 502)
    assert change.low < np.log(0.8) < change.high
    assert change.size == pytest.approx(np.log(0.8), abs=0.01)
    assert change.confidence > 0.998


def test_the_newest_three_results_are_enough():
    values = normal(503)
    values[500:] += np.log(0.8)
    assert found(values) == [(500, 502)]


@pytest.mark.parametrize("slow", [1, 2])
def test_one_or_two_slow_results_are_no_change(slow):
    values = normal(600)
    values[500 : 500 + slow] -= 5.0
    assert found(values) == []


def test_a_drop_and_its_end_are_two_changes_even_within_a_day():
    values = normal(700)
    values[500:512] += np.log(0.5)
    assert [first for first, _ in found(values)] == [500, 512]


def test_a_rise_is_a_change():
    values = normal(600)
    values[400:] += np.log(1.3)
    assert found(values) == [(400, 402)]


def test_less_than_a_week_is_not_judged():
    values = normal(7 * 24 - 10)
    values[100:] += np.log(0.5)
    assert found(values) == []


def test_slow_nights_of_each_day_are_no_change():
    times_s = hours(1000)
    assert found(normal(1000) - 0.7 * (times_s % 86400 < 4 * HOUR_S)) == []


def test_weekends_are_no_change():
    times_s = hours(1000)
    assert found(normal(1000) + 0.2 * ((times_s // 86400 + 3) % 7 >= 5)) == []


def test_a_drop_shows_beside_slow_nights():
    times_s = hours(600)
    values = normal(600) - 0.7 * (times_s % 86400 < 4 * HOUR_S)
    values[500:] += np.log(0.8)
    (first, seen) = found(values)[0]
    assert abs(first - 500) <= 1
    assert seen <= 504


def test_equal_results_are_quiet_and_differences_below_the_least_scale_are_no_change():
    values = np.zeros(600)
    values[500:] -= 0.005
    assert found(np.zeros(600)) == []
    assert found(values) == []


def test_gaps_and_few_results_do_no_harm():
    times_s = np.delete(hours(700), np.s_[200:300])
    values = normal(600)
    values[450:] += np.log(0.7)
    assert found(values, times_s) == [(450, 452)]
    for count in range(5):
        assert found(normal(count)) == []


def test_a_change_within_the_week_after_another_is_found():
    values = normal(700)
    values[500:] += np.log(0.85)
    values[560:] += np.log(0.85)
    assert [first for first, _ in found(values)] == pytest.approx([500, 560], abs=1)


def test_the_threshold_follows_the_number_of_results_between_false_alarms():
    assert threshold(FALSE_ALARM_EVERY) == pytest.approx(4.91, abs=0.01)
    assert [round(threshold(every), 2) for every in (1e3, 1e4, 1e5)] == [3.68, 4.3, 4.83]
    assert LEAST < 7 * 24 / 4
    assert WINDOW == 48


def test_normal_scores_exceed_the_threshold_about_as_often_as_computed():
    """The approximation of Siegmund and Venkatraman, held to 4 million normal scores."""
    scores = np.random.default_rng(3).standard_normal((200, 20_000))
    bound = threshold(20_000.0)
    sums = np.concatenate([np.zeros((200, 1)), np.cumsum(scores, axis=1)], axis=1)
    is_over = np.zeros((200, 20_000), dtype=bool)
    for length in range(1, WINDOW + 1):
        is_over[:, length - 1 :] |= np.abs(sums[:, length:] - sums[:, :-length]) > bound * np.sqrt(length)
    share_without = (~is_over.any(axis=1)).mean()
    assert share_without == pytest.approx(np.exp(-1), abs=0.12)


def test_hours_that_were_never_seen_have_no_level_of_their_own():
    """Results of even hours for four weeks, as MRTG consolidates them, then one each half hour."""
    early, late = np.arange(0, 28 * DAY_S, 2 * 3600), np.arange(28 * DAY_S, 42 * DAY_S, 1800)
    times = np.concatenate([early, late]).astype(float)
    usual = 0.8 * ((times % DAY_S >= 9 * HOUR_S) & (times % DAY_S < 17 * HOUR_S))
    values = usual + np.random.default_rng(4).normal(0, 0.05, len(times))
    assert changes(times, values, least_scale=0.01) == []


def test_after_two_changes_there_and_back_both_levels_are_usual():
    """Two routes, each kept for days: the third time is no change, but a level that is new is one."""
    values = normal(1300, 0.02)
    for first in (300, 400, 500, 700, 900):
        values[first : first + 12] -= 0.3
    assert [first for first, _ in found(values)] == [300, 312, 400, 412]
    values[1200:] -= 0.6
    assert [first for first, _ in found(values)] == [300, 312, 400, 412, 1200]


def test_changes_one_after_another_in_one_direction_are_all_told():
    values = normal(1300, 0.02)
    for first in (300, 500, 700, 900, 1100):
        values[first:] += 0.3
    assert [first for first, _ in found(values)] == [300, 500, 700, 900, 1100]
