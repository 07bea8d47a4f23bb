"""aria2c: values, units, damage."""

import pytest

from hecn_analysis.logs import read

MIB = 8 * 2**20


def rows(reading, *columns):
    found = reading.runs[list(columns)].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_results_of_aria2(samples, problem_lines):
    reading = read(samples / "aria2" / "results.txt")
    assert rows(reading, "direction", "throughput_bps", "error") == [
        ["receive", 112.0 * MIB, False],
        ["receive", None, True],
    ]
    assert problem_lines(reading) == [
        "results.txt:15: aborted: found a download with an error, expected one that is OK"
    ]


def test_a_damaged_result_of_aria2(reading_of):
    reading = reading_of("2089b0|OK  |   1l2MiB/s|/tmp/big.bin\n")
    assert (len(reading.runs), reading.problems.kind.tolist()) == (0, ["malformed"])
