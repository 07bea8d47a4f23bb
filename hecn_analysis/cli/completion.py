"""``hecn completion``: a script that lets a shell complete this command line, including file names."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import shtab

from hecn_analysis.cli import build_parser
from hecn_analysis.cli.parser import Parser

SHELLS = ("bash", "zsh", "tcsh")

DESCRIPTION = "Write a completion script for a shell to stdout."

EPILOG = """\
examples:
  hecn completion bash > ~/.local/share/bash-completion/completions/hecn
  hecn completion zsh > ~/.zfunc/_hecn
  hecn completion tcsh > ~/.hecn.completion.csh"""

# What the shell completes an argument to, by its metavar.
_COMPLETED_AS: Mapping[str, object] = {
    "PATH": shtab.FILE,
    "FILE": shtab.FILE,
    "SCENARIO": shtab.FILE,
    "CASES": shtab.FILE,
    "DIR": shtab.DIRECTORY,
}


def add_arguments(parser: Parser) -> None:
    """Add the arguments of ``hecn completion``."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("shell", choices=SHELLS, help="shell to complete in")


def run(arguments: argparse.Namespace) -> int:
    """Write the script of the whole command line."""
    parser = build_parser()
    _complete(parser)
    print(shtab.complete(parser, arguments.shell))
    return 0


def _complete(parser: Parser) -> None:
    for argument in parser.arguments:
        if isinstance(argument.metavar, str) and argument.metavar in _COMPLETED_AS:
            argument.complete = _COMPLETED_AS[argument.metavar]  # type: ignore[attr-defined]
    for command in parser.subcommands.values():
        _complete(command)
