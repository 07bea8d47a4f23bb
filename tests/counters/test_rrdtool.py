"""RRDtool: a database of known counters as a dump, a file, and what fetch, xport and graph print of it."""

import re
import shutil

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters
from hecn_analysis.counters.graphs import rrdtool_dump

needs_rrdtool = pytest.mark.skipif(
    shutil.which("rrdtool") is None, reason="rrdtool is not installed (apt install rrdtool)"
)


def test_a_dump(samples):
    counters = read_counters(samples / "rrdtool" / "own.xml")
    source = counters.sources[0]
    assert (source["step_s"], source["last_update"]) == (300, 1700018100)
    assert source["data_sources"][0] == {
        "name": "traffic_in",
        "type": "COUNTER",
        "heartbeat_s": 600,
        "max_bytes_per_s": 1.25e9,
    }
    assert [(archive["cf"], archive["step_s"], archive["rows"]) for archive in source["archives"]] == [
        ("AVERAGE", 300, 24),
        ("AVERAGE", 1800, 24),
        ("MAX", 1800, 24),
        ("MAX", 300, 24),
    ]
    assert [series["max_in_bps"] for series in source["series"]] == pytest.approx([100e6, 233333333.33, 900e6, 100e6])
    assert counters.problems.empty


def test_each_time_once_the_shortest_step_first(samples):
    rates = read_counters(samples / "rrdtool" / "own.xml").rates
    ends = rates.time.astype("int64") // 10**9
    starts = ends - rates.interval_s.astype("int64")
    assert (starts.iloc[1:].to_numpy() == ends.iloc[:-1].to_numpy()).all()  # no hole, no overlap
    assert rates.interval_s.tolist() == [1800.0] * 6 + [300.0] * 21
    peak = rates[rates.in_max_bps == 900e6]
    assert peak.in_bps.tolist() == pytest.approx([(25 * 100e6 + 5 * 900e6) / 30])
    gap = rates[rates.in_bps.isna()]
    assert gap.flag.tolist() == ["missing"] * 2
    assert set(rates.out_bps.dropna()) == {20e6}


@needs_rrdtool
def test_the_file_is_read_as_its_dump(samples):
    dumped, file = (read_counters(samples / "rrdtool" / f"own.{kind}") for kind in ("xml", "rrd"))
    pd.testing.assert_frame_equal(
        dumped.rates.drop(columns="source_file"), file.rates.drop(columns="source_file"), rtol=1e-9
    )
    assert file.sources[0]["format"] == "rrd-binary"


def test_without_the_program_the_package_is_named(samples, monkeypatch, said):
    monkeypatch.setattr(rrdtool_dump.shutil, "which", lambda _: None)
    (line,) = said(read_counters(samples / "rrdtool" / "own.rrd"))
    assert line == (
        "unreadable: found a database of RRDtool, expected the program rrdtool to read it with; "
        "install the package rrdtool"
    )


@needs_rrdtool
def test_a_damaged_file(samples, counters_of):
    content = (samples / "rrdtool" / "own.rrd").read_bytes()
    problems = counters_of(content[:900], "a.rrd").problems
    assert problems.kind.tolist() == ["unreadable"]
    assert problems.message[0].startswith("found that rrdtool cannot read the file (")


def test_a_dump_that_breaks_off(samples, counters_of):
    text = (samples / "rrdtool" / "own.xml").read_text()
    counters = counters_of(text[: text.index("1700014800")], "a.xml")
    assert counters.problems.kind.tolist() == ["truncated"]
    assert counters.sources[0]["archives"][0]["rows"] < 24


def test_a_number_beyond_all_numbers_is_no_rate(samples, counters_of):
    text = (samples / "rrdtool" / "own.xml").read_text()
    last = text.rindex("<v>1.2500000000e+07</v>")
    damaged = text[:last].replace("2.5000000000e+06", "9.9e+307") + text[last:].replace("1.2500000000e+07", "9.9e+307")
    rates = counters_of(damaged, "a.xml").rates
    assert rates.out_bps.isna().all()
    assert rates.out_max_bps.dropna().tolist() == [20e6]  # the last row of the maxima was left as it was
    assert set(rates.in_bps.dropna()) > {100e6}


def test_fetch(samples):
    counters = read_counters(samples / "rrdtool" / "fetch.txt")
    source = counters.sources[0]
    assert (source["n_samples"], source["n_valid"], source["step_s"]) == (21, 18, 300)
    assert source["columns"] == ["traffic_in", "traffic_out"]
    assert set(counters.rates.in_bps.dropna()) == {100e6}


def test_fetch_with_decimal_commas(counters_of):
    counters = counters_of(
        "                 rx    tx\n\n1700000100: 1,2500000000e+07 -nan\n1700000400: NaN 2,5000000000e+06\n"
    )
    assert counters.rates.in_bps.tolist()[0] == 100e6
    assert counters.rates.out_bps.tolist()[1] == 20e6


@pytest.mark.parametrize("name", ["xport.xml", "xport.json", "xport-times.json", "graph.csv", "graph.tsv"])
def test_exports_in_bits_drawn_below_the_axis(name, samples):
    counters = read_counters(samples / "rrdtool" / name)
    assert set(counters.rates.in_bps.dropna()) == {100e6}
    assert set(counters.rates.out_bps.dropna()) == {20e6}
    assert counters.rates.time.iloc[0] == pd.Timestamp("2023-11-15T01:55:00Z")
    source = counters.sources[0]
    assert (source["format"], source["n_samples"], source["n_valid"], source["step_s"]) == (
        "rrdtool-xport",
        17,
        15,
        300,
    )
    assert [series["name"] for series in source["series"]] == ["in bit/s", "out bit/s"]


def test_json_of_rrdtool_1_4(counters_of, said):
    counters = counters_of("""\
{ about: 'RRDtool xport JSON output',
  meta: {
    start: 1700000100,
    step: 300,
    end: 1700000400,
    legend: [
      'inbound',
      'outbound'
          ]
     },
  data: [
    [ 1.25e+07, nan ],
    [ 2.5e+07, 1.0e+00 ]
  ]
}
""")
    assert counters.rates.in_bps.tolist() == [100e6, 200e6]
    assert said(counters) == [
        f"unit: found '{name}' without a unit, expected bit/s or bytes/s; read as bytes a second"
        for name in ("inbound", "outbound")
    ]


def test_an_export_that_breaks_off(samples, counters_of):
    text = (samples / "rrdtool" / "xport.xml").read_text()
    counters = counters_of(text[: len(text) // 2], "a.xml")
    assert counters.problems.kind.tolist() == ["truncated"]
    assert 0 < len(counters.rates) < 17


def test_tables_of_fetch_have_names_of_their_own(counters_of, said):
    """Two databases, one after the other: the second names its sources the other way round."""
    counters = counters_of(
        "         traffic_in         traffic_out\n\n1700000100: 1.0000000000e+00 2.0000000000e+00\n\n"
        "        traffic_out          traffic_in\n\n1700000400: 3.0000000000e+00 4.0000000000e+00\n"
        "1700000700: 5.0000000000e+00\n1700001000: 6.0000000000e+00 7.0000000000e+00\n"
    )
    assert counters.rates[["in_bps", "out_bps"]].to_numpy().tolist() == [[8, 16], [32, 24], [56, 48]]
    assert said(counters) == ["8: malformed: found 1 values, expected 2 as in the line of names; left out"]


def test_fetch_of_something_else_has_no_rates(counters_of):
    counters = counters_of("             users\n\n1700000100: 7.0000000000e+00\n1700000400: 8.0000000000e+00\n")
    (source,) = counters.sources
    assert (source["columns"], source["n_samples"], source["series"]) == (["users"], 2, [])
    assert counters.rates.empty


def test_a_dump_of_gauges_and_one_without_a_step(samples, counters_of, said):
    text = (samples / "rrdtool" / "own.xml").read_text()
    gauges = counters_of(text.replace(" COUNTER ", " GAUGE "), "a.xml")
    assert said(gauges) == ["unit: found gauges (traffic_in, traffic_out), expected counters; read as bytes a second"]
    assert len(gauges.rates) == len(read_counters(samples / "rrdtool" / "own.xml").rates)
    timeless = counters_of(text.replace("<step>", "<stop>").replace("</step>", "</stop>"), "a.xml")
    assert timeless.rates.empty
    assert said(timeless) == [
        "malformed: found a database without a step or a last update, expected both; rows are left out"
    ]


def test_a_dump_of_something_else_has_no_rates(samples, counters_of):
    text = (samples / "rrdtool" / "own.xml").read_text().replace("traffic_in", "users").replace("traffic_out", "load")
    counters = counters_of(text, "a.xml")
    assert [source["name"] for source in counters.sources[0]["data_sources"]] == ["users", "load"]
    assert counters.rates.empty


def test_json_that_breaks_off(samples, counters_of):
    text = (samples / "rrdtool" / "xport.json").read_text()
    whole = read_counters(samples / "rrdtool" / "xport.json").rates
    counters = counters_of(text[: text.rindex("[")], "xport.json")
    assert counters.problems.kind.tolist() == ["truncated"]
    assert 0 < len(counters.rates) < len(whole)
    assert counters.rates.in_bps.tolist()[:2] == whole.in_bps.tolist()[:2]


def test_an_export_without_times_has_no_rows(samples, counters_of):
    text = (samples / "rrdtool" / "xport.xml").read_text()
    counters = counters_of(re.sub("<(start|t)>[^<]*</", r"<\1></", text), "a.xml")
    assert counters.rates.empty
