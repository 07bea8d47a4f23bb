"""Progress is shown on a terminal, after a second, and nowhere else."""

import os
import pty
import subprocess
import sys
import termios

import pytest

from hecn_analysis.progress import track

SLOW = "import time; from hecn_analysis.progress import track; [time.sleep(0.3) for _ in track(range(6), 'working')]"
FAST = "from hecn_analysis.progress import track; [None for _ in track(range(6), 'working')]"


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
