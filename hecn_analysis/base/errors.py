"""Errors for users: where the fault is, what was found, what was expected, and what to do.

The command line prints any `HecnError` as one line, never as a traceback, and exits with status 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from typing import Final

from hecn_analysis.base.secrets import hidden

#: An error lists all names up to this many, else only the nearest.
_ALL_NAMED: Final = 12
_NEAREST_NAMED: Final = 8


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
    """Known words, those that contain the word first, then by how alike their letters are."""
    alike = difflib.SequenceMatcher(b=word)

    def distance(name: str) -> tuple[bool, float]:
        alike.set_seq1(name)
        return word not in name, -alike.ratio()

    return sorted(known, key=distance) if word else list(known)


def one_of(known: Collection[str], word: str = "", *, where: str = "") -> str:
    """Text that lists the known names, those nearest to `word` first; of many only these, if `where` has the others.

    Parameters
    ----------
    known, word
        The names, and the word to sort them by.
    where
        File, folder or command that has all names.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> one_of(["lan-10ge", "hec-wan"], "wan")
    'one of hec-wan, lan-10ge'
    """
    names = nearest(word, known)
    if not where or len(names) <= _ALL_NAMED:
        return f"one of {', '.join(names)}"
    return f"one of {', '.join(names[:_NEAREST_NAMED])}, … ({len(names)} in {where})"


def unknown_name(
    kind: str,
    name: str,
    known: Collection[str],
    *,
    also: str = "",
    where: str = "",
    source: object | None = None,
    line: int | None = None,
) -> InputError:
    """Error that a name is unknown: it lists the known ones, the nearest first, and suggests one that is close.

    Parameters
    ----------
    kind, name, known
        What the name stands for, the name, and the known ones.
    also
        What else would do, before the names, with "or" at its end: see the example.
    where
        File, folder or command that has all names, if they may be many.
    source, line
        Place of the name.

    Returns
    -------
    InputError
        To be raised.

    Examples
    --------
    >>> str(unknown_name("roadmap", "400", ["hecn", "400g"], also="a YAML file or "))
    "found roadmap '400', expected a YAML file or one of 400g, hecn; did you mean '400g'?"
    """
    expected = also + (one_of(known, name, where=where) if known else "none")
    return InputError(f"{kind} {name!r}", expected, source=source, line=line, advice=did_you_mean(name, known))
