"""``hecn brief``: make result briefs from their notebooks."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hecn_analysis.cli.parser import Parser, settings
from hecn_analysis.cli.remarks import say, say_all

if TYPE_CHECKING:
    from hecn_analysis.briefs import BriefResult
    from hecn_analysis.briefs.parameters import Brief

DESCRIPTION = """\
Make result briefs: each one HTML page that needs no network, a PDF, its executed
notebook and its numbers as JSON; and an index page over all that lie in the
folder. The names of the pages are printed. A brief that is there, made from the
same notebook, parameters, data, models and programs, is not made again."""

EPILOG = """\
examples:
  hecn brief --list
  hecn brief hotlava-tmt -p gen=4 --each max_payload=256B,1024B -o briefs --no-pdf
  hecn archive add ARCHIVE data/counters/session && \\
      hecn brief switch_traffic --each day --archive ARCHIVE -o briefs --no-pdf

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
    parser.add_argument(
        "--each",
        nargs="+",
        action="extend",
        default=[],
        metavar="WHAT",
        help="make one brief for each: PARAMETER=VALUE,VALUE,… or a column of the archive, such as host, interface, "
        "day, tool or source_file; of several, for each combination",
    )
    parser.add_argument("--archive", metavar="DIR", type=Path, help="archive to read instead of files")
    parser.add_argument("--figures", choices=("svg", "png"), help="also write each figure as a file; needs Chromium")
    parser.add_argument("--force", action="store_true", help="make all of it, also what is up to date")
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
        _list(briefs())
        return 0
    results = make_briefs(
        names,
        arguments.output,
        parameters,
        each=arguments.each,
        archive=arguments.archive,
        pdf=arguments.pdf,
        figures=arguments.figures,
        force=arguments.force,
    )
    for made in results:
        for path in (made.html, *made.figures):
            if path is not None:
                print(path)
    return _tell(results)


def _list(known: Mapping[str, Brief]) -> None:
    for name, brief in known.items():
        print(f"{name}: {brief.declaration.title}")
        for parameter, meaning in brief.declaration.parameters.items():
            print(f"  -p {parameter}={str(meaning.default).replace(' ', '')}  {meaning.help}")


def _tell(results: Sequence[BriefResult]) -> int:
    """Say what is missing and what stopped, and give the status that the command ends with."""
    remarks: dict[str, list[str]] = {}
    for made in results:
        for remark in made.remarks:
            remarks.setdefault(remark, []).append(made.name)
    for remark, about in remarks.items():
        say(f"{about[0] if len(about) == 1 else f'{len(about)} briefs'}: {remark}")
    if kept := sum(not made.is_new for made in results):
        say(f"{kept} of {len(results)} up to date")
    stopped = [made for made in results if made.error is not None]
    say_all([f"{made.name}: stopped: {made.error}" for made in stopped], "the index lists all")
    return 1 if stopped else 0
