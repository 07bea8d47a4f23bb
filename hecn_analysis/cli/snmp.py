"""``hecn snmp poll``: poll the counters of switches and hosts into an archive or a table."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import OutputFolder, Parser, add_output_arguments
from hecn_analysis.cli.remarks import say

if TYPE_CHECKING:
    from hecn_analysis.archive.store import Archive
    from hecn_analysis.live.snmp import Round

DESCRIPTION = """\
Poll the counters of all interfaces from many SNMP agents at once, repeatedly,
into an archive or a table. 64-bit counters are preferred. Credentials come from
a file readable only by you, or from the environment variables
HECN_SNMP_VERSION, HECN_SNMP_COMMUNITY, HECN_SNMP_USER,
HECN_SNMP_AUTHENTICATION_KEY and HECN_SNMP_PRIVACY_KEY; they are never shown."""

EPILOG = """\
examples:
  hecn snmp poll switch1 switch2 --interval 30s --archive ARCHIVE
  hecn snmp poll 192.0.2.1 --rounds 2 --interval 5s --format csv
  hecn snmp poll core1 --credentials snmp.yaml --archive ARCHIVE

snmp.yaml:
  version: "3"
  user: watcher
  authentication_key: …
  privacy_key: …
  hosts: {old-switch: {version: 2c, community: …}}

An agent that does not answer, sends invalid data or misses the deadline is
reported; the readings of the others are kept. Ctrl-C stops the poll; every
reported round is in the archive. If the archive cannot store a round, for
example on a full disk, the poll stops with status 1."""


def add_arguments(parser: Parser) -> None:
    """Add the commands of ``hecn snmp``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="action", required=True)
    poll = commands.add_parser("poll", help="poll counters repeatedly", description=DESCRIPTION, epilog=EPILOG)
    poll.add_argument("hosts", nargs="+", metavar="HOST", help="address of an agent, with :PORT if it is not 161")
    poll.add_argument("--interval", default="30s", metavar="TIME", help="time between rounds (default: 30s)")
    poll.add_argument("--rounds", type=int, metavar="N", help="number of rounds (default: until interrupted)")
    poll.add_argument(
        "--archive",
        type=OutputFolder,
        metavar="FOLDER",
        help="add each round to this archive instead of writing a table",
    )
    poll.add_argument("--credentials", metavar="FILE", help="YAML file with version, community, user, keys; see below")
    poll.add_argument("--timeout", default="2s", metavar="TIME", help="time to wait for an answer (default: 2s)")
    poll.add_argument("--retries", type=int, default=1, metavar="N", help="number of repeated requests (default: 1)")
    poll.add_argument(
        "--deadline",
        metavar="TIME",
        help="longest time for a round; agents that have not answered everything by then are reported "
        "(default: nine tenths of the interval, 30s for a single round; no less than all tries of --timeout)",
    )
    add_output_arguments(poll)


def run(arguments: argparse.Namespace) -> int:
    """Poll for the requested number of rounds, or until interrupted."""
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.live import snmp  # noqa: PLC0415 (see above)

    interval = units.parse(arguments.interval, "time", name="--interval")
    timeout = units.parse(arguments.timeout, "time", name="--timeout")
    deadline = None if arguments.deadline is None else units.parse(arguments.deadline, "time", name="--deadline")
    if (
        interval <= 0
        or timeout <= 0
        or (deadline is not None and deadline <= 0)
        or (arguments.rounds is not None and arguments.rounds < 1)
        or arguments.retries < 0
    ):
        raise InputError("an interval, timeout or number that is not positive", "times above 0s and 1 round or more")
    if arguments.rounds is None and arguments.archive is None:
        raise InputError("neither --rounds nor --archive", "one of them: a table needs an end")
    agents = snmp.agents(arguments.hosts, credentials=arguments.credentials)
    kept: list[Round] = []
    archive = None if arguments.archive is None else Archive(arguments.archive)

    def take(polled: Round) -> None:
        status = reading.report_problems(
            polled.problems, f"{units.format_count(len(polled.samples), 'reading')}", "each stands above"
        )
        faults.append(status)
        if archive is None:
            kept.append(polled)
        elif len(polled.samples):
            _add(archive, polled)

    faults: list[int] = []
    with suppress(KeyboardInterrupt):
        asyncio.run(
            snmp.watch(
                agents,
                take,
                interval_s=interval,
                rounds=arguments.rounds,
                timeout_s=timeout,
                retries=arguments.retries,
                deadline_s=deadline,
            )
        )
    if archive is None:
        output.deliver(_table(kept, output.chosen_format(arguments)), arguments)
    return max(faults, default=0)


def _add(archive: Archive, polled: Round) -> None:
    """Add a round to the archive, and say so."""
    from hecn_analysis.live import snmp  # noqa: PLC0415 (not needed for --help)

    snmp.add_round(archive, polled)
    say(
        f"{polled.samples['time'].min():%H:%M:%S} UTC: {units.format_count(len(polled.samples), 'reading')}"
        f" of {units.format_count(polled.samples['source_file'].nunique(), 'agent')}"
    )


def _table(kept: list[Any], form: str) -> Iterator[str]:
    import pandas as pd  # noqa: PLC0415 (not needed for --help)

    samples = pd.concat([polled.samples for polled in kept], ignore_index=True)
    shown = samples.drop(columns=["line", "discontinuity_s", "source_file"]) if form == "text" else samples
    return output.written(output.records(shown), list(samples.columns), form, 4)
