"""A model of what it takes to watch a national network: costs of each step, and the plan that follows from them.

Pollers read the counters of all ports and add each round to an archive; each archive is compacted once a day; workers
compute the 95th percentiles. A port costs the same wherever it is, so work is the cost of one port times ports, and
archives divide what must fit into memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hecn_analysis.traffic import bulk

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
