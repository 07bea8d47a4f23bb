"""Readers of counters of interfaces: SNMP, MRTG, PRTG, RRD, and the counters of hosts.

`read_counters` takes files and folders and gives the tables of samples, interfaces, rates and problems, and recognises
what wrote them. `registry` lists the readers, `contract` says what a reader is, `summary` makes the table of
interfaces; every other module is the reader of one format, with its units and traps in its docstring.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd

from hecn_analysis.archive.selection import Selection, split_archives, tables_of
from hecn_analysis.base import tables
from hecn_analysis.counters import registry
from hecn_analysis.counters.clock import Clock
from hecn_analysis.counters.contract import CounterFindings, Counters
from hecn_analysis.counters.graphs import mrtg_config
from hecn_analysis.counters.summary import from_tables, interfaces, rates
from hecn_analysis.files.documents import Document, documents
from hecn_analysis.traffic.rates import DISPLAY_CEILINGS, flag_ceilings

__all__ = ["Counters", "read_counters"]

UNRECOGNISED = (
    "a file as snmpwalk, MRTG, PRTG, rrdtool, sar, node_exporter, 'ip -s link' or one of some thirty other programs "
    "write it"
)


def read_counters(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    time_zone: str | None = None,
    host: str | None = None,
    progress: bool = False,
    hint: Callable[[Document], str] | None = None,
) -> Counters:
    """Read counters of interfaces, whatever wrote them.

    Nothing in a file makes this raise: what cannot be used is a row of `Counters.problems`, and the rest is still read.

    Parameters
    ----------
    paths
        A file or a folder, or several. Folders are walked in sorted order. Files may be compressed or archives. An
        archive of ours, or a part of it (``ARCHIVE?host=sw1``), gives the counters that were added to it.
    time_zone
        Name of the time zone of the clock by which files were written that have local times and do not say where, such
        as ``Europe/Berlin``. Without it such times are taken as UTC, and a problem says so.
    host
        Name of the host of files that do not name theirs. Without it each of these files counts as a host of its own.
        What an archive holds keeps its names.
    progress
        Show a bar on the standard error when it is a terminal and reading takes longer than a second.
    hint
        Gives the end of the message about a file that no reader knows; by default, the message has none.

    Returns
    -------
    Counters
        Tables ``samples``, ``interfaces``, ``rates`` and ``problems`` with the columns of
        `hecn_analysis.base.tables.COLUMNS`, whose names end with their units, and ``sources``, a mapping for each file.

    Raises
    ------
    InputError
        There is no such time zone, or a single path does not exist.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> found = read_counters(data_dir() / "counters" / "session" / "port1.log")
    >>> round(found.rates["in_bps"].max() / 1e6), round(found.rates["interval_s"].max())
    (283, 300)
    """
    clock = Clock.named(time_zone)
    archived, others = split_archives(paths)
    files = [
        read_document(document, clock, hint=partial(hint, document) if hint else str)
        for document in documents(others, knows=registry.recognises, progress=progress)
    ]
    return joined(files, host=host, archived=archived)


def read_document(document: Document, clock: Clock, *, hint: Callable[[], str]) -> list[CounterFindings]:
    r"""Read one file. Nothing in it raises.

    Parameters
    ----------
    document
        The file.
    clock
        The clock of local times.
    hint
        Gives the end of the message about a file in which no reader knows anything.

    Returns
    -------
    list of CounterFindings
        The problems of the file as a whole, then what each of its readers found, not checked yet.

    Examples
    --------
    >>> walk = Document("walk.txt", b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n")
    >>> [(part.format, len(part.samples)) for part in read_document(walk, Clock(), hint=str)]
    [(None, 0), ('snmpwalk', 1)]
    """
    file, own = CounterFindings(document.source_file), registry.read(document, clock)
    file.stored(document.problems)
    if not own:
        file.unrecognised("no counters that a reader knows", UNRECOGNISED, hint)
    for part in own:
        if part.ceiling_bps is None and part.rates:
            part.ceiling_bps = _quoted_ceiling(document)
    return [file, *own]


def joined(
    files: Sequence[Sequence[CounterFindings]], *, host: str | None = None, archived: Iterable[Selection] = ()
) -> Counters:
    r"""Check what was found in files, and put it together to tables.

    Parameters
    ----------
    files
        What `read_document` gave for each file, in the order of the rows.
    host
        Name of the host of rows that name none.
    archived
        Parts of archives, whose rows follow.

    Returns
    -------
    Counters
        The tables.

    Examples
    --------
    >>> walk = Document("walk.txt", b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n")
    >>> joined([read_document(walk, Clock(), hint=str)], host="sw1").samples["host"].tolist()
    ['sw1']
    """
    found = [part for _, *own in files for part in own]
    mrtg_config.join(found)
    for part in found:
        if host is not None:
            part.name_host(host)
        part.finish()
    samples = timed_table("samples", [row for part in found for row in part.samples])
    passed = timed_table("rates", [row for part in found for row in part.rates])
    problems = [problem for parts in files for part in parts for problem in part.problems]
    if host is not None:
        problems += _mixed(samples[samples["host"] == host])
    troubles = tables.make("problems", problems)
    for selection in archived:
        kept = tables_of(selection, ("samples", "rates", "problems"))
        found += from_tables(kept["samples"], kept["rates"])
        samples = pd.concat([samples, kept["samples"]], ignore_index=True)
        passed = pd.concat([passed, kept["rates"]], ignore_index=True)
        troubles = pd.concat([troubles, kept["problems"]], ignore_index=True)
    known = _at_ceilings(rates(samples, passed), found)
    return Counters(
        samples,
        interfaces(found, samples, known),
        known,
        troubles,
        [part.facts for part in found if part.format is not None],
    )


def _mixed(samples: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Give a problem for each interface whose counters fall where its files alternate: they are of several machines."""
    for interface, port in samples.sort_values("time", kind="stable").groupby("interface"):
        octets = port[["in_octets", "out_octets"]].astype("Float64")
        alone = octets.groupby(port["source_file"]).diff().lt(0).sum().sum()
        files = list(dict.fromkeys(port["source_file"]))
        if octets.diff().lt(0).sum().sum() > alone + 2 * (len(files) - 1):  # each file after another may begin lower
            message = (
                f"found readings of {interface} in {files[0]} and {files[1]} that do not continue each other, expected "
                f"files of one machine; leave out --host, or read the files of each machine apart"
            )
            yield {"source_file": files[1], "kind": "inconsistent", "message": message}


def _quoted_ceiling(document: Document) -> float | None:
    """Largest rate that the program named in a file can show. [bit/s]."""
    words = document.start.lower()
    return next((ceiling for program, ceiling in DISPLAY_CEILINGS.items() if program in words), None)


def _at_ceilings(known: pd.DataFrame, found: Iterable[CounterFindings]) -> pd.DataFrame:
    """Flag the rates at the largest value that the program which wrote them can show."""
    for part in found:
        if part.ceiling_bps is not None:
            own = known["source_file"] == part.source_file
            known.loc[own, "flag"] = flag_ceilings(known[own], part.ceiling_bps)["flag"]
    return known


def timed_table(table: str, rows: list[dict[str, object]]) -> pd.DataFrame:
    """Make a table of rows whose times are seconds since 1970.

    Parameters
    ----------
    table
        Name of the table: one with a column ``time``.
    rows
        Its rows, from which the times are taken out.

    Returns
    -------
    DataFrame
        Columns as in `hecn_analysis.base.tables.COLUMNS`.

    Examples
    --------
    >>> rows = [{"source_file": "a", "interface": "eth0", "time": 1.5, "in_octets": 7}]
    >>> timed_table("samples", rows)[["time", "in_octets"]].astype(str).values.tolist()
    [['1970-01-01 00:00:01.500+00:00', '7']]
    """
    seconds: list[Any] = [row.pop("time", None) for row in rows]
    frame = tables.make(table, rows)
    times = pd.array([None if time is None else round(time * 1e6) for time in seconds], dtype="Int64")
    frame["time"] = pd.to_datetime(times, unit="us", utc=True).astype(tables.COLUMNS[table]["time"].dtype)
    return frame
