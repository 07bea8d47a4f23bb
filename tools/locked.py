"""Packages of a lock file, with their hashes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "requirements.lock"


class Locked(NamedTuple):
    """A package of a lock: name, version, where it is installed ("" for everywhere), SHA-256 of its files."""

    name: str
    version: str
    marker: str
    sha256: tuple[str, ...]


def read(lock: Path) -> list[Locked]:
    """Packages of a lock, in its order.

    Parameters
    ----------
    lock
        File with an exact version and hashes for each, as uv and pip-compile write it.
    """
    found = []
    for entry in re.split(r"\n(?=[^\s#])", "\n" + lock.read_text(encoding="utf-8")):
        if entry.startswith(("\n", "#")) or not entry:
            continue
        pin = Requirement(entry.partition("\\")[0])
        (exactly,) = pin.specifier
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)
        found.append(Locked(canonicalize_name(pin.name), exactly.version, str(pin.marker or ""), tuple(hashes)))
    return found
