"""Programs end when they should: by themselves, when their time is up, and with us, however we end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hecn_analysis.live import programs


def test_run_gives_what_was_printed_and_the_status():
    ended = programs.run(["sh", "-c", "echo out; echo 'a  word' >&2; exit 4"], limit_s=5)
    assert (ended.status, ended.stdout, ended.how, ended.complaint) == (4, b"out\n", "status 4", "a word")
    assert not ended.ok


def test_words_are_never_a_shells():
    assert programs.run(["printf", "%s", "$(id) `id` ; x"], limit_s=5).stdout == b"$(id) `id` ; x"


def test_stdin_is_given_or_empty():
    assert programs.run(["cat"], limit_s=5).stdout == b""
    assert programs.run(["cat"], limit_s=5, stdin=b"given").stdout == b"given"


def test_program_that_is_not_there_does_not_raise():
    ended = programs.run(["no-such-program"], limit_s=5)
    assert not ended.ok


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def gone(pid):
    until = time.monotonic() + 5
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not alive(pid)


def test_time_limit_ends_a_program_with_its_children():
    ended = programs.run(["sh", "-c", "sleep 61 & echo $!; wait"], limit_s=0.5)
    assert ended.how == "time limit of 0.5 s"
    assert ended.duration_s < 4
    assert gone(int(ended.stdout))


def test_a_program_that_does_not_listen_is_made_to_end():
    ended = programs.run(["sh", "-c", "trap '' TERM; echo $$; while :; do sleep 0.1; done"], limit_s=0.5)
    assert gone(int(ended.stdout))


def test_block_left_by_an_error_leaves_no_program():
    pids = []

    def fail():
        with programs.Program(["sleep", "62"]) as program:
            pids.append(program._process.pid)
            assert program.runs
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert gone(pids[0])


SCRIPT = """
from hecn_analysis.live import programs
with programs.ended_by_signals(), programs.Program(["sleep", "63"]) as program:
    print(program._process.pid, flush=True)
    program.wait(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=lambda n: n.name)
def test_whoever_ends_us_ends_the_program(number):
    if number == signal.SIGKILL and programs.which("setpriv") is None:
        pytest.skip("setpriv is not installed (Debian, Ubuntu: apt install util-linux)")
    with subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as us:
        pid = int(us.stdout.readline())
        until = time.monotonic() + 5
        while Path(f"/proc/{pid}/comm").read_text(encoding="utf-8") != "sleep\n" and time.monotonic() < until:
            time.sleep(0.02)
        us.send_signal(number)
        us.wait(10)
    assert gone(pid)


@pytest.mark.parametrize("path", ["", "/usr/bin"])
def test_no_program_of_the_current_folder_is_found(tmp_path, monkeypatch, path):
    (tmp_path / "ethtool-of-mine").write_text("#!/bin/sh\n")
    (tmp_path / "ethtool-of-mine").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", path)
    assert programs.which("ethtool-of-mine") is None
