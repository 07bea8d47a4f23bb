"""Fill an archive: files of tools and counters, each a unit of its content hash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from hecn_analysis import tables
from hecn_analysis.archive import Archive
from hecn_analysis.counters import read_counters
from hecn_analysis.counters.summary import given_rates
from hecn_analysis.files.packed import EXPECTED_READABLE, unreadable
from hecn_analysis.files.source import find
from hecn_analysis.logs import read
from hecn_analysis.progress import track


def add_files(
    archive: Archive, paths: Iterable[str | os.PathLike[str]], *, progress: bool = False
) -> tuple[int, int, pd.DataFrame]:
    """Read files, logs of tools and counters alike, and add each to an archive as a unit of its content hash.

    Parameters
    ----------
    archive
        Where to add them.
    paths
        Files and folders.
    progress
        Show a bar on the standard error when it is a terminal and it takes longer than a second.

    Returns
    -------
    added, known, problems
        Number of files that were added, of those that were there, and the table of problems of the new ones.
    """
    found = [entry for path in paths for entry in find(path)]
    added = known = 0
    problems: list[pd.DataFrame] = []
    for name, place in track(found, "adding") if progress else found:
        if isinstance(place, OSError):
            problems.append(_problem(name, unreadable(place)))
            continue
        try:
            before = place.stat()
            with place.open("rb") as stream:
                key = hashlib.file_digest(stream, "sha256").hexdigest()
            given = name if Path(name) == place else place  # its name has bytes that are no text
            logs, counters = read(given), read_counters(given)
            after = place.stat()
        except OSError as error:
            problems.append(_problem(name, unreadable(error)))
            continue
        strange = [each.problems[each.problems["kind"] != "unrecognised"] for each in (logs, counters)]
        if any(each["message"].str.endswith(EXPECTED_READABLE).any() for each in strange):
            problems.append(strange[0] if len(strange[0]) else strange[1])  # half of it must not stand for all of it
            continue
        if (before.st_ino, before.st_size, before.st_mtime_ns) != (after.st_ino, after.st_size, after.st_mtime_ns):
            problems.append(_problem(name, "found a file that changed while it was read, expected one at rest"))
            continue
        wrong = pd.concat(strange) if len(logs.runs) or counters.sources else logs.problems
        rows = {
            "runs": logs.runs,
            "streams": logs.streams,
            "intervals": logs.intervals,
            "samples": counters.samples,
            "rates": given_rates(counters.samples, counters.rates),
            "problems": wrong,
        }
        if all(frame.empty for table, frame in rows.items() if table != "problems"):
            problems.append(wrong)  # a later version may know how to read it
        elif archive.add(key, rows, source=name):
            added += 1
            problems.append(wrong)
        else:
            known += 1
    return added, known, pd.concat(problems, ignore_index=True) if problems else tables.make("problems", [])


def _problem(name: str, message: str) -> pd.DataFrame:
    return tables.make("problems", [{"source_file": name, "kind": "unreadable", "message": message}])
