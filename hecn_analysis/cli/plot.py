"""``hecn plot``: one figure of the runs of a folder."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import FigureFile, Parser

TITLES = {
    "time": "runs over time",
    "cdf": "distribution of interval rates",
    "box": "quartiles of interval rates",
    "runs": "rate of every run",
    "latency": "distribution of round-trip times",
}

DESCRIPTION = """\
Draw the runs of logs in one figure.

  time     rate, congestion window, RTT and retransmits of up to six runs
  cdf      cumulative distribution of the rates of each run's intervals
  box      quartiles, range and outliers of the same rates
  runs     the rate of every run, by kind of run
  latency  cumulative distribution of the round-trip times"""

EPILOG = f"""\
examples:
  hecn plot data/transfers/over_time
  hecn plot data/transfers/before --view runs -o runs.html

The figure is a page that needs no network, or a picture if FILE ends in .png or
.svg; pictures need Chromium. The name of the file is printed.

{reading.EXIT_STATUS}"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn plot``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="log file, directory of logs, or - for stdin")
    parser.add_argument("--view", choices=tuple(TITLES), default="time", help="what to draw (default: time)")
    parser.add_argument(
        "-o", "--output", type=FigureFile, metavar="FILE", help="file ending in .html, .png or .svg (default: by PATH)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, draw, report problems."""
    target = arguments.output or f"{_name(arguments.paths[0])}-{arguments.view}.html"
    output.check_targets([FigureFile(target)])
    results = hecn.read(reading.input_paths(arguments.paths), progress=True, hint=reading.hint("parse"))
    if len(results.runs):
        output.figure(target, hecn.plot(results, arguments.view), _title(arguments))
        print(target)
    problems = results.problems
    if len(results.runs):
        problems = problems[problems["kind"] != "unrecognised"]  # folders hold other files, too
    return reading.report_problems(
        problems,
        units.format_count(len(results.runs), "run"),
        "hecn parse --table problems lists all",
        nothing_in=arguments.paths if results.runs.empty else (),
    )


def _title(arguments: argparse.Namespace) -> str:
    return f"{', '.join(arguments.paths)}: {TITLES[arguments.view]}"


def _name(path: str) -> str:
    name = re.sub(r"[^\w.-]+", "_", Path(path).resolve().name).strip("_.-")
    return f"plot-{name or 'runs'}"
