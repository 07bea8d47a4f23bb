"""Layout of an archive: tables, file names, days and columns; regular files and folders only; errors for damage."""

from __future__ import annotations

import json
import os
import re
import stat
import warnings
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError, ValidityWarning

#: Tables of an archive, each with the column that determines the day of a row.
TABLES: Final[Mapping[str, str]] = {
    "runs": "start_time",
    "streams": "start_time",
    "intervals": "start_time",
    "samples": "time",
    "rates": "time",
    "problems": "",
    "statements": "",
}

UNKNOWN_DAY: Final = "unknown"

#: Name of a Parquet file below the folder, with its time and its writer.
ROWS_FILE: Final = re.compile(
    rf"(?:{'|'.join(TABLES)})/day=[\w-]{{1,40}}/[0-9a-f]{{16}}-(?P<writer>[0-9a-f]{{32}})\.parquet"
)

#: Files that a compaction may replace: Parquet files, commits, and both copies of a generation.
_REPLACEABLE: Final = re.compile(
    rf"{ROWS_FILE.pattern}|commits/[\w-]{{1,200}}\.json|generations/\d{{1,18}}(?:\.copy)?\.json", re.ASCII
)


def by_day(table: str, frame: pd.DataFrame, runs: pd.DataFrame | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Group rows by day (UTC); streams and intervals go with their run."""
    column = TABLES[table]
    if column in frame.columns:
        days = _days(frame[column])
    elif column and runs is not None:
        days = _days(runs["start_time"])
        if len(np.unique(days)) > 1:
            keys = ["source_file", "run"]
            of_runs = runs[keys].assign(day=days)
            days = frame[keys].merge(of_runs, on=keys, how="left")["day"].to_numpy("datetime64[D]")
    else:
        days = np.array(["NaT"], "datetime64[D]")
    each = np.unique(days)
    for day in each:
        is_missing = np.isnat(day)
        part = frame if len(each) == 1 else frame[np.isnat(days) if is_missing else days == day]
        yield (UNKNOWN_DAY if is_missing else str(day)), part


def _days(times: pd.Series) -> np.ndarray[Any, np.dtype[np.datetime64]]:
    """The days (UTC) of times; NaT where one is missing."""
    return pd.to_datetime(times, utc=True).to_numpy("datetime64[ns]").astype("datetime64[D]")


def to_arrow(frame: pd.DataFrame) -> pa.Table:
    """Convert rows to an Arrow table by the types of their columns, without metadata of pandas."""
    return pa.table({name: pa.array(column.array, from_pandas=True) for name, column in frame.items()})


def is_between(day: str, first: str | date | None, last: str | date | None) -> bool:
    """Return whether a day lies in a range, both ends included."""
    if first is None and last is None:
        return True
    if day == UNKNOWN_DAY:
        return first == UNKNOWN_DAY
    return (first is None or day >= str(first)) and (last is None or day <= str(last))


def in_order(table: str, rows: pa.Table) -> pa.Table:
    """Join rows of several files; counters are sorted by port, so that a query for one reads few parts."""
    keys = [(name, "ascending") for name in ("host", "interface") if name in rows.column_names]
    return rows.sort_by(keys) if table in {"samples", "rates"} and keys else rows


def plain(folder: Path, name: str) -> Path:
    """Return the path of a file or folder of an archive; refuse symbolic links below the archive."""
    path = folder
    for part in name.split("/"):
        path /= part
        try:
            mode = path.lstat().st_mode
        except NotADirectoryError:
            raise damage(path.parent, "not a folder") from None
        if stat.S_ISLNK(mode):
            raise is_link(path)
    return path


def plain_file(folder: Path, name: str) -> Path:
    """Return the path of a regular file of an archive: opening a FIFO would block."""
    path = plain(folder, name)
    if not stat.S_ISREG(path.lstat().st_mode):
        raise damage(path, "not a plain file")
    return path


def exists(folder: Path, name: str) -> bool:
    """Return whether a name exists in an archive, links included."""
    try:
        plain(folder, name)
    except FileNotFoundError:
        return False
    except InputError:
        return True
    return True


def make_folder(folder: Path, name: str) -> Path:
    """Create a missing folder of an archive, through no link, and synchronise its name to disk."""
    _make(folder)
    path = folder
    for part in name.split("/"):
        path /= part
        if path.is_symlink():
            raise is_link(path)
        if path.exists() and not path.is_dir():
            raise damage(path, "not a folder")
        _make(path)
    return path


def _make(folder: Path) -> None:
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        sync(folder.parent)


def put(text: str, place: Path) -> None:
    """Write a small file and synchronise it to disk."""
    place.write_text(text, encoding="utf-8")
    sync(place)


def sync(path: Path) -> None:
    """Synchronise a file, or the names in a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_entry(folder: Path, name: str, expected: Mapping[str, type]) -> dict[str, Any]:
    """Read a commit or a generation; require keys of these types and names of archive files only."""
    path = plain_file(folder, name)
    try:
        content: Any = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise damage(path, getattr(error, "strerror", None) or str(error)) from None
    entries: dict[str, Any] = content if isinstance(content, dict) else {}
    has_keys = all(isinstance(entries.get(key), kind) for key, kind in {**expected, "files": list}.items())
    if not has_keys or not {str} >= set(map(type, entries.get("keys", ()))):
        raise damage(path, f"no {', '.join((*expected, 'files'))}")
    for key, pattern in (("files", ROWS_FILE), ("superseded", _REPLACEABLE)):
        for file_name in entries.get(key, ()):
            if not isinstance(file_name, str) or not pattern.fullmatch(file_name):
                raise damage(path, f"the name {file_name!r}")
    return entries


#: Types that keep integers and booleans exact if some are missing.
_NULLABLE: Final[Mapping[pa.DataType, Any]] = {
    pa.int64(): pd.Int64Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def to_frame(rows: pa.Table) -> pd.DataFrame:
    """Convert rows of an Arrow table by the types of their columns, ignoring the pandas metadata of the file.

    >>> int(to_frame(pa.table({"in_octets": pa.array([2**62 + 1, None])}))["in_octets"][0] - 2**62)
    1
    """
    return tables.with_units(rows.replace_schema_metadata(None).to_pandas(types_mapper=_NULLABLE.get))


def schema_mismatch(table: str, schema: pa.Schema) -> str | None:
    """Return why columns do not fit a table; None if they fit."""
    known = _types(table)
    if not set(schema.names) & set(known):
        return f"no column of {table}"
    for column in schema:
        if column.name in known and _family(column.type) not in known[column.name]:
            return f"column {column.name!r} of {column.type}"
    return None


@cache
def columns(table: str) -> dict[str, str]:
    """Return the columns of a table with their DuckDB types."""
    with duckdb.connect() as connection:
        empty = to_arrow(tables.make(table, []))
        rows = connection.from_arrow(empty)
        return dict(zip(rows.columns, map(str, rows.types), strict=True))


@cache
def _types(table: str) -> dict[str, set[str]]:
    """Return the families of types that the columns of a table may have in a file."""
    schema = to_arrow(tables.make(table, [])).schema
    families = {column.name: _family(column.type) for column in schema}
    return {name: {family, "null", *({"whole"} if family == "number" else ())} for name, family in families.items()}


def _family(kind: pa.DataType) -> str:
    names = {
        "null": pa.types.is_null,
        "whole": pa.types.is_integer,
        "number": pa.types.is_floating,
        "truth": pa.types.is_boolean,
        "time": pa.types.is_timestamp,
        "text": lambda kind_of_column: pa.types.is_string(kind_of_column) or pa.types.is_large_string(kind_of_column),
    }
    return next((name for name, fits in names.items() if fits(kind)), str(kind))


def report_damage(errors: Iterable[InputError], damaged: list[InputError] | None) -> None:
    """Add damage to the caller's list, or warn if the caller has no list."""
    for error in errors:
        if damaged is None:
            warnings.warn(f"{error}; {_effect(error)}", ValidityWarning, stacklevel=3)
        else:
            damaged.append(error)


def problems_of(damaged: Iterable[InputError]) -> pd.DataFrame:
    """Return rows of the table of problems for unreadable files of an archive."""
    rows = [
        {
            "source_file": str(error.source),
            "kind": "unreadable",
            "message": f"found {error.found}, expected {error.expected}; {_effect(error)}; {error.advice}",
        }
        for error in damaged
    ]
    return tables.make("problems", rows)


class HarmlessDamageError(InputError):
    """Damage that loses no rows: another file of the archive has the same content, or no rows are affected."""


def harmless(error: InputError, advice: str | None = None) -> HarmlessDamageError:
    """Mark damage as harmless: it loses no rows."""
    return HarmlessDamageError(
        error.found, error.expected, source=error.source, line=error.line, advice=advice or error.advice
    )


def _effect(error: InputError) -> str:
    """Effect of damage, for a message."""
    return "no rows are missing" if isinstance(error, HarmlessDamageError) else "left out, the rest is read"


def damage(path: Path, reason: str, advice: str | None = None) -> InputError:
    """Return the error for a damaged file of the archive."""
    first = " ".join(reason.split())[:160]
    return InputError(
        f"damage ({first})",
        "a file written by 'hecn archive'",
        source=path,
        advice=advice or "restore it from a copy, or rebuild the archive from the added files",
    )


def is_link(path: Path) -> InputError:
    """Return the error for a symbolic link inside an archive."""
    return damage(path, "a symbolic link", "links inside an archive are not followed; restore the file itself")


def is_unknown(path: Path) -> InputError:
    """Return the error for a Parquet file that no commit and no generation names."""
    return damage(
        path,
        "no commit and no generation names it",
        "restore the lost commit or generation from a copy, or move this file out of the archive",
    )
