"""Counters to rates and percentiles: `traffic.bulk` against pandas, Polars, DuckDB and rrdtool on the same readings.

Readings of many interfaces lie in one Parquet file a day, sorted by interface, as an archive of them would. Ours tells
wraps from resets, looks for gaps, repeated readings and steps of the clock, puts the bytes on equal slots, and gives
four percentiles, peaks, volumes and counts of every flag. Of the peers, pandas, Polars and DuckDB difference the two
counters and take one percentile of each by interface; rrdtool is given the readings and keeps five-minute averages.
Where the readings are plain, all give the same percentiles, or nothing is timed.

`python -m benchmarks.counters --interfaces 10000 --polls 10000` times the size that the package was made for.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import harness
from benchmarks.harness import Pair, leave_out, processor_seconds
from hecn_analysis.traffic import bulk

INTERFACES, POLLS = 1000, 1000
STEP_S = 300
POLLS_A_DAY = 24 * 3600 // STEP_S
ROW_GROUP = 122_880
PORTS_A_HOST = 100
TARGET, TARGET_RRDTOOL = 1.5, 1 / 50


def write(folder: Path, interfaces: int, polls: int, *, seed: int = 1, plain: bool = False) -> None:
    """Write readings, one file a day.

    Some readings are repeated, some hosts restart, one port in twenty has 32-bit counters that wrap; with `plain` none,
    and the polls come to the second.
    """
    random = np.random.default_rng(seed)
    number = np.arange(interfaces)
    hosts = pa.array([f"switch{host:03}" for host in range(-(-interfaces // PORTS_A_HOST))])
    names = pa.array([f"Ethernet{port}" for port in range(min(PORTS_A_HOST, interfaces))])
    narrow = (number % 20 == 0) & (not plain)
    speed = np.where(narrow, 100e6, 10e9)
    load = speed / 8 * random.uniform(0.01, 0.6, interfaces)
    counters = {name: random.integers(0, 2**31, interfaces).astype(np.uint64) for name in ("in", "out")}
    boot = np.repeat(-random.uniform(1e5, 1e7, len(hosts)), PORTS_A_HOST)[:interfaces]
    begin = pd.Timestamp("2026-01-01", tz="UTC").value
    for day, first in enumerate(range(0, polls, POLLS_A_DAY)):
        poll = np.arange(first, min(first + POLLS_A_DAY, polls))
        shape = (interfaces, len(poll))
        jitter = 0 if plain else random.integers(-(10**9), 10**9, shape)
        moment = np.broadcast_to(poll * STEP_S * 10**9, shape) + jitter
        hour = 0.6 + 0.4 * np.sin(poll * STEP_S / 86400 * 2 * np.pi)
        columns = {}
        restart = random.random(len(hosts)) < (0.0 if plain else 0.02)
        at = int(random.integers(1, max(len(poll), 2)))
        again = np.repeat(restart, PORTS_A_HOST)[:interfaces]
        up = np.where(
            again[:, None] & (np.arange(len(poll)) >= at), moment * 1e-9 - (poll[at % len(poll)] * STEP_S - 100), 0
        )
        up = np.where(up > 0, up, moment * 1e-9 - boot[:, None])
        boot = np.where(again, poll[at % len(poll)] * STEP_S - 100, boot)
        for name, value in counters.items():
            amount = (load[:, None] * hour * random.uniform(0.2, 1.4, shape) * STEP_S).astype(np.uint64)
            total = value[:, None] + np.cumsum(amount, axis=1, dtype=np.uint64)
            if again.any():
                total[again, at:] -= total[again, at : at + 1]
            total[narrow] &= np.uint64(2**32 - 1)
            counters[name] = total[:, -1]
            columns[name] = total.ravel()
        each = np.repeat(number, len(poll)).astype(np.int32)
        table = pa.table(
            {
                "host": pa.DictionaryArray.from_arrays(each // PORTS_A_HOST, hosts),
                "interface": pa.DictionaryArray.from_arrays(each % PORTS_A_HOST, names),
                "time": pa.array(moment.ravel() + begin, pa.timestamp("ns", "UTC")),
                "in_octets": pa.array(columns["in"].astype(np.int64)),
                "out_octets": pa.array(columns["out"].astype(np.int64)),
                "counter_bits": pa.array(np.where(narrow, 32, 64)[each]),
                "speed_bps": pa.array(speed[each]),
                "uptime_s": pa.array(np.round(up.ravel(), 2)),
            }
        )
        if not plain:
            twice = np.arange(table.num_rows)
            table = table.take(np.sort(np.r_[twice, random.choice(twice, len(twice) // 10_000)]))
        pq.write_table(table, folder / f"day-{day:03}.parquet", row_group_size=ROW_GROUP)


def with_pandas(folder: Path) -> pd.DataFrame:
    """Difference and percentile with pandas."""
    columns = ["host", "interface", "time", "in_octets", "out_octets"]
    table = pd.concat([pd.read_parquet(path, columns=columns) for path in sorted(folder.iterdir())], ignore_index=True)
    keys = [table[name].astype("category") for name in ("host", "interface")]
    seconds = table["time"].groupby(keys, observed=True, sort=False).diff().dt.total_seconds()
    rates = {
        name: table[f"{name}_octets"].groupby(keys, observed=True, sort=False).diff() * 8 / seconds
        for name in ("in", "out")
    }
    groups = pd.DataFrame(rates).groupby(keys, observed=True)
    return groups.quantile(0.95, interpolation="nearest").sort_index().reset_index()


def with_polars(folder: Path) -> pd.DataFrame:
    """Difference and percentile with Polars."""
    import polars as pl  # noqa: PLC0415 - a peer

    seconds = pl.col("time").diff().dt.total_nanoseconds() * 1e-9
    rates = [
        (pl.col(f"{name}_octets").diff() * 8 / seconds).quantile(0.95, "nearest").alias(name) for name in ("in", "out")
    ]
    table = pl.scan_parquet(str(folder / "*.parquet")).group_by("host", "interface").agg(rates).collect()
    return table.sort("host", "interface").to_pandas()


def with_duckdb(folder: Path) -> pd.DataFrame:
    """Difference and percentile with DuckDB."""
    import duckdb  # noqa: PLC0415 - a peer

    window = "over (partition by host, interface order by time)"
    seconds = f"(epoch_ns(time) - lag(epoch_ns(time)) {window}) / 1e9"
    rates = ", ".join(
        f"({name}_octets - lag({name}_octets) {window}) * 8 / ({seconds}) as {name}_bps" for name in ("in", "out")
    )
    query = f"""
        select host, interface, quantile_disc(in_bps, 0.95) as "in", quantile_disc(out_bps, 0.95) as "out"
        from (select host, interface, {rates} from read_parquet('{folder}/*.parquet'))
        group by all order by all"""  # noqa: S608 - our own words
    with duckdb.connect(config={"threads": harness.threads}) as connection:
        return connection.sql(query).df()


def with_ours(folder: Path) -> pd.DataFrame:
    """Rates with all flags, and everything that is summarised."""
    return bulk.interfaces(folder, threads=harness.threads)


PEERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "pandas groupby": with_pandas,
    "Polars": with_polars,
    "DuckDB": with_duckdb,
}


def assert_same_percentiles(folder: Path) -> None:
    """Refuse to time jobs that are not the same, on readings that need no rules."""
    ours = with_ours(folder).astype({"host": str, "interface": str})
    assert ours["missing_slots"].max() == 0  # noqa: S101
    for name, peer in PEERS.items():
        both = ours.merge(peer(folder).astype({"host": str, "interface": str}), on=["host", "interface"])
        assert len(both) == len(ours), name  # noqa: S101
        for direction in ("in", "out"):
            # "nearest" may take the neighbour of the nearest rank
            close = (both[f"p95_{direction}_bps"] / both[direction].astype(float) - 1).abs() < 0.05
            assert close.all(), name  # noqa: S101


def rrdtool_update(folder: Path, readings: int) -> Callable[[], object]:
    """Give a job that updates one RRD a port with its readings, through one rrdtool that is fed by a pipe."""
    columns = ["host", "interface", "time", "in_octets", "out_octets"]
    table = pd.read_parquet(min(folder.iterdir()), columns=columns).drop_duplicates(columns[:3]).head(readings)
    commands, place = [], Path(tempfile.mkdtemp(prefix="hecn-bench-rrd-"))
    for (host, interface), part in table.groupby(["host", "interface"], observed=True, sort=False):
        seconds = part["time"].astype("datetime64[ns, UTC]").astype("int64").to_numpy() // 10**9
        name = place / f"{host}-{interface}.rrd"
        sources = " ".join(f"DS:{d}:DERIVE:600:0:U" for d in ("in", "out"))
        commands.append(f"create {name} --start {seconds[0] - 1} --step 300 {sources} RRA:AVERAGE:0.5:1:10000")
        rows = zip(seconds, part["in_octets"], part["out_octets"], strict=True)
        commands += [f"update {name} {second}:{ins}:{outs}" for second, ins, outs in rows]
    text = "\n".join([*commands, "quit", ""])

    def job() -> None:
        done = subprocess.run(["rrdtool", "-"], input=text, capture_output=True, text=True, check=True)
        wrong = [line for line in done.stdout.splitlines() if line.startswith("ERROR")]
        assert len(wrong) <= len(table) // 100, wrong[0]  # noqa: S101 - polls of one second

    job.folder = place  # type: ignore[attr-defined]
    return job


@contextmanager
def pairs(interfaces: int = INTERFACES, polls: int = POLLS) -> Iterator[list[Pair]]:
    """Give the pairs of this benchmark while their files are there."""
    with tempfile.TemporaryDirectory(prefix="hecn-bench-") as name:
        folder, small = Path(name) / "all", Path(name) / "plain"
        for place in (folder, small):
            place.mkdir()
        write(small, 100, 600, plain=True)
        assert_same_percentiles(small)
        write(folder, interfaces, polls)
        label = f"bulk.interfaces ({interfaces * polls:.0e} readings)"
        found = [
            Pair(label, peer, lambda: with_ours(folder), lambda job=job: job(folder), target=TARGET, most_rounds=5)  # type: ignore[misc]
            for peer, job in PEERS.items()
        ]
        if shutil.which("rrdtool") is None:
            leave_out("rrdtool is left out: it is not installed")
            yield found
            return
        readings = min(20_000, interfaces * min(polls, POLLS_A_DAY))
        update = rrdtool_update(folder, readings)
        each = interfaces * polls / readings  # rrdtool's time is that of a part of the readings

        def scaled(job: Callable[[], object]) -> float:
            return processor_seconds(job) * (each if job is update else 1.0)

        try:
            yield [
                *found,
                Pair(
                    label,
                    f"rrdtool update ({readings} readings, scaled)",
                    lambda: with_ours(folder),
                    update,
                    target=TARGET_RRDTOOL,
                    take=scaled,
                    most_rounds=5,
                ),
            ]
        finally:
            shutil.rmtree(update.folder, ignore_errors=True)  # type: ignore[attr-defined]


def main() -> None:
    """Time each job once, in turn, at a size that is asked for."""
    parser = argparse.ArgumentParser(description="Time counters to rates and percentiles.")
    parser.add_argument("--interfaces", type=int, default=INTERFACES)
    parser.add_argument("--polls", type=int, default=POLLS)
    parser.add_argument("--folder", type=Path, help="where the readings are, or are written to and kept")
    parser.add_argument("--jobs", nargs="*", default=["ours", *PEERS], choices=["ours", *PEERS])
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hecn-bench-")))
        if not folder.is_dir() or not any(folder.iterdir()):
            folder.mkdir(exist_ok=True)
            write(folder, arguments.interfaces, arguments.polls)
        jobs = {"ours": with_ours, **PEERS}
        for name in arguments.jobs:
            start = time.perf_counter()
            rows = len(jobs[name](folder))
            seconds = time.perf_counter() - start
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
            print(f"{name:16} {seconds:8.2f} s  {rows} interfaces, at most {memory:.2f} GB until here", flush=True)


if __name__ == "__main__":
    main()
