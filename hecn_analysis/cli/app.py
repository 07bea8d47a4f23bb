"""``hecn app``: the what-if app in a browser."""

from __future__ import annotations

import argparse

from hecn_analysis.cli import output
from hecn_analysis.cli.parser import Parser
from hecn_analysis.cli.remarks import say

DESCRIPTION = """\
Explore scenarios in a browser: choose hosts, path and tool, move sliders, and
see the throughput with its interval, the bottleneck, the load of each part, and
the cost of the hosts. The app saves a scenario as YAML for `hecn predict`.

The app prints its address, which contains a token: other users of this machine
cannot open the app without it, and other machines cannot reach it. Ctrl-C stops
the app."""

EPILOG = """\
examples:
  hecn app --check
  hecn app hotlava-transmit --check
  hecn app data/inventory/virtual-machine --check
  hecn app data/transfers/over_time --check

Without --check, the app starts and opens a browser, unless --no-browser is set."""


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn app``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument(
        "scenario",
        nargs="?",
        metavar="SCENARIO",
        help="YAML file of a scenario, the name of a shipped one, or a folder of transfers or of hecn capture",
    )
    parser.add_argument("--port", type=int, metavar="PORT", help="port to listen on (default: any free one)")
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="do not open a browser")
    parser.add_argument("--check", action="store_true", help="print the first prediction and exit")


def run(arguments: argparse.Namespace) -> int:
    """Serve the app until it is interrupted."""
    if arguments.check:
        from hecn_analysis.app.model import glance, measured_words, opened  # noqa: PLC0415 (heavy: not for --help)

        look = glance(opened(arguments.scenario))
        measured = measured_words(look)
        output.show([f"{look.prediction}\n", f"Measured: {measured}.\n" if measured else ""], "text")
        return 0
    if arguments.scenario is not None:
        from hecn_analysis.app.model import opened  # noqa: PLC0415 (heavy: not for --help)

        opened(arguments.scenario)  # report its errors here, not in the browser
    from hecn_analysis.app.loopback import port_for  # noqa: PLC0415 (see above)
    from hecn_analysis.app.server import serve  # noqa: PLC0415 (see above)

    port = port_for(arguments.port, option="--port")
    say("the app listens on this machine only; Ctrl-C ends it")
    serve(arguments.scenario, port=port, open_browser=arguments.browser, say=say)
    return 0
