"""Grouping of outputs by host: outputs of one folder, and of the folders that mirror the host's own.

An sosreport keeps ``proc/cpuinfo`` and ``sos_commands/pci/lspci`` below one folder; our capture, or a person's, is a
folder of files. If two files of one folder contradict each other (two processors, two firmwares), files whose names
begin alike (``n1-lscpu.txt``, ``n1-lspci.txt``), or else end alike, belong to one host; if that does not separate them,
each file is a host of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hecn_analysis.inventory.registry import Captured

#: Folders that belong to the host above them, wherever they stand, and those that do as the last ones.
_WITHIN: Final = frozenset({"proc", "sos_commands", "insights_commands"})
_LAST: Final = frozenset({"etc", "sys", "sos_strings"})
_STDIN: Final = "/dev/stdin"
#: What two outputs of one host cannot say differently, by format.
_SAME: Final = {
    "lscpu": ("model", "sockets", "threads_per_core"),
    "lscpu-json": ("model", "sockets", "threads_per_core"),
    "proc-cpuinfo": ("model",),
    "dmidecode": ("product", "n_slots"),
    "numactl-H": ("numa_nodes",),
    "hwloc-xml": ("packages", "cores", "product"),
}


@dataclass
class Group:
    """The outputs of one host, with the name of its folder or file, and why others were separated from it."""

    name: str
    captured: list[Captured]
    problems: list[dict[str, object]] = field(default_factory=list)


def groups(captured: Sequence[Captured]) -> list[Group]:
    """Group outputs by host, in the order of the first of each."""
    folders: dict[str, list[Captured]] = {}
    for output in captured:
        folders.setdefault(_folder(output.output.source_file), []).append(output)
    result = []
    for folder, members in folders.items():
        clash = _clash(members)
        if clash is None:
            result.append(Group(PurePosixPath(folder).name or folder, members))
            continue
        first, second = clash
        message = (
            f"found another {second.facts.format} than in {first.output.source_file}, expected the files of a folder "
            "to be of one host; taken apart by their names"
        )
        problem: dict[str, object] = {
            "source_file": second.output.source_file,
            "line": second.output.first,
            "kind": "ambiguous",
            "message": message,
        }
        apart = [Group(name, outputs) for name, outputs in _apart(members).items()]
        apart[0].problems.append(problem)
        result += apart
    return result


def _parts(source_file: str) -> tuple[str, ...]:
    return PurePosixPath(source_file.replace("\\", "/").replace("!", "/")).parts


@lru_cache(maxsize=1024)  # a file may hold many outputs
def _folder(source_file: str) -> str:
    """The folder that stands for the host."""
    if source_file == _STDIN:
        return "stdin"
    parts = _parts(source_file)[:-1]
    for index, part in enumerate(parts):
        if part in _WITHIN and (index > 0 or source_file.startswith("/") or len(parts) > 1 or part != "proc"):
            parts = parts[:index]
            break
    while parts and parts[-1] in _LAST:
        parts = parts[:-1]
    return str(PurePosixPath(*parts)) if parts else ""


def _stem(source_file: str) -> str:
    return PurePosixPath(_parts(source_file)[-1]).stem


def _apart(members: Sequence[Captured]) -> dict[str, list[Captured]]:
    """Separate contradicting outputs by what the names of their files have in common, else by file."""
    words: tuple[Callable[[str], str], ...] = (
        lambda stem: re.split(r"[-_.]", stem)[0],
        lambda stem: re.split(r"[-_.]", stem)[-1],
    )
    for word in words:
        hosts: dict[str, list[Captured]] = {}
        for output in members:
            hosts.setdefault(word(_stem(output.output.source_file)), []).append(output)
        if len(hosts) > 1 and all(_clash(outputs) is None for outputs in hosts.values()):
            return hosts
    files: dict[str, list[Captured]] = {}
    for output in members:
        files.setdefault(_stem(output.output.source_file), []).append(output)
    return files


def _clash(members: Sequence[Captured]) -> tuple[Captured, Captured] | None:
    """Two outputs of different files that cannot belong to one host."""
    seen: dict[str, Captured] = {}
    for member in members:
        names = _SAME.get(member.facts.format)
        if names is None:
            continue
        before = seen.setdefault(member.facts.format, member)
        same_file = before.output.source_file == member.output.source_file
        for name in names:
            left, right = before.facts.values.get(name), member.facts.values.get(name)
            if not same_file and left is not None and right is not None and left != right:
                return before, member
    return None
