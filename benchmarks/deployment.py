"""The costs of watching a national network, measured here, and a small run to check its model.

`python -m benchmarks.deployment` measures the costs on days of a few hundred ports, with the polling where snmpd and
network namespaces are available, and compares `deployment_model` with a run with other numbers of ports and days on
two workers of a Dask cluster.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks import harness, polls
from benchmarks.deployment_model import DAY_S, Costs, Line, Network, plan
from hecn_analysis.archive.store import Archive
from hecn_analysis.live import snmp
from hecn_analysis.traffic import bulk
from hecn_analysis.traffic.sample_files import row_groups

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
