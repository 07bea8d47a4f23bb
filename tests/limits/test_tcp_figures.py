"""The figures of hecn limits tcp: limits by themselves, and what is left of them."""

import numpy as np
import pytest

from hecn_analysis.errors import RangeError
from hecn_analysis.limits.tcp_figures import tcp

FIGURES = {"throughput_bps", "bdp_bytes", "window_limit_bps", "loss_limit_bps"}


def test_window_over_a_fast_path():
    figures = tcp(rtt=0.08, window=10e6, mtu=9000, rate=10e9)
    assert set(figures) == FIGURES
    assert figures["bdp_bytes"] == 100e6
    assert figures["window_limit_bps"] == pytest.approx(1e9)
    assert figures["throughput_bps"] == pytest.approx(1e9)
    assert figures["loss_limit_bps"] == np.inf
    assert all(isinstance(v, float) for v in figures.values())


def test_without_a_rate_the_lower_limit_counts():
    figures = tcp(rtt=0.1, window=1e6, loss=1e-4)
    assert figures["throughput_bps"] == min(figures["window_limit_bps"], figures["loss_limit_bps"])
    assert np.isnan(figures["bdp_bytes"])


def test_start_up_counts_in_a_test_or_a_transfer():
    long_run, timed, short = (
        tcp(rtt=0.08, mtu=9000, rate=10e9, **k)["throughput_bps"] for k in ({}, {"duration": 10}, {"bytes": 1e8})
    )
    assert short < timed < long_run


@pytest.mark.parametrize("control", ["reno", "cubic", "bic", "htcp"])
def test_losses_hold_back_every_loss_based_control(control):
    figures = tcp(rtt=0.1, loss=np.array([0, 1e-4]), rate=10e9, mtu=1500, congestion_control=control)
    assert figures["loss_limit_bps"][0] == np.inf
    assert figures["loss_limit_bps"][1] < 200e6
    assert figures["throughput_bps"][1] == pytest.approx(figures["loss_limit_bps"][1], rel=0.25)


def test_bbr_loses_what_is_lost():
    figures = tcp(rtt=0.05, loss=0.01, rate=1e9, mtu=9000, congestion_control="bbr")
    assert figures["loss_limit_bps"] == pytest.approx(1e9 * 8948 / 9038 * 0.99)


def test_streams_add_up_to_the_line():
    figures = tcp(rtt=0.08, window=10e6, mtu=9000, rate=10e9, streams=np.array([1, 4, 20]))
    assert figures["throughput_bps"] == pytest.approx([1e9, 4e9, 10e9 * 8948 / 9038], rel=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rtt": -1}, "^rtt: found -1, expected a number > 0"),
        ({"rtt": 0.1, "loss": 1.2}, r"^loss: found 1\.2, expected 0 to 1"),
        ({"rtt": 0.1, "mtu": 100000}, "^mtu: found 100000, expected 53 to 65535"),
        (
            {"rtt": 0.1, "congestion_control": "tahoe"},
            "^congestion_control: found 'tahoe', expected one of 'reno', 'cubic'",
        ),
    ],
)
def test_impossible_values(options, message):
    with pytest.raises(RangeError, match=message):
        tcp(**options)
