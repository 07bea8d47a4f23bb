"""Files that appear whole: written aside in the folder of their place, on the disk, then named.

Whoever is killed, or finds the disk full, leaves what was there as it was. Aside is ``.hecn-*.part``; the writer holds
a lock on it, by which the next one tells what is being written from what a killed one left, and removes the latter.

Written into, and so perhaps seen half-written, are devices and pipes, and files that cannot be replaced by another one
without somebody noticing: those with several names, those that belong to somebody else, those in folders where no file
can be made, and empty ones, which somebody may have made to be filled and hold open.
"""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

try:
    import fcntl
except ImportError:  # not a POSIX system: nothing tells whose a file aside is, and none is removed
    fcntl = None  # type: ignore[assignment]

_PREFIX: Final = ".hecn-"
_SUFFIX: Final = ".part"


def write(place: str | os.PathLike[str], content: str | bytes) -> None:
    r"""Write a file, all of it or nothing.

    Parameters
    ----------
    place
        The file. A link to one stays a link. One that is there keeps its rights.
    content
        Bytes, or text to be written in UTF-8.

    Raises
    ------
    OSError
        With the name of the file; it is as it was then.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for content in ("first", "second\n"):
    ...         write(Path(folder, "a.txt"), content)
    ...     os.listdir(folder), Path(folder, "a.txt").read_text()
    (['a.txt'], 'second\n')
    """
    octets = content.encode() if isinstance(content, str) else content
    target = Path(os.path.realpath(place))
    try:
        if _is_to_be_written_into(target):
            _write_into(target, octets)
            return
        with aside(target) as part:
            part.write_bytes(octets)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), os.fspath(place)) from None


@contextmanager
def aside(target: Path) -> Iterator[Path]:
    """Give an empty file beside a place, which takes that place once it has been filled.

    Parameters
    ----------
    target
        The place; what is there is replaced, and gives its rights.

    Yields
    ------
    Path
        The file; it is gone where filling it has failed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with aside(Path(folder, "a.txt")) as file:
    ...         file.write_text("whole"), Path(folder, "a.txt").exists()
    ...     os.listdir(folder)
    (5, False)
    ['a.txt']
    """
    _remove_leftovers(target.parent)
    part = _new(target.parent)
    try:
        yield Path(part.name)
        with suppress(FileNotFoundError):
            _give_rights(part.fileno(), target.stat())
        os.fsync(part.fileno())
        Path(part.name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(part.name).unlink()
        raise
    finally:
        part.close()


def _is_to_be_written_into(target: Path) -> bool:
    try:
        status = target.stat()
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_size == 0 or status.st_nlink > 1:
        return True
    foreign = hasattr(os, "geteuid") and os.geteuid() not in {0, status.st_uid}
    return foreign or not os.access(target.parent, os.W_OK)


def _write_into(target: Path, octets: bytes) -> None:
    with target.open("wb") as stream:
        try:
            stream.write(octets)
            stream.flush()
        except OSError:
            with suppress(OSError):
                os.ftruncate(stream.fileno(), 0)  # half a file would be taken for a whole one
            with suppress(OSError):
                stream.close()  # tries once more what it could not write
            raise


def _new(folder: Path) -> BinaryIO:
    """Make a file aside, held by a lock."""
    while True:
        part = (folder / f"{_PREFIX}{uuid.uuid4().hex[:12]}{_SUFFIX}").open("xb")
        if fcntl is None:
            return part
        with suppress(OSError):  # a file system without locks
            fcntl.flock(part, fcntl.LOCK_EX)
        if Path(part.name).exists():
            return part
        part.close()  # somebody who removes leftovers was between its making and the lock


def _give_rights(descriptor: int, before: os.stat_result) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
        with suppress(OSError):  # the owner is the same, or this is root
            os.fchown(descriptor, before.st_uid, before.st_gid)


def _remove_leftovers(folder: Path) -> None:
    """Remove files aside that nobody writes any more."""
    if fcntl is None:
        return
    for part in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError), part.open("rb") as stream:  # somebody else's, being written, or gone meanwhile
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()
