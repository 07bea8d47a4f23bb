"""Names of a room that bring their module when they are first used, so that importing the room costs nothing.

The package itself does so in its own lines: importing it loads no other module, not even this one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def bring(package: str, sources: Mapping[str, str]) -> Callable[[str], object]:
    """Give what a package takes for its ``__getattr__``.

    Parameters
    ----------
    package
        Name of the package.
    sources
        By name: the module below the package that holds it, or that it is.

    Returns
    -------
    function
        Finds a name, and leaves it in the package so that it is asked once.

    Examples
    --------
    >>> import hecn_analysis
    >>> bring("hecn_analysis", {"parse": "base.units"})("parse")("10 Gb/s", "rate")
    10000000000.0
    >>> del hecn_analysis.parse
    """

    def brought(name: str) -> object:
        if (source := sources.get(name)) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{source}")
        value = module if source == name else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return brought
