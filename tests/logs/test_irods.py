"""iput and iget."""

import pytest

from hecn_analysis.logs import read

MEGABYTE = 1_048_600


@pytest.fixture
def reading(samples):
    return read(samples / "irods" / "files.txt")


def test_a_megabyte_is_1048600_bytes(reading, column):
    assert column(reading, "bytes") == [100 * MEGABYTE, 10737418628, None, None]
    assert column(reading, "throughput_bps") == pytest.approx([8 * 80 * MEGABYTE, 8 * 120.468 * MEGABYTE, None, None])
    assert column(reading, "duration_s") == [1.25, 85.0, None, None]
    assert abs(10737418628 - 10 * 2**30) <= 0.0005 * MEGABYTE


def test_directions_streams_and_names(reading, column):
    assert column(reading, "direction") == ["send", "receive", "send", "send"]
    assert column(reading, "streams") == [4, None, None, None]
    assert column(reading, "label") == ["run.dat", "run.dat", None, None]
    assert column(reading, "tool") == ["irods"] * 4


def test_progress_is_intervals(reading):
    assert reading.intervals[["run", "line", "t_start_s", "t_end_s", "bytes"]].to_numpy().tolist() == [
        [1, 6, 0, 4, 500 * MEGABYTE],
        [1, 7, 4, 9, 500 * MEGABYTE],
        [3, 13, 0, 2, 50 * MEGABYTE],
    ]
    assert reading.intervals.throughput_bps.tolist() == [1000 * MEGABYTE, 800 * MEGABYTE, 200 * MEGABYTE]


def test_failures_and_an_interrupted_copy(reading, problem_lines, column):
    assert column(reading, "error") == [False, False, True, False]
    assert problem_lines(reading) == [
        (
            "files.txt:10: aborted: found 'put error for /zone/home/user/none.dat, status = -510002 "
            "status = -510002 UNIX_FILE_OPEN_ERR', expected a file copied to its end"
        ),
        (
            "files.txt:13: truncated: found progress and no end of the file, expected '… MB | … sec | … thr | … MB/s'; "
            "run without a rate"
        ),
    ]


def test_a_truncated_line(reading_of, problem_lines):
    reading = reading_of("   run.dat                       100.000 MB | 1.250 sec | 4 t")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:1: truncated: found 'run.dat                       100.000 MB | 1.250 sec | 4 t', "
            "expected '… MB | … sec | … thr | … MB/s'; no run made of it"
        )
    ]


def test_small_files_are_rounded_coarsely(reading_of):
    reading = reading_of("   file.764                        0.049 MB | 1.183 sec | 0 thr |  0.041 MB/s\n")
    assert reading.runs.bytes.tolist() == [51381]
    assert reading.problems.empty
