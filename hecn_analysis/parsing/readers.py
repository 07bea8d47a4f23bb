"""Discovery of readers by their modules, so that no list needs an entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hecn_analysis.base.modules import modules_of


def find_readers(package: str, mark: str) -> Iterator[Any]:
    """Find the readers of an imported package: modules and classes that define a name such as ``TOOLS`` or ``FORMATS``.

    They come in the order of their modules' names; no result of a reading depends on the order.
    """
    for module in modules_of(package):
        values = [value for value in vars(module).values() if isinstance(value, type)]
        own = [value for value in values if value.__module__ == module.__name__]
        yield from (value for value in (module, *own) if _has(value, mark))


def _has(value: object, mark: str) -> bool:
    """Whether a module or class has the name; a protocol that only declares it has a property."""
    given = getattr(value, mark, None)
    return bool(given) and not isinstance(given, property)
