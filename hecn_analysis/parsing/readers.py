"""Readers are found where their modules lie; they are listed nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hecn_analysis.base.modules import modules_of


def find_readers(package: str, mark: str) -> Iterator[Any]:
    """Find the readers of a package: modules that have a name, and classes defined in a module that have it.

    Parameters
    ----------
    package
        Name of the package, which has been imported. Packages in it are searched too.
    mark
        The name that makes a module or a class a reader: ``TOOLS``, ``FORMATS`` or ``find``.

    Yields
    ------
    module or class
        By module, in the order of their names. No result of a reading depends on the order.

    Examples
    --------
    >>> import hecn_analysis.statements
    >>> names = [module.__name__.rpartition(".")[2] for module in find_readers("hecn_analysis.statements", "find")]
    >>> "queues" in names, "statement" in names
    (True, False)
    """
    for module in modules_of(package):
        values = [value for value in vars(module).values() if isinstance(value, type)]
        own = [value for value in values if value.__module__ == module.__name__]
        yield from (value for value in (module, *own) if _has(value, mark))


def _has(value: object, mark: str) -> bool:
    """Whether a module or class has the name; a protocol that only declares it has a property."""
    given = getattr(value, mark, None)
    return bool(given) and not isinstance(given, property)
