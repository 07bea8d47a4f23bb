"""Windows performance counters, SONiC's table of ports, JSON with an object for each port."""

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters


def test_rates_of_typeperf_end_at_the_time_of_their_row(samples):
    counters = read_counters(samples / "pdh" / "typeperf.csv")
    assert counters.problems.empty
    rates = counters.rates
    assert rates[["host", "interface"]].drop_duplicates().to_numpy().tolist() == [
        ["DTN7", "Mellanox ConnectX-6 Adapter"]
    ]
    assert rates.time.tolist() == list(pd.to_datetime(["2026-11-28T10:00:05.5Z", "2026-11-28T10:00:10.5Z"]))
    assert (rates.in_bps.tolist(), rates.out_bps.tolist()) == ([10e9, 20e9], [20e6, 40e6])
    assert rates.interval_s.tolist() == [5, 5]
    [disk] = counters.sources[0]["devices"]
    assert (disk["mean_write_bps"], disk["max_write_bps"]) == (16e9, 24e9)
    assert counters.interfaces.speed_bps.tolist() == [100e9]


def test_a_row_of_typeperf_that_is_cut_off_is_named(samples, counters_of):
    text = (samples / "pdh" / "typeperf.csv").read_text().rpartition(",")[0]
    counters = counters_of(text)
    assert len(counters.rates) == 1
    assert "expected a time and 4 values; left out" in counters.problems.message[0]


def test_ports_of_sonic(samples, counters_of):
    counters = read_counters(samples / "sonic" / "counters.txt")
    assert counters.problems.empty
    assert counters.samples[["interface", "in_packets", "out_discards", "up"]].to_numpy().tolist() == [
        ["Ethernet0", 900000123, 7000001, True],
        ["Ethernet8", 0, 0, False],
    ]
    assert (counters.rates.in_bps[0], counters.rates.out_bps[0]) == (1e10, 2e7)
    cut = (samples / "sonic" / "counters.txt").read_text()[:-80]
    assert "expected 14; left out" in counters_of(cut).problems.message[0]


@pytest.mark.parametrize(("key", "name"), [("eth3", "eth3"), ("statistics", None)])
def test_a_key_of_json_is_a_name_unless_it_is_a_word_for_counters(counters_of, key, name):
    counters = counters_of(f'{{"{key}": {{"rx_bytes": 5000, "tx_bytes": 70}}}}')
    [row] = counters.samples.astype(object).where(counters.samples.notna(), None).to_dict("records")
    assert (row["interface"], row["in_octets"], row["out_octets"]) == (name, 5000, 70)


def test_ports_of_napalm(samples):
    samples_ = read_counters(samples / "json-ports" / "napalm.json").samples
    assert samples_[["interface", "in_errors", "out_discards"]].to_numpy().tolist() == [
        ["xe-0/0/1", 3, 12],
        ["xe-0/0/2", 0, 0],
    ]
