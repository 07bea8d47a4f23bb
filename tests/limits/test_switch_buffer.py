"""Buffers between fast and slow links: by hand, against a simulation byte by byte, and where the formulas change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.switch_buffer import (
    buffer,
    bufferless_fraction,
    full_rate_buffer_bytes,
    largest_burst_bytes,
    needed_bytes,
    safe_rate_bps,
)


def test_a_burst_by_hand():
    """100 kB at 10 Gb/s take 80 us, in which 1 Gb/s carries 10 kB away."""
    assert needed_bytes(10e9, 1e9, 100e3) == pytest.approx(90e3)
    assert largest_burst_bytes(10e9, 1e9, 90e3) == pytest.approx(100e3)
    figures = buffer(ingress=10e9, egress=1e9, buffer=45e3, burst=100e3)
    assert figures["loss_fraction"] == pytest.approx(0.45)
    assert figures["throughput_bps"] == pytest.approx(1e9)  # while it lasts
    assert figures["buffer_needed_bytes"] == pytest.approx(90e3)


def test_a_way_out_that_is_not_slower_needs_no_buffer():
    figures = buffer(ingress=1e9, egress=10e9, buffer=0, burst=1e9)
    assert figures["loss_fraction"] == 0
    assert figures["largest_burst_bytes"] == np.inf
    assert figures["throughput_bps"] == pytest.approx(1e9)


@given(st.floats(1e9, 1e11), st.floats(0.01, 0.99), st.floats(1e3, 1e6), st.floats(1.01, 100))
def test_the_safe_pace_just_fits(ingress, ratio, room, times):
    pace = safe_rate_bps(ingress * ratio, room, room * times)
    assert needed_bytes(pace, ingress * ratio, room * times) == pytest.approx(room, rel=1e-6)
    burst = largest_burst_bytes(ingress, ingress * ratio, room)
    assert needed_bytes(ingress, ingress * ratio, burst) == pytest.approx(room, rel=1e-6)


def test_the_tail_is_lost_as_in_a_simulation_of_a_queue():
    ingress, egress, room, burst, packet = 40e9, 10e9, 300_000, 1_000_000, 100
    queue = lost = 0.0
    for _ in range(burst // packet):
        queue = max(0.0, queue - packet * egress / ingress)
        if queue + packet > room:
            lost += packet
        else:
            queue += packet
    figures = buffer(ingress=ingress, egress=egress, buffer=room, burst=burst)
    assert figures["loss_fraction"] == pytest.approx(lost / burst, abs=0.001)


def test_bursts_that_overlap_keep_the_slow_link_busy():
    """1 MB each 5 ms is 1.6 Gb/s into 1 Gb/s: what the buffer holds no longer matters."""
    figures = buffer(ingress=10e9, egress=1e9, buffer=1e6, burst=1e6, interval=5e-3)
    assert figures["throughput_bps"] == pytest.approx(1e9)
    assert figures["loss_fraction"] == pytest.approx(1 - 1 / 1.6)
    spaced = buffer(ingress=10e9, egress=1e9, buffer=1e6, burst=1e6, interval=0.01)
    assert spaced["loss_fraction"] == 0
    assert spaced["throughput_bps"] == pytest.approx(0.8e9)


def test_buffers_that_keep_tcp_at_full_rate():
    assert full_rate_buffer_bytes(10e9, 0.08) == pytest.approx(100e6)
    assert full_rate_buffer_bytes(10e9, 0.08, congestion_control="cubic") / 100e6 == pytest.approx(0.43, abs=0.002)
    assert full_rate_buffer_bytes(10e9, 0.08, flows=100) == pytest.approx(10e6)
    assert bufferless_fraction("reno") == 0.75
    with pytest.warns(ValidityWarning, match="flows: found 4, the formula holds for 1, and 100 or more"):
        assert full_rate_buffer_bytes(10e9, 0.08, flows=4) == pytest.approx(50e6)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"ingress": 0}, "ingress: found 0, expected a number > 0"),
        ({"buffer": -1}, "buffer: found -1, expected a number >= 0"),
        ({"burst": 0}, "burst: found 0, expected a number > 0"),
        ({"interval": 1e-6}, "interval: found 1e-06, expected at least the time that a burst takes on the fast link"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        buffer(**{"ingress": 10e9, "egress": 1e9, "buffer": 5e5} | option)
    assert str(caught.value) == message
