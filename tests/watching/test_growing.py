"""Logs that grow, rotate and never rest: each result counts once, whatever the files are called."""

import gzip
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from hecn_analysis.archive.store import Archive
from hecn_analysis.watching.incoming import Incoming
from hecn_analysis.watching.series import series_of

FIRST = pd.Timestamp("2026-10-01T00:00:00Z")


def _line(number):
    """A transfer of globus-gridftp-server, each its own size."""
    begin, end = (FIRST + pd.Timedelta(minutes=10 * number, seconds=s) for s in (0, 8))
    return (
        f"DATE={end:%Y%m%d%H%M%S}.000000 HOST=dtn1.example.net PROG=globus-gridftp-server NL.EVNT=FTP_INFO "
        f"START={begin:%Y%m%d%H%M%S}.000000 USER=u FILE=/d/{number} BUFFER=4194304 BLOCK=262144 "
        f"NBYTES={10**9 + number} VOLUME=/ STREAMS=4 STRIPES=1 DEST=[192.0.2.9] TYPE=RETR CODE=226\n"
    )


def _text(first, last):
    return "".join(map(_line, range(first, last)))


def _sizes(archive):
    """Sizes of all transfers in the series, less the least: their numbers."""
    return sorted(int(amount) - 10**9 for each in series_of(archive)[0] for amount in each.runs["bytes"])


@pytest.fixture
def log(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in" / "gridftp.log"


def _look(incoming):
    return [incoming.take(settled=False) for _ in range(2)][-1]


def test_a_log_that_never_rests_is_read_up_to_its_last_whole_line(log, archive):
    incoming = Incoming([str(log.parent)], archive)
    for number in range(6):
        with log.open("a") as grown:
            grown.write(_text(2 * number, 2 * number + 2)[: -40 if number == 3 else None])
        if number == 3:
            rest = _text(7, 8)[-40:]
            assert incoming.take(settled=False).remarks == []
            assert _sizes(archive) == list(range(7))
            log.write_text(log.read_text() + rest)
        else:
            incoming.take(settled=False)
    _look(incoming)
    assert _sizes(archive) == list(range(12))


@pytest.mark.parametrize(
    "named", ["gridftp.log.1", "gridftp.log-20261001", "gridftp.log-20261001.gz", "gridftp.log.1.gz"]
)
def test_a_log_that_is_renamed_and_packed_counts_once(log, archive, named):
    incoming = Incoming([str(log.parent)], archive)
    log.write_text(_text(0, 5))
    _look(incoming)
    content = log.read_text() + _text(5, 7)  # written after the last look
    log.unlink()
    rotated = log.with_name(named)
    rotated.write_bytes(gzip.compress(content.encode()) if named.endswith(".gz") else content.encode())
    log.write_text(_text(7, 9))
    _look(incoming)
    assert _sizes(archive) == list(range(9))
    if not named.endswith(".gz"):
        packed = rotated.with_name(rotated.name + ".gz")
        packed.write_bytes(gzip.compress(rotated.read_bytes()))
        rotated.unlink()
        _look(incoming)
        assert _sizes(archive) == list(range(9))
    _look(Incoming([str(log.parent)], archive))
    assert _sizes(archive) == list(range(9))


def test_a_log_that_is_copied_and_truncated_counts_once(log, archive):
    incoming = Incoming([str(log.parent)], archive)
    log.write_text(_text(0, 5))
    _look(incoming)
    log.with_name("gridftp.log.1").write_text(log.read_text())
    with log.open("r+") as truncated:
        truncated.truncate(0)
    log.write_text(_text(5, 8))
    _look(incoming)
    assert _sizes(archive) == list(range(8))


def test_transfers_that_are_alike_in_one_log_all_count(log, archive):
    log.write_text(_line(0) * 3)
    incoming = Incoming([str(log.parent)], archive)
    _look(incoming)
    log.rename(log.with_name("gridftp.log.1"))
    log.with_name("gridftp.log.1").write_text(_line(0) * 4)
    _look(incoming)
    assert len(archive.table("runs")) == 4


KILLED = """
import sys
from hecn_analysis.archive.store import Archive
from hecn_analysis.watching.incoming import Incoming

incoming = Incoming([sys.argv[1]], Archive(sys.argv[2]))
while True:
    incoming.take(settled=True)
    print("looked", flush=True)
"""


@pytest.mark.slow  # starts and kills processes
def test_a_kill_at_any_moment_neither_loses_nor_doubles(log, tmp_path):
    count = 0
    for round_number in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(log.parent), str(tmp_path / "A")], stdout=subprocess.PIPE
        )
        try:
            if round_number % 2:
                process.stdout.readline()
            for _ in range(5):
                with log.open("a") as grown:
                    grown.write(_line(count))
                count += 1
                time.sleep(0.02 * round_number)
            if round_number == 2:
                log.rename(log.with_name("gridftp.log.1"))
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
    archive = Archive(tmp_path / "A")
    Incoming([str(log.parent)], archive).take(settled=True)
    assert _sizes(archive) == list(range(count))
