"""FDT's client and server."""

from hecn_analysis.logs import read


def test_statistics_printed_twice_are_one_run(samples, column):
    reading = read(samples / "fdt" / "client.txt")
    assert column(reading, "direction") == ["send"]
    assert column(reading, "bytes") == [72000000000]
    assert column(reading, "duration_s") == [62]
    assert column(reading, "throughput_bps") == [8 * 72e9 / 62]
    assert reading.intervals.throughput_bps.tolist() == [9.102e9, 9.418e9, 9.421e9]
    assert reading.intervals.t_end_s.isna().all()
    assert reading.problems.empty


def test_a_short_session_has_the_rate_of_its_last_report(samples, column, problem_lines):
    reading = read(samples / "fdt" / "server.txt")
    assert column(reading, "direction") == ["receive", "receive"]
    assert column(reading, "duration_s") == [7, None]
    assert column(reading, "throughput_bps") == [940.1e6, None]
    assert column(reading, "error") == [True, False]
    assert problem_lines(reading) == [
        "server.txt:9: aborted: found 'Exit Status: Not OK', expected 'OK'",
        ("server.txt:11: truncated: found rates and no statistics, expected '… final stats:'; run without a rate"),
    ]


def test_truncated_statistics(reading_of, problem_lines, column):
    reading = reading_of("FDTReaderSession ( a-b ) final stats:\n Transfer period:   02m 05s\n TotalBytes: 1000000\n")
    assert column(reading, "throughput_bps") == [64000.0]
    assert problem_lines(reading) == [
        "a.log:3: truncated: found statistics without their end, expected 'Exit Status: OK'"
    ]
