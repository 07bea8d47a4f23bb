"""Paired benchmarks: ours and a peer that does the same job, in turn, so that both see the same machine.

A pair is timed many times, ours first in one round and the peer first in the next; what counts is the median of the
ratios of the rounds, with their quartiles. A machine that is busy or clocks down slows both of a round alike. Where
nothing else is said, it is processor time that is taken, of all threads and of programs that were started: it says
the same on a machine that others use as well.

What was measured is kept in benchmarks/results.json, a section for each kind of benchmark, each with the facts of the
machine; the documentation draws from there and measures nothing.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results.json"

#: Packages whose versions a figure depends on.
VERSIONS = ("hecn-analysis", "numpy", "pandas", "pyarrow", "duckdb", "polars", "distributed", "jc")

#: What could not be measured here, and why.
left_out: list[str] = []

#: Threads and processes that a job may use at once.
threads = os.cpu_count() or 1


def use_threads(number: int) -> None:
    """Let jobs use so many threads; before Polars is imported, which asks only then."""
    global threads  # noqa: PLW0603 (a setting of the whole run)
    threads = number
    os.environ["POLARS_MAX_THREADS"] = str(number)


def leave_out(what: str) -> None:
    """Say on stderr, and keep, what is not measured and why."""
    print(what, file=sys.stderr)
    left_out.append(what)


def processor_seconds(job: Callable[[], object]) -> float:
    """Give the processor time of a job, of its threads, and of the programs that it waits for [s]."""
    start = _used()
    job()
    return _used() - start


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def seconds(job: Callable[[], object]) -> float:
    """Give the time that a job takes by the clock on the wall [s]."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


@dataclass(frozen=True)
class Pair:
    """Ours against a peer.

    Parameters
    ----------
    name, peer_name
        What each does, for the table.
    ours
        What is timed.
    peer
        The same, or an amount that ours is held to, such as one second of a core.
    target
        Largest ratio ours/peer that is good enough.
    take
        What is taken of a job, ours and the peer's: processor time [s], or another amount of which less is better.
    unit
        The unit of that.
    most_rounds
        Most rounds, for jobs that take long.
    """

    name: str
    peer_name: str
    ours: Callable[[], object]
    peer: Callable[[], object] | float
    target: float
    take: Callable[[Callable[[], object]], float] = processor_seconds
    unit: str = "s"
    most_rounds: int = 1000


@dataclass(frozen=True)
class Result:
    """What a pair took: medians of both, in a unit, and median and quartiles of the rounds' ratios [1]."""

    name: str
    peer_name: str
    ours: float
    peer: float
    unit: str
    ratio: float
    ratio_quartiles: tuple[float, float]
    target: float
    rounds: int

    @property
    def met(self) -> bool:
        """Whether the median ratio is within the target."""
        return self.ratio <= self.target


def measure(pair: Pair, rounds: int) -> Result:
    """Time a pair, each first in every other round, after one round that does not count."""
    times: list[tuple[float, float]] = []
    rounds = min(rounds, pair.most_rounds)
    ours_once = lambda: pair.take(pair.ours)
    peer_once = lambda: pair.take(pair.peer) if callable(pair.peer) else pair.peer
    for number in range(-1, rounds):
        if number % 2:
            ours, peer = ours_once(), peer_once()
        else:
            peer, ours = peer_once(), ours_once()
        if number >= 0:
            times.append((ours, peer))
    ratios = [ours / peer for ours, peer in times]
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Result(
        name=pair.name,
        peer_name=pair.peer_name,
        ours=statistics.median(ours for ours, _ in times),
        peer=statistics.median(peer for _, peer in times),
        unit=pair.unit,
        ratio=statistics.median(ratios),
        ratio_quartiles=(low, high),
        target=pair.target,
        rounds=rounds,
    )


def program(*command: str) -> Callable[[], object]:
    """Give a job that runs a program to its end, in a process of its own.

    Compiled modules are kept as in any use: what was installed was compiled when it was installed, and a checkout that
    must not keep its own would be timed against that.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def memory(code: str) -> float:
    """Give the most memory that Python takes for some code in a process of its own [MB]; where there is /proc."""
    code += "\nprint(open('/proc/self/status').read())"
    told = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    return int(told.stdout.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6


def resident(name: str = "VmRSS") -> int:
    """Give the memory of this process, now or at most (VmHWM), where there is /proc [bytes]."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return int(text.partition(f"{name}:")[2].split()[0]) * 1024


def held(job: Callable[[], object]) -> tuple[float, int, int]:
    """Do a job in this process, and say what it took.

    Returns
    -------
    tuple
        Processor time [s], the most memory that it held beyond what was there, and in all [bytes].
    """
    gc.collect()
    before = resident()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the most memory so far
    time_s = processor_seconds(job)
    peak = resident("VmHWM")
    return time_s, max(peak - before, 0), peak


def machine() -> dict[str, object]:
    """Give what a figure depends on: processor, system, versions, commit."""
    cpu = platform.processor()
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        models = [
            line.partition(":")[2].strip() for line in facts.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = models[0] if models else cpu
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in VERSIONS},
        "commit": commit or None,
        "load": os.getloadavg()[0],
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


HEAD = f"{'ratio':>6}  {'quartiles':>13}  {'target':>6}         {'ours':>10}  {'peer':>10}  what"


def line(result: Result) -> str:
    """Write a line of the table, below `HEAD`: the ratio first."""
    low, high = result.ratio_quartiles
    verdict = "met" if result.met else "MISSED"
    return (
        f"{result.ratio:6.3f}  {low:5.3f} – {high:5.3f}  {result.target:6.2f}  {verdict:6}"
        f" {_short(result.ours, result.unit)}  {_short(result.peer, result.unit)}"
        f"  {result.name} / {result.peer_name}"
    )


def _short(amount: float, unit: str) -> str:
    return f"{amount * 1e3:7.1f} ms" if unit == "s" else f"{amount:7.1f} {unit:2}"


def kept(place: Path = RESULTS) -> dict[str, Any]:
    """Give what is kept, by section; nothing where there is no file yet."""
    known: dict[str, Any] = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    return known


def keep(section: str, found: Mapping[str, Any], place: Path = RESULTS) -> None:
    """Put what was measured into a section of the file of results, with the facts of the machine.

    Parameters
    ----------
    section
        Its name; what it held before is gone, other sections stay.
    found
        What was measured.
    place
        The file.
    """
    known = kept(place)
    known[section] = {"machine": machine(), **found}
    arriving = place.with_suffix(".partial")
    arriving.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    arriving.replace(place)


PYTHON = sys.executable
HECN = str(Path(sys.executable).parent / "hecn")
