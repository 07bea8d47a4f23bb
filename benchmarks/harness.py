"""Paired benchmarks: ours and a peer that does the same job, in turn, so that both see the same machine.

A pair is timed many times, ours first in one round and the peer first in the next; what counts is the median of the
ratios of the rounds, with their quartiles. A machine that is busy or clocks down slows both of a round alike.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def seconds(job: Callable[[], object]) -> float:
    """Give the time that a job takes, in seconds."""
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
    ours, peer
        What is timed.
    target
        Largest ratio ours/peer that is good enough.
    take
        What is taken of a job, ours and the peer's: its time [s], or another amount of which less is better.
    unit
        The unit of that.
    most_rounds
        Most rounds, for jobs that take long.
    """

    name: str
    peer_name: str
    ours: Callable[[], object]
    peer: Callable[[], object]
    target: float
    take: Callable[[Callable[[], object]], float] = seconds
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
    for number in range(-1, rounds):
        if number % 2:
            ours, peer = pair.take(pair.ours), pair.take(pair.peer)
        else:
            peer, ours = pair.take(pair.peer), pair.take(pair.ours)
        if number >= 0:
            times.append((ours, peer))
    ratios = [ours / peer for ours, peer in times]
    low, _, high = statistics.quantiles(ratios, n=4)
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
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in ("hecn-analysis", "numpy", "pandas")},
        "commit": commit or None,
        "load": os.getloadavg()[0],
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def report(results: Iterable[Result]) -> str:
    """Write the table, ratios first."""
    lines = [f"{'ratio':>6}  {'quartiles':>13}  {'target':>6}         {'ours':>10}  {'peer':>10}  what"]
    for result in results:
        low, high = result.ratio_quartiles
        verdict = "met" if result.met else "MISSED"
        lines.append(
            f"{result.ratio:6.3f}  {low:5.3f} – {high:5.3f}  {result.target:6.2f}  {verdict:6}"
            f" {_short(result.ours, result.unit)}  {_short(result.peer, result.unit)}"
            f"  {result.name} / {result.peer_name}"
        )
    return "\n".join(lines)


def _short(amount: float, unit: str) -> str:
    return f"{amount * 1e3:7.1f} ms" if unit == "s" else f"{amount:7.1f} {unit:2}"


def save(results: Iterable[Result], facts: dict[str, object]) -> Path:
    """Write the results with the machine's facts as JSON, one file a run."""
    folder = ROOT / ".benchmarks"
    folder.mkdir(exist_ok=True)
    target = folder / f"{facts['time']}.json".replace(":", "")
    target.write_text(
        json.dumps({"machine": facts, "results": [asdict(result) for result in results]}, indent=1) + "\n"
    )
    return target


PYTHON = sys.executable
HECN = str(Path(sys.executable).parent / "hecn")
