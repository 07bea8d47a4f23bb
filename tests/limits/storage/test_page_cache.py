"""The page cache against adding up its phases step by step."""

import numpy as np
import pytest

from hecn_analysis.base.errors import RangeError, ValidityWarning
from hecn_analysis.limits.storage import buffered_read_bps, buffered_write_bps, journal_bps, pagecache

COPY, DISK, MEMORY = 32e9, 3.2e9, 64e9


def _stepwise(size, step=1e-3):
    """Time to hand over `size` bytes, in steps: free up to the middle of both thresholds, then at the disk's pace."""
    time = written = waiting = 0.0
    while written < size:
        pace = COPY if waiting < 0.15 * MEMORY else DISK
        waiting += (pace - (DISK if waiting > 0.1 * MEMORY else 0)) / 8 * step
        written += pace / 8 * step
        time += step
    return time


@pytest.mark.parametrize("size", [3e9, 9.9e9, 20e9, 60e9])
def test_writes_go_at_the_copy_then_at_the_disk(size):
    assert 8 * size / buffered_write_bps(size, MEMORY, COPY, DISK) == pytest.approx(_stepwise(size), rel=0.02)


def test_with_a_flush_all_of_it_reaches_the_disk():
    rates = buffered_write_bps(np.array([1e9, 1e15]), MEMORY, COPY, DISK, sync=True)
    assert rates[0] == pytest.approx(1 / (1 / COPY + 1 / DISK))
    assert rates[1] == pytest.approx(DISK, rel=1e-3)


def test_no_room_to_wait_is_the_disk_and_a_fast_disk_is_the_copy():
    assert buffered_write_bps(1e9, MEMORY, COPY, DISK, background_ratio=0, dirty_ratio=0) == pytest.approx(DISK)
    for sync in (False, True):
        with pytest.warns(ValidityWarning, match=r"^disk_rate: found 6\.4e\+10, the formula holds for a disk slower"):
            assert buffered_write_bps(1e9, MEMORY, COPY, 2 * COPY, sync=sync) == pytest.approx(COPY)


def test_what_is_in_memory_is_read_at_its_rate():
    cached = np.array([0, 5e9, 10e9, 99e9])
    rates = pagecache(10e9, memory_rate=COPY, disk_rate=DISK, op="read", cached=cached)["throughput_bps"]
    assert rates == pytest.approx([DISK, 2 / (1 / COPY + 1 / DISK), COPY, COPY])
    assert buffered_read_bps(1.0, 0.0, 5.0, 3.0) == 3


def test_a_journal_costs_two_accesses_a_commit_or_half_of_the_rate():
    assert journal_bps(1e9, 0) == 1e9
    assert journal_bps(1e9, 25e-3) == pytest.approx(0.99e9)
    assert journal_bps(1e9, 25e-3, data=True) == pytest.approx(0.495e9)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"size": 0}, "size: found 0, expected a number > 0"),
        ({"available": None}, "available: found nothing, expected the memory that a written file may use"),
        ({"dirty_ratio": 0.05}, "dirty_ratio: found 0.05, expected a part not below background_ratio"),
        ({"dirty_ratio": 1.2}, "dirty_ratio: found 1.2, expected 0 to 1"),
        ({"op": "copy"}, "op: found 'copy', expected one of 'read', 'write'"),
        ({"op": "read", "cached": -1}, "cached: found -1, expected a number >= 0"),
    ],
)
def test_impossible_values_say_what_is_allowed(option, message):
    usual = {"size": 1e10, "memory_rate": COPY, "disk_rate": DISK, "op": "write", "available": MEMORY}
    with pytest.raises(RangeError) as caught:
        pagecache(**usual | option)
    assert str(caught.value) == message
    with pytest.raises(RangeError, match=r"^access: found 3, expected less than half of the time between commits$"):
        journal_bps(1e9, 3)
