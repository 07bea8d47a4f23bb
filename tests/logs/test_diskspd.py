"""DiskSpd: values, units, damage."""

import pytest

from hecn_analysis.logs import read

MIB = 8 * 2**20


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_reads_and_writes_are_runs_of_their_own(samples):
    reading = read(samples / "diskspd" / "mixed.txt")
    assert reading.problems.empty
    assert rows(reading, "direction", "streams", "bytes", "duration_s", "throughput_bps") == [
        ["read", 2, 23592960000, 30.01, pytest.approx(749.75 * MIB)],
        ["write", 2, 7864320000, 30.01, pytest.approx(249.92 * MIB)],
    ]


def test_a_total_alone_has_no_direction(samples):
    assert rows(read(samples / "diskspd" / "total.txt"), "direction", "bytes", "throughput_bps") == [
        [None, 9437184000, 30.0 * MIB]
    ]


def test_a_test_that_only_reads_is_one_run(samples, reading_of):
    text = (samples / "diskspd" / "mixed.txt").read_text()
    total = "total:        7864320000 |         7500 |     249.92"
    assert total in text
    reading = reading_of(text.replace(total, "total:                 0 |            0 |       0.00"))
    assert rows(reading, "direction") == [["read"]]


def test_a_damaged_total(samples, reading_of):
    text = (samples / "diskspd" / "mixed.txt").read_text()
    reading = reading_of(text.replace("749.75 |     749.75", "7A9.75 |     749.75"))
    assert rows(reading, "direction") == [["write"]]
    assert reading.problems.kind.tolist() == ["malformed"]
