"""Arguments that name one scenario: a file or a name, or its parts, with settings on top."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hecn_analysis.base.errors import InputError, ValidityWarning
from hecn_analysis.cli import captured
from hecn_analysis.cli.parser import Parser, add_settings, settings
from hecn_analysis.cli.remarks import say_all

if TYPE_CHECKING:
    from hecn_analysis.hardware import Scenario

ROLES = {
    "sender": "sending host",
    "receiver": "receiving host",
    "path": "network path",
    "tool": "transfer tool",
}

_HOST = ", a YAML file, or a folder of captured output"
_OR = {"sender": _HOST, "receiver": _HOST, "path": " or a YAML file", "tool": " or a YAML file"}


def add_scenario_arguments(parser: Parser) -> None:
    """Add SCENARIO, ``--sender``, ``--receiver``, ``--path``, ``--tool`` and ``--set``."""
    parser.add_argument(
        "names", nargs="*", metavar="SCENARIO", help="YAML file of a scenario, or the name of a shipped one"
    )
    parser.add_argument(
        "--host",
        metavar="WORDS",
        help="both hosts in words, e.g. 'nic=mcx623106an slot=gen3x8 disks=8x990pro'; see hecn parts",
    )
    for role, meaning in ROLES.items():
        parser.add_argument(f"--{role}", metavar="NAME", help=f"{meaning}: a name in models/{_OR[role]}")
    add_settings(parser, "--set", about="set a key, e.g. path.rtt=80ms; may be repeated")


def named_settings(words: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Split the words of ``--set`` as `settings` does; refuse a key whose value stands in a word of its own."""
    keys, others = settings(words)
    for word in others:
        if word.partition(".")[0] in ROLES and "." in word and not Path(word).exists():
            raise InputError(f"{word!r} in --set", f"KEY=VALUE without a blank, such as {word}=VALUE")
    return keys, others


def scenario_settings(words: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Split the words of ``--set`` as `named_settings` does, and warn of numbers without a unit."""
    keys, others = named_settings(words)
    if keys:
        from hecn_analysis.hardware.scenario import bare_numbers  # noqa: PLC0415 (not needed without settings)

        say_all(list(bare_numbers(keys).values()), "look at the settings")
    return keys, others


def requested_roles(
    arguments: argparse.Namespace, given: Mapping[str, str], *, has_scenario: bool = False
) -> dict[str, Any]:
    """Keys of ``--host`` and the options of each role; beside ``--host`` says what it assumes, if nothing states it."""
    keys = captured.roles(arguments, ROLES)
    if arguments.host is None:
        return keys
    from hecn_analysis.hardware.host_words import with_host  # noqa: PLC0415 (not needed without --host)

    keys, remarks = with_host(arguments.host, keys, given, has_scenario=has_scenario)
    say_all(list(remarks), "")
    return keys


def require_transfer(named: Iterable[object]) -> None:
    """Refuse a command line that says nothing about the transfer."""
    if not any(named):
        raise InputError(
            "no transfer",
            "SCENARIO, --host, --sender, --receiver, --path, --tool or --set",
            advice="--help has examples",
        )


def requested_scenario(arguments: argparse.Namespace) -> tuple[Scenario, dict[str, str]]:
    """The requested scenario and the settings of ``--set`` to apply to it; warns of doubtful settings."""
    set_keys, others = named_settings(arguments.set)
    names = [*arguments.names, *others]
    roles = requested_roles(arguments, set_keys, has_scenario=bool(names))
    require_transfer((names, roles, set_keys))
    if len(names) > 1:
        raise InputError(f"scenarios {' and '.join(names)}", "one scenario")
    from hecn_analysis.hardware import load_scenario  # noqa: PLC0415 (not needed for --help)

    if names:
        base, overrides = load_scenario(names[0], roles), set_keys
    else:
        base, overrides = load_scenario(roles, set_keys), {}
    for warning in base.with_(overrides).warnings:
        warnings.warn(warning, ValidityWarning, stacklevel=2)  # printed once, even if a prediction repeats it
    return base, overrides
