"""The archive: a store of everything read, in Parquet files by day, that stays intact when writers are killed.

A unit (the rows of one file, or one round of polling) is added whole or not at all. Its rows go to new files by table
and day; then one small file, ``commits/KEY.json``, makes all of them valid at once. It is created by a hard link, which
the file system grants to one writer only, so no unit is added twice (its key is its content hash). Everything is
synchronised to disk (fsync) before a unit is reported as added.

``compact`` merges the files of a day into one, and the commits into ``generations/NUMBER.json``, by the same kind of
link: one of two simultaneous compactions wins, and units added meanwhile stay as they are. Replaced files, which a
generation names, are removed after an hour, so that their readers can finish; no other file is removed. A damaged or
lost file is reported and costs its own rows only. If files and log disagree, nothing is compacted.

    ARCHIVE/
      commits/KEY.json               a unit: its files, its rows, where it came from
      generations/NUMBER.json        the files that all units up to then were merged into; the largest number counts
      generations/NUMBER.copy.json   a second copy
      TABLE/day=2013-11-18/*.parquet
      incoming/ID/                   an active writer; see `hecn_analysis.archive.log`
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from hecn_analysis.archive.files import (
    TABLES,
    by_day,
    columns,
    damage,
    exists,
    in_order,
    is_between,
    plain,
    report_damage,
    schema_mismatch,
    to_arrow,
    to_frame,
)
from hecn_analysis.archive.log import Log, State, Writer
from hecn_analysis.base import tables
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.base.progress import track
from hecn_analysis.files.names import readable

#: Time for which files are kept after a compaction replaced them, or their writer was killed. [s]
GRACE_S: Final = 3600.0

_VERSION: Final = 2

#: Errors of DuckDB that concern a query, never a file.
_OF_THE_QUERY: Final = (duckdb.ParserException, duckdb.CatalogException, duckdb.BinderException)


class Archive:
    """A store of tables below one folder or a link to it, created with the first unit.

    InputError if the folder holds something else, or its name is not UTF-8.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if (name := readable(str(self.folder))) != str(self.folder):  # DuckDB and Arrow take names in UTF-8 only
            raise InputError(
                f"the archive '{name}'",
                "a folder whose name is UTF-8",
                advice="name another folder, or rename this one",
            )
        self._log = Log(self.folder)
        if self.folder.is_dir():
            foreign = {entry.name for entry in self.folder.iterdir()} - {*TABLES, "commits", "generations", "incoming"}
            if foreign:
                raise InputError(
                    f"{min(foreign)!r} in {str(self.folder)!r}",
                    "a folder of an archive, or a new one",
                    advice="name another folder",
                )
        elif self.folder.exists() and not self.folder.is_dir():  # another writer may have created it just now
            raise InputError(f"a file {str(self.folder)!r}", "a folder of an archive, or a new one")

    # adding ----------------------------------------------------------------------------------------------------------

    def add(self, key: str, rows: Mapping[str, pd.DataFrame], *, source: str = "") -> bool:
        """Add the rows of a unit to the disk unless the archive has them; return whether they were added.

        The `key` is unique, such as the hash of the content: letters, digits, ``-`` and ``_``; the `source` is for
        people. InputError for an impossible key, an unknown table or column, a damaged commit of this key, or a link in
        the archive. HecnError if the disk is full or cannot be written; nothing of the unit counts then.
        """
        if not key or not all(letter.isalnum() or letter in "-_" for letter in key):
            raise InputError(f"key {key!r}", "letters, digits, '-' and '_'")
        if unknown := set(rows) - set(TABLES):
            raise InputError(f"table {min(unknown)!r}", f"one of {', '.join(TABLES)}")
        if self.has(key):
            return False
        with self._explained(source or key):
            return self._add(key, rows, source)

    def has(self, key: str) -> bool:
        """Return whether the archive holds a unit, safely on the disk; for errors see `add`."""
        with self._explained(key):
            if is_known := self._log.has(key):
                self._log.settle()  # the writer that added it may not have synchronised yet
        return is_known

    @contextmanager
    def _explained(self, unit: str) -> Iterator[None]:
        """Turn errors of the disk into one that says what to do."""
        try:
            yield
        except OSError as error:
            raise HecnError(
                f"{self.folder}: {error.strerror or error}; nothing of {unit} was added; "
                "free some space or check the permissions, and add it again"
            ) from None

    def _add(self, key: str, rows: Mapping[str, pd.DataFrame], source: str) -> bool:
        counts: dict[str, int] = {}
        with Writer(self.folder) as writer:
            for table, frame in rows.items():
                if frame.empty:
                    continue
                counts[table] = len(frame)
                for day, part in by_day(table, frame, rows.get("runs")):
                    writer.write(table, day, to_arrow(part))
            commit = {
                "version": _VERSION,
                "key": key,
                "source": source,
                "added": datetime.now(UTC).isoformat(),
                "rows": counts,
                "files": writer.written,
            }
            is_added = writer.publish(commit, f"commits/{key}.json")
            try:
                self._log.settle()
            except OSError as error:
                raise HecnError(
                    f"{self.folder}: {error.strerror or error}; {source or key} was added, but may not be on the disk "
                    "yet; check the disk, and add it again"
                ) from None
        return is_added

    # contents --------------------------------------------------------------------------------------------------------

    def _state(self) -> State:
        return self._log.state()

    def units(self, *, damaged: list[InputError] | None = None) -> pd.DataFrame:
        """Return the units not yet merged: key, source, time, rows of each table. For `damaged` see `table`."""
        state = self._state()
        rows = [
            {
                "key": commit["key"],
                "source": commit["source"],
                "added": commit["added"],
                **{table: commit["rows"].get(table, 0) for table in TABLES},
            }
            for commit in state.commits
        ]
        report_damage(state.damage.values(), damaged)
        return pd.DataFrame(rows, columns=["key", "source", "added", *TABLES])

    def files(self, table: str, *, damaged: list[InputError] | None = None) -> list[Path]:
        """Return the Parquet files with the rows of a table. For `damaged` see `table`."""
        state = self._state()
        report_damage(_concerning(state.damage, table).values(), damaged)
        return [self.folder / name for name in state.files[table]]

    def __len__(self) -> int:
        """Return the number of units ever added."""
        state = self._state()
        return len(state.merged) + len(state.commits)

    # queries ---------------------------------------------------------------------------------------------------------

    def _opened(self, *, is_thorough: bool = False) -> tuple[duckdb.DuckDBPyConnection, dict[str, InputError], State]:
        """Connect to the sound files; read every file only on request or after DuckDB met damage."""
        state = self._state()
        bad = self._all_damage(state) if is_thorough else state.damage
        try:
            connection, has_right_columns = self._views(state, bad)
        except duckdb.Error as error:
            if is_thorough:
                raise damage(self.folder, str(error)) from None
            return self._opened(is_thorough=True)
        if has_right_columns or is_thorough:
            return connection, bad, state
        connection.close()
        return self._opened(is_thorough=True)

    def _views(self, state: State, without: Mapping[str, InputError]) -> tuple[duckdb.DuckDBPyConnection, bool]:
        """Connect, and return whether all tables have exactly their columns."""
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        has_right_columns = True
        for table, names in state.files.items():
            paths = [str(self.folder / name) for name in names if name not in without]
            if paths:
                try:
                    rows = connection.read_parquet(paths, hive_partitioning=True, union_by_name=True)
                    rows.create_view(table)
                except duckdb.Error:
                    connection.close()
                    raise
                types = dict(zip(rows.columns, map(str, rows.types), strict=True))
                types.pop("day")
                has_right_columns = has_right_columns and types.items() <= columns(table).items()
            else:
                empty = tables.make(table, []).assign(day=pd.Series(dtype="string"))
                connection.register(table, to_arrow(empty))
        return connection, has_right_columns

    def query(self, sql: str, *, damaged: list[InputError] | None = None) -> pd.DataFrame:
        """Return the result of an SQL query (DuckDB) over ``runs``, ``streams``, ``samples``, ``rates``, ….

        For `damaged` see `table`. InputError has the message of DuckDB if that rejects the query.

        >>> archive = Archive(folder / "archive")
        >>> runs = tables.make("runs", [{"source_file": "a.log", "run": 0, "tool": "nuttcp", "throughput_bps": 9.4e9}])
        >>> archive.add("a", {"runs": runs}), archive.add("a", {"runs": runs})
        (True, False)
        >>> archive.query("select tool, count(*) as n from runs group by tool").to_dict("records")
        [{'tool': 'nuttcp', 'n': 1}]
        """
        connection, bad, state = self._opened()
        try:
            answer = self._answer(connection, sql)
        except InputError as error:
            if isinstance(error.__cause__, _OF_THE_QUERY):
                raise
            known = len(bad)
            connection, bad, state = self._opened(is_thorough=True)  # damage inside a file shows only on reading it
            if len(bad) == known:
                connection.close()
                raise
            answer = self._answer(connection, sql)
        _report(bad, state.all_files(), damaged)
        return answer

    @staticmethod
    def _answer(connection: duckdb.DuckDBPyConnection, sql: str) -> pd.DataFrame:
        try:
            return connection.execute(sql).df()
        except duckdb.Error as error:
            raise InputError(
                f"the query {sql!r} ({str(error).splitlines()[0]})",
                f"SQL over the tables {', '.join(TABLES)}",
                advice="the columns are those of the tables, and 'day'",
            ) from error
        finally:
            connection.close()

    def _all_damage(self, state: State) -> dict[str, InputError]:
        """Return all damage of the archive, also inside its files."""
        bad = dict(state.damage)
        for table, names in state.files.items():
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
        """Return the rows of a table, with its columns and types, in order of time.

        `first_day` and `last_day` are days (UTC), both included; with either, rows of an unknown day are excluded,
        which the day ``unknown`` selects. `damaged` receives the errors of unreadable files, whose rows are missing;
        without it, each is a warning. InputError for an unknown table; without `damaged` also if none of its files can
        be read.
        """
        if name not in TABLES:
            raise InputError(f"table {name!r}", f"one of {', '.join(TABLES)}")
        state = self._state()

        def is_wanted(file: str) -> bool:
            return is_between(file.split("/")[1].removeprefix("day="), first_day, last_day)

        wanted = [file for file in state.files[name] if is_wanted(file)]
        bad = {
            file: error
            for file, error in _concerning(state.damage, name).items()
            if not file.startswith(f"{name}/") or is_wanted(file)
        }
        parts = self._parts(name, wanted, bad)
        _report(bad, wanted or state.all_files(), damaged)
        empty = tables.make(name, [])
        if not parts:
            return empty
        try:
            joined = pa.concat_tables(parts, promote_options="permissive")
            frame = to_frame(joined).reindex(columns=empty.columns).astype(empty.dtypes.to_dict())
        except (ValueError, TypeError, OverflowError, pa.ArrowException) as error:
            raise damage(self.folder / name, str(error)) from None
        order = [column for column in (TABLES[name], "source_file", "run", "line") if column in frame.columns]
        ordered: pd.DataFrame = frame.sort_values(order, kind="stable", ignore_index=True)
        return ordered

    def _parts(self, table: str, names: Iterable[str], bad: dict[str, InputError]) -> list[pa.Table]:
        """Read files of a table; damaged ones are added to the bad ones."""
        parts = []
        for name in names:
            try:
                with pq.ParquetFile(self.folder / name) as file:
                    part = file.read(use_threads=False)
            except FileNotFoundError as error:
                state = self._state()
                if name not in (*state.all_files(), *state.damage):
                    raise  # merged and removed in the meantime
                bad[name] = damage(self.folder / name, str(error.strerror).lower())
            except (OSError, ValueError, pa.ArrowException) as error:
                bad[name] = damage(self.folder / name, str(error))
            else:
                if (mismatch := schema_mismatch(table, part.schema)) is None:
                    parts.append(part)
                else:
                    bad[name] = damage(self.folder / name, mismatch)
        return parts

    # compaction ------------------------------------------------------------------------------------------------------

    def compact(
        self, *, grace_s: float = GRACE_S, progress: bool = False, damaged: list[InputError] | None = None
    ) -> bool:
        """Merge the files of each day into one and remove those merged earlier; return whether this was done.

        It is not if a simultaneous compaction was first. Files damaged inside stay, so that a copy can restore them.
        Replaced files and leftovers of killed writers are kept for `grace_s` [s]. InputError if files and log disagree
        (a listed file is damaged or lost, a Parquet file is not listed, or something is a link), HecnError if the disk
        is full or cannot be written; no row was changed then.
        """
        bad: dict[str, InputError] = {}
        try:
            return self._compact(grace_s, bad, progress=progress)
        except OSError as error:
            raise HecnError(
                f"{self.folder}: {error.strerror or error}; no row was changed; "
                "free some space or check the permissions, and compact again"
            ) from None
        finally:
            report_damage(bad.values(), damaged)

    def _compact(self, grace_s: float, bad: dict[str, InputError], *, progress: bool) -> bool:
        state = self._state()
        if state.damage:
            bad.update(state.damage)
            raise InputError(
                f"{len(bad)} of its files damaged, lost or unknown",
                "files and log that agree; nothing was compacted, and nothing removed",
                source=self.folder,
                advice="repair each reported file, and compact again",
            )
        if not state.commits:
            self._log.clean(grace_s)
            return True
        days: dict[str, list[str]] = {}
        for name in state.all_files():
            days.setdefault(name.rpartition("/")[0], []).append(name)
        kept: list[str] = []
        with Writer(self.folder) as writer:
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
                writer.write(table, partition, in_order(table, rows))
            replaced = self._replaced(state, kept)
            generation = {
                "version": _VERSION,
                "id": writer.id,
                "keys": sorted(state.merged | {commit["key"] for commit in state.commits}),
                "files": sorted(kept + writer.written),
                "superseded": [*replaced, *(name for name in sorted(state.superseded) if exists(self.folder, name))],
            }
            for name in replaced:  # the grace period begins now
                with suppress(OSError):  # another process compacts at the same time
                    os.utime(plain(self.folder, name))
            is_first = writer.publish(generation, f"generations/{state.generation + 1}.json")
            self._log.settle()
        if is_first:
            self._log.clean(grace_s)
        return is_first

    @staticmethod
    def _replaced(state: State, kept: Iterable[str]) -> list[str]:
        """Return the names of files that become invalid when all but some of them are merged."""
        number = state.generation
        generation = [f"generations/{number}.copy.json", f"generations/{number}.json"] if number else []
        commits = [f"commits/{commit['key']}.json" for commit in state.commits]
        return [*sorted(set(state.all_files()).difference(kept)), *commits, *generation]


def _concerning(damaged: Mapping[str, InputError], table: str) -> dict[str, InputError]:
    """Return the damage except that of files of other tables."""
    others = set(TABLES) - {table}
    return {name: error for name, error in damaged.items() if name.partition("/")[0] not in others}


def _report(bad: Mapping[str, InputError], files: Iterable[str], damaged: list[InputError] | None) -> None:
    """Report damage; raise the first if the caller collects none and no file can be read."""
    if bad and damaged is None and all(name in bad for name in files):
        raise next(iter(bad.values()))
    report_damage(bad.values(), damaged)
