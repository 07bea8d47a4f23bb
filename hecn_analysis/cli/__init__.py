"""The command ``hecn``: its subcommands, each in the module of the same name, and its exit status.

This module imports nothing heavy, and adds the arguments of a subcommand only when that subcommand is chosen:
``hecn --help`` must answer in less than half the time that importing pandas takes.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from hecn_analysis.base.errors import InputError
from hecn_analysis.cli.parser import OutputFile, OutputFolder, Parser
from hecn_analysis.cli.remarks import explain, print_traceback, say, warnings_collected

STATUS_FINE = 0
STATUS_BAD_INPUT = 1
STATUS_INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it

COMMANDS = {
    "diagnose": "find what holds back the transfers of a folder, and what to change",
    "parse": "read transfer tool logs into one table",
    "counters": "read interface counters of switches and hosts into one table",
    "traffic": "summarise port utilisation: percentiles, peaks, volumes, busy hours, profiles",
    "forecast": "forecast when ports are full, including planned changes",
    "reconcile": "compare runs with port counters over the same time",
    "service-levels": "judge measurements against a table of service levels",
    "inventory": "describe hosts from captured output: lspci, lscpu, dmidecode …",
    "limits": "upper limits of slots, links, TCP connections and disk arrays",
    "predict": "predict throughput, bottleneck and next bottlenecks of a transfer",
    "whatif": "vary the settings or numbers of a scenario",
    "advise": "recommend changes to a transfer, ranked by gain",
    "purchase": "find the cheapest parts for two hosts that reach a throughput",
    "app": "explore scenarios in a browser: sliders, throughput, bottlenecks, cost",
    "roadmap": "show milestones: planned, measured, predicted, and what each goal needs",
    "matrix": "plan a test matrix, track its coverage, and choose the next tests",
    "calibrate": "fit parameters of hosts to measured runs",
    "validate": "predict measured rows and report the errors",
    "measure": "predict a transfer, run it with nuttcp, iperf3, dd or fio, and compare",
    "capture": "capture the hardware and settings of this host, one file per command",
    "snmp": "poll the counters of switches and hosts over SNMP",
    "archive": "store runs and counters by day, for SQL and tables",
    "watch": "judge repeated transfers as they come: which pair changed, since when, and what else changed",
    "report": "report on a folder of unknown logs, counters and captured output",
    "plot": "draw the runs of a folder: over time, distributions, latency",
    "compare": "compare two sets of runs, such as last week's and this week's, with statistical confidence",
    "brief": "make result briefs: HTML, PDF and an index page",
    "hosts": "list the hosts that a prediction can start from",
    "paths": "list the paths",
    "tools": "list the tools",
    "parts": "list the parts of hosts: cards, processors, disks, controllers …",
    "doctor": "show what is installed, what is missing, and what it is for",
    "completion": "write a shell completion script",
}

DESCRIPTION = """\
Predict data transfers, find their bottlenecks, and plan changes and purchases.

Data goes to stdout (or the file given with -o), remarks go to stderr."""

EPILOG = """\
examples:
  hecn parse data/logs
  hecn limits pcie --gen 2 --lanes 16 --max-payload 128,256
  hecn predict --sender ideal --receiver ideal --tool nuttcp \\
      --set path.rate=10Gb/s path.rtt=80ms path.mtu=9000
  hecn brief --list

Each command has its own --help.

exit status:
  0  fine
  1  bad input: one line per error on stderr; usable data is still delivered
  2  wrong usage of the command

Set HECN_DEBUG=1 in the environment to see the Python traceback of an error."""


def build_parser() -> Parser:
    """Build the parser of the whole command line. A command's own arguments are added when it is chosen."""
    parser = Parser(prog="hecn", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary, fill=partial(_fill, name))
    return parser


def _fill(name: str, parser: Parser) -> None:
    """Let the command's module add its arguments; it has `add_arguments(parser)` and `run(arguments) -> status`."""
    module = import_module(f"hecn_analysis.cli.{name.replace('-', '_')}")
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``hecn`` with these arguments (default: the program's own) and return its exit status."""
    try:
        _open_streams()
        status = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough (| head): no error
        _drop_output()
        return STATUS_FINE
    except KeyboardInterrupt:
        return STATUS_INTERRUPTED
    except OSError as error:  # a full disk at the last flush
        say(explain(error))
        _drop_output()
        return STATUS_BAD_INPUT
    return status


class _ClosedOutput(io.TextIOBase):
    """Stands in for a closed standard output (``>&-``): printing is an error, since the text would be lost."""

    def write(self, text: str) -> int:
        """Refuse any text."""
        if text:
            raise InputError("a closed standard output", "an open one", advice="redirect it, to a file or to /dev/null")
        return 0


def _open_streams() -> None:
    """Replace closed streams; in open ones, escape characters that the encoding lacks."""
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Discard unwritten output: Python would flush it again at exit, and print an error."""
    if not isinstance(sys.stdout, _ClosedOutput):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str] | None) -> int:
    try:
        parser = build_parser()
        arguments = parser.parse_args(argv)
        if arguments.version:
            print("hecn", import_module("hecn_analysis").__version__)
            return STATUS_FINE
        if arguments.command is None:
            parser.error("a command is missing, one of " + ", ".join(COMMANDS))
        targets = [value for value in vars(arguments).values() if isinstance(value, OutputFile | OutputFolder)]
        if targets:
            import_module("hecn_analysis.cli.output").check_targets(targets)
        with warnings_collected():
            status: int = arguments.run(arguments)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 (any error becomes one readable line)
        if os.environ.get("HECN_DEBUG"):
            print_traceback(error)
        else:
            say(explain(error))
        return STATUS_BAD_INPUT
    return status
