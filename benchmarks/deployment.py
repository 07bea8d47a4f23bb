"""What it takes to watch a national network: a model, its costs measured here, and a small run to check it.

Pollers read the counters of all ports again and again (`hecn snmp poll`) and add each round to an archive; once a day
each archive is compacted; the workers of a Dask cluster work out 95th percentiles (`hecn traffic --dask`). A port costs
the same wherever it is, so work is what one port costs times ports, and archives divide what must fit into memory.

`python -m benchmarks.deployment` measures the costs on days of a few hundred ports, with the polling where snmpd and
network namespaces are to be had, and holds the model to a run with other numbers of ports and days on two workers.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import math
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks import harness, polls
from hecn_analysis.archive.store import Archive
from hecn_analysis.live import snmp
from hecn_analysis.traffic import bulk
from hecn_analysis.traffic.sample_files import row_groups

#: Part of a core that may be planned for: the rest is for the system, for rounds that come at once, and for luck.
BUSY = 0.6

#: Rows of a day's file that are read together, where it lies port by port.
GROUP_ROWS = 131_072

#: A share is made larger until its workers read no more than so many times what they need, as `bulk.shares` does.
READ_TWICE = 1.6

DAY_S = 86400.0


@dataclass(frozen=True)
class Line:
    """A cost that grows along a line: what is there once, and what each adds."""

    once: float
    each: float

    def at(self, number: float) -> float:
        """Give the cost of so many."""
        return self.once + self.each * number


@dataclass(frozen=True)
class Costs:
    """What a machine takes for each step.

    Attributes
    ----------
    poll_s
        Processor time of one round of a poller, by ports; None: not measured. [s]
    add_s
        Processor time of adding a round to an archive, by readings. [s]
    round_bytes
        Disk of a round before compaction, by readings. [bytes]
    compact_s
        Processor time of compacting a day, by readings. [s]
    compact_bytes
        Memory of that. [bytes]
    day_bytes
        Disk of a day after compaction, by readings. [bytes]
    read_s
        Processor time of reading rows, by rows that are read. [s]
    query_s
        Processor time of rates, flags and percentiles, by readings. [s]
    worker_bytes
        Memory of a worker, by readings of a share. [bytes]
    """

    poll_s: Line | None
    add_s: Line
    round_bytes: Line
    compact_s: Line
    compact_bytes: Line
    day_bytes: Line
    read_s: Line
    query_s: Line
    worker_bytes: Line


@dataclass(frozen=True)
class Network:
    """What is watched.

    Attributes
    ----------
    ports
        How many.
    interval_s
        From one poll to the next. [s]
    days
        How long it is kept.
    """

    ports: int
    interval_s: float
    days: float


@dataclass(frozen=True)
class Plan:
    """What it takes.

    Attributes
    ----------
    samples
        Readings that are kept.
    samples_per_s
        Readings that come. [1/s]
    archives
        Archives, so that each day of one can be compacted in memory.
    pollers
        Pollers, each a process on one core that must be through with a round before the next one.
    archive_day_bytes
        Disk of a day of one archive. [bytes]
    written_bytes_per_s
        What is written as it comes, before compaction. [bytes/s]
    storage_bytes
        Disk of all that is kept, and of a day that is not compacted yet. [bytes]
    poller_cores
        Cores that poll; NaN where that was not measured.
    adding_cores, compacting_cores
        Cores that add rounds, and that compact.
    share_readings, read_times
        Readings of a share of the percentiles, and how many rows are read for each of them.
    query_core_s
        Processor time of the percentiles. [s]
    workers
        Workers of a core each that answer within the time that was asked for.
    worker_bytes
        Memory of each. [bytes]
    query_s
        Time of the answer with so many workers. [s]
    query_bytes_per_s
        What the storage has to give them. [bytes/s]
    """

    samples: float
    samples_per_s: float
    archives: int
    pollers: int
    archive_day_bytes: float
    written_bytes_per_s: float
    storage_bytes: float
    poller_cores: float
    adding_cores: float
    compacting_cores: float
    share_readings: float
    read_times: float
    query_core_s: float
    workers: int
    worker_bytes: float
    query_s: float
    query_bytes_per_s: float


def shares(network: Network, ports: float, days: float, *, in_order: bool = True) -> tuple[float, float]:
    """Work out the shares of percentiles: readings of one, and how many rows are read for each reading.

    Parameters
    ----------
    network
        What is watched.
    ports
        Ports of an archive.
    days
        Days that percentiles are of.
    in_order
        Whether the rows of a day's file lie port by port; else each share reads all of it.

    Notes
    -----
    A share holds whole ports. In order, the rows of its ports are a run in each day's file, and a group of rows in
    which one share ends and the next begins is read by both.

    Examples
    --------
    >>> size, times = shares(Network(10_000, 30, 30), 10_000, 30)
    >>> round(size / 1e6, 1), round(times, 2)
    (7.9, 1.49)
    """
    of_port = DAY_S / network.interval_s
    held = count = times = 1.0
    for most in bulk.SHARE_ROWS:
        held = min(max(1.0, most // (of_port * days)), ports)
        count = math.ceil(ports / held)
        times = min(count, 1 + (count - 1) * GROUP_ROWS / (ports * of_port)) if in_order else count
        if times <= READ_TWICE:
            break
    return held * of_port * days, times


def plan(
    network: Network,
    costs: Costs,
    *,
    asked_days: float = 30.0,
    answer_s: float = 3600.0,
    memory_bytes: float = 24e9,
    in_order: bool = True,
) -> Plan:
    """Work out what a network takes.

    Parameters
    ----------
    network
        What is watched.
    costs
        What a machine like that of the workers takes for each step.
    asked_days
        Days that percentiles are of.
    answer_s
        Time within which they are to be there. [s]
    memory_bytes
        Memory of a machine that compacts. [bytes]
    in_order
        As in `shares`.

    Notes
    -----
    Processor time of cores counts as `BUSY` of theirs; a core of another machine may take twice as long or half.
    Storage and network are taken for as fast as the plan says they must be.

    Examples
    --------
    >>> costs = Costs(Line(0, 5e-3), Line(0, 1e-6), Line(0, 40), Line(0, 3e-6), Line(0, 500), Line(0, 30),
    ...               Line(0, 2e-7), Line(0, 5e-7), Line(2e8, 200))
    >>> found = plan(Network(100_000, 30, 365), costs)
    >>> round(found.samples / 1e9, 2), round(found.samples_per_s), found.archives
    (105.12, 3333, 10)
    >>> round(found.poller_cores, 1), found.workers, round(found.storage_bytes / 1e12, 2)
    (27.8, 4, 3.17)
    """
    rounds_a_day = DAY_S / network.interval_s
    a_day = network.ports * rounds_a_day
    most_a_day = (memory_bytes * BUSY - costs.compact_bytes.once) / costs.compact_bytes.each
    archives = max(1, math.ceil(a_day / most_a_day))
    ports, per_archive = network.ports / archives, a_day / archives
    day_bytes = costs.day_bytes.at(per_archive)
    pollers = archives
    if costs.poll_s is not None:
        most = (network.interval_s * BUSY - costs.poll_s.once) / costs.poll_s.each
        pollers = max(archives, math.ceil(network.ports / most))
    polled_by_one = network.ports / pollers
    rounds_bytes = pollers * costs.round_bytes.at(polled_by_one)
    asked = a_day * min(asked_days, network.days)
    share, times = shares(network, ports, min(asked_days, network.days), in_order=in_order)
    work = costs.read_s.each * asked * times + costs.query_s.at(asked)
    workers = max(1, math.ceil(work / BUSY / answer_s))
    query_s = work / BUSY / workers
    polling = math.nan if costs.poll_s is None else costs.poll_s.at(polled_by_one)
    return Plan(
        samples=a_day * network.days,
        samples_per_s=network.ports / network.interval_s,
        archives=archives,
        pollers=pollers,
        archive_day_bytes=day_bytes,
        written_bytes_per_s=rounds_bytes / network.interval_s,
        storage_bytes=archives * day_bytes * network.days + rounds_bytes * rounds_a_day,
        poller_cores=pollers * polling / network.interval_s / BUSY,
        adding_cores=pollers * costs.add_s.at(polled_by_one) / network.interval_s / BUSY,
        compacting_cores=archives * costs.compact_s.at(per_archive) / DAY_S / BUSY,
        share_readings=share,
        read_times=times,
        query_core_s=work,
        workers=workers,
        worker_bytes=costs.worker_bytes.at(share),
        query_s=query_s,
        query_bytes_per_s=times * archives * day_bytes * min(asked_days, network.days) / query_s,
    )


# --- measuring

#: Days of an archive that costs are fitted to: ports, and rounds in a day.
SIZES = ((50, 300), (50, 960), (150, 960), (150, 2880), (400, 2880))

#: Ports of a round that is added, and how many rounds.
ROUNDS, ADDED = (50, 150, 500, 1500, 5000), 10

#: Ports of an agent that is polled, in pairs of virtual devices beside the loopback.
POLLED = (3, 11, 31, 101, 201)

#: What the model is held to: ports and days, with a poll each 30 s.
CHECK = Network(200, polls.INTERVAL_S, 10)

#: Time for which its workers are watched while they do nothing. [s]
IDLE_S = 30.0

#: Rounds of it that are added one by one: those of the first two hours.
BY_ROUND = 240


def line(numbers: Sequence[float], amounts: Sequence[float]) -> Line:
    """Fit a line, errors taken as parts of the amounts; its foot is not below 0.

    Examples
    --------
    >>> found = line([10, 20, 40], [7, 12, 22])
    >>> round(found.once, 6), round(found.each, 6)
    (2.0, 0.5)
    """
    weight = 1 / np.asarray(amounts)
    columns = np.column_stack([np.ones(len(numbers)), numbers]) * weight[:, None]
    once, each = np.linalg.lstsq(columns, np.asarray(amounts) * weight, rcond=None)[0]
    if once < 0:
        once, each = 0.0, np.linalg.lstsq(columns[:, 1:], np.asarray(amounts) * weight, rcond=None)[0][0]
    return Line(float(once), float(each))


def bytes_of(folder: Path) -> int:
    """Give what the files of a folder hold [bytes]."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def day(ports: int, rounds: int, folder: Path) -> dict[str, float]:
    """Add a day to an archive in twelve units, and compact it, in this process.

    Parameters
    ----------
    ports, rounds
        How many.
    folder
        Where the archive is to be.
    """
    _small(folder.parent / "small")
    archive = Archive(folder)
    units = 12
    each = rounds // units
    for number in range(units):
        archive.add(f"unit-{number}", {"samples": polls.readings(ports, each, first=number * each)})
    compact_s, compact_bytes, _ = harness.held(lambda: archive.compact(grace_s=-1.0))
    return {
        "ports": ports,
        "rounds": each * units,
        "samples": ports * each * units,
        "compact_s": compact_s,
        "compact_bytes": compact_bytes,
        "day_bytes": bytes_of(folder),
    }


def rounds_of(ports: int) -> dict[str, float]:
    """Add rounds one by one to an archive, in this process.

    Parameters
    ----------
    ports
        Readings of a round.
    """
    with tempfile.TemporaryDirectory(prefix="hecn-deployment-") as name:
        _small(Path(name) / "small")
        archive, took = Archive(Path(name) / "archive"), 0.0
        for number in range(ADDED):
            rows = {"samples": polls.readings(ports, 1, first=number)}
            took += harness.processor_seconds(functools.partial(archive.add, f"round-{number}", rows))
        return {"ports": ports, "add_s": took / ADDED, "round_bytes": bytes_of(archive.folder) / ADDED}


def query(folder: Path) -> dict[str, float]:
    """Ask an archive for its percentiles, in this process.

    Parameters
    ----------
    folder
        The archive.
    """
    with tempfile.TemporaryDirectory(prefix="hecn-deployment-") as name:
        _small(Path(name))
        bulk.interfaces(Path(name) / "samples", threads=1)
    query_s, _, peak = harness.held(lambda: bulk.interfaces(folder / "samples", threads=1))
    groups = [group for path in sorted((folder / "samples").rglob("*.parquet")) for group in row_groups(str(path))]
    one_port = bulk.Share(
        0, tuple((group.path, group.number, group.rows) for group in groups), frozenset(groups[0].keys[:1])
    )
    read_s = harness.processor_seconds(lambda: bulk.work(one_port, bulk.Settings()))  # reads all rows for one port
    return {"query_s": max(query_s - read_s, 0.0), "read_s": read_s, "worker_bytes": peak}


def _small(folder: Path) -> None:
    """Add and compact a little, so that modules are loaded."""
    small = Archive(folder)
    for number in range(2):
        small.add(f"unit-{number}", {"samples": polls.readings(10, 20, first=20 * number)})
    small.compact()


def days() -> list[dict[str, float]]:
    """Measure days of all sizes, and what their percentiles take, each in a process of its own."""
    found = []
    for ports, rounds in SIZES:
        with tempfile.TemporaryDirectory(prefix="hecn-deployment-") as name:
            folder = str(Path(name) / "archive")
            found.append(apart("--day", str(ports), str(rounds), folder) | apart("--query", folder))
    return found


@contextmanager
def agent(pairs: int) -> Iterator[tuple[str, int]]:
    """Run snmpd in a network namespace with so many pairs of virtual devices; give the namespace and the port.

    Parameters
    ----------
    pairs
        How many.

    Raises
    ------
    CalledProcessError
        Namespaces are not permitted.
    """
    space, number = f"hecn-{secrets.token_hex(3)}", 1161
    run = lambda *words: subprocess.run(["ip", *words], check=True, capture_output=True)
    run("netns", "add", space)
    try:
        run("-n", space, "link", "set", "lo", "up")
        for pair in range(pairs):
            run("-n", space, "link", "add", f"a{pair}", "type", "veth", "peer", "name", f"b{pair}")
        with tempfile.TemporaryDirectory(prefix="hecn-agent-") as folder:
            conf = Path(folder) / "snmpd.conf"
            conf.write_text(f"agentaddress udp:127.0.0.1:{number}\nrocommunity seldom 127.0.0.1\n", encoding="utf-8")
            words = ["ip", "netns", "exec", space, "snmpd", "-f", "-Ln", "-C", "-c", str(conf)]
            daemon = subprocess.Popen(words, env={**os.environ, "SNMP_PERSISTENT_DIR": folder})
            try:
                time.sleep(3)
                yield space, number
            finally:
                daemon.terminate()
                daemon.wait()
    finally:
        run("netns", "del", space)


def polled(number: int) -> dict[str, float]:
    """Poll an agent here three times, and give the median processor time of a round.

    Parameters
    ----------
    number
        Its port.
    """
    asked = [snmp.Agent("127.0.0.1", number, snmp.Credentials.of({"version": "2c", "community": "seldom"}, ""))]
    times, ports = [], 0
    for _ in range(4):
        start = time.process_time()
        ports = len(asyncio.run(snmp.poll(asked, timeout_s=10.0)).samples)
        times.append(time.process_time() - start)
    return {"ports": ports, "poll_s": float(np.median(times[1:]))}


def apart(*words: str, space: str | None = None) -> dict[str, float]:
    """Measure in a process of its own, in a network namespace where one is named."""
    before = [] if space is None else ["ip", "netns", "exec", space]
    command = [*before, sys.executable, "-m", "benchmarks.deployment", *words]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=harness.ROOT).stdout
    found: dict[str, float] = json.loads(told.splitlines()[-1])
    print(json.dumps(found), flush=True)
    return found


def polling() -> list[dict[str, float]]:
    """Measure polling, where there are namespaces and an agent."""
    if shutil.which("snmpd") is None or shutil.which("ip") is None or os.geteuid() != 0:
        harness.leave_out("polling is left out: it needs root, ip and snmpd")
        return []
    found = []
    for ports in POLLED:
        with agent((ports - 1) // 2) as (space, number):
            found.append(apart("--poll", str(number), space=space))
    return found


def fitted(
    of_days: Sequence[dict[str, float]], added: Sequence[dict[str, float]], polled_at: Sequence[dict[str, float]]
) -> Costs:
    """Fit costs to what was measured.

    Parameters
    ----------
    of_days
        Of `days`.
    added
        Of `rounds_of`.
    polled_at
        Of `polled`; empty where nothing could be polled.
    """
    by = lambda number, amount: line([one[number] for one in of_days], [one[amount] for one in of_days])
    of_round = lambda amount: line([one["ports"] for one in added], [one[amount] for one in added])
    return Costs(
        poll_s=line([one["ports"] for one in polled_at], [one["poll_s"] for one in polled_at]) if polled_at else None,
        add_s=of_round("add_s"),
        round_bytes=of_round("round_bytes"),
        compact_s=by("samples", "compact_s"),
        compact_bytes=by("samples", "compact_bytes"),
        day_bytes=by("samples", "day_bytes"),
        read_s=by("samples", "read_s"),
        query_s=by("samples", "query_s"),
        worker_bytes=by("samples", "worker_bytes"),
    )


def check(network: Network) -> dict[str, float]:
    """Do it, smaller: add some rounds one by one and the others by the hour, compact, and ask two workers of Dask.

    Parameters
    ----------
    network
        What is watched.
    """
    from distributed import Client, LocalCluster  # noqa: PLC0415 (a second, for those who need it)

    rounds_a_day = round(DAY_S / network.interval_s)
    hour = rounds_a_day // 24
    with tempfile.TemporaryDirectory(prefix="hecn-deployment-") as name:
        archive = Archive(Path(name) / "archive")
        adding, first = 0.0, 0
        rounds = rounds_a_day * round(network.days)
        while first < rounds:
            unit = 1 if first < BY_ROUND else min(hour, rounds - first)
            rows = {"samples": polls.readings(network.ports, unit, first=first)}
            took = harness.processor_seconds(functools.partial(archive.add, f"round-{first}", rows))
            first += unit
            if first <= BY_ROUND:
                adding += took
                rounds_bytes = bytes_of(archive.folder) if first == BY_ROUND else 0
        compact_s = harness.processor_seconds(lambda: archive.compact(grace_s=-1.0))
        kept = bytes_of(archive.folder)
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,  # type: ignore[no-untyped-call]
            Client(cluster) as client,  # type: ignore[no-untyped-call]
        ):
            small = Path(name) / "small"
            _small(small)
            client.run(_ask, str(small))  # modules are loaded once
            used = lambda: sum(client.run(time.process_time).values())
            before = used()
            time.sleep(IDLE_S)
            idle = (used() - before) / IDLE_S  # what workers take while they have nothing to do
            before, start = used(), time.perf_counter()
            found = bulk.interfaces(archive.folder / "samples", dask=cluster.scheduler_address)
            wall = time.perf_counter() - start
            query_s = used() - before
            memory = max(client.run(harness.resident, "VmHWM").values())
    return {
        "ports_found": len(found),
        "samples": network.ports * rounds,
        "round_s": adding / BY_ROUND,
        "rounds_bytes": rounds_bytes,
        "compact_s": compact_s,
        "kept_bytes": kept,
        "query_s": query_s - idle * wall,
        "idle_s": idle * wall,
        "query_wall_s": wall,
        "worker_bytes": memory,
    }


def _ask(folder: str) -> int:
    """Ask an archive for percentiles, in a worker."""
    return len(bulk.interfaces(Path(folder) / "samples", threads=1))


def expected(network: Network, costs: Costs) -> dict[str, float]:
    """Give what the model says of that run, by the same names.

    Parameters
    ----------
    network
        What is watched.
    costs
        As fitted.
    """
    a_day = network.ports * DAY_S / network.interval_s
    found = plan(network, costs, asked_days=network.days)
    return {
        "round_s": costs.add_s.at(network.ports),
        "rounds_bytes": BY_ROUND * costs.round_bytes.at(network.ports),
        "compact_s": network.days * costs.compact_s.at(a_day),
        "kept_bytes": network.days * costs.day_bytes.at(a_day),
        "query_s": found.query_core_s,
        "worker_bytes": found.worker_bytes,
    }


def main() -> int:
    """Measure, fit, check and keep."""
    parser = argparse.ArgumentParser(description="Costs of a deployment, measured, and a small run to check them.")
    parser.add_argument("--day", nargs=3, metavar=("PORTS", "ROUNDS", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, metavar="PORTS", help=argparse.SUPPRESS)
    parser.add_argument("--query", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--poll", type=int, metavar="PORT", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.day:
        ports, rounds, folder = asked.day
        print(json.dumps(day(int(ports), int(rounds), Path(folder))))
        return 0
    for one, job in ((asked.query, query), (asked.poll, polled), (asked.rounds, rounds_of)):
        if one is not None:
            print(json.dumps(job(one)))
            return 0
    polled_at, of_days = polling(), days()
    added = [apart("--rounds", str(ports)) for ports in ROUNDS]
    costs = fitted(of_days, added, polled_at)
    measured = check(CHECK)
    print(json.dumps(measured))
    found = {
        "days": of_days,
        "rounds": added,
        "polled": polled_at,
        "costs": asdict(costs),
        "check": {"network": asdict(CHECK), "measured": measured, "expected": expected(CHECK, costs)},
        "left_out": harness.left_out,
    }
    harness.keep("deployment", found)
    for name, amount in found["check"]["expected"].items():  # type: ignore[index]
        print(f"{name}: expected {amount:.4g}, measured {measured[name]:.4g}, {measured[name] / amount:.2f} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
