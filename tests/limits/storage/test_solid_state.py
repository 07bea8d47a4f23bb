"""Solid-state disks: Little's law, phases of a long write, and write amplification against a simulated log."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.storage import filled_bps, outstanding_bps, ssd, write_amplification


def test_answers_per_second_are_requests_in_flight_over_their_time():
    """A published run: 1024 requests in flight, 1236 us each, 828,000 a second (pastebin.com/eq2CbjY7)."""
    assert outstanding_bps(4096, 1024, 1236e-6, np.inf) / 8 / 4096 == pytest.approx(828e3, rel=1e-3)


def test_the_first_part_goes_at_the_rate_of_the_cache():
    amounts = np.array([1e9, 400e9, 800e9, 1e15])
    rates = filled_bps(amounts, 48e9, 400e9, 8e9)
    assert rates[:2].tolist() == [48e9, 48e9]
    assert rates[2] == pytest.approx(800 / (400 / 48e9 + 400 / 8e9))
    assert rates[3] == pytest.approx(8e9, rel=0.01)


@given(st.floats(1e6, 1e14), st.floats(0, 1e13), st.floats(0, 1e13))
def test_phases_take_their_time_one_after_the_other(amount, cache, direct):
    rate = filled_bps(amount, 4.0, cache, 1.0, direct=direct, direct_rate=2.0)
    fast = min(amount, cache)
    between = min(amount - fast, direct)
    assert amount / rate == pytest.approx(fast / 4 + between / 2 + (amount - fast - between))


def _written_over_and_over(spare, pages=4096, block=32, rounds=12):
    """A log of blocks that is cleaned in turn, written at random: pages written by the disk for one of the host."""
    generator = np.random.default_rng(7)
    places = int(pages * (1 + spare)) // block * block
    log, at, head, moved = np.full(places, -1), np.full(pages, -1), 0, 0

    def put(page):
        nonlocal head
        log[head], at[page] = page, head
        head = (head + 1) % places

    def write(page):
        nonlocal moved
        while head % block == 0:
            here = slice(head, head + block)
            live = [p for place, p in enumerate(log[here], head) if p >= 0 and at[p] == place]
            log[here] = -1
            moved += len(live)
            for kept in live:
                put(kept)
            if len(live) < block:
                break
        put(page)

    for page in range(pages):
        write(page)
    for page in generator.integers(0, pages, pages * rounds):
        write(page)
    moved = 0
    for page in generator.integers(0, pages, pages * rounds):
        write(page)
    return 1 + moved / (pages * rounds)


@pytest.mark.parametrize("spare", [0.28, 0.5, 1.0])
def test_write_amplification_is_that_of_a_log_cleaned_in_turn(spare):
    assert write_amplification(spare) == pytest.approx(_written_over_and_over(spare), rel=0.02)


def test_much_spare_writes_once_and_little_warns():
    assert write_amplification(np.array([5.0, np.inf])) == pytest.approx([1.0025, 1], abs=1e-3)
    with pytest.warns(ValidityWarning, match=r"^spare: found 0\.01, the formula holds for 0\.02 and more"):
        assert write_amplification(0.01) == pytest.approx(50.7, abs=0.1)


def test_the_lowest_limit_counts():
    limits = {"block": 4096, "outstanding": np.array([1, 4, 1e6]), "latency": 1e-4, "iops": 50e3}
    rates = ssd(8e9, **limits)["throughput_bps"] / 8 / 4096
    assert rates == pytest.approx([1 / (1e-4 + 4096 / 1e9), 4 / (1e-4 + 4096 / 1e9), 50e3])
    assert ssd(8e9)["throughput_bps"] == 8e9
    assert ssd(8e9, spare=0.28)["throughput_bps"] == pytest.approx(8e9 / write_amplification(0.28))
    assert ssd(8e9, cache_rate=48e9, cache=1e11)["throughput_bps"] == 8e9  # for ever


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"rate": 0}, "rate: found 0, expected a number > 0"),
        ({"amount": 1e9}, "cache_rate: found nothing, expected the rate of the fast part, since an amount is given"),
        ({"iops": 1e5}, "block: found nothing, expected the size of a request beside iops"),
        ({"spare": 0}, "spare: found 0, expected a number > 0"),
        ({"block": 4096, "outstanding": 0}, "outstanding: found 0, expected a number > 0"),
        ({"cache_rate": 1e9, "cache": -1, "amount": 1e9}, "cache: found -1, expected a number >= 0"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        ssd(**{"rate": 8e9} | option)
    assert str(caught.value) == message
