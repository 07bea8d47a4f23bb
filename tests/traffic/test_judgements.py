"""Judgements by service levels at their bounds, row by row, with every word of what they rest on."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hecn_analysis.traffic.service_level_evidence import NAMES, evidence, least_effort, summary, written
from hecn_analysis.traffic.service_levels import (
    COLUMNS,
    ServiceLevel,
    judge,
    outage_bounds,
    packets_needed,
    proportion_bounds,
)

BEGIN = pd.Timestamp("2026-03-01", tz="UTC")
UNKNOWN = "not enough evidence"


def level(**limits):
    return ServiceLevel(title="ours", document="none", **limits)


def judged(limits, runs=None, samples=None):
    found = judge(level(**limits), pd.DataFrame() if runs is None else runs, samples)
    assert tuple(found.columns) == COLUMNS
    return found.set_index("criterion")


def only(limits, runs=None, samples=None):
    (row,) = judged(limits, runs, samples).to_dict("records")
    return row


def every(seconds, good, **columns):
    """Tests at equal times."""
    good = np.asarray(good, dtype=bool)
    times = BEGIN + pd.to_timedelta(np.arange(len(good)) * seconds, "s")
    return pd.DataFrame({"start_time": times, "loss_fraction": 1.0 - good}).assign(**columns)


def port(seconds, up, name="eth0", **columns):
    times = BEGIN + pd.to_timedelta(np.arange(len(up)) * seconds, "s")
    return pd.DataFrame(
        {"host": "switch", "interface": name, "time": times, "up": pd.array(up, dtype="boolean")}
    ).assign(**columns)


# bounds


def test_bounds_of_nothing_and_of_all():
    assert proportion_bounds(0, 0) == (0.0, 1.0)
    assert proportion_bounds(0, 1) == (0.0, pytest.approx(0.95))  # 1 - 0.05
    assert proportion_bounds(1, 1) == (pytest.approx(0.05), 1.0)
    assert proportion_bounds(10, 10, 0.9) == (pytest.approx(0.1**0.1), 1.0)
    assert proportion_bounds(0, 10, 0.9) == (0.0, pytest.approx(1 - 0.1**0.1))


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize(("lost", "limit"), [(0, 1e-3), (1, 1e-3), (4, 1e-5)])
def test_packets_that_are_needed_are_those_of_poisson(lost, limit, confidence):
    need = packets_needed(limit, lost, confidence)
    assert stats.poisson.cdf(lost, need * limit) <= (1 - confidence) * (1 + 1e-3)
    assert stats.poisson.cdf(lost, (need - 2 / limit / 1000 - 2) * limit) > 1 - confidence
    if lost == 0:  # exactly, by the binomial law
        assert (1 - limit) ** need <= 1 - confidence < (1 - limit) ** (need - 1)


def test_outages_of_a_time_are_bounded_by_their_number_and_their_length():
    """By Poisson's law and the chi-square law, each at half of what may fail."""
    low, high = outage_bounds(3, 600.0, 1e6, 5.0)
    rate = [stats.chi2.ppf(0.025, 6) / 2 / 1e6, stats.chi2.ppf(0.975, 8) / 2 / 1e6]
    mean = [2 * 600 / stats.chi2.ppf(0.975, 6), 2 * 600 / stats.chi2.ppf(0.025, 6)]
    assert (low, high) == (pytest.approx(rate[0] * mean[0]), pytest.approx(rate[1] * mean[1]))
    assert outage_bounds(0, 0.0, 1e6, 1000.0) == (0.0, pytest.approx(-math.log(0.05) / 1000))
    assert outage_bounds(0, 0.0, 1e6, 1000.0, 0.9) == (0.0, pytest.approx(-math.log(0.1) / 1000))
    assert outage_bounds(0, 0.0, 100.0, 1000.0) == (0.0, 1.0)
    assert outage_bounds(2, 90.0, 100.0, 5.0)[1] == 1.0
    assert outage_bounds(0, 0.0, 0.5, 0.1)[1] == pytest.approx(-math.log(0.05) / 5)
    assert outage_bounds(0, 0.0, -1.0, 60.0) == (0.0, 1.0)


# loss


def test_loss_is_counted_over_all_runs_that_count_packets():
    runs = pd.DataFrame({"sent_packets": [1000, 3000, None, 500], "lost_packets": [1, 2, 5, None]})
    row = only({"loss": 1e-2}, runs)
    assert row["evidence"] == "3 of 4,000 packets lost"
    assert row["estimate"] == 3 / 4000
    assert (row["low"], row["high"]) == pytest.approx(proportion_bounds(3, 4000))
    assert (row["verdict"], row["needed"], row["unit"], row["limit"]) == ("pass", "", "1", 1e-2)


@pytest.mark.parametrize("mtu", [None, 9000])
def test_segments_of_tcp_are_what_its_bytes_need_and_what_was_sent_again(mtu):
    data = 1448 if mtu is None else 8948  # 20 + 20 bytes of headers and 12 of timestamps off the MTU
    runs = pd.DataFrame(
        {
            "retransmits": [3, 1, None, 7],
            "bytes": [data * 100, None, 5e9, None],
            "throughput_bps": [1.0, 8e3 * data, 8e9, None],
            "duration_s": [1.0, 10.0, 5.0, 2.0],
        }
    )
    row = judged({"loss": 0.5, **({} if mtu is None else {"mtu": mtu})}, runs).loc["loss"]
    assert row["evidence"] == "4 of 10,104 TCP packets retransmitted"  # 100 + 3, and 10 000 + 1
    assert row["estimate"] == 4 / 10_104
    assert row["high"] == pytest.approx(proportion_bounds(4, 10_104)[1])
    assert (row["low"], row["verdict"]) == (0.0, "pass")


def test_packets_of_a_run_that_counts_both_are_not_counted_twice():
    runs = pd.DataFrame({"sent_packets": [1000, None], "lost_packets": [0, None], "retransmits": 0, "bytes": 14480.0})
    row = only({"loss": 1e-2}, runs)
    assert row["evidence"] == "0 of 1,000 packets lost; 0 of 10 TCP packets retransmitted"
    assert row["high"] == pytest.approx(proportion_bounds(0, 1010)[1])


def test_what_is_still_needed_are_the_packets_less_those_that_were_sent():
    row = only({"loss": 1e-3}, pd.DataFrame({"sent_packets": [2000], "lost_packets": [1]}))
    assert (row["verdict"], row["needed"]) == (
        UNKNOWN,
        f"{packets_needed(1e-3, 1) - 2000:,} more packets without a loss",
    )
    assert only({"loss": 1e-3})["needed"] == "2,995 more packets without a loss"
    assert only({"loss": 1e-3})["evidence"] == "0 of 0 packets lost"
    assert pd.isna(only({"loss": 1e-3})["estimate"])


@pytest.mark.parametrize(
    ("limit", "sent", "lost", "verdict", "needed"),
    [
        (1.0, 0, 0, UNKNOWN, "1 more packets without a loss"),  # any packet that arrives shows less than all lost
        (1.0, 1, 0, "pass", ""),
        (0.95, 1, 0, UNKNOWN, "1 more packets without a loss"),  # the bound is the limit, and not below it
        (0.95, 2, 0, "pass", ""),
        (proportion_bounds(1, 1)[0], 1, 1, UNKNOWN, "94 more packets without a loss"),  # nor above it
        (0.049, 1, 1, "fail", ""),
    ],
)
def test_bound_of_a_loss_that_is_its_limit_shows_nothing(limit, sent, lost, verdict, needed):
    row = only({"loss": limit}, pd.DataFrame({"sent_packets": [sent], "lost_packets": [lost]}))
    assert (row["verdict"], row["needed"]) == (verdict, needed)


# round trip


@pytest.mark.parametrize("count", [1, 4, 5, 7, 8, 11, 20])
def test_median_is_bounded_by_order_statistics(count):
    """The rank is the last one with at most 5 % of the binomial law's half below it (Conover 3.2)."""
    values = np.arange(1, count + 1) / 100.0
    row = only({"rtt": 10.0}, pd.DataFrame({"rtt_avg_s": np.random.default_rng(1).permutation(values)}))
    below = [sum(math.comb(count, i) for i in range(rank)) / 2**count for rank in range(count + 1)]
    rank = max(rank for rank, part in enumerate(below) if part <= 0.05)
    assert row["estimate"] == pytest.approx(np.median(values))
    assert row["evidence"] == f"{count} runs with a round trip"
    if rank < 1:
        assert row["low"] is None or math.isnan(row["low"])
        assert (row["verdict"], row["needed"]) == (UNKNOWN, "5 runs or more")
    else:
        assert (row["low"], row["high"]) == (values[rank - 1], values[count - rank])
        assert row["verdict"] == "pass"


@pytest.mark.parametrize(
    ("rtt", "verdict", "needed"),
    [
        ([0.1] * 8, "fail", ""),  # the limit itself is not below it
        ([0.0999] * 8, "pass", ""),
        ([0.09] * 4 + [0.11] * 4, UNKNOWN, "runs that agree more"),
        ([0.09] * 7 + [0.1], "pass", ""),
    ],
)
def test_round_trip_is_to_be_less_than_its_limit(rtt, verdict, needed):
    row = only({"rtt": 0.1}, pd.DataFrame({"rtt_avg_s": rtt}))
    assert (row["verdict"], row["needed"], row["unit"], row["limit"]) == (verdict, needed, "s", 0.1)


def test_average_counts_before_the_tools_own_and_that_before_the_least():
    runs = pd.DataFrame(
        {"rtt_avg_s": [0.01, np.nan, np.nan], "rtt_s": [0.05, 0.02, np.nan], "rtt_min_s": [0.06, 0.07, 0.03]}
    )
    assert only({"rtt": 0.1}, runs)["estimate"] == 0.02
    assert only({"rtt": 0.1}, runs.head(1))["estimate"] == 0.01
    assert only({"rtt": 0.1}, runs.tail(1))["estimate"] == 0.03
    said = evidence(level(rtt=0.1), runs)
    assert said["says"].tolist() == ["10.0 ms", "20.0 ms", "30.0 ms"]


# packet size


def counted(octets, packets, direction="in", **columns):
    """Readings of a port that count this in one direction and nothing in the other."""
    other = "out" if direction == "in" else "in"
    values = {f"{direction}_octets": np.cumsum(octets), f"{direction}_packets": np.cumsum(packets)}
    still = {f"{other}_octets": 5, f"{other}_packets": 5}
    times = BEGIN + pd.to_timedelta(np.arange(len(octets)) * 300, "s")
    return pd.DataFrame({"host": "s", "interface": "a", "time": times, **values, **still}).assign(**columns)


@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.parametrize(
    ("octets", "packets", "largest", "verdict"),
    [
        ([0, 1500 * 10, 1425 * 10], [0, 10, 10], 1500.0, "pass"),
        ([0, 1000 * 10, 1425 * 10], [0, 10, 10], 1425.0, "pass"),  # 95 % of the MTU
        ([0, 14_249, 100], [0, 10, 1], 1424.9, UNKNOWN),
        ([0, 15_379, 100], [0, 10, 1], 1537.9, "pass"),  # 38 bytes more than the MTU are all that a frame adds
        ([0, 15_380, 1000], [0, 10, 1], 1000.0, UNKNOWN),  # more than a frame: no packets of this MTU
        ([0, 0, 1000], [0, 1, 1], 1000.0, UNKNOWN),
        ([0, 1, 0], [0, 1, 0], 1.0, UNKNOWN),
        ([0, 2000, 1200], [0, 0, 1], 1200.0, UNKNOWN),
        ([10**7, -9 * 10**6, 1000], [10**4, -100, 1], 1000.0, UNKNOWN),  # counters that began anew sent no packets
    ],
)
def test_packet_size_is_the_largest_mean_of_an_interval(direction, octets, packets, largest, verdict):
    samples = counted(octets, packets, direction)
    row = only({"mtu": 1500}, None, samples)
    assert (row["estimate"], row["low"], row["verdict"]) == (pytest.approx(largest), pytest.approx(largest), verdict)
    assert row["evidence"] == f"largest mean packet of an interval: {largest:.0f} B with its frame"
    assert row["needed"] == (
        "" if verdict == "pass" else "readings of a port that carries a bulk transfer with large packets"
    )
    assert (row["unit"], row["limit"]) == ("B", 1500.0)
    said = evidence(level(mtu=1500), pd.DataFrame(), samples.assign(source_file="walk.txt"))
    assert said["says"].tolist() == [f"mean packet of an interval up to {largest:.0f} B with its frame"]
    assert said["tool"].tolist() == ["port s a"]


def test_ports_are_not_mixed_and_their_readings_are_put_in_order():
    one = counted([0, 15_000], [0, 10])
    other = counted([10**6, 1000], [10**5, 10]).assign(interface="b")
    mixed = pd.concat([one, other]).sort_values("time", ascending=False)
    assert only({"mtu": 1500}, None, mixed)["estimate"] == 1500.0
    assert only({"mtu": 1500}, None, mixed.drop(columns="host"))["estimate"] == 1500.0


@pytest.mark.parametrize("octets", [[0, 0], [0]])
def test_port_that_carried_nothing_says_nothing_of_packets(octets):
    row = only({"mtu": 1500}, None, counted(octets, octets))
    assert row["needed"] == "readings of a port that carries a bulk transfer"
    assert row["evidence"] == "no readings of octets and packets"


@pytest.mark.parametrize("absent", [["in_packets"], ["out_octets"], ["host", "interface"]])
def test_readings_that_count_no_packets_or_are_of_no_port_say_nothing_of_packets(absent):
    row = only({"mtu": 1500}, None, counted([0, 15_000], [0, 10]).drop(columns=absent))
    assert (row["verdict"], row["needed"]) == (UNKNOWN, "readings of a port that carries a bulk transfer")


# bandwidth


@pytest.mark.parametrize(("mtu", "share"), [(None, 1448 / 1538), (9000, 8948 / 9038)])
@pytest.mark.parametrize(("part", "verdict"), [(0.9501, "pass"), (0.9499, UNKNOWN)])
def test_bandwidth_is_shown_by_95_percent_of_it_on_the_wire(mtu, share, part, verdict):
    runs = pd.DataFrame({"throughput_bps": [1e9, part * 10e9 * share, np.nan], "protocol": ["tcp", None, "tcp"]})
    row = judged({"bandwidth": 10e9, **({} if mtu is None else {"mtu": mtu})}, runs).loc["bandwidth"]
    assert row["estimate"] == row["low"] == pytest.approx(part * 10e9)
    assert (row["unit"], row["verdict"]) == ("bit/s", verdict)
    assert row["needed"] == ("" if verdict == "pass" else "a run that fills the path")


def test_files_are_no_test_of_a_bandwidth():
    runs = pd.DataFrame({"throughput_bps": [99e9], "protocol": ["file"]})
    row = only({"bandwidth": 10e9}, runs)
    assert (row["verdict"], row["evidence"], row["needed"]) == (
        *(UNKNOWN, "no run with a throughput", "a run that fills the path"),
    )
    assert only({"bandwidth": 10e9}, runs.drop(columns="protocol"))["evidence"] == "fastest run: 99.0 Gb/s of data"
    assert only({"bandwidth": 10e9}, runs.drop(columns="protocol"))["verdict"] == "pass"


# availability


def test_one_series_of_tests_is_not_told_as_several():
    good = [True] * 3 + [False] * 2 + [True] * 5
    rows = judged({"availability": 0.5, "restoral_time": 400.0}, every(60, good))
    # the first failed test at 180 s, the last at 240 s, good ones at 120 s and 300 s: 60 to 180 s, 120 s in the middle
    assert rows.loc["availability", "evidence"] == "1 outage(s), 120 s of 540 s watched"
    assert rows.loc["availability", "estimate"] == pytest.approx(1 - 120 / 540)
    low, high = outage_bounds(1, 120.0, 540.0, 400.0)
    assert rows.loc["availability", ["low", "high"]].tolist() == pytest.approx([1 - high, 1 - low])
    time = rows.loc["restoral time"]
    assert time["evidence"] == "1 outage(s) in 540 s watched"
    assert time[["low", "high", "estimate"]].tolist() == [60.0, 180.0, 180.0]
    assert (time["verdict"], time["needed"]) == ("pass", "")


@pytest.mark.parametrize(
    ("limit", "verdict"), [(181.0, "pass"), (180.0, UNKNOWN), (60.0, UNKNOWN), (59.9, "fail"), (100.0, UNKNOWN)]
)
def test_restoral_time_is_below_its_limit_or_above_it_or_neither(limit, verdict):
    good = [True] * 3 + [False] * 2 + [True] * 5
    row = only({"restoral_time": limit}, every(60, good))
    assert (row["verdict"], row["needed"]) == (verdict, "tests more often" if verdict == UNKNOWN else "")
    assert row["unit"] == "s"


def test_several_ports_and_tests_are_watched_together():
    samples = pd.concat([port(300, [True] * 4 + [False] + [True] * 5), port(300, [True] * 10, "eth1")])
    rows = judged({"availability": 0.5, "restoral_time": 700.0}, every(60, [True] * 11), samples)
    # 2700 s each, and 600 s of tests; down for 0 to 600 s
    assert rows.loc["availability", "evidence"] == (
        "1 outage(s), 300 s of 100 min watched, in 3 ports or series of tests"
    )
    assert rows.loc["restoral time", ["low", "high"]].tolist() == [0.0, 600.0]
    alone = judged({"availability": 0.5}, None, port(300, [True] * 10)).loc["availability"]
    assert alone["evidence"].endswith(" watched")


def test_longest_outage_counts_and_those_at_the_edges_last_as_long_as_was_watched():
    good = [False] * 2 + [True] * 4 + [False] * 3 + [True] * 2 + [False]
    row = only({"restoral_time": 1000.0}, every(100, good))
    assert row["evidence"].startswith("3 outage(s)")
    # 0 to 100 s (at least 100, at most 200), 600 to 800 s (200 to 400), 1100 s (0 to 100)
    assert (row["low"], row["high"], row["estimate"]) == (200.0, 400.0, 400.0)
    watched = judged({"availability": 0.1}, every(100, good)).loc["availability", "estimate"]
    assert watched == pytest.approx(1 - (150 + 300 + 50) / 1100)


def test_availability_without_an_outage_and_without_a_restoral_time_supposes_one_as_long_as_was_watched():
    row = only({"availability": 0.5}, every(60, [True] * 11))
    assert (row["low"], row["high"], row["estimate"]) == (0.0, 1.0, 1.0)
    assert (row["verdict"], row["needed"]) == (UNKNOWN, "a longer time")
    row = judged({"availability": 0.5, "restoral_time": 60.0}, every(60, [True] * 11)).loc["availability"]
    assert row["low"] == pytest.approx(1 + math.log(0.05) / 10)
    assert row["verdict"] == "pass"


@pytest.mark.parametrize(("good", "verdict"), [(59, "pass"), (58, UNKNOWN)])
def test_59_tests_that_all_go_through_show_95_percent(good, verdict):
    """0.95 ** 59 < 0.05 < 0.95 ** 58."""
    row = only({"availability": 0.95}, pd.DataFrame({"loss_fraction": [0.0] * good}))
    assert (row["verdict"], row["evidence"]) == (verdict, f"{good} of {good} tests went through")
    assert row["estimate"] == 1.0


def test_tests_with_errors_or_without_an_answer_did_not_go_through():
    runs = pd.DataFrame({"loss_fraction": [0.0, 0.99, 1.0, np.nan, 0.0], "error": [None, False, False, None, True]})
    row = only({"availability": 0.9}, runs)
    assert row["evidence"] == "3 of 5 tests went through"
    assert (row["estimate"], row["low"], row["high"]) == pytest.approx((0.6, *proportion_bounds(3, 5)))
    assert only({"availability": 0.9})["evidence"] == "no tests, and no port with a known state"
    assert only({"availability": 0.9})["needed"] == ("regular pings, or readings of ports with their state")
    one = every(60, [True, True]).assign(start_time=[BEGIN, pd.NaT])
    assert only({"availability": 0.9}, one)["evidence"] == "2 of 2 tests went through"  # one time is no time watched


@pytest.mark.parametrize(("limit", "verdict"), [(0.2, "pass"), (0.95, "fail"), (0.6, UNKNOWN)])
def test_availability_fails_where_it_cannot_be_as_high(limit, verdict):
    runs = pd.DataFrame({"error": [False] * 6 + [True] * 4})
    row = only({"availability": limit}, runs)
    assert row["verdict"] == verdict
    assert row["needed"] == ("a longer time" if verdict == UNKNOWN else "")


def test_bound_of_an_availability_that_is_its_limit_is_enough_and_no_failure():
    good, bad = pd.DataFrame({"loss_fraction": [0.0]}), pd.DataFrame({"loss_fraction": [1.0]})
    assert only({"availability": proportion_bounds(1, 1)[0]}, good)["verdict"] == "pass"
    assert only({"availability": proportion_bounds(0, 1)[1]}, bad)["verdict"] == UNKNOWN
    assert only({"availability": 0.96}, bad)["verdict"] == "fail"


def test_no_outage_is_no_restoral_time():
    row = only({"restoral_time": 60.0}, every(60, [True] * 11))
    assert (row["verdict"], row["needed"]) == (UNKNOWN, "an outage to judge by")


# in words


def test_effort_is_told_in_numbers_that_hold():
    found = least_effort(level(availability=0.99, loss=1e-4, mtu=9000, bandwidth=10e9), rate_bps=1e9)
    needs = found.set_index("criterion")["needs"]
    assert needs["availability"] == "299 tests that all go through"  # 0.99 ** 299 < 0.05
    packets = math.ceil(math.log(0.05) / math.log(1 - 1e-4))
    assert needs["loss"].startswith(f"{packets:,} packets without a loss: {packets * 8948 / 1e6:.0f} MB, ")
    assert needs["loss"].endswith(f"{packets * 9038 * 8 / 1e9:.2f} s at 1.00 Gb/s")
    assert needs["bandwidth"] == f"a run of {0.95 * 10 * 8948 / 9038:.2f} Gb/s of data or more"
    assert found["limit"].tolist() == [0.99, 1e-4, 9000.0, 10e9]
    assert found["unit"].tolist() == ["1", "1", "B", "bit/s"]


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        (["pass", "pass"], "2 of 2 criteria shown to be met (round trip, loss)"),
        (["fail", UNKNOWN], "0 of 2 criteria shown to be met, 1 not met (round trip), 1 open (loss)"),
        ([UNKNOWN, "pass"], "1 of 2 criteria shown to be met (loss), 1 open (round trip)"),
    ],
)
def test_summary_counts_what_it_names(verdicts, words):
    assert summary(pd.DataFrame({"criterion": ["rtt", "loss"], "verdict": verdicts})) == words


def test_lines_are_in_the_order_of_the_criteria_and_say_what_they_rest_on():
    samples = counted([0, 15_000, 10], [0, 10, 1]).assign(
        source_file="walk.txt", up=pd.array([True, None, False], dtype="boolean")
    )
    runs = pd.DataFrame(
        {
            "source_file": ["a", "b"],
            "line_first": [1, 3],
            "line_last": [2, 4],
            "tool": ["ping", "iperf3"],
            "rtt_avg_s": [0.01, None],
            "sent_packets": [1000, None],
            "lost_packets": [2, None],
            "retransmits": [None, 3],
            "bytes": [None, 5e9],
            "throughput_bps": [None, 8e9],
            "error": [None, True],
        }
    ).astype(object)
    limits = {"availability": 0.9, "rtt": 0.1, "loss": 1e-2, "mtu": 1500, "bandwidth": 1e9}
    found = evidence(level(**limits), runs, samples)
    assert found["criterion"].drop_duplicates().tolist() == [name for name in NAMES if name in limits]
    assert found[["tool", "says"]].to_numpy().tolist() == [
        ["ping", "went through"],
        ["iperf3", "did not go through"],
        ["port s a", "up in 1 of 2 readings"],
        ["ping", "10.0 ms"],
        ["ping", "2 of 1,000 packets lost: between 0.0355 % and 0.628 %"],
        ["iperf3", "3 TCP packets retransmitted in 5.00 GB"],
        ["port s a", "mean packet of an interval up to 1500 B with its frame"],
        ["iperf3", "8.00 Gb/s of data"],
    ]
    assert found["line_first"].fillna(0).tolist() == [1, 3, 0, 1, 1, 3, 0, 3]


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (math.nan, "s", "–"),
        (0.5, "1", "0.5"),
        (1e10, "bit/s", "10.0 Gb/s"),
        (1499.6, "B", "1500 B"),
        (2.0, "s", "2.00 s"),
    ],
)
def test_values_are_written_with_their_units(value, unit, words):
    assert written(value, unit) == words
