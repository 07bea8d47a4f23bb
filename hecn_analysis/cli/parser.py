"""The argument parser of ``hecn``: argparse with commands that are filled in when chosen, and with hints for typos."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from hecn_analysis.base.errors import InputError, did_you_mean

STATUS_WRONG_USAGE = 2
FORMATS = ("text", "json", "csv")

Subcommands = Mapping[str, "Parser"]


class OutputFile(str):
    """Name of a file to write; it is checked before the command does its work."""

    __slots__ = ()


class FigureFile(OutputFile):
    """Name of a figure to write; its ending is checked, too."""

    __slots__ = ()


class OutputFolder(str):
    """Name of a folder to write into, which need not exist; checked likewise."""

    __slots__ = ()


class Parser(argparse.ArgumentParser):
    """The parser of one command.

    Parameters
    ----------
    fill
        Adds the arguments. It is called when the command is chosen, so that no command pays for the others.
    """

    def __init__(self, *, fill: Callable[[Parser], None] | None = None, **words: Any) -> None:  # noqa: ANN401 (argparse's own)
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **words)
        self._fill = fill
        # "-80ms" is a value (refused with an error of its own), not an option
        self._negative_number_matcher = re.compile(r"-\.?\d")

    @property
    def subcommands(self) -> Subcommands:
        """Parsers of the commands below this one, by name."""
        self.fill()
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 (argparse has no public name for it)
                return dict(action.choices)
        return {}

    @property
    def arguments(self) -> list[argparse.Action]:
        """Options and positional arguments."""
        self.fill()
        return list(self._actions)

    def fill(self) -> None:
        """Add the arguments, unless they have been added before."""
        if self._fill is not None:
            fill, self._fill = self._fill, None
            fill(self)

    def parse_known_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # noqa: ANN401
        """Fill in the arguments, refuse unknown options, then parse as argparse does."""
        self.fill()
        words = sys.argv[1:] if args is None else list(args)
        self._refuse_unknown_options(words)
        arguments, extra = super().parse_known_args(words, namespace)
        if extra:
            taken = [action.metavar or action.dest for action in self._actions if not action.option_strings]
            after = f" after {' and '.join(map(str, taken))}" if taken and not extra[0].startswith("-") else ""
            self.error(f"unexpected argument {extra[0]!r}{after}")
        return arguments, extra

    def _refuse_unknown_options(self, words: list[str]) -> None:
        # argparse would first report that the misspelt option, if required, is missing.
        for word in words:
            if word == "--" or (self.subcommands and not word.startswith("-")):
                return
            option = word.partition("=")[0]
            if option.startswith("--") and option not in self._option_string_actions:
                self.error(_unknown("option", option, self._option_string_actions))

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            kind = "command" if action.dest == "command" else action.dest
            self.error(_unknown(kind, str(value), [str(choice) for choice in action.choices]))

    def error(self, message: str) -> NoReturn:
        """Print one line that points to --help, and exit with status 2."""
        self.exit(STATUS_WRONG_USAGE, f"{self.prog}: {message} (see: {self.prog} --help)\n")


def _unknown(kind: str, word: str, known: Iterable[str]) -> str:
    known = list(known)
    # --rate is short for --link-rate rather than a misspelt --format
    longer = [name for name in known if kind == "option" and word.strip("-") in name.strip("-").split("-")]
    suggestion = f"did you mean {' or '.join(map(repr, longer))}?" if longer else did_you_mean(word, known)
    if suggestion is None and kind != "option":
        suggestion = "known: " + ", ".join(known)
    return f"unknown {kind} {word!r}" + (f"; {suggestion}" if suggestion else "")


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """``--format`` and ``-o``, the same in every command that delivers data."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="text for people, JSON or CSV for programs (default: by the suffix of FILE, else text)",
    )
    parser.add_argument("-o", "--output", type=OutputFile, metavar="FILE", help="write to FILE instead of stdout")


def add_settings(parser: Parser, *names: str, about: str) -> None:
    """Add an option for settings ``key=value``, such as ``--set``; `settings` parses its words."""
    parser.add_argument(*names, nargs="+", action="extend", default=[], metavar="KEY=VALUE", help=about)


def settings(words: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Split words into settings ``key=value`` and the other words, such as names."""
    values: dict[str, str] = {}
    others: list[str] = []
    for word in words:
        key, equals, value = map(str.strip, word.partition("="))
        if not equals:
            others.append(word)
        elif key in values:
            raise InputError(f"{key} set twice", "one value for each key")
        else:
            values[key] = value
    return values, others
