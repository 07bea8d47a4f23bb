"""Runs over time: the panels hold the numbers, limits and what is expected stand where they say, labels apart."""

import itertools
import math

import pandas as pd
import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.diagnosis.courses import HELD, RunCourse, courses
from hecn_analysis.diagnosis.verdict import of_folder
from hecn_analysis.figures import causes_rows, course_rows, plot_causes, plot_course
from hecn_analysis.ingest.folder import read_folder
from hecn_analysis.runs.course import COURSE

TIMES = {"t_start_s": [0.0, 1.0, 2.0], "t_end_s": [1.0, 2.0, 3.0]}
ALL = {
    "rate_bps": [10e6, 20e6, 30e6],
    "cwnd_bytes": [100e3, 200e3, 300e3],
    "flight_bytes": [90e3, 190e3, 290e3],
    "window_bytes": [400e3] * 3,
    "rtt_s": [0.04, 0.05, 0.06],
    "retransmits": [5, 0, 1],
}


def run(name="a.json:1", **columns):
    table = pd.DataFrame(TIMES | columns).reindex(columns=list(COURSE)).astype(float)
    return RunCourse(name, name, 1, "log", table, dict.fromkeys(HELD, math.nan))


def drawn(fig, name, axis="y"):
    return [
        one
        for one in fig.to_dict()["data"]
        if one["name"] == name and (one.get("yaxis") or "y") == axis and any(one["y"])
    ]


def test_the_panels_hold_the_numbers_in_their_units():
    fig = plot_course([run(**ALL)])
    titles = [fig.layout[name].title.text for name in ("yaxis", "yaxis2", "yaxis3", "yaxis4")]
    assert titles == ["Throughput (Mb/s)", "Window (kB)", "RTT (ms)", "Retransmits"]
    (rate,) = drawn(fig, "a.json:1")
    assert (list(rate["x"]), list(rate["y"])) == ([0.5, 1.5, 2.5], pytest.approx([10, 20, 30]))
    windows = drawn(fig, "a.json:1", "y2")
    assert [(one["line"]["dash"], list(one["y"])) for one in windows] == [
        ("solid", pytest.approx([100, 200, 300])),
        ("dot", pytest.approx([90, 190, 290])),
        ("dash", pytest.approx([400, 400, 400])),
    ]
    (rtt,) = drawn(fig, "a.json:1", "y3")
    assert list(rtt["y"]) == pytest.approx([40, 50, 60])
    (bars,) = drawn(fig, "a.json:1", "y4")
    assert (bars["type"], list(bars["y"])) == ("bar", [5, 0, 1])
    domains = [fig.layout[name].domain for name in ("yaxis4", "yaxis3", "yaxis2", "yaxis")]
    assert all(below[1] < above[0] for below, above in itertools.pairwise(domains))
    assert fig.layout.xaxis.anchor == "y4"


@pytest.mark.parametrize(
    ("left_out", "titles"),
    [
        (("cwnd_bytes", "flight_bytes", "window_bytes"), ["Throughput (Mb/s)", "RTT (ms)", "Retransmits"]),
        (("rtt_s", "retransmits"), ["Throughput (Mb/s)", "Window (kB)"]),
        (tuple(ALL)[1:], ["Throughput (Mb/s)"]),
    ],
)
def test_what_no_run_says_has_no_panel(left_out, titles):
    fig = plot_course([run(**{name: values for name, values in ALL.items() if name not in left_out})])
    axes = [one.title.text for one in fig.select_yaxes()]
    assert axes == titles


def test_retransmits_that_are_all_none_have_no_panel():
    assert "retransmits" not in set(course_rows([run(**ALL | {"retransmits": [0, 0, 0]})])["panel"])


def test_a_window_far_above_all_others_does_not_press_them_down():
    rows = course_rows([run(**ALL | {"window_bytes": [5e6] * 3})])
    assert set(rows[rows["panel"] == "window"]["what"]) == {"congestion window", "in flight"}


def test_limits_are_lines_across_with_labels_that_do_not_meet():
    fig = plot_course([run(**ALL)], {"the line (link)": 40e6, "a buffer": 39e6, "the same": 39.1e6, "far": 1e9}, None)
    (line,) = drawn(fig, "the line (link): 40.0 Mb/s")
    assert (list(line["x"]), list(line["y"])) == ([0, 2.5], pytest.approx([40, 40]))
    assert drawn(fig, "a buffer, the same: 39.0 Mb/s")
    labels = [(note.text, note.y, note.yanchor) for note in fig.layout.annotations]
    assert [text for text, _, _ in labels] == ["a buffer, the same: 39.0 Mb/s", "the line (link): 40.0 Mb/s"]
    height = 17 * 40 * 1.06 / 260
    feet = [y if anchor == "bottom" else y - height for _, y, anchor in labels]
    assert feet[1] - feet[0] >= height - 1e-9
    assert fig.layout.yaxis.range[1] >= feet[1] + height


def test_what_is_expected_is_a_band():
    fig = plot_course([run(**ALL)], {}, (33e6, 38e6))
    (band,) = drawn(fig, "expected: 33.0 Mb/s to 38.0 Mb/s")
    assert (band["fill"], list(band["y"])) == ("toself", pytest.approx([33, 33, 38, 38]))
    assert fig.layout.yaxis.range[1] >= 38
    assert not drawn(plot_course([run(**ALL)], {}, (330e6, 380e6)), "expected: 330 Mb/s to 380 Mb/s")


def test_each_run_has_a_colour_and_one_entry_in_the_legend():
    fig = plot_course([run("a.json:1", **ALL), run("b.json:1", **ALL)])
    shown = [one for one in fig.to_dict()["data"] if one.get("showlegend") is not False and one["name"].endswith(":1")]
    assert [one["name"] for one in shown] == ["a.json:1", "b.json:1"]
    assert shown[0]["line"]["color"] != shown[1]["line"]["color"]
    bars = [one for one in fig.to_dict()["data"] if one["type"] == "bar"]
    assert [one["offset"][0] for one in bars] == pytest.approx([-0.4, 0.0])  # side by side
    assert [one["width"][0] for one in bars] == pytest.approx([0.4, 0.4])


def test_long_courses_are_averaged_and_retransmits_summed():
    many = 3000
    table = pd.DataFrame({"t_start_s": range(many), "t_end_s": range(1, many + 1), "rate_bps": 1e6, "retransmits": 1})
    table = table.reindex(columns=list(COURSE)).astype(float)
    rows = course_rows([RunCourse("a", "a", 1, "log", table, {})])
    assert len(rows[rows["panel"] == "rate"]) == 300
    assert set(rows[rows["panel"] == "retransmits"]["value"]) == {10.0}
    assert rows.loc[rows["panel"] == "retransmits", "t_s"].iloc[0] == 5.0


def test_names_of_files_are_no_markup():
    (name,) = set(course_rows([run("<b>x</b>", **ALL)])["run"])
    assert name == "&lt;b&gt;x&lt;/b&gt;"


def test_the_shipped_logs_are_drawn_as_measured():
    folder = read_folder(data_dir() / "transfers" / "before" / "iperf3-1.json")
    rows = course_rows(courses(folder, of_folder(folder)))
    rates = rows[rows["panel"] == "rate"]
    assert rates["t_s"].tolist() == pytest.approx([0.5, 1.5, 2.5, 3.5, 4.5, 5.5], abs=0.05)
    assert rates["value"].mean() == pytest.approx(9.4e6, rel=0.15)


def test_probabilities_of_causes_are_bars_and_sum_to_one():
    (verdict,) = of_folder(read_folder(data_dir() / "transfers" / "over_time"))
    rows = causes_rows(verdict)
    assert rows["probability"].sum() == pytest.approx(1)
    assert rows["probability"].iloc[0] == verdict.causes[0].probability
    assert rows["label"].iloc[0] == f"{100 * verdict.causes[0].probability:.0f} % the path (loss)"
    bars = [value for one in plot_causes(verdict).data for value in one.x]
    assert sorted(bars) == pytest.approx(sorted(rows["probability"] * 100))
