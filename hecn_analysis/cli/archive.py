"""``hecn archive``: add files to an archive, query it in SQL, list its units, compact it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hecn_analysis.archive.selection import require_archive
from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import OutputFolder, Parser, add_output_arguments
from hecn_analysis.cli.remarks import explain, say, say_all

if TYPE_CHECKING:
    import pandas as pd

DESCRIPTION = """\
Store runs and counters in Parquet files by day. Each file is added once,
identified by its content, completely or not at all. Several processes may add
at once; if one is killed, everything added before stays intact."""

EPILOG = """\
examples:
  hecn archive add ARCHIVE data/logs data/counters/session
  hecn archive query ARCHIVE "select tool, max(throughput_bps) from runs group by tool"
  hecn archive list ARCHIVE
  hecn archive compact ARCHIVE

The tables are runs, streams, intervals, samples, rates, problems and
statements (lines about a transfer, such as its ends). They have the columns of
hecn parse and hecn counters, and a column day."""


def add_arguments(parser: Parser) -> None:
    """Add the commands of ``hecn archive``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="action", required=True)
    for name, (summary, run_it, example) in ACTIONS.items():
        command = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", epilog=f"examples:\n  {example}"
        )
        kind = OutputFolder if name in {"add", "compact"} else str
        made = "; created if it does not exist" if name == "add" else ""
        command.add_argument("archive", type=kind, metavar="ARCHIVE", help=f"folder of the archive{made}")
        if name == "add":
            command.add_argument("paths", nargs="+", metavar="PATH", help="logs or counters: a file or a directory")
        if name == "query":
            command.add_argument("sql", metavar="SQL", help="query in the SQL of DuckDB")
        if name in {"query", "list"}:
            add_output_arguments(command)
        command.set_defaults(action_of=run_it)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    if arguments.action != "add":
        require_archive(arguments.archive)
    status: int = arguments.action_of(arguments)
    return status


def _add(arguments: argparse.Namespace) -> int:
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.ingest.filling import add_files  # noqa: PLC0415 (not needed for --help)

    n_added, n_known, problems = add_files(Archive(arguments.archive), arguments.paths, progress=True)
    print(f"{units.format_count(n_added, 'file')} added, {n_known} already there")
    return reading.report_problems(
        problems, units.format_count(n_added, "file"), "hecn parse or hecn counters --table problems lists all"
    )


def _query(arguments: argparse.Namespace) -> int:
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (not needed for --help)

    damaged: list[InputError] = []
    answer = Archive(arguments.archive).query(arguments.sql, damaged=damaged)
    _deliver(answer, arguments)
    return _report_damage(damaged, "not in the answer", "no rows are missing")


def _list(arguments: argparse.Namespace) -> int:
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (not needed for --help)

    damaged: list[InputError] = []
    _deliver(Archive(arguments.archive).units(damaged=damaged), arguments)
    return _report_damage(damaged, "the list may lack units", "no units are missing")


def _compact(arguments: argparse.Namespace) -> int:
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (not needed for --help)

    damaged: list[InputError] = []
    try:
        is_first = Archive(arguments.archive).compact(progress=True, damaged=damaged)
    finally:
        status = _report_damage(damaged, "left as they are", "left as they are")
    if not is_first:
        say("another process compacted the archive first: nothing was changed")
    return status


def _report_damage(damaged: Sequence[InputError], costly: str, harmless: str) -> int:
    """Report the damaged files of an archive and what is lost by them; return the exit status."""
    from hecn_analysis.archive.files import HarmlessDamageError  # noqa: PLC0415 (not needed for --help)

    say_all([explain(error) for error in damaged], "restore them from a copy")
    n_harmless = sum(isinstance(error, HarmlessDamageError) for error in damaged)
    for number, effect in ((len(damaged) - n_harmless, costly), (n_harmless, harmless)):
        if number:
            say(f"{units.format_count(number, 'damaged file')} of the archive: {effect}")
    return 1 if damaged else 0


def _deliver(frame: pd.DataFrame, arguments: argparse.Namespace) -> None:
    form = output.chosen_format(arguments)
    output.deliver(output.written(output.records(frame), list(frame.columns), form), arguments)


ACTIONS = {
    "add": (
        "add files that are not yet in the archive",
        _add,
        "hecn archive add ARCHIVE data/logs data/counters/session",
    ),
    "query": ("run a query in SQL", _query, 'hecn archive query ARCHIVE "select count(*) as runs from runs"'),
    "list": ("list the files and polls added since the last compaction", _list, "hecn archive list ARCHIVE"),
    "compact": ("merge the files of each day into one", _compact, "hecn archive compact ARCHIVE"),
}
