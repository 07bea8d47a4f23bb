"""Disks and RAID against worked values, the table of Chen et al., and counting disk operations by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.errors import RangeError
from hecn_analysis.limits.storage import (
    disk,
    interleaved_bps,
    raid,
    raid_read_bps,
    raid_write_bps,
    whole_disk_bps,
    zone_bps,
)

MB = 8e6  # [bit]
CHUNK = 65_536


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
    ("level", "options", "read", "write"),
    [
        (0, {}, 8, 8),
        (1, {}, 1, 1),
        (10, {}, 4, 4),
        (5, {}, 7, 7),
        (6, {}, 6, 6),
        (50, {}, 6, 6),
        (60, {}, 4, 4),
        (50, {"groups": 1 + 1}, 6, 6),
    ],
)
def test_eight_disks(level, options, read, write):
    """Rates in units of one disk's."""
    assert raid(level, 8, 1e9, op="read", **options)["throughput_bps"] / 1e9 == pytest.approx(read)
    assert raid(level, 8, 1e9, op="write", **options)["throughput_bps"] / 1e9 == pytest.approx(write)


def test_more_groups_have_more_parity():
    assert raid_write_bps(60, 24, 1.0, groups=np.array([2, 3, 4, 6])).tolist() == pytest.approx([20, 18, 16, 12])


def test_mirrors_read_as_many_streams_as_they_have_copies():
    assert raid_read_bps(1, 2, 1.0, streams=np.array([1, 2, 3])).tolist() == [1, 2, 2]
    assert raid_read_bps(10, 8, 1.0, streams=np.array([1, 2, 9])).tolist() == [4, 8, 8]


@pytest.mark.parametrize("disks", [4, 5, 8, 16])
@pytest.mark.parametrize(("level", "parity", "operations"), [(5, 1, 4), (6, 2, 6)])
def test_one_chunk_costs_four_or_six_operations_or_a_stripe(level, parity, operations, disks):
    """Relative to RAID 0: max(1/G, 1/4) and max(1/G, 1/6), and (G - p)/G for a stripe."""
    small = raid_write_bps(level, disks, 1.0, chunk=CHUNK, request=CHUNK) / disks
    assert small == pytest.approx(max(1 / disks, 1 / operations))
    large = raid_write_bps(level, disks, 1.0, chunk=CHUNK, request=(disks - parity) * CHUNK) / disks
    assert large == pytest.approx((disks - parity) / disks)


@pytest.mark.parametrize("chunks", range(1, 9))
def test_the_cheaper_way_to_the_parity_is_taken(chunks):
    """RAID 5 of 9 disks, k chunks: 2 k + 2 operations, or 8 - k reads and k + 1 writes; whole stripes read nothing."""
    rate = raid_write_bps(5, 9, 1.0, chunk=CHUNK, request=chunks * CHUNK) / 9
    assert rate == pytest.approx(chunks / min(2 * chunks + 2, 9))


@given(
    st.sampled_from([5, 6, 50, 60]), st.integers(1, 10**8), st.sampled_from([4096, 65_536, 1 << 20]), st.integers(4, 12)
)
def test_no_request_beats_whole_stripes_and_long_ones_come_near(level, request, chunk, members):
    disks = members * (2 if level >= 50 else 1)
    best = raid_write_bps(level, disks, 1.0, chunk=chunk)
    rate = raid_write_bps(level, disks, 1.0, chunk=chunk, request=request)
    assert 0 < rate <= best * (1 + 1e-12)
    stripes = request // (chunk * members)
    assert rate >= best * stripes / (stripes + 2)


def test_small_requests_are_continuous_at_the_chunk():
    below, at, above = (raid_write_bps(6, 12, 1.0, chunk=CHUNK, request=CHUNK + d) for d in (-1, 0, 1))
    assert below == pytest.approx(at, rel=1e-3)
    assert above == pytest.approx(at, rel=1e-3)


def test_the_controller_caps():
    caps = np.array([1e9, 7e9, np.inf])
    assert raid(5, 8, 1e9, op="read", controller_rate=caps)["throughput_bps"].tolist() == [1e9, 7e9, 7e9]


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"level": 6, "disks": 3}, "disks: found 3, expected 4 or more for RAID 6"),
        ({"level": 5, "disks": 2}, "disks: found 2, expected 3 or more for RAID 5"),
        ({"level": 1, "disks": 1}, "disks: found 1, expected 2 or more for RAID 1"),
        ({"level": 10, "disks": 7}, "disks: found 7, expected an even number for RAID 10"),
        ({"level": 50, "disks": 5}, "disks: found 5, expected 3 or more in each of 2 groups for RAID 50"),
        ({"level": 60, "disks": 9}, "disks: found 9, expected the same number in each group"),
        ({"level": 60, "groups": 1}, "groups: found 1, expected a whole number >= 2"),
        ({"level": 5, "groups": 2}, "groups: found 2, expected 1 for RAID 5; striped groups are RAID 50 or 60"),
        ({"level": 4}, "level: found 4, expected one of 0, 1, 5, 6, 10, 50, 60"),
        ({"disks": 7.5}, "disks: found 7.5, expected a whole number >= 1"),
        ({"disk_rate": 0}, "disk_rate: found 0, expected a number > 0"),
        ({"controller_rate": -1}, "controller_rate: found -1, expected a number > 0"),
    ],
)
def test_impossible_arrays_say_what_is_allowed(option, message, op):
    with pytest.raises(RangeError) as caught:
        raid(**{"level": 5, "disks": 8, "disk_rate": 1e9, "op": op} | option)
    assert str(caught.value) == message


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


def test_an_unknown_operation_is_refused():
    with pytest.raises(RangeError, match=r"^op: found 'both', expected one of 'read', 'write'$"):
        raid(0, 2, 1e9, op="both")
