"""Windows of Reno, CUBIC, BIC and H-TCP round by round against RFC 6928, 5681, 9438 and their papers, by hand."""

import math

import numpy as np
import pytest

from hecn_analysis.limits.tcp_rounds import simulate
from hecn_analysis.limits.tcp_rounds.loss_based import LossBased
from tests.limits.tcp_steps import after_a_loss, avoiding, rounds, settings, windows

KEPT = 717 / 1024  # CUBIC's beta of 0.7 in the kernel's steps
FRIENDLY = 3 * (1 - KEPT) / (1 + KEPT)  # RFC 9438, 4.3: packets a round trip that Reno would grow by on average


# ---- slow start -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [20, 40, 80, 160, 320]),  # RFC 6928, and each acknowledged packet is counted
        ({"initial_window": 3}, [6, 12, 24, 48, 96]),
        ({"byte_counting": 0, "ack_every": 1}, [20, 40, 80, 160, 320]),
        ({"byte_counting": 0}, [15, 22.5, 33.5, 50, 75]),  # an ACK for two packets; half a packet is not sent
        ({"byte_counting": 0, "ack_every": 5}, [12, 14.4, 17.2, 20.6, 24.6]),
    ],
)
def test_slow_start_grows_by_what_is_acknowledged(changes, expected):
    assert windows(LossBased("reno", settings(**changes), 1, 0), 5) == pytest.approx(expected)


def test_slow_start_ends_at_the_threshold_and_goes_on_by_a_packet():
    flow = LossBased("reno", settings(), 1, 0)
    flow.threshold[:] = 100
    assert windows(flow, 7) == [20, 40, 80, 100, 101, 102, 103]


def test_a_window_that_is_not_used_does_not_grow_beyond_twice_of_it():
    """RFC 7661's reason; tcp_is_cwnd_limited: in slow start up to twice what is in flight, then no more."""
    flow = LossBased("reno", settings(window_bytes=100), 1, 0)
    flow.steady[:] = False  # one round after the other
    assert windows(flow, 8) == [20, 40, 80, 160, 260, 260, 260, 260]
    flow = avoiding("reno", 98, window_bytes=100)
    flow.steady[:] = False
    assert windows(flow, 5) == [99, 100, 101, 101, 101]


@pytest.mark.parametrize(
    ("mss", "first"),
    [(1448, [10, 20, 40, 80]), (8948, [7, 10, 16, 32]), (4096, [10, 20, 37, 74]), (16000, [4, 5, 9, 18])],
)
def test_the_first_packets_fit_the_receivers_first_windows(mss, first):
    """65,535 bytes without a scale factor, 91,136 and 152,048 bytes then: whole packets of them."""
    times = 0.1 * np.arange(5)
    sent = simulate(
        rate_bps=1e15, rtt_s=0.1, mss_bytes=mss, duration_s=times[1:], congestion_control="reno"
    ).received_bytes
    assert np.diff(sent, prepend=0) / mss == pytest.approx(first)


def hystart_by_ack(start, rate_bps, rtt, mss):
    """Window at which HyStart leaves a round of slow start, ACK by ACK: its train lasts longer than half of the RTT."""
    pace = rate_bps / 8 / mss
    slack = min(1e-3, 4 * 65536 / (2 * start * mss / rtt))  # what four offloaded packets take at the pacing rate
    for ack in range(1, start + 1):
        if ack / pace > (rtt + slack) / 2:
            return start + ack
    return None


@pytest.mark.parametrize(
    ("rate_bps", "rtt", "mss", "start"),
    [
        (1e9, 0.1, 1448, 5120),
        (1e9, 0.02, 1448, 1280),
        (10e9, 0.08, 1448, 40960),
        (100e6, 0.05, 1000, 320),
        (9.6e6, 0.1, 1000, 80),
    ],
)
def test_hystart_leaves_slow_start_when_a_train_of_acks_lasts_half_a_round_trip(rate_bps, rtt, mss, start):
    flow = LossBased("cubic", settings(rate_bps=rate_bps, rtt_s=rtt, mss_bytes=mss, hystart=1), 1, 0)
    *before, left = windows(flow, round(math.log2(start / 10)) + 1)
    assert before[-1] == start  # the train of the round before was shorter
    assert left == pytest.approx(hystart_by_ack(start, rate_bps, rtt, mss), abs=1)
    assert flow.threshold[0, 0] == left
    other = LossBased("reno", settings(rate_bps=rate_bps, rtt_s=rtt, mss_bytes=mss, hystart=1), 1, 0)
    assert windows(other, len(before) + 1)[-1] == 2 * start


def starting(window, **changes):
    flow = LossBased("cubic", settings(mss_bytes=1000, queue_bytes=1e9, hystart=1, **changes), 1, 0)
    flow.rounds, flow.window[:] = 3, window
    return windows(flow, 2)


@pytest.mark.parametrize(("rtt", "longer"), [(0.02, 0.004), (0.08, 0.01), (0.2, 0.016)])
def test_hystart_leaves_slow_start_when_the_round_trip_is_an_eighth_longer(rtt, longer):
    """An eighth of it in 4 to 16 ms; on this line two packets take more than the 2 ms within which ACKs are a train."""
    last = math.floor((rtt + longer) * 6.1e6 / 8000)
    assert starting(last, rate_bps=6.1e6, rtt_s=rtt)[0] == 2 * last
    assert starting(last + 1, rate_bps=6.1e6, rtt_s=rtt) == pytest.approx([last + 1, 1.05 * (last + 1)])


def test_hystart_does_not_let_a_window_grow_that_is_seen_to_be_too_long_in_both_ways():
    """A train of ACKs that lasts longer than the round trip, which is longer by half."""
    path = {"rate_bps": 80e6, "rtt_s": 0.05}  # 500 packets on the way, ACKs 0.2 ms apart
    assert starting(750, **path)[0] == 750


def test_hystart_waits_for_16_packets():
    """However long their queue takes: that of 12 packets takes 4 ms here."""
    assert starting(15, rate_bps=4e6, rtt_s=0.02)[0] == 30
    assert starting(16, rate_bps=4e6, rtt_s=0.02)[0] == 16


# ---- answers to a loss ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "window", "left"),
    [
        ("reno", 1000, 500),  # RFC 5681: half of what is in flight, at least two packets
        ("reno", 101, 50),
        ("reno", 3, 2),
        ("cubic", 1000, 700),  # 717/1024
        ("cubic", 10, 7),
        ("bic", 1000, 799),  # 819/1024
        ("bic", 15, 11),
        ("bic", 14, 7),  # small windows as Reno
        ("htcp", 1000, 800),  # round trips are no longer than the least one: 0.8
    ],
)
def test_part_of_the_window_that_is_kept(name, window, left):
    assert after_a_loss(name, window, 1) == [left]


@pytest.mark.parametrize(
    ("rtt", "queue", "kept"),
    [(0.1, 1.0, 0.5), (0.1, 0.6, 1 / 1.6), (0.1, 0.1, 0.8), (0.010, 0.1, 0.5), (0.011, 0.1, 0.8)],
)
def test_htcp_keeps_the_ratio_of_the_least_to_the_longest_round_trip(rtt, queue, kept):
    """0.5 to 0.8; 0.5 where the least one is not above 10 ms."""
    rate_bps = 8e4 / rtt  # 10,000 packets of a byte
    flow = avoiding("htcp", 10_000 * (1 + queue), rate_bps=rate_bps, rtt_s=rtt, queue_bytes=1e9)
    flow.loss_at[:] = 0.0
    assert windows(flow, 1)[0] == math.floor(10_000 * (1 + queue) * kept + 1e-9)


@pytest.mark.parametrize("part", [0.25, 0.5, 1.0])
def test_a_loss_late_in_a_round_trip_is_answered_late_in_the_next(part):
    """The sender goes on until it learns of it, and grows again a round trip after that."""
    flow = avoiding("reno", 1000, duration_s=1e9)
    flow.loss_at[:] = part
    seen = [float(each.received[0]) for each in rounds(flow, 4)]
    assert np.diff(seen, prepend=0) == pytest.approx([1000 * part + 500 * (1 - part), 500, 500, 501], abs=1e-9)
    assert float(flow.window[0, 0]) == pytest.approx(500 + (1 - part) + 2)


def test_few_packets_are_probed_after_two_round_trips():
    """RFC 8985: three bring no three duplicate ACKs; four do."""
    for window, expected in ((3, [0, 0, 2, 3]), (4, [4, 2, 2, 3])):
        flow = avoiding("reno", window)
        flow.loss_at[:] = 1.0
        seen = [float(each.received[0]) for each in rounds(flow, 4)]
        assert np.diff(seen, prepend=0).tolist() == expected


def test_each_answer_is_counted():
    flow = avoiding("reno", 1000)
    for expected in (1, 2, 3):
        flow.loss_at[:] = 0.5
        assert [float(each.events[0]) for each in rounds(flow, 3)] == [expected] * 3


# ---- growth in congestion avoidance ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "step"), [({}, 1), ({"byte_counting": 0}, 0.5), ({"byte_counting": 0, "ack_every": 4}, 0.25)]
)
def test_reno_grows_by_a_packet_a_round_trip_or_one_for_each_ack_of_them(changes, step):
    assert after_a_loss("reno", 1000, 5, **changes) == pytest.approx([500 + step * n for n in range(5)])


@pytest.mark.parametrize(("window", "rtt"), [(1000, 0.1), (1000, 0.3), (20_000, 0.05), (5000, 0.15)])
def test_cubic_follows_the_curve_of_rfc_9438(window, rtt):
    """W(t) = C (t - K)^3 + W_max, K = cbrt(W_max (1 - beta) / C), beyond the last maximum, too (figures 1 and 2)."""
    left = math.floor(window * KEPT)
    k = ((window - left) / 0.4) ** (1 / 3)
    times = rtt * np.arange(math.ceil(1.6 * k / rtt))
    curve = 0.4 * (times - k) ** 3 + window
    seen = np.array(after_a_loss("cubic", window, times.size, rtt_s=rtt))
    assert seen[0] == left
    assert seen == pytest.approx(curve, abs=0.02 * k / rtt)  # near the plateau it grows by 1 % of a packet all the same
    assert seen[-1] > window


def test_cubic_grows_by_half_at_most_and_by_a_hundredth_of_a_packet_at_least():
    """Linux: a packet for each two to hundred windows of ACKs; RFC 9438, 4.2: the target is at most 1.5 windows."""
    fast = avoiding("cubic", 100, rtt_s=10.0)
    fast.last_max[:] = 143
    assert windows(fast, 2) == pytest.approx([150, 225])
    slow = avoiding("cubic", 1e6, rtt_s=0.1)
    slow.last_max[:] = 1e6 + 1e-3  # at the plateau
    assert windows(slow, 1) == pytest.approx([1e6 + 0.01], abs=1e-4)


@pytest.mark.parametrize("name", ["cubic", "bic"])
def test_before_the_first_loss_the_window_grows_by_a_twentieth(name):
    assert windows(avoiding(name, 4000), 2) == pytest.approx([4200, 4410])


@pytest.mark.parametrize(("name", "kept"), [("cubic", KEPT), ("bic", 819 / 1024)])
def test_a_loss_below_the_last_maximum_leaves_room_to_others(name, kept):
    """RFC 9438, 4.7: W_max is then W (1 + beta) / 2, else W."""
    for window, last, expected in ((900, 1000, 900 * (1 + kept) / 2), (1000, 1000, 1000), (1100, 1000, 1100)):
        flow = avoiding(name, window)
        flow.last_max[:] = last
        flow.loss_at[:] = 0.0
        windows(flow, 1)
        assert flow.last_max[0, 0] == pytest.approx(expected)


def test_cubic_starts_its_curve_anew_after_each_loss():
    flow = avoiding("cubic", 1000)
    flow.loss_at[:] = 0.0
    windows(flow, 40)
    flow.window[:], flow.last_growth[:] = 2000, 0
    flow.loss_at[:] = 0.0
    k = ((2000 - 1400) / 0.4) ** (1 / 3)
    assert windows(flow, 30) == pytest.approx([0.4 * (0.1 * n - k) ** 3 + 2000 for n in range(30)], abs=0.1)


def test_a_loss_free_start_above_the_last_maximum_begins_at_its_end():
    """K = 0: the curve grows from where it is (RFC 9438, 4.2)."""
    flow = avoiding("cubic", 1000, rtt_s=2.0)
    flow.last_max[:] = 500
    assert windows(flow, 4) == pytest.approx([1000 + 0.4 * (2.0 * n) ** 3 for n in range(1, 5)])


@pytest.mark.parametrize(("rtt", "every"), [(0.0313, 1), (0.0312, 2), (0.0105, 3), (0.1, 1)])
def test_cubic_is_no_slower_than_reno_with_its_own_part_kept(rtt, every):
    """RFC 9438, 4.3, in whole packets; Linux looks at it again 1/32 s after it last did, when an ACK comes."""
    number = 60
    seen = after_a_loss("cubic", 20, number, rtt_s=rtt)
    reno = [14 + math.floor(FRIENDLY * (n // every * every) + 1e-9) for n in range(number)]
    k = (6 / 0.4) ** (1 / 3)
    cubic = [0.4 * (rtt * n - k) ** 3 + 20 for n in range(number)]
    for window, slow, curve in zip(seen, reno, cubic, strict=True):
        assert max(slow, curve) - 0.02 <= window <= max(slow, curve) + 0.01 * number
    assert seen[-1] > 20


@pytest.mark.parametrize(
    ("window", "last_max", "step"),
    [
        # binary search: a quarter of the way, at most 16; the last packets in 20 quarters of a round trip
        (600, 1000, 16),
        (932, 1000, 16),  # 17 are a quarter
        (936, 1000, 16),
        (940, 1000, 15),
        (992, 1000, 2),
        (996, 1000, 0.2),
        (999, 1000, 0.2),
        # beyond: slowly, then by a third of what it is above, then by 16
        (1000, 1000, 0.2),
        (1003, 1000, 0.2),
        (1004, 1000, 4 / 3),
        (1047, 1000, 47 / 3),
        (1048, 1000, 16),
        (2000, 1000, 16),
        # as Reno up to 14 packets
        (14, 20, 1),
        (15, 20, 1.25),
        (14, 1000, 1),
        (15, 1000, 16),
    ],
)
def test_bic_searches_the_last_maximum_by_halves_and_probes_beyond(window, last_max, step):
    """Xu, Harfoush, Rhee, INFOCOM 2004, with Linux's B = 4, 16 packets at most, smooth part 20, small windows to 14."""
    flow = avoiding("bic", window)
    flow.last_max[:] = last_max
    assert windows(flow, 1)[0] - window == pytest.approx(step)


@pytest.mark.parametrize(
    ("seconds", "rtt", "beta", "step"),
    [
        # alpha = 2 (1 - beta) times the whole part of 1 + 10 (t - 1) + ((t - 1) / 2)^2, t > 1 s
        (0.5, 0.1, 0.5, 1),
        (1.0, 0.1, 0.5, 1),
        (2.0, 0.1, 0.5, 11),
        (5.0, 0.1, 0.5, 45),
        (11.0, 0.1, 0.5, 126),
        (11.0, 0.1, 0.8, 50.4),
        # times the round trip in 100 ms, 0.1 to 2
        (11.0, 0.05, 0.5, 63),
        (11.0, 0.2, 0.5, 252),
        (11.0, 0.5, 0.5, 252),
        (11.0, 0.002, 0.5, 12),
        (3.0, 0.002, 0.5, 2),
        (2.0, 0.002, 0.8, 1),  # a packet at least
    ],
)
def test_htcp_grows_the_faster_the_longer_ago_the_last_loss_is(seconds, rtt, beta, step):
    """Leith, Shorten, PFLDnet 2004."""
    flow = avoiding("htcp", 1000, rtt_s=rtt)
    flow.epoch[:], flow.last_max[:] = seconds, beta
    assert windows(flow, 1)[0] - 1000 == pytest.approx(step)
    assert flow.epoch[0, 0] == pytest.approx(seconds + rtt)


def test_htcp_counts_the_time_from_when_it_grows_again():
    seen = after_a_loss("htcp", 1000, 40, rtt_s=0.1)
    assert np.diff(seen)[:11] == pytest.approx([1] * 11)  # one second
    # 0.4 of the whole part of 1 + 10 t + (t / 2)^2 at t = 1 s
    assert np.diff(seen)[20] == pytest.approx(0.4 * 11)
