"""Tools over sizes and distances in one figure: bars from small to large files, measured beside, told apart."""

import pandas as pd
import pytest

from hecn_analysis.figures import plot_tool_matrix, tool_matrix_rows


@pytest.fixture
def cells():
    rates = {("slow", "16 GB"): 1e9, ("slow", "128 GB"): 2e9, ("fast<", "16 GB"): 8e9, ("fast<", "128 GB"): 9e9}
    rows = [
        {"tool": tool, "tool.bytes": size, "path.rtt": rtt, "throughput_bps": rate / (1 + far)}
        | {"bottleneck": "receiver.window.tool" if tool == "slow" else "path.link"}
        | {"bottleneck_class": "window" if tool == "slow" else "link"}
        for far, rtt in enumerate(("90 ms", "0 ms")[::-1])
        for (tool, size), rate in rates.items()
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def measured():
    row = {"title": "fast, put", "condition": "80 ms", "path.rtt": "90 ms", "tool": "fast<", "measured_bps": 4e9}
    return pd.DataFrame([{**row, "source_file": "a.csv", "line_first": 2, "line_last": 2}] * 2).assign(
        tool=["fast<", "other"]
    )


def test_rows_go_from_near_to_far_and_from_fast_to_slow(cells):
    rows = tool_matrix_rows(cells)
    assert rows["group"].tolist() == ["round trip 0 ms"] * 2 + ["round trip 90 ms"] * 2
    assert rows["tool"].tolist() == ["fast<", "slow"] * 2
    assert rows["small_gbps"].tolist() == pytest.approx([8, 1, 4, 0.5])
    assert rows["large_gbps"].tolist() == pytest.approx([9, 2, 4.5, 1])
    assert rows["hover"][0] == (
        "<b>fast&lt;</b>, round trip 0 ms<br>16 GB: predicted 8 Gb/s<br>128 GB: predicted 9 Gb/s<br>binds: path.link"
    )


def test_large_files_have_the_larger_mark_and_measured_is_a_diamond(cells, measured):
    found = plot_tool_matrix(cells, measured=measured).to_dict()["data"]
    link = next(one for one in found if one.get("name") == "predicted, link binds")
    assert list(link["x"]) == pytest.approx([8, 4, 9, 4.5])
    assert link["marker"]["size"][0] < link["marker"]["size"][-1]
    (diamond,) = [one for one in found if one.get("name") == "measured"]
    assert list(diamond["x"]) == pytest.approx([4.0])
    assert diamond["text"][0] == "<b>fast, put</b>, 80 ms<br>measured 4 Gb/s<br>a.csv:2"


def test_axis_names_unit_and_sizes(cells):
    axis = plot_tool_matrix(cells).to_dict()["layout"]["xaxis"]
    assert axis["title"]["text"] == "Throughput (Gb/s), files of 16 GB (small mark) to 128 GB"
    assert axis["range"][0] == 0


def test_no_cell_says_so(cells):
    assert plot_tool_matrix(cells.iloc[:0]).layout.annotations[0].text == "No cell to show."
