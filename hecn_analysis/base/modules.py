"""The modules of a package, so that a new reader is found without being listed anywhere."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType


def modules_of(package: str) -> Iterator[ModuleType]:
    """Import and yield the modules of an imported package and its subpackages, in the order of their names."""
    for entry in sorted(pkgutil.iter_modules(sys.modules[package].__path__), key=lambda entry: entry.name):
        name = f"{package}.{entry.name}"
        module = import_module(name)
        if entry.ispkg:
            yield from modules_of(name)
        else:
            yield module
