"""nicstat: tables in kilobytes and megabits, extended, parsable."""

import pytest

from hecn_analysis.counters import read_counters


def rows_of(counters, interface="port1"):
    return counters.rates[counters.rates.interface == interface]


@pytest.mark.parametrize(
    ("name", "n", "interval"), [("table.txt", 4, 3), ("extended.txt", 3, 2), ("mebibits.txt", 3, 2)]
)
def test_tables(recorded, name, n, interval):
    counters = read_counters(recorded / "nicstat" / name)
    rows = rows_of(counters)
    assert [source["format"] for source in counters.sources] == ["nicstat"]
    assert rows.flag.tolist() == ["since_start"] + ["given"] * (n - 1)
    assert rows.interval_s.tolist()[1:] == [interval] * (n - 1)
    assert rows.in_bps.iloc[1:].between(300e6, 410e6).all()
    assert rows.time.isna().all()


def test_parsable_rows_have_times(recorded):
    counters = read_counters(recorded / "nicstat" / "parsable.txt")
    (source,) = counters.sources
    assert (source["n_samples"], source["interval_s"]) == (4, 3)
    assert rows_of(counters).in_bps.iloc[1:].between(300e6, 410e6).all()
    assert rows_of(counters).time.notna().all()


def test_units(counters_of):
    megabits = counters_of(
        "    Time      Int   rMbps   wMbps   rPk/s   wPk/s    rAvs    wAvs %Util    Sat\n"
        "05:26:29    port1   374.7    0.38 32442.5   761.7  1514.0   66.00  3.93   0.00\n"
    ).rates
    assert megabits.in_bps.tolist() == pytest.approx([32442.5 * 1514 * 8], rel=1e-3)  # packets times their size
