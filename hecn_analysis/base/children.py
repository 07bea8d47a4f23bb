"""Child processes that import nothing from the current folder, end with their parent, and leave no temporary folder.

With ``-m`` and ``-c``, Python looks for modules in the current folder first, which somebody else may have filled.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal as signals
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Environment of a Python process that imports nothing from its current folder, and neither do its own children.
SAFE_PATH: Final = {"PYTHONSAFEPATH": "1"}

_PREFIX: Final = "hecn-"
#: The longest name of a socket that every system allows (macOS; Linux: 107). [bytes]
_LONGEST_SOCKET: Final = 103
_SHORT_FOLDERS: Final = ("/tmp", "/var/tmp")  # noqa: S108 - only to make a folder of our own there
_PRIVATE: Final = re.compile(r"hecn-[a-z]{1,20}-[a-z0-9_]{8}")  # as `tempfile` completes it


@contextmanager
def safe_path() -> Iterator[None]:
    """Keep Python processes that start in this block, such as those of `multiprocessing`, off the current folder."""
    before = {name: os.environ.get(name) for name in SAFE_PATH}
    os.environ.update(SAFE_PATH)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def is_socket_name(path: Path) -> bool:
    """Whether every system allows a socket of this name."""
    return len(os.fsencode(path)) <= _LONGEST_SOCKET


@contextmanager
def short_temporary_folder(longest: str) -> Iterator[None]:
    """Make temporary folders in this block where a socket named `longest` fits, which a long TMPDIR prevents."""
    before = tempfile.tempdir
    writable = (name for name in _SHORT_FOLDERS if os.access(name, os.W_OK | os.X_OK))
    folders = (tempfile.gettempdir(), *writable)
    tempfile.tempdir = next((name for name in folders if is_socket_name(Path(name, longest))), before)
    try:
        yield
    finally:
        tempfile.tempdir = before


def end_with_parent() -> None:
    """End this worker of `multiprocessing` as soon as its parent process has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def tied(signal: str = "TERM") -> list[str]:
    """Prefix of a command that makes Linux signal it when the parent thread ends; empty without util-linux."""
    setpriv = shutil.which("setpriv")
    return [] if setpriv is None else [setpriv, "--pdeathsig", signal, "--"]


def kill_group(process: subprocess.Popen[Any]) -> None:
    """Kill a program that was started in a session of its own, and all that it started there."""
    if process.poll() is not None:
        return
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signals.SIGKILL)
        else:
            process.kill()


class Stop:
    """Stops the work of other threads: kills the programs that they wait for, and prevents further writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._actions: list[Callable[[], object]] = []
        self._is_set = False

    def set(self) -> None:
        """Stop now."""
        with self._lock:
            self._is_set = True
            actions, self._actions = self._actions, []
        for action in actions:
            action()

    def call(self, action: Callable[[], object]) -> None:
        """Call an action at the stop; at once if it has happened."""
        with self._lock:
            if not self._is_set:
                self._actions.append(action)
                return
        action()

    def check(self) -> None:
        """Raise `KeyboardInterrupt` after the stop."""
        if self._is_set:
            raise KeyboardInterrupt


@contextmanager
def private_folder(kind: str) -> Iterator[Path]:
    """Make a temporary folder that only this user may enter, and remove it at the end; first remove abandoned ones."""
    prefix = f"{_PREFIX}{kind}-"
    _remove_abandoned(prefix)
    with ExitStack() as at_end:
        folder = _held(prefix, at_end)
        at_end.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder.resolve()


def is_private(folder: str | os.PathLike[str]) -> bool:
    """Whether this is a temporary folder that a living process of this package holds, this one included."""
    if fcntl is None or not _PRIVATE.fullmatch(os.path.basename(folder)):  # noqa: PTH119 - text or path
        return False
    with suppress(OSError), ExitStack() as at_end:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        at_end.callback(os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _held(prefix: str, at_end: ExitStack) -> Path:
    """Make a folder and hold its lock until the end."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        if fcntl is None:
            return folder
        with ExitStack() as on_failure, suppress(FileNotFoundError):
            descriptor = os.open(folder, os.O_RDONLY)
            on_failure.callback(os.close, descriptor)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if folder.exists():
                at_end.push(on_failure.pop_all())
                return folder
        # another process removed it as abandoned before it was locked


def _remove_abandoned(prefix: str) -> None:
    """Remove this user's folders that no living process holds; links are left alone."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):  # held, somebody else's, or gone meanwhile
                    _remove_unless_held(entry.path)


def _remove_unless_held(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
