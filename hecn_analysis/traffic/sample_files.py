"""Read Parquet files with the table ``samples`` by row groups: the interfaces in each, and the readings as columns.

`row_groups` reads the text columns only. Columns that a file lacks are missing values.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hecn_analysis.base.errors import InputError
from hecn_analysis.traffic.ports import Ints
from hecn_analysis.traffic.series import NAT, NEEDED, Readings

_TEXTS = ("host", "interface", "source_file")
_NUMBERS = ("index", "time", "in_octets", "out_octets", "counter_bits", "speed_bps", "uptime_s", "discontinuity_s")
_KINDS: Mapping[str, Any] = {  # types of the columns in memory
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

#: Host, name and file of an interface; the file only if the host is unknown.
Key = tuple[str | None, str | None, str | None]


@dataclass(frozen=True)
class Group:
    """One row group of a file, and the interfaces in it."""

    path: str
    number: int
    rows: int
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class Fault:
    """The fault of a file, in a form that a worker can send back."""

    path: str
    found: str
    expected: str

    def error(self) -> InputError:
        """The fault as an error."""
        return InputError(self.found, self.expected, source=self.path)


class FaultsError(Exception):
    """Some files could not be read."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(faults)
        self.faults = faults


def row_groups(path: str, host: str | None = None) -> list[Group]:
    """List the row groups of a file with their interfaces."""
    with _reading(path), _open(path) as file:
        absent = [name for name in NEEDED if name not in file.schema_arrow.names]
        if absent:
            raise InputError(
                "no column " + " and no column ".join(absent), f"samples with {', '.join(NEEDED)}", source=path
            )
        texts = [name for name in _TEXTS if name in file.schema_arrow.names]
        groups = []
        for number in range(file.num_row_groups):
            table = file.read_row_group(number, columns=texts, use_threads=False)
            codes, names = _codes(table, path, host)
            runs = _runs(codes)
            owner = codes["host"][runs]
            files = np.where(owner >= 0, -1, codes["source_file"][runs])  # the file stands in for an unknown host
            texts_of = [
                np.array([*names[text], None], dtype=object)[code].tolist()
                for text, code in zip(_TEXTS, (owner, codes["interface"][runs], files), strict=True)
            ]
            groups.append(Group(path, number, table.num_rows, tuple(dict.fromkeys(zip(*texts_of, strict=True)))))
    return groups


def _open(path: str) -> pq.ParquetFile:
    """Open a file; its columns of text are read as dictionaries."""
    try:
        known = pq.read_schema(path).names
        return pq.ParquetFile(path, read_dictionary=[name for name in _TEXTS if name in known])
    except pa.ArrowInvalid:
        raise InputError("no Parquet file", "a Parquet file with the table samples", source=path) from None


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Turn any error of reading into one that names the file."""
    try:
        yield
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        words = getattr(error, "strerror", None) or " ".join(str(error).split())[:160]
        raise InputError(f"damage ({words})", "a Parquet file with the table samples", source=path) from None


def _codes(table: pa.Table, path: str, host: str | None) -> tuple[dict[str, Ints], dict[str, list[str]]]:
    """Dictionary codes of the texts of each row (-1: missing), and the dictionaries."""
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
    """First row of each sequence of rows with the same texts."""
    length = len(codes["host"])
    changes = np.zeros(length, dtype=np.bool_)
    changes[:1] = True
    for values in codes.values():
        changes[1:] |= values[1:] != values[:-1]
    return np.flatnonzero(changes)


def read(groups: Sequence[tuple[str, int, int]], keys: Iterable[Key], host: str | None) -> Readings:
    """Read the readings of some interfaces from row groups, each given by its file, number and rows."""
    vocabulary: dict[str, dict[str, int]] = {text: {} for text in _TEXTS}
    columns = Columns(sum(rows for _, _, rows in groups))
    members = Members(keys)
    faults: dict[str, Fault] = {}
    path, file = "", None
    for file_path, number, _ in groups:
        try:
            with _reading(file_path):
                if file_path != path:
                    path, file = file_path, _open(file_path)
                assert file is not None  # noqa: S101 - opened with the first path
                _take(file, number, (file_path, host), columns=columns, vocabulary=vocabulary, members=members)
        except InputError as error:
            faults[file_path] = Fault(file_path, error.found, error.expected)
    if faults:
        raise FaultsError(list(faults.values()))
    times = {
        name: None if (values := columns.get(name)) is None or bool(np.isnan(values).all()) else values
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
    defaults: tuple[str, str | None],
    *,
    columns: Columns,
    vocabulary: dict[str, dict[str, int]],
    members: Members,
) -> None:
    """Add the rows of the chosen interfaces; `defaults` are the file and the host of rows without one."""
    columns_here = [name for name in (*_TEXTS, *_NUMBERS) if name in file.schema_arrow.names]
    table = file.read_row_group(number, columns=columns_here, use_threads=False)
    codes, names = _codes(table, *defaults)
    rows = members.rows(codes, names)
    values: dict[str, Any] = {"rows": rows}
    for text, codes_of in vocabulary.items():
        translation = np.array(
            [*(codes_of.setdefault(name, len(codes_of)) for name in names[text]), -1], dtype=np.int32
        )
        values[text] = translation[codes[text]]
    for name in _NUMBERS:
        values |= _numbers(table, name)
    columns.add(len(codes["host"]) if rows is None else len(rows), values)


def _numbers(table: pa.Table, name: str) -> dict[str, Any]:
    """NumPy values of a column; for counters also a mask of missing ones."""
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


class Columns:
    """Columns of readings, filled row group by row group.

    A thread reuses the memory of its previous columns: fresh memory would cost more than writing to it.
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
        """Add rows; columns that are absent from `values` are missing."""
        here = slice(self._filled, self._filled + length)
        for name, kind in _KINDS.items():
            column_values = values.get(name)
            if column_values is None:
                if name in self._given:
                    self._column(name, kind)[here] = _ABSENT[kind]
                continue
            column = self._column(name, kind)
            if name not in self._given:
                column[: self._filled] = _ABSENT[kind]
                self._given.add(name)
            rows = values.get("rows")
            if rows is None:
                column[here] = column_values
            elif column_values.dtype == column.dtype:
                np.take(column_values, rows, out=column[here], mode="clip")
            else:
                column[here] = column_values[rows]
        self._filled = here.stop

    def get(self, name: str) -> Any:  # noqa: ANN401 - an array or None
        """A column, or None if no row group had it."""
        if name not in self._given:
            return None
        return self._spare.__dict__[name][: self._filled]

    def number(self, name: str) -> Any:  # noqa: ANN401 - an array or a number
        """A column, or the missing value if no row group had it."""
        column = self.get(name)
        return _ABSENT[_KINDS[name]] if column is None else column

    def all(self, name: str) -> Any:  # noqa: ANN401 - an array
        """A column; empty if there are no rows."""
        column = self.get(name)
        return np.empty(0, dtype=_KINDS[name]) if column is None else column


class Members:
    """A set of interfaces, looked up for many rows at once."""

    def __init__(self, keys: Iterable[Key]) -> None:
        pairs = [((host, file), name) for host, name, file in keys]
        self._owners = {owner: number for number, owner in enumerate(dict.fromkeys(owner for owner, _ in pairs))}
        self._names = {name: number for number, name in enumerate(dict.fromkeys(name for _, name in pairs))}
        self._here = np.zeros((len(self._owners) + 1, len(self._names) + 1), dtype=np.bool_)
        for owner, name in pairs:
            self._here[self._owners[owner], self._names[name]] = True

    def rows(self, codes: dict[str, Ints], names: dict[str, list[str]]) -> Ints | None:
        """Rows of these interfaces; None for all rows."""
        runs = _runs(codes)
        hosts = np.array([*(self._owners.get((name, None), -1) for name in names["host"]), -1])
        unknown = self._owners.get((None, None), -1)  # neither host nor file is known
        files = np.array([*(self._owners.get((None, name), -1) for name in names["source_file"]), unknown])
        names_known = np.array([*(self._names.get(name, -1) for name in names["interface"]), self._names.get(None, -1)])
        host = codes["host"][runs]
        owner = np.where(host >= 0, hosts[host], files[codes["source_file"][runs]])
        is_member = self._here[owner, names_known[codes["interface"][runs]]]
        if bool(is_member.all()):
            return None
        return np.flatnonzero(np.repeat(is_member, np.diff(runs, append=len(codes["host"]))))
