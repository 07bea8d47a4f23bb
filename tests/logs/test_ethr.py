"""Ethr's bandwidth over TCP and UDP."""

import pytest

from hecn_analysis.logs import read

ROW = "[   16]     TCP      00{}-00{} sec     4.9{}G\n"


def values(reading, *names):
    frame = reading.runs[list(names)].astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def test_connections_and_their_sum(samples):
    reading = read(samples / "ethr" / "two-connections.txt")
    assert values(reading, "tool_version", "protocol", "streams", "duration_s", "throughput_bps", "error") == [
        ["1.0.0", "tcp", 2, 2.0, None, False]
    ]
    assert reading.intervals.throughput_bps.tolist() == pytest.approx([4.71e9, 4.69e9, 9.4e9, 4.71e9, 0.95e9, 5.66e9])
    assert reading.intervals.stream.fillna(-1).tolist() == [0, 1, -1, 0, 1, -1]
    assert reading.intervals.t_end_s.tolist() == [1, 1, 1, 2, 2, 2]
    assert reading.problems.empty


def test_datagrams_and_an_interrupt(samples, problem_lines):
    reading = read(samples / "ethr" / "datagrams.txt")
    assert values(reading, "protocol", "streams", "error") == [["udp", 1, True]]
    assert reading.intervals.throughput_bps.tolist() == pytest.approx([812e6, 1.02e9])
    assert reading.intervals.stream.isna().all()
    assert problem_lines(reading) == [
        "datagrams.txt:7: aborted: found 'Ethr done, received interrupt signal.', expected a result"
    ]


def test_consecutive_runs(reading_of):
    text = "".join(ROW.format(second, second + 1, second) for second in (0, 1, 2))
    reading = reading_of(text + text)
    assert reading.intervals.run.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(("words", "seconds"), [("10s", 10.0), ("1m40s", 100.0), ("1h0m0.5s", 3600.5)])
def test_durations(reading_of, words, seconds):
    assert reading_of(f"{ROW.format(0, 1, 1)}Ethr done, duration: {words}.\n").runs.duration_s.tolist() == [seconds]


def test_a_run_that_never_began(reading_of, problem_lines):
    beginning = "Using destination: there, ip: 192.0.2.7, port: 8888\n"
    assert problem_lines(reading_of(beginning)) == [
        "a.log:1: truncated: found the beginning of a run of Ethr and no bandwidth; no run made"
    ]
    reading = reading_of(f"{beginning}Error dialing control connection: refused\n")
    assert reading.runs.error.tolist() == [True]
