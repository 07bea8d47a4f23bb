"""Service levels: pass, fail and not enough evidence, each with its bounds."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hecn_analysis.base.errors import InputError
from hecn_analysis.traffic.service_levels import (
    ServiceLevel,
    judge,
    load,
    names,
    outage_bounds,
    packets_needed,
    proportion_bounds,
)

BEGIN = pd.Timestamp("2013-11-20", tz="UTC")


def level(**limits):
    return ServiceLevel(title="ours", document="none", **limits)


def row(level_, runs=None, samples=None, criterion=None):
    rows = judge(level_, pd.DataFrame() if runs is None else runs, samples)
    rows = rows if criterion is None else rows[rows["criterion"] == criterion]
    (found,) = rows.to_dict("records")
    return found


def pings(sent, lost, **columns):
    return pd.DataFrame({"sent_packets": sent, "lost_packets": lost}).assign(**columns)


def test_tables_of_the_documents_are_shipped():
    tables = ["hec-operational-wan", "hec-operational-wan-2013", "hec-test-wan", "hec-test-wan-2013"]
    assert names() == tables
    test, operational = load("hec-test-wan"), load("hec-operational-wan")
    assert (test.availability, test.restoral_time, test.rtt, test.loss, test.mtu) == (0.8, 48 * 3600, 0.1, 1e-7, 9000)
    assert (operational.availability, operational.restoral_time) == (0.995, 4 * 3600)
    assert "10 January 2011" in test.document
    # both kinds of links: 40 Gb/s from July 2011, 100 Gb/s from July 2013, each as one link
    assert [load(name).bandwidth for name in tables] == [40e9, 100e9, 40e9, 100e9]
    assert all(load(name).single_link for name in tables)
    same = {"title", "place", "name", "availability", "restoral_time"}
    assert operational.model_dump(exclude=same) == test.model_dump(exclude=same)


def test_faults_of_a_table_are_told(tmp_path):
    with pytest.raises(InputError) as error:
        load("hec-test-wam")
    assert str(error.value) == (
        "found service level 'hec-test-wam', expected a YAML file or one of hec-test-wan, hec-test-wan-2013, "
        "hec-operational-wan, hec-operational-wan-2013; "
        "did you mean 'hec-test-wan'?"
    )
    path = tmp_path / "a.yaml"
    path.write_text("title: a\ndocument: b\nlos: 1e-7\n")
    with pytest.raises(
        InputError, match=r"a\.yaml:3: found unknown key 'los', expected one of .*; did you mean 'loss'\?$"
    ):
        load(path)
    path.write_text("title: a\ndocument: b\navailability: 120 %\n")
    with pytest.raises(InputError, match=r"a\.yaml:3: found .*'120 %', expected more than 0 and at most 1"):
        load(path)


def test_a_table_of_ones_own_states_only_what_differs(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("like: hec-test-wan\ntitle: ours\nrtt: 50 ms\n")
    ours, theirs = load(path), load("hec-test-wan")
    assert (ours.name, ours.title, ours.rtt) == ("a", "ours", 0.05)
    assert ours.model_dump(exclude={"name", "title", "rtt"}) == theirs.model_dump(exclude={"name", "title", "rtt"})
    same_name = tmp_path / "hec-test-wan.yaml"
    same_name.write_text(path.read_text())
    assert load(same_name).rtt == 0.05
    path.write_text("title: a\nlike: hec-test-wam\n")
    with pytest.raises(InputError, match=r"a\.yaml:2: found like: 'hec-test-wam', .*; did you mean 'hec-test-wan'\?$"):
        load(path)


# loss


def test_no_loss_in_few_packets_is_no_proof_of_a_small_loss():
    found = row(level(loss=1e-7), pings([1_000_000], [0]))
    assert found["verdict"] == "not enough evidence"
    assert found["high"] == pytest.approx(3e-6, rel=0.01)
    assert found["needed"] == "28,957,322 more packets without a loss"


def test_loss_passes_and_fails_by_its_bounds():
    assert row(level(loss=1e-7), pings([40_000_000], [0]))["verdict"] == "pass"
    assert row(level(loss=1e-7), pings([40_000_000], [20]))["verdict"] == "fail"
    assert row(level(loss=1e-7), pings([40_000_000], [3]))["verdict"] == "not enough evidence"


def test_packets_of_tcp_without_a_retransmission_are_evidence_and_retransmissions_are_no_proof_of_loss():
    tcp = pd.DataFrame({"retransmits": [0], "bytes": [3e11], "throughput_bps": 8e9, "duration_s": 300.0})
    found = row(level(loss=1e-7, mtu=9000), tcp, criterion="loss")
    assert found["verdict"] == "pass"
    assert found["evidence"] == "0 of 33,527,046 TCP packets retransmitted"
    assert row(level(loss=1e-7), tcp.assign(retransmits=1000))["verdict"] == "not enough evidence"


def test_no_packets_say_nothing():
    found = row(level(loss=1e-7))
    assert (found["verdict"], found["low"], found["high"]) == ("not enough evidence", 0.0, 1.0)


@given(st.integers(0, 50), st.integers(1, 10_000))
def test_bounds_are_those_of_the_binomial_law(hits, count):
    hits = min(hits, count)
    low, high = proportion_bounds(hits, count)
    assert low <= hits / count <= high
    if hits:
        assert stats.binom.sf(hits - 1, count, low) == pytest.approx(0.05, rel=1e-5)
    if hits < count:
        assert stats.binom.cdf(hits, count, high) == pytest.approx(0.05, rel=1e-5)


@given(st.floats(1e-9, 1e-2), st.integers(0, 5))
def test_packets_that_are_needed_are_enough_and_not_too_many(limit, lost):
    need = packets_needed(limit, lost)
    assert proportion_bounds(lost, math.ceil(need * 1.001) + 1)[1] <= limit * 1.001
    assert proportion_bounds(lost, max(int(need * 0.98) - 5, lost + 1))[1] > limit or need < 400


# round trip


def test_round_trip_is_the_median_with_bounds():
    assert row(level(rtt=0.1), pd.DataFrame({"rtt_avg_s": [0.087] * 8}))["verdict"] == "pass"
    assert row(level(rtt=0.1), pd.DataFrame({"rtt_avg_s": [0.187] * 8}))["verdict"] == "fail"
    assert row(level(rtt=0.1), pd.DataFrame({"rtt_s": [0.087] * 4}))["needed"] == "5 runs or more"
    assert row(level(rtt=0.1), pd.DataFrame({"rtt_min_s": [0.05, 0.15] * 4}))["verdict"] == "not enough evidence"
    assert row(level(rtt=0.1))["needed"] == "runs with a round trip, such as ping"


# availability


def every(seconds, good):
    """Tests at equal times, of which some go through."""
    good = np.asarray(good, dtype=bool)
    return pd.DataFrame(
        {"start_time": BEGIN + pd.to_timedelta(np.arange(len(good)) * seconds, "s"), "loss_fraction": 1.0 - good}
    )


def test_availability_of_a_long_time_without_an_outage_passes():
    runs = every(600, [True] * 6 * 24 * 365)
    found = row(level(availability=0.995, restoral_time=4 * 3600), runs, criterion="availability")
    assert found["verdict"] == "pass"
    assert found["low"] == pytest.approx(1 - 3 * 4 / (365 * 24), abs=1e-4)
    week = row(
        level(availability=0.995, restoral_time=4 * 3600), every(600, [True] * 6 * 24 * 7), criterion="availability"
    )
    assert (week["verdict"], week["needed"]) == ("not enough evidence", "a longer time")


def test_outages_are_counted_with_their_lengths():
    good = np.ones(6 * 24 * 30, dtype=bool)
    good[1000:1036] = False  # 6 hours
    good[3000:3006] = False
    rows = judge(level(availability=0.8, restoral_time=4 * 3600), every(600, good)).set_index("criterion")
    assert rows.loc["restoral time", "verdict"] == "fail"
    assert (rows.loc["restoral time", "low"], rows.loc["restoral time", "high"]) == (35 * 600, 37 * 600)
    assert rows.loc["availability", "estimate"] == pytest.approx(1 - 42 / len(good), rel=1e-3)
    assert rows.loc["availability", "low"] == pytest.approx(0.71, abs=0.01)  # two outages may have been lucky ones
    assert rows.loc["availability", "verdict"] == "not enough evidence"


def test_an_outage_of_a_device_whose_clock_was_never_set_is_as_long_as_any():
    """Its times begin in 1970."""
    tests = every(600, [True, True, False, False, True])
    tests["start_time"] += pd.Timestamp(0, tz="UTC") - tests["start_time"].min()
    rows = judge(level(restoral_time=4 * 3600), tests).set_index("criterion")
    assert (rows.loc["restoral time", "low"], rows.loc["restoral time", "high"]) == (600, 1800)


def test_restoral_time_between_two_tests_is_not_decided():
    good = [True] * 20 + [False] + [True] * 20
    found = row(level(restoral_time=3600), every(3000, good))
    assert (found["verdict"], found["needed"]) == ("not enough evidence", "tests more often")


def test_tests_without_times_are_counted():
    runs = pd.DataFrame({"error": [False] * 95 + [True] * 5})
    assert row(level(availability=0.8), runs)["verdict"] == "pass"
    assert row(level(availability=0.995), runs)["verdict"] == "fail"
    assert row(level(availability=0.8))["verdict"] == "not enough evidence"


def test_ports_that_say_whether_they_are_up_are_watched():
    samples = pd.DataFrame(
        {
            "host": "switch",
            "interface": "eth0",
            "time": BEGIN + pd.to_timedelta(np.arange(9000) * 300, "s"),
            "up": pd.array(np.arange(9000) % 3000 > 1500, dtype="boolean"),
        }
    )
    found = row(level(availability=0.995), None, samples)
    assert found["verdict"] == "fail"
    assert found["evidence"].startswith("3 outage(s)")


def test_outage_bounds_hold_the_truth_of_simulated_outages():
    random = np.random.default_rng(3)
    inside = 0
    for _ in range(200):
        up, down = random.exponential(100.0, 30), random.exponential(5.0, 30)
        low, high = outage_bounds(30, down.sum(), up.sum() + down.sum(), 1.0)
        inside += low <= 5 / 105 <= high
    assert inside >= 0.9 * 200


# packet size and bandwidth


def test_packet_size_is_shown_by_readings_and_by_nothing_else():
    octets = np.arange(4) * 9018 * 1_000_000
    samples = pd.DataFrame(
        {
            "host": "s",
            "interface": "a",
            "time": BEGIN + pd.to_timedelta(np.arange(4) * 300, "s"),
            "in_octets": octets,
            "out_octets": np.arange(4) * 64,
            "in_packets": np.arange(4) * 1_000_000,
            "out_packets": np.arange(4),
        }
    )
    found = row(level(mtu=9000), None, samples)
    assert (found["verdict"], found["estimate"]) == ("pass", 9018.0)
    assert (
        row(level(mtu=9000), None, samples.assign(in_packets=samples["in_packets"] * 6))["verdict"]
        == "not enough evidence"
    )
    assert row(level(mtu=9000))["needed"] == "readings of a port that carries a bulk transfer"


def test_bandwidth_is_shown_by_the_fastest_run():
    runs = pd.DataFrame({"throughput_bps": [39.5e9, 1e9, 400e9], "protocol": ["tcp", "tcp", "file"]})
    assert row(level(bandwidth=40e9, mtu=9000), runs, criterion="bandwidth")["verdict"] == "pass"
    assert row(level(bandwidth=100e9), runs)["verdict"] == "not enough evidence"


def test_bonded_links_do_not_show_the_bandwidth_of_a_single_one():
    runs = pd.DataFrame({"throughput_bps": [39.5e9], "protocol": "tcp"})
    single = level(bandwidth=40e9, mtu=9000, single_link=True)
    ports = pd.DataFrame({"speed_bps": [10e9] * 4})
    for samples in (None, ports):
        found = row(single, runs, samples, criterion="bandwidth")
        assert found["verdict"] == "not enough evidence"
        assert found["needed"] == "readings of a port of 40.0 Gb/s: several links may have carried the run"
    assert row(single, runs, pd.DataFrame({"speed_bps": [40e9]}), criterion="bandwidth")["verdict"] == "pass"
    slow = row(single, runs.assign(throughput_bps=8e9), ports, criterion="bandwidth")
    assert slow["needed"] == "a run that fills the path"


def test_all_of_a_documents_table_is_judged():
    assert judge(load("hec-test-wan"), pd.DataFrame())["criterion"].tolist() == [
        *("availability", "restoral time", "rtt", "loss", "mtu", "bandwidth")
    ]


def test_no_time_watched_bounds_nothing():
    assert outage_bounds(0, 0.0, 0.0, 60.0) == (0.0, 1.0)
