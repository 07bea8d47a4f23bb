"""Ethernet framing against worked values and RFC 6349."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.framing import WAN_PHY, ethernet, frames_per_s, goodput_bps, payload_bytes, wire_bytes


@pytest.mark.parametrize(
    ("mtu", "options", "mbps"),
    [
        (1500, {"timestamps": False}, "949.285"),
        (1500, {}, "941.482"),
        (1500, {"vlan": True}, "939.040"),
        (9000, {"timestamps": False}, "991.370"),
        (9000, {}, "990.042"),
        (9000, {"vlan": True}, "989.604"),
    ],
)
def test_goodput_on_1_gbps_to_the_printed_digits(mtu, options, mbps):
    assert f"{ethernet(rate=1e9, mtu=mtu, **options)['goodput_bps'] / 1e6:.3f}" == mbps


def test_10_gigabit_with_jumbo_frames():
    assert f"{ethernet(rate=10e9, mtu=9000)['goodput_bps'] / 1e9:.5f}" == "9.90042"


def test_rfc_6349_frames_per_second_and_goodput():
    assert [int(frames_per_s(rate, 1500)) for rate in (100e6, 1e9, 10e9)] == [8127, 81274, 812743]
    assert goodput_bps(100e6, 1500, timestamps=False) == pytest.approx(94.9e6, abs=0.05e6)


def test_other_protocols_by_hand():
    assert goodput_bps(1e9, 1500, ip=6) == pytest.approx(1e9 * (1500 - 60 - 12) / 1538)
    assert goodput_bps(1e9, 1500, protocol="udp") == pytest.approx(1e9 * 1472 / 1538)
    assert goodput_bps(1e9, 1500, protocol="udp", timestamps=False) == goodput_bps(1e9, 1500, protocol="udp")
    assert goodput_bps(1e9, 1500, ip=6, protocol="udp", vlan=True) == pytest.approx(1e9 * 1452 / 1542)


def test_roce_packets_hold_the_largest_power_of_two_that_fits():
    """82 bytes beside the data: 14 + 20 + 8 + 12 + 4 + 4 + 20."""
    assert goodput_bps(100e9, 9000, protocol="roce") == pytest.approx(100e9 * 4096 / 4178)
    assert goodput_bps(100e9, 1500, protocol="roce") == pytest.approx(100e9 * 1024 / 1106)
    assert frames_per_s(100e9, 1500, protocol="roce") == pytest.approx(100e9 / 8 / 1106)
    assert wire_bytes(1500, protocol="roce", ip=6, vlan=True) == 1024 + 82 + 20 + 4
    assert payload_bytes(1068, protocol="roce") == 1024
    assert payload_bytes(1067, protocol="roce") == 512


def test_an_rdma_mtu_is_taken_as_such():
    for mtu in (256, 512, 1024, 2048, 4096):
        for ip in (4, 6):
            assert payload_bytes(mtu, protocol="roce", ip=ip) == mtu


@given(st.floats(1e6, 8e11), st.integers(1280, 65_535), st.booleans(), st.booleans(), st.sampled_from([4, 6]))
def test_the_figures_agree(rate, mtu, timestamps, vlan, ip):
    figures = ethernet(rate=rate, mtu=mtu, timestamps=timestamps, vlan=vlan, ip=ip)
    assert figures["wire_overhead"] == pytest.approx(1 - figures["goodput_bps"] / rate)
    data = payload_bytes(mtu, timestamps=timestamps, ip=ip)
    assert figures["frames_per_s"] * data * 8 == pytest.approx(figures["goodput_bps"])


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_larger_mtu_is_faster_and_the_steps_are_small(protocol):
    goodput = goodput_bps(1.0, np.arange(1280, 65_536), protocol=protocol)
    assert (np.diff(goodput) > 0).all()
    assert np.diff(goodput).max() < 1e-4


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"mtu": 100_000}, "mtu: found 100000, expected 68 to 65535 B for IPv4"),
        ({"mtu": 67}, "mtu: found 67, expected 68 to 65535 B for IPv4"),
        ({"mtu": 1279, "ip": 6}, "mtu: found 1279, expected 1280 to 65535 B for IPv6"),
        ({"mtu": -1}, "mtu: found -1, expected 68 to 65535 B for IPv4"),
        (
            {"mtu": 299, "protocol": "roce"},
            "mtu: found 299, expected 300 B or more for RoCE, or an RDMA MTU from 256 B",
        ),
        ({"ip": 5}, "ip: found 5, expected one of 4, 6"),
        ({"protocol": "sctp"}, "protocol: found 'sctp', expected one of 'tcp', 'udp', 'roce'"),
        ({"rate": 0}, "rate: found 0, expected a number > 0"),
        ({"rate": -1e9}, "rate: found -1000000000, expected a number > 0"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        ethernet(**{"rate": 1e9, "mtu": 1500} | option)
    assert str(caught.value) == message


def test_the_smallest_and_largest_mtu_are_allowed():
    assert payload_bytes(68) == 16
    assert payload_bytes(65_535) == 65_483
    assert payload_bytes(1280, ip=6) == 1208


def test_the_wan_phy_runs_at_the_payload_of_an_oc192c():
    assert f"{WAN_PHY / 1e9:.6f}" == "9.294196"
    plain, wan = ethernet(rate=10e9, mtu=9000), ethernet(rate=10e9, mtu=9000, wan_phy=True)
    assert wan["goodput_bps"] == pytest.approx(plain["goodput_bps"] * 9.58464 * 64 / 660)
    assert wan["wire_overhead"] == plain["wire_overhead"]
    with pytest.raises(RangeError, match=r"^rate: found 1000000000, expected 10 Gb/s with the WAN PHY, in bit/s$"):
        ethernet(rate=1e9, mtu=1500, wan_phy=True)


@pytest.mark.parametrize("rate", [10e6, 100e6, 1e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9, 800e9])
def test_every_rate_of_ethernet_keeps_the_same_part(rate):
    assert goodput_bps(rate, 9000) / rate == pytest.approx(0.990042, abs=5e-7)
