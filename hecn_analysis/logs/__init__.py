"""Readers of the output of measurement and transfer tools.

`registry` lists the readers and gives each its lines, `contract` defines a reader, `spread` reads many files at once;
every other module is the reader of one tool, with the format's units and traps in its docstring.
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
    """Read logs of any known tool.

    No content of a file raises an error: what cannot be used is a row of `Reading.problems`, and the rest is read. Rows
    and their order do not depend on the number of processes.

    Parameters
    ----------
    paths
        A file, a folder, or several. Folders are walked in sorted order; files may be compressed or archives. An
        archive of results, or a part of it (``ARCHIVE?day=2013-11-18``), yields its runs.
    intervals
        Whether to make the table of intervals. Without it, memory does not grow with the length of a run.
    processes
        Number of processes of this machine. A script that asks for more than one needs the usual
        ``if __name__ == "__main__":``.
    dask
        Address of the scheduler of a Dask cluster whose workers read instead, e.g. ``tcp://10.0.0.1:8786``. They must
        see the files under the same names.
    progress, hint
        Whether to show a progress bar; a function that returns the end of the message about an unknown file, by default
        empty, which processes and workers call too.

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
    entries = [entry for path in others for entry in find(path)]
    with reading(len(entries), shown=progress) as done:
        group = partial(spread.read_group, intervals=intervals, hint=hint)
        parts = spread.read(entries, group, processes=processes, dask=dask, done=done)
    result = spread.joined(parts)
    for selection in archived:
        result = result.followed_by(Reading(**tables_of(selection, ("runs", "streams", "intervals", "problems"))))
    return result
