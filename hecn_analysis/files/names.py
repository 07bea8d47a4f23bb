"""File names that are not UTF-8: how they are shown, and how to find the file of a shown name."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_ESCAPE: Final = re.compile(rb"\\x([89a-f][0-9a-f])")


def readable(name: str) -> str:
    r"""Write the bytes of a file name that are not UTF-8 as escapes.

    Parameters
    ----------
    name
        The name as Python has it.

    Returns
    -------
    str
        Text that every file and every program takes.

    Examples
    --------
    >>> readable("caf\udce9.log"), readable("café.log")
    ('caf\\xe9.log', 'café.log')
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def as_stored(name: str) -> str:
    r"""Find the file that a readable name stands for.

    Parameters
    ----------
    name
        A name, with or without escapes.

    Returns
    -------
    str
        The name with bytes for its escapes if such a file is there and none under the name itself; else the name.

    Examples
    --------
    >>> as_stored(r"no-such-\xe9.log")
    'no-such-\\xe9.log'
    """
    stored = os.fsdecode(_ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), os.fsencode(name)))
    return stored if stored != name and not os.path.lexists(name) and Path(stored).exists() else name
