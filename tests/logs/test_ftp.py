"""FTP clients and servers."""

import pytest

from hecn_analysis.logs import read


def test_clients(samples, column, problem_lines):
    reading = read(samples / "ftp" / "clients.txt")
    assert column(reading, "direction") == ["receive", "send", None, "receive", "send"]
    assert column(reading, "bytes") == [30000000, 30000000, None, 30000000, 30000000]
    assert column(reading, "duration_s") == [0.141, 2, None, 0.141, 2.5]
    assert column(reading, "throughput_bps") == pytest.approx(
        [8 * 2.1e5 * 1024, 8 * 14.31 * 2**20, None, 8 * 203 * 2**20, 8 * 12e6]
    )
    assert column(reading, "error") == [False, False, True, False, False]
    assert problem_lines(reading) == [
        "clients.txt:16: aborted: found '550 Permission denied.', expected a file transferred to its end"
    ]


def test_xferlog(samples, column, problem_lines):
    reading = read(samples / "ftp" / "xferlog.txt")
    assert column(reading, "direction") == ["send", "receive", "receive"]
    assert column(reading, "bytes") == [30000000, 1000000000, 4096]
    assert column(reading, "throughput_bps") == [120e6, 800e6, 32768.0]
    assert column(reading, "error") == [False, False, True]
    assert problem_lines(reading) == [
        "xferlog.txt:3: aborted: found an incomplete transfer ('i'), expected a complete one"
    ]


def test_vsftpd(samples, column, problem_lines):
    reading = read(samples / "ftp" / "vsftpd.txt")
    assert column(reading, "direction") == ["send", "receive"]
    assert column(reading, "bytes") == [30000000, 4096]
    assert column(reading, "throughput_bps") == pytest.approx([8 * 1024 * 14664.4, 8 * 1024 * 512.25])
    assert problem_lines(reading) == ["vsftpd.txt:4: aborted: found 'FAIL', expected a transfer that is 'OK'"]


@pytest.mark.parametrize(
    ("line", "rate"),
    [
        ("1048576 bytes received in 0.0914 seconds (1.12e+04 Kbytes/s)", 8 * 1.12e4 * 1024),
        ("100000000 bytes sent in 10.0123 secs (9753.83 Kbytes/sec)", 8 * 9753.83 * 1024),
        ("100000000 bytes sent in 10.0123 secs (9987.71 Kbytes/sec)", 8 * 9987.71 * 1000),
        ("12 bytes received in 00:00 (1.02 KB/s)", 8 * 1.02 * 1024),
        ("512 bytes received in 0,5 secs (1,0 kB/s)", 8 * 1024),
    ],
)
def test_1000_or_1024(reading_of, column, line, rate):
    reading = reading_of(line + "\n")
    assert column(reading, "throughput_bps") == pytest.approx([rate])
    assert reading.problems.empty


def test_a_truncated_line(reading_of, problem_lines):
    assert problem_lines(reading_of("30000000 bytes received in 0.1")) == [
        (
            "a.log:1: truncated: found '30000000 bytes received in 0.1', "
            "expected '… bytes received in … secs (… Kbytes/sec)'; no run made of it"
        )
    ]


def test_similar_messages_of_other_programs_are_not_transfers(reading_of):
    reading = reading_of("Ncat: 0 bytes sent, 0 bytes received in 0.02 seconds.\n")
    assert reading.runs.empty
    assert reading.problems.kind.tolist() == ["unrecognised"]


def test_vsftpd_transfers_without_bytes(reading_of, column):
    head = "Mon Nov  8 15:48:55 2021 [pid 29647] [me] OK"
    reading = reading_of(
        f'{head} DOWNLOAD: Client "::ffff:192.0.2.1", "/home/me/an empty file.txt", 0.00Kbyte/sec\n'
        f'{head} UPLOAD: Client "::ffff:192.0.2.1", "/home/me/a.txt", 38 bytes, 50.15Kbyte/sec\n'
    )
    assert column(reading, "bytes") == [0, 38]
    assert column(reading, "direction") == ["send", "receive"]
