"""``hecn doctor``: what is installed, what is missing, and what it is for."""

from __future__ import annotations

import argparse
import importlib.util
import platform
from collections.abc import Iterator
from typing import Any, Final

import hecn_analysis as hecn
from hecn_analysis.briefs.pdf import PROGRAMS as BROWSERS
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser, add_output_arguments
from hecn_analysis.live.programs import which

DESCRIPTION = """\
Show what is installed, what is missing, and what the missing parts are for. Nothing
is run. Every missing part is optional."""

EPILOG = """\
example:
  hecn doctor --format json"""

#: Program, its package of Debian and Ubuntu, and what it gives.
PROGRAMS: Final = (
    ("nuttcp", "nuttcp", "hecn measure between memories, and of lost UDP packets"),
    ("iperf3", "iperf3", "hecn measure between memories"),
    ("fio", "fio", "hecn measure and hecn capture --probe of disks"),
    ("ping", "iputils-ping", "round-trip time and loss in hecn measure"),
    ("ss", "iproute2", "sockets during a transfer in hecn measure --settle"),
    ("ethtool", "ethtool", "cards, rings and offloads in hecn capture"),
    ("lspci", "pciutils", "slots in hecn capture"),
    ("smartctl", "smartmontools", "disks in hecn capture"),
    ("ssh", "openssh-client", "hecn measure with another host"),
    ("rrdtool", "rrdtool", "RRD databases in hecn counters"),
)
MODULES: Final = (("distributed", "hecn parse --dask; install it with pip install distributed"),)


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn doctor``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """List what there is."""
    rows = list(_rows())
    output.deliver(output.written(rows, list(rows[0]), output.chosen_format(arguments)), arguments)
    return 0


def _rows() -> Iterator[dict[str, Any]]:
    yield {"part": "hecn-analysis", "installed": str(hecn.__version__), "gives": "all commands"}
    yield {"part": "Python", "installed": platform.python_version(), "gives": "3.11 to 3.13 are supported"}
    browser = next(filter(None, map(which, BROWSERS)), None)
    yield _row("Chromium", "chromium", browser, "PDF of briefs and reports, figures as PNG and SVG")
    for program, package, gives in PROGRAMS:
        yield _row(program, package, which(program), gives)
    for module, gives in MODULES:
        state = "installed" if importlib.util.find_spec(module) else "missing"
        yield {"part": module, "installed": state, "gives": gives}


def _row(part: str, package: str, path: str | None, gives: str) -> dict[str, Any]:
    return {"part": part, "installed": path or "missing", "gives": gives if path else f"{gives}: apt install {package}"}
