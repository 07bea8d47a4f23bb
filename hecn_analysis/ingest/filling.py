"""Fill an archive: files of tools and counters, each a unit of its content hash."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import pandas as pd

from hecn_analysis.archive.selection import OF_RUNS
from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError
from hecn_analysis.base.progress import reading
from hecn_analysis.counters.summary import given_rates
from hecn_analysis.files import packed
from hecn_analysis.files.opening import EXPECTED_READABLE, File, kind_of, unreadable
from hecn_analysis.files.source import find
from hecn_analysis.ingest.reading import read_files
from hecn_analysis.statements.statement import table_of

Entry = tuple[str, File | OSError]

#: Runs of two files of one rotated log are the same if these are, and the time is known.
_SAME_RESULT: Final = (
    *("tool", "start_time", "protocol", "direction", "streams", "duration_s", "bytes", "error"),
    *("throughput_bps", "sender_throughput_bps", "rtt_min_s", "loss_fraction"),
)

#: What the rotation of a log appends to its name: a number or a date, and the ending of compression.
_ROTATED: Final = re.compile(r"(?:[.-](?:\d{1,4}|\d{8}(?:[T-]?\d{2,6})?|old))?(?:\.(?:gz|bz2|xz|zst))?$")

#: Runs of a file are the same if these are.
_SAME_RUN: Final = ("source_file", "run", "line_first", "tool", "start_time", "throughput_bps", "sender_throughput_bps")


def add_files(
    archive: Archive, paths: Iterable[str | os.PathLike[str]], *, progress: bool = False
) -> tuple[int, int, pd.DataFrame]:
    """Read files, logs of tools and counters alike, and add each to an archive, known by the hash of its content.

    Parameters
    ----------
    archive, paths
        The archive; files and folders.
    progress
        Whether to show a progress bar.

    Returns
    -------
    tuple
        The number of added files, of files already there, and the table of problems of the new ones.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> add_files(Archive(folder / "archive"), [data_dir() / "logs" / "c-systems-dd.txt"])[:2]
    (1, 0)
    """
    return add_entries(archive, [entry for path in paths for entry in find(path)], progress=progress)


def add_entries(
    archive: Archive, entries: Sequence[Entry], *, progress: bool = False, grown: bool = False
) -> tuple[int, int, pd.DataFrame]:
    """Add files as `find` names them, see `add_files`; of `grown` ones, the runs of their former content only once.

    Parameters
    ----------
    archive, entries
        The archive; names of files, and the files or why they cannot be opened.
    progress, grown
        Whether to show a progress bar; whether the archive may hold the beginning of a file.

    Returns
    -------
    tuple
        The number of added files, of files already there, and the table of problems of the new ones.

    Examples
    --------
    >>> from hecn_analysis.base.places import data_dir
    >>> archive, entries = Archive(folder / "archive"), list(find(data_dir() / "logs" / "c-systems-dd.txt"))
    >>> [add_entries(archive, entries, grown=True)[:2] for _ in range(2)]
    [(1, 0), (0, 1)]
    """
    former = _runs_of(archive, [name for name, _ in entries]) if grown else None
    added = known = 0
    problems: list[pd.DataFrame] = []
    with reading(len(entries), shown=progress) as done:
        for name, file in entries:
            outcome, problem = _add_file(archive, name, file, former)
            added += outcome == "added"
            known += outcome == "known"
            problems.append(problem)
            done(1)
    return added, known, pd.concat(problems, ignore_index=True) if problems else tables.make("problems", [])


def _runs_of(archive: Archive, names: Sequence[str]) -> pd.DataFrame:
    """Rows of the table of runs that an archive holds of some files, whatever rotation makes of their names."""
    runs = archive.table("runs", damaged=[])
    logs = {_log(name) for name in names}
    known = [name for name in runs["source_file"].unique() if _log(str(name)) in logs]
    return runs.loc[runs["source_file"].isin(known), list(dict.fromkeys((*_SAME_RUN, *_SAME_RESULT)))]


def _log(name: str) -> str:
    """Name of a log without what rotation appends."""
    return _ROTATED.sub("", name)


def _without(name: str, former: pd.DataFrame, rows: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Leave out the runs that an archive holds of the beginning of a file or of its log, and what belongs to them."""
    runs = rows["runs"]
    same, result = list(_SAME_RUN), list(_SAME_RESULT)
    known = pd.MultiIndex.from_frame(runs[same]).isin(pd.MultiIndex.from_frame(former[same]))
    own_log = former["source_file"].map(_log) == _log(name)
    rotated = former[own_log & (former["source_file"] != name) & former["start_time"].notna()]
    counts = rotated.groupby(result, dropna=False).size()
    if len(counts):
        times = runs.groupby(result, dropna=False).cumcount()  # several results may be alike
        held = counts.reindex(pd.MultiIndex.from_frame(runs[result])).fillna(0).to_numpy()
        known |= (times.to_numpy() < held) & runs["start_time"].notna().to_numpy()
    key = ["source_file", "run"]
    kept = pd.MultiIndex.from_frame(runs.loc[~known, key])
    own = {
        name: frame[pd.MultiIndex.from_frame(frame[key]).isin(kept)] for name, frame in rows.items() if name in OF_RUNS
    }
    return rows | {"runs": runs[~known]} | own


def _add_file(
    archive: Archive, name: str, file: File | OSError, former: pd.DataFrame | None
) -> tuple[str, pd.DataFrame]:
    """Add a file; return "added", "known" or "left out", and its problems to report."""
    try:
        if isinstance(file, OSError):
            raise file
        return _add(archive, name, file, former)
    except OSError as error:
        return "left out", _problem(name, unreadable(error))
    except InputError as error:
        return "left out", _problem(name, f"not added to the archive: {error}")


def _add(archive: Archive, name: str, file: File, former: pd.DataFrame | None) -> tuple[str, pd.DataFrame]:
    """Add a file as `_add_file` does, and raise what prevents it."""
    before = _state(file)
    stored = packed.plain(file)
    key = stored.content_hash
    if not stored.notes.problems and archive.has(key):
        return "known", tables.make("problems", [])
    logs, counters, _, stated, *_ = read_files([(name, file)], captured=False)
    fault = _fault(stored, is_changed=before != _state(file))
    if fault is not None:
        return "left out", _problem(name, fault)
    problems = [part.problems[part.problems["kind"] != "unrecognised"] for part in (logs, counters)]
    if any(part["message"].str.endswith(EXPECTED_READABLE).any() for part in problems):
        # a part must not be stored as the whole file
        return "left out", problems[0] if len(problems[0]) else problems[1]
    reported = pd.concat(problems) if len(logs.runs) or counters.sources else logs.problems
    rows = {
        "runs": logs.runs,
        "streams": logs.streams,
        "intervals": logs.intervals,
        "samples": counters.samples,
        "rates": given_rates(counters.samples, counters.rates),
        "problems": reported,
        "statements": table_of(stated),
    }
    if all(frame.empty for table, frame in rows.items() if table not in ("problems", "statements")):
        return "left out", reported  # a later version may know how to read it
    if former is not None and len(former):
        rows = _without(name, former, rows)
    is_added = archive.add(key, rows, source=name)
    return ("added", reported) if is_added else ("known", tables.make("problems", []))


def _fault(stored: packed.Content, *, is_changed: bool) -> str | None:
    """Why a file cannot be a unit: the hash of a partial or changing file identifies nothing."""
    if stored.notes.problems:
        return stored.notes.problems[0][1]
    return "found a file that changed while it was read, expected an unchanging file" if is_changed else None


def _state(file: File) -> tuple[int, int, int]:
    """Properties that change if a file is written or replaced."""
    status = Path(file).stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(f"{kind_of(status)}, which can be read only once (save its output to a file)")
    return status.st_ino, status.st_size, status.st_mtime_ns


def _problem(name: str, message: str) -> pd.DataFrame:
    return tables.make("problems", [{"source_file": name, "kind": "unreadable", "message": message}])
