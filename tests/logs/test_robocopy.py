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
