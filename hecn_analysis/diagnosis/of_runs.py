"""What single lines of a log say of each of its runs, such as the hosts at both ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from hecn_analysis.statements import Statement

#: Directions in which the other end sends.
BACK: Final = ("receive", "get", "download")


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
