"""``hecn traffic``: utilisation of ports: percentiles, peaks, volumes, busy hours, bounds of averages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hecn_analysis as hecn
from hecn_analysis.archive.selection import archive_of
from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError, InputError
from hecn_analysis.cli import reading
from hecn_analysis.cli.parser import OutputFolder, Parser, add_output_arguments
from hecn_analysis.cli.reconcile import deliver
from hecn_analysis.cli.remarks import explain, say, say_all
from hecn_analysis.files.source import parquet_below

if TYPE_CHECKING:
    import pandas as pd

    from hecn_analysis.counters import Counters

TABLES = ("interfaces", "slots", "day", "week", "bounds", "speeds")
SHOWN = (
    *("host", "interface", "slots", "missing_slots", "mean_in_bps", "mean_out_bps", "p95_in_bps", "p95_out_bps"),
    *("peak_in_bps", "peak_out_bps", "in_bytes", "out_bytes", "remark"),
)

#: With fewer slots, no slot is above the 95th percentile.
_FEWEST_SLOTS = 20

DESCRIPTION = """\
Summarise the traffic of ports, from counter files of any format or from any
number of Parquet files of readings (the table samples). Percentiles are nearest
rank over equal slots, so that they can be checked by hand; each of the two
billing conventions has its own column. A port is identified by its host (or
else the file) and its interface (or else its index).

tables:
  interfaces  95th percentiles, mean, peak, volume, missing slots (default)
  slots       rates in equal slots; all bytes are kept
  day, week   the typical course of a day or week
  bounds      lowest and highest peak and percentile consistent with averages
  speeds      stated speeds that the traffic contradicts"""

EPILOG = """\
examples:
  hecn traffic data/counters/session/walks.txt.gz --slot 10s
  hecn traffic data/counters/session/port1.log --table bounds --slot 1s
  hecn traffic archive/samples --dask tcp://10.0.0.1:8786 --format csv -o ports.csv

A file for --interfaces supplies what the source lacks or gets wrong:
  interfaces:
    - {interface: eth0, host: switch, speed: 10 Gb/s, counter_bits: 64}

exit status:
  0  fine
  1  a file could not be read
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn traffic``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="counter files or directories of them, or *.parquet")
    parser.add_argument("--table", choices=TABLES, default="interfaces", help="table to show (default: interfaces)")
    parser.add_argument(
        "--slot", type=duration, default=300.0, metavar="TIME", help="length of a slot (default: 5 min)"
    )
    parser.add_argument(
        "--max-gap", type=duration, metavar="TIME", help="longest time between readings that does not count as a gap"
    )
    parser.add_argument("--interfaces", metavar="FILE", help="YAML file that corrects speeds and counter widths")
    parser.add_argument(
        "--time-zone", metavar="ZONE", help="time zone of local times, and of the hours of the day and week"
    )
    reading.add_host_argument(parser)
    parser.add_argument(
        "--rates", type=OutputFolder, metavar="DIR", help="Parquet: also write the flagged rates into DIR"
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="Parquet: work on a trusted Dask cluster; needs 'distributed'",
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, summarise, deliver."""
    from hecn_analysis.traffic.known_interfaces import known_interfaces  # noqa: PLC0415 (not needed for --help)

    widths, speeds = known_interfaces(arguments.interfaces)
    if _parquet(arguments.paths):
        from hecn_analysis.traffic import bulk  # noqa: PLC0415 (not needed for --help)

        if arguments.table != "interfaces":
            raise InputError(
                f"--table {arguments.table} for Parquet files", "interfaces", advice="--rates writes rates"
            )
        damaged: list[InputError] = []
        table = bulk.interfaces(
            arguments.paths,
            slot_s=arguments.slot,
            max_gap=arguments.max_gap,
            widths=widths,
            speeds=speeds,
            host=arguments.host,
            rates_folder=arguments.rates,
            dask=arguments.dask,
            damaged=damaged,
        )
        deliver(table, [name for name in SHOWN if name in table], arguments)
        say_all([f"{explain(error)}; left out, the rest is read" for error in damaged], "restore them from a copy")
        return 1 if damaged else 0
    if arguments.dask or arguments.rates:
        raise InputError(
            "--dask or --rates without Parquet files",
            "files *.parquet with the table samples",
            advice="an archive keeps them in its folder 'samples'",
        )
    counters = hecn.read_counters(
        arguments.paths,
        time_zone=arguments.time_zone,
        host=arguments.host,
        progress=True,
        hint=reading.hint("counters"),
    )
    table = _table(arguments, counters, widths, speeds)
    shown = SHOWN if arguments.table == "interfaces" else tuple(table.columns)
    deliver(table, shown, arguments)
    list_command = "hecn counters --table problems lists all"
    without_rates = () if counters.sources or len(counters.rates) or len(counters.samples) else arguments.paths
    status = reading.report_problems(
        counters.problems, units.format_count(len(counters.rates), "rate"), list_command, nothing_in=without_rates
    )
    if arguments.table != "speeds" and not counters.problems["kind"].isin(reading.BAD_INPUT).any():
        for remark in _without_result(counters, table):
            say(remark)
    return 1 if not counters.rates["time"].notna().any() else status


def _without_result(counters: Counters, table: pd.DataFrame) -> Iterator[str]:
    """Say why ports have no rate over time, or no percentile."""
    read, timed = len(counters.samples), int(counters.samples["time"].notna().sum())
    if not table.empty:
        ranked = [name for name in ("p95_in_bps", "p95_out_bps") if name in table]
        if ranked and table[ranked].isna().all(axis=None):
            yield "no 95th percentile: the averages are longer than a slot; --table bounds has bounds of it"
        elif ranked and (known := int((table["slots"] - table["missing_slots"]).max())) < _FEWEST_SLOTS:
            yield (
                f"found {units.format_count(known, 'slot')}, expected at least {_FEWEST_SLOTS}: with fewer, the 95th "
                "percentile is the peak; give a longer time, or a shorter --slot"
            )
    elif timed:
        yield (
            f"{units.format_count(read, 'reading')}, but no two of one port at different times: a rate takes two, "
            "such as two walks some minutes apart"
        )
    elif read or len(counters.rates):
        means = "; hecn counters --table rates has the device's own means" if len(counters.rates) else ""
        yield (
            "found no time in the readings, expected one for each, since a rate is octets over time: write the output "
            f"of 'date' above each walk, or poll with 'hecn snmp poll'{means}"
        )
    else:
        yield from reading.summaries(counters.sources)


def _table(arguments: argparse.Namespace, counters: Counters, widths: Any, speeds: Any) -> pd.DataFrame:  # noqa: ANN401
    from hecn_analysis.traffic import speeds as stated  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.traffic import utilisation as use  # noqa: PLC0415 (not needed for --help)

    table = counters.rates
    if widths or speeds or arguments.max_gap:
        from hecn_analysis.counters.summary import given_rates, rates  # noqa: PLC0415

        given = given_rates(counters.samples, table)
        table = rates(counters.samples, given, max_gap=arguments.max_gap, widths=widths, speeds=speeds)
    speeds = stated.known_better(stated.speeds_of(counters.samples), speeds)
    zone = arguments.time_zone or "UTC"
    makers = {
        "interfaces": lambda: use.utilisation(table, slot_s=arguments.slot, speeds=speeds),
        "slots": lambda: use.slot_table(table, slot_s=arguments.slot),
        "day": lambda: use.profile(table, period="day", zone=zone, slot_s=arguments.slot),
        "week": lambda: use.profile(table, period="week", zone=zone, slot_s=arguments.slot),
        "bounds": lambda: use.bounds(table, slot_s=arguments.slot, speeds=speeds),
        "speeds": lambda: stated.speed_findings(table, speeds),
    }
    return makers[arguments.table]()


def _parquet(paths: list[str]) -> bool:
    """Whether all paths are Parquet files or folders of them; a whole archive is not."""
    return all(
        path.endswith(".parquet") or (Path(path).is_dir() and archive_of(path) is None and any(parquet_below(path)))
        for path in paths
    )


def duration(text: str) -> float:
    """Parse the time of an option. [s]."""
    try:
        value = units.parse(text, "time")
    except HecnError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not value > 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected more than 0")
    return value
