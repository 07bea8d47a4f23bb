"""File names that are not UTF-8: their readable form, and the file of a readable name."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_ESCAPE: Final = re.compile(rb"\\x([89a-f][0-9a-f])")


def readable(name: str) -> str:
    r"""Return a file name with escapes for bytes that are not UTF-8, so that it can be written anywhere."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def as_stored(name: str) -> str:
    r"""Return the file name that a readable name stands for: with bytes for escapes if only such a file exists."""
    stored = os.fsdecode(_ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), os.fsencode(name)))
    return stored if stored != name and not os.path.lexists(name) and Path(stored).exists() else name
