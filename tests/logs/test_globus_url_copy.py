"""Progress of globus-url-copy."""

import pytest

from hecn_analysis.logs import read

MEBIBYTE = 8 * 2**20


@pytest.fixture
def reading(samples):
    return read(samples / "globus-url-copy" / "verbose.txt")


def test_the_last_report_is_the_run(reading, column):
    assert column(reading, "bytes") == [1610612736, 209715200]
    assert column(reading, "throughput_bps") == pytest.approx([102.4 * MEBIBYTE, 40 * MEBIBYTE])
    assert column(reading, "duration_s") == [None, None]
    assert column(reading, "line_first") == [2, 6]


def test_the_urls_give_the_direction(reading, column, reading_of):
    assert column(reading, "direction") == ["send", "receive"]
    third = reading_of(
        "Source: gsiftp://a.example/x/\nDest:   gsiftp://b.example/y/\n  run\n"
        "   1048576 bytes         1.00 MB/sec avg         1.00 MB/sec inst\n"
    )
    assert column(third, "direction") == [None]


def test_every_report_is_an_interval(reading):
    assert reading.intervals.run.tolist() == [0, 0, 0, 1]
    assert reading.intervals.bytes.tolist() == [541065216, 551550976, 517996544, 209715200]
    assert reading.intervals.throughput_bps.tolist() == pytest.approx(
        [rate * MEBIBYTE for rate in (103.2, 105.2, 98.8, 40.0)]
    )


def test_an_error_ends_the_copy(reading, problem_lines, column):
    assert column(reading, "error") == [False, True]
    assert problem_lines(reading) == [
        (
            "verbose.txt:10: aborted: found 'globus_ftp_client: the server responded with an error', "
            "expected a copy to its end"
        )
    ]


def test_an_error_before_any_report(reading_of, problem_lines, column):
    reading = reading_of(
        "Source: file:///scratch/\nDest:   gsiftp://b.example/y/\n  run\nerror: Unable to list url file:///scratch/run\n"
    )
    assert column(reading, "error") == [True]
    assert column(reading, "throughput_bps") == [None]
    assert problem_lines(reading) == [
        "a.log:4: aborted: found 'Unable to list url file:///scratch/run', expected a copy to its end"
    ]


def test_a_truncated_report(reading_of, problem_lines):
    reading = reading_of("    541065216 bytes       103.20 MB/sec av")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:1: truncated: found '541065216 bytes       103.20 MB/sec av', "
            "expected '… bytes … MB/sec avg … MB/sec inst'; the line is left out"
        )
    ]
