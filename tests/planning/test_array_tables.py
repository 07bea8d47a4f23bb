"""Disks and arrays in numbers: what transfers took of them, levels, small writes, and drives for a rate."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware.catalogue import parts
from hecn_analysis.planning.studies import array_tables


@pytest.fixture(scope="module")
def use():
    return array_tables.array_use(["c-dd", "b-disk-to-disk"]).set_index(["case", "operation"])


def test_dd_takes_all_that_28_data_disks_of_four_sets_give(use):
    writing = use.loc["c-dd-write", "write"]
    assert (writing["disks"], writing["data_disks"], writing["controllers"]) == (32, 28, 4)
    assert writing["arrays"] == "RAID 50 of 4 × 8"
    assert writing["disk_measured_bps"] == pytest.approx(68719476736 * 8 / 26.8676 / 28)
    assert writing["share_fraction"] == pytest.approx(1.0, abs=0.01)
    assert (writing["source_file"], writing["line_first"]) == ("logs/c-systems-dd.txt", 7)


def test_copies_fit_the_disks_that_dd_measured(use):
    two = use.loc["b-2copies", "write"]
    assert (two["disks"], two["data_disks"], two["arrays"]) == (16, 14, "RAID 5 of 8")
    assert two["share_fraction"] == pytest.approx(0.99, abs=0.01)


def test_dd_has_one_end_and_a_copy_two(use):
    assert use.index.to_list()[:4] == [
        ("c-dd-read", "read"),
        ("c-dd-write", "write"),
        ("b-2copies", "read"),
        ("b-2copies", "write"),
    ]


def test_memory_to_memory_uses_no_array():
    assert array_tables.array_use(["c-memory"]).empty


def test_levels_cost_their_parity_and_mirrors_half():
    disk = parts("disks")["wd5001aals"]
    rates = array_tables.level_rates(disk, 32).set_index(["level", "disks"])["write_bps"] / disk.write_rate.value
    expected = {0: 32, 5: 31, 50: 28, 6: 30, 60: 24, 10: 16}
    assert {level: rates[level, 32] for level in expected} == pytest.approx(expected)
    assert (50, 8) not in rates.index


def test_write_of_one_chunk_reads_first_and_whole_stripes_do_not():
    disk = parts("disks")["wd5001aals"]
    found = array_tables.partial_writes(disk, 8, 65536, [65536, 7 * 65536], [5])
    assert found["raid5_fraction"].tolist() == pytest.approx([8 / 7 / 4, 1.0])


def test_drives_are_counted_for_the_harder_of_both_rates_and_priced_together():
    found = array_tables.drives_for(8e9, 8e9, ["ocz-vertex3-120", "ocz-vertex2-ex-50"])
    assert found[["name", "drives"]].to_dict("list") == {
        "name": ["ocz-vertex2-ex-50", "ocz-vertex3-120"],
        "drives": [4, 3],
    }
    assert found["usd"].tolist() == pytest.approx([4 * 837, 3 * 105])


def test_unknown_drive_gets_the_nearest_name():
    with pytest.raises(
        InputError, match=r"found disk 'ocz-vertex3-12', expected a disk .*; did you mean 'ocz-vertex3-120'"
    ):
        array_tables.drives_for(1e9, 1e9, ["ocz-vertex3-12"])
