"""Errors for users: where the fault is, what was found, what was expected, and what to do.

The command line prints any `HecnError` as one line, never as a traceback, and exits with status 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from hecn_analysis.base.secrets import hidden


class HecnError(Exception):
    """Base class of all errors that this package raises on purpose."""


class InputError(HecnError):
    """A file or a value from the user is unusable. The message masks secrets in quoted text.

    `found` is what the input contains, `expected` what would be valid; `source` and `line` (from 1) are the place of
    the fault, if known. `advice` says what to do, such as ``did you mean 'lanes'?``.

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
    """A number is impossible (three PCIe lanes, a negative round-trip time); the message gives the allowed range."""


class ValidityWarning(UserWarning):
    """A result is unreliable: an input was NaN or outside the range for which the formula is valid.

    The result is returned all the same. The message names the parameter, its value, the valid range, and the effect on
    the result. ``warnings.simplefilter("error", ValidityWarning)`` turns these warnings into errors.
    """


class MissingProgramError(HecnError):
    """An optional program is not installed; the message names the package that provides it."""


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """Suggest the known word closest to a misspelt one; None if no word is close.

    Parameters
    ----------
    word, known
        The misspelt word, and the allowed words.

    Returns
    -------
    str or None
        The suggestion, as a question.

    Examples
    --------
    >>> did_you_mean("lanez", ["lanes", "gen"])
    "did you mean 'lanes'?"
    """
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean {matches[0]!r}?" if matches else None


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Sort known words by how near they are to another: first those that contain it, then by their letters.

    Parameters
    ----------
    word, known
        The word, and the words to sort.

    Returns
    -------
    list of str
        All known words; in their own order if the word is empty.

    Examples
    --------
    >>> nearest("wan", ["lan-10ge", "hec-wan", "wax"])
    ['hec-wan', 'wax', 'lan-10ge']
    """
    alike = difflib.SequenceMatcher(b=word)

    def distance(name: str) -> tuple[bool, float]:
        alike.set_seq1(name)
        return word not in name, -alike.ratio()

    return sorted(known, key=distance) if word else list(known)
