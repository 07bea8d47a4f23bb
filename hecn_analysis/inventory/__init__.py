"""Captured hosts: the outputs of commands that engineers capture on a machine, read into facts and joined to hosts.

`registry` lists the readers, `outputs` splits files into outputs, `contract` defines a reader; `captured` makes hosts
from facts (`hosts`), with findings (`checks`); the other packages hold readers, one module per command.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from hecn_analysis.base import tables, units
from hecn_analysis.files.documents import Document, documents
from hecn_analysis.inventory import registry
from hecn_analysis.inventory.captured import CapturedHost, hosts

__all__ = ["CapturedHost", "Inventory", "read_inventory"]


@dataclass(frozen=True)
class Inventory:
    """Captured hosts, each built from the files of a folder.

    ``sources`` has one row per output: ``source_file``, ``format`` and its facts. ``problems`` is a table with the
    columns of `hecn_analysis.base.tables.COLUMNS`.
    """

    hosts: tuple[CapturedHost, ...]
    sources: tuple[dict[str, Any], ...]
    problems: pd.DataFrame

    def __str__(self) -> str:
        return ", ".join(
            units.format_count(len(rows), noun)
            for rows, noun in ((self.hosts, "host"), (self.sources, "output"), (self.problems, "problem"))
        )

    __repr__ = __str__


def read_inventory(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: bool = False,
    hint: Callable[[Document], str] | None = None,
) -> Inventory:
    """Read the outputs of any commands that were captured on hosts.

    No content of a file raises an error or is executed: what cannot be used is a row of `Inventory.problems`, and the
    rest is read.

    Parameters
    ----------
    paths
        A file, a folder, or several. Folders are walked in sorted order; files may be compressed or archives. The files
        of a folder belong to one host.
    progress, hint
        Whether to show a progress bar; a function that returns the end of the message about an unknown file, by default
        empty.

    Returns
    -------
    Inventory
        ``hosts``, each ready for a prediction, ``sources``, a mapping for each output, and the table ``problems``.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> inventory = read_inventory(data_dir() / "inventory" / "virtual-machine")
    >>> inventory, inventory.hosts[0].host.cpu.cores
    (1 host, 32 outputs, 0 problems, 2)
    """
    return joined(
        registry.read(document, hint=partial(hint, document) if hint else str)
        for document in documents(paths, knows=registry.recognises, progress=progress)
    )


def joined(files: Iterable[registry.Read]) -> Inventory:
    r"""Build hosts from the outputs in files.

    Parameters
    ----------
    files
        Result of `registry.read` for each file, in order.

    Returns
    -------
    Inventory
        The hosts, the outputs and the problems.

    Examples
    --------
    >>> from hecn_analysis.files.documents import Document
    >>> joined([registry.read(Document("n1/meminfo.txt", b"MemTotal: 16777216 kB\nMemFree: 1024 kB\n"))])
    1 host, 1 output, 0 problems
    """
    captured: list[registry.Captured] = []
    problems: list[dict[str, object]] = []
    for file in files:
        captured += file.captured
        problems += file.problems
    described = hosts(captured)
    for host in described:
        problems += host.problems
    return Inventory(described, tuple(each.source for each in captured), tables.make("problems", problems))
