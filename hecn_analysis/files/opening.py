"""Open files that others may have prepared: the opened file is checked, not its name.

Anyone who can write to a folder can place anything there: links to ``/proc/kmsg``, pipes, a sparse file of a terabyte.
A file found in a folder is therefore read only if it is a regular file of that folder, not on a kernel file system. A
file that the user names may be anything with an end: a pipe, a kernel file, a link.

Bounds
------
- At most 64 GiB of a file are read; 64 MiB of a kernel file (``/proc``, ``/sys``).
- Holes of a sparse file are skipped. A hole inside a line leaves one null byte, so that digits around it do not join.
  In packed files a hole counts as zeros, up to 1 GiB.
- A read that would block ends the file. Only a pipe that the user names may block.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from hecn_analysis.base import progress
from hecn_analysis.base.units import format_bytes
from hecn_analysis.files.streams import PIECE, Notes

EXPECTED_READABLE: Final = "expected a file that can be read"
"""End of the message if the system refused a file or stopped in the middle; another try may succeed."""
LEADS_OUT: Final = "a link that leads out of the folder (it is read where you name it yourself)"
_LARGEST: Final = 1 << 36
_LARGEST_OF_KERNEL: Final = 1 << 26
_ZEROS: Final = 1 << 30
_KERNEL: Final = frozenset(
    {"proc", "sysfs", "debugfs", "tracefs", "securityfs", "configfs", "cgroup", "cgroup2", "bpf", "pstore", "efivarfs"}
)
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a block device",
    stat.S_IFDIR: "a folder",
}


@dataclass(frozen=True)
class File(os.PathLike[str]):
    """A file to read."""

    name: str  # its path
    # the folder in which it was found, without links in its path; None if the user named the file itself
    folder: str | None = None

    def __fspath__(self) -> str:
        return self.name

    @property
    def is_repeatable(self) -> bool:
        """Return whether every read gives the same bytes, unlike a pipe or a file in /dev."""
        try:
            return stat.S_ISREG(Path(self.name).stat().st_mode) and not Path(self.name).is_relative_to("/dev")
        except OSError:
            return True  # opening it says why

    def open(self) -> int:
        """Open it for reading and return the descriptor; OSError if it is refused or of a kind that is not read."""
        waits = self.folder is None and stat.S_ISFIFO(Path(self.name).stat().st_mode)
        descriptor = os.open(self.name, _FLAGS if waits else _FLAGS | getattr(os, "O_NONBLOCK", 0))
        try:
            self._check(descriptor, waits=waits)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _check(self, descriptor: int, *, waits: bool) -> None:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) and not (waits and stat.S_ISFIFO(status.st_mode)):
            raise OSError(kind_of(status))
        if self.folder is not None:
            if not is_within(_real_path(descriptor, self.name), self.folder):
                raise OSError(LEADS_OUT)
            check_file_system(status, self.folder)


def kind_of(status: os.stat_result) -> str:
    """Return the words for the kind of an entry that is not a regular file."""
    return _KINDS.get(stat.S_IFMT(status.st_mode), "something that is not a file")


def is_within(path: str, folder: str) -> bool:
    """Return whether a path lies in a folder, both without links."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def check_file_system(status: os.stat_result, folder: str) -> None:
    """Refuse files of kernel file systems such as ``/proc``, unless the user named a folder there."""
    system = _file_system(status.st_dev)
    if system in _KERNEL and _file_system(Path(folder).stat().st_dev) not in _KERNEL:
        raise OSError(f"a file or folder of the kernel ({system})")


def pieces(file: File, notes: Notes, is_packed: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Return the bytes of a file and note what is left out."""
    try:
        descriptor = file.open()
    except (OSError, ValueError) as error:
        notes.add("unreadable", unreadable(error))
        return
    try:
        status = os.fstat(descriptor)
        most = _LARGEST_OF_KERNEL if _file_system(status.st_dev) in _KERNEL else _LARGEST
        done = 0
        for piece in _data(descriptor, status, notes, is_packed):
            done += len(piece)
            progress.advance(file.name, done, status.st_size)
            if done > most:
                notes.add(
                    "unreadable", f"found more than {format_bytes(most)}, expected at most that; the rest is left out"
                )
                yield piece[: len(piece) - (done - most)]
                return
            yield piece
    except OSError as error:
        notes.add("unreadable", unreadable(error))
    finally:
        os.close(descriptor)


def unreadable(error: Exception) -> str:
    """Describe why a file cannot be read, for the table of problems."""
    words = getattr(error, "strerror", None) or str(error)
    return f"found {words[:1].lower()}{words[1:]}, {EXPECTED_READABLE}"


def _data(descriptor: int, status: os.stat_result, notes: Notes, is_packed: Callable[[bytes], bool]) -> Iterator[bytes]:
    has_holes = stat.S_ISREG(status.st_mode) and getattr(status, "st_blocks", status.st_size) * 512 < status.st_size
    if not has_holes or not hasattr(os, "SEEK_DATA"):
        yield from _read(descriptor, None)
        return
    at = skipped = zeros = 0
    packed: bool | None = None
    ends_line = True
    while (start := _seek(descriptor, at, os.SEEK_DATA)) is not None or at < status.st_size:
        hole = (status.st_size if start is None else start) - at
        if packed and hole > 0:
            zeros += hole
            if zeros > _ZEROS:
                notes.add(
                    "truncated", f"found holes of {format_bytes(zeros)} in packed data; what comes before them is read"
                )
                return
            yield from (bytes(min(PIECE, hole - done)) for done in range(0, hole, PIECE))
        elif hole > 0:
            skipped += hole
        if start is None:
            break
        end = _seek(descriptor, start, os.SEEK_HOLE) or start
        os.lseek(descriptor, start, os.SEEK_SET)
        for piece in _read(descriptor, end - start):
            if packed is None:
                packed = not hole and is_packed(piece)
            yield piece if ends_line or packed or not hole else b"\0" + piece
            ends_line, hole = piece.endswith(b"\n"), 0
        at = end
    if skipped:
        notes.add(
            "unreadable", f"found holes of {format_bytes(skipped)} in a sparse file; its data are read without them"
        )


def _read(descriptor: int, length: int | None) -> Iterator[bytes]:
    """Read up to a length, or to the end; a read that would block counts as the end."""
    while length is None or length > 0:
        try:
            piece = os.read(descriptor, PIECE if length is None else min(PIECE, length))
        except BlockingIOError:
            return
        if not piece:
            return
        if length is not None:
            length -= len(piece)
        yield piece


def _seek(descriptor: int, at: int, whence: int) -> int | None:
    """Return the next offset of data or of a hole, None at the end."""
    try:
        return os.lseek(descriptor, at, whence)
    except OSError as error:
        if error.errno == errno.ENXIO:
            return None
        raise


def _real_path(descriptor: int, name: str) -> str:
    """Return the path of an open file without links; from its name if the system cannot."""
    try:
        place = str(Path(f"/proc/self/fd/{descriptor}").readlink())
    except OSError:
        place = ""
    return place if place.startswith("/") else os.path.realpath(name)


@cache
def _file_system(device: int) -> str:
    """Return the type of a mounted file system, empty if unknown."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    number = f"{os.major(device)}:{os.minor(device)}"
    return next((words.partition(" - ")[2].split()[0] for words in mounts if words.split()[2] == number), "")
