"""Hosts as they are: what engineers capture on a machine, read into facts and put together to hosts.

`read_inventory` takes files and folders (single outputs, a folder of them, an sosreport in its archive, a terminal
session) and says which host they describe. `registry` lists the readers, `outputs` cuts files into what they hold,
`contract` says what a reader is; `captured` makes hosts of facts (`hosts`) with what is wrong with them (`checks`); the
other packages hold readers, a module for each command.
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
    """What was captured.

    Parameters
    ----------
    hosts
        The hosts, each put together from the files of a folder.
    sources
        One row for each output: ``source_file``, ``format`` and its facts.
    problems
        What could not be used, as a table; `hecn_analysis.base.tables.COLUMNS` describes the columns.
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
    """Read what was captured on hosts, whichever commands it was captured with.

    Nothing in a file makes this raise, and nothing in a file is ever run: what cannot be used is a row of
    `Inventory.problems`, and the rest is still read.

    Parameters
    ----------
    paths
        A file or a folder, or several. Folders are walked in sorted order. Files may be compressed or archives. The
        files of a folder are of one host.
    progress
        Show a bar on the standard error when it is a terminal and reading takes longer than a second.
    hint
        Gives the end of the message about a file that no reader knows; by default, the message has none.

    Returns
    -------
    Inventory
        ``hosts``, each ready for a prediction, ``sources``, a mapping for each output, and the table ``problems``.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> found = read_inventory(data_dir() / "inventory" / "virtual-machine")
    >>> found, found.hosts[0].host.cpu.cores
    (1 host, 32 outputs, 0 problems, 2)
    """
    return joined(
        registry.read(document, hint=partial(hint, document) if hint else str)
        for document in documents(paths, knows=registry.recognises, progress=progress)
    )


def joined(files: Iterable[registry.Read]) -> Inventory:
    r"""Put together to hosts what was captured in files.

    Parameters
    ----------
    files
        What `registry.read` gave for each file, in their order.

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
    return Inventory(described, tuple(one.source for one in captured), tables.make("problems", problems))
