"""Axes in a unit that fits: nobody reads 0.0094 Gb/s."""

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.figures import plot_comparison, plot_traffic, rate_axis, theme


def runs(*rates_bps):
    return pd.DataFrame({"group": "iperf3", "rate_bps": rates_bps, "set": "", "source_file": "a.txt", "run": 0})


@pytest.mark.parametrize(
    ("rate_bps", "unit", "x"), [(9.4e9, "Gb/s", 9.4), (9.4e6, "Mb/s", 9.4), (9.4e3, "kb/s", 9.4), (0.6e9, "Gb/s", 0.6)]
)
def test_marks_axis_and_words_are_in_one_unit(rate_bps, unit, x):
    fig = plot_comparison(runs(rate_bps, rate_bps))
    assert fig.layout.xaxis.title.text == f"Measured throughput ({unit})"
    assert fig.data[0].x == pytest.approx([x, x])
    assert f"measured {x:g} {unit}" in fig.data[0].text[0]
    assert fig.data[1].hovertemplate == f"median %{{x:.4g}} {unit}<extra></extra>"
    assert fig.layout.xaxis.range == pytest.approx([0, x * 1.08])


def test_lines_of_percentiles_and_their_words_move_with_the_traffic():
    time = pd.Timestamp("2026-01-01", tz="UTC") + np.arange(1, 13) * pd.Timedelta(300, "s")
    rates = {"host": "h", "interface": "e", "time": time, "interval_s": 300.0, "in_bps": 4e6, "out_bps": 2e6}
    fig = plot_traffic(pd.DataFrame(rates | {"flag": "given"}), speed_bps=5e6)
    assert fig.layout.yaxis.title.text == "Out below, in above (Mb/s)"
    lines = sorted(one.y0 for one in fig.layout.shapes if one.y0 == one.y1)
    assert lines == pytest.approx([-5, -2, 4, 5])
    assert [one.text for one in fig.layout.annotations] == [
        "95th percentile in: 4 Mb/s",
        "95th percentile out: 2 Mb/s",
    ]


def test_a_logarithmic_range_is_shifted():
    fig = plot_comparison(pd.concat([runs(1e3), runs(4e8)]))
    low, high = fig.layout.xaxis.range
    assert (10**low, 10**high) == pytest.approx((1e-3 / 10**0.15, 400 * 10**0.15))
    assert fig.layout.xaxis.title.text == "Measured throughput (Mb/s), logarithmic"


def test_nothing_to_draw_stays_as_it_is():
    fig = theme.figure(x_title="Throughput (Gb/s)")
    rate_axis.fit_unit(fig, "x", float("nan"))
    assert fig.layout.xaxis.title.text == "Throughput (Gb/s)"
