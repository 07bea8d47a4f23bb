"""BBR round by round against the rules of Linux, by hand."""

import math

import numpy as np
import pytest

from hecn_analysis.limits.tcp_rounds.bbr import Bbr
from tests.limits.tcp_steps import rounds, settings

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
    flow.samples[flow.rounds % 10] = 12_000
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


def test_bbr_goes_on_round_its_phases_while_another_drains():
    flow = many_bbr(9)
    flow.mode[:], flow.phase[:], flow.backlog[:] = 2, [[*range(8), 5]], 1e30
    flow.mode[0, 8], flow.backlog[8] = 1, 0.0
    flow.change_mode(flow.mode == 0)
    assert flow.mode[0].tolist() == [2] * 9
    assert flow.phase[0, :8].tolist() == [1, 2, 3, 4, 5, 6, 7, 0]
    assert flow.phase[0, 8] != 1


def test_bbr_has_drained_with_a_hundredth_of_a_product_left_and_begins_with_any_phase_but_the_one_that_drains():
    flow = many_bbr(7000, rate_bps=8e6)
    flow.mode[:] = 1
    flow.backlog[:] = 0.0101 * flow.bdp
    flow.change_mode(flow.mode == 0)
    assert (flow.mode == 1).all()
    flow.backlog[:] = 0.0099 * flow.bdp
    flow.change_mode(flow.mode == 0)
    assert (flow.mode == 2).all()
    assert np.bincount(flow.phase[0], minlength=8) == pytest.approx([1000, 0, *[1000] * 6], rel=0.12)
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
    flow.probe_rtt(np.full((1, 10_000), 50.0), np.full((1, 10_000), 0.1))
    assert (flow.probe_at > 10).mean() == pytest.approx(likely, abs=0.01)
    assert np.unique(flow.probe_at[flow.probe_at > 10]).tolist() == ([11] if likely else [])


def test_bbr_takes_a_shorter_round_trip_for_the_shortest_whatever_its_luck():
    flow = many_bbr(1000, rate_bps=8e12)
    flow.rounds, flow.t[:] = 10, 0.05
    flow.probe_rtt(np.full((1, 1000), 50.0), np.full((1, 1000), 0.08))
    assert flow.probe_at == pytest.approx(10.13)
    assert flow.least == pytest.approx(0.08)


def test_bbr_counts_a_round_once_in_which_packets_are_lost_in_both_ways():
    """By chance and in a full queue: three rounds with more in flight than fits, each with more than one lost."""
    _, _, _, flow = bbr(11, queue_bytes=1e6, loss=1 / 1000)
    assert flow.events[0] == 4  # 1280 packets still fit


def test_bbr_shares_the_line_among_streams():
    """Each gets its part of what is delivered, by what it sent."""
    flow = Bbr(settings(rate_bps=80e6, mss_bytes=1000), 2, 0)
    flow.rounds, flow.flight[:] = 7, [[900], [300]]
    list(rounds(flow, 1))
    assert flow.backlog[0] == pytest.approx(200)
    assert flow.bandwidth[:, 0].tolist() == pytest.approx([7500, 2500])
    assert flow.received[0] == pytest.approx(1000)


def test_bbr_starts_with_what_the_receiver_offers():
    """64 KB without a scale factor (RFC 7323) are seven packets of 8948 bytes, fewer than the initial ten."""
    assert Bbr(settings(mss_bytes=8948, initial_window=10), 1, 0).flight.tolist() == [[7]]
