"""New and grown files of folders, added to an archive once each: by their content, whatever they are called.

A file that is still being written waits until two looks in a row find it the same. A log that never rests is read up to
its last whole line once it has grown at `_RESTLESS` looks in a row. One that cannot be read is named
once, and tried again when it changes, or after a pause that doubles up to an hour. Nothing is kept beside the archive:
after a stop, the files are looked at again, and the archive knows those that it has.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hecn_analysis.archive.store import Archive
from hecn_analysis.files.opening import File
from hecn_analysis.files.source import find
from hecn_analysis.ingest.filling import add_entries

FIRST_PAUSE_S: Final = 60.0
LONGEST_PAUSE_S: Final = 3600.0

#: Looks in a row that find a file longer than before, after which its whole lines are read.
_RESTLESS: Final = 3

#: A line that is longer is no log's. [B]
_LONGEST_LINE: Final = 1 << 20

_State = tuple[int, int, int]


@dataclass
class _Failure:
    """A file that could not be added: its state, what is said of it, and when it is tried again."""

    state: _State | None
    message: str
    pause_s: float
    again_s: float


@dataclass
class Batch:
    """What a look at the folders brought: numbers of files, and what is new to say."""

    added: int = 0
    waiting: int = 0
    remarks: list[str] = field(default_factory=list)


class Incoming:
    """Folders that results come into.

    Parameters
    ----------
    folders, archive
        The folders or files, and the archive that takes their contents.
    """

    def __init__(self, folders: Sequence[str], archive: Archive) -> None:
        self._folders = folders
        self._archive = archive
        self._taken: dict[str, _State] = {}
        self._seen: dict[str, _State] = {}
        self._grown: dict[str, int] = {}
        self._failures: dict[str, _Failure] = {}
        self._away: set[str] = set()
        self._said: set[str] = set()

    def take(self, *, settled: bool) -> Batch:
        """Add what is new; with `settled`, also files that no look before found the same."""
        batch = Batch()
        due: list[tuple[str, File | OSError]] = []
        restless: list[tuple[str, File]] = []
        for folder in self._folders:
            if not Path(folder).exists():
                if folder not in self._away:
                    batch.remarks.append(f"{folder}: found nothing there, expected a folder of results; waiting for it")
                self._away.add(folder)
                continue
            self._away.discard(folder)
            for name, file in find(folder):
                state = _state_of(file)
                before, self._seen[name] = self._seen.get(name), state
                if state == self._taken.get(name) or self._is_paused(name, state):
                    continue
                if settled or state == before:
                    due.append((name, file))
                elif isinstance(file, File) and self._is_restless(name, state, before):
                    restless.append((name, file))
                else:
                    batch.waiting += 1
        if due:
            self._add(due, batch)
        if restless:
            self._add_beginnings(restless, batch)
        return batch

    def _is_restless(self, name: str, state: _State, before: _State | None) -> bool:
        """Whether a file has grown at several looks in a row."""
        is_plain = not name.endswith((".gz", ".bz2", ".xz", ".zst"))
        has_grown = is_plain and before is not None and state[0] == before[0] and state[1] > before[1]
        self._grown[name] = self._grown.get(name, 0) + 1 if has_grown else 0
        return self._grown[name] >= _RESTLESS

    def _add_beginnings(self, restless: Sequence[tuple[str, File]], batch: Batch) -> None:
        """Add what logs hold up to their last whole line; the rest comes at a later look."""
        with TemporaryDirectory(prefix="hecn-watch-") as folder:
            copies: list[tuple[str, File | OSError]] = []
            for number, (name, file) in enumerate(restless):
                self._grown[name] = 0
                copy = Path(folder) / f"{number}{Path(file).suffix}"
                try:
                    has_lines = _copy_lines(file, copy)
                except OSError:
                    continue  # it is looked at again
                if has_lines:
                    copies.append((name, File(str(copy))))
            added, _, problems = add_entries(self._archive, copies, grown=True)
        batch.added += added
        unread = problems[problems["kind"].isin(("unreadable", "unrecognised"))].drop_duplicates("source_file")
        for row in unread.to_dict("records"):
            remark = f"{row['source_file']}: {row['kind']}: {row['message']}"
            if remark not in self._said:
                self._said.add(remark)
                batch.remarks.append(remark)

    def _is_paused(self, name: str, state: _State) -> bool:
        failure = self._failures.get(name)
        return failure is not None and failure.state == state and time.monotonic() < failure.again_s

    def _add(self, due: Sequence[tuple[str, File | OSError]], batch: Batch) -> None:
        added, _, problems = add_entries(self._archive, due, grown=True)
        batch.added += added
        said = problems[problems["kind"].isin(("unreadable", "unrecognised", "truncated", "malformed"))]
        messages = {
            str(row["source_file"]): f"{row['kind']}: {row['message']}" for row in said.to_dict("records")[::-1]
        }
        for name, file in due:
            state = _state_of(file)
            message = messages.get(name)
            failure = self._failures.pop(name, None)
            if message is not None:
                if failure is None or failure.message != message:
                    batch.remarks.append(f"{name}: {message}")
                pause_s = FIRST_PAUSE_S if failure is None else min(2 * failure.pause_s, LONGEST_PAUSE_S)
                self._failures[name] = _Failure(state, message, pause_s, time.monotonic() + pause_s)
            elif state is not None:
                self._taken[name] = state


def _copy_lines(file: File, copy: Path) -> bool:
    """Copy a file up to its last whole line; whether there is one."""
    with os.fdopen(file.open(), "rb") as source, copy.open("wb") as target:
        shutil.copyfileobj(source, target)
        size = target.tell()
    with copy.open("r+b") as target:
        target.seek(max(size - _LONGEST_LINE, 0))
        end = target.read().rfind(b"\n") + 1
        target.truncate(max(size - _LONGEST_LINE, 0) + end if end else 0)
    return bool(end)


def _state_of(file: File | OSError) -> _State:
    """What changes if a file is written or replaced; the same for files that cannot be looked at."""
    if isinstance(file, OSError):
        return (0, 0, 0)
    try:
        status = Path(file).stat()
    except OSError:
        return (0, 0, 0)
    return status.st_ino, status.st_size, status.st_mtime_ns
