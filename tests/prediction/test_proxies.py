"""Proxies on a long path: what TCP no longer sees, what the path still costs."""

import pytest

from hecn_analysis import predict

SATELLITE = {
    "sender": "ideal",
    "receiver": "mac-osx-beta",
    "tool": "nttcp",
    "path.rate": "20 Mb/s",
    "path.rtt": "1.1 s",
    "path.mtu": 1500,
}


def throughput(**keys):
    return predict({**SATELLITE, **{key.replace("_", "."): value for key, value in keys.items()}}).throughput_bps


def test_a_window_and_losses_hold_back_without_proxies_only():
    assert throughput() < 0.3e6
    assert throughput(path_pep=True) > 10e6
    assert throughput(path_pep=True, path_loss=1e-3) == throughput(path_pep=True)


def test_the_last_byte_still_needs_its_time():
    """7 MB at the rate of the link, and half a round trip."""
    payload_bps = 20e6 * 1448 / 1538
    assert throughput(path_pep=True) == pytest.approx(56e6 / (56e6 / payload_bps + 0.55), rel=1e-2)


def test_a_long_transfer_does_not_feel_it():
    assert throughput(path_pep=True, tool_bytes="100 GB") == pytest.approx(20e6 * 1448 / 1538, rel=2e-3)


def test_slow_proxies_are_the_bottleneck():
    found = predict({**SATELLITE, "path.pep": True, "path.pep_rate": "5 Mb/s", "tool.bytes": "100 GB"})
    assert (found.bottleneck, found.bottleneck_class) == ("path.pep", "pep")
    assert found.throughput_bps == pytest.approx(5e6 * 1448 / 1538, rel=2e-3)
