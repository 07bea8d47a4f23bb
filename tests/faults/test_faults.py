"""What was acknowledged survives faults, nothing half-written is seen, and people are told what to do.

Each fault has a seed of its own, by which moment and kind are chosen: ``HECN_FAULT_SEED``, the name of the fault and
its number. ``HECN_FAULTS`` is how many there are in all. ``make faults`` tries more of them, at moments of a new seed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs processes as Linux has them")

HERE = Path(__file__).resolve().parent
SEED = int(os.environ.get("HECN_FAULT_SEED") or 0)

# How the faults are shared out, by what they cost and how many moments there are.
SHARES = {
    "killed-Add": 24,
    "killed-Compact": 20,
    "killed-AddCommand": 6,
    "killed-Parse": 58,
    "killed-Briefs": 10,
    "killed-Poll": 14,
    "full": 14,
    "read_only": 4,
    "refused": 18,
    "vanished": 14,
    "unheard": 4,
    "hung_up": 4,
    "together": 6,
    "set_back": 3,
    "mischievous": 6,
    "orphaned": 1,
}
COUNT = int(os.environ.get("HECN_FAULTS") or sum(SHARES.values()))


class Server:
    """The process that victims are forked from."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, HERE / "server.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "COLUMNS": "80"},
        )

    def order(self, fault, seed):
        """Have a fault happen; gives what it was, and what went wrong."""
        self.process.stdin.write(json.dumps({"fault": fault, "seed": seed, "folder": str(self.folder)}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the server ended"
        return json.loads(line)

    def close(self):
        """Let it end."""
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(60) == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("faults"))
    yield started
    started.close()


@pytest.mark.parametrize("fault", SHARES)
def test_nothing_is_lost_and_nothing_is_half(server, fault):
    count = max(1, round(SHARES[fault] * COUNT / sum(SHARES.values())))
    wrong, cpu_s = [], 0.0
    for number in range(count):
        answer = server.order(fault, f"{SEED}-{fault}-{number}")
        cpu_s += answer["cpu_s"]
        if "wrong" in answer:
            wrong.append(f"{fault} {number}: {answer['wrong']}")
    print(f"{count} faults {fault!r}, {cpu_s:.1f} s of processor time")
    again = f"make faults FAULTS={COUNT} SEED={SEED} ARGS='-k {fault}'"
    assert not wrong, f"{len(wrong)} of {count} faults; to see them again: {again}\n" + "\n".join(wrong[:3])


def test_there_are_two_hundred_faults_of_every_kind():
    assert sum(SHARES.values()) >= 200
    assert all(SHARES.values())


def test_a_fault_that_does_harm_is_seen(server):
    """A writer that writes where others look would be caught."""
    assert "half-written" in server.order("careless", SEED)["wrong"]
