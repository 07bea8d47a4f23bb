"""``hecn brief``: make result briefs from their notebooks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hecn_analysis.cli import output
from hecn_analysis.cli.parser import FORMATS, Parser, add_settings, settings
from hecn_analysis.cli.remarks import say, say_all

if TYPE_CHECKING:
    from hecn_analysis.briefs import BriefResult
    from hecn_analysis.briefs.parameters import Brief

DESCRIPTION = """\
Make result briefs: for each, one HTML page that needs no network, a PDF, the
executed notebook and the numbers as JSON; and an index page of all briefs in
the folder. The names of the pages are printed; --format prints all details of
each brief instead. A brief is reused if its notebook, parameters, data, models
and programs are unchanged."""

EPILOG = """\
examples:
  hecn brief --list
  hecn brief --list --format json
  hecn brief hotlava_tmt -p gen=4 --each max_payload=256B,1024B -o briefs --no-pdf
  hecn archive add ARCHIVE data/counters/session && \\
      hecn brief switch_traffic --each day --archive ARCHIVE -o briefs --no-pdf

Without a working Chromium, no PDF is made; a remark says what to install.

exit status:
  0  fine, even without a PDF if Chromium is missing
  1  bad input, a notebook failed, or requested figures could not be drawn; all
     else is made
  2  wrong usage"""

#: Columns of the briefs made, and of the briefs that --list shows.
MADE = ("name", "title", "finding", "files", "run_id", "error", "remarks", "lacking", "up_to_date")
LISTED = ("name", "title", "question", "parameters")


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn brief``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("names", nargs="*", metavar="NAME", help="name of a brief, or 'all'")
    parser.add_argument("--list", action="store_true", help="list the names, titles and parameters of the briefs")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="output folder (default: briefs)",
    )
    add_settings(parser, "-p", "--parameter", about="set a parameter of the briefs; may be repeated")
    parser.add_argument(
        "--each",
        nargs="+",
        action="extend",
        default=[],
        metavar="WHAT",
        help="make one brief per value: PARAMETER=VALUE,VALUE,… or an archive column, such as host, interface, "
        "day, tool or source_file; if repeated, one per combination",
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="text for people, JSON or CSV for programs (default: text)"
    )
    parser.add_argument("--archive", metavar="DIR", type=Path, help="archive to read from instead of files")
    parser.add_argument("--figures", choices=("svg", "png"), help="also write each figure to a file; needs Chromium")
    parser.add_argument("--force", action="store_true", help="remake briefs that are up to date")
    parser.add_argument("--no-pdf", dest="pdf", action="store_false", help="HTML only; needs no Chromium")
    parser.set_defaults(parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the briefs asked for, or list all."""
    parameters, names = settings(arguments.parameter)
    names = [*arguments.names, *names]
    if not names and not arguments.list:
        arguments.parser.error("the name of a brief is missing; --list shows them, all makes every one")
    from hecn_analysis.briefs import briefs, make_briefs  # noqa: PLC0415 (heavy: not for --help)

    if arguments.list:
        output.show(_listed(briefs(), arguments.format), arguments.format)
        return 0
    results = make_briefs(
        names,
        output.folder(arguments.output, Path("briefs")),
        parameters,
        each=arguments.each,
        archive=arguments.archive,
        pdf=arguments.pdf,
        figures=arguments.figures,
        force=arguments.force,
    )
    output.show(_made(results, arguments.format), arguments.format)
    return _report(results)


def _made(results: Sequence[BriefResult], form: str) -> Iterator[str]:
    if form != "text":
        yield from output.written([_row(result) for result in results], MADE, form)
        return
    for result in results:
        yield from (f"{path}\n" for path in (result.html, *result.figures) if path is not None)


def _row(result: BriefResult) -> output.Row:
    row = {name: getattr(result, name) for name in MADE if name not in {"files", "up_to_date"}}
    files = {kind: getattr(result, kind) for kind in ("html", "pdf", "notebook", "json", "figures")}
    return {name: {**row, "files": files, "up_to_date": not result.is_new}[name] for name in MADE}


def _listed(known: Mapping[str, Brief], form: str) -> Iterator[str]:
    from hecn_analysis.briefs.parameters import declared  # noqa: PLC0415 (heavy: not for --help)

    declarations = {name: brief.declaration for name, brief in known.items()}
    if form != "text":
        rows = [
            {
                "name": name,
                "title": declaration.title,
                "question": declaration.question,
                "parameters": declared(declaration),
            }
            for name, declaration in declarations.items()
        ]
        yield from output.written(rows, LISTED, form)
        return
    for name, declaration in declarations.items():
        yield f"{name}: {declaration.title}\n"
        for parameter, meaning in declaration.parameters.items():
            yield f"  -p {parameter}={str(meaning.default).replace(' ', '')}  {meaning.help}\n"


def _report(results: Sequence[BriefResult]) -> int:
    """Report remarks and failed briefs; return the exit status."""
    remarks: dict[str, list[str]] = {}
    for result in results:
        for remark in result.remarks:
            remarks.setdefault(remark, []).append(result.name)
    for remark, names in remarks.items():
        say(f"{names[0] if len(names) == 1 else f'{len(names)} briefs'}: {remark}")
    if n_kept := sum(not result.is_new for result in results):
        say(f"{n_kept} of {len(results)} up to date")
    failed = [result for result in results if result.error is not None]
    say_all([f"{result.name}: stopped: {result.error}" for result in failed], "the index lists all")
    return 1 if failed or any("figures" in result.lacking for result in results) else 0
