"""The meter of scp, sftp, HPN-SSH and PuTTY."""

import pytest

from hecn_analysis.logs import read

MEBIBYTE = 8 * 2**20


def test_every_file_is_a_run(samples, column, problem_lines):
    reading = read(samples / "scp" / "copies.txt")
    assert column(reading, "label") == [
        "run.dat",
        "small.dat",
        "run.dat",
        None,
        "a file with 50% in its name",
        "huge.dat",
    ]
    assert column(reading, "bytes") == [29 * 2**20, 3456, 14 * 2**20, None, 2**40, 14 * 2**20]
    assert column(reading, "throughput_bps") == pytest.approx(
        [11.7 * MEBIBYTE, 13.3 * MEBIBYTE, None, None, 110.5 * MEBIBYTE, None]
    )
    assert column(reading, "duration_s") == [2, None, None, None, 9489, None]
    assert column(reading, "direction") == ["send", "send", "receive", "receive", "receive", "receive"]
    assert column(reading, "error") == [False, False, True, True, False, False]
    assert set(reading.runs.tool) == {"scp"}
    assert problem_lines(reading) == [
        ("copies.txt:6: aborted: found 'client_loop: send disconnect: Broken pipe', expected a file copied to its end"),
        (
            "copies.txt:9: aborted: found 'remote open \"none\": No such file or directory', "
            "expected a file copied to its end"
        ),
        ("copies.txt:12: truncated: found a meter that stops before its end, expected 100 %; run without a rate"),
    ]


def test_sftp_names_the_direction(samples, column):
    reading = read(samples / "scp" / "sftp.txt")
    assert column(reading, "tool") == ["sftp", "sftp", "scp"]
    assert column(reading, "direction") == ["receive", "send", "receive"]
    assert column(reading, "bytes") == [29 * 2**20, 9999, 10240]
    assert column(reading, "throughput_bps") == pytest.approx([94.7 * MEBIBYTE, 8 * 10.7 * 1024, 8 * 10240])


def test_hpn_prints_the_average_first(samples, column):
    reading = read(samples / "scp" / "hpn.txt")
    assert column(reading, "tool") == ["hpn-scp"]
    assert column(reading, "throughput_bps") == pytest.approx([107.3 * MEBIBYTE])
    assert column(reading, "duration_s") == [9]


def test_putty(samples, column):
    reading = read(samples / "scp" / "putty.txt")
    assert column(reading, "tool") == ["scp"]
    assert column(reading, "bytes") == [29296 * 1024]
    assert column(reading, "throughput_bps") == pytest.approx([8 * 14648.4 * 1024])


@pytest.mark.parametrize(
    ("command", "direction"),
    [
        ("scp -r store user@there:x", "send"),
        ("scp -P 22 there:x y .", "receive"),
        ("scp a:x b:y", None),
        ("scp x y", None),
    ],
)
def test_the_colon_in_the_command_gives_the_direction(reading_of, column, command, direction):
    reading = reading_of(f"$ {command}\nx          100%   10KB  10.0KB/s   00:01    \n")
    assert column(reading, "direction") == [direction]


@pytest.mark.parametrize("text", ["lost connection\n", "Connection closed.\n", "Killed by signal 9.\n"])
def test_similar_words_are_not_a_run(reading_of, text):
    assert reading_of(text).runs.empty


def test_lines_in_source_code_are_not_read(reading_of):
    line = '    "/upload/cat                                   100%   23    34.4KB/s   00:00",\n'
    assert reading_of(line).runs.empty


@pytest.mark.parametrize("mark", ["", "   ", "> ", ">    "])
def test_a_lost_connection_below_indented_lines_is_a_failure(reading_of, column, mark):
    reading = reading_of(
        f"{mark}test                                        0%    0     0.0KB/s   --:-- ETA\n"
        f"{mark}client_loop: send disconnect: Broken pipe\n{mark}lost connection\n"
    )
    assert column(reading, "error") == [True]
    assert reading.problems.kind.tolist() == ["aborted"]
