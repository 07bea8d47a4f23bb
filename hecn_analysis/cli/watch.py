"""``hecn watch``: take results as they come, and say which pair of hosts changed, since when, and what with it."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli.parser import OutputFolder, Parser
from hecn_analysis.cli.remarks import say

if TYPE_CHECKING:
    from hecn_analysis.archive.store import Archive
    from hecn_analysis.watching.incoming import Incoming
    from hecn_analysis.watching.polls import Polls
    from hecn_analysis.watching.remote import Remote
    from hecn_analysis.watching.status import Memory
    from hecn_analysis.watching.telling import Teller

DESCRIPTION = """\
Watch the results of repeated transfers. New and grown files of a folder, and
new results of perfSONAR, Prometheus or InfluxDB over HTTP, are added to an archive, each
once. Each series of pair, tool, direction and number of streams is judged
against its own past: usual course of day and week, scatter, change points with
their size and what changed at the same time."""

EPILOG = """\
examples:
  hecn watch data/transfers/over_time/iperf3-1.json --archive ARCHIVE -o OUT --once

Without --once, it checks the sources every minute until Ctrl-C; what was added
stays added. OUT/index.html shows all pairs, each cell a link to its series;
status.json and metrics.prom (for Prometheus) hold the same. A series needs
eight days of results, at least 24, before it is judged.

SOURCE over HTTP: perfSONAR (https://HOST/esmond/perfsonar/archive/ or
https://HOST/opensearch/), Prometheus (http://HOST:9090/api/v1/query_range),
InfluxDB 1 (http://HOST:8086/query?db=telegraf) or 2
(http://HOST:8086/api/v2/query?org=net&bucket=telegraf). snmp://sw1 polls the
ports of a switch or host at each check; version, community and keys come from
--snmp-credentials or HECN_SNMP_COMMUNITY and so on. User and password come from
--credentials, a token from the variable HECN_WATCH_TOKEN_PS_EXAMPLE_NET (for
ps.example.net).

exit status:
  0  fine
  1  a file or address could not be read
  2  wrong usage"""


@dataclass
class _Watched:
    """The sources, the archive, the recipients of changes, and what was judged last."""

    incoming: Incoming
    remote: Remote
    polls: Polls
    tellers: tuple[Teller, ...]
    archive: Archive
    memory: Memory
    size: int = -1  # units of the archive when it was judged last


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn watch``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        "sources", nargs="+", metavar="SOURCE", help="folder that results come into, file, or address of an archive"
    )
    parser.add_argument(
        "--archive", required=True, type=OutputFolder, metavar="ARCHIVE", help="archive that keeps the results"
    )
    parser.add_argument(
        "-o", "--output", required=True, type=OutputFolder, metavar="OUT", help="folder for pages, JSON and metrics"
    )
    parser.add_argument(
        "--serve",
        type=int,
        metavar="PORT",
        help="serve the pages and /metrics at this port, to this machine only",
    )
    parser.add_argument(
        "--webhook",
        metavar="URL",
        help="address to send new changes to, each once, as JSON (default: HECN_WATCH_WEBHOOK)",
    )
    parser.add_argument("--mail", metavar="ADDRESS", help="mail address to send new changes to, each once")
    parser.add_argument(
        "--smtp",
        default="smtp://localhost",
        metavar="SERVER",
        help="server that sends the mail, such as smtp://mail.example.net:587 (default: smtp://localhost)",
    )
    parser.add_argument("--once", action="store_true", help="check all sources once, and stop")
    parser.add_argument(
        "--credentials", type=Path, metavar="FILE", help="users and passwords of addresses (.netrc, mode 600)"
    )
    parser.add_argument(
        "--snmp-credentials",
        type=Path,
        metavar="FILE",
        help="YAML file with version, community, user, keys of SNMP agents, as for hecn snmp poll (mode 600)",
    )
    parser.add_argument(
        "--since",
        default="60d",
        metavar="TIME",
        help="age of the oldest results to request from addresses (default: 60d)",
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="judge on a trusted Dask cluster; needs 'distributed'")
    parser.add_argument(
        "--every", default="60s", metavar="TIME", help="time between two checks of the sources (default: 60s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Look at the sources, once or until interrupted."""
    from hecn_analysis.archive.store import Archive  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.watching.incoming import Incoming  # noqa: PLC0415 (see above)
    from hecn_analysis.watching.polls import Polls, agents_of, is_agent  # noqa: PLC0415 (see above)
    from hecn_analysis.watching.remote import Remote  # noqa: PLC0415 (see above)
    from hecn_analysis.watching.sources import source_of  # noqa: PLC0415 (see above)
    from hecn_analysis.watching.web import is_address  # noqa: PLC0415 (see above)

    every_s, since_s = (_time(arguments, name) for name in ("every", "since"))
    folders = [source for source in arguments.sources if not is_address(source)]
    polled = [source for source in arguments.sources if is_agent(source)]
    addresses = [source for source in arguments.sources if is_address(source) and not is_agent(source)]
    written = (arguments.archive, arguments.output)
    inside = [folder for folder in folders if any(_holds(folder, own) for own in written)]
    if inside:
        raise InputError(f"the archive or the output inside of {inside[0]!r}", "folders beside it", advice="move them")
    remote = [source_of(address, logins=arguments.credentials) for address in addresses]
    asked = agents_of(polled, credentials=arguments.snmp_credentials)
    archive = Archive(arguments.archive)
    watched = _Watched(
        Incoming(folders, archive),
        Remote(remote, archive, time.time() - since_s),
        Polls(asked, archive),
        _tellers(arguments, archive),
        archive,
        {},
    )
    if arguments.once:
        if arguments.serve is not None:
            raise InputError("--serve with --once", "one of them")
        return _look(watched, arguments)
    status = 0
    with suppress(KeyboardInterrupt), _serving(arguments):
        while True:
            status = max(status, _look(watched, arguments))
            time.sleep(every_s)
    return status


def _tellers(arguments: argparse.Namespace, archive: Archive) -> tuple[Teller, ...]:
    """Return the recipients of changes: the webhook and the mail address, where they are given."""
    from hecn_analysis.watching.mail import Mail  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.watching.webhook import Webhook  # noqa: PLC0415 (see above)

    hook = arguments.webhook or os.environ.get("HECN_WATCH_WEBHOOK")
    tellers: list[Teller] = [] if not hook else [Webhook(hook, archive, logins=arguments.credentials)]
    if arguments.mail:
        tellers.append(Mail(arguments.mail, arguments.smtp, archive, logins=arguments.credentials))
    return tuple(tellers)


@contextmanager
def _serving(arguments: argparse.Namespace) -> Iterator[None]:
    """Serve the output in this block, if this is asked for."""
    if arguments.serve is None:
        yield
        return
    from hecn_analysis.app.loopback import port_for  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.app.watched import served  # noqa: PLC0415 (heavy: not for --help)

    with served(Path(arguments.output), port_for(arguments.serve, option="--serve")) as address:
        print(address, flush=True)
        yield


def _time(arguments: argparse.Namespace, name: str) -> float:
    text = getattr(arguments, name)
    value = units.parse(text, "time", name=f"--{name}")
    if value <= 0:
        raise InputError(f"--{name} {text}", "a time above 0s")
    return value


def _holds(folder: str, own: str) -> bool:
    """Whether a folder that is watched holds one that is written."""
    return Path(own).resolve().is_relative_to(Path(folder).resolve())


def _look(watched: _Watched, arguments: argparse.Namespace) -> int:
    """Take what is new; if the archive grew, also by polls or another watch, judge and write."""
    from hecn_analysis.watching.polls import is_agent  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.watching.watch import judge, write  # noqa: PLC0415 (see above)
    from hecn_analysis.watching.web import is_address  # noqa: PLC0415 (see above)

    files, results = watched.incoming.take(settled=arguments.once), watched.remote.take()
    readings = watched.polls.take()
    remarked = [*files.remarks, *results.remarks, *readings.remarks]
    for remark in remarked:
        say(remark)
    judged = None
    size = len(watched.archive)
    if size != watched.size:
        judged, remarks = judge(watched.archive, memory=watched.memory, dask=arguments.dask)
        for remark in remarks:
            say(remark)
        write(Path(arguments.output), judged, remarks)
        changed = [status for status in judged if status.state not in ("usual", "learning")]
        added = units.format_count(files.added, "file")
        if readings.added:
            added += f", {units.format_count(readings.added, 'reading')} of ports"
        if any(is_address(source) and not is_agent(source) for source in arguments.sources):
            added += f" and {units.format_count(results.added, 'result')}"
        print(f"{added} added; {len(judged)} series, {len(changed)} to look at")
        for status in changed:
            print(f"  {status.series.source} to {status.series.destination}, {status.series.name}: {status.says}")
    before = len(watched.archive)
    untold = [remark for teller in watched.tellers for remark in teller.tell(judged)]
    watched.size = size + len(watched.archive) - before  # what was told just now is nothing to judge
    for remark in untold:
        say(remark)
    return 1 if remarked or untold else 0
