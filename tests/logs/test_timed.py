"""Copies that ``time`` measures."""

import pytest

from hecn_analysis.logs import read


def test_copies_with_and_without_a_size(samples, column):
    reading = read(samples / "timed" / "copies.txt")
    assert column(reading, "tool") == ["timed-copy"] * 3
    assert column(reading, "circumstances") == ["cp", "tar", "rsync"]
    assert column(reading, "bytes") == [21474836480, 12 * 2**30, 12 * 2**30]
    assert column(reading, "duration_s") == pytest.approx([182.114, 411.2, 1300.1])
    assert column(reading, "throughput_bps")[0] == pytest.approx(8 * 21474836480 / 182.114)
    assert reading.problems.empty


def test_zsh_and_bsd(samples, column):
    reading = read(samples / "timed" / "other-shells.txt")
    assert column(reading, "duration_s") == pytest.approx([41.204, 96.11])
    assert column(reading, "bytes") == [4294967296, 8388608 * 1024]


def test_a_copy_of_unknown_size_has_no_rate(reading_of, column):
    reading = reading_of("$ time cp a /mnt/b/\n\nreal\t1m0.000s\nuser\t0m0.1s\nsys\t0m2,5s\n")
    assert column(reading, "bytes") == [None]
    assert column(reading, "throughput_bps") == [None]
    assert column(reading, "duration_s") == [60.0]


def test_times_of_other_commands_are_no_copies(reading_of):
    assert reading_of("$ time make all\n\nreal\t1m0.000s\nuser\t0m0.1s\nsys\t0m2.5s\n").runs.empty
    assert reading_of("real\t1m0.000s\nuser\t0m0.1s\nsys\t0m2.5s\n").runs.empty


def test_a_tool_with_a_result_of_its_own_has_one_run(reading_of, column):
    reading = reading_of(
        "$ time rsync -av a/ b:/a/\nsending incremental file list\n\n"
        "sent 1,000,000 bytes  received 35 bytes  100,003.50 bytes/sec\ntotal size is 999,000  speedup is 1.00\n\n"
        "real\t0m9.9s\nuser\t0m0.1s\nsys\t0m0.2s\n"
    )
    assert column(reading, "tool") == ["rsync"]
