"""What single lines of a log say of each of its runs, such as the hosts at both ends."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from hecn_analysis.runs.rates import DISK_TOOLS
from hecn_analysis.statements import Statement

#: Directions in which the other end sends.
BACK: Final = ("receive", "get", "download")


#: The number at the end of a job's name, which alone makes no other test: "job2", but not "Q32".
_NUMBER: Final = re.compile(r"(?<=[A-Za-z]{3})[ ._-]?\d{1,3}$")


def by_file(statements: Iterable[Statement]) -> dict[str, list[Statement]]:
    """Group statements by their file."""
    grouped: dict[str, list[Statement]] = {}
    for statement in statements:
        grouped.setdefault(statement.source_file, []).append(statement)
    return grouped


def said_of_runs(runs: pd.DataFrame, own: Mapping[str, Sequence[Statement]], name: str) -> list[Any]:
    """Value of a statement for each run: among its lines, or on the command line above it."""
    said = []
    for file, first, last in zip(runs["source_file"], runs["line_first"], runs["line_last"], strict=True):
        statements = own.get(str(file), ())
        values = [statement for statement in statements if statement.name == name]
        if pd.isna(first) or pd.isna(last):
            said.append(values[-1].value if values else None)
            continue
        commands = [
            statement.line
            for statement in statements
            if statement.name == "asked.command" and statement.line <= int(last)
        ]
        start = min(int(first), commands[-1]) if commands else 1
        among = [statement.value for statement in values if start <= statement.line <= int(last)]
        said.append(among[-1] if among else None)
    return said


def paths_of(run: Mapping[Any, Any] | pd.Series[Any], own: Mapping[str, Sequence[Statement]]) -> list[Statement]:
    """The paths of the command above a run."""
    last = 1 if pd.isna(run["line_last"]) else int(run["line_last"])
    named = [
        statement
        for statement in own.get(str(run["source_file"]), ())
        if statement.name == "asked.path" and statement.line <= last
    ]
    return [statement for statement in named if statement.line == named[-1].line]


def targets(runs: pd.DataFrame, own: Mapping[str, Sequence[Statement]]) -> list[str | None]:
    """The job and the place of each test of a disk, by its name and the paths of the command above it."""
    texts: list[str | None] = []
    for run in runs[["source_file", "line_last", "tool", "label", "direction"]].to_dict("records"):
        if run["tool"] not in DISK_TOOLS:
            texts.append(None)
            continue
        of = {str(told.value) for told in paths_of(run, own)}
        places = sorted({path if path.startswith("/dev/") else posixpath.dirname(path) for path in of})
        job = "" if pd.isna(run["label"]) else _NUMBER.sub("", str(run["label"]))
        job = "" if job.lower() == run["direction"] else job
        texts.append(", ".join([*([f"job {job}"] if job else []), *(f"on {place}" for place in places)]))
    return texts
