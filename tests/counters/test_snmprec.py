"""Recordings of snmpsim."""

import pandas as pd

from hecn_analysis.counters import read_counters


def test_a_switch(samples, said):
    counters = read_counters(samples / "snmprec" / "switch.snmprec")
    rows = counters.interfaces.set_index("index")
    assert rows.interface.to_dict() == {1: "Te1/1", 2: "port 2", 3: "port 3"}
    assert rows.in_octets[1] == 2**64 - 1
    assert rows.out_octets[1] == 5
    assert rows.alias[1] == "uplink"
    assert rows.mac_address[1] == "02:00:5e:00:53:01"
    assert rows.up.tolist() == [True, False, False]
    assert rows.speed_bps[1] == 10e9
    assert rows.speed_bps[[2, 3]].isna().all()
    assert pd.isna(rows.in_octets[3])
    sample = counters.samples.iloc[0]
    assert (sample.host, sample.uptime_s, sample.discontinuity_s, sample.line) == ("sw1", 1553.45, 10.0, 5)
    first = counters.sources[0]["interfaces"][0]
    assert (first["fcs_errors"], first["duplex"]) == (12, "full")
    made = "found a value that snmpsim makes (65:numeric), expected a recorded one; such values are left out"
    slow = "found 1000 bit/s, expected the speed of an Ethernet interface; taken as not known"
    assert said(counters) == [
        f"19: ambiguous: {made}",
        "30: inconsistent: ifHighSpeed: found 4294967295 Mbit/s, expected a speed; taken as not known",
        f"13: inconsistent: ifSpeed: {slow}",
    ]


def test_an_interface_of_the_index_0(counters_of):
    counters = counters_of("1.3.6.1.2.1.2.2.1.2.0|4|mgmt\n1.3.6.1.2.1.2.2.1.10.0|65|5\n")
    assert counters.interfaces[["interface", "index", "in_octets"]].to_dict("records") == [
        {"interface": "mgmt", "index": 0, "in_octets": 5}
    ]


def test_a_counter_beyond_64_bits_is_left_out(counters_of, said):
    counters = counters_of("1.3.6.1.2.1.31.1.1.1.6.1|70|18446744073709551616\n1.3.6.1.2.1.31.1.1.1.10.1|70|1\n")
    assert counters.samples.in_octets.isna().all()
    assert said(counters) == [
        "1: inconsistent: in_octets: found 18446744073709551616, expected a whole number of at least 0; left out"
    ]


def test_a_line_that_breaks_off(counters_of, said):
    counters = counters_of("1.3.6.1.2.1.2.2.1.10.1|65|5\n1.3.6.1.2.1.2.2.1.16.1|6")
    assert said(counters) == [
        "2: truncated: found '1.3.6.1.2.1.2.2.1.16.1|6', expected 'OID|tag|value'; such lines are left out"
    ]


def test_counters_of_64_bits_that_an_agent_does_not_keep_are_told(counters_of, said):
    counters = counters_of("1.3.6.1.2.1.2.2.1.10.1|65|77\n1.3.6.1.2.1.31.1.1.1.6.1|70|0\n")
    assert counters.samples.in_octets.tolist() == [0]
    assert said(counters) == [
        "2: inconsistent: ifHCInOctets: found 0 beside ifInOctets of 77, expected the same count; taken as it stands"
    ]
