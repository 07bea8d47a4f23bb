"""vnstat: JSON, XML, one line, tables; an overflow of its own."""

import json

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters


def test_json_and_xml_say_the_same(recorded):
    found = {form: read_counters(recorded / "vnstat" / f"all.{form}") for form in ("json", "xml")}
    assert [source["format"] for counters in found.values() for source in counters.sources] == [
        "vnstat-json",
        "vnstat-xml",
    ]
    rows = {
        form: counters.rates[["interface", "time", "interval_s", "in_bps", "out_bps"]].to_numpy().tolist()
        for form, counters in found.items()
    }
    assert rows["json"] == rows["xml"]
    assert found["json"].samples.in_octets.tolist()[:2] == found["xml"].samples.in_octets.tolist()[:2]


def test_the_total_is_that_of_the_intervals(recorded):
    counters = read_counters(recorded / "vnstat" / "all.json")
    rates = counters.rates[counters.rates.interface == "port1"]
    total = counters.samples[counters.samples.interface == "port1"].in_octets.iloc[0]
    assert (rates.in_bps * rates.interval_s / 8).sum() == pytest.approx(float(total), rel=1e-9)


def test_amounts_that_overflowed_are_left_out(recorded, said):
    counters = read_counters(recorded / "vnstat" / "all.json")
    assert counters.samples[counters.samples.interface == "port2"].in_octets.isna().all()
    assert counters.rates.in_bps.max() < 1e9
    assert said(counters) == [
        "inconsistent: found 9223372036854775807 bytes, expected less than 2**62: an overflow of vnstat; left out"
    ]


def test_the_last_interval_ends_with_the_last_update(counters_of):
    def made(updated):
        entry = {"id": 1, "timestamp": 1795258800, "rx": 600, "tx": 300}
        link = {
            "name": "eth0",
            "updated": {"timestamp": updated},
            "traffic": {"total": {"rx": 600, "tx": 300}, "fiveminute": [entry]},
        }
        return json.dumps({"vnstatversion": "2.10", "jsonversion": "2", "interfaces": [link]})

    counters = counters_of(made(1795258860))
    assert counters.rates[["interval_s", "in_bps", "out_bps"]].to_numpy().tolist() == [[60, 80, 40]]
    assert counters.sources[0]["series"][0]["max_in_bps"] == 16  # of the whole interval
    counters = counters_of(made(1795259100))
    assert counters.rates[["interval_s", "in_bps"]].to_numpy().tolist() == [[300, 16]]


def test_version_1_has_kibibytes_and_local_times(counters_of):
    text = (
        '{"vnstatversion":"1.18","jsonversion":"1","interfaces":[{"id":"eth0","nick":"eth0","created":{"date":'
        '{"year":2018,"month":1,"day":2}},"updated":{"date":{"year":2018,"month":2,"day":3},"time":{"hour":10,"minutes":30}},'
        '"traffic":{"total":{"rx":1000,"tx":2000},"days":[],"hours":[{"id":9,"date":{"year":2018,"month":2,"day":3},'
        '"rx":450,"tx":900}]}}]}'
    )
    counters = counters_of(text, time_zone="UTC")
    assert counters.samples[["in_octets", "out_octets"]].to_numpy().tolist() == [[1024000, 2048000]]
    assert counters.samples.time.tolist() == [pd.Timestamp("2018-02-03T10:30Z")]
    assert counters.rates[["interval_s", "in_bps"]].to_numpy().tolist() == [[3600, 1024]]
    assert counters.rates.time.tolist() == [pd.Timestamp("2018-02-03T10:00Z")]
    assert counters.problems.empty


def test_one_line(recorded, said):
    exact, rounded = (read_counters(recorded / "vnstat" / name) for name in ("oneline-bytes.txt", "oneline.txt"))
    assert exact.problems.empty
    assert float(rounded.samples.in_octets.iloc[0]) == pytest.approx(float(exact.samples.in_octets.iloc[0]), rel=1e-3)
    assert said(rounded) == [
        "1: unit: found sizes that vnstat has rounded, expected bytes ('--oneline b'); read as printed"
    ]


def test_tables(recorded):
    table = read_counters(recorded / "vnstat" / "fiveminutes.txt", time_zone="UTC").rates
    exact = read_counters(recorded / "vnstat" / "all.json").rates
    exact = exact[exact.interface == "port1"]
    assert table.time.tolist()[:-1] == exact.time.tolist()[:-1]
    assert table.in_bps.tolist()[:-1] == pytest.approx(exact.in_bps.tolist()[:-1], rel=2e-3)
    hours = read_counters(recorded / "vnstat" / "hours.txt", time_zone="UTC").rates
    assert hours.interval_s.tolist() == [3600]


def test_a_database_without_traffic(counters_of):
    """A day that has just begun, an interface that was never up, in XML one without its element of traffic."""
    link = {"name": "eth0", "updated": {"timestamp": 1795258800}, "traffic": {"total": {"rx": 0, "tx": 0}, "day": []}}
    document = {"vnstatversion": "2.10", "jsonversion": "2", "interfaces": [link]}
    counters = counters_of(json.dumps(document))
    assert counters.samples[["interface", "in_octets", "out_octets"]].to_numpy().tolist() == [["eth0", 0, 0]]
    assert counters.rates.empty
    counters = counters_of(
        '<vnstat version="2.10" xmlversion="2"><interface name="eth1"></interface>'
        '<interface name="eth0"><traffic><total><rx>5</rx><tx>6</tx></total></traffic></interface></vnstat>'
    )
    assert counters.samples[["interface", "in_octets", "out_octets"]].to_numpy().tolist() == [["eth0", 5, 6]]


def test_an_entry_without_its_date(counters_of):
    entries = [{"id": 1, "rx": 1, "tx": 1}, {"id": 2, "timestamp": 1795258800, "rx": 600, "tx": 300}]
    link = {
        "name": "eth0",
        "updated": {"timestamp": 1795262400},
        "traffic": {"total": {"rx": 6, "tx": 3}, "hour": entries},
    }
    counters = counters_of(json.dumps({"vnstatversion": "2.10", "jsonversion": "2", "interfaces": [link]}))
    assert counters.rates.time.tolist() == [pd.Timestamp(1795262400, unit="s", tz="UTC")]


def test_months_and_summaries_are_amounts_and_the_total_a_sample(counters_of):
    counters = counters_of(
        "   eth3 since 2026-01-05\n\n          rx:  1.00 TiB      tx:  2.00 GiB      total:  1.00 TiB\n\n   monthly\n"
        "                     rx      |     tx      |    total    |   avg. rate\n"
        "       2026-10     40.00 GiB |    1.50 GiB |   41.50 GiB |  132.00 kbit/s\n"
        "     estimated     80.00 GiB |    3.00 GiB |   83.00 GiB |\n\n   daily\n"
        "     yesterday      2.00 GiB |    1.00 MiB |    2.00 GiB |  198.00 kbit/s\n"
    )
    assert counters.samples[["interface", "in_octets", "out_octets"]].to_numpy().tolist() == [["eth3", 2**40, 2**31]]
    amounts = [(row["of"], row["label"], row["in_octets"]) for row in counters.sources[0]["amounts"]]
    assert amounts == [("monthly", "2026-10", 40 * 2**30), ("daily", "yesterday", 2**31)]
    assert list(counters.problems.kind) == ["unit"]
