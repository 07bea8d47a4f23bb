"""Rates of counter readings: wraps, resets, gaps, repeated and misplaced readings, clocks that step.

Many tests are named for what users of other tools ran into; see the section on counters in docs/howto/traffic.md.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.traffic.flags import MEANINGS, UNRATED, Flag, bits, words
from hecn_analysis.traffic.rates import COLUMNS, DISPLAY_CEILINGS, flag_ceilings, rates

BEGIN = pd.Timestamp("2013-11-20 12:00:00", tz="UTC")
GB, MB = 10**9, 10**6


def readings(seconds, ins, outs=None, **columns):
    """Readings of one interface; `outs` follow `ins` where they are not given."""
    table = pd.DataFrame(
        {
            "source_file": "walk.txt",
            "host": "switch",
            "interface": "eth0",
            "time": [pd.NaT if at is None else BEGIN + pd.Timedelta(at, "s") for at in seconds],
            "in_octets": pd.array(ins, dtype="UInt64"),
            "out_octets": pd.array(ins if outs is None else outs, dtype="UInt64"),
            "counter_bits": 64,
            "speed_bps": 10e9,
        }
    )
    return table.assign(**columns)


def flags(table, **options):
    return rates(table, **options)["flag"].tolist()


def gbps(table, **options):
    return [None if np.isnan(rate) else round(rate / 1e9, 6) for rate in rates(table, **options)["in_bps"]]


# the plain case, and what the table looks like


def test_rate_is_the_difference_over_the_real_time_between_readings():
    """librenms#13946: polls come after 299 to 301 s, not after 300."""
    table = rates(readings([0, 299, 600], [0, 299 * GB, 600 * GB]))
    assert table["interval_s"].tolist() == [299.0, 301.0]
    assert table["in_bps"].tolist() == pytest.approx([8e9, 8e9], rel=1e-12)
    assert table["flag"].tolist() == ["ok", "ok"]


def test_columns_are_those_of_the_table_rates_and_time_is_the_end():
    table = rates(readings([0, 300], [0, 1]))
    assert tuple(table.columns) == COLUMNS
    assert table["time"].tolist() == [BEGIN + pd.Timedelta(300, "s")]
    assert str(table["time"].dtype) == "datetime64[ns, UTC]"
    assert table[["in_max_bps", "out_max_bps"]].isna().all(axis=None)


def test_nothing_is_dropped_a_row_for_each_reading_but_the_first():
    table = readings([0, 300, 300, None, 600], [0, GB, GB, 5, 2 * GB])
    assert sorted(flags(table)) == ["duplicate", "no_time", "ok", "ok"]


def test_one_reading_and_none_give_no_rates():
    assert len(rates(readings([0], [5]))) == 0
    assert tuple(rates(readings([], [])).columns) == COLUMNS


def test_every_flag_has_a_meaning():
    assert set(MEANINGS) == {Flag.OK, *Flag}
    assert [bits(words(one)) for one in MEANINGS] == list(MEANINGS)


def test_columns_that_are_needed_are_asked_for():
    with pytest.raises(InputError) as error:
        rates(readings([0], [0]).drop(columns=["time", "in_octets"]))
    assert str(error.value) == (
        "found no column time and no column in_octets, expected samples with interface, time, in_octets, out_octets"
    )


def test_impossible_settings_are_refused():
    with pytest.raises(InputError, match=r"^found a width of 65 bits, expected a whole number from 1 to 64$"):
        rates(readings([0], [0]), widths=65)
    with pytest.raises(RangeError, match=r"^max_gap: found 0 s, expected more than 0 s$"):
        rates(readings([0], [0]), max_gap=0)


# wraps


def test_32_bit_counter_wraps_and_the_way_round_is_added():
    """Home Assistant#25886, openwrt/luci#2659, node_exporter#1318: counters roll over."""
    table = readings([0, 60, 120], [2**32 - 100, 400, 900], counter_bits=32, speed_bps=100e6)
    table["out_octets"] = [0, 10, 20]
    assert flags(table) == ["wrap", "ok"]
    assert rates(table)["in_bps"].tolist() == pytest.approx([500 * 8 / 60, 500 * 8 / 60])


def test_64_bit_counter_wraps_too():
    table = readings([0, 300], [2**64 - 100, 400])
    assert flags(table) == ["wrap"]
    assert rates(table)["in_bps"][0] == pytest.approx(500 * 8 / 300)


@pytest.mark.parametrize("width", [8, 31, 36, 40, 48, 53, 60, 63])
def test_odd_widths_are_a_users_to_give(width):
    table = readings([0, 1], [2**width - 3, 5], [0, 1], counter_bits=pd.NA, speed_bps=np.nan, uptime_s=[7.0, 8.0])
    found = rates(table, widths={"eth0": width})
    assert found["flag"].tolist() == ["wrap"]
    assert found["in_bps"].tolist() == [64.0]
    assert flags(table, widths={("switch", "eth0"): width}) == ["wrap"]
    assert flags(table, widths={("other", "eth0"): width}) == ["undecided" if width < 33 else "reset"]


@pytest.mark.parametrize(("seconds", "flag"), [(3.0, "ok"), (3.4, "ok"), (3.5, "ambiguous"), (300.0, "ambiguous")])
def test_32_bit_counter_at_10_gbps_turns_in_3_point_4_seconds(seconds, flag):
    """Cacti#3732: what a counter cannot carry at this interval is not presented as fact."""
    table = readings([0, seconds], [5 * MB, 5 * MB + 1000], counter_bits=32)
    assert flags(table) == [flag]
    assert rates(table)["in_bps"][0] == pytest.approx(8000 / seconds)  # the least that fits, flagged


def test_saturated_if_speed_is_no_bound_but_makes_32_bit_counters_ambiguous():
    table = readings([0, 300, 600], [0, 400 * GB, 800 * GB], speed_bps=2.0**32 - 1)
    assert flags(table) == ["ok", "ok"]
    assert flags(readings([0, 300], [0, 4], counter_bits=32, speed_bps=2.0**32 - 1)) == ["ambiguous"]


# resets


def test_reboot_is_no_spike_and_no_zero():
    """Cacti#3901, ntopng#2183, netdata#4962, beats#35944: the uptime says that the counters began anew."""
    table = readings([0, 300, 600, 900], [900 * GB, 901 * GB, 2 * GB, 3 * GB], uptime_s=[8e6, 8e6 + 300, 120, 420])
    found = rates(table)
    assert found["flag"].tolist() == ["ok", "reset", "ok"]
    assert np.isnan(found["in_bps"][1])
    assert found["in_bps"].max() < 10e9


def test_reboot_is_seen_though_the_counter_is_higher_than_before():
    table = readings([0, 300, 600], [5, 10, 99 * GB], uptime_s=[100, 400, 200])
    assert flags(table) == ["ok", "reset"]


def test_reboot_inside_a_gap_is_seen_though_the_uptime_is_higher_than_before():
    table = readings([0, 60, 120, 7200], [5, 10, 15, 99 * MB], uptime_s=[100, 160, 220, 600])
    assert flags(table) == ["ok", "ok", "reset,gap"]


def test_uptime_that_wraps_after_497_days_is_no_reboot():
    last = 2**32 / 100 - 100
    table = readings([0, 300, 600], [0, GB, 2 * GB], uptime_s=[last - 300, last, 200])
    assert flags(table) == ["ok", "ok"]
    table["uptime_s"] = [last - 300, last, 90]  # 110 s short of it: started anew
    assert flags(table) == ["ok", "reset"]


def test_discontinuity_of_an_interface_is_a_reset_of_its_counters():
    """rtr7#3, munin#531: the interface went and came back while its host stayed up."""
    table = readings(
        [0, 300, 600], [5, 10, 20], uptime_s=[1e6, 1e6 + 300, 1e6 + 600], discontinuity_s=[0, 0, 1e6 + 400]
    )
    assert flags(table) == ["ok", "reset"]


def test_wrap_that_would_exceed_the_line_rate_is_a_reset():
    """librenms#1128: interfaces that report more traffic than they are capable of."""
    table = readings([0, 10, 20], [100, 2 * MB, 5], [100, 200, 300], counter_bits=32, speed_bps=100e6)
    found = rates(table)
    assert found["flag"].tolist() == ["ok", "reset"]
    assert found.loc[1, ["in_bps", "out_bps"]].isna().all()


def test_drop_that_nothing_explains_is_not_guessed():
    """netdata#6077: the largest value must be known."""
    table = readings([0, 300], [3 * GB, 5], [0, 1], counter_bits=32, speed_bps=np.nan)
    assert flags(table) == ["undecided"]
    assert gbps(table) == [None]
    assert flags(table.assign(uptime_s=[1000.0, 1300.0])) == ["wrap"]
    assert flags(table.assign(counter_bits=pd.NA, speed_bps=1e6)) == ["undecided"]  # of unknown width


def test_both_counters_back_at_once_are_not_called_wraps_without_an_uptime():
    table = readings([0, 60], [4 * GB, 5], counter_bits=32, speed_bps=100e6)
    assert flags(table) == ["undecided"]
    assert flags(table.assign(uptime_s=[1000.0, 1060.0])) == ["wrap"]


def test_counter_of_64_bits_that_falls_was_reset_whatever_the_speed():
    assert flags(readings([0, 300], [900 * GB, 5], speed_bps=np.nan)) == ["reset"]


@pytest.mark.parametrize("uptime", [{}, {"uptime_s": [1e6, 1e6 + 300, 1e6 + 600, 1e6 + 900]}])
def test_reading_of_zero_in_between_makes_neither_zero_nor_spike(uptime):
    """Diamond#663: a poller that stores 0 for once."""
    found = rates(readings([0, 300, 600, 900], [900 * GB, 0, 902 * GB, 903 * GB], **uptime))
    assert found["flag"].tolist() == ["glitch", "gap", "ok"] or found["flag"].tolist() == ["glitch", "ok", "ok"]
    assert np.isnan(found["in_bps"][0])
    assert found["in_bps"][1] == pytest.approx(2 * GB * 8 / 600)
    assert found["interval_s"].tolist()[1:] == [600.0, 300.0]


def test_several_zeros_in_between_make_no_spike():
    found = rates(readings([0, 300, 600, 900, 1200], [900_000 * GB, 0, 0, 902_000 * GB, 902_001 * GB]))
    assert found["in_bps"].max() < 1e9
    assert found["flag"].tolist()[-2:] == ["impossible", "ok"]


def test_more_than_any_port_carries_is_no_rate():
    table = readings([0, 300], [5, 2**63], [5, 6], speed_bps=np.nan)
    assert flags(table) == ["impossible"]
    assert gbps(table) == [None]


# speeds


def test_speed_that_is_too_low_never_caps_the_data():
    """librenms#4318: ifSpeed of 1 Gb/s capped a bill of 10."""
    table = readings([0, 300], [GB, 251 * GB], speed_bps=1e9)
    assert gbps(table) == [6.666667]
    assert flags(table) == ["above_speed"]
    assert flags(table, speeds={"eth0": 10e9}) == ["ok"]
    assert flags(table, speeds=10e9) == ["ok"]


@pytest.mark.parametrize("speed", [0, -1, np.nan])
def test_speed_of_nothing_is_unknown(speed):
    """Perfsonar#698: bonds and tunnels say 0 or -1."""
    assert flags(readings([0, 300], [0, 250 * GB], speed_bps=speed)) == ["ok"]


# gaps, clocks, order


def test_gap_has_the_mean_and_says_so():
    table = readings([0, 300, 600, 1800, 2100], [0, 3 * GB, 6 * GB, 18 * GB, 21 * GB])
    assert flags(table) == ["ok", "ok", "gap", "ok"]
    assert gbps(table) == [0.08] * 4
    assert flags(table, max_gap=1200) == ["ok"] * 4
    assert flags(table, max_gap=299) == ["gap"] * 4


def test_repeated_reading_has_no_rate_and_loses_no_bytes():
    table = readings([0, 300, 300, 600], [0, GB, GB, 2 * GB])
    found = rates(table)
    assert found["flag"].tolist() == ["ok", "duplicate", "ok"]
    assert (found["in_bps"] * found["interval_s"]).sum() / 8 == pytest.approx(2 * GB)


def test_second_reading_for_the_same_time_is_told():
    table = readings([0, 300, 300, 600], [0, GB, GB + 5, 2 * GB])
    found = rates(table)
    assert found["flag"].tolist() == ["ok", "conflict", "ok"]
    assert (found["in_bps"] * found["interval_s"]).sum() / 8 == pytest.approx(2 * GB)


def test_answer_from_an_agents_cache_is_no_zero():
    table = readings([0, 300, 600, 900], [0, GB, GB, 3 * GB], uptime_s=[1000, 1300, 1300, 1900])
    found = rates(table)
    assert found["flag"].tolist() == ["ok", "duplicate", "ok"]
    assert found["in_bps"].iloc[-1] == pytest.approx(2 * GB * 8 / 600)


def test_reading_out_of_order_is_put_in_its_place():
    table = readings([0, 600, 300, 900], [0, 2 * GB, GB, 3 * GB])
    found = rates(table)
    assert found["flag"].tolist() == ["reordered", "ok", "ok"]
    assert found["in_bps"].tolist() == pytest.approx([GB * 8 / 300] * 3)


def test_file_with_the_newest_first_is_turned_round():
    table = readings(
        [0, 300, 600, 900], [2**32 - 100, 50, 60, 80], counter_bits=32, speed_bps=1e8, uptime_s=range(1, 902, 300)
    )
    pd.testing.assert_frame_equal(rates(table[::-1]), rates(table))
    assert flags(table) == ["wrap", "ok", "ok"]


def test_files_may_be_given_in_any_order():
    first = readings([0, 300], [0, GB])
    second = readings([600, 900], [2 * GB, 3 * GB], source_file="walk2.txt")
    assert flags(pd.concat([second, first])) == ["ok"] * 3


def test_clock_that_is_set_back_keeps_the_order_and_takes_the_uptime():
    table = readings([0, 300, -3000, -2700], [0, GB, 2 * GB, 3 * GB], uptime_s=[1000, 1300, 1600, 1900])
    found = rates(table)
    assert found["flag"].tolist() == ["ok", "clock_step", "ok"]
    assert found["in_bps"].tolist() == pytest.approx([GB * 8 / 300] * 3)
    assert found["interval_s"].tolist() == [300.0] * 3


def test_clock_that_is_set_forward_takes_the_uptime():
    table = readings(
        [0, 300, 600, 4500, 4800], [0, GB, 2 * GB, 3 * GB, 4 * GB], uptime_s=[9000, 9300, 9600, 9900, 10200]
    )
    assert flags(table) == ["ok", "ok", "clock_step", "ok"]
    assert gbps(table) == [round(GB * 8 / 300 / 1e9, 6)] * 4


def test_end_of_daylight_saving_time_in_a_local_export_invents_nothing():
    """Two hours of the same name: the readings stay in order, the interval between them has no known length."""
    local = [0, 1800, 3600 - 1, 0 + 2, 1800 + 2, 3600 + 2]
    found = rates(readings(local, [i * GB for i in range(6)]))
    assert found["flag"].tolist() == ["ok", "ok", "clock_step", "ok", "ok"]
    assert np.isnan(found["in_bps"][2])
    assert found["in_bps"].max() < 1e7


def test_uptime_that_goes_in_days_does_not_make_steps_of_the_clock():
    table = readings(
        [0, 300, 600, 900, 1200], [0, GB, 2 * GB, 3 * GB, 4 * GB], uptime_s=[86400 * 9.0] * 4 + [86400 * 10.0]
    )
    assert flags(table) == ["ok"] * 4


def test_missing_counters_are_missing_and_bridged():
    table = readings([0, 300, 600, 900], [0, None, 2 * GB, 3 * GB], [0, None, None, 5])
    found = rates(table)
    assert found["flag"].tolist() == ["missing", "missing", "missing"]
    assert found["in_bps"].tolist()[1:] == pytest.approx([2 * GB * 8 / 600, GB * 8 / 300])
    assert found["out_bps"].isna().all()


# which rows are one interface


def test_interfaces_are_told_by_host_and_name():
    one, other = readings([0, 300], [0, GB]), readings([0, 300], [5 * GB, 7 * GB], host="other")
    found = rates(pd.concat([one, other]).sort_values("time", kind="stable"))
    assert found["host"].tolist() == ["switch", "other"]
    assert found["in_bps"].tolist() == pytest.approx([GB * 8 / 300, 2 * GB * 8 / 300])


def test_files_without_a_host_are_not_one_host():
    one = readings([0], [0], host=pd.NA)
    assert len(rates(pd.concat([one, readings([300], [GB], host=pd.NA, source_file="b.txt")]))) == 0
    assert len(rates(pd.concat([one, readings([300], [GB], host=pd.NA)]))) == 1


def test_interfaces_of_one_name_are_told_by_their_index():
    both = pd.concat([readings([0, 300], [0, GB], index=1), readings([0, 300], [50 * GB, 52 * GB], index=2)])
    found = rates(both.sort_values("time", kind="stable"))
    assert found["flag"].tolist() == ["ok", "ok"]
    assert found["in_bps"].tolist() == pytest.approx([GB * 8 / 300, 2 * GB * 8 / 300])
    renumbered = pd.concat([readings([0, 300], [0, GB], index=1), readings([600], [2 * GB], index=7)])
    assert flags(renumbered) == ["ok", "ok"]


def test_ceiling_of_a_display_is_a_lower_bound():
    """The HECN team's note: GKrellM cannot show more than 2.147 GB/s, 17.18 Gb/s."""
    table = rates(readings([0, 1], [0, 2**31 - 1], speed_bps=100e9))
    flagged = flag_ceilings(table, DISPLAY_CEILINGS["gkrellm"])
    assert flagged["flag"].tolist() == ["ceiling"]
    assert flagged["in_bps"][0] / 1e9 == pytest.approx(17.18, abs=0.001)


# properties


@st.composite
def streams(draw):
    """What really went over some interfaces, and readings of it with wraps, resets, repeats and misplaced rows."""
    tables, truths, shuffled = [], {}, True
    for number in range(draw(st.integers(1, 4))):
        width = draw(st.sampled_from([32, 40, 64]))
        speed = draw(st.sampled_from([1e7, 1e8, 1e9]))
        seed = draw(st.integers(0, 2**32 - 1))
        random = np.random.default_rng(seed)
        longest = 0.9 * 2**width * 8 / speed if width == 32 else 300.0
        steps = random.uniform(0.5, 1.0, draw(st.integers(2, 40))) * min(longest, 300.0)
        moved = np.floor(steps * speed / 8 * random.uniform(0, 1, (2, len(steps)))).astype(np.int64)
        resets = np.flatnonzero(random.random(len(steps)) < draw(st.sampled_from([0.0, 0.1, 0.5])))
        time = np.r_[0.0, np.cumsum(steps)]
        counters, boot = [], -random.uniform(1e6, 4e7)
        for per_direction in moved:
            value, values = int(random.integers(0, 2**63)) % 2**width, []
            values.append(value)
            for i, amount in enumerate(per_direction):
                value = int(amount) // 3 if i in resets else (value + int(amount)) % 2**width
                values.append(value)
            counters.append(values)
        uptime = time - boot
        for i in resets:
            uptime[i + 1 :] = time[i + 1 :] - (time[i + 1] - steps[i] / 3)
        uptime = np.round(uptime % (2**32 / 100), 2)
        table = readings(
            time, *counters, interface=f"eth{number}", counter_bits=width, speed_bps=speed, uptime_s=uptime
        )
        shuffled &= len(resets) < 2  # misplaced among restarts, a reading is like one of a clock that was set
        repeat = table.iloc[random.integers(0, len(table), draw(st.integers(0, 3)))]
        tables += [table, repeat]
        truths[f"eth{number}"] = (steps, moved, resets)
    mixed = pd.concat(tables, ignore_index=True)
    return mixed.sample(frac=1, random_state=draw(st.integers(0, 1000))) if shuffled else mixed, truths


@settings(max_examples=100, deadline=None)
@given(streams())
@pytest.mark.slow
def test_bytes_of_a_stream_are_recovered(made):
    table, truths = made
    found = rates(table, max_gap=1e9)
    assert len(found) == len(table) - len(truths)
    for interface, (steps, moved, resets) in truths.items():
        mine = found[found["interface"] == interface]
        mine = mine[~mine["flag"].str.contains("duplicate")]
        flagged = mine["flag"].map(bits).to_numpy()
        assert mine["interval_s"].to_numpy() == pytest.approx(steps, rel=1e-6)
        assert np.flatnonzero(flagged & Flag.RESET).tolist() == resets.tolist()
        rated = np.setdiff1d(np.arange(len(steps)), resets)
        for column, amounts in zip(("in_bps", "out_bps"), moved, strict=True):
            measured = mine[column].to_numpy() * mine["interval_s"].to_numpy() / 8
            assert measured[rated] == pytest.approx(amounts[rated], rel=1e-9, abs=1e-3)
            assert np.isnan(measured[resets]).all()


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_whatever_is_read_rates_are_finite_not_negative_and_missing_where_the_flag_says_so(data):
    size = data.draw(st.integers(0, 12))
    whole = st.one_of(st.none(), st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**64 - 1]))
    several = lambda one: data.draw(st.lists(one, min_size=size, max_size=size))
    table = readings(
        several(st.one_of(st.none(), st.integers(-5, 5), st.floats(-1e6, 1e6))),
        several(whole),
        several(whole),
        interface=pd.array(several(st.sampled_from(["a", "b", None])), dtype="string"),
        uptime_s=np.array(several(st.one_of(st.just(np.nan), st.floats(0, 5e7))), dtype=float),
        discontinuity_s=np.array(several(st.sampled_from([np.nan, 0.0, 5.0])), dtype=float),
        counter_bits=pd.array(several(st.sampled_from([None, 32, 64])), dtype="Int64"),
        speed_bps=np.array(several(st.sampled_from([np.nan, 0.0, 1e9, 2.0**32 - 1])), dtype=float),
        source_file=several(st.sampled_from(["a", "b"])),
    )
    found = rates(table)
    assert len(found) == size - table["interface"].nunique(dropna=False)
    unrated = found["flag"].map(lambda text: bool(bits(text) & UNRATED)).to_numpy(dtype=bool)
    for column in ("in_bps", "out_bps"):
        rate = found[column].to_numpy()
        assert np.isnan(rate[unrated]).all()
        assert ((rate >= 0) | np.isnan(rate)).all()
        assert (rate[~np.isnan(rate)] < 1.1e14).all()
        reasons = found["flag"][np.isnan(rate)].map(
            lambda text: bits(text) & (UNRATED | Flag.MISSING | Flag.CLOCK_STEP)
        )
        assert (reasons > 0).all()


def test_whole_numbers_of_python_are_counters_as_large_as_they_are():
    whole = pd.Series([2**63 + 10, None, 2**63 + 1260], dtype=object)
    found = rates(readings([0, 10, 20], [0, 0, 0]).assign(in_octets=whole))
    assert found["in_bps"].tolist()[-1] == 1250 * 8 / 20
    table = readings([0, 300, 600, 900], [10, None, 30, 40], [0] * 4)
    pd.testing.assert_frame_equal(rates(table.astype({"in_octets": object})), rates(table))
