"""Hosts given on the command line as captured output instead of as a description."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from hecn_analysis.inventory.given import host_of


def roles(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Scenario keys from the values of these options."""
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
