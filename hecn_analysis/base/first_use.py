"""Lazy imports: the names of a package load their modules on first use, so that importing the package is cheap.

The top-level package has its own copy of this: importing it loads no other module, not even this one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_getattr(package: str, sources: Mapping[str, str]) -> Callable[[str], object]:
    """Return a ``__getattr__`` that imports the names of a package on first use and stores them there.

    `sources` has the module of each name, relative to the package; a name equal to its module stands for the module.
    """

    def load(name: str) -> object:
        if (source := sources.get(name)) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{source}")
        value = module if source == name else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load
