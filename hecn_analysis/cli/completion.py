"""``hecn completion``: a script that lets a shell complete this command line, including file names."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import shtab

from hecn_analysis.cli import build_parser
from hecn_analysis.cli.parser import Parser
from hecn_analysis.cli.remarks import say
from hecn_analysis.files import whole

SHELLS = ("bash", "zsh", "tcsh")

DESCRIPTION = """\
Write a completion script for a shell to stdout, or with --install where the
shell looks for it."""

EPILOG = """\
examples:
  hecn completion bash
  hecn completion zsh

`hecn completion bash --install` writes the script into the home directory, and
says what else the shell needs, if anything."""

#: Place of the script below the home directory, and what the shell needs besides.
_PLACES: Final[Mapping[str, tuple[str, str]]] = {
    "bash": (".local/share/bash-completion/completions/hecn", "open a new shell (bash-completion must be installed)"),
    "zsh": (
        ".zfunc/_hecn",
        "have these lines in ~/.zshrc, and open a new shell: fpath+=~/.zfunc; autoload -Uz compinit && compinit",
    ),
    "tcsh": (
        ".hecn.completion.csh",
        "have this in ~/.tcshrc, and open a new shell: source ~/.hecn.completion.csh",
    ),
}

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
    parser.add_argument("--install", action="store_true", help="write the script where the shell looks for it")


def run(arguments: argparse.Namespace) -> int:
    """Write the script of the whole command line."""
    parser = build_parser()
    _complete(parser)
    script = shtab.complete(parser, arguments.shell)
    if not arguments.install:
        print(script)
        return 0
    place, then = _PLACES[arguments.shell]
    target = Path.home() / place
    whole.make_folder(target.parent)
    whole.write(target, f"{script}\n")
    print(target)
    say(then)
    return 0


def _complete(parser: Parser) -> None:
    for argument in parser.arguments:
        if isinstance(argument.metavar, str) and argument.metavar in _COMPLETED_AS:
            argument.complete = _COMPLETED_AS[argument.metavar]  # type: ignore[attr-defined]
    for command in parser.subcommands.values():
        _complete(command)
