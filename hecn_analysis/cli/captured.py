"""Ends of a transfer that are named by what was captured on them, instead of by a description."""

from __future__ import annotations

import argparse
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hecn_analysis.base.errors import InputError

if TYPE_CHECKING:
    from hecn_analysis.inventory import CapturedHost


def roles(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """What the options of these names were given, as keys of a scenario."""
    keys: dict[str, Any] = {}
    for name in names:
        given = getattr(arguments, name)
        if given is None:
            continue
        host = host_of(given)
        keys[name] = given if host is None else host.description
        if host is not None:
            keys[f"{name}.name"] = host.label
    return keys


def host_of(given: str) -> CapturedHost | None:
    """The host whose outputs a folder or an archive holds; None for a name and for a description."""
    path = Path(given)
    if not (path.is_dir() or (path.is_file() and path.suffix not in {".yaml", ".yml"} and tarfile.is_tarfile(path))):
        return None
    from hecn_analysis.base import places  # noqa: PLC0415 - for a folder only
    from hecn_analysis.hardware import Library  # noqa: PLC0415
    from hecn_analysis.inventory import read_inventory  # noqa: PLC0415

    if given in Library(places.models_dir()).names("hosts"):
        return None
    hosts = read_inventory(path).hosts
    if len(hosts) != 1:
        found = f"{len(hosts)} hosts ({', '.join(host.name for host in hosts)})" if hosts else "no captured output"
        raise InputError(found, "what was captured on one host (hecn capture)", source=given)
    return hosts[0]
