"""Options of a command line above a tool's output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest


def option_values(arguments: Sequence[str], name: str) -> Iterator[str]:
    """Iterate over the values of an option, joined to it (``-P4``) or after it (``-P 4``).

    Parameters
    ----------
    arguments, name
        Words of a command line, and the option: ``-P``.

    Yields
    ------
    str
        Its values, in their order.

    Examples
    --------
    >>> list(option_values(["-P4", "-c", "dtn", "-P", "8"], "-P"))
    ['4', '8']
    """
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        if word == name:
            yield following
        elif word.startswith(name):
            yield word[len(name) :]
