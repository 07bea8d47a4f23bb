"""Rotating disks against worked values and the mean of their parts."""

import numpy as np
import pytest

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.storage import access_s, disk, interleaved_bps, random_bps, whole_disk_bps, zone_bps

MB = 8e6  # [bit]


def test_a_pass_over_a_whole_disk():
    assert whole_disk_bps(64.8 * MB, 31.0 * MB) / MB == pytest.approx(45.8, abs=0.05)
    assert disk(outer_rate=64.8 * MB, inner_rate=31.0 * MB)["throughput_bps"] / MB == pytest.approx(45.8, abs=0.05)


def test_the_mean_is_capacity_over_time():
    middles = (np.arange(100_000) + 0.5) / 100_000
    steps = zone_bps(64.8 * MB, 31.0 * MB, middles)
    assert whole_disk_bps(64.8 * MB, 31.0 * MB) == pytest.approx(1 / np.mean(1 / steps), rel=1e-8)


def test_equal_zones_are_no_special_case():
    assert whole_disk_bps(1e9, 1e9) == 1e9
    for fall in (1e-15, 1e-12, 1e-9, 1e-6):
        assert whole_disk_bps(1e9, 1e9 * (1 - fall)) == pytest.approx(1e9 * (1 - fall / 2), rel=1e-11)
    assert disk(outer_rate=1e9)["throughput_bps"] == 1e9
    assert disk(outer_rate=1e9, position=0.7)["throughput_bps"] == 1e9


def test_a_place_on_the_disk():
    at = [disk(outer_rate=100, inner_rate=50, position=x)["throughput_bps"] for x in (0, 0.5, 1)]
    assert at == [100, 75, 50]


def test_streams_in_turn_cost_a_seek_and_half_a_revolution_each():
    alone, chunk = 100 * MB, 1e6
    expected = 8 * chunk / (8e-3 + 4e-3 + 0.01)
    assert interleaved_bps(alone, chunk, seek=8e-3, revolution=8e-3) == pytest.approx(expected)
    two = disk(outer_rate=alone, streams=np.array([1, 2, 5]), chunk=chunk, seek=8e-3, revolution=8e-3)
    np.testing.assert_allclose(two["throughput_bps"], [alone, expected, expected])
    assert interleaved_bps(alone, chunk, seek=0, revolution=0) == pytest.approx(alone)  # an SSD


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"position": 1.1}, "position: found 1.1, expected 0 to 1"),
        ({"inner_rate": 2e9}, "inner_rate: found 2000000000, expected a rate not above the outer rate"),
        ({"outer_rate": -1}, "outer_rate: found -1, expected a number > 0"),
        ({"streams": 0}, "streams: found 0, expected a whole number >= 1"),
        ({"seek": -1}, "seek: found -1, expected a number >= 0"),
    ],
)
def test_impossible_disks_say_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        disk(**{"outer_rate": 1e9} | option)
    assert str(caught.value) == message


def test_requests_at_random_places_pay_an_access_each():
    """At the size that takes as long as the access, half of the sequential rate; then nearly all of it."""
    access = access_s(8e-3, 8e-3)
    assert access == 12e-3
    half = 100 * MB * access / 8
    assert random_bps(100 * MB, half, access) == pytest.approx(50 * MB)
    sizes = np.array([512, 4096, half, 1e8])
    rates = random_bps(100 * MB, sizes, access)
    assert (np.diff(rates) > 0).all()
    assert rates[-1] == pytest.approx(100 * MB, rel=0.02)
    alone = disk(outer_rate=100 * MB, request=sizes, seek=8e-3, revolution=8e-3)["throughput_bps"]
    np.testing.assert_allclose(alone, rates)


def test_milliseconds_for_seconds_are_told():
    with pytest.warns(
        ValidityWarning, match=r"^seek: found 8\.5, the formula holds for 0\.1 s or less: no disk is so slow"
    ):
        disk(outer_rate=1e9, request=4096, seek=8.5)


def test_zones_that_no_disk_has_are_told():
    with pytest.warns(ValidityWarning, match=r"^inner_rate: found 30, the formula holds for an inner rate of a third"):
        assert zone_bps(100, 30, 1) == 30
