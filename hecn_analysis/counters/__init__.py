"""Readers of interface counters: SNMP, MRTG, PRTG, RRD, and the counters of hosts.

`registry` lists the readers, `contract` defines a reader, `summary` makes the table of interfaces; every other module
is the reader of one format, with its units and traps in its docstring.
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
from hecn_analysis.counters.graphs import csv_columns, mrtg_config
from hecn_analysis.counters.leftovers import leftovers, orphans
from hecn_analysis.counters.summary import from_tables, interfaces, rates
from hecn_analysis.files.documents import SHORT, Document, documents
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
    """Read interface counters in any known format.

    No content of a file raises an error: what cannot be used is a row of `Counters.problems`, and the rest is read.

    Parameters
    ----------
    paths
        A file, a folder, or several. Folders are walked in sorted order; files may be compressed or archives. An
        archive of results, or a part of it (``ARCHIVE?host=sw1``), yields its counters.
    time_zone
        Time zone, such as ``Europe/Berlin``, of local times in files that do not name theirs. Without it such times are
        taken as UTC, with a problem.
    host
        Host of files that do not name theirs, except archives; by default each of these files is a host of its own.
    progress, hint
        Whether to show a progress bar; a function that returns the end of the message about an unknown file, by default
        empty.

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
    >>> counters = read_counters(data_dir() / "counters" / "session" / "port1.log")
    >>> round(counters.rates["in_bps"].max() / 1e6), round(counters.rates["interval_s"].max())
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
    r"""Read one file; no content of it raises an error.

    Parameters
    ----------
    document, clock, hint
        The file, the clock of local times, and a function that returns the end of the message about an unknown file.

    Returns
    -------
    list of CounterFindings
        The problems of the file itself, then the unchecked findings of each of its readers.

    Examples
    --------
    >>> walk = Document("walk.txt", b"IF-MIB::ifHCInOctets.1 = Counter64: 1000\n")
    >>> [(part.format, len(part.samples)) for part in read_document(walk, Clock(), hint=str)]
    [(None, 0), ('snmpwalk', 1)]
    """
    file, own = CounterFindings(document.source_file), registry.read(document, clock)
    file.stored(document.problems)
    if not own:
        columns = csv_columns.lacks(document)
        found, expected = "no counters that a reader knows", UNRECOGNISED
        if columns is not None:
            found, expected = columns, csv_columns.EXPECTED
        file.unrecognised(found, expected, hint)
    elif len(document.content) <= SHORT:
        rows = [
            (str(part.format), table, line)
            for part in own
            for table, each in (("samples", part.samples), ("rates", part.rates))
            for row in each
            if isinstance(line := row.get("line"), int)
        ]
        named = {line for part in own for problem in part.problems if isinstance(line := problem.get("line"), int)}
        for line, message in (
            *leftovers(document.lines, {str(part.format) for part in own}),
            *orphans(document.lines, rows, named),
        ):
            file.problem(line, "unrecognised", message)
    for part in own:
        if part.ceiling_bps is None and part.rates:
            part.ceiling_bps = _quoted_ceiling(document)
    return [file, *own]


def joined(
    files: Sequence[Sequence[CounterFindings]], *, host: str | None = None, archived: Iterable[Selection] = ()
) -> Counters:
    r"""Check the findings of files, and join them to tables.

    Parameters
    ----------
    files
        Results of `read_document`, in the order of the rows.
    host, archived
        Host of rows without one, and parts of archives, whose rows follow.

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
    all_parts = [part for _, *own in files for part in own]
    mrtg_config.join(all_parts)
    for part in all_parts:
        if host is not None:
            part.name_host(host)
        part.finish()
    samples = timed_table("samples", [row for part in all_parts for row in part.samples])
    passed = timed_table("rates", [row for part in all_parts for row in part.rates])
    problems = [problem for parts in files for part in parts for problem in part.problems]
    if host is not None:
        problems += _mixed(samples[samples["host"] == host])
    troubles = tables.make("problems", problems)
    for selection in archived:
        kept = tables_of(selection, ("samples", "rates", "problems"))
        all_parts += from_tables(kept["samples"], kept["rates"])
        samples = pd.concat([samples, kept["samples"]], ignore_index=True)
        passed = pd.concat([passed, kept["rates"]], ignore_index=True)
        troubles = pd.concat([troubles, kept["problems"]], ignore_index=True)
    known = _at_ceilings(rates(samples, passed), all_parts)
    return Counters(
        tables.with_units(samples),
        interfaces(all_parts, samples, known),
        tables.with_units(known),
        troubles,
        [part.facts for part in all_parts if part.format is not None],
    )


def _mixed(samples: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Yield a problem for each interface whose counters fall where its files alternate: they are of several hosts."""
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
    """Largest rate that the program named in a file can show [bit/s]."""
    words = document.start.lower()
    return next((ceiling for program, ceiling in DISPLAY_CEILINGS.items() if program in words), None)


def _at_ceilings(known: pd.DataFrame, parts: Iterable[CounterFindings]) -> pd.DataFrame:
    """Flag rates at the largest value that their program can show."""
    for part in parts:
        if part.ceiling_bps is not None:
            own = known["source_file"] == part.source_file
            known.loc[own, "flag"] = flag_ceilings(known[own], part.ceiling_bps)["flag"]
    return known


def timed_table(table: str, rows: list[dict[str, object]]) -> pd.DataFrame:
    """Make a table of rows whose times are seconds since 1970.

    Parameters
    ----------
    table, rows
        A table with a column ``time``, and its rows, whose times are removed.

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
    if not rows:
        return frame
    times = pd.array([None if time is None else round(time * 1e6) for time in seconds], dtype="Int64")
    frame["time"] = pd.to_datetime(times, unit="us", utc=True).astype(tables.COLUMNS[table]["time"].dtype)
    return frame
