"""ESnet's rates in JSON."""

import json

import pandas as pd

CACHE = {
    "cr5": {
        "to_a": {
            "units": "bytes/sec",
            "in": {"1549875600": 100.0, "1549875630": 200.5, "1549875660": None},
            "out": {"1549875600": 10, "1549875630": 20, "1549875660": 30},
        }
    }
}


def test_rates(counters_of):
    counters = counters_of(json.dumps(CACHE))
    (source,) = counters.sources
    assert (source["format"], source["n_samples"], source["interval_s"]) == ("esnet-snmp-json", 3, 30)
    assert source["first_time"] == "2019-02-11T09:00:00Z"
    assert source["series"][0]["name"] == "cr5/to_a"
    assert counters.rates.in_bps.isna().tolist() == [False, False, True]
    assert counters.rates.out_bps.tolist() == [80, 160, 240]
    assert counters.rates.time.iloc[0] == pd.Timestamp("2019-02-11T09:00:30Z")  # the end of the interval
    assert counters.rates[["host", "interface"]].iloc[0].tolist() == ["cr5", "to_a"]


def test_unknown_units(counters_of, said):
    cache = {"cr5": {"to_a": {**CACHE["cr5"]["to_a"], "units": "furlongs"}}}
    counters = counters_of(json.dumps(cache))
    assert counters.rates.empty
    assert said(counters) == ["unit: found units 'furlongs', expected 'bytes/sec'; to_a is left out"]
