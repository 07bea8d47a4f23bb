"""dsync and dcp."""

from hecn_analysis.logs import read


def test_the_summary_is_the_run_and_progress_its_intervals(samples, column):
    reading = read(samples / "dsync" / "copy.txt")
    assert column(reading, "bytes") == [26843545600]
    assert column(reading, "duration_s") == [20.004]
    assert column(reading, "throughput_bps") == [8 * 26843545600 / 20.004]
    assert column(reading, "tool") == ["dsync"]
    assert reading.intervals[["line", "t_start_s", "t_end_s", "throughput_bps"]].to_numpy().tolist() == [
        [6, 0, 10, 8 * 1.25 * 2**30],
        [7, 10, 20, 8 * 1.25 * 2**30],
    ]
    assert reading.problems.empty


def test_a_progress_rate_is_not_a_run(samples, column, problem_lines):
    reading = read(samples / "dsync" / "batches.txt")
    assert column(reading, "bytes") == [10737418240, None]
    assert column(reading, "throughput_bps") == [8 * 10737418240 / 20, None]
    assert column(reading, "error") == [False, True]
    assert problem_lines(reading) == [
        (
            "batches.txt:8: aborted: found 'Failed to write file /archive/b errno=28 (No space left on device)', "
            "expected a copy without an error"
        )
    ]


def test_the_command_line_identifies_dcp(reading_of, column):
    reading = reading_of(
        "$ dcp --verbose /a /b\n[2026-01-31T12:00:31] Completed: Jan-31-2026,12:00:31\n"
        "[2026-01-31T12:00:31] Rate: 512.000 MB/s (1073741824 bytes in 2.000 seconds)\n"
    )
    assert column(reading, "tool") == ["dcp"]
    assert column(reading, "throughput_bps") == [4 * 2**30]


def test_progress_without_a_summary(reading_of, problem_lines, column):
    reading = reading_of("[2026-01-31T12:01:00] Copied 1.000 GiB in 10.000 secs (102.400 MiB/s) ...\n")
    assert column(reading, "throughput_bps") == [None]
    assert problem_lines(reading) == [
        (
            "a.log:1: truncated: found progress and no summary, expected 'Rate: … (… bytes in … seconds)'; "
            "run without figures"
        )
    ]


def test_a_truncated_rate(reading_of, problem_lines):
    assert problem_lines(reading_of("[2026-01-31T12:01:00] Rate: 1.000 GiB/s (1073741824 byt")) == [
        (
            "a.log:1: truncated: found '[2026-01-31T12:01:00] Rate: 1.000 GiB/s (1073741824 byt', "
            "expected 'Rate: … (… bytes in … seconds)'; no run made of it"
        )
    ]
