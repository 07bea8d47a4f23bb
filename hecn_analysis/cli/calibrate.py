"""``hecn calibrate``: parameters of hosts from measured runs, and the lines to put into their descriptions."""

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
Fit parameters of two hosts to measured runs between them: CPU costs to the
CPU columns of the runs (a share U of a core at the throughput X is U/X seconds
for each bit), other parameters to runs that they hold back. Each parameter
starts from what its component is known for, and is told with its spread before
and after, and the files and lines that say most of it. What the runs cannot
tell is said, too. The YAML lines at the end go into the description of the
host; -o HOST.yaml writes them as a host of its own, like the one that was
named."""

EPILOG = """\
examples:
  hecn calibrate data/logs/c-systems-nuttcp.txt --sender c --receiver c --path lan-2x10ge
  hecn calibrate data/logs/c-systems-nuttcp.txt --sender c --receiver c --path lan-2x10ge -o c-measured.yaml
  hecn calibrate data/logs/c-systems-nuttcp.txt --sender c --receiver c --path lan-2x10ge --format json

A CSV table of runs needs a mapping of its columns (--mapping), as for hecn
validate; cpu_sender and cpu_receiver are shares of a core.

exit status:
  0  fine
  1  the runs say nothing about the hosts, contradict each other, or cannot be read
  2  wrong usage"""

_SHOWN = [
    *("parameter", "host", "end", "prior", "prior_spread_fraction", "value", "spread_fraction"),
    "found",
    "source",
]


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn calibrate``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("runs", nargs="+", metavar="RUNS", help="logs of transfer tools; with --mapping, CSV tables")
    parser.add_argument(
        "--sender", required=True, metavar="HOST", help="host that sent: a name in models/ or a YAML file"
    )
    parser.add_argument("--receiver", required=True, metavar="HOST", help="host that received")
    parser.add_argument("--path", metavar="NAME", help="path between them; default: as the runs' round-trip time says")
    parser.add_argument("--tool", metavar="NAME", help="tool and its settings; default: the one that wrote the log")
    add_settings(
        parser, "--set", about="set a key of the scenario of all runs, e.g. tool.window=100MB; may be repeated"
    )
    parser.add_argument("--mapping", metavar="MAPPING", help="YAML file that says what the columns of the tables mean")
    parser.add_argument(
        "--update",
        action="store_true",
        help="start from calibrated values, not from their priors: for runs that they were not calibrated with",
    )
    parser.add_argument("--show-runs", action="store_true", help="show the runs and how the fit meets them")
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, deliver parameters and YAML lines, say what to be careful about."""
    from hecn_analysis.prediction.calibration import calibrate  # noqa: PLC0415 (not needed for --help)

    keys, others = scenario_settings(arguments.set)
    if others:
        raise InputError(f"the setting {others[0]!r}", "a key and its value, such as tool.window=100MB")
    keys |= {role: name for role in ("path", "tool") if (name := getattr(arguments, role)) is not None}
    found = calibrate(
        arguments.runs,
        sender=arguments.sender,
        receiver=arguments.receiver,
        settings=keys,
        mapping=arguments.mapping,
        update=arguments.update,
    )
    suffix = Path(arguments.output or "").suffix
    if suffix in {".yaml", ".yml"} and arguments.format is None:
        output.deliver([_host(found, arguments)], arguments)
    else:
        output.deliver(_written(found, output.chosen_format(arguments), runs=arguments.show_runs), arguments)
    say_all(list(found.remarks), "--format json gives all")
    for weights in found.unknown:
        say("cannot be told apart by these runs: " + ", ".join(weights))
    return 0


def _written(found: Calibration, form: str, *, runs: bool) -> Iterator[str]:
    from hecn_analysis.prediction.calibration import yaml_value  # noqa: PLC0415 (not needed for --help)

    if form == "json":
        yield from output.json_object(found.to_dict())
        return
    table = found.runs if runs else found.parameters
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
        yield "\n" + found.yaml()


def _host(found: Calibration, arguments: argparse.Namespace) -> str:
    """Description of the calibrated host, like the one that was named."""
    named = {
        Path(name).stem if name.endswith((".yaml", ".yml")) else name: name
        for name in (arguments.sender, arguments.receiver)
    }
    hosts = [host for host in found.hosts if host in named]
    if len(hosts) != 1:
        raise InputError(
            f"parameters of {' and '.join(hosts) or 'no host'} for one file",
            "those of one host; the text output has the lines of both",
            source=arguments.output,
        )
    (host,) = hosts
    return f"# Calibrated by hecn calibrate {' '.join(arguments.runs)}\nlike: {named[host]}\n{found.yaml(host)}"
