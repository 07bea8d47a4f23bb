"""Errors for people: whose fault it is, where it stands, what was found, what was expected, what to do.

`HecnError` is the root; the command line prints any of them as one line, never as a traceback, and exits with status 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from hecn_analysis.base.secrets import hidden


class HecnError(Exception):
    """Root of all errors that this package raises on purpose."""


class InputError(HecnError):
    """A file, or a value that a person wrote, cannot be used. Secrets in what is quoted are left out.

    Parameters
    ----------
    found
        What stands there.
    expected
        What would be right.
    source, line
        The file and the line (from 1) where it stands, when known.
    advice
        What to do about it, e.g. ``did you mean 'lanes'?``.

    Examples
    --------
    >>> str(InputError("key 'lanez'", "one of gen, lanes", source="b.yaml", line=7, advice="did you mean 'lanes'?"))
    "b.yaml:7: found key 'lanez', expected one of gen, lanes; did you mean 'lanes'?"
    """

    def __init__(
        self,
        found: str,
        expected: str,
        *,
        source: object | None = None,
        line: int | None = None,
        advice: str | None = None,
    ) -> None:
        self.found = found
        self.expected = expected
        self.source = None if source is None else str(source)
        self.line = line
        self.advice = advice
        place = "" if self.source is None else f"{self.source}:" + (f"{line}:" if line is not None else "") + " "
        super().__init__(hidden(f"{place}found {found}, expected {expected}" + (f"; {advice}" if advice else "")))


class RangeError(HecnError, ValueError):
    """A number that cannot be (three PCIe lanes, a negative round-trip time), with what is allowed."""


class ValidityWarning(UserWarning):
    """A value was computed, but with care to be taken: outside the range that a formula was made for, or from NaN.

    The value is given all the same. The message says the parameter, what was found, the range, and what is wrong with
    the value there. Impossible values are no warning but a `RangeError`. The command line shows these on stderr;
    Python's filters silence them or make them errors: ``warnings.simplefilter("error", ValidityWarning)``.
    """


class MissingProgramError(HecnError):
    """An optional program is needed for this and is not installed; the message says which package brings it."""


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """Advice naming the known word nearest to a misspelt one, or None when nothing is near.

    Parameters
    ----------
    word
        What was written.
    known
        What may be written.

    Returns
    -------
    str or None
        The advice.

    Examples
    --------
    >>> did_you_mean("lanez", ["lanes", "gen"])
    "did you mean 'lanes'?"
    """
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else None
