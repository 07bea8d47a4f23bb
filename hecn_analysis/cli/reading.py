"""Helpers of the commands that read files: standard input, and reports of problems."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output
from hecn_analysis.cli.remarks import SHOWN, say, say_all

if TYPE_CHECKING:
    import pandas as pd

    from hecn_analysis.cli.parser import Parser
    from hecn_analysis.files.documents import Document

#: Kinds of problems for which a command ends with status 1; the others are remarks on what was read.
BAD_INPUT = ("unrecognised", "unreadable", "truncated", "malformed")

#: The end of the help of these commands.
EXIT_STATUS = f"""exit status:
  0  fine
  1  part of the input was {", ".join(BAD_INPUT[:-1])} or {BAD_INPUT[-1]}
  2  wrong usage"""

_AT_ONCE = 4096  # rows: as objects, they take ten times the memory of a table
_STDIN = "/dev/stdin"  # a file like any other, to the readers


def add_host_argument(parser: Parser) -> None:
    """Add ``--host``, the host name of files without one."""
    words = "host name for files without one (default: each such file counts as a host of its own)"
    parser.add_argument("--host", metavar="NAME", help=words)


def input_paths(paths: Sequence[str]) -> list[str]:
    """Paths to read, where ``-`` is the standard input."""
    if "-" in paths:
        require_stdin()
    return [_STDIN if path == "-" else path for path in paths]


def require_stdin() -> None:
    """Refuse a standard input that was closed (``<&-``)."""
    if sys.stdin is None:
        raise InputError("a closed standard input", "one that can be read", source="-", advice="give a file instead")


def hint(command: str) -> Callable[[Document], str]:
    """Return a function that names the command for a file that this one does not recognise."""
    from hecn_analysis.ingest.other_command import other_command_hint  # noqa: PLC0415 - so that --help costs little

    return partial(other_command_hint, command=command)


def rows_of(frame: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Rows of a table, converted in batches, with the standard input shown as ``-``."""
    for start in range(0, len(frame), _AT_ONCE):
        yield from stdin_as_dash(output.records(frame.iloc[start : start + _AT_ONCE]))


def stdin_as_dash(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows, with the standard input shown as ``-``."""
    for row in rows:
        if row.get("source_file") == _STDIN:
            row["source_file"] = "-"
    return rows


def report_problems(
    problems: pd.DataFrame, read: str, rest: str, *, listed: bool = False, nothing_in: Sequence[str] = ()
) -> int:
    """Report problems on stderr, and return the exit status."""
    rows = list(rows_of(problems))
    if nothing_in and not rows:
        places = ", ".join(nothing_in[:SHOWN]) + (", …" if len(nothing_in) > SHOWN else "")
        say(f"{read} read: found no file in {places}, expected a file, or a folder or archive with files")
        return 1
    if rows:
        if not listed:
            say_all([line_of(row) for row in rows], rest)
        kinds = Counter(str(row["kind"]) for row in rows)
        files = len({row["source_file"] for row in rows})
        say(
            f"{read} read, {units.format_count(len(rows), 'problem')} in {units.format_count(files, 'file')}: "
            + ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        )
    return 1 if any(row["kind"] in BAD_INPUT for row in rows) else 0


def line_of(problem: output.Row) -> str:
    """Row of the table of problems as text: file, line number if known, kind, message."""
    place = problem["source_file"] if problem["line"] is None else f"{problem['source_file']}:{problem['line']}"
    return f"{place}: {problem['kind']}: {problem['message']}"


def summaries(sources: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """What pages that only summarise a port say of it, and what gives the rates over time."""
    return filter(None, map(_summarised, sources))


def _summarised(source: Mapping[str, Any]) -> str:
    """What a page that only summarises a port says of its first period, and what gives the rates over time."""
    periods = source.get("periods") or {}
    if not periods:
        return ""
    period, figures = next(iter(periods.items()))
    told = []
    for way in ("in", "out"):
        mean, most = (figures.get(f"{name}_{way}_bps") for name in ("mean", "max"))
        if mean is not None and most is not None:
            told.append(f"{way}, mean {units.format_rate(mean)}, most {units.format_rate(most)}")
    of_period = f" ({period}: {'; '.join(told)})" if told else ""
    return (
        f"{source['source_file']}: found summaries only{of_period}, expected rates over time, which "
        "the port's .log or .rrd has; hecn counters --table sources --format json lists all periods"
    )
