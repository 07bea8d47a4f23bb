"""``hecn report``: the full report of a folder whose files nobody has described."""

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
TIME_LIMIT_S = 86_400.0  # of reading all files; how far it is shows on stderr

DESCRIPTION = """\
Report on a folder of unknown files: tool logs, port counters and captured host
output, in any mix, packed or not. The report is the page of hecn diagnose: what
holds the runs back and how sure that is, with the lines that say so, what to
change and to test next, the runs, the traffic of the ports, and what was read and
what was not. No description is needed.

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
    """Read the folder, make the report, say what could not be read."""
    from hecn_analysis.briefs import make_briefs  # noqa: PLC0415 (heavy: not for --help)
    from hecn_analysis.ingest.folder import OUTCOME, check, read_outcome  # noqa: PLC0415 (see above)

    check(arguments.folder)
    target = output.folder(arguments.output, Path(default_name(arguments.folder)))
    folder = readable(str(Path(arguments.folder).absolute()))
    # The notebook reads the folder in a process of its own, which writes the outcome
    with private_folder("report") as private, progress.forwarded():
        notes = private / "outcome.json"
        os.environ[OUTCOME] = str(notes)
        try:
            [made] = make_briefs(
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
        found = read_outcome(notes)
    if made.html is not None:
        print(made.html)
    for remark in made.remarks:
        say(remark)
    if made.error is not None:
        say(f"the report stopped: {made.error}")
    return max(1 if made.error is not None else 0, 1 if found is None else _tell(arguments.folder, found))


def default_name(folder: str) -> str:
    """Name of the folder that a report is written into."""
    path = Path(folder).resolve()
    name = path.name if path.is_dir() else path.name.partition(".")[0]
    return "report-" + (re.sub(r"[^\w.-]+", "_", name.replace(" ", "-")).strip("_.-") or "folder")


def _tell(folder: str, found: Outcome) -> int:
    """Say what was read and what was damaged, and give the status for that."""
    damaged = [reading.line_of(_as_given(row, folder)) for row in found.damaged]
    say_all(damaged, "hecn parse, hecn counters and hecn inventory list them")
    if found.is_empty:
        say(f"{folder}: nothing could be read ({found.counts})")
    return 1 if damaged or found.is_empty else 0


def _as_given(row: dict[str, object], folder: str) -> dict[str, object]:
    """Name a file as the folder was given, not by its absolute path."""
    absolute = str(Path(folder).absolute())
    name = str(row["source_file"])
    return {
        **row,
        "source_file": folder.rstrip("/") + name.removeprefix(absolute) if name.startswith(absolute) else name,
    }
