"""``hecn watch``: take results as they come, and say which pair of hosts changed, since when, and what with it."""

from __future__ import annotations

import argparse
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli.parser import OutputFolder, Parser
from hecn_analysis.cli.remarks import say

if TYPE_CHECKING:
    from hecn_analysis.archive.store import Archive
    from hecn_analysis.watching.incoming import Incoming

DESCRIPTION = """\
Watch the results of repeated transfers. New and grown files of a folder are
added to an archive, each once. Each series of pair, tool, direction and number
of streams is judged against its own past: usual course of day and week,
scatter, change points with their size and what changed at the same time."""

EPILOG = """\
examples:
  hecn watch data/transfers/over_time/iperf3-1.json --archive ARCHIVE -o OUT --once

Without --once, it looks again every minute until Ctrl-C; what was added stays
added. OUT/index.html shows all pairs, each cell a link to its series;
status.json and metrics.prom (for Prometheus) hold the same. A series needs
eight days of results, at least 24, before it is judged.

exit status:
  0  fine
  1  something could not be read
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn watch``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="folder that results come into, or a file")
    parser.add_argument(
        "--archive", required=True, type=OutputFolder, metavar="ARCHIVE", help="archive that keeps the results"
    )
    parser.add_argument(
        "-o", "--output", required=True, type=OutputFolder, metavar="OUT", help="folder for pages, JSON and metrics"
    )
    parser.add_argument("--once", action="store_true", help="look once, at all files, and stop")
    parser.add_argument("--every", default="60s", metavar="TIME", help="time between two looks (default: 60s)")


def run(arguments: argparse.Namespace) -> int:
    """Look at the folders, once or until interrupted."""
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.watching.incoming import Incoming  # noqa: PLC0415 (see above)

    every_s = units.parse(arguments.every, "time", name="--every")
    if every_s <= 0:
        raise InputError(f"--every {arguments.every}", "a time above 0s")
    written = (arguments.archive, arguments.output)
    inside = [folder for folder in arguments.folders if any(_holds(folder, own) for own in written)]
    if inside:
        raise InputError(f"the archive or the output inside of {inside[0]!r}", "folders beside it", advice="move them")
    archive = Archive(arguments.archive)
    incoming = Incoming(arguments.folders, archive)
    if arguments.once:
        return _look(incoming, archive, arguments, is_first=True)
    status = 0
    with suppress(KeyboardInterrupt):
        is_first = True
        while True:
            status = max(status, _look(incoming, archive, arguments, is_first=is_first))
            is_first = False
            time.sleep(every_s)
    return status


def _holds(folder: str, own: str) -> bool:
    """Whether a folder that is watched holds one that is written."""
    return Path(own).resolve().is_relative_to(Path(folder).resolve())


def _look(incoming: Incoming, archive: Archive, arguments: argparse.Namespace, *, is_first: bool) -> int:
    """Take what is new; if anything is, judge and write."""
    from hecn_analysis.watching.watch import judge, write  # noqa: PLC0415 (not needed for --help)

    batch = incoming.take(settled=arguments.once)
    for remark in batch.remarks:
        say(remark)
    if batch.added or is_first:
        judged, remarks = judge(archive)
        for remark in remarks:
            say(remark)
        write(Path(arguments.output), judged, remarks)
        changed = [status for status in judged if status.state not in ("usual", "learning")]
        print(f"{units.format_count(batch.added, 'file')} added; {len(judged)} series, {len(changed)} to look at")
        for status in changed:
            print(f"  {status.series.source} to {status.series.destination}, {status.series.name}: {status.says}")
    return 1 if batch.remarks else 0
