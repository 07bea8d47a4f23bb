"""``hecn reconcile``: compare what tools report as sent with what ports counted in that time."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

import hecn_analysis as hecn
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.reading import hint
from hecn_analysis.cli.remarks import say, say_all

if TYPE_CHECKING:
    import pandas as pd

    from hecn_analysis.counters import Counters

DIGITS = 4
SHOWN = ("tool", "label", "host", "interface", "direction", "start_time", "verdict", "message")
COUNTS = ("unknown", "port", "host", "ip")

DESCRIPTION = """\
Align runs with port counters in time, and check that the port counted the
payload plus its framing overhead. Each run gets one verdict: agrees;
retransmissions or other traffic (how much); clock offset (how much); counter
wrapped; averaging window too long; fewer octets; no counters. A run without
times in its log is placed where the counters match it best."""

EPILOG = """\
examples:
  hecn reconcile data/counters/session/iperf3-send.json data/counters/session/walks.txt.gz
  hecn reconcile data/counters/session/nuttcp.txt data/counters/session/walks.txt.gz \\
      --mtu 1500 --counts host --format csv -o seen.csv

exit status:
  0  fine, whatever the verdicts
  1  no run, no counters, or a file could not be read
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn reconcile``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_sources(parser)
    parser.add_argument(
        "--mtu", type=_mtu, metavar="BYTES", help="MTU of the path (default: 1500 or 9000, whichever fits)"
    )
    parser.add_argument("--ip", type=int, choices=(4, 6), default=4, help="IP version (default: 4)")
    parser.add_argument("--no-timestamps", action="store_true", help="TCP timestamps are off")
    parser.add_argument("--vlan", action="store_true", help="the counted frames carry a VLAN tag")
    parser.add_argument(
        "--counts",
        choices=COUNTS,
        default="unknown",
        help="framing that the counters include: port (header and check sequence, as on switches), host (header only, "
        "as on Linux), ip (none); default: port or host, whichever fits",
    )
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        default=0.005,
        metavar="FRACTION",
        help="deviation that still agrees (default: 0.5 %%)",
    )
    parser.add_argument("--interface", metavar="NAME", help="port to use (default: the one that fits each run best)")
    add_output_arguments(parser)


def add_sources(parser: Parser) -> None:
    """Add the arguments for runs and counters."""
    parser.add_argument("runs", metavar="RUNS", help="tool log, or a directory of logs")
    parser.add_argument("counters", metavar="COUNTERS", nargs="+", help="counter files or directories of them")
    parser.add_argument(
        "--time-zone", metavar="ZONE", help="time zone of local times in counters, such as Europe/Berlin (default: UTC)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read both, reconcile, deliver."""
    from hecn_analysis.traffic.reconcile import reconcile  # noqa: PLC0415 (not needed for --help)

    runs, counters, status = read(arguments)
    verdicts = reconcile(
        runs,
        counters.rates,
        mtu=arguments.mtu,
        ip=arguments.ip,
        timestamps=not arguments.no_timestamps,
        vlan=arguments.vlan,
        counts=arguments.counts,
        tolerance=arguments.tolerance,
        interface=arguments.interface,
    )
    deliver(verdicts, SHOWN, arguments)
    counts = verdicts["verdict"].value_counts()
    say(", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "no runs")
    return status


def read(arguments: argparse.Namespace) -> tuple[pd.DataFrame, Counters, int]:
    """Read runs and counters; report problems of the files, and return the exit status with both."""
    reading = hecn.read([arguments.runs], progress=True, hint=hint("parse"))
    counters = hecn.read_counters(
        arguments.counters, time_zone=arguments.time_zone, progress=True, hint=hint("counters")
    )
    bad = ("unrecognised", "unreadable", "truncated", "malformed")
    problems = [row for table in (reading.problems, counters.problems) for row in output.records(table)]
    say_all(
        [f"{row['source_file']}: {row['kind']}: {row['message']}" for row in problems if row["kind"] in bad],
        "hecn parse and hecn counters list all with --table problems",
    )
    status = 1 if any(row["kind"] in bad for row in problems) else 0
    if len(reading.runs) == 0:
        say(f"{arguments.runs}: no runs")
        status = 1
    if len(counters.rates) == 0 and len(counters.samples) == 0:
        say(f"{', '.join(arguments.counters)}: no counters")
        status = 1
    return reading.runs, counters, status


def deliver(frame: pd.DataFrame, shown: Sequence[str], arguments: argparse.Namespace) -> None:
    """Deliver a table; text has only the columns `shown`."""
    form = output.chosen_format(arguments)
    rows = output.records(frame[list(shown)] if form == "text" else frame)
    output.deliver(output.written(rows, list(frame.columns), form, DIGITS), arguments)


def _mtu(text: str) -> int:
    if not text.isdecimal() or not 68 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected bytes from 68 to 65535")
    return int(text)


def _tolerance(text: str) -> float:
    from hecn_analysis.base import units  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.base.errors import HecnError  # noqa: PLC0415

    try:
        value = units.parse(text, "fraction")
    except HecnError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected 0 to less than 1")
    return value
