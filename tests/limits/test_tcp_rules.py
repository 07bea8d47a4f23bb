"""What all congestion controls share, round by round and by hand: the queue, accounts, luck, several streams."""

import math

import numpy as np
import pytest

from hecn_analysis.limits.tcp_rounds import simulate
from hecn_analysis.limits.tcp_rounds.loss_based import LossBased
from hecn_analysis.limits.tcp_rounds.run import GAP, HIT, LUCK, PHASE, _mixed
from tests.limits.tcp_steps import avoiding, rounds, settings, windows

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


def test_of_two_streams_only_the_one_in_slow_start_fills_the_queue_by_half_of_its_round():
    path = {"rate_bps": 8e6, "mss_bytes": 1000, "queue_bytes": 30_250}
    lost = []
    for window in (60, 61):
        flow = LossBased("reno", settings(**path), 2, 0)
        flow.rounds, flow.window[:] = 3, [[window], [10]]
        flow.threshold[1] = 10
        windows(flow, 1)
        lost.append(bool(np.isfinite(flow.loss_at).any()))
    assert lost == [False, True]


def test_a_stream_that_waits_for_its_probe_stays_as_it_is_beside_one_in_slow_start():
    """It sends nothing in this round, of which HyStart has no rate to compute."""
    two = {name: np.repeat(value, 2) for name, value in settings(hystart=1).items()}
    flow = LossBased("cubic", two, 1, 0)
    flow.rounds, flow.window[:] = 3, 20
    flow.silent[0, 0] = 1
    list(rounds(flow, 1))
    assert flow.window.tolist() == [[20, 40]]


# ---- accounts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [1448, 500])
def test_a_window_below_two_packets_brings_one_a_round_trip(window):
    result = simulate(rate_bps=1e9, rtt_s=0.1, mss_bytes=1448, window_bytes=window, duration_s=10)
    assert result.throughput_bps == pytest.approx(1448 * 8 / 0.1)


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
        draws += [flow.chance(purpose)[stream] for purpose in (GAP, HIT, LUCK, PHASE) for stream in (0, 1)]
    for numbers in draws:
        assert ((numbers > 0) & (numbers < 1)).all()
        assert np.histogram(numbers, 10, (0, 1))[0] == pytest.approx([2000] * 10, rel=0.1)
    between = np.corrcoef(draws) - np.eye(len(draws))
    assert np.abs(between).max() < 0.03
    chosen = (np.array([1, 0]), np.array([5, 7]))
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


def test_a_loss_within_a_round_leaves_out_the_growth_after_it():
    """A window of 20 that grew by 6: at the lost packet, half of the round on, it was 17."""
    flow = avoiding("reno", 20)
    flow.last_growth[:] = 6
    flow.loss_at[:] = 0.5
    list(rounds(flow, 1))
    assert float(flow.threshold[0, 0]) == 8


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
    hits = np.isfinite(flow.loss_at).sum(axis=0)
    assert hits.min() == 1
    assert hits.mean() == pytest.approx(8 * (1 - math.exp(-0.1)) + math.exp(-0.8), rel=0.02)
    assert flow.loss_at[np.isfinite(flow.loss_at)] == pytest.approx(0.5)


def test_slow_start_hits_its_own_streams():
    """One of two streams doubles its window and overflows the queue by dozens of packets: it loses them."""
    path = settings(rate_bps=8e6, mss_bytes=1000, queue_bytes=20_000, bunching=0)
    many = {name: np.repeat(value, 50) for name, value in path.items()} | {"sequence": np.arange(50.0)}
    flow = LossBased("reno", many, 2, 0)
    flow.rounds, flow.window[0], flow.window[1] = 3, 80, 60
    flow.threshold[1] = 60
    list(rounds(flow, 1))
    assert np.isfinite(flow.loss_at).tolist() == [[True] * 50, [False] * 50]


def in_turn(flow, allowed, number):
    """What streams send that one process writes in turn, and what of it comes in a burst."""
    windows_of_streams = np.array([allowed], dtype=float).T
    for _ in range(number):
        sent, burst = flow.in_step(windows_of_streams)
        flow.dry = sent < windows_of_streams
        flow.sent += sent
        yield [*sent[:, 0].tolist(), float(burst[0])]


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
    flow.before[:] = [[40], [60]]  # of which 69 fit the way
    sent, burst = flow.in_step(np.array([[90.0], [60.0]]))
    assert sent.tolist() == [[90], [60]]
    assert burst[0] == pytest.approx(50 + 100 - 8e6 * 0.1 / 8 / 1448)


def test_a_buffer_that_grows_holds_twice_the_largest_window_in_memory():
    """A segment of 1448 bytes is counted with the next power of two of it and its headers, and 256: 4352 bytes."""
    flow = LossBased("reno", settings(mss_bytes=1448, lockstep=1), 2, 0)
    flow.widest[:] = 100
    (sent,) = in_turn(flow, [1000, 10], 1)
    assert sent[:2] == pytest.approx([2 * 100 * 0.9 * 4352 / 1448, 10])


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
    flow.loss_at[1, 0] = 0.0
    list(rounds(flow, 1))
    assert flow.window[:, 0].tolist() == [80, 20, 80]
    list(rounds(flow, 1))
    assert flow.window[:, 0].tolist() == [160, 21, 160]
