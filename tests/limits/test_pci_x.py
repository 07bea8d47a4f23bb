"""PCI-X bursts against worked values and the documents' measurement."""

import numpy as np
import pytest

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.pci_x import burst_overhead_clocks, pcix, raw_bps, throughput_bps

CLOCK = 400e6 / 3


def test_worked_values():
    assert raw_bps(CLOCK) == pytest.approx(8.533e9, abs=0.5e6)
    assert throughput_bps(CLOCK, burst=512, overhead_clocks=100) == pytest.approx(3.33e9, abs=5e6)
    assert throughput_bps(CLOCK, burst=4096, overhead_clocks=100) == pytest.approx(7.14e9, abs=5e6)
    assert pcix(clock=100e6 / 3, width=32, burst=4096, overhead_clocks=0)["throughput_bps"] == pytest.approx(32e8 / 3)


def test_the_default_overhead_gives_the_documents_rate_with_bursts_of_512():
    """3.2 Gb/s of TCP data with MTU 9000: 9014 of 8948 bytes cross the bus."""
    assert pcix(clock=CLOCK, width=64, burst=512)["throughput_bps"] * 8948 / 9014 == pytest.approx(3.2e9, rel=0.04)


def test_longer_bursts_and_fewer_clocks_are_faster_up_to_the_raw_rate():
    bursts = throughput_bps(CLOCK, burst=np.array([64, 512, 1024, 2048, 4096]))
    clocks = throughput_bps(CLOCK, overhead_clocks=np.array([0, 1, 50, 100, 1000]))
    assert (np.diff(bursts) > 0).all()
    assert (np.diff(clocks) < 0).all()
    assert clocks[0] == raw_bps(CLOCK)


@pytest.mark.parametrize("clocks", [0, 1, 90, 1000])
def test_clocks_are_found_back_from_a_rate(clocks):
    for burst in (512, 4096):
        rate = throughput_bps(CLOCK, burst=burst, overhead_clocks=clocks)
        assert burst_overhead_clocks(CLOCK, 64, burst, rate) == pytest.approx(clocks, abs=1e-9)
    with pytest.raises(
        RangeError, match=r"^measured: found 9000000000, expected a rate that the bus can carry, in bit/s$"
    ):
        burst_overhead_clocks(CLOCK, 64, 512, 9e9)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"clock": 133}, "clock: found 133, expected 25 MHz to 533.4 MHz, in Hz"),
        ({"width": 48}, "width: found 48, expected one of 32, 64"),
        ({"burst": 8192}, "burst: found 8192, expected 1 to 4096"),
        ({"burst": 0}, "burst: found 0, expected 1 to 4096"),
        ({"overhead_clocks": -1}, "overhead_clocks: found -1, expected a number >= 0"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        pcix(**{"clock": CLOCK, "width": 64, "burst": 512} | option)
    assert str(caught.value) == message
