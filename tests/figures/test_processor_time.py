"""Processor time in a figure: a lane for each end, measured and predicted told apart, hover with share and place."""

import pandas as pd
import pytest

from hecn_analysis.figures import plot_processor_time, processor_time_rows


@pytest.fixture
def times():
    run = {
        "group": "B & C",
        "name": "one",
        "title": "a stream a link <1>",
        "measured_bps": 39.6e9,
        "source": "b.log:3-3",
    }
    ends = [("sender", 0.81, 0.164, 0.151), ("receiver", 0.94, 0.190, 0.197)]
    return pd.DataFrame(
        [
            {**run, "end": end, "measured_fraction": busy, "measured_ns": ns, "predicted_ns": model}
            | {"rounding_ns": 0.001, "low_ns": model * 0.9, "high_ns": model * 1.1}
            for end, busy, ns, model in ends
        ]
    )


def test_rows_are_the_ends_of_runs_with_what_is_behind_them(times):
    rows = processor_time_rows(times)
    assert rows["end"].tolist() == ["sender", "receiver"]
    assert rows["hover"][1] == (
        "<b>a stream a link &lt;1&gt;</b>, receiver<br>measured 94 % of a core at 39.6 Gb/s: 0.190 ns/B"
        "<br>predicted 0.197 ns/B, 90 % between 0.177 and 0.217<br>b.log:3-3"
    )


def test_each_end_has_its_lane_marker_and_colour(times):
    sender, receiver, measured = plot_processor_time(times).to_dict()["data"]
    assert [one["name"] for one in (sender, receiver)] == ["predicted, sender", "predicted, receiver"]
    assert len({(one["marker"]["symbol"], one["marker"]["color"]) for one in (sender, receiver, measured)}) == 3
    assert list(measured["y"]) == [sender["y"][0], receiver["y"][0]]
    assert sender["y"][0] < receiver["y"][0]
    assert list(measured["error_x"]["array"]) == [0.001, 0.001]


def test_axis_starts_at_nothing_and_says_its_unit(times):
    axis = plot_processor_time(times).to_dict()["layout"]["xaxis"]
    assert axis["range"][0] == 0
    assert axis["range"][1] > 0.197 * 1.1
    assert "(ns)" in axis["title"]["text"]


def test_nothing_to_draw_says_so(times):
    assert plot_processor_time(times.iloc[:0]).layout.annotations[0].text == "No CPU time is known."
