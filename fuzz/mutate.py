"""Try damaged inputs on all readers: ``python -m fuzz.mutate --inputs 100000 --seed 1``; `make mutate` does so.

Inputs are made by chance (`fuzz.rooms`), numbered, and read one after another in processes whose memory is limited and
whose processor time is watched. A fault is an error that is not documented, a reading that cannot be, more than
`checks.SECONDS_PER_MEBIBYTE` of processor time and a second, more than `MEMORY` beyond what a process has at its
start, or the end of the process. Each is named with its number: ``--only NUMBER`` with the same seed reads it again,
and ``--keep FOLDER`` writes it down. The exit status is 1 where there were any.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING, Final

from fuzz import checks

if TYPE_CHECKING:
    from fuzz.rooms import Input

MEMORY: Final = 1 << 30
_STUCK_S: Final = 300.0
_EACH: Final = 10_000
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICK: Final = os.sysconf("SC_CLK_TCK")


class Slow(BaseException):
    """The processor time of an input is used up; no reader catches it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End what takes more processor time.

    Parameters
    ----------
    seconds
        Processor time of this process. [s]
    """

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise Slow

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def fault(given: Input) -> str | None:
    """Say what is wrong with the reading of an input, in the same words for the same defect; None where all is well."""
    found = _read(given, given.size)
    if found and found.startswith("slow"):  # perhaps it was disturbed, or is longer than it seemed
        found = _read(given, max(given.size, given.unpacked()))
    return found


def _read(given: Input, size: int) -> str | None:
    try:
        with limited(given.base_s + checks.SECONDS_PER_MEBIBYTE * size / (1 << 20)):
            given.check()
    except Slow as error:
        return f"slow at {_place(error)}"
    except MemoryError as error:
        return f"memory at {_place(error)}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - that it raises is the finding
        return f"{type(error).__name__} at {_place(error)}: {str(error)[:200]}"
    return None


def _place(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "hecn_analysis" in frame.filename]
    return f"{Path(frames[-1].filename).stem}:{frames[-1].lineno}" if frames else "checks"


# A process that reads


def _work(seed: int, first: int, last: int, place: Path) -> None:
    """Read the inputs of some numbers; the number at hand stands in a file, faults go to the standard output."""
    from fuzz import rooms  # noqa: PLC0415 - what is imported there counts as the start of a process

    rooms.warm_up()
    start = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    resource.setrlimit(resource.RLIMIT_AS, (start + MEMORY, resource.RLIM_INFINITY))
    with place.open("r+b", buffering=0) as at:
        for number in range(first, last):
            at.seek(0)
            at.write(b"%20d" % number)
            given = rooms.make(seed, number)
            begun = time.process_time()
            found = fault(given)
            told = {"room": given.room, "size": len(given.content), "seconds": time.process_time() - begun}
            if found:
                told |= {"fault": found, "number": number, "origin": given.origin}
            print(json.dumps(told))
    sys.stdout.flush()


@dataclass
class _Worker:
    """A process that reads, and what it reads."""

    seed: int
    first: int
    last: int
    out: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    place: Path = field(default_factory=lambda: Path(tempfile.mkstemp()[1]))

    def __post_init__(self) -> None:
        self._seen = (-1, 0.0)
        command = [sys.executable, "-m", "fuzz.mutate", "--seed", str(self.seed), "--work"]
        self.process = subprocess.Popen(  # noqa: S603 - this module
            [*command, str(self.first), str(self.last), str(self.place)],
            cwd=checks.ROOT,
            stdout=self.out,
            env={**os.environ, "MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )

    @property
    def number(self) -> int:
        """The input at hand."""
        text = self.place.read_text(encoding="ascii").strip()
        return int(text) if text else self.first

    def stuck(self) -> bool:
        """Whether an input takes so long that its own watch must have failed."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        used = (int(words[11]) + int(words[12])) / _TICK
        number = self.number
        if number != self._seen[0]:
            self._seen = (number, used)
        return used - self._seen[1] > _STUCK_S

    def results(self) -> list[dict[str, object]]:
        """What it said so far, and an end that nobody asked for."""
        self.out.seek(0)
        told = [json.loads(line) for line in self.out.read().splitlines() if line.endswith(b"}")]
        if self.process.returncode:
            text = f"the process ended with status {self.process.returncode}"
            told.append({"fault": text, "number": self.number, "room": "?", "origin": "?", "size": 0, "seconds": 0.0})
        self.out.close()
        self.place.unlink()
        return told


@dataclass
class Tally:
    """What was found so far."""

    inputs: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    octets: int = 0
    faults: list[dict[str, object]] = field(default_factory=list)

    def add(self, told: dict[str, object]) -> None:
        """Count an input."""
        room = str(told["room"])
        self.inputs[room] += 1
        self.seconds[room] += float(str(told["seconds"]))  # type: ignore[assignment]
        self.octets += int(str(told["size"]))
        if "fault" in told:
            self.faults.append(told)
            print(f"\n{told['number']}: {room}: {told['origin']}: {told['fault']}", file=sys.stderr)

    def __str__(self) -> str:
        shares = ", ".join(f"{room} {count}" for room, count in sorted(self.inputs.items()))
        return (
            f"{self.inputs.total()} inputs ({shares}), {self.octets / 1e6:.0f} MB, "
            f"{self.seconds.total():.0f} s of processor time, {len(self.faults)} faults"
        )


def search(seed: int, first: int, inputs: int, jobs: int) -> Tally:
    """Read inputs in processes, and say how far it is.

    Parameters
    ----------
    seed
        Seed of the inputs.
    first
        Number of the first one.
    inputs
        How many.
    jobs
        How many processes read at a time.
    """
    tally = Tally()
    open_spans = [(start, min(start + _EACH, first + inputs)) for start in range(first, first + inputs, _EACH)][::-1]
    running: list[_Worker] = []
    try:
        while open_spans or running:
            while open_spans and len(running) < jobs:
                running.append(_Worker(seed, *open_spans.pop()))
            time.sleep(0.2)
            for worker in list(running):
                if worker.process.poll() is None and worker.stuck():
                    worker.process.kill()
                    worker.process.wait()
                if worker.process.poll() is not None:
                    running.remove(worker)
                    if worker.process.returncode and worker.number + 1 < worker.last:
                        open_spans.append((worker.number + 1, worker.last))
                    for told in worker.results():
                        tally.add(told)
                    print(tally, file=sys.stderr)
    finally:
        for worker in running:
            worker.process.kill()
    return tally


def main() -> int:
    """Search, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="read one input, in this process")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="with --only: write the input to a file there")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        first, last, place = options.work
        _work(options.seed, int(first), int(last), Path(place))
        return 0
    if options.only is not None:
        from fuzz import rooms  # noqa: PLC0415 - see `_work`

        given = rooms.make(options.seed, options.only)
        print(f"{given.room}: {given.origin}, {len(given.content)} bytes")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{given.room}-{options.seed}-{options.only}").write_bytes(given.content)
        given.check()
        return 0
    start = time.monotonic()
    tally = search(options.seed, options.first, options.inputs, options.jobs)
    for words, count in Counter(str(each["fault"])[:100] for each in tally.faults).most_common():
        print(f"{count:6} {words}")
    print(f"seed {options.seed}: {tally}, {time.monotonic() - start:.0f} s")
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
