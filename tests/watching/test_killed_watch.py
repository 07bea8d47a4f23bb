"""A watch that is killed at random moments, while files come and one file grows: each result counts once."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hecn_analysis.archive.store import Archive
from hecn_analysis.watching.series import series_of
from tests.watching.results import result
from tests.watching.servers import Esmond, served

pytestmark = pytest.mark.slow

ROUNDS, FILES = 4, 6
UNBUFFERED = {**os.environ, "PYTHONUNBUFFERED": "1"}


def test_nothing_is_lost_or_counted_twice(tmp_path):
    chance = np.random.default_rng(1)
    folder = tmp_path / "results"
    folder.mkdir()
    words = [sys.executable, "-m", "hecn_analysis", "watch", folder, "--archive", tmp_path / "a", "-o", tmp_path / "o"]
    hour = 0
    for _ in range(ROUNDS):
        with subprocess.Popen([*words, "--every", "50ms"], stdout=subprocess.PIPE, env=UNBUFFERED) as watch:
            assert b"added" in watch.stdout.readline()  # it looks at the folder from now on
            for _ in range(FILES):
                (folder / f"{hour:03d}.json").write_text(result(hour, 1e9 + hour))
                with (folder / "all.json").open("a") as log:
                    log.write(result(hour + 1, 1e9 + hour + 1) + "\n")
                hour += 2
                time.sleep(chance.uniform(0, 1.0))
            watch.send_signal(signal.SIGKILL)
    done = subprocess.run([*words, "--once"], capture_output=True, check=True, encoding="utf-8")
    assert done.stderr == ""
    (series,), untimed = series_of(Archive(tmp_path / "a"))
    assert series.runs["rate_bps"].tolist() == [1e9 + number for number in range(hour)]
    assert len(Archive(tmp_path / "a").table("runs")) == hour
    assert untimed == 0
    again = subprocess.run([*words, "--once"], capture_output=True, check=True, encoding="utf-8")
    assert again.stdout.startswith("0 files added; 1 series")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "o", "results"]
    assert not list((tmp_path / "o").glob(".hecn-*"))


def test_nothing_of_a_source_is_lost_or_counted_twice(tmp_path):
    chance = np.random.default_rng(2)
    own = Esmond()
    first_s = int(time.time()) - 40 * 3600
    with served(own) as (server, _):
        address = f"{server}/esmond/perfsonar/archive/"
        words = [sys.executable, "-m", "hecn_analysis", "watch", address, "--archive", tmp_path / "a"]
        words += ["-o", tmp_path / "o"]
        for _ in range(ROUNDS):
            with subprocess.Popen([*words, "--every", "50ms"], stdout=subprocess.PIPE, env=UNBUFFERED) as watch:
                assert b"added" in watch.stdout.readline()
                for _ in range(FILES):
                    number = len(own.points)
                    own.points = own.points | {first_s + 3600 * number: 1e9 + number}
                    time.sleep(chance.uniform(0, 1.0))
                watch.send_signal(signal.SIGKILL)
        done = subprocess.run([*words, "--once"], capture_output=True, check=True, encoding="utf-8")
        again = subprocess.run([*words, "--once"], capture_output=True, check=True, encoding="utf-8")
    assert done.stderr == again.stderr == ""
    assert again.stdout.startswith("0 files and 0 results added; 1 series")
    (series,), _ = series_of(Archive(tmp_path / "a"))
    assert series.runs["rate_bps"].tolist() == [1e9 + number for number in range(ROUNDS * FILES)]
    assert len(Archive(tmp_path / "a").table("runs")) == ROUNDS * FILES
