"""The archive: a store of everything that was read, in Parquet files by day, that survives whatever happens to writers.

A unit (the rows of one file, or one round of polling) is added whole or not at all. Its rows go to new files, table by
table and day by day; then one small file, ``commits/KEY.json``, makes all of them count at once. It is made by a hard
link, which the file system grants to one writer only: a unit whose key (its content hash) is there already is not
added again, by whoever. Before a writer says that a unit is added, everything is on the disk (fsync).

``compact`` merges the files of a day into one, and the commits into ``generations/NUMBER.json``, by the same kind of
link: of two that compact at once one wins, and what others add meanwhile stays as it is. Files that nothing refers to
any more are removed after an hour, so that those who are reading them can finish.

    ARCHIVE/
      commits/KEY.json            a unit: its files, its rows, where it came from
      generations/NUMBER.json     what all units up to then were merged to; the largest number counts
      TABLE/day=2013-11-18/*.parquet
      incoming/                   files on their way; what a killed writer left here is removed like the others
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hecn_analysis import tables
from hecn_analysis.archive_files import TABLES, by_day, columns, damage, in_order, is_between, said, strange, tell
from hecn_analysis.errors import HecnError, InputError
from hecn_analysis.progress import track

#: Rows of a file that are read together, at least: a day of some tens of ports that are polled every 30 s.
GROUP_ROWS: Final = 131_072

#: Time after which a file that nothing refers to is nobody's any more. [s]
GRACE_S: Final = 3600.0

_VERSION: Final = 1

#: What DuckDB says of a query, and never of a file.
_OF_THE_QUERY: Final = (duckdb.ParserException, duckdb.CatalogException, duckdb.BinderException)


@dataclass(frozen=True)
class _State:
    """What counts at a moment: files by table, keys of the units in them."""

    generation: int
    files: dict[str, list[str]]
    merged: frozenset[str]
    commits: tuple[dict[str, Any], ...]

    def all_files(self) -> Iterator[str]:
        for names in self.files.values():
            yield from names


class Archive:
    """A store of tables below one folder.

    Parameters
    ----------
    folder
        Where it is; made when something is first added.

    Raises
    ------
    InputError
        The folder holds something else.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._merged: tuple[int, frozenset[str]] = 0, frozenset()  # a generation, and the keys of what it has merged
        if self.folder.is_dir():
            strange = {entry.name for entry in self.folder.iterdir()} - {*TABLES, "commits", "generations", "incoming"}
            if strange:
                raise InputError(
                    f"{min(strange)!r} in {str(self.folder)!r}",
                    "a folder of an archive, or one that is not there yet",
                    advice="name another folder",
                )
        elif self.folder.exists() and not self.folder.is_dir():  # another writer may have made it just now
            raise InputError(f"a file {str(self.folder)!r}", "a folder of an archive, or one that is not there yet")

    # adding ----------------------------------------------------------------------------------------------------------

    def add(self, key: str, rows: Mapping[str, pd.DataFrame], *, source: str = "") -> bool:
        """Add the rows of a unit, unless they are there.

        Parameters
        ----------
        key
            What tells the unit from all others, such as the hash of its content: letters, digits, ``-`` and ``_``.
        rows
            Tables by name, with columns as in `hecn_analysis.tables`.
        source
            Where it came from, for people.

        Returns
        -------
        bool
            True when it was added, False when a unit of this key was there. Either way it is on the disk now.

        Raises
        ------
        InputError
            A key that cannot be a file's name, an unknown table or column.
        HecnError
            The disk is full or cannot be written; nothing of the unit counts then.
        """
        if not key or not all(letter.isalnum() or letter in "-_" for letter in key):
            raise InputError(f"key {key!r}", "letters, digits, '-' and '_'")
        if unknown := set(rows) - set(TABLES):
            raise InputError(f"table {min(unknown)!r}", f"one of {', '.join(TABLES)}")
        try:
            if self._has(key):
                self._settle()  # who added it may not have come that far
                return False
            return self._add(key, rows, source)
        except OSError as error:
            raise HecnError(
                f"{self.folder}: {error.strerror or error}; nothing of {source or key} was added; "
                "free some space or check the rights, and add it again"
            ) from None

    def _add(self, key: str, rows: Mapping[str, pd.DataFrame], source: str) -> bool:
        written: list[str] = []
        counts: dict[str, int] = {}
        with self._arriving(f"{uuid.uuid4().hex}.json") as arriving:
            with self._undone(written):
                for table, frame in rows.items():
                    if frame.empty:
                        continue
                    counts[table] = len(frame)
                    for day, part in by_day(table, frame, rows.get("runs")):
                        content = pa.Table.from_pandas(part, preserve_index=False)
                        written.append(self._write(table, day, content))
                commit = {
                    "version": _VERSION,
                    "key": key,
                    "source": source,
                    "added": datetime.now(UTC).isoformat(),
                    "rows": counts,
                    "files": written,
                }
                _put(json.dumps(commit), arriving)
                for name in written:  # still there, and young, though whoever writes was suspended for a day
                    os.utime(self.folder / name)
            added = _appears(arriving, self.folder / "commits" / f"{key}.json")
        try:
            self._settle()
        except OSError as error:
            raise HecnError(
                f"{self.folder}: {error.strerror or error}; {source or key} counts, but may not be on the disk yet; "
                "check the disk, and add it again"
            ) from None
        if not added:  # another writer was first
            self._remove(written)
        return added

    def _write(self, table: str, day: str, content: pa.Table) -> str:
        """Write rows to a new file of a day, and give its name below the folder."""
        folder = self.folder / table / f"day={day}"
        name = f"{time.time_ns():016x}-{uuid.uuid4().hex}.parquet"  # by name is in the order of adding
        _make(folder)
        with self._arriving(name) as arriving:
            pq.write_table(content, arriving, compression="zstd", row_group_size=GROUP_ROWS)
            _sync(arriving)
            arriving.rename(folder / name)
        with self._undone([f"{table}/day={day}/{name}"]):
            _sync(folder)
        return f"{table}/day={day}/{name}"

    @contextmanager
    def _arriving(self, name: str) -> Iterator[Path]:
        """Give the place of a file on its way, where nothing of it stays."""
        arriving = self.folder / "incoming" / name
        _make(arriving.parent)
        try:
            yield arriving
        finally:
            with suppress(OSError):  # if it was not renamed
                arriving.unlink()

    @contextmanager
    def _undone(self, written: Sequence[str]) -> Iterator[None]:
        """Remove files when what is to refer to them cannot be made."""
        try:
            yield
        except BaseException:
            self._remove(written)
            raise

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            with suppress(OSError):  # the next compaction does it
                (self.folder / name).unlink()

    def _settle(self) -> None:
        """Have on the disk what counts, whoever made it count."""
        for name in ("commits", "generations"):
            if (self.folder / name).is_dir():
                _sync(self.folder / name)

    # what is there ---------------------------------------------------------------------------------------------------

    def _has(self, key: str) -> bool:
        """Whether a unit is there. No other unit is looked at, so that the last one costs no more than the first."""
        while True:
            number = self._newest()
            if number != self._merged[0]:
                try:
                    self._merged = number, frozenset(self._generation(number)["keys"])
                except FileNotFoundError:  # a newer one has come
                    continue
            if key in self._merged[1] or (self.folder / "commits" / f"{key}.json").exists():
                return True
            if self._newest() == number:
                return False

    def _generation(self, number: int) -> dict[str, Any]:
        """Keys and files of a generation."""
        return said(self.folder / "generations" / f"{number}.json", {"keys": list})

    def _state(self) -> _State:
        """What counts now. A generation and its commits are read until no newer generation has come between."""
        while True:
            number = self._newest()
            files: dict[str, list[str]] = {table: [] for table in TABLES}
            merged: frozenset[str] = frozenset()
            if number:
                try:
                    generation = self._generation(number)
                except FileNotFoundError:  # a newer one has come
                    continue
                merged = frozenset(generation["keys"])
                for name in generation["files"]:
                    files[name.partition("/")[0]].append(name)
            commits = [commit for commit in self._commits() if commit["key"] not in merged]
            if self._newest() == number:
                break
        for commit in commits:
            for name in commit["files"]:
                files[name.partition("/")[0]].append(name)
        return _State(number, files, merged, tuple(commits))

    def _newest(self) -> int:
        folder = self.folder / "generations"
        return max((int(entry.stem) for entry in folder.glob("*.json") if entry.stem.isdecimal()), default=0)

    def _commits(self) -> Iterator[dict[str, Any]]:
        for entry in sorted((self.folder / "commits").glob("*.json")):
            try:
                yield said(entry, {"key": str, "source": str, "added": str, "rows": dict})
            except FileNotFoundError:  # merged and removed meanwhile: the newer generation has it
                continue

    def units(self) -> pd.DataFrame:
        """Units that were added and not yet merged: key, source, time, rows of each table."""
        rows = [
            {
                "key": commit["key"],
                "source": commit["source"],
                "added": commit["added"],
                **{table: commit["rows"].get(table, 0) for table in TABLES},
            }
            for commit in self._state().commits
        ]
        return pd.DataFrame(rows, columns=["key", "source", "added", *TABLES])

    def __len__(self) -> int:
        """Return the number of units that were ever added."""
        state = self._state()
        return len(state.merged) + len(state.commits)

    # asking ----------------------------------------------------------------------------------------------------------

    def connect(self, *, damaged: list[InputError] | None = None) -> duckdb.DuckDBPyConnection:
        """Connect to DuckDB with a view for each table, as the archive is now; a column ``day`` is the partition.

        Parameters
        ----------
        damaged
            Where to put what is wrong with files that cannot be read; left out, each is a warning. The views are of the
            others.

        Raises
        ------
        InputError
            No file can be read, and nobody asked for the damage.
        """
        try:
            connection, sound = self._views(())
        except duckdb.Error as error:
            return self._without_damage(damage(self.folder, str(error)), damaged)
        if sound or not self._all_damage():
            return connection
        connection.close()
        return self._without_damage(damage(self.folder, "other columns"), damaged)

    def _views(self, without: Collection[str]) -> tuple[duckdb.DuckDBPyConnection, bool]:
        """A connection, and whether its tables have the columns that they should, and no others."""
        state = self._state()
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        sound = True
        for table, names in state.files.items():
            paths = [str(self.folder / name) for name in names if name not in without]
            if paths:
                try:
                    rows = connection.read_parquet(paths, hive_partitioning=True, union_by_name=True)
                    rows.create_view(table)
                except duckdb.Error:
                    connection.close()
                    raise
                found = dict(zip(rows.columns, map(str, rows.types), strict=True))
                found.pop("day")
                sound = sound and found.items() <= columns(table).items()
            else:
                empty = tables.make(table, []).assign(day=pd.Series(dtype="string"))
                connection.register(table, pa.Table.from_pandas(empty, preserve_index=False))
        return connection, sound

    def _without_damage(self, first: InputError, damaged: list[InputError] | None) -> duckdb.DuckDBPyConnection:
        """Connect to the files that can be read, and tell of the others."""
        bad = self._all_damage()
        if not bad or (damaged is None and len(bad) == len(list(self._state().all_files()))):
            raise next(iter(bad.values()), first)
        tell(bad.values(), damaged)
        return self._views(bad)[0]

    def query(self, sql: str, *, damaged: list[InputError] | None = None) -> pd.DataFrame:
        """Answer of an SQL query over the tables ``runs``, ``streams``, ``intervals``, ``samples``, ``rates``, ….

        Parameters
        ----------
        sql
            The query, in DuckDB's SQL.
        damaged
            Where to put what is wrong with files that cannot be read; left out, each is a warning. The answer is that
            of the others.

        Raises
        ------
        InputError
            The query is none, with what DuckDB says of it; or no file can be read, and nobody asked for the damage.

        Examples
        --------
        >>> import tempfile
        >>> archive = Archive(Path(tempfile.mkdtemp(), "archive"))
        >>> runs = tables.make("runs", [{"source_file": "a.log", "run": 0, "tool": "nuttcp", "throughput_bps": 9.4e9}])
        >>> archive.add("a", {"runs": runs}), archive.add("a", {"runs": runs})
        (True, False)
        >>> archive.query("select tool, count(*) as n from runs group by tool").to_dict("records")
        [{'tool': 'nuttcp', 'n': 1}]
        """
        connection = self.connect(damaged=damaged)
        try:
            return connection.execute(sql).df()
        except duckdb.Error as error:
            wrong = InputError(
                f"the query {sql!r} ({str(error).splitlines()[0]})",
                f"SQL over the tables {', '.join(TABLES)}",
                advice="the columns are those of the tables, and 'day'",
            )
            if damaged or isinstance(error, _OF_THE_QUERY) or not self._all_damage():
                raise wrong from None
        finally:
            connection.close()
        connection = self._without_damage(wrong, damaged)  # only when it is read does it show that a file is damaged
        try:
            return connection.execute(sql).df()
        finally:
            connection.close()

    def _all_damage(self) -> dict[str, InputError]:
        """The files that cannot be read, of all that count."""
        bad: dict[str, InputError] = {}
        for table, names in self._state().files.items():
            for name in names:
                self._parts(table, [name], bad)
        return bad

    def table(
        self,
        name: str,
        *,
        first_day: str | date | None = None,
        last_day: str | date | None = None,
        damaged: list[InputError] | None = None,
    ) -> pd.DataFrame:
        """Rows of a table, with its columns and types, in the order of time.

        Parameters
        ----------
        name
            Table.
        first_day, last_day
            Days of UTC to read, both included; rows of an unknown day are left out where one is given, and are had by
            ``unknown``.
        damaged
            Where to put what is wrong with files that cannot be read; left out, each is a warning. The rows are those
            of the others.

        Raises
        ------
        InputError
            Unknown table; or none of its files can be read, and nobody asked for the damage.
        """
        if name not in TABLES:
            raise InputError(f"table {name!r}", f"one of {', '.join(TABLES)}")
        wanted = [
            entry
            for entry in self._state().files[name]
            if is_between(entry.split("/")[1].removeprefix("day="), first_day, last_day)
        ]
        empty = tables.make(name, [])
        if not wanted:
            return empty
        bad: dict[str, InputError] = {}
        parts = self._parts(name, wanted, bad)
        if bad and not parts and damaged is None:
            raise next(iter(bad.values()))
        tell(bad.values(), damaged)
        if not parts:
            return empty
        try:
            whole = pa.concat_tables(parts, promote_options="permissive")
            frame = whole.to_pandas().reindex(columns=empty.columns).astype(empty.dtypes.to_dict())
        except (ValueError, TypeError, OverflowError, pa.ArrowException) as error:
            raise damage(self.folder / name, str(error)) from None
        order = [column for column in (TABLES[name], "source_file", "run", "line") if column in frame.columns]
        ordered: pd.DataFrame = frame.sort_values(order, kind="stable", ignore_index=True)
        return ordered

    def _parts(self, table: str, names: Iterable[str], bad: dict[str, InputError]) -> list[pa.Table]:
        """What is in files of a table; those that are not as they were written are put among the bad ones."""
        parts = []
        for name in names:
            try:
                with pq.ParquetFile(self.folder / name) as file:
                    part = file.read(use_threads=False)
            except FileNotFoundError as error:
                if name not in self._state().all_files():
                    raise  # merged and removed, while this took long
                bad[name] = damage(self.folder / name, str(error.strerror).lower())
            except (OSError, ValueError, pa.ArrowException) as error:
                bad[name] = damage(self.folder / name, str(error))
            else:
                if (wrong := strange(table, part.schema)) is None:
                    parts.append(part)
                else:
                    bad[name] = damage(self.folder / name, wrong)
        return parts

    # tidying ---------------------------------------------------------------------------------------------------------

    def compact(
        self, *, grace_s: float = GRACE_S, progress: bool = False, damaged: list[InputError] | None = None
    ) -> bool:
        """Merge the files of each day into one, and remove what nothing refers to any more.

        Files that cannot be read stay as they are, so that they can be put back from a copy.

        Parameters
        ----------
        grace_s
            Age from which files are removed that nothing refers to. [s]
        progress
            Show a bar on the standard error when it is a terminal and it takes longer than a second.
        damaged
            Where to put what is wrong with files that cannot be read; left out, each is a warning.

        Returns
        -------
        bool
            False when another one compacted at the same time and was first; then nothing was changed.

        Raises
        ------
        HecnError
            The disk is full or cannot be written; nothing was changed then.
        """
        try:
            bad: dict[str, InputError] = {}
            first = self._compact(grace_s, bad, progress=progress)
        except OSError as error:
            raise HecnError(
                f"{self.folder}: {error.strerror or error}; nothing was changed; "
                "free some space or check the rights, and compact it again"
            ) from None
        tell(bad.values(), damaged)
        return first

    def _compact(self, grace_s: float, bad: dict[str, InputError], *, progress: bool) -> bool:
        state = self._state()
        if not state.commits:
            self._remove_unreferenced(grace_s)
            return True
        days: dict[str, list[str]] = {}
        for name in state.all_files():
            days.setdefault(name.rpartition("/")[0], []).append(name)
        kept: list[str] = []
        merged: list[str] = []
        with self._arriving(f"{uuid.uuid4().hex}.json") as arriving:
            with self._undone(merged):
                for day, names in track(list(days.items()), "compacting") if progress else days.items():
                    if len(names) == 1:
                        kept += names
                        continue
                    table, _, partition = day.partition("/day=")
                    parts = self._parts(table, sorted(names), bad)
                    if len(parts) < 2:
                        kept += names
                        continue
                    kept += bad.keys() & set(names)
                    try:
                        rows = pa.concat_tables(parts, promote_options="permissive")
                    except pa.ArrowException as error:
                        raise damage(self.folder / day, str(error)) from None
                    merged.append(self._write(table, partition, in_order(table, rows)))
                generation = {
                    "version": _VERSION,
                    "keys": sorted(state.merged | {commit["key"] for commit in state.commits}),
                    "files": sorted(kept + merged),
                }
                _put(json.dumps(generation), arriving)
                self._age_from_now(state, kept)
            is_first = _appears(arriving, self.folder / "generations" / f"{state.generation + 1}.json")
        if not is_first:
            self._remove(merged)
            return False
        self._remove_unreferenced(grace_s)
        return True

    def _age_from_now(self, state: _State, kept: Iterable[str]) -> None:
        """Have the time until they are removed begin now, for files that will not be referred to any more."""
        old = [*set(state.all_files()).difference(kept), f"generations/{state.generation}.json"]
        for name in [*old, *(f"commits/{commit['key']}.json" for commit in state.commits)]:
            with suppress(OSError):  # there is no such generation yet, or another one compacts at the same time
                os.utime(self.folder / name)

    def _remove_unreferenced(self, grace_s: float) -> None:
        self._settle()  # before what it stands for is gone
        state = self._state()
        wanted = set(state.all_files())
        limit = time.time() - grace_s
        old = [
            *(self.folder / "incoming").glob("*"),
            *(path for table in TABLES for path in (self.folder / table).glob("day=*/*.parquet")),
            *(path for path in (self.folder / "commits").glob("*.json") if path.stem in state.merged),
            *(path for path in (self.folder / "generations").glob("*.json") if int(path.stem) < state.generation),
        ]
        for path in old:
            if path.relative_to(self.folder).as_posix() in wanted:
                continue
            with suppress(OSError):  # somebody else's turn, or right
                if path.stat().st_mtime <= limit:
                    path.unlink()


def _put(text: str, place: Path) -> None:
    place.write_text(text, encoding="utf-8")
    _sync(place)


def _appears(arriving: Path, place: Path) -> bool:
    """Make a file appear whole, or not at all where there is one of this name; nobody undoes what may have appeared."""
    _make(place.parent)
    try:
        place.hardlink_to(arriving)
    except FileExistsError:  # also where the answer of a file server was lost, and it was asked again
        return place.samefile(arriving)
    return True


def _make(folder: Path) -> None:
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
