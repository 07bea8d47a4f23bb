"""Counter readings in Parquet files, more than fit into memory: rates with all flags, and a summary of each interface.

The interfaces are dealt into shares of a few million readings. A share reads the row groups that hold its interfaces,
puts their readings in order, and gives their rates and percentiles; shares run in threads of this machine or on the
workers of a Dask cluster, and come back in order, so that the result is the same row for row. A worker that dies takes
nothing with it: its share is done again elsewhere. A file that cannot be read costs its own readings and is told; where
that shows only once shares are read, they are dealt anew without it.

Files sorted by interface (as a whole, or each day's for itself) are read once. Where every row group holds all
interfaces, shares are larger, and each reads everything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

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
from hecn_analysis.traffic.series import NAT, NEEDED, Readings, Series, Speeds, Widths, in_blocks
from hecn_analysis.traffic.slots import Intervals
from hecn_analysis.traffic.utilisation import SLOT_S, summarise

SHARE_ROWS: Final = (2_000_000, 4_000_000, 8_000_000, 16_000_000)
"""Readings of a share: the first of these with which little is read twice."""
_READ_TWICE: Final = 1.6  # times all rows that the shares may read
_TEXTS = ("host", "interface", "source_file")
_NUMBERS = ("index", "time", "in_octets", "out_octets", "counter_bits", "speed_bps", "uptime_s", "discontinuity_s")
_KINDS: Mapping[str, Any] = {  # how the columns of a share are held
    **dict.fromkeys(_TEXTS, np.int32),
    **dict.fromkeys(("index", "time"), np.int64),
    **dict.fromkeys(("in_octets", "out_octets"), np.uint64),
    "counter_bits": np.uint8,
    **dict.fromkeys(("speed_bps", "uptime_s", "discontinuity_s"), np.float64),
    **dict.fromkeys(("in_octets missing", "out_octets missing"), np.bool_),
}
_ABSENT: Mapping[Any, Any] = {
    np.int32: -1,
    np.int64: -1,
    np.uint64: 0,
    np.uint8: 0,
    np.float64: np.nan,
    np.bool_: False,
}
_BLOCK_ROWS: Final = 250_000  # readings that are computed at once


@dataclass(frozen=True)
class Settings:
    """What is asked for: see `interfaces`."""

    slot_s: float = SLOT_S
    max_gap_s: float | None = None
    widths: Widths = None
    speeds: Speeds = None
    rates_folder: str | None = None
    host: str | None = None


@dataclass(frozen=True)
class Group:
    """One row group of a file, and the interfaces in it."""

    path: str
    number: int
    rows: int
    keys: tuple[tuple[str | None, str | None, str | None], ...]


@dataclass(frozen=True)
class Share:
    """Some interfaces, and the row groups that hold their readings.

    Parameters
    ----------
    number
        Place of the share among all.
    groups
        Path, number and rows of each row group, in the order of the files.
    keys
        Host (else the file) and name of each interface; None for all in these groups.
    """

    number: int
    groups: tuple[tuple[str, int, int], ...]
    keys: frozenset[tuple[str | None, str | None, str | None]]


@dataclass(frozen=True)
class Fault:
    """What is wrong with a file, in words that a worker can hand back."""

    path: str
    found: str
    expected: str

    def error(self) -> InputError:
        """Make an error of it."""
        return InputError(self.found, self.expected, source=self.path)


class _FaultsError(Exception):
    """Some files of a share cannot be read."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(faults)
        self.faults = faults


#: Gives what a function makes of each of some arguments, in their order.
_Each = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


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
    max_gap
        As in `hecn_analysis.traffic.rates.rates`. [s]
    widths, speeds
        As there.
    host
        Name of the host of readings that do not name theirs; without it the file stands for the host.
    rates_folder
        Where the rates are written too, as ``rates-00000.parquet`` and so on.
    threads
        Threads of this machine that work.
    dask
        Address of the scheduler of a Dask cluster that works instead; its workers see the files under the same names.
    damaged
        Where to put what is wrong with files that cannot be read; left out, each is a warning. The rows are those of
        the others.

    Returns
    -------
    DataFrame
        A row for each interface, by host and name: the columns of `hecn_analysis.traffic.utilisation.COLUMNS`, then how
        many rates have each flag.

    Raises
    ------
    InputError
        When there is no file, or none of them is Parquet with the columns that are needed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> when = pd.date_range("2013-11-20", periods=3, freq="300s", tz="UTC")
    >>> samples = pd.DataFrame({"host": "switch", "interface": "eth0", "time": when,
    ...                         "in_octets": [0, 75_000_000, 150_000_000], "out_octets": 0})
    >>> with TemporaryDirectory() as folder:
    ...     samples.to_parquet(f"{folder}/samples.parquet")
    ...     found = interfaces(folder)
    >>> found[["interface", "rates", "mean_in_bps"]].to_dict("records")
    [{'interface': 'eth0', 'rates': 2, 'mean_in_bps': 2000000.0}]
    """
    settings = Settings(
        slot_s, max_gap, widths, speeds, None if rates_folder is None else str(Path(rates_folder).absolute()), host
    )
    if settings.rates_folder is not None:
        whole.make_folder(settings.rates_folder)
    lost: list[InputError] = []
    files = list(_files([paths] if isinstance(paths, str | Path) else paths, lost))
    with _at_work(threads, dask) as each:
        parts, faults = _worked(files, settings, each)
    if faults and len(faults) == len(files):
        raise faults[0].error()
    report_damage([*lost, *(fault.error() for fault in faults)], damaged)
    tables = [part for part in parts if len(part)]
    if not tables:
        return work(Share(0, (), frozenset()), settings)
    return pd.concat(tables, ignore_index=True).sort_values(["host", "interface"], kind="stable", ignore_index=True)


def _worked(files: Sequence[str], settings: Settings, each: _Each) -> tuple[list[pd.DataFrame], list[Fault]]:
    """Do all shares of files, and give what is wrong with those that are left out."""
    looked = each(partial(_looked_at, host=settings.host), files)
    faults = [found for found in looked if isinstance(found, Fault)]
    groups = [group for found in looked if not isinstance(found, Fault) for group in found]
    while True:
        dealt = shares(groups)
        done = each(partial(_attempt, settings=settings), dealt)
        more = {fault.path: fault for found in done if isinstance(found, list) for fault in found}
        if not more:
            return done, faults
        faults += more.values()
        groups = [group for group in groups if group.path not in more]
        for share in dealt if settings.rates_folder is not None else ():
            _rates_file(share, settings).unlink(missing_ok=True)


@contextmanager
def _at_work(threads: int, dask: str | None) -> Iterator[_Each]:
    """Give who works: threads of this machine, or a cluster."""
    if dask is None:
        with ThreadPoolExecutor(threads) as pool:
            yield lambda function, items: list(pool.map(function, items))
        return
    with cluster.client(dask) as client:
        yield lambda function, items: list(client.gather([client.submit(function, item, pure=False) for item in items]))


def _looked_at(path: str, host: str | None) -> list[Group] | Fault:
    """Row groups of a file, or what is wrong with it."""
    try:
        return row_groups(path, host)
    except InputError as error:
        return Fault(path, error.found, error.expected)


def _attempt(share: Share, settings: Settings) -> pd.DataFrame | list[Fault]:
    """Do one share, or say which of its files cannot be read."""
    try:
        return work(share, settings)
    except _FaultsError as error:
        return error.faults


def _files(paths: Iterable[Path | str], lost: list[InputError]) -> Iterator[str]:
    """Files below some paths; of an archive those that count, and what is wrong with it."""
    for path in map(Path, paths):
        table = next((each for each in (path, path.parent) if each.name in TABLES and is_archive(each.parent)), None)
        if table and path.is_dir():
            from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (heavy)

            files = Archive(table.parent).files(table.name, damaged=lost)
            found = sorted(file for file in files if file.is_relative_to(path))
        else:
            found = sorted(parquet_below(path)) if path.is_dir() else [path]
        if not found:
            raise lost[0] if lost else InputError("no file *.parquet", "one or more", source=path)
        for one in found:
            if not one.is_file():
                raise InputError("no file", "a Parquet file", source=one)
            yield str(one.absolute())


def _open(path: str) -> pq.ParquetFile:
    """Open a file; its texts are read as numbers with a dictionary."""
    try:
        known = pq.read_schema(path).names
        return pq.ParquetFile(path, read_dictionary=[name for name in _TEXTS if name in known])
    except pa.ArrowInvalid:
        raise InputError("no Parquet file", "one with the table samples", source=path) from None


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Say which file it is that cannot be read."""
    try:
        yield
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        words = getattr(error, "strerror", None) or " ".join(str(error).split())[:160]
        raise InputError(f"damage ({words})", "a Parquet file with the table samples", source=path) from None


def row_groups(path: str, host: str | None = None) -> list[Group]:
    """Give the row groups of a file with their interfaces."""
    with _reading(path), _open(path) as file:
        absent = [name for name in NEEDED if name not in file.schema_arrow.names]
        if absent:
            raise InputError(
                "no column " + " and no column ".join(absent), f"samples with {', '.join(NEEDED)}", source=path
            )
        texts = [name for name in _TEXTS if name in file.schema_arrow.names]
        found = []
        for number in range(file.num_row_groups):
            table = file.read_row_group(number, columns=texts, use_threads=False)
            codes, names = _codes(table, path, host)
            runs = _runs(codes)
            owner = codes["host"][runs]
            stead = np.where(owner >= 0, -1, codes["source_file"][runs])  # the file, where there is no host
            texts_of = [
                np.array([*names[text], None], dtype=object)[code].tolist()
                for text, code in zip(_TEXTS, (owner, codes["interface"][runs], stead), strict=True)
            ]
            found.append(Group(path, number, table.num_rows, tuple(dict.fromkeys(zip(*texts_of, strict=True)))))
    return found


Key = tuple[str | None, str | None, str | None]


def _codes(table: pa.Table, path: str, host: str | None) -> tuple[dict[str, Ints], dict[str, list[str]]]:
    """Numbers of the texts of each row, -1 where missing, and the texts."""
    codes, names = {}, {}
    for text in _TEXTS:
        if text in table.column_names:
            column = table.column(text).combine_chunks()
            if isinstance(column, pa.ChunkedArray):  # of no rows
                column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
            if not pa.types.is_dictionary(column.type):
                column = column.dictionary_encode()
            codes[text] = pc.fill_null(column.indices, -1).to_numpy(zero_copy_only=False).astype(np.int32)
            names[text] = [str(name) for name in column.dictionary.to_pylist()]
        else:
            codes[text] = np.full(table.num_rows, 0 if text == "source_file" else -1, dtype=np.int32)
            names[text] = [path] if text == "source_file" else []
    if host is not None:
        codes["host"] = np.where(codes["host"] < 0, len(names["host"]), codes["host"]).astype(np.int32)
        names["host"].append(host)
    return codes, names


def _runs(codes: dict[str, Ints]) -> Ints:
    """First row of each run of rows with the same texts."""
    length = len(codes["host"])
    changes = np.zeros(length, dtype=np.bool_)
    changes[:1] = True
    for values in codes.values():
        changes[1:] |= values[1:] != values[:-1]
    return np.flatnonzero(changes)


def shares(groups: Sequence[Group]) -> list[Share]:
    """Deal interfaces into shares, in the order of their names."""
    rows = sum(group.rows for group in groups)
    weight: dict[Key, float] = {}
    holders: dict[Key, list[int]] = {}
    for number, group in enumerate(groups):
        for key in group.keys:
            weight[key] = weight.get(key, 0.0) + group.rows / len(group.keys)
            holders.setdefault(key, []).append(number)
    ordered = sorted(weight, key=lambda key: tuple((part is not None, part or "") for part in key))
    found: list[Share] = []
    for size in SHARE_ROWS:
        found = []
        for keys in _dealt(ordered, weight, size):
            numbers = sorted({number for key in keys for number in holders[key]})
            place = tuple((groups[number].path, groups[number].number, groups[number].rows) for number in numbers)
            found.append(Share(len(found), place, frozenset(keys)))
        if sum(held for share in found for _, _, held in share.groups) <= _READ_TWICE * rows:
            break
    return found


def _dealt(ordered: Sequence[Key], weight: dict[Key, float], size: int) -> Iterator[list[Key]]:
    keys: list[Key] = []
    held = 0.0
    for key in ordered:
        if keys and held + weight[key] > size:
            yield keys
            keys, held = [], 0.0
        keys.append(key)
        held += weight[key]
    if keys:
        yield keys


def work(share: Share, settings: Settings) -> pd.DataFrame:
    """Do one share."""
    tables, rates = [], []
    readings = _read(share, settings.host)
    for named in in_blocks(readings, widths=settings.widths, speeds=settings.speeds, block_rows=_BLOCK_ROWS):
        found = differences.rates(named.series, max_gap_s=settings.max_gap_s)
        starts, times = named.series.starts, named.series.time_ns
        ends = _known_times(named.series)
        intervals = Intervals(starts, ends, found.interval_s, found.in_bps, found.out_bps, found.flags)
        summary, counts = summarise(intervals, settings.slot_s), _flag_counts(found, starts)
        first = pd.DatetimeIndex(times[starts].view("datetime64[ns]"), tz="UTC")
        summary |= {"first_time": first, "last_time": summary["last_time"].where(first.notna())}
        none = 1 + counts["no_time"]  # readings that end no interval
        summary |= {"rates": summary["rates"] - none, "unrated": summary["unrated"] - none}
        tables.append(pd.DataFrame({"host": named.hosts, "interface": named.interfaces, **summary, **counts}))
        if settings.rates_folder is not None:
            rates.append(frame(named, found))
    if settings.rates_folder is not None and len(readings.time_ns):
        _write(pd.concat(rates, ignore_index=True), _rates_file(share, settings))
    return pd.concat(tables, ignore_index=True)


def _rates_file(share: Share, settings: Settings) -> Path:
    """Where the rates of a share go."""
    return Path(settings.rates_folder or "", f"rates-{share.number:05}.parquet")


def _write(table: pd.DataFrame, path: Path) -> None:
    """Write a table, all of it or nothing: a share that is done again finds no half file."""
    with whole.aside(path) as part:
        table.to_parquet(part, index=False)


def _known_times(series: Series) -> Ints:
    """Times of readings, of one without a time that of the one before: it has no rate, and makes no slots. [ns]."""
    lost = series.time_ns == NAT
    if not lost.any():
        return series.time_ns
    begin = np.repeat(series.starts, series.lengths)
    known = series.time_ns[np.maximum.accumulate(np.where(lost, begin, np.arange(len(lost))))]
    return np.where(known == NAT, 0, known)


def _flag_counts(found: differences.Rates, starts: Ints) -> dict[str, Ints]:
    """Count for each interface how many rates have each flag."""
    many = len(starts)
    odd = np.flatnonzero(found.flags)
    number = np.searchsorted(starts, odd, side="right") - 1
    lengths = np.diff(starts, append=len(found.flags))
    counts: dict[str, Ints] = {"ok": lengths - 1 - np.bincount(number, minlength=many)}
    for flag in MEANINGS:
        if flag is not Flag.OK and flag is not Flag.CEILING:
            mine = number[found.flags[odd] & int(flag) != 0]
            counts[str(flag.name).lower()] = np.bincount(mine, minlength=many).astype(np.int64)
    return counts


class Columns:
    """Columns of a share, filled row group by row group.

    The memory is that of the thread's share before: fresh memory would cost more than what is written to it.
    """

    _spare = threading.local()

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._filled = 0
        self._given: set[str] = set()

    def _column(self, name: str, kind: npt.DTypeLike) -> Any:  # noqa: ANN401 - an array
        spare: dict[str, Any] = self._spare.__dict__
        if name not in spare or len(spare[name]) < self._rows:
            spare[name] = np.empty(self._rows, dtype=kind)
        return spare[name]

    def add(self, length: int, values: Mapping[str, Any]) -> None:
        """Add rows; what a row group lacks is missing."""
        here = slice(self._filled, self._filled + length)
        for name, kind in _KINDS.items():
            given = values.get(name)
            if given is None:
                if name in self._given:
                    self._column(name, kind)[here] = _ABSENT[kind]
                continue
            column = self._column(name, kind)
            if name not in self._given:
                column[: self._filled] = _ABSENT[kind]
                self._given.add(name)
            rows = values.get("rows")
            if rows is None:
                column[here] = given
            elif given.dtype == column.dtype:
                np.take(given, rows, out=column[here], mode="clip")
            else:
                column[here] = given[rows]
        self._filled = here.stop

    def get(self, name: str) -> Any:  # noqa: ANN401 - an array or None
        """Give a column; None where nothing was given."""
        if name not in self._given:
            return None
        return self._spare.__dict__[name][: self._filled]

    def number(self, name: str) -> Any:  # noqa: ANN401 - an array or a number
        """Give a column, or the number that says that it is missing."""
        found = self.get(name)
        return _ABSENT[_KINDS[name]] if found is None else found

    def all(self, name: str) -> Any:  # noqa: ANN401 - an array
        """Give a column that cannot be absent."""
        found = self.get(name)
        return np.empty(0, dtype=_KINDS[name]) if found is None else found


def _read(share: Share, owner: str | None) -> Readings:
    """Read the rows of a share as columns."""
    vocabulary: dict[str, dict[str, int]] = {text: {} for text in _TEXTS}
    columns = Columns(sum(rows for _, _, rows in share.groups))
    members = Members(share.keys)
    faults: dict[str, Fault] = {}
    path, file = "", None
    for place, number, _ in share.groups:
        try:
            with _reading(place):
                if place != path:
                    path, file = place, _open(place)
                assert file is not None  # noqa: S101 - opened with the first path
                _take(file, number, (place, owner), columns=columns, vocabulary=vocabulary, members=members)
        except InputError as error:
            faults[place] = Fault(place, error.found, error.expected)
    if faults:
        raise _FaultsError(list(faults.values()))
    times = {
        name: None if (found := columns.get(name)) is None or bool(np.isnan(found).all()) else found
        for name in ("uptime_s", "discontinuity_s")
    }
    return Readings(
        hosts=list(vocabulary["host"]),
        interfaces=list(vocabulary["interface"]),
        host=columns.all("host"),
        interface=columns.all("interface"),
        file=columns.all("source_file"),
        index=columns.number("index"),
        time_ns=columns.all("time"),
        in_octets=columns.all("in_octets"),
        out_octets=columns.all("out_octets"),
        in_missing=columns.get("in_octets missing"),
        out_missing=columns.get("out_octets missing"),
        uptime_s=times["uptime_s"],
        discontinuity_s=times["discontinuity_s"],
        bits=columns.number("counter_bits"),
        speed_bps=columns.number("speed_bps"),
        files=list(vocabulary["source_file"]),
    )


def _take(
    file: pq.ParquetFile,
    number: int,
    stead: tuple[str, str | None],
    *,
    columns: Columns,
    vocabulary: dict[str, dict[str, int]],
    members: Members,
) -> None:
    """Add the rows of a row group that belong to a share; `stead` names the file and the host that rows do not name."""
    wanted = [name for name in (*_TEXTS, *_NUMBERS) if name in file.schema_arrow.names]
    table = file.read_row_group(number, columns=wanted, use_threads=False)
    codes, names = _codes(table, *stead)
    rows = members.rows(codes, names)
    values: dict[str, Any] = {"rows": rows}
    for text, known in vocabulary.items():
        translation = np.array([*(known.setdefault(name, len(known)) for name in names[text]), -1], dtype=np.int32)
        values[text] = translation[codes[text]]
    for name in _NUMBERS:
        values |= _numbers(table, name)
    columns.add(len(codes["host"]) if rows is None else len(rows), values)


class Members:
    """The interfaces of a share, to be looked up for many rows at once."""

    def __init__(self, keys: Iterable[Key]) -> None:
        pairs = [((host, file), name) for host, name, file in keys]
        self._owners = {owner: number for number, owner in enumerate(dict.fromkeys(owner for owner, _ in pairs))}
        self._names = {name: number for number, name in enumerate(dict.fromkeys(name for _, name in pairs))}
        self._here = np.zeros((len(self._owners) + 1, len(self._names) + 1), dtype=np.bool_)
        for owner, name in pairs:
            self._here[self._owners[owner], self._names[name]] = True

    def rows(self, codes: dict[str, Ints], names: dict[str, list[str]]) -> Ints | None:
        """Rows of these interfaces; None for all."""
        runs = _runs(codes)
        hosts = np.array([*(self._owners.get((name, None), -1) for name in names["host"]), -1])
        nobody = self._owners.get((None, None), -1)  # where neither host nor file is known
        files = np.array([*(self._owners.get((None, name), -1) for name in names["source_file"]), nobody])
        known = np.array([*(self._names.get(name, -1) for name in names["interface"]), self._names.get(None, -1)])
        host = codes["host"][runs]
        owner = np.where(host >= 0, hosts[host], files[codes["source_file"][runs]])
        mine = self._here[owner, known[codes["interface"][runs]]]
        if bool(mine.all()):
            return None
        return np.flatnonzero(np.repeat(mine, np.diff(runs, append=len(codes["host"]))))


def _numbers(table: pa.Table, name: str) -> dict[str, Any]:
    """Values of a column as NumPy has them; counters with where they are missing."""
    if name not in table.column_names or table.column(name).num_chunks == 0:
        return {}
    column = table.column(name)
    column = column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    missing = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    if name == "time":
        if pa.types.is_timestamp(column.type) and column.type.unit != "ns":
            column = column.cast(pa.timestamp("ns", column.type.tz))
        column = column.view(pa.int64())
    if missing is not None:
        kind = _KINDS[name]
        if kind is np.float64:
            column = column.cast(pa.float64())
        column = pc.fill_null(column, {"time": NAT}.get(name, 0 if name.endswith("octets") else _ABSENT[kind]))
    values = {name: column.to_numpy(zero_copy_only=False)}
    if name.endswith("octets"):
        values[name] = (
            values[name].astype(np.uint64) if values[name].dtype.kind == "f" else values[name].view(np.uint64)
        )
        if missing is not None:
            values[f"{name} missing"] = missing
    return values
