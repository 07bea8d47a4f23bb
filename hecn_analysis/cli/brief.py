"""``hecn brief``: make result briefs from their notebooks."""

from __future__ import annotations

import argparse
from pathlib import Path

from hecn_analysis.cli.parser import Parser, settings
from hecn_analysis.cli.remarks import say

DESCRIPTION = """\
Make result briefs: each one HTML page that needs no network, a PDF, its executed
notebook and its numbers as JSON; and an index page over all that lie in the
folder. The names of the pages made are printed."""

EPILOG = """\
examples:
  hecn brief --list
  hecn brief disk-to-disk -p rtt=40ms clock=4GHz -o briefs --no-pdf

Without a working Chromium there is no PDF, and a line that says what to install."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn brief``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("names", nargs="*", metavar="NAME", help="name of a brief, or all")
    parser.add_argument("--list", action="store_true", help="list the names, titles and parameters of the briefs")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("briefs"),
        help="folder to write into (default: briefs)",
    )
    parser.add_argument(
        "-p",
        "--parameter",
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="set a parameter of the briefs; may be repeated",
    )
    parser.add_argument("--no-pdf", dest="pdf", action="store_false", help="HTML only; no Chromium is needed")
    parser.set_defaults(parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the briefs asked for, or list all."""
    parameters, names = settings(arguments.parameter)
    names = [*arguments.names, *names]
    if not names and not arguments.list:
        arguments.parser.error("the name of a brief is missing; --list shows them, all makes every one")
    from hecn_analysis.briefs import briefs, make_briefs  # noqa: PLC0415 (heavy: not for --help)

    if arguments.list:
        for name, brief in briefs().items():
            print(f"{name}: {brief.declaration.title}")
            for parameter, meaning in brief.declaration.parameters.items():
                print(f"  -p {parameter}={str(meaning.default).replace(' ', '')}  {meaning.help}")
        return 0
    stopped = 0
    for made in make_briefs(names, arguments.output, parameters, pdf=arguments.pdf):
        print(made.html)
        for remark in made.remarks:
            say(f"{made.name}: {remark}")
        if made.error is not None:
            say(f"{made.name}: the notebook stopped: {made.error}")
            stopped += 1
    return 1 if stopped else 0
