"""Processes that are started from here: none imports from the current folder, none outlives us, none leaves a folder.

Python puts the current folder in front of its modules for ``-m`` and ``-c``, which is how kernels and the workers of
`multiprocessing` start. That folder often is one that somebody else has filled.
"""

from __future__ import annotations

import multiprocessing
import os
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


@contextmanager
def safe_path() -> Iterator[None]:
    """Let the Python processes that start in this block import nothing from the current folder.

    For `multiprocessing`, which hands its processes our own environment.
    """
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


def end_with_parent() -> None:
    """End this worker of `multiprocessing` when the process that started it is gone: nobody else would."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def tied(signal: str = "TERM") -> list[str]:
    """Words in front of a command that make Linux send it a signal when the thread that started it ends.

    Without util-linux there are none.
    """
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
    """Stops the work of other threads: it kills the programs that they wait for, and they write nothing further."""

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
        """Have something called at the stop; at once when that has been."""
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
    """Give a folder for temporary files of one kind that only this user may enter; it is removed at the end.

    Folders of the same kind whose owner was killed are removed, too: a lock on a folder says that its owner is alive.
    """
    prefix = f"{_PREFIX}{kind}-"
    _remove_abandoned(prefix)
    with ExitStack() as at_end:
        folder = _held(prefix, at_end)
        at_end.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder.resolve()


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
        # another process took it for an abandoned one before we had the lock


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
