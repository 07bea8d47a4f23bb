"""``hecn app``: the what-if app in a browser."""

from __future__ import annotations

import argparse

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser
from hecn_analysis.cli.remarks import say

DESCRIPTION = """\
What if, in a browser: pick hosts, path and tool, move sliders, and see the
throughput with its interval, what holds it back, how busy every part is, and
what the hosts cost. The scenario is saved as YAML for `hecn predict`.

The address is printed. It holds a token: nobody else on this machine can open
the app without it, and nobody from another one at all. Ctrl-C ends it."""

EPILOG = """\
examples:
  hecn app --check
  hecn app hotlava-transmit --check

Without --check the app starts; --no-browser leaves opening it to you."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn app``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        "scenario", nargs="?", metavar="SCENARIO", help="YAML file of a scenario, or the name of a shipped one"
    )
    parser.add_argument("--port", type=int, metavar="PORT", help="port to listen on (default: any free one)")
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="open no browser")
    parser.add_argument("--check", action="store_true", help="only say what the app would start with")


def run(arguments: argparse.Namespace) -> int:
    """Serve the app until it is interrupted."""
    if arguments.port is not None and not 1024 <= arguments.port <= 65535:
        raise InputError(f"port {arguments.port}", "1024 to 65535")
    if arguments.check:
        from hecn_analysis.app.model import glance, opened  # noqa: PLC0415 (heavy: not for --help)

        output.show([f"{glance(opened(arguments.scenario)).prediction}\n"], "text")
        return 0
    if arguments.scenario is not None:
        hecn.load_scenario(arguments.scenario)  # what is wrong with it is said here, and not in a browser
    from hecn_analysis.app.server import serve  # noqa: PLC0415 (see above)

    say("the app listens on this machine only; Ctrl-C ends it")
    serve(arguments.scenario, port=arguments.port, open_browser=arguments.browser, say=say)
    return 0
