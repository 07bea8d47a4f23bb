"""bbFTP's client."""

import pytest

from hecn_analysis.logs import read


@pytest.fixture
def reading(samples):
    return read(samples / "bbftp" / "verbose.txt")


def test_runs(reading, column):
    assert column(reading, "bytes") == [1073741824, 1073741824, 52428800, None]
    assert column(reading, "duration_s") == [9.13, 8.724, 0.5, None]
    assert column(reading, "throughput_bps") == [8 * 1024 * 1.15e5, 8 * 1024 * 1.2e5, 8 * 52428800 / 0.5, None]
    assert column(reading, "direction") == ["send", "receive", "send", None]
    assert column(reading, "streams") == [5, 10, 4, None]


def test_statistics_below_a_line_belong_to_its_run(reading):
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[6, 6], [10, 11], [12, 12], [13, 13]]


def test_an_error_is_a_run(reading, problem_lines, column):
    assert column(reading, "error") == [False, False, False, True]
    assert problem_lines(reading) == [
        (
            "verbose.txt:13: aborted: found error 00100, 'Disk quota excedeed or No Space left on device', "
            "expected a file copied to its end"
        )
    ]


def test_a_rate_that_contradicts_bytes_and_seconds(reading_of, problem_lines):
    reading = reading_of("1048576 bytes send in 2 secs (1.02e+03 Kbytes/sec or 8 Mbits/s)\n")
    assert problem_lines(reading) == [
        (
            "a.log:1: inconsistent: found a rate of 8.35584e+06 bit/s, expected 4.1943e+06 bit/s from 1048576 bytes "
            "in 2 s; left out"
        )
    ]


def test_a_truncated_line(reading_of, problem_lines):
    assert problem_lines(reading_of("1048576 bytes send in 2.0")) == [
        (
            "a.log:1: truncated: found '1048576 bytes send in 2.0', expected '… bytes send in … secs "
            "(… Kbytes/sec or … Mbits/s)'; no run made of it"
        )
    ]
