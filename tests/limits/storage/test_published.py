"""Storage against measurements that others published, none of which the formulas were fitted to.

`published_raid.csv`: arrays of up to 8 disks, and one disk of the same system measured alone; MB/s, or what `source`
says. Reports of faults ("why is it so slow?") are left out; rows where something else than the disks held the array
back are not, since nobody says so beforehand. `ceiling_mb_s`: the most that 9 to 18 disks of the same system reach,
with any level, where that was measured.

`published_random.csv`: a disk of 10,000 revolutions a minute; its access time is that of its own 4 KiB row, which is
not among the rows.

`published_depth.csv`: 4 KiB requests; answers a second with one in flight, the most there are, and with some in flight.

`published_fill.csv`: solid-state disks written from end to end, with the phases and the mean as the review tells them.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hecn_analysis.limits import raid
from hecn_analysis.limits.storage import filled_bps, outstanding_bps, random_bps

HERE = Path(__file__).parent
MB = 8e6  # [bit]


def _array(row, *, known=True):
    more = {"streams": row.streams, "far": row.layout == "far", "solid_state": row.media == "ssd"} if known else {}
    options = more if row.op == "read" else {}
    return raid(row.level, row.disks, row.disk_mb_s, op=row.op, **options)["throughput_bps"]


@pytest.fixture(scope="module")
def arrays():
    return pd.read_csv(HERE / "published_raid.csv").assign(
        error=lambda rows: rows.apply(_array, axis=1) / rows.measured_mb_s - 1,
        plain=lambda rows: rows.apply(_array, axis=1, known=False) / rows.measured_mb_s - 1,
    )


def test_arrays_of_up_to_eight_disks_from_one_disk(arrays):
    assert len(arrays) == 33
    assert arrays.error.abs().median() < 0.10
    assert arrays.plain.abs().median() < 0.17  # by level, number and rate alone
    assert abs(arrays.error.median()) < 0.05


def test_stripes_and_mirrors_are_close_and_parity_is_held_back_by_more_than_disks(arrays):
    parity = arrays.level.isin([5, 6])
    assert arrays[~parity].error.abs().median() < 0.04
    assert (arrays[parity].error > 0.05).all()  # an upper bound; 5 % to 145 % above these ten


def test_the_ceiling_of_a_system_known_its_parity_is_close(arrays):
    known = arrays[arrays.level.isin([5, 6]) & arrays.ceiling_mb_s.notna()]
    capped = np.minimum(known.measured_mb_s * (1 + known.error), known.ceiling_mb_s) / known.measured_mb_s - 1
    assert len(known) == 8
    assert capped.abs().median() < 0.11
    assert capped.max() < 0.56


def test_random_requests_of_all_sizes_from_the_access_time_of_one():
    rows = pd.read_csv(HERE / "published_random.csv")
    error = random_bps(rows.rate_mb_s * MB, rows.request, rows.access_ms / 1e3) / MB / rows.measured_mb_s - 1
    assert np.median(np.abs(error)) < 0.02
    assert np.abs(error).max() < 0.12


def test_requests_in_flight_are_an_upper_bound_and_close_where_the_disk_is_idle():
    rows = pd.read_csv(HERE / "published_depth.csv")
    flight = outstanding_bps(4096, rows.outstanding, 1 / rows.one_per_s, np.inf) / 8 / 4096
    ratio = np.minimum(flight, rows.most_per_s) / rows.measured_per_s
    assert ratio.min() > 0.98
    assert ratio.median() < 1.25
    assert ratio[rows.device == "Samsung 860 Pro"].max() < 1.04


def test_disks_filled_to_the_end():
    rows = pd.read_csv(HERE / "published_fill.csv")
    mean = filled_bps(
        rows.capacity_gb * 8e9,
        rows.cache_mb_s * MB,
        rows.cache_gb * 8e9,
        rows.rate_mb_s * MB,
        direct=rows.direct_gb.fillna(0) * 8e9,
        direct_rate=rows.direct_mb_s.fillna(rows.rate_mb_s) * MB,
    )
    error = mean / MB / rows.measured_mb_s - 1
    assert np.median(np.abs(error)) < 0.06
    assert np.abs(error).max() < 0.25


def test_the_documents_arrays_of_the_same_disks_agree():
    """Writing 64 GiB to a RAID 50 of 32 disks took 26.8676 s; copies to a RAID 5 of 8 went at 5.09 and 5.05 Gb/s."""
    large = 8 * 68_719_476_736 / 26.8676
    disk = large / (raid(50, 32, 1.0, op="write", groups=4)["throughput_bps"])
    small = raid(5, 8, disk, op="write")["throughput_bps"]
    assert small == pytest.approx(5092.5196e6, rel=0.02)
    assert small == pytest.approx(5045.3832e6, rel=0.02)
