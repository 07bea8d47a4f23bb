"""How unlike TCP streams share a link: the average windows of RFC 9438, and ratios by hand."""

import numpy as np
import pytest

from hecn_analysis.sites.shares import shares, stream_rate


@pytest.mark.parametrize(
    ("loss", "reno", "cubic"),
    [(1e-2, 12, 12), (1e-4, 120, 187), (1e-6, 1200, 5926), (1e-8, 12000, 187400)],
)
def test_average_windows_at_a_tenth_of_a_second(loss, reno, cubic):
    """RFC 9438, tables 2 and 3: W in packets at an RTT of 0.1 s, rounded there."""
    windows = stream_rate(loss, np.full(2, 0.1), np.array([True, False])) * 0.1
    assert windows == pytest.approx([reno, cubic], rel=0.03)


def test_reno_streams_share_by_the_inverse_of_their_times():
    assert shares(1e5, np.ones(2), np.array([0.02, 0.04]), np.array([True, True])) == pytest.approx([4 / 3, 2 / 3])


def test_streams_count():
    assert shares(1e5, np.array([3.0, 1.0]), np.full(2, 0.02), np.array([True, True])) == pytest.approx([1.5, 0.5])


def test_a_reno_stream_beside_cubic_streams_gets_less_on_a_long_path_and_as_much_on_a_short_one():
    mixed = np.array([True, False])
    far = shares(1e6, np.ones(2), np.full(2, 0.1), mixed)
    near = shares(1e6, np.ones(2), np.full(2, 0.0002), mixed)
    assert far[0] < 0.2 * far[1]
    assert near[0] == pytest.approx(near[1])
