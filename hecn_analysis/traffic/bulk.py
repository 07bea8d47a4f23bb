"""Rates and a summary of each interface, from Parquet files with more counter readings than fit into memory.

The interfaces are divided into shares of a few million readings. Each share reads the row groups that hold its
interfaces, sorts their readings, and computes their rates and percentiles. Shares run in threads or on the workers of a
Dask cluster and are joined in order, so the result does not depend on where they ran; another worker repeats the share
of one that dies. An unreadable file costs its own readings and is reported; if the damage shows only while shares are
read, the interfaces are divided again without this file. Files sorted by interface are read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from hecn_analysis.archive.files import TABLES, report_damage
from hecn_analysis.archive.selection import is_archive
from hecn_analysis.base import cluster
from hecn_analysis.base.errors import InputError
from hecn_analysis.files import whole
from hecn_analysis.files.source import parquet_below
from hecn_analysis.traffic import differences
from hecn_analysis.traffic.flags import MEANINGS, Flag
from hecn_analysis.traffic.ports import Ints
from hecn_analysis.traffic.rates import frame
from hecn_analysis.traffic.sample_files import Fault, FaultsError, Group, Key, read, row_groups
from hecn_analysis.traffic.series import NAT, Series, Speeds, Widths, in_blocks
from hecn_analysis.traffic.slots import Intervals
from hecn_analysis.traffic.utilisation import SLOT_S, summarise

SHARE_ROWS: Final = (2_000_000, 4_000_000, 8_000_000, 16_000_000)
"""Readings of a share: the smallest size at which shares read few rows twice."""
_READ_TWICE: Final = 1.6  # largest ratio of rows read by all shares to rows in the files
_BLOCK_ROWS: Final = 250_000  # readings computed at once


@dataclass(frozen=True)
class Settings:
    """Parameters of `interfaces` that each share needs."""

    slot_s: float = SLOT_S
    max_gap_s: float | None = None
    widths: Widths = None
    speeds: Speeds = None
    rates_folder: str | None = None
    host: str | None = None


@dataclass(frozen=True)
class Share:
    """Some interfaces, and the row groups that hold their readings."""

    number: int  # number of the share, from 0
    groups: tuple[tuple[str, int, int], ...]  # path, number and rows of each row group, in the order of the files
    keys: frozenset[Key]  # host (else the file) and name of each interface


#: Applies a function to each item, and returns the results in order.
_Map = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


def interfaces(
    paths: Path | str | Sequence[Path | str],
    *,
    slot_s: float = SLOT_S,
    max_gap: float | None = None,
    widths: Widths = None,
    speeds: Speeds = None,
    host: str | None = None,
    rates_folder: Path | str | None = None,
    threads: int = 2,
    dask: str | None = None,
    damaged: list[InputError] | None = None,
) -> pd.DataFrame:
    """Summarise each interface of Parquet files with the table ``samples``.

    Parameters
    ----------
    paths
        Files, or folders that are searched for ``*.parquet``.
    slot_s
        Length of the slots of the percentiles. [s]
    max_gap, widths, speeds
        As in `hecn_analysis.traffic.rates.rates`.
    host
        Host of readings without a host name. Without it, such files count as hosts of their own.
    rates_folder
        Folder for the rates, written as ``rates-00000.parquet`` and so on.
    threads
        Number of threads on this machine.
    dask
        Address of the scheduler of a Dask cluster to use instead. Its workers need the files under the same paths.
    damaged
        List that receives the errors of unreadable files, which the result leaves out. Without it, each is a warning.

    Returns
    -------
    DataFrame
        A row for each interface, sorted by host and name: the columns of `hecn_analysis.traffic.utilisation.COLUMNS`,
        then the number of rates with each flag.

    Raises
    ------
    InputError
        If there is no file, or none is Parquet with the required columns.

    Examples
    --------
    >>> when = pd.date_range("2013-11-20", periods=3, freq="300s", tz="UTC")
    >>> samples = pd.DataFrame({"host": "switch", "interface": "eth0", "time": when,
    ...                         "in_octets": [0, 75_000_000, 150_000_000], "out_octets": 0})
    >>> samples.to_parquet(f"{folder}/samples.parquet")
    >>> summary = interfaces(folder)
    >>> summary[["interface", "rates", "mean_in_bps"]].to_dict("records")
    [{'interface': 'eth0', 'rates': 2, 'mean_in_bps': 2000000.0}]
    """
    settings = Settings(
        slot_s, max_gap, widths, speeds, None if rates_folder is None else str(Path(rates_folder).absolute()), host
    )
    if settings.rates_folder is not None:
        whole.make_folder(settings.rates_folder)
    damage: list[InputError] = []
    files = list(_files([paths] if isinstance(paths, str | Path) else paths, damage))
    with _executor(threads, dask) as run_all:
        parts, faults = _run_shares(files, settings, run_all)
    if faults and len(faults) == len(files):
        raise faults[0].error()
    report_damage([*damage, *(fault.error() for fault in faults)], damaged)
    tables = [part for part in parts if len(part)]
    if not tables:
        return work(Share(0, (), frozenset()), settings)
    return pd.concat(tables, ignore_index=True).sort_values(["host", "interface"], kind="stable", ignore_index=True)


def _run_shares(files: Sequence[str], settings: Settings, run_all: _Map) -> tuple[list[pd.DataFrame], list[Fault]]:
    """Compute all shares of the files; return the tables, and the faults of files left out."""
    indexed = run_all(partial(_row_groups_or_fault, host=settings.host), files)
    faults = [entry for entry in indexed if isinstance(entry, Fault)]
    groups = [group for entry in indexed if not isinstance(entry, Fault) for group in entry]
    while True:
        divided = shares(groups)
        results = run_all(partial(_work_or_faults, settings=settings), divided)
        new_faults = {fault.path: fault for result in results if isinstance(result, list) for fault in result}
        if not new_faults:
            return results, faults
        faults += new_faults.values()
        groups = [group for group in groups if group.path not in new_faults]
        for share in divided if settings.rates_folder is not None else ():
            _rates_file(share, settings).unlink(missing_ok=True)


@contextmanager
def _executor(threads: int, dask: str | None) -> Iterator[_Map]:
    """Yield a map function that runs in threads of this machine or on a cluster."""
    if dask is None:
        with ThreadPoolExecutor(threads) as pool:
            yield lambda function, items: list(pool.map(function, items))
        return
    with cluster.client(dask) as client:
        yield lambda function, items: list(client.gather([client.submit(function, item, pure=False) for item in items]))


def _row_groups_or_fault(path: str, host: str | None) -> list[Group] | Fault:
    """Row groups of a file, or its fault."""
    try:
        return row_groups(path, host)
    except InputError as error:
        return Fault(path, error.found, error.expected)


def _work_or_faults(share: Share, settings: Settings) -> pd.DataFrame | list[Fault]:
    """Summary of one share, or the faults of its unreadable files."""
    try:
        return work(share, settings)
    except FaultsError as error:
        return error.faults


def _files(paths: Iterable[Path | str], damage: list[InputError]) -> Iterator[str]:
    """Files below some paths; in an archive, its current ones. Errors of the archive go to `lost`."""
    for path in map(Path, paths):
        table = next(
            (folder for folder in (path, path.parent) if folder.name in TABLES and is_archive(folder.parent)), None
        )
        if table and path.is_dir():
            from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (heavy)

            current = Archive(table.parent).files(table.name, damaged=damage)
            files = sorted(file for file in current if file.is_relative_to(path))
        else:
            files = sorted(parquet_below(path)) if path.is_dir() else [path]
        if not files:
            raise damage[0] if damage else InputError("no file *.parquet", "one or more", source=path)
        for file in files:
            if not file.is_file():
                raise InputError("no file", "a Parquet file", source=file)
            yield str(file.absolute())


def shares(groups: Sequence[Group]) -> list[Share]:
    """Divide interfaces into shares, in the order of their names."""
    rows = sum(group.rows for group in groups)
    weight: dict[Key, float] = {}
    holders: dict[Key, list[int]] = {}
    for number, group in enumerate(groups):
        for key in group.keys:
            weight[key] = weight.get(key, 0.0) + group.rows / len(group.keys)
            holders.setdefault(key, []).append(number)
    ordered = sorted(weight, key=lambda key: tuple((part is not None, part or "") for part in key))
    divided: list[Share] = []
    for size in SHARE_ROWS:
        divided = []
        for keys in _deal_shares(ordered, weight, size):
            numbers = sorted({number for key in keys for number in holders[key]})
            row_group_ids = tuple(
                (groups[number].path, groups[number].number, groups[number].rows) for number in numbers
            )
            divided.append(Share(len(divided), row_group_ids, frozenset(keys)))
        if sum(rows_held for share in divided for _, _, rows_held in share.groups) <= _READ_TWICE * rows:
            break
    return divided


def _deal_shares(ordered: Sequence[Key], weight: dict[Key, float], size: int) -> Iterator[list[Key]]:
    keys: list[Key] = []
    rows_dealt = 0.0
    for key in ordered:
        if keys and rows_dealt + weight[key] > size:
            yield keys
            keys, rows_dealt = [], 0.0
        keys.append(key)
        rows_dealt += weight[key]
    if keys:
        yield keys


def work(share: Share, settings: Settings) -> pd.DataFrame:
    """Summarise the interfaces of one share, and write their rates if settings ask for them."""
    tables, rates = [], []
    readings = read(share.groups, share.keys, settings.host)
    for named in in_blocks(readings, widths=settings.widths, speeds=settings.speeds, block_rows=_BLOCK_ROWS):
        share_rates = differences.rates(named.series, max_gap_s=settings.max_gap_s)
        starts, times = named.series.starts, named.series.time_ns
        ends = _known_times(named.series)
        intervals = Intervals(
            starts, ends, share_rates.interval_s, share_rates.in_bps, share_rates.out_bps, share_rates.flags
        )
        summary, counts = summarise(intervals, settings.slot_s), _flag_counts(share_rates, starts)
        first = pd.DatetimeIndex(times[starts].view("datetime64[ns]"), tz="UTC")
        summary |= {"first_time": first, "last_time": summary["last_time"].where(first.notna())}
        n_first = 1 + counts["no_time"]  # readings that end no interval
        summary |= {"rates": summary["rates"] - n_first, "unrated": summary["unrated"] - n_first}
        tables.append(pd.DataFrame({"host": named.hosts, "interface": named.interfaces, **summary, **counts}))
        if settings.rates_folder is not None:
            rates.append(frame(named, share_rates))
    if settings.rates_folder is not None and len(readings.time_ns):
        _write(pd.concat(rates, ignore_index=True), _rates_file(share, settings))
    return pd.concat(tables, ignore_index=True)


def _rates_file(share: Share, settings: Settings) -> Path:
    """File for the rates of a share."""
    return Path(settings.rates_folder or "", f"rates-{share.number:05}.parquet")


def _write(table: pd.DataFrame, path: Path) -> None:
    """Write a table completely or not at all: a share that is repeated finds no partial file."""
    with whole.aside(path) as part:
        table.to_parquet(part, index=False)


def _known_times(series: Series) -> Ints:
    """Times of readings; one without a time gets that of its predecessor, and so no rate and no slots. [ns]."""
    no_time = series.time_ns == NAT
    if not no_time.any():
        return series.time_ns
    begin = np.repeat(series.starts, series.lengths)
    known = series.time_ns[np.maximum.accumulate(np.where(no_time, begin, np.arange(len(no_time))))]
    return np.where(known == NAT, 0, known)


def _flag_counts(share_rates: differences.Rates, starts: Ints) -> dict[str, Ints]:
    """Number of rates with each flag, for each interface."""
    n_ports = len(starts)
    flagged = np.flatnonzero(share_rates.flags)
    number = np.searchsorted(starts, flagged, side="right") - 1
    lengths = np.diff(starts, append=len(share_rates.flags))
    counts: dict[str, Ints] = {"ok": lengths - 1 - np.bincount(number, minlength=n_ports)}
    for flag in MEANINGS:
        if flag is not Flag.OK and flag is not Flag.CEILING:
            ports_with_flag = number[share_rates.flags[flagged] & int(flag) != 0]
            counts[str(flag.name).lower()] = np.bincount(ports_with_flag, minlength=n_ports).astype(np.int64)
    return counts
