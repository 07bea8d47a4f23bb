"""The figure of proxies: two lines over the window, and the measured cases with where they stand."""

import pandas as pd
import pytest

from hecn_analysis import figures

PREDICTED = pd.DataFrame(
    {
        "window_bytes": [32768.0, 1e6] * 2,
        "proxies": [False, False, True, True],
        "throughput_bps": [2.3e5, 4e6, 15.8e6, 15.8e6],
        "bottleneck_class": ["window", "start-up", "link", "link"],
    }
)
MEASURED = pd.DataFrame(
    {
        "title": ["without <b>", "with", "not measured"],
        "window_bytes": 32768.0,
        "proxies": [False, True, True],
        "measured_bps": [2.25e5, 11.9e6, None],
        "source_file": "documents.csv",
        "line_first": [25, 23, 24],
        "line_last": [25, 23, 24],
    }
)


def test_rows_are_in_mbps_and_say_what_binds_or_where_it_stands():
    rows = figures.proxy_gain_rows(PREDICTED, MEASURED)
    assert rows["throughput_mbps"].tolist() == pytest.approx([0.23, 4, 15.8, 15.8, 0.225, 11.9])
    assert rows["hover"].iloc[0].endswith("TCP window binds")
    assert rows["hover"].iloc[4].startswith("without &lt;b&gt;<br><b>measured 225 kb/s</b>")
    assert rows["hover"].iloc[4].endswith("documents.csv:25")


def test_measured_and_predicted_with_and_without_look_different():
    fig = figures.plot_proxy_gain(PREDICTED, MEASURED)
    traces = {trace.name: trace for trace in fig.data}
    assert list(traces) == [
        "predicted without proxies",
        "predicted with proxies",
        "measured without proxies",
        "measured with proxies",
    ]
    assert traces["predicted with proxies"].line.dash != traces["predicted without proxies"].line.dash
    assert traces["measured with proxies"].marker.symbol != traces["measured without proxies"].marker.symbol
    assert fig.layout.yaxis.title.text == "Throughput (Mb/s)"


def test_nothing_to_draw_is_said():
    assert figures.plot_proxy_gain(PREDICTED.iloc[:0], MEASURED.iloc[:0]).layout.annotations
