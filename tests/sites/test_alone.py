"""One transfer by itself is the single prediction; several on one host are its processes."""

import pytest

import hecn_analysis as hecn
from hecn_analysis.sites import predict_site

LONG = {"sender": "ideal", "receiver": "ideal", "tool": "nuttcp", "path.rate": "10 Gb/s", "path.rtt": "80 ms"}


@pytest.mark.parametrize(
    "keys",
    [
        {**LONG, "path.mtu": 9000, "tool.window": "16 MiB"},
        {**LONG, "path.mtu": 9000, "path.loss": 0, "tool.bytes": "10 GB"},
        {**LONG, "path.mtu": 9000, "path.loss": 1e-6, "sender.congestion_control": "reno"},
        {"sender": "b", "receiver": "b", "tool": "nuttscp", "path": "netem-80ms-10ge"},
        {"sender": "c", "receiver": "c", "tool": "nuttscp", "path": "lan-10ge"},
        {"sender": "a+", "receiver": "a+", "tool": "nuttcp", "path": "lan-4x10ge"},
        {
            "sender": "dtn-100g-2024",
            "receiver": "dtn-100g-2024",
            "tool": "scp",
            "path": "lan-100ge",
            "tool.bytes": 1e10,
        },
        {
            "sender": "dtn-100g-2024",
            "receiver": "dtn-100g-2024",
            "tool": "iperf3",
            "path": "lan-100ge",
            "tool.pace": 2e9,
        },
    ],
    ids=lambda keys: f"{keys['sender']}-{keys['tool']}-{len(keys)}",
)
def test_one_transfer_is_the_single_prediction(keys):
    single, site = hecn.predict(keys), hecn.predict({**keys, "transfers": [{}]})
    assert site.throughput_bps == pytest.approx(single.throughput_bps, rel=0.05)
    assert site.transfers[0].bottleneck_class == single.bottleneck_class
    assert site.low_bps == pytest.approx(single.low_bps, rel=0.55)


def test_copies_on_one_host_are_its_processes():
    keys = {"sender": "c", "receiver": "c", "tool": "nuttscp", "path": "lan-2x10ge", "tool.bonding": False}
    files = {f"{role}.files_on": ["raid50-1", "raid50-2"] for role in ("sender", "receiver")}
    single = hecn.predict({**keys, **files, "tool.processes": 2})
    site = hecn.predict({**keys, **files, "transfers": [{"count": 2}]})
    assert site.throughput_bps == pytest.approx(single.throughput_bps, rel=0.03)


def test_copies_on_paths_of_their_own_use_ports_and_arrays_in_turn():
    """Two ports, and two paths of two links each: the second copy gets the second port and the second array."""
    keys = {"sender": "c", "receiver": "c", "tool": "nuttscp", "path": "lan-2x10ge", "tool.bonding": False}
    files = {f"{role}.files_on": ["raid50-1", "raid50-2"] for role in ("sender", "receiver")}
    site = hecn.predict({**keys, **files, "transfers": [{}, {"path.rtt": "0.2 ms"}]})
    peaks = {use.name: use.peak for use in site.resources}
    assert peaks["c.raid.raid50-1"] == pytest.approx(peaks["c.raid.raid50-2"], rel=0.1)
    assert site.throughput_bps > 15e9


def test_streams_share_a_link_by_their_round_trip_times():
    """RFC 9438: at one loss, CUBIC streams carry as RTT^(-1/4) on long paths, Reno streams as 1 / RTT."""

    def shares(congestion_control):
        near = {"path": ["near", "common", "out"], "sender": "a", "receiver": "b", "duration": 10000}
        site = {
            "hosts": {"a": "ideal", "b": "ideal"},
            "switches": {"s": {}, "t": {}},
            "links": {
                "near": {"ends": ["a", "s"], "rtt": "40 ms"},
                "far": {"ends": ["a", "s"], "rtt": "640 ms"},
                "common": {"ends": ["s", "t"], "rate": "10 Gb/s", "rtt": 0},
                "out": {"ends": ["t", "b"], "rtt": 0},
            },
            "tool": "iperf3",
            "sender.congestion_control": congestion_control,
            "transfers": [near, {**near, "path": ["far", "common", "out"]}],
        }
        for link in site["links"].values():
            link |= {"loss": 0, "mtu": 9000}
        rates = [each.throughput_bps for each in predict_site(site).transfers]
        return rates[0] / rates[1]

    assert shares("reno") == pytest.approx(16, rel=0.02)
    assert shares("cubic") == pytest.approx(2, rel=0.02)


def test_many_transfers_have_intervals_without_draws():
    pair = {
        "sender": "ideal",
        "receiver": "ideal",
        "path.rate": "10 Gb/s",
        "path.rtt": 0,
        "path.mtu": 9000,
        "tool": "ftp",
    }
    result = predict_site({**pair, "tool.bytes": "1 GB", "transfers": [{"every": 1, "times": 200}]})
    assert result.basis == "the model's error where each transfer is limited, and the scatter of runs"
    assert len(result.transfers) == 200
    assert all(each.low_bps < each.throughput_bps < each.high_bps for each in result.transfers)
