"""iostat of BSD, macOS, illumos and AIX: figures of disks in SI units, and damage."""

import pytest

from hecn_analysis.counters import read_counters

MIB = 8 * 2**20


def disks_of(samples, name):
    [source] = read_counters(samples / "iostat-unix" / name).sources
    return source["format"], {disk["name"]: disk for disk in source["devices"]}


def test_disks_side_by_side(samples):
    form, disks = disks_of(samples, "macos.txt")
    assert (form, list(disks)) == ("iostat-bsd", ["disk0", "disk4"])
    assert disks["disk0"]["total_bps"] == pytest.approx(109.38 * MIB)
    assert disks["disk4"]["max_total_bps"] == 150 * MIB
    assert (disks["disk4"]["transfers_per_s"], disks["disk4"]["n"]) == (64, 3)


@pytest.mark.parametrize(
    ("name", "form", "disk", "expected"),
    [
        ("illumos.txt", "iostat-illumos", "c3t0d0", {"write_bps": 122.5 * MIB, "writes_per_s": 980, "await_s": 9.2e-3}),
        ("freebsd.txt", "iostat-bsd", "nvd0", {"read_bps": 187.5 * MIB, "util_fraction": 0.88, "r_await_s": 1e-3}),
        ("aix.txt", "iostat-aix", "hdisk4", {"total_bps": 80 * MIB, "util_fraction": 0.91, "transfers_per_s": 640}),
    ],
)
def test_a_row_for_each_disk(samples, name, form, disk, expected):
    found, disks = disks_of(samples, name)
    assert found == form
    assert {key: disks[disk][key] for key in expected} == pytest.approx(expected)


def test_figures_without_the_names_of_their_disks_are_named(counters_of):
    counters = counters_of("    KB/t  tps  MB/s  us sy id\n  300.00  400 117.19  20 10 70\n")
    assert counters.sources[0]["devices"] == []
    assert "expected the name of each disk above" in counters.problems.message[0]


def test_prose_below_a_table_is_no_disk(counters_of):
    text = "Disks:         % tm_act     Kbps      tps\nhdisk0            2.0      40.0       5.0\n\nIs 40 bad?\n"
    assert [disk["name"] for disk in counters_of(text).sources[0]["devices"]] == ["hdisk0"]
