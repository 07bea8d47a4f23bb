"""Ends of a transfer that are named by what was captured on them, instead of by a description."""

from __future__ import annotations

import argparse
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hecn_analysis.errors import InputError


def roles(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """What the options of these names were given, as keys of a scenario.

    A folder, or an archive, is the host on which its files were captured.

    Parameters
    ----------
    arguments
        The arguments of the command.
    names
        sender, receiver, path, tool.
    """
    return {name: _end(given) for name in names if (given := getattr(arguments, name)) is not None}


def _end(given: str) -> Any:  # noqa: ANN401 - a name, or the keys of a host
    path = Path(given)
    if not (path.is_dir() or (path.is_file() and path.suffix not in {".yaml", ".yml"} and tarfile.is_tarfile(path))):
        return given
    from hecn_analysis import places  # noqa: PLC0415 - for a folder only
    from hecn_analysis.hardware import Library  # noqa: PLC0415
    from hecn_analysis.inventory import read_inventory  # noqa: PLC0415

    if given in Library(places.models_dir()).names("hosts"):
        return given
    hosts = read_inventory(path).hosts
    if len(hosts) != 1:
        found = f"{len(hosts)} hosts ({', '.join(host.name for host in hosts)})" if hosts else "no captured output"
        raise InputError(found, "what was captured on one host (hecn capture)", source=given)
    return hosts[0].description
