"""Figures of disk arrays: allowed and measured told apart, levels as lines, hover with what binds and the place."""

import pandas as pd
import pytest

from hecn_analysis.figures import array_use_rows, plot_array_levels, plot_array_use


@pytest.fixture
def use():
    one = {"series_title": "C <systems>", "case": "one", "title": "a copy", "arrays": "RAID 50 of 4 × 8", "disks": 32}
    place = {"source_file": "c.log", "line_first": 7, "line_last": 7, "document": "HECN", "place": "page 64"}
    measured = {"measured_bps": 14e9, "measured_low_bound": False, "bottleneck_title": "core 1"}
    return pd.DataFrame(
        [
            {**one, **place, **measured, "operation": operation, "array_bps": allowed}
            for operation, allowed in (("read", 21e9), ("write", 20e9))
        ]
    )


@pytest.fixture
def rates():
    return pd.DataFrame(
        {"level": [0, 0, 5, 5], "disks": [8, 16, 8, 16], "read_bps": [6e9, 12e9, 5e9, 11e9], "write_bps": [5e9] * 4}
    )


def test_rows_are_ends_of_transfers_with_what_binds_and_the_place(use):
    rows = array_use_rows(use)
    assert rows["array_gbps"].tolist() == pytest.approx([21, 20])
    assert rows["group"][0] == "C &lt;systems&gt;"
    assert rows["hover"][0] == (
        "<b>a copy</b>, read: RAID 50 of 4 × 8, 32 disks<br>measured 14 Gb/s, arrays allow 21<br>binds: core 1"
        "<br>c.log:7<br>HECN, page 64"
    )


def test_both_ends_stand_in_one_row_and_measured_once(use):
    read, write, measured = plot_array_use(use).to_dict()["data"]
    assert len({(one["marker"]["symbol"], one["marker"]["color"]) for one in (read, write, measured)}) == 3
    assert list(read["y"]) == list(write["y"]) == list(measured["y"])
    assert list(measured["x"]) == pytest.approx([14.0])


def test_lower_bounds_are_arrows(use):
    assert plot_array_use(use.assign(measured_low_bound=True)).to_dict()["data"][-1]["name"] == "measured, at least"


def test_levels_differ_in_line_and_marker_and_axes_say_units(rates, use):
    fig = plot_array_levels(rates, "read", measured=use).to_dict()
    first, second, measured = fig["data"]
    assert list(first["y"]) == pytest.approx([6, 12])
    assert (first["line"]["dash"], first["marker"]["symbol"]) != (second["line"]["dash"], second["marker"]["symbol"])
    assert (list(measured["x"]), list(measured["y"])) == ([32], [14.0])
    assert fig["layout"]["yaxis"]["title"]["text"] == "Sequential read (Gb/s)"
    assert fig["layout"]["xaxis"]["title"]["text"] == "Disks"


def test_nothing_to_draw_says_so(use, rates):
    assert plot_array_use(use.iloc[:0]).layout.annotations[0].text == "No transfer from or to disks."
    assert plot_array_levels(rates.iloc[:0], "read").layout.annotations[0].text == "No level to show."
