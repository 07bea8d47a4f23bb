"""bbcp: totals, files and progress reports."""

import pytest

from hecn_analysis.logs import read

MEBIBYTE = 8 * 2**20


def test_a_command_is_one_run_with_the_bytes_of_its_files(samples, column):
    reading = read(samples / "bbcp" / "verbose.txt")
    assert column(reading, "throughput_bps") == pytest.approx([119.2 * MEBIBYTE, 1.1 * 1024 * MEBIBYTE])
    assert column(reading, "bytes") == [1073741824, 104857600 + 52428800]
    assert column(reading, "streams") == [8, None]
    assert column(reading, "protocol") == ["tcp", "tcp"]
    assert reading.problems.empty


def test_intervals_have_the_rate_since_the_previous_report(samples):
    intervals = read(samples / "bbcp" / "verbose.txt").intervals
    assert intervals[["run", "line", "t_start_s", "t_end_s"]].to_numpy().tolist() == [
        [0, 3, 0, 2],
        [0, 4, 2, 4],
        [0, 5, 4, 6],
    ]
    assert intervals.throughput_bps.tolist() == pytest.approx([rate * MEBIBYTE for rate in (122.9, 128.0, 122.9)])


def test_without_a_total(samples, column, problem_lines):
    reading = read(samples / "bbcp" / "parts.txt")
    assert column(reading, "throughput_bps") == pytest.approx([None, 98.7 * MEBIBYTE, 49.3 * MEBIBYTE, None])
    assert column(reading, "bytes") == [None, 104857600, 52428800, None]
    assert column(reading, "error") == [False, False, False, True]
    assert reading.intervals.t_end_s.tolist() == [2, 4]
    assert reading.intervals.throughput_bps.isna().all()
    assert problem_lines(reading) == [
        (
            "parts.txt:4: truncated: found reports and no total, expected '… copied at effectively …'; "
            "run without a rate"
        ),
        "parts.txt:9: aborted: found 'No such file or directory accessing none', expected a copy to its end",
    ]


def test_without_a_command_line_the_times_are_unknown(reading_of, column):
    reading = reading_of(
        "bbcp: Creating /store/run\n"
        "bbcp: At 260131 23:59:58 copy 24% complete; 125829.1 KB/s\n"
        "bbcp: At 260201 00:00:00 not done; 10.5 GB/s\n"
    )
    assert reading.intervals.line.tolist() == [2, 3]
    assert reading.intervals.t_end_s.isna().all()
    assert column(reading, "streams") == [None]


@pytest.mark.parametrize(("unit", "factor"), [("", 1), ("K", 1024), ("M", 1024**2), ("G", 1024**3)])
def test_units(reading_of, column, unit, factor):
    assert column(reading_of(f"1 file copied at effectively 2.5 {unit}B/s\n"), "throughput_bps") == [20.0 * factor]


def test_bytes_are_missing_if_a_file_has_no_line(reading_of, column):
    reading = reading_of(
        "File /a/1 created; 1000000000 bytes at 1.2 GB/s\nFile /a/2 created; 1000000000 bytes at 1.0 GB/s\n"
        "100 files copied at effectively 950.3 MB/s\n"
    )
    assert column(reading, "bytes") == [None]
    assert column(reading, "throughput_bps") == [950.3 * 8 * 2**20]
