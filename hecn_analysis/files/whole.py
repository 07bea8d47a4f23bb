"""Output files: every file is written anew and moved into place when complete.

The new file is ``.hecn-*.part`` in the folder of the target. It is synchronised to disk before it takes the target's
name, so a kill or a full disk leaves the target as it was. The writer holds a lock on it; the next writer removes part
files without a lock.

Nothing is written through a link or into an existing file:

- A target that is a symbolic link is refused: a planted link would choose the file to overwrite.
- A target that belongs to another user is refused: that user could read and change it.
- A target with several hard links becomes a new file; the other links keep the old content.
- A link to a folder on the way to the target is followed only if it belongs to the user or to root. A folder in a
  sticky folder such as ``/tmp`` must belong to one of them too.
- The folder stays open while the file is written, so it cannot be replaced meanwhile.

Pipes and devices are written into: the user's own open descriptors (``/dev/stdout``, ``/dev/fd/63``), named pipes of
the user's, and character devices (``/dev/null``).
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, Literal

from hecn_analysis.base.errors import InputError
from hecn_analysis.files.opening import kind_of

try:
    import fcntl
except ImportError:  # not a POSIX system: part files in use are unknown, so none is removed
    fcntl = None  # type: ignore[assignment]

_PREFIX: Final = ".hecn-"
_SUFFIX: Final = ".part"
_OWN_DESCRIPTOR: Final = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})")
_STANDARD: Final = {"/dev/stdout": 1, "/dev/stderr": 2}
_MOST_LINKS: Final = 40  # as Linux
_HAS_DESCRIPTORS: Final = os.open in os.supports_dir_fd
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)


def write(place: str | os.PathLike[str], content: str | bytes | Iterable[str]) -> None:
    r"""Write a file completely or not at all, in UTF-8; an existing file is replaced and keeps its permissions.

    An empty file is filled in place, since the program that made it (mktemp) may hold it open.

    InputError if the target is a link, belongs to another user or lies behind another user's link. OSError names the
    target, which is then as it was before.
    """
    pieces = [content] if isinstance(content, str | bytes) else content
    octets = (piece if isinstance(piece, bytes) else piece.encode(errors="backslashreplace") for piece in pieces)
    with _stream(place) as into:
        if into is not None:
            into.writelines(octets)
            return
    with aside(place) as part:
        part.writelines(octets)


@contextmanager
def aside(place: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file beside a target; it takes the target's name once filled, and is removed if filling it fails.

    Raises the errors of `write`.
    """
    user_path = os.fspath(place)
    with (
        _naming(user_path),
        _beside(user_path) as (folder, name),
        _new_file(folder, name, user_path) as (stream, part, before),
    ):
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
        if before is not None and before.st_size == 0:
            _fill(folder, name, before, part)
            return
        if before is not None:
            _copy_permissions(before, stream)
        os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)  # while the lock is held


def check(place: str | os.PathLike[str]) -> None:
    """Refuse a target that `write` would refuse, before the work whose result goes there; it stays as it is."""
    user_path = os.fspath(place)
    if _own_descriptor(user_path) is not None:
        return
    with _naming(user_path), _beside(user_path) as (folder, name):
        status = _status(folder, name)
        if status is not None and _is_stream(status):
            _require_own_pipe(status, user_path)
            return
        with _new_file(folder, name, user_path):
            pass


def check_folder(place: str | os.PathLike[str]) -> None:
    """Refuse a folder that `make_folder` would refuse or that is not writable; of a new one, check its parent."""
    user_path = os.fspath(place)
    if not _HAS_DESCRIPTORS:
        return
    with _naming(user_path), _open_folder(user_path, user_path, missing="stop") as folder:
        effective = os.access in os.supports_effective_ids
        if not os.access(".", os.W_OK | os.X_OK, dir_fd=folder, effective_ids=effective):
            is_read_only = bool(os.fstatvfs(folder).f_flag & os.ST_RDONLY)
            code = errno.EROFS if is_read_only else errno.EACCES
            raise OSError(code, os.strerror(code))


def make_folder(place: str | os.PathLike[str]) -> None:
    """Create a folder for output, and its parents, unless it exists.

    InputError if a link on the way belongs to another user, or the folder does and lies in a sticky one such as
    ``/tmp``.
    """
    user_path = os.fspath(place)
    with _naming(user_path):
        if _HAS_DESCRIPTORS:
            with _open_folder(user_path, user_path, missing="make"):
                return
        Path(user_path).mkdir(parents=True, exist_ok=True)


@contextmanager
def _naming(user_path: str) -> Iterator[None]:
    """Make system errors name the target as the user did."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror or str(error), user_path) from None


# pipes and devices ---------------------------------------------------------------------------------------------------


@contextmanager
def _stream(place: str | os.PathLike[str]) -> Iterator[BinaryIO | None]:
    """Open a pipe or a device for writing; None if the target is neither."""
    user_path = os.fspath(place)
    with _naming(user_path), ExitStack() as stack:
        descriptor = _own_descriptor(user_path)
        if descriptor is not None:
            if sys.stdout is not None:
                sys.stdout.flush()  # keep the order of output
            descriptor = os.dup(descriptor)
        else:
            folder, name = stack.enter_context(_beside(user_path))
            status = _status(folder, name)
            if status is not None and _is_stream(status):
                descriptor = _open_stream(folder, name, status, user_path)
        if descriptor is None:
            yield None
            return
        with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor
            yield stream


def _own_descriptor(user_path: str) -> int | None:
    path = os.path.normpath(user_path)
    match = _OWN_DESCRIPTOR.fullmatch(path)
    return int(match[1]) if match else _STANDARD.get(path)


def _is_stream(status: os.stat_result) -> bool:
    return stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode)


def _require_own_pipe(status: os.stat_result, user_path: str) -> None:
    if stat.S_ISFIFO(status.st_mode) and status.st_uid != os.geteuid():
        raise _foreign_owner_error(status, "a named pipe", "one of your own", user_path)


def _open_stream(folder: int | None, name: str, status: os.stat_result, user_path: str) -> int:
    _require_own_pipe(status, user_path)
    descriptor = os.open(name, os.O_WRONLY | os.O_NOCTTY | _NO_LINK, dir_fd=folder)
    if not os.path.samestat(os.fstat(descriptor), status):
        os.close(descriptor)
        raise InputError(
            "a pipe or device that was replaced while it was opened",
            "the same one as before",
            source=user_path,
            advice="try again",
        )
    return descriptor


# folders -------------------------------------------------------------------------------------------------------------


@contextmanager
def _beside(user_path: str) -> Iterator[tuple[int | None, str]]:
    """Open the folder of a target; without folder descriptors, return the whole name instead."""
    if not _HAS_DESCRIPTORS:
        yield None, user_path
        return
    above, _, name = user_path.rpartition("/")
    if name in {"", ".", ".."}:
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    with _open_folder(above or ("/" if user_path.startswith("/") else "."), user_path) as folder:
        yield folder, name


@contextmanager
def _open_folder(path: str, user_path: str, *, missing: Literal["refuse", "make", "stop"] = "refuse") -> Iterator[int]:
    """Open a folder step by step without following links of other users; refuse, create or stop at a missing step."""
    steps = path.split("/")[::-1]
    at = os.open("/" if path.startswith("/") else ".", _FOLDER)
    links = 0
    try:
        while steps:
            step = steps.pop()
            if step in {"", "."}:
                continue
            status = _status(at, step)
            if status is None and missing == "stop":
                break
            if status is None and missing == "make":
                with suppress(FileExistsError):
                    os.mkdir(step, dir_fd=at)
                status = _status(at, step)
            if status is None:
                raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
            _require_trusted(status, at, user_path)
            inner = None
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                target = os.readlink(step, dir_fd=at)
                steps += target.split("/")[::-1]
                if target.startswith("/"):
                    inner = os.open("/", _FOLDER)
            else:
                inner = os.open(step, _FOLDER, dir_fd=at)
            if inner is not None:
                os.close(at)
                at = inner
        yield at
    finally:
        os.close(at)


def _require_trusted(status: os.stat_result, above: int, user_path: str) -> None:
    """Refuse another user's link, and another user's folder inside a world-writable one."""
    if status.st_uid in {0, os.geteuid()}:
        return
    if stat.S_ISLNK(status.st_mode):
        raise _foreign_owner_error(status, "a symbolic link on the way", "folders of your own", user_path)
    everybody = stat.S_ISVTX | stat.S_IWOTH
    if os.fstat(above).st_mode & everybody == everybody:
        raise _foreign_owner_error(status, "a folder on the way", "folders of your own", user_path)


# files ---------------------------------------------------------------------------------------------------------------


def _status(folder: int | None, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _require_regular(status: os.stat_result, user_path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISLNK(status.st_mode):
        advice = "remove the link, or name the file that you want to write"
        raise InputError("a symbolic link", "a regular file or nothing", source=user_path, advice=advice)
    if not stat.S_ISREG(status.st_mode):
        raise InputError(
            kind_of(status), "a regular file or nothing", source=user_path, advice="write to another place"
        )


def _require_same_owner(status: os.stat_result, ours: BinaryIO, user_path: str) -> None:
    """Require the owner of a new file: file servers may show owners other than the user."""
    if status.st_uid != os.fstat(ours.fileno()).st_uid:
        raise _foreign_owner_error(status, "a file", "one of your own or nothing", user_path)


def _foreign_owner_error(status: os.stat_result, what: str, expected: str, user_path: str) -> InputError:
    description = f"{what} that belongs to another user (number {status.st_uid})"
    return InputError(description, expected, source=user_path, advice="write to another place")


@contextmanager
def _new_file(folder: int | None, name: str, user_path: str) -> Iterator[tuple[BinaryIO, str, os.stat_result | None]]:
    """Yield a new open part file for a target, its name, and the target's status; remove it if it was not moved."""
    before = _status(folder, name)
    if before is not None:
        _require_regular(before, user_path)
    _remove_leftovers(folder)
    stream, part = _new_part(folder, name, 0o666 if before is None else 0o600)
    try:
        with stream:
            if before is not None:
                _require_same_owner(before, stream, user_path)
            yield stream, part, before
    finally:
        with suppress(OSError):
            os.unlink(part, dir_fd=folder)


def _new_part(folder: int | None, name: str, mode: int) -> tuple[BinaryIO, str]:
    """Create a new file in the folder of a target and lock it."""
    while True:
        part = os.path.join(os.path.dirname(name), f"{_PREFIX}{uuid.uuid4().hex[:12]}{_SUFFIX}")  # noqa: PTH118, PTH120
        try:
            stream = open(os.open(part, _NEW, mode, dir_fd=folder), "wb")  # noqa: PTH123, SIM115 - the caller closes it
            if fcntl is None:
                return stream, part
            with suppress(OSError):  # a file system without locks
                fcntl.flock(stream, fcntl.LOCK_EX)
            if _status(folder, part) is not None:
                return stream, part
            stream.close()  # another writer removed it before it was locked
        except BaseException:
            with suppress(OSError):
                os.unlink(part, dir_fd=folder)
            raise


def _fill(folder: int | None, name: str, before: os.stat_result, part: str) -> None:
    """Fill an empty file in place: a program that made it (mktemp) may hold it open, and it has nothing to lose."""
    flags = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
    with (
        open(os.open(part, os.O_RDONLY, dir_fd=folder), "rb") as source,  # noqa: PTH123 - relative to the folder
        open(os.open(name, flags, dir_fd=folder), "wb") as target,  # noqa: PTH123 (the same)
    ):
        status = os.fstat(target.fileno())
        if (status.st_ino, status.st_dev, status.st_size) != (before.st_ino, before.st_dev, 0):
            raise OSError(errno.EBUSY, "changed by another program while it was written")
        try:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        except BaseException:
            os.ftruncate(target.fileno(), 0)
            raise


def _copy_permissions(before: os.stat_result, stream: BinaryIO) -> None:
    if hasattr(os, "fchmod"):
        with suppress(OSError):  # a group that the user has left
            os.fchown(stream.fileno(), -1, before.st_gid)
        os.fchmod(stream.fileno(), before.st_mode & 0o777)


def _remove_leftovers(folder: int | None) -> None:
    """Remove the user's part files that no writer holds."""
    if fcntl is None or folder is None:
        return
    try:
        listed = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
    except PermissionError:  # a folder that is writable but not readable
        return
    try:
        names = [entry for entry in os.listdir(listed) if entry.startswith(_PREFIX) and entry.endswith(_SUFFIX)]  # noqa: PTH208
    finally:
        os.close(listed)
    for part in names:
        with suppress(OSError):  # in use, another user's, a link, or gone meanwhile
            descriptor = os.open(part, os.O_RDONLY | os.O_NONBLOCK | _NO_LINK, dir_fd=folder)
            try:
                status = os.fstat(descriptor)
                if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(part, dir_fd=folder)
            finally:
                os.close(descriptor)
