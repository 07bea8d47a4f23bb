"""``hecn parse``: logs of transfer tools into one table, with what could not be used counted and listed."""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from typing import TYPE_CHECKING

import hecn_analysis as hecn
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.remarks import say, say_all

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("runs", "streams", "intervals", "problems")
BAD_INPUT = ("unrecognised", "unreadable", "truncated", "malformed")  # the other kinds are remarks on what was read
STDIN = "/dev/stdin"  # a file like any other, to the readers
DIGITS = 4
NOT_FOR_PEOPLE = ["content_hash"]

DESCRIPTION = """\
Read the output of transfer tools (nuttcp, nuttscp, dd …) and give one table
over all files. The tool is told by what a file holds, never by its name. A
directory is walked. What cannot be used is counted and listed on stderr, and
everything else is delivered."""

EPILOG = f"""\
examples:
  hecn parse data/logs
  hecn parse data/logs --table problems
  hecn parse data/logs --format csv -o runs.csv
  hecn parse archive --dask tcp://10.0.0.1:8786 --format csv -o runs.csv
  nuttcp -T10 server | hecn parse -

exit status:
  0  fine
  1  something was {", ".join(BAD_INPUT[:-1])} or {BAD_INPUT[-1]}
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn parse``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a log, a directory of logs, or - for stdin")
    parser.add_argument("--table", choices=TABLES, default="runs", help="which table (default: runs)")
    parser.add_argument(
        "--processes",
        type=_processes,
        metavar="N",
        help="how many processes read where there are many files (default: one for each usable core)",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="let the workers of a Dask cluster read, which see the files under the same names; needs 'distributed'",
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, deliver the table, say what could not be used."""
    reading = hecn.read(
        [STDIN if path == "-" else path for path in arguments.paths],
        intervals=arguments.table == "intervals",
        processes=arguments.processes or _usable_cores(),
        dask=arguments.dask,
        progress=True,
    )
    frame = getattr(reading, arguments.table)
    form = output.chosen_format(arguments)
    rows = _rows(frame.drop(columns=NOT_FOR_PEOPLE, errors="ignore") if form == "text" else frame)
    output.deliver(output.written(rows, list(frame.columns), form, DIGITS), arguments)
    problems = _rows(reading.problems)
    if problems:
        if arguments.table != "problems":
            say_all([_line(problem) for problem in problems], "hecn parse --table problems lists all")
        counts = Counter(str(problem["kind"]) for problem in problems)
        files = len({problem["source_file"] for problem in problems})
        say(
            f"{_count(len(reading.runs), 'run')} read, {_count(len(problems), 'problem')} in {_count(files, 'file')}: "
            + ", ".join(f"{count} {kind}" for kind, count in counts.items())
        )
    return 1 if any(problem["kind"] in BAD_INPUT for problem in problems) else 0


def _processes(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", text):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of processes from 1 to 9999")
    return int(text)


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _rows(frame: pd.DataFrame) -> list[dict[str, object]]:
    rows = output.records(frame)
    for row in rows:
        if row["source_file"] == STDIN:
            row["source_file"] = "-"
    return rows


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _line(problem: output.Row) -> str:
    place = problem["source_file"] if problem["line"] is None else f"{problem['source_file']}:{problem['line']}"
    return f"{place}: {problem['kind']}: {problem['message']}"
