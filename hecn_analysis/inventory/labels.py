"""Lines that name what they give: ``Raid Level : raid5``, ``/c0 Model = 9750-4i``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_LABELLED: Final = re.compile(
    r"(?P<indent>[ \t]{0,80})(?P<name>[^\s:=][^:=]{0,80}?)\s{0,60}(?P<sign>[:=])(?P<value>.*)$"
)
_LONGEST: Final = 2000


class Labelled(NamedTuple):
    """A line that names its value.

    Parameters
    ----------
    number
        Number of the line in its file.
    indent
        Blanks in front of it.
    name
        What is named, as printed.
    value
        What stands behind the colon or the equals sign, without blanks around.
    """

    number: int
    indent: int
    name: str
    value: str


def labelled(number: int, line: str) -> Labelled | None:
    """Read a line that names its value; None where it does not.

    Parameters
    ----------
    number
        Number of the line in its file.
    line
        The line.

    Returns
    -------
    Labelled or None
        Name and value; None, too, for a line that is longer than any label needs.

    Examples
    --------
    >>> labelled(7, "     Raid Level : raid5 ")
    Labelled(number=7, indent=5, name='Raid Level', value='raid5')
    >>> labelled(8, "unused") is None
    True
    """
    found = _LABELLED.match(line) if len(line) <= _LONGEST else None
    if found is None:
        return None
    return Labelled(number, len(found["indent"]), found["name"], found["value"].strip())


def all_labelled(lines: Iterable[tuple[int, str]]) -> Iterator[Labelled]:
    """The lines that name their values.

    Parameters
    ----------
    lines
        Lines with their numbers, as `Output.numbered` gives them.

    Returns
    -------
    iterator of Labelled
        Those that have a name and a value, in their order.

    Examples
    --------
    >>> [line.value for line in all_labelled([(1, "a: 1"), (2, ""), (3, "b = 2")])]
    ['1', '2']
    """
    return (found for number, line in lines if (found := labelled(number, line)) is not None)
