"""Calibration of verdicts in a figure: shares with their counts, beside the line of what was stated."""

import pytest

from hecn_analysis.figures import calibration_rows, plot_calibration

CLASSES = [{"n": 8, "stated": 0.4, "right": 0.5}, {"n": 20, "stated": 0.95, "right": 1.0}]


def test_rows_are_shares_with_their_interval():
    rows = calibration_rows(CLASSES)
    assert rows["observed_percent"].tolist() == [50, 100]
    assert rows["verdicts"].tolist() == [8, 20]
    assert rows["low_percent"][0] < 50 < rows["high_percent"][0]
    assert rows["high_percent"][1] == pytest.approx(100)
    assert rows["hover"][0] == "<b>4 of 8 verdicts right</b><br>stated probability 40 % in the mean"


def test_the_figure_has_counts_and_the_line_as_stated():
    figure = plot_calibration(CLASSES)
    assert [one.name for one in figure.data] == ["as stated", "verdicts, interval of 90 %"]
    assert list(figure.data[1].x) == [40, 95]
    assert [one.text for one in figure.layout.annotations] == ["n = 8", "n = 20"]


def test_nothing_to_draw_says_so():
    assert plot_calibration([]).layout.annotations[0].text == "No verdict was judged."
