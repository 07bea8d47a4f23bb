"""Watch folders: take what is new, judge all series of the archive, and write the pages, ``status.json``, metrics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hecn_analysis.archive.store import Archive
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.units import format_count
from hecn_analysis.files import whole
from hecn_analysis.watching.metrics import metrics
from hecn_analysis.watching.pages import index, page, page_name
from hecn_analysis.watching.series import series_of
from hecn_analysis.watching.status import Memory, Status, plain, statuses


def judge(archive: Archive, *, memory: Memory | None = None, dask: str | None = None) -> tuple[list[Status], list[str]]:
    """Judge all series of an archive.

    Parameters
    ----------
    archive
        The archive.
    memory
        What earlier calls found, an empty dictionary at first: series without a new result are not judged again.
    dask
        Address of the scheduler of a Dask cluster whose workers judge.

    Returns
    -------
    tuple
        The state of each series, and remarks: damage of the archive, results that have no time.

    Examples
    --------
    >>> from hecn_analysis.archive.store import Archive
    >>> judge(Archive(folder / "archive"))
    ([], [])
    """
    damaged: list[InputError] = []
    series, untimed = series_of(archive, damaged=damaged)
    remarks = [str(error) for error in damaged]
    if untimed:
        remarks.append(f"{format_count(untimed, 'result')} without a time cannot be placed in a series")
    return statuses(series, memory=memory, dask=dask), remarks


def write(out: Path, judged: Sequence[Status], remarks: Sequence[str]) -> None:
    """Write the pages, the JSON and the metrics of a watch.

    Parameters
    ----------
    out
        The folder; it is made if it does not exist.
    judged, remarks
        What `judge` returned, and further remarks for the page of all pairs.

    Examples
    --------
    >>> write(folder / "watch", [], ["no results yet"])
    >>> sorted(path.name for path in (folder / "watch").iterdir())
    ['index.html', 'metrics.prom', 'status.json']
    """
    whole.make_folder(out)
    for status in judged:
        whole.write(out / page_name(status), page(status))
    whole.write(out / "index.html", index(judged, remarks))
    content = {"series": [{**plain(status), "page": page_name(status)} for status in judged], "remarks": remarks}
    whole.write(out / "status.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    whole.write(out / "metrics.prom", metrics(judged))
