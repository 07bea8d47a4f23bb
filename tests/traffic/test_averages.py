"""What averages allow, against every way to fill their slots; speeds that lie, coverage and lengths at their bounds."""

import itertools
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.traffic import slots as gridded
from hecn_analysis.traffic.percentiles import nearest_rank, nearest_ranks, peak_bounds, percentile_bounds, rank
from hecn_analysis.traffic.speeds import speed_findings, speed_of, speeds_of
from hecn_analysis.traffic.utilisation import (
    billing,
    bounds,
    busiest_hour,
    profile,
    slot_table,
    utilisation,
)

BEGIN = pd.Timestamp("2026-03-02", tz="UTC")


def table(in_bps, out_bps=0.0, *, step=300.0, name="eth0", **columns):
    """Rates of one port, one interval after another."""
    steps = np.broadcast_to(np.asarray(step, dtype=float), len(in_bps))
    return pd.DataFrame(
        {
            "host": "switch",
            "interface": name,
            "time": BEGIN + pd.to_timedelta(np.cumsum(steps), "s"),
            "interval_s": steps,
            "in_bps": np.asarray(in_bps, dtype=float),
            "out_bps": out_bps,
            "flag": "ok",
        }
    ).assign(**columns)


# percentiles


@pytest.mark.parametrize("percent", [0.001, 10, 50, 90, 95, 99.9, 100])
@pytest.mark.parametrize("count", [1, 2, 3, 10, 19, 20, 21, 1000])
def test_rank_is_the_least_with_so_many_percent_of_the_values_up_to_it(count, percent):
    found = rank(count, percent)
    assert 100 * found >= percent * count - 1e-6
    assert 100 * (found - 1) < percent * count
    values = np.random.default_rng(1).permutation(count).astype(float)
    assert nearest_rank(values, percent) == found - 1
    assert nearest_ranks(np.r_[values, values + 5], np.array([0, count]), percent).tolist() == [found - 1, found + 4]


@pytest.mark.parametrize("percent", [-1, 0, 100.001])
def test_percentages_that_are_none_are_refused(percent):
    with pytest.raises(RangeError, match=r"^percent: found .*, expected more than 0 and at most 100$"):
        nearest_ranks(np.ones(3), np.array([0]), percent)


def test_stretches_of_nothing_have_no_percentile():
    assert math.isnan(nearest_rank(np.array([]), 50))
    found = nearest_ranks(np.array([3.0, 1.0, np.nan, 7.0]), np.array([0, 0, 2, 3, 4]), 50)
    assert found.tolist() == pytest.approx([np.nan, 1.0, np.nan, 7.0, np.nan], nan_ok=True)


def test_stretches_of_one_length_need_not_follow_each_other():
    random = np.random.default_rng(1)
    for lengths in itertools.product([0, 1, 4, 5], repeat=4):
        stretches = [random.permutation(length) + 10.0 * number for number, length in enumerate(lengths)]
        starts = np.cumsum([0, *lengths[:-1]])
        wanted = [
            math.nan if length == 0 else 10 * number + math.ceil(length * 0.6) - 1
            for number, length in enumerate(lengths)
        ]
        assert nearest_ranks(np.concatenate(stretches), starts, 60).tolist() == pytest.approx(wanted, nan_ok=True)


def filled(slots, mean, most):
    """Every way to fill slots with whole numbers up to a most, with this mean."""
    ways = itertools.combinations_with_replacement(range(most + 1), slots)
    return [way for way in ways if sum(way) == slots * mean]


@pytest.mark.parametrize("percent", [25, 50, 75, 95, 100])
@pytest.mark.parametrize(
    "bins",
    [
        [(3, 4, 12), (3, 4, 12)],
        [(4, 3, 12), (2, 3, 6)],
        [(2, 6, 10), (3, 4, 12), (1, 5, 5)],
        [(3, 4, 6), (3, 2, 3)],
        [(1, 4, 4), (1, 1, 1), (1, 9, 9)],
        [(4, 0, 0), (2, 3, 5)],
        [(2, 5, 5), (2, 4, 8)],
    ],
)
def test_bounds_are_the_extremes_of_all_ways_to_fill_the_slots(bins, percent):
    found = [
        nearest_rank(np.array([value for way in ways for value in way], dtype=float), percent)
        for ways in itertools.product(*(filled(*one) for one in bins))
    ]
    slots, mean, most = (np.array(column) for column in zip(*bins, strict=True))
    low, high = percentile_bounds(mean.astype(float), slots, percent=percent, most_bps=most.astype(float))
    assert min(found) - 1 < low <= min(found) + 1e-9  # values between whole numbers may go a little further
    assert max(found) - 1e-9 <= high < max(found) + 1


@pytest.mark.parametrize(("bins", "slots", "percent"), [(48, 12, 95), (20, 6, 95), (3, 4, 50), (10, 3, 80), (7, 5, 30)])
def test_bounds_of_equal_averages_are_those_of_a_formula(bins, slots, percent):
    """Thrown away are a slots, a // n of each of n bins: one more of each bin must share its bytes."""
    above = bins * slots - math.ceil(bins * slots * percent / 100)
    each = above // bins
    for most in (math.inf, 2.0):
        low, high = percentile_bounds(np.full(bins, 1.0), slots, percent=percent, most_bps=most)
        assert high == pytest.approx(min(slots / (each + 1), most))
        assert low == pytest.approx(max((slots - each * min(most, slots)) / (slots - each), 0.0), abs=1e-9)


def test_averages_of_nothing_are_bounded_by_nothing():
    assert percentile_bounds(np.zeros(3), 4) == (0.0, 0.0)
    assert percentile_bounds(np.array([np.nan, 4.0]), np.array([3, 1])) == (4.0, 4.0)
    assert percentile_bounds(np.array([0.25, 0.25]), 1) == (pytest.approx(0.25), 0.25)
    assert peak_bounds(np.array([np.nan, 4.0, 1.0]), 3) == (4.0, 12.0)
    assert peak_bounds(np.array([4.0, 1.0]), 3, most_bps=3.0) == (4.0, 4.0)  # that was carried, whatever the line is
    assert np.isnan(peak_bounds(np.array([np.nan]), 3)).all()


# bounds of sources that keep averages


def rows(found):
    return found.drop(columns=["host", "interface", "direction"]).to_numpy().tolist()


def test_bounds_of_each_port_and_direction():
    hourly = table(np.full(48, 1e9), 2e9, step=3600.0)
    other = table([5e9, np.nan, 3e9, 7e9], np.nan, step=[300.0, 900.0, 600.0, 300.0], name="eth1")
    found = bounds(pd.concat([hourly, other]), speeds={"eth0": 10e9})
    assert found[["host", "interface", "direction"]].to_numpy().tolist() == [
        ["switch", "eth0", "in"],
        ["switch", "eth0", "out"],
        ["switch", "eth1", "in"],
    ]
    # 576 slots, 28 thrown away: less than one of each hour, of whose 12 slots one may have all of its bytes
    assert rows(found) == [
        pytest.approx([3600.0, 1e9, 10e9, 1e9, 10e9]),
        pytest.approx([3600.0, 2e9, 10e9, 2e9, 10e9]),
        pytest.approx([600.0, 7e9, 7e9, 7e9, 7e9]),  # 4 slots, none thrown away: the largest
    ]
    unbounded = bounds(hourly)
    assert rows(unbounded) == [
        pytest.approx([3600.0, 1e9, 12e9, 1e9, 12e9]),
        pytest.approx([3600.0, 2e9, 24e9, 2e9, 24e9]),
    ]
    assert rows(bounds(hourly, percent=50))[0] == pytest.approx([3600.0, 1e9, 12e9, 0.0, 12 / 7 * 1e9])
    assert rows(bounds(hourly, slot_s=3600.0))[0] == pytest.approx([3600.0] + [1e9] * 4)
    assert rows(bounds(hourly, slot_s=86400.0))[0] == pytest.approx([3600.0] + [1e9] * 4)


def test_percentile_is_the_95th_where_nothing_else_is_said():
    values = np.arange(1.0, 101.0)  # of 100 slots the 95th; each percentile is another slot
    one = table(values)
    assert rows(bounds(one))[0][-2:] == pytest.approx([95.0, 95.0])
    assert billing(one)["percentile_bps"] == utilisation(one)["p95_in_bps"][0] == pytest.approx(95.0)
    assert nearest_rank(values) == nearest_ranks(values, np.array([0]))[0] == 95.0
    assert percentile_bounds(values, 1) == pytest.approx((95.0, 95.0))


@pytest.mark.parametrize(
    ("short", "many", "high"),
    [
        (450.0, 2, 3e9),  # a tenth of the intervals are polls, of up to one and a half slots
        (451.0, 2, 24e9),
        (450.0, 1, 24e9),
    ],
)
def test_maxima_are_those_of_the_polls(short, many, high):
    steps = [7200.0] * (11 - many) + [short] * many
    found = bounds(table(np.full(11, 1e9), step=steps, in_max_bps=3e9)).set_index("direction").loc["in"]
    assert (found["peak_low_bps"], found["peak_high_bps"]) == (3e9, pytest.approx(high))
    assert found["interval_s"] == 7200.0


def test_maxima_above_the_speed_were_there():
    found = bounds(table([1e9, 1e9], in_max_bps=[12e9, np.nan], step=3600.0), speeds=10e9).set_index("direction")
    assert found.loc["in", ["peak_low_bps", "peak_high_bps"]].tolist() == [12e9, 12e9]
    lower = bounds(table([2e9, 2e9], in_max_bps=1e9), speeds=10e9).set_index("direction")
    assert lower.loc["in", ["peak_low_bps", "peak_high_bps"]].tolist() == [2e9, 2e9]


def test_intervals_without_a_length_bound_nothing():
    assert bounds(table([5.0, 6.0], step=[0.0, 0.0])).empty
    assert rows(bounds(table([5.0, 6.0, 7.0], step=[0.0, 0.5, np.nan])))[0] == [0.5, 6.0, 6.0, 6.0, 6.0]


def test_lower_bounds_bound_nothing_from_above():
    mixed = bounds(table([1e9, 2e9], flag=["ok", "wrap,ambiguous"], step=3600.0), speeds=10e9)
    pd.testing.assert_frame_equal(mixed, bounds(table([1e9], step=3600.0), speeds=10e9))
    assert bounds(table([1e9, 2e9], flag=["ceiling", "wrap,ambiguous"])).empty


def test_slots_without_a_known_rate_have_no_bytes():
    slots = slot_table(table([1e9, 1e9, 1e9], [0.0, 0.0, np.nan], flag=["ok", "wrap,ambiguous", "ok"]))
    assert slots["in_bytes"].isna().tolist() == [False, True, False]
    assert slots["out_bytes"].fillna(-1).tolist() == [0.0, -1, -1]


# averages over more than a slot


@pytest.mark.parametrize(
    ("steps", "ranked"),
    [
        ([450.0] * 4, True),
        ([451.0] * 4, False),
        ([300.0] * 2 + [451.0] * 2, True),  # as many
        ([300.0] * 2 + [451.0] * 3, False),
    ],
)
def test_percentile_is_of_intervals_that_are_mostly_no_longer_than_one_and_a_half_slots(steps, ranked):
    one = table(np.full(len(steps), 1e9), step=steps)
    assert math.isnan(utilisation(one)["p95_in_bps"][0]) is not ranked
    if ranked:
        assert billing(one)["percentile_bps"] == pytest.approx(1e9)
    else:
        with pytest.raises(InputError, match=r"^found averages over more than 300 s of eth0, "):
            billing(one)
    pair = pd.concat([table(np.full(9, 1e9), name="eth1"), one])
    assert utilisation(pair)["p95_in_bps"].isna().tolist() == [False, not ranked]
    assert billing(pair, [("switch", "eth1")])["ports"] == 1
    gaps = table(np.full(9, 1e9), step=[300.0] * 4 + [3000.0] * 5, flag=["ok"] * 4 + ["gap"] * 5)
    assert utilisation(gaps)["p95_in_bps"][0] == pytest.approx(1e9)


@pytest.mark.parametrize(("seconds", "known"), [(270.0, True), (269.9, False)])
def test_slot_has_a_rate_from_nine_tenths_of_it_on(seconds, known):
    one = table([1e9, 4e9], 2e9, step=[seconds, 600.0 - seconds], flag=["ok", "reset"])
    one.loc[1, ["in_bps", "out_bps"]] = np.nan
    found = slot_table(one)
    assert found["in_bps"].tolist() == pytest.approx([1e9 if known else np.nan, np.nan], nan_ok=True)
    assert found["out_bps"].tolist() == pytest.approx([2e9 if known else np.nan, np.nan], nan_ok=True)


def test_more_slots_than_memory_holds_are_refused(monkeypatch):
    monkeypatch.setattr(gridded, "MOST_SLOTS", 6)
    three = [table(np.ones(2), name=name) for name in ("a", "b", "c")]
    assert len(slot_table(pd.concat(three))) == 6
    with pytest.raises(RangeError) as error:
        slot_table(pd.concat([*three, table(np.ones(1), name="d")]))
    assert str(error.value) == (
        "slot: found 300 s, which makes 7 slots between the first and the last reading of each interface, expected "
        "at most 6: longer slots, or sources of one time"
    )


def test_port_with_a_single_reading_between_two_slots_has_no_rates_and_takes_none_of_another():
    one, other = table([np.nan], np.nan, name="eth1").assign(interval_s=np.nan), table([5.0, 6.0], 1.0)
    for pair in ([one, other], [other, one], [one]):
        found = utilisation(pd.concat(pair)).set_index("interface")
        assert found.loc["eth1", ["peak_in_bps", "p95_in_bps", "mean_in_bps", "busy_hour"]].isna().all()
        assert found.loc["eth1", ["rates", "unrated", "slots", "missing_slots"]].tolist() == [1, 1, 0, 0]
        if len(pair) == 2:
            assert found.loc["eth0", ["peak_in_bps", "slots", "missing_slots"]].tolist() == [6.0, 2, 0]


@pytest.mark.parametrize("slot_s", [0.0, -300.0, math.nan])
def test_slots_without_a_length_are_refused(slot_s):
    with pytest.raises(RangeError, match=r"^slot: found .* s, expected more than 0 s$"):
        slot_table(table([1.0]), slot_s=slot_s)


@pytest.mark.parametrize("begin", [-900, 0, 300, 600])
def test_clock_that_begins_with_1970_has_slots_too(begin):
    """A poller without a clock of its own counts from there."""
    one = table([5.0], 3.0, step=1500.0, time=[pd.Timestamp(begin + 1500, unit="s", tz="UTC")])
    found = slot_table(one)
    assert found["in_bps"].tolist() == pytest.approx([5.0] * 5)
    assert [time.timestamp() for time in found["time"]] == [begin + 300 * number for number in range(1, 6)]


def test_half_a_second_is_a_slot():
    found = slot_table(table([1e9, 2e9], step=0.75), slot_s=0.5)
    assert found["in_bps"].tolist() == pytest.approx([1e9, 1.5e9, 2e9])
    assert busiest_hour(table(np.ones(7200), step=0.5), slot_s=0.5)["in_bps"].tolist() == pytest.approx([1.0])


def test_what_is_asked_may_be_asked_by_name():
    one = table(np.full(24, 2.0))
    intervals = gridded.from_frame(one)[1]
    for found in (
        slot_table(table=one),
        gridded.frame(gridded.from_frame(one)[0], gridded.regrid(intervals=intervals, slot_s=300.0)),
    ):
        assert found["in_bps"].tolist() == [2.0] * 24
    assert billing(table=one, ports=None)["percentile_bps"] == utilisation(table=one)["p95_in_bps"][0] == 2.0
    assert busiest_hour(table=one)["in_bps"].tolist() == profile(table=one)["mean_in_bps"].unique().tolist() == [2.0]
    mean = np.full(3, 2.0)
    assert (
        percentile_bounds(mean_bps=mean, slots_per_bin=1) == peak_bounds(mean_bps=mean, slots_per_bin=1) == (2.0, 2.0)
    )


def test_what_was_put_on_slots_cannot_be_changed():
    _, intervals = gridded.from_frame(table([1.0]))
    for one in (intervals, gridded.regrid(intervals, 300.0)):
        with pytest.raises(FrozenInstanceError):
            one.starts = None


def test_tables_have_their_columns_and_no_others_and_number_their_rows():
    ports = pd.concat([table(np.full(24, 2.0)), table(np.full(24, 2.0), name="eth1")])
    names, rates_ = ["host", "interface"], ["in_bps", "out_bps"]
    edges = [f"{what}_{end}_bps" for what in ("peak", "percentile") for end in ("low", "high")]
    speed = ["speed_bps", "in_utilisation_fraction", "out_utilisation_fraction", "busy_hour", "remark"]
    for found, columns in (
        (slot_table(ports), [*names, "time", "in_bytes", "out_bytes", "covered_s", *rates_]),
        (busiest_hour(ports), [*names, "time", *rates_]),
        (bounds(ports), [*names, "direction", "interval_s", *edges]),
        (speed_findings(ports, 1.0), [*names, "speed_bps", "finding", "message"]),
        (utilisation(ports).iloc[:, [0, 1, *range(-5, 0)]], [*names, *speed]),
    ):
        assert found.columns.tolist() == columns
        assert found.index.tolist() == list(range(len(found)))
        assert found["interface"].unique().tolist() == ["eth0", "eth1"]


# the busiest hour, and the busy one


def test_first_of_hours_that_are_as_busy_is_given():
    rates = np.full(48, 1.0)
    rates[[12, 30]] = 13.0
    found = busiest_hour(pd.concat([table(rates), table(np.arange(3.0), name="eth1"), table(rates[::-1], name="eth2")]))
    assert found["interface"].tolist() == ["eth0", "eth2"]  # the other one has no hour
    assert ((found["time"] - BEGIN) / pd.Timedelta("300s")).tolist() == [13.0, 18.0]
    assert found["in_bps"].tolist() == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize("slot_s", [300, 600, 3600, 7200])
def test_busy_hour_is_that_in_which_the_slots_lie(slot_s):
    hour = np.repeat(np.arange(48) % 24, 12)
    one = table(np.where(hour == 0, 3e9, 1e9), np.where(hour == 5, 9e9, 1e9))
    other = table(np.where(hour == 23, 3e9, 1e9), 2e9, name="eth1")
    none = table(np.full(5, np.nan), np.nan, name="eth2")
    found = utilisation(pd.concat([one, other, none]), slot_s=slot_s)
    assert found["busy_hour"].tolist() == [5, 23, pd.NA]


def test_busy_hour_is_busier_by_however_little():
    hour = np.repeat(np.arange(24), 12)
    assert utilisation(table(np.where(hour == 5, 0.9, 0.5)))["busy_hour"].tolist() == [5]


def test_busy_hour_of_a_port_that_carried_nothing_is_one_that_was_watched():
    quiet = table(np.zeros(24), step=300.0)
    assert utilisation(quiet.assign(time=quiet["time"] + pd.Timedelta("7h")))["busy_hour"].tolist() == [7]


# speeds


@pytest.mark.parametrize(
    ("rates", "finding"),
    [
        ([1e9] * 6 + [1e8] * 114, "flat"),
        ([1e9] * 6 + [1e8] * 115, None),  # less than one in twenty
        ([1e9] * 5 + [1e8] * 5, None),  # too few
        ([0.9991e9] * 6 + [1.0009e9] * 3 + [1e8], "flat"),
        ([0.9989e9] * 6 + [1.0011e9] * 3 + [1e8], None),
        ([1.0499e9] + [1e8] * 9, None),
        ([1.0501e9] + [1e8] * 9, "exceeded"),
        ([1.0501e9] + [1e9] * 9, "exceeded"),  # which says it all
        ([np.nan] * 200 + [1e9] * 6, "flat"),
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_speed_that_cannot_be_right_is_found(rates, finding, swapped):
    one = table(rates, np.where(np.isnan(rates), np.nan, 5e6))
    if swapped:
        one = one.rename(columns={"in_bps": "out_bps", "out_bps": "in_bps"})
    found = speed_findings(pd.concat([table([5e8], name="eth9"), one]), {"eth0": 1e9, "eth9": 1e9})
    assert found["finding"].tolist() == ([] if finding is None else [finding])
    assert found["interface"].tolist() == ([] if finding is None else ["eth0"])
    assert found["speed_bps"].tolist() == ([] if finding is None else [1e9])
    remarks = utilisation(one, speeds=1e9)["remark"].tolist()
    if finding == "flat":
        known = np.isfinite(rates).sum()
        level = sum(abs(rate / 1e9 - 1) <= 1e-3 for rate in rates)
        assert remarks == [
            f"{level} of {known} rates equal the stated speed exactly: the speed is wrong and clips them"
        ]
    elif finding:
        assert remarks == ["carried 105 % of its stated speed: the speed is wrong"]
    else:
        assert remarks == [pd.NA]
    assert speed_findings(one, None).empty


def test_speeds_are_by_pair_before_they_are_by_name():
    names = pd.DataFrame({"host": ["a", "a", "b"], "interface": ["x", "y", "x"]})
    assert speed_of(names, {("a", "x"): 1.0, "x": 2.0}).tolist() == pytest.approx([1.0, np.nan, 2.0], nan_ok=True)
    assert speed_of(names, 3).tolist() == [3.0] * 3
    assert np.isnan(speed_of(names, None)).all()


def test_last_known_speed_is_by_time_and_above_nothing():
    when = pd.to_datetime([30, 10, 20, 40, 50], unit="s", utc=True)
    samples = pd.DataFrame({"host": "s", "interface": "a", "time": when, "speed_bps": [3.0, 1.0, 0.5, 0.0, np.nan]})
    assert speeds_of(samples) == {("s", "a"): 3.0}
    assert speeds_of(samples[samples["time"] < when[0]]) == {("s", "a"): 0.5}
    assert speeds_of(samples.tail(2)) == {}


def test_utilisation_is_each_direction_over_the_speed():
    found = utilisation(
        pd.concat([table(np.full(5, 4e8), 1e8), table(np.full(5, 4e8), 2e8, name="eth1")]), speeds={"eth0": 1e9}
    )
    assert found["in_utilisation_fraction"].tolist() == pytest.approx([0.4, np.nan], nan_ok=True)
    assert found["out_utilisation_fraction"].tolist() == pytest.approx([0.1, np.nan], nan_ok=True)
    assert found["speed_bps"].tolist() == pytest.approx([1e9, np.nan], nan_ok=True)


# bills


def test_slots_that_no_port_was_read_in_are_not_missing():
    """Whole slots of any of the ports count; none is less than none."""
    late = table(np.full(4, 2.0), name="eth1")
    late["time"] += pd.Timedelta("1000s")
    bill = billing(pd.concat([table(np.full(4, 1.0)), late]))
    # slots 0 to 3 of the one and 4 to 6 of the other lie wholly in what was read, and none has a rate of both
    assert (bill["slots"], bill["missing_slots"]) == (0, 7)
    assert math.isnan(bill["percentile_bps"])
    begun = table([1.0, 2.0, 3.0], step=[290.0, 300.0, 300.0])
    begun["time"] += pd.Timedelta("10s")  # the first slot is covered enough, and not whole
    found = billing(begun, percent=100)
    assert (found["slots"], found["missing_slots"], found["percentile_bps"]) == (3, 0, pytest.approx(3.0))


def test_convention_of_a_bill_is_told_in_words():
    both = pd.concat([table(np.full(4, 1.0)), table(np.full(4, 2.0), name="eth1")])
    assert billing(both, direction="sum")["convention"] == (
        "the sum of in and out in each slot; 2 port(s) summed slot by slot; nearest rank"
    )
