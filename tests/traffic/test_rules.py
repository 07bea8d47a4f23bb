"""Rules that make rates of readings, at the bounds that they name: tolerances, widths, gaps, what is passed over."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.base.modules import modules_of
from hecn_analysis.traffic import differences
from hecn_analysis.traffic.differences import usual_interval_s
from hecn_analysis.traffic.rates import DISPLAY_CEILINGS, flag_ceilings, rates
from hecn_analysis.traffic.series import Series

BEGIN = pd.Timestamp("2026-03-01", tz="UTC")
WRAP_S = 42_949_672.96
"""2**32 hundredths of a second, in which sysUpTime counts (RFC 3418, RFC 2578)."""


def test_what_several_figures_share_cannot_be_changed():
    """The dataclasses of the room: rates of a port go through many hands."""
    own = {
        kind
        for module in modules_of("hecn_analysis.traffic")
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__.startswith("hecn_analysis.traffic.")
    }
    shared = [kind for kind in own if dataclasses.is_dataclass(kind)]
    assert Series in shared
    assert [kind.__name__ for kind in shared if not kind.__dataclass_params__.frozen] == []


def readings(seconds, ins, outs=None, **columns):
    """Readings of a port of 1 Gb/s that sent nothing, where nothing else is said."""
    return pd.DataFrame(
        {
            "host": "switch",
            "interface": "eth0",
            "time": BEGIN + pd.to_timedelta(np.asarray(seconds, dtype=float), "s"),
            "in_octets": pd.array(ins, dtype="UInt64"),
            "out_octets": pd.array([7] * len(ins) if outs is None else outs, dtype="UInt64"),
            "counter_bits": 64,
            "speed_bps": 1e9,
        }
    ).assign(**columns)


def swapped(table):
    return table.rename(columns={"in_octets": "out_octets", "out_octets": "in_octets"})


def flags(table, **options):
    """Flags, which are the same whichever direction is called in."""
    found = rates(table, **options)
    other = rates(swapped(table), **options).rename(columns={"in_bps": "out_bps", "out_bps": "in_bps"})
    pd.testing.assert_frame_equal(found, other[found.columns])
    return found["flag"].tolist()


# more than the speed


@pytest.mark.parametrize(
    ("begin", "counted", "flag"),
    [
        (1, 1_050_000_000, "ok"),  # 1.05 Gb/s for 8 s: 5 % are allowed for polls that come early or late
        (1, 1_050_000_001, "above_speed"),
        (0, 1_050_000_000, "ok"),
        (0, 1_050_000_001, "impossible"),  # right after a reading of 0
    ],
)
def test_5_percent_more_than_the_speed_is_jitter(begin, counted, flag):
    assert flags(readings([0, 8], [begin, begin + counted])) == [flag]


@pytest.mark.parametrize(("counted", "flag"), [(10**14, "ok"), (10**14 + 16, "impossible")])
def test_more_than_100_tb_per_second_is_carried_by_no_port(counted, flag):
    assert flags(readings([0, 8], [1, 1 + counted], speed_bps=np.nan)) == [flag]
    late = readings([0, 8, 16, 300], [1, 2, 2 + counted, 3 + counted], speed_bps=np.nan)
    assert flags(late) == ["ok", flag, "gap"]  # which is judged rule by rule


@pytest.mark.parametrize(("counted", "flag"), [(1_050_000_000, "wrap"), (1_050_000_001, "reset")])
def test_wrap_may_carry_as_much_as_the_speed_and_5_percent(counted, flag):
    table = readings([0, 8], [2**32 - 1000, counted - 1000], counter_bits=32)
    assert flags(table) == [flag]
    if flag == "wrap":
        assert rates(table)["in_bps"].tolist() == [1.05e9]


@pytest.mark.parametrize(("counted", "flag"), [(100, "ambiguous"), (101, "ok")])
def test_one_turn_more_that_just_fits_is_ambiguous(counted, flag):
    """8 bits turn in 256 bytes: with 100 counted in a second a port of 2848 bit/s may have carried 356."""
    table = readings([0, 1], [5, 5 + counted], [1, 1], counter_bits=8, speed_bps=2848.0)
    table = table.assign(in_octets=[5, (5 + counted) % 256], out_octets=[1, 1 + 200])
    assert flags(table) == [flag]
    assert flags(table.assign(counter_bits=pd.NA)) == ["ok"]


@pytest.mark.parametrize(("width", "flag"), [(59, "undecided"), (60, "wrap"), (63, "wrap"), (64, "wrap")])
def test_a_counter_whose_end_nobody_reaches_by_chance_wraps_without_a_witness(width, flag):
    table = readings([0, 8], [2**width - 10, 90], counter_bits=width, speed_bps=np.nan)
    assert flags(table) == [flag]
    assert rates(table)["in_bps"].tolist() == pytest.approx([100.0 if flag == "wrap" else np.nan], nan_ok=True)


@pytest.mark.parametrize(("highest", "flag"), [(2**32 - 1, "undecided"), (2**32, "reset"), (2**40, "reset")])
def test_counters_of_unknown_width_have_64_bits_where_more_than_32_hold(highest, flag):
    table = readings([0, 8, 16], [highest - 8, highest, 3], counter_bits=pd.NA)
    assert flags(table) == ["ok", flag]
    both = pd.concat([table, readings([0, 8, 16], [0, 8, 3], counter_bits=pd.NA, interface="eth1")])
    assert flags(both) == ["ok", flag, "ok", "undecided"]


def test_counter_that_counts_further_than_its_stated_width_is_taken_as_it_is():
    table = readings([0, 8], [10, 2**33 + 20], counter_bits=32, speed_bps=100e9)
    assert rates(table)["in_bps"].tolist() == [2.0**33 + 10]
    late = readings([0, 8, 100], [10, 2**33 + 20, 2**33 + 30], counter_bits=32, speed_bps=100e9)
    assert rates(late, max_gap=10)["in_bps"].tolist() == [2.0**33 + 10, 80 / 92]
    assert rates(readings([0, 8], [2**32 - 1, 2**32 - 1 + 8], counter_bits=32))["in_bps"].tolist() == [8.0]


@pytest.mark.parametrize("width", [1, 2, 8])
def test_narrow_counters_wrap_by_their_width(width):
    table = readings([0, 8], [2**width - 1, 0], [0, 0], counter_bits=width, speed_bps=1.0)
    assert flags(table) == ["wrap"]
    assert rates(table)["in_bps"].tolist() == [1.0]


# gaps


def test_gap_is_more_than_two_and_a_half_usual_intervals():
    ins = [0, 1, 2, 3, 4]
    assert flags(readings([0, 300, 600, 1350, 1650], ins)) == ["ok"] * 4
    assert flags(readings([0, 300, 600, 1350.001, 1650], ins)) == ["ok", "ok", "gap", "ok"]
    assert flags(readings([0, 300, 600, 1350, 1650], ins), max_gap=750) == ["ok"] * 4
    assert flags(readings([0, 300, 600, 1350, 1650], ins), max_gap=749.999) == ["ok", "ok", "gap", "ok"]


def test_usual_interval_is_the_lower_median_of_each_interface():
    random = np.random.default_rng(1)
    lengths = [1, 2, 3, 4, 2, 255, 256, 1, 100]
    steps = [random.integers(-2, 1000, length) for length in lengths]
    starts = np.cumsum([0, *lengths[:-1]])
    octets = np.zeros(sum(lengths), dtype=np.uint64)
    times = np.concatenate([np.cumsum(one) for one in steps]) * 10**9
    found = usual_interval_s(Series(starts, times, octets, octets))
    for one, usual in zip(steps, found, strict=True):
        forward = sorted(step for step in one[1:] if step > 0)
        wanted = forward[(len(forward) - 1) // 2] if forward else np.nan
        assert usual == pytest.approx(wanted, nan_ok=True)


def test_usual_interval_of_many_is_that_of_255_taken_evenly():
    steps = np.r_[0, np.repeat([10, 20, 30], 850)]  # of 2550 intervals each tenth
    octets = np.zeros(2551, dtype=np.uint64)
    assert usual_interval_s(Series(np.array([0]), np.cumsum(steps) * 10**9, octets, octets)).tolist() == [20.0]
    each_tenth = np.where(np.arange(2551) % 10 == 1, 10, 20)
    assert usual_interval_s(Series(np.array([0]), np.cumsum(each_tenth) * 10**9, octets, octets)).tolist() == [10.0]


# clocks and uptimes


@pytest.mark.parametrize(
    ("step", "passed", "flag"),
    [
        (300, 306, "ok"),  # 2 %
        (300, 306.5, "clock_step"),
        (300, 294, "ok"),
        (300, 293.5, "clock_step"),
        (10, 12, "ok"),  # at least 2 s
        (10, 12.5, "clock_step"),
        (10, 8, "ok"),
        (10, 7.5, "clock_step"),
    ],
)
def test_clock_and_uptime_may_differ_by_2_percent_and_by_2_seconds(step, passed, flag):
    ups = 5e5 + np.cumsum([0, step, step, passed, step, step])
    found = rates(readings(np.arange(6) * step, [0, 80, 160, 240, 320, 400], uptime_s=ups))
    assert found["flag"].tolist() == ["ok", "ok", flag, "ok", "ok"]
    length = passed if flag == "clock_step" else step
    assert found["interval_s"].tolist() == [step, step, length, step, step]
    assert found["in_bps"].tolist() == pytest.approx([640 / step] * 2 + [640 / length] + [640 / step] * 2)


@pytest.mark.parametrize(("many", "flag"), [(4, "clock_step"), (3, "ok")])
def test_uptime_that_differs_in_more_than_half_of_the_readings_says_nothing_of_durations(many, flag):
    ups = 5e5 + np.array([0, 340, 680, 980])[:many]  # twice 340 s in 300
    assert flags(readings(np.arange(many) * 300, range(many), uptime_s=ups))[:2] == [flag, flag]


@pytest.mark.parametrize(("up", "flag"), [(294.5, "clock_step"), (293.5, "reset")])
def test_host_that_is_up_for_less_than_the_interval_was_started_anew(up, flag):
    table = readings([0, 300, 600, 900, 1200], [5, 6, 7, 8, 9], uptime_s=[10, up, up + 300, up + 600, up + 900])
    assert flags(table) == [flag, "ok", "ok", "ok"]


@pytest.mark.parametrize(
    ("step", "now", "flag"),
    [
        (300, 259.9, "clock_step"),  # 359.9 s passed, up to 60 s more or less than by the clock are a wrap
        (300, 260.1, "reset"),
        (300, 140.1, "clock_step"),
        (300, 139.9, "reset"),
        (300, 205.9, "ok"),
        (3600, 3571.0, "ok"),  # 2 % of an hour are 72 s
        (3600, 3573.0, "reset"),
    ],
)
def test_uptime_wraps_about_where_the_clock_says(step, now, flag):
    then = WRAP_S - 100
    ups = [then - 3 * step, then - 2 * step, then - step, then, now, now + step]
    found = rates(readings(np.arange(6) * step, range(6), uptime_s=ups))
    assert found["flag"].tolist() == ["ok", "ok", "ok", flag, "ok"]
    if flag == "clock_step":
        assert found["interval_s"].tolist()[3] == pytest.approx(now + 100)


def test_uptime_counts_to_the_last_hundredth_before_it_wraps_and_no_further():
    ups = [WRAP_S - 600.46, WRAP_S - 300.46, WRAP_S - 0.46, 299.54]
    assert flags(readings([0, 300, 600, 900], range(4), uptime_s=ups)) == ["ok"] * 3
    beyond = 5e7  # no TimeTicks: a wrap of these would look so
    ups = [beyond - 600, beyond - 300, beyond, beyond + 300 - WRAP_S]
    assert flags(readings([0, 300, 600, 900], range(4), uptime_s=ups)) == ["ok", "ok", "reset"]


def test_discontinuity_that_is_not_told_is_none():
    table = readings([0, 300, 600, 900], range(4), discontinuity_s=[50.0, np.nan, 50.0, 50.0])
    assert flags(table) == ["ok"] * 3
    assert flags(table.assign(discontinuity_s=[50.0, 50.0, 50.5, np.nan])) == ["ok", "reset", "ok"]


def test_interval_without_a_length_has_no_rate():
    found = rates(readings([0, 300, 250, 600], [10, 20, 30, 40], source_file=["a", "a", "b", "b"]))
    assert (found["interval_s"] > 0).all()  # files are put in order of time
    back = rates(readings([0, 300, -600, -300], [10, 20, 30, 40]))
    assert back["flag"].tolist() == ["ok", "clock_step", "ok"]
    assert np.isnan(back.loc[1, ["interval_s", "in_bps", "out_bps"]].astype(float)).all()


# readings that are passed over


@pytest.mark.parametrize(
    ("ins", "wanted"),
    [
        ([900, 0, 901, 902], ["glitch", "ok", "ok"]),  # a poller that stores 0
        ([900, 0, 900, 902], ["glitch", "ok", "ok"]),
        ([900, 0, 899, 902], ["reset", "ok", "ok"]),  # it never came back
        ([900, 5, 901, 902], ["reset", "ok", "ok"]),  # a host that is new and counts fast
        ([900 * 10**9, 5, 901 * 10**9, 902 * 10**9], ["glitch", "ok", "ok"]),  # too fast for that
        ([900, 0], ["reset"]),
    ],
)
def test_reading_that_falls_back_for_once_is_passed_over(ins, wanted):
    table = readings(np.arange(len(ins)) * 300, ins, ins, speed_bps=10e9)
    assert flags(table) == wanted
    if wanted[0] == "glitch":
        assert rates(table)["interval_s"].tolist()[1:] == [600.0, 300.0]
        assert rates(table)["in_bps"][1] == (ins[2] - ins[0]) * 8 / 600


@pytest.mark.parametrize(("climb", "flag"), [(1_050_000_000, "reset"), (1_050_000_001, "glitch")])
def test_counter_that_climbs_faster_than_the_speed_did_not_begin_anew(climb, flag):
    top = 5 + climb
    assert flags(readings([0, 8, 16, 24], [top - 1, 5, top, top + 1], [0, 0, 0, 0]))[:2] == [flag, "ok"]


def test_reading_before_an_impossible_rise_is_no_glitch_because_the_other_counter_stands_still():
    ins = [1, 2, 3, 4, 10**13, 10**13 + 9]
    assert flags(readings([0, 300, 600, 9000, 9300, 9600], ins, [7] * 6)) == ["ok", "ok", "gap", "above_speed", "ok"]


def test_an_index_of_0_is_another_port_than_a_missing_index():
    """Ports without a name have no other identity."""
    seconds = [0, 300, 600]
    unnamed = readings(seconds, [0, 300, 600]).assign(interface=None, index=None)
    numbered = readings(seconds, [0, 900, 1800]).assign(interface=None, index=0)
    both = rates(pd.concat([unnamed, numbered], ignore_index=True))
    assert sorted(both["in_bps"]) == [8.0, 8.0, 24.0, 24.0]
    assert set(both["flag"]) == {"ok"}


def test_glitch_is_one_of_both_counters():
    ins, outs = [900, 0, 950], [900, 0, 850]
    assert flags(readings([0, 300, 600], ins, outs)) == ["reset", "ok"]


def test_host_that_was_started_anew_in_between_is_no_glitch():
    ups = [1e6, 1e6 + 300, 1e6 + 600, 1e6 + 900]
    ins = [900, 0, 950, 960]
    assert flags(readings([0, 300, 600, 900], ins, ins, uptime_s=ups))[0] == "glitch"
    assert flags(readings([0, 300, 600, 900], ins, ins, uptime_s=[1e6, 100, 400, 700]))[0] == "reset"


@pytest.mark.parametrize(("passed", "flag"), [(586, "glitch"), (585.9, "reset")])
def test_uptime_of_a_glitch_may_be_short_by_2_percent_and_2_seconds(passed, flag):
    ups = [1e6, 1e6 + 300, 1e6 + passed, 1e6 + 300 + passed]
    ins = [900, 0, 950, 960]
    assert rates(readings([0, 300, 600, 900], ins, ins, uptime_s=ups))["flag"][0] == flag


def test_last_reading_of_an_interface_is_not_looked_at_beside_the_next_one():
    first = readings([0, 300, 600], [900, 901, 0], [900, 901, 0])
    second = readings([0, 300, 600], [950, 951, 952], [950, 951, 952], interface="eth1")
    assert flags(pd.concat([first, second])) == ["ok", "reset", "ok", "ok"]


def test_readings_that_are_repeated_several_times_are_all_passed_over():
    table = readings([0, 300, 300, 300, 600], [10, 20, 20, 25, 30])
    found = rates(table)
    assert found["flag"].tolist() == ["ok", "duplicate", "conflict", "ok"]
    assert found["interval_s"].tolist() == [300.0, 0.0, 0.0, 300.0]
    assert found["in_bps"].tolist() == pytest.approx([80 / 300, np.nan, np.nan, 80 / 300], nan_ok=True)


@pytest.mark.parametrize(
    ("between", "counted", "flag"),
    [
        (300, 0, "glitch"),
        (300, None, "missing"),  # what is missing is not taken for 0
        (0, 0, "conflict"),  # a second reading for a time is none, whatever it says
        (0, 20, "duplicate"),
        (0, None, "missing"),
        (None, 0, "no_time"),
        (None, None, "no_time"),
    ],
)
def test_reading_that_is_none_for_several_reasons_is_passed_over_for_the_plainest(between, counted, flag):
    ins = [10, 20, counted, 40]
    table = readings([0, 300, 300 + (between or 0), 900], ins, ins)
    if between is None:
        table.loc[2, "time"] = pd.NaT
    found = rates(table)
    assert sorted(found["flag"]) == sorted([flag, "ok", "ok"])
    assert found.loc[found["flag"] == "ok", "interval_s"].tolist() == [300.0, 600.0]


@pytest.mark.parametrize(("again", "flag"), [(20, "duplicate"), (21, "conflict"), (15, "conflict")])
def test_repetition_has_both_counters_as_they_were(again, flag):
    assert flags(readings([0, 300, 300, 600], [10, 20, 20, 30], [10, 20, again, 30])) == ["ok", flag, "ok"]


@pytest.mark.parametrize(("later", "flag"), [(20, "duplicate"), (21, "ok"), (15, "reset")])
def test_answer_of_a_cache_has_both_counters_and_the_uptime_as_they_were(later, flag):
    ups = [1e6, 1e6 + 300, 1e6 + 300, 1e6 + 900]
    assert flags(readings([0, 300, 600, 900], [10, 20, 20, 30], [10, 20, later, 22], uptime_s=ups))[1] == flag


def test_uptime_of_a_cache_is_no_repetition_where_counters_went_on():
    ups = [1e6, 1e6, 1e6 + 600, 1e6 + 900]
    found = rates(readings([0, 300, 600, 900], [10, 20, 30, 40], uptime_s=ups))
    assert found["flag"].tolist()[0] == "ok"
    assert found["in_bps"][0] == 80 / 300
    assert flags(readings([0, 300, 600, 900], [10, 10, 30, 40], uptime_s=ups))[0] == "duplicate"
    assert flags(readings([0, 300, 600, 900], [10, 10, 30, 40])) == ["ok"] * 3  # a port that is still


def test_first_reading_that_lacks_its_counters_leaves_the_next_without_a_rate():
    found = rates(readings([0, 300, 600, 900], [None, None, 30, 40], [None, None, 5, 6]))
    assert found["flag"].tolist() == ["missing", "missing", "ok"]
    assert found["in_bps"].tolist() == pytest.approx([np.nan, np.nan, 80 / 300], nan_ok=True)


def test_counter_that_is_missing_takes_nothing_from_the_other_one():
    found = rates(readings([0, 300, 600], [10, None, 30], [1, 2, 3]))
    assert found["flag"].tolist() == ["missing", "missing"]
    assert found["in_bps"].isna().all()
    assert found["out_bps"].tolist() == [8 / 300, 8 / 300]


# plain intervals


def looked_at(monkeypatch, table, **options):
    """How many intervals are no plain ones: each of those is looked at rule by rule."""
    seen = []
    original = differences._compute_irregular
    monkeypatch.setattr(
        differences, "_compute_irregular", lambda *all_: (seen.append(len(all_[3])), original(*all_))[1]
    )
    found = rates(table, **options)
    return sum(seen), found


def ordinary(count=40, step=300.0, **columns):
    ins = 10**12 + np.arange(count) * 10**6
    return readings(np.arange(count) * step, ins, ins // 2, **columns)


@pytest.mark.parametrize(
    "table",
    [
        ordinary(),
        ordinary(step=0.5, uptime_s=1e6 + np.arange(40) * 0.5),
        ordinary(counter_bits=48),
        ordinary(counter_bits=48, speed_bps=np.nan),
        ordinary(in_octets=np.arange(40) * 10**6, out_octets=5, counter_bits=36),  # 2**36 take 550 s at this speed
        ordinary(speed_bps=2.0**32 - 1),  # that stands for all faster ones
        ordinary(uptime_s=1e6 + np.arange(40) * 300.0, discontinuity_s=55.0),
        ordinary(uptime_s=np.arange(1, 41) * 300.0),  # as long as the host is up
        ordinary(uptime_s=1e6 + np.arange(40) * 305.9),
        ordinary(step=10.0, uptime_s=1e6 + np.arange(40) * 11.9),
        ordinary(speed_bps=10**6 * 8 / 300 / 1.0499),
        ordinary(in_octets=5, out_octets=5),
    ],
)
@pytest.mark.parametrize("block", [7, 40, 1 << 16])
def test_ordinary_intervals_are_plain(monkeypatch, table, block):
    monkeypatch.setattr(differences, "_BLOCK", block)
    count, found = looked_at(monkeypatch, table)
    assert set(found["flag"]) == {"ok"}
    assert count == 0


def test_usual_interval_of_one_port_makes_no_gaps_of_others(monkeypatch):
    table = pd.concat([ordinary(), ordinary(step=10.0, interface="eth1"), ordinary(step=3000.0, interface="eth2")])
    monkeypatch.setattr(differences, "_BLOCK", 7)
    count, found = looked_at(monkeypatch, table)
    assert set(found["flag"]) == {"ok"}
    assert count < 2 * 7  # those that share a block with the port of 10 s


@pytest.mark.parametrize("block", [1, 2, 3, 17, 100])
def test_blocks_change_nothing(monkeypatch, block):
    random = np.random.default_rng(1)
    tables = []
    for port in range(4):
        ins = np.cumsum(random.integers(0, 10**7, 30))
        ins[random.integers(3, 30)] = 0
        tables.append(
            readings(np.cumsum(random.choice([0, 299, 300, 301, 2000], 30)), ins, ins // 3, interface=f"eth{port}")
        )
    table = pd.concat(tables)
    wanted = rates(table)
    assert {"ok", "gap", "conflict", "glitch"} <= set(wanted["flag"].str.split(",").explode())
    monkeypatch.setattr(differences, "_BLOCK", block)
    pd.testing.assert_frame_equal(rates(table), wanted)


# what a user knows better


@pytest.mark.parametrize(
    ("speeds", "wanted"),
    [
        (None, ["above_speed", "above_speed"]),
        (2e9, ["ok", "ok"]),
        ({"eth0": 2e9}, ["ok", "above_speed"]),
        ({("switch", "eth1"): 2e9}, ["above_speed", "ok"]),
        ({("switch", "eth1"): 2e9, "eth1": 1.0, "eth0": 2e9}, ["ok", "ok"]),  # the pair is more exact
        ({"eth9": 2e9, ("other", "eth0"): 2e9}, ["above_speed", "above_speed"]),
        ({"eth0": 0.0, "eth1": -1.0}, ["above_speed", "above_speed"]),  # none: that of the source holds
        ({"eth0": np.nan}, ["above_speed", "above_speed"]),
        (0.5, ["above_speed", "above_speed"]),
    ],
)
def test_speeds_of_a_user_count_where_they_are_given(speeds, wanted):
    ports = [readings([0, 8], [1, 2 * 10**9], interface=name) for name in ("eth0", "eth1")]
    assert flags(pd.concat(ports), speeds=speeds) == wanted


def test_half_a_bit_per_second_of_a_user_is_a_speed():
    table = readings([0, 80], [1, 5], speed_bps=np.nan)
    assert flags(table, speeds=0.4) == ["ok"]
    assert flags(table, speeds=0.3) == ["above_speed"]
    assert flags(table.assign(speed_bps=0.3)) == ["above_speed"]


@pytest.mark.parametrize("width", [0, -1, 65, 31.5])
def test_widths_that_are_none_are_refused(width):
    with pytest.raises(InputError, match=rf"^found a width of {width:g} bits, expected a whole number from 1 to 64$"):
        rates(readings([0, 8], [0, 1]), widths={"eth0": width})


@pytest.mark.parametrize("width", [1, 64])
def test_the_smallest_and_the_largest_width_are_taken(width):
    assert len(rates(readings([0, 8], [0, 1]), widths=width)) == 1


# ceilings


def test_gkrellm_shows_up_to_2_147_483_647_bytes_per_second():
    assert DISPLAY_CEILINGS["gkrellm"] == 17_179_869_176


@pytest.mark.parametrize(("rate", "flag"), [(0.9989, "ok"), (0.9991, "ceiling"), (1.0009, "ceiling"), (1.0011, "ok")])
def test_rates_within_a_thousandth_of_the_ceiling_stand_at_it(rate, flag):
    shown = pd.DataFrame({"in_bps": [rate * 1e9, 1.0], "out_bps": [1.0, rate * 1e9], "flag": ["ok", "ok"]})
    assert flag_ceilings(shown, 1e9)["flag"].tolist() == [flag, flag]
    assert flag_ceilings(shown.assign(flag="gap"), 1e9)["flag"][0] == ("gap" if flag == "ok" else "gap,ceiling")
