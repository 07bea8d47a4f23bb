"""Readers of what measurement and transfer tools print.

`read` takes files and folders and gives the tables of runs, streams, intervals and problems, without being told which
tool wrote what. `registry` lists the readers and gives each its lines, `contract` says what a reader is, `spread` reads
many files at once; every other module is the reader of one tool, with the format's units and traps in its docstring.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial

from hecn_analysis.archive.selection import split_archives, tables_of
from hecn_analysis.base.progress import reading
from hecn_analysis.files.documents import Document
from hecn_analysis.files.source import find
from hecn_analysis.logs import spread
from hecn_analysis.logs.contract import Reading

__all__ = ["Reading", "read"]


def read(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    intervals: bool = True,
    processes: int = 1,
    dask: str | None = None,
    progress: bool = False,
    hint: Callable[[Document], str] | None = None,
) -> Reading:
    """Read logs, whatever tool wrote them.

    Nothing in a file makes this raise: what cannot be used is a row of `Reading.problems`, and the rest is still read.
    The rows and their order do not depend on how many processes read.

    Parameters
    ----------
    paths
        A file or a folder, or several. Folders are walked in sorted order. Files may be compressed or archives. An
        archive of ours, or a part of it (``ARCHIVE?day=2013-11-18``), gives the runs that were added to it.
    intervals
        Whether the table of intervals is wanted. Without it, memory does not grow with the length of a run.
    processes
        How many processes of this machine read at a time. A script that asks for more than one needs the usual
        ``if __name__ == "__main__":``.
    dask
        Address of the scheduler of a Dask cluster whose workers read instead, e.g. ``tcp://10.0.0.1:8786``. They must
        see the files under the same names.
    progress
        Show a bar on the standard error when it is a terminal and reading takes longer than a second.
    hint
        Gives the end of the message about a file that no reader knows; by default, the message has none. Processes
        and workers that read call it, too.

    Returns
    -------
    Reading
        Tables ``runs``, ``streams``, ``intervals`` and ``problems`` with the columns of
        `hecn_analysis.base.tables.COLUMNS`, whose names end with their units.

    Raises
    ------
    InputError
        There is no Dask scheduler at the address, or a single path does not exist.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> runs = read(data_dir() / "logs" / "c-systems-dd.txt").runs
    >>> runs[["direction", "duration_s"]].to_dict("records")
    [{'direction': 'read', 'duration_s': 25.8791}, {'direction': 'write', 'duration_s': 26.8676}]
    """
    archived, others = split_archives(paths)
    found = [entry for path in others for entry in find(path)]
    with reading(len(found), shown=progress) as done:
        group = partial(spread.read_group, intervals=intervals, hint=hint)
        parts = spread.read(found, group, processes=processes, dask=dask, done=done)
    result = spread.joined(parts)
    for selection in archived:
        result = result.followed_by(Reading(**tables_of(selection, ("runs", "streams", "intervals", "problems"))))
    return result
