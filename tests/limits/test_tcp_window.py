"""Windows against the RFCs' printed values and the kernel's rules."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.tcp_window import (
    LARGEST_WINDOW,
    autotuned_window,
    bdp_bytes,
    kernel_version,
    truesize_bytes,
    usable_window,
    window_from_space,
    window_limit_bps,
    written_window,
)


@pytest.mark.parametrize(
    ("window", "rtt_ms", "mbps"),
    # RFC 6349, 4.1.2: windows of 16, 64 and 128 KB
    [
        (16e3, 5, 25.6),
        (16e3, 10, 12.8),
        (16e3, 15, 8.5),
        (16e3, 25, 5.1),
        (64e3, 15, 34.1),
        (64e3, 25, 20.5),
        (128e3, 25, 40.9),
    ],
)
def test_rfc_6349_windows(window, rtt_ms, mbps):
    assert window_limit_bps(window, rtt_ms / 1e3) == pytest.approx(mbps * 1e6, abs=0.1e6)


def test_window_and_product_are_inverse():
    rates, rtts = np.array([[1e9], [10e9], [100e9]]), np.array([1e-4, 0.08, 0.5])
    assert window_limit_bps(bdp_bytes(rates, rtts), rtts) == pytest.approx(rates + 0 * rtts)


@pytest.mark.parametrize(
    ("kernel", "part"),
    [("2.6.32", 0.75), ("3.3", 0.75), ("3.4", 0.5), ("5.15.0-91-generic", 0.5), ("6.5", 0.5), ("6.6", 182 / 256)],
)
def test_part_of_the_buffer_by_kernel(kernel, part):
    assert window_from_space(1e6, kernel=kernel, mss_bytes=8948) == pytest.approx(part * 1e6)


def test_scale_that_was_changed():
    assert window_from_space(1e6, kernel="5.15", adv_win_scale=-2) == 0.25e6
    assert window_from_space(1e6, kernel="5.15", adv_win_scale=0) == 1e6
    assert window_from_space(1e6, kernel="6.18", adv_win_scale=-2) == window_from_space(1e6, kernel="6.18")


def test_what_is_asked_for_is_cut_then_doubled():
    assert usable_window(4e6, kernel="5.15", rmem_max=212992) == 212992
    assert usable_window(4e6, kernel="5.15", wmem_max=100e3) == 200e3
    assert usable_window(1e12, kernel="5.15") == LARGEST_WINDOW
    assert autotuned_window(tcp_rmem_max=256e6, tcp_wmem_max=16e6, kernel="5.15") == 16e6


def test_arrays_and_missing_values():
    with pytest.warns(ValidityWarning, match=r"_bytes: NaN at \[1\]"):
        windows = usable_window(np.array([1e6, np.nan, 2e6]), kernel="5.15")
    assert windows == pytest.approx(np.array([1e6, np.nan, 2e6]), nan_ok=True)
    assert isinstance(usable_window(1e6), float)
    with pytest.warns(ValidityWarning, match="rate_bps: NaN"):
        assert np.isnan(bdp_bytes(np.nan, 0.1))


@given(st.floats(500, 65000))
def test_a_packet_occupies_more_than_it_brings(mss):
    assert truesize_bytes(mss) > mss


def test_impossible_values():
    with pytest.raises(RangeError, match=r"^rtt_s: found -0\.08, expected a number > 0$"):
        window_limit_bps(1e6, -0.08)
    with pytest.raises(RangeError, match=r"^window_bytes: found 0, expected a number > 0$"):
        usable_window(0)
    with pytest.raises(RangeError, match=r"^kernel: found 'new', expected a Linux version such as '6\.18'$"):
        kernel_version("new")


def test_a_large_send_buffer_keeps_the_window_full():
    least, most = written_window(1e6, 4e6, mss_bytes=1448, rtt_s=0.1)
    assert most == 690 * 1448  # whole packets
    assert 0.95 * most < least < most  # half a bunch may wait


@pytest.mark.parametrize("mss", [1448, 8948])
def test_a_sleeping_writer_leaves_part_of_the_window_unused(mss):
    window = usable_window(512 * 1024, kernel="6.18", mss_bytes=mss)
    least, most = written_window(window, 2**20, mss_bytes=mss, rtt_s=0.09)
    assert least <= most <= window
    assert least < 2 / 3 * 2**20  # where the writer wakes
    assert written_window(window, 2**19, mss_bytes=mss, rtt_s=0.09)[1] < most


def test_written_window_keeps_shapes_and_one_packet():
    with pytest.warns(ValidityWarning, match="window_bytes: NaN at \\[2\\]"):
        least, most = written_window([1e3, 1e6, float("nan")], 1e6, mss_bytes=1448, rtt_s=0.1)
    assert least[0] == most[0] == 1448
    assert least.shape == (3,)
    assert np.isnan(least[2])


def test_the_largest_window_is_16_bits_shifted_by_14():
    assert LARGEST_WINDOW == 2**30 - 2**14  # RFC 7323, 2.3


@pytest.mark.parametrize(
    ("mss", "memory"),
    # half a page up to where a frame with its headers no longer fits it, then whole pages, and 256 bytes each
    [(536, 2304), (1448, 2304), (1600, 2304), (1601, 4352), (4096, 4352), (4097, 8448), (8192, 8448), (8948, 12544)],
)
def test_memory_of_a_packet_is_whole_pages(mss, memory):
    assert truesize_bytes(mss) == memory
    assert window_from_space(2**20, kernel="6.6", mss_bytes=mss) == math.floor(256 * mss / memory) * 2**12


@pytest.mark.parametrize(("scale", "part"), [(1, 1 / 2), (2, 3 / 4), (3, 7 / 8), (0, 1), (-1, 1 / 2), (-2, 1 / 4)])
def test_every_scale_is_a_power_of_two(scale, part):
    """ip-sysctl.rst: the window is the buffer less its 2**-scale part, or that part where the scale is not positive."""
    for kernel in ("2.6.18", "6.5"):
        assert window_from_space(2**20, kernel=kernel, adv_win_scale=scale) == part * 2**20


def test_what_is_asked_for_is_doubled_on_both_ends():
    """setsockopt doubles; the receiver offers three quarters of its own, the sender uses all of it."""
    assert usable_window(1e6, kernel="2.6.32") == 1.5e6
    assert usable_window(1e6, kernel="2.6.32", rmem_max=5e5) == 0.75e6
    assert usable_window(1e6, kernel="2.6.32", wmem_max=5e5) == 1e6
    assert autotuned_window(tcp_rmem_max=4e6, tcp_wmem_max=1e9, kernel="2.6.32") == 3e6
    assert autotuned_window(tcp_rmem_max=1e12, tcp_wmem_max=1e12, kernel="2.6.32") == LARGEST_WINDOW


def written_by_hand(window, space, bunch, mss):
    """Least and largest mean in flight, in bytes, for a bunch of so many bytes: the docstring's formula in steps."""
    full = space * bunch / (bunch + 896)
    wake = 2 / 3 * full
    assert wake < window < full
    # full - window is read while window is in flight, then what is in flight falls evenly to where the writer wakes
    mean = ((full - window) * window + (window - wake) * (window + wake) / 2) / (full - wake)
    return wake - (bunch - mss) / 2, mean


@pytest.mark.parametrize(
    ("mss", "rtt", "bunch"),
    [
        (4096, 0.001, 65536),  # 64 KiB hold 16 packets of a page
        (1000, 0.09, 37_000),  # 4 * 860,000 bytes in 90 ms are 37.3 packets in 1/1024 s
        (8948, 0.09, 35_792),  # 4.14 packets
        (8948, 1.0, 17_896),  # two at least
    ],
)
def test_a_writer_that_sleeps_by_hand(mss, rtt, bunch):
    window = 860_000 // mss * mss
    least, most = written_window(860_000, 2**20, mss_bytes=mss, rtt_s=rtt)
    assert (least, most) == pytest.approx(written_by_hand(window, 2**20, bunch, mss))


def test_a_bunch_that_waits_takes_no_more_than_a_third_of_what_is_written():
    """Four packets over 0.1 ms, of which a bunch of 64 KiB could be 45."""
    assert written_window(4 * 1448, 2**20, mss_bytes=1448, rtt_s=1e-4)[0] == pytest.approx(4 * 1448 * 2 / 3)


def test_a_window_below_two_thirds_is_always_full_and_one_above_the_buffer_is_the_buffer():
    bunch = 16 * 4096
    full = 2**20 * bunch / (bunch + 896)
    assert written_window(163 * 4096, 2**20, mss_bytes=4096, rtt_s=1e-3)[1] == 163 * 4096
    assert written_window(1e9, 2**20, mss_bytes=4096, rtt_s=1e-3)[1] == pytest.approx(full * 5 / 6)
