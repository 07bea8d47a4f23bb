"""Graphs of Cacti as CSV."""

from hecn_analysis.counters import read_counters


def test_a_graph_in_bits_in_another_language(samples):
    counters = read_counters(samples / "cacti" / "german-1.2.csv", time_zone="Europe/Berlin")
    rates = counters.rates.astype(object).where(counters.rates.notna(), None)
    assert rates[["in_bps", "out_bps", "flag"]].to_numpy().tolist() == [
        [1e9, 250e6, "given"],
        [None, None, "missing"],
        [2e9, None, "given"],
    ]
    assert rates.time[0].isoformat() == "2024-03-13T09:00:00+00:00"
    source = counters.sources[0]
    assert (source["format"], source["title"], source["step_s"]) == ("cacti-csv", "core - Traffic - Te1/1", 300)
    assert counters.problems.empty


def test_a_graph_in_bytes_of_0_8(samples, said):
    counters = read_counters(samples / "cacti" / "0.8.csv")
    assert counters.rates.in_bps.tolist() == [10e9, 10e9]
    assert said(counters) == [
        "11: ambiguous: found local times without a time zone; taken as UTC, give the time zone to have it right"
    ]


def test_a_row_that_breaks_off(samples, counters_of, said):
    text = (samples / "cacti" / "0.8.csv").read_text()
    counters = counters_of(text[:-20], time_zone="UTC")
    assert len(counters.rates) == 1
    assert said(counters) == [
        '12: truncated: found \'"2010-11-15 10:10:00","125\', expected a date and 2 values; left out'
    ]


def test_a_graph_without_its_rows(samples, counters_of, said):
    """The export was cut behind the lines about the graph; a row has no date."""
    text = (samples / "cacti" / "0.8.csv").read_text()
    counters = counters_of(text[: text.index('"Date"')], time_zone="UTC")
    assert counters.rates.empty
    (line,) = said(counters)
    assert line.endswith("truncated: found no names of columns, expected them behind the lines about the graph")
    counters = counters_of(text.replace('"2010-11-15 10:05:00"', '""'), time_zone="UTC")
    assert len(counters.rates) == 1
    (line,) = said(counters)
    assert 'malformed: found \'"","125' in line
