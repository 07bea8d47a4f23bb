"""InfluxDB's line protocol."""

import pandas as pd
import pytest


def test_the_net_input(counters_of):
    counters = counters_of(
        "net,host=dtn1,interface=eth0 bytes_recv=5000000000u,bytes_sent=6i,packets_recv=7i,err_in=1i,drop_out=2i,"
        "speed=10000i 1737152505014578000\n"
        "net,host=dtn1,interface=all icmp_inmsgs=3i,bytes_recv=1i 1737152505014578000\n"
        "cpu,host=dtn1,cpu=cpu0 usage_idle=99.5 1737152505000000000\n"
        "net,host=dtn1,interface=eth0 bytes_recv=5000000100u,bytes_sent=7i 1737152515014578000\n"
    )
    assert counters.problems.empty
    rows = counters.samples
    assert rows[["host", "interface", "in_octets", "out_octets"]].to_numpy().tolist() == [
        ["dtn1", "eth0", 5000000000, 6],
        ["dtn1", "eth0", 5000000100, 7],
    ]
    assert rows.iloc[0][["in_packets", "in_errors", "out_discards", "speed_bps"]].tolist() == [7, 1, 2, 10**10]
    assert rows.time.iloc[0] == pd.Timestamp("2025-01-17T22:21:45.014578Z")


def test_the_snmp_input(counters_of):
    counters = counters_of(
        "interface,agent_host=192.0.2.9,ifIndex=3,ifName=xe-0/0/1,ifDescr=to\\ there ifHCInOctets=11u,"
        "ifHCOutOctets=12u,ifInOctets=1u,ifHighSpeed=10000u,ifOperStatus=1i,ifInDiscards=4u 1737152505\n"
    )
    row = counters.samples.iloc[0]
    assert row[["host", "interface", "index", "up"]].tolist() == ["192.0.2.9", "xe-0/0/1", 3, True]
    counted = ["in_octets", "out_octets", "counter_bits", "speed_bps", "in_discards"]
    assert row[counted].tolist() == [11, 12, 64, 10**10, 4]
    assert counters.interfaces.description.tolist() == ["to there"]
    (fact,) = counters.sources[0]["interfaces"]
    assert fact["device"] == "192.0.2.9"


@pytest.mark.parametrize(("time", "expected"), [("1737152505", 0), ("1737152505250", 0.25), ("1737152505250000", 0.25)])
def test_lengths_of_times(counters_of, time, expected):
    counters = counters_of(f"net,interface=eth0 bytes_recv=1i {time}\n")
    assert counters.samples.time.iloc[0] == pd.Timestamp(1737152505 + expected, unit="s", tz="UTC")


def test_a_line_that_is_cut(counters_of, said):
    counters = counters_of(
        "net,interface=eth0 bytes_recv=1i 1737152505000000000\n" * 60 + "net,interface=eth0 bytes_re"
    )
    assert said(counters) == [
        "61: malformed: found 'net,interface=eth0 bytes_re', expected a line of the protocol; left out"
    ]


def test_points_without_a_time(counters_of):
    """The database gives them the time of their arrival, which nobody knows here."""
    counters = counters_of(
        'net,host=dtn1,interface=eth0 bytes_recv=5i,bytes_sent=6i,driver="ixgbe 5.1"\n'
        "net,host=dtn1,interface=eth1 bytes_recv=7i,bytes_sent=8i\n"
    )
    assert counters.samples[["interface", "in_octets"]].to_numpy().tolist() == [["eth0", 5], ["eth1", 7]]
    assert counters.samples.time.isna().all()
    assert "first_time" not in counters.sources[0]
    assert counters.problems.empty


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('openconfig,name=E1 state/counters/in_octets=5i,state/oper-status="{}"', ("UP", "LOWER_LAYER_DOWN")),
        ('interface,ifName=E1 ifInOctets=5u,ifOperStatus="{}"', ("up", "down")),  # conversion = "enum"
        ('interface,ifName=E1 ifInOctets=5u,ifOperStatus="{}"', ("up(1)", "down(2)")),  # conversion = "enum(1)"
    ],
)
def test_a_state_in_words(counters_of, line, words):
    """Telegraf's inputs gnmi and snmp."""
    counters = counters_of("".join(f"{line} 173715250{n}\n".format(word) for n, word in enumerate(words)))
    assert counters.samples[["in_octets", "up"]].to_numpy().tolist() == [[5, True], [5, False]]
