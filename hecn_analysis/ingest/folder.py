"""The contents of a folder of unknown files: runs of tools, counters of ports, captured hosts and packets.

Each text file is offered to the readers of all kinds, since one file may hold several things. A file that none
recognises is reported once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd

from hecn_analysis.archive.selection import archive_of
from hecn_analysis.base import tables, units
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.records import records
from hecn_analysis.base.units import format_bytes
from hecn_analysis.captures import Capture
from hecn_analysis.counters import Counters, read_counters
from hecn_analysis.files import whole
from hecn_analysis.files.documents import GAVE_UP, LOOKED_AT
from hecn_analysis.files.names import as_stored, readable
from hecn_analysis.files.opening import kind_of
from hecn_analysis.files.source import find
from hecn_analysis.ingest.reading import read_files
from hecn_analysis.inventory import Inventory, read_inventory
from hecn_analysis.logs import Reading, read
from hecn_analysis.runs.alike import with_conditions
from hecn_analysis.statements import SocketCourse, Statement

LOG, COUNTERS, CAPTURED = "runs of a tool", "counters of ports", "captured on a host"
SAID = "lines about a transfer"
PACKETS: Final = "packet capture"

#: Problems for which a file counts as damaged.
DAMAGED: Final = ("unreadable", "truncated", "malformed")

#: Number of rows on a page; the tables of `Folder` have all.
SHOWN: Final = 40


OUTCOME: Final = "HECN_OUTCOME"
"""Environment variable: the file into which a process that reads a folder writes the `Outcome`."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of reading a folder: counts in words, whether nothing could be read, and problems of damaged files."""

    counts: str
    is_empty: bool
    damaged: list[dict[str, object]]


@dataclass(frozen=True)
class Folder:
    """The contents of a folder.

    ``statements`` are those of single lines and of packet captures, ``sockets`` are connections over time, in files
    with several samples of ``ss -ti``.
    """

    path: str
    reading: Reading
    counters: Counters
    inventory: Inventory
    statements: tuple[Statement, ...] = ()
    captures: tuple[Capture, ...] = ()
    sockets: tuple[SocketCourse, ...] = ()

    @cached_property
    def runs(self) -> pd.DataFrame:
        """The runs with their conditions, see `hecn_analysis.runs.alike.with_conditions`."""
        return with_conditions(self.reading.runs)

    @cached_property
    def sources(self) -> pd.DataFrame:
        """One row for each file and reader: ``file``, ``kind``, ``format``, ``holds``, ``remarks``, ``first``.

        ``remarks`` counts the problems in the file, ``first`` is the first of them.
        """
        rows = [*self._logs(), *self._counters(), *self._captured(), *self._packets()]
        rows += self._said({str(row["source_file"]) for row in rows})
        frame = pd.DataFrame(rows, columns=["source_file", "kind", "format", "holds", "remarks", "first"])
        frame["file"] = frame["source_file"].map(self.short)
        return frame.sort_values(["source_file", "kind"], kind="stable", ignore_index=True)

    @cached_property
    def refused(self) -> pd.DataFrame:
        """Files that no reader could use: ``source_file``, ``file``, ``kind`` of the problem, ``why``."""
        read_ones = set(self.sources["source_file"])
        rows: dict[str, dict[str, Any]] = {}
        for result in (self.reading, self.counters, self.inventory):
            for problem in result.problems.to_dict("records"):
                name, message = str(problem["source_file"]), str(problem["message"])
                if name in read_ones or (name in rows and rows[name]["kind"] != "unrecognised"):
                    continue
                if name not in rows or problem["kind"] != "unrecognised" or message.startswith(GAVE_UP):
                    rows[name] = {"source_file": name, "kind": str(problem["kind"]), "why": _why(problem)}
        frame = pd.DataFrame(list(rows.values()), columns=["source_file", "kind", "why"])
        frame["file"] = frame["source_file"].map(self.short)
        return frame.sort_values("source_file", kind="stable", ignore_index=True)

    @cached_property
    def damaged(self) -> pd.DataFrame:
        """Problems of damaged files, read or not."""
        tables_of_problems = [result.problems for result in (self.reading, self.counters, self.inventory)]
        problems = pd.concat([*tables_of_problems, self._capture_problems], ignore_index=True)
        return problems[problems["kind"].isin(DAMAGED)].drop_duplicates(ignore_index=True)

    @property
    def outcome(self) -> Outcome:
        """Outcome of reading the folder."""
        return Outcome(str(self), self.is_empty, records(self.damaged))

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all could be read."""
        return self.sources.empty

    def short(self, name: str) -> str:
        """Name of a file within the folder.

        Parameters
        ----------
        name
            The name, with the folder in front.

        Returns
        -------
        str
            The rest of it.

        Examples
        --------
        >>> from hecn_analysis.base.places import data_dir
        >>> folder = read_folder(data_dir() / "transfers" / "after")
        >>> folder.short(f"{folder.path}/ping.txt")
        'ping.txt'
        """
        inside = os.path.relpath(name, self.path) if name.startswith(self.path) else name
        return Path(name).name if inside == "." else inside

    def __str__(self) -> str:
        files = self.sources["source_file"].nunique()
        parts = [f"{units.format_count(files, 'file')} read", f"{len(self.refused)} not"]
        if len(self.runs):
            parts.append(units.format_count(len(self.runs), "run"))
        if len(self.counters.rates):
            parts.append(units.format_count(len(self.counters.rates), "rate") + " of ports")
        if self.inventory.hosts:
            parts.append(units.format_count(len(self.inventory.hosts), "captured host"))
        if self.captures:
            parts.append(units.format_count(len(self.captures), "packet capture"))
        return ", ".join(parts)

    __repr__ = __str__

    def _logs(self) -> Iterator[dict[str, Any]]:
        runs = self.reading.runs
        versions = runs.groupby(["source_file", "tool"], sort=False)["tool_version"].first().reset_index()
        tools: dict[str, list[str]] = {}
        for version in versions.to_dict("records"):
            text = (
                str(version["tool"])
                if pd.isna(version["tool_version"])
                else f"{version['tool']} {version['tool_version']}"
            )
            tools.setdefault(str(version["source_file"]), []).append(text)
        for name, count in runs["source_file"].value_counts(sort=False).items():
            form = ", ".join(tools.get(str(name), ()))
            yield self._row(str(name), LOG, form, units.format_count(count, "run"), self.reading.problems)

    def _counters(self) -> Iterator[dict[str, Any]]:
        for source in self.counters.sources:
            name = str(source["source_file"])
            counts = [
                units.format_count(number, noun)
                for noun, number in (("reading", source.get("n_samples")), ("port", source.get("n_interfaces")))
                if isinstance(number, int) and number
            ]
            yield self._row(name, COUNTERS, str(source["format"]), ", ".join(counts) or "–", self.counters.problems)

    def _captured(self) -> Iterator[dict[str, Any]]:
        by_file: dict[str, list[Mapping[str, Any]]] = {}
        for source in self.inventory.sources:
            by_file.setdefault(str(source["source_file"]), []).append(source)
        hosts = {name: host.name for host in self.inventory.hosts for name in host.source_files}
        for name, sources in by_file.items():
            formats = ", ".join(dict.fromkeys(str(source["format"]) for source in sources))
            owner = f"of {hosts[name]}" if name in hosts else "of no host"
            yield self._row(name, CAPTURED, formats, owner, self.inventory.problems)

    def _said(self, read_ones: set[str]) -> Iterator[dict[str, Any]]:
        """Files of which only single lines could be used."""
        by_file: dict[str, list[Statement]] = {}
        for statement in self.statements:
            if statement.source_file not in read_ones:
                by_file.setdefault(statement.source_file, []).append(statement)
        for name, own_statements in by_file.items():
            about = ", ".join(sorted({statement.name.partition(".")[0] for statement in own_statements}))
            holds = units.format_count(len({statement.line for statement in own_statements}), "line")
            yield {"source_file": name, "kind": SAID, "format": about, "holds": holds, "remarks": 0, "first": ""}

    @cached_property
    def _capture_problems(self) -> pd.DataFrame:
        rows = [
            {"source_file": capture.source_file, "kind": kind, "message": message}
            for capture in self.captures
            for kind, message in capture.problems
        ]
        return tables.make("problems", rows)

    def _packets(self) -> Iterator[dict[str, Any]]:
        for capture in self.captures:
            connections = units.format_count(capture.connections, "TCP connection")
            holds = f"{units.format_count(capture.packets, 'packet')}, {connections} with data"
            yield self._row(capture.source_file, PACKETS, capture.form, holds, self._capture_problems)

    def _row(self, name: str, kind: str, form: str, holds: str, problems: pd.DataFrame) -> dict[str, Any]:
        own = self._problems_by_file(problems).get(name, [])
        first = _why(own[0]) if own else ""
        return {"source_file": name, "kind": kind, "format": form, "holds": holds, "remarks": len(own), "first": first}

    def _problems_by_file(self, problems: pd.DataFrame) -> dict[str, list[dict[Any, Any]]]:
        by_file = self._by_file.get(id(problems))
        if by_file is None:
            by_file = {}
            for problem in problems[problems["kind"] != "unrecognised"].to_dict("records"):
                by_file.setdefault(str(problem["source_file"]), []).append(problem)
            self._by_file[id(problems)] = by_file
        return by_file

    @cached_property
    def _by_file(self) -> dict[int, dict[str, list[dict[Any, Any]]]]:
        return {}


def read_folder(
    path: str | os.PathLike[str], *, beside: Sequence[str | os.PathLike[str]] = (), progress: bool = False
) -> Folder:
    """Read everything in a folder, a file or an archive.

    Parameters
    ----------
    path, beside
        The folder, the file or the archive; further files that belong to it, unless it is an archive of results.
    progress
        Whether to show a progress bar.

    Returns
    -------
    Folder
        Tables ``runs``, ``sources`` and ``refused``, and the results of the readers: ``reading``, ``counters``,
        ``inventory`` and ``captures``.

    Raises
    ------
    InputError
        The path does not exist, or is an empty folder.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> print(read_folder(data_dir() / "logs"))
    7 files read, 0 not, 60 runs
    """
    name = readable(os.fspath(path))
    check(name)
    notes = os.environ.get(OUTCOME)
    progress = progress or notes is not None
    if archive_of(name):  # an archive has no captured output
        folder = Folder(name, read(name, progress=progress), read_counters(name, progress=progress), read_inventory([]))
    else:
        files = [file for each in (name, *(os.fspath(other) for other in beside)) for file in find(each)]
        folder = Folder(name, *read_files(files, captured=True, progress=progress))
    if notes is not None:
        whole.write(notes, json.dumps(asdict(folder.outcome)))
    return folder


def read_outcome(notes: Path) -> Outcome | None:
    """Read the outcome that another process wrote to the file of `OUTCOME`; None if it did not get that far."""
    try:
        return Outcome(**json.loads(notes.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def check(path: str) -> None:
    """Raise InputError for a path that does not exist, is an empty folder, or can be read only once."""
    if archive_of(path) is not None:
        return
    stored = Path(as_stored(path))
    if not stored.exists():
        raise InputError(f"nothing at {path!r}", "a folder of logs, counters and captured outputs, or a file of these")
    if not stored.is_dir() and not stored.is_file():
        kind = kind_of(stored.stat())
        raise InputError(kind, "a folder or a file", source=path, advice="save its output to a file")
    if next(find(path), None) is None:
        raise InputError(
            "an empty folder", "one with logs of tools, counters of ports, or captured outputs", source=path
        )


def _why(problem: Mapping[Any, Any]) -> str:
    if problem["kind"] == "unrecognised" and str(problem["message"]).startswith(GAVE_UP):
        looked_at = format_bytes(LOOKED_AT)
        return f"no log of a tool; in its first {looked_at}, no counters and no captured output that is known here"
    if problem["kind"] == "unrecognised":
        return "no log of a tool, no counters and no captured output that is known here"
    line = problem["line"]
    return f"{'' if pd.isna(line) else f'line {line}: '}{problem['kind']}: {problem['message']}"
