"""CSV of Grafana and of scripts that poll: columns that their names make certain, and those that they do not."""

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters


def rates(counters):
    """Rates in each direction by host, port and time."""
    return [
        (row.host, row.interface, str(row.time)[11:16], row.in_bps, row.out_bps)
        for row in counters.rates.astype(object).where(counters.rates.notna(), None).itertuples()
    ]


def test_formatted_values_of_grafana(samples, counters_of):
    counters = counters_of((samples / "csv-columns" / "grafana.csv").read_text())
    found = rates(counters)
    assert found[0] == ("dtn1", "eth0", "10:11", 941e6, 12.5e6)
    assert found[1] == ("dtn1", "eth1", "10:11", 1.21e9, 480e3)
    assert found[4] == ("dtn1", "eth0", "10:13", None, 12e6)
    assert set(counters.rates.interval_s) == {60.0}
    assert counters.sources[0]["format"] == "grafana-csv"


def test_expressions_of_prometheus_say_what_their_numbers_are(samples, counters_of):
    text = (samples / "csv-columns" / "grafana-labels.csv").read_text()
    assert rates(counters_of(text, "a.csv"))[0] == ("dtn1:9100", "ens1f0", "10:11", 8e9, 120e6)
    assert rates(counters_of(text.replace("*8", "")))[0][3:] == (64e9, 960e6)


def test_series_as_rows(samples, counters_of):
    found = rates(counters_of((samples / "csv-columns" / "grafana-series.csv").read_text()))
    assert found == [
        ("core1", "xe-0/0/0", "10:11", 5.2e9, 0.91e9),
        ("core1", "xe-0/0/0", "10:16", 5.3e9, 0.92e9),
    ]


def test_counters_of_a_poller(samples, counters_of):
    counters = counters_of((samples / "csv-columns" / "poller.csv").read_text())
    first = counters.samples.iloc[0]
    assert (first.in_octets, first.out_octets, first.speed_bps, first.counter_bits) == (
        812112121212,
        41211212121,
        1e10,
        64,
    )
    assert rates(counters)[0] == ("core1", "xe-0/0/0", "10:12", pytest.approx(1e9), pytest.approx(1e7))


def test_a_column_for_each_port_and_way(samples, counters_of):
    counters = counters_of((samples / "csv-columns" / "poller-wide.csv").read_text())
    assert rates(counters)[0] == (None, "eth0", "10:11", 1e6, 1e5)


def test_units_in_the_names(samples, counters_of):
    text = (samples / "csv-columns" / "poller-rates.csv").read_text()
    assert rates(counters_of(text, "r.tsv"))[0] == (None, "Gi1/0/1", "09:11", 941.5e6, 12.25e6)
    assert rates(counters_of(text.replace("Mbps", "MB/s")))[0][3:] == (941.5e6 * 8, 12.25e6 * 8)


@pytest.mark.parametrize(
    ("names", "values", "message"),
    [
        (
            "time,in,out",
            ["5,6", "7,8"],
            "found 'in' without a unit, expected one such as bps or octets in the name of the column; left out",
        ),
        (
            "time,in_bytes,out_bytes",
            ["5,6", "3,9", "4,2", "1,8"],
            "found octets in 'in_bytes' that fall, expected a counter, or a unit such as bytes/s; left out",
        ),
    ],
    ids=["without a unit", "amounts"],
)
def test_what_is_not_certain_is_left_out_and_asked_for(counters_of, names, values, message):
    rows = [f"2025-11-04T10:{minute}:00Z,{value}" for minute, value in enumerate(values, 10)]
    counters = counters_of("\n".join([names, *rows]) + "\n", "a.csv")
    assert message in list(counters.problems.message)
    assert counters.rates.empty


def test_a_row_that_breaks_off(counters_of):
    counters = counters_of("time,in_bps,out_bps\n2025-11-04T10:11:00Z,1,2\n2025-11-04T10:12", "a.csv")
    assert list(counters.problems.kind) == ["truncated"]
    assert rates(counters) == [(None, "a.csv", "10:11", 1.0, 2.0)]


@pytest.mark.parametrize(
    "text", ["time,cpu,mem\n1762251060,1,2\n", "name,in_bps,out_bps\na,1,2\n", "time,in_bps\n1762251060,1\n"]
)
def test_other_tables_are_not_claimed(counters_of, text):
    assert list(counters_of(text, "a.csv").problems.kind) == ["unrecognised"]


def test_local_times_need_a_zone(samples, counters_of):
    text = (samples / "csv-columns" / "grafana.csv").read_text()
    counters = counters_of(text, time_zone="Europe/Berlin")
    assert counters.problems.empty
    assert counters.rates.time.iloc[0] == pd.Timestamp("2025-11-04T09:11Z")


def test_rates_below_the_axis_are_turned_round(counters_of):
    text = "time,in_bps,out_bps\n2025-11-04T10:11:00Z,1,-2\n2025-11-04T10:12:00Z,3,-4\n"
    counters = counters_of(text, "a.csv")
    assert counters.problems.empty
    assert rates(counters) == [(None, "a.csv", "10:11", 1.0, 2.0), (None, "a.csv", "10:12", 3.0, 4.0)]


def test_a_negative_rate_among_others_is_named(counters_of):
    text = "time,in_bps,out_bps\n2025-11-04T10:11:00Z,1,2\n2025-11-04T10:12:00Z,3,-4\n"
    counters = counters_of(text, "a.csv")
    assert list(counters.problems.message) == ["found the rate -4, expected one of 0 or more; left out"]
    assert list(counters.problems.line) == [3]


def test_a_format_with_a_reader_of_its_own_is_not_taken_for_a_table(samples):
    for sample, kind in (("rrdtool/graph.csv", "rrdtool-xport"), ("csv-columns/grafana.csv", "grafana-csv")):
        assert [source["format"] for source in read_counters(samples / sample).sources] == [kind]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("port,in_bps,out_bps", "the columns 'port', 'in_bps', 'out_bps', none of which is a time"),
        ("time,rx_bps,load", "the columns 'time', 'rx_bps', 'load', none of which is a rate or octets out"),
        ("time,cpu,mem", "the columns 'time', 'cpu', 'mem', none of which is a rate or octets in or out"),
        (
            "time,a in_bps,a out_bps,a rx_bps,b,c,d,e,f",
            "the columns 'time', 'a in_bps', 'a out_bps', 'a rx_bps', 'b', 'c', 'd', 'e', …, two of which are alike",
        ),
    ],
)
def test_a_table_that_is_not_read_says_which_columns_would_be(counters_of, names, found):
    row = ",".join(["1762251060", *"12345678"][: names.count(",") + 1])
    [message] = counters_of(f"{names}\n{row}\n", "a.csv").problems.message
    assert message.startswith(
        f"found {found}, expected one of times (time, timestamp, epoch …) and for each direction one of octets or with "
        "a unit (in_octets and out_octets, rx_bps and tx_bps …), or a format of its own"
    )


def test_a_text_with_commas_is_no_table(counters_of):
    [message] = counters_of("first, second, third\nand, so, on\n", "a.csv").problems.message
    assert message.startswith("found no counters that a reader knows, expected ")


@pytest.mark.parametrize(
    ("last", "kind", "message"),
    [
        ("x out bps;{};-4", "malformed", "found the rate -4, expected one of 0 or more; left out"),
        ("x out bps;soon;4", "malformed", "found 'x out bps;soon;4', expected a time and 2 values; left out"),
        (
            "y ifHCOutOctets;{};4",
            "unit",
            "found octets in 'y ifHCOutOctets', expected a rate, such as bps in the name; left out",
        ),
    ],
    ids=["negative", "without a time", "octets"],
)
def test_series_as_rows_say_what_is_wrong(counters_of, last, kind, message):
    text = f"Series;Time;Value\nx in bps;1762251060;1\nx out bps;1762251060;2\n{last.format(1762251120)}\n"
    counters = counters_of(text, "a.csv")
    assert list(zip(counters.problems.line, counters.problems.kind, counters.problems.message, strict=True)) == [
        (4, kind, message)
    ]
    assert rates(counters) == [(None, "x", "10:11", 1.0, 2.0)]


def test_series_below_the_axis_are_turned_round(counters_of):
    text = "Series;Time;Value\nx in bps;1762251060;1\nx out bps;1762251060;-2\n"
    counters = counters_of(text, "a.csv")
    assert (rates(counters), list(counters.problems.message)) == ([(None, "x", "10:11", 1.0, 2.0)], [])


def test_a_format_behind_a_fence_is_left_to_its_own_reader(samples, counters_of):
    text = (samples / "rrdtool" / "graph.csv").read_text()
    counters = counters_of(f"```\n{text}```\n")
    assert [source["format"] for source in counters.sources] == ["rrdtool-xport"]
    assert (counters.rates.in_bps[0], counters.rates.out_bps[0], counters.rates.line[0]) == (1e8, 2e7, 3)
