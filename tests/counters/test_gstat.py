"""gstat: figures of disks in SI units, columns of deletes and sizes, and damage."""

import pytest

from hecn_analysis.counters import read_counters

KIB = 8192.0


def disks_of(samples, name):
    counters = read_counters(samples / "gstat" / name)
    assert counters.problems.empty
    return {disk["name"]: disk for disk in counters.sources[0]["devices"]}


def test_the_last_report_with_the_largest_rates(samples):
    disks = disks_of(samples, "screen.txt")
    assert list(disks) == ["ada0", "da3", "da4"]
    expected = {"queue": 8, "writes_per_s": 1312, "write_bps": 167936 * KIB, "write_await_s": 5.9e-3, "reads_per_s": 8}
    assert {key: disks["da3"][key] for key in expected} == pytest.approx(expected)
    assert (disks["da3"]["util_fraction"], disks["da3"]["n"]) == (pytest.approx(0.918), 2)
    assert (disks["da4"]["max_write_bps"], disks["ada0"]["max_read_bps"]) == (192256 * KIB, 12 * KIB)


def test_columns_follow_their_direction(samples):
    [disk] = disks_of(samples, "deletes.txt").values()
    rates = [disk[f"{way}_bps"] / KIB for way in ("read", "write", "delete")]
    assert rates == [256000, 9600, 51200]
    assert (disk["other_await_s"], disk["util_fraction"]) == (0, pytest.approx(0.785))


def test_a_damaged_row_is_named_and_words_end_the_table(counters_of):
    head = " L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name\n"
    row = "    0      3      1     12    0.4      2     48    0.3    0.1| ada0\n"
    counters = counters_of(head + row.replace("48", "4k8") + row + "So 7 disks of 12 are busy, as you see\n" + row)
    assert [disk["n"] for disk in counters.sources[0]["devices"]] == [1]
    assert [(each.line, each.kind) for each in counters.problems.itertuples()] == [(2, "malformed")]
