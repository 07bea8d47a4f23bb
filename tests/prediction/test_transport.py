"""What TCP adds to a prediction: windows as processes use them, and how far single runs may differ."""

import pytest

from hecn_analysis import predict
from hecn_analysis.limits.tcp_window import usable_window, window_limit_bps

IDEAL = {
    "sender": "ideal",
    "receiver": "ideal",
    "tool": "nuttcp",
    "path.rate": "400 Mb/s",
    "path.rtt": "90 ms",
    "path.loss": 0,
    "path.queue": "4.5 MB",
    "path.mtu": 1500,
}


def width(result):
    return (result.high_bps - result.low_bps) / result.throughput_bps


def test_a_window_is_used_less_than_fully_by_a_process_that_sleeps():
    result = predict({**IDEAL, "path.mtu": 9000, "tool.window": 2**19, "tool.warm_up": "3 s"})
    limit = window_limit_bps(usable_window(2**19, kernel="6.18", mss_bytes=8948), 0.09)
    assert 0.9 * limit < result.low_bps < result.throughput_bps < limit
    assert result.high_bps < 1.03 * limit
    assert result.bottleneck_class == "window"


def test_a_small_transfer_may_differ_by_part_of_a_round_trip():
    small, large = (predict({**IDEAL, "tool.bytes": size}) for size in (1e6, 1e9))
    assert width(small) > 2 * width(large)
    # some six round trips, of which one may be added and a quarter saved
    assert small.low_bps == pytest.approx(small.throughput_bps * 6 / 7, rel=0.05)


def test_a_start_up_before_the_measurement_is_of_no_matter():
    early, late = (predict({**IDEAL, "tool.duration": "20 s", "tool.warm_up": seconds}) for seconds in ("0 s", "10 s"))
    assert late.throughput_bps > early.throughput_bps
    assert width(late) < width(early)


@pytest.mark.parametrize("control", ["reno", "cubic", "bbr"])
def test_a_lossy_run_is_random(control):
    clean, lossy = (
        predict({**IDEAL, "path.loss": loss, "sender.congestion_control": control, "tool.warm_up": "5 s"})
        for loss in (0, 1e-3)
    )
    assert lossy.low_bps < lossy.throughput_bps < lossy.high_bps
    assert lossy.throughput_bps <= clean.throughput_bps * 1.01
    if control != "bbr":
        assert width(lossy) > 2 * width(clean)


def test_streams_in_turn_are_slower_than_streams_each_by_itself():
    keys = {**IDEAL, "path.loss": 1e-3, "tool.streams": 4, "tool.duration": "30 s"}
    in_turn, free = (predict({**keys, "tool.lockstep": value}).throughput_bps for value in (True, False))
    assert in_turn < 0.95 * free
