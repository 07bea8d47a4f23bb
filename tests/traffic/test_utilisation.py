"""Utilisation: percentiles that a person can redo, equal slots that keep all bytes, speeds that lie, averages."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.traffic.percentiles import nearest_rank, nearest_ranks, peak_bounds, percentile_bounds, rank
from hecn_analysis.traffic.speeds import speed_findings, speeds_of
from hecn_analysis.traffic.utilisation import (
    billing,
    bounds,
    busiest_hour,
    profile,
    slot_table,
    utilisation,
)

BEGIN = pd.Timestamp("2013-11-18", tz="UTC")  # a Monday


def table(in_bps, out_bps=None, *, step=300.0, begin=BEGIN, **columns):
    """Rates of one port, one interval after another."""
    rates = np.asarray(in_bps, dtype=float)
    steps = np.broadcast_to(np.asarray(step, dtype=float), rates.shape)
    return pd.DataFrame(
        {
            "host": "switch",
            "interface": "eth0",
            "time": begin + pd.to_timedelta(np.cumsum(steps), "s"),
            "interval_s": steps,
            "in_bps": rates,
            "out_bps": rates if out_bps is None else out_bps,
            "in_max_bps": np.nan,
            "out_max_bps": np.nan,
            "flag": "ok",
        }
    ).assign(**columns)


# percentiles


def test_percentile_is_the_one_that_is_left_after_throwing_away_the_top_5_percent_by_hand():
    """librenms#4318, vnstat#247: 95th percentile counted wrong."""
    random = np.random.default_rng(1)
    for count in (1, 2, 19, 20, 21, 100, 8640, 8928):
        rates = random.exponential(1e9, count)
        by_hand = sorted(rates)
        del by_hand[len(by_hand) - int(count * 5 // 100) :]
        assert nearest_rank(rates) == by_hand[-1]
        summary = utilisation(table(rates))
        assert summary["p95_in_bps"][0] == pytest.approx(by_hand[-1], rel=1e-12)
        assert summary["slots"][0] == count


@given(
    st.lists(
        st.lists(st.one_of(st.just(math.nan), st.floats(0, 1e12)), min_size=1, max_size=60), min_size=1, max_size=9
    ),
    st.sampled_from([0.1, 5.0, 50.0, 95.0, 99.9, 100.0]),
)
def test_percentiles_of_many_stretches_are_those_of_each(stretches, percent):
    values = np.array([value for stretch in stretches for value in stretch])
    starts = np.cumsum([0, *(len(stretch) for stretch in stretches[:-1])])
    found = nearest_ranks(values, starts, percent)
    for stretch, one in zip(stretches, found, strict=True):
        known = sorted(value for value in stretch if not math.isnan(value))
        assert (one == known[rank(len(known), percent) - 1]) if known else math.isnan(one)


def test_both_conventions_of_billing_have_their_own_names():
    rates = np.r_[np.full(90, 1.0), np.full(4, 9.0), np.full(6, 1.0)]
    both = table(rates, rates[::-1])  # each direction is high for 4 %, the larger of both for 8 %
    summary = utilisation(both).loc[0]
    assert summary["p95_greater_bps"] == 1.0
    assert summary["p95_slot_greater_bps"] == 9.0
    assert summary["p95_sum_bps"] == 10.0
    assert billing(both, direction="greater")["percentile_bps"] == 1.0
    assert billing(both, direction="slot_greater")["percentile_bps"] == 9.0
    assert billing(both, direction="in")["convention"] == "inbound traffic; 1 port(s) summed slot by slot; nearest rank"


def test_ports_are_summed_slot_by_slot_before_ranking():
    """librenms#15239, #18481: sum ports first."""
    one = table(np.r_[np.full(96, 1.0), np.full(4, 50.0)])
    other = table(np.r_[np.full(4, 50.0), np.full(96, 1.0)], interface="eth1")
    together = pd.concat([one, other])
    assert billing(together)["percentile_bps"] == 51.0
    assert utilisation(together)["p95_greater_bps"].tolist() == [1.0, 1.0]
    found = billing(together, [("switch", "eth0")])
    assert (found["percentile_bps"], found["slots"], found["rank"], found["thrown_away"]) == (1.0, 100, 95, 5)


def test_slots_of_a_port_that_is_down_are_counted_and_not_taken_for_zero():
    """librenms#18481: zero rows of a down port."""
    rates = np.r_[np.full(50, 5.0), np.full(50, np.nan)]
    down = table(rates, flag=np.where(np.isnan(rates), "reset", "ok"))
    summary = utilisation(down).loc[0]
    assert (summary["slots"], summary["missing_slots"], summary["unrated"]) == (100, 50, 50)
    assert summary["p95_in_bps"] == 5.0
    both = pd.concat([down, table(np.full(100, 1.0), interface="eth1")])
    assert {name: billing(both)[name] for name in ("percentile_bps", "slots", "missing_slots")} == {
        "percentile_bps": 6.0,
        "slots": 50,
        "missing_slots": 50,
    }
    assert billing(both, missing="zero")["slots"] == 100


def test_percentile_of_averages_over_more_than_a_slot_is_refused_and_bounds_are_given():
    """librenms#8890: a percentile of data that were averaged before cannot be reproduced."""
    hourly = table(np.full(48, 1e9), step=3600.0)
    assert math.isnan(utilisation(hourly)["p95_in_bps"][0])
    with pytest.raises(InputError) as error:
        billing(hourly)
    assert str(error.value) == (
        "found averages over more than 300 s of eth0, expected rates of one slot or less; "
        "use longer slots, or the bounds from averages (bounds)"
    )
    assert billing(hourly, slot_s=3600)["percentile_bps"] == 1e9
    found = bounds(hourly, speeds=10e9).set_index("direction").loc["in"]
    assert found["percentile_low_bps"] == pytest.approx(1e9)
    assert found["percentile_high_bps"] == 10e9
    assert (found["peak_low_bps"], found["peak_high_bps"]) == (1e9, 10e9)


def test_maxima_that_a_source_keeps_tighten_the_bounds():
    steps = [3600.0] * 48 + [300.0] * 12  # MRTG: older rows are consolidated, their maxima are of five minutes
    mixed = table(np.full(60, 1e9), step=steps, in_max_bps=2e9)
    found = bounds(mixed, speeds=10e9).set_index("direction").loc["in"]
    assert (found["peak_low_bps"], found["peak_high_bps"]) == (2e9, 2e9)
    assert found["percentile_high_bps"] == 2e9
    seconds = bounds(mixed, speeds=10e9, slot_s=1.0).set_index("direction").loc["in"]  # of which they say nothing
    assert (seconds["peak_low_bps"], seconds["peak_high_bps"]) == (2e9, 10e9)


def test_transfer_of_2_tb_in_3_and_a_half_minutes_shows_as_less_in_bins_of_5():
    true = 2e12 * 8 / 210
    second = np.zeros(900)
    second[200:410] = true  # straddles two bins
    bins = second.reshape(3, 300).mean(axis=1)
    assert bins.max() == pytest.approx(true * 110 / 300)
    low, high = peak_bounds(bins, 300, most_bps=100e9)
    assert low == bins.max()
    assert low < true < high


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.floats(0, 1e10), min_size=1, max_size=6), min_size=1, max_size=30),
    st.sampled_from([50.0, 90.0, 95.0]),
    st.booleans(),
)
def test_bounds_hold_what_was_averaged(bins, percent, keeps_maxima):
    truth = np.array([value for one in bins for value in one])
    mean, many = np.array([np.mean(one) for one in bins]), np.array([len(one) for one in bins])
    most = np.array([max(one) for one in bins]) if keeps_maxima else 1e10
    low, high = percentile_bounds(mean, many, percent=percent, most_bps=most)
    assert low * (1 - 1e-9) - 1e-3 <= nearest_rank(truth, percent) <= high * (1 + 1e-9) + 1e-3
    low, high = peak_bounds(mean, many, most_bps=most)
    assert low * (1 - 1e-9) <= truth.max() <= high * (1 + 1e-9) + 1e-3


def test_impossible_percentiles_are_refused():
    with pytest.raises(RangeError, match=r"^percent: found 0, expected more than 0 and at most 100$"):
        rank(5, 0)
    with pytest.raises(RangeError, match=r"^slots_per_bin: found 0, expected at least 1$"):
        percentile_bounds(np.ones(3), 0)
    with pytest.raises(RangeError, match=r"^slot: found 0 s, expected more than 0 s$"):
        slot_table(table([1.0]), slot_s=0)


# slots


@settings(max_examples=80)
@given(st.data())
def test_slots_keep_all_bytes(data):
    """librenms#13946: a bill of slots and the graph of polls are the same bytes."""
    count = data.draw(st.integers(1, 40))
    steps = data.draw(st.lists(st.floats(0.01, 2000), min_size=count, max_size=count))
    rates = data.draw(st.lists(st.one_of(st.just(math.nan), st.floats(0, 1e11)), min_size=count, max_size=count))
    begin = BEGIN + pd.Timedelta(data.draw(st.floats(0, 1000)), "s")
    one = table(rates, step=steps, begin=begin)
    slots = slot_table(
        pd.concat([one, one.assign(interface="eth1")]), slot_s=data.draw(st.sampled_from([60.0, 300.0, 7.5]))
    )
    for interface in ("eth0", "eth1"):
        mine = slots[slots["interface"] == interface]
        assert mine["in_bytes"].sum() == pytest.approx(np.nansum(np.array(rates) * steps) / 8, rel=1e-6, abs=1)
        assert mine["covered_s"].sum() == pytest.approx(np.sum(np.where(np.isnan(rates), 0, steps)), rel=1e-6, abs=1e-5)
    assert slots["in_bps"].max() <= np.nanmax([*rates, 0.0]) * (1 + 1e-6) + 1e-3 or slots["in_bps"].isna().all()


def test_wandering_polls_of_a_steady_stream_are_steady_on_slots():
    """librenms#13946: 299 to 301 s instead of 300."""
    steps = 300 + np.random.default_rng(1).uniform(-1, 1, 500)
    slots = slot_table(table(np.full(500, 8e9), step=steps, begin=BEGIN + pd.Timedelta(17.3, "s")))
    assert slots["in_bps"].dropna().to_numpy() == pytest.approx(8e9)
    assert slots["in_bps"].isna().sum() <= 2  # the first and the last one
    assert (slots["time"].dt.second == 0).all()


def test_gap_is_missing_on_slots_and_counted_in_the_volume():
    gap = table([1e9, 1e9, 1e9], step=[300, 3000, 300], flag=["ok", "gap", "ok"])
    assert slot_table(gap)["in_bps"].notna().sum() == 2
    assert slot_table(gap, gaps=True)["in_bps"].notna().sum() == 12
    summary = utilisation(gap).loc[0]
    assert summary["in_bytes"] == pytest.approx(1e9 * 3600 / 8)
    assert (summary["slots"], summary["missing_slots"]) == (12, 10)


def test_lower_bounds_are_no_facts():
    summary = utilisation(table([1e9, 1e9, 9e9], flag=["ok", "wrap,ambiguous", "ceiling"])).loc[0]
    assert (summary["unrated"], summary["missing_slots"]) == (2, 2)
    assert summary["p95_in_bps"] == pytest.approx(1e9)


def test_a_port_with_lower_bounds_alone_has_no_known_volume():
    summary = utilisation(table([1e9, 1e9], [0.0, 0.0], flag="wrap,ambiguous")).loc[0]
    assert summary[["in_bytes", "out_bytes", "mean_in_bps", "peak_in_bps"]].isna().all()
    summary = utilisation(table([1e9, 1e9], [np.nan, np.nan])).loc[0]
    assert summary["in_bytes"] == pytest.approx(7.5e10)
    assert math.isnan(summary["out_bytes"])
    assert utilisation(table([0.0, 0.0])).loc[0, "in_bytes"] == 0


# speeds


def test_more_than_the_speed_is_told_and_never_capped():
    """librenms#4318: the cause in the end was ifSpeed of 1 Gb/s that capped a bill of 10."""
    summary = utilisation(table(np.full(20, 6e9)), speeds={"eth0": 1e9}).loc[0]
    assert summary["p95_in_bps"] == pytest.approx(6e9)
    assert summary["in_utilisation_fraction"] == pytest.approx(6.0)
    assert summary["remark"] == "carried 600 % of its stated speed: the speed is wrong"


def test_line_that_is_flat_at_the_speed_is_told():
    rates = np.r_[np.full(80, 2e8), np.full(20, 1e9)]
    (finding,) = speed_findings(table(rates), 1e9).to_dict("records")
    assert finding["finding"] == "flat"
    assert finding["message"] == ("20 of 100 rates equal the stated speed exactly: the speed is wrong and clips them")
    full = np.r_[np.full(80, 2e8), np.full(20, 1e9 * 9018 / 9038)]  # jumbo frames on a full line
    assert len(speed_findings(table(full), 1e9)) == 0
    assert pd.isna(utilisation(table(full), speeds=1e9)["remark"][0])


def test_speed_is_the_last_that_a_source_gave():
    samples = pd.DataFrame(
        {
            "host": "s",
            "interface": ["a", "a", "b"],
            "time": pd.to_datetime([0, 1, 0], utc=True),
            "speed_bps": [1e9, 10e9, -1],
        }
    )
    assert speeds_of(samples) == {("s", "a"): 10e9}


# hours


def test_busy_hour_and_profile_follow_the_clock_of_the_place():
    hour = np.tile(np.repeat(np.arange(24), 12), 14)
    two_weeks = table(np.where(hour == 19, 5e9, 1e9))
    assert utilisation(two_weeks)["busy_hour"][0] == 19
    day = profile(two_weeks, zone="America/New_York")
    assert len(day) == 24
    assert day.loc[day["mean_in_bps"].idxmax(), "hour"] == 14
    week = profile(two_weeks, period="week")
    assert len(week) == 168
    assert week["slots"].tolist() == [24] * 168
    assert week.loc[week["hour"] == 19, "median_in_bps"].to_numpy() == pytest.approx(5e9)


def test_daylight_saving_time_is_followed():
    begin = pd.Timestamp("2013-10-28", tz="UTC")  # New York goes back on November 3rd
    local = (begin + pd.to_timedelta(np.arange(14 * 288) * 300, "s")).tz_convert("America/New_York")
    day = profile(table(np.where(local.hour == 9, 5e9, 1e9), begin=begin), zone="America/New_York")
    assert day.loc[day["mean_in_bps"] > 4e9, "hour"].tolist() == [9]


def test_busiest_hour_is_one_hour_of_known_rates():
    rates = np.full(288, 1e9)
    rates[100:112] = 4e9
    best = busiest_hour(table(rates)).loc[0]
    assert best["in_bps"] == pytest.approx(4e9)
    assert best["time"] == BEGIN + pd.Timedelta(112 * 300, "s")


def test_nothing_gives_empty_tables():
    none = table([])
    assert len(utilisation(none)) == len(slot_table(none)) == len(bounds(none)) == len(profile(none)) == 0


def test_missing_columns_and_unknown_ports_are_told():
    with pytest.raises(InputError, match=r"^found no column flag, expected rates with host, interface, time"):
        utilisation(table([1.0]).drop(columns="flag"))
    with pytest.raises(InputError) as error:
        billing(table([1.0]), [("switch", "eth1")])
    assert str(error.value) == (
        "found no port ('switch', 'eth1'), expected a pair of host and interface of the rates; did you mean 'eth0'?"
    )
    with pytest.raises(
        RangeError, match=r"^direction: found 'up', expected one of in, out, greater, slot_greater, sum$"
    ):
        billing(table([1.0]), direction="up")


def test_rates_without_a_time_have_no_slot_and_times_far_apart_are_told():
    rates = table(np.full(10, 5.0))
    timeless = pd.concat([rates, rates.assign(time=pd.NaT)])
    assert utilisation(timeless)["slots"][0] == utilisation(rates)["slots"][0]
    old = rates.assign(time=rates["time"] - pd.Timedelta(days=36500))
    with pytest.raises(RangeError, match="longer slots, or sources of one time"):
        utilisation(pd.concat([old, rates]), slot_s=0.01)


def test_no_port_and_slots_that_make_up_no_hour_are_refused():
    with pytest.raises(InputError, match=r"^found no port, expected one or more$"):
        billing(table([1.0]), [])
    for slot_s in (700.0, 7200.0):
        with pytest.raises(RangeError, match=rf"^slot: found {slot_s} s, expected a divisor of 3600 s$"):
            busiest_hour(table([1.0]), slot_s=slot_s)


def test_a_direction_that_nobody_counted_has_no_bounds():
    found = bounds(table([1e9, 2e9], [np.nan, np.nan]))
    assert found["direction"].tolist() == ["in"]


def test_percentiles_of_many_lengths_at_once_are_those_of_each():
    random = np.random.default_rng(1)
    stretches = [random.uniform(0, 1, 64 + length) for length in range(60)]  # more ranks than are picked one by one
    starts = np.cumsum([0, *map(len, stretches[:-1])])
    found = nearest_ranks(np.concatenate(stretches), starts, 50.0)
    assert found.tolist() == [nearest_rank(stretch, 50.0) for stretch in stretches]
    assert found.tolist() == [sorted(stretch)[rank(len(stretch), 50.0) - 1] for stretch in stretches]


def test_averages_that_are_all_missing_bound_nothing():
    assert np.isnan(percentile_bounds(np.array([np.nan, np.nan]), 3)).all()


def test_slots_without_coverage_have_no_bytes():
    when = pd.to_datetime(["2024-01-01 00:05", "2024-01-01 00:10", "2024-01-01 00:25"], utc=True)
    table = pd.DataFrame({"host": "sw", "interface": "e0", "time": when, "interval_s": 300.0, "flag": "ok"})
    table = table.assign(in_bps=[8e6, 0.0, 8e6], out_bps=[8e6, np.nan, 8e6])
    slots = slot_table(table)
    nothing = [True, True]
    assert slots["covered_s"].tolist() == [300.0, 300.0, 0.0, 0.0, 300.0]
    assert slots["in_bytes"].fillna(-1).tolist() == [3e8, 0.0, -1, -1, 3e8]  # an idle slot keeps its 0
    assert slots["out_bytes"].isna().tolist() == [False, True, *nothing, False]
