"""ascp's totals, progress and log."""

from hecn_analysis.logs import read


def test_sessions(samples, column, problem_lines):
    reading = read(samples / "ascp" / "copies.txt")
    assert column(reading, "bytes") == [524288 * 1024, 150528 * 1024]
    assert column(reading, "duration_s") == [15, 8]
    assert column(reading, "throughput_bps") == [283391e3, 149806e3]
    assert column(reading, "protocol") == ["udp", "udp"]
    assert column(reading, "error") == [False, True]
    assert reading.runs[["line_first", "line_last"]].to_numpy().tolist() == [[2, 4], [6, 11]]
    assert problem_lines(reading) == [
        (
            "copies.txt:8: aborted: found 'Partial Completion: 150528K bytes transferred in 8 seconds', "
            "expected 'Completed: …'"
        ),
        "copies.txt:11: aborted: found 'Data transfer timeout', expected a session without an error",
    ]


def test_progress_without_a_total(samples, column, problem_lines):
    reading = read(samples / "ascp" / "no-total.txt")
    assert column(reading, "throughput_bps") == [None]
    assert problem_lines(reading) == [
        (
            "no-total.txt:2: truncated: found progress and no total, expected 'Completed: …K bytes transferred in … "
            "seconds'; run without figures"
        )
    ]


def test_the_log_has_a_line_per_file(samples, column):
    reading = read(samples / "ascp" / "fasp-log.txt")
    assert column(reading, "throughput_bps") == [96.36e6, 81.92e6]
    assert column(reading, "duration_s") == [87.05, 2.0]
    assert column(reading, "direction") == ["receive", "send"]
    assert column(reading, "error") == [False, True]


def test_lines_of_files_below_a_total_are_not_runs(samples, reading_of, column):
    log = (samples / "ascp" / "fasp-log.txt").read_text()
    reading = reading_of(
        log + "Completed: 1024000K bytes transferred in 87 seconds\n\n (95875K bits/sec), in 1 file.\n"
    )
    assert column(reading, "throughput_bps") == [95875e3]


def test_nothing_transferred(reading_of, column):
    reading = reading_of("Completed: 0K bytes transferred in 0 seconds\nSession Stop  (Error: no such file)\n")
    assert column(reading, "bytes") == [0]
    assert column(reading, "throughput_bps") == [None]
    assert column(reading, "error") == [True]


def test_a_rate_that_contradicts_bytes_over_seconds_is_a_problem(reading_of, problem_lines):
    reading = reading_of("Completed: 1024000K bytes transferred in 80 seconds\n (11875K bits/sec), in 1 file.\n")
    assert problem_lines(reading) == [
        (
            "a.log:2: inconsistent: found a rate of 1.1875e+07 bit/s, expected 1.04858e+08 bit/s from 1048576000 bytes "
            "in 80 s; left out"
        )
    ]
