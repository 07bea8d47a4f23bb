"""bwm-ng -o csv: out before in."""

import pytest

from hecn_analysis.counters import read_counters


def test_rows(recorded):
    counters = read_counters(recorded / "bwm-ng" / "rate.csv")
    (source,) = counters.sources
    assert (source["format"], source["n_samples"], source["interval_s"]) == ("bwm-ng-csv", 5, 2)
    assert set(counters.rates.interface) == {"lo", "br0", "port1", "port2"}
    rates = counters.rates[counters.rates.interface == "port1"]
    assert rates.in_bps.between(300e6, 410e6).all()
    assert rates.out_bps.lt(10e6).all()
    assert rates.interval_s.tolist() == pytest.approx([2] * 5, rel=0.1)


def test_a_line_that_is_none(counters_of, said):
    row = (
        "1795325190.2;eth0;100.00;200.00;300.00;400;200;"
        + "1.00;1.00;2.00;2;2;" * 2
        + "800.00;1600.00;2400.00;3200;1600\n"
    )
    counters = counters_of(row + "1795325192.2;eth0;1\n")
    assert counters.rates[["in_bps", "out_bps", "interval_s"]].to_numpy().tolist() == [[1600, 800, 2]]
    assert said(counters) == ["2: malformed: found '1795325192.2;eth0;1', expected a row of bwm-ng; left out"]
