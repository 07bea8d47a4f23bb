"""Planned changes of ports, as rows of a YAML or CSV file, and their effect on a port's percentile.

A YAML file has the keys ``changes`` and, for free ports, ``counts``, each a list of rows. A CSV file has the rows of
``changes`` under a line of names. A row has ``date`` (first day), ``port`` (interface), ``host`` if several hosts have
such a port, optionally ``until`` (last day) and ``note``, and one of:

- ``rate``: is added to the percentile, or subtracted (``-2 Gb/s``);
- ``daily``: bytes a day, in ``hours`` of the day, else spread like the port's own traffic;
- ``bytes``: all bytes of a project, evenly from ``date`` to ``until``, in ``hours`` of each day or all day;
- ``hosts`` with ``of``: additional hosts, and the present number, each as busy as the present ones; with ``rate`` or
  ``daily`` instead of ``of``: each with that much traffic;
- ``speed``: the port's speed from then on;
- ``moves_to``: the port is retired, and its traffic goes to this port, or in equal parts to several (``a, b``);
- ``ports``: additional used ports of the ``host``.

Planned transfers state payload; counters include headers, about 4 % more with packets of 1500 bytes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError, unknown_name
from hecn_analysis.hardware import yaml_file

KINDS: Final = ("rate", "daily", "bytes", "of", "speed", "moves_to", "ports")
KEYS: Final = ("date", "until", "host", "port", "note", "hours", "hosts", *KINDS)
COUNTS: Final = ("date", "host", "used", "ports")


@dataclass(frozen=True)
class Change:
    """One row."""

    # first and last day; None for no end
    begin: date
    until: date | None
    # the port; None for any host
    host: str | None
    port: str | None
    kind: str  # one of `KINDS`
    amount: float  # rate or speed [bit/s], bytes per day or in total [B], present hosts, or ports [1]
    hours: float | None  # hours of the day in which it runs; None if not given
    hosts: float  # additional hosts
    moves_to: tuple[str, ...]  # ports that take over
    note: str  # words of the user
    place: str  # file and line


@dataclass(frozen=True)
class Count:
    """How many ports of a host were in use on a day, of how many."""

    day: date
    host: str
    used: int
    ports: int


@dataclass(frozen=True)
class Plan:
    """Contents of a file: planned changes, and counts of used ports in the past."""

    changes: tuple[Change, ...] = ()
    counts: tuple[Count, ...] = ()


def read_plan(path: Path | str) -> Plan:
    """Read planned changes."""
    path = Path(path)
    if path.suffix == ".csv":
        rows, counts = _csv_rows(path), []
    else:
        document = yaml_file.load(path)
        unknown = set(document.values) - {"changes", "counts"}
        if unknown:
            raise InputError(
                f"key {min(unknown)!r}", "changes, counts", source=path, line=document.line((min(unknown),))
            )
        rows, counts = [
            [
                (entry, document.line((name, str(number))))
                for number, entry in enumerate(document.values.get(name) or [])
            ]
            for name in ("changes", "counts")
        ]
    return Plan(
        tuple(_change(row, path, line) for row, line in rows), tuple(_count(row, path, line) for row, line in counts)
    )


def _csv_rows(path: Path) -> list[tuple[Any, int | None]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            return [({key: cell for key, cell in row.items() if cell}, reader.line_num) for row in reader]
    except OSError as error:
        raise InputError(error.strerror or "an unreadable file", "a readable CSV file", source=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} that is not UTF-8", "UTF-8 text", source=path) from None


def _change(row: Any, path: Path, line: int | None) -> Change:  # noqa: ANN401 - whatever YAML holds
    place: dict[str, Any] = {"source": path, "line": line}
    _check_keys(row, KEYS, place)
    kinds = [kind for kind in KINDS if kind in row]
    if len(kinds) != 1 or ("hosts" in row and kinds[0] not in {"of", "rate", "daily"}):
        raise InputError(" and ".join(kinds) or "no change", f"one of {', '.join(KINDS)}", **place)
    kind = kinds[0]
    if kind == "of" and "hosts" not in row:
        raise InputError("'of' without 'hosts'", "the number of additional hosts", **place)
    if ("host" if kind == "ports" else "port") not in row:
        raise InputError("no port", "the host" if kind == "ports" else "the interface of the change", **place)
    if kind == "bytes" and "until" not in row:
        raise InputError("'bytes' without 'until'", "the day by which they must arrive", **place)
    moves_to = row["moves_to"] if kind == "moves_to" else ()
    moves_to = moves_to.split(",") if isinstance(moves_to, str) else moves_to
    begin, until = _day(row["date"], place), _day(row["until"], place) if "until" in row else None
    if until is not None and until < begin:
        raise InputError(f"until {until}", f"{begin} or later", **place)
    hours = _number(row["hours"], "count", place) if "hours" in row else None
    if hours is not None and not 0 < hours <= 24:
        raise InputError(f"hours {hours:g}", "more than 0 and at most 24", **place)
    dimension = {"rate": "rate", "speed": "rate", "daily": "bytes", "bytes": "bytes"}.get(kind, "count")
    return Change(
        begin=begin,
        until=until,
        host=None if row.get("host") is None else str(row["host"]),
        port=None if row.get("port") is None else str(row["port"]),
        kind=kind,
        amount=0.0 if kind == "moves_to" else _number(row[kind], dimension, place, taken=kind == "rate"),
        hours=hours,
        hosts=_number(row["hosts"], "count", place) if "hosts" in row else 1.0,
        moves_to=tuple(str(name).strip() for name in moves_to),
        note=str(row.get("note", "")),
        place=f"{path}:{line}",
    )


def _count(row: Any, path: Path, line: int | None) -> Count:  # noqa: ANN401
    place: dict[str, Any] = {"source": path, "line": line}
    _check_keys(row, COUNTS, place)
    if absent := [key for key in COUNTS if key not in row]:
        raise InputError(f"no {absent[0]}", f"keys {', '.join(COUNTS)}", **place)
    used, ports = (int(_number(row[key], "count", place, taken=True)) for key in ("used", "ports"))
    if not 0 <= used <= ports:
        raise InputError(f"{used} used of {ports} ports", "not more than there are", **place)
    return Count(_day(row["date"], place), str(row["host"]), used, ports)


def _check_keys(row: Any, known: Sequence[str], place: Mapping[str, Any]) -> None:  # noqa: ANN401
    if not isinstance(row, dict):
        raise InputError(f"{row!r}", f"a mapping with {', '.join(known)}", **place)
    for key in row:
        if key not in known:
            raise unknown_name("key", str(key), known, **place)
    if "date" not in row:
        raise InputError("no date", "the day, such as 2027-03-01", **place)


def _day(value: Any, place: Mapping[str, Any]) -> date:  # noqa: ANN401
    try:
        return value if type(value) is date else date.fromisoformat(str(value))
    except ValueError:
        raise InputError(f"{value!r}", "a day, such as 2027-03-01", **place) from None


def _number(value: Any, dimension: str, place: Mapping[str, Any], *, taken: bool = False) -> float:  # noqa: ANN401
    try:
        number = units.parse(value, dimension)  # type: ignore[arg-type]
    except HecnError as error:
        raise InputError(str(error), "an amount with its unit", **place) from None
    if number <= 0 and not taken:
        raise InputError(f"{value!r}", "more than 0", **place)
    return number


def about(changes: Iterable[Change], host: str | None, port: str) -> list[Change]:
    """Return the changes of a port."""
    return [change for change in changes if change.port == port and (change.host is None or change.host == host)]
