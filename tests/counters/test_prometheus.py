"""Prometheus and OpenMetrics: exporters' answers, times, unknown speeds, results of queries."""

import json

import pandas as pd
import pytest

from hecn_analysis.counters import read_counters


def test_node_exporter(recorded):
    counters = read_counters(recorded / "node_exporter" / "metrics.prom")
    (source,) = counters.sources
    assert (source["format"], source["source"], source["n_interfaces"]) == ("prometheus", "node_exporter", 4)
    assert counters.problems.empty
    rows = counters.samples.set_index("interface")
    assert rows.in_octets["port1"] > rows.out_octets["port2"] > 2**32
    assert rows.speed_bps["port1"] == 10e9
    assert rows.up.all()
    assert rows.mtu["port1"] == 1500
    assert rows.time.dt.date.astype(str).unique().tolist() == ["2026-11-22"]


def test_a_speed_of_minus_one_is_unknown_and_no_counter_is_absent(counters_of):
    counters = counters_of(
        "# TYPE node_network_speed_bytes gauge\n"
        'node_network_speed_bytes{device="eth0"} -125000\nnode_network_speed_bytes{device="eth1"} 1.25e+09\n'
        'node_network_receive_bytes_total{device="eth1"} 9.025982194e+09\n'
    )
    assert counters.samples[["interface", "in_octets", "speed_bps"]].to_numpy().tolist() == [
        ["eth1", 9025982194, 10**10]
    ]
    assert counters.samples.out_octets.isna().all()
    assert counters.interfaces.set_index("interface").speed_bps.isna().to_dict() == {"eth0": True, "eth1": False}


SNMP = """\
# HELP ifHCInOctets The total number of octets received
# TYPE ifHCInOctets counter
ifHCInOctets{ifAlias="up \\"link\\"",ifDescr="Port 1",ifIndex="1",ifName="1/1"} 2.75461105921324e+14
ifInOctets{ifAlias="up \\"link\\"",ifDescr="Port 1",ifIndex="1",ifName="1/1"} 5
ifHCInUcastPkts{ifDescr="Port 1",ifIndex="1",ifName="1/1"} 10
ifHCInMulticastPkts{ifDescr="Port 1",ifIndex="1",ifName="1/1"} 5
ifHCOutOctets{ifDescr="Port 1",ifIndex="1",ifName="1/1"} 7
ifHighSpeed{ifDescr="Port 1",ifIndex="1",ifName="1/1"} 1000
ifOperStatus{ifDescr="Port 1",ifIndex="1",ifName="1/1"} 1
ifSpeed{ifDescr="Port 2",ifIndex="2",ifName="1/2"} 4.294967295e+09
ifInOctets{ifDescr="Port 2",ifIndex="2",ifName="1/2"} 5
"""


def test_snmp_exporter(counters_of):
    counters = counters_of(SNMP)
    assert counters.sources[0]["source"] == "snmp_exporter"
    first, second = (row for _, row in counters.samples.iterrows())
    names = ["interface", "index", "in_octets", "out_octets", "in_packets", "counter_bits", "speed_bps", "up"]
    assert first[names].tolist() == ["1/1", 1, 275461105921324, 7, 15, 64, 10**9, True]
    assert second[["interface", "in_octets", "counter_bits"]].tolist() == ["1/2", 5, 32]
    assert pd.isna(second["speed_bps"])
    assert counters.interfaces.alias.iloc[0] == 'up "link"'


def test_uptimes(counters_of):
    agent = counters_of(SNMP + "# TYPE sysUpTime gauge\nsysUpTime 1.2345e+06\n")
    assert agent.samples.uptime_s.tolist() == [12345, 12345]
    line = 'node_network_receive_bytes_total{device="eth0"} 1\n'
    host = counters_of(f"# TYPE a gauge\nnode_boot_time_seconds 1.7e+09\nnode_time_seconds 1.70000006e+09\n{line}")
    assert host.samples.uptime_s.tolist() == [60]
    assert counters_of(f"# TYPE a gauge\nnode_time_seconds 1.70000006e+09\n{line}").samples.uptime_s.isna().all()


def test_times_are_milliseconds_and_seconds(counters_of):
    line = 'node_network_receive_bytes_total{{device="eth0"}} 1 {}\n'
    prometheus = counters_of("# TYPE a counter\n" + line.format(1601830800000) + line.format(1601830815000))
    assert prometheus.samples.time.tolist() == [
        pd.Timestamp("2020-10-04T17:00:00Z"),
        pd.Timestamp("2020-10-04T17:00:15Z"),
    ]
    assert prometheus.sources[0]["n_samples"] == 2
    metrics = counters_of("# TYPE a counter\n" + line.format(1601830800.5) + "# EOF\n")
    assert metrics.sources[0]["format"] == "openmetrics"
    assert metrics.samples.time.tolist() == [pd.Timestamp("2020-10-04T17:00:00.5Z")]


@pytest.mark.parametrize("text", ["# TYPE up gauge\nup 1\n", "# HELP a b\n# TYPE a counter\na_total 1\n# EOF\n"])
def test_without_interfaces(counters_of, text):
    (source,) = counters_of(text).sources
    assert source["interfaces"] == []


def test_a_query_of_a_range(counters_of, said):
    labels = {"device": "eth0", "instance": "dtn1:9100"}
    answer = {
        "status": "success",
        "data": {
            "resultType": "matrix",
            "result": [
                {
                    "metric": {"__name__": "node_network_receive_bytes_total", **labels},
                    "values": [[1795259000, "100"], [1795259015.5, "9007199254740993"]],
                },
                {"metric": labels, "values": [[1795259000, "1"]]},
            ],
        },
    }
    counters = counters_of(json.dumps(answer))
    assert counters.sources[0]["format"] == "prometheus-json"
    assert counters.samples[["host", "interface", "in_octets"]].to_numpy().tolist() == [
        ["dtn1:9100", "eth0", 100],
        ["dtn1:9100", "eth0", 9007199254740993],
    ]
    (problem,) = said(counters)
    assert problem == (
        "ambiguous: found 1 results without the name of a metric, expected counters by their names; left out, for "
        "nothing says their unit"
    )


def test_a_line_that_is_cut(counters_of, said):
    counters = counters_of(SNMP + 'ifInErrors{ifDescr="Port 2",ifInd')
    assert len(counters.samples) == 2
    assert said(counters) == [
        "12: malformed: found 'ifInErrors{ifDescr=\"Port 2\",ifInd', expected a metric with its value; left out"
    ]


def test_windows_exporter(counters_of):
    counters = counters_of(
        "# TYPE windows_net_bytes_received_total counter\n"
        'windows_net_bytes_received_total{nic="Intel_R_Ethernet_X550"} 9.025982194e+09\n'
        'windows_net_bytes_sent_total{nic="Intel_R_Ethernet_X550"} NaN\n'
    )
    assert counters.sources[0]["source"] == "windows_exporter"
    assert counters.samples[["interface", "in_octets"]].to_numpy().tolist() == [["Intel_R_Ethernet_X550", 9025982194]]
    assert counters.samples.out_octets.isna().all()


def test_the_address_of_infiniband_is_none_of_ethernet(counters_of):
    gid = ":".join(["80", "00", "02", "08", "fe", *["00"] * 15])
    counters = counters_of(
        "# TYPE node_network_info gauge\n"
        f'node_network_info{{address="{gid}",device="ib0",operstate="up"}} 1\n'
        'node_network_info{address="02:00:5e:00:53:01",device="eth0",operstate="down"} 1\n'
    )
    assert counters.interfaces[["interface", "up"]].to_numpy().tolist() == [["ib0", True], ["eth0", False]]
    assert counters.interfaces.mac_address.tolist()[1] == "02:00:5e:00:53:01"
    assert counters.interfaces.mac_address.isna().tolist() == [True, False]


def test_a_query_of_a_moment(counters_of):
    """Series that went stale have NaN; all results have the name of their metric, so there is nothing to tell."""
    results = [
        {"metric": {"__name__": f"node_network_{way}_bytes_total", "device": "eth0"}, "value": [1795259000, value]}
        for way, value in (("receive", "100"), ("transmit", "NaN"))
    ]
    answer = {"status": "success", "data": {"resultType": "vector", "result": results}}
    counters = counters_of(json.dumps(answer))
    assert counters.samples.in_octets.tolist() == [100]
    assert counters.samples.out_octets.isna().all()
    assert counters.problems.empty
