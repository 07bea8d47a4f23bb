"""Where runs lie in counted rates, and what is left of these: by hand, and against sums over seconds."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.limits import framing
from hecn_analysis.traffic import placing
from hecn_analysis.traffic.placing import Fit, Framing, Port, placed, ports, unplaced
from hecn_analysis.traffic.reconcile import _Counted, _crossing, _expected, reconcile

GUESS = "; no MTU is stated: 9000 B fits better than 1500 B"
BEGIN = pd.Timestamp("2026-03-01", tz="UTC")
ZERO_S = BEGIN.timestamp()
JUMBO = Framing((1500, 9000), 4, timestamps=True, vlan=False, frame=(18.0, 18.0))
PAYLOAD = 8948 * 1_000_000.0
"""A million full packets of 9000 bytes: 9018 octets each at a port, 9014 at a host."""


def port(rates, name="eth0", direction="in"):
    """Intervals of 10 s from 1970 on."""
    begins = 10.0 * np.arange(len(rates))
    rates = np.asarray(rates, dtype=float)
    return Port("switch", name, direction, begins, begins + 10, rates, np.zeros(len(rates), dtype=np.int16))


def run(start, seconds, payload=PAYLOAD, **columns):
    moment = None if start is None else BEGIN + pd.Timedelta(start, "s")
    return {"tool": "t", "start_time": moment, "duration_s": seconds, "bytes": payload, **columns}


def rates(in_bps, step=10.0, *, out_bps=0.0, name="eth0", flag="ok"):
    ends = step * (1 + np.arange(len(in_bps)))
    return pd.DataFrame(
        {
            "host": "switch",
            "interface": name,
            "time": BEGIN + pd.to_timedelta(ends, "s"),
            "interval_s": float(step),
            "in_bps": np.asarray(in_bps, dtype=float),
            "out_bps": out_bps,
            "flag": flag,
        }
    )


def verdict(one, table, **options):
    (row,) = reconcile(pd.DataFrame([one]), table, **{"counts": "port", "largest_offset_s": 0.0, **options}).to_dict(
        "records"
    )
    return row


# what a run and a port say of themselves


@pytest.mark.parametrize("kind", [Port, Framing, Fit, placing.Placed, _Counted])
def test_what_was_found_cannot_be_changed(kind):
    with pytest.raises(FrozenInstanceError):
        object.__new__(kind).begin = 0.0


@pytest.mark.parametrize(
    ("said", "payload"),
    [
        ({"bytes": 5.0, "throughput_bps": 80.0, "sender_throughput_bps": 800.0}, 5.0),
        ({"throughput_bps": 80.0, "sender_throughput_bps": 800.0}, 100.0),
        ({"throughput_bps": pd.NA, "sender_throughput_bps": 800.0}, 1000.0),
        ({"bytes": math.nan}, math.nan),
    ],
)
def test_amount_is_that_of_the_log_else_rate_times_time(said, payload):
    found = unplaced({"duration_s": 10.0, **said})
    assert (found.payload, found.seconds) == (pytest.approx(payload, nan_ok=True), 10.0)
    assert math.isnan(found.start)
    assert (found.port, found.offset, found.resembles) == (None, 0.0, math.inf)
    assert unplaced({**said, "start_time": BEGIN}).start == ZERO_S
    assert math.isnan(unplaced({**said, "start_time": pd.NaT}).start)


def test_each_port_has_two_directions_and_intervals_of_known_length():
    table = pd.concat(
        [rates([1.0, 2.0, 3.0], out_bps=[4.0, 5.0, 6.0]), rates([7.0], name="eth1", flag="wrap,ambiguous")]
    )
    table.iloc[1, table.columns.get_loc("interval_s")] = np.nan
    found = ports(table)
    assert [(one.host, one.interface, one.direction) for one in found] == [
        *(("switch", "eth0", "in"), ("switch", "eth0", "out"), ("switch", "eth1", "in"), ("switch", "eth1", "out"))
    ]
    assert [one.rate_bps.tolist() for one in found] == [[1.0, 3.0], [4.0, 6.0], [7.0], [0.0]]
    assert (found[0].begin - ZERO_S).tolist() == [0.0, 20.0]
    assert (found[0].end - ZERO_S).tolist() == [10.0, 30.0]
    assert [one.flags.tolist() for one in found] == [[0, 0], [0, 0], [3], [3]]


@pytest.mark.parametrize(
    ("protocol", "kind"), [("tcp", "tcp"), ("udp", "udp"), ("rdma", "roce"), ("file", "tcp"), ("None", "tcp")]
)
@pytest.mark.parametrize("vlan", [False, True])
def test_octets_are_those_of_full_packets_and_a_last_one(protocol, kind, vlan):
    how = Framing((9000,), 6, timestamps=False, vlan=vlan, frame=(14.0, 18.0))
    data = float(framing.payload_bytes(9000, ip=6, timestamps=False, protocol=kind))
    headers = float(framing.wire_bytes(9000, ip=6, protocol=kind)) - framing.FRAME_OVERHEAD - data
    tag = 4.0 if vlan else 0.0
    low, high = how.octets(data * 3 + 1, protocol, 9000)
    assert low == pytest.approx(data * 3 + 1 + 4 * (headers + 14 + tag))
    assert high - low == 16.0
    assert how.octets(data * 3, protocol, 9000)[0] == pytest.approx(data * 3 + 3 * (headers + 14 + tag))


# how well a run fits


def quiet(several, one=None):
    return placing._quiet(port(np.ones(10)) if one is None else one, [unplaced(each) for each in several])


def at(start, seconds):
    """A run on the clock of `port`, which begins at 0 in 1970."""
    return {"start_time": pd.Timestamp(start, unit="s", tz="UTC"), "duration_s": seconds}


@pytest.mark.parametrize(
    ("several", "part"),
    [
        ([], 1.0),
        ([at(25, 20)], 0.7),  # touches the intervals from 20, 30 and 40 s on
        ([at(20, 20)], 0.8),
        ([at(20, 20), at(25, 10)], 0.8),
        ([at(20, 20), at(70, 10)], 0.7),
        ([at(-50, 500)], 0.0),
        ([at(0, 1)], 0.9),
        ([at(99, 1)], 0.9),
        ([{"duration_s": 20.0}], 0.8),
        ([{"duration_s": 0.5}, at(0, 0.5)], 0.895),
        ([{"duration_s": 20.0}, at(20, 20), {"duration_s": math.nan}, at(65, 0)], 0.6),
        ([{"duration_s": 500.0}], 0.0),
    ],
)
def test_part_of_the_time_without_a_run(several, part):
    assert quiet(several) == pytest.approx(part)
    assert quiet(several, port([])) == 1.0


def fit(rate, start, seconds, quiet_part=1.0, **options):
    one = unplaced(
        {"start_time": pd.Timestamp(start, unit="s", tz="UTC"), "duration_s": seconds, "bytes": PAYLOAD, **options}
    )
    return Fit.of(rate if isinstance(rate, Port) else port(rate), one, JUMBO, quiet_part)


@pytest.mark.parametrize(
    ("seconds", "part", "usual"),
    [(10, 1.0, 5.5), (10, 0.61, 5.5), (10, 0.6, 3.7), (10, 0.2, 1.9), (49, 1.0, 5.5), (50, 1.0, 0.0), (90, 1.0, 0.0)],
)
def test_what_a_port_carries_otherwise_is_the_median_of_the_time_without_runs(seconds, part, usual):
    """Of 1 to 10: the quantile of 0.3 is 3.7, of 0.1 is 1.9; for a run of half of the time nothing is known."""
    found = fit(np.arange(1.0, 11.0), 0.0, seconds, part)
    assert found.rest.tolist() == pytest.approx((np.arange(1.0, 11.0) - usual).tolist())
    assert found.rate_bps == pytest.approx(9018e6 * 8 / seconds)
    assert (found.start, found.seconds) == (0.0, seconds)
    assert fit(np.full(4, np.nan), 0.0, 5.0) is None
    holes = fit([1.0, np.nan, 3.0, 2.0], 0.0, 5.0)
    assert (holes.begin.tolist(), holes.end.tolist(), holes.rest.tolist()) == ([0, 20, 30], [10, 30, 40], [-1, 1, 0])


def test_untimed_run_begins_where_the_rates_do():
    assert Fit.of(port([np.nan, 1.0]), unplaced({"duration_s": 1.0, "bytes": 1.0}), JUMBO, 1.0).start == 10.0


@pytest.mark.parametrize(
    ("begin", "end", "near"), [(-5, 0, False), (-5, 0.1, True), (40, 50, False), (39.9, 50, True), (10, 20, True)]
)
def test_rates_are_near_where_they_overlap(begin, end, near):
    assert fit(np.ones(4), 0.0, 5.0).near(begin, end) is near


def test_places_that_are_tried_are_half_an_interval_apart_or_two_thousand():
    one = fit(np.ones(4), 0.0, 5.0)
    assert (one.step(100.0), one.step(10_000.0), one.step(20_000.0)) == (5.0, 5.0, 10.0)


@pytest.mark.parametrize("start", [-30.0, -7.5, 0.0, 3.0, 12.5, 50.0, 71.0, 85.0, 130.0])
@pytest.mark.parametrize("seconds", [0.5, 5.0, 20.0, 43.0, 300.0])
def test_misfit_is_the_sum_over_all_intervals(start, seconds):
    level = np.random.default_rng(1).uniform(0, 1e9, 9)
    level[4] = np.nan
    one = fit(level, 0.0, seconds, 0.5)
    wanted, seen = 0.0, 0.0
    for begin, rest in zip(one.begin, one.rest, strict=True):
        inside = max(min(begin + 10, start + seconds) - max(begin, start), 0.0)
        wanted += 10 * ((rest - one.rate_bps * inside / 10) ** 2 - rest**2)
        seen += inside
    wanted += one.rate_bps**2 * (seconds - seen)
    assert one.misfit(start) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("shift", [-30.0, -20.0, 0.0, 10.0, 30.0])
@pytest.mark.parametrize("seconds", [10.0, 20.0])
def test_run_that_fills_its_intervals_is_found_to_the_second(shift, seconds):
    level = np.zeros(40)
    first = int((200 + shift) / 10)
    level[first : first + int(seconds / 10)] = 9018e6 * 8 / seconds
    one = fit(level, 200.0, seconds)
    offset, missed = one.best(np.arange(-30.0, 31.0, 5.0))
    assert offset == pytest.approx(shift, abs=0.01)
    assert missed == pytest.approx(0.0, abs=1e-6)
    if shift == 0.0:
        assert offset == 0.0
    assert fit(np.zeros(40), 200.0, seconds).best(np.arange(-30.0, 31.0, 5.0))[1] == pytest.approx(
        {10.0: 1.5, 20.0: 1.75}[seconds]  # of nothing least is missed where two intervals have a half each
    )


@pytest.mark.parametrize("shift", [-3.2, 1.7, 4.4])
def test_shift_within_an_interval_shows_in_how_two_of_them_share_the_run(shift):
    begin = 200.0 + shift
    share = (
        np.clip(np.minimum(np.arange(10, 410, 10), begin + 25) - np.maximum(np.arange(0, 400, 10), begin), 0, None) / 10
    )
    one = fit(share * 9018e6 * 8 / 25.0, 200.0, 25.0)
    offset, missed = one.best(np.arange(-10.0, 11.0, 5.0))
    assert offset == pytest.approx(shift, abs=0.13)  # a fortieth of two steps of 5 s
    assert missed < 0.2


def test_run_within_one_interval_is_all_found_wherever_it_is():
    level = np.zeros(20)
    level[7] = 9018e6 * 8 / 10
    offset, missed = fit(level, 72.0, 4.0).best(np.arange(-20.0, 21.0, 5.0))
    assert (offset, missed) == (0.0, pytest.approx(0.0, abs=1e-9))


def found(several, every, largest_offset_s=60.0):
    return placed([unplaced(one) for one in several], every, JUMBO, largest_offset_s)


def timed(start, seconds=20.0, payload=PAYLOAD, **more):
    return {"start_time": pd.Timestamp(start, unit="s", tz="UTC"), "duration_s": seconds, "bytes": payload, **more}


def carrying(*starts, seconds=20.0, count=60, name="eth0", scale=1.0, background=0.0):
    level = np.full(count, background)
    for start in starts:
        level[int(start / 10) : int((start + seconds) / 10)] += scale * 9018e6 * 8 / seconds
    return port(level, name=name)


def test_the_first_of_ports_that_fit_as_well_is_taken_and_a_better_one_before_it():
    same = [carrying(300, name=name) for name in ("a", "b")]
    assert found([timed(300)], same)[0].port is same[0]
    worse = carrying(300, name="c", scale=0.9)
    assert found([timed(300)], [worse, same[1]])[0].port is same[1]
    nearly = carrying(300, name="d", scale=0.9996)  # 0.0004 ** 2 + 1 - 0.9996 ** 2 of the squared rate: 0.0008
    assert found([timed(300)], [nearly, same[1]])[0].port is nearly
    less = carrying(300, name="d", scale=0.9994)
    assert found([timed(300)], [less, same[1]])[0].port is same[1]


@pytest.mark.parametrize(("moved", "offset"), [(60, 60.0), (-60, -60.0), (20, 20.0), (0, 0.0)])
def test_clocks_may_differ_up_to_the_largest_offset(moved, offset):
    (one,) = found([timed(300)], [carrying(300 + moved)])
    assert one.offset == pytest.approx(offset, abs=0.05)
    assert one.resembles == pytest.approx(0.0, abs=1e-3)
    (far,) = found([timed(300)], [carrying(300 + (100 if moved >= 0 else -100))])
    assert abs(far.offset) <= 65.0
    assert far.resembles > 0.9


def test_port_that_is_the_only_one_is_it_though_it_has_no_rates():
    blind = [port(np.full(5, np.nan)), port(np.full(5, np.nan), direction="out")]
    assert found([timed(0)], blind)[0].port is blind[0]
    other = port(np.full(5, np.nan), name="eth1")
    assert found([timed(0)], [*blind, other])[0].port is None
    assert found([timed(0, payload=0.0)], blind)[0].port is None
    assert found([timed(0, seconds=0.0)], blind)[0].port is None
    away = carrying(300)
    assert found([timed(9000)], [away, carrying(0, name="eth1")])[0].port is None


def test_runs_without_times_are_placed_one_after_another_each_file_for_itself():
    level = carrying(100, 250, 400)
    level.rate_bps[25:27] *= 0.5
    several = [{"duration_s": 20.0, "bytes": PAYLOAD * part, "source_file": "a"} for part in (1.0, 0.5, 1.0)]
    starts = [one.start for one in found(several, [level])]
    assert starts == pytest.approx([100.0, 250.0, 400.0], abs=0.3)
    swapped = [several[1], several[0], several[2]]
    starts = [one.start for one in found(swapped, [level]) if not math.isnan(one.start)]
    assert len(starts) > 1
    assert min(np.diff(starts)) > 19.0
    apart = [{**one, "source_file": name} for one, name in zip(several, "aba", strict=True)]
    assert [one.start for one in found(apart, [level])][::2] == pytest.approx([100.0, 400.0], abs=0.3)


def test_runs_without_times_take_the_port_that_shows_them():
    pair = [carrying(100, name="a"), carrying(300, name="b")]
    several = [{"duration_s": 20.0, "bytes": PAYLOAD, "source_file": "x"}] * 2
    assert [(one.port.interface, round(one.start)) for one in found(several, pair)] == [("a", 100), ("b", 300)]
    both = [carrying(100, name="a"), carrying(100, name="b")]
    assert [one.port.interface for one in found(several[:1], both)] == ["a"]
    for scale, name in ((0.9996, "a"), (0.9994, "b")):  # twice what is lacking, of the squared rate: 0.0008 and 0.0012
        nearly = [carrying(100, name="a", scale=scale), both[1]]
        assert [one.port.interface for one in found(several[:1], nearly)] == [name]


# verdicts


def test_every_number_of_a_row():
    level = np.full(60, 8e6)
    level[30:33] += 9018e6 * 8 / 20 * np.array([0.5, 1.0, 0.5])
    row = verdict(run(305, 20, source_file="f", run=3, label="n"), rates(level))
    assert row["message"] == "9.02 GB counted for 9.02 GB expected" + GUESS
    assert {name: row[name] for name in ("source_file", "run", "tool", "label", "host", "interface", "direction")} == {
        "source_file": "f",
        "run": 3,
        "tool": "t",
        "label": "n",
        "host": "switch",
        "interface": "eth0",
        "direction": "in",
    }
    assert (row["verdict"], row["intervals"], row["interval_s"], row["wraps"], row["mtu"]) == (
        "agrees",
        3,
        10.0,
        0,
        9000,
    )
    numbers = ["payload_bytes", "expected_bytes", "counted_bytes", "background_bytes", "offset_s", "duration_s"]
    assert [row[name] for name in numbers] == pytest.approx([PAYLOAD, 9018e6, 9018e6 + 30e6, 30e6, 0.0, 20.0])
    assert [row["excess_bytes"], row["excess_fraction"]] == pytest.approx([0.0, 0.0], abs=1.0)
    assert row["start_time"] == BEGIN + pd.Timedelta(305, "s")


@pytest.mark.parametrize(
    ("counts", "each", "expected"),
    [
        ("host", 9014, 9014),
        ("ip", 9000, 9000),
        ("unknown", 9010, 9014),
        ("unknown", 9016, 9016),
        ("unknown", 9020, 9018),
    ],
)
def test_what_is_expected_is_the_nearest_of_what_framing_allows(counts, each, expected):
    level = np.zeros(60)
    level[30:32] = each * 1e6 * 8 / 20
    row = verdict(run(300, 20), rates(level), counts=counts, mtu=9000)
    assert row["expected_bytes"] == pytest.approx(expected * 1e6)
    assert row["excess_fraction"] == pytest.approx((each - expected) / expected, abs=1e-9)


@pytest.mark.parametrize(
    ("part", "named"),
    [
        (1.0049, "agrees"),
        (1.0051, "retransmissions or other traffic"),
        (0.9951, "agrees"),
        (0.9949, "fewer octets"),
    ],
)
def test_half_a_percent_is_agreement(part, named):
    level = np.zeros(60)
    level[30:32] = part * 9018e6 * 8 / 20
    row = verdict(run(300, 20, retransmits=0), rates(level), mtu=9000)
    assert row["verdict"] == named
    assert row["excess_fraction"] == pytest.approx(part - 1)
    if named == "fewer octets":
        assert row["message"] == "8.97 GB counted for 9.02 GB expected: 0.5 % less"
    elif part > 1.005:
        assert row["message"] == "9.06 GB counted for 9.02 GB expected: 46.0 MB (0.5 %) more"


def test_runs_of_half_a_second_and_of_one_byte_are_judged():
    level = np.zeros(60)
    level[30] = 9018e6 * 8 / 10
    assert verdict(run(303, 0.5), rates(level))["verdict"] == "agrees"
    level[30] = (1 + 52 + 18) * 8 / 10
    assert verdict(run(303, 0.5, payload=1.0), rates(level))["verdict"] == "agrees"
    assert verdict(run(303, 0.0), rates(level))["verdict"] == "not enough in the log"


def test_background_is_the_median_of_ten_intervals_before_and_ten_after():
    level = np.full(60, 5e8)  # further away
    level[20:30], level[32:42] = 1e7, 3e7
    level[30:32] = 2e7 + 9018e6 * 8 / 20
    row = verdict(run(300, 20), rates(level))
    assert row["background_bytes"] == pytest.approx(2e7 / 8 * 20)
    assert row["verdict"] == "agrees"
    level[[22, 35]] = np.nan  # two further away stand for those that are not known: 9 of 10, 9 of 30 and 2 of 500 Mb/s
    assert verdict(run(300, 20), rates(level))["background_bytes"] == pytest.approx(3e7 / 8 * 20)


@pytest.mark.parametrize(
    ("excess", "named"), [(33e9, "averaging window too long"), (34e9, "retransmissions or other traffic")]
)
def test_three_standard_deviations_of_the_background_are_not_judged(excess, named):
    """Rates of 1 and 3 Gb/s: their deviation from the median is 1, which of a normal law are 1.4826 Gb/s."""
    level = np.tile([1e9, 3e9], 30)
    level[30] = 2e9 + (9018e6 * 4 + excess) * 8 / 60
    row = verdict(run(1805, 50, payload=PAYLOAD * 4), rates(level, step=60.0), mtu=9000)
    assert row["background_bytes"] == pytest.approx(15e9)  # of which 3 * 1.4826 / 2 are 33.36e9
    assert row["verdict"] == named
    if named == "averaging window too long":
        assert row["message"] == (
            "69.1 GB counted for 36.1 GB expected: in intervals of 60.0 s it cannot be separated from the "
            "port's other traffic"
        )


@pytest.mark.parametrize(("missing", "turns"), [(1, 1), (2, 2)])
def test_turns_of_32_bits_that_nobody_saw_are_counted(missing, turns):
    payload = PAYLOAD * 0.95
    level = np.zeros(60)
    level[30:36] = (9018e6 * 0.95 - missing * (2**32 - 20e6)) * 8 / 60
    row = verdict(run(300, 60, payload=payload), rates(level), mtu=9000)
    assert (row["verdict"], row["wraps"]) == ("counter wrapped", turns)
    assert row["message"].endswith(f": {turns} turn(s) of 32 bits are missing")
    larger = verdict(run(300, 60, payload=PAYLOAD), rates(level + 9018e6 * 0.05 * 8 / 60 * (level > 0)), mtu=9000)
    assert larger["verdict"] == "fewer octets"  # half a percent of this is more than a hundredth of a turn


def test_ambiguous_intervals_say_so_whatever_was_counted():
    level = np.zeros(60)
    level[30:32] = 1.5 * 9018e6 * 8 / 20
    row = verdict(run(300, 20), rates(level, flag="wrap,ambiguous"))
    assert (row["verdict"], row["wraps"]) == ("counter wrapped", 0)


@pytest.mark.parametrize(("moved", "word"), [(40, "later"), (-40, "earlier")])
def test_clock_offset_is_told_with_its_direction(moved, word):
    level = np.zeros(60)
    level[30 + moved // 10 : 32 + moved // 10] = 9018e6 * 8 / 20
    row = verdict(run(300, 20), rates(level), largest_offset_s=100.0)
    assert row["verdict"] == "clock offset"
    assert row["offset_s"] == pytest.approx(moved, abs=0.05)
    assert row["message"] == f"9.02 GB counted for 9.02 GB expected if shifted by 40.0 s to a {word} time{GUESS}"
    assert row["start_time"] == BEGIN + pd.Timedelta(300, "s")  # as the log says


@pytest.mark.parametrize(("moved", "named"), [(7100, "clock offset"), (-7100, "clock offset"), (7400, "fewer octets")])
def test_clocks_differ_by_up_to_two_hours_where_nothing_else_is_said(moved, named):
    level = np.zeros(400)
    level[(8000 + moved) // 60 : (8000 + moved) // 60 + 2] = 9018e6 * 8 / 120
    (row,) = reconcile(pd.DataFrame([run(8000, 120)]), rates(level, step=60.0), counts="port").to_dict("records")
    assert row["verdict"] == named


@pytest.mark.parametrize(
    ("net", "crossed"),
    [
        (1 + 0.5, [0]),
        (1 + 0.2, [1]),
        (1 + 0.7, [0, 1]),
        (1 + 0.7 * 1.004, [0, 1]),
        (1 + 0.5 + 1.5 * 0.0049, [0]),
        (1 + 0.5 + 1.5 * 0.0051, []),
        (1 + 0.5 - 1.5 * 0.0049, [0]),
        (1 + 0.5 - 1.5 * 0.0051, []),
        (1.0 + 0.3, []),
        (1.0 + 0.9, []),
    ],
)
def test_runs_of_another_port_crossed_where_all_or_one_of_them_explain_it_all(net, crossed):
    how = Framing((9000,), 4, timestamps=True, vlan=False, frame=(18.0, 18.0))
    one, *others = (unplaced({"duration_s": 9.0, "bytes": PAYLOAD * part}) for part in (1.0, 0.5, 0.2))
    assert list(_crossing([one], others, net * 9018e6, how, 0.005)) == [others[number] for number in crossed]
    assert list(_crossing([one], [], 9018e6, how, 0.005)) == []


@pytest.mark.parametrize(
    ("net", "mtu", "expected"),
    [
        (9.0e9, 9000, 9.014e9),  # by the host's count without the check sequence
        (9.015e9, 9000, 9.015e9),
        (9.1e9, 9000, 9.018e9),
        (9.37e9, 1500, 9.37e9),
        (9.5e9, 1500, 8948e6 / 1448 * 1518),  # nearer to 9.38 than to 9.02
        (9.3e9, 1500, 8948e6 / 1448 * 1514),
        (2e10, 1500, 8948e6 / 1448 * 1518),
    ],
)
def test_mtu_is_that_whose_octets_are_nearest(net, mtu, expected):
    how = Framing((1500, 9000), 4, timestamps=True, vlan=False, frame=(14.0, 18.0))
    found = _expected([unplaced({"duration_s": 9.0, "bytes": PAYLOAD})], net, how)
    assert found == (mtu, pytest.approx(expected, rel=1e-6))
    halves = [unplaced({"duration_s": 9.0, "bytes": PAYLOAD / 2})] * 2
    assert _expected(halves, net, how) == (mtu, pytest.approx(found[1], rel=1e-6))


@pytest.mark.parametrize("segments", [(8948, np.nan), (np.nan, 8948)])
def test_the_mtu_that_a_run_states_counts_for_those_beside_it_that_state_none(segments):
    how = Framing((1500,), 4, timestamps=True, vlan=False, frame=(14.0, 18.0))
    half = {"duration_s": 9.0, "bytes": PAYLOAD / 2}
    runs = [unplaced(half | {"mss_bytes": segment}) for segment in segments]
    assert _expected(runs, 9.0e9, how)[0] == 9000


@pytest.mark.parametrize(("part", "named"), [(1.0, "clock offset"), (0.2, "fewer octets")])
def test_a_shift_is_believed_where_most_of_the_run_is_seen_there(part, named):
    """The port counted as much, spread over five times the time."""
    level = np.zeros(200)
    count = round(2 / part)
    level[50 : 50 + count] = 9018e6 * 8 / (10 * count)
    row = verdict(run(300, 20), rates(level), largest_offset_s=300.0)
    assert row["verdict"] == named


def test_where_no_rate_is_known_it_is_told_why():
    level = np.zeros(60)
    assert verdict(run(9000, 20), pd.concat([rates(level), rates(level, name="eth1")]))["message"] == (
        "no port has a known rate at or near the time of the run"
    )
    assert verdict(run(None, 20), rates(np.full(9, np.nan)))["message"] == (
        "no port has a known rate that fits the run, which has no time"
    )
    assert verdict(run(9000, 20), rates(level))["message"] == "no rate is known for the time of the run"
    holes = rates(np.where(np.arange(60) == 31, np.nan, 8e6), flag=np.where(np.arange(60) == 31, "reset,gap", "ok"))
    row = verdict(run(300, 20), holes)
    assert row["message"] == "no rate is known for all of the run's time (reset)"
    assert (row["intervals"], row["interval_s"]) == (2, 10.0)


def test_a_single_interval_beside_the_run_is_all_the_background_there_is():
    level = [8e6, 8e6 + 9018e6 * 8 / 10, 8e6]
    row = verdict(run(12, 6), rates(level))
    assert (row["verdict"], row["background_bytes"]) == ("agrees", pytest.approx(10e6))
    two = verdict(run(2, 6), rates([8e6 + 9018e6 * 8 / 10, 16e6]))
    assert (two["verdict"], two["background_bytes"]) == ("agrees", pytest.approx(20e6))
    uneven = [8e6, 2 * 9018e6 * 8 / 10, 16e9]  # nobody knows between 8 Mb/s and 16 Gb/s
    assert verdict(run(12, 6), rates(uneven))["verdict"] == "averaging window too long"
