"""The log of an archive: its valid files, those that a compaction replaced, and where files and log disagree.

A writer creates the folder ``incoming/ID`` before it writes, and removes it at the end; its Parquet files have the ID
in their names. A Parquet file that no commit and no generation names therefore belongs to such a writer, or its entry
was lost: then the file is reported and stays. Only files that a generation names as superseded, and those of a writer
whose folder has not changed for the grace period, are removed. No symbolic link inside an archive is followed.
"""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pyarrow as pa
import pyarrow.parquet as pq

from hecn_analysis.archive.files import (
    ROWS_FILE,
    TABLES,
    damage,
    exists,
    harmless,
    is_link,
    is_unknown,
    make_folder,
    plain,
    plain_file,
    put,
    read_entry,
    sync,
)
from hecn_analysis.base.errors import InputError

#: Rows of a row group: a day of some tens of ports polled every 30 s.
GROUP_ROWS: Final = 131_072

#: Rows that are no shorter when packed, which takes as long as all else about writing them; a compaction packs them.
_FEW: Final = 64

_COMMIT: Final[Mapping[str, type]] = {"key": str, "source": str, "added": str, "rows": dict}
_GENERATION: Final[Mapping[str, type]] = {"keys": list}
_GENERATION_FILE: Final = re.compile(r"(\d{1,18})(?:\.copy)?\.json", re.ASCII)
_WRITER: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class State:
    """The valid files by table, the keys of their units, and damage by file name (missing files and links too)."""

    generation: int
    files: dict[str, list[str]]
    merged: frozenset[str]
    commits: tuple[dict[str, Any], ...]
    superseded: frozenset[str]
    damage: dict[str, InputError]

    def all_files(self) -> Iterator[str]:
        """Return the names of the files of all tables."""
        for names in self.files.values():
            yield from names


class Log:
    """The commits and generations of an archive."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._merged: tuple[int, frozenset[str]] = 0, frozenset()  # a generation and its merged keys

    # queries ---------------------------------------------------------------------------------------------------------

    def has(self, key: str) -> bool:
        """Return whether a unit exists, without reading the others; raise if its commit is damaged."""
        while True:
            number = self._newest()
            if self._has_merged(key, number):
                return True
            with suppress(FileNotFoundError):  # missing, or merged meanwhile
                read_entry(self._folder, f"commits/{key}.json", _COMMIT)
                return True
            if self._newest() == number:
                return False

    def _has_merged(self, key: str, number: int) -> bool:
        """Return whether the newest generation, of this number, contains a unit."""
        if number != self._merged[0] and (generation := self._generation({})):
            self._merged = number, frozenset(generation["keys"])
        return key in self._merged[1]

    def state(self) -> State:
        """Return the current state."""
        while True:
            number, bad = self._newest(), dict[str, InputError]()
            present = set(self._parquet_files(bad))
            writers = set(self._writers(bad))
            generation = self._generation(bad) or {"keys": [], "files": []}
            merged, superseded = frozenset(generation["keys"]), frozenset(generation.get("superseded", ()))
            commits = []
            for commit in self._commits(bad, superseded):
                if commit["key"] in merged:  # added again while the generation was unreadable
                    superseded |= {f"commits/{commit['key']}.json", *commit["files"]}
                else:
                    commits.append(commit)
            files: dict[str, list[str]] = {table: [] for table in TABLES}
            listed = list(
                dict.fromkeys([*generation["files"], *(name for commit in commits for name in commit["files"])])
            )
            superseded = superseded.difference(listed)  # a valid file is never removed
            for name in listed:
                if name in present or self._is_sound(name, bad):
                    files[name.partition("/")[0]].append(name)
            for name in sorted(present.difference(listed, superseded)):
                match = ROWS_FILE.fullmatch(name)
                if (not match or match["writer"] not in writers) and exists(self._folder, name):
                    bad[name] = is_unknown(self._folder / name)
            if self._newest() == number:
                return State(number, files, merged, tuple(commits), superseded, bad)

    def _is_sound(self, name: str, bad: dict[str, InputError]) -> bool:
        """Return whether an unlisted file exists after all."""
        try:
            plain_file(self._folder, name)
        except FileNotFoundError as error:
            bad[name] = damage(self._folder / name, str(error.strerror).lower())
        except InputError as error:
            bad[str(Path(str(error.source)).relative_to(self._folder))] = error
        else:
            return True
        return False

    def _entries(self, name: str, bad: dict[str, InputError]) -> list[os.DirEntry[str]]:
        """Return the entries of a folder of the archive by name; none if it is missing or a link."""
        try:
            with os.scandir(plain(self._folder, name)) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            return []
        except NotADirectoryError:
            bad[name] = damage(self._folder / name, "not a folder")
        except InputError as error:
            bad[name] = error
        return []

    def _parquet_files(self, bad: dict[str, InputError]) -> Iterator[str]:
        """Return the names of all Parquet files of the tables; links and special files are damage."""
        for table in TABLES:
            for day in self._entries(table, bad):
                name = f"{table}/{day.name}"
                if not day.name.startswith("day="):
                    continue
                for entry in self._entries(name, bad) if day.is_symlink() or day.is_dir() else ():
                    if entry.name.endswith(".parquet"):
                        if entry.is_symlink():
                            bad[f"{name}/{entry.name}"] = is_link(Path(entry.path))
                        elif not entry.is_file(follow_symlinks=False):
                            bad[f"{name}/{entry.name}"] = damage(Path(entry.path), "not a plain file")
                        else:
                            yield f"{name}/{entry.name}"

    def _writers(self, bad: dict[str, InputError]) -> Iterator[str]:
        """Return the IDs of active and killed writers."""
        unread: dict[str, InputError] = {}
        entries = self._entries("incoming", unread)
        bad |= {name: harmless(error) for name, error in unread.items()}
        for entry in entries:
            if _WRITER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                yield entry.name

    def _numbers(self, bad: dict[str, InputError]) -> list[int]:
        matches = (_GENERATION_FILE.fullmatch(entry.name) for entry in self._entries("generations", bad))
        return sorted({int(match[1]) for match in matches if match}, reverse=True)

    def _newest(self) -> int:
        return next(iter(self._numbers({})), 0)

    def _generation(self, bad: dict[str, InputError]) -> dict[str, Any] | None:
        """Return the newest readable generation."""
        for number in self._numbers(bad):
            if (generation := self._copies(number, bad)) is not None:
                return generation
        return None

    def _copies(self, number: int, bad: dict[str, InputError]) -> dict[str, Any] | None:
        """Read a generation from either of its copies."""
        names = f"generations/{number}.json", f"generations/{number}.copy.json"
        copies: dict[str, dict[str, Any]] = {}
        unread: dict[str, InputError] = {}
        missing = []
        for name in names:
            try:
                copies[name] = read_entry(self._folder, name, _GENERATION)
            except FileNotFoundError:
                missing.append(name)
            except InputError as error:
                unread[name] = error
        if not copies:
            bad |= unread
            return None
        name, content = next(iter(copies.items()))
        if not exists(self._folder, f"incoming/{content.get('id')}"):  # else the copy is on its way
            for other in missing:
                if not exists(self._folder, other):
                    unread[other] = damage(self._folder / other, "no such file or directory")
        for other, fault in unread.items():
            is_occupied = (self._folder / other).is_symlink() or (self._folder / other).is_dir()
            bad[other] = harmless(fault, None if is_occupied else f"copy {self._folder / name} to it")
        if len(copies) == len(names) and content != copies[names[1]]:
            bad[names[1]] = damage(self._folder / names[1], f"not the same as {names[0]}")
        return content

    def _commits(self, bad: dict[str, InputError], superseded: frozenset[str]) -> Iterator[dict[str, Any]]:
        for entry in self._entries("commits", bad):
            key, dot, ending = entry.name.rpartition(".")
            name = f"commits/{entry.name}"
            if not dot or ending != "json":
                continue
            try:
                commit = read_entry(self._folder, name, _COMMIT)
            except FileNotFoundError:  # merged and removed meanwhile: the newer generation has it
                continue
            except InputError as error:
                if name not in superseded:
                    bad[name] = error
                continue
            if commit["key"] == key:
                yield commit
            else:
                bad[name] = damage(self._folder / name, f"the key {commit['key']!r}")

    # removal ---------------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Synchronise commits and generations, including those of other writers."""
        for name in ("commits", "generations"):
            with suppress(FileNotFoundError, InputError):  # a link is not part of the archive
                sync(plain(self._folder, name))

    def clean(self, grace_s: float) -> None:
        """Remove superseded files and leftovers of killed writers once they have not changed for a time."""
        self.settle()  # before the files that it replaces are gone
        limit = time.time() - grace_s
        superseded = sorted(self.state().superseded, reverse=True)  # commits after the files that they name
        remove(self._folder, [name for name in superseded if self._is_old(name, limit)])
        writers = {writer for writer in self._writers({}) if self._is_old(f"incoming/{writer}", limit)}
        for writer in writers:  # a removed writer can no longer publish
            inside = [entry.name for entry in self._entries(f"incoming/{writer}", {})]
            own = [name for name in inside if writer in name]
            remove(self._folder, [f"incoming/{writer}/{name}" for name in own])
        state = self.state()
        if state.damage:  # an unreadable commit may name files that look like leftovers
            return
        generation = self._generation({}) or {}
        kept = state.superseded.union(state.all_files())
        left: dict[str, list[str]] = {writer: [] for writer in writers}
        for name in self._parquet_files({}):
            match = ROWS_FILE.fullmatch(name)
            if match and match["writer"] in left and name not in kept:
                left[match["writer"]].append(name)
        for writer, names in left.items():
            if generation.get("id") == writer:
                self._complete(state.generation, writer)
            if remove(self._folder, names):
                with suppress(OSError):  # it contains files of others
                    (self._folder / "incoming" / writer).rmdir()

    def _complete(self, number: int, writer: str) -> None:
        """Write the missing second copy of a generation whose writer was killed."""
        if not exists(self._folder, f"generations/{number}.copy.json"):
            arriving = self._folder / "incoming" / writer / f"{writer}.copy.json"
            put(plain(self._folder, f"generations/{number}.json").read_text("utf-8"), arriving)
            arriving.rename(self._folder / "generations" / f"{number}.copy.json")
            self.settle()

    def _is_old(self, name: str, limit: float) -> bool:
        try:
            return plain(self._folder, name).lstat().st_mtime <= limit
        except (OSError, InputError):
            return False


def remove(folder: Path, names: Iterable[str]) -> bool:
    """Remove files of an archive, through no link, and synchronise; return False if one is left."""
    is_done, parents = True, set()
    for name in names:
        try:
            path = plain(folder, name)
            path.unlink()
            parents.add(path.parent)
        except FileNotFoundError:
            continue
        except (OSError, InputError):  # another process removed it, or permission is missing
            is_done = False
    for parent in parents:
        try:
            sync(parent)
        except OSError:
            is_done = False
    return is_done


class Writer:
    """A writer of an archive: all its files become valid at once, or are removed."""

    def __init__(self, folder: Path) -> None:
        self.id = uuid.uuid4().hex
        self.written: list[str] = []
        self._folder = folder
        self._own = folder / "incoming" / self.id  # the names of all files in it have the ID, too
        self._entry, self._copy = self._own / f"{self.id}.json", self._own / f"{self.id}.copy.json"
        self._counts: bool | None = False  # None: only the log tells

    def __enter__(self) -> Self:
        sync_after = make_folder(self._folder, "incoming")
        self._own.mkdir()
        sync(sync_after)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._counts is None or (self._counts and error is not None):
            return  # a compaction keeps what the log names and removes the rest
        names = [self._entry.name, self._copy.name, *(Path(path).name for path in self.written)]
        own = [f"incoming/{self.id}/{name}" for name in names]
        if remove(self._folder, own + ([] if self._counts else self.written)):
            with suppress(OSError):  # a compaction does it later
                self._own.rmdir()

    def write(self, table: str, day: str, rows: pa.Table) -> str:
        """Write rows to a new file of a day and return its name below the folder."""
        name = f"{time.time_ns():016x}-{self.id}.parquet"  # the order of names is the order of writing
        place = make_folder(self._folder, f"{table}/day={day}")
        self.written.append(f"{table}/day={day}/{name}")
        is_small = rows.num_rows <= _FEW
        pq.write_table(
            rows,
            self._own / name,
            compression="none" if is_small else "zstd",
            use_dictionary=not is_small,
            row_group_size=GROUP_ROWS,
        )
        sync(self._own / name)
        (self._own / name).rename(place / name)
        sync(place)
        return self.written[-1]

    def publish(self, entry: Mapping[str, Any], name: str) -> bool:
        """Publish an entry of the log atomically; do nothing if the name exists."""
        text = json.dumps(entry)
        put(text, self._entry)
        for row_file in self.written:  # still present and recent, even if the writer was suspended for a day
            os.utime(plain(self._folder, row_file))
        os.utime(self._entry)  # newer than its files, so removed after them
        folder, _, file = name.partition("/")
        place = make_folder(self._folder, folder) / file
        self._counts = None
        try:
            place.hardlink_to(self._entry)
        except FileExistsError:  # also if a file server's reply was lost and the request repeated
            self._counts = os.path.samestat(place.lstat(), self._entry.lstat())
        else:
            self._counts = True
        if self._counts and folder == "generations":
            put(text, self._copy)
            self._copy.rename(place.with_suffix(".copy.json"))
        return self._counts
