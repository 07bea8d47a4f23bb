"""``hecn service-levels``: judge measurements against a table of service levels."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.reconcile import add_sources, deliver, read

if TYPE_CHECKING:
    import pandas as pd

DESCRIPTION = """\
Judge runs and port counters against a table of service levels: availability,
restoral time, round-trip time, loss, packet size, bandwidth. Each criterion
passes, fails, or lacks evidence. The output gives the bounds that the
measurements support, and what remains to be measured."""

EPILOG = """\
examples:
  hecn service-levels --list
  hecn service-levels data/samples/ping/iputils-20240905.txt data/counters/session/walks.txt.gz \\
      --level hec-test-wan || echo 'not met'

exit status:
  0  nothing fails
  1  a criterion fails, or a file could not be read
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn service-levels``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_sources(parser)
    parser.add_argument(
        "--level",
        default="hec-test-wan",
        metavar="NAME",
        help="name of a table in models/service_levels, or a YAML file",
    )
    parser.add_argument("--list", action=_List, nargs=0, help="list the tables and exit")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, judge, deliver."""
    from hecn_analysis.traffic import service_levels  # noqa: PLC0415 (not needed for --help)

    level = service_levels.load(arguments.level)
    runs, counters, status = read(arguments)
    judged = service_levels.judge(level, runs, counters.samples)
    if output.chosen_format(arguments) == "text":
        judged = _for_people(judged)
    deliver(judged, list(judged.columns), arguments)
    return 1 if status or (judged["verdict"] == service_levels.FAIL).any() else 0


def _for_people(judged: pd.DataFrame) -> pd.DataFrame:
    """Write limits and estimates with the unit of their row."""
    endings = {"s": "_s", "B": "_bytes", "bit/s": "_bps"}

    def written(row: pd.Series, name: str) -> str:
        value = row[name]
        if row["unit"] == "1" and value is not None:
            return "–" if value != value else f"{value:.4g}"  # noqa: PLR0124 - NaN
        return output.human(endings.get(str(row["unit"]), ""), value)

    numbers = {
        name: [written(row, name) for _, row in judged.iterrows()] for name in ("limit", "estimate", "low", "high")
    }
    return judged.assign(**numbers).drop(columns="unit")


class _List(argparse.Action):
    """Print the tables instead of judging."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from hecn_analysis.traffic import service_levels  # noqa: PLC0415

        for name in service_levels.names():
            level = service_levels.load(name)
            output.show([f"{name}: {level.title}; {level.document}, {level.place}\n"], "text")
        parser.exit()
