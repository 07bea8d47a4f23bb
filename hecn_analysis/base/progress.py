"""Progress of long tasks on stderr: a bar on a terminal, after the first second.

If stderr is not a terminal, only the reading of a long file is reported, with a line every ten seconds. A child process
that reads files writes its progress to the file that `FORWARD` names, and its parent displays it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from hecn_analysis.base.bidi import printable
from hecn_analysis.base.children import private_folder

if TYPE_CHECKING:
    from tqdm import tqdm

Item = TypeVar("Item")

_DELAY_S: Final = 1.0
_REDRAWN_S: Final = 0.2
_LINE_S: Final = 10.0
_LONGEST_NAME: Final = 50

FORWARD: Final = "HECN_PROGRESS"
"""Environment variable with the file to which a child process writes its progress."""


def track(items: Iterable[Item], what: str, *, total: int | None = None) -> Iterable[Item]:
    """Yield the items; on a terminal, show a progress bar if that takes longer than a second."""
    if not sys.stderr.isatty():
        return items
    return _bar(items, what, total)


def _bar(items: Iterable[Any] | None, what: str, total: int | None) -> tqdm[Any]:
    from tqdm import tqdm  # noqa: PLC0415 (only a terminal needs it)

    return tqdm(items, desc=what, total=total, delay=_DELAY_S, leave=False, file=sys.stderr, dynamic_ncols=True)


class _Shown(Protocol):
    """A display of progress."""

    def update(self, number: int, /) -> object:
        """Add to the number of files read."""

    def set_postfix_str(self, text: str, /) -> object:
        """Show how far the current file has been read."""

    def close(self) -> object:
        """End the display."""


class _Lines:
    """Shows the progress of the current file as lines, some seconds apart."""

    def update(self, number: int) -> None:
        """Do nothing: lines show no number of files."""

    def set_postfix_str(self, text: str) -> None:
        """Write a line."""
        with suppress(OSError):  # stderr is closed; the work goes on
            print(f"hecn: reading {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the lines as they are."""


class _Forwarded:
    """Sends progress to the parent process, which displays it."""

    def __init__(self, total: int) -> None:
        self._into = os.open(os.environ[FORWARD], os.O_WRONLY | os.O_APPEND)
        self._write("total", total)

    def _write(self, what: str, value: object) -> None:
        os.write(self._into, f"{json.dumps([what, value])}\n".encode())

    def update(self, number: int) -> None:
        """Send the number of files read."""
        self._write("files", number)

    def set_postfix_str(self, text: str) -> None:
        """Send how far the current file has been read."""
        self._write("file", text)

    def close(self) -> None:
        """Send the end of the progress."""
        self._write("end", None)
        os.close(self._into)


def _shown(total: int) -> _Shown:
    """Choose the display for this process."""
    if os.environ.get(FORWARD):
        return _Forwarded(total)
    return _bar(None, "reading", total) if sys.stderr.isatty() else _Lines()


class _Reading:
    """Shows how far files have been read, at most once per interval."""

    def __init__(self, shown: _Shown) -> None:
        self._shown = shown
        self._every_s = _LINE_S if isinstance(shown, _Lines) else _REDRAWN_S
        self._name = ""
        self._due = time.monotonic() + _DELAY_S

    def advance(self, name: str, done: int, size: int) -> None:
        """Show how many bytes of a file have been read, if the interval has passed."""
        now = time.monotonic()
        if name != self._name and isinstance(self._shown, _Lines):
            self._due = now + _LINE_S
        self._name = name
        if now < self._due:
            return
        self._due = now + self._every_s
        shown = printable(name)
        amount = f"{done / 1e6:.0f} of {size / 1e6:.0f} MB" if size >= done else f"{done / 1e6:.0f} MB"
        self._shown.set_postfix_str(f"{shown[-_LONGEST_NAME:]}: {amount}")


_reading: ContextVar[_Reading | None] = ContextVar("_reading", default=None)


@contextmanager
def reading(total: int, *, shown: bool) -> Iterator[Callable[[int], object]]:
    """Show the number of files read and, within a long file, its name and the bytes read.

    Yields a function that takes the number of files read since its last call.
    """
    if not shown:
        yield lambda _: None
        return
    what = _shown(total)
    before = _reading.get()
    _reading.set(_Reading(what))
    try:
        yield what.update
    finally:
        _reading.set(before)
        what.close()


def advance(name: str, done: int, size: int) -> None:
    """Report how much of a file has been read [B], of its size (0 if unknown), to the display of `reading`."""
    current = _reading.get()
    if current is not None:
        current.advance(name, done, size)


@contextmanager
def forwarded() -> Iterator[None]:
    """Show the progress of child processes that start in this block."""
    with private_folder("progress") as folder:
        notes = folder / "notes"
        notes.touch(0o600)
        ended = Event()
        watcher = Thread(target=_watch, args=(notes, ended), daemon=True)
        watcher.start()
        os.environ[FORWARD] = str(notes)
        try:
            yield
        finally:
            del os.environ[FORWARD]
            ended.set()
            watcher.join()


def _watch(notes: Path, ended: Event) -> None:
    """Show what is written into a file until the end."""
    on_terminal = sys.stderr.isatty()
    shown: _Shown = _Lines()
    due = time.monotonic() + (0.0 if on_terminal else _LINE_S)
    last, rest = False, b""
    with notes.open("rb") as stream, suppress(OSError):  # the reader of stderr is gone
        while not last:
            last = ended.wait(_REDRAWN_S)
            *lines, rest = (rest + stream.read()).split(b"\n")
            for what, value in map(json.loads, lines):
                if what == "total":
                    shown = _bar(None, "reading", value) if on_terminal else shown
                elif what == "files":
                    shown.update(value)
                elif what == "end":
                    shown.close()
                elif time.monotonic() >= due:
                    due = time.monotonic() + (0.0 if on_terminal else _LINE_S)
                    shown.set_postfix_str(value)
        shown.close()
