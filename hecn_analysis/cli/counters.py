"""``hecn counters``: interface counters of switches and hosts in one table, and the problems in their files."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.remarks import say_all

TABLES = ("samples", "rates", "interfaces", "sources", "problems")
DIGITS = 4
NOT_FOR_PEOPLE = ["line", "discontinuity_s"]
SOURCES = (
    *("source_file", "format", "n_samples", "n_interfaces", "n_rows", "n_targets"),
    *("first_time", "last_time", "interval_s", "step_s", "uptime_s"),
)

DESCRIPTION = """\
Read interface counters (snmpwalk, MRTG, PRTG, rrdtool, sar, node_exporter,
'ip -s link' …) into one table. Formats are recognised by the contents of a
file, never by its name. Directories are searched recursively. Whatever cannot
be used is counted and listed on stderr; the rest is still delivered.

tables:
  samples     counter readings
  rates       rates between readings, and rates that the source itself stores
  interfaces  names, speed, last counters, mean, peak, 95th percentile
  sources     one object per file: its format and contents
  problems    what could not be used, and why"""

EPILOG = f"""\
examples:
  hecn counters data/counters/session/walks.txt.gz --table interfaces
  hecn counters data/counters/session/*.log --table rates --format csv -o rates.csv
  hecn counters data/counters/samples/snmpwalk --table sources --format json
  snmpwalk -v2c -c public switch ifXTable | hecn counters -

{reading.EXIT_STATUS}"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn counters``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a directory of files, or - for stdin")
    parser.add_argument("--table", choices=TABLES, default="samples", help="table to show (default: samples)")
    parser.add_argument(
        "--time-zone",
        metavar="ZONE",
        help="time zone of local times without one, such as Europe/Berlin (default: UTC, with a remark)",
    )
    reading.add_host_argument(parser)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, deliver the table, report problems."""
    paths = reading.input_paths(arguments.paths)
    counters = hecn.read_counters(
        paths,
        time_zone=arguments.time_zone,
        host=arguments.host,
        progress=True,
        hint=reading.hint("counters"),
    )
    form = output.chosen_format(arguments)
    rows: Iterable[dict[str, object]]
    if arguments.table == "sources":
        source_rows = reading.stdin_as_dash([dict(source) for source in counters.sources])
        if form == "text":
            source_rows = [{name: row.get(name) for name in SOURCES} for row in source_rows]
        columns = list(dict.fromkeys(name for row in source_rows for name in row)) or ["source_file", "format"]
        rows = source_rows
    else:
        frame = getattr(counters, arguments.table)
        columns = list(frame.columns)
        is_for_people = form == "text" and arguments.table != "problems"
        rows = reading.rows_of(frame.drop(columns=NOT_FOR_PEOPLE, errors="ignore") if is_for_people else frame)
    output.deliver(output.written(rows, columns, form, DIGITS), arguments)
    if arguments.table in ("rates", "samples") and counters.rates.empty and counters.samples.empty:
        say_all(list(reading.summaries(counters.sources)), "hecn counters --table sources lists all")
    n_sources = units.format_count(len(counters.sources), "source")
    listed = arguments.table == "problems"
    without_counters = () if counters.sources or len(counters.rates) or len(counters.samples) else arguments.paths
    list_command = "hecn counters --table problems lists all"
    return reading.report_problems(
        counters.problems, n_sources, list_command, listed=listed, nothing_in=without_counters
    )
