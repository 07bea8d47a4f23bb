"""Fill an archive: files of tools and counters, each a unit of its content hash."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.progress import reading
from hecn_analysis.counters.summary import given_rates
from hecn_analysis.files import packed
from hecn_analysis.files.opening import EXPECTED_READABLE, File, kind_of, unreadable
from hecn_analysis.files.source import find
from hecn_analysis.ingest.reading import read_files


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
    with reading(len(found), shown=progress) as done:
        for name, file in found:
            outcome, problem = _add_file(archive, name, file)
            added += outcome == "added"
            known += outcome == "known"
            problems.append(problem)
            done(1)
    return added, known, pd.concat(problems, ignore_index=True) if problems else tables.make("problems", [])


def _add_file(archive: Archive, name: str, file: File | OSError) -> tuple[str, pd.DataFrame]:
    """Add a file: "added", "known" or "left out", and the problems to tell of it."""
    try:
        if isinstance(file, OSError):
            raise file
        before = _state(file)
        stored = packed.plain(file)
        key = stored.content_hash
        logs, counters, *_ = read_files([(name, file)], captured=False)
        fault = _fault(stored, is_changed=before != _state(file))
    except OSError as error:
        return "left out", _problem(name, unreadable(error))
    if fault is not None:
        return "left out", _problem(name, fault)
    strange = [each.problems[each.problems["kind"] != "unrecognised"] for each in (logs, counters)]
    if any(each["message"].str.endswith(EXPECTED_READABLE).any() for each in strange):
        return "left out", strange[0] if len(strange[0]) else strange[1]  # half of it must not stand for all of it
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
        return "left out", wrong  # a later version may know how to read it
    try:
        is_added = archive.add(key, rows, source=name)
    except InputError as error:
        return "left out", _problem(name, f"not added to the archive: {error}")
    return ("added", wrong) if is_added else ("known", tables.make("problems", []))


def _fault(stored: packed.Content, *, is_changed: bool) -> str | None:
    """Why a file cannot be a unit: the hash of half a file, or of one that changes, identifies nothing."""
    if stored.notes.problems:
        return stored.notes.problems[0][1]
    return "found a file that changed while it was read, expected one at rest" if is_changed else None


def _state(file: File) -> tuple[int, int, int]:
    """What changes when a file is written, or another one takes its place."""
    status = Path(file).stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{kind_of(status)}, which can be read only once (save what it gives as a file)")
    return status.st_ino, status.st_size, status.st_mtime_ns


def _problem(name: str, message: str) -> pd.DataFrame:
    return tables.make("problems", [{"source_file": name, "kind": "unreadable", "message": message}])
