"""``hecn calibrate``: fit parameters of hosts to measured runs, and print the YAML lines for their descriptions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments, add_settings
from hecn_analysis.cli.remarks import say, say_all
from hecn_analysis.cli.scenario import scenario_settings

if TYPE_CHECKING:
    from hecn_analysis.prediction.calibration import Calibration

DESCRIPTION = """\
Fit parameters of two hosts to measured runs between them. CPU costs are fitted
to the CPU columns of the runs (a share U of a core at throughput X is U/X
seconds per bit), other parameters to the runs that they limit. Each parameter
starts from the prior of its component. The output gives its spread before and
after, the most informative files and lines, and what the runs cannot determine.
The YAML lines at the end go into the host's description; -o HOST.yaml writes
them as a new host, based on the given one."""

EPILOG = """\
examples:
  hecn calibrate data/logs/c-systems-nuttcp.txt --sender c --receiver c --path lan-2x10ge
  hecn calibrate data/logs/c-systems-nuttcp.txt --sender c --receiver c --path lan-2x10ge -o c-measured.yaml
  hecn calibrate data/logs/c-systems-nuttcp.txt --sender c --receiver c --path lan-2x10ge --format json

A CSV table of runs needs a mapping of its columns (--mapping), as in hecn
validate; cpu_sender and cpu_receiver are fractions of a core.

exit status:
  0  fine
  1  the runs are uninformative, contradict each other, or cannot be read
  2  wrong usage"""

_SHOWN = [
    *("parameter", "host", "end", "prior", "prior_spread_fraction", "value", "spread_fraction"),
    "determined",
    "source",
]


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn calibrate``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("runs", nargs="+", metavar="RUNS", help="tool logs; with --mapping, CSV tables")
    parser.add_argument(
        "--sender", required=True, metavar="HOST", help="sending host: a name in models/ or a YAML file"
    )
    parser.add_argument("--receiver", required=True, metavar="HOST", help="receiving host")
    parser.add_argument(
        "--path", metavar="NAME", help="network path (default: derived from the round-trip time of the runs)"
    )
    parser.add_argument("--tool", metavar="NAME", help="tool and its settings (default: the one that wrote the log)")
    add_settings(
        parser, "--set", about="set a key of the scenario of all runs, e.g. tool.window=100MB; may be repeated"
    )
    parser.add_argument(
        "--mapping", metavar="MAPPING", help="YAML file that maps the columns of the tables; see hecn validate --help"
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="start from the calibrated values instead of their priors, for new runs",
    )
    parser.add_argument("--show-runs", action="store_true", help="show the runs and how well the fit matches them")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, deliver parameters and YAML lines, print remarks."""
    from hecn_analysis.prediction.calibration import calibrate  # noqa: PLC0415 (not needed for --help)

    keys, unexpected = scenario_settings(arguments.set)
    if unexpected:
        raise InputError(f"the setting {unexpected[0]!r}", "a key and its value, such as tool.window=100MB")
    keys |= {role: name for role in ("path", "tool") if (name := getattr(arguments, role)) is not None}
    calibration = calibrate(
        arguments.runs,
        sender=arguments.sender,
        receiver=arguments.receiver,
        settings=keys,
        mapping=arguments.mapping,
        update=arguments.update,
    )
    suffix = Path(arguments.output or "").suffix
    if suffix in {".yaml", ".yml"} and arguments.format is None:
        output.deliver([_host(calibration, arguments)], arguments)
    else:
        output.deliver(_written(calibration, output.chosen_format(arguments), runs=arguments.show_runs), arguments)
    say_all(list(calibration.remarks), "--format json gives all")
    for weights in calibration.unknown:
        say("these runs cannot separate: " + ", ".join(weights))
    return 0


def _written(calibration: Calibration, form: str, *, runs: bool) -> Iterator[str]:
    from hecn_analysis.prediction.calibration import yaml_value  # noqa: PLC0415 (not needed for --help)

    if form == "json":
        yield from output.json_object(calibration.to_dict())
        return
    table = calibration.runs if runs else calibration.parameters
    rows = output.records(table)
    if form == "csv":
        yield from output.csv_rows(rows, list(table.columns))
        return
    if not runs:
        for row in rows:
            for name in ("prior_value", "value"):
                value, unit = row[name], str(row["unit"])
                assert isinstance(value, float)  # noqa: S101 - a column of numbers
                words = yaml_value(value, unit)
                row[name.removesuffix("_value") if name == "prior_value" else name] = (
                    f"{words} {unit}".strip() if words.replace(".", "").isdigit() else words
                )
        rows = [{name: row[name] for name in _SHOWN} for row in rows]
    yield from output.text_rows(rows)
    if not runs:
        yield "\n" + calibration.yaml()


def _host(calibration: Calibration, arguments: argparse.Namespace) -> str:
    """Description of the calibrated host, based on the host named on the command line."""
    named = {
        Path(name).stem if name.endswith((".yaml", ".yml")) else name: name
        for name in (arguments.sender, arguments.receiver)
    }
    hosts = [host for host in calibration.hosts if host in named]
    if len(hosts) != 1:
        raise InputError(
            f"parameters of {' and '.join(hosts) or 'no host'} for one file",
            "those of one host; the text output has the lines of both",
            source=arguments.output,
        )
    (host,) = hosts
    return f"# Calibrated by hecn calibrate {' '.join(arguments.runs)}\nlike: {named[host]}\n{calibration.yaml(host)}"
