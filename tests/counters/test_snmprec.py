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
        "2: inconsistent: ifHCInOctets: found 0 beside ifInOctets of 77, expected the same count; used as printed"
    ]


def test_octets_and_escapes(counters_of):
    """Tag 4x: hexadecimal; 4e: as Python writes bytes."""
    counters = counters_of(
        "1.3.6.1.2.1.2.2.1.2.1|4e|caf\\xc3\\xa9 \\'1\\'\n1.3.6.1.2.1.2.2.1.6.1|4x|02005e005301\n"
        "1.3.6.1.2.1.2.2.1.10.1|65|5\n1.3.6.1.2.1.2.2.1.6.2|4e|\\x02\\x00^\\x00S\\t\n1.3.6.1.2.1.2.2.1.10.2|65|6\n"
    )
    assert counters.interfaces.mac_address.tolist() == ["02:00:5e:00:53:01", "02:00:5e:00:53:09"]
    assert counters.interfaces.description.tolist()[0] == "café '1'"


def test_values_that_snmpsim_makes_are_told_once(counters_of, said):
    counters = counters_of(
        "1.3.6.1.2.1.1.1.0|4:writecache|value=a\n1.3.6.1.2.1.2.2.1.10.1|65:numeric|rate=100\n"
        "1.3.6.1.2.1.2.2.1.10.2|65:numeric|rate=100\n1.3.6.1.2.1.2.2.1.16.2|65|5\n"
    )
    assert counters.samples[["index", "out_octets"]].to_numpy().tolist() == [[2, 5]]
    (line,) = said(counters)
    assert "ambiguous: found a value that snmpsim makes" in line


def test_sapwalk(counters_of):
    counters = counters_of(
        '.1.3.6.1.2.1.2.2.1.2.1, OctetString, "eth0"\n.1.3.6.1.2.1.2.2.1.10.1, Counter, 5\n'
        ".1.3.6.1.2.1.31.1.1.1.6.1, Counter64, 5000000000\n"
    )
    assert counters.sources[0]["format"] == "snmprec"
    assert counters.samples[["interface", "in_octets", "counter_bits"]].to_numpy().tolist() == [
        ["eth0", 5000000000, 64]
    ]
