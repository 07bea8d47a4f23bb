"""RAID against worked values, the tables of Chen et al., and counting disk operations by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.storage import (
    partial_write_s,
    raid,
    raid_random_read_bps,
    raid_read_bps,
    raid_write_bps,
    rebuild_s,
)

CHUNK = 65_536


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
        ({"level": 10, "disks": 1}, "disks: found 1, expected 2 or more for RAID 10"),
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


def test_an_unknown_operation_is_refused():
    with pytest.raises(RangeError, match=r"^op: found 'both', expected one of 'read', 'write'$"):
        raid(0, 2, 1e9, op="both")


def _survivors(level, disks, lost, **options):
    return raid(level, disks, 1e9, lost=lost, **options)["throughput_bps"] / 1e9


@pytest.mark.parametrize(
    ("level", "lost", "read", "write"),
    [(1, 1, 1, 1), (10, 1, 4, 4), (5, 1, 7, 7), (6, 1, 6, 6), (6, 2, 6, 6), (50, 1, 6, 6), (60, 2, 4, 4)],
)
def test_whole_stripes_of_rotating_disks_go_on_as_fast_with_a_disk_lost(level, lost, read, write):
    """In units of one disk's rate: the parity that was passed over is now read, and not written."""
    assert _survivors(level, 8, lost, op="read") == pytest.approx(read)
    assert _survivors(level, 8, lost, op="write") == pytest.approx(write)


def test_solid_state_arrays_lose_what_is_lost():
    lost = np.array([0, 1, 2])
    assert raid_read_bps(6, 8, 1.0, lost=lost, solid_state=True).tolist() == [8, 7, 6]


@given(st.sampled_from([5, 6]), st.integers(5, 12), st.integers(0, 2), st.integers(1, 10))
def test_parity_of_every_place_of_the_lost_disks_by_enumeration(level, members, lost, chunks):
    """Each set of lost disks in turn, each way to update the stripe that its survivors allow, the cheapest taken."""
    parity = level - 4
    data = members - parity
    lost, chunks = min(lost, parity), min(chunks, data)
    costs = []
    for gone in itertools.combinations(range(members), lost):  # 0 .. chunks - 1 are written, the last ones are parity
        written = sum(disk not in gone for disk in range(chunks))
        rest = sum(disk not in gone for disk in range(chunks, data))
        alive = sum(disk not in gone for disk in range(data, members))
        reads = [members - lost]
        if written == chunks or not alive:
            reads.append(written + alive if alive else 0)
        if rest == data - chunks:
            reads.append(rest)
        costs.append(min(reads) + written + alive)
    time = partial_write_s(members, parity, chunks * CHUNK, 8.0 * CHUNK, chunk=CHUNK, lost=lost)
    assert time == pytest.approx(np.mean(costs))


def test_small_reads_take_twice_the_work_with_a_disk_of_raid_5_lost():
    """Chen et al., section 3.3: a piece of the lost disk is read from all the others."""
    for disks in (3, 5, 8, 16):
        whole = raid_random_read_bps(5, disks, 1e15, 4096, 10e-3)
        assert whole / 8 / 4096 == pytest.approx(disks / 10e-3)
        assert raid_random_read_bps(5, disks, 1e15, 4096, 10e-3, lost=1) / whole == pytest.approx(0.5)


def test_random_requests_count_operations_and_long_ones_bytes():
    """4 KiB at random: 8 disks read 8, write 2 (four operations each) a disk's access; 64 MiB goes by the bytes."""
    small = {"request": 4096, "access": 10e-3}
    assert raid(5, 8, 1e15, op="read", **small)["throughput_bps"] / 8 / 4096 == pytest.approx(800)
    assert raid(5, 8, 1e15, op="write", **small)["throughput_bps"] / 8 / 4096 == pytest.approx(200)
    assert raid(10, 8, 1e15, op="write", **small)["throughput_bps"] / 8 / 4096 == pytest.approx(400)
    assert raid(1, 2, 1e15, op="write", **small)["throughput_bps"] / 8 / 4096 == pytest.approx(100)
    long = raid(5, 8, 1e9, op="write", request=7 * 2**26, access=10e-3, chunk=2**26)["throughput_bps"]
    assert long == pytest.approx(7e9, rel=0.02)


def test_a_request_across_two_stripes_pays_for_both():
    whole = 7 * CHUNK
    aligned = raid_write_bps(5, 8, 1.0, chunk=CHUNK, request=whole)
    half = np.array([0, whole / 2, whole])
    rates = raid_write_bps(5, 8, 1.0, chunk=CHUNK, request=whole, offset=half)
    assert rates[0] == rates[2] == aligned
    two = 2 * partial_write_s(8, 1, whole / 2, 1.0, chunk=CHUNK)
    assert rates[1] == pytest.approx(8 * 8 * whole / two)


def test_a_chunk_of_raid_0_off_its_boundary_takes_two_accesses():
    at = raid_write_bps(0, 4, 1e15, request=CHUNK, offset=np.array([0, 512]), access=5e-3) / 8 / CHUNK
    assert at.tolist() == pytest.approx([800, 400])


def test_a_rebuild_takes_its_share():
    assert rebuild_s(2e12, 800e6) == pytest.approx(2e12 / 100e6)
    assert rebuild_s(2e12, 800e6, share=0.25) == pytest.approx(4 * 2e12 / 100e6)
    assert raid(5, 8, 1e9, op="read", lost=1, rebuild=0.25)["throughput_bps"] == pytest.approx(0.75 * 7e9)


def test_the_far_layout_reads_one_stream_from_all_disks():
    assert raid(10, 8, 1e9, op="read", far=True)["throughput_bps"] == 8e9


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"level": 0, "lost": 1}, "lost: found 1, expected 0 or fewer: RAID 0 survives no more"),
        ({"level": 5, "lost": 2}, "lost: found 2, expected 1 or fewer: RAID 5 survives no more"),
        ({"level": 1, "lost": 8}, "lost: found 8, expected fewer than the disks: RAID 1 survives no more"),
        ({"level": 10, "lost": 5}, "lost: found 5, expected one of each pair or fewer: RAID 10 survives no more"),
        ({"lost": 0.5}, "lost: found 0.5, expected a whole number >= 0"),
        ({"rebuild": 1}, "rebuild: found 1, expected 0 or more, and less than 1"),
        ({"request": 4096, "access": -1}, "access: found -1, expected a number >= 0"),
    ],
)
def test_impossible_damage_says_what_is_allowed(option, message):
    with pytest.raises(RangeError) as caught:
        raid(**{"level": 5, "disks": 8, "disk_rate": 1e9, "op": "write"} | option)
    assert str(caught.value) == message


def test_a_part_of_a_stripe_is_no_more_than_a_stripe():
    with pytest.raises(RangeError, match=r"^size: found 458753, expected the rest of a stripe or less$"):
        partial_write_s(8, 1, 7 * CHUNK + 1, 1e9)
