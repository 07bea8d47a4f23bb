"""Transfer logs of GridFTP servers."""

import pandas as pd
import pytest

from hecn_analysis.logs import read


@pytest.fixture
def reading(samples):
    return read(samples / "gridftp-server" / "transfers.txt")


def test_the_rate_is_bytes_over_the_difference_of_the_times(reading, column):
    assert column(reading, "duration_s") == [10.0, 2.0, 0.0]
    assert column(reading, "bytes") == [10737418240, 1000000, 512]
    assert column(reading, "throughput_bps") == [8 * 1073741824, 4e6, None]
    assert reading.runs.start_time[0] == pd.Timestamp("2026-01-31T12:00:00.25Z")


def test_directions_streams_and_retransmissions(reading, column):
    assert column(reading, "direction") == ["send", "receive", None]
    assert column(reading, "streams") == [4, 1, 1]
    assert column(reading, "retransmits") == [4, None, None]
    assert column(reading, "tool") == ["gridftp-server"] * 3
    assert column(reading, "protocol") == ["tcp"] * 3


def test_failures_and_damage_are_problems(reading, problem_lines, column):
    assert column(reading, "error") == [False, True, False]
    problems = problem_lines(reading)
    assert problems[0] == ("transfers.txt:2: aborted: found CODE=426, expected 2xx for a transfer that was finished")
    assert problems[1].startswith("transfers.txt:4: malformed: found 'DATE=20260131120032.500000 HOST=there.example")
    assert problems[1].endswith("expected 'DATE=… START=… NBYTES=… STREAMS=… TYPE=… CODE=…'; no run made of it")
    assert len(problems) == 2


@pytest.mark.parametrize(("start", "kind"), [("20261331120000.0", "malformed"), ("20260131120099.0", "malformed")])
def test_an_invalid_time(reading_of, start, kind):
    reading = reading_of(
        f"DATE=20260131120010.0 HOST=h PROG=p NL.EVNT=FTP_INFO START={start} USER=u FILE=/f BUFFER=0 BLOCK=1 NBYTES=1 "
        "VOLUME=/ STREAMS=1 STRIPES=1 DEST=[192.0.2.1] TYPE=RETR CODE=226\n"
    )
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == [kind]


def test_an_end_before_the_start_is_not_a_run(reading_of):
    reading = reading_of(
        "DATE=20260131120010.0 HOST=h PROG=p NL.EVNT=FTP_INFO START=20260131120011.0 USER=u FILE=/f BUFFER=0 BLOCK=1 "
        "NBYTES=1 VOLUME=/ STREAMS=1 STRIPES=1 DEST=[192.0.2.1] TYPE=RETR CODE=226\n"
    )
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["malformed"]


def test_microseconds_without_leading_zeros(reading_of, column):
    reading = reading_of(
        "DATE=20070215110703.2102 HOST=h PROG=wuftpd NL.EVNT=FTP_INFO START=20070215110702.763298 USER=u FILE=//tmp/x "
        "BUFFER=0 BLOCK=262144 NBYTES=55 VOLUME=/ STREAMS=1 STRIPES=1 DEST=1[192.0.2.1] TYPE=RETR CODE=226\n"
    )
    assert column(reading, "duration_s") == pytest.approx([0.238804])


def test_source_code_is_not_read(reading_of):
    assert reading_of('    "NL.EVNT=FTP_INFO "\n').problems.kind.tolist() == ["unrecognised"]
