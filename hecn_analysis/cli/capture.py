"""``hecn capture``: save the hardware and settings of this host, one file per command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hecn_analysis.cli import output
from hecn_analysis.cli.parser import FORMATS, Parser

if TYPE_CHECKING:
    from hecn_analysis.live.capture import Captured

DESCRIPTION = """\
Capture this host for 'hecn inventory': run the installed commands that report
hardware and settings (lspci, lscpu, ethtool, sysctl, …), save the output of
each in a file, and write an index of how each ended. Capturing only reads and
needs no root; the last line lists what root would add. --probe also measures
the CPU cost per byte (nuttcp and iperf3 over the loopback interface) and the
disk rate (dd)."""

EPILOG = """\
examples:
  hecn capture
  hecn capture -o dtn1.tar.gz --redact
  hecn capture -o dtn1 --probe && hecn predict --sender dtn1 --receiver dtn1 --path loopback --tool nuttcp
  hecn capture -o mine && hecn capture --from mine -o theirs --redact
  hecn capture --script > capture.sh

The script is for hosts without Python, or hosts that you cannot reach yourself:
  sh capture.sh FOLDER
  ssh HOST sh -s -- - < capture.sh > HOST.tar

--redact replaces serial numbers, MAC addresses, World Wide Names, UUIDs, host
names and IP addresses by placeholders, consistently in all files. Review the
files before you share them.

exit status:
  0  fine, even if a program is not installed
  1  the folder cannot be created
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn capture``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        "-o", "--output", metavar="DIR", help="folder or .tar.gz to create (default: capture- and the time)"
    )
    parser.add_argument(
        "--redact", action="store_true", help="replace everything that identifies the machine by placeholders"
    )
    parser.add_argument(
        "--probe",
        action="store_true",
        help="also measure processor and disk in short runs (about half a minute, 256 MiB of disk)",
    )
    parser.add_argument("--script", action="store_true", help="print a POSIX sh script that does the same, and exit")
    parser.add_argument(
        "--from", metavar="FOLDER", dest="source", help="redact this earlier capture instead of capturing"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format of the index (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Capture, print the index, list missing programs and what root would add."""
    from hecn_analysis.live import capture, script  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.live.programs import ended_by_signals  # noqa: PLC0415

    if arguments.script:
        sys.stdout.write(script.script())
        return 0
    target = arguments.output or f"capture-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    with ended_by_signals():
        if arguments.source is not None:
            captured = capture.redact_folder(arguments.source, target)
        else:
            captured = capture.capture(target, redact=arguments.redact, probe=arguments.probe, progress=True)
    output.show(_written(captured, arguments.format), arguments.format)
    return 0


def _written(captured: Captured, form: str) -> Iterator[str]:
    """The index; as text, the files of the folder and what is missing from it."""
    from hecn_analysis.live import capture  # noqa: PLC0415

    rows = [{name: value or None for name, value in asdict(row).items()} for row in captured.rows]
    if form != "text":
        yield from output.written(rows, capture.COLUMNS, form)
        return
    names = ("file", "ended", "duration_s", "note")
    yield from output.written([{name: row[name] for name in names} for row in rows if row["file"]], names, form)
    yield f"\n{captured.files} files in {captured.place}; its index.csv lists how each command ended\n"
    absent = dict.fromkeys(row.command.split()[0] for row in captured.rows if row.ended == capture.NOT_HERE)
    if absent:
        yield f"programs not installed: {', '.join(absent)}\n"
    if captured.for_root:
        yield f"root would add: {'; '.join(captured.for_root)}\n"
