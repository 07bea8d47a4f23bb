"""``hecn counters``: what switches and hosts counted, in one table, with what could not be used counted and listed."""

from __future__ import annotations

import argparse
from collections import Counter

import hecn_analysis as hecn
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.remarks import say, say_all

TABLES = ("samples", "rates", "interfaces", "sources", "problems")
BAD_INPUT = ("unrecognised", "unreadable", "truncated", "malformed")  # the other kinds are remarks on what was read
STDIN = "/dev/stdin"  # a file like any other, to the readers
DIGITS = 4
NOT_FOR_PEOPLE = ["line", "discontinuity_s"]
SOURCES = (
    *("source_file", "format", "n_samples", "n_interfaces", "n_rows", "n_targets"),
    *("first_time", "last_time", "interval_s", "step_s", "uptime_s"),
)

DESCRIPTION = """\
Read counters of interfaces (snmpwalk, MRTG, PRTG, rrdtool, sar, node_exporter,
'ip -s link' …) and give one table over all files. What wrote a file is told by
what it holds, never by its name. A directory is walked. What cannot be used is
counted and listed on stderr, and everything else is delivered.

tables:
  samples     readings of counters
  rates       rates between readings, and those that a source keeps itself
  interfaces  names, speed, last counters, mean, peak, 95th percentile
  sources     one object per file: its format and what it holds
  problems    what could not be used, and why"""

EPILOG = f"""\
examples:
  hecn counters data/counters/session/walks.txt.gz --table interfaces
  hecn counters data/counters/session/*.log --table rates --format csv -o rates.csv
  hecn counters data/counters/samples/snmpwalk --table sources --format json
  snmpwalk -v2c -c public switch ifXTable | hecn counters -

exit status:
  0  fine
  1  something was {", ".join(BAD_INPUT[:-1])} or {BAD_INPUT[-1]}
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn counters``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a directory of files, or - for stdin")
    parser.add_argument("--table", choices=TABLES, default="samples", help="which table (default: samples)")
    parser.add_argument(
        "--time-zone",
        metavar="ZONE",
        help="zone of times that are local and do not say where, such as Europe/Berlin (default: UTC, and a remark)",
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, deliver the table, say what could not be used."""
    counters = hecn.read_counters(
        [STDIN if path == "-" else path for path in arguments.paths], time_zone=arguments.time_zone, progress=True
    )
    form = output.chosen_format(arguments)
    if arguments.table == "sources":
        rows = _named([dict(source) for source in counters.sources])
        if form == "text":
            rows = [{name: row.get(name) for name in SOURCES} for row in rows]
        columns = list(dict.fromkeys(name for row in rows for name in row)) or ["source_file", "format"]
    else:
        frame = getattr(counters, arguments.table)
        columns = list(frame.columns)
        people = form == "text" and arguments.table != "problems"
        shown = frame.drop(columns=NOT_FOR_PEOPLE, errors="ignore") if people else frame
        rows = _named(output.records(shown))
    output.deliver(output.written(rows, columns, form, DIGITS), arguments)
    problems = _named(output.records(counters.problems))
    if problems:
        if arguments.table != "problems":
            say_all([_line(problem) for problem in problems], "hecn counters --table problems lists all")
        counts = Counter(str(problem["kind"]) for problem in problems)
        files = len({problem["source_file"] for problem in problems})
        say(
            f"{_count(len(counters.sources), 'source')} read, {_count(len(problems), 'problem')} in "
            f"{_count(files, 'file')}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())
        )
    return 1 if any(problem["kind"] in BAD_INPUT for problem in problems) else 0


def _named(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Rows in which the standard input is called ``-``."""
    for row in rows:
        if row["source_file"] == STDIN:
            row["source_file"] = "-"
    return rows


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _line(problem: output.Row) -> str:
    place = problem["source_file"] if problem["line"] is None else f"{problem['source_file']}:{problem['line']}"
    return f"{place}: {problem['kind']}: {problem['message']}"
