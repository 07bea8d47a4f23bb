"""``hecn whatif``: predict a scenario with other settings, over values of keys, or with each number varied."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import FigureFile, Parser, add_output_arguments, settings
from hecn_analysis.cli.scenario import add_scenario_arguments, requested_scenario

if TYPE_CHECKING:
    import pandas as pd

    from hecn_analysis.hardware import Scenario

#: How values of varied keys are written for people, by what they measure; others are plain numbers.
_FORMS: Final[Mapping[str, Callable[[float], str]]] = {
    "rate": units.format_rate,
    "bytes": units.format_bytes,
    "time": units.format_time,
}

DESCRIPTION = """\
Predict a scenario as it is, with other settings (--set), over values of keys
(--vary, all combinations), or with each number of the prediction set to both
ends of its interval (--tornado)."""

EPILOG = """\
examples:
  hecn whatif hotlava-transmit --set sender.max_payload=256
  hecn whatif b-disk-to-disk-wan --vary path.rtt=1ms..200ms/9
  hecn whatif hotlava-transmit --vary tool.processes=1..6 path.mtu=1500,9000
  hecn whatif c-two-copies --tornado --format csv

A range LOW..HIGH has 25 values unless it ends in /POINTS; integers stay
integers. --figure plots the throughput over the first varied key, with the
bottlenecks as bands behind it, on a page that needs no network."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn whatif``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_scenario_arguments(parser)
    parser.add_argument(
        "--vary",
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUES",
        help="values of a key: a comma-separated list, or a range such as 1ms..200ms; may be repeated",
    )
    parser.add_argument("--tornado", action="store_true", help="vary each number of the prediction alone")
    parser.add_argument("--factor", type=float, metavar="F", help="tornado: divide and multiply each number by F")
    parser.add_argument(
        "--figure", type=FigureFile, metavar="FILE", help="also write the figure: an HTML page, or .png or .svg"
    )
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Predict, deliver the table and, if requested, the figure."""
    from hecn_analysis.planning.change import whatif  # noqa: PLC0415 (not needed for --help)

    vary, names = settings(arguments.vary)
    arguments.names += names
    base, changed = requested_scenario(arguments)
    if arguments.tornado and vary:
        raise InputError("--tornado and --vary together", "one of them")
    if arguments.factor is not None and not arguments.tornado:
        raise InputError("--factor without --tornado", "both")
    if arguments.tornado:
        table = whatif.tornado(base.with_(changed), factor=arguments.factor)
    else:
        table = whatif.whatif(base, changed, vary=vary, progress=True)
    rows, form = output.records(table), output.chosen_format(arguments)
    if form == "text":
        rows = [{name: with_unit(name, value) for name, value in row.items()} for row in rows]
    output.deliver(output.written(rows, list(table.columns), form), arguments)
    if arguments.figure is not None:
        _write_figure(arguments, table, base, list(vary))
    return 0


def with_unit(name: str, value: object) -> object:
    """The value of a varied key for people: a quantity with its unit."""
    from hecn_analysis.hardware.scenario import dimension_of_key  # noqa: PLC0415 (not needed for --help)

    if not isinstance(value, int | float):
        return value
    form = _FORMS.get(dimension_of_key(name) or "")
    return value if form is None else form(value)


def _write_figure(arguments: argparse.Namespace, table: pd.DataFrame, base: Scenario, varied: list[str]) -> None:
    from hecn_analysis.figures import plot_tornado, plot_whatif  # noqa: PLC0415 (not needed without a figure)
    from hecn_analysis.prediction import predict  # noqa: PLC0415 (see above)

    if arguments.tornado:
        figure = plot_tornado(table, predict(base).throughput_bps)
    elif varied:
        figure = plot_whatif(table, varied)
    else:
        raise InputError("--figure without --vary or --tornado", "values to draw")
    output.figure(arguments.figure, figure, f"What if: {base.title or base.name or 'the scenario'}")
