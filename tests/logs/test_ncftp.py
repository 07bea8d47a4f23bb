"""NcFTP: files, powers of 1024, repeated lines, failures."""

import pytest

from hecn_analysis.logs import read

EXPECTED = "expected a file transferred to its end"
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def test_files(samples, column, problem_lines):
    reading = read(samples / "ncftp" / "copies.txt")
    assert column(reading, "tool") == ["ncftp"] * 5
    assert column(reading, "label") == ["run.dat", "small.dat", "run.dat", None, None]
    assert column(reading, "direction") == ["receive", "receive", "send", "receive", "receive"]
    assert column(reading, "throughput_bps") == [176.22 * 8 * MIB, 712.5 * 8 * KIB, 1.25 * 8 * GIB, None, None]
    assert column(reading, "bytes") == [round(28.61 * MIB), 3000, round(28.61 * MIB), None, None]
    assert column(reading, "error") == [False, False, False, True, True]
    assert column(reading, "line_last") == [3, 5, 7, 9, 12]
    assert problem_lines(reading) == [
        f"copies.txt:9: aborted: found '/none.dat: server said: Failed to open file.', {EXPECTED}",
        f"copies.txt:12: aborted: found 'cannot open nowhere.example: unknown host.', {EXPECTED}",
    ]


def test_a_meter_that_stops(samples, column, problem_lines):
    reading = read(samples / "ncftp" / "cut.txt")
    assert column(reading, "throughput_bps") == [None]
    assert problem_lines(reading) == [
        "cut.txt:2: truncated: found a meter that stops before its end; run without a rate"
    ]


def test_the_same_file_fetched_again_is_another_run(reading_of):
    line = "run.dat:                                                28.61 MB  176.22 MB/s  \n"
    assert len(reading_of(line + line + "and again:\n" + line + line).runs) == 2


@pytest.mark.parametrize(
    "text",
    [
        "ncftpget - Internet file transfer program for scripts\n",
        "ncftpget /file: see the manual\n",
        "run.dat: 28.61 MB at 176.22 MB/s\n",
        "disk:  28.61 MB  176.22 MB/s\n",
        "disk:  30000000 bytes  176.22 MB/s\n",
    ],
)
def test_other_lines_are_not_read(reading_of, text):
    assert reading_of(text).problems.kind.tolist() == ["unrecognised"]
