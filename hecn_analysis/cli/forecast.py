"""``hecn forecast``: when ports are full, from their history and planned changes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hecn_analysis.base import units
from hecn_analysis.base.errors import HecnError
from hecn_analysis.cli import output, reading
from hecn_analysis.cli.parser import FigureFile, Parser, add_output_arguments
from hecn_analysis.cli.traffic import duration

if TYPE_CHECKING:
    from hecn_analysis.planning.forecast.port_forecast import Forecast

TABLES = ("ports", "curve", "backtest", "shifts", "changes", "free-ports")
DIRECTIONS = ("greater", "in", "out", "slot_greater", "sum")

DESCRIPTION = """\
Forecast when the 95th percentile of a port reaches its capacity, from an
archive, counter files of any format, or Parquet files of readings. The daily
busy-hour level is forecast with a 90 % interval by the method that did best on
the port's own history. Planned changes are added from their date on. No date is
given if the history is too short, has no trend, or does not reach the capacity
within the horizon.

tables:
  ports       one row per port (default): current level, growth, capacity, and
              the date or why there is none; error relative to the seasonal naive
              forecast (MASE)
  curve       history and forecast, day by day
  backtest    the error of each method
  shifts      detected level shifts
  changes     what each planned change adds, and how that was derived
  free-ports  used and free ports of each host, and when the last one is taken"""

EPILOG = """\
examples:
  hecn forecast data/traffic/generated.tar.xz --interfaces data/traffic/ports.yaml
  hecn forecast data/traffic/generated.tar.xz --port grows --speed 10Gb/s \\
      --changes data/traffic/changes.yaml --capacity 90% --format json
  hecn forecast data/traffic/generated.tar.xz --port flat --speed 10Gb/s --table backtest

Each row of a --changes file has a date, a port and one of: rate, daily (bytes
per day), bytes (until a date), hosts, speed, moves_to; data/traffic/changes.yaml
has one of each. --interfaces works as in hecn traffic. The current level is the
fourth highest daily percentile of the last 28 days.

exit status:
  0  fine, even if there is no date
  1  a file could not be read
  2  wrong usage"""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn forecast``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("paths", nargs="+", metavar="PATH", help="archive, counter files or *.parquet")
    parser.add_argument("--table", choices=TABLES, default="ports", help="table to show (default: ports)")
    parser.add_argument(
        "--port", nargs="+", action="extend", default=[], metavar="NAME", help="show only these interfaces"
    )
    parser.add_argument("--changes", metavar="FILE", help="planned changes, as YAML or CSV")
    parser.add_argument(
        "--capacity",
        type=_part,
        default=0.8,
        metavar="FRACTION",
        help="fraction of the speed that counts as full (default: 80 %%)",
    )
    parser.add_argument("--speed", type=_rate, metavar="RATE", help="speed of all ports")
    parser.add_argument("--interfaces", metavar="FILE", help="YAML file that corrects speeds and counter widths")
    parser.add_argument(
        "--horizon",
        type=duration,
        default=731 * 86_400.0,
        metavar="TIME",
        help="length of the forecast (default: 731 d)",
    )
    parser.add_argument(
        "--direction", choices=DIRECTIONS, default="greater", help="direction that counts (default: greater)"
    )
    parser.add_argument(
        "--slot", type=duration, default=300.0, metavar="TIME", help="length of a slot (default: 5 min)"
    )
    parser.add_argument("--time-zone", default="UTC", metavar="ZONE", help="time zone of local times, and of the days")
    reading.add_host_argument(parser)
    parser.add_argument(
        "--figure", type=FigureFile, metavar="FILE", help="also draw the ports: an HTML page, or .png or .svg"
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, forecast, deliver."""
    from hecn_analysis.planning.forecast.port_forecast import forecast  # noqa: PLC0415 (not needed for --help)
    from hecn_analysis.traffic.known_interfaces import known_interfaces  # noqa: PLC0415 (not needed for --help)

    widths, speeds = known_interfaces(arguments.interfaces)
    result = forecast(
        arguments.paths,
        changes=arguments.changes,
        capacity=arguments.capacity,
        speeds=arguments.speed if arguments.speed is not None else speeds or None,
        widths=widths or None,
        horizon_s=arguments.horizon,
        direction=arguments.direction,
        slot_s=arguments.slot,
        zone=arguments.time_zone,
        host=arguments.host,
        ports=arguments.port,
        progress=True,
    )
    _deliver(result, arguments)
    if arguments.figure is not None:
        _write_figure(result, arguments.figure)
    return 0


def _deliver(result: Forecast, arguments: argparse.Namespace) -> None:
    table = getattr(result, arguments.table.replace("-", "_"))
    form = output.chosen_format(arguments)
    if arguments.table == "ports" and form == "text":
        from hecn_analysis.planning.forecast.words import shown  # noqa: PLC0415 (not needed for --help)

        rows: list[output.Row] = [shown(row) for row in table.to_dict("records")]
    else:
        rows = list(output.records(table))
    output.deliver(output.written(rows, list(table.columns), form), arguments)


def _write_figure(result: Forecast, path: str) -> None:
    from hecn_analysis.figures import plot_forecast  # noqa: PLC0415 (not needed without a figure)

    output.figure(path, plot_forecast(result), "Forecast of ports")


def _part(text: str) -> float:
    return _of(text, "fraction")


def _rate(text: str) -> float:
    return _of(text, "rate")


def _of(text: str, dimension: units.Dimension) -> float:
    try:
        value = units.parse(text, dimension)
    except HecnError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if not value > 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected more than 0")
    return value
