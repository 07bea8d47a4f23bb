"""Distribution of the intervals of runs, and the one figure of a folder."""

import json

import pandas as pd
import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.figures.distribution import MOST_RUNS, distribution_rows, plot_distribution

RATES = [8e6, 9e6, 10e6, 10e6, 1e6]


def log(rates):
    intervals = [
        {
            "sum": {"start": second, "end": second + 1, "seconds": 1, "bytes": int(rate / 8), "bits_per_second": rate},
            "streams": [],
        }
        for second, rate in enumerate(rates)
    ]
    mean = sum(rates) / len(rates)
    total = {"start": 0, "end": len(rates), "seconds": len(rates), "bytes": int(mean * len(rates) / 8)}
    ends = {"sum_sent": total | {"bits_per_second": mean}, "sum_received": total | {"bits_per_second": mean}}
    start = {"version": "iperf 3.12", "test_start": {"protocol": "TCP", "num_streams": 1, "duration": len(rates)}}
    return json.dumps({"start": start, "intervals": intervals, "end": ends})


@pytest.fixture
def reading(tmp_path):
    for number in range(2):
        (tmp_path / f"run{number}.json").write_text(log([rate * (number + 1) for rate in RATES]))
    return hecn.read(tmp_path)


def test_rows_are_the_rates_of_the_intervals(reading):
    rows = distribution_rows(reading.runs, reading.intervals)
    assert list(dict.fromkeys(rows["label"])) == ["run0.json:1: iperf3", "run1.json:1: iperf3"]
    assert sorted(rows["value"]) == pytest.approx(sorted(RATES + [2 * rate for rate in RATES]))


def test_curve_rises_to_all_intervals_in_the_unit_of_the_axis(reading):
    fig = plot_distribution(reading.runs, reading.intervals)
    assert fig.layout.xaxis.title.text == "Throughput of intervals (Mb/s)"
    curve = fig.data[0]
    assert list(curve.x) == pytest.approx([1, 8, 9, 10, 10])
    assert list(curve.y) == pytest.approx([20, 40, 60, 80, 100])


def test_box_has_every_interval(reading):
    first, second = plot_distribution(reading.runs, reading.intervals, form="box").data
    assert list(first.x) == pytest.approx([8, 9, 10, 10, 1])
    assert set(first.y) != set(second.y)


def test_at_most_so_many_runs_are_drawn(tmp_path):
    for number in range(MOST_RUNS + 2):
        (tmp_path / f"run{number:02}.json").write_text(log(RATES))
    found = hecn.read(tmp_path)
    assert distribution_rows(found.runs, found.intervals)["run"].nunique() == MOST_RUNS


def test_without_intervals_the_figure_says_so(root):
    found = hecn.read(root / "data" / "logs" / "c-systems-dd.txt")
    for quantity, words in (("rate", "a rate"), ("rtt", "a round-trip time")):
        fig = plot_distribution(found.runs, found.intervals, quantity)
        assert fig.layout.annotations[0].text == f"No run has intervals with {words}."


def test_round_trip_times_are_drawn_in_milliseconds():
    runs = pd.DataFrame({"source_file": ["p.txt"], "run": [0], "line_first": [1], "tool": ["ping"]})
    intervals = pd.DataFrame({"source_file": ["p.txt"] * 3, "run": [0] * 3, "rtt_s": [0.01, 0.02, None]})
    fig = plot_distribution(runs, intervals, "rtt")
    assert list(fig.data[0].x) == pytest.approx([10, 20])
    assert fig.layout.xaxis.title.text == "RTT (ms)"


@pytest.mark.parametrize("view", ["time", "cdf", "box", "runs", "latency"])
def test_every_view_draws_a_path_as_it_draws_what_was_read_of_it(view, root):
    folder = root / "data" / "transfers" / "over_time"
    fig = hecn.plot(folder, view)
    assert len(fig.data) >= 1
    assert fig == hecn.plot(hecn.read(folder), view)


def test_runs_are_drawn_at_their_rate(root):
    found = hecn.read(root / "data" / "logs" / "c-systems-dd.txt")
    rates = sorted(float(x) for trace in hecn.plot(found, "runs").data for x in trace.x if x is not None)
    assert found.runs["throughput_bps"].max() * 1e-9 == pytest.approx(rates[-1])


@pytest.mark.parametrize("view", ["time", "cdf", "box", "latency"])
def test_a_table_of_intervals_is_drawn_as_the_reading_it_is_of(view, root):
    found = hecn.read(root / "data" / "transfers" / "over_time")
    fig = hecn.plot(found.intervals, view)
    assert [list(trace.y or ()) for trace in fig.data] == [list(trace.y or ()) for trace in hecn.plot(found, view).data]
    assert "nan" not in fig.to_json().replace("NaN", "")


def test_a_part_of_the_runs_is_drawn(root):
    found = hecn.read(root / "data" / "logs" / "c-systems-dd.txt")
    part = found.runs.nlargest(1, "throughput_bps")
    rates = [float(x) for trace in hecn.plot(part, "runs").data for x in trace.x if x is not None]
    assert rates
    assert rates == pytest.approx([found.runs["throughput_bps"].max() * 1e-9] * len(rates))


def test_a_table_of_something_else_is_refused():
    with pytest.raises(InputError, match="found a table with the columns a, b, expected runs or intervals"):
        hecn.plot(pd.DataFrame({"a": [1], "b": [2]}))


def test_unknown_view_is_named():
    with pytest.raises(
        InputError, match="found view 'tiem', expected one of time, latency, cdf, box, runs; did you mean 'time'"
    ):
        hecn.plot([], "tiem")


@pytest.mark.parametrize("view", ["time", "cdf", "box", "runs", "latency"])
def test_without_a_run_the_figure_says_so_instead_of_failing(view, tmp_path):
    fig = hecn.plot(hecn.read([tmp_path]), view)
    assert not fig.data
    assert fig.layout.annotations[0].text
