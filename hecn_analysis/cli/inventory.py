"""``hecn inventory``: what was captured on hosts, as hosts, as facts of each file, and what could not be used."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, Any

import hecn_analysis as hecn
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.remarks import say, say_all

if TYPE_CHECKING:
    from hecn_analysis.inventory import Inventory

TABLES = ("hosts", "sources", "problems")
BAD_INPUT = ("unrecognised", "unreadable", "truncated", "malformed")  # the other kinds are remarks on what was read
STDIN = "/dev/stdin"
PLACE = ("source_file", "format")

DESCRIPTION = """\
Read what was captured on a host: the output of lspci, lscpu, dmidecode, lshw,
ethtool, sysctl, smartctl, storcli and others, a folder of them, an sosreport
in its archive. What it is is told by what a file holds, never by its name. The
files of a folder make one host. Nothing in a file is ever run."""

EPILOG = """\
examples:
  hecn inventory data/inventory
  hecn inventory data/inventory --table sources --format json
  lspci -vvv | hecn inventory -

exit status:
  0  fine
  1  something was unrecognised, unreadable, truncated or malformed
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn inventory``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a captured output, a folder or archive of them, or - for stdin"
    )
    parser.add_argument("--table", choices=TABLES, default="hosts", help="which table (default: hosts)")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, deliver the table, say what could not be used."""
    inventory = hecn.read_inventory([STDIN if path == "-" else path for path in arguments.paths], progress=True)
    problems = [_named(row) for row in output.records(inventory.problems)]
    output.deliver(_written(inventory, problems, arguments), arguments)
    if problems:
        if arguments.table != "problems":
            say_all([_line(problem) for problem in problems], "hecn inventory --table problems lists all")
        counts = Counter(str(problem["kind"]) for problem in problems)
        say(
            f"{len(inventory.sources)} outputs read, {len(problems)} problems: "
            + ", ".join(f"{count} {kind}" for kind, count in counts.items())
        )
    return 1 if any(problem["kind"] in BAD_INPUT for problem in problems) else 0


def _written(inventory: Inventory, problems: list[dict[str, Any]], arguments: argparse.Namespace) -> Any:  # noqa: ANN401
    form = output.chosen_format(arguments)
    if arguments.table == "problems":
        return output.written(problems, list(inventory.problems.columns), form)
    if arguments.table == "sources":
        rows = [_named(row) for row in inventory.sources]
        names = list(dict.fromkeys(name for row in rows for name in row))
        if form == "text":
            rows = [{name: row.get(name) for name in (*PLACE, "command")} | {"facts": _short(row)} for row in rows]
        return output.written(rows, names, form)
    return output.written([], [], form)


def _named(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "source_file": "-"} if row["source_file"] == STDIN else dict(row)


def _short(row: dict[str, Any]) -> str:
    """The facts of an output for people: single figures as they are, of lists how long they are."""
    left_out = {*PLACE, "command", "line_first", "line_last"}
    return ", ".join(
        f"{output.bare(name)} {len(value) if isinstance(value, list | dict) else output.human(name, value)}"
        for name, value in row.items()
        if name not in left_out and value is not None
    )


def _line(problem: output.Row) -> str:
    place = problem["source_file"] if problem["line"] is None else f"{problem['source_file']}:{problem['line']}"
    return f"{place}: {problem['kind']}: {problem['message']}"
