"""Split connections: the slowest part sets the pace, and one part is the path without proxies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.tcp_loss import mathis_bps
from hecn_analysis.limits.tcp_proxy import split_bps, split_transfer_s
from hecn_analysis.limits.tcp_window import window_limit_bps

SIZES = st.floats(1e4, 1e9)
TIMES = st.floats(1e-4, 1)


@given(SIZES, TIMES)
def test_one_part_is_the_path_without_proxies(window, rtt):
    assert split_bps([window], [rtt]) == pytest.approx(window_limit_bps(window, rtt))


@given(SIZES, TIMES, st.floats(0.01, 0.99))
def test_splitting_never_costs(window, rtt, at):
    assert split_bps([window, window], [at * rtt, (1 - at) * rtt]) >= split_bps([window], [rtt])


def test_losses_count_over_their_own_part():
    # RFC 3135: the sender no longer answers to losses of a part that is not its own, nor over the whole round trip
    whole = mathis_bps(1448, 0.56, 1e-4)
    parts = split_bps([1e9, 1e9], [0.01, 0.55], loss_limit_bps=[mathis_bps(1448, 0.01, 1e-4), np.inf])
    assert parts == pytest.approx(56 * whole)


def test_many_paths_at_once():
    rates = split_bps(np.array([[1e6, 2e6], [4e6, 1e6]]), [0.1, 0.1], rate_bps=50e6)
    assert rates.tolist() == [50e6, 50e6]
    assert split_transfer_s([1e6, 2e6], [8e6, 80e6], [0.1, 0.3]).tolist() == pytest.approx([1.2, 2.2])


def test_impossible_values():
    with pytest.raises(RangeError, match=r"^rtt_s: found -0\.1 at \[1\], expected a number > 0$"):
        split_bps([1e6, 1e6], [0.1, -0.1])
    with pytest.raises(RangeError, match="found single numbers, expected one for each part of the path, in a list"):
        split_bps(1e6, 0.1)
