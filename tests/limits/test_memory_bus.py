"""Memory and the links between sockets against worked values, RFC 4297 and printed rates."""

import numpy as np
import pytest

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.memory_bus import bandwidth_bps, memory, memory_bps, numa_bps
from hecn_analysis.limits.socket_links import interconnect, raw_bps

GB = 8e9  # [bit]


def test_rfc_4297_receive_with_three_passes():
    assert memory_bps(8e9, 3) == pytest.approx(2.67e9, abs=5e6)


def test_channels():
    assert bandwidth_bps(3, 1333.33e6, usable=1.0) == pytest.approx(8 * 32e9, rel=1e-4)
    figures = memory(channels=6, transfers=2666e6, passes=4, usable=0.75)
    assert figures["bandwidth_bps"] == pytest.approx(6 * 8 * 2666e6 * 0.75 * 8)
    assert figures["throughput_bps"] == pytest.approx(figures["bandwidth_bps"] / 4)
    with pytest.warns(ValidityWarning, match=r"^usable: found 0\.97, the formula holds for 0\.95 or less"):
        bandwidth_bps(3, 1e9, usable=0.97)


def test_the_far_socket_is_reached_through_its_link():
    crossings = np.array([0, 1, 2])
    assert numa_bps(40 * GB, 2, 10 * GB, crossings).tolist() == [20 * GB, 10 * GB, 5 * GB]
    assert numa_bps(40 * GB, 2, 10 * GB, 2, both_ways=1.0) == 10 * GB
    far = memory(channels=6, transfers=2666e6, link_rate=10 * GB, link_passes=2)
    assert far["throughput_bps"] == 5 * GB


@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        ("fsb", {"533": 4.267, "667": 5.333, "800": 6.4, "1066": 8.533, "1333": 10.67}),
        ("ht", {"1.6": 3.2, "2.0": 4.0, "2.8": 5.6, "4.8": 9.6, "5.2": 10.4, "6.4": 12.8}),
        ("qpi", {"4.8": 9.6, "5.86": 11.72, "6.4": 12.8, "7.2": 14.4, "8.0": 16.0, "9.6": 19.2}),
        ("upi", {"9.6": 19.2, "10.4": 20.8, "11.2": 22.4, "16": 32.0, "20": 40.0, "24": 48.0}),
        ("fabric", {"10.7": 21.333, "16": 32.0, "18": 36.0, "32": 64.0}),
        ("dmi", {"1": 1.0, "2": 2.0, "3": 3.938, "4": 15.754}),
    ],
)
def test_links_carry_what_is_printed(kind, printed):
    """GB/s each way; both ways together on the front-side bus."""
    assert {speed: raw_bps(f"{kind}-{speed}") / GB for speed in printed} == pytest.approx(printed, rel=1e-3)


@pytest.mark.parametrize(
    ("link", "share"),
    [("fsb-800", 1), ("ht-6.4", 64 / 72), ("upi-10.4", 8 / 9), ("fabric-16", 8 / 9), ("dmi-3", 128 / 152)],
)
def test_data_that_links_carry_beside_headers(link, share):
    """None on the bus of old, whose addresses have lines of their own; DMI's packets carry 128 bytes."""
    figures = interconnect(link)
    assert figures["throughput_bps"] / figures["raw_bps"] == pytest.approx(share)
    assert figures["raw_bps"] == raw_bps(link)


def test_headers_and_check_bits_take_a_ninth():
    two_ways = 2 * interconnect("fabric-10.7")["throughput_bps"] / GB
    assert two_ways == pytest.approx(37.9, abs=0.05)  # as AMD prints it
    assert interconnect("qpi-6.4", links=np.array([1, 2]))["throughput_bps"] / GB == pytest.approx(
        [11.38, 22.76], abs=5e-3
    )


@pytest.mark.parametrize(
    ("function", "option", "message"),
    [
        (memory, {"channels": 1.5}, "channels: found 1.5, expected a whole number >= 1"),
        (memory, {"usable": 1.2}, "usable: found 1.2, expected a fraction above 0, at most 1"),
        (memory, {"usable": 0}, "usable: found 0, expected a fraction above 0, at most 1"),
        (memory, {"passes": 0}, "passes: found 0, expected a number > 0"),
        (memory, {"transfers": -1}, "transfers: found -1, expected a number > 0"),
        (memory, {"link_rate": 0}, "link_rate: found 0, expected a number > 0"),
        (memory, {"link_rate": 1e9, "link_passes": -1}, "link_passes: found -1, expected a number >= 0"),
        (interconnect, {"links": 0}, "links: found 0, expected a whole number >= 1"),
        (interconnect, {"link": "qpi-7"}, "link: found 'qpi-7', expected one of 'fsb-533', "),
    ],
)
def test_impossible_values_say_what_is_allowed(function, option, message):
    usual = {"channels": 3, "transfers": 1333e6} if function is memory else {"link": "qpi-6.4"}
    with pytest.raises(RangeError) as caught:
        function(**usual | option)
    assert str(caught.value).startswith(message)
