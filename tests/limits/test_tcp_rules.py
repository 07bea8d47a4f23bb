"""Windows round by round against the rules of RFC 6928, 5681, 9438 and the congestion controls' papers, by hand."""

import math

import numpy as np
import pytest

from hecn_analysis.limits.tcp_rounds import simulate
from hecn_analysis.limits.tcp_rounds.bbr import Bbr
from hecn_analysis.limits.tcp_rounds.loss_based import LossBased
from hecn_analysis.limits.tcp_rounds.run import GAP, HIT, LUCK, PHASE, _mixed

KEPT = 717 / 1024  # CUBIC's beta of 0.7 in the kernel's steps
FRIENDLY = 3 * (1 - KEPT) / (1 + KEPT)  # RFC 9438, 4.3: packets a round trip that Reno would grow by on average


def settings(**changes):
    """One transfer without an end, over a path that is far too fast to matter; a packet is one byte."""
    usual = {"rate_bps": 1e14, "rtt_s": 0.1, "mss_bytes": 1, "packet_overhead_bytes": 0, "loss": 0, "sequence": 0}
    usual |= {"window_bytes": np.inf, "queue_bytes": np.nan, "duration_s": 1e9, "transfer_bytes": np.nan}
    usual |= {"warm_up_s": 0, "initial_window": 10, "ack_every": 2, "byte_counting": 1, "hystart": 0, "lockstep": 0}
    return {name: np.array([value], dtype=float) for name, value in (usual | {"bunching": 1} | changes).items()}


def rounds(flow, number):
    """The same run after each of some rounds."""
    for _ in range(number):
        flow.rounds += 1
        flow.round()
        yield flow


def windows(flow, number):
    return [float(each.window[0, 0]) for each in rounds(flow, number)]


def avoiding(name, window, streams=1, **changes):
    """A flow in congestion avoidance with a window of so many packets."""
    flow = LossBased(name, settings(**changes), streams, 0)
    flow.rounds = 3  # the receiver's first windows are behind it
    flow.window[:] = flow.threshold[:] = window
    return flow


def after_a_loss(name, window, number, *, at=0.0, **changes):
    """Windows after a loss at a window of so many packets, of which the sender learns in the first of these rounds."""
    flow = avoiding(name, window, **changes)
    flow.loss_at[:] = at
    return windows(flow, number)


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
    [(1e9, 0.1, 1448, 5120), (1e9, 0.02, 1448, 1280), (10e9, 0.08, 1448, 40960), (100e6, 0.05, 1000, 320)],
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


# ---- the queue ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "bunch"),
    [
        ((8e6, 1000, 0.01, 500_400), 2),  # of a slow line two packets
        ((250e6, 1000, 0.01, 1e6), 1.2 * 31_250 / 1024),  # 1.2 times the rate in 1/1024 s
        ((100e9, 8192, 0.001, 1e9), 8),  # 64 KiB
        ((80e6, 1000, 0.001, 8400), 18.4 / 3),  # a third of what fits
        ((8e6, 1000, 0.001, 1400), 1),
    ],
)
@pytest.mark.parametrize("bunching", [0, 1, 2])
def test_a_packet_is_lost_when_a_bunch_finds_the_queue_full(path, bunch, bunching):
    """Path and queue hold the window but for the other packets of the bunch; a part of a packet too much is a loss."""
    rate_bps, mss, rtt, queue = path
    room = math.floor(rate_bps / 8 / mss * rtt + queue / mss - bunching * (bunch - 1))
    changes = {"rate_bps": rate_bps, "rtt_s": rtt, "mss_bytes": mss, "queue_bytes": queue, "bunching": bunching}
    lost = []
    for window in (room, room + 1):
        flow = avoiding("reno", window, **changes)
        windows(flow, 1)
        lost.append(bool(np.isfinite(flow.loss_at[0, 0])))
    assert lost == [False, True]


def test_the_overhead_of_packets_counts_in_rate_and_queue():
    """Packets of 900 bytes that cost 1000: 100 on the way in 0.1 s at 8 Mb/s, 50 in the queue, one left of a bunch."""
    path = {"rate_bps": 8e6, "mss_bytes": 900, "packet_overhead_bytes": 100, "queue_bytes": 50_000}
    flow = avoiding("reno", 148, **path)
    assert [bool(np.isfinite(each.loss_at[0, 0])) for each in rounds(flow, 3)] == [False, False, True]
    assert float(flow.window[0, 0]) == 151  # the bunch of two leaves room for 149


def test_the_queue_is_a_product_of_rate_and_round_trip_where_it_is_not_given():
    path = {"rate_bps": 8e6, "mss_bytes": 900, "packet_overhead_bytes": 100}
    flow = avoiding("reno", 198, **path)
    assert [bool(np.isfinite(each.loss_at[0, 0])) for each in rounds(flow, 3)] == [False, False, True]


def test_a_full_queue_makes_round_trips_longer_and_loses_the_rest():
    """120 packets on a way of 100: 120 ms; 170 with a queue of 50: 150 ms, in which 150 arrive."""
    path = {"rate_bps": 8e6, "mss_bytes": 1000, "queue_bytes": 50_000, "bunching": 0}
    for window, seconds, arrived in ((80, 0.1, 80), (120, 0.12, 120), (170, 0.15, 150)):
        flow = avoiding("reno", window, **path)
        windows(flow, 1)
        assert (float(flow.t[0]), float(flow.received[0])) == pytest.approx((seconds, arrived))


def test_slow_start_fills_the_queue_by_half_of_a_round():
    """Each ACK brings two packets: half of a round waits, though less than a product is on the way."""
    path = {"rate_bps": 8e6, "mss_bytes": 1000, "queue_bytes": 30_500}
    lost = []
    for window in (61, 62):
        flow = LossBased("reno", settings(**path), 1, 0)
        flow.rounds, flow.window[:] = 3, window
        windows(flow, 1)
        lost.append(bool(np.isfinite(flow.loss_at[0, 0])))
    assert lost == [False, True]


# ---- accounts -------------------------------------------------------------------------------------------------------


def test_what_a_timed_test_receives_is_counted_to_its_end():
    """Packets come evenly over a round trip: half of the fourth round at 0.35 s."""
    ends = np.array([0.1, 0.35, 0.4, 0.45])
    result = simulate(rate_bps=1e12, rtt_s=0.1, mss_bytes=1000, duration_s=ends, congestion_control="reno")
    assert result.received_bytes == pytest.approx(1000 * np.array([10, 70 + 40, 150, 150 + 80]))
    assert result.throughput_bps == pytest.approx(8 * result.received_bytes / ends)
    assert result.duration_s.tolist() == ends.tolist()
    assert result.rounds.tolist() == [1, 4, 4, 5]
    assert result.loss_events.tolist() == [0] * 4


@pytest.mark.parametrize("name", ["reno", "cubic", "bic", "htcp", "bbr"])
@pytest.mark.parametrize("seconds", [30, 29.97])
def test_what_is_received_is_the_rate_by_the_time(name, seconds):
    result = simulate(rate_bps=1e9, rtt_s=0.1, window_bytes=1e6, duration_s=seconds, congestion_control=name)
    assert result.received_bytes == pytest.approx(result.throughput_bps * seconds / 8)


def test_the_warm_up_is_left_out_of_the_mean_but_not_of_what_is_received():
    result = simulate(
        rate_bps=1e12,
        rtt_s=0.1,
        mss_bytes=1000,
        duration_s=0.5,
        warm_up_s=np.array([0.1, 0.15, 0.33]),
        congestion_control="reno",
    )
    counted = np.array([300, 290, 0.7 * 80 + 160])
    assert result.throughput_bps == pytest.approx(8000 * counted / np.array([0.4, 0.35, 0.17]))
    assert result.received_bytes == pytest.approx([310e3] * 3)


def test_start_up_is_the_time_that_slow_start_lacks_at_the_full_rate():
    """A window of 100 packets a round trip: rounds of 10, 20, 40 and 80 lack 0.9, 0.8, 0.6 and 0.2 of it."""
    path = {"rate_bps": 1e12, "rtt_s": 0.1, "mss_bytes": 1000, "duration_s": 10, "congestion_control": "reno"}
    assert simulate(**path, window_bytes=100e3).start_up_s == pytest.approx(0.25)
    assert simulate(**path, window_bytes=100e3, streams=2).start_up_s == pytest.approx(0.25)
    # 100 packets a round trip pass the line: what is sent beyond lacks nothing
    assert simulate(
        **path | {"rate_bps": 8e6, "packet_overhead_bytes": 0, "queue_bytes": 1e9, "duration_s": 1.1}
    ).start_up_s == pytest.approx(0.25)


def test_the_rest_of_the_time_goes_on_as_the_second_half_of_the_rounds():
    """Reno from 20 packets on, one more each round: rounds 5 to 8 of eight."""
    sent = [10, 20, 40, 80, 160, 320, 640, 1280]
    path = {"rate_bps": 1e13, "rtt_s": 0.1, "mss_bytes": 1000, "congestion_control": "reno", "most_rounds": 8}
    mean = sum(sent[4:]) / 0.4
    timed = simulate(**path, duration_s=100, warm_up_s=np.array([0, 0.45, 20]))
    assert timed.received_bytes == pytest.approx([1000 * (sum(sent) + mean * 99.2)] * 3)
    counted = np.array([sum(sent) + mean * 99.2, 0.5 * 160 + 320 + 640 + 1280 + mean * 99.2, mean * 80])
    assert timed.throughput_bps == pytest.approx(8000 * counted / np.array([100, 99.55, 80]))
    assert timed.duration_s.tolist() == [100] * 3
    fixed = simulate(**path, transfer_bytes=1e9)
    assert fixed.duration_s == pytest.approx(0.8 + (1e6 - sum(sent)) / mean + 0.05)
    assert fixed.received_bytes == 1e9
    assert fixed.rounds == 8


def test_losses_go_on_as_in_the_second_half_of_the_rounds():
    """A window that goes up and down a hundred times in a thousand rounds does so for the rest of the time."""
    path = {"rate_bps": 8e6, "rtt_s": 0.01, "mss_bytes": 1000, "packet_overhead_bytes": 0, "queue_bytes": 2400}
    path |= {"congestion_control": "reno", "most_rounds": 1000}
    followed = simulate(**path, duration_s=10)
    assert followed.rounds < 1000
    extrapolated = simulate(**path, duration_s=1000)
    assert extrapolated.rounds == 1000
    assert extrapolated.loss_events / 1000 == pytest.approx(followed.loss_events / 10, rel=0.02)


@pytest.mark.parametrize("name", ["reno", "cubic", "bic", "htcp"])
def test_rounds_taken_in_one_step_are_those_one_after_the_other(name, monkeypatch):
    """A window that is reached, a line that is full, streams of both, tests and transfers that end within a round."""
    path = {"rate_bps": [1e9, 20e6, 1e9, 1e9, 20e6], "rtt_s": 0.05, "queue_bytes": [1e6, np.inf, 1e6, 1e6, 1e6]}
    path |= {"window_bytes": [1e6, np.inf, 2e5, 1e6, 5e5], "congestion_control": name, "streams": [1, 1, 3, 1, 1]}
    path |= {"duration_s": [9.98, 10.01, 10, np.nan, 10], "transfer_bytes": [np.nan] * 3 + [54_321_000, np.nan]}
    path |= {"warm_up_s": [1.23, 2, 0, 0, 3]}
    together = simulate(**path)
    monkeypatch.setattr(LossBased, "repeats", lambda _self, _flight, total, _slow, _pending: np.ones(total.size))
    alone = simulate(**path)
    for figure in ("throughput_bps", "duration_s", "received_bytes", "start_up_s"):
        assert getattr(together, figure) == pytest.approx(getattr(alone, figure), rel=1e-9)
    assert together.rounds.sum() < 0.2 * alone.rounds.sum()
    assert together.rounds[4] < 0.2 * alone.rounds[4]


@pytest.mark.parametrize("streams", [1, 4])
def test_losses_come_as_often_as_is_said(streams):
    """A window of 20 packets that is hardly ever halved: an event for each packet lost, a step from one to the next."""
    result = simulate(
        rate_bps=1e10,
        rtt_s=0.05,
        mss_bytes=1000,
        window_bytes=20e3,
        loss=np.full(16, 1e-4),
        congestion_control="reno",
        streams=streams,
        duration_s=2000 / streams,
    )
    assert result.loss_events.sum() == pytest.approx(1e-4 * result.received_bytes.sum() / 1000, rel=0.05)
    assert (result.rounds < 0.2 * 2000 / 0.05).all()


# ---- streams that one process writes in turn ------------------------------------------------------------------------


@pytest.mark.parametrize(("window", "wait"), [(1e5, 0.04 / 3), (1e6, 0.1 * 65536 / 1e6)])
@pytest.mark.parametrize("streams", [2, 4])
def test_acks_of_streams_that_wait_for_their_turn_come_late(window, wait, streams):
    """All but one wait a third of 40 ms for their ACKs, or until 64 KiB of the one that is read have come."""
    result = simulate(
        rate_bps=1e12,
        rtt_s=0.1,
        mss_bytes=1000,
        window_bytes=window,
        streams=streams,
        lockstep=True,
        duration_s=20,
        warm_up_s=5,
        congestion_control="reno",
    )
    expected = 8 * streams * window / (0.1 + (1 - 1 / streams) * wait)
    assert result.throughput_bps == pytest.approx(expected, rel=1e-3)


def test_one_stream_has_no_turn_to_wait_for():
    path = {"rate_bps": 1e9, "rtt_s": 0.1, "window_bytes": 1e6, "duration_s": 10, "congestion_control": "reno"}
    assert simulate(**path, lockstep=True).throughput_bps == pytest.approx(simulate(**path).throughput_bps, rel=1e-12)


# ---- BBR ------------------------------------------------------------------------------------------------------------


def bbr(number, **changes):
    """Packets in flight, packets in the queue and the time after each round, on a line of 10,000 packets/s."""
    flow = Bbr(settings(**{"rate_bps": 80e6, "mss_bytes": 1000} | changes), 1, 0)
    seen = [(float(each.flight[0, 0]), float(each.backlog[0]), float(each.t[0])) for each in rounds(flow, number)]
    return (*np.array(seen).T, flow)


def test_bbr_doubles_until_three_rounds_bring_no_quarter_more_then_drains():
    """Cardwell et al., ACM Queue 14(5), 2016: gain 2.885 both ways, 1 % below what the line carries."""
    flight, queue, times, flow = bbr(12)
    assert flight[:8].tolist() == [20, 40, 80, 160, 320, 640, 1280, 2560]
    assert flight[8:11] == pytest.approx([2885, 2885, 0.99 * 2000 / 2.885])
    assert queue == pytest.approx([0] * 7 + [280, 1000, 1000, 1000, 0])
    assert np.diff(times, prepend=0) == pytest.approx([0.1] * 2 + [0.108] * 3 + [0.1] * 3 + [0.128] + [0.2] * 3)
    assert flow.events[0] == 3  # rounds in which the queue overflowed


def test_bbr_goes_round_eight_phases():
    """A quarter more; then less until a product and three bunches are left; then six rounds at 99 % of the pace."""
    flight, queue, _, _ = bbr(70)
    first = 12 + int(np.argmax(flight[12:]))
    left = 1000 + 3 * 1.2 * 10_000 / 1024
    cycle = [1237.5, left, 0.99 * left, 0.99**2 * left, 0.99**3 * left, 0.99**4 * left, 990, 990]
    assert flight[first : first + 24] == pytest.approx(cycle * 3)
    assert queue[first + 1 : first + 9] == pytest.approx([237.5, *(np.maximum(np.array(cycle[1:]) - 1000, 0))])


def test_bbr_drains_by_a_quarter_of_its_pace_at_most():
    """With 900 packets left in the queue, pace fills 190 ms: a quarter less is still more than what is aimed at."""
    flow = Bbr(settings(rate_bps=80e6, mss_bytes=1000, queue_bytes=1e7), 1, 0)
    list(rounds(flow, 30))
    flow.mode[:], flow.phase[:], flow.backlog[:], flow.flight[:] = 2, 0, 900, 1900
    list(rounds(flow, 1))
    assert flow.flight[0, 0] == pytest.approx(0.75 * 0.99 * 1900)


def test_bbr_probes_the_round_trip_each_ten_seconds_with_four_packets():
    """On a slow line, where no later packet is as fast as a lone one: for a round trip to drain and 200 ms more."""
    flight, _, times, _ = bbr(320, rate_bps=0.8e6)
    probing = flight == 4
    starts = times[1:][probing[1:] & ~probing[:-1]]
    assert starts[0] == pytest.approx(10, abs=0.15)
    assert np.diff(starts) == pytest.approx([10.3] * (starts.size - 1), abs=0.15)
    assert starts.size == 4
    assert probing.sum() == 4 * 3


def test_bbr_keeps_to_the_receivers_window():
    flight, _, _, _ = bbr(230, window_bytes=300e3)
    assert flight[:7].tolist() == [20, 40, 80, 160, 300, 300, 300]
    assert flight.max() == 300
    few, _, _, _ = bbr(230, window_bytes=2000)
    assert set(few) == {2}


def test_bbr_is_not_held_back_by_losses_but_counts_the_rounds_that_have_one():
    flight, _, _, flow = bbr(9, queue_bytes=1e9, loss=1 / 700)
    assert flight[:8].tolist() == [20, 40, 80, 160, 320, 640, 1280, 2560]
    assert flow.events[0] == 2  # 1280 and 2560 packets, of which more than one is lost


# ---- luck, and several streams --------------------------------------------------------------------------------------


def test_random_numbers_are_those_of_splitmix64():
    """The reference program's first numbers after a seed of 1234567 (prng.di.unimi.it/splitmix64.c)."""
    states = np.array([(1234567 + n * 0x9E3779B97F4A7C15) % 2**64 for n in range(1, 6)], dtype=np.uint64)
    assert _mixed(states).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_chances_are_spread_evenly_and_have_nothing_to_do_with_each_other():
    many = {name: np.repeat(value, 20_000) for name, value in settings().items()} | {"sequence": np.arange(20_000.0)}
    flow = LossBased("reno", many, 2, 0)
    draws = []
    for flow.rounds in (1, 2):
        draws += [flow.chance(purpose)[:, stream] for purpose in (GAP, HIT, LUCK, PHASE) for stream in (0, 1)]
    for numbers in draws:
        assert ((numbers > 0) & (numbers < 1)).all()
        assert np.histogram(numbers, 10, (0, 1))[0] == pytest.approx([2000] * 10, rel=0.1)
    between = np.corrcoef(draws) - np.eye(len(draws))
    assert np.abs(between).max() < 0.03
    chosen = (np.array([5, 7]), np.array([1, 0]))
    assert flow.chance(GAP, chosen).tolist() == flow.chance(GAP)[chosen].tolist()


def test_a_loss_in_the_first_round_is_as_probable_as_one_among_its_packets():
    """10 packets with a loss of 5 %: exp(-1/2) of the transfers have none; where it falls is as good as random."""
    many = {name: np.repeat(value, 4000) for name, value in settings(loss=0.05).items()} | {
        "sequence": np.arange(4000.0)
    }
    flow = LossBased("reno", many, 1, 0)
    list(rounds(flow, 1))
    lost = np.isfinite(flow.loss_at)
    assert lost.mean() == pytest.approx(1 - math.exp(-0.5), abs=0.02)
    # the first one of several falls earlier: the mean of an exponential of mean 2 that is cut off at 1
    assert flow.loss_at[lost].mean() == pytest.approx(2 - 1 / math.expm1(0.5), abs=0.02)


@pytest.mark.parametrize(
    ("window", "queue", "part"),
    [
        (62, 30.5, 30.5 / 31),  # half of the round waits when it ends
        (500, 200, 50 / 251),  # 250 - 100 wait as it begins, 500 - 100 and one of a bunch as it ends
        (500, 140, 0),
    ],
)
def test_the_queue_of_slow_start_overflows_at_its_part_of_the_round(window, queue, part):
    """It grows evenly from what the round before left to what this one leaves."""
    flow = LossBased("reno", settings(rate_bps=8e6, mss_bytes=1000, queue_bytes=1000 * queue), 1, 0)
    flow.rounds, flow.window[:] = 3, window
    list(rounds(flow, 1))
    assert flow.loss_at[0, 0] == pytest.approx(part)


def test_a_full_queue_hits_streams_by_their_share():
    """Eight streams lose 0.8 packets: each is hit with 1 - exp(-0.1), and one at least."""
    path = settings(rate_bps=8e6, mss_bytes=1000, queue_bytes=59_200, bunching=0)
    many = {name: np.repeat(value, 4000) for name, value in path.items()} | {"sequence": np.arange(4000.0)}
    flow = LossBased("reno", many, 8, 0)
    flow.rounds, flow.window[:] = 3, 20
    flow.threshold[:] = 20
    list(rounds(flow, 1))
    hits = np.isfinite(flow.loss_at).sum(axis=1)
    assert hits.min() == 1
    assert hits.mean() == pytest.approx(8 * (1 - math.exp(-0.1)) + math.exp(-0.8), rel=0.02)
    assert flow.loss_at[np.isfinite(flow.loss_at)] == pytest.approx(0.5)


def in_turn(flow, allowed, number):
    """What streams send that one process writes in turn, and what of it comes in a burst."""
    for _ in range(number):
        sent, burst = flow.in_step(np.array([allowed], dtype=float))
        flow.dry, flow.before = sent < allowed, sent
        flow.sent += sent
        yield [*sent[0].tolist(), float(burst[0])]


def test_a_process_that_writes_in_turn_stops_at_the_fullest_socket():
    """Buffers of 150 packets, streams that may send 100 and 10 a round trip.

    The process stops with 150 written to each. It is woken when the slow stream has a third free, 100 left of 150, and
    writes 50 more: four rounds without, then 50 of the fast one at once.
    """
    flow = LossBased("reno", settings(mss_bytes=1448, window_bytes=144_800, lockstep=1), 2, 0)
    flow.widest[:] = 100
    fast = [100, 50, 0, 0, 0, 50, 0, 0, 0, 0, 50]
    bursts = [0, 0, 0, 0, 0, 50, 0, 0, 0, 0, 50]
    assert list(in_turn(flow, [100, 10], 11)) == [[sent, 10, burst] for sent, burst in zip(fast, bursts, strict=True)]


def test_a_burst_comes_on_top_of_what_waits():
    flow = LossBased("reno", settings(rate_bps=8e6, mss_bytes=1448, window_bytes=1448e3, lockstep=1), 2, 0)
    flow.written[:], flow.sent[:], flow.dry[:] = 100, 0, True
    flow.before[:] = [[40, 60]]  # of which 69 fit the way
    sent, burst = flow.in_step(np.array([[90.0, 60.0]]))
    assert sent.tolist() == [[90, 60]]
    assert burst[0] == pytest.approx(50 + 100 - 8e6 * 0.1 / 8 / 1448)


def test_a_buffer_that_grows_holds_twice_the_largest_window_in_memory():
    """A segment of 1448 bytes is counted with the next power of two of it and its headers, and 256: 4352 bytes."""
    flow = LossBased("reno", settings(mss_bytes=1448, lockstep=1), 2, 0)
    flow.widest[:] = 100
    (sent,) = in_turn(flow, [1000, 10], 1)
    assert sent[:2] == pytest.approx([2 * 100 * 0.9 * 4352 / 1448, 10])


# ---- what BBR measures ----------------------------------------------------------------------------------------------


def many_bbr(number, **changes):
    many = {name: np.repeat(value, number) for name, value in settings(**changes).items()}
    return Bbr(many | {"sequence": np.arange(float(number))}, 1, 0)


@pytest.mark.parametrize(
    ("rtt", "mss", "silent"),
    [
        (0.09, 1448, 1 + 2 + 0.04 / 0.09),  # an odd packet's ACK comes 40 ms after the second round trip, at 220 ms
        (0.09, 60_000, 1 + 3),  # in pairs: 270 ms
        (0.07, 1448, 1 + 3),  # 210 ms, before 250
        (0.25, 1448, 1 + 1),
        (0.18, 1448, 1 + 1 + 0.04 / 0.18),
        (0.2, 1448, 1 + 1),
    ],
)
def test_a_probe_of_bbr_lasts_200_ms_and_until_an_ack_comes(rtt, mss, silent):
    """A round trip to drain, then four packets a round trip; pairs are 2 packets of 1.2/1024 s and less."""
    flow = Bbr(settings(rate_bps=100e6, rtt_s=rtt, mss_bytes=mss), 1, 0)
    assert flow.rounds_of_a_probe()[0] == pytest.approx(silent)


def test_bbr_forgets_a_rate_after_ten_rounds():
    _, _, _, flow = bbr(30)
    flow.samples[:, :, flow.rounds % 10] = 12_000
    seen = [float(each.bandwidth[0, 0]) for each in rounds(flow, 11)]
    assert seen == pytest.approx([12_000] * 9 + [10_000] * 2)


def test_bbr_takes_a_quarter_more_for_growth():
    """Three rounds in a row with less end its start; the best is what the last growth brought."""
    flow = many_bbr(1)
    stale = []
    for rate in (100, 125, 156, 150, 156.25, 195, 195.2, 195.4, 200, 210, 220):
        flow.bandwidth[:] = rate
        flow.backlog[:] = 1e30
        flow.change_mode(flow.mode == 0)
        stale.append((int(flow.stale[0, 0]), int(flow.mode[0, 0])))
    assert stale[:7] == [(0, 0), (0, 0), (1, 0), (2, 0), (0, 0), (1, 0), (2, 0)]
    assert stale[7:] == [(0, 0), (1, 0), (2, 0), (3, 1)]


def test_bbr_has_drained_with_a_hundredth_of_a_product_left_and_begins_with_any_phase_but_the_one_that_drains():
    flow = many_bbr(7000, rate_bps=8e6)
    flow.mode[:] = 1
    flow.backlog[:] = 0.0101 * flow.bdp
    flow.change_mode(flow.mode == 0)
    assert (flow.mode == 1).all()
    flow.backlog[:] = 0.0099 * flow.bdp
    flow.change_mode(flow.mode == 0)
    assert (flow.mode == 2).all()
    assert np.bincount(flow.phase[:, 0], minlength=8) == pytest.approx([1000, 0, *[1000] * 6], rel=0.12)
    before = flow.phase.copy()
    flow.change_mode(flow.mode == 0)
    assert (flow.phase == (before + 1) % 8).all()


def test_bbr_probes_ten_seconds_after_the_shortest_round_trip():
    flow = many_bbr(1, rate_bps=8e3)  # a packet a millisecond: none is as fast as the lone ones again
    planned = np.array([[50.0]])
    flow.rounds, flow.t[:] = 50, 5.0
    assert flow.probe_rtt(planned, np.array([[0.12]])).tolist() == [[50]]
    assert (flow.least[0, 0], flow.probe_at[0, 0]) == (0.1, 10)
    flow.probe_rtt(planned, np.array([[0.08]]))
    assert (flow.least[0, 0], flow.least_since[0, 0], flow.probe_at[0, 0]) == pytest.approx((0.08, 5.0, 15.08))
    flow.t[:] = 14.9
    assert flow.probe_rtt(planned, np.array([[0.17]])).tolist() == [[50]]
    # a probe: four packets in its three rounds, then as planned; its round trip is the least one for now
    sent = []
    for flow.t[:] in (14.95, 15.14, 15.24, 15.34):
        sent += flow.probe_rtt(planned, np.array([[0.19]])).ravel().tolist()
    assert sent == [4, 4, 4, 50]
    assert (flow.least[0, 0], flow.least_since[0, 0]) == pytest.approx((0.19, 15.14))
    assert flow.probe_at[0, 0] == pytest.approx(15.14 + 3 * 0.1 + 10)


@pytest.mark.parametrize(("rate_bps", "likely"), [(8e12, 0.1), (8e4, 0.1 * math.exp(-1)), (8e2, 0)])
def test_a_round_trip_is_the_shortest_of_ten_in_one_of_ten_cases(rate_bps, likely):
    """Of alike ones in a second; but a packet that takes as long as the jitter is as fast as a lone one in 1/e only."""
    flow = many_bbr(10_000, rate_bps=rate_bps)
    flow.t[:], flow.rounds = 0.9, 10
    flow.probe_rtt(np.full((10_000, 1), 50.0), np.full((10_000, 1), 0.1))
    assert (flow.probe_at > 10).mean() == pytest.approx(likely, abs=0.01)
    assert np.unique(flow.probe_at[flow.probe_at > 10]).tolist() == ([11] if likely else [])


def test_bbr_takes_a_shorter_round_trip_for_the_shortest_whatever_its_luck():
    flow = many_bbr(1000, rate_bps=8e12)
    flow.rounds, flow.t[:] = 10, 0.05
    flow.probe_rtt(np.full((1000, 1), 50.0), np.full((1000, 1), 0.08))
    assert flow.probe_at == pytest.approx(10.13)
    assert flow.least == pytest.approx(0.08)


def test_bbr_counts_a_round_once_in_which_packets_are_lost_in_both_ways():
    """By chance and in a full queue: three rounds with more in flight than fits, each with more than one lost."""
    _, _, _, flow = bbr(11, queue_bytes=1e6, loss=1 / 1000)
    assert flow.events[0] == 4  # 1280 packets still fit


def test_bbr_shares_the_line_among_streams():
    """Each gets its part of what is delivered, by what it sent."""
    flow = Bbr(settings(rate_bps=80e6, mss_bytes=1000), 2, 0)
    flow.rounds, flow.flight[:] = 7, [[900, 300]]
    list(rounds(flow, 1))
    assert flow.backlog[0] == pytest.approx(200)
    assert flow.bandwidth[0].tolist() == pytest.approx([7500, 2500])
    assert flow.received[0] == pytest.approx(1000)


# ---- company --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["reno", "cubic", "bic", "htcp", "bbr"])
def test_transfers_in_all_phases_fare_the_same_alone_and_in_company(name):
    """One starts, one loses in its start, one waits for its probe of a short tail, one is held by its window."""
    path = {"rate_bps": [1e12, 8e6, 1e8, 1e9], "rtt_s": [0.2, 0.1, 0.05, 0.1], "loss": [0, 0, 0.02, 0]}
    path |= {"window_bytes": [np.inf, np.inf, 5e3, 1e6], "queue_bytes": [np.nan, 1e4, np.nan, np.nan]}
    path |= {"duration_s": [2, 3, 4, 3], "mss_bytes": [1448, 1000, 1448, 1448], "sequence": [1, 2, 3, 4]}
    case = {"congestion_control": name, "streams": 2}
    together = simulate(**path, **case)
    for place in range(4):
        alone = simulate(**{option: values[place] for option, values in path.items()}, **case)
        for figure in ("throughput_bps", "received_bytes", "start_up_s", "loss_events", "rounds"):
            assert getattr(together, figure)[place] == getattr(alone, figure), figure


def test_a_start_ends_with_its_first_loss():
    """62 packets at once leave 31 waiting where 30.5 fit: of the first round trip 38.5 ms are lost at the rate."""
    result = simulate(
        rate_bps=8e6,
        rtt_s=0.1,
        mss_bytes=1000,
        packet_overhead_bytes=0,
        queue_bytes=30_500,
        initial_window=62,
        duration_s=5,
        congestion_control="reno",
    )
    assert result.start_up_s == pytest.approx(0.1 - 0.0615)


def test_one_stream_that_loses_leaves_the_others_in_their_start():
    flow = LossBased("reno", settings(), 3, 0)
    flow.rounds, flow.window[:] = 3, 40
    flow.loss_at[0, 1] = 0.0
    list(rounds(flow, 1))
    assert flow.window[0].tolist() == [80, 20, 80]
    list(rounds(flow, 1))
    assert flow.window[0].tolist() == [160, 21, 160]
