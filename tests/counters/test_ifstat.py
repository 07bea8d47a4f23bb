"""ifstat: units, clocks, totals."""

import pytest

from hecn_analysis.counters import read_counters


def test_with_clocks(recorded):
    counters = read_counters(recorded / "ifstat" / "t.txt")
    (source,) = counters.sources
    assert (source["format"], source["n_samples"], source["interval_s"]) == ("ifstat", 5, 3)
    assert counters.rates.interface.tolist() == ["port1", "port2"] * 5
    assert counters.rates.interval_s.tolist() == [3] * 10
    assert counters.rates.time.isna().all()
    first = counters.rates[counters.rates.interface == "port1"]
    assert first.in_bps.between(300e6, 410e6).all()


def test_bits_are_eight_times_bytes(recorded):
    """Recorded at the same time: kilobits are 1024 bits, as kilobytes are 1024 bytes."""
    bits, wide = (read_counters(recorded / "ifstat" / name).rates for name in ("b.txt", "wide.txt"))
    assert bits[bits.interface == "port1"].in_bps.mean() == pytest.approx(
        wide[wide.interface == "port1"].in_bps.mean(), rel=0.02
    )


def test_the_total_is_no_interface(recorded):
    counters = read_counters(recorded / "ifstat" / "wide.txt")
    assert counters.rates.interface.unique().tolist() == ["port1", "port2"]
    assert counters.rates.interval_s.isna().all()


def test_midnight_missing_values_and_cut_rows(counters_of):
    counters = counters_of(
        "  Time           eth0\nHH:MM:SS   KB/s in  KB/s out\n23:59:58      1.00      2.00\n"
        "00:00:01       n/a      3.00\n00:00:04      4.0"
    )
    assert counters.rates.interval_s.tolist() == [3, 3]
    assert counters.rates.in_bps.isna().tolist() == [False, True]
    assert counters.rates.out_bps.tolist() == [16384, 24576]
