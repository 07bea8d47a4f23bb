"""Readings in whatever order they come: files, restarts, clocks that were set back, names that are missing."""

import itertools

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.traffic.rates import rates
from hecn_analysis.traffic.series import Readings, from_frame, in_blocks

BEGIN = pd.Timestamp("2026-03-01", tz="UTC")


def readings(seconds, ins, outs=None, **columns):
    return pd.DataFrame(
        {
            "source_file": "a.txt",
            "host": "switch",
            "interface": "eth0",
            "time": BEGIN + pd.to_timedelta(np.asarray(seconds, dtype=float), "s"),
            "in_octets": pd.array(ins, dtype="UInt64"),
            "out_octets": pd.array(ins if outs is None else outs, dtype="UInt64"),
            "counter_bits": 64,
            "speed_bps": 10e9,
        }
    ).assign(**columns)


def flags(table, **options):
    return rates(table, **options)["flag"].tolist()


def times(table):
    """Times of the readings of each interface in the order in which they were put. [s]."""
    named = from_frame(table)
    series = named.series
    begin = series.starts.tolist()
    seconds = ((series.time_ns - BEGIN.value) / 1e9).tolist()
    return [seconds[first:last] for first, last in itertools.pairwise([*begin, len(seconds)])]


# one file after another, newest first, misplaced


def test_every_order_of_files_and_every_direction_of_each_gives_the_same():
    seconds = np.arange(12) * 300
    whole = readings(seconds, 1000 + seconds)
    parts = [
        whole.iloc[:5].assign(source_file="x"),
        whole.iloc[5:8].assign(source_file="y"),
        whole.iloc[8:].assign(source_file="z"),
    ]
    wanted = rates(whole)
    for order, turned in itertools.product([(0, 1, 2), (1, 0, 2), (2, 1, 0)], ["", "x", "y", "xz", "xyz"]):
        table = pd.concat([part[::-1] if "xyz"[i] in turned else part for i in order for part in [parts[i]]])
        pd.testing.assert_frame_equal(rates(table), wanted)


def test_readings_without_a_time_before_the_first_that_has_one_move_nothing():
    table = readings([0, 0, 0, 600, 300, 900], [1, 2, 10, 30, 20, 40], source_file=[*"aaaabb"])
    table.loc[:1, "time"] = pd.NaT
    found = rates(table)
    assert found["flag"].tolist() == ["ok", "ok", "ok", "no_time", "no_time"]
    assert found["interval_s"].tolist()[:3] == [300.0] * 3


def test_misplaced_reading_of_a_host_that_had_just_started_is_put_in_its_place():
    up = [400, 700, 1000, 100, 1300]
    found = rates(readings([300, 600, 900, 0, 1200], [10, 20, 30, 5, 40], uptime_s=up))
    assert found["flag"].tolist() == ["ok"] * 4
    assert found["interval_s"].tolist() == [300.0] * 4


def test_order_of_readings_does_not_depend_on_how_far_apart_they_are():
    """A clock counts nanoseconds; so close to each other are those of a burst."""
    random = np.random.default_rng(1)
    for _ in range(25):
        table, moments = readings(np.zeros(5), random.integers(0, 9, 5)), random.integers(0, 7, 5)
        by_second, by_ns = (
            from_frame(table.assign(time=BEGIN + pd.to_timedelta(moments * unit, "ns"))).series for unit in (10**9, 1)
        )
        assert by_ns.in_octets.tolist() == by_second.in_octets.tolist()
        late = [False] * 5 if by_second.reordered is None else by_second.reordered.tolist()
        assert ([False] * 5 if by_ns.reordered is None else by_ns.reordered.tolist()) == late


def test_files_that_lie_side_by_side_in_time_are_merged():
    even, odd = readings([0, 600, 1200], [0, 2, 4]), readings([300, 900, 1500], [1, 3, 5], source_file="b.txt")
    assert times(pd.concat([odd, even])) == [[0, 300, 600, 900, 1200, 1500]]
    assert flags(pd.concat([odd, even])) == ["ok"] * 5


def test_the_file_that_begins_again_within_an_interface_does_not_step_back_in_time():
    """The last reading of a file is no predecessor of the first one of the next."""
    one, two = readings([600, 900], [7, 8]), readings([0, 300], [5, 6], source_file="b.txt")
    other = [table.assign(interface="eth1") for table in (one, two)]
    assert flags(pd.concat([one, two, *other])) == ["ok"] * 6
    assert flags(pd.concat([one, other[0], two, other[1]])) == ["ok"] * 6


def test_newest_first_is_more_steps_back_than_forth():
    falling = readings([900, 600, 300, 0], [40, 30, 20, 10])
    assert flags(falling) == ["ok"] * 3
    untidy = readings([1200, 900, 600, 700, 300, 0], [60, 50, 30, 40, 20, 10])
    assert flags(untidy) == ["ok", "reordered", "ok", "ok", "ok"]
    twice = readings([600, 600, 600, 300, 300, 300, 0, 0], [30, 30, 30, 20, 20, 20, 10, 10])
    assert flags(twice) == ["duplicate", "ok", "duplicate", "duplicate", "ok", "duplicate", "duplicate"]


@pytest.mark.parametrize("place", range(1, 6))
def test_a_reading_that_stands_later_in_the_file_is_told_and_put_in_its_place(place):
    order = [0, 1, 2, 3, 4, 5]
    moved = order.pop(place - 1)
    order.insert(place, moved)  # changes places with the next one
    ins = np.array([10, 20, 30, 40, 50, 60])
    table = readings(np.array(order) * 300, ins[order])
    wanted = ["ok"] * 5
    if place > 1:
        wanted[place - 2] = "reordered"
    assert times(table) == [[0, 300, 600, 900, 1200, 1500]]
    found = rates(table)
    assert found["in_bps"].tolist() == pytest.approx([80 / 300] * 5)
    assert found["flag"].tolist() == wanted


def test_only_the_interface_that_is_untidy_is_put_in_order():
    tidy = readings([0, 300, 600], [1, 2, 3])
    mixed = readings([0, 600, 300], [1, 3, 2], interface="eth1")
    for several in ([tidy, mixed], [mixed, tidy], [mixed, tidy.assign(interface="eth2"), tidy]):
        found = rates(pd.concat(several))
        assert (found["flag"] == "reordered").groupby(found["interface"]).sum().to_dict() == {
            name: int(name == "eth1") for name in found["interface"].unique()
        }
        assert found["interval_s"].tolist() == [300.0] * len(found)


def test_readings_without_a_time_come_last():
    table = readings([0, 300, 600], [1, 2, 3])
    table.loc[0, "time"] = pd.NaT
    assert flags(table) == ["ok", "no_time"]
    two = pd.concat([table, readings([0, 300], [1, 2], interface="eth1")])
    assert flags(two) == ["ok", "no_time", "ok"]
    every = table.assign(time=pd.DatetimeIndex([pd.NaT] * 3, tz="UTC"))
    assert flags(every) == ["no_time", "no_time"]


# clocks that were set back


@pytest.mark.parametrize(
    ("passed", "step"), [(3000.0, True), (3001.0, False), (0.5, True), (0.0, False), (-5.0, False)]
)
def test_clock_was_set_back_where_the_host_goes_on_for_up_to_ten_intervals(passed, step):
    ups = 5e4 + np.r_[0, 300, 600, 600 + passed, 900 + passed, 1200 + passed]
    table = readings([0, 300, 600, -5000, -4700, -4400], [10, 20, 30, 40, 50, 60], uptime_s=ups)
    forward = [0, 300, 600, -5000, -4700, -4400]
    assert times(table) == [forward if step else sorted(forward)]
    found = rates(table, max_gap=1e6)
    if step:
        assert found["flag"].tolist() == ["ok", "ok", "clock_step", "ok", "ok"]
        assert found["interval_s"].tolist()[2] == pytest.approx(passed)
    else:
        assert "reordered" in "".join(found["flag"])


@pytest.mark.parametrize(
    ("ins", "outs", "step"),
    [
        ([10, 20, 30, 40], [1, 2, 3, 4], True),
        ([10, 20, 20, 40], [1, 2, 3, 4], True),  # one of them is enough
        ([10, 20, 30, 40], [1, 2, 2, 4], True),
        ([10, 20, 20, 40], [1, 2, 2, 4], False),  # neither went on
        ([10, 20, 30, 40], [1, 2, 1, 4], False),  # one went back
        ([10, 20, 15, 40], [1, 2, 3, 4], False),
        ([10, 20, None, 40], [1, 2, 3, 4], True),
        ([10, 20, None, 40], [1, 2, 1, 4], False),
        ([10, None, 30, 40], [1, 2, 3, 4], True),
        ([10, 20, 30, 40], [1, 2, None, 4], True),
        ([10, 20, None, 40], [1, 2, None, 4], False),
    ],
)
def test_without_an_uptime_counters_that_go_on_say_that_the_clock_was_set_back(ins, outs, step):
    table = readings([0, 300, -900, -600], ins, outs)
    assert times(table) == [[0, 300, -900, -600] if step else [-900, -600, 0, 300]]
    assert times(table.assign(uptime_s=[np.nan, 5.0, np.nan, np.nan])) == times(table)


def test_a_row_that_is_there_twice_is_no_step_of_the_clock():
    table = readings([0, 300, 600, 300, 900], [10, 20, 30, 20, 40])
    assert times(table) == [[0, 300, 300, 600, 900]]
    assert sorted(flags(table)) == ["ok", "ok", "ok", "reordered,duplicate"]


def test_all_rows_of_a_file_are_misplaced_where_one_is():
    misplaced = readings([0, 300, 900, 600, 1200, -900, -600], [10, 20, 40, 30, 50, 60, 70])
    assert times(misplaced) == [[-900, -600, 0, 300, 600, 900, 1200]]
    set_back = readings([0, 300, 600, 900, 1200, -900, -600], [10, 20, 30, 40, 50, 60, 70])
    assert times(set_back) == [[0, 300, 600, 900, 1200, -900, -600]]
    other = set_back.assign(source_file="b.txt", interface="eth1")
    assert times(pd.concat([misplaced, other]))[1] == [0, 300, 600, 900, 1200, -900, -600]


def test_clock_that_is_set_back_twice_keeps_the_order():
    seconds = [0, 300, 600, -3000, -2700, -9000, -8700]
    assert times(readings(seconds, np.arange(7) * 10)) == [seconds]
    assert flags(readings(seconds, np.arange(7) * 10)) == ["ok", "ok", "clock_step", "ok", "clock_step", "ok"]


# which rows are one interface


def test_interfaces_come_in_the_order_in_which_they_appear():
    names = [("b", "x"), ("a", "y"), ("b", "y"), ("a", "x"), ("c", "z"), ("a", "z")]
    table = pd.concat([readings([at], [at], host=host, interface=name) for at in (0, 300) for host, name in names])
    named = from_frame(table)
    assert list(zip(named.hosts, named.interfaces, strict=True)) == names
    assert named.series.lengths.tolist() == [2] * 6
    assert rates(table)["in_bps"].tolist() == [8.0] * 6


def test_without_a_name_the_index_tells_interfaces_apart_and_without_a_host_the_file():
    names = {"interface": pd.array([None] * 2, dtype="string"), "host": pd.array([None] * 2, dtype="string")}
    parts = [
        readings([0, 300], [0, 300 * (1 + number)], **names, index=index, source_file=file)
        for number, (file, index) in enumerate(itertools.product(["a", "b"], [1, 2, 3]))
    ]
    found = rates(pd.concat(parts))
    assert sorted(found["in_bps"]) == [8.0, 16.0, 24.0, 32.0, 40.0, 48.0]
    named = [*zip(found["host"], found["interface"], strict=True)]
    assert named == [*itertools.product(["a", "b"], ["index 1", "index 2", "index 3"])]
    mixed = pd.concat([*parts, readings([0, 300], [0, 2100], interface="eth0"), parts[0].assign(index=pd.NA, host="s")])
    assert len(rates(mixed)) == 8


def test_one_name_is_several_interfaces_only_where_it_has_several_indexes_at_one_time():
    at_once = pd.concat([readings([0, 300], [0, 300 * number], index=number) for number in (1, 2, 3)])
    assert rates(at_once)["in_bps"].tolist() == [8.0, 16.0, 24.0]
    assert len(rates(at_once.assign(index=4))) == 5  # one interface, each reading thrice
    renumbered = pd.concat([readings([0, 300], [0, 300], index=1), readings([600, 900], [600, 900], index=2)])
    assert flags(renumbered) == ["ok"] * 3
    in_files = at_once.assign(source_file=["a", "a", "b", "b", "c", "c"])  # not at one time of one file
    assert len(rates(in_files)) == 5
    both = pd.concat([renumbered, at_once.assign(interface="eth1")])
    assert len(rates(both)) == 6
    apart = {f"eth1 (index {index})": 1 for index in (1, 2, 3)}
    assert rates(both.iloc[::-1])["interface"].value_counts().to_dict() == {"eth0": 3, **apart}
    every = pd.concat([both, renumbered.assign(interface="eth2"), readings([0], [0], interface="eth3", index=9)])
    assert rates(every)["interface"].value_counts().to_dict() == {"eth0": 3, **apart, "eth2": 3}
    assert flags(every) == ["ok"] * 9


# blocks


@pytest.mark.parametrize("rows", [1, 2, 5, 9, 12, 100, None])
@pytest.mark.parametrize("scattered", [False, True])
def test_blocks_hold_all_readings_of_their_interfaces_in_order(rows, scattered):
    lengths = [4, 1, 3, 2, 2]
    table = pd.concat(
        [
            readings(np.arange(many) * 300, np.arange(many) + 10 * port, interface=f"eth{port}")
            for port, many in enumerate(lengths)
        ]
    )
    if scattered:
        table = table.sort_values(["time", "interface"], kind="stable")
    octets = table["in_octets"].to_numpy(dtype=np.uint64)
    code, names = pd.factorize(table["interface"])
    when = table["time"].dt.as_unit("ns").astype("int64").to_numpy()
    given = Readings(["switch"], names, 0, code, 0, 0, when, octets, octets, None, None, None, None, 64, np.nan)
    blocks = list(in_blocks(given, block_rows=rows))
    assert [name for block in blocks for name in block.interfaces] == [f"eth{port}" for port in range(5)]
    assert [many for block in blocks for many in block.series.lengths] == lengths
    assert [value for block in blocks for value in block.series.in_octets.tolist()] == [
        10 * port + number for port, many in enumerate(lengths) for number in range(many)
    ]
    assert [list(block.hosts) for block in blocks] == [["switch"] * len(block.interfaces) for block in blocks]
    if rows is None or rows > 12:
        assert len(blocks) == 1
    elif rows == 1:
        assert len(blocks) == 5
    else:
        assert all(len(block.series.time_ns) <= rows + max(lengths) for block in blocks)


def test_blocks_of_no_readings_are_one_without_interfaces():
    (block,) = in_blocks(
        Readings(
            [],
            [],
            0,
            0,
            0,
            0,
            *(np.empty(0, dtype=kind) for kind in (np.int64, np.uint64, np.uint64)),
            *[None] * 4,
            64,
            np.nan,
        )
    )
    assert len(block.interfaces) == len(block.series.time_ns) == 0
