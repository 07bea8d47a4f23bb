"""Jobs of robocopy."""

from hecn_analysis.logs import read


def test_jobs_with_their_rates(samples, column):
    reading = read(samples / "robocopy" / "jobs.txt")
    assert column(reading, "tool") == ["robocopy", "robocopy"]
    assert column(reading, "throughput_bps") == [8 * 846141, 8 * 11261345]
    assert column(reading, "duration_s") == [2411, 5721]
    assert column(reading, "bytes") == [round(1.9 * 2**30), 60 * 2**30]
    assert reading.problems.empty


def test_a_job_that_failed_and_one_that_is_cut(reading_of, column, problem_lines):
    head = "   ROBOCOPY     ::     Robust File Copy for Windows\n"
    total = "   Files :      9      8      0      0      1      0\n   Bytes :   9.00 g   8.00 g   0   0   0   0\n"
    reading = reading_of(head + total + head)
    assert column(reading, "error") == [True]
    assert problem_lines(reading) == [
        "a.log:4: truncated: found a job without its totals, expected 'Bytes : …'; no run made of it"
    ]


def test_a_job_whose_threads_are_added_up_takes_the_time_from_start_to_end(samples, column):
    reading = read(samples / "robocopy" / "german.txt")
    assert column(reading, "duration_s") == [400]
    assert column(reading, "bytes") == [24 * 2**30]
    assert column(reading, "throughput_bps") == [None]
    assert reading.problems.empty


def test_a_job_with_threads_over_midnight_is_named(reading_of, column, problem_lines):
    reading = reading_of(
        "   ROBOCOPY     ::     Robust File Copy for Windows\n"
        "  Started : Monday, March 3, 2025 11:50:00 PM\n  Options : *.* /E /MT:8 /R:1\n"
        "   Files :      9      9      0      0      0      0\n   Bytes :   8.000 g   8.000 g   0   0   0   0\n"
        "   Times :   0:50:00   0:40:00                       0:00:00   0:10:00\n"
        "   Speed :             3579139 Bytes/sec.\n   Ended : Tuesday, March 4, 2025 12:01:00 AM\n"
    )
    assert column(reading, "bytes") == [8 << 30]
    assert reading.runs[["throughput_bps", "duration_s"]].isna().all(axis=None)
    assert problem_lines(reading) == [
        (
            "a.log:8: ambiguous: found a job with /MT, expected its start and end on one day, "
            "as its times are sums over threads; time and speed left out"
        )
    ]


def test_a_french_summary_alone(samples, column):
    reading = read(samples / "robocopy" / "french.txt")
    assert column(reading, "throughput_bps") == [8 * 53687091]
    assert column(reading, "bytes") == [round(5.5 * 2**30)]
    assert column(reading, "duration_s") == [110]
    assert column(reading, "error") == [True]


def test_a_speed_per_minute_alone(samples, column):
    reading = read(samples / "robocopy" / "per-minute.txt")
    assert column(reading, "throughput_bps") == [8 * 3072 * 2**20 / 60]
    assert reading.problems.empty
