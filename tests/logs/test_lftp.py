"""lftp's totals and its log."""

import pytest

from hecn_analysis.logs import read


def test_totals(samples, column, problem_lines):
    reading = read(samples / "lftp" / "commands.txt")
    assert column(reading, "bytes") == [30000000, 3456, 30003456, 4096]
    assert column(reading, "duration_s") == [2, None, 31, None]
    assert column(reading, "throughput_bps") == pytest.approx([8 * 14.12 * 2**20, None, 8 * 945.2 * 1024, None])
    assert column(reading, "error") == [False, False, True, True]
    assert problem_lines(reading) == [
        (
            "commands.txt:11: aborted: found 'Access failed: 550 Failed to open file. (none)', "
            "expected files transferred to their end"
        ),
        ("commands.txt:14: aborted: found 'Transfer of 1 of 3 files failed', expected files transferred to their end"),
    ]


def test_the_log_gives_the_transferred_part_of_the_file(samples, column):
    reading = read(samples / "lftp" / "transfer-log.txt")
    assert column(reading, "bytes") == [30000000, 20000000, 512]
    assert column(reading, "throughput_bps") == pytest.approx([8 * 14.12 * 2**20, 8 * 945.2 * 1024, 8 * 512])
    assert reading.problems.empty


def test_bytes_without_a_rate_need_a_command_line_of_lftp(reading_of):
    assert reading_of("3456 bytes transferred\n").runs.empty


def test_a_rate_that_contradicts_bytes_and_seconds(reading_of, problem_lines):
    assert problem_lines(reading_of("30000000 bytes transferred in 20 seconds (14.12 MiB/s)\n")) == [
        (
            "a.log:1: inconsistent: found a rate of 1.18447e+08 bit/s, expected 1.2e+07 bit/s from 30000000 bytes "
            "in 20 s; left out"
        )
    ]
