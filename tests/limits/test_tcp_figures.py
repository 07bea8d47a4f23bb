"""The figures of hecn limits tcp: limits by themselves, and what is left of them."""

import numpy as np
import pytest

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.tcp_figures import tcp
from hecn_analysis.limits.tcp_rounds import simulate

FIGURES = {"throughput_bps", "bdp_bytes", "window_limit_bps", "loss_limit_bps", "tolerable_loss", "time_s"}


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


@pytest.mark.parametrize("control", ["reno", "cubic"])
@pytest.mark.parametrize(("streams", "burst"), [(1, 1), (4, 3)])
def test_the_tolerable_loss_leaves_the_rate_of_the_line(control, streams, burst):
    path = {"rtt": 0.05, "mtu": 9000, "rate": 10e9, "congestion_control": control}
    loss = tcp(**path, streams=streams, loss_burst=burst)["tolerable_loss"]
    limit = tcp(**path, streams=streams, loss_burst=burst, loss=loss)["loss_limit_bps"]
    assert limit == pytest.approx(10e9 * 8948 / 9038, rel=1e-5)


def test_only_reno_and_cubic_over_a_known_line_have_a_tolerable_loss():
    assert np.isnan(tcp(rtt=0.05, rate=1e9, congestion_control="bbr")["tolerable_loss"])
    assert np.isnan(tcp(rtt=0.05)["tolerable_loss"])
    assert np.isnan(tcp(rtt=1e-9, rate=1e9)["tolerable_loss"])  # less than one packet in flight


def test_an_amount_takes_its_time():
    figures = tcp(rtt=0.06, rate=10e9, bytes=np.array([1e9, 40e12]))
    assert figures["time_s"] == pytest.approx(np.array([8e9, 320e12]) / figures["throughput_bps"])
    assert np.isnan(tcp(rtt=0.06, rate=10e9)["time_s"])


@pytest.mark.parametrize(("control", "packets"), [("reno", 12), ("cubic", 12)])
@pytest.mark.parametrize("streams", [1, 3])
def test_what_is_lost_does_not_arrive(control, packets, streams):
    """RFC 3649, table 2: 12 packets at a loss of 1 %, of which 99 % arrive; CUBIC is no slower over short ways."""
    figures = tcp(rtt=0.01, loss=0.01, mtu=1500, congestion_control=control, streams=streams)
    assert figures["loss_limit_bps"] == pytest.approx(streams * packets * 1448 * 8 / 0.01 * 0.99)
    assert figures["throughput_bps"] == figures["loss_limit_bps"]
    assert tcp(rtt=0.01, congestion_control=control)["loss_limit_bps"] == np.inf


def test_streams_without_a_closed_form_add_up_too():
    one, four = (tcp(rtt=1, loss=[0, 1e-2], congestion_control="htcp", streams=n)["loss_limit_bps"] for n in (1, 4))
    assert four.tolist() == [np.inf, pytest.approx(4 * one[1])]


@pytest.mark.parametrize("control", ["reno", "cubic", "bic", "htcp"])
def test_the_long_run_leaves_out_the_start(control):
    figures = tcp(rtt=np.array([0.001, 0.3]), rate=100e6, mtu=1500, congestion_control=control, window=1e6, queue=1e7)
    assert figures["throughput_bps"] == pytest.approx([100e6 * 1448 / 1538, 8e6 / 0.3], rel=1e-9)


def test_the_long_run_is_a_thousand_round_trips_and_four_minutes():
    """A window that goes up and down by less than a minute: each second more would change its mean."""
    path = {"rate_bps": 10e6, "rtt_s": [0.15, 0.4], "mss_bytes": 1448, "queue_bytes": 1e3, "congestion_control": "reno"}
    expected = simulate(**path, duration_s=[240, 400], warm_up_s=[60, 120]).throughput_bps
    figures = tcp(rtt=np.array([0.15, 0.4]), rate=10e6, queue=1e3, congestion_control="reno")
    assert figures["throughput_bps"] == pytest.approx(expected, rel=1e-12)
    assert simulate(**path, duration_s=[239, 401], warm_up_s=[60, 120]).throughput_bps != pytest.approx(
        expected, rel=1e-6
    )


def test_of_a_lossy_path_the_median_of_64_runs_is_given():
    path = {"rate_bps": 1e9, "rtt_s": 1, "mss_bytes": 1448, "duration_s": 30, "loss": np.full(64, 1e-4)}
    figures = tcp(rtt=1, rate=1e9, loss=1e-4, duration=30)
    assert figures["throughput_bps"] == np.median(simulate(**path).throughput_bps)


def test_a_transfer_by_hand():
    """10, 20 and 40 packets in rounds of 100 ms, 30 of 80 in a train of 1538 bytes; half a round trip at the end."""
    figures = tcp(rtt=0.1, rate=1e9, bytes=100 * 1448, queue=1e6)
    assert 8 * 100 * 1448 / figures["throughput_bps"] == pytest.approx(0.3 + 0.05 + 30 * 1538 * 8 / 1e9, rel=1e-3)
    assert tcp(rtt=0.1, rate=1e9, bytes=70 * 1448)["throughput_bps"] < figures["throughput_bps"]
    timed = tcp(rtt=0.1, rate=1e12, duration=0.4, congestion_control="reno")
    assert timed["throughput_bps"] == pytest.approx(150 * 1448 * 8 / 0.4)


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
