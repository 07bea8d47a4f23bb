"""Readers of what measurement and transfer tools print.

`read` takes files and folders and gives the tables of runs, streams, intervals and problems, without being told which
tool wrote what. `source` finds and decodes files, `packed` unpacks them, `registry` lists the readers and gives each
its lines, `contract` says what a reader is; every other module is the reader of one tool, with the format's units and
traps in its docstring.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from tqdm import tqdm

from hecn_analysis import tables
from hecn_analysis.logs import registry
from hecn_analysis.logs.contract import Findings, Reading
from hecn_analysis.logs.packed import unreadable
from hecn_analysis.logs.source import find, sources

UNRECOGNISED = (
    "found no output of a tool that a reader knows, expected a log as nuttcp, iperf3, fio, rsync, ping or one of some "
    "forty other tools print it"
)

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
        A file or a folder, or several. Folders are walked in sorted order. Files may be compressed or archives.
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
        if isinstance(path, OSError):
            findings = Findings(name)
            findings.problem(None, "unreadable", unreadable(path))
            problems += findings.problems
            continue
        for source in sources(name, path):
            findings = Findings(source.name)
            registry.read(source.lines(), findings)
            new_runs, new_streams, new_intervals = findings.tables(source.content_hash)
            runs += new_runs
            streams += new_streams
            intervals += new_intervals
            for kind, message in source.problems:
                findings.problem(None, kind, message)
            if not new_runs and not findings.problems:
                findings.problem(None, "unrecognised", UNRECOGNISED)
            problems += findings.problems
    return Reading(
        tables.make("runs", runs),
        tables.make("streams", streams),
        tables.concatenate("intervals", intervals),
        tables.make("problems", problems),
    )
