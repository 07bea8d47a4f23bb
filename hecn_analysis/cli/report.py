"""``hecn report``: the full report on a folder of unknown files."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from hecn_analysis.base import progress
from hecn_analysis.base.children import private_folder
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import Parser
from hecn_analysis.cli.remarks import say, say_all
from hecn_analysis.files.names import readable

if TYPE_CHECKING:
    from hecn_analysis.ingest.folder import Outcome

BRIEF = "your_own_data"
TIME_LIMIT_S = 86_400.0  # for reading all files; stderr shows the progress

DESCRIPTION = """\
Report on a folder of unknown files: tool logs, port counters and captured host
output, in any mix, packed or not. The report is the page of hecn diagnose: what
holds the runs back, how sure that is, the lines that show it, what to change and
to test next, the runs, the traffic of the ports, and which files were read and
which were not. No description is needed.

The output is one HTML page that needs no network, a PDF, the executed notebook,
the numbers as JSON, and an index; the name of the page is printed."""

EPILOG = """\
example:
  hecn report data/transfers/before -o report --no-pdf

Without a working Chromium, no PDF is made; a remark says what to install.

exit status:
  0  fine; the report lists unrecognised files
  1  nothing could be read, or a file was unreadable, truncated or malformed (the
     report is still made), or the folder does not exist
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn report``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("folder", metavar="FOLDER", help="folder, file or archive")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, help="output folder (default: report-FOLDER)")
    parser.add_argument("--no-pdf", dest="pdf", action="store_false", help="HTML only; needs no Chromium")


def run(arguments: argparse.Namespace) -> int:
    """Read the folder, make the report, list unreadable files."""
    from hecn_analysis.briefs import make_briefs  # noqa: PLC0415 (heavy: not for --help)
    from hecn_analysis.ingest.folder import OUTCOME, check, read_outcome  # noqa: PLC0415 (see above)

    check(arguments.folder)
    target = output.folder(arguments.output, Path(default_name(arguments.folder)))
    folder = readable(str(Path(arguments.folder).absolute()))
    # The notebook reads the folder in a process of its own, which writes the outcome
    with private_folder("report") as private, progress.forwarded():
        outcome_file = private / "outcome.json"
        os.environ[OUTCOME] = str(outcome_file)
        try:
            [result] = make_briefs(
                [BRIEF],
                target,
                {"folder": folder},
                pdf=arguments.pdf,
                force=True,
                progress=False,
                time_limit_s=TIME_LIMIT_S,
            )
        finally:
            del os.environ[OUTCOME]
        outcome = read_outcome(outcome_file)
    if result.html is not None:
        print(result.html)
    for remark in result.remarks:
        say(remark)
    if result.error is not None:
        say(f"the report stopped: {result.error}")
    return max(
        1 if result.error is not None else 0, 1 if outcome is None else _report_outcome(arguments.folder, outcome)
    )


def default_name(folder: str) -> str:
    """Default name of the folder that the report is written into."""
    path = Path(folder).resolve()
    name = path.name if path.is_dir() else path.name.partition(".")[0]
    return "report-" + (re.sub(r"[^\w.-]+", "_", name.replace(" ", "-")).strip("_.-") or "folder")


def _report_outcome(folder: str, outcome: Outcome) -> int:
    """Report damaged files, and return the exit status."""
    damaged = [reading.line_of(_as_given(row, folder)) for row in outcome.damaged]
    say_all(damaged, "hecn parse, hecn counters and hecn inventory list them")
    if outcome.is_empty:
        say(f"{folder}: nothing could be read ({outcome.counts})")
    return 1 if damaged or outcome.is_empty else 0


def _as_given(row: dict[str, object], folder: str) -> dict[str, object]:
    """Show a file's name relative to the folder as given, not as an absolute path."""
    absolute = str(Path(folder).absolute())
    name = str(row["source_file"])
    return {
        **row,
        "source_file": folder.rstrip("/") + name.removeprefix(absolute) if name.startswith(absolute) else name,
    }
