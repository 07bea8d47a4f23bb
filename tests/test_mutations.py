"""Damaged inputs for all readers: a share of those that `make mutate` tries, and that the search sees what is wrong.

What must hold is checked where the inputs are made (`fuzz.rooms`): no error but documented ones, rows that can be, and
good files beside damaged ones, in folders and archives, read as if they were alone.
"""

import json
import random
import subprocess
import sys
import zlib

import pytest

from fuzz import mutate, mutations, rooms
from hecn_analysis.captures import stream
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import registry
from hecn_analysis.logs import registry as logs_registry


@pytest.fixture(autouse=True)
def _own_samples(monkeypatch):
    monkeypatch.delenv("HECN_CORPUS", raising=False)


@pytest.mark.parametrize("part", range(10))
def test_damaged_inputs_are_read_as_documented(part):
    for number in range(50 * part, 50 * (part + 1)):
        given = rooms.make(0, number)
        try:
            given.check()
        except BaseException as error:
            error.add_note(f"python -m fuzz.mutate --seed 0 --only {number}  # {given.room}: {given.origin}")
            raise


@pytest.mark.parametrize(("room", "number"), [("captures", 20), ("descriptions", 3), ("archives", 2), ("folders", 3)])
def test_every_kind_of_input_is_among_them(room, number):
    assert sum(rooms.make(0, each).room == room for each in range(500)) >= number


def test_the_same_number_of_the_same_seed_is_the_same_input():
    for number in range(40):
        assert rooms.make(7, number).content == rooms.make(7, number).content
    assert len({rooms.make(7, number).content for number in range(40)}) > 30


# Cut files

# What an end of a file says of its beginning: the other half of a session names the direction of the first, and a sum
# below two copies says that they were simultaneous.
SAID_LATER = {"owping": {"direction"}}
SAID_LATER_BY_ALL = {"circumstances"}


@pytest.mark.parametrize("share", range(8))
def test_a_log_cut_at_the_end_of_a_line_keeps_the_runs_before_it(share):
    cut = 0
    for path in rooms.LOGS.paths[share::8]:
        sample = path.read_bytes()
        lines = Document("a.log", sample).text.split("\n")
        rng = random.Random(zlib.crc32(sample))  # noqa: S311 - for trying, not for secrets
        unsure = SAID_LATER.get(path.parent.name, set()) | SAID_LATER_BY_ALL
        whole = rooms.runs_of(Document("a.log", sample))
        for end in rng.sample(range(1, len(lines)), min(2, len(lines) - 1)):
            found = rooms.runs_of(Document("a.log", ("\n".join(lines[:end]) + "\n").encode()))
            kept = [{k: v for k, v in run.items() if k not in unsure} for run in found]
            for run in whole:
                if run["line_last"] <= end:
                    cut += 1
                    assert {k: v for k, v in run.items() if k not in unsure} in kept, (path, end)
    assert cut > 5


def test_a_capture_cut_at_the_end_of_a_line_keeps_the_outputs_before_it():
    cut = 0
    for path in rooms.INVENTORY.paths:
        sample = path.read_bytes()
        lines = sample.split(b"\n")
        rng = random.Random(zlib.crc32(sample))  # noqa: S311 - for trying, not for secrets
        whole = [one.source for one in registry.read(Document("a.txt", sample)).captured]
        for end in rng.sample(range(1, len(lines)), min(2, len(lines) - 1)):
            found = registry.read(Document("a.txt", b"\n".join(lines[:end]) + b"\n"))
            kept = [one.source for one in found.captured]
            for output in whole:
                if output["line_last"] <= end:
                    cut += 1
                    assert output in kept, (path, end)
    assert cut > 5


# The search itself


def plain(check, size=100):
    return rooms.Input("logs", "a.log", b"", size, check, base_s=0.2)


def raises():
    raise ZeroDivisionError("3 / 0")


def hangs():
    while True:
        pass


def test_an_error_that_is_not_documented_is_a_fault():
    assert mutate.fault(plain(raises)) == "ZeroDivisionError at checks: 3 / 0"
    assert mutate.fault(plain(lambda: None)) is None


def test_what_takes_too_long_is_a_fault_and_is_ended():
    assert mutate.fault(plain(hangs)) == "slow at checks"


def test_a_reader_that_raises_or_hands_over_what_cannot_be_is_found(monkeypatch):
    monkeypatch.setattr(logs_registry, "read", lambda *_: raises())
    faults = [mutate.fault(rooms.plain(rooms.LOGS, random.Random(n))) for n in range(3)]  # noqa: S311 - see above
    assert faults == ["ZeroDivisionError at checks: 3 / 0"] * 3
    monkeypatch.setattr(CounterFindings, "finish", lambda found: found.rates.append({"in_bps": -1.0}))
    sample = next(path for path in rooms.COUNTERS.paths if path.name == "consolidated.log")
    with pytest.raises(rooms.Broken, match="in_bps"):
        rooms.cells_of(Document("a.log", sample.read_bytes()))


def test_damaged_captures_still_say_something_and_what_cannot_be_is_found(monkeypatch):
    inputs = [rooms.plain(rooms.CAPTURES, random.Random(n)) for n in range(40)]  # noqa: S311 - see above
    assert sum(bool(rooms.packets_of(Document("a.pcap", given.content))) for given in inputs) > 20
    monkeypatch.setattr(stream, "share", lambda *_: 1.5)
    assert "share: Statement" in mutate.fault(plain(lambda: rooms.packets_of(Document("a", rooms.CAPTURES.samples[0]))))


def test_a_good_member_that_reads_otherwise_beside_others_is_found():
    sample = rooms.LOGS.samples[0]
    expected = rooms.runs_of(Document("good.log", sample))
    packed = mutations.zip_of([("../a.log", sample), ("b.log", b"\0")])
    rooms.check_members("logs", packed, ["../a.log"], expected)
    with pytest.raises(rooms.Broken, match="alone as"):
        rooms.check_members("logs", packed, ["../a.log"], [])
    with pytest.raises(rooms.Broken, match="not read"):
        rooms.check_members("logs", packed, ["c.log"], expected)


@pytest.mark.slow
def test_the_search_counts_its_inputs_in_processes(tmp_path):
    command = [sys.executable, "-m", "fuzz.mutate", "--inputs", "20", "--seed", "3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=rooms.ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("seed 3: 20 inputs (")
    command = [sys.executable, "-m", "fuzz.mutate", "--seed", "3", "--only", "1", "--keep", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=rooms.ROOT, check=True)
    (kept,) = tmp_path.iterdir()
    assert kept.read_bytes() == rooms.make(3, 1).content
    assert json.dumps(done.stdout).count(str(len(kept.read_bytes()))) == 1
