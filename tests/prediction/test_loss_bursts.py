"""Losses in bursts: one event for TCP, however many packets go at once."""

import numpy as np
import pytest

from hecn_analysis import limits
from hecn_analysis.base.errors import HecnError
from hecn_analysis.limits import tcp_rounds
from hecn_analysis.prediction import predict
from hecn_analysis.prediction.sweep import sweep

LOSSY = {"sender": "ideal", "receiver": "ideal", "tool": "iperf3", "path.rate": "10 Gb/s", "path.rtt": "40 ms"}
LOSSY = {**LOSSY, "path.mtu": 9000, "path.loss": 1e-4, "tool.duration": "60 s"}


def rate(**settings):
    return predict({**LOSSY, **{key.replace("__", "."): value for key, value in settings.items()}}).throughput_bps


@pytest.mark.slow  # long runs
@pytest.mark.parametrize("control", ["reno", "cubic", "htcp", "bic"])
def test_a_burst_counts_as_one_event(control):
    keys = {"rate_bps": 10e9, "rtt_s": 0.04, "congestion_control": control, "duration_s": 300, "warm_up_s": 30}
    luck = np.arange(32)
    single = tcp_rounds.simulate(loss=1e-5, sequence=luck, **keys)
    bursts = tcp_rounds.simulate(loss=1e-3, loss_burst=100, sequence=luck, **keys)
    assert np.median(bursts.throughput_bps) == pytest.approx(np.median(single.throughput_bps), rel=0.01)
    assert bursts.loss_events.sum() == pytest.approx(single.loss_events.sum(), rel=0.02)


def test_longer_bursts_of_as_many_losses_never_cost_more():
    got = sweep(LOSSY, {"path.loss_burst": [1, 3, 10, 30, 100]}, intervals=False)["throughput_bps"].tolist()
    assert got == sorted(got)
    assert got[-1] > 5 * got[0]


def test_without_losses_a_burst_changes_nothing():
    assert rate(path__loss=0, path__loss_burst=50) == rate(path__loss=0)


def test_the_closed_form_takes_bursts():
    assert limits.tcp(rtt=0.1, loss=1e-3, loss_burst=10, mtu=1500)["loss_limit_bps"] == pytest.approx(
        limits.tcp(rtt=0.1, loss=1e-4, mtu=1500)["loss_limit_bps"], rel=0.01
    )


@pytest.mark.parametrize("burst", [0, 0.5])
def test_a_burst_of_less_than_a_packet_is_refused(burst):
    with pytest.raises(HecnError, match=r"found path\.loss_burst: 0(\.5)?, expected 1 packet or more"):
        rate(path__loss_burst=burst)
    with pytest.raises(HecnError, match=r"loss_burst: found 0(\.5)?, expected 1 packet or more"):
        limits.tcp(rtt=0.1, loss=1e-3, loss_burst=burst)
