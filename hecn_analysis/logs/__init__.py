"""Readers of what measurement and transfer tools print.

`read` takes files and folders and gives the tables of runs, streams, intervals and problems, without being told which
tool wrote what. `source` opens and decodes, `registry` lists the readers and gives each its lines, `contract` says
what a reader is; every other module is the reader of one tool, with the format's units and traps in its docstring.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from tqdm import tqdm

from hecn_analysis import tables
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import Findings, Reading
from hecn_analysis.logs.source import Source, find

__all__ = ["Reading", "read"]


def read(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: bool = False,
) -> Reading:
    """Read logs, whatever tool wrote them.

    Nothing in a file makes this raise: what cannot be used is a row of `Reading.problems`, and the rest is still read.

    Parameters
    ----------
    paths
        A file or a folder, or several. Folders are walked in sorted order.
    progress
        Show a bar on the standard error when it is a terminal and reading takes longer than a second.

    Examples
    --------
    >>> from hecn_analysis.places import data_dir
    >>> runs = read(data_dir() / "logs" / "c-systems-dd.txt").runs
    >>> runs[["direction", "duration_s"]].to_dict("records")
    [{'direction': 'read', 'duration_s': 25.8791}, {'direction': 'write', 'duration_s': 26.8676}]
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found = [entry for path in given for entry in find(path)]
    runs: list[dict[str, object]] = []
    streams: list[dict[str, object]] = []
    intervals: list[tables.Block] = []
    problems: list[dict[str, object]] = []
    for name, path in tqdm(found, unit="file", delay=1, disable=None if progress else True, leave=False):
        findings = Findings(name)
        if isinstance(path, OSError):
            findings.problem(None, "unreadable", _unreadable(path))
        else:
            source = Source(path)
            try:
                registry.read(source, findings)
            except OSError as error:
                findings.problem(None, "unreadable", _unreadable(error))
            new_runs, new_streams, new_intervals = findings.tables(source.content_hash)
            runs += new_runs
            streams += new_streams
            intervals += new_intervals
            if not new_runs and not findings.problems:
                known = ", ".join(registry.TOOLS)
                findings.problem(
                    None, "unrecognised", f"found no output of a tool that a reader knows, expected one of {known}"
                )
        problems += findings.problems
    return Reading(
        tables.make("runs", runs),
        tables.make("streams", streams),
        tables.concatenate("intervals", intervals),
        tables.make("problems", problems),
    )


def _unreadable(error: OSError) -> str:
    return f"found {(error.strerror or str(error)).lower()}, expected a file that can be read"
