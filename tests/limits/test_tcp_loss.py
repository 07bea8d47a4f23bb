"""Closed forms for lossy paths against the tables of the RFCs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.tcp_loss import (
    cubic_loss,
    cubic_recovery_s,
    cubic_window,
    hstcp_window,
    mathis_bps,
    packet_loss,
    pftk_bps,
    reno_loss,
    reno_recovery_s,
    reno_window,
)

DECADES = 10.0 ** -np.arange(2, 11)


def test_rfc_3649_table_2():
    assert np.round(reno_window(DECADES)).tolist() == [12, 38, 120, 379, 1200, 3795, 12000, 37947, 120000]


def test_rfc_3649_tables_3_and_5():
    windows = hstcp_window(10.0 ** -np.arange(4, 9))
    assert windows == pytest.approx(np.array([263, 1795, 12279, 83981, 574356]), abs=0.8)  # 12279.5 is printed cut off


@pytest.mark.parametrize(
    ("rtt", "windows"),
    [(0.1, [12, 38, 187, 1054, 5926, 33325, 187400]), (0.01, [12, 38, 120, 379, 1200, 5926, 33325])],
)
def test_rfc_9438_tables_1_and_2(rtt, windows):
    assert cubic_window(DECADES[:7], rtt) == pytest.approx(np.array(windows), abs=0.55)


def test_rfc_9438_table_3():
    windows = 10.0 ** np.arange(6, 11) * 0.1 / 12000
    assert cubic_loss(windows, 0.1) == pytest.approx(np.array([2.0e-2, 2.9e-4, 1.4e-5, 6.3e-7, 2.9e-8]), rel=0.05)
    assert reno_loss(windows) == pytest.approx(2.07 * 10.0 ** -np.arange(2, 11, 2), rel=0.01)


def test_rfc_9330_recovery():
    def window(mbps):
        return mbps * 1e6 * 0.03 / 12000

    assert reno_recovery_s(window(15), 0.03) == pytest.approx(0.422, abs=5e-4)
    assert reno_recovery_s(window(120), 0.03) == pytest.approx(3.38, abs=5e-3)
    assert cubic_recovery_s(window(960)) == pytest.approx(12.2, abs=0.05)
    assert cubic_recovery_s(window(7680)) == pytest.approx(24.3, abs=0.05)


def test_rfc_4828_table_1():
    # the table counts packets of 1500 bytes, header and all
    rates = np.array([5812.49, 1836.58, 576.12, 168.61, 26.58]) * 8e3
    assert pftk_bps(1500, 0.1, 10.0 ** -np.arange(5, 0, -1)) == pytest.approx(rates, rel=2e-3)


def test_pftk_nears_mathis_where_losses_are_rare():
    assert pftk_bps(1448, 0.05, 1e-9) == pytest.approx(mathis_bps(1448, 0.05, 1e-9), rel=1e-3)


@given(st.floats(1e-12, 1e-2), st.floats(1e-4, 1.0))
def test_windows_invert_to_losses(p, rtt):
    assert reno_loss(reno_window(p)) == pytest.approx(p)
    assert cubic_loss(cubic_window(p, rtt), rtt) == pytest.approx(p)


@given(st.floats(1e-10, 1e-3), st.floats(1e-4, 0.5), st.floats(1.01, 2))
def test_more_loss_never_helps(p, rtt, more):
    for window in (reno_window, hstcp_window, lambda p: cubic_window(p, rtt), lambda p: pftk_bps(1448, rtt, p)):
        assert window(p * more) < window(p)


def test_regions_meet_without_a_step():
    p = np.geomspace(1e-8, 1e-2, 2001)
    for windows in (hstcp_window(p), cubic_window(p, 0.1)):
        assert np.all(np.abs(np.diff(np.log(windows))) < 1.01 * np.log(p[1] / p[0]) * 0.835)


@pytest.mark.parametrize(
    "form", [reno_window, hstcp_window, lambda p: cubic_window(p, 0.1), lambda p: mathis_bps(1, 1, p)]
)
def test_losses_that_end_in_timeouts_are_told(form):
    with pytest.warns(
        ValidityWarning, match=r"^loss: found 0\.02, the formula holds for 0\.01 and less: windows are then"
    ):
        assert form(0.02) > 0


def test_timeouts_are_in_pftk_up_to_their_own_limit():
    assert pftk_bps(1500, 0.1, 0.1) / 8e3 == pytest.approx(26.58, rel=2e-3)
    with pytest.warns(ValidityWarning, match=r"^loss: found 0\.5, the formula holds for 0\.3 and less"):
        pftk_bps(1500, 0.1, 0.5)


def test_bit_errors():
    assert packet_loss(0, 1518) == 0
    assert packet_loss(1e-15, 1518) == pytest.approx(8 * 1518 * 1e-15)
    assert packet_loss(1e-4, 1518) == pytest.approx(1 - (1 - 1e-4) ** (8 * 1518))
    with pytest.raises(RangeError, match=r"^bit_error_rate: found 1\.5, expected 0 to 1$"):
        packet_loss(1.5, 1518)


def test_ends_and_missing_values():
    assert reno_window(0) == mathis_bps(1448, 0.1, 0) == pftk_bps(1448, 0.1, 0) == cubic_window(0, 0.1) == np.inf
    with pytest.warns(ValidityWarning, match=r"loss: NaN at \[1\]"):
        assert np.isnan(cubic_window(np.array([1e-3, np.nan]), 0.1)).tolist() == [False, True]
    assert isinstance(mathis_bps(1448, 0.1, 1e-3), float)


def test_impossible_values():
    with pytest.raises(RangeError, match=r"^loss: found 1\.2, expected 0 to 1$"):
        reno_window(1.2)
    with pytest.raises(RangeError, match=r"^rtt_s: found -1, expected a number > 0$"):
        mathis_bps(1448, -1, 0.1)
