"""Captured hosts that are no end of the runs of a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

from hecn_analysis.diagnosis.kinds import Kind
from hecn_analysis.ingest.folder import Folder

#: Ends of a transfer.
_ENDS: Final = 2

#: Statements in which runs and notes name hosts.
_NAMING: Final = ("asked.", "path.")


@dataclass(frozen=True)
class Stranger:
    """A captured host that no run names: its name, its files, and whether their outputs count."""

    name: str
    files: tuple[str, ...]
    counts: bool

    def __str__(self) -> str:
        files = ", ".join(sorted({PurePath(file).name for file in self.files})[:4])
        if self.counts:
            return f"no run names {self.name}: its outputs ({files}) count as those of an end"
        return f"no run names {self.name}, and others are captured: its outputs ({files}) do not count"


def strangers(folder: Folder, kinds: Sequence[Kind]) -> list[Stranger]:
    """Find the captured hosts that no run names; their outputs do not count where other hosts are the ends."""
    hosts = folder.inventory.hosts
    if len(hosts) < _ENDS or not any(len(kind.runs) for kind in kinds):
        return []
    root = PurePath(folder.path).name
    said = [statement.says for kind in kinds for statement in kind.statements if statement.name.startswith(_NAMING)]
    ends = [text for kind in kinds for text in (kind.condition, *map(folder.short, kind.files))]
    text = "\n".join([*said, *ends]).lower()
    named = {
        host.name
        for host in hosts
        if host.name == root or re.search(rf"(?<![a-z0-9]){re.escape(host.name.lower())}(?![a-z0-9])", text)
    }
    counts = len(named) < _ENDS
    of_others = {str(PurePath(file).parent) for host in hosts if host.name in named for file in host.source_files}
    of_others |= {str(PurePath(file).parent) for kind in kinds for file in kind.files}
    unrelated = []
    for host in hosts if named else ():
        if host.name not in named:
            own = {str(PurePath(file).parent) for file in host.source_files} - of_others
            beside = (
                statement.source_file
                for statement in folder.statements
                if str(PurePath(statement.source_file).parent) in own
            )
            unrelated.append(Stranger(host.name, tuple(dict.fromkeys([*host.source_files, *beside])), counts))
    return unrelated


def without(kind: Kind, hosts: Sequence[Stranger]) -> Kind:
    """Give a kind without what outputs of strangers state."""
    files = {file for host in hosts if not host.counts for file in host.files} - set(kind.files)
    if not files:
        return kind
    return replace(
        kind, statements=tuple(statement for statement in kind.statements if statement.source_file not in files)
    )
