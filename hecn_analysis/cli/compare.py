"""``hecn compare``: what changed between two sets of runs, with what is sure of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hecn_analysis as hecn
from hecn_analysis.base import units
from hecn_analysis.base.units import format_rate
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import FigureFile, Parser, add_output_arguments

if TYPE_CHECKING:
    from hecn_analysis.comparison.runs import RunsComparison

DESCRIPTION = """\
Report what changed between two sets of runs, before and after. Runs with the
same tool, protocol, direction, streams, distance and length form one kind. Each
kind gets a verdict from a rank test, corrected for the number of kinds, or a
note that there are too few repeats. The diagnoses of both sides say whether the
cause in A was removed, and whether the gain is the one that its remedy promised."""

EPILOG = f"""\
examples:
  hecn compare data/transfers/before data/transfers/after
  hecn compare data/transfers/before data/transfers/after --figure runs.html --format csv -o compared.csv

{reading.EXIT_STATUS}"""

#: What else is put side by side, where a log says it: name, words, how a value is written.
_BESIDE: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("retransmits_per_gb", "retransmits", lambda value: f"{units.format_number(value)}/GB"),
    ("rtt_s", "RTT", lambda value: output.human("rtt_s", value)),
    ("cpu_sender_fraction", "CPU sender", lambda value: output.human("cpu_fraction", value)),
    ("cpu_receiver_fraction", "CPU receiver", lambda value: output.human("cpu_fraction", value)),
    ("cwnd_bytes", "window", lambda value: output.human("cwnd_bytes", value)),
)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn compare``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("first", metavar="A", help="runs before: a log file, folder or archive")
    parser.add_argument("second", metavar="B", help="runs after")
    parser.add_argument(
        "--confidence",
        type=_confidence,
        default=0.95,
        metavar="FRACTION",
        help="confidence of the intervals (default: 95 %%)",
    )
    parser.add_argument(
        "--figure", type=FigureFile, metavar="FILE", help="also draw all runs: an HTML page, or .png or .svg"
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read both, compare, deliver."""
    for path in (arguments.first, arguments.second):
        Path(path).stat()  # report a missing path before reading anything
    comparison = hecn.compare(arguments.first, arguments.second, confidence=arguments.confidence, progress=True)
    form = output.chosen_format(arguments)
    if form == "json":
        written = output.json_object(comparison.to_dict())
    elif form == "csv":
        written = output.written(output.records(comparison.groups), list(comparison.groups.columns), form)
    else:
        written = _text(comparison, arguments)
    output.deliver(written, arguments)
    if arguments.figure is not None:
        from hecn_analysis.figures import plot_comparison  # noqa: PLC0415 (not needed without a figure)

        output.figure(
            arguments.figure, plot_comparison(comparison.runs), f"{arguments.first} against {arguments.second}"
        )
    problems = comparison.problems[comparison.problems["kind"] != "unrecognised"]
    return reading.report_problems(
        problems, units.format_count(len(comparison.runs), "run"), "hecn parse --table problems lists all"
    )


def _text(comparison: RunsComparison, arguments: argparse.Namespace) -> Iterator[str]:
    rows = comparison.groups.to_dict("records")
    yield f"A: {arguments.first}\nB: {arguments.second}\n\n"
    yield f"{comparison.overall.removesuffix(rows[0]['sentence']).rstrip()}\n"  # the sentence of the only kind is below
    for row in rows:
        yield f"\n{row['group']}: {row['verdict']}\n  {row['sentence']}\n"
        for letter in "ab":
            if row[f"runs_{letter}"]:
                yield f"  {letter.upper()}  {_side(row, letter)}\n"


def _side(row: Mapping[Any, Any], letter: str) -> str:
    """Describe one side of a kind of run."""
    least, most = row[f"least_{letter}_bps"], row[f"most_{letter}_bps"]
    told = [units.format_count(row[f"runs_{letter}"], "run")]
    if row[f"failed_{letter}"]:
        told.append(f"{row[f'failed_{letter}']} failed")
    told.append(format_rate(most) if least == most else f"{format_rate(least)} to {format_rate(most)}")
    for name, words, form in _BESIDE:
        value = row[f"{name}_{letter}"]
        if value == value:  # noqa: PLR0124 - NaN is not itself
            told.append(f"{words} {form(value)}")
    if row[f"tool_version_{letter}"]:
        told.append(f"version {row[f'tool_version_{letter}']}")
    return ", ".join(told)


def _confidence(text: str) -> float:
    from hecn_analysis.base import units  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.base.errors import HecnError  # noqa: PLC0415

    try:
        value = units.parse(text, "fraction")
    except HecnError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not 0.5 <= value < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected 0.5 to less than 1")
    return value
