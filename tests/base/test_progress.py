"""Progress is shown on a terminal, after a second, and nowhere else."""

import os
import pty
import subprocess
import sys
import termios

import pytest

from hecn_analysis.base.progress import track

SLOW = (
    "import time; from hecn_analysis.base.progress import track; [time.sleep(0.3) for _ in track(range(6), 'working')]"
)
FAST = "from hecn_analysis.base.progress import track; [None for _ in track(range(6), 'working')]"


def on_a_terminal(code):
    """What a program writes to a terminal as its stderr."""
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (24, 80))
    process = subprocess.Popen([sys.executable, "-c", code], stderr=there)
    os.close(there)
    said = b""
    with process:
        while True:
            try:
                said += os.read(here, 4096)
            except OSError:  # the other end is closed
                break
    os.close(here)
    assert process.returncode == 0
    return said.decode()


def test_slow_work_on_a_terminal_shows_a_bar():
    said = on_a_terminal(SLOW)
    assert "working" in said
    assert "/6" in said


def test_fast_work_on_a_terminal_shows_none():
    assert on_a_terminal(FAST) == ""


def test_slow_work_elsewhere_shows_none():
    assert subprocess.run([sys.executable, "-c", SLOW], capture_output=True, check=True).stderr == b""


@pytest.mark.parametrize("items", [[], [1, 2], (3,)])
def test_every_item_is_handed_on(items):
    assert list(track(items, "working")) == list(items)


READS = """
import subprocess, sys, time
from hecn_analysis.base import progress
CHILD = '''
from hecn_analysis.base import progress
import time
with progress.reading(3, shown=True) as done:
    done(1)
    for amount in range(12):
        time.sleep(0.2)
        progress.advance("sys\\x1b[2Jlog", amount * 10**6, 12 * 10**6)
'''
with progress.forwarded():
    subprocess.run([sys.executable, "-c", CHILD], check=True, stderr=subprocess.DEVNULL)
"""
LONG = """
from hecn_analysis.base import progress
progress._LINE_S = 0.05
import time
with progress.reading(1, shown=True):
    for amount in (1, 2, 3):
        progress.advance("syslog", amount * 10**6, 3 * 10**6)
        time.sleep(0.06)
"""


@pytest.mark.slow
def test_a_long_file_shows_its_name_and_what_has_been_read():
    said = on_a_terminal(READS)
    assert "1/3" in said
    assert "of 12 MB" in said
    assert "\\x1b[2Jlog: " in said


def test_a_long_file_gives_lines_where_there_is_no_terminal():
    done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, check=True, text=True)
    assert done.stderr.splitlines() == [
        "hecn: reading syslog: 2 of 3 MB",
        "hecn: reading syslog: 3 of 3 MB",
    ]
