"""Runs of tools against counters of ports: every verdict, and clocks that differ."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.base.errors import InputError, RangeError
from hecn_analysis.base.places import data_dir
from hecn_analysis.counters import read_counters
from hecn_analysis.logs import read
from hecn_analysis.traffic.reconcile import COLUMNS, VERDICTS, Framing, reconcile

BEGIN = pd.Timestamp("2013-11-20 12:00:00", tz="UTC")
PAYLOAD, SECONDS = 30e9, 30.0
JUMBO = Framing((9000,), 4, timestamps=True, vlan=False, frame=(18.0, 18.0))


def counters(step, bursts, *, background=1e7, noise=0.0, shift=0.0, length=9000, **columns):
    """Rates of a port that carries bursts (start, seconds, octets) and something else."""
    random = np.random.default_rng(1)
    begin = np.arange(0, length, step, dtype=float)
    end = begin + step
    rate = background * (1 + noise * random.standard_normal(len(begin)))
    for start, seconds, octets in bursts:
        share = np.clip(np.minimum(end, start + shift + seconds) - np.maximum(begin, start + shift), 0, None) / step
        rate = rate + octets * 8 / seconds * share
    return pd.DataFrame(
        {
            "host": "switch",
            "interface": "eth1",
            "time": BEGIN + pd.to_timedelta(end, "s"),
            "interval_s": float(step),
            "in_bps": rate,
            "out_bps": rate * 0.01,
            "flag": "ok",
        }
    ).assign(**columns)


def runs(*starts, payload=PAYLOAD, seconds=SECONDS, **columns):
    return pd.DataFrame(
        {
            "source_file": "nuttcp.log",
            "run": range(len(starts)),
            "tool": "nuttcp",
            "label": "n1",
            "protocol": "tcp",
            "start_time": [pd.NaT if start is None else BEGIN + pd.Timedelta(start, "s") for start in starts],
            "duration_s": seconds,
            "bytes": payload,
            "throughput_bps": payload * 8 / seconds,
            "retransmits": 0,
        }
    ).assign(**columns)


GUESS = "; no MTU is stated: 9000 B fits better than 1500 B"


def octets(payload=PAYLOAD, mtu=9000):
    return JUMBO.octets(payload, "tcp", mtu)[0]


def verdict(*args, **options):
    (row,) = reconcile(*args, **options).to_dict("records")
    assert set(row) == set(COLUMNS)
    assert row["verdict"] in VERDICTS
    return row


def test_octets_are_payload_and_headers_of_its_packets():
    assert JUMBO.octets(8948 * 10, "tcp", 9000) == (90180.0, 90180.0)
    assert JUMBO.octets(8948 * 10 + 1, "tcp", 9000) == (90180.0 + 1 + 52 + 18,) * 2
    tagged = Framing((1500,), 6, timestamps=False, vlan=True, frame=(14.0, 18.0))
    assert tagged.octets(1440, "tcp", 1500) == (1518.0, 1522.0)
    assert tagged.octets(1452, "udp", 1500) == (1518.0, 1522.0)


@pytest.mark.parametrize("step", [1, 10, 60, 300])
@pytest.mark.parametrize("mtu", [1500, 9000])
def test_run_agrees_and_the_mtu_is_found(step, mtu):
    row = verdict(runs(1234), counters(step, [(1234, 30, octets(mtu=mtu))]))
    assert (row["verdict"], row["direction"], row["interface"], row["mtu"]) == ("agrees", "in", "eth1", mtu)
    assert abs(row["excess_fraction"]) < 1e-3
    assert row["offset_s"] == 0.0


@pytest.mark.parametrize(
    ("segment", "mtu", "verdict_at_1500", "verdict_at_9000"),
    [
        (1448, 1500, "agrees", "fewer octets"),
        (1460, 1500, "agrees", "fewer octets"),
        (8948, 9000, "retransmissions or other traffic", "agrees"),
        (8960, 9000, "retransmissions or other traffic", "agrees"),
    ],
)
def test_the_segment_size_of_the_log_says_which_framing_is_expected(segment, mtu, verdict_at_1500, verdict_at_9000):
    """Counters of the other framing agreed with any run: 4 % too much, or 4 % too little."""
    told = runs(1234, mss_bytes=segment)
    for size, expected in ((1500, verdict_at_1500), (9000, verdict_at_9000)):
        row = verdict(told, counters(10, [(1234, 30, octets(mtu=size))]), counts="port", tolerance=0.01)
        assert (row["verdict"], row["mtu"]) == (expected, mtu)
        assert "no MTU is stated" not in row["message"]


def test_a_stated_segment_size_wins_over_the_mtu_that_is_given():
    row = verdict(runs(1234, mss_bytes=1448), counters(10, [(1234, 30, octets(mtu=1500))]), mtu=9000)
    assert (row["verdict"], row["mtu"]) == ("agrees", 1500)


def test_without_a_segment_size_the_message_says_that_the_mtu_is_a_guess():
    rates = counters(10, [(1234, 30, octets())])
    assert verdict(runs(1234), rates)["message"].endswith(GUESS)
    assert GUESS not in verdict(runs(1234), rates, mtu=9000)["message"]
    assert verdict(runs(1234, protocol="udp", mss_bytes=1448), rates)["message"].endswith(GUESS)


@pytest.mark.parametrize(
    ("ip", "segment", "expected"),
    [
        (4, 1448, (1500, True)),
        (4, 1460, (1500, False)),
        (4, 1400, (1452, True)),
        (6, 1428, (1500, True)),
        (6, 1440, (1500, False)),
        (4, 65483, (65535, True)),
        (4, 8, None),
    ],
)
def test_segments_say_mtu_and_timestamps(ip, segment, expected):
    assert Framing((1500, 9000), ip, timestamps=True, vlan=False, frame=(18.0, 18.0)).stated("tcp", segment) == expected


def test_live_accuracy_is_half_a_percent():
    rates = counters(1, [(1234, 30, octets() * 1.004)])
    assert verdict(runs(1234), rates)["verdict"] == "agrees"
    assert verdict(runs(1234), rates, tolerance=0.003)["verdict"] == "retransmissions or other traffic"


def test_more_than_the_run_is_retransmissions_or_other_traffic_and_how_much():
    row = verdict(runs(1234, retransmits=1000), counters(10, [(1234, 30, octets() * 1.02)]), counts="port")
    assert row["verdict"] == "retransmissions or other traffic"
    assert row["excess_bytes"] == pytest.approx(octets() * 0.02, rel=1e-3)
    assert row["message"] == (
        "30.8 GB counted for 30.2 GB expected: 605 MB (2.0 %) more; the tool's retransmissions are up to 9.02 MB of it"
        "; no MTU is stated: 9000 B fits better than 1500 B"
    )


@pytest.mark.parametrize("shift", [-3600.0, -47.0, 7.3, 3600.0])
@pytest.mark.parametrize("step", [1, 10])
def test_clocks_that_differ_are_found_by_the_best_shift(step, shift):
    row = verdict(runs(4234), counters(step, [(4234, 30, octets())], shift=shift, noise=0.05))
    assert row["verdict"] == "clock offset"
    assert row["offset_s"] == pytest.approx(shift, abs=0.3)


def test_offset_of_an_hour_shows_in_five_minute_averages_too():
    row = verdict(runs(4234), counters(300, [(4234, 30, octets())], shift=3600))
    assert row["verdict"] == "clock offset"
    assert row["offset_s"] == pytest.approx(3600, abs=150)


def test_32_bit_counter_that_wrapped_unseen_is_told():
    small = 6e9
    row = verdict(runs(1234, payload=small), counters(60, [(1234, 30, octets(small) - 2**32)]))
    assert (row["verdict"], row["wraps"]) == ("counter wrapped", 1)
    flagged = counters(60, [(1234, 30, 1e9)], flag="ambiguous")
    assert verdict(runs(1234), flagged)["verdict"] == "counter wrapped"


def test_run_lost_in_what_else_the_port_carries_is_not_judged():
    row = verdict(runs(1234), counters(300, [(1234, 30, octets() * 1.05)], background=5e9, noise=0.3))
    assert row["verdict"] == "averaging window too long"
    assert row["message"].endswith("in intervals of 300 s it cannot be separated from the port's other traffic")


def test_runs_in_the_same_interval_agree_together_or_cannot_be_told_apart():
    both = runs(1210, 1260)
    found = reconcile(both, counters(300, [(1210, 30, octets()), (1260, 30, octets())]))
    assert found["verdict"].tolist() == ["agrees", "agrees"]
    assert found["message"].str.contains(r"together with 1 other run\(s\) in the same intervals").all()
    found = reconcile(both, counters(300, [(1210, 30, octets()), (1260, 30, octets() * 1.5)]))
    assert found["verdict"].tolist() == ["averaging window too long"] * 2


STARTS = [1200 + 40 * number for number in range(8)]
"""Tests of 30 s that follow each other so closely that most intervals around one are those of others."""
BURSTS = [(start, 30, octets()) for start in STARTS]


def test_runs_that_fit_another_port_of_the_path_are_no_background_of_this_one():
    """Both ports counted all runs; which of them fits a run better is chance."""
    noise = np.random.default_rng(5).normal(0, 3e7, 1800)
    other = counters(5, BURSTS, interface="eth2")
    rates = pd.concat([counters(5, BURSTS), other.assign(in_bps=other["in_bps"] + noise)])
    found = reconcile(runs(*STARTS), rates)
    assert found["interface"].nunique() == 2
    assert found["verdict"].tolist() == ["agrees"] * 8


def test_a_run_that_fits_another_port_is_added_where_it_crossed_this_one_in_the_same_interval(monkeypatch):
    both = runs(1210, 1260)
    both.loc[1, ["bytes", "throughput_bps"]] //= 2
    half = (1260, 30, octets(PAYLOAD // 2))
    own = counters(5, [half], interface="eth2")
    rates = pd.concat([own, counters(300, [(1210, 30, octets()), half])])

    def by_hand(several, every, *_):
        known = {(port.interface, port.direction): port for port in every}
        return [
            replace(one, port=known[name, "in"], offset=0.0, resembles=0.0)
            for one, name in zip(several, ("eth1", "eth2"), strict=True)
        ]

    monkeypatch.setattr("hecn_analysis.traffic.placing.placed", by_hand)
    found = reconcile(both, rates)
    assert found["interface"].tolist() == ["eth1", "eth2"]
    assert found["verdict"].tolist() == ["agrees", "agrees"]
    assert "together with 1 other run(s) in the same intervals" in found["message"][0]
    assert "together" not in found["message"][1]


def test_runs_whose_log_says_no_amount_are_no_background():
    known = runs(*STARTS)
    known.loc[known["run"] != 3, ["bytes", "throughput_bps"]] = np.nan
    found = reconcile(known, counters(5, BURSTS))
    assert found["verdict"].tolist() == ["not enough in the log"] * 3 + ["agrees"] + ["not enough in the log"] * 4


@pytest.mark.parametrize("pause", [10, 1])
def test_tests_that_nobody_told_of_around_a_run_make_it_not_tellable(pause):
    bursts = [(1200 + (30 + pause) * number, 30, octets()) for number in range(8)]
    row = verdict(runs(bursts[3][0]), counters(5, bursts))
    assert row["verdict"] == "averaging window too long"
    assert row["message"].endswith(
        "counted for 30.2 GB expected: the share of other traffic is unknown, since there may have been other "
        "transfers before and after"
    )
    assert verdict(runs(1234), counters(5, [], background=1e9, noise=0.01))["verdict"] == "fewer octets"


@pytest.mark.parametrize(("share", "verdict_"), [(0.6, "averaging window too long"), (0.4, "fewer octets")])
def test_other_traffic_of_half_a_run_that_pauses_for_it_may_have_been_other_transfers(share, verdict_):
    rate = share * octets() / 30
    bursts = [(0, 1230, 1230 * rate), (1230, 30, octets()), (1260, 7740, 7740 * rate)]
    assert verdict(runs(1230), counters(5, bursts, background=0.0))["verdict"] == verdict_


@pytest.mark.parametrize(
    ("calmest", "missing", "verdict_"),
    [
        (0.0, 0.0, "averaging window too long"),  # without anything else the port counted the run, to the octet
        (0.0, 1.0, "fewer octets"),
        (1e8, -6e8, "averaging window too long"),  # at 100 Mb/s the port carried 500 MB in the 40 s
        (1e8, -4e8, "fewer octets"),
        (1e10, 0.0, "fewer octets"),  # it usually carried 1 Gb/s, 5 GB
    ],
)
def test_what_else_a_port_carried_in_a_run_is_at_least_what_it_did_in_its_calmest_interval(calmest, missing, verdict_):
    rates = counters(10, [], background=1e9, length=400)
    rates.loc[20:23, "in_bps"] = (octets() - missing) * 8 / 40
    rates.loc[17, "in_bps"] = calmest
    row = verdict(runs(200, seconds=40.0), rates.assign(out_bps=0.0), mtu=9000, counts="port", tolerance=0.0)
    assert row["background_bytes"] == 5e9
    assert row["verdict"] == verdict_


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.slow
def test_a_port_that_carries_tests_most_of_the_time_is_found(timed):
    starts = [200 + 35 * number for number in range(30)]
    known = runs(*(starts if timed else [None] * 30))
    found = reconcile(known, counters(5, [(start, 30, octets()) for start in starts], length=1500))
    assert set(zip(found["direction"], found["verdict"], strict=True)) == {("in", "agrees")}


def test_end_of_a_run_that_is_counted_in_the_next_interval_belongs_to_it():
    """An agent that keeps its counters for 3 s: what it answers is up to so much late."""
    late = counters(5, [(1234, 34, octets())], background=0.0)
    row = verdict(runs(1234), late, largest_offset_s=1.0)
    assert (row["verdict"], row["intervals"]) == ("agrees", 8)
    assert row["message"] == "30.2 GB counted for 30.2 GB expected, a part of it in the interval after the run" + GUESS
    early = counters(5, [(1227, 34, octets())], background=0.0)
    assert verdict(runs(1231), early, largest_offset_s=1.0)["message"].endswith(
        "in the interval before the run" + GUESS
    )
    assert verdict(runs(1234), counters(5, [(1234, 44, octets())], background=0.0))["verdict"] == "fewer octets"


def test_all_runs_of_the_recorded_session_were_seen_whole():
    session = data_dir() / "counters" / "session"
    if not session.is_dir():
        pytest.skip("data/counters is in a checkout only")
    known = [session / name for name in ("iperf3-receive.json", "iperf3-send.json", "nuttcp.txt")]
    found = reconcile(read(known).runs, read_counters(session / "walks.txt.gz").rates)
    assert found["verdict"].value_counts().to_dict() == {"agrees": 8, "retransmissions or other traffic": 3}
    assert found["message"].iloc[-1].endswith("a part of it in the interval after the run" + GUESS)


def test_run_without_a_time_is_placed_where_it_fits():
    row = verdict(runs(None), counters(10, [(1234, 30, octets())]))
    assert row["verdict"] == "agrees"
    assert abs((row["start_time"] - BEGIN).total_seconds() - 1234) < 1


def test_port_that_carried_less_is_another_port():
    assert verdict(runs(1234), counters(10, []))["verdict"] == "fewer octets"


def test_times_without_a_rate_are_told():
    rates = counters(10, [(1234, 30, octets())])
    rates.loc[rates.index[120:130], ["in_bps", "out_bps", "flag"]] = [np.nan, np.nan, "reset"]
    row = verdict(runs(1234), rates, largest_offset_s=20)
    assert row["verdict"] == "no counters"
    assert row["message"] == "no rate is known for all of the run's time (reset)"
    assert verdict(runs(1e6), rates)["verdict"] == "no counters"
    assert verdict(runs(1234), rates.head(0))["verdict"] == "no counters"


def test_log_without_an_amount_is_told():
    row = verdict(runs(1234, payload=np.nan), counters(10, []))
    assert row["verdict"] == "not enough in the log"
    assert verdict(runs(1234, bytes=np.nan), counters(10, [(1234, 30, octets())]))["verdict"] == "agrees"


def test_best_port_is_taken_and_one_can_be_named():
    rates = pd.concat([counters(10, [], interface="eth0"), counters(10, [(1234, 30, octets())])])
    assert verdict(runs(1234), rates)["interface"] == "eth1"
    assert verdict(runs(1234), rates, interface="eth0")["verdict"] == "fewer octets"
    with pytest.raises(InputError, match=r"^found no port 'eth9', expected one of eth0, eth1$"):
        reconcile(runs(1234), rates, interface="eth9")


def test_impossible_settings_are_refused():
    with pytest.raises(RangeError, match=r"^counts: found 'wire', expected one of port, host, ip, unknown$"):
        reconcile(runs(), counters(10, []), counts="wire")
    with pytest.raises(RangeError, match=r"^tolerance: found 1, expected 0 to less than 1$"):
        reconcile(runs(), counters(10, []), tolerance=1)
    with pytest.raises(RangeError, match=r"^largest_offset_s: found -1, expected 0 or more seconds$"):
        reconcile(runs(), counters(10, []), largest_offset_s=-1)
    assert tuple(reconcile(runs(), counters(10, [])).columns) == COLUMNS


@settings(max_examples=40, deadline=None)
@given(
    st.floats(600, 6000),
    st.floats(5, 120),
    st.sampled_from([1.0, 2.5, 10.0, 30.0]),
    st.sampled_from([1500, 9000]),
    st.floats(1e9, 1e12),
)
@pytest.mark.slow
def test_a_run_on_a_quiet_port_always_agrees(start, seconds, step, mtu, payload):
    rates = counters(step, [(start, seconds, octets(payload, mtu))], background=1e5)
    row = verdict(runs(start, payload=payload, seconds=seconds), rates)
    assert row["verdict"] == "agrees"
    assert row["mtu"] == mtu


def test_runs_that_take_all_the_time_there_is_have_no_background():
    """Where the whole of what was counted is the run's, it is compared; where that is only a part, nobody can tell."""
    whole = counters(100, [(0, 9000, octets())], background=0.0)
    assert verdict(runs(0, seconds=9000), whole)["verdict"] == "agrees"
    one = counters(300, [(0, 30, octets())], length=300)
    assert verdict(runs(0), one, largest_offset_s=0)["verdict"] == "averaging window too long"


@pytest.mark.parametrize(
    ("seconds", "carried", "verdict_"),
    [
        (1000.0, 1.05, "retransmissions or other traffic"),
        (1000.0, 0.95, "fewer octets"),
        (996.0, 1.05, "retransmissions or other traffic"),
        (994.0, 1.05, "averaging window too long"),  # in the rest the port may have carried anything
        (994.0, 0.95, "averaging window too long"),
    ],
)
def test_run_that_fills_all_there_is_but_half_a_percent_has_no_background(seconds, carried, verdict_):
    whole = counters(1000, [(0, 1000, octets() * carried)], background=0.0, length=1000)
    assert verdict(runs(0, seconds=seconds), whole, largest_offset_s=0)["verdict"] == verdict_


def test_runs_without_a_time_are_placed_as_far_as_there_is_room():
    unknown = counters(10, []).assign(in_bps=np.nan, out_bps=np.nan)
    assert verdict(runs(None), unknown)["verdict"] == "no counters"
    assert verdict(runs(None), counters(10, [(0, 30, octets())]).assign(interval_s=0.0))["verdict"] == "no counters"
    short = counters(10, [(10, 30, octets())], length=60)
    found = reconcile(runs(None, None, None), short)["start_time"]
    assert found.notna().sum() < 3
    placed = found.dropna()
    assert (placed.diff().dropna() >= pd.Timedelta(seconds=SECONDS - 1)).all()  # one after another
