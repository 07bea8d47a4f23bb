"""Flows hashed onto links: worked values, counting all placements, and the documents' bundles."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.bundle import (
    busiest_probabilities,
    lag,
    links_used,
    round_robin_bps,
    shared_bps,
    used_probabilities,
)
from hecn_analysis.limits.framing import goodput_bps


@pytest.mark.parametrize(
    ("links", "flows", "used"), [(2, 2, "1.500"), (4, 4, "2.734"), (4, 8, "3.600"), (8, 8, "5.251"), (8, 16, "7.055")]
)
def test_links_used_to_the_printed_digits(links, flows, used):
    assert f"{links_used(links, flows):.3f}" == used
    assert f"{lag(links=links, link_rate=10e9, flows=flows)['links_used']:.3f}" == used
    assert f"{lag(links=links, link_rate=10e9, flows=flows)['throughput_bps'] / 10e9:.3f}" == used


@pytest.mark.parametrize(("links", "flows"), [(1, 3), (2, 2), (3, 4), (4, 5), (5, 3)])
def test_probabilities_are_those_of_counting_every_placement(links, flows):
    placements = [Counter(placement) for placement in itertools.product(range(links), repeat=flows)]
    used = np.bincount([len(loads) for loads in placements], minlength=links + 1) / len(placements)
    busiest = np.bincount([max(loads.values()) for loads in placements], minlength=flows + 1) / len(placements)
    np.testing.assert_allclose(used_probabilities(links, flows), used, atol=1e-12)
    np.testing.assert_allclose(busiest_probabilities(links, flows), busiest, atol=1e-12)
    figures = lag(links=links, link_rate=10.0, flows=flows, flow_rate=6.0)
    capped = [sum(min(10.0, 6.0 * load) for load in loads.values()) for loads in placements]
    assert figures["throughput_bps"] == pytest.approx(np.mean(capped))
    assert figures["median_bps"] in capped
    ends = [flows * min(10.0 / max(loads.values()), 6.0) for loads in placements]
    assert figures["finish_bps"] == pytest.approx(np.mean(ends))


@given(st.integers(1, 40), st.integers(1, 200))
@settings(max_examples=30, deadline=None)
def test_what_must_hold_everywhere(links, flows):
    figures = lag(links=links, link_rate=1e9, flows=flows)
    assert used_probabilities(links, flows).sum() == pytest.approx(1)
    assert busiest_probabilities(links, flows).sum() == pytest.approx(1)
    assert (
        1e9 <= figures["low_bps"] <= figures["median_bps"] <= figures["high_bps"] <= min(links, flows) * 1e9 * 1.000001
    )
    assert figures["finish_bps"] <= figures["throughput_bps"] * 1.000001
    placed = lag(links=links, link_rate=1e9, flows=flows, placement="placed")
    assert placed["throughput_bps"] == pytest.approx(min(links, flows) * 1e9)
    assert placed["throughput_bps"] >= figures["throughput_bps"] * 0.999999


def test_one_flow_gets_one_link_however_many_there_are():
    figures = lag(links=8, link_rate=10e9, flows=1)
    for name in ("throughput_bps", "low_bps", "high_bps", "finish_bps"):
        assert figures[name] == pytest.approx(10e9)


def test_slow_flows_that_fit_are_not_held_back():
    assert lag(links=2, link_rate=10e9, flows=4, flow_rate=1e9)["low_bps"] == pytest.approx(4e9)


def test_placed_flows_of_equal_amounts_wait_for_those_that_share_a_link():
    """Three of 8 Gb/s on two links of 10: 8 + 10 Gb/s together; those of a shared link end at 5 Gb/s each."""
    figures = lag(links=2, link_rate=10e9, flows=3, flow_rate=8e9, placement="placed")
    assert (figures["throughput_bps"], figures["finish_bps"]) == (18e9, 15e9)


def test_placed_flows_add_up_where_links_are_not_full():
    """Three of 3 Gb/s on two links of 10."""
    assert lag(links=2, link_rate=10e9, flows=3, flow_rate=3e9, placement="placed")["throughput_bps"] == 9e9


def test_unequal_flows_meet_by_chance():
    """6 and 8 Gb/s on two links of 10: 10 Gb/s when they meet, 14 when not."""
    draws = shared_bps(2, 10e9, np.array([6e9, 8e9]))
    assert set(np.unique(draws)) == {10e9, 14e9}
    assert draws.mean() == pytest.approx(12e9, rel=0.01)
    np.testing.assert_array_equal(draws, shared_bps(2, 10e9, np.array([6e9, 8e9])))


def test_the_documents_bundles_of_two_and_four_links():
    """A stream placed on each 10-Gigabit link: 19.81 and 39.1 to 39.6 Gb/s; packets in turn over four: 31.6 Gb/s."""
    link = goodput_bps(10e9, 9000)
    two = lag(links=2, link_rate=link, flows=2, placement="placed")["throughput_bps"]
    four = lag(links=4, link_rate=link, flows=4, placement="placed")["throughput_bps"]
    for measured in (19805.8537e6, 19808.73e6):
        assert two == pytest.approx(measured, rel=0.001)
    for measured in (39564.4536e6, 39134.0831e6, 39151.9019e6, 39318.0384e6, 39406.0384e6):
        assert four == pytest.approx(measured, rel=0.013)
    assert round_robin_bps(4, link) == pytest.approx(31615.4616e6, rel=0.003)
    assert lag(links=4, link_rate=link, flows=1, placement="turns")["throughput_bps"] == round_robin_bps(4, link)
    assert lag(links=4, link_rate=link, flows=2, flow_rate=5e9, placement="turns")["high_bps"] == 10e9


def test_arrays():
    together = lag(links=np.array([[2], [4]]), link_rate=1e9, flows=np.array([2, 4, 8]))
    assert together["throughput_bps"].shape == (2, 3)
    assert together["throughput_bps"][1, 2] == lag(links=4, link_rate=1e9, flows=8)["throughput_bps"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"links": 0}, "links: found 0, expected a whole number >= 1"),
        ({"links": 1000}, "links: found 1000, expected 256 or fewer"),
        ({"flows": 2.5}, "flows: found 2.5, expected a whole number >= 1"),
        ({"flow_rate": 0}, "flow_rate: found 0, expected a number > 0"),
        ({"placement": "rr"}, "placement: found 'rr', expected one of 'hash', 'placed', 'turns'"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        lag(**{"links": 2, "link_rate": 1e9, "flows": 2} | option)
    assert str(caught.value) == message
