"""``hecn matrix``: plan a matrix of tests, show its coverage, choose the next tests and print their commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import Parser, add_output_arguments, add_settings
from hecn_analysis.cli.remarks import say, say_all
from hecn_analysis.cli.scenario import scenario_settings

if TYPE_CHECKING:
    import pandas as pd

    from hecn_analysis.planning.matrix.cells import Matrix

DESCRIPTION = """\
Plan and track a test matrix: tools over sizes, round-trip times, losses and
streams.

  plan      expected throughput, time and data of each cell
  status    what the runs so far cover, and how many repeats are missing
  next      the most informative tests to run next
  commands  the commands for these tests: emulated path, file, server, runs
  compare   the tools of the runs, paired by condition"""

EPILOG = """\
examples:
  hecn matrix plan sc09
  hecn matrix status sc09 data/logs/b-systems-nuttscp.txt
  hecn matrix next sc09 --count 5 --per time
  hecn matrix commands sc09 --count 2 --address 10.0.0.7

Runs are assigned to cells by tool, size, round-trip time and streams. Use --set
for conditions of all runs that the logs do not show, such as
--set path.loss=1e-6 path.rtt=90ms. Runs that fit no cell are listed on stderr."""

ACTIONS = ("plan", "status", "next", "commands", "compare")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn matrix``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help="one of " + ", ".join(ACTIONS))
    parser.add_argument("matrix", metavar="MATRIX", help="YAML file, or the name of a shipped matrix")
    parser.add_argument("runs", nargs="*", metavar="RUNS", help="logs, directories of logs, or - for stdin")
    add_settings(parser, "--set", about="a condition of all runs that the logs do not show; may be repeated")
    parser.add_argument(
        "--count", type=int, default=10, metavar="N", help="next, commands: number of tests (default: 10)"
    )
    parser.add_argument(
        "--per",
        choices=("test", "time"),
        default="test",
        help="next, commands: rank by information per test or per time (default: test)",
    )
    parser.add_argument("--cells", nargs="+", metavar="CELL", help="commands: these cells instead of the next ones")
    parser.add_argument(
        "--address", default="receiver", metavar="ADDRESS", help="commands: address of the receiver (default: receiver)"
    )
    parser.add_argument(
        "--folder", default="/data", metavar="DIR", help="commands: folder of the files (default: /data)"
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    from hecn_analysis.planning.matrix import cells, runs  # noqa: PLC0415 (not needed for --help)

    if arguments.count < 1:
        raise InputError(f"--count {arguments.count}", "1 or more")
    keys, paths = scenario_settings(arguments.set)
    arguments.runs += paths
    matrix = cells.load_matrix(arguments.matrix)
    if arguments.action == "plan":
        frame = cells.plan(matrix)
        _deliver(frame, arguments)
        duration, amount = (
            units.format_time(frame["all_time_s"].sum()),
            units.format_bytes(frame["all_data_bytes"].sum()),
        )
        say(f"{len(frame)} cells, {frame['repeats'].sum()} runs: {duration} in all, {amount} to move")
        return 0
    logs = hecn.read(reading.input_paths(arguments.runs), intervals=False, hint=reading.hint("parse"))
    matched = runs.match(matrix, logs.runs, keys)
    if arguments.action == "compare":
        from hecn_analysis.comparison import tools  # noqa: PLC0415 (no other action needs it)

        compared = tools.compare_tools(tools.conditions(matrix, matched), confidence=matrix.repeats.confidence)
        _deliver(compared.pairs, arguments)
        if compared.friedman_p is not None:
            say(f"all equal over {compared.conditions} shared conditions: p = {compared.friedman_p:.3g} (Friedman)")
    elif arguments.action == "status":
        frame = runs.status(matrix, matched)
        _deliver(frame, arguments)
        covered = int((frame["missing"] == 0).sum())
        say(f"{covered} of {len(frame)} cells have enough runs; {frame['missing'].sum()} runs are missing")
    else:
        from hecn_analysis.planning.matrix import next_tests  # noqa: PLC0415 (the other actions do not need it)

        belief = runs.believed(matrix, matched)
        if arguments.action == "next":
            _deliver(next_tests.rank_next(matrix, belief, count=arguments.count, per=arguments.per), arguments)
        else:
            names = arguments.cells
            if names is None:
                ranked = next_tests.rank_next(matrix, belief, count=arguments.count, per=arguments.per)
                names = list(dict.fromkeys(ranked["cell"]))
            missing = runs.status(matrix, matched).set_index("cell")["missing"]
            output.deliver(_lines(matrix, names, missing, arguments), arguments)
    return _report(matched, logs.problems)


def _lines(matrix: Matrix, names: list[str], missing: pd.Series[int], arguments: argparse.Namespace) -> Iterator[str]:
    from hecn_analysis.planning.matrix.commands import commands  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.planning.matrix.runs import asked_cells  # noqa: PLC0415 (see above)

    cells = [(cell, max(1, int(missing[cell.name]))) for cell in asked_cells(matrix, names)]
    for line in commands(matrix, cells, address=arguments.address, folder=arguments.folder):
        yield line + "\n"


def _deliver(frame: pd.DataFrame, arguments: argparse.Namespace) -> None:
    form = output.chosen_format(arguments)
    shown = frame
    if form == "text":
        shown = frame.drop(columns=[name for name in frame.columns if "." in name or name == "tool"])
    output.deliver(output.written(output.records(shown), list(frame.columns), form), arguments)


def _report(matched: pd.DataFrame, problems: pd.DataFrame) -> int:
    """Report runs that fit no cell, and problems of the files; return the exit status."""
    unassigned = matched[matched["cell"].isna()]
    say_all(
        [f"{row['source_file']}:{row['line_first']}: {row['reason']}" for row in unassigned.to_dict("records")],
        "hecn parse lists all runs",
    )
    if len(unassigned):
        say(f"{units.format_count(len(unassigned), 'run')} of {len(matched)} fit no cell")
    return reading.report_problems(
        problems, units.format_count(len(matched), "run"), "hecn parse --table problems lists all"
    )
