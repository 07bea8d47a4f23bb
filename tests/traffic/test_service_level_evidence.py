"""Service levels line by line, what they would take, and their figure."""

import math

import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis import figures
from hecn_analysis.base.places import data_dir
from hecn_analysis.figures import theme
from hecn_analysis.traffic.service_level_evidence import EVIDENCE, evidence, judge_paths, least_effort, summary
from hecn_analysis.traffic.service_levels import ServiceLevel, judge, load, outage_bounds, proportion_bounds


@pytest.fixture(scope="module")
def ames():
    """The documents' run from Goddard to Ames."""
    runs = hecn.read(data_dir() / "logs" / "b-systems-nuttscp.txt").runs
    return runs[runs["rtt_s"] == 0.08058]


def samples():
    times = pd.date_range("2013-11-20", periods=3, freq="10s", tz="UTC")
    return pd.DataFrame(
        {
            "source_file": "walk.txt",
            "host": "switch",
            "interface": "port1",
            "time": times,
            "in_octets": [0, 9014 * 100, 9014 * 200],
            "in_packets": [0, 100, 200],
            "out_octets": [0, 7000, 14000],
            "out_packets": [0, 100, 200],
            "up": [True, True, False],
        }
    )


def test_each_run_says_what_it_says_with_its_lines(ames):
    found = evidence(load("hec-test-wan"), ames).set_index("criterion")
    assert list(found.columns) == [name for name in EVIDENCE if name != "criterion"]
    assert dict(found["says"]) == {
        "availability": "went through",
        "rtt": "80.6 ms",
        "loss": "0 TCP packets retransmitted in 68.7 GB",
    }  # a copy of a file is no test of the bandwidth
    assert set(found["line_first"]) == {42}


def test_lost_packets_have_bounds_and_failed_tests_did_not_go_through():
    runs = pd.DataFrame(
        {
            "source_file": "p",
            "line_first": 1,
            "sent_packets": [100, 10],
            "lost_packets": [1, 10],
            "loss_fraction": [0.01, 1.0],
        }
    )
    said = evidence(load("hec-test-wan"), runs)
    assert said["says"].tolist() == [
        "went through",
        "did not go through",
        "1 of 100 packets lost: between 0.0513 % and 4.66 %",
        "10 of 10 packets lost: between 74.1 % and 100 %",
    ]


def test_ports_say_whether_they_were_up_and_how_large_packets_were():
    found = evidence(load("hec-test-wan"), pd.DataFrame(), samples())
    assert found["tool"].tolist() == ["port switch port1"] * 2
    assert found["says"].tolist() == ["up in 2 of 3 readings", "mean packet of an interval up to 9014 B with its frame"]


def test_least_effort_is_enough_and_less_is_not():
    level = load("hec-operational-wan")
    needs = least_effort(level, rate_bps=10e9).set_index("criterion")["needs"]
    assert needs["availability"] == "598 tests that all go through, or 99.9 d watched without an outage"
    assert proportion_bounds(598, 598)[0] >= level.availability > proportion_bounds(597, 597)[0]
    low, high = (1 - outage_bounds(0, 0.0, days * 86400, 4 * 3600)[1] for days in (99.8, 99.9))
    assert low < level.availability <= high
    assert needs["loss"].startswith("29,957,322 packets without a loss: 268 GB")
    # "similar to TTT links except" availability and restoral time: the same bandwidth, on one link
    assert needs["bandwidth"] == "a run of 37.6 Gb/s of data or more, and readings of a port of that bandwidth"
    assert set(judge(level, pd.DataFrame())["criterion"]) == set(needs.index)


ONE_EACH = {
    "availability": ({"availability": 0.8}, "14 tests that all go through"),
    "restoral time": ({"restoral_time": 60.0}, "an outage that is over sooner"),
    "rtt": ({"rtt": 0.1}, "5 runs that are all below it"),
    "loss": ({"loss": 0.5}, "5 packets without a loss: 7240 B, 6.15 µs at 10.0 Gb/s"),
    "mtu": ({"mtu": 9000}, "a port's octets and packets while a bulk transfer passes"),
    "bandwidth": ({"bandwidth": 10e9}, "a run of 8.94 Gb/s of data or more"),
}


@pytest.mark.parametrize("criterion", ONE_EACH)
def test_nothing_is_said_about_what_a_table_does_not_name(criterion):
    limits, needs = ONE_EACH[criterion]
    level = ServiceLevel(title="t", document="d", **limits)
    effort = least_effort(level, rate_bps=10e9)
    assert effort[["criterion", "needs"]].to_numpy().tolist() == [[criterion, needs]]
    runs = pd.DataFrame({"rtt_s": [0.01], "retransmits": 0, "throughput_bps": 9e9, "loss_fraction": 0.0})
    assert set(evidence(level, runs, samples())["criterion"]) == {criterion} - {"restoral time"}


def test_an_availability_of_1_is_shown_by_no_number_of_tests():
    level = ServiceLevel(title="t", document="d", availability=1.0, restoral_time=60.0)
    assert least_effort(level, rate_bps=10e9)["needs"][0] == "no number of measurements"


def test_ports_that_say_nothing_have_no_rows():
    level = load("hec-test-wan")
    assert evidence(level, pd.DataFrame(), samples()[["time", "up"]]).empty  # whose readings, nobody knows
    assert evidence(level, pd.DataFrame(), samples().drop(columns=["up", "in_packets"])).empty
    still = samples().assign(up=pd.array([None] * 3, dtype="boolean"), in_packets=0, out_packets=0)
    assert evidence(level, pd.DataFrame(), still).empty


def test_packets_sent_again_are_told_with_the_amount_where_it_is_known():
    runs = pd.DataFrame({"retransmits": [3, 4], "throughput_bps": [8e9, math.nan], "duration_s": [10.0, 10.0]})
    found = evidence(ServiceLevel(title="t", document="d", loss=1e-3), runs)
    assert found["says"].tolist() == ["3 TCP packets retransmitted in 10.0 GB", "4 TCP packets retransmitted"]


def test_what_was_counted_has_bounds_of_its_own_where_it_fails():
    """TCP's packets in the same judgement do not pull the upper bound below the lower one."""
    runs = pd.DataFrame(
        {"sent_packets": [1000, None], "lost_packets": [100, None], "retransmits": [None, 0], "bytes": [None, 10**12]}
    )
    (row,) = judge(ServiceLevel(title="t", document="d", loss=1e-3), runs).to_dict("records")
    assert row["verdict"] == "fail"
    assert row["low"] < row["estimate"] < row["high"]
    assert row["evidence"].startswith("100 of 1,000 packets lost; 0 of ")


def test_paths_are_judged_each_by_its_own_measurements(ames):
    found, said = judge_paths(load("hec-test-wan"), {"real": (ames, None), "port": (pd.DataFrame(), samples())})
    verdicts = found.set_index(["path", "criterion"])["verdict"]
    assert verdicts["port", "mtu"] == "pass"
    assert verdicts["real", "mtu"] == "not enough evidence"
    assert said.groupby("path").size().to_dict() == {"port": 2, "real": 3}


def test_summary_names_what_is_met_and_what_is_not(ames):
    found = judge(load("hec-test-wan"), ames, samples().drop(columns="up"))
    open_ = "availability, restoral time, round trip, loss, bandwidth"
    assert summary(found) == f"1 of 6 criteria shown to be met (packet size), 5 open ({open_})"
    assert summary(found.assign(verdict="fail").head(1)) == "0 of 1 criteria shown to be met, 1 not met (availability)"


# the figure


def test_parts_of_the_limit_are_below_1_where_it_is_met(ames):
    found, _ = judge_paths(load("hec-test-wan"), {"real": (ames, None), "port": (pd.DataFrame(), samples())})
    rows = figures.service_levels_rows(found).set_index(["path", "criterion"])
    assert rows.loc[("real", "rtt"), "used"] == pytest.approx(0.8058)
    assert rows.loc[("real", "loss"), "high"] == pytest.approx(3.9, abs=0.01)
    assert rows.loc[("real", "availability"), ["used", "low", "high"]].tolist() == pytest.approx([0, 0, 0.95 / 0.2])
    size = rows.loc[("port", "mtu")]
    assert size["used"] == size["high"] == pytest.approx(9000 / 9014)
    assert math.isnan(size["low"])  # larger ones are not excluded


def test_verdicts_differ_in_colour_and_marker_and_fit_a_phone(ames):
    found, _ = judge_paths(load("hec-test-wan"), {"real": (ames, None), "port": (pd.DataFrame(), samples())})
    fig = figures.plot_service_levels(found)
    looks = [(trace.marker.symbol, trace.marker.color) for trace in fig.data]
    assert len({symbol for symbol, _ in looks}) == len({colour for _, colour in looks}) == len(looks)
    assert fig.layout.xaxis.title.text == "Measured relative to the limit (1 = at the limit)"
    assert all(len(line) <= theme.LABEL_WIDTH + 7 for one in fig.layout.annotations for line in one.text.split("<br>"))
    assert figures.plot_service_levels(found.iloc[:0]).layout.annotations
