"""Identity and names of ports.

A port is identified by host and interface. A source without a host name counts as its own host, under the name of the
file: two walks of two machines that both have ``eth0`` are two ports. An interface without a name is named by its index
(``index 3``). If a host has several interfaces of one name at the same time, the index tells them apart
(``Ethernet (index 3)``). A renumbered interface keeps its name, and so remains the same port.

Every table and every command uses `port_key`, so that a port has the same name everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

KEY: Final = ("host", "interface")
"""Columns with the key of a port, in every table keyed by `port_key`."""
_SUFFIX: Final = " (index "


@dataclass(frozen=True)
class Identities:
    """Identities of runs of rows; a run is a sequence of consecutive rows with the same identity."""

    # texts for the codes in `host`, `file` and `interface`
    hosts: Sequence[Any]
    files: Sequence[Any]
    interfaces: Sequence[Any]
    # code of each run, from 0; -1 if missing
    host: Ints
    file: Ints
    interface: Ints
    index: Ints  # index of the interface on its host, -1 if missing
    rows: Ints  # number of rows of each run
    time_ns: Ints  # time of each row since 1970 [ns]


def number_ports(runs: Identities) -> tuple[Ints, pd.DataFrame]:
    """Number the ports in the order in which they appear."""
    host = np.where(runs.host < 0, len(runs.hosts) + runs.file + 1, runs.host)
    name = np.where(runs.interface < 0, len(runs.interfaces) + runs.index + 1, runs.interface)
    code = np.asarray(pd.factorize(host * (int(name.max(initial=0)) + 1) + name)[0], dtype=np.int64)
    is_ambiguous = _ambiguous_names(runs, code, _first(code))
    if is_ambiguous.any():
        width = int(runs.index.max(initial=0)) + 2
        number = np.where(is_ambiguous[code], code * width + runs.index + 1, -1 - code)
        renumbered = np.asarray(pd.factorize(number)[0], dtype=np.int64)
        is_ambiguous, code = is_ambiguous[code[_first(renumbered)]], renumbered
    return code, _names(runs, _first(code), is_ambiguous)


def _first(code: Ints) -> Ints:
    """First run of each port."""
    return np.unique(code, return_index=True)[1]


def _ambiguous_names(runs: Identities, code: Ints, first: Ints) -> npt.NDArray[np.bool_]:
    """Mask of names with several indexes at the same time, which are several interfaces, not a renumbered one."""
    is_ambiguous = np.zeros(len(first), dtype=np.bool_)
    if bool((runs.index == runs.index[first[code]]).all()):
        return is_ambiguous
    row_code = np.repeat(code, runs.rows)
    rows = pd.DataFrame({"code": row_code, "file": np.repeat(runs.file, runs.rows), "time": runs.time_ns})
    indexed = rows.assign(index=np.repeat(runs.index, runs.rows))
    several = rows.duplicated(keep=False) & ~indexed.duplicated(keep=False)
    is_ambiguous[row_code[several.to_numpy()]] = True
    return is_ambiguous


def _names(runs: Identities, first: Ints, is_ambiguous: npt.NDArray[np.bool_]) -> pd.DataFrame:
    """Names of the ports that first appear in these runs."""
    names = []
    for run, needs_index in zip(first.tolist(), is_ambiguous.tolist(), strict=True):
        host, file, interface, index = (
            int(numbers[run]) for numbers in (runs.host, runs.file, runs.interface, runs.index)
        )
        owner = runs.hosts[host] if host >= 0 else runs.files[file] if file >= 0 else None
        name = runs.interfaces[interface] if interface >= 0 else f"index {index}" if index >= 0 else None
        if interface >= 0 and needs_index:
            name = f"{name}{_SUFFIX}{index})"
        names.append((owner, name))
    return pd.DataFrame(names, columns=list(KEY), dtype="string")


def number_rows(table: pd.DataFrame) -> tuple[Ints, pd.DataFrame]:
    """Number the ports of a table's rows in the order in which they appear.

    Parameters
    ----------
    table
        Any of ``host``, ``source_file``, ``interface``, ``index`` and ``time``, as in the tables ``samples`` and
        ``rates``.

    Returns
    -------
    array of int
        Number of the port of each row.
    DataFrame
        ``host`` and ``interface`` of each port.

    Examples
    --------
    >>> table = pd.DataFrame({"host": None, "source_file": ["a.txt", "b.txt", "a.txt"], "interface": "eth0"})
    >>> number_rows(table)[0].tolist()
    [0, 1, 0]
    """
    host, file, interface = (_factors(table, name) for name in ("host", "source_file", "interface"))
    index = np.full(len(table), -1, dtype=np.int64)
    if "index" in table.columns:
        index = pd.to_numeric(table["index"]).to_numpy(dtype=np.float64, na_value=-1.0).astype(np.int64)
    time_ns = np.arange(len(table), dtype=np.int64)  # without times, all rows count as different times
    if "time" in table.columns:
        time_ns = np.asarray(pd.DatetimeIndex(pd.to_datetime(table["time"], utc=True)).as_unit("ns").asi8)
    return number_ports(
        Identities(
            *(host[1], file[1], interface[1], host[0], file[0], interface[0]),
            index=index,
            rows=np.ones(len(table), dtype=np.int64),
            time_ns=time_ns,
        )
    )


def _factors(table: pd.DataFrame, name: str) -> tuple[Ints, Sequence[Any]]:
    """Codes of the texts of a column, and the texts."""
    if name not in table.columns:
        return np.full(len(table), -1, dtype=np.int64), []
    numbers, texts = pd.factorize(table[name])
    return np.asarray(numbers, dtype=np.int64), [str(text) for text in texts]


def port_key(table: pd.DataFrame) -> pd.DataFrame:
    """Key of the port of each row; equal keys are the same port.

    Parameters
    ----------
    table
        Any of ``host``, ``source_file``, ``interface``, ``index`` and ``time``, as in the tables ``samples`` and
        ``rates``.

    Returns
    -------
    DataFrame
        ``host`` (else the file) and ``interface`` (else the index), one row per row of the table. A table with these
        columns in place of its own has the same keys.

    Examples
    --------
    >>> table = pd.DataFrame({"host": ["sw1", None, None], "source_file": ["a.txt", "b.txt", "b.txt"],
    ...                       "interface": ["eth0", "eth0", None], "index": [1, 1, 2]})
    >>> port_key(table).to_dict("list")
    {'host': ['sw1', 'b.txt', 'b.txt'], 'interface': ['eth0', 'eth0', 'index 2']}
    """
    code, names = number_rows(table)
    return names.take(code).set_axis(table.index, axis=0)


def port_name(host: object, interface: object) -> str:
    """Name of a port for people.

    Parameters
    ----------
    host, interface
        Its key, from `port_key`.

    Returns
    -------
    str
        Host and interface, as far as they are known.

    Examples
    --------
    >>> port_name("switch", "eth0"), port_name(None, "eth0")
    ('switch eth0', 'eth0')
    """
    return " ".join(str(part) for part in (host, interface) if not pd.isna(part) and part)  # type: ignore[call-overload]


def with_names(table: pd.DataFrame) -> pd.DataFrame:
    """Name the ports of a table's rows.

    Parameters
    ----------
    table
        As for `port_key`.

    Returns
    -------
    DataFrame
        The table with the key of each port in ``host`` and ``interface``, and its name in ``port``.

    Examples
    --------
    >>> with_names(pd.DataFrame({"host": ["sw1"], "interface": ["eth0"]}))["port"].tolist()
    ['sw1 eth0']
    """
    key = port_key(table)
    names = [port_name(host, interface) for host, interface in zip(key["host"], key["interface"], strict=True)]
    return table.assign(host=key["host"], interface=key["interface"], port=names)


def bare_name(interface: Any) -> str | None:  # noqa: ANN401 - a cell of a table
    """Name of an interface without an added index; None if it has no name."""
    return None if pd.isna(interface) else str(interface).split(_SUFFIX, maxsplit=1)[0]


def stated_value(stated: float | Mapping[Any, float] | None, names: pd.DataFrame) -> Floats:
    """Value stated by the user for each port, NaN if none."""
    if not isinstance(stated, Mapping):
        return np.full(len(names), np.nan if stated is None else float(stated))
    values = []
    for pair in zip(names["host"], names["interface"], strict=True):
        host, interface = (None if pd.isna(part) else part for part in pair)
        bare = bare_name(interface)
        keys = ((host, interface), (host, bare), interface, bare)
        values.append(next((float(stated[key]) for key in keys if key in stated), np.nan))
    return np.array(values, dtype=np.float64)
