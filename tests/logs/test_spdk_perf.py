"""SPDK's perf: values, units, damage."""

import pytest

from hecn_analysis.logs import read

MIB = 8 * 2**20


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_the_total_of_a_table_is_the_run(samples):
    reading = read(samples / "spdk-perf" / "tables.txt")
    assert reading.problems.empty
    assert rows(reading, "protocol", "direction", "throughput_bps") == [
        ["file", "random_read", pytest.approx(3955.13 * MIB)],
        ["tcp", "write", 1120.0 * MIB],
    ]


def test_the_command_of_another_table_tells_no_direction(samples, reading_of):
    text = (samples / "spdk-perf" / "tables.txt").read_text()
    reading = reading_of(text.replace("# ./build/examples/perf", "then"))
    assert rows(reading, "direction") == [["random_read"], [None]]


def test_a_damaged_and_a_missing_total(samples, reading_of):
    text = (samples / "spdk-perf" / "tables.txt").read_text()
    reading = reading_of(text.replace("3955.13", "39S5.13"))
    assert (len(reading.runs), reading.problems.kind.tolist()) == (1, ["malformed", "truncated"])
