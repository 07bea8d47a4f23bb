"""Figures of traffic: the rows say what is drawn, holes stay holes, and every flag is seen."""

import numpy as np
import pandas as pd
import pytest

from hecn_analysis import figures
from hecn_analysis.figures import theme
from hecn_analysis.traffic.reconcile import COLUMNS

BEGIN = pd.Timestamp("2013-11-18", tz="UTC")


@pytest.fixture
def rates():
    """Two days with a reset, a lower bound and a gap."""
    count = 576
    level = np.where(np.arange(count) % 288 < 144, 8e9, 2e9)
    table = pd.DataFrame(
        {
            "host": "switch",
            "interface": "eth0",
            "time": BEGIN + pd.to_timedelta((np.arange(count) + 1) * 300, "s"),
            "interval_s": 300.0,
            "in_bps": level,
            "out_bps": level / 4,
            "in_max_bps": np.nan,
            "out_max_bps": np.nan,
            "flag": "ok",
        }
    )
    table.loc[10, ["in_bps", "out_bps", "flag"]] = [np.nan, np.nan, "reset"]
    table.loc[20, "flag"] = "wrap,ambiguous"
    table.loc[30, "flag"] = "gap"
    table.loc[40, "flag"] = "wrap"
    return table


def trace(fig, name):
    (found,) = [one for one in fig.to_dict()["data"] if one["name"] == name]
    return found


def test_rows_are_intervals_with_marks_for_what_is_no_plain_rate(rates):
    rows = figures.traffic_rows(rates.sample(frac=1, random_state=1))
    assert rows["time"].is_monotonic_increasing
    assert rows["in_gbps"][0] == 8.0
    assert rows["mark"].dropna().to_dict() == {10: "no rate", 20: "lower bound", 30: "mean over a gap"}
    assert "the counter was reset" in rows["hover"][10].replace("<br>", " ")
    assert rows["begin"][1] == rows["time"][0]


def test_nothing_is_drawn_through_a_hole_and_out_is_below(rates):
    fig = figures.plot_traffic(rates)
    stairs = trace(fig, "in, upwards")
    assert not stairs["connectgaps"]
    assert [level is None or np.isnan(level) for level in stairs["y"][18:24]] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]
    assert min(level for level in trace(fig, "out, downwards")["y"] if level is not None) == -2.0
    assert len(trace(fig, "no rate")["x"]) == len(trace(fig, "lower bound")["x"]) == 1
    words = [one["text"] for one in fig.to_dict()["layout"]["annotations"]]
    assert words == ["95th percentile in: 8 Gb/s", "95th percentile out: 2 Gb/s"]


def test_many_intervals_keep_their_peaks(rates):
    many = pd.concat([rates.assign(time=rates["time"] + pd.Timedelta(2 * day, "D")) for day in range(15)])
    many.iloc[5000, many.columns.get_loc("in_bps")] = 99e9
    drawn = trace(figures.plot_traffic(many), "in, upwards")["y"]
    assert len(drawn) <= 2 * 4000
    assert max(level for level in drawn if level is not None) == pytest.approx(99.0)


def test_speed_is_drawn_where_it_is_near(rates):
    lines = lambda speed: len(figures.plot_traffic(rates, speed_bps=speed).layout.shapes)
    assert (lines(10e9), lines(400e9), lines(None)) == (4, 2, 2)


def test_profile_has_the_hours_of_the_place(rates):
    rows = figures.traffic_profile_rows(rates, zone="Europe/Berlin")
    assert len(rows) == 48
    busy = rows[(rows["direction"] == "in") & (rows["mean_gbps"] > 5)]
    assert busy["hour"].tolist() == list(range(1, 13))
    fig = figures.plot_traffic_profile(rates, zone="Europe/Berlin")
    assert [one["name"] for one in fig.to_dict()["data"]] == [
        *("in, mean", "in, 95th percentile", "out, mean", "out, 95th percentile")
    ]
    assert fig.layout.xaxis.title.text == "Hour of the day (Europe/Berlin)"


def test_reconciliation_shows_verdicts_and_numbers():
    table = pd.DataFrame(
        [
            {
                "tool": "nuttcp",
                "run": 0,
                "verdict": "agrees",
                "excess_fraction": 0.001,
                "message": "a",
                "interface": "e",
            },
            {
                "tool": "nuttcp",
                "run": 1,
                "verdict": "fewer octets",
                "excess_fraction": -0.9,
                "message": "<b>",
                "interface": "e",
            },
            {"tool": "nuttcp", "run": 2, "verdict": "no counters", "excess_fraction": None, "message": "c"},
        ],
        columns=list(COLUMNS),
    )
    rows = figures.reconciliation_rows(table)
    assert rows["excess_percent"].tolist() == pytest.approx([0.1, -90.0])
    assert rows["shown_percent"].tolist() == pytest.approx([0.1, -10.0])
    assert "&lt;b&gt;" in rows["hover"][1]
    fig = figures.plot_reconciliation(table)
    assert [one["name"] for one in fig.to_dict()["data"]] == ["agrees", "fewer octets"]
    assert fig.layout.xaxis.title.text == "Counted above expected octets (%)"


def test_figures_of_nothing_say_so(rates):
    none = rates.head(0)
    for fig in (
        figures.plot_traffic(none),
        figures.plot_traffic(rates.iloc[[10]]),
        figures.plot_traffic_profile(none),
        figures.plot_reconciliation(pd.DataFrame(columns=list(COLUMNS))),
    ):
        assert fig.layout.annotations
    assert figures.traffic_rows(none).empty


def test_marks_differ_in_colour_and_symbol():
    from hecn_analysis.figures.reconciliation import LOOKS  # noqa: PLC0415
    from hecn_analysis.figures.traffic import MARKS  # noqa: PLC0415

    for looks in (MARKS, LOOKS):
        assert len(set(looks.values())) == len(looks)
        assert all(colour.startswith("#") for colour, _ in looks.values())
    assert theme.BLUE != theme.GREEN
