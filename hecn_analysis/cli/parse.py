"""``hecn parse``: logs of transfer tools in one table, and the problems in their files."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.runs.rates import DISK_TOOLS

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("runs", "streams", "intervals", "problems")
RATE_UNITS = ("usual", "bits", "bytes")
DIGITS = 4
NOT_FOR_PEOPLE = ["content_hash"]

DESCRIPTION = """\
Read the output of transfer tools (iperf3, rsync, fio …) into one table. Tools
are recognised by the contents of a file, never by its name. Directories are
searched recursively. Whatever cannot be used is counted and listed on stderr;
the rest is still delivered."""

EPILOG = f"""\
examples:
  hecn parse data/logs
  hecn parse data/logs --table problems
  hecn parse data/logs --format csv -o runs.csv
  hecn parse archive --dask tcp://10.0.0.1:8786 --format csv -o runs.csv
  nuttcp -T10 server | hecn parse -

{reading.EXIT_STATUS}"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn parse``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="log file, directory of logs, or - for stdin")
    parser.add_argument("--table", choices=TABLES, default="runs", help="table to show (default: runs)")
    parser.add_argument(
        "--rate-unit",
        choices=RATE_UNITS,
        default=RATE_UNITS[0],
        help="unit of rates in text: bytes per second for disk tests and bits per second for all others (usual, "
        "the default), or one unit for all",
    )
    parser.add_argument(
        "--processes",
        type=_processes,
        metavar="N",
        help="number of processes that read many files (default: one per usable core)",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="read on a trusted Dask cluster whose workers see the files under the same paths; needs 'distributed'",
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, deliver the table, report problems."""
    reading_result = hecn.read(
        reading.input_paths(arguments.paths),
        intervals=arguments.table == "intervals",
        processes=arguments.processes or _usable_cores(),
        dask=arguments.dask,
        progress=True,
        hint=reading.hint("parse"),
    )
    frame = getattr(reading_result, arguments.table)
    form = output.chosen_format(arguments)
    rows = reading.rows_of(frame.drop(columns=NOT_FOR_PEOPLE, errors="ignore") if form == "text" else frame)
    in_bytes = _in_bytes(reading_result.runs, arguments.rate_unit)
    output.deliver(output.written(rows, list(frame.columns), form, DIGITS, in_bytes), arguments)
    listed = arguments.table == "problems"
    n_runs = units.format_count(len(reading_result.runs), "run")
    without_runs = arguments.paths if reading_result.runs.empty else ()
    list_command = "hecn parse --table problems lists all"
    return reading.report_problems(
        reading_result.problems, n_runs, list_command, listed=listed, nothing_in=without_runs
    )


def _in_bytes(runs: pd.DataFrame, unit: str) -> Callable[[output.Row], bool]:
    """Rule for rows of any table that belong to these runs: whether their rates are written in bytes per second."""
    if unit != "usual":
        return lambda _: unit == "bytes"
    of_disks = runs[runs["tool"].isin(DISK_TOOLS)]
    known = set(zip(of_disks["source_file"], of_disks["run"], strict=True))
    return lambda row: (row.get("source_file"), row.get("run")) in known


def _processes(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", text):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of processes from 1 to 9999")
    return int(text)


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
