"""Growth: processor time and memory of a job against its size, and the exponent of both: `make growth`.

Each size is measured in a process of its own, which does the smallest size first, so that modules are loaded, and then
the job: its processor time, of several runs where one is short, and the most memory that the first of them held beyond
what the process had before. `benchmarks.exponents` fits them and says what grows too fast: that is a fault, or has its
reason in `Curve.reason`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import hecn_analysis as hecn
from benchmarks import counters, exponents, harness, interval_logs, polls, predictions, sites, watched
from hecn_analysis.archive import store
from hecn_analysis.base import tables
from hecn_analysis.base.progress import track
from hecn_analysis.hardware.parts import Part
from hecn_analysis.planning.purchase.offers import Offers, offered
from hecn_analysis.sites.prediction import predict_site
from hecn_analysis.watching.status import statuses

#: Processor time below which a job is run again, at most so often. [s]
SHORT_S, AGAIN = 0.5, 5


@dataclass(frozen=True)
class Curve:
    """A job of growing size.

    Parameters
    ----------
    what
        The job.
    unit
        What its size counts.
    sizes
        Sizes, rising; at least five over two decades.
    make
        Makes the input of a size in an empty folder.
    job
        Does the job on it.
    reason
        Why it may grow faster than `exponents.LARGEST`; empty: it may not.
    """

    what: str
    unit: str
    sizes: Sequence[int]
    make: Callable[[Path, int], object]
    job: Callable[[Path, int], object]
    reason: str = ""


# --- logs


def many_files(folder: Path, count: int) -> None:
    """Write files of four tools, in turn."""
    texts = [interval_logs.nuttcp(10), interval_logs.iperf3(1, 10), interval_logs.ping(10), interval_logs.iperf2(10)]
    for number, text in zip(range(count), itertools.cycle(texts), strict=False):
        (folder / f"{number:06}.log").write_text(text, encoding="utf-8")


def long_log(folder: Path, lines: int) -> None:
    """Write a log of nuttcp with so many intervals."""
    block = 10_000
    head, _, last = interval_logs.nuttcp(min(lines, block)).rpartition("\n\n")
    with (folder / "long.log").open("w", encoding="utf-8") as log:
        for _ in range(-(-lines // block)):
            log.write(head + "\n")
        log.write("\n" + last)


# --- counters


def walks(folder: Path, readings: int) -> None:
    """Write walks as `snmpwalk -On` prints them: 50 ports, poll after poll."""
    ports = 50
    names = {"2.2.1.2": "STRING: port{0}", "31.1.1.1.6": "Counter64: {1}", "31.1.1.1.10": "Counter64: {1}"}
    with (folder / "walks.txt").open("w", encoding="utf-8") as out:
        for poll in range(max(1, readings // ports)):
            out.write(f".1.3.6.1.2.1.1.3.0 = Timeticks: ({poll * 3000}) 0:00:00.00\n")
            for number, value in names.items():
                for port in range(1, ports + 1):
                    text = value.format(port, poll * 10**9 + port)
                    out.write(f".1.3.6.1.2.1.{number}.{port} = {text}\n")


def parquet(folder: Path, readings: int) -> None:
    """Write readings of 1000 ports, or of fewer where there are few."""
    ports = min(1000, max(10, readings // 1000))
    counters.write(folder, ports, readings // ports)


# --- predictions


def swept(size: int) -> object:
    """Predict so many rows at once."""
    scenario, ends = predictions.SWEEPS["processors"]
    return hecn.sweep(scenario, predictions.values(ends, size), grid=False)


def cases(folder: Path, count: int) -> None:
    """Write a table of cases for `hecn predict --cases`."""
    clocks = np.linspace(1e9, 5e9, count)
    rows = [f"b,b,lan-10ge,nuttcp,7200,{clock:.0f}\n" for clock in clocks]
    head = "sender,receiver,path,tool,tool.duration,receiver.cpu.clock\n"
    (folder / "cases.csv").write_text(head + "".join(rows), encoding="utf-8")


def predict_cases(folder: Path) -> None:
    """Predict every case, as the command does."""
    from hecn_analysis import cli  # noqa: PLC0415 (one curve needs it)

    with contextlib.redirect_stdout(io.StringIO()):
        status = cli.main(["predict", "--cases", str(folder / "cases.csv"), "--format", "csv"])
    if status:
        raise RuntimeError(f"hecn predict --cases: status {status}")


# --- purchases

TARGET, PURCHASE_PATH = "80 Gb/s", "sc11-100ge"


@functools.cache
def bought() -> frozenset[str]:
    """Give the parts that are bought of the whole catalogue: without some of them nothing may reach the target."""
    found = hecn.purchase(TARGET, path=PURCHASE_PATH, offers=offered(assume_prices=True))
    return frozenset(entry.part for entry in found.entries)


def offers(folder: Path, _: int) -> None:
    """Write down which parts stand first."""
    (folder / "bought.json").write_text(json.dumps(sorted(bought())), encoding="utf-8")


def purchase(folder: Path, size: int) -> object:
    """Buy of so many parts: kind by kind those of the catalogue, then the same at other prices."""
    first = json.loads((folder / "bought.json").read_text(encoding="utf-8"))
    known = offered(assume_prices=True).parts
    ordered = {kind: sorted(members, key=lambda name: name not in first) for kind, members in known.items()}
    random = np.random.default_rng(8)
    found: dict[str, dict[str, Part]] = {kind: {} for kind in known}
    for kind in itertools.islice(itertools.cycle(known), size):
        place = len(found[kind])
        name = ordered[kind][place % len(ordered[kind])]
        part = known[kind][name]
        if place >= len(ordered[kind]) and part.price is not None:
            price = part.price.model_copy(update={"value": part.price.value * random.uniform(0.7, 1.5)})
            part = part.model_copy(update={"price": price})
        found[kind][f"{name}-{place}"] = part
    return hecn.purchase(TARGET, path=PURCHASE_PATH, offers=Offers(found))


# --- the archive


def runs(count: int, first: int = 0) -> pd.DataFrame:
    """Give runs, as they are read of logs, over a month."""
    number = np.arange(first, first + count)
    rows = tables.make("runs", [{"source_file": "a.log", "run": 0, "tool": "nuttcp", "throughput_bps": 9.4e9}])
    many = rows.loc[rows.index.repeat(count)].reset_index(drop=True)
    start = pd.Timestamp("2026-01-01", tz="UTC") + pd.to_timedelta(number % 30 * 86400 + number // 30 % 86400, "s")
    tools = pd.array([("nuttcp", "iperf3", "ping")[one % 3] for one in number], dtype="string")
    return many.assign(run=pd.array(number, dtype="Int64"), tool=tools, start_time=start)


def archive_of_runs(folder: Path, count: int) -> None:
    """Fill an archive with runs, a thousand or more a unit."""
    place, unit = store.Archive(folder / "archive"), max(1000, count // 10)
    for first in range(0, count, unit):
        place.add(f"unit-{first}", {"runs": runs(min(unit, count - first), first)})


def ask(folder: Path) -> pd.DataFrame:
    """Ask for a figure of each tool and day."""
    question = "select tool, day, count(*) as runs, max(throughput_bps) as best from runs group by all order by all"
    return store.Archive(folder / "archive").query(question)


def add_units(folder: Path, count: int) -> None:
    """Add so many units, a run each, to an archive that was not there."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place, row = store.Archive(Path(name) / "archive"), runs(1)
        for number in range(count):
            place.add(f"unit-{number}", {"runs": row})


def archive_of_polls(folder: Path, readings: int) -> None:
    """Fill an archive with a day of polls of SNMP, in twenty units."""
    place, units = store.Archive(folder / "archive"), 20
    ports = max(10, readings // 2880)
    each = -(-readings // ports // units)
    for unit in range(units):
        place.add(f"unit-{unit}", {"samples": polls.readings(ports, each, first=unit * each)})


def compact(folder: Path, _: int) -> None:
    """Compact it, and put back what was there, so that it can be done again."""
    place = store.Archive(folder / "archive")
    place.compact()
    for made in (folder / "archive" / "generations").iterdir():
        made.unlink()


CURVES: dict[str, Curve] = {
    "files": Curve(
        "read a folder of logs of ten intervals, of four tools",
        "files",
        (100, 300, 1000, 3000, 10_000),
        many_files,
        lambda folder, _: hecn.read(folder),
    ),
    "lines": Curve(
        "read a log of nuttcp with all its intervals",
        "lines",
        (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000),
        long_log,
        lambda folder, _: hecn.read(folder / "long.log"),
    ),
    "lines-streamed": Curve(
        "read such a log for its runs alone",
        "lines",
        (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000),
        long_log,
        lambda folder, _: hecn.read(folder / "long.log", intervals=False),
    ),
    "walks": Curve(
        "read walks of SNMP as text",
        "readings",
        (500, 1500, 5000, 15_000, 50_000),
        walks,
        lambda folder, _: hecn.read_counters(folder / "walks.txt"),
    ),
    "samples": Curve(
        "rates, flags and percentiles of counter readings in Parquet files",
        "readings",
        (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000),
        parquet,
        lambda folder, _: counters.bulk.interfaces(folder, threads=1),
    ),
    "sweep": Curve(
        "predict scenarios at once (hecn.sweep)",
        "scenarios",
        (1000, 3000, 10_000, 30_000, 100_000, 300_000),
        lambda folder, size: None,  # noqa: ARG005 (nothing to be made)
        lambda _, size: swept(size),
    ),
    "cases": Curve(
        "predict the rows of a table (hecn predict --cases)",
        "scenarios",
        (10, 30, 100, 300, 1000),
        cases,
        lambda folder, _: predict_cases(folder),
    ),
    "sites": Curve(
        "predict the transfers of a site that come and go",
        "transfers",
        (100, 300, 1000, 3000, 10_000),
        lambda folder, size: None,  # noqa: ARG005 (nothing to be made)
        lambda _, size: predict_site(sites.campus(size)),
    ),
    "watched-series": Curve(
        "judge series of a month of hourly results (hecn watch)",
        "series",
        (3, 10, 30, 100, 300, 1000),
        lambda folder, size: None,  # noqa: ARG005 (nothing to be made)
        lambda _, size: statuses(watched.series(size, 720)),
    ),
    "watched-results": Curve(
        "judge one series of hourly results (hecn watch)",
        "results",
        (1000, 3000, 10_000, 30_000, 100_000),
        lambda folder, size: None,  # noqa: ARG005 (nothing to be made)
        lambda _, size: statuses(watched.series(1, size)),
    ),
    "purchase": Curve(
        "the cheapest purchase for 80 Gb/s",
        "parts on offer",
        (10, 30, 100, 300, 1000),
        offers,
        purchase,
    ),
    "units": Curve(
        "add units of one run to an archive, one after the other",
        "units",
        (10, 30, 100, 300, 1000),
        lambda folder, size: None,  # noqa: ARG005 (nothing to be made)
        add_units,
    ),
    "runs": Curve(
        "ask an archive for a figure of each tool and day",
        "runs",
        (10_000, 30_000, 100_000, 300_000, 1_000_000),
        archive_of_runs,
        lambda folder, _: ask(folder),
    ),
    "compact": Curve(
        "compact a day of polls in twenty units",
        "readings",
        (30_000, 100_000, 300_000, 1_000_000, 3_000_000),
        archive_of_polls,
        compact,
    ),
}


# --- measuring


def measured_here(curve: Curve, small: Path, folder: Path, size: int) -> dict[str, float]:
    """Do the job in this process, after the smallest one.

    Parameters
    ----------
    curve
        The job.
    small, folder
        Its input of the smallest and of that size, made.
    size
        Its size.

    Returns
    -------
    dict
        Processor time ``time_s`` [s], the most memory that it held beyond what was there ``added_bytes`` and in all
        ``peak_bytes`` [bytes], and how often it ran.
    """
    curve.job(small, curve.sizes[0])
    first, added, peak = harness.held(lambda: curve.job(folder, size))
    times = [first]
    while first < SHORT_S and len(times) < AGAIN:
        times.append(harness.processor_seconds(lambda: curve.job(folder, size)))
    return {
        "size": size,
        "time_s": statistics.median(times),
        "added_bytes": added,
        "peak_bytes": peak,
        "runs": len(times),
    }


def measured_apart(name: str, size: int) -> dict[str, float]:
    """Make an input and measure its job in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="hecn-growth-") as folder:
        inputs = [Path(folder) / "small", Path(folder) / "all"]
        for place, much in zip(inputs, (CURVES[name].sizes[0], size), strict=True):
            place.mkdir()
            CURVES[name].make(place, much)
        words = [sys.executable, "-m", "benchmarks.growth", "--measure", name, str(size), *map(str, inputs)]
        told = subprocess.run(words, capture_output=True, text=True, check=True, cwd=harness.ROOT).stdout
    found: dict[str, float] = json.loads(told.splitlines()[-1])
    return found


def main() -> int:
    """Measure, or be the process that measures one size."""
    parser = argparse.ArgumentParser(description="Time and memory against size.")
    parser.add_argument("--only", nargs="+", choices=CURVES, default=list(CURVES), metavar="CURVE", help=str([*CURVES]))
    parser.add_argument("--measure", nargs=4, metavar=("CURVE", "SIZE", "SMALL", "FOLDER"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        name, size, small, folder = asked.measure
        print(json.dumps(measured_here(CURVES[name], Path(small), Path(folder), int(size))))
        return 0
    found = {}
    for name in asked.only:
        curve, points = CURVES[name], []
        for size in track(curve.sizes, name):
            points.append(measured_apart(name, size))
            told = points[-1]
            print(
                f"{name:15} {size:>10,} {told['time_s']:9.3f} s  {told['added_bytes'] / 1e6:8.1f} MB beyond,"
                f" {told['peak_bytes'] / 1e6:8.1f} MB in all",
                flush=True,
            )
        found[name] = exponents.summary(curve.what, curve.unit, curve.reason, points) | {"machine": harness.machine()}
        known = harness.kept().get("growth", {}).get("curves", {})
        harness.keep("growth", {"curves": {**known, **found}})
        for amount, fitted in found[name]["fits"].items():  # type: ignore[attr-defined]
            if fitted["exponent"] is not None:
                print(f"{name:15} {amount}: n^{fitted['exponent']:.3f} ± {fitted['standard_error']:.3f}", flush=True)
    faults = list(exponents.too_fast(found))
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
