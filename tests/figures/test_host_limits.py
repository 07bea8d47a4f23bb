"""The limits of many hosts in one figure: the large mark binds, measured and allowed are told apart."""

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.figures import host_limits_rows, plot_host_limits

HOST = {"host": "c", "title": "HECN C <b>", "year": 2010, "kind": "disk to disk", "predicted_bps": 18e9}
ENDS = {"low_bps": 16e9, "high_bps": 20e9}


@pytest.fixture
def limits():
    parts = [("receiver.cpu.core1", "cpu", 18e9, True), ("path.link.1", "link", 19.8e9, False)]
    parts.append(("receiver.window.scale", "window", 9e13, False))
    names = ("resource", "resource_class", "throughput_bps", "binds")
    return pd.DataFrame([{**HOST, **ENDS, **dict(zip(names, part, strict=True))} for part in parts])


@pytest.fixture
def measured():
    row = {"host": "c", "kind": "disk to disk", "role": "both", "title": "two copies", "measured_bps": 17.8e9}
    place = {"source_file": "logs/c.log", "line_first": 7, "line_last": 8, "document": "HECN", "place": "page 70"}
    return pd.DataFrame([{**row, **place, "measured_low_bound": False}, {**row, **place, "host": "other"}])


def test_rows_leave_out_what_no_transfer_will_feel(limits):
    rows = host_limits_rows(limits)
    assert rows["bottleneck_class"].tolist() == ["cpu", "link"]
    assert rows["throughput_gbps"].tolist() == pytest.approx([18.0, 19.8])
    assert rows["hover"][0] == (
        "<b>HECN C &lt;b&gt;</b>, disk to disk<br>processor core: allows 18 Gb/s, binds<br>receiver.cpu.core1"
        "<br>predicted 18 Gb/s, 90 % between 16 and 20"
    )


def test_mark_that_binds_is_larger_and_measured_is_a_diamond_with_its_place(limits, measured):
    core, link, diamond = plot_host_limits(limits, measured=measured).to_dict()["data"]
    assert core["marker"]["size"][0] > link["marker"]["size"][0]
    assert len({(one["marker"]["symbol"], one["marker"]["color"]) for one in (core, link, diamond)}) == 3
    assert diamond["name"] == "measured"
    assert list(diamond["x"]) == pytest.approx([17.8])
    assert diamond["text"][0].endswith("logs/c.log:7-8<br>HECN, page 70")


def test_axis_is_logarithmic_with_plain_numbers_and_holds_every_mark(limits, measured):
    axis = plot_host_limits(limits, measured=measured).to_dict()["layout"]["xaxis"]
    assert axis["type"] == "log"
    assert axis["range"][0] < np.log10(17.8)
    assert axis["range"][1] > np.log10(19.8)
    assert axis["ticktext"] == [f"{value:g}" for value in axis["tickvals"]]
    assert "(Gb/s)" in axis["title"]["text"]


def test_no_host_says_so(limits):
    assert plot_host_limits(limits.iloc[:0]).layout.annotations[0].text == "No host to show."
