"""Messages of ``hecn`` on stderr: one line per error or warning, never a traceback."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from hecn_analysis.base.bidi import printable
from hecn_analysis.base.errors import HecnError, ValidityWarning
from hecn_analysis.base.secrets import hidden

SHOWN = 20  # errors listed one by one; the rest are counted

# What to do about errors of the system whose own text does not say it.
_ADVICE = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "free some space, or write to another place"),
    errno.EROFS: "write to another place",
    **dict.fromkeys((errno.EACCES, errno.EPERM), "check its owner and permissions"),
    **dict.fromkeys((errno.EIO, errno.ESTALE), "check the disk or the network file system, and try again"),
}


def say(remark: str) -> None:
    """Write a line to stderr, with secrets hidden; if stderr is gone, the work continues."""
    try:
        print(f"hecn: {printable(hidden(remark))}", file=sys.stderr, flush=True)
    except OSError:  # a closed pipe, a terminal that is gone, a full disk
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def print_traceback(error: Exception) -> None:
    """Write the traceback to stderr, with secrets hidden: people attach it to bug reports."""
    import traceback  # noqa: PLC0415 (not needed where nothing goes wrong)

    lines = "".join(traceback.format_exception(error)).splitlines()
    print("\n".join(map(hidden, lines)), file=sys.stderr)


def say_all(remarks: Sequence[str], rest: str) -> None:
    """Write the first remarks, then how many more there are and where to find them."""
    for remark in remarks[:SHOWN]:
        say(remark)
    if len(remarks) > SHOWN:
        say(f"… and {len(remarks) - SHOWN} more: {rest}")


@contextmanager
def warnings_collected() -> Iterator[None]:
    """Collect validity warnings and write each once at the end; other warnings pass unchanged."""
    remarks: dict[str, None] = {}
    with warnings.catch_warnings():  # restores the filters and showwarning
        warnings.simplefilter("always", ValidityWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:  # noqa: ANN401
            if issubclass(category, ValidityWarning):
                remarks.setdefault(str(message))
            else:
                others(message, category, *place, **more)

        warnings.showwarning = show
        try:
            yield
        finally:
            say_all(list(remarks), "give fewer values at once")


def explain(error: Exception) -> str:
    """One line on what is wrong and where; for an unexpected error, how to report it."""
    if isinstance(error, HecnError):
        return " ".join(str(error).split())
    if isinstance(error, OSError) and error.errno is not None:
        location = "" if error.filename is None else f"{error.filename}: "
        advice = _ADVICE.get(error.errno)
        return f"{location}{error.strerror}" + (f"; {advice}" if advice else "")
    if isinstance(error, MemoryError | OverflowError):
        return (
            f"found a number that is too large to compute with ({' '.join(str(error).split())}), expected a smaller one"
        )
    return (
        f"this is a defect of hecn, please report it: {type(error).__name__}: {' '.join(str(error).split())}"
        " (HECN_DEBUG=1 shows the traceback to send along)"
    )
