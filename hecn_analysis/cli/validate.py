"""``hecn validate``: predict every row of a table of measurements, and report the errors."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.cli.remarks import say, say_all

if TYPE_CHECKING:
    from hecn_analysis.prediction.validation import Validation

DESCRIPTION = """\
Predict every row of a table of measurements and compare: the error, whether the
interval contains the measurement, and whether the stated limit is the predicted
one; per group, the median and 90th percentile of the errors. A mapping assigns
columns to scenario keys. Without a table, the shipped series are validated.

Parameters of hosts may have been calibrated on the same runs. To assess
predictions of new runs, --leave-one-out and --leave-one-host-out recalibrate
them for each row, without that row or without all rows of its hosts, starting
from the general priors of the components (models/priors.yaml)."""

EPILOG = """\
examples:
  hecn validate
  hecn validate --series hotlava pcix --leave-one-out
  hecn validate runs.csv --mapping mapping.yaml
  hecn validate runs.csv --mapping mapping.yaml --format json -o errors.json

a mapping:
  measured: Mbps                 # column of the measured rate
  unit: Mb/s
  repeats: rtt_ms                # rows that agree in it repeat one test
  set: {sender: ideal, receiver: ideal, tool: nuttcp, path.rate: 1 Gb/s}
  columns:
    path.rtt: rtt_ms / 1000      # keys in SI units, by expressions of columns

exit status:
  0  fine
  1  a row could not be predicted, or the table or mapping could not be used
  2  wrong usage"""

LEFT_OUT = {
    "leave-one-out": "also predict each row with parameters calibrated without that row and all of its set-up",
    "leave-one-series-out": "also predict each row with parameters calibrated without any row of its series",
    "leave-one-host-out": "also predict each row with parameters calibrated without any row of its hosts",
}


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn validate``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("runs", nargs="?", metavar="RUNS", help="CSV table of measurements")
    parser.add_argument(
        "--mapping", metavar="MAPPING", help="YAML file that maps its columns to keys of a scenario, as below"
    )
    parser.add_argument("--series", nargs="+", metavar="NAME", help="shipped series to validate (default: all)")
    for mode, meaning in LEFT_OUT.items():
        parser.add_argument(f"--{mode}", action="append_const", dest="modes", const=mode, help=meaning)
    parser.add_argument("--rows", action="store_true", help="text: show every row, not only the groups")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Validate, deliver rows and groups, report rows that could not be predicted."""
    from hecn_analysis.prediction import validation  # noqa: PLC0415 (not needed for --help)

    if (arguments.runs is None) != (arguments.mapping is None):
        raise InputError("a table without a mapping, or a mapping without a table", "RUNS and --mapping together")
    if arguments.runs is not None and arguments.series:
        raise InputError("a table and --series", "one of them")
    modes = ("in-sample", *(arguments.modes or ()))
    if arguments.runs is None:
        result = validation.validate_series(arguments.series, modes=modes, progress=True)
    else:
        result = validation.validate(arguments.runs, arguments.mapping, modes=modes, progress=True)
    output.deliver(_written(result, output.chosen_format(arguments), rows=arguments.rows), arguments)
    faults = result.rows.loc[result.rows["fault"].notna(), "fault"]
    say_all(sorted(set(faults)), "each row has its error")
    if result.left_out and arguments.runs is not None:
        say(f"{result.left_out} rows left out: the mapping excludes them, or they have no measured rate")
    return 1 if len(faults) else 0


def _written(result: Validation, form: str, *, rows: bool) -> Iterator[str]:
    if form == "json":
        return output.json_object(result.to_dict())
    table = result.rows if rows or form == "csv" else result.groups
    return output.written(output.records(table), list(table.columns), form)
