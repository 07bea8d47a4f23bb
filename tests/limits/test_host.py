"""Cores and memory against worked values and RFC 4297."""

import numpy as np
import pytest

from hecn_analysis.errors import RangeError
from hecn_analysis.limits.host import bandwidth_bps, core_bps, cpu, memory, memory_bps


def test_rfc_4297_receive_with_three_passes():
    assert memory_bps(8e9, 3) == pytest.approx(2.67e9, abs=5e6)


def test_channels():
    assert bandwidth_bps(3, 1333.33e6, usable=1.0) == pytest.approx(8 * 32e9, rel=1e-4)
    assert memory(channels=6, transfers=2666e6, passes=4, usable=0.75)["throughput_bps"] == pytest.approx(
        6 * 8 * 2666e6 * 0.75 / 4 * 8
    )


def test_cores_by_hand():
    assert core_bps(3e9, 2.0) == pytest.approx(12e9)
    assert core_bps(3e9, 0.0, 3000, 1000) == pytest.approx(8e9)
    assert cpu(clock=3e9, cycles_per_byte=1.0, cycles_per_packet=4000, unit=8000)["throughput_bps"] == pytest.approx(
        16e9
    )


def test_larger_units_help_until_bytes_are_all_that_costs():
    rates = core_bps(3e9, 1.0, 4000, np.array([1448.0, 8948, 65_536, 1e12]))
    assert (np.diff(rates) > 0).all()
    assert rates[-1] == pytest.approx(24e9)


@pytest.mark.parametrize(
    ("function", "option", "message"),
    [
        (cpu, {"clock": 0}, "clock: found 0, expected a number > 0"),
        (cpu, {"cycles_per_byte": -1}, "cycles_per_byte: found -1, expected a number >= 0"),
        (cpu, {"cycles_per_byte": 0}, "cycles_per_byte: found 0, expected a cost per byte or per packet"),
        (cpu, {"unit": 0}, "unit: found 0, expected a number > 0"),
        (memory, {"channels": 1.5}, "channels: found 1.5, expected a whole number >= 1"),
        (memory, {"usable": 1.2}, "usable: found 1.2, expected a fraction above 0, at most 1"),
        (memory, {"usable": 0}, "usable: found 0, expected a fraction above 0, at most 1"),
        (memory, {"passes": 0}, "passes: found 0, expected a number > 0"),
        (memory, {"transfers": -1}, "transfers: found -1, expected a number > 0"),
    ],
)
def test_impossible_values_say_what_is_allowed(function, option, message):
    usual = {"clock": 3e9, "cycles_per_byte": 1.0} if function is cpu else {"channels": 3, "transfers": 1333e6}
    with pytest.raises(RangeError) as caught:
        function(**usual | option)
    assert str(caught.value) == message
