"""What ``hecn`` says to people on stderr: one line an error, never a traceback."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hecn_analysis.errors import HecnError

SHOWN = 20  # errors told one by one; of more the number is told


def say(remark: str) -> None:
    """Write one line to stderr."""
    print(f"hecn: {remark}", file=sys.stderr)


def say_all(remarks: Sequence[str], rest: str) -> None:
    """Write the first of many lines, then how many more there are and where.

    Parameters
    ----------
    remarks
        The lines.
    rest
        Where the others are to be found.
    """
    for remark in remarks[:SHOWN]:
        say(remark)
    if len(remarks) > SHOWN:
        say(f"… and {len(remarks) - SHOWN} more: {rest}")


def explain(error: Exception) -> str:
    """Say in one line what is wrong and where; of an unexpected error, how to report it.

    >>> explain(FileNotFoundError(2, "No such file or directory", "a.yaml"))
    'a.yaml: No such file or directory'
    """
    if isinstance(error, HecnError):
        return " ".join(str(error).split())
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return (
        f"this is a defect of hecn, please report it: {type(error).__name__}: {' '.join(str(error).split())}"
        " (HECN_DEBUG=1 shows the traceback to send along)"
    )
