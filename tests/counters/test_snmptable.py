"""snmptable with its options, of one agent; tables one after another are joined."""

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters

COLUMNS = ["interface", "description", "mac_address", "speed_bps", "mtu", "up", "counter_bits"]


@pytest.mark.parametrize("form", ["right", "index", "left", "separated", "brief-left", "parts"])
def test_both_tables_of_an_agent(form, samples):
    counters = read_counters(samples / "snmptable" / f"{form}.txt")
    walked = read_counters(samples / "snmpwalk" / "symbolic.txt")
    pd.testing.assert_frame_equal(counters.interfaces[COLUMNS], walked.interfaces[COLUMNS])
    assert counters.sources[0]["format"] == "snmptable"
    assert counters.problems.empty


def test_ifxtable_alone_has_no_index(counters_of):
    counters = counters_of("""\
SNMP table: IF-MIB::ifXTable

ifName,ifHCInOctets,ifHCOutOctets,ifHighSpeed,ifAlias
Te1/1,5,6,10000,"a, b"
Te1/2,7,?,0,
""")
    rows = counters.interfaces
    assert rows[["interface", "index", "in_octets", "alias"]].astype(object).to_numpy().tolist() == [
        ["Te1/1", pd.NA, 5, "a, b"],
        ["Te1/2", pd.NA, 7, pd.NA],
    ]
    assert pd.isna(rows.out_octets[1])
    assert rows.speed_bps[0] == 10e9


def test_values_with_blanks_stay_whole(counters_of):
    counters = counters_of("""\
SNMP table: IF-MIB::ifTable

 ifIndex         ifDescr ifInOctets ifOutOctets ifSpeed
      10  Gigabit 0/1 up          5           6    1000
      11          port 2         70          80       0
""")
    assert counters.interfaces.description.tolist() == ["Gigabit 0/1 up", "port 2"]
    assert counters.interfaces.in_octets.tolist() == [5, 70]


def test_a_row_that_breaks_off(counters_of, said):
    counters = counters_of("ifName;ifHCInOctets;ifHCOutOctets;ifHighSpeed\nTe1/1;5;6;10000\nTe1/2;7")
    assert said(counters) == ["3: truncated: found 2 values, expected 4 as in the header; left out"]
    assert counters.interfaces.interface.tolist() == ["Te1/1"]


def test_a_table_repeated_is_a_series(counters_of):
    table = "SNMP table: IF-MIB::ifXTable\n\nifName,ifHCInOctets,ifHCOutOctets,ifHighSpeed\nTe1/1,{},6,10000\n\n"
    counters = counters_of(table.format(5) + table.format(7))
    assert counters.samples.in_octets.tolist() == [5, 7]
    assert counters.interfaces.in_octets.tolist() == [7]
