"""Features of courses over time, worked by hand on courses that are drawn up here."""

import math
import statistics

import pandas as pd
import pytest

from hecn_analysis.base import tables
from hecn_analysis.runs import course


def drawn(rates, *, step=1.0, cwnd=None):
    """A course of rates in Mb/s."""
    start = [number * step for number in range(len(rates))]
    columns = {"t_start_s": start, "t_end_s": [one + step for one in start], "rate_bps": [rate * 1e6 for rate in rates]}
    if cwnd is not None:
        columns["cwnd_bytes"] = cwnd
    return pd.DataFrame(columns).reindex(columns=list(course.COURSE)).astype(float)


def of(rates, **more):
    return course.features(drawn(rates, **more))


def test_slow_start_ends_where_the_rate_reaches_the_plateau():
    found = of([1, 2, 4, 8, *[10] * 12], step=0.5)
    assert (found["intervals"], found["duration_s"]) == (16, 8.0)
    assert found["start_s"] == 1.5  # the fourth interval, 8 of 10, begins there
    assert found["plateau_bps"] == 10e6
    assert course.words(found) == "reaches its plateau after 1.50 s; steady"


def test_a_plateau_has_a_level_and_a_scatter():
    found = of([9, 11] * 10)
    assert found["plateau_bps"] == 10e6
    assert found["scatter"] == pytest.approx(statistics.stdev([11, 9] * 7 + [11]) / statistics.mean([11, 9] * 7 + [11]))
    assert (found["teeth"], found["stalls"], found["bursts"]) == (0, 0, 0)
    assert course.words(found) == "steady"


def test_a_sawtooth_is_told_by_the_window_where_it_is_known():
    window = [50e3, 60e3, 70e3, 80e3, 90e3, 100e3] * 4
    found = of([10] * 24, step=0.5, cwnd=window)
    assert (found["teeth"], found["tooth_s"], found["tooth_depth"]) == (3, 3.0, 0.5)
    assert course.words(found) == "sawtooth of 3 teeth, one every 3.00 s, down to 50 %"


def test_a_sawtooth_is_told_by_the_rate_where_no_window_is_known():
    found = of([7, 8, 9, 10] * 5)
    assert (found["teeth"], found["tooth_s"], found["tooth_depth"]) == (4, 4.0, 0.7)


def test_falls_without_a_rise_before_them_are_no_teeth():
    assert of([10, 8, 10, 8] * 4)["teeth"] == 0


def test_periodic_stalls_have_a_period_and_a_share_of_the_time():
    found = of([*([10] * 8 + [0, 0])] * 4)
    assert (found["stalls"], found["stalled"], found["stall_s"]) == (4, 0.2, 10.0)
    assert course.words(found).endswith("4 stalls for 20 % of the time, one every 10.0 s")


def test_stalls_at_any_time_have_no_period():
    rates = [10.0] * 40
    for at in (3, 5, 20, 36):
        rates[at] = 0.5
    found = of(rates)
    assert (found["stalls"], found["stalled"]) == (4, 0.1)
    assert math.isnan(found["stall_s"])


def test_bursts_are_counted_with_their_share_of_the_data():
    found = of([*([10] * 9), 20, *([10] * 9), 20])
    assert (found["bursts"], found["burst_share"]) == (2, pytest.approx(40 / 220))


def test_a_trend_is_the_median_slope_over_the_plateau():
    found = of([20 - number for number in range(11)])  # from 20 to 10 in steps of 1
    assert found["trend"] == pytest.approx(-10 / 20)
    assert course.words(found) == "falls by 50 %"
    assert of([20 + number for number in range(11)])["trend"] == pytest.approx(8 / 30)  # from 22: 80 % of 27.5


def test_single_stalls_do_not_bend_the_trend():
    rates = [10.0] * 20
    rates[-1] = 0.0
    assert of(rates)["trend"] == 0


def test_a_long_course_has_the_trend_of_a_short_one():
    assert of([20 - number / 1000 for number in range(10_001)])["trend"] == pytest.approx(-10 / 20, rel=0.01)


@pytest.mark.parametrize("rates", [[], [10], [10, 10, 10], [0, 0, 0, 0, 0]])
def test_what_is_too_short_or_idle_tells_nothing(rates):
    found = of(rates)
    assert found["intervals"] == len(rates)
    assert math.isnan(found["plateau_bps"])
    assert course.words(found) == "too few intervals to tell"


def intervals(*rows):
    return tables.make(
        "intervals",
        [
            {
                "source_file": "a",
                "run": 0,
                "line": 1,
                **dict(zip(("stream", "t_start_s", "t_end_s", "throughput_bps", "retransmits"), row, strict=True)),
                "cwnd_bytes": 1000,
                "rtt_s": 0.01,
            }
            for row in rows
        ],
    )


def test_streams_are_summed_where_all_have_the_interval():
    first = (0, 0.0, 1.0, 1e6, 1), (1, 0.0, 1.0001, 2e6, 2)
    second = (0, 1.0, 2.0, 3e6, 0), (1, 1.0001, 2.0, 4e6, 0)
    found = course.together(intervals(*first, *second, (0, 2.0, 3.0, 9e6, 0)))
    assert found["rate_bps"].tolist() == [3e6, 7e6]
    assert found["retransmits"].tolist() == [3, 0]
    assert found["cwnd_bytes"].tolist() == [2000, 2000]
    assert found["rtt_s"].tolist() == [0.01, 0.01]
    assert found["flight_bytes"].isna().all()


def test_sums_of_the_log_count_and_windows_come_from_the_streams():
    rows = [(stream, 0.0, 1.0, 1e6, 0) for stream in (0, 1)] + [(None, 0.0, 1.0, 2.5e6, 0)]
    table = intervals(*rows)
    table.loc[2, ["cwnd_bytes", "rtt_s"]] = pd.NA
    found = course.together(table)
    assert found["rate_bps"].tolist() == [2.5e6]
    assert found["cwnd_bytes"].tolist() == [2000]


def test_a_last_interval_that_was_cut_short_is_left_out():
    rows = [(0, float(at), at + 1.0, 1e6, 0) for at in range(5)] + [(0, 5.0, 5.01, 50e6, 0)]
    assert course.together(intervals(*rows))["rate_bps"].tolist() == [1e6] * 5


def test_slow_start_is_no_weak_first_interval():
    # RTT 0.1 s, 4 doublings: the first 0.4 s carry as much as 0.1 / ln 2 * (1 - 1 / 16) s of the rest.
    seconds = 0.1 / math.log(2) * (1 - 1 / 16) + 0.6
    rates = pd.DataFrame({"t_start_s": range(4), "t_end_s": range(1, 5), "rate_bps": [1e8 * seconds, 1e8, 1e8, 1e8]})
    assert course.first_rate(rates) == pytest.approx(seconds)
    assert course.first_rate(rates, start_s=0.4, rtt_s=0.1) == pytest.approx(1)


def test_growth_is_that_after_slow_start():
    rates = pd.DataFrame({"t_start_s": range(7), "t_end_s": range(1, 8), "rate_bps": [1e6] + 6 * [1e8]})
    assert course.growth(rates) > 1.4
    assert course.growth(rates, start_s=0.9) == pytest.approx(1)
    assert course.growth(rates, start_s=5) > 1.4  # too few intervals remain
