"""Figures of a validation: errors in strips with their intervals, and how often intervals hold."""

import pandas as pd
import pytest

from hecn_analysis import figures


@pytest.fixture
def validation():
    """Three measurements in two modes: inside, outside far below, and one known only as a lower bound."""
    rows = pd.DataFrame(
        {
            "id": ["a", "<b>b</b>", "c"],
            "group": ["one", "two", "one"],
            "hosts": ["b to b", "c to c", "b to b"],
            "measured_bps": [10e9, 10e9, 5e9],
            "predicted_bps": [10.2e9, 20e9, 6e9],
            "low_bps": [9.5e9, 19e9, 5e9],
            "high_bps": [11e9, 21e9, 7e9],
            "error": [0.02, 1.0, float("nan")],
            "inside": [True, False, True],
            "bottleneck": ["path.link", "receiver.cpu.core1", "path.link"],
            "bottleneck_class": ["link", "cpu", "link"],
        }
    )
    return pd.concat([rows.assign(mode="in-sample"), rows.assign(mode="leave-one-out")], ignore_index=True)


@pytest.mark.parametrize(
    ("by", "strips"),
    [("series", ["one", "two"]), ("hosts", ["b to b", "c to c"]), ("class", ["link", "processor core"])],
)
def test_residuals_are_in_strips_of_what_is_asked_for(validation, by, strips):
    rows = figures.residuals_rows(validation[validation["mode"] == "in-sample"], by=by)
    assert list(rows["strip"]) == strips
    assert list(rows["error_percent"]) == pytest.approx([2, 100])
    assert list(rows["low_percent"]) == pytest.approx([-5, 90])
    assert list(rows["inside"]) == [True, False]


def test_ids_are_no_markup(validation):
    assert "&lt;b&gt;b&lt;/b&gt;" in figures.residuals_rows(validation)["hover"][2]


def test_errors_beyond_the_reach_stand_at_the_edge_and_hollow(validation):
    fig = figures.plot_residuals(validation[validation["mode"] == "in-sample"], reach=0.5).to_dict()
    inside, outside = fig["data"]
    assert (inside["name"], list(inside["x"])) == ("measured value inside the 90 % interval", pytest.approx([2]))
    assert (outside["name"], list(outside["x"])) == ("outside", pytest.approx([50]))
    assert outside["marker"]["color"] == "#ffffff"
    assert list(inside["error_x"]["arrayminus"]) == pytest.approx([7])


def test_coverage_is_the_share_inside_by_mode(validation):
    rows = figures.coverage_rows(validation, nominal=(0.1, 0.9)).set_index(["mode", "nominal_percent"])
    assert len(rows) == 4
    assert rows.loc[("in-sample", 90), "observed_percent"] == 50
    assert rows.loc[("in-sample", 10), "observed_percent"] == 0  # 2 % off in an interval of 5 % is not the middle tenth
    assert rows.loc[("in-sample", 90), "rows"] == 2
    assert rows.loc[("in-sample", 90), "low_percent"] < 50 < rows.loc[("in-sample", 90), "high_percent"]


def test_the_interval_of_90_percent_is_the_one_that_was_given(validation):
    edge = validation.assign(measured_bps=validation["high_bps"] * 0.999, error=0.1)
    assert set(figures.coverage_rows(edge, nominal=(0.9,))["observed_percent"]) == {100}
    beyond = validation.assign(measured_bps=validation["high_bps"] * 1.001, error=0.1)
    assert set(figures.coverage_rows(beyond, nominal=(0.9,))["observed_percent"]) == {0}


def test_modes_differ_in_colour_and_marker(validation):
    stated, *modes = figures.plot_coverage(validation).to_dict()["data"]
    assert stated["name"] == "as stated"
    assert [one["name"] for one in modes] == ["in-sample", "leave-one-out"]
    assert len({(one["marker"]["symbol"], one["marker"]["color"]) for one in modes}) == 2


@pytest.mark.parametrize("plot", [figures.plot_residuals, figures.plot_coverage])
def test_nothing_is_said_to_be_nothing(validation, plot):
    fig = plot(validation.iloc[:0]).to_dict()
    assert not fig.get("data")
    assert "No measurement" in str(fig["layout"])
