"""The figure of long paths: its rows, the lines of the limits, and the runs with where they stand."""

import pandas as pd
import pytest

from hecn_analysis import figures

TABLE = pd.DataFrame(
    {
        "path.rtt": [0.001, 0.08, 0.2] * 2,
        "path.loss": [0.0] * 3 + [1e-6] * 3,
        "throughput_bps": [9.9e9, 7e9, 3e9, 9.9e9, 6e9, 3e9],
        "low_bps": 1e9,
        "high_bps": 9.9e9,
        "bottleneck": ["path.link", "receiver.window", "receiver.window"] * 2,
        "bottleneck_class": ["link", "window", "window"] * 2,
    }
)
LINES = pd.DataFrame(
    {
        "x": [0.001, 0.2] * 2,
        "line": ["link"] * 2 + ["window"] * 2,
        "throughput_bps": [9.91e9, 9.91e9, 560e9, 2.8e9],
    }
)
RUNS = pd.DataFrame(
    {
        "rtt_s": [0.08, None],
        "measured_bps": [7.03e9, 1e9],
        "source_file": "logs/<b>.log",
        "line_first": [13, 14],
        "line_last": [13, 14],
    }
)


def test_rows_are_limits_and_the_runs_that_say_enough():
    rows = figures.long_path_rows(LINES, RUNS, x="rtt_s")
    assert list(rows["kind"]) == ["limit"] * 4 + ["measured"]
    assert rows["throughput_gbps"].tolist() == pytest.approx([9.91, 9.91, 560, 2.8, 7.03])
    assert rows["hover"].iloc[0] == "link allows 9.91 Gb/s"
    assert rows["hover"].iloc[-1] == "<b>measured 7.03 Gb/s</b><br>logs/&lt;b&gt;.log:13"


def test_lines_and_runs_stand_on_the_prediction():
    fig = figures.plot_long_path(
        TABLE,
        ["path.rtt", "path.loss"],
        names=["no loss", "some"],
        lines=LINES,
        measured=RUNS,
        x="rtt_s",
        x_title="Round trip (s)",
    )
    traces = {trace.name: trace for trace in fig.data}
    assert {"no loss", "some", "link alone", "TCP window alone", "measured"} <= set(traces)
    assert list(traces["no loss"].y) == pytest.approx([9.9, 7, 3])
    assert list(traces["some"].y) == pytest.approx([9.9, 6, 3])
    assert list(traces["measured"].x) == [0.08]
    assert len({traces[name].line.dash for name in ("link alone", "TCP window alone")}) == 2  # differ in grey too
    assert fig.layout.xaxis.title.text == "Round trip (s)"
    low, high = fig.layout.yaxis.range
    assert low == 0
    assert 9.91 < high < 12  # the window's line, which leaves the figure, does not stretch it


def test_prediction_alone_is_enough():
    fig = figures.plot_long_path(TABLE[:3], ["path.rtt"], x_title="Round trip (s)")
    assert "measured" not in {trace.name for trace in fig.data}
    assert fig.layout.yaxis.range[1] == pytest.approx(1.1 * 9.9)
