"""rsync's clients and daemons."""

import pytest

from hecn_analysis.logs import read


def test_copies(samples, column, problem_lines):
    reading = read(samples / "rsync" / "copies.txt")
    assert column(reading, "throughput_bps") == pytest.approx(
        [8 * 20007344.0, 8 * 12004406.4, 8 * 60.02e6, 8 * 57.24 * 2**20, 496.0, None, 8 * 20.74 * 2**20]
    )
    assert column(reading, "bytes") == [30011016, 30011016, 30010057, round(28.62 * 2**20) + 57, 31, None, 30_000_000]
    assert column(reading, "direction") == ["send", "receive", "send", "send", "send", None, None]
    assert column(reading, "error") == [False, False, False, False, True, True, False]
    assert problem_lines(reading) == [
        (
            "copies.txt:34: aborted: found 'some files/attrs were not transferred (see previous errors) (code 23) "
            "at main.c(1394) [sender=3.5.0]', expected a copy without an error"
        ),
        (
            "copies.txt:36: aborted: found 'error in rsync protocol data stream (code 12) at io.c(232) "
            "[Receiver=3.5.0]', expected a copy without an error"
        ),
    ]


def test_daemons(samples, column):
    reading = read(samples / "rsync" / "daemon.txt")
    assert column(reading, "throughput_bps") == [None, 8 * 10003676.0]
    assert column(reading, "bytes") == [30011041, 30011028]
    assert column(reading, "direction") == ["send", "receive"]
    assert reading.problems.empty


def test_old_words_unknown_units_and_a_truncated_log(samples, column, problem_lines):
    reading = read(samples / "rsync" / "old.txt")
    assert column(reading, "throughput_bps") == pytest.approx([8 * 6002201.4, None, 8 * 60.02e6, None])
    assert problem_lines(reading) == [
        (
            "old.txt:6: ambiguous: found 'sent 30.01M bytes  received 57 bytes  60.02M bytes/sec' and no command line, "
            "expected to know whether K is 1000 (-h) or 1024 (-hh); 1000 taken"
        ),
        (
            "old.txt:11: truncated: found progress and no end, expected 'sent … bytes  received … bytes  … bytes/sec'; "
            "run without a rate"
        ),
    ]


def test_an_error_printed_before_the_rate_belongs_to_the_run(reading_of, column):
    reading = reading_of(
        "sending incremental file list\nrsync error: partial transfer (code 23) at main.c(1)\n"
        "sent 19 bytes  received 12 bytes  62.00 bytes/sec\ntotal size is 0  speedup is 0.00\n"
    )
    assert column(reading, "error") == [True]
    assert column(reading, "throughput_bps") == [496.0]


def test_a_truncated_line(reading_of, problem_lines):
    reading = reading_of("sent 30,010,959 bytes  received 57 by")
    assert reading.runs.empty
    assert problem_lines(reading) == [
        (
            "a.log:1: truncated: found 'sent 30,010,959 bytes  received 57 by', "
            "expected 'sent … bytes  received … bytes  … bytes/sec'; no run made of it"
        )
    ]


def test_progress_on_the_line_of_the_name(reading_of, column):
    reading = reading_of(
        "sending incremental file list\nrun.dat  2,097,152,000 100%  200.50MB/s    0:00:09 (xfr#1, to-chk=1/2)\n"
        "sent 3,911,975,510 bytes  received 121 bytes  11,872,460.19 bytes/sec\n"
    )
    assert column(reading, "throughput_bps") == pytest.approx([8 * 11872460.19])
    assert column(reading, "direction") == ["send"]
    assert reading.runs.line_first.tolist() == [1]


@pytest.mark.parametrize(
    ("text", "bps"),
    [
        ("$ rsync -a --info=progress2 a b:\n 42,949,672,960 100%  110.31MB/s    0:06:11 (xfr#7, to-chk=0/9)\n", 110.31),
        (" 42,949,672,960 100%  110.31MB/s    0:06:11 (xfr#1, to-chk=0/1)\n", 110.31),
        (" 42,949,672,960 100%  110.31MB/s    0:06:11 (xfr#7, to-chk=0/9)\n", None),  # of the last file alone
        (" 42,949,672,960 100%  110.31MB/s    0:00:11 (xfr#1, to-chk=0/1)\n", None),  # the time disagrees
        (" 42,949,672,960 100%  110.31MB/s    0:06:11 (xfr#1, to-chk=3/5)\n", None),  # not the end
    ],
)
def test_the_last_line_of_progress_is_a_run_if_it_covers_the_copy(reading_of, column, text, bps):
    (found,) = column(reading_of(text), "throughput_bps")
    assert found == (None if bps is None else pytest.approx(8 * bps * 2**20))


def test_openrsync(reading_of, column):
    reading = reading_of(
        "      30000000 100%   93.27KB/s   00:05:13 (xfer#1, to-check=0/1)\n"
        "Transfer complete: 28.61 MB sent, 44 B read, 28.61 MB file size\n"
        "sent 30007432 bytes  received 44 bytes  20004984 bytes/sec\ntotal size is 30000000  speedup is 1.00\n"
    )
    assert column(reading, "bytes") == [round(28.61 * 2**20) + 44, 30007476]
    assert column(reading, "throughput_bps") == [None, 8 * 20004984.0]
    assert reading.problems.empty


def test_errors_of_one_copy_of_openrsync_are_one_failure(reading_of, column, problem_lines):
    reading = reading_of(
        "rsync(517): error: mkstempat: 'a/.b.1': Operation not permitted\na/c\n"
        "rsync(517): error: mkstempat: 'a/.c.2': Operation not permitted\n\n"
        "sent 1747939 bytes  received 64 bytes  215802839 bytes/sec\ntotal size is 1747329  speedup is 1.00\n"
        "rsync(516): warning: child 517 exited with status 23\n"
    )
    assert (column(reading, "bytes"), column(reading, "error")) == ([1748003], [True])
    assert [line.partition(" ")[0] for line in problem_lines(reading)] == ["a.log:1:"]
    reading = reading_of(
        "sent 10 bytes  received 64 bytes  21 bytes/sec\nrsync(516): warning: child 517 exited with status 23\n"
    )
    assert (column(reading, "error"), reading.problems.kind.tolist()) == ([True], ["aborted"])


def test_an_unknown_rate_is_missing(reading_of, column):
    reading = reading_of("sent 1,200 bytes  received 34 bytes  UNKNOWN bytes/sec\n")
    assert column(reading, "bytes") == [1234]
    assert column(reading, "throughput_bps") == [None]
    assert reading.problems.empty
