"""Progress of long work on stderr: a bar on a terminal, once the work has taken a second.

Where stderr is no terminal, only the reading of a long file writes there: a line every ten seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from tqdm import tqdm

Item = TypeVar("Item")

_DELAY_S: Final = 1.0
_REDRAWN_S: Final = 0.2
_LINE_S: Final = 10.0
_LONGEST_NAME: Final = 50


def track(items: Iterable[Item], what: str, *, total: int | None = None) -> Iterable[Item]:
    """Hand the items on, and show how far they are used up when that takes longer than a second.

    Nothing is ever written when stderr is not a terminal: logs and cron mails stay clean.

    Parameters
    ----------
    items
        What is worked through.
    what
        One word or two in front of the bar, e.g. ``reading``.
    total
        How many there are, where `items` has no length.

    Examples
    --------
    >>> sum(track([1, 2, 3], "adding"))
    6
    """
    if not sys.stderr.isatty():
        return items
    return _bar(items, what, total)


def _bar(items: Iterable[Any] | None, what: str, total: int | None) -> tqdm[Any]:
    from tqdm import tqdm  # noqa: PLC0415 (only a terminal needs it)

    return tqdm(items, desc=what, total=total, delay=_DELAY_S, leave=False, file=sys.stderr, dynamic_ncols=True)


class _Reading:
    """Says how far the reading of files is."""

    def __init__(self, bar: tqdm[Any] | None) -> None:
        self._bar = bar
        self._name = ""
        self._due = time.monotonic() + _DELAY_S

    def advance(self, name: str, done: int, size: int) -> None:
        """Show how many bytes of a file have been read, where it is time to."""
        now = time.monotonic()
        if self._bar is None and name != self._name:
            self._due = now + _LINE_S
        self._name = name
        if now < self._due:
            return
        shown = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in name)
        text = f"{shown[-_LONGEST_NAME:]}: {done / 1e6:.0f}" + (f" of {size / 1e6:.0f} MB" if size >= done else " MB")
        if self._bar is None:
            self._due = now + _LINE_S
            print(f"hecn: reading {text}", file=sys.stderr, flush=True)
        else:
            self._due = now + _REDRAWN_S
            self._bar.set_postfix_str(text)


_reading: ContextVar[_Reading | None] = ContextVar("_reading", default=None)


@contextmanager
def reading(total: int, *, shown: bool) -> Iterator[Callable[[int], object]]:
    """Show how far the reading of files is, and within a file that takes long, its name and the bytes done.

    Parameters
    ----------
    total
        How many files there are.
    shown
        Whether anything is to be shown.

    Yields
    ------
    callable
        To be told how many more files have been read.

    Examples
    --------
    >>> with reading(2, shown=False) as done:
    ...     done(2)
    """
    if not shown:
        yield lambda _: None
        return
    bar: tqdm[Any] | None = _bar(None, "reading", total) if sys.stderr.isatty() else None
    before = _reading.get()
    _reading.set(_Reading(bar))
    try:
        yield (lambda _: None) if bar is None else bar.update
    finally:
        _reading.set(before)
        if bar is not None:
            bar.close()


def advance(name: str, done: int, size: int) -> None:
    """Say how far a file has been read, to whoever shows it.

    Parameters
    ----------
    name
        The file.
    done
        What has been read of it. [B]
    size
        How long it is, 0 where nobody knows. [B]

    Examples
    --------
    >>> advance("a.log", 1_000_000, 2_000_000)
    """
    current = _reading.get()
    if current is not None:
        current.advance(name, done, size)
