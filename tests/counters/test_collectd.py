"""collectd's csv plugin: counters, rates, names of files."""

import pytest

from hecn_analysis.counters import read_counters


def test_counters_and_rates_of_the_same_interface(recorded):
    counted, rated = (
        read_counters(next(recorded.glob(f"collectd-{what}/interface-port1/if_octets*")))
        for what in ("counters", "rates")
    )
    assert len(counted.samples) > 100
    assert rated.samples.empty
    assert counted.samples.interface.unique().tolist() == rated.rates.interface.unique().tolist() == ["port1"]
    series = counted.sources[0]["series"][0]
    assert series["n"] == len(counted.samples) - 1
    assert series["max_in_bps"] == pytest.approx(rated.rates.in_bps.max(), rel=1e-3)
    assert series["mean_in_bps"] == pytest.approx(rated.rates.in_bps.mean(), rel=1e-2)


def test_packets_are_packets(recorded):
    counters = read_counters(next(recorded.glob("collectd-counters/interface-port1/if_packets*")))
    assert counters.samples.in_octets.isna().all()
    assert counters.samples.in_packets.is_monotonic_increasing


def test_names_and_missing_values(counters_of, said):
    counters = counters_of(
        "epoch,rx,tx\n1795259004.1,100,200\n1795259014.1,nan,300\n1795259024.1,30\n",
        "dtn1/interface-eth0/if_octets-2026-11-21",
    )
    assert counters.samples[["host", "interface"]].iloc[0].tolist() == ["dtn1", "eth0"]
    assert counters.samples.in_octets.isna().tolist() == [False, True]
    assert counters.samples.out_octets.tolist() == [200, 300]
    assert said(counters) == ["4: malformed: found '1795259024.1,30', expected a time and two values; left out"]
