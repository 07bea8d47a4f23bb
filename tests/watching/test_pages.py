"""The page of a series: its figure, and what it says of a state."""

import re

import pytest

from hecn_analysis.watching.pages import page
from hecn_analysis.watching.status import statuses
from tests.watching.test_status import series_of_hours


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_a_change_is_marked_among_its_results(unit):
    series = series_of_hours(300, drop_at=290)
    series.runs["start_time"] = series.runs["start_time"].dt.as_unit(unit)
    html = page(statuses([series])[0])
    (mark,) = map(float, re.findall(r'<path d="M([\d.]+) 0V', html))
    dots = [float(place) for place in re.findall(r"M([\d.]+) [\d.]+h0", html)]
    assert dots[288] < mark == pytest.approx(dots[290], abs=0.1)
    assert len(dots) == 300


def test_a_confidence_is_never_certain():
    html = page(statuses([series_of_hours(300, drop_at=270)])[0])
    assert "confidence &gt; 99.999 %" in html
    assert "100.000 %" not in html


def test_a_series_that_is_too_short_says_how_much_it_needs():
    assert "? 30 results over 29.0 h: 24 results over 8 days are needed" in page(statuses([series_of_hours(30)])[0])
